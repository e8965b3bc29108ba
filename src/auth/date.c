/* date.c: times to text and back. A form is a pattern in which 0 stands for any digit. */
#include "date.h"
#include <stdio.h>
#include <time.h>

static bool read_form(struct slice s, const char *form, int64_t *out)
{
    int digits[14];
    size_t n = 0;
    if (s.n != strlen(form)) return false;
    for (size_t i = 0; i < s.n; i++) {
        bool digit = s.p[i] >= '0' && s.p[i] <= '9';
        if (form[i] == '0' ? !digit : s.p[i] != (uint8_t)form[i]) return false;
        if (digit) digits[n++] = s.p[i] - '0';
    }
    struct tm t = { .tm_year = digits[0] * 1000 + digits[1] * 100 + digits[2] * 10 + digits[3] - 1900,
                    .tm_mon = digits[4] * 10 + digits[5] - 1,
                    .tm_mday = digits[6] * 10 + digits[7],
                    .tm_hour = digits[8] * 10 + digits[9],
                    .tm_min = digits[10] * 10 + digits[11],
                    .tm_sec = digits[12] * 10 + digits[13] };
    if (t.tm_mon < 0 || t.tm_mon > 11 || t.tm_mday < 1 || t.tm_mday > 31 || t.tm_hour > 23 || t.tm_min > 59 || t.tm_sec > 60) return false;
    *out = timegm(&t);
    return true;
}

bool date_read_basic(struct slice s, int64_t *out)
{
    return read_form(s, "00000000T000000Z", out);
}

bool date_read_extended(struct slice s, int64_t *out)
{
    return read_form(s, "0000-00-00T00:00:00Z", out);
}

void date_write_basic(int64_t seconds, char out[DATE_BASIC])
{
    time_t t = (time_t)seconds;
    struct tm tm;
    if (!gmtime_r(&t, &tm) || !strftime(out, DATE_BASIC, "%Y%m%dT%H%M%SZ", &tm)) snprintf(out, DATE_BASIC, "99991231T235959Z");
}
