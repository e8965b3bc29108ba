/* write_expected.c: whether an entity still is what its writer read before changing it.
 *
 * What is expected speaks of attributes as they are read: with defaults filled in where the item is of an older shape. So the
 * item is read again and compared; what it then holds becomes part of the write's condition, and a change in between makes the
 * write begin anew, and fail here. */
#include "values.h"
#include "write_impl.h"

#define SHOWN_MAX 4 /* differences told one by one */

static struct slice as_plain(struct arena *a, struct slice value)
{
    struct buf b;
    buf_init(&b, a, WRITE_TEXT_MAX);
    value_to_plain(&b, value);
    return buf_view(&b);
}

/* Plain JSON, in which most expectations come, does not tell a set from a list where the model does not say. */
static bool is_same(struct arena *a, const struct attribute *at, struct slice is, struct slice expected)
{
    if (val_equal(is, expected)) return true;
    if (at && at->type != TYPE_M && at->type != TYPE_L) return false;
    return slice_eq(as_plain(a, is), as_plain(a, expected));
}

static bool current(const struct work *k, struct slice name, struct slice *out)
{
    return val_get(k->old_attributes, name, out) || val_get(k->old, name, out);
}

static bool differs(struct write *w, const struct work *k, struct slice name, struct slice expected)
{
    struct slice is;
    bool absent = val_type(expected) == TYPE_NULL;
    if (!current(k, name, &is) || val_type(is) == TYPE_NULL) return !absent;
    return absent || !is_same(w->s->arena, entity_attribute(k->entity, name), is, expected);
}

static void put_difference(struct write *w, const struct work *k, struct buf *b, struct slice name, struct slice expected)
{
    struct arena *a = w->s->arena;
    struct slice is;
    if (!current(k, name, &is)) {
        buf_printf(b, "%.*s is not there any more", SLICE_ARG(name));
    } else if (val_type(expected) == TYPE_NULL) {
        buf_printf(b, "%.*s is %.*s, and was not there", SLICE_ARG(name), SLICE_ARG(value_label(a, is)));
    } else {
        buf_printf(b, "%.*s is %.*s, not %.*s", SLICE_ARG(name), SLICE_ARG(value_label(a, is)),
                   SLICE_ARG(value_label(a, expected)));
    }
}

int expected_check(struct write *w, struct work *k, struct err *e)
{
    struct slice label, name, value, expected = k->step->expected;
    struct val_iter it;
    struct buf b;
    size_t n = 0;
    if (!expected.n) return 0;
    buf_init(&b, w->s->arena, WRITE_TEXT_MAX);
    val_iter_init(&it, expected);
    while (val_next(&it, &name, &value)) {
        if (!differs(w, k, name, value)) continue;
        if (n++ >= SHOWN_MAX) continue;
        if (n > 1) BUF_LIT(&b, "; ");
        put_difference(w, k, &b, name, value);
    }
    if (!n) return 0;
    label = entity_label(w->s->arena, k->entity, k->attributes.n ? k->attributes : k->step->attributes);
    if (!k->old.n) {
        return err_set(e, ERR_ConditionalCheckFailedException, "%.*s was deleted since it was read", SLICE_ARG(label));
    }
    if (n > SHOWN_MAX) buf_printf(&b, "; and %zu more", n - SHOWN_MAX);
    return err_set(e, ERR_ConditionalCheckFailedException, "%.*s was changed since it was read: %.*s", SLICE_ARG(label),
                   SLICE_ARG(buf_view(&b)));
}
