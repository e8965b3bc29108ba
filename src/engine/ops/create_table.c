/* create_table.c: CreateTable. The answer says CREATING, as DynamoDB's does; the record that is
 * stored says ACTIVE, so the next call can use the table. */
#include "../engine_impl.h"
#include "../table_create.h"

struct create {
    struct table draft;
    struct slice record; /* what run wrote, to be published */
};

static int parse(struct call *call)
{
    struct create *c = ARENA_NEW(call->arena, struct create);
    call->state = c;
    return table_create_parse(call, call->request, &c->draft);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct create *c = call->state;
    struct table *t = &c->draft;
    int code = table_create_begin(call, txn, t);
    if (code) return code;
    BUF_LIT(&call->response, "{\"TableDescription\":");
    int status = table_describe(&call->response, txn, &call->caller, t);
    buf_u8(&call->response, '}');
    table_create_end(t);
    if (!status) status = catalog_write(txn, call->arena, t, &c->record);
    return status ? call_store_failed(call, status) : 0;
}

static void after(struct call *call)
{
    struct create *c = call->state;
    catalog_publish(call->engine->catalogs, c->record);
    if (c->draft.n_segments) jobs_wake(call->engine->jobs);
}

const struct op op_create_table = {
    .name = "CreateTable", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
