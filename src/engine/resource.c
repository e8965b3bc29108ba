/* resource.c: see resource.h. The texts were recorded from the service (docs/differences.md names
 * the records); the first ones come from the library with which it takes ARNs apart. */
#include "resource.h"
#include "table_params.h"

enum part { PARTITION, SERVICE, REGION, ACCOUNT, RELATIVE, PARTS };

static int invalid(struct call *call, const char *what, struct slice arn)
{
    return err_set(&call->err, ERR_ValidationException, PARAMS_INVALID "%s: %.*s", what,
                   SLICE_ARG(arn));
}

/* Everything up to the mark, which is dropped too; false if it is not there. */
static bool take_until(struct slice *rest, char mark, struct slice *out)
{
    const uint8_t *at = rest->n ? memchr(rest->p, mark, rest->n) : NULL;
    if (!at) return false;
    *out = slice_of(rest->p, (size_t)(at - rest->p));
    *rest = slice_of(at + 1, rest->n - out->n - 1);
    return true;
}

static int take_apart(struct call *call, struct slice arn, struct slice parts[PARTS])
{
    static const char *const missing[] = {
        [PARTITION] = "Second colon partition not found",
        [SERVICE] = "Third colon vendor not found",
        [REGION] = "Fourth colon (region/namespace delimiter) not found",
        [ACCOUNT] = "Fifth colon (namespace/relative-id delimiter) not found",
    };
    struct slice rest = arn;
    if (!slice_starts(arn, SLICE("arn:"))) {
        return invalid(call, "ARNs must start with 'arn:'", arn);
    }
    rest = slice_of(arn.p + 4, arn.n - 4);
    for (int i = 0; i < RELATIVE; i++) {
        if (!take_until(&rest, ':', &parts[i])) return invalid(call, missing[i], arn);
    }
    parts[RELATIVE] = rest;
    return 0;
}

static int refuse_place(struct call *call, enum resource_use use, struct slice arn)
{
    if (use == FOR_POLICIES) return invalid(call, "Invalid resource Arn", arn);
    return err_set(&call->err, ERR_ValidationException,
                   "Invalid TableArn: Invalid ResourceArn provided as input %.*s", SLICE_ARG(arn));
}

/* Who owns it is asked before where it is. */
static int check_place(struct call *call, enum resource_use use, const struct slice parts[PARTS],
                       struct slice arn)
{
    bool ours = slice_eq(parts[SERVICE], SLICE("dynamodb"));
    bool own = slice_eq(parts[ACCOUNT], caller_account(&call->caller));
    if (use == FOR_TAGS && !(ours && own)) {
        return err_set(&call->err, ERR_AccessDeniedException, "Access is denied");
    }
    if (!ours) return invalid(call, "Provided Arn is not a DynamoDB resource arn", arn);
    if (!own) {
        return err_set(&call->err, ERR_ValidationException, "%s", RESOURCE_NOT_OWN);
    }
    return slice_eq(parts[PARTITION], SLICE("aws")) ? 0 : refuse_place(call, use, arn);
}

/* "table/NAME", "table/NAME/stream/LABEL", "table/NAME/index/NAME". */
static int read_relative(struct call *call, enum resource_use use, struct slice relative,
                         struct resource *out)
{
    struct slice kind, rest = relative;
    if (!take_until(&rest, '/', &kind) || !slice_eq(kind, SLICE("table"))) {
        return invalid(call, "Provided Arn is not a DynamoDB resource arn", out->arn);
    }
    bool whole = !take_until(&rest, '/', &out->table);
    if (whole) out->table = rest;
    if (!api_is_name(out->table)) return refuse_place(call, use, out->arn);
    if (whole) return 0;
    if (!take_until(&rest, '/', &kind)) kind = rest;
    if (slice_eq(kind, SLICE("index"))) {
        return invalid(call,
                       "Invalid resource arn provided, only table or stream is accepted. Provided "
                       "resource arn",
                       out->arn);
    }
    out->stream = rest;
    if (slice_eq(kind, SLICE("stream")) && rest.n) return 0;
    return invalid(call, "Provided Arn is not a DynamoDB resource arn", out->arn);
}

int resource_read(struct call *call, enum resource_use use, struct resource *out)
{
    struct slice parts[PARTS];
    *out = (struct resource){ .arn = param_string(call->request, SLICE("ResourceArn")) };
    int code = take_apart(call, out->arn, parts);
    if (!code) code = check_place(call, use, parts, out->arn);
    return code ? code : read_relative(call, use, parts[RELATIVE], out);
}

int resource_table(struct call *call, struct store_txn *txn, const struct resource *r,
                   struct table **out)
{
    int code = r->stream.n ? ERR_ResourceNotFoundException
                           : call_read_table(call, txn, r->table, out);
    if (code != ERR_ResourceNotFoundException) return code;
    return err_set(&call->err, ERR_ResourceNotFoundException,
                   "Requested resource not found: ResourceArn: %.*s not found", SLICE_ARG(r->arn));
}
