/* guarded.c: see guarded.h. */
#include "guarded.h"
#include "../session.h"

int guarded(struct arena *kept, struct arena *scratch, int (*fn)(void *ctx), void *ctx)
{
    volatile bool ended = false;
    volatile int code = EXIT_ERROR;
    /* Both are set before fn runs and taken back behind it, from whichever it comes back. */
    if (ARENA_GUARD(kept)) {
        if (ARENA_GUARD(scratch)) {
            code = fn(ctx);
            ended = true;
        }
    }
    arena_unguard(scratch);
    arena_unguard(kept);
    if (ended) return code;
    arena_reset(scratch);
    end_progress();
    return fail_error("out of memory");
}
