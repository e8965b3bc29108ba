/* edit_relate.c: a relation between two entities, drawn: To gets the attributes that From is known by and a pattern that asks for them;
 * many-to-many gets an entity between the two, with a key for one direction and an index entry for the other. It is all made of
 * sets, so nothing of it is more than somebody could have typed. */
#include "edit.h"
#include "plan.h"
#include "propose_impl.h"
#include "relations.h"

#define KNOWN_MAX 16

/* One end of a relation. */
struct end {
    struct slice name;
    const struct node *node;
    struct slice known[KNOWN_MAX]; /* the attributes that identify it, in the order of its key */
    struct slice as[KNOWN_MAX];    /* what they are called elsewhere: customerId for a Customer's id */
    size_t n;
    size_t n_hash;                 /* so many of them are in its hash key */
    struct slice hash;             /* its template */
};

static const struct node *entities_of(const struct editor *ed)
{
    return NODE_GET(ed->root, "entities");
}

/* ---- what an entity is known by ---- */

static bool among(const struct slice *list, size_t n, struct slice name)
{
    for (size_t i = 0; i < n; i++)
        if (slice_eq(list[i], name)) return true;
    return false;
}

static void know(struct end *x, struct slice name)
{
    if (x->n < KNOWN_MAX && !among(x->known, x->n, name)) x->known[x->n++] = name;
}

static void know_holes(struct end *x, struct slice t)
{
    for (size_t i = 0; i + 2 < t.n; i++) {
        if (t.p[i] != '$' || t.p[i + 1] != '{') continue;
        if (i && t.p[i - 1] == '$') continue;
        size_t from = i + 2, to = from;
        while (to < t.n && t.p[to] != '}' && t.p[to] != ':') to++;
        know(x, slice_of(t.p + from, to - from));
        i = to;
    }
}

/* The name of the table's hash or sort attribute; empty: there is no sort key. */
static struct slice key_name(const struct editor *ed, const char *side)
{
    const struct node *keys = NODE_GET(ed->root, "keys");
    bool hash = strcmp(side, "hash") == 0;
    if (!keys) return hash ? SLICE("PK") : SLICE("SK");
    const struct node *n = node_get(keys, slice_str(side));
    if (n && n->kind == NODE_MAP) n = NODE_GET(n, "name");
    return n && n->kind == NODE_SCALAR ? n->text : slice_of(NULL, 0);
}

static void know_side(struct editor *ed, struct end *x, struct slice attribute)
{
    const struct node *template = node_get(NODE_GET(x->node, "key"), attribute);
    if (template && template->kind == NODE_SCALAR) know_holes(x, template->text);
    else if (attribute.n && node_get(NODE_GET(x->node, "attributes"), attribute)) know(x, attribute);
    if (x->n_hash || x->hash.n) return;
    x->n_hash = x->n;
    x->hash = template && template->kind == NODE_SCALAR ? template->text : arena_printf(ed->arena, "${%.*s}", SLICE_ARG(attribute));
}

static int find_end(struct editor *ed, struct slice name, struct end *x)
{
    *x = (struct end){ .name = name, .node = node_get(entities_of(ed), name) };
    if (!x->node || x->node->kind != NODE_MAP)
        return err_set(ed->err, ERR_ValidationException, "the model has no entity %.*s", SLICE_ARG(name));
    know_side(ed, x, key_name(ed, "hash"));
    know_side(ed, x, key_name(ed, "sort"));
    if (!x->n)
        return err_set(ed->err, ERR_ValidationException,
                       "%.*s has no attribute in its key that it is known by; give it one first, such as PK: \"CUSTOMER#${customerId}\"",
                       SLICE_ARG(name));
    for (size_t i = 0; i < x->n; i++) x->as[i] = relation_name(ed->arena, name, x->known[i]);
    return 0;
}

/* ---- sets ---- */

static int set_text(struct editor *ed, struct edit_path path, struct buf *json)
{
    return edit_set(ed, &path, json_parse(ed->arena, buf_view(json), 16, NULL));
}

static struct buf json_buf(struct editor *ed)
{
    struct buf b;
    buf_init(&b, ed->arena, MODEL_MAX_FILE);
    return b;
}

static void put_names(struct buf *b, const struct slice *list, size_t n)
{
    buf_u8(b, '[');
    for (size_t i = 0; i < n; i++) {
        if (i) buf_u8(b, ',');
        json_put_string(b, list[i]);
    }
    buf_u8(b, ']');
}

/* {"type":"string","required":true}, as the attribute is declared where it comes from. */
static void put_attribute(struct buf *b, const struct end *x, struct slice name)
{
    const struct node *at = node_get(NODE_GET(x->node, "attributes"), name);
    const struct node *type = at && at->kind == NODE_SCALAR ? at : NODE_GET(at, "type"), *format = NODE_GET(at, "format");
    if (!format) format = NODE_GET(at, "generate");
    bool lasting = format && (slice_eq(format->text, SLICE("ulid")) || slice_eq(format->text, SLICE("uuid")));
    BUF_LIT(b, "{\"type\":");
    json_put_string(b, type && type->kind == NODE_SCALAR && type->text.n ? type->text : SLICE("string"));
    if (lasting) {
        BUF_LIT(b, ",\"format\":");
        json_put_string(b, format->text);
    }
    BUF_LIT(b, ",\"required\":true}");
}

static int set_attributes(struct editor *ed, const struct end *of, struct slice entity)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < of->n; i++) {
        const struct node *en = node_get(entities_of(ed), entity);
        if (node_get(NODE_GET(en, "attributes"), of->as[i])) continue;
        struct buf b = json_buf(ed);
        put_attribute(&b, of, of->known[i]);
        rc = set_text(ed, (struct edit_path){ { SLICE("entities"), entity, SLICE("attributes"), of->as[i] }, 4 }, &b);
    }
    return rc;
}

/* ---- patterns ---- */

/* Is it of this entity alone, by just these attributes? */
static bool asks_already(const struct node *p, struct slice entity, const struct slice *by, size_t n)
{
    const struct node *of = NODE_GET(p, "of"), *given = NODE_GET(p, "by");
    if (of && of->kind == NODE_LIST && of->count == 1) of = of->first;
    if (!of || of->kind != NODE_SCALAR || !slice_eq(of->text, entity) || !given || given->count != n) return false;
    if (NODE_GET(p, "where") || NODE_GET(p, "across") || NODE_GET(p, "filter")) return false;
    for (const struct node *c = given->first; c; c = c->next)
        if (!among(by, n, given->kind == NODE_MAP ? c->name : c->text)) return false;
    return true;
}

static bool ends_in(struct slice s, const char *end)
{
    size_t n = strlen(end);
    return s.n > n && memcmp(s.p + s.n - n, end, n) == 0;
}

/* ordersOfCustomer, categoriesOfProduct. */
static struct slice pattern_name(struct editor *ed, struct slice many, struct slice one)
{
    struct slice stem = many;
    const char *end = "s";
    if (ends_in(many, "y") && !ends_in(many, "ay") && !ends_in(many, "ey") && !ends_in(many, "oy")) {
        stem.n--;
        end = "ies";
    } else if (ends_in(many, "s") || ends_in(many, "x") || ends_in(many, "ch") || ends_in(many, "sh")) {
        end = "es";
    }
    uint8_t first = stem.p[0] >= 'A' && stem.p[0] <= 'Z' ? (uint8_t)(stem.p[0] + 32) : stem.p[0];
    struct slice name = arena_printf(ed->arena, "%c%.*s%sOf%.*s", first, (int)stem.n - 1, (const char *)stem.p + 1, end, SLICE_ARG(one));
    struct slice unique = name;
    for (unsigned i = 2; node_get(NODE_GET(ed->root, "patterns"), unique); i++)
        unique = arena_printf(ed->arena, "%.*s%u", SLICE_ARG(name), i);
    return unique;
}

/* The many of one: asked of entity, by what the one is known by. */
static int set_pattern(struct editor *ed, struct slice many, const struct end *one, struct slice entity)
{
    const struct node *patterns = NODE_GET(ed->root, "patterns");
    for (const struct node *p = patterns && patterns->kind == NODE_MAP ? patterns->first : NULL; p; p = p->next)
        if (asks_already(p, entity, one->as, one->n)) return 0;
    struct buf b = json_buf(ed);
    BUF_LIT(&b, "{\"of\":");
    json_put_string(&b, entity);
    BUF_LIT(&b, ",\"by\":");
    put_names(&b, one->as, one->n);
    buf_u8(&b, '}');
    return set_text(ed, (struct edit_path){ { SLICE("patterns"), pattern_name(ed, many, one->name) }, 2 }, &b);
}

static int one_to_many(struct editor *ed, const struct end *from, const struct end *to)
{
    int rc = set_attributes(ed, from, to->name);
    return rc ? rc : set_pattern(ed, to->name, from, to->name);
}

/* ---- many to many ---- */

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
    struct buf b = json_buf(ed);
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
    struct buf b = json_buf(ed);
    const uint8_t *hole = memmem(e->hash.p, e->hash.n, "${", 2);
    size_t lead = hole ? (size_t)(hole - e->hash.p) : 0;
    if (!word.n && lead > x->delimiter.n && !among(other->as, other->n, e->as[0])) {
        buf_bytes(&b, e->hash.p, lead);
    } else {
        put_upper(&b, word.n ? word : e->name);
        buf_slice(&b, x->delimiter);
    }
    size_t before = b.n;
    for (size_t i = 0; i < e->n; i++) {
        if (among(other->as, other->n, e->as[i])) continue;
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
        if (but && among(but->as, but->n, e->as[i])) continue;
        if (b->p[b->n - 1] != '{') buf_u8(b, ',');
        json_put_string(b, e->as[i]);
        buf_u8(b, ':');
        put_attribute(b, e, e->known[i]);
    }
}

static int set_between(struct editor *ed, const struct between *x)
{
    int rc = 0;
    struct buf index = json_buf(ed), entity = json_buf(ed);
    if (x->new_index) {
        put_keys(&index, SLICE("hash"), x->index_hash, SLICE("sort"), x->index_sort);
        rc = set_text(ed, (struct edit_path){ { SLICE("indexes"), x->index }, 2 }, &index);
    }
    BUF_LIT(&entity, "{\"key\":");
    put_keys(&entity, key_name(ed, "hash"), x->from_hash, key_name(ed, "sort"), x->to_sort);
    BUF_LIT(&entity, ",\"index\":{");
    json_put_string(&entity, x->index);
    buf_u8(&entity, ':');
    put_keys(&entity, x->index_hash, x->to_hash, x->index_sort, x->from_sort);
    BUF_LIT(&entity, "},\"attributes\":{");
    put_attributes(&entity, &x->from, NULL);
    put_attributes(&entity, &x->to, &x->from);
    BUF_LIT(&entity, "}}");
    if (!rc) rc = set_text(ed, (struct edit_path){ { SLICE("entities"), x->name }, 2 }, &entity);
    if (!rc) rc = set_pattern(ed, x->to.name, &x->from, x->name);
    return rc ? rc : set_pattern(ed, x->from.name, &x->to, x->name);
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

static int many_to_many(struct editor *ed, const struct end *from, const struct end *to, struct slice through)
{
    struct between x = { .from = *from, .to = *to, .delimiter = delimiter_of(ed) };
    x.name = through.n ? through : arena_printf(ed->arena, "%.*s%.*s", SLICE_ARG(from->name), SLICE_ARG(to->name));
    if (node_get(entities_of(ed), x.name))
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
    /* Something else lies under such keys: with its own name before them it has a place of its own. */
    x.to_sort = sort_between(ed, &x, to, from, x.name);
    return try_between(ed, &x);
}

int edit_relate(struct editor *ed, struct slice from, struct slice to, enum edit_relation kind, struct slice through)
{
    struct end a, b;
    struct slice text = ed->text;
    const struct node *root = ed->root;
    if (slice_eq(from, to)) return err_set(ed->err, ERR_ValidationException, "an entity cannot be related to itself here: give it an attribute such as parentId, and a pattern by it");
    int rc = find_end(ed, from, &a);
    if (rc) return rc;
    b = (struct end){ .name = to, .node = node_get(entities_of(ed), to) };
    if (!b.node) return err_set(ed->err, ERR_ValidationException, "the model has no entity %.*s", SLICE_ARG(to));
    if (kind == RELATE_MANY_TO_MANY) rc = find_end(ed, to, &b);
    if (!rc) rc = kind == RELATE_MANY_TO_MANY ? many_to_many(ed, &a, &b, through) : one_to_many(ed, &a, &b);
    if (rc) {
        ed->text = text;
        ed->root = root;
    }
    return rc;
}
