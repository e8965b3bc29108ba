/* archive_write.c: writing the file of a backup; see archive.h. */
#include "archive.h"
#include "../cli.h"
#include "version.h"
#include "../../item/item_json.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define MODE           "wb1" /* a higher level takes several times as long for little */
#define LINE_MAX_BYTES ((size_t)8 << 20) /* twice the longest short item */

struct archive_writer {
    const char *path, *unfinished;
    int fd;
    gzFile pack;  /* NULL: all is packed */
    bool renamed;
    struct archive_sum sum;
};

uint64_t archive_chain(uint64_t chain, struct slice line)
{
    return XXH3_64bits_withSeed(line.p, line.n, chain);
}

static int fail_write(const struct archive_writer *w, int error)
{
    return fail_error("cannot write %s: %s", w->unfinished, strerror(error ? error : EIO));
}

static int put_line(struct archive_writer *w, struct slice line)
{
    errno = 0;
    bool written = gzwrite(w->pack, line.p, (unsigned)line.n) == (int)line.n && gzputc(w->pack, '\n') == '\n';
    if (!written) return fail_write(w, errno);
    w->sum.chain = archive_chain(w->sum.chain, line);
    return 0;
}

/* ---- its beginning ---- */

/* What a killed run left under this name is taken over. Another run that is at work has it locked; and one that ends while we
 * come takes the name away from what we opened. */
static int take(struct archive_writer *w)
{
    struct stat mine, named;
    w->fd = open(w->unfinished, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (w->fd < 0) return fail_error("cannot write %s: %s", w->path, strerror(errno));
    if (fstat(w->fd, &mine) || !S_ISREG(mine.st_mode)) return fail_error("%s is in the way: it is no file", w->unfinished);
    if (flock(w->fd, LOCK_EX | LOCK_NB)) return fail_error("another backup is being written to %s", w->unfinished);
    if (stat(w->unfinished, &named) || named.st_ino != mine.st_ino || named.st_dev != mine.st_dev)
        return fail_error("another backup was written to %s just now", w->path);
    return fchmod(w->fd, 0600) || ftruncate(w->fd, 0) ? fail_write(w, errno) : 0;
}

static int put_head(struct archive_writer *w)
{
    char began[32], line[160];
    struct tm utc;
    time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(began, sizeof began, "%Y-%m-%dT%H:%M:%SZ", &utc);
    int n = snprintf(line, sizeof line, "{\"Backup\":{\"format\":%d,\"onefold\":\"%s\",\"began\":\"%s\"}}", ARCHIVE_FORMAT,
                     ONEFOLD_VERSION, began);
    return put_line(w, slice_of(line, (size_t)n));
}

static int fail_exists(const char *path)
{
    return fail_error("%s is there already: choose another name, or move it away", path);
}

static int open_pack(struct archive_writer *w)
{
    int copy = fcntl(w->fd, F_DUPFD_CLOEXEC, 0); /* gzclose closes what it has; ours is synced after that */
    if (copy < 0) return fail_write(w, errno);
    w->pack = gzdopen(copy, MODE);
    if (w->pack) return 0;
    close(copy);
    return fail_error("out of memory");
}

int archive_create(struct arena *a, const char *path, struct archive_writer **out)
{
    struct stat st;
    *out = NULL;
    if (!lstat(path, &st)) return fail_exists(path);
    if (errno != ENOENT) return fail_error("cannot write %s: %s", path, strerror(errno));
    struct archive_writer *w = ARENA_NEW(a, struct archive_writer);
    w->path = path;
    w->unfinished = (const char *)arena_printf(a, "%s.unfinished", path).p;
    int code = take(w);
    if (!code) code = open_pack(w);
    if (!code) code = put_head(w);
    if (!code) {
        *out = w;
        return 0;
    }
    if (w->pack) archive_abandon(w);
    else if (w->fd >= 0) close(w->fd);
    return code;
}

/* ---- tables ---- */

int archive_table(struct archive_writer *w, struct slice definition)
{
    static const char before[] = "{\"Table\":";
    const size_t n = sizeof before - 1;
    uint8_t *line = malloc(n + definition.n + 1);
    if (!line) return fail_error("out of memory");
    memcpy(line, before, n);
    memcpy(line + n, definition.p, definition.n);
    line[n + definition.n] = '}';
    int code = put_line(w, slice_of(line, n + definition.n + 1));
    free(line);
    w->sum.tables++;
    return code;
}

int archive_item(struct archive_writer *w, struct arena *scratch, struct slice item)
{
    struct buf b;
    buf_init(&b, scratch, LINE_MAX_BYTES);
    BUF_LIT(&b, "{\"Item\":");
    item_to_json_short(&b, item);
    buf_u8(&b, '}');
    w->sum.items++;
    return put_line(w, buf_view(&b));
}

int archive_table_end(struct archive_writer *w, const struct digest *d)
{
    char line[160];
    int n = snprintf(line, sizeof line, "{\"TableEnd\":{\"items\":%llu,\"bytes\":%llu,\"sum\":\"%016llx%016llx\"}}",
                     (unsigned long long)d->items, (unsigned long long)d->bytes, (unsigned long long)d->high, (unsigned long long)d->low);
    return put_line(w, slice_of(line, (size_t)n));
}

/* ---- its end ---- */

static int put_end(struct archive_writer *w, struct arena *a, struct slice left_out, struct slice damaged)
{
    struct archive_sum sum = w->sum;
    struct slice line = arena_printf(a, "{\"End\":{\"tables\":%llu,\"items\":%llu,\"chain\":\"%016llx\"%s%.*s%s%.*s}}",
                                     (unsigned long long)sum.tables, (unsigned long long)sum.items, (unsigned long long)sum.chain,
                                     left_out.n ? ",\"left_out\":" : "", SLICE_ARG(left_out), damaged.n ? ",\"damaged\":" : "",
                                     SLICE_ARG(damaged));
    int code = put_line(w, line);
    w->sum = sum; /* of the lines before this one */
    return code;
}

static int close_pack(struct archive_writer *w)
{
    errno = 0;
    int status = gzclose(w->pack);
    w->pack = NULL;
    if (status != Z_OK || fsync(w->fd)) return fail_write(w, errno);
    return 0;
}

/* Not over what somebody else put there meanwhile. Some network file systems know only the plain rename. */
static int give_name(struct archive_writer *w)
{
    struct stat st;
    int failed = renameat2(AT_FDCWD, w->unfinished, AT_FDCWD, w->path, RENAME_NOREPLACE);
    if (failed && (errno == EINVAL || errno == ENOSYS) && lstat(w->path, &st)) failed = rename(w->unfinished, w->path);
    if (failed) return errno == EEXIST ? fail_exists(w->path) : fail_error("cannot rename %s: %s", w->unfinished, strerror(errno));
    w->renamed = true;
    return 0;
}

/* The name is in the directory only when that is synced. */
static int sync_folder(const struct archive_writer *w, struct arena *a)
{
    const char *slash = strrchr(w->path, '/');
    const char *folder = !slash ? "." : slash == w->path ? "/" : (const char *)arena_printf(a, "%.*s", (int)(slash - w->path), w->path).p;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = fd < 0 || fsync(fd), error = errno;
    if (fd >= 0) close(fd);
    return failed ? fail_error("cannot sync %s: %s", folder, strerror(error)) : 0;
}

int archive_finish(struct archive_writer *w, struct arena *kept, struct arena *scratch, struct slice left_out, struct slice damaged)
{
    struct archive_sum found;
    const struct archive_visitor nobody = { .ctx = NULL };
    int code = put_end(w, kept, left_out, damaged);
    if (!code) code = close_pack(w);
    if (!code) code = archive_read(w->fd, w->unfinished, kept, scratch, &nobody, &found);
    if (!code && (found.chain != w->sum.chain || found.tables != w->sum.tables || found.items != w->sum.items))
        code = fail_error("%s does not hold what was written to it", w->unfinished);
    if (!code) code = give_name(w);
    if (!code) code = sync_folder(w, kept);
    if (code) return code;
    close(w->fd);
    w->fd = -1;
    return 0;
}

void archive_abandon(struct archive_writer *w)
{
    if (!w || w->fd < 0) return;
    if (w->pack) gzclose(w->pack);
    w->pack = NULL;
    if (!w->renamed) unlink(w->unfinished);
    close(w->fd);
    w->fd = -1;
}
