/* fuzz_item.c: the input as DynamoDB-JSON, and as the bytes of an encoded value. Whatever is
 * accepted must be canonical, and the same after a round through JSON and through key bytes. */
#include "fuzz.h"
#include "item/item_json.h"
#include "item/keybytes.h"

#define EMPTY_NAME SLICE("One or more parameter values were invalid: Empty attribute name")

static void check_key(struct arena *a, struct slice v)
{
    enum val_type type = val_type(v);
    struct slice back, at;
    struct buf b;
    if (type != TYPE_S && type != TYPE_N && type != TYPE_B) return;
    buf_init(&b, a, 16 << 20);
    keybytes_put(&b, v);
    at = buf_view(&b);
    CHECK(keybytes_take(a, type, &at, &back) && at.n == 0 && slice_eq(back, v));
}

static void check_members(struct slice v)
{
    struct val_iter it;
    struct slice name = { 0 }, member, found;
    enum val_type type = val_type(v);
    size_t n = 0;
    val_iter_init(&it, v);
    for (; val_next(&it, &name, &member); n++) {
        if (type == TYPE_M) CHECK(val_get(v, name, &found) && slice_eq(found, member));
        if (type == TYPE_L && n < 50) CHECK(val_at(v, n, &found) && slice_eq(found, member));
        if ((type == TYPE_SS || type == TYPE_NS || type == TYPE_BS) && n < 50)
            CHECK(val_set_has(v, member));
    }
    CHECK(n == val_count(v));
}

static void check_value(struct arena *a, struct slice v)
{
    struct err e = { .arena = a };
    struct buf b;
    struct slice back;
    CHECK(val_encoded_length(v.p) == v.n);
    CHECK(val_depth(v) <= VAL_MAX_DEPTH);
    check_members(v);
    check_key(a, v);
    buf_init(&b, a, 64 << 20);
    val_to_json(&b, v);
    const struct json *j = json_parse(a, buf_view(&b), 200, NULL);
    CHECK(j);
    if (val_from_json(a, j, &back, &e)) {
        /* An item may be one level deeper than a value, and an encoding may have an empty name. */
        CHECK(val_depth(v) == VAL_MAX_DEPTH || slice_eq(e.message, EMPTY_NAME));
        return;
    }
    CHECK(slice_eq(back, v));
    CHECK(val_size(back) == val_size(v));
}

static void check_json(struct arena *a, const struct json *j,
                       int (*from)(struct arena *, const struct json *, struct slice *,
                                   struct err *))
{
    struct err e = { .arena = a };
    struct slice v;
    int rc = from(a, j, &v, &e);
    if (rc) {
        CHECK((int)e.code == rc && e.message.n > 0);
        return;
    }
    CHECK(val_check(v));
    check_value(a, v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ARENA(a, 256 << 20);
    struct slice text = slice_of(data, size), at, part;
    const struct json *j = json_parse(a, text, 200, NULL);
    if (j) {
        check_json(a, j, val_from_json);
        check_json(a, j, item_from_json);
    }
    if (val_check(text)) check_value(a, text);
    for (int t = TYPE_S; t <= TYPE_B; t++)
        for (at = text; keybytes_take(a, (enum val_type)t, &at, &part);)
            continue;
    keybytes_after(a, text);
    return 0;
}
