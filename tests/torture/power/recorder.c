/* recorder.c: stands between a process and the system (LD_PRELOAD) and writes down what it does to files, with the data, in order.
 *
 * From that power.py works out what a disk may hold if the power went at any moment. Only what succeeded is recorded, after it
 * did: whoever sees the log's length N knows that the first N bytes of it have happened. RECORD_LOG names the log, RECORD_DIR the
 * directory of interest; its own files are told by name, the directory itself is ".". A record:
 *
 *   u8 what   w write, t truncate, b a sync begins, s it is done, c create, r rename, u unlink
 *   u8 sync   1: the write was on the disk when it returned (O_DSYNC)
 *   u16 n     length of the name; of a rename both, with a zero byte between them
 *   u32 size  of the data of a write
 *   u64 at    offset of a write, new length of a truncate, descriptor of a sync; create: 1 if it was emptied
 *   name, data
 */
#include "../preload.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PARTS_MAX 128 /* LMDB writes 64 at once */

struct __attribute__((packed)) head {
    uint8_t what, sync;
    uint16_t n;
    uint32_t size;
    uint64_t at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;
static char dir[PATH_MAX];

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("RECORD_LOG"), *of = getenv("RECORD_DIR");
    if (!name || !of) return;
    snprintf(dir, sizeof dir, "%s", of);
    log_fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The name of an open file in the directory, "." for the directory; NULL for others. */
static const char *name_of(int fd, char room[PATH_MAX])
{
    char link[64];
    size_t n = strlen(dir);
    ssize_t length;
    if (log_fd < 0) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, room, PATH_MAX - 1);
    if (length < (ssize_t)n || memcmp(room, dir, n)) return NULL;
    room[length] = 0;
    if (!room[n]) return ".";
    return room[n] == '/' ? room + n + 1 : NULL;
}

/* With the lock held, so that the order is that of the calls. */
static void record(struct head h, const char *name, const struct iovec *v, int parts, size_t size)
{
    struct iovec all[PARTS_MAX + 2] = { { &h, sizeof h }, { (void *)(uintptr_t)name, h.n } };
    int n = 2;
    h.size = (uint32_t)size;
    for (int i = 0; i < parts && size && n < PARTS_MAX + 2; i++, n++) {
        all[n] = (struct iovec){ v[i].iov_base, v[i].iov_len < size ? v[i].iov_len : size };
        size -= all[n].iov_len;
    }
    /* A log with a hole would prove nothing. */
    if (size || syscall(SYS_writev, log_fd, all, n) < 0) abort();
}

static void note(char what, const char *name, size_t n, uint64_t at)
{
    record((struct head){ .what = (uint8_t)what, .n = (uint16_t)n, .at = at }, name, NULL, 0, 0);
}

static ssize_t wrote(int fd, const struct iovec *v, int parts, off_t at, ssize_t done)
{
    char room[PATH_MAX];
    const char *name = done > 0 ? name_of(fd, room) : NULL;
    if (!name) return done;
    int flags = fcntl(fd, F_GETFL);
    record((struct head){ .what = 'w', .sync = (flags & O_DSYNC) != 0, .n = (uint16_t)strlen(name), .at = (uint64_t)at }, name, v, parts, (size_t)done);
    return done;
}

/* Sockets and the like go by without the lock: a signal's handler may wake an event loop while its thread is writing to one. */
static bool is_recorded(int fd)
{
    char room[PATH_MAX];
    return name_of(fd, room) != NULL;
}

EXPORT ssize_t recorded_write(int fd, const void *p, size_t n) NAMED("write");
ssize_t recorded_write(int fd, const void *p, size_t n)
{
    struct iovec v = { (void *)(uintptr_t)p, n };
    if (!is_recorded(fd)) return syscall(SYS_write, fd, p, n);
    pthread_mutex_lock(&lock);
    off_t at = (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
    ssize_t done = wrote(fd, &v, 1, at, syscall(SYS_write, fd, p, n));
    pthread_mutex_unlock(&lock);
    return done;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
    if (!is_recorded(fd)) return syscall(SYS_writev, fd, v, n);
    pthread_mutex_lock(&lock);
    off_t at = (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
    ssize_t done = wrote(fd, v, n, at, syscall(SYS_writev, fd, v, n));
    pthread_mutex_unlock(&lock);
    return done;
}

#define PWRITE(function, name)                                                    \
    EXPORT ssize_t function(int fd, const void *p, size_t n, off_t at) NAMED(name); \
    ssize_t function(int fd, const void *p, size_t n, off_t at)                     \
    {                                                                               \
        struct iovec v = { (void *)(uintptr_t)p, n };                               \
        pthread_mutex_lock(&lock);                                                  \
        ssize_t done = wrote(fd, &v, 1, at, syscall(SYS_pwrite64, fd, p, n, at));   \
        pthread_mutex_unlock(&lock);                                                \
        return done;                                                                \
    }
PWRITE(recorded_pwrite, "pwrite")
PWRITE(recorded_pwrite64, "pwrite64")

#define PWRITEV(function, name)                                                              \
    EXPORT ssize_t function(int fd, const struct iovec *v, int n, off_t at) NAMED(name);       \
    ssize_t function(int fd, const struct iovec *v, int n, off_t at)                           \
    {                                                                                          \
        pthread_mutex_lock(&lock);                                                             \
        ssize_t done = wrote(fd, v, n, at, syscall(SYS_pwritev, fd, v, n, at, (off_t)0));      \
        pthread_mutex_unlock(&lock);                                                           \
        return done;                                                                           \
    }
PWRITEV(recorded_pwritev, "pwritev")
PWRITEV(recorded_pwritev64, "pwritev64")

static int on_descriptor(int fd, char what, long at, long done)
{
    char room[PATH_MAX];
    const char *name = done ? NULL : name_of(fd, room);
    if (name) note(what, name, strlen(name), (uint64_t)at);
    return (int)done;
}

/* The lock is not held while the disk works: what is written meanwhile stands before the sync in the log and may not be covered
 * by it. So a sync is told twice: 'b' when it begins, 's' when it is done; it covers what stands before the 'b'. */
#define SYNC(name)                                            \
    EXPORT int name(int fd)                                    \
    {                                                          \
        pthread_mutex_lock(&lock);                             \
        on_descriptor(fd, 'b', fd, 0);                         \
        pthread_mutex_unlock(&lock);                           \
        long done = syscall(SYS_##name, fd);                   \
        pthread_mutex_lock(&lock);                             \
        on_descriptor(fd, 's', fd, done);                      \
        pthread_mutex_unlock(&lock);                           \
        return (int)done;                                      \
    }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(function, name)                                          \
    EXPORT int function(int fd, off_t size) NAMED(name);                   \
    int function(int fd, off_t size)                                       \
    {                                                                      \
        pthread_mutex_lock(&lock);                                         \
        int done = on_descriptor(fd, 't', size, syscall(SYS_ftruncate, fd, size)); \
        pthread_mutex_unlock(&lock);                                       \
        return done;                                                       \
    }
TRUNCATE(recorded_ftruncate, "ftruncate")
TRUNCATE(recorded_ftruncate64, "ftruncate64")

static int opened(int fd, int flags)
{
    return fd >= 0 && flags & O_CREAT ? (on_descriptor(fd, 'c', flags & O_TRUNC ? 1 : 0, 0), fd) : fd;
}

static int open_at(int at, const char *path, int flags, mode_t mode)
{
    pthread_mutex_lock(&lock);
    int fd = opened((int)syscall(SYS_openat, at, path, flags, mode), flags);
    pthread_mutex_unlock(&lock);
    return fd;
}

EXPORT int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    char room[PATH_MAX], both[512];
    pthread_mutex_lock(&lock);
    long done = syscall(SYS_renameat, from_fd, from, to_fd, to);
    const char *where = done ? NULL : name_of(to_fd, room);
    if (where && !strcmp(where, ".")) {
        int n = snprintf(both, sizeof both, "%s%c%s", from, 0, to);
        note('r', both, (size_t)n, 0);
    }
    pthread_mutex_unlock(&lock);
    return (int)done;
}

EXPORT int unlinkat(int fd, const char *path, int flags)
{
    char room[PATH_MAX];
    pthread_mutex_lock(&lock);
    long done = syscall(SYS_unlinkat, fd, path, flags);
    const char *where = done ? NULL : name_of(fd, room);
    if (where && !strcmp(where, ".")) note('u', path, strlen(path), 0);
    pthread_mutex_unlock(&lock);
    return (int)done;
}
