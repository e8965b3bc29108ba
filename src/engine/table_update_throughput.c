/* table_update_throughput.c: UpdateTable's changes to billing mode and throughput. Nothing here
 * limits anything: the numbers are kept, described and counted as DynamoDB would. */
#include "table_update.h"

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

static void begin_day(struct throughput *t, int64_t now)
{
    if (t->decreased_ms / DAY_MS != now / DAY_MS) t->decreases_today = 0;
}

void table_begin_day(struct table *t, int64_t now_ms)
{
    begin_day(&t->throughput, now_ms);
    for (size_t i = 0; i < t->n_indexes; i++)
        begin_day(&t->indexes[i].throughput, now_ms);
}

static void change_units(struct throughput *t, int64_t read, int64_t write, int64_t now)
{
    bool up = read > t->read || write > t->write;
    bool down = read < t->read || write < t->write;
    if (down) {
        t->decreases_today++;
        t->decreased_ms = now;
    }
    if (up) t->increased_ms = now;
    t->read = read;
    t->write = write;
}

/* What is warm stays so when the numbers go down or the billing mode changes. */
static void stay_warm(struct throughput *t, enum billing_mode billing)
{
    throughput_warm(t, billing, &t->warm_read, &t->warm_write);
}

static int refuse_same(struct call *call, const struct throughput *have,
                       const struct throughput *want, const char *what, struct slice name)
{
    if (have->read != want->read || have->write != want->write) return 0;
    return err_set(
        &call->err, ERR_ValidationException,
        "The provisioned throughput for the %s%.*s will not change. The requested value "
        "equals the current value. Current ReadCapacityUnits provisioned for the %s: %lld. "
        "Requested ReadCapacityUnits: %lld. Current WriteCapacityUnits provisioned for the "
        "%s: %lld. Requested WriteCapacityUnits: %lld. Refer to the Amazon DynamoDB "
        "Developer Guide for current limits and how to request higher limits.",
        what, SLICE_ARG(name), what, (long long)have->read, (long long)want->read, what,
        (long long)have->write, (long long)want->write);
}

static struct index *global_index(struct table *t, struct slice name)
{
    for (size_t i = 0; i < t->n_indexes; i++) {
        if (t->indexes[i].kind == INDEX_GLOBAL && slice_eq(t->indexes[i].name, name)) {
            return &t->indexes[i];
        }
    }
    return NULL;
}

/* The Update action on one index. target: the billing mode that the table will have. */
static int update_index(struct call *call, const struct index_action *action, struct table *t,
                        enum billing_mode target)
{
    struct index wanted = { .name = action->name };
    bool given =
        params_throughput(PARAM_GET(action->node, "ProvisionedThroughput"), &wanted.throughput);
    struct err ignored = { .arena = call->arena };
    if (given && params_throughput_bounds(&wanted.throughput, &ignored)) {
        return err_set(&call->err, ERR_ValidationException,
                       "This operation cannot be performed with given input values. Please contact "
                       "DynamoDB service team for more info: Action Blocked: IndexUpdate");
    }
    int missing = table_update_find(call, t, action->name, "update");
    if (missing) return missing;
    struct index *ix = global_index(t, action->name);
    struct throughput *now = &ix->throughput;
    if (!given && target == BILLING_PROVISIONED && !PARAM_GET(action->node, "WarmThroughput")) {
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "ProvisionedThroughput must be specified for index: %.*s",
                       SLICE_ARG(action->name));
    }
    if (!given && target == BILLING_PAY_PER_REQUEST &&
        !params_asked(action->node, SLICE("OnDemandThroughput")) &&
        !params_asked(action->node, SLICE("WarmThroughput"))) {
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "The only Updates for index: %.*s when TableThroughputMode is "
                                      "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput",
                       SLICE_ARG(action->name));
    }
    if (given && target == BILLING_PAY_PER_REQUEST) {
        return params_index_throughput(action->node, target, false, &wanted, &call->err);
    }
    if (given) {
        int code = t->billing == target
                       ? refuse_same(call, now, &wanted.throughput, "index ", action->name)
                       : 0;
        if (code) return code;
        stay_warm(now, t->billing);
        change_units(now, wanted.throughput.read, wanted.throughput.write, call_now_ms(call));
    }
    int code = params_warm(PARAM_GET(action->node, "WarmThroughput"), target, false, action->name,
                           now, &call->err);
    return code ? code
                : params_on_demand(PARAM_GET(action->node, "OnDemandThroughput"), target, false,
                                   action->name, now, &call->err);
}

static bool is_updated(const struct table_update *u, struct slice name)
{
    for (size_t i = 0; i < u->n_actions; i++) {
        if (u->actions[i].kind != ACTION_CREATE && slice_eq(u->actions[i].name, name)) return true;
    }
    return false;
}

/* A table that becomes provisioned needs numbers for all its indexes in the same request. */
static int check_all_indexes_given(struct call *call, const struct table_update *u,
                                   const struct table *t)
{
    struct buf missing;
    buf_init(&missing, call->arena, 64 << 10);
    for (size_t i = 0; i < t->n_indexes; i++) {
        const struct index *ix = &t->indexes[i];
        if (ix->kind != INDEX_GLOBAL || is_updated(u, ix->name)) continue;
        if (missing.n) buf_u8(&missing, ',');
        buf_slice(&missing, ix->name);
    }
    if (!missing.n) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   PARAMS_INVALID "ProvisionedThroughput must be specified for index: %.*s",
                   SLICE_ARG(buf_view(&missing)));
}

static void go_on_demand(struct table *t, int64_t now)
{
    t->throughput.read = t->throughput.write = 0;
    for (size_t i = 0; i < t->n_indexes; i++) {
        if (t->indexes[i].kind != INDEX_GLOBAL) continue;
        stay_warm(&t->indexes[i].throughput, t->billing);
        change_units(&t->indexes[i].throughput, 0, 0, now);
    }
    t->billing_changed_ms = now;
}

/* Limits are for on-demand capacity. */
static void drop_limits(struct table *t)
{
    t->throughput.max_read = t->throughput.max_write = 0;
    for (size_t i = 0; i < t->n_indexes; i++)
        t->indexes[i].throughput.max_read = t->indexes[i].throughput.max_write = 0;
}

int table_update_throughput(struct call *call, const struct table_update *u, struct table *t)
{
    enum billing_mode target = u->has_billing ? u->billing : t->billing;
    bool switches = target != t->billing;
    int64_t now = call_now_ms(call);
    if (u->has_throughput && target == BILLING_PAY_PER_REQUEST) {
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be "
                                      "specified when BillingMode is PAY_PER_REQUEST");
    }
    int code = params_on_demand(PARAM_GET(call->request, "OnDemandThroughput"), target, false,
                                SLICE(""), &t->throughput, &call->err);
    if (!code && u->has_throughput && !switches) {
        code = refuse_same(call, &t->throughput, &u->throughput, "table", SLICE(""));
    }
    if (!code && switches && target == BILLING_PROVISIONED)
        code = check_all_indexes_given(call, u, t);
    for (size_t i = 0; !code && i < u->n_actions; i++) {
        if (u->actions[i].kind == ACTION_UPDATE)
            code = update_index(call, &u->actions[i], t, target);
    }
    if (code) return code;
    if (u->has_throughput || switches) stay_warm(&t->throughput, t->billing);
    if (u->has_throughput)
        change_units(&t->throughput, u->throughput.read, u->throughput.write, now);
    if (switches && target == BILLING_PAY_PER_REQUEST) go_on_demand(t, now);
    if (target == BILLING_PROVISIONED) drop_limits(t);
    t->billing = target;
    return params_warm(PARAM_GET(call->request, "WarmThroughput"), target, false, SLICE(""),
                       &t->throughput, &call->err);
}
