/* transfer.c: of_model_load, of_model_browse, of_model_unfold, of_model_fold. */
#include "lib_model.h"
#include "../model/browse.h"
#include "../model/transfer.h"

struct job {
    const of_model *model;
    of_db *db;
    const char *path;
    const void *options;
};

static struct slice text_or_none(const char *s)
{
    return s ? slice_str(s) : slice_of(NULL, 0);
}

static struct reporter reporter(struct lib_work *w, const struct job *j)
{
    return (struct reporter){ .model = j->model->model, .env = &model_env_system, .arena = &w->arena, .out = &w->report,
                              .err = &w->e };
}

static int load(struct lib_work *w)
{
    const struct job *j = w->in;
    const of_load_options *o = j->options;
    struct load_options options = { .raw = o && o->raw, .dry_run = o && o->dry_run };
    if (o) {
        options.resume = text_or_none(o->marker);
        options.progress = (struct progress){ o->progress, o->ctx };
    }
    struct reporter r = reporter(w, j);
    return report_load(&r, lib_api(j->db), j->path, &options);
}

int of_model_load(const of_model *model, of_db *db, const char *path, const of_load_options *options,
                  of_answer **report, of_error *err)
{
    struct job j = { model, db, path, options };
    return lib_run(load, &j, (struct lib_outputs){ .report = report }, err);
}

static int load_sample(struct lib_work *w)
{
    const struct job *j = w->in;
    struct reporter r = reporter(w, j);
    return report_load_sample(&r, lib_api(j->db));
}

int of_model_load_sample(const of_model *model, of_db *db, of_answer **report, of_error *err)
{
    struct job j = { model, db, NULL, NULL };
    return lib_run(load_sample, &j, (struct lib_outputs){ .report = report }, err);
}

static int browse(struct lib_work *w)
{
    const struct job *j = w->in;
    const of_browse_options *o = j->options;
    struct browse_options options = { .limit = o ? o->limit : 0 };
    if (o) {
        options.partition = text_or_none(o->partition);
        options.index = text_or_none(o->index);
        options.beside = text_or_none(o->beside);
        options.after = text_or_none(o->after);
    }
    struct reporter r = reporter(w, j);
    return report_browse(&r, lib_api(j->db), &options);
}

int of_model_browse(const of_model *model, of_db *db, const of_browse_options *options, of_answer **report,
                    of_error *err)
{
    struct job j = { model, db, NULL, options };
    return lib_run(browse, &j, (struct lib_outputs){ .report = report }, err);
}

static int unfold(struct lib_work *w)
{
    const struct job *j = w->in;
    const of_unfold_options *o = j->options;
    struct unfold_options options = { .format = o->format, .to = o->to, .entity = text_or_none(o->entity),
                                      .progress = { o->progress, o->ctx } };
    struct reporter r = reporter(w, j);
    return report_unfold(&r, lib_api(j->db), &options);
}

int of_model_unfold(const of_model *model, of_db *db, const of_unfold_options *options, of_answer **report,
                    of_error *err)
{
    if (!options || !options->format || !options->to)
        return lib_fail(err, OF_INVALID, "ValidationException", "unfold needs a format and a place to write to");
    struct job j = { model, db, NULL, options };
    return lib_run(unfold, &j, (struct lib_outputs){ .report = report }, err);
}

static int fold(struct lib_work *w)
{
    const struct job *j = w->in;
    const of_fold_options *o = j->options;
    struct fold_options options = { .dry_run = o && o->dry_run };
    if (o) {
        options.mapping = o->mapping;
        options.entity = text_or_none(o->entity);
        options.progress = (struct progress){ o->progress, o->ctx };
    }
    struct reporter r = reporter(w, j);
    return report_fold(&r, lib_api(j->db), j->path, &options);
}

int of_model_fold(const of_model *model, of_db *db, const char *source, const of_fold_options *options,
                  of_answer **report, of_error *err)
{
    struct job j = { model, db, source, options };
    return lib_run(fold, &j, (struct lib_outputs){ .report = report }, err);
}
