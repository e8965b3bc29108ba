/* sizes.c: see sizes.h. */
#include "sizes.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIRST_ROWS 64           /* where nothing is known */
#define FIRST_LOG  16           /* the same of a stream: a change may have two items in it */
#define SOME_ROWS  256          /* at first, for a reader that does not say how many it takes */
#define MIN_ROWS   4
#define MAX_ROWS   2000
#define BYTES      (1u << 20)   /* of a page */
#define LATER      (512u << 10) /* of the pieces behind the first */
#define TABLE      4            /* bytes of a key: the table, or what else has an id */
#define PLACE      8

static atomic_uchar *slot_of(struct sizes *z, enum store_space space, struct slice from, size_t bytes)
{
    return &z->slots[XXH3_64bits_withSeed(from.p, from.n < bytes ? from.n : bytes, (uint64_t)space * PLACE + bytes) % SIZES_SLOTS];
}

static size_t within(size_t rows, size_t limit)
{
    if (rows < MIN_ROWS) rows = MIN_ROWS;
    if (rows > MAX_ROWS) rows = MAX_ROWS;
    return limit && limit < rows ? limit : rows;
}

size_t sizes_rows(struct sizes *z, enum store_space space, struct slice from, size_t limit)
{
    unsigned known = from.n >= PLACE ? atomic_load_explicit(slot_of(z, space, from, PLACE), memory_order_relaxed) : 0;
    if (!known && from.n >= TABLE) known = atomic_load_explicit(slot_of(z, space, from, TABLE), memory_order_relaxed);
    size_t first = space == SPACE_STREAM ? FIRST_LOG : FIRST_ROWS;
    return within(known ? BYTES >> (known - 1) : first, limit ? limit : SOME_ROWS);
}

static size_t average(const struct row *rows, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += rows[i].key.n + rows[i].value.n;
    return n ? bytes / n + 1 : 1;
}

void sizes_seen(struct sizes *z, enum store_space space, struct slice from, const struct row *rows, size_t n)
{
    if (!n) return;
    unsigned char seen = (unsigned char)(64 - __builtin_clzll(average(rows, n)) + 1);
    if (from.n >= PLACE) atomic_store_explicit(slot_of(z, space, from, PLACE), seen, memory_order_relaxed);
    if (from.n >= TABLE) atomic_store_explicit(slot_of(z, space, from, TABLE), seen, memory_order_relaxed);
}

size_t sizes_next(const struct row *rows, size_t n, size_t limit)
{
    size_t few = n < FIRST_ROWS ? n : FIRST_ROWS;
    return within(LATER / average(rows + n - few, few), limit);
}
