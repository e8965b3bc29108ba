/* policy_action.h: the actions that policies speak of: the API's operations, those that IAM has besides, and of S3 what imports and exports do. */
#ifndef OF_AUTH_POLICY_ACTION_H
#define OF_AUTH_POLICY_ACTION_H

#include "../base/slice.h"

/* In the order of names. */
#define POLICY_ACTIONS(X)                                                                                          \
    X(BatchGetItem) X(BatchWriteItem) X(ConditionCheckItem) X(CreateBackup) X(CreateGlobalTable) X(CreateTable)    \
    X(DeleteBackup) X(DeleteItem) X(DeleteResourcePolicy) X(DeleteTable) X(DescribeBackup)                         \
    X(DescribeContinuousBackups) X(DescribeContributorInsights) X(DescribeEndpoints) X(DescribeExport)             \
    X(DescribeGlobalTable) X(DescribeGlobalTableSettings) X(DescribeImport)                                        \
    X(DescribeKinesisStreamingDestination) X(DescribeLimits) X(DescribeStream) X(DescribeTable)                    \
    X(DescribeTableReplicaAutoScaling) X(DescribeTimeToLive) X(DisableKinesisStreamingDestination)                 \
    X(EnableKinesisStreamingDestination) X(ExportTableToPointInTime) X(GetItem) X(GetRecords)                      \
    X(GetResourcePolicy) X(GetShardIterator) X(ImportTable) X(ListBackups) X(ListContributorInsights)              \
    X(ListExports) X(ListGlobalTables) X(ListImports) X(ListStreams) X(ListTables) X(ListTagsOfResource)           \
    X(PartiQLDelete) X(PartiQLInsert) X(PartiQLSelect) X(PartiQLUpdate) X(PutItem) X(PutResourcePolicy) X(Query)   \
    X(RestoreTableFromBackup) X(RestoreTableToPointInTime) X(Scan) X(SearchVectors) X(TagResource)                 \
    X(UntagResource) X(UpdateContinuousBackups) X(UpdateContributorInsights) X(UpdateGlobalTable)                  \
    X(UpdateGlobalTableSettings) X(UpdateItem) X(UpdateKinesisStreamingDestination) X(UpdateTable)                 \
    X(UpdateTableReplicaAutoScaling) X(UpdateTimeToLive)
#define POLICY_ACTIONS_OF_S3(X) X(GetObject) X(PutObject)

enum policy_action {
#define X(name) ACTION_##name,
    POLICY_ACTIONS(X)
#undef X
#define X(name) ACTION_S3_##name,
    POLICY_ACTIONS_OF_S3(X)
#undef X
    ACTION_COUNT
};

/* "dynamodb:GetItem", "s3:GetObject". */
struct slice policy_action_name(enum policy_action action);
/* The action that an operation of that name is; ACTION_COUNT: none, or several (BatchExecuteStatement). */
enum policy_action policy_action_of(struct slice operation);
/* Does a pattern of names cover an action of DynamoDB that nothing here is? */
bool policy_covers_other_action(struct slice pattern);

#endif
