/* get.c: `onefold get`: reads one entity. */
#include "session.h"

static int get(struct session *s)
{
    const char *entity = s->in->arguments[0];
    int code;
    if (!find_entity(s, entity)) return EXIT_ERROR;
    of_item *key = entity_arguments(s, entity, 1, &code), *result;
    of_error err;
    if (!key) return code;
    of_answer *requests;
    of_entity_options how = { .dry_run = s->in->shared.dry_run, .requests = wants_requests(s->in, &requests) };
    int failed = of_entity_get(s->model, s->db, entity, key, &how, &result, &err);
    of_item_free(key);
    if (failed) return fail_of(&err);
    print_requests(s, requests);
    if (s->in->shared.dry_run) return EXIT_OK;
    if (!result) return fail_error("there is no %s with this key", entity);
    print_item(s, entity, result);
    of_item_free(result);
    return EXIT_OK;
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_READ, get);
}

static const struct argument_spec arguments[] = {
    { "ENTITY", "an entity of the model", COMPLETE_ENTITY },
    { "NAME=VALUE", "the attributes that its key is made of", COMPLETE_ATTRIBUTE, .optional = true, .repeats = true },
};

const struct command command_get = {
    .name = "get",
    .summary = "read an entity",
    .about = "Reads one entity by the attributes its key is made of. Exit code 1: there is none.\n",
    ARGUMENTS(arguments),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_REQUESTS | SHARE_JSON,
    .examples = "get Customer customerId=c1 --data d\n"
                "get Line orderId=o1 number=1 --data d --json\n",
    .run = run,
};
