/* propose_names.c: what the keys of a proposal are made of: prefixes that the model uses already,
 * the attributes that are known, the time or range, and the entity's own identity behind them. */
#include "propose_impl.h"
#include "edit_value.h"

struct slice quoted(struct arena *a, struct slice text)
{
    struct buf b;
    buf_init(&b, a, MODEL_MAX_FILE);
    yaml_put_quoted(&b, text);
    return buf_view(&b);
}

static void put_upper(struct buf *b, struct slice s)
{
    for (size_t i = 0; i < s.n; i++)
        buf_u8(b, s.p[i] >= 'a' && s.p[i] <= 'z' ? (uint8_t)(s.p[i] - 32) : s.p[i]);
}

/* customerId to CUSTOMER. */
static struct slice without_id(struct slice s)
{
    if (s.n > 2 && s.p[s.n - 2] == 'I' && s.p[s.n - 1] == 'd') s.n -= 2;
    return s;
}

/* What stands before the attribute in a hash key of the model: CUST# for customerId. */
static struct slice prefix_in_model(const struct model *m, struct slice attribute)
{
    for (size_t i = 0; i < m->n_paths; i++) {
        for (size_t k = 0; k < m->paths[i].n_hash; k++) {
            const struct template *t = &m->paths[i].hash[k].template;
            if (t->n >= 2 && !t->parts[0].hole && t->parts[1].hole &&
                slice_eq(t->parts[1].text, attribute)) {
                return t->parts[0].text;
            }
        }
    }
    return (struct slice){ 0 };
}

/* A literal stands in a template as it is, but for "${". */
static void put_literal(struct buf *b, struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '$' && i + 1 < text.n && text.p[i + 1] == '{') buf_u8(b, '$');
        buf_u8(b, text.p[i]);
    }
}

/* In a sort key numbers are padded, so that their text sorts: as the model pads them elsewhere (as), else with room for the decimals
 * that the sample has, or for cents where it does not tell. */
static void put_hole(struct proposer *p, struct buf *b, struct slice name, const struct part *as)
{
    const struct attribute *at = entity_attribute(p->entity, name);
    unsigned digits = 12, decimals = 0;
    buf_printf(b, "${%.*s", SLICE_ARG(name));
    if (at && at->type == TYPE_N) {
        if (as && as->digits) {
            digits = as->digits;
            decimals = as->decimals;
        } else if (at->time != TIME_NONE) {
            digits = at->time == TIME_EPOCH_MS ? 13 : 10;
        } else {
            int seen = sample_decimals(p, p->entity, name);
            decimals = seen < 0 ? 2 : (unsigned)seen;
        }
        buf_printf(b, ":0%u", digits);
        if (decimals) buf_printf(b, ".%u", decimals);
    }
    buf_u8(b, '}');
}

static void put_hash(struct proposer *p, struct buf *b, struct key_idea *out)
{
    const struct model *m = p->r->model;
    const struct pattern *q = p->r->pattern;
    for (size_t i = 0; i < q->n_by; i++) {
        struct slice name = q->by[i].attribute, prefix = prefix_in_model(m, name);
        if (i) buf_slice(b, m->delimiter);
        if (prefix.n) {
            put_literal(b, prefix);
        } else {
            put_upper(b, without_id(name));
            buf_slice(b, m->delimiter);
        }
        buf_printf(b, "${%.*s}", SLICE_ARG(name));
    }
    out->constant = !q->n_by;
    if (out->constant) put_upper(b, p->entity->name);
}

/* ORDER#, as the entity's own key begins. */
static struct slice entity_prefix(struct proposer *p, const struct entity *en)
{
    const struct template *t = &en->key->hash[0].template;
    const struct template *s = en->key->n_sort ? &en->key->sort[0].template : NULL;
    if (s && s->n >= 2 && !s->parts[0].hole) return s->parts[0].text;
    if (t->n >= 2 && !t->parts[0].hole) return t->parts[0].text;
    struct buf b;
    buf_init(&b, p->r->arena, 1 << 12);
    put_upper(&b, en->name);
    buf_slice(&b, p->r->model->delimiter);
    return buf_view(&b);
}

static bool needs_time(const struct pattern *q)
{
    return q->order == ORDER_NEWEST || q->order == ORDER_OLDEST;
}

/* The attribute that tells when: one in the key before the model's timestamp before any other. */
static struct slice time_attribute(struct proposer *p)
{
    const struct entity *en = p->entity;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < en->n_attributes; i++) {
            const struct attribute *at = &en->attributes[i];
            if (at->time == TIME_NONE || slice_eq(at->name, p->r->model->updated)) continue;
            if (round == 0 && path_uses(en->key, at->name)) return at->name;
            if (round == 1 && slice_eq(at->name, p->r->model->created)) return at->name;
            if (round == 2 && (at->required || at->generate)) return at->name;
        }
    }
    return (struct slice){ 0 };
}

/* A sort key under construction: holes with delimiters between them, none twice. */
struct sort_text {
    struct proposer *p;
    struct buf b;
    struct slice used[32];
    size_t n;
    bool hole_last;
};

static bool sort_has(const struct sort_text *s, struct slice name)
{
    for (size_t i = 0; i < s->n; i++) {
        if (slice_eq(s->used[i], name)) return true;
    }
    return false;
}

static void sort_add_as(struct sort_text *s, struct slice name, const struct part *as)
{
    if (sort_has(s, name) || s->n == 32) return;
    if (s->hole_last) buf_slice(&s->b, s->p->r->model->delimiter);
    put_hole(s->p, &s->b, name, as);
    s->used[s->n++] = name;
    s->hole_last = true;
}

static void sort_add(struct sort_text *s, struct slice name)
{
    sort_add_as(s, name, NULL);
}

static void sort_use(struct sort_text *s, struct slice name)
{
    if (!sort_has(s, name) && s->n < 32) s->used[s->n++] = name;
}

static void sort_add_holes(struct sort_text *s, const struct key_template *k, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k[i].template.n; j++) {
            const struct part *part = &k[i].template.parts[j];
            if (part->hole) sort_add_as(s, part->text, part);
        }
    }
}

/* The range, else the time. False if the order needs one that is not there. */
static bool sort_add_range(struct sort_text *s)
{
    const struct pattern *q = s->p->r->pattern;
    if (q->n_where) {
        sort_add(s, q->where[0].attribute);
        return true;
    }
    if (!needs_time(q)) return true;
    struct slice time = time_attribute(s->p);
    sort_add(s, time);
    return time.n > 0;
}

bool idea_for(struct proposer *p, struct key_idea *out)
{
    struct buf hash;
    buf_init(&hash, p->r->arena, MODEL_MAX_FILE);
    *out = (struct key_idea){ .constant = false };
    put_hash(p, &hash, out);
    out->hash = buf_view(&hash);
    struct sort_text s = { .p = p };
    buf_init(&s.b, p->r->arena, MODEL_MAX_FILE);
    put_literal(&s.b, entity_prefix(p, p->entity));
    for (size_t i = 0; i < p->r->pattern->n_by; i++)
        sort_use(&s, p->r->pattern->by[i].attribute);
    if (!sort_add_range(&s)) return false;
    sort_add_holes(&s, p->entity->key->hash, p->entity->key->n_hash);
    sort_add_holes(&s, p->entity->key->sort, p->entity->key->n_sort);
    out->sort = buf_view(&s.b);
    if (!s.hole_last) { /* everything that identifies it is known: one item, one word */
        struct buf word;
        buf_init(&word, p->r->arena, 1 << 12);
        put_upper(&word, p->entity->name);
        out->sort = buf_view(&word);
    }
    return true;
}

struct slice identity_sort(struct proposer *p, const struct entity *en,
                           const struct access_path *hash_of)
{
    struct sort_text s = { .p = p };
    buf_init(&s.b, p->r->arena, MODEL_MAX_FILE);
    put_literal(&s.b, entity_prefix(p, en));
    for (size_t i = 0; i < hash_of->n_hash; i++) {
        const struct template *t = &hash_of->hash[i].template;
        for (size_t k = 0; k < t->n; k++) {
            if (t->parts[k].hole) sort_use(&s, t->parts[k].text);
        }
    }
    sort_add_holes(&s, en->key->hash, en->key->n_hash);
    sort_add_holes(&s, en->key->sort, en->key->n_sort);
    return s.hole_last ? buf_view(&s.b) : (struct slice){ 0 };
}

struct slice sort_idea(struct proposer *p, const struct access_path *path)
{
    const struct pattern *q = p->r->pattern;
    if (path->n_sort != 1 || path->sort[0].natural || path->sort[0].attribute->type != TYPE_S)
        return (struct slice){ 0 };
    const struct template *t = &path->sort[0].template;
    if (!template_holes(t)) return (struct slice){ 0 };
    struct sort_text s = { .p = p };
    buf_init(&s.b, p->r->arena, MODEL_MAX_FILE);
    if (!t->parts[0].hole) put_literal(&s.b, t->parts[0].text);
    for (size_t i = 0; i < q->n_by; i++) {
        bool in_hash = false;
        for (size_t k = 0; k < path->n_hash; k++) {
            const struct template *h = &path->hash[k].template;
            for (size_t j = 0; j < h->n; j++)
                in_hash |= h->parts[j].hole && slice_eq(h->parts[j].text, q->by[i].attribute);
        }
        if (!in_hash) sort_add(&s, q->by[i].attribute);
    }
    if (!sort_add_range(&s)) return (struct slice){ 0 };
    sort_add_holes(&s, path->sort, path->n_sort);
    struct slice out = buf_view(&s.b);
    if (slice_eq(out, t->source)) return (struct slice){ 0 };
    return out;
}
