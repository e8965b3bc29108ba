/* load.c: `onefold load FILE`. */
#include "session.h"

static const struct load_options {
    bool raw, dry_run;
    const char *marker;
} defaults;

static void render(struct session *s, const struct json *tree)
{
    const struct json *loaded = JSON_GET(tree, "loaded");
    struct table t;
    table_init(&t, s->arena, 2, NULL);
    t.right[1] = true;
    double sum = json_double(tree, "raw", 0);
    for (const struct json *e = loaded ? loaded->first : NULL; e; e = e->next) {
        struct cell *row = table_row(&t);
        const char *name = (const char *)arena_printf(s->arena, "%.*s", SLICE_ARG(e->name)).p;
        row[0] = (struct cell){ e->name, entity_ink(e->name) };
        row[1].text = json_figure(s->arena, loaded, name);
        sum += json_double(loaded, name, 0);
    }
    if (json_double(tree, "raw", 0) > 0) {
        struct cell *row = table_row(&t);
        row[0].text = SLICE("items as they are");
        row[1].text = json_figure(s->arena, tree, "raw");
    }
    table_print(&t);
    double before = json_double(tree, "before", 0);
    if (before > 0)
        printf("%.*s had been loaded by an earlier run\n", SLICE_ARG(counted(s->arena, before, "record", "records")));
    if (json_flag(tree, "dryRun"))
        puts("nothing is wrong with it; nothing was written");
    else
        printf("%.*s loaded\n", SLICE_ARG(counted(s->arena, sum, "record", "records")));
}

static int load(struct session *s)
{
    const struct load_options *o = s->in->options;
    of_answer *report;
    of_error err;
    of_load_options options = { .raw = o->raw, .dry_run = o->dry_run, .marker = o->marker, .progress = show_progress };
    int code = of_model_load(s->model, s->db, s->in->arguments[0], &options, &report, &err);
    end_progress();
    return code ? fail_of(&err) : print_report(s, report, render);
}

static int run(struct invocation *in)
{
    const struct load_options *o = in->options;
    return with_table(in, o->dry_run ? ACCESS_READ : ACCESS_WRITE, load);
}

static const struct argument_spec arguments[] = {
    { "FILE", "a data file (.yaml, .json), NDJSON, a folder of .ndjson files, or -", COMPLETE_FILE, .optional = false },
};
static const struct option_spec options[] = {
    { "raw", NULL, "items in DynamoDB JSON, one to a line, past the model", offsetof(struct load_options, raw) },
    { "dry-run", NULL, "check everything, write nothing", offsetof(struct load_options, dry_run) },
    { "marker", "FILE", "remembers how far it got (FILE.onefold-load)", offsetof(struct load_options, marker),
      .complete = COMPLETE_FILE },
};

const struct command command_load = {
    .name = "load",
    .summary = "load entities from a file",
    .about = "Loads entities through the model: defaults, checks, keys, copies and unique\n"
             "values as with put. NDJSON has one entity to a line: {\"Order\": {...}}.\n"
             "\n"
             "A bad line stops it with its number. FILE.onefold-load remembers how far it\n"
             "got: the same command goes on there. Of two records with the same key the\n"
             "later one stays.",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON | SHARE_YES | SHARE_MODEL | SHARE_TARGET,
    .examples = "load data.yaml --data d\n"
                "load items.ndjson --raw --data d\n",
    .run = run,
};
