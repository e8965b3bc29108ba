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

static size_t upper_of(const uint8_t *page, size_t page_size)
{
    size_t upper = (size_t)pages_number(page + 14, 2);

    return upper == 0 && page_size == PAGE_MAX ? page_size : upper;
}

/* Do its nodes fill the page's end, as far as their sizes tell? The part of pages_check that finds what is hidden, since it is done so often: an offset
 * that leads to another of the page's nodes is found by the order of keys. */
static bool is_full(const uint8_t *page, size_t page_size)
{
    size_t lower = (size_t)pages_number(page + 12, 2), upper = upper_of(page, page_size), used = 0, room;

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
    int order, rc = mdb_cursor_get(c, &next, &value, step);

    if (rc) return rc == MDB_NOTFOUND ? 0 : rc;
    order = guard_compare(&next, &key);
    if (order == 0 || (order > 0) != on) return MDB_CORRUPTED;
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

bool leaf_is_node(const struct local_txn *t, MDB_val key)
{
    const uint8_t *page = leaf_of(t, key.mv_data);
    size_t size = t->s->page_size, at, wanted;

    if (!page) return true;
    wanted = (size_t)((const uint8_t *)key.mv_data - page);
    if (wanted < PAGE_HEADER + NODE_HEADER) return false;
    wanted -= NODE_HEADER;
    for (at = upper_of(page, size); at < wanted; at += pages_node_bytes(pages_number(page + at, 8), true)) {}
    return at == wanted;
}

struct fit {
    enum store_space space;
    struct slice key, stored;
};

static bool fits(const void *of)
{
    const struct fit *f = of;
    struct slice payload;

    return value_read(f->stored, f->space, f->key, &payload);
}

/* Of a value that lies on pages of its own, whose number stands behind the key: does that number, as it is read, lead to others? */
static bool is_of_other_pages(const void *of)
{
    const struct leaf_entry *e = of;
    const uint8_t *page = (const uint8_t *)e->value.mv_data - PAGE_HEADER;

    return pages_flags(page) != PAGE_OVERFLOW || pages_number(page, 8) != pages_number((const uint8_t *)e->key.mv_data + e->key.mv_size, 8);
}

/* Does the entry's value belong to this key, which is of its size, or of one that would make the value begin elsewhere in the node's bytes (which are of
 * an even number)? A value that cannot be read (a bad sector) does not. */
static bool has_value(enum store_space space, const struct leaf_entry *e, struct slice key)
{
    const uint8_t *value = e->value.mv_data;

    if (e->value.mv_size > VALUE_HEADER + STORE_MAX_VALUE) return false;
    if (key.n != e->key.mv_size) {
        if (value != (const uint8_t *)e->key.mv_data + e->key.mv_size) return guard_ask(is_of_other_pages, e);
        if (key.n > e->key.mv_size && (e->key.mv_size + e->value.mv_size) % 2 == 0) return false;
        value += (ptrdiff_t)key.n - (ptrdiff_t)e->key.mv_size;
    }
    return guard_ask(fits, &(struct fit){ space, key, slice_of(value, e->value.mv_size) });
}

static bool is_whole(enum store_space space, const struct leaf_entry *e)
{
    uint64_t id;

    if (e->key.mv_size == KEY_NODE) return key_node_id(e->key, e->value, &id) == STORE_OK;
    return e->key.mv_size <= KEY_CUT && has_value(space, e, slice_of(e->key.mv_data, e->key.mv_size));
}

static bool differs_in_one_byte(struct slice a, const uint8_t *b)
{
    size_t i = 0;

    while (i < a.n && a.p[i] == b[i]) i++;
    return i < a.n && memcmp(a.p + i + 1, b + i + 1, a.n - i - 1) == 0;
}

bool leaf_is_of(enum store_space space, const struct leaf_entry *e, struct slice key)
{
    if (e->key.mv_size == key.n) return differs_in_one_byte(key, e->key.mv_data) && has_value(space, e, key);
    return e->key.mv_size == (key.n ^ 1) && memcmp(key.p, e->key.mv_data, key.n) == 0 && !is_whole(space, e) && has_value(space, e, key);
}

bool leaf_true_key(enum store_space space, const struct leaf_entry *e, uint8_t *bytes, struct slice *key)
{
    size_t n = e->key.mv_size;

    if (is_whole(space, e)) return false;
    if (n <= KEY_CUT) {
        memcpy(bytes, e->key.mv_data, n);
        *key = slice_of(bytes, n);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (has_value(space, e, *key)) return true;
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    *key = slice_of(e->key.mv_data, n ^ 1);
    return key->n && key->n <= KEY_CUT && has_value(space, e, *key);
}
