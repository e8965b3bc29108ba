/* run_range.c: key ranges on the client's side: which items lie in one, and what of one lies behind a place. */
#include "plan_impl.h"
#include "run_impl.h"

static bool is_text(struct slice v)
{
    enum val_type t = val_type(v);
    return t == TYPE_S || t == TYPE_B;
}

struct slice range_stem(const struct key_range *r)
{
    if (r->prefix.n) return is_text(r->prefix) ? val_content(r->prefix) : slice_of(NULL, 0);
    if (!r->low.n || !r->high.n || !is_text(r->low)) return slice_of(NULL, 0);
    struct slice a = val_content(r->low), b = val_content(r->high);
    size_t n = 0;
    while (n < a.n && n < b.n && a.p[n] == b.p[n]) n++;
    return slice_of(a.p, n);
}

static bool attribute_is(struct slice item, struct slice name, struct slice value)
{
    struct slice v;
    return val_get(item, name, &v) && val_equal(v, value);
}

bool range_holds(const struct model_index *ix, const struct segment *s, struct slice item)
{
    const struct key_range *r = &s->range;
    struct slice v;
    for (size_t i = 0; i < ix->hash.n; i++) {
        if (!attribute_is(item, ix->hash.attrs[i].name, r->hash[i])) return false;
    }
    for (size_t i = 0; i < s->fixed; i++) {
        if (!attribute_is(item, ix->sort.attrs[i].name, r->fixed[i])) return false;
    }
    if (s->fixed >= ix->sort.n) return true;
    const struct key_attribute *k = &ix->sort.attrs[s->fixed];
    if (!val_get(item, k->name, &v) || val_type(v) != k->type) return false;
    if (r->prefix.n && !slice_starts(val_content(v), val_content(r->prefix))) return false;
    if (r->low.n) {
        int c = val_compare(v, r->low);
        if (c < 0 || (c == 0 && r->low_open)) return false;
    }
    if (r->high.n) {
        int c = val_compare(v, r->high);
        if (c > 0 || (c == 0 && r->high_open)) return false;
    }
    return true;
}

/* Places hold contents, not values: what an S or B says, the encoding of an N (whose bytes sort as numbers do). */
size_t range_place(const struct model_index *ix, const struct segment *s, struct slice item,
                   struct slice place[KEY_MAX_PARTS])
{
    size_t n = 0;
    for (size_t i = s->fixed; i < ix->sort.n; i++) {
        struct slice v;
        place[n] = val_get(item, ix->sort.attrs[i].name, &v) ? val_content(v) : slice_of(NULL, 0);
        if (i == s->fixed && ix->sort.attrs[i].type != TYPE_N) {
            struct slice stem = range_stem(&s->range);
            if (slice_starts(place[n], stem)) place[n] = slice_of(place[n].p + stem.n, place[n].n - stem.n);
        }
        n++;
    }
    return n;
}

int place_compare(const struct model_index *ix, size_t fixed, const struct slice *a, const struct slice *b)
{
    for (size_t i = 0; i + fixed < ix->sort.n; i++) {
        int c = slice_cmp(a[i], b[i]);
        if (c) return c;
    }
    return 0;
}

static struct slice make_value(struct arena *a, enum val_type type, struct slice stem, struct slice rest)
{
    struct buf text, b;
    buf_init(&text, a, (size_t)1 << 20);
    buf_init(&b, a, (size_t)1 << 20);
    buf_slice(&text, stem);
    buf_slice(&text, rest);
    if (type == TYPE_N) val_put_number(&b, rest);
    else if (type == TYPE_B) val_put_binary(&b, buf_view(&text));
    else val_put_string(&b, buf_view(&text));
    return buf_view(&b);
}

struct slice prefix_end(struct arena *a, struct slice prefix)
{
    struct slice text = val_content(prefix), none = { 0 };
    if (val_type(prefix) == TYPE_S) {
        struct slice end = text_after(a, text);
        return end.n ? make_value(a, TYPE_S, end, none) : none;
    }
    while (text.n && text.p[text.n - 1] == 0xff) text.n--;
    if (!text.n) return none;
    uint8_t last = (uint8_t)(text.p[text.n - 1] + 1);
    return make_value(a, TYPE_B, slice_of(text.p, text.n - 1), slice_of(&last, 1));
}

/* The tighter of two bounds on one side; sign 1: lower bounds, -1: upper ones. */
static void tighten(struct slice *bound, bool *open, struct slice other, bool other_open, int sign)
{
    if (!other.n) return;
    int c = bound->n ? sign * val_compare(other, *bound) : 1;
    if (c > 0) {
        *bound = other;
        *open = other_open;
    } else if (c == 0) {
        *open = *open || other_open;
    }
}

/* Can something lie in it? DynamoDB refuses a BETWEEN with its ends the wrong way round. */
static bool is_empty(const struct key_range *r)
{
    if (!r->low.n || !r->high.n) return false;
    int c = val_compare(r->low, r->high);
    return c > 0 || (c == 0 && (r->low_open || r->high_open));
}

/* The range with one more bound on its sort attribute. */
static struct key_range bounded(struct arena *a, struct key_range r, bool descending, struct slice value, bool open)
{
    if (r.prefix.n) {
        r.low = r.prefix;
        r.high = prefix_end(a, r.prefix);
        r.low_open = false;
        r.high_open = true;
        r.prefix = slice_of(NULL, 0);
    }
    if (descending) tighten(&r.high, &r.high_open, value, open, -1);
    else tighten(&r.low, &r.low_open, value, open, 1);
    return r;
}

/* Of a tuple (x, y, z): the rest of those that begin with x, y; then of those with x; then all behind x. */
size_t range_behind(struct arena *a, const struct model_index *ix, const struct segment *s, bool descending,
                    const struct slice *place, bool inclusive, struct segment out[KEY_MAX_PARTS])
{
    size_t n = 0, left = ix->sort.n - s->fixed;
    if (!left) {
        if (inclusive) out[n++] = *s;
        return n;
    }
    struct slice values[KEY_MAX_PARTS];
    for (size_t i = 0; i < left; i++) {
        enum val_type type = ix->sort.attrs[s->fixed + i].type;
        values[i] = make_value(a, type, i ? slice_of(NULL, 0) : range_stem(&s->range), place[i]);
    }
    for (size_t level = left; level--;) {
        struct segment *g = &out[n];
        bool open = !(inclusive && level == left - 1);
        *g = *s;
        g->fixed = s->fixed + level;
        for (size_t i = 0; i < level; i++) g->range.fixed[s->fixed + i] = values[i];
        if (level) {
            g->range.low = g->range.high = g->range.prefix = slice_of(NULL, 0);
            g->range.low_open = g->range.high_open = false;
        }
        g->range = bounded(a, g->range, descending, values[level], open);
        if (!is_empty(&g->range)) n++;
    }
    return n;
}
