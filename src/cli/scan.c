/* scan.c: `onefold scan`: every item, after saying what that costs. */
#include "session.h"

struct scan_options {
    const char *filter;
    bool raw;
};
static const struct scan_options defaults;

#define ASK_ABOVE_UNITS 1000

static of_run_options options_of(struct session *s)
{
    const struct scan_options *o = s->in->options;
    const struct shared *shared = &s->in->shared;
    return (of_run_options){ .limit = shared->limit, .after = shared->after, .filter = o->filter, .raw = o->raw,
                             .consistent = shared->consistent };
}

/* Says what reading the whole table takes; false: it should not be done. Above ASK_ABOVE_UNITS it asks, but with a limit
 * a page reads only so much: the rest is another run's. */
static bool agreed(struct session *s, const char *entity)
{
    of_answer *requests, *report;
    of_error err;
    of_run_options how = options_of(s);
    how.dry_run = true;
    how.requests = wants_requests(s->in, &requests);
    if (of_model_scan(s->model, s->db, entity, &how, &report, &err)) {
        fail_of(&err);
        return false;
    }
    const struct json *tree = json_parse(s->arena, arena_dup(s->arena, report_text(report)), 100, NULL);
    const struct json *estimate = JSON_GET(tree, "estimate");
    of_answer_free(report);
    double units = json_double(estimate, "units", 0);
    struct slice cost = arena_printf(
        s->arena, "A scan reads the whole table: about %.*s, %.*s.",
        SLICE_ARG(counted(s->arena, json_double(estimate, "items", 0), "item", "items")),
        SLICE_ARG(counted(s->arena, units, "read unit", "read units")));
    if (s->in->shared.dry_run)
        print_requests(s, requests);
    else
        of_answer_free(requests);
    if (units > ASK_ABOVE_UNITS && !s->in->shared.limit && !s->in->shared.dry_run)
        return confirm(s, (const char *)cost.p);
    fprintf(stderr, "%.*s\n", SLICE_ARG(cost));
    return true;
}

static int scan(struct session *s)
{
    const char *entity = s->in->n_arguments ? s->in->arguments[0] : NULL;
    of_answer *requests, *report;
    of_error err;
    if (entity && !find_entity(s, entity)) return EXIT_ERROR;
    if (!agreed(s, entity)) return EXIT_ERROR;
    if (s->in->shared.dry_run) return EXIT_OK;
    of_run_options how = options_of(s);
    how.requests = wants_requests(s->in, &requests);
    if (of_model_scan(s->model, s->db, entity, &how, &report, &err)) return fail_of(&err);
    print_requests(s, requests);
    return print_report(s, report, render_results);
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_READ, scan);
}

static const struct argument_spec arguments[] = {
    { "ENTITY", "only this one; the whole table is read all the same", COMPLETE_ENTITY, .optional = true },
};
static const struct option_spec options[] = {
    { "filter", "CONDITION", "drop what does not meet this, after reading; needs ENTITY",
      offsetof(struct scan_options, filter) },
    { "raw", NULL, "also copies, unique values and what the model does not know", offsetof(struct scan_options, raw) },
};

const struct command command_scan = {
    .name = "scan",
    .summary = "read the whole table",
    .about = "Reads every item. It first says, on standard error, what that costs; above 1,000 read\n"
             "units it asks, or needs --yes where nobody can be asked.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_REQUESTS | SHARE_YES | SHARE_JSON | SHARE_PAGES,
    .examples = "scan --data d\n"
                "scan Customer --limit 10 --data d\n",
    .run = run,
};
