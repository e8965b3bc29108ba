/* ask.c: a question that is no pattern: read as one, and what answering it takes: a plan, or reading the whole table. */
#include "ask.h"
#include "jsonw.h"
#include "plan_impl.h"
#include "where_impl.h"

/* An equality that is said twice would be answered by half. */
static int refuse_doubles(const struct condition *by, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!slice_eq(by[i].attribute, by[k].attribute)) continue;
            return err_set(e, ERR_ValidationException, "%.*s = is said twice", SLICE_ARG(by[i].attribute));
        }
    }
    return 0;
}

int ask_pattern(struct arena *a, const struct ask *q, int64_t now, struct pattern *out, bool *joined, struct err *e)
{
    const struct entity **entities = ARENA_ARRAY(a, const struct entity *, 1);
    const struct where *where;
    struct condition *by, *ranges;
    size_t n_by, n_ranges;
    entities[0] = q->entity;
    *joined = true;
    *out = (struct pattern){ .name = SLICE("this query"), .entities = entities, .n_entities = 1, .index = q->index,
                             .order = q->descending ? ORDER_DESCENDING : ORDER_NONE };
    if (!q->where.n) return 0;
    int rc = where_parse(a, q->entity, q->where, now, &where, e);
    if (rc) return rc;
    *joined = where_to_conditions(a, where, &by, &n_by, &ranges, &n_ranges);
    if (!*joined) return 0;
    if ((rc = refuse_doubles(by, n_by, e))) return rc;
    out->by = by;
    out->n_by = n_by;
    out->where = ranges;
    out->n_where = n_ranges;
    return 0;
}

/* ---- the report ---- */

static void put_null(struct buf *b, const char *name)
{
    js_name(b, name);
    BUF_LIT(b, "null");
}

static void put_match(struct buf *b, const struct pattern *match)
{
    if (match) js_string(b, "match", match->name);
    else put_null(b, "match");
}

/* What it reads, for any value of what is known: the one at hand need not occur in the sample. */
static void measure(struct reporter *r, const struct plan *p, const struct pattern *match, struct measure *out)
{
    struct plan plan = *p;
    struct pattern q = *p->pattern;
    struct problems ps;
    struct sample s = { .present = false };
    struct condition *by = ARENA_ARRAY(r->arena, struct condition, q.n_by + 1);
    for (size_t i = 0; i < q.n_by; i++) {
        by[i] = q.by[i];
        by[i].a = (struct operand){ .input = true, .text = q.by[i].attribute };
    }
    q.by = by;
    if (match) q.expect = match->expect;
    plan.pattern = &q;
    problems_init(&ps, r->arena);
    if (!sample_read(r->arena, &ps, r->model, r->env, &s)) s.present = false;
    plan_measure(r->arena, r->model, &plan, &s, out);
}

static void put_plan(struct reporter *r, const struct plan *p, const struct pattern *match)
{
    struct measure m;
    measure(r, p, match, &m);
    js_open(r->out, "plan", '{');
    plan_members(r->out, p);
    measure_members(r->out, &m);
    js_close(r->out, '}');
    put_match(r->out, match);
    put_null(r->out, "scan");
}

/* The question's conditions and its filter as the one filter of a scan. */
static struct slice scan_filter(struct arena *a, const struct ask *q)
{
    if (q->raw || !q->where.n) return q->filter;
    if (!q->filter.n) return q->where;
    return arena_printf(a, "(%.*s) and (%.*s)", SLICE_ARG(q->where), SLICE_ARG(q->filter));
}

/* A table that is not there yet has no figures. */
static int put_estimate(struct reporter *r, struct session *s)
{
    struct scan_estimate x;
    int rc = entities_scan_estimate(s, &x, r->err);
    if (rc == ERR_ResourceNotFoundException) {
        r->err->code = 0;
        put_null(r->out, "items");
        put_null(r->out, "bytes");
        put_null(r->out, "units");
        return 0;
    }
    if (rc) return rc;
    js_number(r->out, "items", (double)x.items);
    js_number(r->out, "bytes", (double)x.bytes);
    js_number(r->out, "units", x.read_units);
    return 0;
}

/* plan: its reason and proposals; NULL: no key could ever answer it, because of `why`. */
static int put_scan(struct reporter *r, struct session *s, const struct ask *q, const struct plan *plan, const char *why,
                    const struct pattern *match)
{
    put_null(r->out, "plan");
    put_match(r->out, match);
    js_open(r->out, "scan", '{');
    int rc = put_estimate(r, s);
    if (rc) return rc;
    js_string(r->out, "reason", plan ? plan->reason : slice_str(why));
    js_string(r->out, "filter", scan_filter(r->arena, q));
    if (plan) {
        plan_proposals(r->out, plan);
    } else {
        js_open(r->out, "proposals", '[');
        js_close(r->out, ']');
    }
    js_close(r->out, '}');
    return 0;
}

static int ask_entity(struct reporter *r, struct session *s, const struct ask *q)
{
    struct pattern *p = ARENA_NEW(r->arena, struct pattern);
    const struct pattern *match;
    struct plan plan;
    bool joined;
    int64_t now = r->env->now(r->env->ctx);
    if (!q->entity) return err_set(r->err, ERR_ValidationException, "a query needs an entity");
    int rc = ask_pattern(r->arena, q, now, p, &joined, r->err);
    if (rc) return rc;
    if (!joined) {
        return put_scan(r, s, q, NULL, "is more than comparisons joined by and, which is all that a key can answer", NULL);
    }
    if ((rc = ask_match(r->arena, r->model, q, p, now, &match, r->err)) ||
        (rc = plan_make(r->arena, r->model, p, false, &plan, r->err)))
        return rc;
    if (plan.kind != PLAN_NONE) {
        put_plan(r, &plan, match);
        return 0;
    }
    rc = query_proposals(r->arena, r->model, p, &plan, r->err);
    return rc ? rc : put_scan(r, s, q, &plan, NULL, match);
}

/* ---- a key condition written by hand ---- */

/* "PK = CUST#1, SK begins_with ORDER#", as plans say it. */
static struct slice key_words(struct arena *a, const struct where *key)
{
    static const char *const words[] = { [OP_EQ] = "=", [OP_LT] = "<", [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=",
                                         [OP_BETWEEN] = "between", [OP_BEGINS] = "begins_with" };
    struct buf b;
    buf_init(&b, a, (size_t)1 << 20);
    for (const struct where *t = key->kind == WHERE_AND ? key->first : key; t; t = t->next) {
        buf_printf(&b, "%s%.*s %s %.*s", b.n ? ", " : "", SLICE_ARG(t->path[0]), words[t->op], SLICE_ARG(t->texts[0]));
        if (t->op == OP_BETWEEN) buf_printf(&b, " and %.*s", SLICE_ARG(t->texts[1]));
    }
    return buf_view(&b);
}

static bool gives_hash(const struct model_index *index, const struct where *key)
{
    for (size_t i = 0; i < index->hash.n; i++) {
        const struct where *t = key->kind == WHERE_AND ? key->first : key;
        while (t && !(t->op == OP_EQ && slice_eq(t->path[0], index->hash.attrs[i].name))) t = t->next;
        if (!t) return false;
    }
    return true;
}

static int ask_key(struct reporter *r, struct session *s, const struct ask *q)
{
    static const char no_hash[] = "gives no value of the hash key";
    struct ask with = *q;
    const struct where *key;
    const struct pattern *match;
    if (!q->where.n) return put_scan(r, s, q, NULL, no_hash, NULL);
    if (!with.index) with.index = &r->model->indexes[0];
    int rc = where_parse_key(r->arena, with.index, q->where, &key, r->err);
    if (rc) return rc;
    if (!gives_hash(with.index, key)) return put_scan(r, s, q, NULL, no_hash, NULL);
    if ((rc = ask_match_key(r->arena, r->model, &with, key, r->env->now(r->env->ctx), &match, r->err))) return rc;
    js_open(r->out, "plan", '{');
    js_string(r->out, "operation", SLICE("Query"));
    js_name(r->out, "index");
    if (with.index->name.n) json_put_string(r->out, with.index->name);
    else BUF_LIT(r->out, "null");
    js_string(r->out, "keyCondition", key_words(r->arena, key));
    js_number(r->out, "streams", 1);
    js_bool(r->out, "descending", q->descending);
    js_open(r->out, "notes", '[');
    js_close(r->out, ']');
    js_close(r->out, '}');
    put_match(r->out, match);
    put_null(r->out, "scan");
    return 0;
}

int report_ask(struct reporter *r, struct session *s, const struct ask *q)
{
    js_open(r->out, NULL, '{');
    int rc = q->raw ? ask_key(r, s, q) : ask_entity(r, s, q);
    js_close(r->out, '}');
    return rc;
}
