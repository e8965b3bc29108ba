/* test_model_identify.c: what items in the hand are, and the keys that attributes give, through onefold.h. */
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
    "indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\n"
    "entities:\n"
    "  User:\n"
    "    key: { PK: \"USER#${id}\", SK: \"USER\" }\n"
    "    unique: [email]\n"
    "    attributes: { id: { required: true }, email: string }\n"
    "  Order:\n"
    "    key: { PK: \"ORDER#${o}\", SK: \"ORDER\" }\n"
    "    index: { GSI1: { GSI1PK: \"STATUS#${status}\", GSI1SK: \"${o}\" } }\n"
    "    copies: [ { name: ofUser, key: { PK: \"USER#${user}\", SK: \"ORDER#${o}\" } } ]\n"
    "    attributes: { o: { required: true }, user: { required: true }, status: string, total: number }\n";

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

static void assert_identified(const char *items, const char *expected)
{
    of_answer *a;
    if (of_items_identify(model, items, -1, &a, &err)) fail_msg("%s", err.message);
    assert_string_equal(of_answer_body(a, NULL), expected);
    of_answer_free(a);
}

static void assert_keys(const char *attributes, const char *expected)
{
    of_answer *a;
    if (of_entity_keys(model, "Order", attributes, -1, &a, &err)) fail_msg("%s", err.message);
    assert_string_equal(of_answer_body(a, NULL), expected);
    of_answer_free(a);
}

static void test_an_entity_says_what_it_is_known_by(void **state)
{
    (void)state;
    assert_identified("[{\"PK\":{\"S\":\"ORDER#o1\"},\"SK\":{\"S\":\"ORDER\"},\"o\":{\"S\":\"o1\"},\"user\":{\"S\":\"u1\"},"
                      "\"entity_type\":{\"S\":\"Order\"}}]",
                      "[{\"entity\":\"Order\",\"kind\":\"entity\",\"original\":{\"PK\":{\"S\":\"ORDER#o1\"},\"SK\":{\"S\":\"ORDER\"}},"
                      "\"identity\":{\"o\":{\"S\":\"o1\"}},\"size\":42}]");
}

static void test_a_copy_tells_its_original(void **state)
{
    (void)state;
    assert_identified("[{\"PK\":{\"S\":\"USER#u1\"},\"SK\":{\"S\":\"ORDER#o1\"},\"o\":{\"S\":\"o1\"},\"user\":{\"S\":\"u1\"},"
                      "\"entity_type\":{\"S\":\"Order\"}}]",
                      "[{\"entity\":\"Order\",\"kind\":\"copy\",\"copy\":\"ofUser\",\"original\":{\"PK\":{\"S\":\"ORDER#o1\"},"
                      "\"SK\":{\"S\":\"ORDER\"}},\"identity\":{\"o\":{\"S\":\"o1\"}},\"size\":44}]");
}

static void test_a_copy_without_what_its_key_needs_tells_none(void **state)
{
    (void)state;
    assert_identified("[{\"PK\":{\"S\":\"USER#u1\"},\"SK\":{\"S\":\"ORDER#o1\"},\"entity_type\":{\"S\":\"Order\"}}]",
                      "[{\"entity\":\"Order\",\"kind\":\"copy\",\"copy\":\"ofUser\",\"original\":null,\"identity\":null,\"size\":35}]");
}

static void test_sentinels_and_strangers(void **state)
{
    (void)state;
    assert_identified("[{\"PK\":{\"S\":\"UNIQUE#User#email#a@b\"},\"SK\":{\"S\":\"UNIQUE\"},\"owner\":{\"M\":{\"PK\":{\"S\":\"USER#u1\"}}}},"
                      "{\"PK\":{\"S\":\"x\"},\"SK\":{\"S\":\"y\"}},"
                      "{\"PK\":{\"S\":\"ONEFOLD#MODEL\"},\"SK\":{\"S\":\"ONEFOLD#MODEL\"},\"shards\":{\"M\":{}}}]",
                      "[{\"entity\":null,\"kind\":\"unique\",\"original\":{\"PK\":{\"S\":\"USER#u1\"}},\"size\":49},"
                      "{\"entity\":null,\"kind\":\"other\",\"original\":null,\"size\":6},"
                      "{\"entity\":null,\"kind\":\"marker\",\"original\":null,\"size\":39}]");
    assert_identified("[{\"PK\":{\"S\":\"ONEFOLD#MODEL\"},\"SK\":{\"S\":\"ONEFOLD#MODEL\"},\"shards\":{\"M\":{}},\"owner\":{\"S\":\"x\"}}]",
                      "[{\"entity\":null,\"kind\":\"marker\",\"original\":null,\"size\":45}]");
    assert_identified("[]", "[]");
}

static void test_keys_are_computed_as_far_as_they_can_be(void **state)
{
    (void)state;
    assert_keys("{\"o\":{\"S\":\"o1\"},\"status\":{\"S\":\"a#b\"}}",
                "{\"keys\":[{\"index\":null,\"copy\":null,\"key\":{\"PK\":{\"S\":\"ORDER#o1\"},\"SK\":{\"S\":\"ORDER\"}},\"missing\":null,"
                "\"problem\":null},"
                "{\"index\":\"GSI1\",\"copy\":null,\"key\":null,\"missing\":null,\"problem\":\"Order: index GSI1, key GSI1PK cannot be made: "
                "status contains the delimiter; use a value without it, or `escape: percent` in the model\"},"
                "{\"index\":null,\"copy\":\"ofUser\",\"key\":null,\"missing\":\"user\",\"problem\":null}]}");
}

static void test_what_is_no_item_is_refused(void **state)
{
    (void)state;
    of_answer *a;
    assert_int_equal(of_items_identify(model, "{}", -1, &a, &err), OF_INVALID);
    assert_string_equal(err.message, "this is not a JSON array of items");
    assert_int_equal(of_items_identify(model, "[{\"PK\":\"plain\"}]", -1, &a, &err), OF_INVALID);
    assert_int_equal(of_entity_keys(model, "Order", "[]", -1, &a, &err), OF_INVALID);
    assert_int_equal(of_entity_keys(model, "Oder", "{}", -1, &a, &err), OF_INVALID);
    assert_non_null(strstr(err.message, "did you mean Order?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_entity_says_what_it_is_known_by),
        cmocka_unit_test(test_a_copy_tells_its_original),
        cmocka_unit_test(test_a_copy_without_what_its_key_needs_tells_none),
        cmocka_unit_test(test_sentinels_and_strangers),
        cmocka_unit_test(test_keys_are_computed_as_far_as_they_can_be),
        cmocka_unit_test(test_what_is_no_item_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
