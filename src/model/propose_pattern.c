/* propose_pattern.c: proposals that change only the pattern: fan out over an enum that is missing,
 * or answer a condition after reading. */
#include "propose_impl.h"
#include "edit_value.h"

/* Would this form of the pattern be answered by the model as it is? */
static bool answered(struct proposer *p, const struct pattern *q)
{
    struct plan plan;
    struct err e = { .arena = p->r->arena };
    return plan_make(p->r->arena, p->r->model, q, false, &plan, &e) == 0 && plan.kind != PLAN_NONE;
}

static bool can_fan(const struct attribute *at)
{
    return at && (at->n_enumeration || at->type == TYPE_BOOL);
}

static bool conditioned(const struct pattern *q, struct slice name)
{
    for (size_t i = 0; i < q->n_where; i++) {
        if (slice_eq(q->where[i].attribute, name)) return true;
    }
    return known_by(q, name) || is_across(q, name);
}

static void gather(struct proposer *p, const struct key_template *k, size_t n, struct pattern *q,
                   struct slice *list)
{
    for (size_t i = 0; i < n; i++) {
        const struct template *t = &k[i].template;
        for (size_t j = 0; j < t->n; j++) {
            struct slice name = t->parts[j].text;
            if (!t->parts[j].hole || conditioned(q, name) ||
                !can_fan(entity_attribute(p->entity, name)))
                continue;
            if (q->n_across < PLAN_MAX_FANS) list[q->n_across++] = name;
            q->across = list;
        }
    }
}

static void offer_across(struct proposer *p, const struct pattern *q)
{
    struct arena *a = p->r->arena;
    struct draft d;
    draft_init(p, &d, PROPOSE_ACROSS);
    struct buf names;
    buf_init(&names, a, 1 << 12);
    for (size_t i = p->r->pattern->n_across; i < q->n_across; i++) {
        if (names.n) BUF_LIT(&names, ", ");
        if (d.edits.json)
            buf_slice(&names, quoted(a, q->across[i]));
        else
            buf_slice(&names, q->across[i]);
    }
    struct slice list = buf_view(&names);
    edit_element(&d.edits, pattern_node(p), SLICE("across"), list);
    d.text = arena_printf(a, "ask for every value of %.*s and merge the answers", SLICE_ARG(list));
    d.yaml = arena_printf(a, "patterns:\n  %.*s:\n    across: [%.*s]\n",
                          SLICE_ARG(p->r->pattern->name), SLICE_ARG(list));
    draft_offer(p, &d);
}

void propose_across(struct proposer *p)
{
    const struct model *m = p->r->model;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *path = &m->paths[i];
        if (path->entity != p->entity) continue;
        struct pattern q = *p->r->pattern;
        struct slice *list = ARENA_ARRAY(p->r->arena, struct slice, q.n_across + PLAN_MAX_FANS);
        if (q.n_across) memcpy(list, q.across, q.n_across * sizeof *list);
        gather(p, path->hash, path->n_hash, &q, list);
        size_t in_hash = q.n_across;
        if (in_hash > p->r->pattern->n_across && answered(p, &q)) {
            offer_across(p, &q);
            return;
        }
        gather(p, path->sort, path->n_sort, &q, list);
        if (q.n_across > in_hash && answered(p, &q)) {
            offer_across(p, &q);
            return;
        }
    }
}

static void put_operand(struct buf *b, const struct operand *o)
{
    struct slice text = o->input ? arena_printf(b->arena, "$%.*s", SLICE_ARG(o->text)) : o->text;
    buf_slice(b, quoted(b->arena, text));
}

static void put_condition(struct buf *b, const struct condition *c)
{
    static const char *const words[] = { NULL,      "prefix", "atLeast", "above", "atMost", "below",
                                         "between", "since",  "until",   "on",    "during" };
    buf_printf(b, "\"%s\": ", words[c->op]);
    bool two = c->op == COMPARE_BETWEEN || c->op == COMPARE_DURING;
    if (two) buf_u8(b, '[');
    put_operand(b, &c->a);
    if (!two) return;
    BUF_LIT(b, ", ");
    put_operand(b, &c->b);
    buf_u8(b, ']');
}

static bool first_of_attribute(const struct condition *list, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (slice_eq(list[k].attribute, list[i].attribute)) return false;
    }
    return true;
}

/* Conditions on one attribute, such as since and until, are one member. */
static void put_conditions(struct buf *b, const char *label, const struct condition *list, size_t n)
{
    if (!n) return;
    buf_printf(b, "\"%s\": { ", label);
    for (size_t i = 0; i < n; i++) {
        if (!first_of_attribute(list, i)) continue;
        if (i) BUF_LIT(b, ", ");
        buf_slice(b, quoted(b->arena, list[i].attribute));
        BUF_LIT(b, ": ");
        if (list[i].op == COMPARE_EQ) {
            put_operand(b, &list[i].a);
            continue;
        }
        BUF_LIT(b, "{ ");
        for (size_t k = i; k < n; k++) {
            if (!slice_eq(list[k].attribute, list[i].attribute)) continue;
            if (k > i) BUF_LIT(b, ", ");
            put_condition(b, &list[k]);
        }
        BUF_LIT(b, " }");
    }
    BUF_LIT(b, " }, ");
}

static void put_scalar(struct buf *b, const struct node *c)
{
    bool truth;
    struct num number;
    buf_slice(b, quoted(b->arena, c->name));
    BUF_LIT(b, ": ");
    if (node_bool(c, &truth)) buf_slice(b, truth ? SLICE("true") : SLICE("false"));
    else buf_slice(b, node_number(c, &number) ? c->text : quoted(b->arena, c->text));
    BUF_LIT(b, ", ");
}

/* The members of the pattern's node that are not conditions: scalars and expect. The rest is written
 * anew. */
static void put_others(struct buf *b, const struct node *node)
{
    for (const struct node *c = node->first; c; c = c->next) {
        if (c->kind == NODE_SCALAR && !slice_eq(c->name, SLICE("of"))) put_scalar(b, c);
        if (!slice_eq(c->name, SLICE("expect")) || !c->count) continue;
        BUF_LIT(b, "\"expect\": { ");
        for (const struct node *x = c->first; x; x = x->next)
            put_scalar(b, x);
        b->n -= 2;
        BUF_LIT(b, " }, ");
    }
}

/* As JSON. */
static struct slice pattern_text(struct proposer *p, const struct pattern *q)
{
    struct buf b;
    buf_init(&b, p->r->arena, 1 << 20);
    BUF_LIT(&b, "{ \"of\": ");
    buf_slice(&b, quoted(b.arena, q->entities[0]->name));
    BUF_LIT(&b, ", ");
    put_conditions(&b, "by", q->by, q->n_by);
    put_conditions(&b, "where", q->where, q->n_where);
    put_conditions(&b, "filter", q->filter, q->n_filter);
    if (q->n_across) {
        BUF_LIT(&b, "\"across\": [");
        for (size_t i = 0; i < q->n_across; i++) {
            if (i) BUF_LIT(&b, ", ");
            buf_slice(&b, quoted(b.arena, q->across[i]));
        }
        BUF_LIT(&b, "], ");
    }
    put_others(&b, pattern_node(p));
    b.n -= 2;
    BUF_LIT(&b, " }");
    return buf_view(&b);
}

/* The pattern with all conditions on one attribute moved to its filter. */
static struct pattern moved(struct proposer *p, const struct pattern *old, struct slice name)
{
    struct arena *a = p->r->arena;
    struct pattern q = *old;
    struct condition *by = ARENA_ARRAY(a, struct condition, old->n_by + 1);
    struct condition *where = ARENA_ARRAY(a, struct condition, old->n_where + 1);
    struct condition *filter =
        ARENA_ARRAY(a, struct condition, old->n_by + old->n_where + old->n_filter);
    if (old->n_filter) memcpy(filter, old->filter, old->n_filter * sizeof *filter);
    q.n_by = q.n_where = 0;
    for (size_t i = 0; i < old->n_by; i++) {
        if (slice_eq(old->by[i].attribute, name))
            filter[q.n_filter++] = old->by[i];
        else
            by[q.n_by++] = old->by[i];
    }
    for (size_t i = 0; i < old->n_where; i++) {
        if (slice_eq(old->where[i].attribute, name))
            filter[q.n_filter++] = old->where[i];
        else
            where[q.n_where++] = old->where[i];
    }
    q.by = by;
    q.where = where;
    q.filter = filter;
    return q;
}

static void offer_filter(struct proposer *p, const struct pattern *q, struct slice names)
{
    struct arena *a = p->r->arena;
    struct draft d;
    draft_init(p, &d, PROPOSE_FILTER);
    const struct node *node = pattern_node(p), *patterns = NODE_GET(p->r->model->root, "patterns");
    const struct json *value = json_parse(a, pattern_text(p, q), NODE_MAX_DEPTH, NULL);
    if (!value) return;
    struct edit_path path = { { SLICE("patterns"), q->name }, 2 };
    struct edit_style style = { .flow = patterns->flow, .like_flow = node->flow, .json = d.edits.json, .indent = q->name.n + 4 };
    edit_put(&d.edits, patterns, node, yaml_value(a, value, &path, style));
    struct buf text;
    buf_init(&text, a, MODEL_MAX_FILE);
    yaml_put_flow(&text, value, d.edits.json);
    d.text =
        arena_printf(a, "answer %.*s with a filter after reading: what it throws away is paid for",
                     SLICE_ARG(names));
    d.yaml = arena_printf(a, "patterns:\n  %.*s: %.*s\n", SLICE_ARG(q->name), SLICE_ARG(buf_view(&text)));
    draft_offer(p, &d);
}

void propose_filter(struct proposer *p)
{
    const struct pattern *q = p->r->pattern;
    size_t n = q->n_by + q->n_where;
    if (n > 16 || q->n_entities > 1 || q->collection) return;
    struct slice names[16];
    for (size_t i = 0; i < n; i++)
        names[i] = i < q->n_by ? q->by[i].attribute : q->where[i - q->n_by].attribute;
    for (size_t i = 0; i < n; i++) {
        struct pattern one = moved(p, q, names[i]);
        if (!answered(p, &one)) continue;
        offer_filter(p, &one, names[i]);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct pattern one = moved(p, q, names[i]);
        for (size_t k = i + 1; k < n; k++) {
            struct pattern two = moved(p, &one, names[k]);
            if (!answered(p, &two)) continue;
            offer_filter(p, &two,
                         arena_printf(p->r->arena, "%.*s and %.*s", SLICE_ARG(names[i]),
                                      SLICE_ARG(names[k])));
            return;
        }
    }
}
