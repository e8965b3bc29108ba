/* list_tags_of_resource.c: ListTagsOfResource. All fit on one page, so no token is ever given out; one that comes
 * all the same is not looked at, as by DynamoDB (DDB-TABLE-073 of ACK's api-quirks), which answers the first page. */
#include "../resource.h"
#include "../tags.h"

static int parse(struct call *call)
{
    struct resource *r = ARENA_NEW(call->arena, struct resource);
    call->state = r;
    return resource_read(call, FOR_TAGS, r);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct table *t;
    int code = resource_table(call, txn, call->state, &t);
    if (code) return code;
    BUF_LIT(&call->response, "{\"Tags\":");
    tags_put(&call->response, t->tags);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_list_tags_of_resource = {
    .name = "ListTagsOfResource", .kind = OP_READ, .parse = parse, .run = run
};
