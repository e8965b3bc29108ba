/* faults.c: a disk that is full, and a device that fails. The system calls that LMDB writes with
 * are replaced here by ones that fail when told to; a full disk is also made for real, by a limit
 * on the size of files. */
#include "fixture.h"
#include "store/local/pages.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- the system calls ---- */

static atomic_int pages_fail, meta_fails, sync_fails; /* errno to fail with; 0: do not */
static atomic_bool pages_short, probe_fails, all_syncs_fail;
static atomic_int syncs;
static bool (*before_meta)(const char *path); /* what else becomes of the file when the meta page fails */
static bool meta_done;                        /* and whether it did */
static char data_file[100];

#define EXPORT __attribute__((visibility("default")))

/* By these names and not by the header's, which large file support renames. */
EXPORT ssize_t lmdb_pwrite(int fd, const void *p, size_t n, off_t at) __asm__("pwrite");
EXPORT ssize_t own_pwrite(int fd, const void *p, size_t n, off_t at) __asm__("pwrite64");
EXPORT ssize_t lmdb_writev(int fd, const struct iovec *v, int n) __asm__("writev");
EXPORT int lmdb_fdatasync(int fd) __asm__("fdatasync");
EXPORT int own_fsync(int fd) __asm__("fsync");

static ssize_t failed(int e)
{
    errno = e;
    return -1;
}

ssize_t lmdb_pwrite(int fd, const void *p, size_t n, off_t at)
{
    bool meta = at < 8192 && n < 4096;

    if (meta && atomic_load(&meta_fails)) {
        if (before_meta) meta_done = before_meta(data_file);
        return failed(atomic_load(&meta_fails));
    }
    if (!meta && atomic_load(&pages_fail)) return failed(atomic_load(&pages_fail));
    if (!meta && atomic_load(&pages_short)) n = 100;
    return syscall(SYS_pwrite64, fd, p, n, at);
}

ssize_t own_pwrite(int fd, const void *p, size_t n, off_t at)
{
    if (atomic_load(&probe_fails)) return failed(ENOSPC);
    return syscall(SYS_pwrite64, fd, p, n, at);
}

ssize_t lmdb_writev(int fd, const struct iovec *v, int n)
{
    if (atomic_load(&pages_fail)) return failed(atomic_load(&pages_fail));
    if (atomic_load(&pages_short)) n = 1;
    return syscall(SYS_writev, fd, v, n);
}

int lmdb_fdatasync(int fd)
{
    atomic_fetch_add(&syncs, 1);
    if (atomic_load(&sync_fails)) return (int)failed(atomic_load(&sync_fails));
    return (int)syscall(SYS_fdatasync, fd);
}

int own_fsync(int fd)
{
    if (atomic_load(&all_syncs_fail)) return (int)failed(EIO);
    return (int)syscall(SYS_fsync, fd);
}

static void heal(void)
{
    before_meta = NULL;
    atomic_store(&all_syncs_fail, false);
    atomic_store(&pages_fail, 0);
    atomic_store(&meta_fails, 0);
    atomic_store(&sync_fails, 0);
    atomic_store(&pages_short, false);
    atomic_store(&probe_fails, false);
}

/* ---- helpers ---- */

static int teardown(void **state)
{
    heal();
    return fixture_teardown(state);
}

/* A transaction of several pages, so that a fault can hit its middle. */
static int put_block(struct store_txn *t, void *ctx)
{
    static const uint8_t filler[3000];
    uint8_t key[8] = { 0 };
    int rc = 0;

    memcpy(key, ctx, 4);
    for (uint8_t i = 0; rc == 0 && i < 5; i++) {
        key[4] = i;
        rc = store_put(t, SPACE_ITEM, slice_of(key, 8), slice_of(filler, sizeof filler));
    }
    return rc ? rc : store_add(t, SLICE("blocks"), 1);
}

static int put_numbered(struct store *s, uint32_t n)
{
    return store_update(s, put_block, &n);
}

static void assert_blocks(struct store *s, uint32_t n)
{
    assert_int_equal(count_keys(s, SPACE_ITEM, false), n * 5);
    assert_int_equal(sum_one(s, SLICE("blocks")), n);
}

static int state_of(struct store *s)
{
    struct store_stats st;

    store_get_stats(s, &st);
    return st.state;
}

/* From now on: reads work, nothing is written, and what was acknowledged is there after a restart.
 */
static void assert_stopped(struct fixture *f, uint32_t blocks)
{
    int before;

    assert_int_equal(state_of(f->s), STORE_STOPPED);
    assert_blocks(f->s, blocks);
    heal();
    before = atomic_load(&syncs);
    assert_int_equal(put_numbered(f->s, 1000), STORE_STOPPED);
    assert_int_equal(put_numbered(f->s, 1001), STORE_STOPPED);
    assert_blocks(f->s, blocks);
    fixture_close(f);
    assert_int_equal(atomic_load(&syncs), before);
    fixture_reopen(f);
    assert_blocks(f->s, blocks);
    assert_int_equal(put_numbered(f->s, 1000), 0);
    assert_blocks(f->s, blocks + 1);
}

/* What the store told, in order: 's' stopped, 'f' full, 'o' ok. And the last reason. */
static char told[32], told_why[400];

static void on_told(void *ctx, int state, const char *why)
{
    size_t n = strlen(told);

    (void)ctx;
    assert_true(strlen(why) > 0 && n + 1 < sizeof told);
    told[n] = state == STORE_STOPPED ? 's' : state == STORE_FULL ? 'f' : 'o';
    told[n + 1] = 0;
    snprintf(told_why, sizeof told_why, "%s", why);
}

static void listen_from_here_on(struct fixture *f)
{
    memset(told, 0, sizeof told);
    f->options.told = on_told;
    fixture_reopen(f);
}

/* ---- tests ---- */

static void a_full_disk_loses_nothing_and_recovers(void **state)
{
    struct fixture *f = *state;
    struct rlimit limit, unlimited;
    uint32_t n = 0, refused = 0;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(put_numbered(f->s, n++), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    limit = unlimited;
    limit.rlim_cur =
        (1 << 20) + 1234; /* in the middle of a page: the write that hits it is short */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (; refused < 5 && n < 1000; refused += 1) {
        int rc;

        while ((rc = put_numbered(f->s, n)) == 0)
            n++;
        assert_int_equal(rc, STORE_FULL);
        assert_int_equal(state_of(f->s), STORE_FULL);
        assert_blocks(f->s, n);
    }
    assert_true(n > 10 && n < 1000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    assert_int_equal(put_numbered(f->s, n++), 0);
    assert_int_equal(state_of(f->s), STORE_OK);
    assert_blocks(f->s, n);
    if (fixture_persists()) {
        fixture_reopen(f);
        assert_blocks(f->s, n);
    }
}

static void no_room_in_the_middle_of_a_commit(void **state)
{
    struct fixture *f = *state;
    static const int why[] = { ENOSPC, EDQUOT, EFBIG };

    assert_int_equal(put_numbered(f->s, 0), 0);
    for (int i = 0; i < 3; i++) {
        atomic_store(&pages_fail, why[i]);
        assert_int_equal(put_numbered(f->s, 100), STORE_FULL);
        assert_blocks(f->s, (uint32_t)i + 1);
        heal();
        assert_int_equal(put_numbered(f->s, (uint32_t)i + 1), 0);
        assert_int_equal(state_of(f->s), STORE_OK);
    }
    assert_blocks(f->s, 4);
}

static void a_short_write_on_a_full_disk_is_not_a_failed_device(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(put_numbered(f->s, 0), 0);
    atomic_store(&pages_short, true);
    atomic_store(&probe_fails, true);
    assert_int_equal(put_numbered(f->s, 1), STORE_FULL);
    assert_blocks(f->s, 1);
    heal();
    assert_int_equal(put_numbered(f->s, 1), 0);
    assert_blocks(f->s, 2);
}

static void a_failed_page_write_stops_writing(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(put_numbered(f->s, 0), 0);
    atomic_store(&pages_fail, EIO);
    assert_int_equal(put_numbered(f->s, 1), STORE_IO);
    assert_stopped(f, 1);
}

static void a_failed_sync_stops_writing_and_is_not_tried_again(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(put_numbered(f->s, 0), 0);
    assert_int_equal(put_numbered(f->s, 1), 0);
    atomic_store(&sync_fails, EIO);
    assert_int_equal(put_numbered(f->s, 2), STORE_IO);
    assert_stopped(f, 2);
}

static void a_failed_meta_page_stops_writing_but_not_reading(void **state)
{
    struct fixture *f = *state;

    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(put_numbered(f->s, i), 0);
    assert_blocks(f->s, 3);
    atomic_store(&meta_fails, EIO);
    assert_int_equal(put_numbered(f->s, 3), STORE_IO);
    assert_stopped(f, 3);
}

/* The leaf of databases becomes a branch with no child in it, which is a failed assertion to LMDB. The caller is LMDB, so that nothing may
 * be asserted here. */
static bool damage_databases(const char *path)
{
    static const uint8_t flags[] = { PAGE_BRANCH, 0, PAGE_HEADER, 0 };
    struct pages_meta meta;
    int fd = open(path, O_RDWR);
    bool done = fd >= 0 && !pages_read_meta(fd, &meta) &&
                syscall(SYS_pwrite64, fd, flags, sizeof flags, meta.main.root * meta.page_size + 10) == sizeof flags;

    close(fd);
    return done;
}

/* Then there is nothing to read from either; and no more than that. */
static void a_failed_meta_page_and_a_damaged_one_stop_reading(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(put_numbered(f->s, 0), 0);
    snprintf(data_file, sizeof data_file, "%s/data.mdb", f->dir);
    before_meta = damage_databases;
    atomic_store(&meta_fails, EIO);
    assert_int_equal(put_numbered(f->s, 1), STORE_IO);
    assert_true(meta_done);
    assert_int_equal(state_of(f->s), STORE_STOPPED);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("k"), NULL, 0, NULL), STORE_STOPPED);
}

static void every_change_is_told_once(void **state)
{
    struct fixture *f = *state;

    listen_from_here_on(f);
    assert_int_equal(put_numbered(f->s, 0), 0);
    assert_string_equal(told, "");
    atomic_store(&pages_fail, ENOSPC);
    assert_int_equal(put_numbered(f->s, 1), STORE_FULL);
    assert_int_equal(put_numbered(f->s, 1), STORE_FULL);
    assert_string_equal(told, "f");
    heal();
    assert_int_equal(put_numbered(f->s, 1), 0);
    assert_int_equal(put_numbered(f->s, 2), 0);
    assert_string_equal(told, "fo");
    atomic_store(&sync_fails, EIO);
    assert_int_equal(put_numbered(f->s, 3), STORE_IO);
    assert_int_equal(put_numbered(f->s, 3), STORE_STOPPED);
    assert_string_equal(told, "fos");
    f->options.told = NULL;
    assert_stopped(f, 3);
    assert_string_equal(told, "fos");
}

static void no_room_for_the_meta_page_stops_nothing(void **state)
{
    struct fixture *f = *state;

    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(put_numbered(f->s, i), 0);
    assert_blocks(f->s, 3);
    atomic_store(&meta_fails, ENOSPC);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(put_numbered(f->s, 3), STORE_FULL);
        assert_blocks(f->s, 3);
    }
    heal();
    assert_int_equal(put_numbered(f->s, 3), 0);
    assert_int_equal(state_of(f->s), STORE_OK);
    assert_blocks(f->s, 4);
    fixture_reopen(f);
    assert_blocks(f->s, 4);
}

static void a_failed_sync_at_the_end_leaves_the_mark(void **state)
{
    struct fixture *f = *state;
    struct store *again;
    char message[400];

    listen_from_here_on(f);
    assert_int_equal(put_numbered(f->s, 0), 0);
    atomic_store(&sync_fails, EIO);
    fixture_close(f);
    heal();
    assert_string_equal(told, "s");
    assert_int_equal(store_open(&again, &f->options, message, sizeof message), STORE_CORRUPT);
    assert_non_null(strstr(message, "a sync of"));
}

static void a_failed_background_sync_stops_writing_and_leaves_the_mark(void **state)
{
    struct fixture *f = *state;
    struct store *again;
    char mark[100], message[400];

    assert_int_equal(put_numbered(f->s, 0), 0);
    atomic_store(&sync_fails, EIO);
    for (int i = 0; i < 40 && state_of(f->s) != STORE_STOPPED; i++)
        usleep(100000);
    assert_int_equal(state_of(f->s), STORE_STOPPED);
    assert_int_equal(put_numbered(f->s, 1), STORE_STOPPED);
    assert_blocks(f->s, 1);
    heal();
    fixture_close(f);
    /* What the sync lost had been committed: whoever opens it has to look first. */
    assert_int_equal(store_open(&again, &f->options, message, sizeof message), STORE_CORRUPT);
    assert_non_null(strstr(message, "a sync of"));
    snprintf(mark, sizeof mark, "%s/UNSYNCED", f->dir);
    assert_int_equal(unlink(mark), 0);
    fixture_reopen(f);
    assert_blocks(f->s, 1);
}

static bool is_marked(const struct fixture *f)
{
    char mark[100];

    snprintf(mark, sizeof mark, "%s/UNSYNCED", f->dir);
    return access(mark, F_OK) == 0;
}

/* What was committed before is there, and closing syncs it: whatever the machine does after that, the directory is good. */
static void a_relaxed_store_that_a_commit_stopped_is_closed_cleanly(void **state)
{
    struct fixture *f = *state;
    atomic_int *const faults[] = { &pages_fail, &meta_fails };

    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(put_numbered(f->s, i), 0);
        atomic_store(faults[i], EIO);
        assert_int_equal(put_numbered(f->s, 100), STORE_IO);
        assert_int_equal(state_of(f->s), STORE_STOPPED);
        heal();
        assert_true(is_marked(f));
        fixture_close(f);
        assert_false(is_marked(f));
        fixture_reopen(f);
        assert_blocks(f->s, i + 1);
    }
}

static void a_store_that_a_commit_stopped_is_synced_in_the_background(void **state)
{
    struct fixture *f = *state;
    int before = atomic_load(&syncs);

    assert_int_equal(put_numbered(f->s, 0), 0);
    atomic_store(&pages_fail, EIO);
    assert_int_equal(put_numbered(f->s, 1), STORE_IO);
    heal();
    for (int i = 0; i < 40 && atomic_load(&syncs) == before; i++)
        usleep(100000);
    assert_int_equal(atomic_load(&syncs), before + 1);
}

/* That the store had stopped before does not hide it. */
static void a_sync_that_fails_after_a_commit_is_told_and_leaves_the_mark(void **state)
{
    struct fixture *f = *state;
    struct store *again;
    char message[400];

    listen_from_here_on(f);
    assert_int_equal(put_numbered(f->s, 0), 0);
    atomic_store(&pages_fail, EIO);
    assert_int_equal(put_numbered(f->s, 1), STORE_IO);
    assert_string_equal(told, "s");
    atomic_store(&sync_fails, EIO);
    fixture_close(f);
    heal();
    assert_string_equal(told, "ss");
    assert_int_equal(store_open(&again, &f->options, message, sizeof message), STORE_CORRUPT);
    assert_non_null(strstr(message, "a sync of"));
}

/* Where nothing can be written, as on a file system that went read-only. */
static void replace_mark_by_a_directory(const struct fixture *f)
{
    char mark[100];

    snprintf(mark, sizeof mark, "%s/UNSYNCED", f->dir);
    assert_int_equal(unlink(mark), 0);
    assert_int_equal(mkdir(mark, 0700), 0);
}

static void a_failed_sync_that_cannot_be_marked_is_told_as_that(void **state)
{
    struct fixture *f = *state;
    char mark[100];

    listen_from_here_on(f);
    assert_int_equal(put_numbered(f->s, 0), 0);
    replace_mark_by_a_directory(f);
    atomic_store(&sync_fails, EIO);
    fixture_close(f);
    heal();
    assert_string_equal(told, "s");
    assert_non_null(strstr(told_why, "sync"));
    assert_non_null(strstr(told_why, " failed: Input/output error, and UNSYNCED could not be made to say so (Is a directory)"));
    snprintf(mark, sizeof mark, "%s/UNSYNCED", f->dir);
    assert_int_equal(rmdir(mark), 0);
}

/* The mark itself needs no sync, nor room: it would be the next to fail. */
static void a_failed_sync_is_marked_where_nothing_can_be_synced(void **state)
{
    struct fixture *f = *state;
    struct store *again;
    char message[400];

    assert_int_equal(put_numbered(f->s, 0), 0);
    atomic_store(&sync_fails, EIO);
    atomic_store(&all_syncs_fail, true);
    fixture_close(f);
    heal();
    assert_int_equal(store_open(&again, &f->options, message, sizeof message), STORE_CORRUPT);
    assert_non_null(strstr(message, "a sync of"));
}

static void relaxed_syncs_in_the_background(void **state)
{
    struct fixture *f = *state;
    int before = atomic_load(&syncs);

    assert_int_equal(put_numbered(f->s, 0), 0);
    assert_int_equal(atomic_load(&syncs), before);
    for (int i = 0; i < 40 && atomic_load(&syncs) == before; i++)
        usleep(100000);
    assert_int_equal(atomic_load(&syncs), before + 1);
}

#define ON(backend, f) { #f " (" #backend ")", f, fixture_setup_##backend, teardown, NULL }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(full, a_full_disk_loses_nothing_and_recovers),
        ON(relaxed, a_full_disk_loses_nothing_and_recovers),
        ON(memory, a_full_disk_loses_nothing_and_recovers),
        ON(full, no_room_in_the_middle_of_a_commit),
        ON(memory, no_room_in_the_middle_of_a_commit),
        ON(full, a_short_write_on_a_full_disk_is_not_a_failed_device),
        ON(full, a_failed_page_write_stops_writing),
        ON(full, a_failed_sync_stops_writing_and_is_not_tried_again),
        ON(full, a_failed_meta_page_stops_writing_but_not_reading),
        ON(full, a_failed_meta_page_and_a_damaged_one_stop_reading),
        ON(full, every_change_is_told_once),
        ON(full, no_room_for_the_meta_page_stops_nothing),
        ON(relaxed, a_failed_sync_at_the_end_leaves_the_mark),
        ON(relaxed, a_failed_background_sync_stops_writing_and_leaves_the_mark),
        ON(relaxed, a_relaxed_store_that_a_commit_stopped_is_closed_cleanly),
        ON(relaxed, a_store_that_a_commit_stopped_is_synced_in_the_background),
        ON(relaxed, a_sync_that_fails_after_a_commit_is_told_and_leaves_the_mark),
        ON(relaxed, a_failed_sync_that_cannot_be_marked_is_told_as_that),
        ON(relaxed, a_failed_sync_is_marked_where_nothing_can_be_synced),
        ON(relaxed, relaxed_syncs_in_the_background),
    };

    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
