/* apply.c: `onefold apply`: makes the table what the model says. */
#include "session.h"

struct apply_own_options {
    bool delete_indexes, dry_run;
};
static const struct apply_own_options defaults;

static void tell_progress(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "%s\n", text);
}

static void render(struct session *s, const struct json *tree)
{
    const struct json *plan = JSON_GET(tree, "plan");
    struct table t;
    if (!plan || !plan->count) {
        printf("table %.*s is as the model says: nothing to do\n", SLICE_ARG(json_text(tree, "table")));
        return;
    }
    table_init(&t, s->arena, 2, NULL);
    t.fixed[0] = true;
    for (const struct json *step = plan->first; step; step = step->next) {
        struct cell *row = table_row(&t);
        struct slice status = json_text(step, "status");
        row[0] = (struct cell){ status, slice_eq(status, SLICE("done")) ? INK_GOOD : INK_WARN };
        row[1].text = json_text(step, "what");
    }
    table_print(&t);
    const struct apply_own_options *o = s->in->options;
    for (const struct json *step = plan->first; step && o->dry_run; step = step->next) {
        const struct json *request = JSON_GET(step, "request");
        if (!request) continue;
        struct buf b;
        buf_init(&b, s->arena, (size_t)16 << 20);
        json_put(&b, request);
        printf("\n%.*s\n", SLICE_ARG(json_text(step, "operation")));
        json_print(stdout, s->arena, buf_view(&b));
    }
}

static int apply(struct session *s)
{
    const struct apply_own_options *o = s->in->options;
    of_answer *report;
    of_error err;
    of_apply_options how = { .dry_run = o->dry_run, .delete_indexes = o->delete_indexes,
                             .progress = tell_progress };
    if (of_model_apply(s->model, s->db, &how, &report, &err)) return fail_of(&err);
    return print_report(s, report, render);
}

static int run(struct invocation *in)
{
    const struct apply_own_options *o = in->options;
    return with_table(in, o->dry_run ? ACCESS_PLAN : ACCESS_MAKE, apply);
}

static const struct option_spec options[] = {
    { "delete", NULL, "also drop indexes that the model does not have",
      offsetof(struct apply_own_options, delete_indexes) },
    { "dry-run", NULL, "only print the plan and its requests",
      offsetof(struct apply_own_options, dry_run) },
};

const struct command command_apply = {
    .name = "apply",
    .summary = "create the table, or add what is missing",
    .about = "Makes the table what the model says: creates it, or adds indexes, and prints what it\n"
             "did. Nothing is deleted without --delete.\n",
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_YES | SHARE_JSON,
    .examples = "apply --data d\n"
                "apply --dry-run --data d\n",
    .run = run,
};
