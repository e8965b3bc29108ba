/* fold.c: `onefold fold MODEL SOURCE`. */
#include "session.h"

static const struct fold_options {
    const char *mapping, *entity;
    bool dry_run;
} defaults;

static struct slice names_of(struct arena *a, const struct json *list)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    for (const struct json *n = list ? list->first : NULL; n; n = n->next) {
        if (b.n) BUF_LIT(&b, ", ");
        buf_slice(&b, n->text);
    }
    return buf_view(&b);
}

/* In the form that --mapping takes. */
static void print_mapping(struct session *s, const struct json *mapping)
{
    for (const struct json *e = mapping ? mapping->first : NULL; e; e = e->next) {
        print_inked(entity_ink(e->name), e->name);
        puts(":");
        for (const char *const *k = (const char *const[]){ "from", "query", NULL }; *k; k++) {
            struct slice from = json_cell(s->arena, json_get(e, slice_str(*k)));
            if (from.n) printf("  %s: %.*s\n", *k, SLICE_ARG(from));
        }
        const struct json *columns = JSON_GET(e, "columns");
        puts("  columns:");
        for (const struct json *c = columns ? columns->first : NULL; c; c = c->next)
            printf("    %.*s: %.*s\n", SLICE_ARG(c->name), SLICE_ARG(c->text));
        struct slice unused = names_of(s->arena, JSON_GET(e, "unused")), empty = names_of(s->arena, JSON_GET(e, "empty"));
        if (unused.n) printf("  # columns that become nothing: %.*s\n", SLICE_ARG(unused));
        if (empty.n) printf("  # attributes that no column fills: %.*s\n", SLICE_ARG(empty));
    }
}

/* What a dry run would do stands on standard error, so that what is on standard output is a mapping file as it is. */
static void tell_counts(struct session *s, const struct json *entities)
{
    fflush(stdout);
    for (const struct json *e = entities ? entities->first : NULL; e; e = e->next)
        fprintf(stderr, "%.*s: %.*s, %.*s would be written, %.*s were by an earlier run\n", SLICE_ARG(e->name),
                SLICE_ARG(counted(s->arena, json_double(e, "rows", 0), "row", "rows")),
                SLICE_ARG(json_figure(s->arena, e, "written")), SLICE_ARG(json_figure(s->arena, e, "before")));
}

static void render(struct session *s, const struct json *tree)
{
    const struct json *entities = JSON_GET(tree, "entities");
    if (json_flag(tree, "dryRun")) {
        puts("# The mapping; change it and give it with --mapping FILE.");
        print_mapping(s, JSON_GET(tree, "mapping"));
        tell_counts(s, entities);
        return;
    }
    const char *titles[] = { "entity", "rows", "written", "by an earlier run" };
    struct table t;
    table_init(&t, s->arena, 4, titles);
    t.right[1] = t.right[2] = t.right[3] = true;
    for (const struct json *e = entities ? entities->first : NULL; e; e = e->next) {
        struct cell *row = table_row(&t);
        row[0] = (struct cell){ e->name, entity_ink(e->name) };
        row[1].text = json_figure(s->arena, e, "rows");
        row[2].text = json_figure(s->arena, e, "written");
        row[3].text = json_figure(s->arena, e, "before");
    }
    table_print(&t);
}

static int fold(struct session *s)
{
    const struct fold_options *o = s->in->options;
    of_answer *report;
    of_error err;
    of_fold_options options = { .mapping = o->mapping, .entity = o->entity, .dry_run = o->dry_run,
                                .progress = show_progress };
    int code = of_model_fold(s->model, s->db, s->in->arguments[1], &options, &report, &err);
    end_progress();
    return code ? fail_of(&err) : print_report(s, report, render);
}

static int run(struct invocation *in)
{
    const struct fold_options *o = in->options;
    in->shared.model = in->arguments[0];
    return with_table(in, o->dry_run ? ACCESS_READ : ACCESS_WRITE, fold);
}

static const struct argument_spec arguments[] = {
    { "MODEL", "the model file", COMPLETE_FILE, .optional = false },
    { "SOURCE", "an SQLite file, a folder of CSV files, or one CSV file", COMPLETE_FILE, .optional = false },
};
static const struct option_spec options[] = {
    { "mapping", "FILE", "which column is which attribute (guessed from names)", offsetof(struct fold_options, mapping),
      .complete = COMPLETE_FILE },
    { "entity", "NAME", "only this one", offsetof(struct fold_options, entity), .complete = COMPLETE_ENTITY },
    { "dry-run", NULL, "show the mapping, check every row, write nothing", offsetof(struct fold_options, dry_run) },
};

const struct command command_fold = {
    .name = "fold",
    .summary = "bring a world of many tables into one",
    .about = "Makes each row of each table an entity, checks it and writes it with its keys,\n"
             "copies and unique values: one entity after the other, with a count for each.\n"
             "\n"
             "Start with --dry-run: it shows which column becomes which attribute, in the form\n"
             "that --mapping takes. A bad row stops it; the same command goes on there.",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON | SHARE_YES | SHARE_TARGET,
    .examples = "fold onefold.yaml shop.sqlite --dry-run --data d\n"
                "fold onefold.yaml ./csv --entity Order --data d\n",
    .run = run,
};
