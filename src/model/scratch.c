/* scratch.c: one step of a long job in memory of its own. */
#include "scratch.h"

int scratch_step(struct arena *a, int (*step)(void *ctx, struct arena *a, struct err *e), void *ctx, struct err *e)
{
    int code;
    if (ARENA_GUARD(a))
        code = step(ctx, a, e);
    else
        code = err_set(e, ERR_InternalServerError, "out of memory");
    arena_unguard(a);
    if (code) { /* an embedded database says what is wrong in the caller's memory, which goes now */
        e->message = arena_dup(e->arena, e->message);
        e->detail = arena_dup(e->arena, e->detail);
    }
    arena_reset(a);
    return code;
}
