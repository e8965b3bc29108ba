/* err.c: the error list as tables. */
#include "err.h"

static const struct {
    const char *name, *ns;
    int status;
} errors[] = {
    { "", "", 200 },
#define X(name, ns, status) { #name, ns, status },
    ERR_LIST(X)
#undef X
};

#undef err_set /* for the analyzer, err.h */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    e->code = code;
    e->message = arena_vprintf(e->arena, fmt, ap);
    e->detail = slice_of(NULL, 0);
    va_end(ap);
    return (int)code;
}

const char *err_name(enum err_code code)
{
    return errors[code].name;
}

const char *err_namespace(enum err_code code)
{
    return errors[code].ns;
}

int err_status(enum err_code code)
{
    return errors[code].status;
}

enum err_code err_from_name(struct slice name)
{
    static const struct {
        const char *name;
        enum err_code code;
    } others[] = {
        { "InternalFailure", ERR_InternalServerError },
        { "InternalServerErrorException", ERR_InternalServerError },
        { "ServiceUnavailableException", ERR_ServiceUnavailable },
        { "Throttling", ERR_ThrottlingException },
        { "ThrottledException", ERR_ThrottlingException },
        { "TooManyRequestsException", ERR_ThrottlingException },
        { "RequestThrottled", ERR_ThrottlingException },
        { "AccessDenied", ERR_AccessDeniedException },
        { "ExpiredToken", ERR_ExpiredTokenException },
        { "InvalidClientTokenId", ERR_UnrecognizedClientException },
        { "SignatureDoesNotMatch", ERR_InvalidSignatureException },
        { "IncompleteSignature", ERR_IncompleteSignatureException },
        { "MissingAuthenticationToken", ERR_MissingAuthenticationTokenException },
        { "UnknownOperation", ERR_UnknownOperationException },
        { "ValidationError", ERR_ValidationException },
    };
    for (int i = 1; i < ERR_COUNT; i++) {
        if (slice_eq(name, slice_str(errors[i].name))) return (enum err_code)i;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (slice_eq(name, slice_str(others[i].name))) return others[i].code;
    }
    return ERR_NONE;
}
