/* test_model_functions.c: the functions of onefold.h behind the commands that no other unit test calls: a model opened from
 * its file, entities from text, and whole tables loaded, browsed, unfolded and folded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <onefold.h>

static const char text[] =
    "onefold: 1\n"
    "table: shop\n"
    "entities:\n"
    "  Order:\n"
    "    key: { PK: \"C#${c}\", SK: \"ORDER#${o}\" }\n"
    "    attributes: { c: { required: true }, o: { required: true }, total: number }\n"
    "patterns:\n"
    "  orders: { of: Order, by: [c], where: { o: { atLeast: $from } }, limit: 10 }\n";

static char folder[64];
static of_error err;
static of_model *model;

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static size_t turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *content)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    fputs(content, f);
    assert_int_equal(fclose(f), 0);
}

static void good(int code)
{
    if (code) fail_msg("%s: %s", err.type, err.message);
}

static void says(of_answer *answer, const char *part)
{
    if (!strstr(of_answer_body(answer, NULL), part)) fail_msg("no %s in %s", part, of_answer_body(answer, NULL));
    of_answer_free(answer);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/onefold-functions-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    write_file("model.yaml", text);
    return of_model_open(&model, path_of("model.yaml"), &err);
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = { "model.yaml", "bad.yaml", "orders.ndjson", "orders.ndjson.onefold-load",
                                         "csv/Order.csv", "mapping.yaml" };
    of_model_close(model);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
    rmdir(path_of("csv"));
    return rmdir(folder);
}

static of_db *new_table(void)
{
    of_db *db;
    of_answer *report;
    good(of_open(&db, &(of_options){ .dir = NULL }, &err));
    good(of_model_apply(model, db, NULL, &report, &err));
    says(report, "\"done\":true");
    return db;
}

static void test_a_model_file(void **state)
{
    (void)state;
    of_answer *a;
    of_model *none;
    good(of_model_check(path_of("model.yaml"), &a, &err));
    says(a, "{\"problems\":[]}");
    write_file("bad.yaml", "onefold: 1\ntable: shop\nentitys: {}\n");
    good(of_model_check(path_of("bad.yaml"), &a, &err));
    says(a, "did you mean \\\"entities\\\"?");
    assert_int_equal(of_model_open(&none, path_of("bad.yaml"), &err), OF_INVALID);
    assert_non_null(strstr(err.message, "bad.yaml:1:1: "));
    assert_int_not_equal(of_model_open(&none, path_of("none.yaml"), &err), OF_OK);
    good(of_model_outline(model, &a, &err));
    says(a, "\"patterns\":[{\"name\":\"orders\"");
    good(of_model_schema(&a, &err));
    says(a, "\"$schema\"");
}

static void test_values_from_text(void **state)
{
    (void)state;
    of_item *item = of_item_new();
    of_value v;
    int64_t n;
    good(of_entity_set(model, "Order", item, "total", -1, "12", -1, &err));
    assert_true(of_item_get(item, "total", -1, &v) && of_value_int(v, &n) && n == 12);
    good(of_entity_set_json(model, "Order", item, "c", -1, "\"c1\"", -1, &err));
    assert_true(of_item_get(item, "c", -1, &v) && of_value_type(v) == OF_STRING);
    assert_int_equal(of_entity_set(model, "Order", item, "total", -1, "much", -1, &err), OF_INVALID);
    assert_string_equal(err.message, "Order.total: must be a number, but is \"much\"");
    assert_int_equal(of_entity_set_json(model, "Order", item, "total", -1, "{", -1, &err), OF_INVALID);
    assert_non_null(strstr(err.message, "Order.total: this is not JSON"));
    assert_int_not_equal(of_entity_set(model, "Order", item, "totl", -1, "1", -1, &err), OF_OK);
    assert_int_not_equal(of_entity_set(model, "Ordr", item, "total", -1, "1", -1, &err), OF_OK);
    good(of_pattern_set(model, "orders", item, "from", -1, "o1", -1, &err));
    assert_int_not_equal(of_pattern_set(model, "orders", item, "to", -1, "o1", -1, &err), OF_OK);
    assert_int_not_equal(of_pattern_set(model, "order", item, "from", -1, "o1", -1, &err), OF_OK);
    of_item_free(item);
}

static void test_get_shows_its_request(void **state)
{
    (void)state;
    of_db *db = new_table();
    of_item *key = of_item_new(), *found;
    of_answer *requests;
    of_item_set_string(key, "c", -1, "c1", -1);
    of_item_set_string(key, "o", -1, "o1", -1);
    good(of_entity_put(model, db, "Order", key, NULL, NULL, &err));
    of_entity_options options = { .requests = &requests };
    good(of_entity_get(model, db, "Order", key, &options, &found, &err));
    assert_non_null(found);
    of_item_free(found);
    says(requests, "[{\"operation\":\"GetItem\",\"request\":{\"TableName\":\"shop\"");
    options.dry_run = true;
    good(of_entity_get(model, db, "Order", key, &options, &found, &err));
    assert_null(found);
    says(requests, "\"operation\":\"GetItem\"");
    of_item_free(key);
    of_close(db);
}

static void count(void *ctx, const char *what, uint64_t done, uint64_t of)
{
    (void)what;
    (void)done;
    (void)of;
    ++*(int *)ctx;
}

static void test_a_table_goes_out_and_in(void **state)
{
    (void)state;
    of_db *db = new_table(), *again = new_table();
    of_answer *a;
    int calls = 0;
    write_file("orders.ndjson", "{\"Order\":{\"c\":\"c1\",\"o\":\"o1\",\"total\":5}}\n{\"Order\":{\"c\":\"c1\",\"o\":\"o2\"}}\n");
    of_load_options load = { .dry_run = true, .progress = count, .ctx = &calls };
    good(of_model_load(model, db, path_of("orders.ndjson"), &load, &a, &err));
    says(a, "\"Order\":2");
    load.dry_run = false;
    good(of_model_load(model, db, path_of("orders.ndjson"), &load, &a, &err));
    says(a, "\"Order\":2");
    assert_true(calls > 0);
    good(of_model_browse(model, db, &(of_browse_options){ .partition = "C#c1" }, &a, &err));
    says(a, "\"SK\":\"ORDER#o2\"");
    good(of_model_browse(model, db, &(of_browse_options){ .limit = 1 }, &a, &err));
    says(a, "\"after\":\"");
    of_unfold_options out = { .format = "csv", .to = path_of("csv") };
    good(of_model_unfold(model, db, &out, &a, &err));
    says(a, "\"Order\":");
    assert_int_not_equal(of_model_unfold(model, db, &out, &a, &err), OF_OK); /* it is there already */
    of_fold_options in = { .dry_run = true };
    good(of_model_fold(model, again, path_of("csv"), &in, &a, &err));
    says(a, "\"rows\":2,\"written\":2");
    in = (of_fold_options){ .entity = "Order", .progress = count, .ctx = &calls };
    good(of_model_fold(model, again, path_of("csv"), &in, &a, &err));
    says(a, "\"rows\":2,\"written\":2");
    good(of_model_scan(model, again, "Order", NULL, &a, &err));
    says(a, "\"total\":5");
    of_close(again);
    of_close(db);
}

static void test_the_library(void **state)
{
    (void)state;
    of_answer *a;
    good(of_patterns(&a, &err));
    says(a, "\"name\":\"ecommerce\"");
    good(of_patterns_file("ecommerce", "onefold.yaml", &a, &err));
    says(a, "table: ecommerce");
    assert_int_equal(of_patterns_file("ecommerce", "none", &a, &err), OF_NOT_FOUND);
    assert_int_equal(of_patterns_file("none", "onefold.yaml", &a, &err), OF_NOT_FOUND);
}

static void test_which_endpoint_is_amazons(void **state)
{
    (void)state;
    static const struct {
        const char *endpoint;
        bool aws;
    } cases[] = { { "http://127.0.0.1:8000", false },
                  { "aws", true },
                  { "https://dynamodb.eu-west-1.amazonaws.com", true },
                  { "https://amazonaws.com.example.org", false } };
    setenv("AWS_ACCESS_KEY_ID", "local", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "local", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        of_db *db;
        if (of_connect(&db, &(of_remote_options){ .endpoint = cases[i].endpoint, .region = "eu-west-1" }, &err)) {
            if (strstr(err.message, "libcurl")) skip();
            fail_msg("%s: %s", cases[i].endpoint, err.message);
        }
        assert_int_equal(of_is_aws(db), cases[i].aws);
        of_close(db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_model_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_values_from_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_get_shows_its_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_table_goes_out_and_in, set_up, tear_down),
        cmocka_unit_test(test_the_library),
        cmocka_unit_test(test_which_endpoint_is_amazons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
