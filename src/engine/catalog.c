/* catalog.c: the snapshot of all tables, and how it changes hands.
 *
 * One mutex guards the pointer to the newest snapshot and all reference counts, of snapshots and of
 * tables. It is held for a few instructions only; freeing is done outside. A snapshot is a sorted
 * array: replacing it copies one pointer per table, which is nothing beside the commit that came
 * before. */
#include "catalog.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct catalog {
    unsigned refs; /* calls that hold it, plus one while it is the newest */
    size_t n;
    struct table *tables[]; /* by name */
};

struct catalogs {
    pthread_mutex_t lock;
    struct catalog *newest; /* read without the lock by catalog_is_current only */
};

static _Noreturn void out_of_memory(void)
{
    fputs("onefold: out of memory while publishing a table\n", stderr);
    abort();
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
    return __atomic_load_n(&c->newest, __ATOMIC_ACQUIRE) == snapshot;
}

/* ---- publishing ---- */

static struct catalog *catalog_alloc(size_t n)
{
    return calloc(1, sizeof(struct catalog) + n * sizeof(struct table *));
}

/* Puts `in` (or nothing) in the place of the table called name. */
static void replace(struct catalogs *c, struct slice name, struct table *in)
{
    pthread_mutex_lock(&c->lock);
    struct catalog *old = c->newest;
    struct catalog *next = catalog_alloc(old->n + 1);
    if (!next) out_of_memory();
    size_t at = lower_bound(old, name);
    size_t after = at < old->n && slice_eq(old->tables[at]->name, name) ? at + 1 : at;
    memcpy(next->tables, old->tables, at * sizeof *next->tables);
    next->n = at;
    if (in) next->tables[next->n++] = in;
    memcpy(next->tables + next->n, old->tables + after, (old->n - after) * sizeof *next->tables);
    next->n += old->n - after;
    for (size_t i = 0; i < next->n; i++)
        next->tables[i]->refs++;
    next->refs = 1;
    __atomic_store_n(&c->newest, next, __ATOMIC_RELEASE);
    drop_and_unlock(c, old);
}

void catalog_publish(struct catalogs *c, struct slice record)
{
    struct table *t = table_decode(record);
    if (!t) out_of_memory();
    replace(c, t->name, t);
}

void catalog_publish_removal(struct catalogs *c, struct slice name)
{
    replace(c, name, NULL);
}

/* ---- opening ---- */

struct loading {
    struct catalog *catalog;
    size_t room;
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
    struct table *t = table_decode(record);
    if (!t) return STORE_CORRUPT;
    t->refs = 1;
    l->catalog->tables[l->catalog->n++] = t;
    return STORE_OK;
}

static int load(struct store_txn *txn, void *ctx)
{
    struct loading *l = ctx;
    struct store_cursor *cursor;
    struct store_range range = { .space = SPACE_META, .from = SLICE("T"), .to = SLICE("U") };
    struct slice record;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    while (!(status = store_range_next(cursor, NULL, &record))) {
        status = load_table(l, record);
        if (status) break;
    }
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

static void free_catalog(struct catalog *catalog)
{
    for (size_t i = 0; catalog && i < catalog->n; i++)
        table_free(catalog->tables[i]);
    free(catalog);
}

int catalogs_open(struct catalogs **out, struct store *store, char *message, size_t message_size)
{
    struct catalogs *c = calloc(1, sizeof *c);
    struct loading l = { .catalog = catalog_alloc(16), .room = 16 };
    int status = c && l.catalog ? store_view(store, load, &l) : STORE_NO_MEMORY;
    if (status) {
        snprintf(message, message_size, "the table definitions cannot be read: %s",
                 store_status_text(status));
        free_catalog(l.catalog);
        free(c);
        return status;
    }
    l.catalog->refs = 1;
    c->newest = l.catalog;
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
