/* model_lint.c: `onefold model lint`: what is valid but will hurt. */
#include "session.h"

static void render(struct session *s, const struct json *tree)
{
    const struct json *list = JSON_GET(tree, "findings");
    size_t n = list ? list->count : 0;
    double silenced = json_double(tree, "silenced", 0);
    render_problems(s, list);
    if (n)
        printf("\n%.*s", SLICE_ARG(counted(s->arena, (double)n, "finding", "findings")));
    else
        printf("%s: no findings", model_path(s->in));
    if (silenced > 0) printf(", %.*s silenced", SLICE_ARG(figure(s->arena, silenced)));
    fputc('\n', stdout);
    if (n)
        puts("docs/lint/RULE.md explains a rule. A finding that is meant is silenced in the model:\n"
             "  silence: [{ rule: RULE, on: NAME, reason: WHY }]");
}

static int lint(struct session *s)
{
    of_answer *report;
    of_error err;
    if (of_model_lint(s->model, &report, &err)) return fail_of(&err);
    const struct json *tree = json_parse(s->arena, arena_dup(s->arena, report_text(report)), 100, NULL);
    const struct json *list = JSON_GET(tree, "findings");
    int code = print_report(s, report, render);
    return code ? code : list && list->count ? EXIT_FINDINGS : EXIT_OK;
}

static int run(struct invocation *in)
{
    return with_model(in, lint);
}

const struct command command_model_lint = {
    .name = "model lint",
    .summary = "find what is valid but will hurt",
    .about = "Looks for what single-table designs suffer from: hot partitions, prefixes that do not\n"
             "agree, filters on keys, reads without a limit ... docs/lint/ has a page for each rule. Exit\n"
             "code 3: there are findings.\n",
    .shares = SHARE_MODEL | SHARE_JSON,
    .examples = "model lint\n"
                "model lint --json\n",
    .run = run,
};
