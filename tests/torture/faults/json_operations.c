/* json_operations.c: requests of the API, on the world of world.c. */
#include "operations.h"
#include <stddef.h>

#define A1   "'p':{'S':'a'},'s':{'S':'1'}"
#define NEW  "'p':{'S':'new'},'s':{'S':'1'},'g':{'S':'g1'},'n':{'N':'3'},'text':{'S':'fresh'}"
#define KEYS "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}],'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}"

const struct operation json_operations[] = {
    /* tables */
    { "create-table", "CreateTable", "{'TableName':'new','BillingMode':'PAY_PER_REQUEST'," KEYS "]}" },
    { "create-table-rich", "CreateTable",
      "{'TableName':'new','ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':5}," KEYS ",{'AttributeName':'g','AttributeType':'S'}],"
      "'GlobalSecondaryIndexes':[{'IndexName':'byG','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],'Projection':{'ProjectionType':'INCLUDE',"
      "'NonKeyAttributes':['x','y']},'ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}}],"
      "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'KEYS_ONLY'},'Tags':[{'Key':'k','Value':'v'}]}" },
    { "create-table-that-is-there", "CreateTable", "{'TableName':'one','BillingMode':'PAY_PER_REQUEST'," KEYS "]}" },
    { "create-table-wrong", "CreateTable", "{'TableName':'new','BillingMode':'SOMETIMES'," KEYS "]}" },
    { "delete-table", "DeleteTable", "{'TableName':'one'}" },
    { "delete-empty-table", "DeleteTable", "{'TableName':'empty'}" },
    { "describe-table", "DescribeTable", "{'TableName':'one'}" },
    { "list-tables", "ListTables", "{'Limit':2}" },
    { "update-table-add-index", "UpdateTable",
      "{'TableName':'one','AttributeDefinitions':[{'AttributeName':'text','AttributeType':'S'}],'GlobalSecondaryIndexUpdates':[{'Create':{"
      "'IndexName':'byText','KeySchema':[{'AttributeName':'text','KeyType':'HASH'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}}]}" },
    { "update-table-drop-index", "UpdateTable", "{'TableName':'one','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'byG'}}]}" },
    { "update-table-throughput", "UpdateTable",
      "{'TableName':'empty','BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':7,'WriteCapacityUnits':8}}" },
    { "update-table-stream", "UpdateTable", "{'TableName':'one','StreamSpecification':{'StreamEnabled':false}}" },
    { "update-table-protect", "UpdateTable", "{'TableName':'one','DeletionProtectionEnabled':true}" },
    { "update-time-to-live", "UpdateTimeToLive", "{'TableName':'empty','TimeToLiveSpecification':{'Enabled':true,'AttributeName':'x'}}" },
    { "describe-time-to-live", "DescribeTimeToLive", "{'TableName':'one'}" },
    { "tag-resource", "TagResource", "{'ResourceArn':'$arn','Tags':[{'Key':'a','Value':'b'},{'Key':'team','Value':'two'}]}" },
    { "untag-resource", "UntagResource", "{'ResourceArn':'$arn','TagKeys':['team']}" },
    { "list-tags", "ListTagsOfResource", "{'ResourceArn':'$arn'}" },
    { "put-resource-policy", "PutResourcePolicy",
      "{'ResourceArn':'$arn','Policy':'{\\'Version\\':\\'2012-10-17\\',\\'Statement\\':[{\\'Effect\\':\\'Deny\\',\\'Principal\\':{\\'AWS\\':\\'000000000000\\'},"
      "\\'Action\\':\\'dynamodb:*\\',\\'Resource\\':\\'$arn\\'}]}'}" },
    { "get-resource-policy", "GetResourcePolicy", "{'ResourceArn':'$arn'}" },
    { "delete-resource-policy", "DeleteResourcePolicy", "{'ResourceArn':'$arn'}" },
    { "update-contributor-insights", "UpdateContributorInsights", "{'TableName':'one','ContributorInsightsAction':'ENABLE'}" },
    { "describe-contributor-insights", "DescribeContributorInsights", "{'TableName':'one'}" },
    { "list-contributor-insights", "ListContributorInsights", "{}" },
    { "describe-limits", "DescribeLimits", "{}" },
    { "describe-endpoints", "DescribeEndpoints", "{}" },
    { "no-such-operation", "Nonsense", "{}" },
    /* backups */
    { "update-continuous-backups", "UpdateContinuousBackups",
      "{'TableName':'one','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':false}}" },
    { "describe-continuous-backups", "DescribeContinuousBackups", "{'TableName':'one'}" },
    { "create-backup", "CreateBackup", "{'TableName':'one','BackupName':'second'}" },
    { "describe-backup", "DescribeBackup", "{'BackupArn':'$backup'}" },
    { "list-backups", "ListBackups", "{'TableName':'one'}" },
    { "delete-backup", "DeleteBackup", "{'BackupArn':'$backup'}" },
    { "restore-from-backup", "RestoreTableFromBackup", "{'BackupArn':'$backup','TargetTableName':'new'}" },
    { "restore-to-point-in-time", "RestoreTableToPointInTime",
      "{'SourceTableName':'one','TargetTableName':'new','UseLatestRestorableTime':true}" },
    { "list-exports", "ListExports", "{}" },
    { "list-imports", "ListImports", "{}" },
    /* single items */
    { "put-item", "PutItem", "{'TableName':'one','Item':{" NEW "}}" },
    { "put-item-in-place", "PutItem", "{'TableName':'one','Item':{" A1 ",'g':{'S':'g9'},'n':{'N':'12'}},'ReturnValues':'ALL_OLD'}" },
    { "put-item-long", "PutItem", "{'TableName':'one','Item':{'p':{'S':'long'},'s':{'S':'1'},'text':{'S':'$long'}}}" },
    { "put-item-if", "PutItem",
      "{'TableName':'one','Item':{" NEW "},'ConditionExpression':'attribute_not_exists(p) and not contains(#t, :v)',"
      "'ExpressionAttributeNames':{'#t':'text'},'ExpressionAttributeValues':{':v':{'S':'x'}},'ReturnConsumedCapacity':'INDEXES'}" },
    { "put-item-if-not", "PutItem",
      "{'TableName':'one','Item':{" A1 "},'ConditionExpression':'attribute_not_exists(p)','ReturnValuesOnConditionCheckFailure':'ALL_OLD'}" },
    { "put-item-expected", "PutItem", "{'TableName':'one','Item':{" A1 "},'Expected':{'n':{'ComparisonOperator':'EQ','AttributeValueList':[{'N':'1'}]}}}" },
    { "put-item-wrong", "PutItem", "{'TableName':'one','Item':{'p':{'N':'1'},'s':{'S':'1'}}}" },
    { "get-item", "GetItem", "{'TableName':'one','Key':{" A1 "}}" },
    { "get-item-projected", "GetItem",
      "{'TableName':'one','Key':{'p':{'S':'a'},'s':{'S':'3'}},'ProjectionExpression':'#l[1].k, g','ExpressionAttributeNames':{'#l':'list'}}" },
    { "get-item-of-no-table", "GetItem", "{'TableName':'none','Key':{" A1 "}}" },
    { "update-item", "UpdateItem",
      "{'TableName':'one','Key':{" A1 "},'UpdateExpression':'SET g = :g, m = if_not_exists(m, :e) ADD n :one REMOVE #t','ReturnValues':'ALL_NEW',"
      "'ExpressionAttributeNames':{'#t':'text'},'ExpressionAttributeValues':{':g':{'S':'g3'},':one':{'N':'1'},':e':{'L':[]}}}" },
    { "update-item-new", "UpdateItem",
      "{'TableName':'one','Key':{'p':{'S':'new'},'s':{'S':'2'}},'UpdateExpression':'SET g = :g','ExpressionAttributeValues':{':g':{'S':'g3'}}}" },
    { "update-item-sets", "UpdateItem",
      "{'TableName':'one','Key':{'p':{'S':'a'},'s':{'S':'2'}},'UpdateExpression':'ADD #s :more DELETE gone :more','ReturnValues':'UPDATED_OLD',"
      "'ExpressionAttributeNames':{'#s':'set'},'ExpressionAttributeValues':{':more':{'SS':['z']}}}" },
    { "update-item-if-not", "UpdateItem",
      "{'TableName':'one','Key':{" A1 "},'UpdateExpression':'SET g = :g','ConditionExpression':'size(g) > :n',"
      "'ExpressionAttributeValues':{':g':{'S':'g3'},':n':{'N':'100'}}}" },
    { "update-item-legacy", "UpdateItem", "{'TableName':'one','Key':{" A1 "},'AttributeUpdates':{'n':{'Action':'ADD','Value':{'N':'1'}}}}" },
    { "delete-item", "DeleteItem", "{'TableName':'one','Key':{" A1 "},'ReturnValues':'ALL_OLD'}" },
    { "delete-item-that-is-not-there", "DeleteItem", "{'TableName':'one','Key':{'p':{'S':'none'},'s':{'S':'1'}}}" },
    { "delete-item-if-not", "DeleteItem", "{'TableName':'one','Key':{" A1 "},'ConditionExpression':'attribute_not_exists(p)'}" },
    /* many */
    { "batch-get", "BatchGetItem", "{'RequestItems':{'one':{'Keys':[{" A1 "},{'p':{'S':'b'},'s':{'S':'1'}}]},'empty':{'Keys':[{'p':{'S':'x'}}]}}}" },
    { "batch-write", "BatchWriteItem",
      "{'RequestItems':{'one':[{'PutRequest':{'Item':{" NEW "}}},{'DeleteRequest':{'Key':{" A1 "}}}],'empty':[{'PutRequest':{'Item':{'p':{'S':'x'}}}}]}}" },
    { "transact-get", "TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'one','Key':{" A1 "}}},{'Get':{'TableName':'empty','Key':{'p':{'S':'x'}}}}]}" },
    { "transact-write", "TransactWriteItems",
      "{'ClientRequestToken':'second','TransactItems':[{'Put':{'TableName':'one','Item':{" NEW "}}},{'Delete':{'TableName':'one','Key':{" A1 "}}},"
      "{'Update':{'TableName':'one','Key':{'p':{'S':'a'},'s':{'S':'2'}},'UpdateExpression':'ADD n :n','ExpressionAttributeValues':{':n':{'N':'1'}}}},"
      "{'ConditionCheck':{'TableName':'one','Key':{'p':{'S':'b'},'s':{'S':'1'}},'ConditionExpression':'attribute_exists(p)'}}]}" },
    { "transact-write-again", "TransactWriteItems",
      "{'ClientRequestToken':'first','TransactItems':[{'Put':{'TableName':'one','Item':{'p':{'S':'c'},'s':{'S':'1'}}}}]}" },
    { "transact-write-canceled", "TransactWriteItems",
      "{'TransactItems':[{'Put':{'TableName':'one','Item':{" NEW "}}},{'Put':{'TableName':'one','Item':{" A1 "},'ConditionExpression':'attribute_not_exists(p)',"
      "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'}}]}" },
    { "query", "Query", "{'TableName':'one','KeyConditionExpression':'p = :p and s > :s','ExpressionAttributeValues':{':p':{'S':'a'},':s':{'S':'1'}}}" },
    { "query-index", "Query", "{'TableName':'one','IndexName':'byG','KeyConditionExpression':'g = :g','ExpressionAttributeValues':{':g':{'S':'g1'}}}" },
    { "query-local-index", "Query",
      "{'TableName':'one','IndexName':'byN','KeyConditionExpression':'p = :p','Select':'ALL_ATTRIBUTES','ConsistentRead':true,"
      "'ExpressionAttributeValues':{':p':{'S':'a'}}}" },
    { "query-page", "Query",
      "{'TableName':'one','KeyConditionExpression':'p = :p','Limit':1,'ScanIndexForward':false,'ExpressionAttributeValues':{':p':{'S':'a'}},"
      "'ExclusiveStartKey':{'p':{'S':'a'},'s':{'S':'3'}},'ReturnConsumedCapacity':'TOTAL'}" },
    { "query-filter", "Query",
      "{'TableName':'one','KeyConditionExpression':'p = :p','FilterExpression':'contains(#s, :x) or n between :a and :b','ProjectionExpression':'s, n',"
      "'ExpressionAttributeNames':{'#s':'set'},'ExpressionAttributeValues':{':p':{'S':'a'},':x':{'S':'x'},':a':{'N':'0'},':b':{'N':'1'}}}" },
    { "query-legacy", "Query", "{'TableName':'one','KeyConditions':{'p':{'ComparisonOperator':'EQ','AttributeValueList':[{'S':'a'}]}}}" },
    { "scan", "Scan", "{'TableName':'one'}" },
    { "scan-segment", "Scan", "{'TableName':'one','Segment':1,'TotalSegments':3,'FilterExpression':'attribute_exists(n)'}" },
    { "scan-index-count", "Scan", "{'TableName':'one','IndexName':'byG','Select':'COUNT'}" },
    /* PartiQL */
    { "select", "ExecuteStatement", "{'Statement':'SELECT s, n FROM one WHERE p = ? AND s >= ?','Parameters':[{'S':'a'},{'S':'2'}]}" },
    { "select-in-index", "ExecuteStatement", "{'Statement':'SELECT * FROM one.byG WHERE g = ?','Parameters':[{'S':'g1'}]}" },
    { "insert", "ExecuteStatement", "{'Statement':'INSERT INTO one VALUE {`p`: ?, `s`: ?, `g`: ?}','Parameters':[{'S':'new'},{'S':'1'},{'S':'g1'}]}" },
    { "update-statement", "ExecuteStatement",
      "{'Statement':'UPDATE one SET g = ? WHERE p = ? AND s = ? RETURNING ALL NEW *','Parameters':[{'S':'g7'},{'S':'a'},{'S':'1'}]}" },
    { "delete-statement", "ExecuteStatement", "{'Statement':'DELETE FROM one WHERE p = ? AND s = ?','Parameters':[{'S':'a'},{'S':'1'}]}" },
    { "statement-wrong", "ExecuteStatement", "{'Statement':'SELECT FROM WHERE'}" },
    { "batch-statements", "BatchExecuteStatement",
      "{'Statements':[{'Statement':'DELETE FROM one WHERE p = ? AND s = ?','Parameters':[{'S':'a'},{'S':'1'}]},"
      "{'Statement':'UPDATE one SET n = ? WHERE p = ? AND s = ?','Parameters':[{'N':'5'},{'S':'a'},{'S':'2'}]}]}" },
    { "statements-in-a-transaction", "ExecuteTransaction",
      "{'TransactStatements':[{'Statement':'DELETE FROM one WHERE p = ? AND s = ?','Parameters':[{'S':'a'},{'S':'1'}]},"
      "{'Statement':'UPDATE one SET n = ? WHERE p = ? AND s = ?','Parameters':[{'N':'5'},{'S':'a'},{'S':'2'}]}]}" },
    /* streams */
    { "list-streams", "ListStreams", "{}" },
    { "describe-stream", "DescribeStream", "{'StreamArn':'$stream'}" },
    { "get-records", "GetRecords", "{'ShardIterator':'$iterator'}" },
    { NULL },
};
