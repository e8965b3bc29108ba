/* rows.c: reading and writing single keys and counters. */
#include "guard.h"
#include "keys.h"
#include "leaf.h"
#include "../value.h"
#include <errno.h>

static struct local_txn *txn_of(struct store_txn *t)
{
    return (struct local_txn *)t;
}

/* The batch's cursor in a space. A write mostly follows a read of the same key, and the writes of a batch often lie near each
 * other: LMDB looks first whether the cursor is on the right page already, and need not come down from the root again. */
static int cursor_of(struct local_txn *t, enum store_space space, MDB_cursor **out)
{
    int rc = t->at[space] ? 0 : guard_open_cursor(t->txn, t->s->dbi[space], &t->at[space]);

    *out = t->at[space];
    return rc;
}

/* A view's is closed after each read: its transaction does not do that. */
static void close_cursor(struct local_txn *t, enum store_space space)
{
    if (t->at[space]) mdb_cursor_close(t->at[space]);
    t->at[space] = NULL;
}

/* Is this neighbour of a key's place the key's own entry, with damage, or nothing that is stored? A neighbour whose value is damaged is another key's,
 * and no matter of this one's. */
static bool is_wrong(const struct local_txn *t, enum store_space space, const struct leaf_entry *e, struct slice key)
{
    return e->there && (!leaf_is_node(t, e->key) || leaf_is_of(space, e, key));
}

/* That a key is not there is said by its neighbours: what lies before and behind the place where it would be. A damaged key is
 * found there, since every value's checksum has its key in it, and so is a tree that led to a wrong place. MDB_NOTFOUND, or
 * what is wrong. */
static int confirm_absent(struct local_txn *t, MDB_cursor *c, enum store_space space, struct slice key)
{
    MDB_val wanted = { key.n, (void *)key.p }, k = wanted, v;
    struct leaf_gap gap;
    int rc = mdb_cursor_get(c, &k, &v, MDB_SET_RANGE);

    rc = leaf_gap(t, c, wanted, rc, k, v, MDB_SET, &gap);
    if (rc) return rc;
    if (gap.behind.there && guard_compare(&gap.behind.key, &wanted) == 0) return MDB_CORRUPTED;
    return is_wrong(t, space, &gap.before, key) || is_wrong(t, space, &gap.behind, key) ? MDB_CORRUPTED : MDB_NOTFOUND;
}

static int find(struct local_txn *t, enum store_space space, MDB_val *key, MDB_val *value)
{
    struct slice wanted = slice_of(key->mv_data, key->mv_size);
    MDB_cursor *c;
    int rc;

    if (t->base.writable) {
        rc = cursor_of(t, space, &c);
        if (rc) return rc;
        rc = mdb_cursor_get(c, key, value, MDB_SET);
        return rc == MDB_NOTFOUND ? confirm_absent(t, c, space, wanted) : rc;
    }
    rc = mdb_get(t->txn, t->s->dbi[space], key, value);
    if (rc != MDB_NOTFOUND) return rc;
    rc = cursor_of(t, space, &c);
    if (rc) return rc;
    rc = confirm_absent(t, c, space, wanted);
    close_cursor(t, space);
    return rc;
}

static int reserve(struct local_txn *t, enum store_space space, MDB_val *key, MDB_val *value)
{
    MDB_cursor *c;
    int rc = cursor_of(t, space, &c);

    return rc ? rc : mdb_cursor_put(c, key, value, MDB_RESERVE);
}

static int get(struct local_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    MDB_val k = { key.n, (void *)key.p }, v = { 0, NULL };
    int rc;

    if (key.n > KEY_CUT) {
        struct key_step at;

        rc = key_find(t, space, key, &at);
        if (rc) return local_read_failed(t, rc);
        rc = mdb_get(t->txn, at.dbi, &at.key, &v);
    } else {
        rc = find(t, space, &k, &v);
    }
    if (rc) return local_read_failed(t, local_status(rc));
    t->bytes += v.mv_size;
    if (v.mv_size > VALUE_HEADER + STORE_MAX_VALUE) return STORE_CORRUPT;
    if (!value_read(slice_of(v.mv_data, v.mv_size), space, key, value)) return STORE_CORRUPT;
    return STORE_OK;
}

static int put(struct local_txn *t, enum store_space space, struct slice key, struct slice value)
{
    MDB_val k = { key.n, (void *)key.p }, v = { VALUE_HEADER + value.n, NULL };
    int rc;

    /* Reserving writes the value once, straight into its page. */
    if (key.n > KEY_CUT) {
        struct key_step at;

        rc = key_make(t, space, key, &at);
        if (rc) return rc;
        rc = mdb_put(t->txn, at.dbi, &at.key, &v, MDB_RESERVE);
    } else {
        rc = reserve(t, space, &k, &v);
    }
    if (rc) return local_write_failed(t, rc);
    value_write(v.mv_data, space, key, value);
    t->bytes += key.n + value.n;
    return STORE_OK;
}

static int del(struct local_txn *t, enum store_space space, struct slice key)
{
    MDB_val k = { key.n, (void *)key.p };
    int rc;

    t->bytes += key.n;
    if (key.n > KEY_CUT) return key_remove(t, space, key);
    rc = mdb_del(t->txn, t->s->dbi[space], &k, NULL);
    return rc && rc != MDB_NOTFOUND ? local_write_failed(t, rc) : STORE_OK;
}

/* A read that met a damaged page leaves a transaction as it was, but for the cursors; one that wrote is not to be trusted. */
static int after_read(struct local_txn *t, int rc)
{
    if (rc == STORE_CORRUPT && t->error) return t->error;
    if (rc != GUARD_DAMAGED) return rc;
    local_read_failed(t, STORE_CORRUPT);
    for (int space = 0; !t->base.writable && space < SPACE_END; space++) close_cursor(t, (enum store_space)space);
    return STORE_CORRUPT;
}

static int after_write(struct local_txn *t, int rc)
{
    if (rc == GUARD_DAMAGED) return local_write_damaged(t);
    if (rc && !t->error) t->error = rc; /* the node of a long key, say, whose checksum is wrong */
    return rc;
}

int local_get(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    int rc;

    GUARDED(rc, get(txn_of(t), space, key, value));
    return after_read(txn_of(t), rc);
}

int local_get_many(struct store_txn *t, struct store_read *reads, size_t n)
{
    int first = STORE_OK;

    for (size_t i = 0; i < n; i++) {
        reads[i].status = local_get(t, reads[i].space, reads[i].key, &reads[i].value);
        if (!first && reads[i].status && reads[i].status != STORE_NOT_FOUND)
            first = reads[i].status;
    }
    return first;
}

int local_put(struct store_txn *t, enum store_space space, struct slice key, struct slice value)
{
    int rc;

    GUARDED(rc, put(txn_of(t), space, key, value));
    return after_write(txn_of(t), rc);
}

int local_delete(struct store_txn *t, enum store_space space, struct slice key)
{
    int rc;

    GUARDED(rc, del(txn_of(t), space, key));
    return after_write(txn_of(t), rc);
}

/* ---- counters ---- */

static int stored_sum(struct local_txn *t, struct slice key, int64_t *sum)
{
    struct slice v = { NULL, 0 };
    uint64_t n = 0;
    int rc = get(t, SPACE_COUNTER, key, &v);

    *sum = 0;
    if (rc) return rc == STORE_NOT_FOUND ? STORE_OK : rc;
    if (v.n != 8) return STORE_CORRUPT;
    for (int i = 0; i < 8; i++)
        n |= (uint64_t)v.p[i] << (8 * i);
    *sum = (int64_t)n;
    return STORE_OK;
}

/* What is forgotten may hold anything, and so may its neighbours, but it must lie where it can be replaced. */
static int reach_counter(struct local_txn *t, struct slice key)
{
    struct key_step at;
    MDB_val value;
    int rc = key_find(t, SPACE_COUNTER, key, &at);

    if (rc == STORE_OK) rc = local_status(mdb_get(t->txn, at.dbi, &at.key, &value));
    return rc == STORE_NOT_FOUND ? STORE_OK : local_read_failed(t, rc);
}

/* Of the batch's counters from first on. */
static int read_stored(struct local_txn *t, size_t first)
{
    struct counters *c = &t->s->batch_counters;
    int rc = STORE_OK;

    for (size_t i = first; i < c->n && !rc; i++) {
        struct counter *e = &c->v[i];

        guard_goes_on();
        rc = e->reset ? reach_counter(t, counter_key(c, e)) : stored_sum(t, counter_key(c, e), &e->stored);
    }
    return rc;
}

static int guarded_stored(struct local_txn *t, size_t first)
{
    int rc;

    GUARDED(rc, read_stored(t, first));
    return after_read(t, rc);
}

int local_take_counters(struct local_txn *t)
{
    struct local *s = t->s;
    size_t known = s->batch_counters.n;
    int rc;

    if (!counters_merge(&s->batch_counters, &s->job_counters)) return local_write_failed(t, ENOMEM);
    if (s->batch_counters.n == known) return STORE_OK;
    rc = guarded_stored(t, known);
    /* The job's are among the batch's by now, which can only be dropped. */
    if (rc && !t->error) t->error = rc;
    return rc;
}

static int write_counter(struct local_txn *t, struct slice key, int64_t sum)
{
    uint8_t bytes[8];

    /* A counter at 0 is as one that never was: nothing remains of a dropped table. */
    if (sum == 0) return del(t, SPACE_COUNTER, key);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)sum >> (8 * i));
    return put(t, SPACE_COUNTER, key, slice_of(bytes, sizeof bytes));
}

static int write_counters(struct local_txn *t)
{
    const struct counters *c = &t->s->batch_counters;
    int rc = STORE_OK;

    for (size_t i = 0; i < c->n && !rc; i++) {
        const struct counter *e = &c->v[i];

        guard_goes_on();
        rc = write_counter(t, counter_key(c, e), e->reset ? e->delta : counter_plus(e->stored, e->delta));
    }
    return rc;
}

int local_flush_counters(struct local_txn *t)
{
    int rc;

    GUARDED(rc, write_counters(t));
    return after_write(t, rc);
}

int local_add(struct store_txn *t, struct slice key, int64_t delta)
{
    if (counters_add(&txn_of(t)->s->job_counters, key, delta)) return STORE_OK;
    return local_write_failed(txn_of(t), ENOMEM);
}

int local_add_reset(struct store_txn *t, struct slice key)
{
    if (counters_reset(&txn_of(t)->s->job_counters, key)) return STORE_OK;
    return local_write_failed(txn_of(t), ENOMEM);
}

static int guarded_sum(struct local_txn *l, struct slice key, int64_t *n)
{
    int rc;

    GUARDED(rc, stored_sum(l, key, n));
    return after_read(l, rc);
}

int local_sum(struct store_txn *t, struct slice key, int64_t *sum)
{
    struct local_txn *l = txn_of(t);
    const struct counter *job = NULL, *batch = NULL;
    int64_t n = 0;
    int rc = STORE_OK;

    if (t->writable) {
        job = counters_find(&l->s->job_counters, key);
        batch = counters_find(&l->s->batch_counters, key);
    }
    if (!(job && job->reset)) {
        if (!(batch && batch->reset)) rc = guarded_sum(l, key, &n);
        if (batch) n = counter_plus(n, batch->delta);
    }
    if (job) n = counter_plus(n, job->delta);
    if (rc == STORE_OK) *sum = n;
    return rc;
}
