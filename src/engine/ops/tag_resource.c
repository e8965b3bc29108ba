/* tag_resource.c: TagResource: all of the tags, or none. Its answer has no body. */
#include "../resource.h"
#include "../tags.h"

struct tagging {
    struct resource resource;
    struct slice tags; /* as given, encoded */
};

static int parse(struct call *call)
{
    struct tagging *g = ARENA_NEW(call->arena, struct tagging);
    const struct json *list = PARAM_GET(call->request, "Tags");
    call->state = g;
    int code = resource_read(call, FOR_TAGS, &g->resource);
    if (code) return code;
    if (!list->count) {
        return err_set(&call->err, ERR_ValidationException,
                       "Atleast one Tag needs to be provided as Input.");
    }
    return tags_read(call->arena, list, &g->tags, &call->err);
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct tagging *g = call->state;
    struct table *t;
    int code = resource_table(call, txn, &g->resource, &t);
    if (!code) code = tags_merge(call->arena, t->tags, g->tags, &t->tags, &call->err);
    return code ? code : call_write_table(call, txn, t);
}

const struct op op_tag_resource = {
    .name = "TagResource", .kind = OP_WRITE, .parse = parse, .run = run, .after = call_publish_table
};
