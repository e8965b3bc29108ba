/* problem.c: gathers what is wrong, in order of place, and finds the name that was probably meant. */
#include "problem.h"
#include "../item/json.h"
#include <stdlib.h>

void problems_init(struct problems *ps, struct arena *a)
{
    *ps = (struct problems){ .arena = a };
}

void problem_add(struct problems *ps, struct place at, struct slice hint, const char *fmt, ...)
{
    ps->n++;
    if (ps->n > PROBLEMS_MAX) return;
    struct problem *p = ARENA_NEW(ps->arena, struct problem);
    va_list ap;
    va_start(ap, fmt);
    p->message = arena_vprintf(ps->arena, fmt, ap);
    va_end(ap);
    p->place = at;
    p->hint = arena_dup(ps->arena, hint);
    if (ps->last) ps->last->next = p;
    else ps->first = p;
    ps->last = p;
}

/* ---- order ---- */

struct numbered {
    struct problem *problem;
    size_t number; /* among equal places the order found stays */
};

static int by_place(const void *x, const void *y)
{
    const struct numbered *a = x, *b = y;
    int c = slice_cmp(a->problem->place.file, b->problem->place.file);
    if (c) return c;
    if (a->problem->place.line != b->problem->place.line)
        return a->problem->place.line < b->problem->place.line ? -1 : 1;
    if (a->problem->place.column != b->problem->place.column)
        return a->problem->place.column < b->problem->place.column ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void problems_sort(struct problems *ps)
{
    size_t n = ps->n < PROBLEMS_MAX ? ps->n : PROBLEMS_MAX, i = 0;
    if (n < 2) return;
    struct numbered *list = ARENA_ARRAY(ps->arena, struct numbered, n);
    for (const struct problem *p = ps->first; p && i < n; p = p->next, i++)
        /* Every problem was made by problem_add, in memory that is ours to change. */
        list[i] = (struct numbered){ (struct problem *)(uintptr_t)p, i };
    n = i;
    qsort(list, n, sizeof(*list), by_place);
    for (i = 0; i < n; i++) list[i].problem->next = i + 1 < n ? list[i + 1].problem : NULL;
    ps->first = list[0].problem;
    ps->last = list[n - 1].problem;
}

void problems_to_json(struct buf *b, const struct problems *ps)
{
    BUF_LIT(b, "{\"problems\":[");
    for (const struct problem *p = ps->first; p; p = p->next) {
        if (p != ps->first) buf_u8(b, ',');
        BUF_LIT(b, "{\"file\":");
        json_put_string(b, p->place.file);
        buf_printf(b, ",\"line\":%u,\"column\":%u,\"message\":", p->place.line, p->place.column);
        json_put_string(b, p->message);
        if (p->hint.n) {
            BUF_LIT(b, ",\"hint\":");
            json_put_string(b, p->hint);
        }
        if (p->rule.n) {
            BUF_LIT(b, ",\"rule\":");
            json_put_string(b, p->rule);
        }
        if (p->on.n) {
            BUF_LIT(b, ",\"on\":");
            json_put_string(b, p->on);
        }
        buf_u8(b, '}');
    }
    BUF_LIT(b, "]");
    if (ps->n > PROBLEMS_MAX) buf_printf(b, ",\"more\":%zu", ps->n - PROBLEMS_MAX);
    buf_u8(b, '}');
}

/* ---- what was probably meant ---- */

#define NEAR_MAX 64 /* longer names are not compared */

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

/* How many letters must be changed, added, left out or swapped with their neighbour, cases being equal. */
static unsigned distance(struct slice a, struct slice b)
{
    unsigned rows[3][NEAR_MAX + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.n; j++) last[j] = (unsigned)j, before[j] = 0;
    for (size_t i = 1; i <= a.n; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.n; j++) {
            uint8_t x = lower(a.p[i - 1]), y = lower(b.p[j - 1]);
            unsigned least = last[j - 1] + (x != y);
            if (last[j] + 1 < least) least = last[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            if (i > 1 && j > 1 && x == lower(b.p[j - 2]) && y == lower(a.p[i - 2]) && before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            row[j] = least;
        }
        unsigned *spare = before;
        before = last, last = row, row = spare;
    }
    return last[b.n];
}

struct slice near_name(struct slice name, const struct slice *list, size_t n)
{
    struct slice best = { 0 };
    if (name.n == 0 || name.n > NEAR_MAX) return best;
    /* A third of the letters may be wrong. */
    unsigned most = (unsigned)(name.n / 3 ? name.n / 3 : 1) + 1;
    for (size_t i = 0; i < n; i++) {
        size_t longer = list[i].n > name.n ? list[i].n - name.n : name.n - list[i].n;
        if (list[i].n == 0 || list[i].n > NEAR_MAX || longer >= most) continue;
        unsigned d = distance(name, list[i]);
        if (d < most && d < list[i].n) most = d, best = list[i];
    }
    return best;
}
