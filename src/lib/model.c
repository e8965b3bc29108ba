/* model.c: of_model_open, of_model_parse, of_model_close, of_model_check, of_model_describe, of_model_edit, of_model_schema. */
#include "lib_model.h"
#include "../model/check.h"
#include "../model/describe.h"
#include "../model/edit.h"
#include "../model/schema.h"
#include <stdlib.h>

struct source {
    const char *path; /* a file; NULL: text */
    struct slice text, name;
    const struct model_files *files; /* NULL: on disk */
    struct slice edits;              /* of_model_edit */
    struct model **out;              /* NULL: only checked */
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
    struct model *m = s->path ? model_load(&ps, s->path) : model_read_with(&ps, s->name, s->text, s->files);
    if (!s->out) {
        if (m) check_model(w, &ps, m);
        else problems_to_json(&w->report, &ps);
        return 0;
    }
    *s->out = m;
    return m ? 0 : lib_problem(&w->e, &ps);
}

static struct model_file *file_views(const of_file *files, size_t n)
{
    struct model_file *list = calloc(n + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        list[i] = (struct model_file){ slice_str(files[i].name), slice_of(files[i].text, files[i].len) };
    return list;
}

static struct slice take(uint8_t **to, struct slice s)
{
    struct slice copy = { *to, s.n };
    if (s.n) memcpy(*to, s.p, s.n);
    *to += s.n;
    return copy;
}

/* One piece of memory: the list, then names and texts. */
static bool copy_files(struct model_files *out, const struct model_files *from)
{
    size_t bytes = (from->n + 1) * sizeof *out->list;
    for (size_t i = 0; i < from->n; i++) bytes += from->list[i].name.n + from->list[i].text.n;
    struct model_file *list = malloc(bytes);
    if (!list) return false;
    uint8_t *at = (uint8_t *)(list + from->n + 1);
    for (size_t i = 0; i < from->n; i++)
        list[i] = (struct model_file){ take(&at, from->list[i].name), take(&at, from->list[i].text) };
    *out = (struct model_files){ list, from->n };
    return true;
}

static int make(of_model **out, const struct source *s, of_error *err)
{
    of_model *model = calloc(1, sizeof *model);
    if (!model) return lib_no_memory(err);
    struct source source = *s;
    source.out = &model->model;
    if (s->files) {
        if (!copy_files(&model->files, s->files)) {
            free(model);
            return lib_no_memory(err);
        }
        source.files = &model->files;
    }
    int result = lib_run(read_model, &source, (struct lib_outputs){ 0 }, err);
    if (result) {
        free((void *)(uintptr_t)model->files.list);
        free(model);
        return result;
    }
    *out = model;
    return OF_OK;
}

int of_model_open(of_model **out, const char *path, of_error *err)
{
    return make(out, &(struct source){ .path = path }, err);
}

int of_model_parse(of_model **out, const char *text, ptrdiff_t len, const char *name, of_error *err)
{
    struct source s = { .text = lib_text(text, len), .name = lib_text(name ? name : "model", -1) };
    return make(out, &s, err);
}

int of_model_parse_with(of_model **out, const char *text, ptrdiff_t len, const char *name, const of_file *files,
                        size_t n_files, of_error *err)
{
    struct model_file *list;
    if (!(list = file_views(files, n_files))) return lib_no_memory(err);
    struct model_files given = { list, n_files };
    struct source s = { .text = lib_text(text, len), .name = lib_text(name ? name : "model", -1), .files = &given };
    int result = make(out, &s, err);
    free(list);
    return result;
}

void of_model_close(of_model *model)
{
    if (!model) return;
    model_free(model->model);
    free((void *)(uintptr_t)model->files.list);
    free(model);
}

int of_model_check(const char *path, of_answer **report, of_error *err)
{
    return lib_run(read_model, &(struct source){ .path = path },
                   (struct lib_outputs){ .report = report }, err);
}

/* ---- texts that need not be models yet ---- */

static struct reporter reporter_of(struct lib_work *w)
{
    return (struct reporter){ .env = &model_env_system, .arena = &w->arena, .out = &w->report, .err = &w->e };
}

static int describe(struct lib_work *w)
{
    const struct source *s = w->in;
    struct reporter r = reporter_of(w);
    return report_describe(&r, &(struct describe_input){ .name = s->name, .text = s->text, .files = s->files });
}

static int edit(struct lib_work *w)
{
    const struct source *s = w->in;
    struct reporter r = reporter_of(w);
    return report_edit(&r, &(struct edit_input){ .name = s->name, .text = s->text, .files = s->files, .edits = s->edits });
}

static int with_text(int (*work)(struct lib_work *w), struct source s, const of_file *files, size_t n_files, of_answer **report,
                     of_error *err)
{
    struct model_file *list = file_views(files, n_files);
    if (!list) return lib_no_memory(err);
    struct model_files given = { list, n_files };
    s.files = &given;
    int result = lib_run(work, &s, (struct lib_outputs){ .report = report }, err);
    free(list);
    return result;
}

int of_model_describe(const char *text, ptrdiff_t len, const char *name, const of_file *files, size_t n_files,
                      of_answer **report, of_error *err)
{
    struct source s = { .text = lib_text(text, len), .name = lib_text(name ? name : "model", -1) };
    return with_text(describe, s, files, n_files, report, err);
}

int of_model_edit(const char *text, ptrdiff_t len, const char *name, const of_file *files, size_t n_files, const char *edits,
                  ptrdiff_t edits_len, of_answer **report, of_error *err)
{
    struct source s = { .text = lib_text(text, len), .name = lib_text(name ? name : "model", -1), .edits = lib_text(edits, edits_len) };
    return with_text(edit, s, files, n_files, report, err);
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
