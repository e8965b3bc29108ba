/* untag_resource.c: UntagResource. A key that is not there is no mistake. Its answer has no body. */
#include "../resource.h"
#include "../tags.h"

static int parse(struct call *call)
{
    struct resource *r = ARENA_NEW(call->arena, struct resource);
    const struct json *keys = PARAM_GET(call->request, "TagKeys");
    call->state = r;
    int code = resource_read(call, FOR_TAGS, r);
    if (code) return code;
    if (!keys->count) {
        return err_set(&call->err, ERR_ValidationException,
                       "Atleast one Tag Key needs to be provided as Input.");
    }
    return tags_check_keys(keys, &call->err);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct table *t;
    int code = resource_table(call, txn, call->state, &t);
    if (code) return code;
    t->tags = tags_without(call->arena, t->tags, PARAM_GET(call->request, "TagKeys"));
    return call_write_table(call, txn, t);
}

const struct op op_untag_resource = { .name = "UntagResource",
                                      .kind = OP_WRITE,
                                      .parse = parse,
                                      .run = run,
                                      .after = call_publish_table };
