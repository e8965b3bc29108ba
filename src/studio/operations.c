/* operations.c: the table of calls. docs/studio-api.md has a section for each. */
#include "operations.h"

/* One per line, by name: several people add to it. */
const struct studio_operation studio_operations[] = {
    { "AdvisePartition", advise_partition, MODEL_MEMBERS "Index Key" },
    { "ApplyModel", apply_model, MODEL_MEMBERS "DryRun" },
    { "BrowseModel", browse_model, MODEL_MEMBERS "Partition Index Beside After Limit" },
    { "ComputeKeys", compute_keys, MODEL_MEMBERS "Entity Attributes" },
    { "CostModel", cost_model, MODEL_MEMBERS "Provisioned AgainstTables Scales" },
    { "DeleteEntity", delete_entity, MODEL_MEMBERS "Entity Key Expected Typed" },
    { "DescribeModel", describe_model, MODEL_MEMBERS },
    { "DescribeStudio", describe_studio, "" },
    { "EditModel", edit_model, MODEL_MEMBERS "Edits" },
    { "ExplainPattern", explain_pattern, MODEL_MEMBERS "Pattern" },
    { "ExportModel", export_model, MODEL_MEMBERS "Format" },
    { "IdentifyItems", identify_items, MODEL_MEMBERS "Items" },
    { "ListPartitions", list_partitions, "TableName IndexName After Limit" },
    { "LoadSample", load_sample, MODEL_MEMBERS },
    { "ModelSchema", give_model_schema, "" },
    { "PutEntity", put_entity, MODEL_MEMBERS "Entity Attributes IfAbsent Expected Typed" },
    { "QueryModel", query_model, MODEL_MEMBERS "Entity Where Index Raw Descending Filter Limit After DryRun" },
    { "ReadModel", read_model, "Name Pattern File Table" },
    { "RunPattern", run_pattern, MODEL_MEMBERS "Pattern Inputs Filter Limit After DryRun" },
    { "SaveModel", save_model, "Name Text Version Files Versions" },
    { "ScanModel", scan_model, MODEL_MEMBERS "Entity Raw Filter Limit Read After DryRun" },
    { "SizeItem", size_item, "Item" },
    { "UpdateEntity", update_entity, MODEL_MEMBERS "Entity Key Set Remove Expected Typed" },
    { "Watch", watch, "After" },
    { "WriteCode", write_code, MODEL_MEMBERS "Pattern Inputs Language Endpoint" },
    { NULL, NULL, NULL },
};
