/* range.c: key conditions, segments and start keys as ranges of the store's keys. */
#include "range.h"

/* The partition, then the range attributes known by equality. */
static struct slice query_prefix(struct arena *a, const struct table *t, const struct index *ix,
                                 const struct key_query *q)
{
    struct buf b;
    buf_init(&b, a, STORE_MAX_KEY);
    key_put_partition(&b, t, ix, q->hash);
    for (size_t i = 0; i < q->n_range_eq; i++)
        keybytes_put(&b, q->range_eq[i]);
    return buf_view(&b);
}

static struct slice with_value(struct arena *a, struct slice prefix, struct slice value,
                               void (*put)(struct buf *, struct slice))
{
    struct buf b;
    buf_init(&b, a, STORE_MAX_KEY);
    buf_slice(&b, prefix);
    put(&b, value);
    return buf_view(&b);
}

void range_of_query(struct arena *a, const struct table *t, const struct index *ix,
                    const struct key_query *q, struct store_range *out)
{
    struct slice prefix = query_prefix(a, t, ix, q);
    out->space = ix ? SPACE_INDEX : SPACE_ITEM;
    out->from = prefix;
    out->to = slice_of(NULL, 0);
    struct slice lo = prefix;
    if (q->op == KEY_BEGINS_WITH) {
        lo = with_value(a, prefix, q->lo, keybytes_put_prefix);
    } else if (q->op != KEY_NONE) {
        lo = with_value(a, prefix, q->lo, keybytes_put);
    }
    switch (q->op) {
    case KEY_NONE:
    case KEY_EQ:
    case KEY_BEGINS_WITH:
        out->from = lo;
        out->to = keybytes_after(a, lo);
        break;
    case KEY_LT:
        out->to = lo;
        break;
    case KEY_LE:
        out->to = keybytes_after(a, lo);
        break;
    case KEY_GT:
        out->from = keybytes_after(a, lo);
        out->to = keybytes_after(a, prefix);
        break;
    case KEY_GE:
        out->from = lo;
        out->to = keybytes_after(a, prefix);
        break;
    case KEY_BETWEEN:
        out->from = lo;
        out->to = keybytes_after(a, with_value(a, prefix, q->hi, keybytes_put));
        break;
    }
}

void range_of_segment(struct arena *a, const struct table *t, const struct index *ix,
                      uint32_t segment, uint32_t total, struct store_range *out)
{
    out->space = ix ? SPACE_INDEX : SPACE_ITEM;
    key_segment(a, ix ? ix->id : t->id, segment, total, &out->from, &out->to);
}

bool range_start_behind(struct arena *a, struct store_range *r, struct slice key)
{
    if (slice_cmp(key, r->from) < 0 || (r->to.n && slice_cmp(key, r->to) >= 0)) return false;
    if (r->reverse) {
        r->to = key;
        return true;
    }
    /* The least key above this one is this one with a zero byte behind it. */
    uint8_t *p = arena_bytes(a, key.n + 1);
    memcpy(p, key.p, key.n);
    p[key.n] = 0;
    r->from = slice_of(p, key.n + 1);
    return true;
}

static bool compare(const struct key_query *q, struct slice v)
{
    switch (q->op) {
    case KEY_NONE:
        return true;
    case KEY_EQ:
        return val_compare(v, q->lo) == 0;
    case KEY_LT:
        return val_compare(v, q->lo) < 0;
    case KEY_LE:
        return val_compare(v, q->lo) <= 0;
    case KEY_GT:
        return val_compare(v, q->lo) > 0;
    case KEY_GE:
        return val_compare(v, q->lo) >= 0;
    case KEY_BETWEEN:
        return val_compare(v, q->lo) >= 0 && val_compare(v, q->hi) <= 0;
    case KEY_BEGINS_WITH:
        return slice_starts(val_content(v), val_content(q->lo));
    }
    return false;
}

bool range_matches(const struct key_query *q, const struct slice *values, size_t n)
{
    for (size_t i = 0; i < q->n_range_eq && i < n; i++) {
        if (val_compare(values[i], q->range_eq[i]) != 0) return false;
    }
    return q->op == KEY_NONE || q->n_range_eq >= n || compare(q, values[q->n_range_eq]);
}
