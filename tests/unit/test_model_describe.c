/* test_model_describe.c: a model that is being written, with its files given: of_model_describe, of_model_parse_with, of_model_load_sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <onefold.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "onefold: 1\n"
                           "table: shop\n"
                           "entities:\n"
                           "  Order:\n"
                           "    key: { PK: \"ORDER#${orderId}\", SK: \"#META\" }\n"
                           "    attributes:\n"
                           "      orderId: { type: string, generate: ulid }\n"
                           "      status: { enum: [open, closed] }\n"
                           "      lines: { type: list }\n"
                           "      price: { type: number, min: 3 }\n"
                           "      tags: { type: string-set }\n"
                           "      code: { type: string, pattern: \"[A-Z]{3}\" }\n"
                           "patterns:\n"
                           "  order: { of: Order, by: [orderId] }\n";

static char *described(const char *model, const of_file *files, size_t n)
{
    of_answer *report;
    of_error err;
    if (of_model_describe(model, -1, "m.yaml", files, n, &report, &err)) fail_msg("%s", err.message);
    char *out = strdup(of_answer_body(report, NULL));
    of_answer_free(report);
    assert_non_null(out);
    return out;
}

static void says(const char *model, const of_file *files, size_t n, const char *wanted)
{
    char *out = described(model, files, n);
    if (!strstr(out, wanted)) fail_msg("no %s in %s", wanted, out);
    free(out);
}

static void test_what_is_wrong_is_told_with_the_tree(void **state)
{
    (void)state;
    says("onefold: 1\ntable: [", NULL, 0, "\"tree\":null,\"model\":null,\"lint\":null}");
    says("onefold: 1\ntable: shop\n", NULL, 0, "\"name\":\"table\",\"line\":2,\"column\":1,\"value\":{\"line\":2,\"column\":8,\"text\":\"shop\"}");
    says("", NULL, 0, "\"problems\":[{");
    says(text, NULL, 0, "\"problems\":[]");
}

/* A rule that no guess keeps (code) leaves the rows out rather than breaking the rule. */
static void test_rows_are_made_up_within_the_rules(void **state)
{
    (void)state;
    char easy[sizeof text];
    memcpy(easy, text, sizeof text);
    says(text, NULL, 0, "\"invented\":false");
    char *rule = strstr(easy, ", pattern:");
    memset(rule, ' ', (size_t)(strstr(rule, " }") - rule)); /* without the pattern */
    says(easy, NULL, 0, "\"invented\":true");
    says(easy, NULL, 0, "\"price\":3");
    says(easy, NULL, 0, "\"status\":\"closed\"");
}

static void test_only_the_files_that_are_given_are_read(void **state)
{
    (void)state;
    char model[sizeof text + 40];
    snprintf(model, sizeof model, "%sdata: data.yaml\n", text);
    of_file good = { "data.yaml", "Order:\n  - { orderId: 01ARZ3NDEKTSV4RRFFQ69G5FAV, status: open, code: ABC }\n", 0 };
    good.len = strlen(good.text);
    says(model, &good, 1, "\"bytes\":");
    says(model, NULL, 0, "data.yaml cannot be read: No such file");
    of_file bad = { "data.yaml", "Order:\n  - { status: lost }\n", 27 };
    says(model, &bad, 1, "\"file\":\"data.yaml\",\"line\":2");

    of_model *m;
    of_db *db;
    of_error err;
    of_answer *report;
    assert_int_equal(of_model_parse_with(&m, model, -1, NULL, &good, 1, &err), OF_OK);
    assert_int_equal(of_open(&db, NULL, &err), OF_OK);
    assert_int_equal(of_model_apply(m, db, NULL, &report, &err), OF_OK);
    of_answer_free(report);
    assert_int_equal(of_model_load_sample(m, db, &report, &err), OF_OK);
    assert_non_null(strstr(of_answer_body(report, NULL), "{\"loaded\":{\"Order\":1}"));
    of_answer_free(report);
    of_model_close(m);
    assert_int_equal(of_model_parse_with(&m, model, -1, NULL, NULL, 0, &err), OF_OK);
    assert_int_equal(of_model_load_sample(m, db, &report, &err), OF_INVALID);
    assert_non_null(strstr(err.message, "cannot read data.yaml"));
    of_model_close(m);
    of_close(db);
    assert_int_equal(of_model_parse_with(&m, "onefold: 2\n", -1, "m", &good, 1, &err), OF_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_wrong_is_told_with_the_tree),
        cmocka_unit_test(test_rows_are_made_up_within_the_rules),
        cmocka_unit_test(test_only_the_files_that_are_given_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
