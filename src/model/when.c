/* when.c: dates read and written, and the bounds of date ranges in each format. All in UTC and the Gregorian
 * calendar, years 0000 to 9999.
 *
 * A bound must sort right against texts of other precisions. "Z" sorts after "." and ":", so a bound never ends in
 * it: it is the shortest beginning that tells the instant, "2026-05-10T14:23:01" or "2026-05-10T14:23:01.12" or, for a
 * midnight, "2026-05-10", and sorts before everything that begins with it. What no bound can do: put a text
 * in order that is coarser than the bound and lies in the same unit. "...:01Z" sorts after "...:01.500", and so counts as later
 * than a bound within its second; "...:01.1Z" likewise against "...:01.123". Bounds at whole seconds are
 * exact for everything that is written with seconds, whatever its fraction. */
#include "when.h"
#include "../item/number.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define FIRST_MS (INT64_C(-719528) * DAY)  /* 0000-01-01 */
#define END_MS   (INT64_C(2932897) * DAY)  /* 10000-01-01 */
#define ULID_TIME_MAX ((INT64_C(1) << 48) - 1)

/* ---- the calendar ---- */

struct civil {
    int year, month, day;
};

/* Days since 1970-01-01. Years begin in March here, so that the leap day is the last. */
static int64_t days_of(struct civil c)
{
    int64_t y = c.month <= 2 ? c.year - 1 : c.year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t in_era = y - era * 400, month = (c.month + 9) % 12;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + (153 * month + 2) / 5 + c.day - 1 - 719468;
}

static struct civil civil_of(int64_t days)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097, day = days - era * 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t in_year = day - (365 * year + year / 4 - year / 100), month = (5 * in_year + 2) / 153;
    return (struct civil){ (int)(year + era * 400 + (month >= 10)), (int)(month < 10 ? month + 3 : month - 9),
                           (int)(in_year - (153 * month + 2) / 5 + 1) };
}

static int month_length(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

static int64_t floor_to(int64_t ms, int64_t unit)
{
    int64_t rest = ms % unit;
    return ms - (rest < 0 ? rest + unit : rest);
}

static int64_t ceil_div(int64_t v, int64_t unit)
{
    return v / unit + (v % unit > 0);
}

/* ---- reading ---- */

struct scan {
    struct slice s;
    size_t i;
};

static bool eat(struct scan *c, uint8_t what)
{
    if (c->i == c->s.n || c->s.p[c->i] != what) return false;
    c->i++;
    return true;
}

/* Exactly n digits, as a number of low..high. */
static bool digits(struct scan *c, size_t n, int low, int high, int *out)
{
    int v = 0;
    if (c->s.n - c->i < n) return false;
    for (size_t k = 0; k < n; k++) {
        uint8_t d = c->s.p[c->i + k];
        if (d < '0' || d > '9') return false;
        v = v * 10 + (d - '0');
    }
    c->i += n;
    *out = v;
    return v >= low && v <= high;
}

static bool at_end(const struct scan *c)
{
    return c->i == c->s.n;
}

/* The digits after the point; what is finer than a millisecond is dropped. */
static bool fraction(struct scan *c, int64_t *ms, int64_t *unit)
{
    int n = 0;
    for (*unit = SECOND; !at_end(c) && c->s.p[c->i] >= '0' && c->s.p[c->i] <= '9'; c->i++, n++) {
        if (n >= 3) continue;
        *unit /= 10;
        *ms += (c->s.p[c->i] - '0') * *unit;
    }
    return n >= 1 && n <= 9;
}

/* T14, T14:23, T14:23:01, T14:23:01.123 and a zone. */
static bool time_of_day(struct scan *c, int64_t *ms, int64_t *unit)
{
    int v, minute;
    if (!digits(c, 2, 0, 23, &v)) return false;
    *ms += v * HOUR;
    *unit = HOUR;
    if (eat(c, ':')) {
        if (!digits(c, 2, 0, 59, &v)) return false;
        *ms += v * MINUTE;
        *unit = MINUTE;
        if (eat(c, ':')) {
            if (!digits(c, 2, 0, 59, &v)) return false;
            *ms += v * SECOND;
            *unit = SECOND;
            if (eat(c, '.') && !fraction(c, ms, unit)) return false;
        }
    }
    if (at_end(c) || eat(c, 'Z')) return at_end(c);
    int sign = eat(c, '+') ? 1 : eat(c, '-') ? -1 : 0;
    if (!sign || !digits(c, 2, 0, 23, &v) || !eat(c, ':') || !digits(c, 2, 0, 59, &minute)) return false;
    *ms -= sign * (v * HOUR + minute * MINUTE);
    return at_end(c);
}

static bool in_range(struct span *s)
{
    return s->start >= FIRST_MS && s->end <= END_MS;
}

static bool parse_absolute(struct slice text, struct span *out)
{
    struct scan c = { text, 0 };
    struct civil d = { 0, 1, 1 };
    if (!digits(&c, 4, 0, 9999, &d.year)) return false;
    if (at_end(&c)) {
        *out = (struct span){ days_of(d) * DAY, days_of((struct civil){ d.year + 1, 1, 1 }) * DAY };
        return true;
    }
    if (!eat(&c, '-') || !digits(&c, 2, 1, 12, &d.month)) return false;
    int64_t start = days_of(d) * DAY, unit = DAY;
    if (at_end(&c)) {
        *out = (struct span){ start, start + month_length(d.year, d.month) * DAY };
        return true;
    }
    if (!eat(&c, '-') || !digits(&c, 2, 1, month_length(d.year, d.month), &d.day)) return false;
    start = days_of(d) * DAY;
    if (!at_end(&c) && (!eat(&c, 'T') || !time_of_day(&c, &start, &unit))) return false;
    *out = (struct span){ start, start + unit };
    return in_range(out);
}

/* -30d, +12h */
static bool parse_relative(struct slice text, int64_t now, struct span *out)
{
    static const struct {
        uint8_t letter;
        bool of_today;
        int64_t unit;
    } units[] = { { 's', false, SECOND }, { 'm', false, MINUTE }, { 'h', false, HOUR },
                  { 'd', true, DAY },     { 'w', true, 7 * DAY } };
    int64_t n = 0;
    if (text.n < 3 || text.n > 9 || (text.p[0] != '-' && text.p[0] != '+')) return false;
    for (size_t i = 1; i + 1 < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') return false;
        n = n * 10 + (text.p[i] - '0');
    }
    if (text.p[0] == '-') n = -n;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (text.p[text.n - 1] != units[i].letter) continue;
        int64_t from = units[i].of_today ? floor_to(now, DAY) : now;
        *out = (struct span){ from + n * units[i].unit, from + (n + 1) * units[i].unit };
        return in_range(out);
    }
    return false;
}

bool when_parse(struct slice text, int64_t now, struct span *out)
{
    static const struct {
        struct slice name;
        int64_t days;
    } names[] = { { { (const uint8_t *)"today", 5 }, 0 },
                  { { (const uint8_t *)"yesterday", 9 }, -1 },
                  { { (const uint8_t *)"tomorrow", 8 }, 1 } };
    if (slice_eq(text, SLICE("now"))) {
        *out = (struct span){ now, now + 1 };
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!slice_eq(text, names[i].name)) continue;
        out->start = floor_to(now, DAY) + names[i].days * DAY;
        out->end = out->start + DAY;
        return true;
    }
    return parse_absolute(text, out) || parse_relative(text, now, out);
}

static const char crockford[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static bool ulid_time(struct slice text, int64_t *ms)
{
    if (text.n != 26 || text.p[0] > '7') return false;
    *ms = 0;
    for (size_t i = 0; i < 26; i++) {
        const char *p = text.p[i] ? strchr(crockford, text.p[i]) : NULL;
        if (!p) return false;
        if (i < 10) *ms = *ms << 5 | (p - crockford);
    }
    return true;
}

bool when_of(enum time_format f, struct slice text, int64_t *ms)
{
    struct span s;
    struct num n;
    switch (f) {
    case TIME_ULID:
        return ulid_time(text, ms);
    case TIME_DATE_TIME:
    case TIME_DATE:
        if (!parse_absolute(text, &s)) return false;
        *ms = s.start;
        return true;
    case TIME_EPOCH:
    case TIME_EPOCH_MS:
        if (num_parse(text, &n) != NUM_OK || !num_to_int64(slice_of(n.bytes, n.n), ms)) return false;
        if (f == TIME_EPOCH) {
            if (*ms < FIRST_MS / SECOND || *ms > END_MS / SECOND) return false;
            *ms *= SECOND;
        }
        return *ms >= FIRST_MS && *ms < END_MS;
    default:
        return false;
    }
}

bool when_valid(enum time_format f, struct slice text)
{
    int64_t ms;
    if (!when_of(f, text, &ms)) return false;
    if (f == TIME_DATE) return text.n == 10;
    /* Down to the second, and UTC: only so do texts sort by time. */
    if (f == TIME_DATE_TIME) return text.n >= 20 && text.p[16] == ':' && text.p[text.n - 1] == 'Z';
    return true;
}

/* ---- writing ---- */

struct slice when_iso(struct arena *a, int64_t ms)
{
    if (ms < FIRST_MS) ms = FIRST_MS;
    if (ms >= END_MS) ms = END_MS - 1;
    int64_t day = floor_to(ms, DAY), rest = ms - day;
    struct civil c = civil_of(day / DAY);
    return arena_printf(a, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", c.year, c.month, c.day, (int)(rest / HOUR),
                        (int)(rest / MINUTE % 60), (int)(rest / SECOND % 60), (int)(rest % SECOND));
}

void when_month(int64_t ms, char out[8])
{
    if (ms < FIRST_MS) ms = FIRST_MS;
    if (ms >= END_MS) ms = END_MS - 1;
    struct civil c = civil_of(floor_to(ms, DAY) / DAY);
    for (int i = 3; i >= 0; i--, c.year /= 10) out[i] = (char)('0' + c.year % 10);
    out[4] = '-';
    out[5] = (char)('0' + c.month / 10);
    out[6] = (char)('0' + c.month % 10);
    out[7] = 0;
}

/* The shortest beginning of a date-time that tells this instant. */
static struct slice date_time_bound(struct arena *a, int64_t ms)
{
    struct slice s = when_iso(a, ms);
    int64_t in_day = ms - floor_to(ms, DAY);
    s.n -= 1; /* Z */
    if (ms % SECOND) {
        while (s.p[s.n - 1] == '0') s.n--;
        return s;
    }
    if (ms % MINUTE) s.n = 19;
    else if (ms % HOUR) s.n = 16;
    else if (in_day) s.n = 13;
    else if (memcmp(s.p + 8, "01", 2) != 0) s.n = 10;
    else s.n = memcmp(s.p + 5, "01", 2) != 0 ? 7 : 4;
    return s;
}

static struct slice ulid_bound(struct arena *a, int64_t ms)
{
    char out[10];
    if (ms < 0) ms = 0;
    if (ms > ULID_TIME_MAX) ms = ULID_TIME_MAX;
    for (int i = 9; i >= 0; i--, ms >>= 5) out[i] = crockford[ms & 31];
    return arena_dup(a, slice_of(out, sizeof out));
}

struct slice when_bound(struct arena *a, enum time_format f, int64_t ms)
{
    struct slice s;
    switch (f) {
    case TIME_ULID:
        return ulid_bound(a, ms);
    case TIME_DATE_TIME:
        if (ms >= END_MS) return SLICE(":"); /* after every year */
        return ms <= FIRST_MS ? SLICE("0000") : date_time_bound(a, ms);
    case TIME_DATE:
        if (ms > END_MS - DAY) return SLICE(":");
        s = when_iso(a, ceil_div(ms, DAY) * DAY);
        s.n = 10;
        return s;
    case TIME_EPOCH:
        return arena_printf(a, "%lld", (long long)ceil_div(ms, SECOND));
    case TIME_EPOCH_MS:
        return arena_printf(a, "%lld", (long long)ms);
    default:
        return SLICE("");
    }
}
