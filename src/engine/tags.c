/* tags.c: see tags.h. The rules and texts were recorded from the service: DDB-TABLE-105 to 108, 110
 * and 372 of aws-controllers-k8s/dynamodb-controller, docs/api-quirks, October 2026. */
#include "tags.h"
#include "../base/slices.h"
#include "../item/value.h"
#include "api/params.h"
#include "own_names.h"

#define TEXT_MAX ((size_t)1 << 20) /* of TAGS_MAX tags, with room to spare */

struct range {
    uint32_t first, last;
};
#include "tag_characters.inc"

/* The character at *at of well-formed UTF-8; *at moves behind it. */
static uint32_t next_character(const uint8_t **at)
{
    const uint8_t *p = *at;
    unsigned more = p[0] < 0x80 ? 0 : p[0] < 0xe0 ? 1 : p[0] < 0xf0 ? 2 : 3;
    uint32_t c = more ? p[0] & (0x3fu >> more) : p[0];
    for (unsigned i = 1; i <= more; i++)
        c = c << 6 | (p[i] & 0x3f);
    *at = p + 1 + more;
    return c;
}

static bool is_tag_character(uint32_t c)
{
    size_t low = 0, high = sizeof tag_characters / sizeof *tag_characters;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c > tag_characters[middle].last)
            low = middle + 1;
        else if (c < tag_characters[middle].first)
            high = middle;
        else
            return true;
    }
    return false;
}

static bool is_tag_text(struct slice s, size_t max)
{
    if (s.n > 4 * max || utf16_length(s) > max) return false;
    for (const uint8_t *at = s.p; at < s.p + s.n;) {
        if (!is_tag_character(next_character(&at))) return false;
    }
    return true;
}

/* What is shown of a text that is refused; none: null. */
static struct slice shown(struct slice s)
{
    return s.p ? s : SLICE("null");
}

static bool is_reserved(struct slice key)
{
    static const char prefix[] = "aws:";
    for (size_t i = 0; i < sizeof prefix - 1; i++) {
        uint8_t c = i < key.n ? key.p[i] : 0;
        if (c >= 'A' && c <= 'Z') c |= 0x20;
        if (c != (uint8_t)prefix[i]) return false;
    }
    return true;
}

static int check_key(struct slice key, struct err *e)
{
    if (!key.n || !is_tag_text(key, TAGS_MAX_KEY)) {
        return err_set(e, ERR_ValidationException, "The Tag Key provided is invalid, Key: %.*s",
                       SLICE_ARG(shown(key)));
    }
    if (!is_reserved(key)) return 0;
    return err_set(e, ERR_ValidationException, "Tag Key cannot be prefixed with aws:, Key: %.*s",
                   SLICE_ARG(key));
}

static int check_value(struct slice value, struct err *e)
{
    if (value.p && is_tag_text(value, TAGS_MAX_VALUE)) return 0;
    return err_set(e, ERR_ValidationException, "The Tag Value provided is invalid, Value: %.*s",
                   SLICE_ARG(shown(value)));
}

bool tags_unfinished(struct slice tags)
{
    struct slice value;
    return tags.n && val_get(tags, SLICE(UNFINISHED_TAG), &value);
}

static bool has_mark(const struct json *list)
{
    for (const struct json *tag = list->first; tag; tag = tag->next) {
        if (slice_eq(param_string(tag, SLICE("Key")), SLICE(UNFINISHED_TAG))) return true;
    }
    return false;
}

static int check_count(size_t n, struct err *e)
{
    if (n <= TAGS_MAX) return 0;
    return err_set(e, ERR_ValidationException,
                   "Number of Tags exceed the current limit for the provided ResourceArn");
}

static int check_once(struct arena *a, const struct attr *tags, size_t n, struct err *e)
{
    struct slice *keys = ARENA_ARRAY(a, struct slice, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = tags[i].name;
    size_t repeat = slices_first_repeat(a, keys, n);
    if (repeat == n) return 0;
    return err_set(e, ERR_ValidationException,
                   "Duplicate Tag Keys provided as input: Duplicate Tag Key found %.*s",
                   SLICE_ARG(keys[repeat]));
}

static struct slice to_map(struct arena *a, struct attr *tags, size_t n)
{
    struct buf b;
    if (!n) return slice_of(NULL, 0);
    buf_init(&b, a, TEXT_MAX);
    val_put_map(&b, tags, n);
    return buf_view(&b);
}

int tags_read(struct arena *a, const struct json *list, struct slice *out, struct err *e)
{
    size_t n = 0;
    *out = slice_of(NULL, 0);
    if (!list || !list->count) return 0;
    int code = check_count(list->count - (list->count > TAGS_MAX && has_mark(list)), e);
    if (code) return code;
    struct attr *tags = ARENA_ARRAY(a, struct attr, list->count);
    for (const struct json *tag = list->first; tag; tag = tag->next) {
        struct slice key = param_string(tag, SLICE("Key")), value = param_string(tag, SLICE("Value"));
        code = check_key(key, e);
        if (!code) code = check_value(value, e);
        if (code) return code;
        tags[n++] = (struct attr){ key, val_make_string(a, value) };
    }
    code = check_once(a, tags, n, e);
    if (!code) *out = to_map(a, tags, n);
    return code;
}

int tags_check_keys(const struct json *keys, struct err *e)
{
    int code = check_count(keys->count, e);
    for (const struct json *key = keys->first; key && !code; key = key->next)
        code = check_key(key->text, e);
    return code;
}

/* Appends the tags of a map. */
static size_t collect(struct slice tags, struct attr *out, size_t n)
{
    struct val_iter it;
    if (!tags.n) return n;
    val_iter_init(&it, tags);
    while (val_next(&it, &out[n].name, &out[n].value))
        n++;
    return n;
}

int tags_merge(struct arena *a, struct slice old, struct slice more, struct slice *out,
               struct err *e)
{
    size_t room = (old.n ? val_count(old) : 0) + (more.n ? val_count(more) : 0);
    struct attr *tags = ARENA_ARRAY(a, struct attr, room + 1); /* one that the iterator may touch */
    size_t n = collect(more, tags, collect(old, tags, 0));
    if (tags_unfinished(more)) {
        return err_set(e, ERR_ValidationException,
                       "Tag Key " UNFINISHED_TAG " cannot be given to a table that is there: it is for those that a restore makes");
    }
    *out = to_map(a, tags, n);
    return check_count(out->n ? val_count(*out) - tags_unfinished(*out) : 0, e);
}

static bool is_among(struct slice key, const struct json *keys)
{
    for (const struct json *k = keys->first; k; k = k->next) {
        if (slice_eq(k->text, key)) return true;
    }
    return false;
}

struct slice tags_without(struct arena *a, struct slice old, const struct json *keys)
{
    struct attr *tags = ARENA_ARRAY(a, struct attr, (old.n ? val_count(old) : 0) + 1);
    size_t n = collect(old, tags, 0), kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_among(tags[i].name, keys)) tags[kept++] = tags[i];
    }
    return to_map(a, tags, kept);
}

void tags_put(struct buf *b, struct slice tags)
{
    struct slice key, value;
    struct val_iter it;
    bool first = true;
    buf_u8(b, '[');
    if (tags.n) {
        val_iter_init(&it, tags);
        for (; val_next(&it, &key, &value); first = false) {
            if (!first) buf_u8(b, ',');
            BUF_LIT(b, "{\"Key\":");
            json_put_string(b, key);
            BUF_LIT(b, ",\"Value\":");
            json_put_string(b, val_content(value));
            buf_u8(b, '}');
        }
    }
    buf_u8(b, ']');
}
