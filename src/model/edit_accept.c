/* edit_accept.c: the text as a model, and a proposal accepted: the text that explain's proposal of that number gives. */
#include "edit.h"
#include "outline.h"
#include "plan.h"

int editor_with_model(struct editor *ed, const char *lead, int (*work)(struct editor *ed, const struct model *m, void *ctx), void *ctx)
{
    struct problems ps;
    volatile int rc = 0;
    volatile bool whole = false;
    problems_init(&ps, ed->arena);
    struct model *m = model_read_with(&ps, ed->name, ed->text, ed->files);
    if (!m)
        return err_set(ed->err, ERR_ValidationException, "%s: %.*s:%u:%u: %.*s", lead, SLICE_ARG(ps.first->place.file),
                       ps.first->place.line, ps.first->place.column, SLICE_ARG(ps.first->message));
    if (ARENA_GUARD(ed->arena)) {
        rc = work(ed, m, ctx);
        whole = true;
    }
    arena_unguard(ed->arena);
    model_free(m);
    if (!whole) arena_fail(ed->arena);
    return rc;
}

struct acceptance {
    struct slice pattern;
    size_t proposal;
    struct slice text; /* found */
};

static int find_proposal(struct editor *ed, const struct model *m, void *ctx)
{
    struct acceptance *x = ctx;
    const struct pattern *p;
    struct plan plan;
    int rc = outline_pattern(ed->arena, m, x->pattern, &p, ed->err);
    if (!rc) rc = plan_make(ed->arena, m, p, true, &plan, ed->err);
    if (rc) return rc;
    if (plan.kind != PLAN_NONE)
        return err_set(ed->err, ERR_ValidationException, "%.*s is answered already: there is nothing to accept", SLICE_ARG(x->pattern));
    if (x->proposal >= plan.n_proposals)
        return err_set(ed->err, ERR_ValidationException, "there are %zu proposals for %.*s, counted from 0; there is no %zu",
                       plan.n_proposals, SLICE_ARG(x->pattern), x->proposal);
    x->text = arena_dup(ed->arena, plan.proposals[x->proposal].model);
    return 0;
}

int edit_accept(struct editor *ed, struct slice pattern, size_t proposal)
{
    struct acceptance x = { .pattern = pattern, .proposal = proposal };
    int rc = editor_with_model(ed, "a proposal can be accepted once the model has no problems", find_proposal, &x);
    return rc ? rc : editor_open(ed, x.text);
}
