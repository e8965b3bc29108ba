/* footprint.c: what operations ask of their footprint. */
#include "footprint.h"

struct footprint_item *footprint_room(struct call *call, struct footprint *f, size_t n)
{
    f->items = ARENA_ARRAY(call->arena, struct footprint_item, n);
    f->n = n;
    return f->items;
}

bool footprint_refused(const struct call *call, size_t i)
{
    return call->footprint && call->footprint->items[i].refused;
}

int footprint_check_left(struct call *call)
{
    const struct footprint *f = call->footprint;
    if (!f || !f->throttled) return 0;
    for (size_t i = 0; i < f->n; i++) {
        if (!f->items[i].refused) return 0;
    }
    call->err = f->refusal;
    return (int)call->err.code;
}
