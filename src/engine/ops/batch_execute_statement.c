/* batch_execute_statement.c: BatchExecuteStatement: up to 25 PartiQL statements, each on one item, all reads or all writes. What is wrong with
 * one is told in its place, and the others are run. Here they run in one view or one transaction. */
#include "../access_items.h"
#include "../cancellation.h"
#include "../conflicts.h"
#include "../mutations.h"
#include "../record.h"
#include "../request.h"
#include "../single_write.h"
#include "../statement.h"

struct member {
    struct statement statement;
    bool consistent;
    struct err denied; /* code ERR_NONE: it is allowed */
    /* bound */
    struct err err;            /* code ERR_NONE: it can run, or ran well */
    const struct table *table; /* NULL: it came to no table, and its answer names none */
    struct slice key;          /* of a read */
    size_t at;                 /* of those that run: its mutation or read */
};

struct batch {
    struct member *members;
    size_t n;
    bool writes;
    struct mutations ms; /* .usages also of reads */
    struct store_read *reads;
    size_t n_run;
};

/* ---- parsing ---- */

static int refuse_mixture(struct call *call)
{
    return err_set(&call->err, ERR_ValidationException,
                   "Read and write requests together in the same batch is not supported.");
}

static int parse_member(struct call *call, const struct json *obj, struct member *m)
{
    struct statement *s = &m->statement;
    m->consistent = param_bool(obj, SLICE("ConsistentRead"), false);
    int code = statement_parse(call, obj, s);
    if (code && code != ERR_ValidationException) {
        call->err = s->err;
        return code;
    }
    if (!code && s->ql->kind == PARTIQL_EXISTS) {
        err_set(&s->err, ERR_ValidationException, "EXISTS can only be used in ExecuteTransaction write requests.");
        s->ql = NULL;
    }
    return 0;
}

static const struct op write_op;

static int parse(struct call *call)
{
    const struct json *list = JSON_GET(call->request, "Statements");
    struct batch *batch = ARENA_NEW(call->arena, struct batch);
    bool reads = false;
    call->state = batch;
    batch->members = ARENA_ARRAY(call->arena, struct member, list->count);
    for (const struct json *obj = list->first; obj; obj = obj->next) {
        struct member *m = &batch->members[batch->n++];
        int code = parse_member(call, obj, m);
        if (code) return code;
        if (!m->statement.ql) continue;
        if (statement_writes(&m->statement))
            batch->writes = true;
        else
            reads = true;
    }
    if (batch->writes && reads) return refuse_mixture(call);
    if (batch->writes) call->op = &write_op;
    return 0;
}

/* ---- binding ---- */

static int bind_read(struct call *call, struct batch *batch, struct member *m)
{
    struct store_read *read = &batch->reads[batch->n_run];
    int code = statement_key(call, &m->statement, m->table, "BatchExecuteStatement", &m->key);
    *read = (struct store_read){ .space = SPACE_ITEM };
    if (!code) code = key_of_request(call->arena, m->table, m->key, &read->key, &call->err);
    /* Only for the table that usage is of. */
    batch->ms.all[batch->n_run] = (struct mutation){ .table = m->table, .table_name = m->statement.ql->table };
    return code ? code : request_check_key_paths(call, m->table, m->statement.ql->columns, NULL, NULL);
}

static int bind_write(struct call *call, struct batch *batch, struct member *m)
{
    struct mutation *mutation = &batch->ms.all[batch->n_run];
    int code = statement_mutation(call, &m->statement, m->table, STATEMENT_SINGLE, mutation);
    return code ? code : mutation_bind(call, mutation);
}

static struct slice store_key(const struct batch *batch, size_t i)
{
    return batch->writes ? batch->ms.all[i].change.store_key : batch->reads[i].key;
}

static void bind_member(struct call *call, struct batch *batch, struct member *m)
{
    const struct index *ix;
    m->table = NULL;
    m->err = m->denied.code ? m->denied : m->statement.err;
    if (!m->statement.ql || m->denied.code) return;
    int code = statement_bind(call, &m->statement, &m->table, &ix);
    if (!code) code = batch->writes ? bind_write(call, batch, m) : bind_read(call, batch, m);
    m->err = call->err;
    if (code) {
        m->table = NULL;
        call->err.code = ERR_NONE;
        return;
    }
    m->err.code = ERR_NONE;
    m->at = batch->n_run++;
}

static int bind_members(struct call *call)
{
    struct batch *batch = call->state;
    batch->n_run = 0;
    batch->ms = (struct mutations){ .all = ARENA_ARRAY(call->arena, struct mutation, batch->n),
                                    .usages = ARENA_ARRAY(call->arena, struct usage, batch->n) };
    batch->reads = ARENA_ARRAY(call->arena, struct store_read, batch->n);
    for (size_t i = 0; i < batch->n; i++) bind_member(call, batch, &batch->members[i]);
    batch->ms.n = batch->n_run;
    for (size_t i = 0; i < batch->n_run; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!slice_eq(store_key(batch, i), store_key(batch, k))) continue;
            return err_set(&call->err, ERR_ValidationException, "Provided list of item keys contains duplicates");
        }
    }
    return 0;
}

static int bind(struct call *call)
{
    struct batch *batch = call->state;
    for (size_t i = 0; i < batch->n; i++) batch->members[i].denied.code = ERR_NONE;
    return bind_members(call);
}

static int ask(struct call *call, const struct batch *batch, const struct member *m)
{
    const struct statement *s = &m->statement;
    if (!m->table) return access_unfit_statement(call, s);
    enum policy_action action = access_action_of_statement(s);
    if (batch->writes) return access_mutation(call, &batch->ms.all[m->at], action, NULL, false);
    return access_ask(call, &(struct access){ .action = action,
                                              .table_name = s->ql->table,
                                              .table = m->table,
                                              .item = m->key,
                                              .shows = true,
                                              .projection = s->ql->columns,
                                              .full_scan = SLICE("false") });
}

/* A denial is told in its place, like everything else; what is left is bound again without it. Each member is bound by itself: that two
 * have the same key is told of those that are allowed, and else would tell what tables and keys there are. */
static int access(struct call *call)
{
    struct batch *batch = call->state;
    const bool fits = call->bound;
    bool any = false;
    call->bound = true;
    for (size_t i = 0; i < batch->n; i++) {
        struct member *m = &batch->members[i];
        if (!m->statement.ql || !ask(call, batch, m)) continue;
        m->denied = call->err;
        call->err.code = ERR_NONE;
        any = true;
    }
    call->bound = fits || any;
    return any ? bind_members(call) : 0;
}

static void footprint(struct call *call, struct footprint *f)
{
    const struct batch *batch = call->state;
    f->style = FOOTPRINT_BATCH;
    if (batch->writes) {
        mutations_footprint(call, &batch->ms, f);
        return;
    }
    struct footprint_item *items = footprint_room(call, f, batch->n_run);
    for (size_t i = 0; i < batch->n; i++) {
        const struct member *m = &batch->members[i];
        if (m->err.code) continue;
        items[m->at] = (struct footprint_item){ .key = batch->reads[m->at].key, .table = m->table,
                                                .halves = (uint32_t)capacity_read_halves(0, m->consistent) };
    }
}

/* A transaction under way has its item, or there is no capacity for it: told in its place, like everything else. */
static bool is_kept_out(struct call *call, struct member *m)
{
    if (!m->table || !footprint_refused(call, m->at)) return false;
    if (call->footprint->items[m->at].conflict) {
        m->err = (struct err){ .arena = call->arena };
        err_set(&m->err, ERR_TransactionConflictException, CONFLICTS_ONGOING);
    } else {
        m->err = call->footprint->refusal;
        m->err.detail = slice_of(NULL, 0);
    }
    return true;
}

/* ---- answers ---- */

static void put_error(struct buf *b, const struct err *e)
{
    buf_printf(b, "\"Error\":{\"Code\":\"%s\",\"Message\":", cancellation_code(e->code));
    json_put_string(b, e->message);
    buf_slice(b, e->detail);
    buf_u8(b, '}');
}

static bool names_table(const struct member *m)
{
    return m->statement.ql && (m->table || m->err.code == ERR_ResourceNotFoundException);
}

/* One of Responses; item: empty for none. */
static void put_member(struct call *call, const struct batch *batch, size_t i, const struct projection *p, struct slice item)
{
    const struct member *m = &batch->members[i];
    struct buf *b = &call->response;
    if (i) buf_u8(b, ',');
    buf_u8(b, '{');
    if (m->err.code) put_error(b, &m->err);
    if (names_table(m)) {
        buf_printf(b, "%s\"TableName\":", m->err.code ? "," : "");
        json_put_string(b, m->statement.ql->table);
    }
    if (p && item.n) item = projection_apply(p, call->arena, item);
    if (item.n && val_count(item)) {
        BUF_LIT(b, ",\"Item\":");
        call_put_item(call, NULL, item);
    }
    buf_u8(b, '}');
}

static int put_end(struct call *call, const struct batch *batch)
{
    buf_u8(&call->response, ']');
    if (batch->ms.n_usages) mutations_put_capacity(call, &batch->ms, false);
    buf_u8(&call->response, '}');
    return 0;
}

/* ---- running ---- */

static int run_read(struct call *call, struct store_txn *txn)
{
    struct batch *batch = call->state;
    batch->ms.n_usages = 0;
    int status = batch->n_run ? store_get_many(txn, batch->reads, batch->n_run) : STORE_OK;
    if (status) return call_store_failed(call, status);
    BUF_LIT(&call->response, "{\"Responses\":[");
    for (size_t i = 0; i < batch->n; i++) {
        struct member *m = &batch->members[i];
        struct slice item = { NULL, 0 };
        size_t size = 0;
        if (m->table) m->err.code = ERR_NONE; /* a run before this one may have left something */
        if (m->err.code || is_kept_out(call, m)) {
            put_member(call, batch, i, NULL, item);
            continue;
        }
        const struct store_read *read = &batch->reads[m->at];
        if (!read->status && !record_read(read->value, &item, &size)) return call_store_failed(call, STORE_CORRUPT);
        struct usage *u = mutations_usage(call, &batch->ms, &batch->ms.all[m->at]);
        uint64_t halves = capacity_read_halves(size, m->consistent);
        u->write = false;
        u->read = true;
        u->table_halves += halves;
        call_read(call, m->table, read->key, halves);
        put_member(call, batch, i, m->statement.ql->columns, item);
    }
    return put_end(call, batch);
}

/* What a write that failed cost is in the table's sum, though in none of its parts. */
static void charge_failure(struct batch *batch, const struct mutation *m)
{
    size_t bytes = m->kind == MUTATION_PUT ? m->item_size : m->change.old_size;
    for (size_t i = 0; i < batch->ms.n_usages; i++) {
        struct usage *u = &batch->ms.usages[i];
        if (u->table == m->table) u->failed_halves += capacity_write_halves(bytes);
    }
}

static int write_members(struct call *call, struct store_txn *txn, struct batch *batch)
{
    int code = mutations_read(call, txn, &batch->ms, NULL);
    for (size_t i = 0; !code && i < batch->n; i++) {
        struct member *m = &batch->members[i];
        if (!m->table) continue;
        m->err.code = ERR_NONE;
        if (is_kept_out(call, m)) continue;
        if (!mutation_plan(call, &batch->ms.all[m->at])) continue;
        m->err = call->err;
        call->err.code = ERR_NONE;
        call->err.detail = slice_of(NULL, 0);
    }
    for (size_t i = 0; !code && i < batch->n; i++) {
        struct member *m = &batch->members[i];
        if (m->err.code) continue;
        code = mutation_apply(call, txn, &batch->ms.all[m->at], mutations_usage(call, &batch->ms, &batch->ms.all[m->at]));
    }
    for (size_t i = 0; !code && i < batch->n; i++) {
        struct member *m = &batch->members[i];
        if (m->table && m->err.code && !footprint_refused(call, m->at)) charge_failure(batch, &batch->ms.all[m->at]);
    }
    return code;
}

static int run_write(struct call *call, struct store_txn *txn)
{
    struct batch *batch = call->state;
    batch->ms.n_usages = 0;
    int code = write_members(call, txn, batch);
    if (code) return code;
    BUF_LIT(&call->response, "{\"Responses\":[");
    for (size_t i = 0; i < batch->n; i++) {
        const struct member *m = &batch->members[i];
        struct slice item = { NULL, 0 };
        if (!m->err.code) item = single_write_returned(call, &batch->ms.all[m->at]);
        put_member(call, batch, i, NULL, item);
    }
    return put_end(call, batch);
}

static const struct op write_op = {
    .name = "BatchExecuteStatement", .kind = OP_WRITE, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run_write
};

const struct op op_batch_execute_statement = {
    .name = "BatchExecuteStatement", .kind = OP_READ, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run_read
};
