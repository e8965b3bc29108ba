/* env.c: the LMDB environment: opening it, its databases, the size of its map. */
#include "../../base/failpoint.h"
#include "guard.h"
#include "local.h"
#include "pages.h"
#include "verify.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALLEST_MAP (1u << 20)

static const char *const space_names[SPACE_END + 1] = {
    [SPACE_META] = "meta",     [SPACE_ITEM] = "item",       [SPACE_INDEX] = "index", [SPACE_TOKEN] = "token",
    [SPACE_STREAM] = "stream", [SPACE_COUNTER] = "counter", [SPACE_END] = "tails",
};

int local_status(int rc)
{
    switch (rc) {
    case 0:
        return STORE_OK;
    case MDB_NOTFOUND:
        return STORE_NOT_FOUND;
    case MDB_MAP_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return STORE_FULL;
    case ENOMEM:
    case MDB_TXN_FULL:
        return STORE_NO_MEMORY;
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_CURSOR_FULL: /* a tree that is deeper than any */
    case MDB_BAD_TXN:     /* what LMDB says after one of these */
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_INCOMPATIBLE:
        return STORE_CORRUPT;
    case MDB_PANIC:
        return STORE_STOPPED;
    case MDB_BAD_VALSIZE:
    case EINVAL:
        return STORE_INVALID;
    default:
        return STORE_IO;
    }
}

int local_write_failed(struct local_txn *t, int rc)
{
    int status = local_status(rc);

    if (!t->error) {
        t->error = status;
        t->map_full = rc == MDB_MAP_FULL;
    }
    return status;
}

int local_read_failed(struct local_txn *t, int status)
{
    if (status && status != STORE_NOT_FOUND && t->base.writable && !t->error) t->error = status;
    return status;
}

static int open_database(MDB_txn *txn, const char *name, unsigned flags, MDB_dbi *dbi)
{
    int rc = mdb_dbi_open(txn, name, flags, dbi);

    return rc ? rc : mdb_set_compare(txn, *dbi, guard_compare);
}

/* Opens the databases, making them in a new directory. *entries: how much is in them. */
static int open_databases(MDB_env *env, bool make, MDB_dbi *dbi, MDB_dbi *tails, size_t *entries, MDB_txn **begun)
{
    unsigned flags = make ? MDB_CREATE : 0;
    MDB_dbi names;
    MDB_txn *txn;
    MDB_stat st;
    int rc = mdb_txn_begin(env, NULL, make ? 0 : MDB_RDONLY, &txn);

    *entries = 0;
    if (rc) return rc;
    *begun = txn;
    rc = open_database(txn, NULL, 0, &names);
    for (int i = 0; rc == 0 && i < SPACE_END; i++) {
        rc = open_database(txn, space_names[i], flags, &dbi[i]);
        if (rc == 0) rc = mdb_stat(txn, dbi[i], &st);
        if (rc == 0) *entries += st.ms_entries;
    }
    if (rc == 0) rc = open_database(txn, space_names[SPACE_END], flags, tails);
    if (rc) {
        mdb_txn_abort(txn);
        return rc == MDB_NOTFOUND ? MDB_INVALID : rc;
    }
    return mdb_txn_commit(txn);
}

/* Apart, so that nothing of the caller's is in registers when a damaged page is met. */
static __attribute__((noinline)) int open_in_guard(MDB_env *env, bool make, MDB_dbi *dbi, MDB_dbi *tails, size_t *entries, MDB_txn **begun)
{
    int rc;

    GUARDED(rc, open_databases(env, make, dbi, tails, entries, begun));
    return rc;
}

static int open_guarded(MDB_env *env, bool make, MDB_dbi *dbi, MDB_dbi *tails, size_t *entries)
{
    MDB_txn *begun = NULL;
    int rc = open_in_guard(env, make, dbi, tails, entries, &begun);

    if (rc == GUARD_DAMAGED && !make) mdb_txn_abort(begun); /* one that reads may be left anywhere */
    return rc;
}

static int look_for_map(MDB_txn *txn, size_t page_size, const uint8_t **map)
{
    MDB_dbi names;
    MDB_cursor *c;
    MDB_val key, value;
    int rc = open_database(txn, NULL, 0, &names);

    if (rc == 0) rc = guard_open_cursor(txn, names, &c);
    if (rc) return rc;
    rc = mdb_cursor_get(c, &key, &value, MDB_FIRST);
    mdb_cursor_close(c);
    if (rc) return rc;
    const uint8_t *page = (const uint8_t *)((uintptr_t)key.mv_data & ~(uintptr_t)(page_size - 1));
    page -= pages_number(page, 8) * page_size;
    if (pages_flags(page) == PAGE_META) *map = page;
    return 0;
}

void local_env_find_map(struct local *s, MDB_txn *txn)
{
    const uint8_t *map = NULL;
    int rc;

    GUARDED(rc, look_for_map(txn, s->page_size, &map));
    if (rc == 0) s->map = map;
}

/* The store's own. */
static int open_own(struct local *s, size_t *entries)
{
    MDB_stat st;
    int rc = open_guarded(s->env, s->dir.fresh, s->dbi, &s->tails, entries);

    if (rc == GUARD_DAMAGED) {
        s->write_left = s->dir.fresh;
        return MDB_CORRUPTED;
    }
    s->map = NULL;
    if (rc == 0) rc = mdb_env_stat(s->env, &st);
    if (rc == 0) s->page_size = st.ms_psize <= (size_t)sysconf(_SC_PAGESIZE) ? st.ms_psize : 0;
    return rc;
}

/* Of a file that nobody has looked at before (local_env_check): reading past the end of one that was cut would be a SIGBUS, not an error. */
static int check_length(struct local *s)
{
    MDB_envinfo info;
    MDB_stat st;
    struct stat file;
    int fd;

    if (mdb_env_info(s->env, &info) || mdb_env_stat(s->env, &st) || mdb_env_get_fd(s->env, &fd))
        return MDB_INVALID;
    if (fstat(fd, &file)) return errno;
    return (uint64_t)file.st_size < (uint64_t)(info.me_last_pgno + 1) * st.ms_psize ? MDB_INVALID
                                                                                    : 0;
}

static int open_env(const char *path, unsigned flags, size_t map_size, MDB_env **out)
{
    MDB_env *env;
    int rc = mdb_env_create(&env);

    *out = NULL;
    if (rc) return rc;
    rc = mdb_env_set_maxdbs(env, SPACE_END + 1);
    if (rc == 0) rc = mdb_env_set_assert(env, guard_assert);
    if (rc == 0) rc = mdb_env_set_maxreaders(env, LOCAL_READERS);
    if (rc == 0) rc = mdb_env_set_mapsize(env, map_size);
    if (rc == 0) rc = mdb_env_open(env, path, flags, 0600);
    if (rc)
        mdb_env_close(env);
    else
        *out = env;
    return rc;
}

static unsigned env_flags(const struct local *s)
{
    /* Nobody can write while the directory's lock is held, so readers need not be registered. */
    if (s->read_only) return MDB_NOTLS | MDB_RDONLY | MDB_NOLOCK;
    /* Relaxed and memory never sync on commit. A new directory is synced once, when complete. */
    return s->memory || s->relaxed || s->dir.fresh || SEEDED_BUG(skipped_sync) ? MDB_NOTLS | MDB_NOSYNC : MDB_NOTLS;
}

static size_t first_map_size(struct local *s, size_t wanted)
{
    size_t size = FAILPOINT_MAP_SIZE(wanted ? wanted : LOCAL_MAP_SIZE);
    struct stat st;

    if (size < SMALLEST_MAP) size = SMALLEST_MAP;
    if (s->dir.has_data && fstatat(s->dir.fd, "data.mdb", &st, 0) == 0)
        while (size / 2 < (size_t)st.st_size && size <= SIZE_MAX / 2) /* a sparse file can be larger than any map */
            size *= 2;
    return size;
}

/* The last steps of a new directory: all that was written so far is synced, then FORMAT says so. What failed here is not tried
 * again on the same files: the next sync would say yes to pages that the failed one lost. */
static int complete_new(struct local *s)
{
    int rc;

    if (s->memory) return 0;
    rc = mdb_env_sync(s->env, 1);
    FAILPOINT(format_before);
    if (rc == 0) rc = dir_write_format(&s->dir);
    if (rc == 0 && !s->relaxed && !SEEDED_BUG(skipped_sync)) rc = mdb_env_set_flags(s->env, MDB_NOSYNC, 0);
    if (rc)
        dir_abandon(&s->dir);
    else
        s->dir.fresh = false;
    return rc;
}

static int say_damaged(const struct local *s, const char *why, char *message, size_t message_size)
{
    return dir_say(STORE_CORRUPT, message, message_size,
                   "%s/data.mdb is damaged (%s): restore the directory from a backup", s->dir.path, why);
}

/* wrong: "is cut off", as pages.h says it, and as `onefold check` does. */
static int say_wrong(const struct local *s, const char *wrong, char *message, size_t message_size)
{
    return dir_say(STORE_CORRUPT, message, message_size,
                   "%s/data.mdb %s, so it is damaged: restore the directory from a backup", s->dir.path, wrong);
}

int local_env_check(struct local *s, struct store_verify *verify, char *message, size_t message_size)
{
    struct pages_meta meta;
    const char *wrong;
    int fd, rc = STORE_OK;

    if (s->memory || s->dir.fresh) return STORE_OK;
    fd = openat(s->dir.fd, "data.mdb", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return dir_say(STORE_IO, message, message_size, "cannot open %s/data.mdb: %s", s->dir.path, strerror(errno));
    if (verify) {
        rc = verify_file(fd, space_names, verify);
        if (rc == STORE_CORRUPT)
            say_damaged(s, store_status_text(rc), message, message_size);
        else if (rc)
            dir_say(rc, message, message_size, "cannot verify %s/data.mdb: %s", s->dir.path, store_status_text(rc));
    } else if ((wrong = pages_read_meta(fd, &meta)) || (wrong = verify_length(fd, &meta))) {
        rc = say_wrong(s, wrong, message, message_size);
    }
    close(fd);
    return rc;
}

int local_env_open(struct local *s, size_t map_size, char *message, size_t message_size)
{
    size_t entries = 0;
    int rc;

    rc = s->read_only ? 0 : dir_reserve_readers(&s->dir);
    if (!rc && s->dir.fresh && !s->memory) rc = dir_begin_new(&s->dir);
    if (rc) {
        if (s->memory) dir_vanish(&s->dir);
        return dir_say(local_status(rc), message, message_size, "cannot write to directory %s: %s", s->dir.path, strerror(rc));
    }
    s->map_size = first_map_size(s, map_size);
    /* Where address space is limited (ulimit -v; valgrind, which says EINVAL) a smaller map does,
     * as long as it can grow. */
    while ((rc = open_env(s->dir.path, env_flags(s), s->map_size, &s->env)) != 0 &&
           (rc == ENOMEM || rc == EINVAL) && s->map_size / 2 >= SMALLEST_MAP)
        s->map_size /= 2;
    /* At once: a process that is killed before this leaves files behind. */
    if (s->memory) dir_vanish(&s->dir);
    s->read_env = s->env;
    if (rc == 0 && s->dir.fresh) rc = check_length(s);
    if (rc == 0) rc = open_own(s, &entries);
    if (rc == 0 && s->dir.fresh && entries) {
        local_env_close(s);
        return dir_say_no_format(&s->dir, message, message_size);
    }
    if (rc == 0 && s->dir.fresh) rc = complete_new(s);
    if (rc == 0) return STORE_OK;
    local_env_close(s);
    /* Half a file of ours would be taken for a damaged one by the next start. */
    if (s->dir.fresh && !s->dir.has_data && !s->memory) dir_abandon(&s->dir);
    if (local_status(rc) == STORE_CORRUPT)
        return say_damaged(s, mdb_strerror(rc), message, message_size);
    return dir_say(local_status(rc), message, message_size, "cannot open %s/data.mdb: %s",
                   s->dir.path, mdb_strerror(rc));
}

/* Stays as it is, mapped, until the process ends: the thread that was writing has LMDB's lock, which lies in lock.mdb, and the C
 * library's list of the robust locks of that thread leads through it. Without the map the thread's next write to any store would go
 * through memory that is not there. Nobody else is to wait for that lock: the file loses its name, and the next to open the directory
 * makes another. That is safe as long as the directory's own lock is held. */
static void leave_env(struct local *s)
{
    static _Atomic(MDB_env *) last; /* each knows the one before, so that none looks lost */

    mdb_env_set_userctx(s->env, atomic_exchange(&last, s->env));
    if (!s->memory) dir_remove_readers(&s->dir);
}

void local_env_close(struct local *s)
{
    if (s->read_env && s->read_env != s->env) mdb_env_close(s->read_env);
    if (s->env && s->write_left)
        leave_env(s);
    else if (s->env)
        mdb_env_close(s->env);
    s->env = s->read_env = NULL;
}

/* A second, read-only environment on the same file, or NULL. */
static MDB_env *open_again(struct local *s)
{
    MDB_dbi dbi[SPACE_END], tails;
    MDB_env *env;
    size_t entries;

    /* An unlinked file cannot be opened again; but memory does not fail to take a page either. The
     * map need not grow: LMDB makes it as large as the data. */
    if (s->memory || open_env(s->dir.path, MDB_NOTLS | MDB_RDONLY | MDB_NOLOCK, SMALLEST_MAP, &env))
        return NULL;
    /* Opened in the same order they have the same numbers; cursors and rows rely on it. */
    if (open_guarded(env, false, dbi, &tails, &entries) || memcmp(dbi, s->dbi, sizeof dbi) != 0 ||
        tails != s->tails) {
        mdb_env_close(env);
        return NULL;
    }
    return env;
}

/* With views kept out. Where no second environment can be had, reading has ended too. */
static void move_views(struct local *s)
{
    local_readers_drop(s);
    s->read_env = open_again(s);
}

void local_env_read_elsewhere(struct local *s)
{
    local_readers_pause(s);
    move_views(s);
    local_readers_resume(s);
}

bool local_env_reopen(struct local *s)
{
    size_t entries;
    int rc;

    /* The file of a memory store has no name any more, and the thread that syncs has the old environment's descriptor. */
    if (s->memory || s->relaxed) return false;
    local_readers_pause(s);
    local_readers_drop(s);
    local_env_close(s);
    rc = open_env(s->dir.path, env_flags(s), s->map_size, &s->env);
    if (rc == 0) rc = open_own(s, &entries); /* it is not fresh any more */
    if (rc) local_env_close(s);
    s->read_env = s->env;
    local_readers_resume(s);
    return rc == 0;
}

bool local_env_nearly_full(struct local *s)
{
    MDB_envinfo info;
    MDB_stat st;

    if (mdb_env_info(s->env, &info) || mdb_env_stat(s->env, &st)) return false;
    return (info.me_last_pgno + 1) * st.ms_psize > s->map_size / 4 * 3;
}

int local_env_grow(struct local *s)
{
    size_t size = s->map_size * 2;
    void *probe;
    int fd, rc;

    if (size < s->map_size || mdb_env_get_fd(s->env, &fd)) return STORE_FULL;
    /* LMDB gives the old map up before it has the new one, and cannot go back: ask first. */
    probe = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (probe == MAP_FAILED) return STORE_FULL;
    munmap(probe, size);
    local_readers_pause(s);
    FAILPOINT(grow_before);
    rc = mdb_env_set_mapsize(s->env, size);
    FAILPOINT(grow_after);
    if (rc == 0) {
        s->map_size = size;
        s->map = NULL;
    } else {
        local_stop(s, "the map of the data file could not be made larger", rc);
        move_views(s);
    }
    local_readers_resume(s);
    return rc ? STORE_STOPPED : STORE_OK;
}
