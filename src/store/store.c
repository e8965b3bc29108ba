/* store.c: what every backend shares: argument checks, the list of open cursors, counting and
 * delaying round trips in test mode. Everything else is the backend's. */
#include "backend.h"
#include <stdio.h>
#include <time.h>

const char *store_status_text(int status)
{
    switch (status) {
    case STORE_OK:
        return "ok";
    case STORE_NOT_FOUND:
        return "not found";
    case STORE_END:
        return "end of range";
    case STORE_FULL:
        return "no room left on the disk";
    case STORE_IO:
        return "the storage device failed";
    case STORE_CORRUPT:
        return "stored data is damaged";
    case STORE_NO_MEMORY:
        return "out of memory";
    case STORE_STOPPED:
        return "the store takes no more writes";
    case STORE_CONFLICT:
        return "conflict, try again";
    case STORE_INVALID:
        return "invalid use of the store";
    case STORE_LONG:
        return "not done, since it takes more than one round trip";
    case STORE_AWAY:
        return "the database cannot be reached";
    default:
        return "unknown store status";
    }
}

/* ---- around a run ---- */

void store__txn_begin(struct store_txn *t, struct store *s, bool writable)
{
    t->store = s;
    t->writable = writable;
    t->writes = 0;
    t->refused = STORE_OK;
    t->cursors = NULL;
}

void store__txn_end(struct store_txn *t)
{
    while (t->cursors)
        store_range_close(t->cursors);
}

/* A round trip, as far as tests are concerned. */
static void trip(struct store *s)
{
    if (s->count_reads) atomic_fetch_add_explicit(&s->reads, 1, memory_order_relaxed);
    if (s->read_delay_us) {
        struct timespec d = { s->read_delay_us / 1000000, (s->read_delay_us % 1000000) * 1000L };
        nanosleep(&d, NULL);
    }
}

static bool key_ok(struct slice key)
{
    return key.n > 0 && key.n <= STORE_MAX_KEY;
}

static bool space_ok(enum store_space space)
{
    return space < SPACE_END && space != SPACE_COUNTER;
}

/* ---- verbs ---- */

int store_view(struct store *s, store_fn *fn, void *ctx)
{
    return s->backend->view(s, fn, ctx);
}

int store_update(struct store *s, store_fn *fn, void *ctx)
{
    struct store_job job = { .fn = fn, .ctx = ctx };

    s->backend->perform(s, &job);
    return job.status;
}

void store_perform(struct store *s, struct store_job *job)
{
    s->backend->perform(s, job);
}

void store_submit(struct store *s, struct store_job *job)
{
    s->backend->submit(s, job, job);
}

void store_submit_all(struct store *s, struct store_job *first, struct store_job *last)
{
    s->backend->submit(s, first, last);
}

void store_submit_views(struct store *s, struct store_job *first, struct store_job *last)
{
    if (s->backend->submit_views) {
        s->backend->submit_views(s, first, last);
        return;
    }
    for (struct store_job *job = first, *next; job; job = next) {
        next = job == last ? NULL : job->next;
        job->status = STORE_LONG;
        job->done(job);
    }
}

int store_view_long(struct store *s, store_fn *fn, void *ctx)
{
    return s->backend->view_long ? s->backend->view_long(s, fn, ctx) : s->backend->view(s, fn, ctx);
}

bool store_may_block(const struct store *s)
{
    return s->may_block;
}

/* ---- reads and writes ---- */

int store_get(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    if (!space_ok(space) || !key_ok(key)) return STORE_INVALID;
    trip(t->store);
    return t->store->backend->get(t, space, key, value);
}

int store_get_many(struct store_txn *t, struct store_read *reads, size_t n)
{
    if (n == 0) return STORE_OK;
    for (size_t i = 0; i < n; i++)
        if (!space_ok(reads[i].space) || !key_ok(reads[i].key)) return STORE_INVALID;
    trip(t->store);
    return t->store->backend->get_many(t, reads, n);
}

int store_put(struct store_txn *t, enum store_space space, struct slice key, struct slice value)
{
    if (!t->writable || !space_ok(space) || !key_ok(key) || value.n > STORE_MAX_VALUE)
        return STORE_INVALID;
    t->writes++;
    return t->store->backend->put(t, space, key, value);
}

int store_delete(struct store_txn *t, enum store_space space, struct slice key)
{
    if (!t->writable || !space_ok(space) || !key_ok(key)) return STORE_INVALID;
    t->writes++;
    return t->store->backend->del(t, space, key);
}

void store_refuse(struct store_txn *t, int status)
{
    if (!t->refused) t->refused = status;
}

int store_add(struct store_txn *t, struct slice key, int64_t delta)
{
    if (!t->writable || !key_ok(key)) return STORE_INVALID;
    return t->store->backend->add(t, key, delta);
}

int store_sum(struct store_txn *t, struct slice key, int64_t *sum)
{
    if (!key_ok(key)) return STORE_INVALID;
    trip(t->store);
    return t->store->backend->sum(t, key, sum);
}

int store_add_reset(struct store_txn *t, struct slice key)
{
    if (!t->writable || !key_ok(key)) return STORE_INVALID;
    return t->store->backend->add_reset(t, key);
}

/* ---- shared stores: what others do meanwhile ---- */

bool store_is_shared(const struct store *s)
{
    return s->backend->epoch != NULL;
}

bool store_is_spread(const struct store *s)
{
    return s->spread;
}

int store_epoch(struct store_txn *t, int64_t *epoch)
{
    *epoch = 0;
    return store_is_shared(t->store) ? t->store->backend->epoch(t, epoch) : STORE_OK;
}

int store_new_epoch(struct store_txn *t)
{
    if (!t->writable) return STORE_INVALID;
    if (store_is_shared(t->store)) t->store->backend->new_epoch(t);
    return STORE_OK;
}

/* Alone, whoever asks knows what was given out before. */
static int next_alone(struct store_txn *t, struct slice series, uint64_t number)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> (56 - 8 * i));
    return store_put(t, SPACE_META, series, slice_of(bytes, 8));
}

int store_next(struct store_txn *t, struct slice series, uint64_t least, uint64_t *number)
{
    if (!t->writable || !key_ok(series)) return STORE_INVALID;
    *number = least;
    if (!store_is_shared(t->store)) return next_alone(t, series, least);
    t->writes++;
    return t->store->backend->next(t, series, least, number);
}

bool store_was_alone(struct store *s)
{
    return !store_is_shared(s) || s->backend->was_alone(s);
}

bool store_leads(struct store *s)
{
    return !store_is_shared(s) || s->backend->leads(s);
}

/* ---- ranges ---- */

int store_range_open(struct store_txn *t, const struct store_range *r, struct store_cursor **out)
{
    struct store_cursor *c;
    int rc;

    *out = NULL;
    if (r->space >= SPACE_END || r->from.n > STORE_MAX_KEY || r->to.n > STORE_MAX_KEY)
        return STORE_INVALID;
    trip(t->store);
    rc = t->store->backend->range_open(t, r, &c);
    if (rc) return rc;
    c->txn = t;
    c->prev = NULL;
    c->next = t->cursors;
    if (c->next) c->next->prev = c;
    t->cursors = c;
    c->writes = t->writes;
    c->limit = r->limit;
    c->taken = 0;
    c->ended = false;
    *out = c;
    return STORE_OK;
}

/* Another round trip when as many were taken as one brings. */
static void take(struct store_cursor *c)
{
    if (c->limit && c->taken == c->limit) {
        trip(c->txn->store);
        c->taken = 0;
    }
    c->taken++;
}

int store_range_next(struct store_cursor *c, struct slice *key, struct slice *value)
{
    int rc;

    if (c->ended) return STORE_END;
    if (c->writes != c->txn->writes) return STORE_INVALID;
    take(c);
    rc = c->txn->store->backend->range_next(c, key, value);
    if (rc == STORE_END) c->ended = true;
    return rc;
}

struct each {
    struct store_cursor *cursor;
    store_value_fn *fn;
    void *ctx;
};

static int take_value(void *ctx, struct slice value)
{
    struct each *e = ctx;

    take(e->cursor);
    return e->fn(e->ctx, value);
}

int store_range_each(struct store_cursor *c, store_value_fn *fn, void *ctx)
{
    struct store *s = c->txn->store;
    struct each e = { c, fn, ctx };
    int rc;

    if (c->ended) return STORE_END;
    if (c->writes != c->txn->writes) return STORE_INVALID;
    if (s->count_reads || s->read_delay_us)
        rc = s->backend->range_each(c, take_value, &e);
    else
        rc = s->backend->range_each(c, fn, ctx);
    if (rc == STORE_END) {
        take(c); /* finding the end takes as much as finding a value */
        c->ended = true;
    }
    return rc;
}

void store_range_close(struct store_cursor *c)
{
    if (!c) return;
    if (c->prev)
        c->prev->next = c->next;
    else
        c->txn->cursors = c->next;
    if (c->next) c->next->prev = c->prev;
    c->txn->store->backend->range_close(c);
}

/* ---- opening ---- */

int store_open(struct store **out, const struct store_options *o, char *message,
               size_t message_size)
{
    struct store *s;
    int rc;

    if (message_size) message[0] = 0;
    *out = NULL;
    rc = o->url ? store__postgres_open(&s, o, message, message_size) : store__local_open(&s, o, message, message_size);
    if (rc) return rc;
    s->count_reads = o->count_reads;
    s->read_delay_us = o->read_delay_us;
    s->may_block = s->may_block || o->read_delay_us != 0;
    atomic_init(&s->reads, 0);
    *out = s;
    return STORE_OK;
}

void store_close(struct store *s)
{
    if (s) s->backend->close(s);
}

void store_get_stats(struct store *s, struct store_stats *out)
{
    memset(out, 0, sizeof *out);
    s->backend->stats(s, out);
    out->reads = atomic_load_explicit(&s->reads, memory_order_relaxed);
}

void store_set_endpoint(struct store *s, const char *endpoint)
{
    if (s->backend->set_endpoint) s->backend->set_endpoint(s, endpoint);
}
