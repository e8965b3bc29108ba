/* adhoc.c: proposals for a question that is no pattern of the model: it is written into the model's text as one, so that the
 * resolver can try changed models with it. */
#include "edit_text.h"
#include "run.h"
#include "../item/json.h"

static const char *const ops[] = {
    [COMPARE_EQ] = "", [COMPARE_PREFIX] = "prefix", [COMPARE_AT_LEAST] = "atLeast", [COMPARE_ABOVE] = "above",
    [COMPARE_AT_MOST] = "atMost", [COMPARE_BELOW] = "below", [COMPARE_BETWEEN] = "between", [COMPARE_SINCE] = "since",
    [COMPARE_UNTIL] = "until", [COMPARE_ON] = "on", [COMPARE_DURING] = "during",
};

/* {"postId":{"above":"x","below":"y"}}: all conditions on one attribute stand together. */
static void put_where(struct buf *b, const struct condition *list, size_t n)
{
    bool *done = ARENA_ARRAY(b->arena, bool, n + 1);
    bool first = true;
    BUF_LIT(b, ",\"where\":{");
    for (size_t i = 0; i < n; i++) {
        if (done[i]) continue;
        if (!first) buf_u8(b, ',');
        first = false;
        json_put_string(b, list[i].attribute);
        for (size_t k = i; k < n; k++) {
            if (!slice_eq(list[k].attribute, list[i].attribute)) continue;
            done[k] = true;
            bool pair = list[k].op == COMPARE_BETWEEN || list[k].op == COMPARE_DURING;
            buf_printf(b, "%s\"%s\":%s", k == i ? ":{" : ",", ops[list[k].op], pair ? "[" : "");
            json_put_string(b, list[k].a.text);
            if (pair) {
                buf_u8(b, ',');
                json_put_string(b, list[k].b.text);
                buf_u8(b, ']');
            }
        }
        buf_u8(b, '}');
    }
    buf_u8(b, '}');
}

static struct slice pattern_text(struct arena *a, const struct pattern *p)
{
    struct buf b;
    buf_init(&b, a, (size_t)1 << 20);
    BUF_LIT(&b, "{\"of\":");
    json_put_string(&b, p->entities[0]->name);
    for (size_t i = 0; i < p->n_by; i++) {
        buf_printf(&b, "%s", i ? "," : ",\"by\":{");
        json_put_string(&b, p->by[i].attribute);
        buf_u8(&b, ':');
        json_put_string(&b, p->by[i].a.text);
    }
    if (p->n_by) buf_u8(&b, '}');
    if (p->n_where) put_where(&b, p->where, p->n_where);
    if (p->order == ORDER_DESCENDING) BUF_LIT(&b, ",\"order\":\"descending\"");
    buf_u8(&b, '}');
    return buf_view(&b);
}

/* The changed model is freed here, also when memory runs out while it is asked. */
static int propose_with(struct arena *a, struct model *changed, struct slice name, struct plan *out, struct err *e)
{
    int rc;
    bool whole;
    if (ARENA_GUARD(a)) {
        rc = plan_make(a, changed, model_pattern(changed, name), true, out, e);
        whole = true;
    } else {
        rc = 0;
        whole = false;
    }
    arena_unguard(a);
    model_free(changed);
    if (!whole) arena_fail(a);
    return rc;
}

int query_proposals(struct arena *a, const struct model *m, const struct pattern *p, struct plan *out, struct err *e)
{
    struct edits edits;
    struct problems ps;
    struct plan plan;
    struct slice name = SLICE("thisQuery");
    for (unsigned i = 2; model_pattern(m, name); i++) name = arena_printf(a, "thisQuery%u", i);
    out->proposals = NULL;
    out->n_proposals = 0;
    edits_init(&edits, a, m->text, m->root);
    edit_nested(&edits, m->root, SLICE("patterns"), name, pattern_text(a, p));
    struct slice text = edits_apply(&edits);
    if (!text.n) return 0;
    problems_init(&ps, a);
    struct model *changed = model_read_with(&ps, m->file, text, m->files);
    if (!changed) return 0;
    int rc = propose_with(a, changed, name, &plan, e);
    if (rc) return rc;
    out->proposals = plan.proposals;
    out->n_proposals = plan.n_proposals;
    return 0;
}
