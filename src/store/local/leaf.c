/* leaf.c: proofs of where a search ended; see leaf.h, and pages.h for what a page looks like. */
#include "leaf.h"
#include "guard.h"
#include "keys.h"
#include "pages.h"
#include "../value.h"

static const uint8_t *page_around(const struct local *s, const void *in_page)
{
    return (const uint8_t *)((uintptr_t)in_page & ~(uintptr_t)(s->page_size - 1));
}

const uint8_t *leaf_of(const struct local_txn *t, const void *key)
{
    const struct local *s = t->s;

    if (!s->page_size) return NULL;
    if (!t->base.writable) return page_around(s, key);
    return s->map && (uintptr_t)key >= (uintptr_t)s->map && (uintptr_t)key - (uintptr_t)s->map < s->map_size ? page_around(s, key) : NULL;
}

/* Do its nodes fill the page's end, as far as their sizes tell? The part of pages_check that finds what is hidden, since it is done so often: an offset
 * that leads to another of the page's nodes is found by the order of keys. */
static bool is_full(const uint8_t *page, size_t page_size)
{
    size_t lower = (size_t)pages_number(page + 12, 2), upper = (size_t)pages_number(page + 14, 2), used = 0, room;

    if (upper == 0 && page_size == PAGE_MAX) upper = page_size;
    if (pages_flags(page) != PAGE_LEAF || lower <= PAGE_HEADER || lower % 2 || lower > upper || upper > page_size - NODE_HEADER) return false;
    room = page_size - NODE_HEADER - upper;
    for (const uint8_t *at = page + PAGE_HEADER, *end = page + lower; at < end; at += 2) {
        size_t offset = (size_t)pages_number(at, 2);
        if (offset - upper > room) return false;
        used += pages_node_bytes(pages_number(page + offset, 8), true);
    }
    return used == page_size - upper;
}

/* Is it the first that such a step finds on the page? */
static bool is_edge(const uint8_t *page, MDB_val key, MDB_cursor_op step)
{
    size_t at = step == MDB_NEXT ? PAGE_HEADER : (size_t)pages_number(page + 12, 2) - 2;

    return page + pages_number(page + at, 2) + NODE_HEADER == (const uint8_t *)key.mv_data;
}

int leaf_look_beyond(MDB_cursor *c, MDB_val key, MDB_cursor_op step)
{
    bool on = step == MDB_NEXT;
    MDB_val next, value;
    int rc = mdb_cursor_get(c, &next, &value, step);

    if (rc) return rc == MDB_NOTFOUND ? 0 : rc;
    if ((guard_compare(&next, &key) > 0) != on) return MDB_CORRUPTED;
    rc = mdb_cursor_get(c, &next, &value, on ? MDB_PREV : MDB_NEXT);
    return rc == 0 && next.mv_data != key.mv_data ? MDB_CORRUPTED : rc;
}

int leaf_check(const struct local_txn *t, const uint8_t *page, const MDB_val *came, MDB_cursor_op step)
{
    if (!page) return 0;
    return !is_full(page, t->s->page_size) || (came && !is_edge(page, *came, step)) ? MDB_CORRUPTED : 0;
}

/* The cursor is at the one before or, where there is none, still at the one behind. */
static int leave_at(MDB_cursor *c, MDB_cursor_op walk, const struct leaf_gap *gap)
{
    MDB_val key, value;
    int rc;

    if (walk != MDB_NEXT || !gap->behind.there || !gap->before.there) return 0;
    rc = mdb_cursor_get(c, &key, &value, MDB_NEXT);
    return rc == 0 && key.mv_data != gap->behind.key.mv_data ? MDB_CORRUPTED : rc;
}

int leaf_gap(const struct local_txn *t, MDB_cursor *c, MDB_val wanted, int rc, MDB_val key, MDB_val value, MDB_cursor_op walk, struct leaf_gap *gap)
{
    struct leaf_entry *before = &gap->before;
    const uint8_t *page = NULL, *other;

    if (rc && rc != MDB_NOTFOUND) return rc;
    gap->behind = (struct leaf_entry){ key, value, rc == 0 };
    if (gap->behind.there) {
        page = leaf_of(t, key.mv_data);
        rc = guard_compare(&key, &wanted) < 0 ? MDB_CORRUPTED : leaf_check(t, page, NULL, MDB_NEXT);
        if (rc == 0 && walk != MDB_NEXT) rc = leaf_look_beyond(c, key, MDB_NEXT);
        if (rc) return rc;
    }
    rc = mdb_cursor_get(c, &before->key, &before->value, gap->behind.there ? MDB_PREV : MDB_LAST);
    if (rc && rc != MDB_NOTFOUND) return rc;
    before->there = rc == 0;
    if (before->there) {
        other = leaf_of(t, before->key.mv_data);
        if (guard_compare(&before->key, &wanted) >= 0) return MDB_CORRUPTED;
        if (other != page) {
            if (page && !is_edge(page, key, MDB_NEXT)) return MDB_CORRUPTED;
            rc = leaf_check(t, other, &before->key, MDB_PREV);
        }
        if (rc == 0 && walk != MDB_PREV) rc = leaf_look_beyond(c, before->key, MDB_PREV);
        if (rc) return rc;
    }
    return leave_at(c, walk, gap);
}

bool leaf_is_whole(enum store_space space, MDB_val key, MDB_val value)
{
    struct slice payload;
    uint64_t id;

    if (key.mv_size == KEY_NODE) return key_node_id(key, value, &id) == STORE_OK;
    return key.mv_size <= KEY_CUT && value.mv_size <= VALUE_HEADER + STORE_MAX_VALUE &&
           value_read(slice_of(value.mv_data, value.mv_size), space, slice_of(key.mv_data, key.mv_size), &payload);
}
