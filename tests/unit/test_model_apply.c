/* test_model_apply.c: apply on an embedded database: what it creates, adds, keeps, drops and refuses, and the shard counts
 * it remembers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "lib/lib_model.h"
#include "model/report.h"

#define ENTITY(key, rest) \
    "entities:\n  Order:\n    key: { PK: \"CUSTOMER#${customerId}\", SK: \"" key "\" }\n" rest \
    "    attributes:\n      customerId: { type: string, required: true }\n      orderId: { type: string, required: true }\n" \
    "      status: { enum: [open, done] }\n"
#define HEAD     "onefold: 1\ntable: shop\n"
#define GSI1     "indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\n"
#define IN_GSI1(shards) "    index: { GSI1: { GSI1PK: \"STATUS#${status}\", GSI1SK: \"${orderId}\"" shards " } }\n"
#define SHARDS(n) ", shards: { of: GSI1PK, by: orderId, count: " n " }"

static const char bare[] = HEAD ENTITY("ORDER#${orderId}", "");
static const char indexed[] = HEAD GSI1 ENTITY("ORDER#${orderId}", IN_GSI1(""));
static const char ten_shards[] = HEAD GSI1 ENTITY("ORDER#${orderId}", IN_GSI1(SHARDS("10")));
static const char five_shards[] = HEAD GSI1 ENTITY("ORDER#${orderId}", IN_GSI1(SHARDS("5")));

static of_db *db;
static of_error err;
static char text[65536]; /* of the last report */

static int set_up(void **state)
{
    (void)state;
    return of_open(&db, NULL, &err);
}

static int tear_down(void **state)
{
    (void)state;
    of_close(db);
    return 0;
}

static void keep(of_answer *answer)
{
    size_t n;
    const char *body = of_answer_body(answer, &n);
    assert_true(n < sizeof text);
    memcpy(text, body, n + 1);
    of_answer_free(answer);
}

static int apply_with(const char *model, const of_apply_options *o)
{
    of_model *m;
    of_answer *answer;
    text[0] = 0;
    if (of_model_parse(&m, model, -1, "model.yaml", &err)) fail_msg("%s", err.message);
    int rc = of_model_apply(m, db, o, &answer, &err);
    if (!rc) keep(answer);
    of_model_close(m);
    return rc;
}

static void apply(const char *model)
{
    if (apply_with(model, NULL)) fail_msg("%s", err.message);
}

static void call(const char *operation, const char *body)
{
    of_answer *answer;
    if (of_call(db, operation, -1, body, -1, &answer, &err)) fail_msg("%s", err.message);
    keep(answer);
}

static void assert_holds(const char *part)
{
    if (!strstr(text, part)) fail_msg("no %s in %s", part, text);
}

static void assert_lacks(const char *part)
{
    if (strstr(text, part)) fail_msg("%s in %s", part, text);
}

static void assert_refused(const char *model, const char *part)
{
    assert_int_equal(apply_with(model, NULL), OF_INVALID);
    if (!strstr(err.message, part)) fail_msg("no \"%s\" in \"%s\"", part, err.message);
}

static void put_order(const char *model, const char *id)
{
    of_model *m;
    of_item *item = of_item_new();
    if (of_model_parse(&m, model, -1, "model.yaml", &err)) fail_msg("%s", err.message);
    of_item_set_string(item, "customerId", -1, "c1", -1);
    of_item_set_string(item, "orderId", -1, id, -1);
    of_item_set_string(item, "status", -1, "open", -1);
    if (of_entity_put(m, db, "Order", item, NULL, NULL, &err)) fail_msg("%s", err.message);
    of_item_free(item);
    of_model_close(m);
}

static void test_creates_the_table_once(void **state)
{
    (void)state;
    apply(indexed);
    assert_holds("\"action\":\"create-table\"");
    assert_holds("\"what\":\"create table shop with index GSI1\"");
    assert_holds("\"status\":\"done\"");
    apply(indexed);
    assert_holds("\"plan\":[]");
    assert_holds("\"done\":true");
    call("DescribeTable", "{\"TableName\":\"shop\"}");
    assert_holds("\"IndexName\":\"GSI1\"");
    assert_holds("PAY_PER_REQUEST");
}

static void test_a_dry_run_shows_the_request_and_sends_nothing(void **state)
{
    (void)state;
    assert_int_equal(apply_with(indexed, &(of_apply_options){ .dry_run = true }), OF_OK);
    assert_holds("\"status\":\"planned\"");
    assert_holds("\"operation\":\"CreateTable\",\"request\":{\"TableName\":\"shop\"");
    assert_holds("\"done\":false");
    call("ListTables", "{}");
    assert_lacks("shop");
}

static void count_lines(void *ctx, const char *line)
{
    ++*(int *)ctx;
    assert_true(line[0] != 0);
}

static void test_adds_an_index_and_waits_until_it_is_filled(void **state)
{
    (void)state;
    int lines = 0;
    apply(bare);
    call("PutItem", "{\"TableName\":\"shop\",\"Item\":{\"PK\":{\"S\":\"a\"},\"SK\":{\"S\":\"b\"},\"GSI1PK\":{\"S\":\"x\"},"
                    "\"GSI1SK\":{\"S\":\"y\"}}}");
    of_apply_options o = { .progress = count_lines, .ctx = &lines };
    assert_int_equal(apply_with(indexed, &o), OF_OK);
    assert_holds("\"action\":\"create-index\"");
    assert_holds("comes into it when it is written again"); /* its keys are computed */
    assert_true(lines > 0);
    call("Query", "{\"TableName\":\"shop\",\"IndexName\":\"GSI1\",\"KeyConditionExpression\":\"GSI1PK = :p\","
                  "\"ExpressionAttributeValues\":{\":p\":{\"S\":\"x\"}}}");
    assert_holds("\"Count\":1");
}

static void test_an_index_that_the_model_lacks_goes_only_when_told(void **state)
{
    (void)state;
    apply(indexed);
    apply(bare);
    assert_holds("\"action\":\"keep-index\"");
    assert_holds("\"status\":\"skipped\"");
    call("DescribeTable", "{\"TableName\":\"shop\"}");
    assert_holds("GSI1");
    assert_int_equal(apply_with(bare, &(of_apply_options){ .delete_indexes = true }), OF_OK);
    assert_holds("\"action\":\"delete-index\"");
    call("DescribeTable", "{\"TableName\":\"shop\"}");
    assert_lacks("GSI1");
}

static void test_what_cannot_be_changed_is_refused_with_a_way_out(void **state)
{
    (void)state;
    apply(indexed);
    assert_refused(HEAD "keys: { hash: PK }\nentities:\n  A: { key: { PK: \"A#${a}\" }, attributes: { a: { required: true } } }\n",
                   "a table's key cannot be changed: give the model another table name");
    assert_refused(HEAD "indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK, project: keys } }\n"
                        ENTITY("ORDER#${orderId}", IN_GSI1("")),
                   "projects ALL in the table and KEYS_ONLY in the model");
    assert_refused(HEAD "indexes: { GSI1: { hash: GSI1PK } }\n"
                        ENTITY("ORDER#${orderId}", "    index: { GSI1: { GSI1PK: \"S#${status}\" } }\n"),
                   "give the model's another name");
    assert_refused(HEAD "indexes: { LSI1: { local: true, sort: LSI1SK } }\n"
                        ENTITY("ORDER#${orderId}", "    index: { LSI1: { LSI1SK: \"S#${status}\" } }\n"),
                   "can only be made with the table");
    /* and nothing was changed on the way */
    call("DescribeTable", "{\"TableName\":\"shop\"}");
    assert_holds("GSI1");
}

/* ---- time to live ---- */

struct fake {
    struct api api;
    struct api *real;
    const char *description; /* DescribeTimeToLive's answer; empty: it has no such operation */
    int updates;
};

static int fake_call(struct api *api, struct arena *a, struct slice operation, struct slice body, struct slice *answer,
                     struct err *e)
{
    struct fake *f = (struct fake *)(void *)api;
    if (slice_eq(operation, SLICE("DescribeTimeToLive"))) {
        if (!*f->description) return err_set(e, ERR_UnknownOperationException, "no such operation");
        *answer = slice_str(f->description);
        return 0;
    }
    if (slice_eq(operation, SLICE("UpdateTimeToLive"))) {
        f->updates++;
        *answer = SLICE("{}");
        return 0;
    }
    return f->real->call(f->real, a, operation, body, answer, e);
}

static int apply_ttl_on(struct fake *f, const char *description)
{
    static const char model[] = HEAD "ttl: expires\nentities:\n  A: { key: { PK: \"A#${a}\", SK: X }, attributes: { a: { "
                                     "required: true }, expires: { type: number, format: epoch } } }\n";
    struct arena a;
    struct buf out;
    arena_init(&a, (size_t)64 << 20);
    buf_init(&out, &a, (size_t)1 << 20);
    struct problems ps;
    problems_init(&ps, &a);
    struct model *m = model_read(&ps, SLICE("model.yaml"), slice_str(model));
    assert_non_null(m);
    struct err e = { .arena = &a };
    struct reporter r = { m, &model_env_system, &a, &out, &e };
    *f = (struct fake){ .api = { .call = fake_call }, .real = lib_api(db), .description = description };
    int rc = report_apply(&r, description ? &f->api : f->real, &(struct apply_options){ .dry_run = false });
    snprintf(text, sizeof text, "%.*s", SLICE_ARG(rc ? e.message : buf_view(&out)));
    model_free(m);
    arena_free(&a);
    return rc;
}

static void test_ttl_is_switched_on_once(void **state)
{
    (void)state;
    struct fake f;
    assert_int_equal(apply_ttl_on(&f, NULL), 0);
    assert_holds("\"action\":\"enable-ttl\",\"what\":\"let items expire by expires\",\"status\":\"done\"");
    call("DescribeTimeToLive", "{\"TableName\":\"shop\"}");
    assert_holds("{\"TimeToLiveStatus\":\"ENABLED\",\"AttributeName\":\"expires\"}");
    assert_int_equal(apply_ttl_on(&f, NULL), 0);
    assert_holds("\"plan\":[]");
    call("UpdateTimeToLive", "{\"TableName\":\"shop\",\"TimeToLiveSpecification\":{\"Enabled\":false,"
                             "\"AttributeName\":\"expires\"}}");
    call("UpdateTimeToLive", "{\"TableName\":\"shop\",\"TimeToLiveSpecification\":{\"Enabled\":true,"
                             "\"AttributeName\":\"other\"}}");
    assert_int_not_equal(apply_ttl_on(&f, NULL), 0);
    assert_holds("items expire by other in the table and by expires in the model; switch it off first");
}

static void test_ttl_by_what_the_endpoint_says_of_it(void **state)
{
    (void)state;
    struct fake f;
    assert_int_equal(apply_ttl_on(&f, ""), 0);
    assert_holds("ttl: this endpoint cannot; skipped");
    assert_int_equal(apply_ttl_on(&f, "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"DISABLED\"}}"), 0);
    assert_int_equal(f.updates, 1);
    assert_holds("\"operation\":\"UpdateTimeToLive\"");
    assert_int_equal(apply_ttl_on(&f, "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLING\",\"AttributeName\":"
                                      "\"expires\"}}"), 0);
    assert_int_equal(f.updates, 0);
    assert_int_not_equal(apply_ttl_on(&f, "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLED\","
                                          "\"AttributeName\":\"other\"}}"), 0);
    assert_holds("switch it off first");
}

/* ---- shards ---- */

static void test_another_shard_count_is_refused_while_there_are_items(void **state)
{
    (void)state;
    apply(ten_shards);
    assert_holds("\"action\":\"remember-shards\"");
    apply(ten_shards);
    assert_holds("\"plan\":[]");
    put_order(ten_shards, "o1");
    assert_refused(five_shards, "\"hash orderId 10\" in the table and by \"hash orderId 5\" in the model");
    assert_refused(indexed, "\"hash orderId 10\" in the table and by \"none\" in the model");
    apply(ten_shards);
    assert_holds("\"plan\":[]");
}

static void test_an_empty_table_takes_another_shard_count(void **state)
{
    (void)state;
    apply(ten_shards);
    apply(five_shards);
    assert_holds("\"action\":\"remember-shards\"");
    put_order(five_shards, "o1");
    assert_refused(ten_shards, "hash orderId 5");
}

static void test_items_without_shards_refuse_a_model_with_them(void **state)
{
    (void)state;
    apply(indexed);
    put_order(indexed, "o1");
    assert_refused(ten_shards, "the table has items that are not");
}

static void test_items_that_are_spread_as_the_model_says_are_taken_over(void **state)
{
    (void)state;
    apply(indexed); /* no marker */
    put_order(ten_shards, "o1");
    apply(ten_shards);
    assert_holds("\"action\":\"remember-shards\"");
}

static void test_the_marker_is_told_as_a_sentinel(void **state)
{
    (void)state;
    struct arena a;
    of_model *m;
    apply(ten_shards);
    call("Scan", "{\"TableName\":\"shop\"}");
    assert_holds("ONEFOLD#MODEL");
    assert_int_equal(of_model_parse(&m, ten_shards, -1, "m", &err), OF_OK);
    arena_init(&a, (size_t)64 << 20);
    struct err e = { .arena = &a };
    struct slice item;
    const struct json *answer = json_parse(&a, slice_str(text), 32, NULL);
    assert_int_equal(item_from_json(&a, JSON_GET(answer, "Items")->first, &item, &e), 0);
    struct identity id = item_identify(&a, m->model, item);
    assert_true(id.sentinel);
    assert_null(id.entity);
    arena_free(&a);
    of_model_close(m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_creates_the_table_once),
        TEST(test_a_dry_run_shows_the_request_and_sends_nothing),
        TEST(test_adds_an_index_and_waits_until_it_is_filled),
        TEST(test_an_index_that_the_model_lacks_goes_only_when_told),
        TEST(test_what_cannot_be_changed_is_refused_with_a_way_out),
        TEST(test_ttl_is_switched_on_once),
        TEST(test_ttl_by_what_the_endpoint_says_of_it),
        TEST(test_another_shard_count_is_refused_while_there_are_items),
        TEST(test_an_empty_table_takes_another_shard_count),
        TEST(test_items_without_shards_refuse_a_model_with_them),
        TEST(test_items_that_are_spread_as_the_model_says_are_taken_over),
        TEST(test_the_marker_is_told_as_a_sentinel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
