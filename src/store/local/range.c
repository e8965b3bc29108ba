/* range.c: cursors over a range of logical keys, both ways.
 *
 * A cursor holds one LMDB cursor for the space and, while it is inside a list of long keys, one
 * more for each list on the way down (keys.h). Only the first is there for ordinary keys; the rest,
 * and the buffer in which a long key is put together, are allocated when the first node is met. */
#include "guard.h"
#include "keys.h"
#include "leaf.h"
#include "../value.h"
#include <endian.h>
#include <stdlib.h>

struct deep {
    MDB_cursor *mc[KEY_DEPTH + 1]; /* [0] unused; kept open once opened */
    uint64_t id[KEY_DEPTH + 1];
    uint8_t key[STORE_MAX_KEY + KEY_CUT];
};

struct local_cursor {
    struct store_cursor base;
    struct local_txn *t;
    enum store_space space;
    bool reverse, started;
    bool lost; /* met a damaged page */
    MDB_cursor_op step; /* in the cursor's direction */
    MDB_cursor *mc;
    unsigned depth; /* of the list that the cursor is in */
    struct deep *deep;
    MDB_val k, v;       /* the entry it is at */
    uintptr_t page_mask, sound; /* the page that was looked at last, and is in order: as much of its keys' addresses */
    struct slice before; /* the key before it in the space itself; empty: none */
    size_t with_bound;   /* how many bytes that one and the bound both begin with */
    size_t shared;       /* how many bytes all keys of the range begin with */
    struct slice start; /* where it begins; read by the first next only */
    struct slice bound; /* where it ends; empty: at the end of the space */
    uint8_t bytes[];    /* of both */
};

static inline uint64_t word_at(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return be64toh(word);
}

/* How many bytes both begin with. */
static inline size_t common(struct slice a, struct slice b)
{
    size_t n = a.n < b.n ? a.n : b.n, i = 0;

    for (; i + 8 <= n; i += 8) {
        uint64_t differ = word_at(a.p + i) ^ word_at(b.p + i);
        if (differ) return i + (size_t)__builtin_clzll(differ) / 8;
    }
    while (i < n && a.p[i] == b.p[i]) i++;
    return i;
}

/* Bytes of the logical key that lie above a depth. */
static size_t above(unsigned depth)
{
    return depth ? KEY_CUT + (size_t)(depth - 1) * KEY_TAIL : 0;
}

static int move(struct local_cursor *c, MDB_cursor_op op)
{
    return mdb_cursor_get(c->depth ? c->deep->mc[c->depth] : c->mc, &c->k, &c->v, op);
}

/* From the first entry not before a point to the last one before it. */
static int step_before(struct local_cursor *c, int rc)
{
    if (rc == MDB_NOTFOUND) return move(c, MDB_LAST);
    return rc ? rc : move(c, MDB_PREV);
}

static __attribute__((noinline)) int new_page(struct local_cursor *c)
{
    int rc = leaf_check(c->t, leaf_of(c->t, c->k.mv_data), c->before.n ? &c->k : NULL, c->step);

    return rc ? local_read_failed(c->t, local_status(rc)) : STORE_OK;
}

/* Of each page of the space itself that the range comes to: it hides nothing. (What a writer has changed may lie anywhere: its pages are not looked
 * at, however often they seem to be others.) */
static inline int check_page(struct local_cursor *c)
{
    uintptr_t page = (uintptr_t)c->k.mv_data & c->page_mask;

    if (page == c->sound) return STORE_OK;
    c->sound = page;
    return new_page(c);
}

static bool is_inside(const struct local_cursor *c, struct slice key)
{
    struct slice from = c->reverse ? c->bound : c->start, to = c->reverse ? c->start : c->bound;

    return slice_cmp(key, from) >= 0 && (!to.n || slice_cmp(key, to) < 0);
}

/* Is this entry, which lies beside the range, one of the range's with a damaged key? What differs in more than one byte from what all keys of
 * the range begin with is not asked. */
static bool is_lost(const struct local_cursor *c, const struct leaf_entry *e)
{
    const uint8_t *p = e->key.mv_data;
    size_t n = e->key.mv_size < c->shared ? e->key.mv_size : c->shared, differ = c->shared - n;
    uint8_t bytes[KEY_CUT];
    struct slice key;

    if (!leaf_is_node(c->t, e->key)) return true;
    for (size_t i = 0; i < n && differ <= 1; i++) differ += p[i] != c->start.p[i];
    return differ <= 1 && leaf_true_key(c->space, e, bytes, &key) && is_inside(c, key);
}

/* From where a search for its place in the space itself has led to the entry with which the range begins. */
static int begin_at(struct local_cursor *c, MDB_val wanted, int rc)
{
    struct leaf_gap gap = { .before = { .there = false } };
    const struct leaf_entry *first = c->reverse ? &gap.before : &gap.behind, *outside = c->reverse ? &gap.behind : &gap.before;

    rc = leaf_gap(c->t, c->mc, wanted, rc, c->k, c->v, c->step, &gap);
    if (rc) return rc;
    if (outside->there && is_lost(c, outside)) return MDB_CORRUPTED;
    if (!first->there) return MDB_NOTFOUND;
    c->k = first->key;
    c->v = first->value;
    c->sound = (uintptr_t)c->k.mv_data & c->page_mask;
    return 0;
}

/* Enters the list of the node that the cursor is at. */
static int descend(struct local_cursor *c)
{
    size_t lead = c->depth ? KEY_ID : 0;
    uint64_t id;
    int rc = c->depth ? STORE_OK : check_page(c);

    if (rc == STORE_OK) rc = key_node_id(c->k, c->v, &id);
    if (rc) return rc;
    if (c->depth == KEY_DEPTH) return STORE_CORRUPT;
    if (!c->deep) {
        c->deep = malloc(sizeof *c->deep);
        if (!c->deep) return STORE_NO_MEMORY;
        memset(c->deep->mc, 0, sizeof c->deep->mc);
    }
    memcpy(c->deep->key + above(c->depth), (uint8_t *)c->k.mv_data + lead, KEY_CUT - lead);
    if (!c->deep->mc[c->depth + 1]) {
        rc = guard_open_cursor(c->t->txn, c->t->s->tails, &c->deep->mc[c->depth + 1]);
        if (rc) return local_read_failed(c->t, local_status(rc));
    }
    c->deep->id[++c->depth] = id;
    return STORE_OK;
}

/* To the near end of the list just entered. */
static int enter_end(struct local_cursor *c)
{
    uint8_t bytes[KEY_ID];
    int rc;

    key_put_id(bytes, c->deep->id[c->depth] + c->reverse);
    c->k = (MDB_val){ KEY_ID, bytes };
    rc = move(c, MDB_SET_RANGE);
    return c->reverse ? step_before(c, rc) : rc;
}

static bool in_list(const struct local_cursor *c)
{
    return !c->depth ||
           (c->k.mv_size >= KEY_ID && key_get_id(c->k.mv_data) == c->deep->id[c->depth]);
}

/* After a move with result rc: out of exhausted lists, into those of nodes, until at an entry. */
static int settle(struct local_cursor *c, int rc)
{
    for (;;) {
        if (rc == MDB_NOTFOUND || (rc == 0 && !in_list(c))) {
            if (c->depth == 0) return STORE_END;
            c->depth--;
            rc = move(c, c->step);
        } else if (rc) {
            return local_read_failed(c->t, local_status(rc));
        } else if (c->k.mv_size != KEY_NODE) {
            return STORE_OK;
        } else {
            rc = descend(c);
            if (rc) return rc;
            rc = enter_end(c);
        }
    }
}

/* To the first entry at or after the start or, in reverse, the last one before it. */
static int seek(struct local_cursor *c)
{
    struct slice rest = c->start;

    if (!rest.n) return settle(c, move(c, c->reverse ? MDB_LAST : MDB_FIRST));
    for (;;) {
        struct key_step at;
        bool exact;
        int rc;

        key_step(&at, c->t->s, c->space, c->depth, c->depth ? c->deep->id[c->depth] : 0, rest);
        c->k = at.key;
        rc = move(c, MDB_SET_RANGE);
        exact = rc == 0 && at.node && c->k.mv_size == KEY_NODE &&
                memcmp(c->k.mv_data, at.buf, KEY_NODE) == 0;
        if (!exact && c->depth == 0) return settle(c, begin_at(c, at.key, rc));
        if (!exact) return settle(c, c->reverse ? step_before(c, rc) : rc);
        rc = descend(c);
        if (rc) return rc;
        rest = at.rest;
    }
}

static struct slice long_key(struct local_cursor *c)
{
    size_t n = c->k.mv_size - KEY_ID;

    memcpy(c->deep->key + above(c->depth), (uint8_t *)c->k.mv_data + KEY_ID, n);
    return slice_of(c->deep->key, above(c->depth) + n);
}

/* One entry on. Nearly always that is the space's next one and no node: then there is nothing to settle. */
static inline int advance(struct local_cursor *c)
{
    int rc;

    if (c->depth) return settle(c, move(c, c->step));
    rc = mdb_cursor_get(c->mc, &c->k, &c->v, c->step);
    return rc || c->k.mv_size == KEY_NODE ? settle(c, rc) : STORE_OK;
}

static bool is_past(const struct local_cursor *c, struct slice key)
{
    int order;

    if (!c->bound.n) return false;
    order = slice_cmp(key, c->bound);
    return c->reverse ? order < 0 : order >= 0;
}

static int open_first(struct local_cursor *c)
{
    int rc;

    GUARDED(rc, local_status(guard_open_cursor(c->t->txn, c->t->s->dbi[c->space], &c->mc)));
    return rc;
}

int local_range_open(struct store_txn *t, const struct store_range *r, struct store_cursor **out)
{
    struct slice start = r->reverse ? r->to : r->from, bound = r->reverse ? r->from : r->to;
    struct local_cursor *c = malloc(sizeof *c + start.n + bound.n);
    int rc;

    if (!c) return STORE_NO_MEMORY;
    c->t = (struct local_txn *)t;
    c->space = r->space;
    c->reverse = r->reverse;
    c->step = r->reverse ? MDB_PREV : MDB_NEXT;
    c->started = false;
    c->lost = false;
    c->before = slice_of(NULL, 0);
    c->with_bound = 0;
    c->shared = common(start, bound);
    c->page_mask = -(uintptr_t)c->t->s->page_size;
    c->sound = 0;
    c->depth = 0;
    c->deep = NULL;
    c->start = slice_of(c->bytes, start.n);
    c->bound = slice_of(c->bytes + start.n, bound.n);
    if (start.n) memcpy(c->bytes, start.p, start.n);
    if (bound.n) memcpy(c->bytes + start.n, bound.p, bound.n);
    rc = open_first(c);
    if (rc) {
        rc = local_read_failed(c->t, rc == GUARD_DAMAGED ? STORE_CORRUPT : rc);
        free(c);
        return rc;
    }
    *out = &c->base;
    return STORE_OK;
}

/* Of a key in the space itself. A tree whose pages are damaged may lead back, or to the same page again: each key must come after
 * the one before it, which lies in the map, which keeps it. That tells mostly whether the range is left, too: the key before was
 * inside, so that only a key which differs from it no later than the bound does can be outside. */
static inline int check_place(struct local_cursor *c, struct slice key)
{
    size_t same = common(key, c->before);
    bool after;

    if (c->before.n) {
        after = same < key.n && (same == c->before.n || key.p[same] > c->before.p[same]);
        if (same == key.n && same == c->before.n) return STORE_CORRUPT;
        if (after == c->reverse) return STORE_CORRUPT;
    }
    if (same <= c->with_bound) {
        if (is_past(c, key)) return STORE_END;
        c->with_bound = common(key, c->bound);
    }
    c->before = key;
    return STORE_OK;
}

/* The entry that the cursor is at lies behind the range. */
static int confirm_end(struct local_cursor *c)
{
    const struct leaf_entry outside = { c->k, c->v, true };
    int rc = leaf_look_beyond(c->mc, c->k, c->step);

    if (rc) return local_read_failed(c->t, local_status(rc));
    return is_lost(c, &outside) ? STORE_CORRUPT : STORE_END;
}

/* To the next entry in the range, whose logical key it gives: STORE_OK, STORE_END or a failure. */
static inline int next_key(struct local_cursor *c, struct slice *at)
{
    int rc = c->started ? advance(c) : seek(c);

    c->started = true;
    if (rc) return rc;
    if (c->k.mv_size > KEY_NODE || c->v.mv_size > VALUE_HEADER + STORE_MAX_VALUE) return STORE_CORRUPT;
    *at = c->depth ? long_key(c) : slice_of(c->k.mv_data, c->k.mv_size);
    if (c->depth) return is_past(c, *at) ? STORE_END : STORE_OK;
    rc = check_page(c);
    if (rc) return rc;
    rc = check_place(c, *at);
    return rc == STORE_END ? confirm_end(c) : rc;
}

/* What is not read here is read by the caller, outside of the guard. */
static int touch(struct slice key)
{
    volatile uint8_t last = key.n ? key.p[key.n - 1] : 0;

    (void)last;
    return STORE_OK;
}

/* key and value may be NULL. */
static inline int take_next(struct local_cursor *c, struct slice *key, struct slice *value)
{
    struct slice at;
    int rc = next_key(c, &at);

    if (rc) return rc;
    if (key) *key = at;
    if (!value) return touch(at);
    return value_read(slice_of(c->v.mv_data, c->v.mv_size), c->space, at, value) ? STORE_OK : STORE_CORRUPT;
}

/* After a damaged page nothing is known of where the cursor is: it ends there. Nor is an update that has such a cursor to be committed:
 * LMDB looks at all of them when it writes. */
static int after_guard(struct local_cursor *c, int rc)
{
    if (rc != GUARD_DAMAGED) return rc;
    c->lost = true;
    return local_read_failed(c->t, STORE_CORRUPT);
}

int local_range_next(struct store_cursor *cursor, struct slice *key, struct slice *value)
{
    struct local_cursor *c = (struct local_cursor *)cursor;
    int rc;

    if (c->lost) return STORE_CORRUPT;
    GUARDED(rc, take_next(c, key, value));
    return after_guard(c, rc);
}

/* Its own function, since the compiler keeps nothing in registers where setjmp is called. */
static __attribute__((noinline)) int each_value(struct local_cursor *c, jmp_buf *damaged, store_value_fn *fn, void *ctx)
{
    struct guard *guard = &local_guard;
    struct slice value;
    int rc;

    do {
        guard_goes_on();
        guard->to = damaged;
        rc = take_next(c, NULL, &value);
        guard->to = NULL;
        if (!rc) rc = fn(ctx, value);
    } while (!rc);
    return rc;
}

/* One guard for all steps, left while fn runs: one for each would cost as much as the step. */
int local_range_each(struct store_cursor *cursor, store_value_fn *fn, void *ctx)
{
    struct local_cursor *c = (struct local_cursor *)cursor;
    jmp_buf damaged;

    if (c->lost) return STORE_CORRUPT;
    if (_setjmp(damaged)) return after_guard(c, GUARD_DAMAGED);
    return each_value(c, &damaged, fn, ctx);
}

void local_range_close(struct store_cursor *cursor)
{
    struct local_cursor *c = (struct local_cursor *)cursor;

    /* A write that a damaged page has stopped in its middle may have left a cursor of its own, on a stack that is gone, in the list
     * from which closing would take this one. */
    if (!c->t->damaged) {
        for (unsigned i = 1; c->deep && i <= KEY_DEPTH; i++)
            if (c->deep->mc[i]) mdb_cursor_close(c->deep->mc[i]);
        mdb_cursor_close(c->mc);
    }
    free(c->deep);
    free(c);
}
