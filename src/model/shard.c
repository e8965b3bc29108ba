/* shard.c: which shard an item is in, which shards there are, and a key without its shard. docs/shards.md is the
 * specification; what this computes for a value never changes. */
#include "shard.h"
#include "shard_private.h"
#include "template_private.h"

uint32_t shard_hash(struct slice text)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < text.n; i++) h = (h ^ text.p[i]) * 16777619u;
    return h;
}

bool same_shards(const struct shards *a, const struct shards *b)
{
    if (!a || !b) return a == b;
    return a->kind == b->kind && slice_eq(a->by, b->by) && a->count == b->count && a->letters == b->letters &&
           a->since == b->since;
}

static uint8_t letter_of(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return (uint8_t)(c - 'A' + 'a');
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
}

/* Characters, not bytes: one beyond ASCII is one "_". A text that is too short is filled up with "_". */
static struct slice letters_of(struct arena *a, unsigned letters, struct slice text)
{
    uint8_t *out = arena_bytes(a, letters);
    size_t at = 0;
    for (unsigned i = 0; i < letters; i++) {
        out[i] = at < text.n ? letter_of(text.p[at]) : '_';
        if (at < text.n) at++;
        while (at < text.n && (text.p[at] & 0xc0) == 0x80) at++;
    }
    return slice_of(out, letters);
}

static enum time_format format_of(const struct shards *s)
{
    return s->by_attribute && s->by_attribute->time != TIME_NONE ? s->by_attribute->time : TIME_DATE_TIME;
}

bool shard_of(struct arena *a, const struct shards *s, struct slice value, struct slice *out)
{
    char scratch[NUM_MAX_TEXT], month[8], first[8];
    struct slice text;
    int64_t ms;
    if (!value.n || !value_text(value, scratch, &text) || !text.n) return false;
    switch (s->kind) {
    case SHARD_HASH:
        *out = arena_printf(a, "%u", shard_hash(text) % (s->count ? s->count : 1));
        return true;
    case SHARD_LETTERS:
        *out = letters_of(a, s->letters, text);
        return true;
    case SHARD_MONTH:
        if (!when_of(format_of(s), text, &ms)) return false;
        when_month(ms, month);
        when_month(s->since, first);
        *out = arena_dup(a, slice_of(month, 7));
        return memcmp(month, first, 7) >= 0;
    default:
        *out = arena_dup(a, text);
        return true;
    }
}

/* ---- all of them ---- */

static size_t list_letters(struct arena *a, unsigned letters, struct slice *list)
{
    static const char order[] = "0123456789_abcdefghijklmnopqrstuvwxyz";
    size_t base = sizeof order - 1, n = letters == 2 ? base * base : base;
    for (size_t i = 0; list && i < n; i++) {
        uint8_t two[2] = { (uint8_t)order[letters == 2 ? i / base : i], (uint8_t)order[i % base] };
        list[i] = arena_dup(a, slice_of(two, letters));
    }
    return n;
}

/* Months from since to now, both included; none if now is before. */
static size_t list_months(struct arena *a, int64_t since, int64_t now, struct slice *list)
{
    char from[8], to[8], month[8];
    when_month(since, from);
    when_month(now, to);
    unsigned year = 0, number;
    for (int i = 0; i < 4; i++) year = year * 10 + (unsigned)(from[i] - '0');
    number = (unsigned)((from[5] - '0') * 10 + from[6] - '0');
    memcpy(month, from, sizeof month);
    for (size_t n = 0;; n++) {
        if (memcmp(month, to, 7) > 0) return n;
        if (list) list[n] = arena_dup(a, slice_of(month, 7));
        if (++number == 13) number = 1, year++;
        if (year > 9999) return n + 1;
        memcpy(month, arena_printf(a, "%04u-%02u", year, number).p, 7);
    }
}

static size_t list_into(struct arena *a, const struct shards *s, int64_t now, struct slice *list)
{
    char scratch[NUM_MAX_TEXT];
    struct slice text;
    size_t n = 0;
    switch (s->kind) {
    case SHARD_HASH:
        for (; n < s->count; n++) {
            if (list) list[n] = arena_printf(a, "%zu", n);
        }
        return n;
    case SHARD_LETTERS:
        return list_letters(a, s->letters, list);
    case SHARD_MONTH:
        return list_months(a, s->since, now, list);
    default:
        for (size_t i = 0; s->by_attribute && i < s->by_attribute->n_enumeration; i++) {
            if (!value_text(s->by_attribute->enumeration[i], scratch, &text)) continue;
            if (list) list[n] = arena_dup(a, text);
            n++;
        }
        return n;
    }
}

size_t shard_list(struct arena *a, const struct shards *s, int64_t now, const struct slice **out)
{
    size_t n = list_into(a, s, now, NULL);
    struct slice *list = ARENA_ARRAY(a, struct slice, n + 1);
    *out = list;
    return list_into(a, s, now, list);
}

/* ---- taken off a key ---- */

static bool strip(struct slice key, struct slice delimiter, size_t shard, struct slice *out)
{
    if (key.n < shard + delimiter.n) return false;
    *out = slice_of(key.p, key.n - shard - delimiter.n);
    return memcmp(out->p + out->n, delimiter.p, delimiter.n) == 0;
}

bool shard_strip(const struct shards *s, struct slice delimiter, struct slice key, struct slice *out)
{
    char scratch[NUM_MAX_TEXT];
    struct slice text;
    size_t n = 0;
    switch (s->kind) {
    case SHARD_HASH:
        while (n < key.n && n < 10 && key.p[key.n - n - 1] >= '0' && key.p[key.n - n - 1] <= '9') n++;
        /* Fewer where the delimiter itself is made of digits. */
        for (; n > 0; n--) {
            if (strip(key, delimiter, n, out)) return true;
        }
        return false;
    case SHARD_LETTERS:
        return strip(key, delimiter, s->letters, out);
    case SHARD_MONTH:
        return strip(key, delimiter, 7, out);
    default:
        for (size_t i = 0; s->by_attribute && i < s->by_attribute->n_enumeration; i++) {
            if (!value_text(s->by_attribute->enumeration[i], scratch, &text) || text.n > key.n) continue;
            if (memcmp(key.p + key.n - text.n, text.p, text.n) == 0 && strip(key, delimiter, text.n, out)) return true;
        }
        return false;
    }
}
