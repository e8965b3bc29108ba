/* statement_params.c: the values that stand for a statement's question marks. They are read like any attribute value, but for numbers with
 * enormous exponents: DynamoDB makes Java's BigDecimal of a parameter, whose exponent and scale are 32-bit integers, and so is the
 * magnitude that it then judges, which wraps around. */
#include "statement.h"

static bool fits(int64_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

/* NUM_OK where there is nothing to say here: num_parse has the word. */
static enum num_status judge(struct slice text)
{
    const uint8_t *p = text.p, *end = text.p + text.n;
    int64_t digits = 0, places = 0, exponent = 0;
    bool point = false, negative = false;
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        places += point;
        if (digits || *p != '0') digits++;
    }
    if (p == end || (*p != 'e' && *p != 'E')) return NUM_OK;
    if (++p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (p == end) return NUM_OK;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9') return NUM_OK;
        if (exponent <= INT32_MAX) exponent = exponent * 10 + (*p - '0');
    }
    if (negative) exponent = -exponent;
    int64_t scale = places - exponent, magnitude = digits - scale;
    if (!fits(exponent) || !fits(scale)) return NUM_NOT_A_NUMBER;
    if (fits(magnitude)) return NUM_OK;
    return magnitude > 0 ? NUM_TOO_SMALL : NUM_TOO_LARGE;
}

static int check_number(const struct json *text, struct err *e)
{
    return text->type == JSON_STRING ? num_error(e, judge(text->text), text->text) : 0;
}

/* Numbers anywhere in an AttributeValue; as deep as the request, which json_parse has bounded. */
static int check_numbers(const struct json *value, struct err *e)
{
    int code = 0;
    for (const struct json *m = value->first; m && !code; m = m->next) {
        if (slice_eq(m->name, SLICE("N"))) code = check_number(m, e);
        bool set = slice_eq(m->name, SLICE("NS")), nested = slice_eq(m->name, SLICE("L")) || slice_eq(m->name, SLICE("M"));
        if (!set && !nested) continue;
        for (const struct json *v = m->first; v && !code; v = v->next) code = set ? check_number(v, e) : check_numbers(v, e);
    }
    return code;
}

int statement_parameters(struct call *call, const struct json *list, struct slice **values, size_t *n, struct err *e)
{
    *n = 0;
    *values = NULL;
    if (!list || list->type != JSON_ARRAY) return 0;
    *values = ARENA_ARRAY(call->arena, struct slice, list->count);
    for (const struct json *v = list->first; v; v = v->next) {
        int code = check_numbers(v, e);
        if (!code) code = val_from_json(call->arena, v, &(*values)[(*n)++], e);
        if (code) return code;
    }
    return 0;
}
