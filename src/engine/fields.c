/* fields.c: see fields.h. */
#include "fields.h"
#include <assert.h>

void fields_value(struct fields_out *f, struct slice name, struct slice value)
{
    if (!value.n) return;
    assert(f->n < FIELDS_MAX);
    f->attrs[f->n++] = (struct attr){ name, value };
}

void fields_text(struct fields_out *f, struct slice name, struct slice text)
{
    if (text.n) fields_value(f, name, val_make_string(f->arena, text));
}

void fields_bytes(struct fields_out *f, struct slice name, struct slice bytes)
{
    if (!bytes.n) return;
    struct buf b;
    buf_init(&b, f->arena, bytes.n + 16);
    val_put_binary(&b, bytes);
    fields_value(f, name, buf_view(&b));
}

void fields_int(struct fields_out *f, struct slice name, int64_t v)
{
    if (v) fields_value(f, name, val_make_number(f->arena, v));
}

struct slice fields_end(struct fields_out *f, size_t max)
{
    struct buf b;
    buf_init(&b, f->arena, max);
    val_put_map(&b, f->attrs, f->n);
    return buf_view(&b);
}

struct slice field_value(struct slice item, struct slice name, enum val_type type)
{
    struct slice v;
    if (!val_get(item, name, &v) || val_type(v) != type) return slice_of(NULL, 0);
    return v;
}

struct slice field_text(struct slice item, struct slice name)
{
    struct slice v = field_value(item, name, TYPE_S);
    return v.n ? val_content(v) : v;
}

struct slice field_bytes(struct slice item, struct slice name)
{
    struct slice v = field_value(item, name, TYPE_B);
    return v.n ? val_content(v) : v;
}

int64_t field_int(struct slice item, struct slice name)
{
    struct slice v = field_value(item, name, TYPE_N);
    int64_t n;
    return v.n && num_to_int64(val_content(v), &n) ? n : 0;
}
