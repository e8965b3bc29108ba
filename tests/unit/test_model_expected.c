/* test_model_expected.c: entity writes under the expectation that nothing has changed since it was read: all types, copies
 * and unique values, items of an older shape, and a change between reading and writing. */
#include "model_fixture.h"

static const char model[] =
    "onefold: 1\n"
    "table: shop\n"
    "entities:\n"
    "  Thing:\n"
    "    key: { PK: 'THING#${id}', SK: THING }\n"
    "    schema: 2\n"
    "    open: true\n"
    "    unique: [code]\n"
    "    copies: [{ key: { PK: 'SHELF#${shelf}', SK: 'THING#${id}' } }]\n"
    "    attributes:\n"
    "      id: { required: true }\n"
    "      code: string\n"
    "      shelf: { required: true }\n"
    "      count: number\n"
    "      on: boolean\n"
    "      photo: binary\n"
    "      tags: string-set\n"
    "      sizes: number-set\n"
    "      parts: list\n"
    "      place: map\n"
    "      channel: { default: web }\n"
    "      secret: { hidden: true }\n"
    "  Doc:\n"
    "    key: { PK: 'DOC#${id}', SK: DOC }\n"
    "    lock: version\n"
    "    attributes: { id: { required: true }, text: string }\n";

static const char all[] = "{\"id\":\"t1\",\"code\":\"c1\",\"shelf\":\"s1\",\"count\":12.50,\"on\":true,\"photo\":\"AAE=\","
                          "\"tags\":[\"a\",\"b\"],\"sizes\":[1,2],\"parts\":[1,\"x\",{\"y\":null}],\"place\":{\"row\":3},"
                          "\"free\":[\"p\",\"q\"]}";

static struct world w;
static of_error err;
static const char *meanwhile; /* JSON that replaces t1 when it has been read */
static int (*service)(struct api *api, struct arena *a, struct slice operation, struct slice body, struct slice *answer,
                      struct err *e);

static of_item *json_item(const char *entity, const char *json)
{
    of_item *item;
    if (!json) return NULL;
    if (of_entity_from_json(w.model, entity, json, -1, &item, &err)) fail_msg("%s", err.message);
    return item;
}

static int put(const char *entity, const char *json, const char *expected)
{
    of_item *item = json_item(entity, json), *as_read = json_item(entity, expected);
    int code = of_entity_put(w.model, w.db, entity, item, &(of_entity_options){ .expected = as_read }, NULL, &err);
    of_item_free(item);
    of_item_free(as_read);
    return code;
}

static int update(const char *entity, const char *id, const char *set, const char *expected)
{
    of_item *key = item_of(id), *changes = json_item(entity, set), *as_read = json_item(entity, expected);
    of_entity_options o = { .expected = as_read };
    int code = of_entity_update(w.model, w.db, entity, key, changes, NULL, NULL, &o, NULL, &err);
    of_item_free(key);
    of_item_free(changes);
    of_item_free(as_read);
    return code;
}

static int erase(const char *entity, const char *id, const char *expected)
{
    of_item *key = item_of(id), *as_read = json_item(entity, expected);
    int code = of_entity_delete(w.model, w.db, entity, key, &(of_entity_options){ .expected = as_read }, NULL, &err);
    of_item_free(key);
    of_item_free(as_read);
    return code;
}

static const char *thing(void)
{
    static char text[4096];
    of_item *key = item_of("id=t1"), *item;
    of_answer *json;
    assert_int_equal(of_entity_get(w.model, w.db, "Thing", key, NULL, &item, &err), 0);
    of_item_free(key);
    if (!item) return "";
    assert_int_equal(of_entity_to_json(w.model, "Thing", item, &json, &err), 0);
    snprintf(text, sizeof text, "%s", of_answer_body(json, NULL));
    of_answer_free(json);
    of_item_free(item);
    return text;
}

static void good(int code)
{
    if (code) fail_msg("%s: %s", err.type, err.message);
}

static void refused(int code, const char *message)
{
    if (!code) fail_msg("it was written, but \"%s\" was expected", message);
    assert_string_equal(err.message, message);
    assert_int_equal(code, OF_CONDITION_FAILED);
    assert_string_equal(err.type, "ConditionalCheckFailedException");
}

static int call(struct api *api, struct arena *a, struct slice operation, struct slice body, struct slice *answer,
                struct err *e)
{
    int code = service(api, a, operation, body, answer, e);
    const char *json = meanwhile;
    if (!json || !slice_eq(operation, SLICE("GetItem"))) return code;
    meanwhile = NULL;
    good(put("Thing", json, NULL));
    return code;
}

static int set_up(void **state)
{
    (void)state;
    world_open(&w, model);
    service = w.db->embedded.call;
    w.db->embedded.call = call;
    meanwhile = NULL;
    good(put("Thing", all, NULL));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_check(&w);
    world_close(&w);
    return 0;
}

static void test_what_is_as_it_was_read_is_written(void **state)
{
    (void)state;
    char read[4096];
    snprintf(read, sizeof read, "%s", thing());
    good(update("Thing", "id=t1", "{\"count\":13,\"shelf\":\"s2\",\"code\":\"c2\"}", read));
    assert_non_null(strstr(thing(), "\"count\":13"));
    snprintf(read, sizeof read, "%s", thing());
    good(put("Thing", "{\"id\":\"t1\",\"shelf\":\"s3\"}", read));
    good(erase("Thing", "id=t1", thing()));
    assert_string_equal(thing(), "");
}

static void test_every_type_is_compared(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "{\"count\":12.6}", "count is 12.5, not 12.6" },
        { "{\"on\":false}", "on is true, not false" },
        { "{\"photo\":\"AAI=\"}", "photo is \"AAE=\", not \"AAI=\"" },
        { "{\"tags\":[\"a\"]}", "tags is [\"a\",\"b\"], not [\"a\"]" },
        { "{\"sizes\":[1]}", "sizes is [2,1], not [1]" }, /* a set has no order of its own */
        { "{\"parts\":[1,\"x\",{\"y\":0}]}", "parts is [1,\"x\",{\"y\":null}], not [1,\"x\",{\"y\":0}]" },
        { "{\"place\":{\"row\":4}}", "place is {\"row\":3}, not {\"row\":4}" },
        { "{\"free\":[\"q\"]}", "free is [\"p\",\"q\"], not [\"q\"]" },
        { "{\"free\":null}", "free is [\"p\",\"q\"], and was not there" },
        { "{\"more\":1,\"secret\":\"s\"}", "more is not there any more; secret is not there any more" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[256];
        snprintf(message, sizeof message, "Thing id=t1 was changed since it was read: %s", cases[i][1]);
        refused(update("Thing", "id=t1", "{\"count\":1}", cases[i][0]), message);
        refused(erase("Thing", "id=t1", cases[i][0]), message);
        refused(put("Thing", "{\"id\":\"t1\",\"shelf\":\"s9\"}", cases[i][0]), message);
    }
    good(update("Thing", "id=t1", "{\"count\":1}", "{\"more\":null,\"count\":12.5,\"secret\":null,\"sizes\":[2,1]}"));
    refused(update("Thing", "id=t1", "{\"count\":1}", "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1}"),
            "Thing id=t1 was changed since it was read: a is not there any more; b is not there any more; c is not there any "
            "more; d is not there any more; and 2 more");
}

static void test_what_was_deleted_is_not_written_again(void **state)
{
    (void)state;
    good(erase("Thing", "id=t1", NULL));
    refused(update("Thing", "id=t1", "{\"count\":1}", "{\"count\":12.5}"), "Thing id=t1 was deleted since it was read");
    refused(erase("Thing", "id=t1", "{\"count\":12.5}"), "Thing id=t1 was deleted since it was read");
    refused(put("Thing", all, "{\"count\":12.5}"), "Thing id=t1 was deleted since it was read");
    assert_string_equal(thing(), "");
}

static void test_a_change_between_reading_and_writing(void **state)
{
    (void)state;
    static const char other[] = "{\"id\":\"t1\",\"shelf\":\"s1\",\"code\":\"c1\",\"count\":12.5,\"free\":[\"new\"]}";
    meanwhile = other;
    refused(update("Thing", "id=t1", "{\"count\":1}", "{\"free\":[\"p\",\"q\"]}"),
            "Thing id=t1 was changed since it was read: free is [\"new\"], not [\"p\",\"q\"]");
    meanwhile = all;
    good(update("Thing", "id=t1", "{\"count\":1}", "{\"shelf\":\"s1\"}")); /* what changed was not expected to stay */
    assert_non_null(strstr(thing(), "\"count\":1,"));
}

/* What is read has the default, what is stored has not: the guard must be on what is stored. */
static void test_an_item_of_an_older_shape(void **state)
{
    (void)state;
    of_item *old = item_of("PK=THING#t2 SK=THING entity_type=Thing id=t2 shelf=s1");
    assert_int_equal(of_put(w.db, "shop", old, NULL, NULL, &err), 0);
    of_item_free(old);
    refused(update("Thing", "id=t2", "{\"count\":1}", "{\"channel\":null}"),
            "Thing id=t2 was changed since it was read: channel is \"web\", and was not there");
    good(update("Thing", "id=t2", "{\"count\":1}", "{\"channel\":\"web\"}"));
}

static void test_with_a_lock(void **state)
{
    (void)state;
    good(put("Doc", "{\"id\":\"d1\",\"text\":\"x\"}", NULL));
    good(update("Doc", "id=d1", "{\"text\":\"y\"}", "{\"text\":\"x\",\"version\":1}"));
    refused(update("Doc", "id=d1", "{\"text\":\"z\"}", "{\"text\":\"x\",\"version\":1}"),
            "Doc id=d1 was changed since it was read: text is \"y\", not \"x\"; version is 2, not 1");
}

static void test_where_it_means_nothing(void **state)
{
    (void)state;
    of_item *item = item_of("id=t1 shelf=s1");
    of_entity_options o = { .expected = item, .if_absent = true };
    assert_int_equal(of_entity_put(w.model, w.db, "Thing", item, &o, NULL, &err), OF_INVALID);
    assert_non_null(strstr(err.message, "together with if-absent"));
    o.if_absent = false;
    assert_int_equal(of_entities_transact(w.model, w.db, "[]", -1, NULL, &o, &err), OF_INVALID);
    assert_non_null(strstr(err.message, "stand in its steps"));
    of_item_free(item);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_as_it_was_read_is_written),
        TEST(test_every_type_is_compared),
        TEST(test_what_was_deleted_is_not_written_again),
        TEST(test_a_change_between_reading_and_writing),
        TEST(test_an_item_of_an_older_shape),
        TEST(test_with_a_lock),
        TEST(test_where_it_means_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
