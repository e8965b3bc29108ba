/* params.c: see params.h. */
#include "params.h"
#include "../../item/item_json.h"

const struct json *param_get(const struct json *req, struct slice name)
{
    const struct json *node = json_get(req, name);
    return node && node->type != JSON_NULL ? node : NULL;
}

bool param_present(const struct json *req, struct slice name)
{
    return param_get(req, name) != NULL;
}

struct slice param_string(const struct json *req, struct slice name)
{
    const struct json *node = param_get(req, name);
    if (!node) return slice_of(NULL, 0);
    return node->text.p ? node->text : SLICE("");
}

bool param_bool(const struct json *req, struct slice name, bool otherwise)
{
    const struct json *node = param_get(req, name);
    bool yes;
    return node && json_boolean(node, &yes) ? yes : otherwise;
}

/* An exponent larger than any number of digits matters to. */
#define EXPONENT_MAX 100000

static int64_t exponent_of(const uint8_t *p, const uint8_t *end)
{
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    int64_t v = 0;
    for (; p < end; p++)
        if (v < EXPONENT_MAX) v = v * 10 + (*p - '0');
    return negative ? -v : v;
}

/* With the decimal point moved `shift` digits to the right. */
static int64_t shifted_number(const struct json *node, int shift, int64_t low, int64_t high)
{
    const uint8_t *p = node->text.p, *end = p + node->text.n;
    bool negative = p < end && *p == '-';
    if (negative) p++;
    const uint8_t *mantissa = p;
    while (p < end && (*p | 0x20) != 'e')
        p++;
    const uint8_t *mantissa_end = p;
    const uint8_t *point = memchr(mantissa, '.', (size_t)(mantissa_end - mantissa));
    int64_t whole = (point ? point : mantissa_end) - mantissa;
    whole += shift;
    if (p < end) whole += exponent_of(p + 1, end);
    /* Every digit before the shifted point, and zeros up to it, while they can still count. */
    uint64_t v = 0, most = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    bool over = false;
    for (p = mantissa; whole > 0 && !over; whole--) {
        if (p == point) p++;
        uint64_t digit = p < mantissa_end ? (uint64_t)(*p++ - '0') : 0;
        if (p == mantissa_end && v == 0 && digit == 0) break;
        over = v > (most - digit) / 10;
        if (!over) v = v * 10 + digit;
    }
    if (over) return negative ? low : high;
    int64_t n = negative ? (int64_t)(0 - v) : (int64_t)v;
    return n < low ? low : n > high ? high : n;
}

int64_t param_number(const struct json *node, int64_t low, int64_t high)
{
    return shifted_number(node, 0, low, high);
}

bool param_time_ms(const struct json *req, struct slice name, int64_t *out)
{
    const struct json *node = param_get(req, name);
    if (!node || node->type != JSON_NUMBER) return false;
    *out = shifted_number(node, 3, INT64_MIN, INT64_MAX);
    return true;
}

bool param_int(const struct json *req, struct slice name, int64_t *out)
{
    const struct json *node = param_get(req, name);
    if (!node || node->type != JSON_NUMBER) return false;
    *out = param_number(node, INT64_MIN, INT64_MAX);
    return true;
}

int param_enum(const struct json *req, struct slice name, const char *const *values, int n,
               int otherwise)
{
    struct slice s = param_string(req, name);
    for (int i = 0; s.p && i < n; i++)
        if (slice_eq(s, slice_str(values[i]))) return i;
    return otherwise;
}

/* Colons are counted: ":table/" could also stand where a region belongs, and who looked for it there would see another table than
 * who takes the ARN apart. */
struct slice table_of(struct slice s)
{
    struct slice rest = s;
    if (!slice_starts(s, SLICE("arn:"))) return s;
    for (int colons = 0; colons < 5; colons++) {
        const uint8_t *colon = rest.n ? memchr(rest.p, ':', rest.n) : NULL;
        if (!colon || (colons == 2 && !slice_starts(rest, SLICE("dynamodb:")))) return s;
        rest = slice_of(colon + 1, rest.n - (size_t)(colon + 1 - rest.p));
    }
    const struct slice mark = SLICE("table/");
    return slice_starts(rest, mark) ? slice_of(rest.p + mark.n, rest.n - mark.n) : s;
}

struct slice param_table(const struct json *req, struct slice name)
{
    return table_of(param_string(req, name));
}
