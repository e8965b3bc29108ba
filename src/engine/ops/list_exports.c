/* list_exports.c: ListExports: of all tables, or of one that is there: those of an earlier table of its name are not its. */
#include "../export.h"

static bool wanted(struct call *call, struct slice record, const void *ctx)
{
    (void)ctx;
    struct slice name = param_table(call->request, SLICE("TableArn"));
    if (!name.n) return true;
    const struct table *t = catalog_find(call->catalog, name);
    return t && slice_eq(field_text(record, SLICE("uuid")), t->uuid);
}

static void put(struct call *call, struct slice id, struct slice record)
{
    struct export ex;
    export_decode(record, &ex);
    export_put_summary(&call->response, id, &ex);
}

static int run(struct call *call, struct store_txn *txn)
{
    static const struct transfer_list list = { .kind = &transfer_export, .member = "ExportSummaries",
                                               .size = "MaxResults", .wanted = wanted, .put = put };
    return transfer_put_list(call, txn, &list);
}

const struct op op_list_exports = { .name = "ListExports", .kind = OP_READ, .run = run };
