/* unfold.c: `onefold unfold`. */
#include "session.h"

static const struct unfold_options {
    const char *format, *entity;
} defaults = { .format = "sqlite" };

static void render(struct session *s, const struct json *tree)
{
    const struct json *rows = JSON_GET(tree, "rows"), *schema = JSON_GET(tree, "schema");
    const char *titles[] = { "entity", "rows", "schema versions" };
    struct table t;
    table_init(&t, s->arena, schema ? 3 : 2, titles);
    t.right[1] = true;
    for (const struct json *e = rows ? rows->first : NULL; e; e = e->next) {
        struct cell *row = table_row(&t);
        row[0] = (struct cell){ e->name, entity_ink(e->name) };
        row[1].text = json_figure(s->arena, rows, (const char *)arena_printf(s->arena, "%.*s", SLICE_ARG(e->name)).p);
        if (schema) row[2].text = json_cell(s->arena, json_get(schema, e->name));
    }
    table_print(&t);
    printf("%.*s left behind, %.*s of unique values", SLICE_ARG(counted(s->arena, json_double(tree, "copies", 0), "copy", "copies")),
           SLICE_ARG(counted(s->arena, json_double(tree, "sentinels", 0), "sentinel", "sentinels")));
    double others = json_double(tree, "others", 0);
    if (others > 0) printf(", %.*s not of this model in _others", SLICE_ARG(counted(s->arena, others, "item", "items")));
    printf("\nwritten: %.*s\n", SLICE_ARG(json_text(tree, "to")));
}

static int unfold(struct session *s)
{
    const struct unfold_options *o = s->in->options;
    of_answer *report;
    of_error err;
    of_unfold_options options = { .format = o->format, .to = s->in->arguments[0], .entity = o->entity,
                                  .progress = show_progress };
    int code = of_model_unfold(s->model, s->db, &options, &report, &err);
    end_progress();
    return code ? fail_of(&err) : print_report(s, report, render);
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_READ, unfold);
}

static const struct argument_spec arguments[] = {
    { "TO", "a file (sqlite) or folder that is not there yet", COMPLETE_FILE, .optional = false },
};
static const struct option_spec options[] = {
    { "format", "FORMAT", "sqlite (default), csv or ndjson", offsetof(struct unfold_options, format),
      .complete = COMPLETE_WORDS, .words = "sqlite csv ndjson" },
    { "entity", "NAME", "only this one", offsetof(struct unfold_options, entity), .complete = COMPLETE_ENTITY },
};

const struct command command_unfold = {
    .name = "unfold",
    .summary = "write one relational table per entity",
    .about = "The way out for analysis, which single tables are bad at: one table per entity,\n"
             "with typed columns and without keys. Reads the whole table. Copies and\n"
             "sentinels are left behind: 'onefold fold' computes them again.",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON | SHARE_MODEL | SHARE_TARGET,
    .examples = "unfold shop.sqlite --data d\n"
                "unfold ./csv --format csv --data d\n",
    .run = run,
};
