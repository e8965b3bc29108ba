/* plan_range.c: from a plan's range and what is known to bounds on the sort key. plan.h says how
 * bounds are chosen. */
#include "plan_impl.h"
#include "values.h"
#include "../item/json.h"

/* One end of the range, on the value of the hole. */
struct end {
    bool set, open;
    struct slice value; /* encoded */
};

struct ends {
    struct end low, high;
    struct slice prefix; /* encoded; empty: none */
};

static size_t last_character(struct slice s)
{
    size_t i = s.n - 1;
    while (i && (s.p[i] & 0xC0) == 0x80)
        i--;
    return i;
}

static uint32_t decode(const uint8_t *p, size_t n)
{
    if (n == 1) return p[0];
    uint32_t c = p[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3F);
    return c;
}

static void encode(struct buf *b, uint32_t c)
{
    if (c < 0x80) {
        buf_u8(b, (uint8_t)c);
    } else if (c < 0x800) {
        buf_u8(b, (uint8_t)(0xC0 | c >> 6));
        buf_u8(b, (uint8_t)(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        buf_u8(b, (uint8_t)(0xE0 | c >> 12));
        buf_u8(b, (uint8_t)(0x80 | (c >> 6 & 0x3F)));
        buf_u8(b, (uint8_t)(0x80 | (c & 0x3F)));
    } else {
        buf_u8(b, (uint8_t)(0xF0 | c >> 18));
        buf_u8(b, (uint8_t)(0x80 | (c >> 12 & 0x3F)));
        buf_u8(b, (uint8_t)(0x80 | (c >> 6 & 0x3F)));
        buf_u8(b, (uint8_t)(0x80 | (c & 0x3F)));
    }
}

struct slice text_after(struct arena *a, struct slice prefix)
{
    while (prefix.n) {
        size_t at = last_character(prefix);
        uint32_t c = decode(prefix.p + at, prefix.n - at);
        prefix.n = at;
        if (c == 0x10FFFF) continue; /* nothing is behind it: the character before it goes up */
        c = c == 0xD7FF ? 0xE000 : c + 1; /* surrogates are no characters */
        struct buf b;
        buf_init(&b, a, prefix.n + 8);
        buf_slice(&b, prefix);
        encode(&b, c);
        return buf_view(&b);
    }
    return (struct slice){ 0 };
}

/* An instant as a value of the attribute. */
static int date_value(struct binder *b, const struct attribute *at, int64_t ms, struct slice *out)
{
    struct slice text = when_bound(b->arena, at->time, ms);
    if (at->type == TYPE_N) return value_from_text(b->arena, at, at->name, text, out, b->err);
    *out = val_make_string(b->arena, text);
    return 0;
}

static int date_ends(struct binder *b, const struct attribute *at, const struct condition *c,
                     struct ends *out)
{
    struct span s, t = { 0 };
    int rc = bind_date(b, c, &c->a, &s);
    if (!rc && c->op == COMPARE_DURING) rc = bind_date(b, c, &c->b, &t);
    if (rc) return rc;
    if (c->op != COMPARE_UNTIL) {
        out->low.set = true;
        rc = date_value(b, at, s.start, &out->low.value);
    }
    if (!rc && c->op != COMPARE_SINCE) {
        out->high.set = out->high.open = true;
        int64_t end = c->op == COMPARE_UNTIL ? s.start : c->op == COMPARE_ON ? s.end : t.start;
        rc = date_value(b, at, end, &out->high.value);
    }
    return rc;
}

static int value_ends(struct binder *b, const struct entity *en, const struct condition *c,
                      struct ends *out)
{
    struct slice x, y;
    int rc = bind_operand(b, en, c, &c->a, false, &x);
    if (rc) return rc;
    switch (c->op) {
    case COMPARE_PREFIX:
        out->prefix = x;
        return 0;
    case COMPARE_AT_LEAST:
    case COMPARE_ABOVE:
        out->low = (struct end){ true, c->op == COMPARE_ABOVE, x };
        return 0;
    case COMPARE_AT_MOST:
    case COMPARE_BELOW:
        out->high = (struct end){ true, c->op == COMPARE_BELOW, x };
        return 0;
    case COMPARE_BETWEEN:
        rc = bind_operand(b, en, c, &c->b, false, &y);
        out->low = (struct end){ true, false, x };
        out->high = (struct end){ true, false, y };
        return rc;
    default:
        out->low = (struct end){ true, false, x };
        out->high = out->low;
        return 0;
    }
}

static int find_ends(struct binder *b, const struct entity *en, const struct condition *c,
                     struct ends *out)
{
    if (!condition_is_date(c->op)) return value_ends(b, en, c, out);
    const struct attribute *at = entity_attribute(en, c->attribute);
    return date_ends(b, at, c, out);
}

int condition_bounds(struct binder *b, const struct entity *en, const struct condition *c,
                     struct slice out[2])
{
    struct ends e = { .prefix = { 0 } };
    int rc = find_ends(b, en, c, &e);
    if (rc) return rc;
    out[0] = e.prefix.n ? e.prefix : e.low.value;
    out[1] = e.high.value;
    return 0;
}

/* A value as it stands in the key, behind the known text. */
static int put_value(struct binder *b, const struct template *t, const struct part *hole,
                     struct slice value, struct buf *out)
{
    if (val_type(value) == TYPE_S && !val_content(value).n) return 0;
    struct rendered r = { .status = part_render(out, t, hole, value), .attribute = hole->text };
    if (r.status == RENDER_OK) return 0;
    struct slice why = render_reason(b->arena, r);
    return err_set(b->err, ERR_ValidationException, "%.*s: %.*s", SLICE_ARG(b->plan->pattern->name),
                   SLICE_ARG(why));
}

static void begin_text(struct binder *b, struct buf *out, struct slice known)
{
    buf_init(out, b->arena, MODEL_MAX_FILE);
    buf_slice(out, known);
}

static int text_bounds(struct binder *b, const struct template *t, const struct ends *e,
                       struct slice known, struct key_range *out)
{
    size_t at = b->plan->sort_parts;
    const struct part *hole = &t->parts[at];
    struct slice follows =
        at + 1 < t->n && !t->parts[at + 1].hole ? t->parts[at + 1].text : (struct slice){ 0 };
    struct buf low, high;
    begin_text(b, &low, known);
    begin_text(b, &high, known);
    if (e->prefix.n) {
        int rc = put_value(b, t, hole, e->prefix, &low);
        if (!rc && low.n) out->prefix = val_make_string(b->arena, buf_view(&low));
        return rc;
    }
    int rc = e->low.set ? put_value(b, t, hole, e->low.value, &low) : 0;
    if (!rc && e->high.set) rc = put_value(b, t, hole, e->high.value, &high);
    if (rc) return rc;
    out->low_open = e->low.set && e->low.open;
    if (out->low_open && follows.n) {
        buf_slice(&low, follows);
        struct slice next = text_after(b->arena, buf_view(&low));
        low.n = 0;
        buf_slice(&low, next);
        out->low_open = false;
    }
    out->high_open = e->high.open;
    if (!e->high.set || (!e->high.open && follows.n)) { /* up to the last that begins so */
        if (e->high.set) buf_slice(&high, follows);
        struct slice next = text_after(b->arena, buf_view(&high));
        high.n = 0;
        buf_slice(&high, next);
        out->high_open = true;
    }
    if (low.n) out->low = val_make_string(b->arena, buf_view(&low));
    if (high.n)
        out->high = val_make_string(b->arena, buf_view(&high));
    else
        out->high_open = false;
    return 0;
}

static bool nothing_between(const struct key_range *k)
{
    if (!k->low.n || !k->high.n) return false;
    int c = val_compare(k->low, k->high);
    return c > 0 || (c == 0 && (k->low_open || k->high_open));
}

/* Without a condition: what begins with the known text. */
static void whole_range(struct binder *b, const struct template *t, struct slice known,
                        struct key_range *out)
{
    const struct plan *p = b->plan;
    struct buf text;
    begin_text(b, &text, known);
    buf_slice(&text, p->sort_common);
    if (!text.n) return;
    if (!p->subtree) {
        out->prefix = val_make_string(b->arena, buf_view(&text));
        return;
    }
    out->low = val_make_string(b->arena, known);
    buf_slice(&text, t->delimiter);
    out->high = val_make_string(b->arena, text_after(b->arena, buf_view(&text)));
    out->high_open = true;
}

int bind_range(struct binder *b, struct slice item, struct key_range *out, bool *empty)
{
    const struct plan *p = b->plan;
    *empty = false;
    if (p->sort_fixed >= p->path->n_sort) return 0;
    const struct template *t = &p->path->sort[p->sort_fixed].template;
    struct slice known = { 0 };
    if (p->sort_parts) {
        struct rendered r = template_render_prefix(b->arena, t, p->sort_parts, item, NULL);
        if (r.status != RENDER_OK) {
            struct slice why = render_reason(b->arena, r);
            return err_set(b->err, ERR_ValidationException, "%.*s: %.*s",
                           SLICE_ARG(p->pattern->name), SLICE_ARG(why));
        }
        known = val_content(r.value);
    }
    if (!p->range) {
        whole_range(b, t, known, out);
        return 0;
    }
    struct ends e = { .prefix = { 0 } };
    int rc = find_ends(b, p->path->entity, p->range, &e);
    if (!rc && p->range2) rc = find_ends(b, p->path->entity, p->range2, &e);
    if (rc) return rc;
    if (!t->whole) {
        rc = text_bounds(b, t, &e, known, out);
    } else { /* the value itself, of whatever type */
        if (e.prefix.n && val_content(e.prefix).n) out->prefix = e.prefix;
        if (e.low.set) out->low = e.low.value;
        if (e.high.set) out->high = e.high.value;
        out->low_open = e.low.open;
        out->high_open = e.high.open;
    }
    *empty = !rc && nothing_between(out);
    return rc;
}
