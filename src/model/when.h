/* when.h: dates as people write them in patterns and on the command line, and the time inside ULIDs. Always
 * UTC, always half-open: a date stands for the span [start, end).
 *
 *   2026   2026-05   2026-05-10   2026-05-10T14   ...T14:23   ...T14:23:01   ...T14:23:01.123   with or without Z,
 *   or an offset +02:00;  now  today  yesterday  tomorrow;  -30d  -12h  -45m  -2w  -90s  +1d  (from now; d and w: from
 *   the start of today) */
#ifndef OF_MODEL_WHEN_H
#define OF_MODEL_WHEN_H

#include "../base/buf.h"

struct span {
    int64_t start, end; /* milliseconds since 1970 */
};

/* False if text is no date. now: milliseconds. */
bool when_parse(struct slice text, int64_t now, struct span *out);
/* How an attribute holds time (attribute.format). */
enum time_format {
    TIME_NONE,
    TIME_ULID,      /* 26 characters, Crockford's base 32, 48 bits of milliseconds first */
    TIME_DATE_TIME, /* 2026-05-10T14:23:01.123Z */
    TIME_DATE,      /* 2026-05-10 */
    TIME_EPOCH,     /* number: seconds */
    TIME_EPOCH_MS
};
/* The smallest text (or number's text) in this format that is not before ms: for a ULID the ten time
 * characters; for a date-time "2026-05-10T14:23:01.123Z" without zero seconds' fraction cut, such that it sorts
 * before every later instant whatever precision that was written with ("2026-05-10", "2026-05-10T14:23"). */
struct slice when_bound(struct arena *a, enum time_format f, int64_t ms);
/* Is it a valid value of the format? */
bool when_valid(enum time_format f, struct slice text);
/* The instant a value tells; false if it tells none. */
bool when_of(enum time_format f, struct slice text, int64_t *ms);
struct slice when_iso(struct arena *a, int64_t ms); /* 2026-05-10T14:23:01.123Z */
void when_month(int64_t ms, char out[8]);           /* 2026-05 */

#endif
