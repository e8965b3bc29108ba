/* fields.h: records that are items (value.h), one attribute per field. A field at its default is left out, one that is
 * not known is ignored: so a later version can add some. */
#ifndef OF_ENGINE_FIELDS_H
#define OF_ENGINE_FIELDS_H

#include "../item/value.h"

#define FIELDS_MAX        48
#define FIELDS_MAX_RECORD ((size_t)1 << 20)

struct fields {
    struct arena *arena;
    struct attr attrs[FIELDS_MAX];
    size_t n;
};

static inline void put_value(struct fields *f, struct slice name, struct slice value)
{
    if (!value.n) return;
    f->attrs[f->n++] = (struct attr){ name, value };
}

static inline void put_text(struct fields *f, struct slice name, struct slice text)
{
    if (text.n) put_value(f, name, val_make_string(f->arena, text));
}

static inline void put_int(struct fields *f, struct slice name, int64_t v)
{
    if (v) put_value(f, name, val_make_number(f->arena, v));
}

static inline void put_flag(struct fields *f, struct slice name, bool v)
{
    put_int(f, name, v);
}

static inline struct slice fields_end(struct fields *f)
{
    struct buf b;
    buf_init(&b, f->arena, FIELDS_MAX_RECORD);
    val_put_map(&b, f->attrs, f->n);
    return buf_view(&b);
}

/* ---- reading: borrowed from the record ---- */

static inline struct slice get_text(struct slice map, struct slice name)
{
    struct slice v;
    if (!val_get(map, name, &v) || val_type(v) != TYPE_S) return slice_of(NULL, 0);
    return val_content(v);
}

static inline int64_t get_int(struct slice map, struct slice name)
{
    struct slice v;
    int64_t n;
    if (!val_get(map, name, &v) || val_type(v) != TYPE_N) return 0;
    return num_to_int64(val_content(v), &n) ? n : 0;
}

static inline struct slice get_value(struct slice map, struct slice name, enum val_type type)
{
    struct slice v;
    if (!val_get(map, name, &v) || val_type(v) != type) return slice_of(NULL, 0);
    return v;
}

#endif
