/* table_update.c: reading an UpdateTable request. */
#include "table_update.h"
#include "../base/slices.h"

static bool asks_for_something(const struct json *request)
{
    static const char *const members[] = {
        "ProvisionedThroughput",
        "BillingMode",
        "TableThroughputMode",
        "StreamSpecification",
        "SSESpecification",
        "TableClass",
        "DeletionProtectionEnabled",
        "OnDemandThroughput",
        "WarmThroughput",
        "MultiRegionConsistency",
        "GlobalTableSettingsReplicationMode",
        "GlobalSecondaryIndexUpdates",
        "ReplicaUpdates",
        "GlobalTableWitnessUpdates",
        "VectorIndexUpdates",
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (params_asked(request, slice_str(members[i]))) return true;
    }
    /* An empty one asks for the default. */
    return param_present(request, SLICE("SSESpecification"));
}

/* What can change only alone: the first of these that is there is named. */
static const struct {
    const char *member, *what;
} alone[] = {
    { "SSESpecification", "Server-Side Encryption modification" },
    { "TableClass", "TableClass modification" },
    { "DeletionProtectionEnabled", "DeletionProtection modification" },
    { "WarmThroughput", "WarmThroughput" },
};
#define ALONE      (sizeof alone / sizeof *alone)
#define ALONE_WARM (ALONE - 1) /* the last: other rules come before it */

static bool asks_for_others(const struct json *request, size_t than)
{
    static const char *const others[] = {
        "ProvisionedThroughput", "BillingMode", "TableThroughputMode", "StreamSpecification",
        "OnDemandThroughput", "GlobalSecondaryIndexUpdates",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (params_asked(request, slice_str(others[i]))) return true;
    }
    for (size_t i = 0; i < ALONE; i++) {
        if (i != than && params_asked(request, slice_str(alone[i].member))) return true;
    }
    return false;
}

static int check_alone(struct call *call, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (!params_asked(call->request, slice_str(alone[i].member))) continue;
        if (!asks_for_others(call->request, i)) continue;
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "%s must be the only operation in the request", alone[i].what);
    }
    return 0;
}

static bool has_action(const struct table_update *u, enum index_action_kind kind)
{
    for (size_t i = 0; i < u->n_actions; i++) {
        if (u->actions[i].kind == kind) return true;
    }
    return false;
}

/* The pairs that do not go together, of what may go with something. */
static const char *bad_pair(const struct json *request, const struct table_update *u)
{
    bool stream = params_asked(request, SLICE("StreamSpecification"));
    bool warm = params_asked(request, SLICE("WarmThroughput"));
    bool online = has_action(u, ACTION_CREATE) || has_action(u, ACTION_DELETE);
    bool units = u->has_throughput || (u->has_billing && u->billing == BILLING_PROVISIONED);
    if (warm && has_action(u, ACTION_CREATE))
        return "Create global secondary index cannot be specified when updating WarmThroughput";
    if (params_asked(request, SLICE("OnDemandThroughput")) && (stream || warm || u->n_actions))
        return "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request";
    if (stream && units) return "You cannot modify stream status while updating table IOPS";
    if (online && units) return "You cannot create or delete index while updating table IOPS";
    if (online && stream) return "You cannot create or delete index while changing stream status";
    return NULL;
}

/* One request is one change: DDB-TABLE-382 and 433 of aws-controllers-k8s/dynamodb-controller,
 * docs/api-quirks, tell of all pairs. */
static int check_together(struct call *call, const struct table_update *u)
{
    int code = check_alone(call, 0, ALONE_WARM);
    const char *why = code ? NULL : bad_pair(call->request, u);
    if (why) return err_set(&call->err, ERR_ValidationException, PARAMS_INVALID "%s", why);
    return code ? code : check_alone(call, ALONE_WARM, ALONE);
}

/* Which of the three an element of GlobalSecondaryIndexUpdates holds. */
static int read_action(struct call *call, const struct json *element, struct index_action *out)
{
    static const char *const names[] = { "Update", "Create", "Delete" };
    unsigned found = 0;
    for (int i = 0; i < 3; i++) {
        const struct json *node = param_get(element, slice_str(names[i]));
        if (!node) continue;
        found++;
        out->kind = (enum index_action_kind)i;
        out->node = node;
    }
    if (found == 1) {
        out->name = param_string(out->node, SLICE("IndexName"));
        return 0;
    }
    return err_set(&call->err, ERR_ValidationException, PARAMS_INVALID "%s",
                   found ? "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"
                         : "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                           "GlobalSecondaryIndexUpdate.Delete must not be null");
}

static int check_once(struct call *call, const struct table_update *u)
{
    struct slice *names = ARENA_ARRAY(call->arena, struct slice, u->n_actions);
    for (size_t i = 0; i < u->n_actions; i++)
        names[i] = u->actions[i].name;
    size_t repeat = slices_first_repeat(call->arena, names, u->n_actions);
    if (repeat == u->n_actions) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   PARAMS_INVALID "Only one global secondary index update per index is "
                                  "allowed simultaneously. Index: %.*s",
                   SLICE_ARG(names[repeat]));
}

static int check_warm(struct call *call, const struct index_action *action)
{
    const struct json *warm = PARAM_GET(action->node, "WarmThroughput");
    if (!warm || warm->count) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   PARAMS_INVALID "WarmThroughput must have at least one of ReadUnitsPerSecond or "
                                  "WriteUnitsPerSecond specified for index: %.*s",
                   SLICE_ARG(action->name));
}

static int read_actions(struct call *call, struct table_update *u)
{
    const struct json *list = PARAM_GET(call->request, "GlobalSecondaryIndexUpdates");
    if (!list) return 0;
    if (!list->count) {
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "List of GlobalSecondaryIndexUpdates is empty");
    }
    u->actions = ARENA_ARRAY(call->arena, struct index_action, list->count + 1);
    for (const struct json *element = list->first; element; element = element->next) {
        int code = read_action(call, element, &u->actions[u->n_actions++]);
        if (code) return code;
    }
    int code = check_once(call, u);
    for (size_t i = 0; !code && i < u->n_actions; i++) {
        struct index_action *action = &u->actions[i];
        if (action->kind == ACTION_UPDATE) code = check_warm(call, action);
        if (action->kind != ACTION_CREATE) continue;
        if (!param_present(call->request, SLICE("AttributeDefinitions"))) {
            return err_set(&call->err, ERR_ValidationException,
                           PARAMS_INVALID "AttributeDefinitions is not specified for index: %.*s",
                           SLICE_ARG(action->name));
        }
        code = params_index(call->arena, action->node, &u->defs, NULL, &action->index,
                            &call->err);
    }
    return code;
}

int table_update_parse(struct call *call, struct table_update *u)
{
    const struct json *request = call->request;
    struct slice mode = params_billing_mode(request);
    u->name = param_table(request, SLICE("TableName"));
    if (!asks_for_something(request)) {
        return err_set(&call->err, ERR_ValidationException,
                       "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                       "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, "
                       "MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
                       "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is "
                       "required");
    }
    u->has_billing = mode.n != 0;
    u->billing =
        slice_eq(mode, SLICE("PAY_PER_REQUEST")) ? BILLING_PAY_PER_REQUEST : BILLING_PROVISIONED;
    u->has_throughput =
        params_throughput(PARAM_GET(request, "ProvisionedThroughput"), &u->throughput);
    if (u->has_billing && u->billing == BILLING_PROVISIONED && !u->has_throughput) {
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID
                       "ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
    }
    int code = params_throughput_bounds(&u->throughput, &call->err);
    if (!code) {
        code = params_definitions(call->arena, PARAM_GET(request, "AttributeDefinitions"), &u->defs,
                                  &call->err);
    }
    if (!code) code = read_actions(call, u);
    if (!code) code = check_together(call, u);
    if (!code) code = params_class(request, &call->err);
    if (!code) code = params_encryption(PARAM_GET(request, "SSESpecification"), &call->err);
    if (!code) code = params_stream(request, false, &u->stream, &call->err);
    return code ? code : params_refused(request, &call->err);
}
