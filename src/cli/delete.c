/* delete.c: `onefold delete`: deletes an entity with its copies and unique values. */
#include "session.h"

struct delete_options {
    const char *condition;
};
static const struct delete_options defaults;

static int delete_entity(struct session *s)
{
    const struct delete_options *o = s->in->options;
    const char *entity = s->in->arguments[0];
    int code;
    if (!find_entity(s, entity)) return EXIT_ERROR;
    of_item *key = entity_arguments(s, entity, 1, &code), *old;
    if (!key) return code;
    of_answer *requests;
    of_error err;
    of_entity_options how = { .condition = o->condition, .dry_run = s->in->shared.dry_run,
                              .requests = wants_requests(s->in, &requests) };
    int failed = of_entity_delete(s->model, s->db, entity, key, &how, &old, &err);
    of_item_free(key);
    if (failed) return fail_of(&err);
    print_requests(s, requests);
    if (!s->in->shared.dry_run) {
        if (old)
            print_item(s, entity, old);
        else
            code = fail_error("there is no %s with this key", entity);
    }
    of_item_free(old);
    return code;
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_WRITE, delete_entity);
}

static const struct argument_spec arguments[] = {
    { "ENTITY", "an entity of the model", COMPLETE_ENTITY },
    { "NAME=VALUE", "the attributes that its key is made of", COMPLETE_ATTRIBUTE, .optional = true, .repeats = true },
};
static const struct option_spec options[] = {
    { "if", "CONDITION", "only if it meets this: 'status = cancelled'", offsetof(struct delete_options, condition) },
};

const struct command command_delete = {
    .name = "delete",
    .summary = "delete an entity",
    .about = "Deletes an entity with its copies and unique values, and prints what it was.\n"
             "Exit code 1: there was none.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_REQUESTS | SHARE_YES | SHARE_JSON,
    .examples = "delete Order orderId=o1 --dry-run --data d\n"
                "delete Line orderId=o1 number=2 --data d\n",
    .run = run,
};
