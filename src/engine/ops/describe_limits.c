/* describe_limits.c: DescribeLimits: the quotas of a new AWS account. Onefold itself has none: a table may
 * be given more (docs/differences.md). */
#include "../ops.h"

#define ACCOUNT_UNITS 80000
#define TABLE_UNITS   40000

/* Its name is its own, because bench/instructions counts from one call of it to the next. */
static int describe_limits(struct call *call, struct store_txn *txn)
{
    (void)txn;
    buf_printf(&call->response,
               "{\"AccountMaxReadCapacityUnits\":%d,\"AccountMaxWriteCapacityUnits\":%d,"
               "\"TableMaxReadCapacityUnits\":%d,\"TableMaxWriteCapacityUnits\":%d}",
               ACCOUNT_UNITS, ACCOUNT_UNITS, TABLE_UNITS, TABLE_UNITS);
    return 0;
}

const struct op op_describe_limits = {
    .name = "DescribeLimits", .kind = OP_READ, .run = describe_limits
};
