/* tally.c: a growing list of touches. */
#include "tally.h"

enum { FIRST_ROOM = 8 }; /* an item and its entries, mostly */

void tally_note(struct tally *t, struct arena *a, struct touch touch)
{
    if (t->n == t->room) {
        uint32_t room = t->room ? t->room * 2 : FIRST_ROOM;
        struct touch *more = arena_alloc(a, room * sizeof *more);
        if (t->n) memcpy(more, t->touches, t->n * sizeof *more);
        t->touches = more;
        t->room = room;
    }
    t->touches[t->n++] = touch;
}

void tally_double(struct tally *t)
{
    for (uint32_t i = 0; i < t->n; i++) t->touches[i].halves *= 2;
}
