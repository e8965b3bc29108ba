/* values_says.c: words for types, formats, values and places, for messages. */
#include "values_private.h"

struct slice crumb_text(struct arena *a, const struct entity *en, const struct crumb *c)
{
    struct slice text = SLICE("");
    for (; c; c = c->up) {
        if (!c->name.p) text = arena_printf(a, "[%zu]%.*s", c->index, SLICE_ARG(text));
        else text = arena_printf(a, "%s%.*s%.*s", c->up || en ? "." : "", SLICE_ARG(c->name), SLICE_ARG(text));
    }
    return en ? arena_printf(a, "%.*s%.*s", SLICE_ARG(en->name), SLICE_ARG(text)) : text;
}

const char *type_says(enum val_type t)
{
    static const char *const words[] = {
        [TYPE_S] = "a string",          [TYPE_N] = "a number",          [TYPE_B] = "a binary in base64",
        [TYPE_SS] = "a set of strings", [TYPE_NS] = "a set of numbers", [TYPE_BS] = "a set of binaries in base64",
        [TYPE_M] = "a map",             [TYPE_L] = "a list",            [TYPE_NULL] = "null",
        [TYPE_BOOL] = "true or false",
    };
    return t < sizeof words / sizeof *words && words[t] ? words[t] : "nothing";
}

struct slice text_says(struct arena *a, struct slice text)
{
    size_t n = text.n;
    if (n > 60) {
        for (n = 60; n && (text.p[n] & 0xc0) == 0x80;) n--;
    }
    return arena_printf(a, "\"%.*s%s\"", (int)n, (const char *)text.p, n < text.n ? "..." : "");
}

struct slice value_says(struct arena *a, struct slice value)
{
    char number[NUM_MAX_TEXT];
    switch (val_type(value)) {
    case TYPE_S:
        return text_says(a, val_content(value));
    case TYPE_N:
        return arena_printf(a, "%.*s", (int)num_format(val_content(value), number), number);
    case TYPE_BOOL:
        return val_bool(value) ? SLICE("true") : SLICE("false");
    case TYPE_B:
        return SLICE("a binary");
    case TYPE_BS:
        return SLICE("a set of binaries");
    default:
        return slice_str(type_says(val_type(value)));
    }
}

const char *format_says(enum time_format f)
{
    switch (f) {
    case TIME_ULID: return "a ULID (26 of 0-9 and A-Z without I, L, O and U)";
    case TIME_DATE_TIME: return "a date-time in UTC such as 2026-05-10T14:23:01Z";
    case TIME_DATE: return "a date such as 2026-05-10";
    case TIME_EPOCH: return "a whole number of seconds since 1970";
    case TIME_EPOCH_MS: return "a whole number of milliseconds since 1970";
    default: return "a time";
    }
}
