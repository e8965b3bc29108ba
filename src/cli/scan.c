/* scan.c: `onefold scan`: every item, after saying what that costs. */
#include "session.h"

struct scan_options {
    const char *filter;
};
static const struct scan_options defaults;

#define ASK_ABOVE_UNITS 1000

/* What reading the whole table takes, by what DescribeTable says of it. False after a message. */
static bool estimate(struct session *s, double *units, double *items)
{
    of_answer *answer;
    of_error err;
    struct buf b;
    buf_init(&b, s->arena, 4096);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, json_text(s->names, "table"));
    BUF_LIT(&b, "}");
    if (of_call(s->db, "DescribeTable", -1, (const char *)b.p, (ptrdiff_t)b.n, &answer, &err)) {
        fail_of(&err);
        return false;
    }
    int status = of_answer_status(answer);
    const struct json *tree = json_parse(s->arena, arena_dup(s->arena, report_text(answer)), 100, NULL);
    of_answer_free(answer);
    if (status != 200) {
        struct slice message = json_text(tree, "message");
        if (slice_eq(json_text(tree, "__type"), SLICE("com.amazonaws.dynamodb.v20120810#ResourceNotFoundException")))
            fail_error("there is no table %.*s there; 'onefold apply' makes it",
                       SLICE_ARG(json_text(s->names, "table")));
        else
            fail_error("%.*s", SLICE_ARG(message));
        return false;
    }
    const struct json *table = JSON_GET(tree, "Table");
    double blocks = json_double(table, "TableSizeBytes", 0) / 4096;
    *units = (blocks > 1 ? blocks : 1) * (s->in->shared.consistent ? 1 : 0.5);
    *items = json_double(table, "ItemCount", 0);
    return true;
}

static int scan(struct session *s)
{
    const struct scan_options *o = s->in->options;
    const struct shared *shared = &s->in->shared;
    const char *entity = s->in->n_arguments ? s->in->arguments[0] : NULL;
    double units, items;
    if (entity && !find_entity(s, entity)) return EXIT_ERROR;
    if (!estimate(s, &units, &items)) return EXIT_ERROR;
    struct slice cost = arena_printf(s->arena, "A scan reads the whole table: about %.*s, %.*s.",
                                     SLICE_ARG(counted(s->arena, items, "item", "items")),
                                     SLICE_ARG(counted(s->arena, units, "read unit", "read units")));
    /* With a limit a page reads only so much; the rest is another run's. */
    if (units > ASK_ABOVE_UNITS && !shared->limit && !shared->dry_run) {
        if (!confirm(s, (const char *)cost.p)) return EXIT_ERROR;
    } else {
        fprintf(stderr, "%.*s\n", SLICE_ARG(cost));
    }
    of_answer *requests, *report;
    of_error err;
    of_run_options how = { .limit = shared->limit, .after = shared->after, .filter = o->filter,
                           .consistent = shared->consistent, .dry_run = shared->dry_run,
                           .requests = wants_requests(s->in, &requests) };
    if (of_model_scan(s->model, s->db, entity, &how, &report, &err)) return fail_of(&err);
    print_requests(s, requests);
    if (!shared->dry_run) return print_report(s, report, render_results);
    of_answer_free(report);
    return EXIT_OK;
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
