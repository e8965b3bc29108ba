/* run.c: answering a bound plan: GetItem, or streams of Queries. */
#include "run_impl.h"
#include "../item/item_json.h"

static uint64_t print_conditions(uint64_t h, const struct condition *list, size_t n)
{
    h = fingerprint(h, slice_of(&n, sizeof n));
    for (size_t i = 0; i < n; i++) {
        uint8_t op[3] = { (uint8_t)list[i].op, list[i].a.input, list[i].b.input };
        h = fingerprint(h, list[i].attribute);
        h = fingerprint(h, slice_of(op, sizeof op));
        h = fingerprint(h, list[i].a.text);
        h = fingerprint(h, list[i].b.text);
    }
    return h;
}

/* All that decides what is answered, but not how much of it on one page. */
static uint64_t question_print(const struct plan *p, struct slice filter)
{
    const struct pattern *q = p->pattern;
    uint8_t flags[3] = { p->descending, q->collection, (uint8_t)q->order };
    uint64_t h = fingerprint(0, q->name);
    for (size_t i = 0; i < q->n_entities; i++) h = fingerprint(h, q->entities[i]->name);
    h = print_conditions(h, q->by, q->n_by);
    h = print_conditions(h, q->where, q->n_where);
    h = print_conditions(h, q->filter, q->n_filter);
    for (size_t i = 0; i < q->n_across; i++) h = fingerprint(h, q->across[i]);
    h = fingerprint(h, slice_of(flags, sizeof flags));
    h = fingerprint(h, p->path->index->name);
    return fingerprint(h, filter);
}

static int get(struct run *r)
{
    struct arena *a = r->s->arena;
    const struct json *answer;
    struct stream st = { .n_segments = 1 };
    struct slice item;
    st.segments[0] = (struct segment){ .fixed = r->bp->plan->sort_fixed, .range = r->bp->ranges[0] };
    if (r->o->after.n) {
        return err_set(r->err, ERR_ValidationException, "%.*s answers one item, which has no further pages",
                       SLICE_ARG(r->bp->plan->pattern->name));
    }
    struct slice body = run_request(r, a, &st, 0);
    request_show(r->o->requests, r->operation, body);
    if (r->o->dry_run) return 0;
    int rc = api_call(r->s->api, a, r->operation, body, &answer, r->err);
    if (rc) return rc;
    const struct json *found = JSON_GET(answer, "Item");
    if (!found) {
        run_tally(r, answer, 0, 0);
        return 0;
    }
    if ((rc = item_from_json(a, found, &item, r->err))) return rc;
    run_tally(r, answer, 1, val_item_size(item));
    struct result result;
    if (run_accepts(r, a, item, &result)) run_keep(r, result);
    return 0;
}

int plan_run(struct session *s, const struct bound_plan *bp, const struct run_options *o, struct results *out,
             struct err *e)
{
    static const struct run_options none;
    const struct plan *p = bp->plan;
    *out = (struct results){ .asked = p->pattern->entities,
                             .n_asked = p->pattern->collection ? 1 : p->pattern->n_entities };
    if (!o) o = &none;
    if (p->kind == PLAN_NONE) {
        return err_set(e, ERR_ValidationException, "%.*s is not answerable: %.*s", SLICE_ARG(p->pattern->name),
                       SLICE_ARG(p->reason));
    }
    struct run r = { .s = s, .o = o, .out = out, .err = e, .bp = bp, .index = p->path->index, .n = bp->n };
    r.filtered = p->filter_entity || p->pattern->n_filter;
    r.descending = p->descending;
    r.limit = o->limit ? o->limit : p->pattern->limit;
    /* GetItem takes no filter; the same key as a Query does. */
    r.operation = p->kind == PLAN_GET && !o->filter.n ? SLICE("GetItem") : SLICE("Query");
    if (o->consistent && r.index->name.n && !r.index->local) {
        return err_set(e, ERR_ValidationException,
                       "index %.*s is global, and those cannot be read consistently; leave that out",
                       SLICE_ARG(r.index->name));
    }
    int rc = run_filter(&r, p->pattern->entities[0]);
    if (rc) return rc;
    r.prints = (struct fingerprints){ s->model->fingerprint, question_print(p, o->filter), fingerprint(0, bp->inputs) };
    if (slice_eq(r.operation, SLICE("GetItem"))) return get(&r);
    r.streams = ARENA_ARRAY(s->arena, struct stream, bp->n ? bp->n : 1);
    return run_streams(&r);
}
