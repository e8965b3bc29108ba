/* test_model_reports.c: the reports through onefold.h: each gives its answer, and an unknown format is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <onefold.h>

static const char text[] =
    "onefold: 1\n"
    "table: shop\n"
    "entities:\n"
    "  Order: { key: { PK: \"C#${c}\", SK: \"ORDER#${o}\" }, attributes: { c: { required: true }, o: { required: true } } }\n"
    "patterns:\n"
    "  orders: { of: Order, by: [c] }\n";

static of_model *model;
static of_error err;

static int set_up(void **state)
{
    (void)state;
    return of_model_parse(&model, text, -1, "model.yaml", &err);
}

static int tear_down(void **state)
{
    (void)state;
    of_model_close(model);
    return 0;
}

static void assert_answer(int rc, of_answer *answer, const char *part)
{
    if (rc) fail_msg("%s", err.message);
    if (!strstr(of_answer_body(answer, NULL), part)) fail_msg("no %s in %s", part, of_answer_body(answer, NULL));
    of_answer_free(answer);
}

static void test_every_report_answers(void **state)
{
    (void)state;
    static const struct { const char *format, *part; } docs[] = {
        { "markdown", "# shop\n" }, { "svg", "<svg " }, { "mermaid", "flowchart LR" }, { "json", "{\"onefold\":1" } };
    static const struct { const char *format, *part; } tables[] = {
        { "create-table", "\"TableName\": \"shop\"" }, { "cloudformation", "AWS::DynamoDB::Table" },
        { "terraform", "aws_dynamodb_table" } };
    of_answer *a;
    int rc = of_model_explain(model, "orders", &a, &err);
    assert_answer(rc, a, "\"operation\":\"Query\"");
    rc = of_model_lint(model, &a, &err);
    assert_answer(rc, a, "\"rule\":\"unbounded-read\"");
    rc = of_model_cost(model, NULL, &a, &err);
    assert_answer(rc, a, "\"mode\":\"on-demand\"");
    rc = of_model_cost(model, &(of_cost_options){ .provisioned = true, .against_tables = true }, &a, &err);
    assert_answer(rc, a, "\"mode\":\"provisioned\"");
    rc = of_size("{\"a\":1}", -1, &a, &err);
    assert_answer(rc, a, "\"form\":\"plain\"");
    for (size_t i = 0; i < 4; i++) {
        rc = of_model_docs(model, docs[i].format, &a, &err);
        assert_answer(rc, a, docs[i].part);
    }
    for (size_t i = 0; i < 3; i++) {
        rc = of_model_table(model, tables[i].format, &a, &err);
        assert_answer(rc, a, tables[i].part);
    }
}

static void test_what_cannot_be_is_refused(void **state)
{
    (void)state;
    of_answer *a;
    assert_int_equal(of_model_docs(model, "pdf", &a, &err), OF_INVALID);
    assert_string_equal(err.message, "there is no format pdf; the formats are markdown, svg, mermaid, json");
    assert_int_equal(of_model_table(model, NULL, &a, &err), OF_INVALID);
    assert_non_null(strstr(err.message, "create-table, cloudformation, terraform"));
    assert_int_equal(of_model_cost(model, &(of_cost_options){ .prices = "/no/such" }, &a, &err), OF_INVALID);
    assert_int_equal(of_size("{", 1, &a, &err), OF_INVALID);
    assert_int_equal(of_model_explain(model, "nothing", &a, &err), OF_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_report_answers),
        cmocka_unit_test(test_what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
