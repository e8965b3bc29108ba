/* path.c: document paths. */
#include "parse.h"

bool path_get(struct slice item, const struct path *path, struct slice *out)
{
    if (!item.n) return false;
    struct slice v = item;
    for (size_t i = 0; i < path->n; i++) {
        const struct path_step *s = &path->steps[i];
        if (!(s->name.p ? val_get(v, s->name, &v) : val_at(v, s->index, &v))) return false;
    }
    *out = v;
    return true;
}

struct slice path_text(struct arena *a, const struct path *path)
{
    struct buf b;
    buf_init(&b, a, SIZE_MAX / 2);
    BUF_LIT(&b, "[");
    for (size_t i = 0; i < path->n; i++) {
        if (i) BUF_LIT(&b, ", ");
        if (path->steps[i].name.p)
            buf_slice(&b, path->steps[i].name);
        else
            buf_printf(&b, "[%u]", (unsigned)path->steps[i].index);
    }
    BUF_LIT(&b, "]");
    return buf_view(&b);
}
