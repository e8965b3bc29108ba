/* cancellation.c: the answer of a cancelled transaction. */
#include "cancellation.h"

#define DETAIL_MAX ((size_t)64 << 20) /* each of 100 reasons may show its item */

const char *cancellation_code(enum err_code code)
{
    switch (code) {
    case ERR_NONE:
        return "None";
    case ERR_AccessDeniedException:
        return "AccessDenied";
    case ERR_ConditionalCheckFailedException:
        return "ConditionalCheckFailed";
    case ERR_DuplicateItemException:
        return "DuplicateItem";
    case ERR_ResourceNotFoundException:
        return "ResourceNotFound";
    case ERR_TransactionConflictException:
        return "TransactionConflict";
    case ERR_ProvisionedThroughputExceededException:
        return "ProvisionedThroughputExceeded";
    case ERR_ThrottlingException:
        return "ThrottlingError";
    default:
        return "ValidationError";
    }
}

bool cancellation_is_outright(const struct err *e)
{
    return slice_starts(e->message, SLICE("One or more parameter values are not valid."));
}

int cancel_transaction(struct call *call, const struct err *reasons, size_t n)
{
    struct buf codes, detail;
    buf_init(&codes, call->arena, 16u << 10);
    buf_init(&detail, call->arena, DETAIL_MAX);
    BUF_LIT(&detail, ",\"CancellationReasons\":[");
    for (size_t i = 0; i < n; i++) {
        const struct err *r = &reasons[i];
        buf_printf(&codes, "%s%s", i ? ", " : "", cancellation_code(r->code));
        buf_printf(&detail, "%s{\"Code\":\"%s\"", i ? "," : "", cancellation_code(r->code));
        if (r->code) {
            BUF_LIT(&detail, ",\"Message\":");
            json_put_string(&detail, r->message);
            buf_slice(&detail, r->detail);
        }
        buf_u8(&detail, '}');
    }
    buf_u8(&detail, ']');
    err_set(&call->err, ERR_TransactionCanceledException,
            "Transaction cancelled, please refer cancellation reasons for specific reasons [%.*s]",
            SLICE_ARG(buf_view(&codes)));
    call->err.detail = buf_view(&detail);
    return (int)call->err.code;
}
