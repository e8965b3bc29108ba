/* size.c: `onefold size`: how large an item is and what reading and writing it takes. */
#include "session.h"

static void render(struct session *s, const struct json *tree)
{
    static const char *titles[] = { "attribute", "type", "name", "value", "bytes" };
    const struct json *list = JSON_GET(tree, "attributes");
    struct table t;
    table_init(&t, s->arena, COUNT(titles), titles);
    t.right[2] = t.right[3] = t.right[4] = true;
    for (const struct json *at = list ? list->first : NULL; at; at = at->next) {
        struct cell *row = table_row(&t);
        row[0].text = json_text(at, "name");
        row[1].text = json_text(at, "type");
        row[2].text = json_figure(s->arena, at, "nameBytes");
        row[3].text = json_figure(s->arena, at, "valueBytes");
        row[4].text = json_figure(s->arena, at, "bytes");
    }
    table_print(&t);
    const struct json *read = JSON_GET(tree, "read"), *write = JSON_GET(tree, "write"), *query = JSON_GET(tree, "query");
    printf("\n%.*s bytes, %.*s%% of the most an item may have\n", SLICE_ARG(json_figure(s->arena, tree, "bytes")),
           SLICE_ARG(json_figure(s->arena, tree, "percent")));
    printf("read:  %.*s units; consistent %.*s; in a transaction %.*s\n",
           SLICE_ARG(json_figure(s->arena, read, "eventual")), SLICE_ARG(json_figure(s->arena, read, "strong")),
           SLICE_ARG(json_figure(s->arena, read, "transactional")));
    printf("write: %.*s; in a transaction %.*s\n",
           SLICE_ARG(counted(s->arena, json_double(write, "standard", 0), "unit", "units")),
           SLICE_ARG(json_figure(s->arena, write, "transactional")));
    for (const struct json *q = query ? query->first : NULL; q; q = q->next)
        printf("query of %.*s: %.*s units in %.*s\n",
               SLICE_ARG(counted(s->arena, json_double(q, "items", 0), "such item", "such items")),
               SLICE_ARG(json_figure(s->arena, q, "eventual")),
               SLICE_ARG(counted(s->arena, json_double(q, "requests", 1), "request", "requests")));
}

static int run(struct invocation *in)
{
    struct session s = { .in = in, .arena = in->arena };
    const char *item = in->arguments[0];
    size_t n = strlen(item);
    of_answer *report;
    of_error err;
    if (item[strspn(item, " \t\n")] != '{' && !(item = slurp(&s, item, &n))) return EXIT_ERROR;
    if (of_size(item, (ptrdiff_t)n, &report, &err)) return fail_of(&err);
    const struct json *tree = json_parse(in->arena, arena_dup(in->arena, report_text(report)), 100, NULL);
    bool fits = json_flag(tree, "fits");
    int code = print_report(&s, report, render);
    if (!code) code = finish_output();
    return code ? code : fits ? EXIT_OK : EXIT_FINDINGS;
}

static const struct argument_spec arguments[] = {
    { "ITEM", "its JSON, plain or DynamoDB's; or a file with it; -: standard input", COMPLETE_FILE },
};

const struct command command_size = {
    .name = "size",
    .summary = "calculate an item's size and units",
    .about = "Bytes of an item by attribute, as DynamoDB counts them, and the units that reading and\n"
             "writing it take. Exit code 3: it is over 400 KB.\n",
    ARGUMENTS(arguments),
    .shares = SHARE_JSON,
    .examples = "size '{\"PK\":\"ORDER#o1\",\"SK\":\"#METADATA\",\"total\":30}'\n"
                "size '{\"PK\":{\"S\":\"ORDER#o1\"},\"total\":{\"N\":\"30\"}}' --json\n",
    .run = run,
};
