/* test_model_table.c: the table of a model as CreateTable, CloudFormation and Terraform. */
#include "report_fixture.h"

static const char wide[] =
    "onefold: 1\n"
    "table: wide\n"
    "ttl: expires\n"
    "keys: { hash: id, sort: { name: seq, type: number } }\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK, project: [name, \"odd \\\"${x}\\\" name\"] }\n"
    "  GSI2: { hash: [tenant, region], sort: [day, total], project: keys }\n"
    "  LSI1: { local: true, sort: day }\n"
    "entities:\n"
    "  Order:\n"
    "    key: { id: \"${id}\", seq: \"${seq}\" }\n"
    "    index:\n"
    "      GSI1: { GSI1PK: \"A#${name}\", GSI1SK: \"${day}\" }\n"
    "      GSI2: { tenant: \"${tenant}\", region: \"${region}\", day: \"${day}\", total: \"${total}\" }\n"
    "      LSI1: { day: \"${day}\" }\n"
    "    attributes:\n"
    "      id: { type: string, required: true }\n"
    "      seq: { type: number, required: true }\n"
    "      name: string\n"
    "      tenant: string\n"
    "      region: string\n"
    "      day: { type: string, format: date }\n"
    "      total: string\n"
    "      \"odd \\\"${x}\\\" name\": string\n"
    "      expires: { type: number, format: epoch }\n";

static const char plain[] =
    "onefold: 1\n"
    "table: plain\n"
    "keys: { hash: PK }\n"
    "entities:\n"
    "  User: { key: { PK: \"USER#${id}\" }, attributes: { id: { type: string, required: true }, name: string } }\n";

static const char *table(const char *text, enum table_format f)
{
    read_model(text);
    struct reporter r = reporter();
    return report_text(report_table(&r, f));
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) n++;
    return n;
}

static void test_only_key_attributes_are_defined_each_once(void **state)
{
    (void)state;
    const char *text = table(wide, TABLE_CREATE);
    const struct json *n = json_parse(&arena, slice_str(text), 20, NULL);
    assert_non_null(n);
    /* id seq GSI1PK GSI1SK tenant region day total; not name, not expires */
    assert_int_equal(JSON_GET(n, "AttributeDefinitions")->count, 8);
    assert_int_equal(count(text, "\"AttributeType\": \"N\""), 1);
    assert_lacks(text, "\"AttributeName\": \"name\"");
}

static void test_create_table_has_local_and_global_indexes(void **state)
{
    (void)state;
    const struct json *n = json_parse(&arena, slice_str(table(wide, TABLE_CREATE)), 20, NULL);
    const struct json *local = JSON_GET(n, "LocalSecondaryIndexes"), *global = JSON_GET(n, "GlobalSecondaryIndexes");
    assert_int_equal(local->count, 1);
    assert_int_equal(global->count, 2);
    const struct json *schema = JSON_GET(local->first, "KeySchema");
    assert_true(slice_eq(JSON_GET(schema->first, "AttributeName")->text, SLICE("id")));
    assert_int_equal(JSON_GET(global->first->next, "KeySchema")->count, 4);
    const struct json *projection = JSON_GET(global->first, "Projection");
    assert_true(slice_eq(JSON_GET(projection, "ProjectionType")->text, SLICE("INCLUDE")));
    assert_int_equal(JSON_GET(projection, "NonKeyAttributes")->count, 2);
    assert_true(slice_eq(JSON_GET(n, "BillingMode")->text, SLICE("PAY_PER_REQUEST")));
}

static void test_a_table_without_indexes_names_none(void **state)
{
    (void)state;
    const char *text = table(plain, TABLE_CREATE);
    assert_lacks(text, "SecondaryIndexes");
    assert_lacks(text, "RANGE");
    text = table(plain, TABLE_TERRAFORM);
    assert_lacks(text, "range_key");
    assert_lacks(text, "ttl");
    assert_lacks(table(plain, TABLE_CLOUDFORMATION), "TimeToLive");
}

static void test_cloudformation_is_yaml_of_the_same_table(void **state)
{
    (void)state;
    struct problems ps;
    const char *text = table(wide, TABLE_CLOUDFORMATION);
    /* Our reader knows no tags, so it stops at !Ref; everything before must be sound. */
    const char *end = strstr(text, "Outputs:");
    assert_non_null(end);
    problems_init(&ps, &arena);
    const struct node *n = node_read(&ps, SLICE("t"), slice_of(text, (size_t)(end - text)));
    assert_non_null(n);
    const struct node *p = NODE_GET(NODE_GET(NODE_GET(n, "Resources"), "Table"), "Properties");
    assert_non_null(p);
    assert_int_equal(NODE_GET(p, "AttributeDefinitions")->count, 8);
    const struct node *global = NODE_GET(p, "GlobalSecondaryIndexes");
    assert_int_equal(global->count, 2);
    assert_int_equal(NODE_GET(global->first->next, "KeySchema")->count, 4);
    const struct node *include = NODE_GET(NODE_GET(global->first, "Projection"), "NonKeyAttributes");
    assert_true(slice_eq(include->first->next->text, SLICE("odd \"${x}\" name")));
    assert_true(slice_eq(NODE_GET(NODE_GET(p, "TimeToLiveSpecification"), "AttributeName")->text, SLICE("expires")));
}

static void test_terraform_quotes_and_keeps_to_what_each_provider_knows(void **state)
{
    (void)state;
    const char *text = table(wide, TABLE_TERRAFORM);
    assert_holds(text, "non_key_attributes = [\"name\", \"odd \\\"$${x}\\\" name\"]");
    assert_holds(text, "    hash_key        = \"GSI1PK\"\n    range_key       = \"GSI1SK\"\n");
    assert_holds(text, "    key_schema {\n      attribute_name = \"tenant\"\n      key_type       = \"HASH\"\n    }\n");
    assert_int_equal(count(text, "key_schema {"), 4);
    assert_holds(text, "version 6.29");
    assert_holds(text, "  ttl {\n    attribute_name = \"expires\"\n    enabled        = true\n  }\n");
    assert_holds(text, "  local_secondary_index {\n    name            = \"LSI1\"\n    range_key       = \"day\"\n");
    assert_int_equal(count(text, "{"), count(text, "}"));
    assert_lacks(table(plain, TABLE_TERRAFORM), "6.29");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_key_attributes_are_defined_each_once),
        cmocka_unit_test(test_create_table_has_local_and_global_indexes),
        cmocka_unit_test(test_a_table_without_indexes_names_none),
        cmocka_unit_test(test_cloudformation_is_yaml_of_the_same_table),
        cmocka_unit_test(test_terraform_quotes_and_keeps_to_what_each_provider_knows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
