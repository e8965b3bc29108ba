/* test_model_advise.c: whose key a busy partition's is by the model, and the shards line that would spread it. */
#include "report_fixture.h"

static const char text[] =
    "onefold: 1\n"
    "table: shop\n"
    "keys: { hash: PK, sort: SK }\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "  byMail: { hash: mail }\n"
    "  LSI1: { local: true, sort: LSI1SK }\n"
    "entities:\n"
    "  Customer: { key: { PK: \"C#${c}\", SK: \"#\" }, index: { byMail: {} }, attributes: { c: { required: true }, mail: {} } }\n"
    "  Order:\n"
    "    key: { PK: \"O#${o}\", SK: \"#\" }\n"
    "    index: { GSI1: { GSI1PK: \"STATUS#${s}\", GSI1SK: \"${o}\" } }\n"
    "    copies:\n"
    "      - { key: { PK: \"C#${c}\", SK: \"O#${o}\" } }\n"
    "    attributes: { c: { required: true }, o: { required: true }, s: { enum: [a, b] } }\n"
    "  Event:\n"
    "    key: { PK: \"E#${day}\", SK: \"${e}\" }\n"
    "    shards: { of: PK, by: e, count: 4 }\n"
    "    attributes: { day: { required: true }, e: { required: true } }\n";

static const char *advise(const char *index, const char *key)
{
    read_model(text);
    struct reporter r = reporter();
    return report_advise(&r, slice_str(index), slice_str(key)) ? NULL : report_text(0);
}

static void holds(const char *answer, const char *part)
{
    assert_non_null(answer);
    assert_holds(answer, part);
}

static void test_an_index(void **state)
{
    (void)state;
    const char *a = advise("GSI1", "{\"GSI1PK\":{\"S\":\"STATUS#a\"}}");
    holds(a, "\"Entity\":\"Order\",\"At\":\"GSI1\",\"Template\":\"STATUS#${s}\"");
    holds(a, "index: { GSI1: { ..., shards: { of: GSI1PK, by: o, count: 10 } } }");
    holds(a, "\"Edits\":[{\"Op\":\"set\",\"Path\":[\"entities\",\"Order\",\"index\",\"GSI1\",\"shards\"],"
             "\"Value\":{\"of\":\"GSI1PK\",\"by\":\"o\",\"count\":10}}]");
}

/* A partition of several entities: the one with many items in it is the one to spread. */
static void test_a_copy_in_a_shared_partition(void **state)
{
    (void)state;
    const char *a = advise("", "{\"PK\":{\"S\":\"C#7\"}}");
    holds(a, "\"Entity\":\"Order\",\"At\":null,\"Copy\":");
    holds(a, "\"Path\":[\"entities\",\"Order\",\"copies\",0,\"shards\"]");
    holds(advise("LSI1", "{\"PK\":{\"S\":\"C#7\"}}"), "\"Entity\":\"Order\",\"At\":null");
}

static void test_what_shards_do_not_help(void **state)
{
    (void)state;
    const char *one = advise("", "{\"PK\":{\"S\":\"O#7\"}}");
    holds(one, "\"Entity\":\"Order\"");
    holds(one, "shards do not help");
    holds(one, "\"Edits\":[]");
    const char *natural = advise("byMail", "{\"mail\":{\"S\":\"x\"}}");
    holds(natural, "\"Entity\":\"Customer\"");
    holds(natural, "cannot be spread");
    holds(natural, "\"Edits\":[]");
}

static void test_a_shard(void **state)
{
    (void)state;
    const char *a = advise("", "{\"PK\":{\"S\":\"E#monday#3\"}}");
    holds(a, "\"Entity\":\"Event\"");
    holds(a, "is spread by e already");
    holds(a, "\"Edits\":[]");
    holds(advise("", "{\"PK\":{\"S\":\"E#monday\"}}"), "\"Entity\":null"); /* such a key nobody writes */
}

static void test_no_such_key(void **state)
{
    (void)state;
    holds(advise("", "{\"PK\":{\"S\":\"elsewhere\"}}"), "\"Entity\":null");
    holds(advise("none", "{\"PK\":{\"S\":\"C#7\"}}"), "\"Entity\":null");
    holds(advise("", "{\"PK\":{\"N\":\"7\"}}"), "\"Entity\":null");
    assert_null(advise("", "{\"PK\":\"C#7\"}"));
    assert_null(advise("", "no JSON"));
    assert_int_equal(error.code, ERR_ValidationException);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_index, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_copy_in_a_shared_partition, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_shards_do_not_help, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_shard, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_such_key, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
