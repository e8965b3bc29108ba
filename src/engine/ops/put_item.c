/* put_item.c: PutItem. The work is a mutation's (mutation.h). */
#include "../single_write.h"

static int parse(struct call *call)
{
    return single_write_parse(call, MUTATION_PUT);
}

const struct op op_put_item = {
    .name = "PutItem",
    .kind = OP_WRITE,
    .parse = parse,
    .bind = single_write_bind,
    .access = single_write_access,
    .footprint = single_write_footprint,
    .run = single_write_run,
};
