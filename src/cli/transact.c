/* transact.c: `onefold transact`: several entities in one transaction. */
#include "session.h"

struct transact_options {
    const char *token;
};
static const struct transact_options defaults;

static int transact(struct session *s)
{
    const struct transact_options *o = s->in->options;
    const char *path = s->in->arguments[0];
    size_t n;
    char *steps = slurp(s, path, &n);
    if (!steps) return EXIT_ERROR;
    of_answer *requests;
    of_error err;
    of_entity_options how = { .dry_run = s->in->shared.dry_run, .requests = wants_requests(s->in, &requests) };
    if (of_entities_transact(s->model, s->db, steps, (ptrdiff_t)n, o->token, &how, &err)) {
        const char *file = strcmp(path, "-") == 0 ? "standard input" : path;
        if (strncmp(err.message, "steps:", 6) == 0) /* the library's word for a text without a file: steps:12:7: ... */
            return fail_error("%s%s", file, err.message + 5);
        return fail_error("%s: %s", file, err.message);
    }
    print_requests(s, requests);
    if (s->in->shared.dry_run) return EXIT_OK;
    puts(s->in->shared.json ? "{\"done\":true}" : "done");
    return EXIT_OK;
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_WRITE, transact);
}

static const struct argument_spec arguments[] = {
    { "FILE", "the steps, as YAML or JSON; -: standard input", COMPLETE_FILE },
};
static const struct option_spec options[] = {
    { "token", "TEXT", "makes a repeat within ten minutes harmless", offsetof(struct transact_options, token) },
};

const struct command command_transact = {
    .name = "transact",
    .summary = "write several entities, all or none",
    .about = "Does all steps of a file in one transaction, or none. A step is one of:\n"
             "\n"
             "  - { put: Order, attributes: { orderId: o1, customerId: c1, total: 30 } }\n"
             "  - { update: Customer, key: { customerId: c1 }, add: { visits: 1 } }\n"
             "  - { delete: Order, key: { orderId: o0 } }\n"
             "  - { check: Customer, key: { customerId: c1 }, if: 'visits < 100' }\n"
             "\n"
             "Over 100 actions (copies and unique values count) or 4 MB it is refused at once.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_REQUESTS | SHARE_YES | SHARE_JSON,
    .examples = "transact steps.yaml --data d\n"
                "transact - --dry-run --data d < steps.yaml\n",
    .run = run,
};
