/* put.c: `onefold put`: writes an entity whole. */
#include "session.h"

struct put_options {
    bool if_absent;
    const char *condition;
};
static const struct put_options defaults;

static int put(struct session *s)
{
    const struct put_options *o = s->in->options;
    const char *entity = s->in->arguments[0];
    int code;
    if (!find_entity(s, entity)) return EXIT_ERROR;
    of_item *item = entity_arguments(s, entity, 1, &code), *result;
    if (!item) return code;
    of_answer *requests;
    of_error err;
    of_entity_options how = { .if_absent = o->if_absent, .condition = o->condition, .dry_run = s->in->shared.dry_run,
                              .requests = wants_requests(s->in, &requests) };
    int failed = of_entity_put(s->model, s->db, entity, item, &how, &result, &err);
    of_item_free(item);
    if (failed) return fail_of(&err);
    print_requests(s, requests);
    if (!s->in->shared.dry_run && result) print_item(s, entity, result);
    of_item_free(result);
    return EXIT_OK;
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_WRITE, put);
}

static const struct argument_spec arguments[] = {
    { "ENTITY", "an entity of the model", COMPLETE_ENTITY },
    { "NAME=VALUE", "an attribute, read by its declared type; NAME:=JSON for lists, maps and what is not declared",
      COMPLETE_ATTRIBUTE, .optional = true, .repeats = true },
};
static const struct option_spec options[] = {
    { "if-absent", NULL, "only if there is none with this key", offsetof(struct put_options, if_absent) },
    { "if", "CONDITION", "only if what is there meets this: 'total < 10'", offsetof(struct put_options, condition) },
};

const struct command command_put = {
    .name = "put",
    .summary = "write an entity",
    .about = "Writes an entity with its keys, copies and unique values, and prints it with the\n"
             "defaults and generated values it got. One with the same key is replaced.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_REQUESTS | SHARE_YES | SHARE_JSON,
    .examples = "put Customer customerId=c1 email=ann@example.com --data d\n"
                "put Order orderId=o1 customerId=c1 total=30 --data d\n"
                "put Line orderId=o1 number=1 sku=lamp colours:='[\"red\"]' --data d\n",
    .run = run,
};
