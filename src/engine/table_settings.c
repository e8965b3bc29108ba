/* table_settings.c: the settings of a table that are not its schema: billing, throughput,
 * encryption; and those that are refused. */
#include "table_params.h"

#define MAX_UNITS 1000000000000

bool params_asked(const struct json *request, struct slice member)
{
    const struct json *node = param_get(request, member);
    return node && !((node->type == JSON_ARRAY || node->type == JSON_OBJECT) && !node->count);
}

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

/* index: of which the limit is; empty: of the table. */
static int read_limit(const struct json *node, struct slice member, enum billing_mode billing,
                      bool creating, struct slice index, int64_t *out, struct err *e)
{
    int64_t v;
    if (!param_int(node, member, &v)) return 0;
    if (billing == BILLING_PROVISIONED) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "%.*s for OnDemandThroughput%s%.*s cannot be specified when %stable "
                       "BillingMode is PROVISIONED%s",
                       SLICE_ARG(member), index.n ? " for index: " : "", SLICE_ARG(index),
                       creating ? "" : "the ", creating ? "." : "");
    }
    if (v < 1 && (creating || v != -1)) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "Requested %.*s for OnDemandThroughput for %s%.*s is outside of valid range",
                       SLICE_ARG(member), index.n ? "index : " : "table", SLICE_ARG(index));
    }
    *out = v == -1 ? 0 : v;
    return 0;
}

int params_on_demand(const struct json *node, enum billing_mode billing, bool creating,
                     struct slice index, struct throughput *out, struct err *e)
{
    if (!node) return 0;
    int code = read_limit(node, SLICE("MaxReadRequestUnits"), billing, creating, index, &out->max_read, e);
    if (code) return code;
    return read_limit(node, SLICE("MaxWriteRequestUnits"), billing, creating, index, &out->max_write, e);
}

/* Why one cannot have less. */
static const char *warm_floor(enum billing_mode billing, bool creating, bool reads)
{
    if (!creating) return "current WarmThroughput, decreasing WarmThroughput is not supported";
    if (billing == BILLING_PAY_PER_REQUEST) {
        return "initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
               "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial";
    }
    return reads ? "ReadCapacityUnits of ProvisionedThroughput"
                 : "WriteCapacityUnits of ProvisionedThroughput";
}

int params_warm(const struct json *node, enum billing_mode billing, bool creating,
                struct slice index, struct throughput *out, struct err *e)
{
    static const char *const members[] = { "ReadUnitsPerSecond", "WriteUnitsPerSecond" };
    int64_t have[2], want[2];
    if (!node) return 0;
    throughput_warm(out, billing, &have[0], &have[1]);
    for (int i = 0; i < 2; i++) {
        want[i] = have[i];
        param_int(node, slice_str(members[i]), &want[i]);
        if (want[i] >= have[i]) continue;
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID "Requested %s for WarmThroughput for %s%.*s is lower than %s",
                       members[i], index.n ? "index " : "table", SLICE_ARG(index),
                       warm_floor(billing, creating, i == 0));
    }
    param_int(node, SLICE("ReadUnitsPerSecond"), &out->warm_read);
    param_int(node, SLICE("WriteUnitsPerSecond"), &out->warm_write);
    return 0;
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
                       PARAMS_INVALID "ProvisionedThroughput is not specified for index: %.*s",
                       SLICE_ARG(ix->name));
    }
    int code = params_throughput_bounds(&ix->throughput, e);
    if (!code) {
        code = params_warm(PARAM_GET(node, "WarmThroughput"), billing, creating, ix->name,
                           &ix->throughput, e);
    }
    if (code) return code;
    return params_on_demand(PARAM_GET(node, "OnDemandThroughput"), billing, creating, ix->name,
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

int params_class(const struct json *request, struct err *e)
{
    struct slice class = param_string(request, SLICE("TableClass"));
    if (!class.p || slice_eq(class, SLICE("STANDARD")) || slice_eq(class, SLICE("STANDARD_INFREQUENT_ACCESS"))) return 0;
    return err_set(e, ERR_ValidationException,
                   "Invalid table-class parameter provided. Please try again with a valid table-class value: "
                   "[STANDARD, STANDARD_INFREQUENT_ACCESS].");
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

/* Without Enabled, a type switches it on. */
static bool encryption_wanted(const struct json *spec)
{
    return param_bool(spec, SLICE("Enabled"), param_present(spec, SLICE("SSEType")));
}

int params_encryption(const struct json *spec, struct err *e)
{
    if (!spec) return 0;
    bool enabled = encryption_wanted(spec);
    struct slice type = param_string(spec, SLICE("SSEType"));
    bool typed = param_present(spec, SLICE("SSEType")), key = param_present(spec, SLICE("KMSMasterKeyId"));
    const char *why = NULL;
    if (!enabled && typed) {
        why = "SSEType can not be specified if Enabled is false";
    } else if (!enabled && key) {
        why = "KMSMasterKeyId can not be specified if Enabled is false";
    } else if (slice_eq(type, SLICE("AES256"))) {
        why = "SSEType AES256 is not supported";
    } else if (key && !typed) {
        why = "SSEType KMS is required if KMSMasterKeyId is specified";
    }
    return why ? err_set(e, ERR_ValidationException, PARAMS_INVALID "%s", why) : 0;
}

int params_encrypt(const struct json *spec, bool creating, struct table *t, struct err *e)
{
    if (!spec) return 0;
    bool enabled = encryption_wanted(spec);
    struct slice key = param_string(spec, SLICE("KMSMasterKeyId"));
    if (!creating && !enabled && !t->sse) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID "Table is already encrypted by default");
    }
    if (!creating && t->sse && key.n && slice_eq(key, t->sse_key)) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID "Table is already encrypted with given KMSMasterKeyId. Use "
                                      "KMSMasterKeyId parameter if you want to change Master Key");
    }
    t->sse = enabled;
    t->sse_type = param_string(spec, SLICE("SSEType"));
    t->sse_key = key;
    return 0;
}
