/* model_explain.c: `onefold model explain`: the table of access patterns, as those who design tables write it; and for
 * a question that the keys do not answer, what would have to change. */
#include "session.h"

static void indented(struct slice text, const char *indent)
{
    while (text.n) {
        const uint8_t *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;
        fputs(indent, stdout);
        print_inked(INK_PLAIN, slice_of(text.p, n));
        fputc('\n', stdout);
        n += end != NULL;
        text = slice_of(text.p + n, text.n - n);
    }
}

static void line_of(const char *title, struct slice text)
{
    if (!text.n) return;
    printf("  %-14s ", title);
    print_inked(INK_PLAIN, text);
    fputc('\n', stdout);
}

static void print_proposals(struct session *s, const struct json *p)
{
    const struct json *list = JSON_GET(p, "proposals");
    size_t number = 0;
    struct slice name = json_text(p, "pattern");
    print_inked(INK_BAD, arena_printf(s->arena, "%.*s is not answerable", SLICE_ARG(name)));
    fputs(": ", stdout);
    print_inked(INK_PLAIN, json_text(p, "reason"));
    fputc('\n', stdout);
    for (const struct json *x = list ? list->first : NULL; x; x = x->next) {
        printf("\n%zu. ", ++number);
        print_inked(INK_TITLE, json_text(x, "text"));
        fputs("\n\n", stdout);
        indented(json_text(x, "yaml"), "      ");
        fputc('\n', stdout);
        struct slice index = json_text(x, "index");
        line_of("then", arena_printf(s->arena, "%.*s%s%.*s: %.*s", SLICE_ARG(json_text(x, "operation")),
                                     index.n ? " on " : "", SLICE_ARG(index), SLICE_ARG(json_text(x, "keyCondition"))));
        line_of("writes", json_text(x, "writes"));
        line_of("storage", json_text(x, "storage"));
        line_of("backfill", json_text(x, "backfill"));
    }
    if (!number) puts("No change of the model would answer it.");
}

static bool answered(const struct json *p)
{
    return !JSON_GET(p, "reason");
}

/* "unknown" where neither sample data nor expect tells. */
static struct slice known(struct session *s, const struct json *p, const char *name)
{
    return json_figure(s->arena, p, name);
}

static void print_table(struct session *s, const struct json *list)
{
    static const char *titles[] = { "#", "pattern", "operation", "index", "key condition", "items", "read units" };
    struct table t;
    size_t number = 0;
    table_init(&t, s->arena, COUNT(titles), titles);
    t.right[0] = t.right[5] = t.right[6] = true;
    t.fixed[0] = true;
    for (const struct json *p = list->first; p; p = p->next) {
        struct cell *row = table_row(&t);
        row[0].text = arena_printf(s->arena, "%zu", ++number);
        row[1].text = json_text(p, "pattern");
        if (!answered(p)) {
            row[2] = (struct cell){ SLICE("not answerable"), INK_BAD };
            row[4].text = json_text(p, "reason");
            continue;
        }
        row[2].text = json_text(p, "operation");
        row[3].text = json_text(p, "index");
        row[4].text = json_text(p, "keyCondition");
        row[5].text = known(s, p, "items");
        row[6].text = known(s, p, "readUnits");
    }
    table_print(&t);
}

static void print_list(const char *title, const struct json *list)
{
    for (const struct json *n = list ? list->first : NULL; n; n = n->next, title = "")
        line_of(title, n->text);
}

/* One pattern: everything there is to say. */
static void print_one(struct session *s, const struct json *p)
{
    struct slice index = json_text(p, "index");
    if (!answered(p)) {
        print_proposals(s, p);
        return;
    }
    print_inked(INK_TITLE, json_text(p, "pattern"));
    fputc('\n', stdout);
    line_of("question", json_text(p, "about"));
    line_of("operation", json_text(p, "operation"));
    line_of("index", index.n ? index : SLICE("the table"));
    line_of("key condition", json_text(p, "keyCondition"));
    line_of("filter", json_text(p, "filter"));
    line_of("order", json_text(p, "order"));
    line_of("items", known(s, p, "items"));
    line_of("read units", known(s, p, "readUnits"));
    print_list("notes", JSON_GET(p, "notes"));
}

static void render(struct session *s, const struct json *tree)
{
    const struct json *list = JSON_GET(tree, "patterns");
    if (!list || !list->count) {
        puts("the model has no patterns");
        return;
    }
    if (s->in->n_arguments) {
        print_one(s, list->first);
        return;
    }
    print_table(s, list);
    bool all = true;
    for (const struct json *p = list->first; p; p = p->next) all &= answered(p);
    if (!all) puts("\n'onefold model explain PATTERN' proposes changes for one that is not answerable.");
}

static int explain(struct session *s)
{
    of_answer *report;
    of_error err;
    const char *pattern = s->in->n_arguments ? s->in->arguments[0] : NULL;
    if (of_model_explain(s->model, pattern, &report, &err)) return fail_of(&err);
    return print_report(s, report, render);
}

static int run(struct invocation *in)
{
    return with_model(in, explain);
}

static const struct argument_spec arguments[] = {
    { "PATTERN", "only this one, with all details", COMPLETE_PATTERN, .optional = true },
};

const struct command command_model_explain = {
    .name = "model explain",
    .summary = "show how each access pattern is answered",
    .about = "The table of access patterns: operation, index, key condition, items and read units per run (from\n"
             "sample data or 'expect'; otherwise unknown). For a pattern that the keys do not answer: why, and the\n"
             "changes with which they would, the cheapest first, with what each costs.\n",
    ARGUMENTS(arguments),
    .shares = SHARE_MODEL | SHARE_JSON,
    .examples = "model explain\n"
                "model explain ordersByStatus\n",
    .run = run,
};
