/* catalog.c: the snapshot of all tables, and how it changes hands.
 *
 * One mutex guards the pointer to the newest snapshot and all reference counts, of snapshots and of
 * tables. It is held for a few instructions only; freeing is done outside. A snapshot is a sorted
 * array: replacing it copies one pointer per table, which is nothing beside the commit that came
 * before. */
#include "catalog.h"
#include "clone.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct catalog {
    unsigned refs; /* calls that hold it, plus one while it is the newest */
    int64_t epoch; /* on a shared store */
    size_t n;
    struct table *tables[]; /* by name */
};

struct catalogs {
    pthread_mutex_t lock;
    struct store *store;
    struct catalog *newest;
    /* The newest, or NULL: a change that was committed could not be published for want of memory, and the newest is out of date until all
     * is read again. Read without the lock. */
    struct catalog *current;
    uint64_t changes; /* published, or to be: tells whether one came while all was read */
};

static void read_again(struct catalogs *c);

static void set_current(struct catalogs *c, struct catalog *current)
{
    __atomic_store_n(&c->current, current, __ATOMIC_RELEASE);
}

/* ---- asking ---- */

/* The first table whose name is not before name. */
static size_t lower_bound(const struct catalog *c, struct slice name)
{
    size_t lo = 0, hi = c->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (slice_cmp(c->tables[mid]->name, name) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

const struct table *catalog_find(const struct catalog *c, struct slice name)
{
    size_t i = lower_bound(c, name);
    return i < c->n && slice_eq(c->tables[i]->name, name) ? c->tables[i] : NULL;
}

const struct table *catalog_find_ready(const struct catalog *c, struct slice name)
{
    const struct table *t = catalog_find(c, name);
    return t && t->status != TABLE_CREATING ? t : NULL;
}

size_t catalog_count(const struct catalog *c)
{
    return c->n;
}

const struct table *catalog_at(const struct catalog *c, size_t i)
{
    return c->tables[i];
}

size_t catalog_first_after(const struct catalog *c, struct slice after)
{
    size_t i = lower_bound(c, after);
    return i < c->n && slice_eq(c->tables[i]->name, after) ? i + 1 : i;
}

/* ---- holding ---- */

const struct catalog *catalog_acquire(struct catalogs *c)
{
    if (catalog_is_stale(c)) read_again(c);
    pthread_mutex_lock(&c->lock);
    struct catalog *newest = c->newest;
    newest->refs++;
    pthread_mutex_unlock(&c->lock);
    return newest;
}

/* Takes the lock held and gives it back released. */
static void drop_and_unlock(struct catalogs *c, struct catalog *snapshot)
{
    struct catalog *dead = --snapshot->refs == 0 ? snapshot : NULL;
    size_t n_dead = 0;
    if (dead) {
        /* Tables that no other snapshot holds move to the front, to be freed without the lock. */
        for (size_t i = 0; i < dead->n; i++) {
            if (--dead->tables[i]->refs == 0) dead->tables[n_dead++] = dead->tables[i];
        }
    }
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < n_dead; i++)
        table_free(dead->tables[i]);
    free(dead);
}

void catalog_release(struct catalogs *c, const struct catalog *snapshot)
{
    pthread_mutex_lock(&c->lock);
    drop_and_unlock(c, (struct catalog *)(uintptr_t)snapshot);
}

bool catalog_is_current(struct catalogs *c, const struct catalog *snapshot)
{
    return __atomic_load_n(&c->current, __ATOMIC_ACQUIRE) == snapshot;
}

bool catalog_is_stale(struct catalogs *c)
{
    return !__atomic_load_n(&c->current, __ATOMIC_ACQUIRE);
}

/* ---- publishing ---- */

static struct catalog *catalog_alloc(size_t n)
{
    return calloc(1, sizeof(struct catalog) + n * sizeof(struct table *));
}

/* It is committed, so it cannot be undone; whoever needs the catalog next reads all of it. */
static void go_stale(struct catalogs *c)
{
    pthread_mutex_lock(&c->lock);
    c->changes++;
    set_current(c, NULL);
    pthread_mutex_unlock(&c->lock);
}

/* With the lock held, which is released. */
static void make_newest(struct catalogs *c, struct catalog *next, bool current)
{
    struct catalog *old = c->newest;
    next->refs = 1;
    c->newest = next;
    if (current) set_current(c, next);
    drop_and_unlock(c, old);
}

/* Puts `in` (or nothing) in the place of the table called name. False: no memory. */
static bool replace(struct catalogs *c, struct slice name, struct table *in)
{
    pthread_mutex_lock(&c->lock);
    struct catalog *old = c->newest;
    struct catalog *next = catalog_alloc(old->n + 1);
    if (!next) {
        pthread_mutex_unlock(&c->lock);
        return false;
    }
    size_t at = lower_bound(old, name);
    size_t after = at < old->n && slice_eq(old->tables[at]->name, name) ? at + 1 : at;
    memcpy(next->tables, old->tables, at * sizeof *next->tables);
    next->n = at;
    if (in) next->tables[next->n++] = in;
    memcpy(next->tables + next->n, old->tables + after, (old->n - after) * sizeof *next->tables);
    next->n += old->n - after;
    for (size_t i = 0; i < next->n; i++)
        next->tables[i]->refs++;
    c->changes++;
    make_newest(c, next, !catalog_is_stale(c));
    return true;
}

void catalog_publish(struct catalogs *c, struct slice record)
{
    int status;
    if (catalog_is_shared(c)) return;
    struct table *t = table_decode(record, &status);
    if (t && replace(c, t->name, t)) return;
    table_free(t);
    go_stale(c);
}

void catalog_publish_removal(struct catalogs *c, struct slice name)
{
    if (!catalog_is_shared(c) && !replace(c, name, NULL)) go_stale(c);
}

/* ---- reading all of it ---- */

struct loading {
    struct catalog *catalog;
    size_t room;
    bool shared;
};

static int load_table(struct loading *l, struct slice record)
{
    if (l->catalog->n == l->room) {
        size_t room = l->room * 2;
        struct catalog *more =
            realloc(l->catalog, sizeof(struct catalog) + room * sizeof(struct table *));
        if (!more) return STORE_NO_MEMORY;
        l->catalog = more;
        l->room = room;
    }
    int status;
    struct table *t = table_decode(record, &status);
    if (!t) return status;
    t->refs = 1;
    l->catalog->tables[l->catalog->n++] = t;
    return STORE_OK;
}

static void forget(struct loading *l)
{
    while (l->catalog->n) table_free(l->catalog->tables[--l->catalog->n]);
}

static int load(struct store_txn *txn, void *ctx)
{
    struct loading *l = ctx;
    struct store_cursor *cursor;
    forget(l); /* of a run before this one */
    struct store_range range = { .space = SPACE_META, .from = SLICE("T"), .to = SLICE("U") };
    struct slice record;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    while (!(status = store_range_next(cursor, NULL, &record))) {
        status = load_table(l, record);
        if (status) break;
    }
    store_range_close(cursor);
    if (status != STORE_END) return status;
    status = l->shared ? clone_find(txn) : STORE_NOT_FOUND;
    if (status != STORE_NOT_FOUND) return status ? status : STORE_AWAY; /* its tables are not there yet */
    return store_epoch(txn, &l->catalog->epoch);
}

static void free_catalog(struct catalog *catalog)
{
    for (size_t i = 0; catalog && i < catalog->n; i++)
        table_free(catalog->tables[i]);
    free(catalog);
}

/* All of it, or NULL and a status. */
static struct catalog *load_all(struct store *store, int *status)
{
    struct loading l = { .catalog = catalog_alloc(16), .room = 16, .shared = store_is_shared(store) };
    *status = l.catalog ? store_view(store, load, &l) : STORE_NO_MEMORY;
    if (!*status) return l.catalog;
    free_catalog(l.catalog);
    return NULL;
}

/* What is committed but not published yet when the view begins is in it, and is published once more after it. Not with the lock held:
 * a view may have to wait, and others that have one wait for the lock. */
static void read_again(struct catalogs *c)
{
    int status;
    pthread_mutex_lock(&c->lock);
    uint64_t changes = c->changes;
    pthread_mutex_unlock(&c->lock);
    struct catalog *all = load_all(c->store, &status);
    if (!all) return;
    pthread_mutex_lock(&c->lock);
    if (changes == c->changes && catalog_is_stale(c)) {
        make_newest(c, all, true);
        return;
    }
    pthread_mutex_unlock(&c->lock);
    free_catalog(all);
}

/* ---- on a shared store ---- */

bool catalog_is_shared(const struct catalogs *c)
{
    return store_is_shared(c->store);
}

int64_t catalog_epoch(const struct catalog *snapshot)
{
    return snapshot->epoch;
}

const struct catalog *catalog_read_all(struct catalogs *c, int *status)
{
    struct catalog *all = load_all(c->store, status);
    if (!all) return NULL;
    pthread_mutex_lock(&c->lock);
    all->refs = 1; /* the caller's */
    if (all->epoch == c->newest->epoch) {
        pthread_mutex_unlock(&c->lock);
        return all;
    }
    struct catalog *old = c->newest;
    all->refs++;
    c->newest = all;
    set_current(c, all);
    drop_and_unlock(c, old);
    return all;
}

int catalog_follow(struct catalogs *c, struct store_txn *txn)
{
    int64_t epoch;
    if (!catalog_is_shared(c)) return STORE_OK;
    int status = store_epoch(txn, &epoch);
    if (status) return status;
    pthread_mutex_lock(&c->lock);
    bool same = c->newest->epoch == epoch;
    pthread_mutex_unlock(&c->lock);
    if (same) return STORE_OK;
    const struct catalog *all = catalog_read_all(c, &status);
    if (!all) return status;
    if (all->epoch != epoch) store_refuse(txn, status = STORE_CONFLICT);
    catalog_release(c, all);
    return status;
}

static int follow(struct store_txn *txn, void *catalogs)
{
    return catalog_follow(catalogs, txn);
}

int catalog_catch_up(struct catalogs *c)
{
    return catalog_is_shared(c) ? store_view(c->store, follow, c) : STORE_OK;
}

/* ---- opening ---- */

int catalogs_open(struct catalogs **out, struct store *store, char *message, size_t message_size)
{
    struct catalogs *c = calloc(1, sizeof *c);
    int status = STORE_NO_MEMORY;
    struct catalog *all = c ? load_all(store, &status) : NULL;
    if (!all) {
        snprintf(message, message_size, "the table definitions cannot be read: %s",
                 store_status_text(status));
        free(c);
        return status;
    }
    all->refs = 1;
    c->store = store;
    c->newest = c->current = all;
    pthread_mutex_init(&c->lock, NULL);
    *out = c;
    return STORE_OK;
}

void catalogs_close(struct catalogs *c)
{
    if (!c) return;
    free_catalog(c->newest);
    pthread_mutex_destroy(&c->lock);
    free(c);
}
