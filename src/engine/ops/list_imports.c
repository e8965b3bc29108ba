/* list_imports.c: ListImports: of all tables, or of one, also when it is gone. */
#include "../import.h"

static bool wanted(struct call *call, struct slice record, const void *ctx)
{
    (void)ctx;
    struct slice table = param_table(call->request, SLICE("TableArn"));
    struct import im;
    import_decode(record, &im);
    return !table.n || slice_eq(table, im.table);
}

static void put(struct call *call, struct slice id, struct slice record)
{
    struct import im;
    import_decode(record, &im);
    import_put_summary(&call->response, id, &im);
}

static int run(struct call *call, struct store_txn *txn)
{
    static const struct transfer_list list = { .kind = &transfer_import, .member = "ImportSummaryList",
                                               .size = "PageSize", .wanted = wanted, .put = put };
    return transfer_put_list(call, txn, &list);
}

const struct op op_list_imports = { .name = "ListImports", .kind = OP_READ, .run = run };
