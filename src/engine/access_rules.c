/* access_rules.c: what each operation needs to be allowed: which resource, and whether it touches all items. Resources as in AWS's
 * "Actions, resources, and condition keys for Amazon DynamoDB".
 *
 * A new operation needs a row (tests/unit/test_access.c looks for it); until it has one it is denied to everyone who has an identity. */
#include "access.h"

/* In the order of the operations' numbers: by name. */
static const struct access_rule rules[] = {
    { "BatchExecuteStatement", OF_ITEMS, NULL, NULL, false, NULL },
    { "BatchGetItem", OF_ITEMS, NULL, NULL, false, NULL },
    { "BatchWriteItem", OF_ITEMS, NULL, NULL, false, NULL },
    { "CreateBackup", OF_TABLE, "TableName", NULL, true, NULL },
    { "CreateGlobalTable", OF_EVERYTHING, NULL, NULL, true, NULL },
    { "CreateTable", OF_TABLE, "TableName", NULL, true, NULL },
    { "DeleteBackup", OF_ARN, "BackupArn", NULL, true, NULL },
    { "DeleteItem", OF_ITEMS, NULL, NULL, false, NULL },
    { "DeleteResourcePolicy", OF_ARN, "ResourceArn", NULL, true, NULL },
    { "DeleteTable", OF_TABLE, "TableName", NULL, true, NULL },
    { "DescribeBackup", OF_ARN, "BackupArn", NULL, false, NULL },
    { "DescribeContinuousBackups", OF_TABLE, "TableName", NULL, false, NULL },
    { "DescribeContributorInsights", OF_TABLE, "TableName", NULL, false, NULL },
    { "DescribeEndpoints", OF_EVERYTHING, NULL, NULL, false, NULL },
    { "DescribeExport", OF_ARN, "ExportArn", NULL, false, NULL },
    { "DescribeGlobalTable", OF_EVERYTHING, NULL, NULL, false, NULL },
    { "DescribeGlobalTableSettings", OF_EVERYTHING, NULL, NULL, false, NULL },
    { "DescribeImport", OF_ARN, "ImportArn", NULL, false, NULL },
    { "DescribeKinesisStreamingDestination", OF_TABLE, "TableName", NULL, false, NULL },
    { "DescribeLimits", OF_EVERYTHING, NULL, NULL, false, NULL },
    { "DescribeStream", OF_ARN, "StreamArn", NULL, false, NULL },
    { "DescribeTable", OF_TABLE, "TableName", NULL, false, NULL },
    { "DescribeTableReplicaAutoScaling", OF_TABLE, "TableName", NULL, false, NULL },
    { "DescribeTimeToLive", OF_TABLE, "TableName", NULL, false, NULL },
    { "DisableKinesisStreamingDestination", OF_TABLE, "TableName", NULL, true, NULL },
    { "EnableKinesisStreamingDestination", OF_TABLE, "TableName", NULL, true, NULL },
    { "ExecuteStatement", OF_ITEMS, NULL, NULL, false, NULL },
    { "ExecuteTransaction", OF_ITEMS, NULL, NULL, false, NULL },
    { "ExportTableToPointInTime", OF_ARN, "TableArn", NULL, true, NULL },
    { "GetItem", OF_ITEMS, NULL, NULL, false, NULL },
    { "GetRecords", OF_ITEMS, NULL, NULL, true, NULL },
    { "GetResourcePolicy", OF_ARN, "ResourceArn", NULL, false, NULL },
    { "GetShardIterator", OF_ARN, "StreamArn", NULL, true, NULL },
    { "ImportTable", OF_TABLE, "TableCreationParameters/TableName", NULL, true, NULL },
    { "ListBackups", OF_NAME, "TableName", "/backup/*", false, NULL },
    { "ListContributorInsights", OF_TABLE, "TableName", NULL, false, NULL },
    { "ListExports", OF_NAME, "TableArn", NULL, false, NULL },
    { "ListGlobalTables", OF_EVERYTHING, NULL, NULL, false, NULL },
    { "ListImports", OF_NAME, "TableArn", NULL, false, NULL },
    { "ListStreams", OF_NAME, "TableName", "/stream/*", false, NULL },
    { "ListTables", OF_TABLE, NULL, NULL, false, NULL },
    { "ListTagsOfResource", OF_ARN, "ResourceArn", NULL, false, NULL },
    { "PutItem", OF_ITEMS, NULL, NULL, false, NULL },
    { "PutResourcePolicy", OF_ARN, "ResourceArn", NULL, true, NULL },
    { "Query", OF_ITEMS, NULL, NULL, false, NULL },
    { "RestoreTableFromBackup", OF_ARN, "BackupArn", NULL, true, "TargetTableName" },
    { "RestoreTableToPointInTime", OF_TABLE, "SourceTableName|SourceTableArn", NULL, true, "TargetTableName" },
    { "Scan", OF_ITEMS, NULL, NULL, true, NULL },
    { "SearchVectors", OF_TABLE, "TableName", NULL, true, NULL },
    { "TagResource", OF_ARN, "ResourceArn", NULL, true, NULL },
    { "TransactGetItems", OF_ITEMS, NULL, NULL, false, NULL },
    { "TransactWriteItems", OF_ITEMS, NULL, NULL, false, NULL },
    { "UntagResource", OF_ARN, "ResourceArn", NULL, true, NULL },
    { "UpdateContinuousBackups", OF_TABLE, "TableName", NULL, true, NULL },
    { "UpdateContributorInsights", OF_TABLE, "TableName", NULL, true, NULL },
    { "UpdateGlobalTable", OF_EVERYTHING, NULL, NULL, true, NULL },
    { "UpdateGlobalTableSettings", OF_EVERYTHING, NULL, NULL, true, NULL },
    { "UpdateItem", OF_ITEMS, NULL, NULL, false, NULL },
    { "UpdateKinesisStreamingDestination", OF_TABLE, "TableName", NULL, true, NULL },
    { "UpdateTable", OF_TABLE, "TableName", NULL, true, NULL },
    { "UpdateTableReplicaAutoScaling", OF_TABLE, "TableName", NULL, true, NULL },
    { "UpdateTimeToLive", OF_TABLE, "TableName", NULL, true, NULL },
};

const struct access_rule *access_rule(size_t number, const char *operation)
{
    bool there = number < sizeof rules / sizeof *rules && !strcmp(rules[number].operation, operation);
    return there ? &rules[number] : NULL;
}
