/* policy_operand.c: the operators of conditions, and the texts they compare with. */
#include "policy_private.h"
#include <arpa/inet.h>
#include <stdio.h>

#define TEXT(name, negated, wild, fold) { name, OPERATOR_TEXT, COMPARE_EQ, negated, wild, fold }
#define ORDERED(prefix, kind)                                    \
    { prefix "Equals", kind, COMPARE_EQ, false, false, false },  \
    { prefix "NotEquals", kind, COMPARE_EQ, true, false, false }, \
    { prefix "LessThan", kind, COMPARE_LT, false, false, false }, \
    { prefix "LessThanEquals", kind, COMPARE_LE, false, false, false }, \
    { prefix "GreaterThan", kind, COMPARE_GT, false, false, false }, \
    { prefix "GreaterThanEquals", kind, COMPARE_GE, false, false, false }

/* BinaryEquals is left out: no key has such values. */
static const struct operator_word operators[] = {
    TEXT("StringEquals", false, false, false),
    TEXT("StringNotEquals", true, false, false),
    TEXT("StringEqualsIgnoreCase", false, false, true),
    TEXT("StringNotEqualsIgnoreCase", true, false, true),
    TEXT("StringLike", false, true, false),
    TEXT("StringNotLike", true, true, false),
    ORDERED("Numeric", OPERATOR_NUMBER),
    ORDERED("Date", OPERATOR_DATE),
    { "Bool", OPERATOR_BOOL, COMPARE_EQ, false, false, false },
    { "IpAddress", OPERATOR_ADDRESS, COMPARE_EQ, false, false, false },
    { "NotIpAddress", OPERATOR_ADDRESS, COMPARE_EQ, true, false, false },
    { "ArnEquals", OPERATOR_ARN, COMPARE_EQ, false, true, false },
    { "ArnLike", OPERATOR_ARN, COMPARE_EQ, false, true, false },
    { "ArnNotEquals", OPERATOR_ARN, COMPARE_EQ, true, true, false },
    { "ArnNotLike", OPERATOR_ARN, COMPARE_EQ, true, true, false },
    { "Null", OPERATOR_NULL, COMPARE_EQ, false, false, false },
};

const struct operator_word *operator_find(struct slice name)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (slice_eq(name, slice_str(operators[i].name))) return &operators[i];
    }
    return NULL;
}

/* ---- times ---- */

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    unsigned of_era = (unsigned)(year - era * 400);
    unsigned of_year = (153 * (month + (month > 2 ? -3u : 9u)) + 2) / 5 + day - 1;
    return era * 146097 + (int64_t)(of_era * 365 + of_era / 4 - of_era / 100 + of_year) - 719468;
}

/* Exactly n digits. */
static bool digits(struct slice *s, size_t n, unsigned *out)
{
    *out = 0;
    if (s->n < n) return false;
    for (size_t i = 0; i < n; i++) {
        if (s->p[i] < '0' || s->p[i] > '9') return false;
        *out = *out * 10 + (unsigned)(s->p[i] - '0');
    }
    *s = slice_of(s->p + n, s->n - n);
    return true;
}

static bool mark(struct slice *s, char c)
{
    if (!s->n || s->p[0] != (uint8_t)c) return false;
    *s = slice_of(s->p + 1, s->n - 1);
    return true;
}

/* Z, or +hh:mm; in minutes. */
static bool offset_of(struct slice *s, int64_t *minutes)
{
    unsigned h, m;
    *minutes = 0;
    if (mark(s, 'Z')) return true;
    int sign = mark(s, '+') ? 1 : mark(s, '-') ? -1 : 0;
    if (!sign || !digits(s, 2, &h)) return false;
    mark(s, ':');
    if (!digits(s, 2, &m) || h > 23 || m > 59) return false;
    *minutes = sign * (int64_t)(h * 60 + m);
    return true;
}

static bool calendar(struct slice s, int64_t *ms)
{
    unsigned year, month, day, h = 0, m = 0, sec = 0, digit;
    int64_t minutes = 0, fraction = 0;
    if (!digits(&s, 4, &year) || !mark(&s, '-') || !digits(&s, 2, &month) || !mark(&s, '-') || !digits(&s, 2, &day)) return false;
    if (month < 1 || month > 12 || day < 1 || day > 31) return false;
    if (s.n) {
        if (!mark(&s, 'T') || !digits(&s, 2, &h) || !mark(&s, ':') || !digits(&s, 2, &m)) return false;
        if (mark(&s, ':') && !digits(&s, 2, &sec)) return false;
        if (mark(&s, '.')) {
            for (int64_t unit = 100; digits(&s, 1, &digit); unit /= 10) fraction += unit * digit;
        }
        if (!offset_of(&s, &minutes)) return false;
    }
    if (s.n || h > 24 || m > 59 || sec > 60) return false;
    *ms = ((days_of(year, month, day) * 24 + h) * 60 + m - minutes) * 60000 + sec * 1000 + fraction;
    return true;
}

bool policy_date_read(struct slice text, int64_t *ms)
{
    int64_t seconds = 0;
    if (calendar(text, ms)) return true;
    if (!text.n || text.n > 12) return false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') return false;
        seconds = seconds * 10 + (text.p[i] - '0');
    }
    *ms = seconds * 1000;
    return true;
}

size_t policy_date_put(int64_t ms, char *out, size_t room)
{
    int64_t s = ms / 1000, days = s / 86400, of_day = s % 86400, year = 1970;
    unsigned month = 1;
    while (days >= days_of(year + 1, 1, 1)) year++;
    while (month < 12 && days >= days_of(year, month + 1, 1)) month++;
    int n = snprintf(out, room, "%04lld-%02u-%02lldT%02lld:%02lld:%02lldZ", (long long)year, month,
                     (long long)(days - days_of(year, month, 1) + 1), (long long)(of_day / 3600), (long long)(of_day / 60 % 60),
                     (long long)(of_day % 60));
    return n > 0 && (size_t)n < room ? (size_t)n : 0;
}

/* ---- addresses ---- */

#define MAPPED_BITS 96u /* ::ffff:0:0/96 is IPv4 */

static bool address_read(struct slice text, uint8_t out[16], unsigned *most)
{
    char copy[64];
    if (text.n >= sizeof copy) return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    memset(out, 0, 16);
    *most = 128;
    if (inet_pton(AF_INET6, copy, out) == 1) return true;
    memset(out, 0, 16);
    out[10] = out[11] = 0xFF;
    *most = 32;
    return inet_pton(AF_INET, copy, out + 12) == 1;
}

/* ADDRESS/BITS; without them, the one address. */
static bool network_read(struct slice text, uint8_t out[16], unsigned *bits)
{
    unsigned most;
    const uint8_t *slash = text.n ? memchr(text.p, '/', text.n) : NULL;
    struct slice address = text;
    if (slash) address.n = (size_t)(slash - text.p);
    if (!address_read(address, out, &most)) return false;
    *bits = 128;
    if (!slash) return true;
    struct slice rest = slice_of(slash + 1, text.n - address.n - 1);
    unsigned given;
    if (rest.n < 1 || rest.n > 3 || !digits(&rest, rest.n, &given) || given > most) return false;
    *bits = 128 - most + given; /* of IPv4: MAPPED_BITS at least */
    return true;
}

/* ---- operands ---- */

static bool word_is(struct slice text, bool *yes)
{
    *yes = slice_eq_fold(text, SLICE("true"));
    return *yes || slice_eq_fold(text, SLICE("false"));
}

size_t policy_arn_split(struct slice text, struct slice parts[ARN_PARTS])
{
    size_t n = 0, from = 0;
    bool inside = false;
    for (size_t i = 0; i < text.n && n < ARN_PARTS - 1; i++) {
        if (text.p[i] == '{') inside = i && text.p[i - 1] == '$';
        if (text.p[i] == '}') inside = false;
        if (text.p[i] != ':' || inside) continue;
        parts[n++] = slice_of(text.p + from, i - from);
        from = i + 1;
    }
    parts[n] = slice_of(text.p + from, text.n - from);
    return n + 1;
}

static int read_arn(struct arena *a, struct slice text, bool variables, struct operand_value *out, struct err *e)
{
    struct slice parts[ARN_PARTS];
    if (policy_arn_split(text, parts) < ARN_PARTS) return err_set(e, ERR_ValidationException, "\"%.*s\" is no ARN", SLICE_ARG(text));
    out->parts = ARENA_ARRAY(a, struct pattern, ARN_PARTS);
    for (size_t i = 0; i < ARN_PARTS; i++) {
        int code = pattern_read(a, parts[i], true, variables, &out->parts[i], e);
        if (code) return code;
    }
    return 0;
}

int operand_read(struct arena *a, const struct operator_word *op, struct slice text, bool variables, struct operand_value *out,
                 struct err *e)
{
    bool good = true;
    switch (op->kind) {
    case OPERATOR_TEXT: return pattern_read(a, text, op->wild, variables, &out->pattern, e);
    case OPERATOR_ARN: return read_arn(a, text, variables, out, e);
    case OPERATOR_NUMBER: good = num_parse(text, &out->number) == NUM_OK; break;
    case OPERATOR_DATE: good = policy_date_read(text, &out->ms); break;
    case OPERATOR_BOOL:
    case OPERATOR_NULL: good = word_is(text, &out->yes); break;
    case OPERATOR_ADDRESS: good = network_read(text, out->address, &out->bits); break;
    }
    return good ? 0 : err_set(e, ERR_ValidationException, "%s cannot compare with \"%.*s\"", op->name, SLICE_ARG(text));
}

/* ---- comparing ---- */

static enum truth ordered(int order, enum comparison c)
{
    switch (c) {
    case COMPARE_LT: return order < 0 ? YES : NO;
    case COMPARE_LE: return order <= 0 ? YES : NO;
    case COMPARE_GT: return order > 0 ? YES : NO;
    case COMPARE_GE: return order >= 0 ? YES : NO;
    case COMPARE_EQ: break;
    }
    return order == 0 ? YES : NO;
}

enum truth policy_arn_matches(const struct pattern patterns[ARN_PARTS], const struct policy_request *r, struct slice arn, bool beginning)
{
    struct slice parts[ARN_PARTS];
    enum truth all = YES;
    if (policy_arn_split(arn, parts) < ARN_PARTS) return NO;
    for (size_t i = 0; i < ARN_PARTS; i++) {
        bool below = beginning && i + 1 == ARN_PARTS;
        enum truth one = below ? pattern_match_all(&patterns[i], r, parts[i]) : pattern_match(&patterns[i], r, parts[i], false);
        if (one < all) all = one;
    }
    return all;
}

/* Within one family: a network that is wider than the block where IPv4 is mapped is of IPv6, and has none of IPv4's addresses. */
static enum truth address_within(const struct operand_value *o, struct slice value)
{
    static const uint8_t mapped[MAPPED_BITS / 8] = { [10] = 0xFF, [11] = 0xFF };
    uint8_t address[16];
    unsigned most;
    if (!address_read(value, address, &most)) return MAYBE;
    if (o->bits < MAPPED_BITS && !memcmp(address, mapped, sizeof mapped)) return NO;
    for (unsigned bit = 0; bit < o->bits; bit++) {
        unsigned mask = 0x80u >> bit % 8;
        if ((address[bit / 8] & mask) != (o->address[bit / 8] & mask)) return NO;
    }
    return YES;
}

/* Without the operator's Not. MAYBE: the request's value is none that the operator knows. */
static enum truth compare(const struct policy_condition *c, const struct operand_value *o, const struct policy_request *r,
                          struct slice value)
{
    struct num number;
    int64_t ms;
    bool yes;
    switch (c->op->kind) {
    case OPERATOR_TEXT: return pattern_match(&o->pattern, r, value, c->op->fold);
    case OPERATOR_ARN: return policy_arn_matches(o->parts, r, value, false);
    case OPERATOR_ADDRESS: return address_within(o, value);
    case OPERATOR_NUMBER:
        if (num_parse(value, &number) != NUM_OK) return MAYBE;
        return ordered(slice_cmp(slice_of(number.bytes, number.n), slice_of(o->number.bytes, o->number.n)), c->op->comparison);
    case OPERATOR_DATE:
        if (!policy_date_read(value, &ms)) return MAYBE;
        return ordered((ms > o->ms) - (ms < o->ms), c->op->comparison);
    case OPERATOR_BOOL: return !word_is(value, &yes) ? MAYBE : yes == o->yes ? YES : NO;
    case OPERATOR_NULL: break;
    }
    return MAYBE;
}

/* One value against all operands: one that fits is enough; for a Not, none may. */
static enum truth value_fits(const struct policy_condition *c, const struct policy_request *r, struct slice value)
{
    enum truth any = NO;
    for (size_t i = 0; any != YES && i < c->n; i++) {
        enum truth one = compare(c, &c->operands[i], r, value);
        if (one > any) any = one;
    }
    return c->op->negated ? (enum truth)(YES - any) : any;
}

static enum truth absent(const struct policy_condition *c)
{
    if (c->if_exists || c->over == OVER_ALL) return YES;
    return c->over == OVER_ONE && c->op->negated ? YES : NO;
}

enum truth policy_condition_holds(const struct policy_condition *c, const struct policy_request *r)
{
    struct policy_values v;
    policy_values(r, c->key, c->tag, &v);
    if (v.unknown) return MAYBE;
    if (c->op->kind == OPERATOR_NULL) {
        for (size_t i = 0; i < c->n; i++) {
            if ((v.n == 0) == c->operands[i].yes) return YES;
        }
        return v.reach == REACH_ALL ? MAYBE : NO; /* it names none, and has them all */
    }
    if (v.reach == REACH_ALL) return MAYBE;
    if (!v.n) return absent(c);
    enum truth all = YES, any = NO;
    for (size_t i = 0; i < v.n; i++) {
        enum truth one = value_fits(c, r, v.all[i]);
        if (one < all) all = one;
        if (one > any) any = one;
    }
    if (c->over == OVER_ALL) return all;
    if (c->over == OVER_ANY) return any;
    return all == any ? all : MAYBE; /* IAM does not say what several values are without ForAllValues or ForAnyValue */
}

static bool is_known(const struct policy_condition *c, const struct operand_value *o, const struct policy_request *r)
{
    bool all = c->op->kind != OPERATOR_TEXT || pattern_has_values(&o->pattern, r);
    for (size_t i = 0; all && c->op->kind == OPERATOR_ARN && i < ARN_PARTS; i++) all = pattern_has_values(&o->parts[i], r);
    return all;
}

/* A leading key there always is, and attributes; a second part of the key need not be. */
bool policy_condition_could(const struct policy_condition *c, const struct policy_request *r, bool hold)
{
    const bool always = c->key == KEY_LEADING_KEYS || c->key == KEY_ATTRIBUTES;
    bool some = false, every = true;
    if (!always && absent(c) == (hold ? YES : NO)) return true;
    for (size_t i = 0; i < c->n; i++) {
        bool known = is_known(c, &c->operands[i], r);
        some = some || known;
        every = every && known;
    }
    return hold != c->op->negated ? some : every;
}
