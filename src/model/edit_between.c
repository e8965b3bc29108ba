/* edit_between.c: many-to-many: an entity between two others, with a key for one direction and an index entry for the other. Its keys lie under
 * those of the first; where something else lies there already, its own name keeps it apart. */
#include "edit_relate.h"
#include "plan.h"
#include "propose_impl.h"

struct between {
    struct slice name;
    struct end from, to;
    struct slice delimiter;
    struct slice from_hash, to_hash; /* templates under which each end is looked for */
    struct slice from_sort, to_sort;
    struct slice index, index_hash, index_sort; /* for the direction that the key does not answer */
    bool new_index;
};

static struct slice delimiter_of(const struct editor *ed)
{
    const struct node *n = NODE_GET(ed->root, "delimiter");
    return n && n->kind == NODE_SCALAR && n->text.n ? n->text : SLICE("#");
}

/* The end's hash template, its attributes called as they are elsewhere, with the rest of its identity behind it. */
static struct slice hash_between(struct editor *ed, const struct between *x, const struct end *e)
{
    struct buf b = relate_json(ed);
    struct slice t = e->hash;
    for (size_t i = 0; i < t.n;) {
        size_t k = 0, n = 0;
        for (; k < e->n_hash && !n; k++) {
            struct slice hole = arena_printf(ed->arena, "${%.*s", SLICE_ARG(e->known[k]));
            struct slice rest = slice_of(t.p + i, t.n - i);
            if (slice_starts(rest, hole) && rest.n > hole.n && (rest.p[hole.n] == '}' || rest.p[hole.n] == ':')) n = hole.n;
            if (n) buf_printf(&b, "${%.*s", SLICE_ARG(e->as[k]));
        }
        if (!n) buf_u8(&b, t.p[i]);
        i += n ? n : 1;
    }
    for (size_t i = e->n_hash; i < e->n; i++) buf_printf(&b, "%.*s${%.*s}", SLICE_ARG(x->delimiter), SLICE_ARG(e->as[i]));
    return buf_view(&b);
}

static void put_upper(struct buf *b, struct slice s)
{
    for (size_t i = 0; i < s.n; i++) buf_u8(b, s.p[i] >= 'a' && s.p[i] <= 'z' ? (uint8_t)(s.p[i] - 32) : s.p[i]);
}

/* PRODUCT#${productId}: what the other end's key does not hold yet; empty: nothing. It begins as the end's own key does, or with word. */
static struct slice sort_between(struct editor *ed, const struct between *x, const struct end *e, const struct end *other, struct slice word)
{
    struct buf b = relate_json(ed);
    const uint8_t *hole = memmem(e->hash.p, e->hash.n, "${", 2);
    size_t lead = hole ? (size_t)(hole - e->hash.p) : 0;
    if (!word.n && lead > x->delimiter.n && !relate_among(other->as, other->n, e->as[0])) {
        buf_bytes(&b, e->hash.p, lead);
    } else {
        put_upper(&b, word.n ? word : e->name);
        buf_slice(&b, x->delimiter);
    }
    size_t before = b.n;
    for (size_t i = 0; i < e->n; i++) {
        if (relate_among(other->as, other->n, e->as[i])) continue;
        if (b.n > before) buf_slice(&b, x->delimiter);
        buf_printf(&b, "${%.*s}", SLICE_ARG(e->as[i]));
    }
    return b.n == before ? slice_of(NULL, 0) : buf_view(&b);
}

static bool one_string(const struct key_side *s)
{
    return s->n == 1 && s->attrs[0].type == TYPE_S;
}

/* A global index whose keys are texts has room for another entity. */
static int choose_index(struct editor *ed, const struct model *m, void *ctx)
{
    struct between *x = ctx;
    if (!one_string(&m->indexes[0].hash) || !one_string(&m->indexes[0].sort))
        return err_set(ed->err, ERR_ValidationException, "an entity between two needs a table with a hash and a sort key that are strings");
    for (size_t i = 1; i < m->n_indexes && !x->index.n; i++) {
        const struct model_index *ix = &m->indexes[i];
        if (ix->local || !one_string(&ix->hash) || !one_string(&ix->sort)) continue;
        x->index = arena_dup(ed->arena, ix->name);
        x->index_hash = arena_dup(ed->arena, ix->hash.attrs[0].name);
        x->index_sort = arena_dup(ed->arena, ix->sort.attrs[0].name);
    }
    if (x->index.n) return 0;
    x->new_index = true;
    if (new_index_names(ed->arena, m, &x->index, &x->index_hash, &x->index_sort)) return 0;
    return err_set(ed->err, ERR_ValidationException, "the table has as many indexes as it may have, and none has room");
}

static void put_keys(struct buf *b, struct slice hash_name, struct slice hash, struct slice sort_name, struct slice sort)
{
    buf_u8(b, '{');
    json_put_string(b, hash_name);
    buf_u8(b, ':');
    json_put_string(b, hash);
    buf_u8(b, ',');
    json_put_string(b, sort_name);
    buf_u8(b, ':');
    json_put_string(b, sort);
    buf_u8(b, '}');
}

static void put_attributes(struct buf *b, const struct end *e, const struct end *but)
{
    for (size_t i = 0; i < e->n; i++) {
        if (but && relate_among(but->as, but->n, e->as[i])) continue;
        if (b->p[b->n - 1] != '{') buf_u8(b, ',');
        json_put_string(b, e->as[i]);
        buf_u8(b, ':');
        relate_put_attribute(b, e, e->known[i]);
    }
}

static int set_between(struct editor *ed, const struct between *x)
{
    int rc = 0;
    struct buf index = relate_json(ed), entity = relate_json(ed);
    if (x->new_index) {
        put_keys(&index, SLICE("hash"), x->index_hash, SLICE("sort"), x->index_sort);
        rc = relate_set(ed, (struct edit_path){ { SLICE("indexes"), x->index }, 2 }, &index);
    }
    BUF_LIT(&entity, "{\"key\":");
    put_keys(&entity, relate_key_name(ed, "hash"), x->from_hash, relate_key_name(ed, "sort"), x->to_sort);
    BUF_LIT(&entity, ",\"index\":{");
    json_put_string(&entity, x->index);
    buf_u8(&entity, ':');
    put_keys(&entity, x->index_hash, x->to_hash, x->index_sort, x->from_sort);
    BUF_LIT(&entity, "},\"attributes\":{");
    put_attributes(&entity, &x->from, NULL);
    put_attributes(&entity, &x->to, &x->from);
    BUF_LIT(&entity, "}}");
    if (!rc) rc = relate_set(ed, (struct edit_path){ { SLICE("entities"), x->name }, 2 }, &entity);
    if (!rc) rc = relate_set_pattern(ed, x->to.name, &x->from, x->name);
    return rc ? rc : relate_set_pattern(ed, x->from.name, &x->to, x->name);
}

/* Could an item of one lie under a key of the other, in the table? */
static bool same_place(const struct access_path *a, const struct access_path *b)
{
    return a->entity != b->entity && a->index == b->index &&
           template_may_meet(&a->hash[0].template, a->hash[0].template.n, &b->hash[0].template) &&
           template_may_meet(&a->sort[0].template, a->sort[0].template.n, &b->sort[0].template);
}

/* The entity between has keys of its own, and every pattern of it is answered. */
static int check_between(struct editor *ed, const struct model *m, void *ctx)
{
    const struct between *x = ctx;
    const struct access_path *key = model_entity(m, x->name)->key;
    for (size_t i = 0; i < m->n_paths; i++)
        if (same_place(key, &m->paths[i]))
            return err_set(ed->err, ERR_ValidationException, "%.*s would lie under the keys of %.*s", SLICE_ARG(x->name),
                           SLICE_ARG(m->paths[i].entity->name));
    for (size_t i = 0; i < m->n_patterns; i++) {
        struct plan plan;
        const struct pattern *p = &m->patterns[i];
        if (!slice_eq(p->entities[0]->name, x->name)) continue;
        int rc = plan_make(ed->arena, m, p, false, &plan, ed->err);
        if (rc) return rc;
        if (plan.kind == PLAN_NONE)
            return err_set(ed->err, ERR_ValidationException, "%.*s would not be answered: %.*s", SLICE_ARG(p->name), SLICE_ARG(plan.reason));
    }
    return 0;
}

/* Leaves the text as it was where that is no model, or a pattern is not answered. */
static int try_between(struct editor *ed, struct between *x)
{
    struct slice text = ed->text;
    const struct node *root = ed->root;
    int rc = set_between(ed, x);
    if (!rc) rc = editor_with_model(ed, "the entity between them does not fit into the model", check_between, x);
    if (rc) {
        ed->text = text;
        ed->root = root;
    }
    return rc;
}

int relate_many_to_many(struct editor *ed, const struct end *from, const struct end *to, struct slice through)
{
    struct between x = { .from = *from, .to = *to, .delimiter = delimiter_of(ed) };
    x.name = through.n ? through : arena_printf(ed->arena, "%.*s%.*s", SLICE_ARG(from->name), SLICE_ARG(to->name));
    if (node_get(NODE_GET(ed->root, "entities"), x.name))
        return err_set(ed->err, ERR_ValidationException, "there is an entity %.*s already; give the one between them another name",
                       SLICE_ARG(x.name));
    x.from_hash = hash_between(ed, &x, from);
    x.to_hash = hash_between(ed, &x, to);
    x.to_sort = sort_between(ed, &x, to, from, slice_of(NULL, 0));
    x.from_sort = sort_between(ed, &x, from, to, slice_of(NULL, 0));
    if (!x.to_sort.n || !x.from_sort.n)
        return err_set(ed->err, ERR_ValidationException, "what %.*s is known by holds what %.*s is known by: one belongs to the other, one-to-many",
                       SLICE_ARG(x.to_sort.n ? to->name : from->name), SLICE_ARG(x.to_sort.n ? from->name : to->name));
    int rc = editor_with_model(ed, "many-to-many needs a model without problems", choose_index, &x);
    if (rc || !try_between(ed, &x)) return rc;
    ed->err->code = ERR_NONE;
    /* Something else lies under such keys: with its own name before them it has a place of its own. */
    x.to_sort = sort_between(ed, &x, to, from, x.name);
    return try_between(ed, &x);
}
