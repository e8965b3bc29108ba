/* ops.h: the operations: one entry per API operation, each with its file in ops/.
 *
 *   parse   what needs no table: members, expressions. On the caller's thread. Where only the request tells whether it
 *           reads or writes (PartiQL), parse sets call->op to a struct op of the other kind.
 *   bind    what needs the table: keys, indexes. Called with call->catalog set; called again, on the
 *           writer's thread, if a table changed before the call was run. Must start afresh each time.
 *   access  after each bind, if it is asked who calls: what the call does to which items (access.h). Of operations on items; the others
 *           have a row in access_rules.c that tells.
 *   footprint  (optional) after each bind, if `serve --conflicts dynamodb` or `--throttle` asks: the items that the call names.
 *           What it fills lies in call->footprint; a batch has to leave out what is refused there (footprint.h).
 *   run     inside one store transaction; writes the answer to call->response. May be run again.
 *   after   (optional) on the thread that committed, after a successful commit: publishing.
 *
 * Each returns 0 or an err_code with call->err filled. A store failure inside run is turned into an
 * error by call_store_failed. */
#ifndef OF_ENGINE_OPS_H
#define OF_ENGINE_OPS_H

#include "access.h"
#include "api/api.h"
#include "api/params.h"
#include "catalog.h"
#include "engine.h"
#include "footprint.h"

enum op_kind { OP_READ, OP_WRITE };

struct op {
    const char *name;
    enum op_kind kind;
    bool at_once; /* a read of several items as they were at one moment */
    int (*parse)(struct call *call); /* this and bind: NULL if there is nothing to do */
    int (*bind)(struct call *call);
    int (*access)(struct call *call);
    void (*footprint)(struct call *call, struct footprint *f);
    int (*run)(struct call *call, struct store_txn *txn);
    void (*after)(struct call *call);
};

extern const struct op
    op_batch_execute_statement,
    op_batch_get_item,
    op_batch_write_item,
    op_create_backup,
    op_create_global_table,
    op_create_table,
    op_delete_backup,
    op_delete_item,
    op_delete_resource_policy,
    op_delete_table,
    op_describe_backup,
    op_describe_continuous_backups,
    op_describe_contributor_insights,
    op_describe_endpoints,
    op_describe_export,
    op_describe_global_table,
    op_describe_global_table_settings,
    op_describe_import,
    op_describe_kinesis_streaming_destination,
    op_describe_limits,
    op_describe_stream,
    op_describe_table,
    op_describe_table_replica_auto_scaling,
    op_describe_time_to_live,
    op_disable_kinesis_streaming_destination,
    op_enable_kinesis_streaming_destination,
    op_execute_statement,
    op_execute_transaction,
    op_export_table_to_point_in_time,
    op_get_item,
    op_get_records,
    op_get_resource_policy,
    op_get_shard_iterator,
    op_import_table,
    op_list_backups,
    op_list_contributor_insights,
    op_list_exports,
    op_list_global_tables,
    op_list_imports,
    op_list_streams,
    op_list_tables,
    op_list_tags_of_resource,
    op_put_item,
    op_put_resource_policy,
    op_query,
    op_restore_table_from_backup,
    op_restore_table_to_point_in_time,
    op_scan,
    op_search_vectors,
    op_tag_resource,
    op_transact_get_items,
    op_transact_write_items,
    op_untag_resource,
    op_update_continuous_backups,
    op_update_contributor_insights,
    op_update_global_table,
    op_update_global_table_settings,
    op_update_item,
    op_update_kinesis_streaming_destination,
    op_update_table,
    op_update_table_replica_auto_scaling,
    op_update_time_to_live;

/* By their numbers in the API (api_number). */
size_t op_count(void);
const struct op *op_at(size_t number);

/* call_prepare for an operation that is not the API's own: it has no request, its state is given. */
int call_prepare_op(struct call *call, struct engine *e, struct arena *a, const struct op *op,
                    void *state);

/* Turns a store status into the answer (InternalServerError, or what fits); returns the err_code. */
int call_store_failed(struct call *call, int store_status);
/* The table, from the call's catalog; ResourceNotFoundException if there is none, or none yet, because it is being
 * restored. name: a table name or an ARN. */
int call_find_table(struct call *call, struct slice name_or_arn, const struct table **out);
/* For operations that change one table's settings: its record as the transaction sees it, or
 * ResourceNotFoundException; the record as changed; and, as the operation's after, its publishing. */
int call_read_table(struct call *call, struct store_txn *txn, struct slice name, struct table **out);
int call_write_table(struct call *call, struct store_txn *txn, const struct table *t);
void call_publish_table(struct call *call);
/* The answer to a name of no table where it is named in full. */
int call_no_table(struct call *call, struct slice name);
/* The bind step of operations that only tell of a table: call->state is the table that TableName names. */
int call_bind_table(struct call *call);
/* An item of the answer: {...} as JSON into call->response, or to call->on_item. p: NULL for all of it. */
void call_put_item(struct call *call, const struct projection *p, struct slice item);
/* Tells the counters of half units read from the partition at a key of the table's items. */
void call_read(struct call *call, const struct table *t, struct slice store_key, uint64_t halves);
int64_t call_now_ms(const struct call *call);

#endif
