/* text_file.c: a whole small file in memory. */
#include "text_file.h"
#include "../base/buf.h"
#include <errno.h>
#include <stdio.h>

#define CHUNK ((size_t)64 << 10)

int text_file_read(struct arena *a, const char *path, size_t max, struct slice *out, struct err *e)
{
    FILE *f = fopen(path, "r");
    if (!f) return err_set(e, ERR_ValidationException, "cannot read %s: %s", path, strerror(errno));
    uint8_t chunk[CHUNK];
    struct buf b;
    buf_init(&b, a, 2 * max + CHUNK);
    /* The arena may leave through its guard while the file is open; a file is only lost then, in a process out of memory. */
    for (size_t got; b.n <= max && (got = fread(chunk, 1, CHUNK, f)) > 0;) buf_bytes(&b, chunk, got);
    int trouble = ferror(f) ? errno : 0;
    fclose(f);
    if (trouble) return err_set(e, ERR_ValidationException, "cannot read %s: %s", path, strerror(trouble));
    if (b.n > max)
        return err_set(e, ERR_ValidationException, "%s is larger than %zu MB, the most there may be", path, max >> 20);
    *out = buf_view(&b);
    return 0;
}
