/* fault.c: what to make of a commit, or a sync, that failed.
 *
 * LMDB has dropped the transaction and the last committed state stands. The question is whether
 * writing may go on:
 *   - no room: yes. Nothing was lost, reads go on, and the next commit finds out whether there is
 * room;
 *   - the device failed: no. What a failed sync did not write is gone from the page cache and a
 * second sync would report success without it. The store is read-only from then on;
 *   - the meta page could not be written: the same, and LMDB refuses even to read through the
 *     environment, so views move to a second, read-only one on the same file. Where there was only no
 *     room for it (file systems that never write in place), nothing was written, and the environment is
 *     opened anew. */
#include "local.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROBE_CHUNK (256u << 10)
#define PROBE_SIZE  (8u << 20) /* at least the largest single write of a commit */

/* LMDB reports a short write as EIO, and a disk that fills up begins with one. Writes where the
 * next pages would go and takes it back; returns 0 or why it could not. */
static int probe_room(struct local *s)
{
    struct stat st;
    void *zeros = NULL;
    int fd, rc = mdb_env_get_fd(s->env, &fd);

    if (rc == 0 && fstat(fd, &st)) rc = errno;
    if (rc) return rc;
    zeros = calloc(1, PROBE_CHUNK);
    if (!zeros) return ENOMEM;
    for (off_t at = 0; rc == 0 && at < PROBE_SIZE;) {
        ssize_t n = pwrite(fd, zeros, PROBE_CHUNK, st.st_size + at);

        if (n > 0)
            at += n;
        else if (n == 0 || errno != EINTR)
            rc = n == 0 ? ENOSPC : errno;
    }
    free(zeros);
    if (ftruncate(fd, st.st_size) && rc == 0) rc = errno;
    return rc;
}

/* True if LMDB has given the environment up. */
static bool env_is_lost(struct local *s)
{
    MDB_txn *txn;
    int rc = mdb_txn_begin(s->env, NULL, 0, &txn);

    if (rc == 0) mdb_txn_abort(txn);
    return rc == MDB_PANIC;
}

/* ---- the state, and who is told of it ---- */

static void tell(struct local *s, int state, const char *what, int rc)
{
    char why[256];

    if (!s->told) return;
    snprintf(why, sizeof why, rc ? "%s: %s" : "%s", what, mdb_strerror(rc));
    s->told(s->told_ctx, state, why);
}

void local_stop(struct local *s, const char *what, int rc)
{
    if (atomic_exchange(&s->state, STORE_STOPPED) != STORE_STOPPED) tell(s, STORE_STOPPED, what, rc);
}

void local_sync_failed(struct local *s, const char *what, int rc)
{
    char why[256];
    int unmarked;

    /* First of all: writing the mark may take its time on such a device. */
    atomic_store(&s->state, STORE_STOPPED);
    s->sync_failed = true;
    unmarked = dir_mark_sync_failed(&s->dir);
    if (!unmarked) {
        tell(s, STORE_STOPPED, what, rc);
        return;
    }
    snprintf(why, sizeof why, "%s: %s, " DIR_UNMARKED, what, mdb_strerror(rc), strerror(unmarked));
    tell(s, STORE_STOPPED, why, 0);
}

/* Between full and not full; what has stopped stays stopped, whoever finds room meanwhile. */
static void change(struct local *s, int from, int to, const char *what, int rc)
{
    if (atomic_compare_exchange_strong(&s->state, &from, to)) tell(s, to, what, rc);
}

void local_found_room(struct local *s)
{
    if (atomic_load_explicit(&s->state, memory_order_relaxed) == STORE_FULL) change(s, STORE_FULL, STORE_OK, "a commit found room", 0);
}

int local_write_damaged(struct local_txn *t)
{
    if (!t->error) t->error = STORE_CORRUPT;
    t->damaged = true;
    t->s->write_left = true;
    local_stop(t->s, "a write met a damaged page of the data file", 0);
    return STORE_CORRUPT;
}

int local_commit_failed(struct local *s, int rc)
{
    bool lost = env_is_lost(s);
    int status;

    if (rc == EIO && !lost && local_status(probe_room(s)) == STORE_FULL) rc = ENOSPC;
    status = local_status(rc);
    if (status == STORE_FULL && (!lost || local_env_reopen(s))) {
        change(s, STORE_OK, STORE_FULL, "a commit failed", rc);
        return status;
    }
    if (!lost && status == STORE_NO_MEMORY) return status;
    local_stop(s, "a commit failed", rc);
    if (lost) local_env_read_elsewhere(s);
    return STORE_IO;
}
