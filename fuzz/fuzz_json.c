/* fuzz_json.c: any bytes into the JSON reader. What it takes must come out the same after being
 * written and read again; what it refuses must be refused at a place inside the text. */
#include "fuzz.h"
#include "item/json.h"

/* Deeper than this is not written, so that the recursion here is bounded; the reader has none. */
#define MAX_DEPTH 200

static void write_node(struct buf *b, const struct json *n)
{
    static const char *const words[] = { "null", "false", "true" };
    uint32_t count = 0;
    switch (n->type) {
    case JSON_NUMBER:
        buf_slice(b, n->text);
        break;
    case JSON_STRING:
        CHECK(utf8_valid(n->text));
        CHECK(n->text_escaped || !json_needs_escape(n->text));
        json_put_string(b, n->text);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        buf_u8(b, n->type == JSON_ARRAY ? '[' : '{');
        for (const struct json *c = n->first; c; c = c->next, count++) {
            if (count) buf_u8(b, ',');
            if (n->type == JSON_OBJECT) {
                CHECK(c->name_escaped || !json_needs_escape(c->name));
                json_put_string(b, c->name);
                buf_u8(b, ':');
            }
            write_node(b, c);
        }
        CHECK(count == n->count);
        buf_u8(b, n->type == JSON_ARRAY ? ']' : '}');
        break;
    default:
        buf_slice(b, slice_str(words[n->type]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ARENA(a, 64 << 20);
    size_t at = size + 1;
    const struct json *j = json_parse(a, slice_of(data, size), MAX_DEPTH, &at);
    if (!j) {
        CHECK(at <= size);
    } else {
        struct buf once, twice;
        buf_init(&once, a, 16 << 20);
        buf_init(&twice, a, 16 << 20);
        write_node(&once, j);
        const struct json *again = json_parse(a, buf_view(&once), MAX_DEPTH, &at);
        CHECK(again);
        write_node(&twice, again);
        CHECK(slice_eq(buf_view(&once), buf_view(&twice)));
    }
    return 0;
}
