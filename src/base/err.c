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
