/* test_model_when.c: dates as people write them, the time in values, and the bounds of ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>
#include "model/when.h"
#include "arena_fixture.h"
#include "repeat.h"

#define DAY INT64_C(86400000)

static void assert_slice(struct slice s, const char *expected)
{
    char got[64];
    snprintf(got, sizeof got, "%.*s", SLICE_ARG(s));
    assert_string_equal(got, expected);
}

static int64_t start_of(const char *text)
{
    struct span s;
    assert_true(when_parse(slice_str(text), 0, &s));
    return s.start;
}

static void assert_span(const char *text, const char *start, const char *end)
{
    struct span s;
    int64_t now = start_of("2026-05-10T14:23:01.123Z");
    assert_true(when_parse(slice_str(text), now, &s));
    assert_slice(when_iso(&arena, s.start), start);
    assert_slice(when_iso(&arena, s.end), end);
}

static void test_a_date_stands_for_its_span(void **state)
{
    (void)state;
    assert_span("2026", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z");
    assert_span("2026-12", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z");
    assert_span("2024-02", "2024-02-01T00:00:00.000Z", "2024-03-01T00:00:00.000Z");
    assert_span("2026-05-10", "2026-05-10T00:00:00.000Z", "2026-05-11T00:00:00.000Z");
    assert_span("2026-05-10T14", "2026-05-10T14:00:00.000Z", "2026-05-10T15:00:00.000Z");
    assert_span("2026-05-10T14:23", "2026-05-10T14:23:00.000Z", "2026-05-10T14:24:00.000Z");
    assert_span("2026-05-10T14:23Z", "2026-05-10T14:23:00.000Z", "2026-05-10T14:24:00.000Z");
    assert_span("2026-05-10T14:23:01", "2026-05-10T14:23:01.000Z", "2026-05-10T14:23:02.000Z");
    assert_span("2026-05-10T14:23:01.5Z", "2026-05-10T14:23:01.500Z", "2026-05-10T14:23:01.600Z");
    assert_span("2026-05-10T14:23:01.123456Z", "2026-05-10T14:23:01.123Z", "2026-05-10T14:23:01.124Z");
    assert_span("2026-05-10T01:00:00+02:00", "2026-05-09T23:00:00.000Z", "2026-05-09T23:00:01.000Z");
    assert_span("2026-05-10T23:30:00-01:30", "2026-05-11T01:00:00.000Z", "2026-05-11T01:00:01.000Z");
    assert_span("now", "2026-05-10T14:23:01.123Z", "2026-05-10T14:23:01.124Z");
    assert_span("today", "2026-05-10T00:00:00.000Z", "2026-05-11T00:00:00.000Z");
    assert_span("yesterday", "2026-05-09T00:00:00.000Z", "2026-05-10T00:00:00.000Z");
    assert_span("tomorrow", "2026-05-11T00:00:00.000Z", "2026-05-12T00:00:00.000Z");
    assert_span("-30d", "2026-04-10T00:00:00.000Z", "2026-04-11T00:00:00.000Z");
    assert_span("-2w", "2026-04-26T00:00:00.000Z", "2026-05-03T00:00:00.000Z");
    assert_span("+1d", "2026-05-11T00:00:00.000Z", "2026-05-12T00:00:00.000Z");
    assert_span("-12h", "2026-05-10T02:23:01.123Z", "2026-05-10T03:23:01.123Z");
    assert_span("-45m", "2026-05-10T13:38:01.123Z", "2026-05-10T13:39:01.123Z");
    assert_span("-90s", "2026-05-10T14:21:31.123Z", "2026-05-10T14:21:32.123Z");
    assert_span("1969-12-31T23:59:59.999", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z");
    assert_span("0000", "0000-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z");
}

static void test_what_is_no_date_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "202", "20266", "2026-", "2026-13", "2026-00", "2026-02-29", "2026-05-32", "2026-5-1", "2026-05-10 14:00",
        "2026-05-10T", "2026-05-10T24", "2026-05-10T14:60", "2026-05-10T14:23:60", "2026-05-10T14:23:01.", "2026-05-10Z",
        "2026-05-10T14:23:01ZZ", "2026-05-10T14:23:01+2", "2026-05-10T14:23:01.1234567890Z", "-d", "-30", "30d", "-30y",
        "-9999999w", "Today", "last week", "2026-05-10T14:23:01+02:60", "9999-12-31T23:59:59-10:00",
    };
    struct span s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (when_parse(slice_str(bad[i]), 0, &s)) fail_msg("\"%s\" was taken for a date", bad[i]);
    }
}

static void test_calendar_agrees_with_the_c_library(void **state)
{
    (void)state;
    for (int64_t day = -719528; day < 2932896; day += 1 + (int64_t)rnd(40 * (size_t)(1000 / repeated(1000)))) {
        time_t t = (time_t)(day * 86400 + (int64_t)rnd(86400));
        struct tm tm;
        char expected[64], month[8];
        gmtime_r(&t, &tm);
        snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02d.000Z", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
                 tm.tm_hour, tm.tm_min, tm.tm_sec);
        assert_slice(when_iso(&arena, (int64_t)t * 1000), expected);
        assert_int_equal(start_of(expected), (int64_t)t * 1000);
        when_month((int64_t)t * 1000, month);
        assert_memory_equal(month, expected, 7);
        arena_reset(&arena);
    }
}

static void test_values_of_each_format(void **state)
{
    (void)state;
    static const struct {
        enum time_format f;
        const char *text;
        bool valid;
    } cases[] = {
        { TIME_ULID, "01ARZ3NDEKTSV4RRFFQ69G5FAV", true },
        { TIME_ULID, "81ARZ3NDEKTSV4RRFFQ69G5FAV", false },
        { TIME_ULID, "01ARZ3NDEKTSV4RRFFQ69G5FA", false },
        { TIME_ULID, "01arz3ndektsv4rrffq69g5fav", false },
        { TIME_ULID, "01ARZ3NDEKTSV4RRFFQ69G5FAU", false },
        { TIME_DATE, "2026-05-10", true },
        { TIME_DATE, "2026-05", false },
        { TIME_DATE, "2026-02-30", false },
        { TIME_DATE_TIME, "2026-05-10T14:23:01Z", true },
        { TIME_DATE_TIME, "2026-05-10T14:23:01.123Z", true },
        { TIME_DATE_TIME, "2026-05-10T14:23Z", false },
        { TIME_DATE_TIME, "2026-05-10T14:23:01", false },
        { TIME_DATE_TIME, "2026-05-10T14:23:01+00:00", false },
        { TIME_DATE_TIME, "2026-05-10T14:23+02:00", false },
        { TIME_EPOCH, "1715000000", true },
        { TIME_EPOCH, "1715000000.5", false },
        { TIME_EPOCH, "1715000000000000000", false },
        { TIME_EPOCH_MS, "1715000000123", true },
        { TIME_NONE, "2026", false },
    };
    int64_t ms;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(when_valid(cases[i].f, slice_str(cases[i].text)), cases[i].valid);
    assert_true(when_of(TIME_ULID, SLICE("01ARZ3NDEKTSV4RRFFQ69G5FAV"), &ms));
    assert_slice(when_iso(&arena, ms), "2016-07-30T23:54:10.259Z");
    assert_true(when_of(TIME_EPOCH, SLICE("1"), &ms));
    assert_int_equal(ms, 1000);
}

static void test_bounds(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "2026-01-01", "2026" },
        { "2026-05-01", "2026-05" },
        { "2026-05-10", "2026-05-10" },
        { "2026-05-10T14:00:00", "2026-05-10T14" },
        { "2026-05-10T14:23:00", "2026-05-10T14:23" },
        { "2026-05-10T14:23:01", "2026-05-10T14:23:01" },
        { "2026-05-10T14:23:01.120", "2026-05-10T14:23:01.12" },
        { "2026-05-10T14:23:01.003", "2026-05-10T14:23:01.003" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_slice(when_bound(&arena, TIME_DATE_TIME, start_of(cases[i][0])), cases[i][1]);
    assert_slice(when_bound(&arena, TIME_DATE, start_of("2026-05-10")), "2026-05-10");
    assert_slice(when_bound(&arena, TIME_DATE, start_of("2026-05-10T00:00:00.001")), "2026-05-11");
    assert_slice(when_bound(&arena, TIME_EPOCH, 1001), "2");
    assert_slice(when_bound(&arena, TIME_EPOCH, -1001), "-1");
    assert_slice(when_bound(&arena, TIME_EPOCH_MS, 1001), "1001");
    assert_slice(when_bound(&arena, TIME_ULID, start_of("2016-07-30T23:54:10.259Z")), "01ARZ3NDEK");
    assert_slice(when_bound(&arena, TIME_ULID, -5), "0000000000");
}

/* The precisions of a text: length of when_iso's text that is kept, with Z after a time of day; and its unit. */
static const struct {
    size_t length;
    bool z;
    int64_t unit;
} precisions[] = { { 10, false, DAY },  { 13, true, 3600000 }, { 16, true, 60000 }, { 19, true, 1000 },
                   { 21, true, 100 },   { 22, true, 10 },      { 23, true, 1 } };
#define N_PRECISIONS (sizeof precisions / sizeof *precisions)

/* A bound sorts <= the text of an instant exactly if the instant is not before it: for every precision a text can
 * have, as long as the bound does not lie within the text's own unit. */
static void test_a_bound_sorts_as_its_instant(void **state)
{
    (void)state;
    int64_t base = start_of("2026-05-10T00:00:00");
    size_t compared = 0, undecided = 0;
    for (int round = 0; round < repeated(200000); round++) {
        /* Instants near each other and near the ends of units, where mistakes would be. */
        int64_t around = base + (int64_t)rnd(4) * DAY / 3 + (int64_t)rnd(3) * 60000;
        size_t tp = rnd(N_PRECISIONS), bp = rnd(N_PRECISIONS);
        int64_t t = around + (int64_t)rnd(4000) - 2000, b = rnd(2) ? around + (int64_t)rnd(4000) - 2000 : t + (int64_t)rnd(3) - 1;
        t -= t % precisions[tp].unit;
        b -= b % precisions[bp].unit;
        struct slice iso = when_iso(&arena, t), text;
        text = arena_printf(&arena, "%.*s%s", (int)precisions[tp].length, (const char *)iso.p, precisions[tp].z ? "Z" : "");
        bool within = b > t && b < t + precisions[tp].unit && precisions[tp].z;
        if (within) {
            undecided++;
        } else {
            struct slice bound = when_bound(&arena, TIME_DATE_TIME, b);
            if ((slice_cmp(bound, text) <= 0) != (b <= t))
                fail_msg("%.*s against %.*s", SLICE_ARG(bound), SLICE_ARG(text));
            compared++;
        }
        if (round % 1000 == 0) arena_reset(&arena);
    }
    assert_true(compared > (size_t)repeated(100000) && undecided > (size_t)repeated(100));
}

static void test_bounds_of_ulids_dates_and_numbers_sort_as_their_instant(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        int64_t b = (int64_t)rnd(4000000000000), t = b + (int64_t)rnd(400000000) - 200000000;
        if (t < 0) continue;
        struct slice ulid = arena_printf(&arena, "%.*s0000000000000000", SLICE_ARG(when_bound(&arena, TIME_ULID, t)));
        int64_t back;
        assert_true(when_of(TIME_ULID, ulid, &back));
        assert_int_equal(back, t);
        assert_int_equal(slice_cmp(when_bound(&arena, TIME_ULID, b), ulid) <= 0, b <= t);
        int64_t day = t - t % DAY;
        struct slice date = slice_of(when_iso(&arena, day).p, 10);
        assert_int_equal(slice_cmp(when_bound(&arena, TIME_DATE, b), date) <= 0, b <= day);
        arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_date_stands_for_its_span),
        cmocka_unit_test(test_what_is_no_date_is_refused),
        cmocka_unit_test(test_calendar_agrees_with_the_c_library),
        cmocka_unit_test(test_values_of_each_format),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_a_bound_sorts_as_its_instant),
        cmocka_unit_test(test_bounds_of_ulids_dates_and_numbers_sort_as_their_instant),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
