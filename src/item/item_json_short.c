/* item_json_short.c: encoded items out as DynamoDB-JSON whose numbers are short, for requests, which have a largest size, and for files. */
#include "item_json.h"

static void put_number(struct buf *b, struct slice encoded)
{
    char text[NUM_MAX_TEXT];
    size_t n = num_format_short(encoded, text);
    buf_u8(b, '"');
    buf_bytes(b, text, n);
    buf_u8(b, '"');
}

static void put_value(struct buf *b, struct slice value);

/* The members, elements or attributes, with commas between them. */
static void put_all(struct buf *b, struct slice container)
{
    struct val_iter it;
    struct slice name = { NULL, 0 }, value;
    bool first = true;
    for (val_iter_init(&it, container); val_next(&it, &name, &value); first = false) {
        if (!first) buf_u8(b, ',');
        if (it.type == TYPE_NS) {
            put_number(b, value);
            continue;
        }
        if (it.type == TYPE_M) {
            json_put_string(b, name);
            buf_u8(b, ':');
        }
        put_value(b, value);
    }
}

/* Recursion is as deep as the value: see value.c. */
static void put_value(struct buf *b, struct slice value)
{
    switch (val_type(value)) {
    case TYPE_N:
        BUF_LIT(b, "{\"N\":");
        put_number(b, val_content(value));
        break;
    case TYPE_NS:
        BUF_LIT(b, "{\"NS\":[");
        put_all(b, value);
        buf_u8(b, ']');
        break;
    case TYPE_L:
        BUF_LIT(b, "{\"L\":[");
        put_all(b, value);
        buf_u8(b, ']');
        break;
    case TYPE_M:
        BUF_LIT(b, "{\"M\":");
        item_to_json_short(b, value);
        break;
    default: /* no numbers are in it */
        val_to_json(b, value);
        return;
    }
    buf_u8(b, '}');
}

void item_to_json_short(struct buf *b, struct slice item)
{
    buf_u8(b, '{');
    put_all(b, item);
    buf_u8(b, '}');
}
