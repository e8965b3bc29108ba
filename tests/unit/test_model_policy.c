/* test_model_policy.c: the policy that keeps a tenant to its own partitions: which keys become which leading keys, which cannot, and what
 * the policy says around them. tests/patterns/test_isolation.py lets a server judge by one. */
#include "report_fixture.h"

#define TAG "${aws:PrincipalTag/tenant}"

#define FOR_ALL "its key is the same for all tenants"
#define NOT_FIRST "its key does not begin with the tenant"
#define RUNS_ON "no delimiter follows the tenant in its key: one tenant's keys could begin like another's"
#define ANOTHERS "with a tenant of the right name it is the key of something else"

#define ATTRIBUTES \
    "attributes: { tenantId: { type: string, required: true }, n: { type: number, required: true }, " \
    "x: { type: string, required: true }, y: { type: string, required: true } }"

/* The report of a model with an entity E and, unless NULL, an entity O whose keys are these. */
static const struct json *report_of(const char *key, const char *other, const char *tenant)
{
    char text[2000], second[600] = "";
    if (other) snprintf(second, sizeof second, "  O:\n    key: { PK: \"%s\", SK: \"O#${y}\" }\n    " ATTRIBUTES "\n", other);
    snprintf(text, sizeof text,
             "onefold: 1\ntable: app\nentities:\n  E:\n    key: { PK: \"%s\", SK: \"E#${y}\" }\n    " ATTRIBUTES "\n%s", key, second);
    read_model(text);
    struct reporter r = reporter();
    struct slice only = SLICE("E");
    return report_json(report_policy(&r, &(struct policy_options){ .tenant = slice_str(tenant), .entities = &only, .n_entities = 1 }));
}

static const struct json *row(const struct json *report, size_t number)
{
    const struct json *k = JSON_GET(report, "keys")->first;
    while (k && number--) k = k->next;
    assert_non_null(k);
    return k;
}

static void assert_text(const struct json *object, const char *name, const char *wanted)
{
    const struct json *found = json_get(object, slice_str(name));
    if (!found || !slice_eq(found->text, slice_str(wanted)))
        fail_msg("%s is \"%.*s\", not \"%s\"", name, found ? (int)found->text.n : 0, found ? (const char *)found->text.p : "", wanted);
}

static void test_leading_keys(void **state)
{
    (void)state;
    static const struct {
        const char *key, *other, *leading;
    } rows[] = {
        { "T#${tenantId}", NULL, "T#" TAG },
        { "T#${tenantId}#USERS", NULL, "T#" TAG "#USERS" },
        { "T#${tenantId}#P#${x}", NULL, "T#" TAG "#P#*" },
        { "T#${tenantId}#${x}#${y}", NULL, "T#" TAG "#*#*" },
        { "${tenantId}", NULL, TAG },
        { "${tenantId}#${x}", NULL, TAG "#*" },
        /* What IAM would take for wildcards and variables. */
        { "a*?#${tenantId}#$${x}", NULL, "a${*}${?}#" TAG "#${$}{x}" },
        /* Beside keys of another kind. */
        { "T#${tenantId}#A", "T#${tenantId}#B#${x}", "T#" TAG "#A" },
        { "T#${tenantId}#A", "U#${x}", "T#" TAG "#A" },
        { "${tenantId}", "ORDER#${x}", TAG },
        { "${tenantId}#A", "ORDER#A#${x}", TAG "#A" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct json *report = report_of(rows[i].key, rows[i].other, "tenantId");
        assert_text(row(report, 0), "leadingKey", rows[i].leading);
        assert_int_equal(JSON_GET(report, "complete")->type, JSON_TRUE);
    }
    assert_text(row(report_of("T#${n:04}#A", NULL, "n"), 0), "leadingKey", "T#" TAG "#A"); /* the tag as it stands in keys: 0007 */
}

/* A report needs a key that does keep apart, so these have one: O, beside E. */
static void test_keys_that_do_not_keep_apart(void **state)
{
    (void)state;
    static const struct {
        const char *key, *other, *why;
    } rows[] = {
        { "ALL", "T#${tenantId}", FOR_ALL },
        { "T#${x}#${tenantId}", "V#${tenantId}", NOT_FIRST },
        { "T#${tenantId}-${x}", "V#${tenantId}", RUNS_ON },
        { "T#${tenantId}x#A", "V#${tenantId}", RUNS_ON },
        { "${tenantId}#${x}", "ORDER#${x}", ANOTHERS },
        { "${tenantId}#A", "ORDER#${x}", ANOTHERS },
        { "T#${tenantId}", "T#${x}", ANOTHERS },
        { "T#${tenantId}#${x}", "T#${x}#A", ANOTHERS },
        { "T#${tenantId}#A", "T#${tenantId}me#A", ANOTHERS }, /* acme's could be one of "ac" */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "onefold: 1\ntable: app\nentities:\n  Z:\n    key: { PK: \"Z#Z#${tenantId}\", SK: \"Z\" }\n    " ATTRIBUTES
                 "\n  E:\n    key: { PK: \"%s\", SK: \"E#${y}\" }\n    " ATTRIBUTES "\n  O:\n    key: { PK: \"%s\", SK: \"O#${y}\" }\n    "
                 ATTRIBUTES "\n", rows[i].key, rows[i].other);
        read_model(text);
        struct reporter r = reporter();
        const struct json *report = report_json(report_policy(&r, &(struct policy_options){ .tenant = SLICE("tenantId") }));
        assert_text(row(report, 1), "entity", "E");
        assert_text(row(report, 1), "why", rows[i].why);
        assert_null(JSON_GET(row(report, 1), "leadingKey"));
        assert_int_equal(JSON_GET(report, "complete")->type, JSON_FALSE);
    }
}

static const char wide[] =
    "onefold: 1\n"
    "table: app\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "  GSI2: { hash: [tenantId, x], sort: y }\n"
    "  by-time: { local: true, sort: LSK }\n"
    "entities:\n"
    "  Order:\n"
    "    key: { PK: \"T#${tenantId}\", SK: \"ORDER#${x}\" }\n"
    "    index:\n"
    "      GSI1: { GSI1PK: \"T#${tenantId}#OPEN\", GSI1SK: \"${y}\", shards: { of: GSI1PK, by: x, count: 4 } }\n"
    "      GSI2: { tenantId: \"${tenantId}\", x: \"${x}\", y: \"${y}\" }\n"
    "      by-time: { LSK: \"${y}\" }\n"
    "    unique: [x, [tenantId, y]]\n"
    "    copies:\n"
    "      - { key: { PK: \"C#${tenantId}#${x}\", SK: ORDER }, index: { by-time: { LSK: \"${y}\" } } }\n"
    "      - { key: { PK: \"X#${x}\", SK: \"ORDER#${tenantId}\" } }\n"
    "    " ATTRIBUTES "\n";

static void test_every_place_has_its_statement(void **state)
{
    (void)state;
    static const struct {
        const char *what, *index, *leading; /* leading NULL: left out */
    } rows[] = {
        { "key", NULL, "T#" TAG },
        { "copy", NULL, "C#" TAG "#*" },
        { "copy", NULL, NULL },
        { "unique", NULL, NULL },
        { "unique", NULL, "UNIQUE#Order#tenantId+y#" TAG "#*" },
        { "index entry", "GSI1", "T#" TAG "#OPEN#*" },
        { "index entry", "GSI2", TAG },
        { "index entry", "GSI2", TAG }, /* of the copies, which have these attributes too */
        { "index entry", "GSI2", TAG },
        { "index entry", "by-time", "T#" TAG },
        { "index entry", "by-time", "C#" TAG "#*" },
    };
    read_model(wide);
    struct reporter r = reporter();
    const struct json *report = report_json(report_policy(&r, &(struct policy_options){ .tenant = SLICE("tenantId") }));
    assert_int_equal(JSON_GET(report, "keys")->count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct json *k = row(report, i);
        assert_text(k, "what", rows[i].what);
        if (rows[i].index) assert_text(k, "index", rows[i].index);
        if (rows[i].leading) assert_text(k, "leadingKey", rows[i].leading);
        else assert_text(k, "why", NOT_FIRST);
    }
    static const char *const resources[] = { "app", "app/index/GSI1", "app/index/GSI2", "app/index/by-time" };
    static const char *const sids[] = { "Table", "GSI1", "GSI2", "bytime" };
    const struct json *s = JSON_GET(JSON_GET(report, "policy"), "Statement")->first;
    for (size_t i = 0; i < 4; i++, s = s->next) {
        char arn[100];
        snprintf(arn, sizeof arn, "arn:aws:dynamodb:*:*:table/%s", resources[i]);
        assert_text(s, "Resource", arn);
        assert_text(s, "Sid", sids[i]);
        assert_int_equal(JSON_GET(s, "Action")->count, i ? 2 : 12);
        const struct json *condition = JSON_GET(s, "Condition");
        assert_text(JSON_GET(condition, "Null"), "dynamodb:LeadingKeys", "false");
        assert_non_null(JSON_GET(JSON_GET(condition, "ForAllValues:StringLike"), "dynamodb:LeadingKeys"));
    }
    assert_null(s);
}

/* A tenant called "acme#OPEN" would have acme's partitions; one called UNIQUE, where keys begin with the tenant, the sentinels. */
static void test_the_tag_may_not_hold_a_delimiter(void **state)
{
    (void)state;
    read_model(wide);
    struct reporter r = reporter();
    struct policy_options options = { .tenant = SLICE("tenantId"), .tag = SLICE("org/id") };
    const struct json *report = report_json(report_policy(&r, &options));
    const struct json *s = JSON_GET(JSON_GET(report, "policy"), "Statement")->first;
    for (size_t i = 0; i < 4; i++, s = s->next) {
        const struct json *not = JSON_GET(JSON_GET(JSON_GET(s, "Condition"), "StringNotLike"), "aws:PrincipalTag/org/id");
        assert_int_equal(not->count, i == 2 ? 4 : 1); /* GSI2's keys begin with the tenant */
        assert_true(slice_eq(not->first->text, SLICE("*#*")));
    }
    assert_text(row(report, 0), "leadingKey", "T#${aws:PrincipalTag/org/id}");
}

static void test_reading_only(void **state)
{
    (void)state;
    read_model(wide);
    struct reporter r = reporter();
    const char *text = report_text(report_policy(&r, &(struct policy_options){ .tenant = SLICE("tenantId"), .read_only = true }));
    assert_holds(text, "dynamodb:GetItem");
    assert_holds(text, "dynamodb:PartiQLSelect");
    assert_lacks(text, "PutItem");
    assert_lacks(text, "dynamodb:BatchWriteItem");
    assert_lacks(text, "PartiQLInsert");
}

static void test_the_tenant_is_the_first_attribute_in_the_keys(void **state)
{
    (void)state;
    read_model(wide);
    struct reporter r = reporter();
    assert_text(report_json(report_policy(&r, &(struct policy_options){ 0 })), "tenant", "tenantId");
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct slice none = { (const uint8_t *)"None", 4 };
    static const struct {
        struct policy_options options;
        const char *sentence;
    } rows[] = {
        { { .entities = &none, .n_entities = 1 }, "there is no entity None" },
        { { .tenant = { (const uint8_t *)"n", 1 } }, "no key of these entities begins with n: there is nothing that a policy could keep" },
        { { .tag = { (const uint8_t *)"a}b", 3 } }, "the tag \"a}b\" must be letters, digits and + - = . _ : / @" },
        { { .tag = { (const uint8_t *)"a*", 2 } }, "the tag \"a*\" must be" },
    };
    read_model(wide);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reporter r = reporter();
        assert_int_equal(report_policy(&r, &rows[i].options), ERR_ValidationException);
        assert_holds((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(error.message)).p, rows[i].sentence);
    }
    read_model("onefold: 1\ntable: app\nentities:\n"
               "  E: { key: { PK: ALL, SK: \"${x}\" }, attributes: { x: { type: string, required: true } } }\n");
    struct reporter r = reporter();
    assert_int_equal(report_policy(&r, &(struct policy_options){ 0 }), ERR_ValidationException);
    assert_holds((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(error.message)).p, "no key of the model has an attribute in it");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_leading_keys),
        TEST(test_keys_that_do_not_keep_apart),
        TEST(test_every_place_has_its_statement),
        TEST(test_the_tag_may_not_hold_a_delimiter),
        TEST(test_reading_only),
        TEST(test_the_tenant_is_the_first_attribute_in_the_keys),
        TEST(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
