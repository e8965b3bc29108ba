/* model_check.c: `onefold model check`: every problem of a model file. */
#include "session.h"
#include <errno.h>
#include <unistd.h>

void render_problems(struct session *s, const struct json *list)
{
    for (const struct json *p = list ? list->first : NULL; p; p = p->next) {
        struct slice file = json_text(p, "file"), hint = json_text(p, "hint"), rule = json_text(p, "rule");
        double line = json_double(p, "line", 0), column = json_double(p, "column", 0);
        struct slice place = line > 0 ? arena_printf(s->arena, "%.*s:%.0f:%.0f: ", SLICE_ARG(file), line, column)
                                      : arena_printf(s->arena, "%.*s: ", SLICE_ARG(file));
        print_inked(INK_TITLE, place);
        print_inked(INK_PLAIN, json_text(p, "message"));
        if (rule.n) {
            fputs(" [", stdout);
            print_inked(INK_WARN, rule);
            fputc(']', stdout);
        }
        fputc('\n', stdout);
        if (!hint.n) continue;
        fputs("    ", stdout);
        print_inked(INK_PLAIN, hint);
        fputc('\n', stdout);
    }
}

static void render(struct session *s, const struct json *tree)
{
    render_problems(s, JSON_GET(tree, "problems"));
}

static size_t count_of(const struct json *tree, const char *name)
{
    const struct json *list = json_get(tree, slice_str(name));
    return list ? list->count : 0;
}

static int tell_good(struct session *s)
{
    struct arena *a = s->arena;
    printf("%s: no problems: %.*s, %.*s, %.*s\n", model_path(s->in),
           SLICE_ARG(counted(a, (double)count_of(s->names, "entities"), "entity", "entities")),
           SLICE_ARG(counted(a, (double)count_of(s->names, "indexes"), "index", "indexes")),
           SLICE_ARG(counted(a, (double)count_of(s->names, "patterns"), "pattern", "patterns")));
    return EXIT_OK;
}

static int run(struct invocation *in)
{
    struct session s = { .in = in, .arena = in->arena };
    const char *path = model_path(in);
    of_answer *report;
    of_error err;
    if (access(path, R_OK)) {
        if (errno == ENOENT && !in->shared.model)
            return fail_error("there is no ./onefold.yaml here: give the model with --model FILE");
        return fail_error("cannot read the model %s: %s", path, strerror(errno));
    }
    if (of_model_check(path, &report, &err)) return fail_of(&err);
    const struct json *tree = json_parse(in->arena, arena_dup(in->arena, report_text(report)), 100, NULL);
    bool good = !count_of(tree, "problems");
    if (good && !in->shared.json) {
        of_answer_free(report);
        return with_model(in, tell_good);
    }
    int code = print_report(&s, report, render);
    if (!code) code = finish_output();
    return code ? code : good ? EXIT_OK : EXIT_ERROR;
}

const struct command command_model_check = {
    .name = "model check",
    .summary = "check the model file",
    .about = "Prints every problem of the model file: file, line and column, what is wrong and what\n"
             "to do. Exit code 1: there are some.\n",
    .shares = SHARE_MODEL | SHARE_JSON,
    .examples = "model check\n"
                "model check --model onefold.yaml --json\n",
    .run = run,
};
