/* execute_transaction.c: ExecuteTransaction: up to 100 PartiQL statements, all or none: a TransactGetItems of SELECTs, or a
 * TransactWriteItems of the others, where EXISTS is a check. */
#include "../access_items.h"
#include "../cancellation.h"
#include "../gets.h"
#include "../statement.h"
#include "../transaction.h"

struct execution {
    struct statement *statements;
    size_t n;
    struct gets gets;               /* reads */
    struct transaction transaction; /* writes */
};

/* What is wrong with a statement by itself is told with its number. */
static int refuse_statement(struct call *call, size_t i, const struct err *e)
{
    struct slice message = e->message;
    if (e->code != ERR_ValidationException) {
        call->err = *e;
        return (int)e->code;
    }
    return err_set(&call->err, ERR_ValidationException, "Validation failed in TransactStatements[%zu]: %.*s", i, SLICE_ARG(message));
}

static const struct op write_op;

static int parse(struct call *call)
{
    const struct json *list = JSON_GET(call->request, "TransactStatements");
    struct execution *x = ARENA_NEW(call->arena, struct execution);
    bool reads = false, writes = false;
    call->state = x;
    x->statements = ARENA_ARRAY(call->arena, struct statement, list->count);
    transaction_begin(call, list, &x->transaction);
    for (const struct json *obj = list->first; obj; obj = obj->next) {
        struct statement *s = &x->statements[x->n];
        int code = statement_parse(call, obj, s);
        if (code && s->bad_parameter) {
            call->err = s->err;
            return code;
        }
        if (code) return refuse_statement(call, x->n, &s->err);
        x->n++;
        if (statement_writes(s))
            writes = true;
        else
            reads = true;
    }
    if (reads && writes) {
        return err_set(&call->err, ERR_ValidationException,
                       "ExecuteTransaction API does not support both read and write operations in the same request.");
    }
    if (writes) call->op = &write_op;
    return 0;
}

/* Finds the statement's table: 0 with NULL if it is not there, which cancels the transaction. */
static int find_table(struct call *call, struct execution *x, size_t i, const struct table **table)
{
    const struct index *ix;
    int code = statement_bind(call, &x->statements[i], table, &ix);
    if (!code) return 0;
    *table = NULL;
    if (code != ERR_ResourceNotFoundException) return refuse_statement(call, i, &call->err);
    return 0;
}

static int check_statement(struct call *call, const struct statement *s)
{
    const char *text = NULL;
    if (s->ql->returning != PARTIQL_RETURNING_NONE) text = "RETURNING clause is not supported in ExecuteTransaction.";
    if (s->ql->kind == PARTIQL_SELECT && s->ql->index.p) text = "Reads on indices are not supported within transactions.";
    if (s->ql->kind == PARTIQL_EXISTS && s->ql->index.p) text = "Operations on indices are not supported in transactions";
    return text ? err_set(&call->err, ERR_ValidationException, "%s", text) : 0;
}

/* ---- reads ---- */

static int bind_get(struct call *call, struct execution *x, size_t i)
{
    const struct partiql *ql = x->statements[i].ql;
    struct get *g = &x->gets.all[i];
    *g = (struct get){ .table_name = ql->table, .projection = ql->columns };
    int code = find_table(call, x, i, &g->table);
    if (code || !g->table) {
        call->err.code = code ? call->err.code : ERR_NONE;
        return code;
    }
    code = check_statement(call, &x->statements[i]);
    if (!code) code = statement_key(call, &x->statements[i], g->table, "ExecuteTransaction", &g->key);
    if (!code) code = request_check_key_paths(call, g->table, g->projection, NULL, NULL);
    return code ? refuse_statement(call, i, &call->err) : 0;
}

static int bind(struct call *call)
{
    struct execution *x = call->state;
    x->gets = (struct gets){ .all = ARENA_ARRAY(call->arena, struct get, x->n), .n = x->n };
    int code = 0;
    for (size_t i = 0; !code && i < x->n; i++) code = bind_get(call, x, i);
    if (!code) code = gets_bind_keys(call, &x->gets);
    return code ? code : gets_check_duplicates(call, &x->gets);
}

static int access_unfit(struct call *call, const struct execution *x)
{
    int code = 0;
    for (size_t i = 0; !code && i < x->n; i++) code = access_unfit_statement(call, &x->statements[i]);
    return code;
}

static int access(struct call *call)
{
    const struct execution *x = call->state;
    int code = 0;
    if (!call->bound) return access_unfit(call, x);
    for (size_t i = 0; !code && i < x->n; i++)
        code = access_get(call, &x->gets.all[i], ACTION_PartiQLSelect, "ExecuteTransaction");
    return code;
}

static void footprint(struct call *call, struct footprint *f)
{
    struct execution *x = call->state;
    gets_footprint(call, &x->gets, f);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct execution *x = call->state;
    return gets_run(call, txn, &x->gets);
}

/* ---- writes ---- */

static int bind_mutation(struct call *call, struct execution *x, size_t i)
{
    struct transaction *t = &x->transaction;
    struct mutation *m = &t->ms.all[i];
    const struct statement *s = &x->statements[i];
    const struct table *table;
    *m = (struct mutation){ .table_name = s->ql->table };
    int code = find_table(call, x, i, &table);
    if (code) return code;
    if (!table) {
        transaction_unfit(call, t, i);
        return 0;
    }
    code = check_statement(call, s);
    if (code) return refuse_statement(call, i, &call->err);
    code = statement_mutation(call, s, table, STATEMENT_IN_TRANSACTION, m);
    /* A WHERE that fixes no item cancels; an EXISTS that does not, or an item too large, was no statement to begin with. */
    if (code && (s->ql->kind == PARTIQL_EXISTS || s->ql->kind == PARTIQL_INSERT)) return refuse_statement(call, i, &call->err);
    if (!code) code = mutation_bind(call, m);
    if (!code) return 0;
    if (code != ERR_ValidationException || cancellation_is_outright(&call->err)) return code;
    transaction_unfit(call, t, i);
    return 0;
}

static int bind_write(struct call *call)
{
    struct execution *x = call->state;
    x->transaction.unfit = NULL;
    x->transaction.ms.n = x->n;
    for (size_t i = 0; i < x->n; i++) {
        int code = bind_mutation(call, x, i);
        if (code) return code;
    }
    return transaction_check(call, &x->transaction);
}

static int access_write(struct call *call)
{
    const struct execution *x = call->state;
    const struct transaction *t = &x->transaction;
    int code = 0;
    if (!call->bound) return access_unfit(call, x);
    for (size_t i = 0; !code && i < x->n; i++) {
        code = access_mutation(call, &t->ms.all[i], access_action_of_statement(&x->statements[i]), "ExecuteTransaction",
                               t->unfit && t->unfit[i].code);
    }
    return code;
}

static void footprint_write(struct call *call, struct footprint *f)
{
    struct execution *x = call->state;
    transaction_footprint(call, &x->transaction, f);
}

static int run_write(struct call *call, struct store_txn *txn)
{
    struct execution *x = call->state;
    int code = transaction_run(call, txn, &x->transaction);
    if (code) return code;
    BUF_LIT(&call->response, "{\"Responses\":[]");
    mutations_put_capacity(call, &x->transaction.ms, false);
    buf_u8(&call->response, '}');
    return 0;
}

static void after(struct call *call)
{
    struct execution *x = call->state;
    transaction_after(call, &x->transaction);
}

static const struct op write_op = {
    .name = "ExecuteTransaction",
    .kind = OP_WRITE,
    .parse = parse,
    .bind = bind_write,
    .access = access_write,
    .footprint = footprint_write,
    .run = run_write,
    .after = after,
};

const struct op op_execute_transaction = {
    .name = "ExecuteTransaction", .kind = OP_READ, .at_once = true, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run
};
