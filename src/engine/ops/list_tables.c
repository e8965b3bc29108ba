/* list_tables.c: ListTables: names in ascending order, a page at a time. Answered from the snapshot
 * of the catalog; the store is not read. */
#include "../ops.h"

#define PAGE 100

static int run(struct call *call, struct store_txn *txn)
{
    (void)txn;
    const struct catalog *c = call->catalog;
    struct buf *b = &call->response;
    int64_t limit = PAGE;
    param_int(call->request, SLICE("Limit"), &limit);
    struct slice after = param_string(call->request, SLICE("ExclusiveStartTableName"));
    size_t first = catalog_first_after(c, after), n = catalog_count(c);
    size_t end = n - first > (size_t)limit ? first + (size_t)limit : n;
    BUF_LIT(b, "{\"TableNames\":[");
    for (size_t i = first; i < end; i++) {
        if (i > first) buf_u8(b, ',');
        json_put_string(b, catalog_at(c, i)->name);
    }
    buf_u8(b, ']');
    if (end < n) {
        BUF_LIT(b, ",\"LastEvaluatedTableName\":");
        json_put_string(b, catalog_at(c, end - 1)->name);
    }
    buf_u8(b, '}');
    return 0;
}

const struct op op_list_tables = {
    .name = "ListTables", .kind = OP_READ, .run = run
};
