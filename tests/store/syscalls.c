/* syscalls.c: the N-th system call of opening, using and closing a directory fails, for every N. Opening then either succeeds all the same, or is
 * refused in one sentence and owes nothing: no file stays open, nothing is locked, and the next try, without the failure, finds everything that was
 * acknowledged. The calls of this process are replaced here, LMDB's too; so it is a program of its own. */
#include "fixture.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_CALLS 400

/* ---- the calls ---- */

static atomic_int left; /* until the one that fails, which is 1; 0 and below: none */
static int fail_with;

static bool fails(void)
{
    if (atomic_load(&left) <= 0 || atomic_fetch_sub(&left, 1) != 1) return false;
    errno = fail_with;
    return true;
}

#define EXPORT __attribute__((visibility("default")))
/* One function under two names: large file support renames what this process calls, not what LMDB does. */
#define BOTH(result, name, parameters, arguments, call)                         \
    EXPORT result plain_##name parameters __asm__(#name);                       \
    EXPORT result large_##name parameters __asm__(#name "64");                  \
    result plain_##name parameters { return fails() ? (result)-1 : (result)(call); } \
    result large_##name parameters { return plain_##name arguments; }
#define ONE(name, parameters, call)                       \
    EXPORT int own_##name parameters __asm__(#name);      \
    int own_##name parameters { return fails() ? -1 : (int)(call); }

BOTH(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), syscall(SYS_openat, AT_FDCWD, path, flags, mode))
BOTH(int, openat, (int dir, const char *path, int flags, mode_t mode), (dir, path, flags, mode), syscall(SYS_openat, dir, path, flags, mode))
BOTH(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), syscall(SYS_pread64, fd, p, n, at))
BOTH(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), syscall(SYS_pwrite64, fd, p, n, at))
BOTH(int, ftruncate, (int fd, off_t size), (fd, size), syscall(SYS_ftruncate, fd, size))
BOTH(void *, mmap, (void *to, size_t n, int protection, int flags, int fd, off_t at), (to, n, protection, flags, fd, at),
     syscall(SYS_mmap, to, n, protection, flags, fd, at))
BOTH(int, fstat, (int fd, struct stat *st), (fd, st), syscall(SYS_fstat, fd, st))
ONE(fsync, (int fd), syscall(SYS_fsync, fd))
ONE(fdatasync, (int fd), syscall(SYS_fdatasync, fd))
ONE(flock, (int fd, int how), syscall(SYS_flock, fd, how))
ONE(mkdir, (const char *path, mode_t mode), syscall(SYS_mkdir, path, mode))
ONE(renameat, (int a, const char *from, int b, const char *to), syscall(SYS_renameat, a, from, b, to))
ONE(unlinkat, (int dir, const char *path, int flags), syscall(SYS_unlinkat, dir, path, flags))
EXPORT struct dirent *own_readdir(DIR *list) __asm__("readdir64");
EXPORT ssize_t own_read(int fd, void *p, size_t n) __asm__("read");
EXPORT ssize_t own_write(int fd, const void *p, size_t n) __asm__("write");

struct dirent *own_readdir(DIR *list)
{
    struct dirent *(*real)(DIR *list);
    if (fails()) return NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "readdir64");
    return real(list);
}

ssize_t own_read(int fd, void *p, size_t n)
{
    return fails() ? -1 : syscall(SYS_read, fd, p, n);
}

ssize_t own_write(int fd, const void *p, size_t n)
{
    return fails() ? -1 : syscall(SYS_write, fd, p, n);
}

/* ---- what is done ---- */

static int count_files(void)
{
    DIR *list = opendir("/proc/self/fd");
    int n = 0;
    while (list && readdir(list)) n++;
    if (list) closedir(list);
    return n;
}

static void ignore_fault(void *ctx, const struct store_fault *f)
{
    (void)ctx;
    (void)f;
}

struct way {
    const char *name;
    struct store_options options;
    bool fresh, verified, unsynced;
};

/* Opens with the n-th call failing, puts a key, closes. acknowledged: the put was. */
static void use(const struct way *way, int n, bool *failed, bool *acknowledged)
{
    struct store_options o = way->options;
    struct store_verify verify = { .tell = ignore_fault };
    struct store *s;
    char message[400] = "";
    int files = count_files();
    if (way->verified) o.verify = &verify;
    atomic_store(&left, n);
    int rc = store_open(&s, &o, message, sizeof message);
    *acknowledged = false;
    if (rc == STORE_OK) {
        *acknowledged = !o.read_only && put_one(s, SPACE_ITEM, SLICE("more"), SLICE("1")) == STORE_OK;
        store_close(s);
    } else if (!message[0] || strchr(message, '\n')) {
        fail_msg("%s, call %d: refused with '%s'", way->name, n, message);
    }
    *failed = atomic_exchange(&left, 0) <= 0;
    if (count_files() != files) fail_msg("%s, call %d: %d files stayed open (%s)", way->name, n, count_files() - files, message);
}

static void assert_whole(const struct way *way, int n, bool more)
{
    struct store_options o = { .dir = way->options.dir, .map_size = 1 << 20 };
    struct store *s;
    char message[400] = "", v[8];
    if (store_open(&s, &o, message, sizeof message)) {
        /* Relaxed, what a failed sync did not write may be anywhere: that is said, and nothing is guessed. */
        bool relaxed = way->options.durability == DURABILITY_RELAXED || way->unsynced;
        if (relaxed && !strncmp(message, "a sync of ", 10)) return;
        fail_msg("%s, call %d failed, and then: %s", way->name, n, message);
    }
    if (!way->fresh && get_one(s, SPACE_ITEM, SLICE("k"), v, sizeof v, NULL)) fail_msg("%s, call %d failed, and the data is gone", way->name, n);
    if (more && get_one(s, SPACE_ITEM, SLICE("more"), v, sizeof v, NULL)) fail_msg("%s, call %d failed: what was acknowledged is lost", way->name, n);
    store_close(s);
}

static void make(const struct way *way)
{
    struct store_options o = { .dir = way->options.dir, .map_size = 1 << 20 };
    struct store *s;
    char message[400], boot[64] = "", path[200];
    if (way->fresh) return;
    assert_int_equal(store_open(&s, &o, message, sizeof message), 0);
    assert_int_equal(put_one(s, SPACE_ITEM, SLICE("k"), SLICE("v")), 0);
    store_close(s);
    if (!way->unsynced) return;
    /* As a process of this boot leaves it that was killed. */
    FILE *from = fopen("/proc/sys/kernel/random/boot_id", "r");
    assert_non_null(from);
    assert_non_null(fgets(boot, sizeof boot, from));
    fclose(from);
    snprintf(path, sizeof path, "%s/UNSYNCED", way->options.dir);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(boot, to);
    fclose(to);
}

static void every_call_fails_once(void **state)
{
    static char dir[64];
    const struct way ways[] = {
        { "a new directory", { .dir = dir, .map_size = 1 << 20 }, .fresh = true },
        { "a new directory, relaxed", { .dir = dir, .map_size = 1 << 20, .durability = DURABILITY_RELAXED }, .fresh = true },
        { "a directory", { .dir = dir, .map_size = 1 << 20, .endpoint = "http://here" } },
        { "a directory, relaxed", { .dir = dir, .map_size = 1 << 20, .durability = DURABILITY_RELAXED } },
        { "an unsynced directory", { .dir = dir, .map_size = 1 << 20 }, .unsynced = true },
        { "for reading", { .dir = dir, .map_size = 1 << 20, .read_only = true } },
        { "verified", { .dir = dir, .map_size = 1 << 20, .read_only = true }, .verified = true },
        { "in memory", { .map_size = 1 << 20 }, .fresh = true },
    };
    static const int errors[] = { EIO, ENOSPC, EACCES, ENOMEM, EINTR };
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        bool failed = true, acknowledged;
        int n = 0;
        while (failed) {
            scratch_make(dir, sizeof dir);
            if (ways[i].fresh) rmdir(dir);
            make(&ways[i]);
            n++;
            fail_with = errors[n % 5];
            use(&ways[i], n, &failed, &acknowledged);
            if (ways[i].options.dir) assert_whole(&ways[i], n, acknowledged);
            scratch_remove(dir);
            assert_true(n < MOST_CALLS);
        }
        assert_true(n > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_call_fails_once) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
