/* report.c: the reports about a model: explain, lint, advise, docs, table, policy, cost, size, apply. */
#include "lib_model.h"
#include "../model/code.h"

/* What the functions below pass to their work; each uses what it needs. */
struct input {
    const of_model *model;
    of_db *db;
    struct slice text;   /* a pattern's name, or an item */
    struct slice index;
    int format;
    struct slice inputs, endpoint; /* of code */
    const of_cost_options *cost;
    const of_policy_options *policy;
    const of_apply_options *apply;
};

static struct reporter reporter_of(struct lib_work *w)
{
    const struct input *in = w->in;
    return (struct reporter){ .model = in->model ? in->model->model : NULL, .env = &model_env_system,
                              .arena = &w->arena, .out = &w->report, .err = &w->e };
}

/* The place of name in names, which end with NULL; -1 and err filled if it is not there. */
static int choose(const char *name, const char *what, const char *const *names, of_error *err)
{
    char list[200] = "";
    size_t n = 0;
    for (int i = 0; names[i]; i++) {
        if (name && strcmp(name, names[i]) == 0) return i;
        size_t len = strlen(names[i]);
        if (n + len + 3 > sizeof list) continue;
        memcpy(list + n, i ? ", " : "", i ? 2 : 0);
        n += i ? 2 : 0;
        memcpy(list + n, names[i], len + 1);
        n += len;
    }
    lib_fail(err, OF_INVALID, "ValidationException", "there is no %s %s; the %ss are %s", what,
             name ? name : "NULL", what, list);
    return -1;
}

static int explain(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    return report_explain(&r, ((const struct input *)w->in)->text);
}

int of_model_explain(const of_model *model, const char *pattern, of_answer **report, of_error *err)
{
    struct input in = { .model = model, .text = lib_text(pattern, -1) };
    return lib_run(explain, &in, (struct lib_outputs){ .report = report }, err);
}

static int lint(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    return report_lint(&r);
}

int of_model_lint(const of_model *model, of_answer **report, of_error *err)
{
    return lib_run(lint, &(struct input){ .model = model }, (struct lib_outputs){ .report = report }, err);
}

static int advise(struct lib_work *w)
{
    const struct input *in = w->in;
    struct reporter r = reporter_of(w);
    return report_advise(&r, in->index, in->text);
}

int of_model_advise(const of_model *model, const char *index, const char *key, ptrdiff_t key_len, of_answer **report,
                    of_error *err)
{
    struct input in = { .model = model, .text = lib_text(key, key_len), .index = lib_text(index, -1) };
    return lib_run(advise, &in, (struct lib_outputs){ .report = report }, err);
}

static int docs(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    return report_docs(&r, (enum docs_format)((const struct input *)w->in)->format);
}

int of_model_docs(const of_model *model, const char *format, of_answer **report, of_error *err)
{
    static const char *const names[] = { "markdown", "svg", "mermaid", "json", NULL };
    struct input in = { .model = model, .format = choose(format, "format", names, err) };
    if (in.format < 0) return OF_INVALID;
    return lib_run(docs, &in, (struct lib_outputs){ .report = report }, err);
}

static int code(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    const struct input *in = w->in;
    return report_code(&r, in->text, in->inputs, (enum code_language)in->format, in->endpoint);
}

int of_pattern_code(const of_model *model, const char *pattern, const of_item *inputs, const char *language,
                    const char *endpoint, of_answer **text, of_error *err)
{
    static const char *const names[] = { "javascript", "python", "cli", "onefold", "c", NULL };
    struct input in = { .model = model, .text = lib_text(pattern, -1), .format = choose(language, "language", names, err),
                        .endpoint = lib_text(endpoint, -1) };
    if (in.format < 0) return OF_INVALID;
    if (!lib_item_bytes(inputs, &in.inputs)) return lib_no_memory(err);
    return lib_run(code, &in, (struct lib_outputs){ .report = text }, err);
}

static int table(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    return report_table(&r, (enum table_format)((const struct input *)w->in)->format);
}

int of_model_table(const of_model *model, const char *format, of_answer **report, of_error *err)
{
    static const char *const names[] = { "create-table", "cloudformation", "terraform", NULL };
    struct input in = { .model = model, .format = choose(format, "format", names, err) };
    if (in.format < 0) return OF_INVALID;
    return lib_run(table, &in, (struct lib_outputs){ .report = report }, err);
}

static int policy(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    const of_policy_options *o = ((const struct input *)w->in)->policy;
    struct policy_options options = { 0 };
    if (o) {
        struct slice *entities = ARENA_ARRAY(&w->arena, struct slice, o->n_entities + 1);
        for (size_t i = 0; i < o->n_entities; i++) entities[i] = lib_text(o->entities[i], -1);
        options = (struct policy_options){ .tenant = lib_text(o->tenant, -1), .tag = lib_text(o->tag, -1), .entities = entities,
                                           .n_entities = o->n_entities, .read_only = o->read_only };
    }
    return report_policy(&r, &options);
}

int of_model_policy(const of_model *model, const of_policy_options *options, of_answer **report, of_error *err)
{
    struct input in = { .model = model, .policy = options };
    return lib_run(policy, &in, (struct lib_outputs){ .report = report }, err);
}

static int cost(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    const of_cost_options *o = ((const struct input *)w->in)->cost;
    struct cost_options options = { 0 };
    if (o) {
        options = (struct cost_options){ .prices = lib_text(o->prices, -1), .against_tables = o->against_tables,
                                         .provisioned = o->provisioned, .scale = o->scale, .scales = o->scales,
                                         .n_scales = o->n_scales };
    }
    return report_cost(&r, &options);
}

int of_model_cost(const of_model *model, const of_cost_options *options, of_answer **report, of_error *err)
{
    struct input in = { .model = model, .cost = options };
    return lib_run(cost, &in, (struct lib_outputs){ .report = report }, err);
}

static int size(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    return report_size(&r, ((const struct input *)w->in)->text);
}

int of_size(const char *item, ptrdiff_t len, of_answer **report, of_error *err)
{
    return lib_run(size, &(struct input){ .text = lib_text(item, len) },
                   (struct lib_outputs){ .report = report }, err);
}

static void tell(void *ctx, struct slice text)
{
    const of_apply_options *o = ctx;
    char line[512];
    size_t n = text.n < sizeof line - 1 ? text.n : sizeof line - 1;
    memcpy(line, text.p, n);
    line[n] = 0;
    o->progress(o->ctx, line);
}

static int apply(struct lib_work *w)
{
    const struct input *in = w->in;
    struct reporter r = reporter_of(w);
    struct apply_options options = { 0 };
    if (in->apply) {
        options.dry_run = in->apply->dry_run;
        options.delete_indexes = in->apply->delete_indexes;
        options.progress = in->apply->progress ? tell : NULL;
        options.ctx = (void *)(uintptr_t)in->apply;
    }
    return report_apply(&r, lib_api(in->db), &options);
}

int of_model_apply(const of_model *model, of_db *db, const of_apply_options *options, of_answer **report,
                   of_error *err)
{
    struct input in = { .model = model, .db = db, .apply = options };
    return lib_run(apply, &in, (struct lib_outputs){ .report = report }, err);
}
