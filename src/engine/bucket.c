/* bucket.c: directories and files as buckets and objects. */
#include "bucket.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH  64
#define OPEN_FLAGS (O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) /* a pipe must not hold us up */

/* One name: no path. */
static bool name_fits(struct slice name)
{
    if (!name.n || name.n > NAME_MAX || memchr(name.p, '/', name.n) || memchr(name.p, 0, name.n)) return false;
    return !slice_eq(name, SLICE(".")) && !slice_eq(name, SLICE(".."));
}

static int open_name(int dir, struct slice name, int flags)
{
    char text[NAME_MAX + 1];
    if (!name_fits(name)) {
        errno = ENOENT;
        return -1;
    }
    memcpy(text, name.p, name.n);
    text[name.n] = 0;
    return openat(dir, text, OPEN_FLAGS | flags);
}

static void close_keeping_errno(int fd)
{
    int kept = errno;
    close(fd);
    errno = kept;
}

bool bucket_error_passes(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

int bucket_open(const char *s3_dir, struct slice name)
{
    int top = open(s3_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top < 0) return -1;
    int fd = open_name(top, name, O_DIRECTORY);
    close_keeping_errno(top);
    return fd;
}

/* ---- listing ---- */

struct listing {
    struct bucket_keys *out;
    struct slice prefix;
    char key[BUCKET_MAX_KEY + 1]; /* of the directory, with a '/' at its end, or of the file */
};

static int add_key(struct bucket_keys *keys, const char *key)
{
    if (keys->n == BUCKET_MAX_OBJECTS) return E2BIG;
    if (keys->n == keys->room) {
        size_t room = keys->room ? keys->room * 2 : 64;
        char **more = realloc(keys->keys, room * sizeof *more);
        if (!more) return ENOMEM;
        keys->keys = more;
        keys->room = room;
    }
    char *copy = strdup(key);
    if (!copy) return ENOMEM;
    keys->keys[keys->n++] = copy;
    return 0;
}

/* Do the n bytes of the key, and the prefix, agree as far as both go? */
static bool agrees(const struct listing *l, size_t n)
{
    size_t both = n < l->prefix.n ? n : l->prefix.n;
    return both == 0 || memcmp(l->key, l->prefix.p, both) == 0;
}

static int list_directory(struct listing *l, int fd, size_t n, unsigned depth);

static int list_entry(struct listing *l, int dir, size_t n, const char *name, unsigned depth)
{
    size_t length = strlen(name);
    struct stat st;
    if (n + length + 1 > BUCKET_MAX_KEY) return 0; /* S3 has no such key */
    memcpy(l->key + n, name, length + 1);
    if (!agrees(l, n + length)) return 0;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT ? 0 : errno;
    if (S_ISREG(st.st_mode)) return n + length < l->prefix.n ? 0 : add_key(l->out, l->key);
    if (!S_ISDIR(st.st_mode) || depth == MAX_DEPTH) return 0;
    memcpy(l->key + n + length, "/", 2);
    if (!agrees(l, n + length + 1)) return 0;
    int fd = openat(dir, name, OPEN_FLAGS | O_DIRECTORY);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return 0; /* it is gone meanwhile */
    return fd < 0 ? errno : list_directory(l, fd, n + length + 1, depth + 1);
}

/* Takes fd. */
static int list_directory(struct listing *l, int fd, size_t n, unsigned depth)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close_keeping_errno(fd);
        return errno;
    }
    struct dirent *entry;
    int error = 0;
    while (!error) {
        errno = 0;
        entry = readdir(dir);
        error = errno;
        if (!entry) break;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        error = list_entry(l, dirfd(dir), n, entry->d_name, depth);
    }
    closedir(dir);
    return error;
}

static int compare_keys(const void *a, const void *b)
{
    return slice_cmp(slice_str(*(char *const *)a), slice_str(*(char *const *)b));
}

int bucket_list(int bucket, struct slice prefix, struct bucket_keys *out)
{
    struct listing l = { .out = out, .prefix = prefix };
    *out = (struct bucket_keys){ 0 };
    int fd = openat(bucket, ".", OPEN_FLAGS | O_DIRECTORY);
    int error = fd < 0 ? errno : list_directory(&l, fd, 0, 0);
    if (out->n) qsort(out->keys, out->n, sizeof *out->keys, compare_keys);
    return error;
}

void bucket_keys_free(struct bucket_keys *keys)
{
    for (size_t i = 0; i < keys->n; i++)
        free(keys->keys[i]);
    free(keys->keys);
    *keys = (struct bucket_keys){ 0 };
}

/* ---- one object, one folder ---- */

static struct slice first_name(struct slice *rest)
{
    const uint8_t *slash = rest->n ? memchr(rest->p, '/', rest->n) : NULL;
    struct slice name = slice_of(rest->p, slash ? (size_t)(slash - rest->p) : rest->n);
    size_t used = name.n + (slash != NULL);
    *rest = slice_of(rest->p + used, rest->n - used);
    return name;
}

/* The folder that rest's names lead to, up to the last one (file) or with it. make: where they are not there. */
static int walk(int bucket, struct slice *rest, bool make, bool file)
{
    int dir = openat(bucket, ".", OPEN_FLAGS | O_DIRECTORY);
    while (dir >= 0 && rest->n && !(file && !memchr(rest->p, '/', rest->n))) {
        struct slice name = first_name(rest);
        int next = open_name(dir, name, O_DIRECTORY);
        if (next < 0 && make && errno == ENOENT && name_fits(name)) {
            char text[NAME_MAX + 1];
            memcpy(text, name.p, name.n);
            text[name.n] = 0;
            if (mkdirat(dir, text, 0700) == 0 || errno == EEXIST) next = open_name(dir, name, O_DIRECTORY);
        }
        close_keeping_errno(dir);
        dir = next;
    }
    return dir;
}

int bucket_object(int bucket, const char *key)
{
    struct slice rest = slice_str(key);
    struct stat st;
    int dir = walk(bucket, &rest, false, true);
    if (dir < 0) return -1;
    int fd = open_name(dir, rest, 0);
    close_keeping_errno(dir);
    if (fd < 0) return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

bool bucket_prefix_fits(struct slice prefix)
{
    if (prefix.n > BUCKET_MAX_KEY) return false;
    while (prefix.n) {
        if (!name_fits(first_name(&prefix))) return false;
    }
    return true;
}

int bucket_folder(int bucket, const char *path)
{
    struct slice rest = slice_str(path);
    return walk(bucket, &rest, true, false);
}

/* All the way down: a folder that is there already may have been made by a process that was killed before it synced anything. */
int bucket_sync(int bucket, const char *path)
{
    struct slice rest = slice_str(path);
    int dir = openat(bucket, ".", OPEN_FLAGS | O_DIRECTORY);
    while (dir >= 0) {
        int error = fsync(dir) && errno != EINVAL ? errno : 0; /* EINVAL: file systems that cannot sync a directory */
        if (error || !rest.n) {
            close(dir);
            return error;
        }
        int next = open_name(dir, first_name(&rest), O_DIRECTORY);
        close_keeping_errno(dir);
        dir = next;
    }
    return errno;
}
