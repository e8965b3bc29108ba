/* query.c: `onefold query`: an ad-hoc question about an entity. */
#include "session.h"

struct query_options {
    const char *index, *filter;
    bool raw, descending;
};
static const struct query_options defaults;

static int query(struct session *s)
{
    const struct query_options *o = s->in->options;
    const struct shared *shared = &s->in->shared;
    of_answer *requests, *report;
    of_error err;
    bool raw_only = o->raw && s->in->n_arguments == 1;
    const char *entity = raw_only ? NULL : s->in->arguments[0], *text = s->in->arguments[raw_only ? 0 : 1];
    if (!text) return fail_usage(s->in->command, "CONDITION is missing: 'username = alice and postId > X'");
    if (entity && !find_entity(s, entity)) return EXIT_ERROR;
    of_run_options how = { .limit = shared->limit, .after = shared->after, .filter = o->filter, .index = o->index,
                           .raw = o->raw, .descending = o->descending, .consistent = shared->consistent,
                           .dry_run = shared->dry_run, .requests = wants_requests(s->in, &requests) };
    if (of_model_query(s->model, s->db, entity, text, &how, &report, &err))
        return fail_of(&err);
    print_requests(s, requests);
    if (!shared->dry_run) return print_report(s, report, render_results);
    of_answer_free(report);
    return EXIT_OK;
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_READ, query);
}

static const struct argument_spec arguments[] = {
    { "ENTITY", "an entity of the model; may be left out with --raw", COMPLETE_ENTITY },
    { "CONDITION", "'username = alice and postId > X'", .optional = true },
};
static const struct option_spec options[] = {
    { "index", "NAME", "answer from this index, or 'table' (the cheapest)", offsetof(struct query_options, index),
      .complete = COMPLETE_INDEX },
    { "filter", "CONDITION", "drop what does not meet this, after reading", offsetof(struct query_options, filter) },
    { "raw", NULL, "the condition is on key attributes: \"PK = 'USER#alice'\"", offsetof(struct query_options, raw) },
    { "descending", NULL, "in descending order of the sort key", offsetof(struct query_options, descending) },
};

const struct command command_query = {
    .name = "query",
    .summary = "ask something that is no pattern",
    .about = "An ad-hoc question, resolved like an access pattern: it must be answered by the keys.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_REQUESTS | SHARE_JSON | SHARE_PAGES,
    .examples = "query Order 'customerId = c1' --descending --data d\n"
                "query Order 'status = pending' --filter 'total > 20' --data d\n"
                "query --raw \"PK = 'ORDER#o1'\" --data d\n",
    .run = run,
};
