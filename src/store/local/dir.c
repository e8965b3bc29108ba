/* dir.c: opening, locking and marking the data directory. Every refusal is one sentence that names
 * the directory and what to do. */
#include "dir.h"
#include "../../base/failpoint.h"
#include "../store.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SYNC_FAILED    "sync failed\n" /* in UNSYNCED, where otherwise the boot id is */
#define READERS_BYTES  (16u << 10)     /* at least LMDB's table for LOCAL_READERS */
#define TEMPORARY_ROOM (1ull << 30) /* /dev/shm is often tiny in containers */

static const char *const own_files[] = { "LOCK",         "FORMAT",   "FORMAT.new", "UNSYNCED",
                                         "UNSYNCED.new", "data.mdb", "lock.mdb" };

int dir_say(int status, char *message, size_t message_size, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, message_size, fmt, ap);
    va_end(ap);
    return status;
}

/* The file's text, cut at size - 1 bytes, or -1 and errno. */
static ssize_t read_text(int dir_fd, const char *name, char *text, size_t size)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC), why = 0; /* a pipe has no end */
    size_t have = 0;

    if (fd < 0) return -1;
    while (have < size - 1) {
        ssize_t n = read(fd, text + have, size - 1 - have);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0) why = errno;
        if (n <= 0) break;
        have += (size_t)n;
    }
    text[have] = 0;
    close(fd);
    errno = why;
    return why ? -1 : (ssize_t)have;
}

/* Returns errno. */
static int write_all(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t done = write(fd, text, n);

        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done ? errno : ENOSPC;
        text += done;
        n -= (size_t)done;
    }
    return 0;
}

/* Returns errno. */
static int write_synced(int dir_fd, const char *name, const char *text)
{
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600), rc;

    if (fd < 0) return errno;
    rc = write_all(fd, text, strlen(text));
    if (!rc && fsync(fd)) rc = errno;
    close(fd);
    return rc;
}

/* Replaces a small file whole: after a crash there is the old one or the new one. Returns errno. */
static int write_text(int dir_fd, const char *name, const char *scratch, const char *text)
{
    int rc = write_synced(dir_fd, scratch, text);

    FAILPOINT(rename_before);
    if (!rc && renameat(dir_fd, scratch, dir_fd, name)) rc = errno;
    FAILPOINT(rename_after);
    if (!rc && fsync(dir_fd)) rc = errno;
    return rc;
}

/* ---- format ---- */

/* 0, or -1 if it is not a FORMAT file's text. */
static int parse_format(const char *text, unsigned *version)
{
    char *end;
    unsigned long v;

    if (strncmp(text, "onefold ", 8) != 0 || text[8] < '0' || text[8] > '9') return -1;
    v = strtoul(text + 8, &end, 10);
    if (strcmp(end, "\n") != 0 || v == 0 || v > 1000000) return -1;
    *version = (unsigned)v;
    return 0;
}

int dir_write_format(struct dir *d)
{
    char text[32];

    snprintf(text, sizeof text, "onefold %u\n", STORE_FORMAT);
    return write_text(d->fd, "FORMAT", "FORMAT.new", text);
}

/* STORE_OK with *version 0 where there is no FORMAT. */
static int read_format(int fd, const char *path, unsigned *version, char *message, size_t size)
{
    char text[64];

    *version = 0;
    if (read_text(fd, "FORMAT", text, sizeof text) < 0) {
        if (errno == ENOENT) return STORE_OK;
        return dir_say(STORE_IO, message, size, "cannot read %s/FORMAT: %s", path, strerror(errno));
    }
    if (parse_format(text, version))
        return dir_say(
            STORE_CORRUPT, message, size,
            "%s/FORMAT is damaged: it should say \"onefold\" and a version number; restore "
            "the directory from a backup",
            path);
    return STORE_OK;
}

int store_format_version(const char *dir, unsigned *version, char *message, size_t message_size)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

    if (fd < 0)
        return dir_say(STORE_IO, message, message_size, "cannot open directory %s: %s", dir,
                       strerror(errno));
    rc = read_format(fd, dir, version, message, message_size);
    if (rc == STORE_OK && *version == 0)
        rc = dir_say(STORE_NOT_FOUND, message, message_size, "%s is not a Onefold directory", dir);
    close(fd);
    return rc;
}

/* ---- what else lies there ---- */

static bool is_own(const char *name)
{
    for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
        if (!strcmp(name, own_files[i])) return true;
    /* What mkfs leaves in the root of a volume is nobody's data. */
    return !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "lost+found");
}

/* Without FORMAT the directory must be empty, or the rest of an interrupted first start. */
static int refuse_foreign(const struct dir *d, char *message, size_t size)
{
    int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    int rc = STORE_OK;

    if (!list) {
        rc = dir_say(STORE_IO, message, size, "cannot read directory %s: %s", d->path,
                     strerror(errno));
        if (fd >= 0) close(fd);
        return rc;
    }
    while (rc == STORE_OK) {
        errno = 0; /* what tells a failure from the end */
        e = readdir(list);
        if (!e && errno)
            rc = dir_say(STORE_IO, message, size, "cannot read directory %s: %s", d->path, strerror(errno));
        if (!e) break;
        if (!is_own(e->d_name))
            rc = dir_say(STORE_INVALID, message, size,
                         "%s holds files that are not Onefold's (%s): choose an empty directory",
                         d->path, e->d_name);
    }
    closedir(list);
    return rc;
}

/* ---- lock ---- */

void dir_set_endpoint(struct dir *d, const char *endpoint)
{
    char text[512];
    int n;

    if (d->lock_fd < 0) return;
    n = snprintf(text, sizeof text, "pid %ld\n%s%s%s", (long)getpid(), endpoint ? "endpoint " : "",
                 endpoint ? endpoint : "", endpoint ? "\n" : "");
    if (n >= (int)sizeof text) n = sizeof text - 1;
    /* Only there to be told to others: failing to write it is no reason to stop. */
    if (ftruncate(d->lock_fd, 0) == 0 && pwrite(d->lock_fd, text, (size_t)n, 0) < 0) return;
}

static int say_held(const struct dir *d, char *message, size_t size)
{
    char text[512], *endpoint = NULL, *end;
    long pid = 0;

    if (read_text(d->fd, "LOCK", text, sizeof text) > 0) {
        if (!strncmp(text, "pid ", 4)) pid = strtol(text + 4, NULL, 10);
        endpoint = strstr(text, "\nendpoint ");
        if (endpoint) {
            endpoint += strlen("\nendpoint ");
            if ((end = strchr(endpoint, '\n'))) *end = 0;
        }
    }
    if (pid <= 0)
        return dir_say(STORE_STOPPED, message, size,
                       "%s is in use by another process: stop it, or choose another directory",
                       d->path);
    return dir_say(STORE_STOPPED, message, size,
                   "%s is in use by process %ld%s%s: stop it, or choose another directory", d->path,
                   pid, endpoint ? " at " : "", endpoint ? endpoint : "");
}

static int take_lock(struct dir *d, bool read_only, const char *endpoint, char *message,
                     size_t size)
{
    int flags = read_only ? O_RDONLY : O_RDWR | O_CREAT;

    d->lock_fd = openat(d->fd, "LOCK", flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (d->lock_fd < 0) {
        /* Readers of a directory that was never opened for writing (a copy) need none. */
        if (read_only && errno == ENOENT) return STORE_OK;
        return dir_say(STORE_IO, message, size, "cannot write to directory %s: %s", d->path,
                       strerror(errno));
    }
    if (flock(d->lock_fd, (read_only ? LOCK_SH : LOCK_EX) | LOCK_NB)) {
        int why = errno;
        /* What stands in the file is the holder's: closing the directory must not empty it. */
        close(d->lock_fd);
        d->lock_fd = -1;
        if (why == EWOULDBLOCK) return say_held(d, message, size);
        return dir_say(STORE_IO, message, size, "cannot lock %s/LOCK: %s", d->path, strerror(why));
    }
    if (!read_only) dir_set_endpoint(d, endpoint);
    return STORE_OK;
}

/* ---- unsynced ---- */

static void boot_id(char *id, size_t size)
{
    ssize_t n = read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", id, size);

    /* An unknown boot never equals another, so the doubtful case is refused. */
    if (n <= 0) snprintf(id, size, "unknown-%ld\n", (long)getpid());
}

int dir_mark_unsynced(struct dir *d)
{
    char id[64];

    boot_id(id, sizeof id);
    return write_text(d->fd, "UNSYNCED", "UNSYNCED.new", id);
}

/* In place, which takes no room on a disk that has none, and not synced, which would fail as the sync before did. Neither is needed:
 * there is a mark already, and whatever becomes of it that is not this boot's id refuses the directory. */
int dir_mark_sync_failed(struct dir *d)
{
    int fd = openat(d->fd, "UNSYNCED", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600), rc;

    if (fd < 0) return errno;
    rc = write_all(fd, SYNC_FAILED, strlen(SYNC_FAILED));
    if (!rc && ftruncate(fd, (off_t)strlen(SYNC_FAILED))) rc = errno;
    close(fd);
    return rc;
}

int dir_clear_unsynced(struct dir *d)
{
    if (unlinkat(d->fd, "UNSYNCED", 0)) return errno == ENOENT ? 0 : errno;
    return fsync(d->fd) ? errno : 0;
}

int dir_check_boot(struct dir *d, char *message, size_t size)
{
    char was[64], is[64];

    if (read_text(d->fd, "UNSYNCED", was, sizeof was) < 0) {
        if (errno == ENOENT) return STORE_OK;
        return dir_say(STORE_IO, message, size, "cannot read %s/UNSYNCED: %s", d->path,
                       strerror(errno));
    }
    d->unsynced = true;
    /* The process sees what it wrote, from memory, and nobody knows what the disk has of it. */
    if (!strcmp(was, SYNC_FAILED))
        return dir_say(STORE_CORRUPT, message, size,
                       "a sync of %s failed while it was in use with relaxed durability, so its files may be damaged: restore a backup, "
                       "or see what `onefold check` says of it and remove %s/UNSYNCED to open it at your own risk",
                       d->path, d->path);
    boot_id(is, sizeof is);
    if (!strcmp(was, is)) return STORE_OK;
    return dir_say(
        STORE_CORRUPT, message, size,
        "%s was in use with relaxed durability when the machine went down, so its files "
        "may be damaged: restore a backup, or remove %s/UNSYNCED to open it at your own risk",
        d->path, d->path);
}

/* ---- opening ---- */

/* Or a power loss could take the new directory's name with all that is in it. A parent that may not
 * be read cannot be synced; that is no reason to refuse. Returns errno. */
static int sync_parent(int dir_fd)
{
    int fd = openat(dir_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

    if (fd < 0) return 0;
    if (fsync(fd) && errno != EINVAL) rc = errno; /* EINVAL: file systems that cannot sync a directory */
    close(fd);
    return rc;
}

static int open_path(struct dir *d, const char *path, bool read_only, char *message, size_t size)
{
    int rc;

    d->path = strdup(path);
    if (!d->path) return dir_say(STORE_NO_MEMORY, message, size, "out of memory");
    d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->fd < 0 && errno == ENOENT && !read_only) {
        if (mkdir(path, 0700) && errno != EEXIST)
            return dir_say(STORE_IO, message, size, "cannot create directory %s: %s", path,
                           errno == ENOENT ? "what it would be in does not exist" : strerror(errno));
        d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (d->fd >= 0 && (rc = sync_parent(d->fd))) {
            /* Once more it would be there already, and nobody would sync its name. */
            rmdir(path);
            return dir_say(STORE_IO, message, size, "cannot create directory %s: %s", path, strerror(rc));
        }
    }
    if (d->fd >= 0) return STORE_OK;
    if (errno == ENOTDIR) return dir_say(STORE_IO, message, size, "%s is not a directory", path);
    return dir_say(STORE_IO, message, size, "cannot open directory %s: %s", path, strerror(errno));
}

/* What is written through a link would be somebody else's file. */
static int refuse_no_files(struct dir *d, char *message, size_t size)
{
    struct stat st;

    for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
        if (!fstatat(d->fd, own_files[i], &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode))
            return dir_say(STORE_INVALID, message, size,
                           "%s/%s is %s where Onefold has a file: put the file in its place, or choose another directory", d->path, own_files[i],
                           S_ISLNK(st.st_mode) ? "a link" : S_ISDIR(st.st_mode) ? "a directory" : "a device or a pipe");
    return STORE_OK;
}

int dir_say_no_format(const struct dir *d, char *message, size_t size)
{
    return dir_say(STORE_CORRUPT, message, size, "%s holds data but no FORMAT file: restore the directory from a backup", d->path);
}

static int check_files(struct dir *d, bool read_only, char *message, size_t size)
{
    struct stat st;
    unsigned version;
    int rc = refuse_no_files(d, message, size);

    if (rc == STORE_OK) rc = read_format(d->fd, d->path, &version, message, size);
    if (rc) return rc;
    if (version > STORE_FORMAT)
        return dir_say(
            STORE_INVALID, message, size,
            "%s has format %u, made by a newer Onefold (this one knows up to %u): use that "
            "version, or another directory",
            d->path, version, STORE_FORMAT);
    d->fresh = version == 0;
    d->has_data = fstatat(d->fd, "data.mdb", &st, 0) == 0 && st.st_size > 0;
    if (!d->fresh && !d->has_data)
        return dir_say(STORE_CORRUPT, message, size,
                       "%s/data.mdb is missing: restore the directory from a backup", d->path);
    if (d->fresh && read_only) {
        bool begun = faccessat(d->fd, "FORMAT.new", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        if (d->has_data && !begun) return dir_say_no_format(d, message, size);
        return dir_say(STORE_NOT_FOUND, message, size, "%s is not a Onefold directory", d->path);
    }
    if (d->fresh) return refuse_foreign(d, message, size);
    return STORE_OK;
}

int dir_open(struct dir *d, const char *path, bool read_only, const char *endpoint, char *message,
             size_t message_size)
{
    int rc;

    *d = (struct dir){ .fd = -1, .lock_fd = -1 };
    rc = open_path(d, path, read_only, message, message_size);
    /* Before the lock, so that nothing is created in a directory that is not ours; and again with
     * it, because another process may have been at work until then. */
    if (rc == STORE_OK) rc = check_files(d, read_only, message, message_size);
    if (rc == STORE_OK) rc = take_lock(d, read_only, endpoint, message, message_size);
    if (rc == STORE_OK) rc = check_files(d, read_only, message, message_size);
    if (rc) dir_close(d);
    return rc;
}

void dir_abandon(struct dir *d)
{
    static const char *const names[] = { "FORMAT", "data.mdb", "FORMAT.new" }; /* in this order: see dir_begin_new */

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(d->fd, names[i], 0);
}

int dir_begin_new(struct dir *d)
{
    int rc;

    if (faccessat(d->fd, "FORMAT.new", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        if (unlinkat(d->fd, "data.mdb", 0) && errno != ENOENT) return errno;
        d->has_data = false;
    }
    if (d->has_data) return 0; /* not begun here: what it is, opening it tells */
    rc = write_synced(d->fd, "FORMAT.new", "begun\n");
    if (!rc && fsync(d->fd)) rc = errno;
    return rc;
}

int dir_reserve_readers(struct dir *d)
{
    char name[4096];
    int fd, rc;

    snprintf(name, sizeof name, "%s/lock.mdb", d->path);
    fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    rc = posix_fallocate(fd, 0, READERS_BYTES);
    close(fd);
    /* What a file system cannot do is no reason to refuse; that it is full, or fails, is. */
    return rc == ENOSPC || rc == EDQUOT || rc == EFBIG || rc == EIO ? rc : 0;
}

void dir_remove_readers(struct dir *d)
{
    /* Where it cannot be removed nothing can be written either, so that nobody comes to wait for its lock. */
    unlinkat(d->fd, "lock.mdb", 0);
}

void dir_close(struct dir *d)
{
    if (d->lock_fd >= 0) {
        /* The name stays: removing it would let two processes lock two files. */
        if (ftruncate(d->lock_fd, 0)) errno = 0;
        close(d->lock_fd);
    }
    if (d->fd >= 0) close(d->fd);
    free(d->path);
    *d = (struct dir){ .fd = -1, .lock_fd = -1 };
}

/* ---- in memory ---- */

static const char *temporary_place(void)
{
    const char *tmp = getenv("TMPDIR");
    struct statvfs v;

    if (statvfs("/dev/shm", &v) == 0 && (uint64_t)v.f_bavail * v.f_frsize >= TEMPORARY_ROOM &&
        access("/dev/shm", W_OK | X_OK) == 0)
        return "/dev/shm";
    return tmp && *tmp ? tmp : "/tmp";
}

int dir_open_temporary(struct dir *d, char *message, size_t message_size)
{
    *d = (struct dir){ .fd = -1, .lock_fd = -1, .fresh = true };
    if (asprintf(&d->path, "%s/onefold-XXXXXX", temporary_place()) < 0) {
        d->path = NULL;
        return dir_say(STORE_NO_MEMORY, message, message_size, "out of memory");
    }
    if (!mkdtemp(d->path)) {
        dir_say(STORE_IO, message, message_size, "cannot create a temporary directory %s: %s",
                d->path, strerror(errno));
        free(d->path);
        d->path = NULL;
        return STORE_IO;
    }
    return STORE_OK;
}

void dir_vanish(struct dir *d)
{
    char name[4096];

    for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++) {
        snprintf(name, sizeof name, "%s/%s", d->path, own_files[i]);
        unlink(name);
    }
    rmdir(d->path);
}
