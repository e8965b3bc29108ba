/* create_backup.c: CreateBackup: the table as it is now. The answer comes at once and says CREATING; the items are copied
 * behind it, beside the writes (copy.h). */
#include "../backup.h"
#include "../copy.h"
#include "../recovery.h"
#include "../write.h"

struct create {
    struct slice table_name;
    struct slice record; /* of the table, to be published */
};

static int parse(struct call *call)
{
    struct create *c = ARENA_NEW(call->arena, struct create);
    call->state = c;
    c->table_name = param_table(call->request, SLICE("TableName"));
    return 0;
}

/* The destination: the table's keys under the backup's id, without indexes. */
static struct table *destination(struct arena *a, const struct table *t, uint32_t id)
{
    struct table *dest = ARENA_NEW(a, struct table);
    dest->id = id;
    dest->name = t->name;
    dest->key = t->key;
    return dest;
}

static int begin(struct call *call, struct store_txn *txn, struct table *t, struct backup *b)
{
    struct arena *a = call->arena;
    b->created_ms = call_now_ms(call);
    b->name = param_string(call->request, SLICE("BackupName"));
    b->creating = true;
    /* The definition as it is now, before the copy counts in it. */
    struct table *definition = ARENA_NEW(a, struct table);
    *definition = *t;
    b->table = definition;
    int status = backup_new_id(txn, a, b->created_ms, BACKUP_USER, &b->id);
    if (!status) status = catalog_next_id(txn, &b->items_id);
    if (!status) status = counter_sum(txn, 'C', t->id, &b->count);
    if (!status) status = counter_sum(txn, 'S', t->id, &b->bytes);
    if (!status) status = backup_write(txn, a, b);
    if (status) return status;
    struct copy copy = { .cut = COPY_NOW,
                         .dest = destination(a, t, b->items_id),
                         .purpose = COPY_BACKUP,
                         .data = val_make_string(a, b->id) };
    return copy_begin(txn, a, call->engine, t, &copy);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct create *c = call->state;
    struct backup b = { 0 };
    struct table *t;
    int code = recovery_read_table(call, txn, c->table_name, &t);
    if (code) return code;
    int status = begin(call, txn, t, &b);
    if (!status) status = catalog_write(txn, call->arena, t, &c->record);
    if (status) return call_store_failed(call, status);
    buf_u8(&call->response, '{');
    backup_put_details(&call->response, &call->caller, &b);
    buf_u8(&call->response, '}');
    return 0;
}

static void after(struct call *call)
{
    const struct create *c = call->state;
    catalog_publish(call->engine->catalogs, c->record);
    jobs_wake(call->engine->jobs);
}

const struct op op_create_backup = {
    .name = "CreateBackup", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
