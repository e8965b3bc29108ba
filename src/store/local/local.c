/* local.c: the LMDB backend: putting its parts together, opening and closing. */
#include "local.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Only what is synced may be called clean; after a sync that failed the mark stays. A store that stopped for another reason has
 * commits to sync, too. Not mdb_env_sync: of such a store LMDB may have lost the map. */
static void sync_at_end(struct local *s)
{
    int fd, rc = mdb_env_get_fd(s->env, &fd);

    if (rc == 0 && fdatasync(fd)) rc = errno;
    if (rc)
        local_sync_failed(s, "the last sync failed", rc);
    else
        dir_clear_unsynced(&s->dir);
}

static void local_close(struct store *store)
{
    struct local *s = (struct local *)store;

    local_writer_stop(s);
    local_readers_free(s);
    if (s->relaxed && !s->sync_failed) sync_at_end(s);
    local_env_close(s);
    dir_close(&s->dir);
    free(s);
}

static void local_stats(struct store *store, struct store_stats *out);

static void local_set_endpoint(struct store *store, const char *endpoint)
{
    struct local *s = (struct local *)store;

    if (!s->read_only) dir_set_endpoint(&s->dir, endpoint);
}

static const struct store_backend local_backend = {
    .close = local_close,
    .view = local_view,
    .perform = local_perform,
    .submit = local_submit,
    .get = local_get,
    .get_many = local_get_many,
    .put = local_put,
    .del = local_delete,
    .add = local_add,
    .sum = local_sum,
    .add_reset = local_add_reset,
    .range_open = local_range_open,
    .range_next = local_range_next,
    .range_each = local_range_each,
    .range_close = local_range_close,
    .stats = local_stats,
    .set_endpoint = local_set_endpoint,
};

/* A line of LMDB's list of readers: process, thread, and the transaction that it sees, or "-". */
static int find_oldest(const char *line, void *ctx)
{
    uint64_t *oldest = ctx, seen;
    const char *last = strrchr(line, ' ');
    char *end;

    if (!last) return 0;
    seen = strtoull(last, &end, 10);
    if (end > last + 1 && *end == '\n' && seen < *oldest) *oldest = seen;
    return 0;
}

static uint64_t count_queued(struct local *s)
{
    uint64_t n = 0;

    pthread_mutex_lock(&s->queue_lock);
    for (const struct store_job *job = s->head; job; job = job->next)
        n++;
    pthread_mutex_unlock(&s->queue_lock);
    return n;
}

/* Inside a view, so that the map stays where it is. */
static int read_sizes(struct store_txn *txn, void *ctx)
{
    struct local *s = ((struct local_txn *)txn)->s;
    struct store_stats *out = ctx;
    MDB_envinfo info;
    MDB_stat st;
    uint64_t oldest = UINT64_MAX;

    if (mdb_env_info(s->read_env, &info) || mdb_env_stat(s->read_env, &st)) return STORE_IO;
    out->bytes = (uint64_t)(info.me_last_pgno + 1) * st.ms_psize;
    out->map_size = info.me_mapsize;
    mdb_reader_list(s->read_env, find_oldest, &oldest);
    out->reader_lag = oldest < info.me_last_txnid ? info.me_last_txnid - oldest : 0;
    return STORE_OK;
}

static void local_stats(struct store *store, struct store_stats *out)
{
    struct local *s = (struct local *)store;

    out->commits = atomic_load_explicit(&s->commits, memory_order_relaxed);
    out->updates = atomic_load_explicit(&s->updates, memory_order_relaxed);
    out->reruns = atomic_load_explicit(&s->reruns, memory_order_relaxed);
    out->commit_ns = atomic_load_explicit(&s->commit_ns, memory_order_relaxed);
    out->queued = count_queued(s);
    out->reader_ms = local_readers_age_ms(s);
    out->state = atomic_load(&s->state);
    local_view(store, read_sizes, out);
}

/* The mark must be on the disk before the first write that may not be; and must stay until what an
 * earlier process of this boot left behind is synced. */
static int mark(struct local *s, char *message, size_t message_size)
{
    int rc = 0, unmarked = 0;

    if (s->memory || s->read_only) return STORE_OK;
    if (s->relaxed) {
        rc = dir_mark_unsynced(&s->dir);
    } else if (s->dir.unsynced) {
        rc = mdb_env_sync(s->env, 1);
        if (rc)
            unmarked = dir_mark_sync_failed(&s->dir);
        else
            rc = dir_clear_unsynced(&s->dir);
    }
    if (rc == 0) return STORE_OK;
    if (unmarked)
        return dir_say(local_status(rc), message, message_size, "cannot write to directory %s: %s, " DIR_UNMARKED, s->dir.path,
                       mdb_strerror(rc), strerror(unmarked));
    return dir_say(local_status(rc), message, message_size, "cannot write to directory %s: %s",
                   s->dir.path, strerror(rc));
}

int store__local_open(struct store **out, const struct store_options *o, char *message,
                      size_t message_size)
{
    struct local *s;
    int rc;

    if (posix_memalign((void **)&s, 64, sizeof *s))
        return dir_say(STORE_NO_MEMORY, message, message_size, "out of memory");
    memset(s, 0, sizeof *s);
    s->base.backend = &local_backend;
    s->memory = !o->dir;
    s->read_only = o->dir && o->read_only;
    s->relaxed = o->dir && !o->read_only && o->durability == DURABILITY_RELAXED;
    s->told = o->told;
    s->told_ctx = o->told_ctx;
    local_readers_init(s);

    if (s->memory)
        rc = dir_open_temporary(&s->dir, message, message_size);
    else
        rc = dir_open(&s->dir, o->dir, s->read_only, o->endpoint, message, message_size);
    if (rc) goto err;
    if (!s->memory) rc = dir_check_boot(&s->dir, message, message_size);
    if (rc == STORE_CORRUPT && o->verify) {
        o->verify->tell(o->verify->ctx, &(struct store_fault){ .space = SPACE_END, .tree = "directory", .what = message });
        rc = STORE_OK;
    }
    if (rc == STORE_OK) rc = local_env_check(s, o->verify, message, message_size);
    if (rc) goto err;
    rc = local_env_open(s, o->map_size, message, message_size);
    if (rc) goto err;
    rc = mark(s, message, message_size);
    if (rc) goto err;
    rc = local_writer_start(s);
    if (rc) {
        dir_say(rc, message, message_size, "cannot start a thread: %s", strerror(EAGAIN));
        goto err;
    }
    *out = &s->base;
    return STORE_OK;
err:
    local_env_close(s);
    dir_close(&s->dir);
    local_readers_free(s);
    free(s);
    return rc;
}
