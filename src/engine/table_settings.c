/* table_settings.c: the settings of a table that are not its schema: billing, throughput,
 * encryption; and those that are refused. */
#include "table_params.h"

#define MAX_UNITS 1000000000000

struct slice params_billing_mode(const struct json *request)
{
    struct slice mode = param_string(request, SLICE("BillingMode"));
    return mode.p ? mode : param_string(request, SLICE("TableThroughputMode"));
}

bool params_throughput(const struct json *node, struct throughput *out)
{
    if (!node) return false;
    return param_int(node, SLICE("ReadCapacityUnits"), &out->read) &&
           param_int(node, SLICE("WriteCapacityUnits"), &out->write);
}

int params_throughput_bounds(const struct throughput *t, struct err *e)
{
    if (t->read > MAX_UNITS) {
        return err_set(e, ERR_ValidationException,
                       "Given value %lld for ReadCapacityUnits is out of bounds",
                       (long long)t->read);
    }
    if (t->write > MAX_UNITS) {
        return err_set(e, ERR_ValidationException,
                       "Given value %lld for WriteCapacityUnits is out of bounds",
                       (long long)t->write);
    }
    return 0;
}

static int read_limit(const struct json *node, struct slice member, enum billing_mode billing,
                      bool creating, int64_t *out, struct err *e)
{
    int64_t v;
    if (!param_int(node, member, &v)) return 0;
    if (billing == BILLING_PROVISIONED) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "%.*s for OnDemandThroughput cannot be specified when %stable "
                       "BillingMode is PROVISIONED%s",
                       SLICE_ARG(member), creating ? "" : "the ", creating ? "." : "");
    }
    if (v < 1 && (creating || v != -1)) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "Requested %.*s for OnDemandThroughput for table is outside of valid range",
                       SLICE_ARG(member));
    }
    *out = v == -1 ? 0 : v;
    return 0;
}

int params_on_demand(const struct json *node, enum billing_mode billing, bool creating,
                     struct throughput *out, struct err *e)
{
    if (!node) return 0;
    int code = read_limit(node, SLICE("MaxReadRequestUnits"), billing, creating, &out->max_read, e);
    if (code) return code;
    return read_limit(node, SLICE("MaxWriteRequestUnits"), billing, creating, &out->max_write, e);
}

void params_warm(const struct json *node, struct throughput *out)
{
    if (!node) return;
    param_int(node, SLICE("ReadUnitsPerSecond"), &out->warm_read);
    param_int(node, SLICE("WriteUnitsPerSecond"), &out->warm_write);
}

int params_index_throughput(const struct json *node, enum billing_mode billing, bool creating,
                            struct index *ix, struct err *e)
{
    bool given = params_throughput(PARAM_GET(node, "ProvisionedThroughput"), &ix->throughput);
    if (billing == BILLING_PAY_PER_REQUEST && given) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "ProvisionedThroughput should not be specified for index: %.*s "
                       "when BillingMode is PAY_PER_REQUEST",
                       SLICE_ARG(ix->name));
    }
    if (billing == BILLING_PROVISIONED && !given) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID "ProvisionedThroughput must be specified for index: %.*s",
                       SLICE_ARG(ix->name));
    }
    int code = params_throughput_bounds(&ix->throughput, e);
    if (code) return code;
    params_warm(PARAM_GET(node, "WarmThroughput"), &ix->throughput);
    return params_on_demand(PARAM_GET(node, "OnDemandThroughput"), billing, creating,
                            &ix->throughput, e);
}

int params_refused(const struct json *request, struct err *e)
{
    static const struct {
        struct slice member;
        const char *what;
    } refused[] = {
#define REFUSED(member, what) { { (const uint8_t *)(member), sizeof(member) - 1 }, what }
        REFUSED("ReplicaUpdates", "Global tables are"),
        REFUSED("GlobalTableWitnessUpdates", "Global tables are"),
        REFUSED("MultiRegionConsistency", "Global tables are"),
        REFUSED("GlobalTableSourceArn", "Global tables are"),
        REFUSED("GlobalTableSettingsReplicationMode", "Global tables are"),
        REFUSED("VectorIndexes", "Vector indexes are"),
        REFUSED("VectorIndexUpdates", "Vector indexes are"),
#undef REFUSED
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct json *node = param_get(request, refused[i].member);
        if (!node || (node->type == JSON_ARRAY && !node->count)) continue;
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID "%.*s is not supported: %s not available in Onefold",
                       SLICE_ARG(refused[i].member), refused[i].what);
    }
    return 0;
}

int params_stream(const struct json *request, bool creating, struct stream_wish *out, struct err *e)
{
    const struct json *spec = PARAM_GET(request, "StreamSpecification");
    *out = (struct stream_wish){ .given = spec != NULL };
    if (!spec) return 0;
    out->enable = param_bool(spec, SLICE("StreamEnabled"), false);
    out->view = param_string(spec, SLICE("StreamViewType"));
    if (out->enable == (out->view.n > 0)) return 0;
    const char *text = out->enable
                           ? creating ? "Table is being created with a stream enabled, UpdateViewType is required"
                                      : "If stream is being enabled then UpdateViewType is required"
                       : creating ? "Table is being created with a stream disabled, UpdateViewType should not be specified"
                                  : "If stream is being disabled, then UpdateViewType must not be specified";
    return err_set(e, ERR_ValidationException, PARAMS_INVALID "%s", text);
}

void params_encryption(const struct json *request, struct table *t)
{
    params_encryption_of(PARAM_GET(request, "SSESpecification"), t);
}

void params_encryption_of(const struct json *spec, struct table *t)
{
    if (!spec) return;
    t->sse = param_bool(spec, SLICE("Enabled"), false);
    t->sse_type = param_string(spec, SLICE("SSEType"));
    t->sse_key = param_string(spec, SLICE("KMSMasterKeyId"));
}
