/* ops.c: the operations by name. */
#include "ops.h"

/* All that the API has (api.h), in its order: by name. */
static const struct op *const all[] = {
    &op_batch_execute_statement,
    &op_batch_get_item,
    &op_batch_write_item,
    &op_create_backup,
    &op_create_global_table,
    &op_create_table,
    &op_delete_backup,
    &op_delete_item,
    &op_delete_resource_policy,
    &op_delete_table,
    &op_describe_backup,
    &op_describe_continuous_backups,
    &op_describe_contributor_insights,
    &op_describe_endpoints,
    &op_describe_export,
    &op_describe_global_table,
    &op_describe_global_table_settings,
    &op_describe_import,
    &op_describe_kinesis_streaming_destination,
    &op_describe_limits,
    &op_describe_stream,
    &op_describe_table,
    &op_describe_table_replica_auto_scaling,
    &op_describe_time_to_live,
    &op_disable_kinesis_streaming_destination,
    &op_enable_kinesis_streaming_destination,
    &op_execute_statement,
    &op_execute_transaction,
    &op_export_table_to_point_in_time,
    &op_get_item,
    &op_get_records,
    &op_get_resource_policy,
    &op_get_shard_iterator,
    &op_import_table,
    &op_list_backups,
    &op_list_contributor_insights,
    &op_list_exports,
    &op_list_global_tables,
    &op_list_imports,
    &op_list_streams,
    &op_list_tables,
    &op_list_tags_of_resource,
    &op_put_item,
    &op_put_resource_policy,
    &op_query,
    &op_restore_table_from_backup,
    &op_restore_table_to_point_in_time,
    &op_scan,
    &op_search_vectors,
    &op_tag_resource,
    &op_transact_get_items,
    &op_transact_write_items,
    &op_untag_resource,
    &op_update_continuous_backups,
    &op_update_contributor_insights,
    &op_update_global_table,
    &op_update_global_table_settings,
    &op_update_item,
    &op_update_kinesis_streaming_destination,
    &op_update_table,
    &op_update_table_replica_auto_scaling,
    &op_update_time_to_live,
};

size_t op_count(void)
{
    return sizeof all / sizeof *all;
}

const struct op *op_at(size_t number)
{
    return all[number];
}
