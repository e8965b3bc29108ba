/* execute_statement.c: ExecuteStatement: one PartiQL statement. A SELECT is a read like Query and Scan, everything else a write like PutItem. */
#include "../access_items.h"
#include "../single_write.h"
#include "../statement_read.h"

struct statement_write {
    struct statement statement;
    struct mutation mutation;
};

static const struct op write_op;

static int parse(struct call *call)
{
    struct statement_read *r = ARENA_NEW(call->arena, struct statement_read);
    call->state = r;
    if (statement_parse(call, call->request, &r->statement)) {
        call->err = r->statement.err;
        return (int)call->err.code;
    }
    if (r->statement.ql->kind == PARTIQL_EXISTS) {
        return err_set(&call->err, ERR_ValidationException, "EXISTS can only be used in ExecuteTransaction write requests.");
    }
    if (!statement_writes(&r->statement)) return 0;
    if (param_present(call->request, SLICE("NextToken"))) {
        return err_set(&call->err, ERR_ValidationException, "NextToken does not match request");
    }
    struct statement_write *w = ARENA_NEW(call->arena, struct statement_write);
    w->statement = r->statement;
    call->state = w;
    call->op = &write_op;
    return 0;
}

static int bind(struct call *call)
{
    return statement_read_bind(call, call->state);
}

static int access(struct call *call)
{
    return statement_read_access(call, call->state);
}

static void footprint(struct call *call, struct footprint *f)
{
    statement_read_footprint(call, call->state, f);
}

static int run(struct call *call, struct store_txn *txn)
{
    return statement_read_run(call, txn, call->state);
}

static int bind_write(struct call *call)
{
    struct statement_write *w = call->state;
    const struct table *t;
    const struct index *ix;
    int code = statement_bind(call, &w->statement, &t, &ix);
    if (!code) code = statement_mutation(call, &w->statement, t, STATEMENT_SINGLE, &w->mutation);
    return code ? code : mutation_bind(call, &w->mutation);
}

static int access_write(struct call *call)
{
    const struct statement_write *w = call->state;
    if (!call->bound) return access_unfit_statement(call, &w->statement);
    return access_mutation(call, &w->mutation, access_action_of_statement(&w->statement), NULL, false);
}

static void footprint_write(struct call *call, struct footprint *f)
{
    struct statement_write *w = call->state;
    mutation_footprint(&w->mutation, footprint_room(call, f, 1));
}

static int run_write(struct call *call, struct store_txn *txn)
{
    struct statement_write *w = call->state;
    struct mutation *m = &w->mutation;
    struct usage usage = { .table = m->table, .name = m->table_name, .write = true, .tally = &call->tally };
    int code = single_write_do(call, txn, m, &usage);
    if (code) return code;
    struct buf *b = &call->response;
    struct slice returned = single_write_returned(call, m);
    BUF_LIT(b, "{\"Items\":[");
    if (returned.n) call_put_item(call, NULL, returned);
    buf_u8(b, ']');
    enum capacity_detail detail = capacity_detail(call->request);
    if (detail != CAPACITY_NONE) {
        BUF_LIT(b, ",\"ConsumedCapacity\":");
        capacity_put(b, &usage, detail);
    }
    buf_u8(b, '}');
    return 0;
}

static const struct op write_op = {
    .name = "ExecuteStatement",
    .kind = OP_WRITE,
    .parse = parse,
    .bind = bind_write,
    .access = access_write,
    .footprint = footprint_write,
    .run = run_write,
};

const struct op op_execute_statement = {
    .name = "ExecuteStatement", .kind = OP_READ, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run
};
