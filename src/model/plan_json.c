/* plan_json.c: a plan as JSON, the form that explain, the studio and other programs read;
 * docs/json.md describes it. */
#include "plan_impl.h"
#include "jsonw.h"

static const char *order_word(enum order o)
{
    static const char *const words[] = { NULL, "newest", "oldest", "ascending", "descending" };
    return words[o];
}

static void put_operand(struct buf *b, const struct operand *o)
{
    if (o->input)
        buf_printf(b, "<%.*s>", SLICE_ARG(o->text));
    else
        buf_slice(b, o->text);
}

/* "total >= <least>": for people, like keyCondition. */
static void put_condition(struct buf *b, const struct condition *c)
{
    static const char *const words[] = { "=",       "begins_with", ">=",    ">",  "<=",    "<",
                                         "between", "since",       "until", "on", "during" };
    buf_printf(b, "%.*s %s ", SLICE_ARG(c->attribute), words[c->op]);
    put_operand(b, &c->a);
    if (c->op != COMPARE_BETWEEN && c->op != COMPARE_DURING) return;
    BUF_LIT(b, " and ");
    put_operand(b, &c->b);
}

static struct slice filter_text(struct arena *a, const struct plan *p)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    if (p->filter_entity || p->filter_client) {
        BUF_LIT(&b, "entity = ");
        for (size_t i = 0; i < p->n_paths; i++) {
            buf_printf(&b, "%s%.*s", i ? " or " : "", SLICE_ARG(p->paths[i]->entity->name));
        }
    }
    for (size_t i = 0; i < p->pattern->n_filter; i++) {
        if (b.n) BUF_LIT(&b, " and ");
        put_condition(&b, &p->pattern->filter[i]);
    }
    return buf_view(&b);
}

static void put_fans(struct buf *b, const struct plan *p)
{
    js_open(b, "fans", '[');
    for (size_t i = 0; i < p->n_fans; i++) {
        const struct fan *f = &p->fans[i];
        js_open(b, NULL, '{');
        js_string(b, "over", f->key ? f->key->shards->by : f->attribute);
        js_bool(b, "shards", f->key != NULL);
        js_name(b, "count");
        if (f->n)
            buf_printf(b, "%zu", f->n);
        else
            BUF_LIT(b, "null");
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_neighbours(struct buf *b, const struct plan *p)
{
    js_open(b, "neighbours", '[');
    for (const struct neighbour *n = p->neighbours; n; n = n->next) {
        js_open(b, NULL, '{');
        js_string(b, "entity", n->path->entity->name);
        js_string(b, "at", path_name(b->arena, n->path));
        js_string(b, "sort", sort_source(b->arena, n->path));
        js_close(b, '}');
    }
    js_close(b, ']');
}

void plan_proposals(struct buf *b, const struct plan *p)
{
    static const char *const kinds[] = { "across",   "index entry", "new index",
                                         "sort key", "copy",        "filter" };
    js_open(b, "proposals", '[');
    for (size_t i = 0; i < p->n_proposals; i++) {
        const struct proposal *x = &p->proposals[i];
        js_open(b, NULL, '{');
        js_string(b, "kind", slice_str(kinds[x->kind]));
        js_string(b, "text", x->text);
        js_string(b, "yaml", x->yaml);
        js_string(b, "writes", x->writes);
        js_string(b, "storage", x->storage);
        js_string(b, "backfill", x->backfill);
        js_string(b, "operation", x->plan->operation);
        js_name(b, "index");
        if (x->plan->index_name.n)
            json_put_string(b, x->plan->index_name);
        else
            BUF_LIT(b, "null");
        js_string(b, "keyCondition", x->plan->key_condition);
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_answer(struct buf *b, const struct plan *p)
{
    js_name(b, "index");
    if (p->index_name.n)
        json_put_string(b, p->index_name);
    else
        BUF_LIT(b, "null");
    js_string(b, "at", path_name(b->arena, p->path));
    js_string(b, "keyCondition", p->key_condition);
    js_name(b, "streams");
    if (p->streams)
        buf_printf(b, "%zu", p->streams);
    else
        BUF_LIT(b, "null");
    js_bool(b, "descending", p->descending);
    js_string_if(b, "filter", filter_text(b->arena, p));
    put_fans(b, p);
    put_neighbours(b, p);
}

static void put_inputs(struct buf *b, const struct pattern *q)
{
    const struct slice *names;
    const struct attribute *const *attributes;
    size_t n = pattern_inputs(b->arena, q, &names, &attributes);
    js_open(b, "inputs", '[');
    for (size_t i = 0; i < n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "name", names[i]);
        js_string(b, "type",
                  slice_str(attributes[i] ? val_type_name(attributes[i]->type) : "date"));
        js_close(b, '}');
    }
    js_close(b, ']');
}

void plan_members(struct buf *b, const struct plan *p)
{
    const struct pattern *q = p->pattern;
    js_string(b, "pattern", q->name);
    js_string_if(b, "about", q->about);
    js_open(b, "entities", '[');
    for (size_t i = 0; i < q->n_entities; i++)
        js_string(b, NULL, q->entities[i]->name);
    js_close(b, ']');
    js_bool(b, "collection", q->collection);
    put_inputs(b, q);
    if (order_word(q->order)) js_string(b, "order", slice_str(order_word(q->order)));
    if (q->limit) {
        js_name(b, "limit");
        buf_printf(b, "%u", q->limit);
    }
    js_string(b, "operation", p->operation);
    if (p->kind == PLAN_NONE) {
        js_string(b, "reason", p->reason);
        if (p->proposals) plan_proposals(b, p);
        return;
    }
    put_answer(b, p);
    js_open(b, "notes", '[');
    for (size_t i = 0; i < p->n_notes; i++)
        js_string(b, NULL, p->notes[i]);
    js_close(b, ']');
}

void plan_to_json(struct buf *b, const struct plan *p)
{
    buf_u8(b, '{');
    plan_members(b, p);
    buf_u8(b, '}');
}
