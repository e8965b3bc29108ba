/* test_log.c: lines of the log, as text and as JSON, whatever stands in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/log.h"
#include "item/json.h"

static void test_escaping(void **state)
{
    static const struct {
        const char *from, *text, *json;
    } cases[] = {
        { "plain", "plain", "plain" },
        { "", "", "" },
        { "a\nb\x7f", "a\\x0ab\\x7f", "a\\u000ab\\u007f" },
        { "say \"x\\y\"", "say \"x\\y\"", "say \\u0022x\\u005cy\\u0022" },
        { "gr\xc3\xbc\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x98\x80",
          "gr\xc3\xbc\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x98\x80" },
        { "\xff", "\\xff", "\\ufffd" },                                             /* never in UTF-8 */
        { "\xc3", "\\xc3", "\\ufffd" },                                             /* cut off */
        { "\xc3(", "\\xc3(", "\\ufffd(" },                                          /* a wrong second byte */
        { "\xc0\xaf", "\\xc0\\xaf", "\\ufffd\\ufffd" },                             /* longer than need be */
        { "\xe0\x80\xaf", "\\xe0\\x80\\xaf", "\\ufffd\\ufffd\\ufffd" },
        { "\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf", "\\ufffd\\ufffd\\ufffd\\ufffd" },
        { "\xed\xa0\x80", "\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd" },             /* a surrogate */
        { "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\ufffd\\ufffd\\ufffd\\ufffd" }, /* beyond the last character */
    };
    char to[200];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        log_escape(to, sizeof to, slice_str(cases[i].from), false);
        assert_string_equal(to, cases[i].text);
        assert_int_equal(log_escape(to, sizeof to, slice_str(cases[i].from), true), strlen(cases[i].json));
        assert_string_equal(to, cases[i].json);
    }
}

static void test_what_does_not_fit_is_cut_between_characters(void **state)
{
    char to[20];
    (void)state;
    for (size_t size = 1; size <= sizeof to; size++) {
        size_t n = log_escape(to, size, SLICE("\n\n\n\n\n\n"), true);
        assert_true(n < size && n % 6 == 0 && to[n] == 0);
    }
}

/* What a call writes to standard error. */
static int saved_error, reading_end;

static void begin_capture(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    saved_error = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    reading_end = ends[0];
}

static struct slice end_capture(char *to, size_t size)
{
    dup2(saved_error, STDERR_FILENO);
    close(saved_error);
    ssize_t n = read(reading_end, to, size);
    close(reading_end);
    return slice_of(to, n > 0 ? (size_t)n : 0);
}

#define N_FIELDS 5
static void tell(enum log_level level, const char *event, const char *message)
{
    const struct log_field fields[N_FIELDS] = {
        LOG_TEXT("table", SLICE("shop")),
        LOG_TEXT("index", SLICE("")),
        LOG_TEXT("who", SLICE("a b=\"c\"\n")),
        LOG_NUMBER("ms", 1.25),
        LOG_NUMBER("bytes", 123456789012.0),
    };
    log_event(level, event, fields, N_FIELDS, "%s", message);
}

static void test_a_line_of_text(void **state)
{
    char line[5000];
    (void)state;
    log_setup(LOG_INFO, false);
    begin_capture();
    tell(LOG_WARN, "slow", "it took 7\nms");
    tell(LOG_DEBUG, "not_told", "not told");
    log_line(LOG_DEBUG, "not told");
    struct slice s = end_capture(line, sizeof line);
    const struct slice behind = SLICE(" warn  it took 7\\x0ams event=slow table=shop who=\"a b=\\u0022c\\u0022\\u000a\" ms=1.25 bytes=123456789012\n");
    assert_int_equal(s.n, strlen("2026-11-16T15:20:09.041Z") + behind.n);
    assert_memory_equal(s.p + s.n - behind.n, behind.p, behind.n);
    assert_true(s.p[10] == 'T' && s.p[19] == '.' && s.p[23] == 'Z');
}

/* Parses the one line that was written. */
static const struct json *parse(struct arena *a, struct slice line)
{
    assert_true(line.n > 1 && line.p[line.n - 1] == '\n' && memchr(line.p, '\n', line.n) == line.p + line.n - 1);
    const struct json *tree = json_parse(a, slice_of(line.p, line.n - 1), 10, NULL);
    assert_non_null(tree);
    return tree;
}

static void test_a_line_of_json(void **state)
{
    char line[5000];
    struct arena a;
    (void)state;
    arena_init(&a, 1 << 20);
    log_setup(LOG_DEBUG, true);
    begin_capture();
    tell(LOG_DEBUG, "slow", "\"quoted\"");
    const struct json *tree = parse(&a, end_capture(line, sizeof line));
    static const char *const names[] = { "time", "level", "message", "event", "table", "who", "ms", "bytes" };
    const struct json *member = tree->first;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++, member = member->next) assert_true(slice_eq(member->name, slice_str(names[i])));
    assert_null(member);
    assert_true(slice_eq(JSON_GET(tree, "message")->text, SLICE("\"quoted\"")));
    assert_true(slice_eq(JSON_GET(tree, "who")->text, SLICE("a b=\"c\"\n")));
    assert_int_equal(JSON_GET(tree, "ms")->type, JSON_NUMBER);
    arena_free(&a);
}

/* However much there is to say, it is one line and whole JSON. */
static void test_too_much_for_a_line(void **state)
{
    static char much[3000];
    char line[5000];
    struct log_field many[40];
    struct arena a;
    (void)state;
    arena_init(&a, 1 << 20);
    memset(much, '\n', sizeof much - 1);
    for (size_t i = 0; i < 40; i++) many[i] = LOG_TEXT("field", slice_of(much, i * 20));
    log_setup(LOG_INFO, true);
    begin_capture();
    log_event(LOG_ERROR, "much", many, 40, "%s", much);
    const struct json *tree = parse(&a, end_capture(line, sizeof line));
    assert_true(tree->count > 6 && tree->count < 40);
    assert_true(JSON_GET(tree, "message")->text.n > 100);
    begin_capture();
    log_line(LOG_ERROR, "%s", much);
    tree = parse(&a, end_capture(line, sizeof line));
    assert_int_equal(tree->count, 3);
    arena_free(&a);
}

static void test_so_many_lines_a_second(void **state)
{
    (void)state;
    struct log_budget b = { 0 };
    unsigned left_out = 77;
    for (int i = 0; i < 3; i++) {
        assert_true(log_budget_take(&b, 3, 1000, &left_out));
        assert_int_equal(left_out, 0);
    }
    for (int i = 0; i < 5; i++) assert_false(log_budget_take(&b, 3, 1000, &left_out));
    assert_true(log_budget_take(&b, 3, 1001, &left_out));
    assert_int_equal(left_out, 5);
    assert_true(log_budget_take(&b, 3, 1001, &left_out));
    assert_int_equal(left_out, 0);
    assert_true(log_budget_take(&b, 3, 999, &left_out)); /* a clock that was put back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_so_many_lines_a_second),
        cmocka_unit_test(test_escaping),
        cmocka_unit_test(test_what_does_not_fit_is_cut_between_characters),
        cmocka_unit_test(test_a_line_of_text),
        cmocka_unit_test(test_a_line_of_json),
        cmocka_unit_test(test_too_much_for_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
