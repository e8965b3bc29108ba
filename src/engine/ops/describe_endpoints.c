/* describe_endpoints.c: DescribeEndpoints: the address by which the client came; none if it came by no
 * network. */
#include "../ops.h"

#define CACHE_MINUTES 1440

static int run(struct call *call, struct store_txn *txn)
{
    (void)txn;
    struct buf *b = &call->response;
    BUF_LIT(b, "{\"Endpoints\":[");
    if (call->caller.host.n) {
        BUF_LIT(b, "{\"Address\":");
        json_put_string(b, call->caller.host);
        buf_printf(b, ",\"CachePeriodInMinutes\":%d}", CACHE_MINUTES);
    }
    BUF_LIT(b, "]}");
    return 0;
}

const struct op op_describe_endpoints = {
    .name = "DescribeEndpoints", .kind = OP_READ, .run = run
};
