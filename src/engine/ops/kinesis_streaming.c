/* kinesis_streaming.c: the four operations about a table's Kinesis stream. One server has no Kinesis: no
 * table has a destination, and none can be given one. The texts of what is refused were recorded:
 * DDB-TABLE-302 of aws-controllers-k8s/dynamodb-controller, docs/api-quirks; LocalStack's
 * test_kinesis_streaming_destination_crud. */
#include "../ops.h"

#define NOT_VALID "Table is not in a valid state to enable Kinesis Streaming Destination: "

static int run_describe(struct call *call, struct store_txn *txn)
{
    (void)txn;
    const struct table *t = call->state;
    BUF_LIT(&call->response, "{\"TableName\":");
    json_put_string(&call->response, t->name);
    BUF_LIT(&call->response, ",\"KinesisDataStreamDestinations\":[]}");
    return 0;
}

/* DynamoDB takes any ARN, and tells ENABLE_FAILED a while later. */
static int run_enable(struct call *call, struct store_txn *txn)
{
    (void)txn;
    return err_set(&call->err, ERR_ResourceNotFoundException,
                   "Requested resource not found: Kinesis stream: %.*s not found: Kinesis is not "
                   "available in Onefold",
                   SLICE_ARG(param_string(call->request, SLICE("StreamArn"))));
}

static int run_disable(struct call *call, struct store_txn *txn)
{
    (void)txn;
    const struct json *more = PARAM_GET(call->request, "EnableKinesisStreamingConfiguration");
    if (more && PARAM_GET(more, "ApproximateCreationDateTimePrecision")) {
        return err_set(&call->err, ERR_ValidationException,
                       "Stream cannot be disabled using EnableKinesisStreamingConfiguration "
                       "parameters");
    }
    return err_set(&call->err, ERR_ValidationException,
                   NOT_VALID "KinesisStreamingDestination must be ACTIVE to perform DISABLE "
                             "operation.");
}

static int run_update(struct call *call, struct store_txn *txn)
{
    (void)txn;
    const struct table *t = call->state;
    const struct json *settings = PARAM_GET(call->request, "UpdateKinesisStreamingConfiguration");
    if (!settings || !PARAM_GET(settings, "ApproximateCreationDateTimePrecision")) {
        return err_set(&call->err, ERR_ValidationException,
                       "Streaming destination cannot be updated with given parameters: "
                       "UpdateKinesisStreamingConfiguration cannot be null or contain only null "
                       "values");
    }
    return err_set(&call->err, ERR_ValidationException,
                   NOT_VALID "No streaming destination with streamArn: %.*s found for table with "
                             "tableName: %.*s",
                   SLICE_ARG(param_string(call->request, SLICE("StreamArn"))), SLICE_ARG(t->name));
}

const struct op op_describe_kinesis_streaming_destination = {
    .name = "DescribeKinesisStreamingDestination", .bind = call_bind_table, .run = run_describe
};
const struct op op_enable_kinesis_streaming_destination = {
    .name = "EnableKinesisStreamingDestination", .bind = call_bind_table, .run = run_enable
};
const struct op op_disable_kinesis_streaming_destination = {
    .name = "DisableKinesisStreamingDestination", .bind = call_bind_table, .run = run_disable
};
const struct op op_update_kinesis_streaming_destination = {
    .name = "UpdateKinesisStreamingDestination", .bind = call_bind_table, .run = run_update
};
