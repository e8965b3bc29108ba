/* global_tables.c: the eight operations about global tables and their scaling. One server has no
 * replicas, so there is no global table to be found; and version 2017.11.29, which alone these make, is
 * refused by DynamoDB itself since 2026. Recorded: DDB-GLOBALTABLE-002 and 004, DDB-TABLE-070 of
 * aws-controllers-k8s/dynamodb-controller, docs/api-quirks. */
#include "../ops.h"
#include "../table_params.h"

#define NAME_MIN 3
#define NAME_MAX 255

static int check_name(struct call *call, struct slice *name)
{
    *name = param_string(call->request, SLICE("GlobalTableName"));
    size_t n = utf16_length(*name);
    if (n >= NAME_MIN && n <= NAME_MAX) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   "TableName must be at least %d characters long and at most %d characters long",
                   NAME_MIN, NAME_MAX);
}

static int no_such(struct call *call, enum err_code code, const char *before, struct slice name)
{
    return err_set(&call->err, code, "%sGlobal table with name: '%.*s' does not exist.", before,
                   SLICE_ARG(name));
}

static int old_version(struct call *call)
{
    return err_set(&call->err, ERR_ValidationException,
                   PARAMS_INVALID
                   "DynamoDB global tables version 2017.11.29 is not supported. We recommend using "
                   "DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 "
                   "(Legacy).");
}

static int create(struct call *call)
{
    struct slice name;
    int code = check_name(call, &name);
    return code ? code : old_version(call);
}

static int describe(struct call *call)
{
    struct slice name;
    int code = check_name(call, &name);
    if (code) return code;
    return no_such(call, ERR_GlobalTableNotFoundException, "Global table not found: ", name);
}

/* A replica that is to be made is refused for its version, before the table is looked for. */
static int update(struct call *call)
{
    const struct json *list = PARAM_GET(call->request, "ReplicaUpdates");
    struct slice name;
    int code = check_name(call, &name);
    if (code) return code;
    bool any = false;
    for (const struct json *one = list->first; one; one = one->next) {
        if (PARAM_GET(one, "Create")) return old_version(call);
        any = any || PARAM_GET(one, "Delete");
    }
    if (!any) {
        return err_set(&call->err, ERR_ValidationException,
                       "One or more parameter values were invalid");
    }
    return no_such(call, ERR_GlobalTableNotFoundException, "Global table not found: ", name);
}

static int settings(struct call *call)
{
    struct slice name;
    int code = check_name(call, &name);
    return code ? code : no_such(call, ERR_GlobalTableNotFoundException, "", name);
}

/* A table without replicas is not one whose replicas scale. */
static int scaling(struct call *call)
{
    return no_such(call, ERR_ResourceNotFoundException, "",
                   param_table(call->request, SLICE("TableName")));
}

static int list(struct call *call)
{
    (void)call;
    return 0;
}

static int run_list(struct call *call, struct store_txn *txn)
{
    (void)txn;
    BUF_LIT(&call->response, "{\"GlobalTables\":[]}");
    return 0;
}

const struct op op_create_global_table = { .name = "CreateGlobalTable", .parse = create },
                op_describe_global_table = { .name = "DescribeGlobalTable", .parse = describe },
                op_update_global_table = { .name = "UpdateGlobalTable", .parse = update },
                op_describe_global_table_settings = { .name = "DescribeGlobalTableSettings",
                                                      .parse = settings },
                op_update_global_table_settings = { .name = "UpdateGlobalTableSettings",
                                                    .parse = settings },
                op_describe_table_replica_auto_scaling = { .name = "DescribeTableReplicaAutoScaling",
                                                           .parse = scaling },
                op_update_table_replica_auto_scaling = { .name = "UpdateTableReplicaAutoScaling",
                                                         .parse = scaling },
                op_list_global_tables = { .name = "ListGlobalTables",
                                          .parse = list,
                                          .run = run_list };
