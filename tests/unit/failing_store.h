/* failing_store.h: a store of which the N-th call fails, or whose rows are damaged. The functions of its backend are put behind ones that count: reads,
 * writes, and each step of a range. What the transaction has done by then is undone by the store, as after a real failure. */
#ifndef OF_TESTS_FAILING_STORE_H
#define OF_TESTS_FAILING_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include "store/backend.h"

enum failing_for { FAIL_NOBODY, FAIL_THIS_THREAD, FAIL_OTHER_THREADS };

static struct {
    const struct store_backend *real;
    struct store_backend own;
    pthread_t owner;
    _Atomic enum failing_for who;
    atomic_int left; /* calls until the one that fails, which is 1 */
    int status;
} failing;

/* Rows whose values have wrong checksums. */
static struct {
    enum store_space space;
    uint8_t key[64];
    size_t n;
} damaged_rows[8];
static atomic_size_t n_damaged_rows;

/* The status to fail with, or STORE_OK. */
static int failing_now(void)
{
    enum failing_for who = failing.who;
    bool own = pthread_equal(pthread_self(), failing.owner) != 0;
    if (who == FAIL_NOBODY || own != (who == FAIL_THIS_THREAD)) return STORE_OK;
    return atomic_fetch_sub(&failing.left, 1) == 1 ? failing.status : STORE_OK;
}

#define OR_FAIL(call)                                                                              \
    do {                                                                                           \
        int status_ = failing_now();                                                               \
        return status_ ? status_ : failing.real->call;                                             \
    } while (0)

static int failing_get(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    OR_FAIL(get(t, space, key, value));
}

static int failing_get_many(struct store_txn *t, struct store_read *reads, size_t n)
{
    OR_FAIL(get_many(t, reads, n));
}

static int failing_put(struct store_txn *t, enum store_space space, struct slice key, struct slice value)
{
    OR_FAIL(put(t, space, key, value));
}

static int failing_del(struct store_txn *t, enum store_space space, struct slice key)
{
    OR_FAIL(del(t, space, key));
}

static int failing_add(struct store_txn *t, struct slice key, int64_t delta)
{
    OR_FAIL(add(t, key, delta));
}

static int failing_sum(struct store_txn *t, struct slice key, int64_t *sum)
{
    OR_FAIL(sum(t, key, sum));
}

static int failing_add_reset(struct store_txn *t, struct slice key)
{
    OR_FAIL(add_reset(t, key));
}

static int failing_range_open(struct store_txn *t, const struct store_range *r, struct store_cursor **out)
{
    OR_FAIL(range_open(t, r, out));
}

static int failing_range_next(struct store_cursor *c, struct slice *key, struct slice *value)
{
    OR_FAIL(range_next(c, key, value));
}

struct failing_each {
    store_value_fn *fn;
    void *ctx;
};

static int failing_value(void *ctx, struct slice value)
{
    struct failing_each *e = ctx;
    int status = failing_now();
    return status ? status : e->fn(e->ctx, value);
}

static int failing_range_each(struct store_cursor *c, store_value_fn *fn, void *ctx)
{
    struct failing_each e = { fn, ctx };
    OR_FAIL(range_each(c, failing_value, &e));
}

static void failing_set_up(struct store *s)
{
    failing.real = s->backend;
    failing.own = *s->backend;
    failing.own.get = failing_get;
    failing.own.get_many = failing_get_many;
    failing.own.put = failing_put;
    failing.own.del = failing_del;
    failing.own.add = failing_add;
    failing.own.sum = failing_sum;
    failing.own.add_reset = failing_add_reset;
    failing.own.range_open = failing_range_open;
    failing.own.range_next = failing_range_next;
    failing.own.range_each = failing_range_each;
    failing.owner = pthread_self();
    failing.who = FAIL_NOBODY;
    n_damaged_rows = 0;
    s->backend = &failing.own;
}

/* From here on, the call number n of these threads fails. */
static inline void fail_at(enum failing_for who, int n, int status)
{
    failing.status = status;
    atomic_store(&failing.left, n);
    failing.who = who;
}

/* Nothing fails any more. Did it come to that? */
static inline bool failing_end(void)
{
    failing.who = FAIL_NOBODY;
    return atomic_load(&failing.left) <= 0;
}

/* ---- damaged rows ---- */

static inline bool is_damaged_row(enum store_space space, struct slice key)
{
    for (size_t i = 0; i < n_damaged_rows; i++) {
        if (damaged_rows[i].space == space && slice_eq(slice_of(damaged_rows[i].key, damaged_rows[i].n), key)) return true;
    }
    return false;
}

static inline int get_unless_damaged(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    int status = failing.real->get(t, space, key, value);
    return !status && is_damaged_row(space, key) ? STORE_CORRUPT : status;
}

/* SPACE_META's alone: a cursor does not say whose it is. */
static inline int next_unless_damaged(struct store_cursor *c, struct slice *key, struct slice *value)
{
    struct slice at;
    int status = failing.real->range_next(c, &at, value);
    if (!status && key) *key = at;
    return !status && value && is_damaged_row(SPACE_META, at) ? STORE_CORRUPT : status;
}

/* Before the engine's threads are at the store, and behind failing_set_up. */
static inline void damage_row(enum store_space space, struct slice key)
{
    size_t n = n_damaged_rows;
    assert_true(n < sizeof damaged_rows / sizeof *damaged_rows && key.n <= sizeof damaged_rows[n].key);
    memcpy(damaged_rows[n].key, key.p, key.n);
    damaged_rows[n].space = space;
    damaged_rows[n].n = key.n;
    n_damaged_rows = n + 1;
    failing.own.get = get_unless_damaged;
    failing.own.range_next = next_unless_damaged;
}

#endif
