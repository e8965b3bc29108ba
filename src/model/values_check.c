/* values_check.c: the rules an attribute states, and what to say when a value breaks one. */
#include "values_private.h"
#include <regex.h>

struct checker {
    const struct entity *en;
    struct err *e;
};

static int broken(struct checker *k, const struct crumb *c, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int broken(struct checker *k, const struct crumb *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice rule = arena_vprintf(k->e->arena, fmt, ap);
    va_end(ap);
    return err_set(k->e, ERR_ValidationException, "%.*s: %.*s", SLICE_ARG(crumb_text(k->e->arena, k->en, c)), SLICE_ARG(rule));
}

static int check_enum(struct checker *k, const struct attribute *at, struct slice value, const struct crumb *c)
{
    struct arena *a = k->e->arena;
    struct buf b;
    for (size_t i = 0; i < at->n_enumeration; i++) {
        if (val_equal(at->enumeration[i], value)) return 0;
    }
    buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < at->n_enumeration; i++) {
        struct slice says = value_says(a, at->enumeration[i]);
        if (i == 20) {
            buf_printf(&b, " ... (%zu in all)", at->n_enumeration);
            break;
        }
        if (i) BUF_LIT(&b, ", ");
        if (says.p[0] == '"') says = slice_of(says.p + 1, says.n - 2);
        buf_slice(&b, says);
    }
    return broken(k, c, "must be one of %.*s, but is %.*s", SLICE_ARG(buf_view(&b)), SLICE_ARG(value_says(a, value)));
}

/* What min and max speak of: of a number itself, else a count. */
static struct slice measure_of(struct slice value, enum val_type type, struct num *scratch)
{
    size_t n = 0;
    if (type == TYPE_N) return val_content(value);
    if (type == TYPE_S) {
        struct slice s = val_content(value);
        for (size_t i = 0; i < s.n; i++) n += (s.p[i] & 0xc0) != 0x80;
    } else {
        n = type == TYPE_B ? val_content(value).n : val_count(value);
    }
    num_from_int64((int64_t)n, scratch);
    return slice_of(scratch->bytes, scratch->n);
}

static int check_bounds(struct checker *k, const struct attribute *at, struct slice value, const struct crumb *c)
{
    struct num scratch;
    char bound[NUM_MAX_TEXT], is[NUM_MAX_TEXT];
    struct slice measure = measure_of(value, at->type, &scratch);
    for (int high = 0; high < 2; high++) {
        struct slice limit = high ? at->max : at->min;
        if (!limit.n) continue;
        int order = slice_cmp(measure, val_content(limit));
        if (high ? order <= 0 : order >= 0) continue;
        int n_bound = (int)num_format(val_content(limit), bound), n_is = (int)num_format(measure, is);
        const char *what = high ? "at most" : "at least";
        if (at->type == TYPE_N) return broken(k, c, "must be %s %.*s, but is %.*s", what, n_bound, bound, n_is, is);
        const char *unit = at->type == TYPE_S ? "characters" : at->type == TYPE_B ? "bytes" : "elements";
        return broken(k, c, "must have %s %.*s %s, but has %.*s", what, n_bound, bound, unit, n_is, is);
    }
    return 0;
}

/* POSIX finds the leftmost longest match, so that if the whole value matches, it is what is found. */
static bool matches_whole(const regex_t *re, struct slice text)
{
    regmatch_t m = { 0, (regoff_t)text.n };
    const char *p = text.n ? (const char *)text.p : "";
    return regexec(re, p, 1, &m, REG_STARTEND) == 0 && m.rm_so == 0 && (size_t)m.rm_eo == text.n;
}

static bool uuid_valid(struct slice s)
{
    if (s.n != 36) return false;
    for (size_t i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? s.p[i] != '-' : !s.p[i] || !strchr("0123456789abcdefABCDEF", s.p[i])) return false;
    }
    return true;
}

static int check_text(struct checker *k, const struct attribute *at, struct slice value, const struct crumb *c)
{
    char number[NUM_MAX_TEXT];
    struct slice text = val_content(value);
    if (at->type == TYPE_N) text = slice_of(number, num_format(text, number));
    if (at->compiled_pattern && !matches_whole(at->compiled_pattern, text))
        return broken(k, c, "must match the pattern %.*s, but is %.*s", SLICE_ARG(at->pattern),
                      SLICE_ARG(value_says(k->e->arena, value)));
    if (at->time != TIME_NONE && !when_valid(at->time, text))
        return broken(k, c, "must be %s, but is %.*s", format_says(at->time), SLICE_ARG(value_says(k->e->arena, value)));
    if (at->is_uuid && !uuid_valid(text))
        return broken(k, c, "must be a UUID such as 123e4567-e89b-42d3-a456-426614174000, but is %.*s",
                      SLICE_ARG(value_says(k->e->arena, value)));
    return 0;
}

static int check(struct checker *k, const struct attribute *at, struct slice value, const struct crumb *c);

/* As deep as the attributes are declared, which the model's reader bounds. */
static int check_members(struct checker *k, const struct attribute *at, struct slice value, const struct crumb *c)
{
    struct val_iter it;
    struct slice name, v;
    int rc = 0;
    size_t i = 0;
    val_iter_init(&it, value);
    if (at->type == TYPE_L) {
        for (; !rc && val_next(&it, &name, &v); i++) rc = check(k, &at->members[0], v, &(struct crumb){ c, { 0 }, i });
        return rc;
    }
    while (!rc && val_next(&it, &name, &v)) {
        struct crumb here = { c, name, 0 };
        const struct attribute *member = attribute_member(at, name);
        rc = member ? check(k, member, v, &here)
                    : broken(k, &here, "is not declared; declare it under attributes of %.*s, or leave it out",
                             SLICE_ARG(at->name));
    }
    for (i = 0; !rc && i < at->n_members; i++) {
        if (!at->members[i].required || val_get(value, at->members[i].name, &v)) continue;
        rc = broken(k, &(struct crumb){ c, at->members[i].name, 0 }, "is required, but is missing");
    }
    return rc;
}

static int check(struct checker *k, const struct attribute *at, struct slice value, const struct crumb *c)
{
    int rc = 0;
    if (val_type(value) != at->type)
        return broken(k, c, "must be %s, but is %.*s", type_says(at->type), SLICE_ARG(value_says(k->e->arena, value)));
    if (at->n_enumeration) rc = check_enum(k, at, value, c);
    if (!rc && (at->min.n || at->max.n)) rc = check_bounds(k, at, value, c);
    if (!rc && (at->type == TYPE_S || at->type == TYPE_N)) rc = check_text(k, at, value, c);
    if (!rc && at->n_members && (at->type == TYPE_L || at->type == TYPE_M)) rc = check_members(k, at, value, c);
    return rc;
}

int value_check(const struct entity *en, const struct attribute *at, struct slice value, struct err *e)
{
    struct checker k = { en, e };
    return check(&k, at, value, &(struct crumb){ NULL, at->name, 0 });
}
