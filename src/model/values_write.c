/* values_write.c: encoded values as plain JSON: sets as arrays, binaries as base64, numbers as literals. */
#include "values.h"
#include "../item/item_json.h"

static void put_content(struct buf *b, enum val_type type, struct slice content)
{
    char number[NUM_MAX_TEXT];
    switch (type) {
    case TYPE_N:
    case TYPE_NS:
        buf_bytes(b, number, num_format(content, number));
        break;
    case TYPE_B:
    case TYPE_BS:
        buf_u8(b, '"');
        base64_put(b, content);
        buf_u8(b, '"');
        break;
    default:
        json_put_string(b, content);
        break;
    }
}

/* As deep as the value, which is bounded where values come in. */
void value_to_plain(struct buf *b, struct slice value)
{
    struct val_iter it;
    struct slice name, v;
    bool more = false;
    enum val_type type = val_type(value);
    switch (type) {
    case TYPE_NULL:
        BUF_LIT(b, "null");
        return;
    case TYPE_BOOL:
        if (val_bool(value)) BUF_LIT(b, "true");
        else BUF_LIT(b, "false");
        return;
    case TYPE_S:
    case TYPE_N:
    case TYPE_B:
        put_content(b, type, val_content(value));
        return;
    default:
        break;
    }
    buf_u8(b, type == TYPE_M ? '{' : '[');
    val_iter_init(&it, value);
    while (val_next(&it, &name, &v)) {
        if (more) buf_u8(b, ',');
        more = true;
        if (type == TYPE_M) {
            json_put_string(b, name);
            buf_u8(b, ':');
        }
        if (type == TYPE_M || type == TYPE_L) value_to_plain(b, v);
        else put_content(b, type, v);
    }
    buf_u8(b, type == TYPE_M ? '}' : ']');
}

void item_to_plain(struct buf *b, struct slice item)
{
    value_to_plain(b, item);
}
