/* shim.c: stands between a process and the system (LD_PRELOAD) and lets calls fail, as a test asks for.
 *
 * FAULT_CONTROL names a file that control.py and this library share (struct control): which kinds of calls count, and which of those that
 * counted fail, and how. FAULT_DIR is the folder whose files are meant; sockets and descriptors of any kind are meant wherever they lead.
 * Nothing is remembered here: the test moves the fault while the process runs. */
#include "../preload.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The kinds of calls; control.py has the same list. */
enum {
    WRITE = 1,        /* to a file of the folder */
    SYNC = 2,         /* of such a file, or of a folder */
    SIZE = 4,         /* its length or its room: ftruncate, fallocate */
    NAME = 8,         /* rename, unlink, mkdir */
    OPEN = 16,
    MAP = 32,         /* mmap of a file of the folder */
    READ = 64,
    RECEIVE = 128,    /* from a socket */
    SEND = 256,
    ACCEPT = 512,
    WAIT = 1024,      /* epoll_wait, epoll_pwait */
    DESCRIPTOR = 2048 /* whatever makes a new one: open, accept, socket, epoll, eventfd, of any file */
};

struct control {
    _Atomic uint32_t kinds, error; /* error 0: it does less than asked for, instead of failing */
    _Atomic uint64_t from, to;     /* of those that counted, these fail, from 1 on */
    _Atomic uint64_t every;        /* and of these one in so many */
    _Atomic uint64_t seen, failed;
    _Atomic uint64_t commits_after; /* syncs and synced writes of data.mdb after the first failure */
    _Atomic int64_t clock_ms;       /* the clock on the wall is so far ahead */
};

#define SHORT (-1)

static struct control *control;
static char folder[PATH_MAX];

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("FAULT_CONTROL"), *dir = getenv("FAULT_DIR");
    if (!name || !dir) return;
    snprintf(folder, sizeof folder, "%s", dir);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0) abort();
    void *map = (void *)syscall(SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    syscall(SYS_close, fd);
    if (map == MAP_FAILED) abort();
    control = map;
}

static bool wanted(uint32_t kind)
{
    return control && atomic_load(&control->kinds) & kind;
}

/* What becomes of a call that counts: 0 it is done, SHORT, or the error it fails with. */
static int fate(void)
{
    uint64_t n = atomic_fetch_add(&control->seen, 1) + 1, from = atomic_load(&control->from), every = atomic_load(&control->every);
    if (n < from || n > atomic_load(&control->to) || (every > 1 && (n - from) % every)) return 0;
    atomic_fetch_add(&control->failed, 1);
    int error = (int)atomic_load(&control->error);
    return error ? error : SHORT;
}

/* ---- which file it is ---- */

static const char *path_of(int fd, char room[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, link, room, PATH_MAX - 1);
    if (n < 0) return "";
    room[n] = 0;
    return room;
}

static bool is_within(const char *path)
{
    size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

static bool is_file(int fd)
{
    char room[PATH_MAX];
    return is_within(path_of(fd, room));
}

static bool is_socket(int fd)
{
    char room[PATH_MAX];
    return !strncmp(path_of(fd, room), "socket:", 7);
}

/* A path as it was given, beside an open folder or the working directory. */
static bool is_path(int at, const char *path)
{
    char room[PATH_MAX];
    if (*path == '/') return is_within(path);
    return at == AT_FDCWD ? syscall(SYS_getcwd, room, sizeof room) > 0 && is_within(room) : is_file(at);
}

static long failed(int error)
{
    errno = error;
    return -1;
}

/* The fate of a call on a descriptor that may be a file or a socket. */
static int fate_of(int fd, uint32_t on_file, uint32_t on_socket)
{
    if (wanted(on_file) && is_file(fd)) return fate();
    if (wanted(on_socket) && is_socket(fd)) return fate();
    return 0;
}

static size_t cut(int f, size_t n)
{
    return f == SHORT && n > 1 ? (n + 1) / 2 : n;
}

/* ---- writing and sending ---- */

/* A write that is on the disk when it returns is what LMDB ends a commit with. */
static void note_commit(int fd, bool is_sync)
{
    char room[PATH_MAX];
    if (!control || !atomic_load(&control->failed)) return;
    if (!is_sync && !(syscall(SYS_fcntl, fd, F_GETFL, 0) & O_DSYNC)) return;
    size_t n = strlen(path_of(fd, room));
    if (n > 8 && is_within(room) && !strcmp(room + n - 8, "data.mdb")) atomic_fetch_add(&control->commits_after, 1);
}

EXPORT ssize_t shim_write(int fd, const void *p, size_t n) NAMED("write");
ssize_t shim_write(int fd, const void *p, size_t n)
{
    int f = fate_of(fd, WRITE, SEND);
    return f > 0 ? failed(f) : syscall(SYS_write, fd, p, cut(f, n));
}

#define PWRITE(function, name)                                                          \
    EXPORT ssize_t function(int fd, const void *p, size_t n, off_t at) NAMED(name);     \
    ssize_t function(int fd, const void *p, size_t n, off_t at)                         \
    {                                                                                   \
        note_commit(fd, false);                                                         \
        int f = fate_of(fd, WRITE, 0);                                                  \
        return f > 0 ? failed(f) : syscall(SYS_pwrite64, fd, p, cut(f, n), at);         \
    }
PWRITE(shim_pwrite, "pwrite")
PWRITE(shim_pwrite64, "pwrite64")

/* A short one is the first part, half of it. */
static ssize_t write_parts(int fd, int f, const struct iovec *v, int n)
{
    if (f > 0) return failed(f);
    if (f == SHORT) return syscall(SYS_write, fd, v[0].iov_base, cut(f, v[0].iov_len));
    return syscall(SYS_writev, fd, v, n);
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
    return write_parts(fd, fate_of(fd, WRITE, SEND), v, n);
}

#define PWRITEV(function, name)                                                                                   \
    EXPORT ssize_t function(int fd, const struct iovec *v, int n, off_t at) NAMED(name);                          \
    ssize_t function(int fd, const struct iovec *v, int n, off_t at)                                              \
    {                                                                                                             \
        int f = fate_of(fd, WRITE, 0);                                                                            \
        if (f > 0) return failed(f);                                                                              \
        if (f == SHORT) return syscall(SYS_pwrite64, fd, v[0].iov_base, cut(f, v[0].iov_len), at);                \
        return syscall(SYS_pwritev, fd, v, n, at, (off_t)0);                                                      \
    }
PWRITEV(shim_pwritev, "pwritev")
PWRITEV(shim_pwritev64, "pwritev64")

EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    int f = fate_of(fd, 0, SEND);
    if (f == 0 || !m->msg_iovlen) return syscall(SYS_sendmsg, fd, m, flags);
    return write_parts(fd, f, m->msg_iov, (int)m->msg_iovlen);
}

/* ---- reading and receiving ---- */

#define READING(function, name, extra, on_file, on_socket, call)       \
    EXPORT ssize_t function(int fd, void *p, size_t n extra) NAMED(name); \
    ssize_t function(int fd, void *p, size_t n extra)                     \
    {                                                                     \
        int f = fate_of(fd, on_file, on_socket);                          \
        size_t most = cut(f, n);                                          \
        return f > 0 ? failed(f) : call;                                  \
    }
#define AT_OFFSET , off_t at
#define WITH_FLAGS , int flags
#define WITH_SIZE , size_t size
READING(shim_read, "read", , READ, RECEIVE, syscall(SYS_read, fd, p, most))
READING(shim_read_chk, "__read_chk", WITH_SIZE, READ, RECEIVE, most > size ? failed(EFAULT) : syscall(SYS_read, fd, p, most))
READING(shim_pread, "pread", AT_OFFSET, READ, 0, syscall(SYS_pread64, fd, p, most, at))
READING(shim_pread64, "pread64", AT_OFFSET, READ, 0, syscall(SYS_pread64, fd, p, most, at))
READING(shim_recv, "recv", WITH_FLAGS, 0, RECEIVE, syscall(SYS_recvfrom, fd, p, most, flags, NULL, NULL))

/* ---- syncs, lengths, names ---- */

#define SYNCING(name)                                             \
    EXPORT int name(int fd)                                       \
    {                                                             \
        note_commit(fd, true);                                    \
        int f = fate_of(fd, SYNC, 0);                             \
        return (int)(f > 0 ? failed(f) : syscall(SYS_##name, fd)); \
    }
SYNCING(fsync)
SYNCING(fdatasync)

#define TRUNCATE(function, name)                                         \
    EXPORT int function(int fd, off_t size) NAMED(name);                 \
    int function(int fd, off_t size)                                     \
    {                                                                    \
        int f = fate_of(fd, SIZE, 0);                                    \
        return (int)(f > 0 ? failed(f) : syscall(SYS_ftruncate, fd, size)); \
    }
TRUNCATE(shim_ftruncate, "ftruncate")
TRUNCATE(shim_ftruncate64, "ftruncate64")

#define FALLOCATE(function, name)                                                                            \
    EXPORT int function(int fd, off_t at, off_t size) NAMED(name);                                           \
    int function(int fd, off_t at, off_t size)                                                               \
    {                                                                                                        \
        int f = fate_of(fd, SIZE, 0);                                                                        \
        return f > 0 ? f : syscall(SYS_fallocate, fd, 0, at, size) ? errno : 0;                              \
    }
FALLOCATE(shim_fallocate, "posix_fallocate")
FALLOCATE(shim_fallocate64, "posix_fallocate64")

static int fate_of_path(int at, const char *path)
{
    return wanted(NAME) && is_path(at, path) ? fate() : 0;
}

EXPORT int renameat(int from_at, const char *from, int to_at, const char *to)
{
    int f = fate_of_path(to_at, to);
    return (int)(f > 0 ? failed(f) : syscall(SYS_renameat, from_at, from, to_at, to));
}

EXPORT int unlinkat(int at, const char *path, int flags)
{
    int f = fate_of_path(at, path);
    return (int)(f > 0 ? failed(f) : syscall(SYS_unlinkat, at, path, flags));
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    int f = fate_of_path(AT_FDCWD, path);
    return (int)(f > 0 ? failed(f) : syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

EXPORT int mkdirat(int at, const char *path, mode_t mode)
{
    int f = fate_of_path(at, path);
    return (int)(f > 0 ? failed(f) : syscall(SYS_mkdirat, at, path, mode));
}

/* ---- descriptors and maps ---- */

/* Not pipes: libuv ends the process where it cannot have its first one. The server asks before for as many files as it needs. */
static int fate_of_descriptor(void)
{
    return wanted(DESCRIPTOR) ? fate() : 0;
}

static int open_at(int at, const char *path, int flags, mode_t mode)
{
    int f = wanted(OPEN) && is_path(at, path) ? fate() : fate_of_descriptor();
    return (int)(f > 0 ? failed(f) : syscall(SYS_openat, at, path, flags, mode));
}

EXPORT int shim_accept4(int fd, struct sockaddr *address, socklen_t *n, int flags) NAMED("accept4");
int shim_accept4(int fd, struct sockaddr *address, socklen_t *n, int flags)
{
    int f = wanted(ACCEPT) ? fate() : fate_of_descriptor();
    return (int)(f > 0 ? failed(f) : syscall(SYS_accept4, fd, address, n, flags));
}

EXPORT int shim_accept(int fd, struct sockaddr *address, socklen_t *n) NAMED("accept");
int shim_accept(int fd, struct sockaddr *address, socklen_t *n)
{
    return shim_accept4(fd, address, n, 0);
}

EXPORT int socket(int domain, int type, int protocol)
{
    int f = fate_of_descriptor();
    return (int)(f > 0 ? failed(f) : syscall(SYS_socket, domain, type, protocol));
}

EXPORT int eventfd(unsigned count, int flags)
{
    int f = fate_of_descriptor();
    return (int)(f > 0 ? failed(f) : syscall(SYS_eventfd2, count, flags));
}

EXPORT int epoll_create1(int flags)
{
    int f = fate_of_descriptor();
    return (int)(f > 0 ? failed(f) : syscall(SYS_epoll_create1, flags));
}

#define MAPPING(function, name)                                                                                        \
    EXPORT void *function(void *where, size_t n, int protection, int flags, int fd, off_t at) NAMED(name);             \
    void *function(void *where, size_t n, int protection, int flags, int fd, off_t at)                                 \
    {                                                                                                                  \
        int f = fd >= 0 ? fate_of(fd, MAP, 0) : 0;                                                                     \
        return f > 0 ? (failed(f), MAP_FAILED) : (void *)syscall(SYS_mmap, where, n, protection, flags, fd, at);       \
    }
MAPPING(shim_mmap, "mmap")
MAPPING(shim_mmap64, "mmap64")

/* ---- waiting and the clock ---- */

EXPORT int shim_epoll_pwait(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask) NAMED("epoll_pwait");
int shim_epoll_pwait(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask)
{
    int f = wanted(WAIT) ? fate() : 0;
    return (int)(f > 0 ? failed(f) : syscall(SYS_epoll_pwait, fd, events, n, ms, mask, 8));
}

EXPORT int shim_epoll_wait(int fd, struct epoll_event *events, int n, int ms) NAMED("epoll_wait");
int shim_epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
    return shim_epoll_pwait(fd, events, n, ms, NULL);
}

static int moved(int clock, struct timespec *t)
{
    int done = (int)syscall(SYS_clock_gettime, clock, t);
    if (done || !control || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return done;
    int64_t ns = t->tv_nsec + atomic_load(&control->clock_ms) % 1000 * 1000000;
    t->tv_sec += atomic_load(&control->clock_ms) / 1000 + (ns < 0 ? -1 : ns / 1000000000);
    t->tv_nsec = ns < 0 ? ns + 1000000000 : ns % 1000000000;
    return 0;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
    return moved(clock, t);
}

EXPORT time_t shim_time(time_t *out) NAMED("time");
time_t shim_time(time_t *out)
{
    struct timespec t;
    moved(CLOCK_REALTIME, &t);
    if (out) *out = t.tv_sec;
    return t.tv_sec;
}

EXPORT int shim_gettimeofday(struct timeval *out, void *zone) NAMED("gettimeofday");
int shim_gettimeofday(struct timeval *out, void *zone)
{
    struct timespec t;
    (void)zone;
    moved(CLOCK_REALTIME, &t);
    out->tv_sec = t.tv_sec;
    out->tv_usec = t.tv_nsec / 1000;
    return 0;
}
