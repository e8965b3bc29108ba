/* model.c: of_model_open, of_model_parse, of_model_close, of_model_check, of_model_schema. */
#include "lib_model.h"
#include "../model/check.h"
#include "../model/schema.h"
#include <stdlib.h>

struct source {
    const char *path; /* a file; NULL: text */
    struct slice text, name;
    struct model **out; /* NULL: only checked */
};

/* What is wrong with a model that could be read. Frees it, even where memory runs out on the way. */
static void check_model(struct lib_work *w, struct problems *ps, struct model *m)
{
    if (!ARENA_GUARD(&w->arena)) {
        arena_unguard(&w->arena);
        model_free(m);
        arena_fail(&w->arena);
    }
    model_check(&w->arena, ps, m, &model_env_system);
    problems_to_json(&w->report, ps); /* before the model goes: places name its file */
    arena_unguard(&w->arena);
    model_free(m);
}

static int read_model(struct lib_work *w)
{
    const struct source *s = w->in;
    struct problems ps;
    problems_init(&ps, &w->arena);
    struct model *m = s->path ? model_load(&ps, s->path) : model_read(&ps, s->name, s->text);
    if (!s->out) {
        if (m) check_model(w, &ps, m);
        else problems_to_json(&w->report, &ps);
        return 0;
    }
    *s->out = m;
    return m ? 0 : lib_problem(&w->e, &ps);
}

static int make(of_model **out, const struct source *s, of_error *err)
{
    int result = lib_run(read_model, s, (struct lib_outputs){ 0 }, err);
    if (result) return result;
    of_model *model = malloc(sizeof *model);
    if (!model) {
        model_free(*s->out);
        return lib_no_memory(err);
    }
    model->model = *s->out;
    *out = model;
    return OF_OK;
}

int of_model_open(of_model **out, const char *path, of_error *err)
{
    struct model *m = NULL;
    return make(out, &(struct source){ .path = path, .out = &m }, err);
}

int of_model_parse(of_model **out, const char *text, ptrdiff_t len, const char *name, of_error *err)
{
    struct model *m = NULL;
    struct source s = { .text = lib_text(text, len),
                        .name = lib_text(name ? name : "model", -1),
                        .out = &m };
    return make(out, &s, err);
}

void of_model_close(of_model *model)
{
    if (!model) return;
    model_free(model->model);
    free(model);
}

int of_model_check(const char *path, of_answer **report, of_error *err)
{
    return lib_run(read_model, &(struct source){ .path = path },
                   (struct lib_outputs){ .report = report }, err);
}

static int give_schema(struct lib_work *w)
{
    buf_slice(&w->report, model_schema());
    return 0;
}

int of_model_schema(of_answer **report, of_error *err)
{
    return lib_run(give_schema, NULL, (struct lib_outputs){ .report = report }, err);
}
