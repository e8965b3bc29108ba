/* restore.c: creating a table from another one's past; see restore.h. */
#include "restore.h"
#include "backup.h"
#include "copy.h"
#include "own_names.h"

/* Units and limits, without what happened to them. */
static struct throughput units_of(const struct throughput *from)
{
    return (struct throughput){ .read = from->read, .write = from->write, .max_read = from->max_read,
                                .max_write = from->max_write };
}

/* A table that has what DynamoDB restores: keys, indexes, billing, throughput, encryption. Tags, streams, time to live, table
 * class, deletion protection and point-in-time recovery are not. */
static struct table *new_table(struct arena *a, const struct restore *r, struct slice name)
{
    const struct table *from = r->definition;
    struct table *t = ARENA_NEW(a, struct table);
    t->name = name;
    t->key = from->key;
    t->attrs = ARENA_ARRAY(a, struct key_attr, from->n_attrs + 1);
    t->n_attrs = from->n_attrs;
    if (t->n_attrs) memcpy(t->attrs, from->attrs, t->n_attrs * sizeof *t->attrs);
    t->billing = from->billing;
    t->throughput = units_of(&from->throughput);
    t->sse = from->sse;
    t->sse_type = from->sse_type;
    t->sse_key = from->sse_key;
    t->indexes = ARENA_ARRAY(a, struct index, from->n_indexes + 1);
    for (size_t i = 0; i < from->n_indexes; i++) {
        const struct index *ix = &from->indexes[i];
        /* Not backfilling: the copy puts the entries with the items. */
        t->indexes[i] = (struct index){ .kind = ix->kind,
                                        .status = INDEX_CREATING,
                                        .name = ix->name,
                                        .key = ix->key,
                                        .projection = ix->projection,
                                        .include = ix->include,
                                        .n_include = ix->n_include,
                                        .throughput = units_of(&ix->throughput) };
    }
    t->n_indexes = from->n_indexes;
    t->status = TABLE_CREATING;
    t->restore_table = from->name;
    t->restore_backup = r->backup;
    t->restore_ms = r->moment_ms;
    if (slice_starts(name, SLICE(WORKING_COPY))) {
        t->copy_of = from->copy_of.n ? from->copy_of : from->name;
        t->copy_of_id = from->copy_of.n ? from->copy_of_id : from->id;
    }
    return t;
}

static int refuse_target(struct call *call, const struct table *there)
{
    if (!table_restoring(there)) {
        return err_set(&call->err, ERR_TableAlreadyExistsException, "Table already exists: %.*s",
                       SLICE_ARG(there->name));
    }
    struct buf from;
    buf_init(&from, call->arena, 2048);
    if (there->restore_backup.n) {
        BUF_LIT(&from, " from backup: ");
        backup_put_arn(&from, &call->caller, there->restore_table, there->restore_backup);
    }
    return err_set(&call->err, ERR_TableInUseException, "Table: %.*s is already being restored%.*s",
                   SLICE_ARG(there->name), SLICE_ARG(buf_view(&from)));
}

static int check_target(struct call *call, struct store_txn *txn, struct slice name)
{
    int status;
    size_t under_way;
    const struct table *there = catalog_read(txn, call->arena, name, &status);
    if (there) return refuse_target(call, there);
    if (status != STORE_NOT_FOUND) return call_store_failed(call, status);
    status = copy_count(txn, 0, COPY_RESTORE, &under_way);
    if (status) return call_store_failed(call, status);
    if (under_way < RESTORE_MAX_AT_ONCE) return 0;
    return err_set(&call->err, ERR_LimitExceededException,
                   "Subscriber limit exceeded: Only %d restore operations can be done simultaneously",
                   RESTORE_MAX_AT_ONCE);
}

static int create(struct call *call, struct store_txn *txn, struct restore *r, struct table *t)
{
    struct copy copy = { .source = r->source, .cut = r->cut, .dest = t, .purpose = COPY_RESTORE,
                         .data = val_make_string(call->arena, t->name) };
    int status = catalog_give_ids(txn, t);
    if (status) return status;
    t->uuid = table_new_uuid(call->arena);
    t->created_ms = call_now_ms(call);
    table_derive(t, call->arena);
    BUF_LIT(&call->response, "{\"TableDescription\":");
    status = table_describe(&call->response, txn, &call->caller, t);
    buf_u8(&call->response, '}');
    if (!status) status = copy_begin(txn, call->arena, call->engine, r->live, &copy);
    if (!status) status = catalog_write(txn, call->arena, t, &r->record);
    if (!status && r->live) status = catalog_write(txn, call->arena, r->live, &r->live_record);
    return status;
}

int restore_run(struct call *call, struct store_txn *txn, struct restore *r)
{
    struct slice name = param_string(call->request, SLICE("TargetTableName"));
    struct table *t = new_table(call->arena, r, name);
    int code = restore_override(call, t);
    if (!code) code = check_target(call, txn, name);
    if (code) return code;
    int status = create(call, txn, r, t);
    return status ? call_store_failed(call, status) : 0;
}

void restore_publish(struct call *call, const struct restore *r)
{
    if (r->live) catalog_publish(call->engine->catalogs, r->live_record);
    catalog_publish(call->engine->catalogs, r->record);
    jobs_wake(call->engine->jobs);
}

int restore_copied(struct store_txn *txn, struct step *step, const struct copy *c)
{
    int status;
    struct table *t = catalog_read(txn, &step->arena, val_content(c->data), &status);
    if (!t) return status;
    if (t->id != c->dest->id) return STORE_CORRUPT;
    t->status = TABLE_ACTIVE;
    for (size_t i = 0; i < t->n_indexes; i++)
        t->indexes[i].status = INDEX_ACTIVE;
    t->restore_table = t->restore_backup = slice_of(NULL, 0);
    t->restore_ms = 0;
    if (t->billing == BILLING_PAY_PER_REQUEST) t->billing_changed_ms = t->created_ms;
    return catalog_write(txn, &step->arena, t, &step->record);
}

int restore_given_up(struct store_txn *txn, struct step *step, const struct copy *c)
{
    int status;
    struct table *t = catalog_read(txn, &step->arena, val_content(c->data), &status);
    if (!t) return status;
    if (t->id != c->dest->id) return STORE_CORRUPT;
    step->removed = t->name;
    return catalog_drop_table(txn, t, false);
}
