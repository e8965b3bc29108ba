/* test_model_csv.c: comma-separated values, in and out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "base/csv.h"
#include "model/source.h"
#include <dirent.h>
#include <errno.h>

static FILE *text(const char *s)
{
    FILE *f = tmpfile();
    fputs(s, f);
    rewind(f);
    return f;
}

static void expect(struct csv_field f, const char *s)
{
    assert_int_equal(f.nothing, s == NULL);
    assert_int_equal(f.text.n, s ? strlen(s) : 0);
    if (s) assert_memory_equal(f.text.p, s, f.text.n);
}

static void fields_quotes_and_line_ends_are_read(void **state)
{
    (void)state;
    struct csv_field *f;
    size_t n;
    FILE *file = text("a,b c,\"d,\"\"e\"\"\"\r\n\n,\"\",\"two\nlines\"\nlast");
    struct csv_reader r = csv_of_file(file);
    assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_RECORD);
    assert_int_equal(n, 3);
    expect(f[0], "a");
    expect(f[1], "b c");
    expect(f[2], "d,\"e\"");
    assert_int_equal(r.line, 1);
    assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_RECORD);
    assert_int_equal(r.line, 3);
    assert_int_equal(n, 3);
    expect(f[0], NULL);
    expect(f[1], "");
    expect(f[2], "two\nlines");
    assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_RECORD);
    assert_int_equal(r.line, 5);
    expect(f[0], "last");
    assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_END);
    fclose(file);
}

static void blank_lines_are_bounded(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct csv_field *f;
        size_t n;
        FILE *file = tmpfile();
        for (size_t i = 0; i < CSV_MAX_RECORD + more; i++) fputc('\n', file);
        fputs("a\n", file);
        rewind(file);
        struct csv_reader r = csv_of_file(file);
        assert_int_equal(csv_read(&r, &arena, &f, &n), more ? CSV_BAD : CSV_RECORD);
        fclose(file);
    }
}

static void a_byte_order_mark_is_passed_over(void **state)
{
    (void)state;
    struct csv_field *f;
    size_t n;
    FILE *file = text("\xEF\xBB\xBFid\n1\n");
    struct csv_reader r = csv_of_file(file);
    assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_RECORD);
    expect(f[0], "id");
    fclose(file);
}

static void what_only_begins_like_a_byte_order_mark_is_kept(void **state)
{
    (void)state;
    static const char *const begins[] = { "\xEF\xBBx", "\xEFx", "\xEF\xBB", "x" };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        struct csv_field *f;
        size_t n;
        FILE *file = text(begins[i]);
        struct csv_reader r = csv_of_file(file);
        assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_RECORD);
        expect(f[0], begins[i]);
        fclose(file);
    }
}

static void another_delimiter_can_be_had(void **state)
{
    (void)state;
    struct csv_field *f;
    size_t n;
    FILE *file = text("a,b;\"c;\";\n");
    struct csv_reader r = csv_of_file(file);
    r.delimiter = ';';
    assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_RECORD);
    assert_int_equal(n, 3);
    expect(f[0], "a,b");
    expect(f[1], "c;");
    expect(f[2], NULL);
    fclose(file);
}

static void broken_quotes_are_refused_with_their_line(void **state)
{
    (void)state;
    static const char *const bad[] = { "a\n\"open", "a\n\"x\"y", "a\nx\"y\"", "a\nx\ry" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct csv_field *f;
        size_t n;
        FILE *file = text(bad[i]);
        struct csv_reader r = csv_of_file(file);
        assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_RECORD);
        assert_int_equal(csv_read(&r, &arena, &f, &n), CSV_BAD);
        assert_non_null(r.problem);
        assert_int_equal(r.line, 2);
        fclose(file);
    }
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    static const char letters[] = "a,\"\r\n ;";
    for (int round = 0; round < 2000; round++) {
        struct csv_field in[6], *out;
        size_t n = 2 + rnd(4), m;
        struct buf b;
        buf_init(&b, &arena, 1 << 16);
        for (size_t i = 0; i < n; i++) {
            uint8_t *p = arena_bytes(&arena, 8);
            size_t len = rnd(8);
            for (size_t k = 0; k < len; k++) p[k] = (uint8_t)letters[rnd(sizeof letters - 1)];
            in[i] = (struct csv_field){ slice_of(p, len), len == 0 && rnd(2) };
            csv_put(&b, in[i], i == 0);
        }
        csv_end(&b);
        FILE *file = tmpfile();
        fwrite(b.p, 1, b.n, file);
        rewind(file);
        struct csv_reader r = csv_of_file(file);
        assert_int_equal(csv_read(&r, &arena, &out, &m), CSV_RECORD);
        assert_int_equal(m, n);
        for (size_t i = 0; i < n; i++) {
            assert_true(slice_eq(out[i].text, in[i].text));
            assert_int_equal(out[i].nothing, in[i].nothing);
        }
        assert_int_equal(csv_read(&r, &arena, &out, &m), CSV_END);
        fclose(file);
    }
}

/* In place of the C library's: a folder that cannot be read any further. */
struct dirent *readdir(DIR *dir)
{
    (void)dir;
    errno = EIO;
    return NULL;
}

static void a_folder_that_cannot_be_read_is_not_taken_for_one_that_ended(void **state)
{
    (void)state;
    struct source *source = NULL;
    struct err e = { .arena = &arena };
    assert_int_equal(source_csv(&source, &arena, "/tmp", &e), ERR_ValidationException);
    assert_true(slice_eq(e.message, SLICE("cannot read /tmp: Input/output error")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_quotes_and_line_ends_are_read),
        cmocka_unit_test(blank_lines_are_bounded),
        cmocka_unit_test(a_byte_order_mark_is_passed_over),
        cmocka_unit_test(what_only_begins_like_a_byte_order_mark_is_kept),
        cmocka_unit_test(another_delimiter_can_be_had),
        cmocka_unit_test(broken_quotes_are_refused_with_their_line),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_folder_that_cannot_be_read_is_not_taken_for_one_that_ended),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
