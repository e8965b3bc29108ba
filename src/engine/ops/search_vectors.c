/* search_vectors.c: SearchVectors. There are no vector indexes yet (CreateTable and UpdateTable refuse
 * them), so there is none to search in. */
#include "../ops.h"

static int bind(struct call *call)
{
    const struct table *t;
    int code = call_find_table(call, param_string(call->request, SLICE("TableName")), &t);
    if (code) return code;
    return err_set(&call->err, ERR_ValidationException,
                   "The table does not have the specified index: %.*s: vector indexes are not "
                   "available in Onefold",
                   SLICE_ARG(param_string(call->request, SLICE("IndexName"))));
}

const struct op op_search_vectors = { .name = "SearchVectors", .bind = bind };
