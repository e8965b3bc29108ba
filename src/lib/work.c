/* work.c: how a public function of the model runs: an arena of its own, a guard, and answers handed
 * out. */
#include "lib_model.h"
#include <stdlib.h>

#define WORK_MAX ((size_t)1 << 30) /* a run may read many pages */

/* told: the requests are asked for. */
static int guarded(int (*work)(struct lib_work *w), struct lib_work *w, bool told, of_error *err)
{
    int result;
    if (ARENA_GUARD(&w->arena)) {
        buf_init(&w->report, &w->arena, WORK_MAX);
        buf_init(&w->requests, &w->arena, WORK_MAX);
        buf_u8(&w->requests, '[');
        result = work(w) ? lib_fail_err(err, &w->e) : OF_OK;
        if (told) buf_u8(&w->requests, ']');
    } else {
        result = lib_fail(err, OF_NO_MEMORY, "InternalServerError",
                          "out of memory: one call may use 1 GB; ask for less at a time, with a limit");
    }
    arena_unguard(&w->arena);
    return result;
}

/* Only of what was asked for. False: no memory, and nothing was handed out. */
static bool hand_out(const struct lib_work *w, struct lib_outputs out)
{
    if (out.report && !(*out.report = lib_answer(buf_view(&w->report)))) goto err;
    if (out.requests && !(*out.requests = lib_answer(buf_view(&w->requests)))) goto err;
    if (out.item && w->item.n && !(*out.item = lib_item_copy(w->item))) goto err;
    return true;
err:
    if (out.report) of_answer_free(*out.report);
    if (out.requests) of_answer_free(*out.requests);
    return false;
}

int lib_run(int (*work)(struct lib_work *w), const void *in, struct lib_outputs out, of_error *err)
{
    struct lib_work *w = calloc(1, sizeof *w); /* large, because of the arena's guards */
    if (out.report) *out.report = NULL;
    if (out.requests) *out.requests = NULL;
    if (out.item) *out.item = NULL;
    if (!w) return lib_no_memory(err);
    arena_init(&w->arena, WORK_MAX);
    w->e.arena = &w->arena;
    w->in = in;
    int result = guarded(work, w, out.requests != NULL, err);
    if (!result && !hand_out(w, out)) {
        if (out.report) *out.report = NULL;
        if (out.requests) *out.requests = NULL;
        result = lib_no_memory(err);
    }
    arena_free(&w->arena);
    free(w);
    return result;
}

struct session lib_session(struct lib_work *w, const of_model *model, of_db *db)
{
    return (struct session){
        .model = model->model, .api = lib_api(db), .env = &model_env_system, .arena = &w->arena
    };
}

int lib_entity(struct lib_work *w, const of_model *model, const char *name,
               const struct entity **out)
{
    const struct model *m = model->model;
    struct slice wanted = lib_text(name, -1);
    *out = model_entity(m, wanted);
    if (*out) return 0;
    struct slice *names = ARENA_ARRAY(&w->arena, struct slice, m->n_entities);
    for (size_t i = 0; i < m->n_entities; i++)
        names[i] = m->entities[i].name;
    struct slice near = near_name(wanted, names, m->n_entities);
    if (near.n) {
        return err_set(&w->e, ERR_ValidationException,
                       "the model has no entity %.*s; did you mean %.*s?", SLICE_ARG(wanted),
                       SLICE_ARG(near));
    }
    return err_set(&w->e, ERR_ValidationException, "the model has no entity %.*s",
                   SLICE_ARG(wanted));
}

int lib_problem(struct err *e, const struct problems *ps)
{
    const struct problem *p = ps->first;
    struct slice hint = p->hint.n ? arena_printf(e->arena, "; %.*s", SLICE_ARG(p->hint)) : p->hint;
    if (!p->place.line) {
        return err_set(e, ERR_ValidationException, "%.*s: %.*s%.*s", SLICE_ARG(p->place.file),
                       SLICE_ARG(p->message), SLICE_ARG(hint));
    }
    return err_set(e, ERR_ValidationException, "%.*s:%u:%u: %.*s%.*s", SLICE_ARG(p->place.file),
                   p->place.line, p->place.column, SLICE_ARG(p->message), SLICE_ARG(hint));
}
