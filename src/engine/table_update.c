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
        const struct json *node = param_get(request, slice_str(members[i]));
        bool empty =
            node && (node->type == JSON_ARRAY || node->type == JSON_OBJECT) && !node->count;
        if (node && !empty) return true;
    }
    return false;
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
    return err_set(&call->err, ERR_ValidationException,
                   PARAMS_INVALID "%s of GlobalSecondaryIndexUpdate.Update, "
                                  "GlobalSecondaryIndexUpdate.Create, "
                                  "GlobalSecondaryIndexUpdate.Delete must not be null",
                   found ? "Only one" : "One");
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

static int read_actions(struct call *call, struct table_update *u)
{
    const struct json *list = PARAM_GET(call->request, "GlobalSecondaryIndexUpdates");
    if (!list) return 0;
    u->actions = ARENA_ARRAY(call->arena, struct index_action, list->count + 1);
    for (const struct json *element = list->first; element; element = element->next) {
        int code = read_action(call, element, &u->actions[u->n_actions++]);
        if (code) return code;
    }
    int code = check_once(call, u);
    for (size_t i = 0; !code && i < u->n_actions; i++) {
        struct index_action *action = &u->actions[i];
        if (action->kind != ACTION_CREATE) continue;
        code = params_index(call->arena, action->node, &u->defs, NULL, &action->index,
                            &call->err);
    }
    return code;
}

/* What cannot be changed together with the stream. */
static int check_stream_alone(struct call *call, const struct table_update *u)
{
    if (!u->stream.given) return 0;
    if (u->has_throughput || (u->has_billing && u->billing == BILLING_PROVISIONED)) {
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "You cannot modify stream status while updating table IOPS");
    }
    for (size_t i = 0; i < u->n_actions; i++) {
        if (u->actions[i].kind == ACTION_UPDATE) continue;
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "You cannot create or delete index while changing stream status");
    }
    return 0;
}

int table_update_parse(struct call *call, struct table_update *u)
{
    const struct json *request = call->request;
    struct slice mode = params_billing_mode(request);
    u->name = param_table(request, SLICE("TableName"));
    if (!asks_for_something(request)) {
        return err_set(&call->err, ERR_ValidationException,
                       "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                       "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is "
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
    if (!code) code = params_stream(request, false, &u->stream, &call->err);
    if (!code) code = check_stream_alone(call, u);
    return code ? code : params_refused(request, &call->err);
}
