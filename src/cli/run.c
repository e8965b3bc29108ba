/* run.c: `onefold run`: the answer of an access pattern. */
#include "session.h"

struct run_own_options {
    const char *filter;
};
static const struct run_own_options defaults;

/* NULL after a message, in *code. */
static of_item *read_inputs(struct session *s, const char *pattern, int *code)
{
    of_item *inputs = of_item_new();
    of_error err;
    *code = inputs ? 0 : fail_error("out of memory");
    for (size_t i = 1; !*code && i < s->in->n_arguments; i++) {
        struct assignment x;
        of_value there;
        *code = assignment_parse(s->in, s->in->arguments[i], &x);
        if (!*code && x.op != ASSIGN_SET)
            *code = fail_usage(s->in->command, "'%s': an input is given as name=value", s->in->arguments[i]);
        if (!*code && of_item_get(inputs, (const char *)x.name.p, (ptrdiff_t)x.name.n, &there))
            *code = fail_usage(s->in->command, "%.*s is given twice", SLICE_ARG(x.name));
        if (!*code && of_pattern_set(s->model, pattern, inputs, (const char *)x.name.p, (ptrdiff_t)x.name.n,
                                     (const char *)x.text.p, (ptrdiff_t)x.text.n, &err))
            *code = fail_of(&err);
    }
    if (!*code) return inputs;
    of_item_free(inputs);
    return NULL;
}

static int run_pattern(struct session *s)
{
    const struct run_own_options *o = s->in->options;
    const struct shared *shared = &s->in->shared;
    const char *pattern = s->in->arguments[0];
    int code;
    of_item *inputs = read_inputs(s, pattern, &code);
    if (!inputs) return code;
    of_answer *requests, *report;
    of_error err;
    of_run_options how = { .limit = shared->limit, .after = shared->after, .filter = o->filter,
                           .consistent = shared->consistent, .dry_run = shared->dry_run,
                           .requests = wants_requests(s->in, &requests) };
    int failed = of_pattern_run(s->model, s->db, pattern, inputs, &how, &report, &err);
    of_item_free(inputs);
    if (failed) return fail_of(&err);
    print_requests(s, requests);
    if (!shared->dry_run) return print_report(s, report, render_results);
    of_answer_free(report);
    return EXIT_OK;
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_READ, run_pattern);
}

static const struct argument_spec arguments[] = {
    { "PATTERN", "an access pattern of the model", COMPLETE_PATTERN },
    { "NAME=VALUE", "its inputs; dates: 2026-05, 2026-05-10T14:00Z, today, -30d", COMPLETE_ATTRIBUTE, .optional = true,
      .repeats = true },
};
static const struct option_spec options[] = {
    { "filter", "CONDITION", "drop what does not meet this, after reading", offsetof(struct run_own_options, filter) },
};

const struct command command_run = {
    .name = "run",
    .summary = "answer an access pattern",
    .about = "Answers an access pattern: a table per entity, and what it took. Where there is more,\n"
             "the last line names the token of the next page.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_REQUESTS | SHARE_JSON | SHARE_PAGES,
    .examples = "run ordersOfCustomer customerId=c1 --data d\n"
                "run ordersByStatus status=pending --limit 5 --data d --explain\n",
    .run = run,
};
