/* text_file.c: a whole small file in memory. */
#include "text_file.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

int text_file_bytes(struct arena *a, const char *path, size_t max, struct slice *out)
{
    struct stat st;
    if (stat(path, &st)) return errno;
    if (S_ISDIR(st.st_mode)) return EISDIR;
    /* All memory first: asking for it may leave through the arena's guard, and the file would stay open. A pipe does not tell
     * its size. */
    size_t room = S_ISREG(st.st_mode) && (size_t)st.st_size < max ? (size_t)st.st_size : max;
    uint8_t *text = arena_bytes(a, room + 1);
    FILE *f = fopen(path, "rb");
    if (!f) return errno;
    size_t n = fread(text, 1, room + 1, f);
    int trouble = ferror(f) ? errno : 0;
    fclose(f);
    if (!trouble && n > room) trouble = room == max ? EFBIG : EAGAIN; /* it grew while it was read */
    *out = slice_of(text, n);
    return trouble;
}

int text_file_error(int trouble, struct slice path, size_t max, struct err *e)
{
    if (!trouble) return 0;
    if (trouble == EFBIG)
        return err_set(e, ERR_ValidationException, "%.*s is larger than %zu MB, the most there may be", SLICE_ARG(path),
                       max >> 20);
    return err_set(e, ERR_ValidationException, "cannot read %.*s: %s", SLICE_ARG(path), strerror(trouble));
}

int text_file_read(struct arena *a, const char *path, size_t max, struct slice *out, struct err *e)
{
    return text_file_error(text_file_bytes(a, path, max, out), slice_str(path), max, e);
}
