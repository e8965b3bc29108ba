/* side_file.c: the files that a model names. */
#include "side_file.h"
#include "text_file.h"
#include <errno.h>

static int given(const struct model_files *files, struct slice path, size_t max, struct slice *out)
{
    for (size_t i = 0; i < files->n; i++) {
        if (!slice_eq(files->list[i].name, path)) continue;
        *out = files->list[i].text;
        return out->n > max ? EFBIG : 0;
    }
    return ENOENT;
}

int side_file_bytes(struct arena *a, const struct model *m, struct slice path, size_t max, struct slice *out)
{
    if (m->files) return given(m->files, path, max, out);
    return text_file_bytes(a, (const char *)arena_printf(a, "%.*s", SLICE_ARG(path)).p, max, out);
}

int side_file_read(struct arena *a, const struct model *m, struct slice path, size_t max, struct slice *out,
                   struct err *e)
{
    return text_file_error(side_file_bytes(a, m, path, max, out), path, max, e);
}
