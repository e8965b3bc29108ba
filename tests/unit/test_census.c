/* test_census.c: digests of items in any order, and of the entries that they make in indexes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "engine/census.h"
#include "item/item_json.h"

#define DEFINITION                                                                                                                     \
    "{\"TableName\":\"t\",\"AttributeDefinitions\":[{\"AttributeName\":\"p\",\"AttributeType\":\"S\"},"                                \
    "{\"AttributeName\":\"n\",\"AttributeType\":\"N\"},{\"AttributeName\":\"l\",\"AttributeType\":\"S\"}],"                            \
    "\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}],"                                                                  \
    "\"LocalSecondaryIndexes\":[{\"IndexName\":\"byL\",\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},"                 \
    "{\"AttributeName\":\"l\",\"KeyType\":\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}}],"                                  \
    "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"byN\",\"KeySchema\":[{\"AttributeName\":\"n\",\"KeyType\":\"HASH\"}],"               \
    "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}]}"

static struct slice item(struct arena *a, const char *json)
{
    struct err e = { .arena = a };
    struct slice out;
    const struct json *tree = json_parse(a, slice_str(json), 64, NULL);
    assert_non_null(tree);
    assert_int_equal(item_from_json(a, tree, &out, &e), 0);
    return out;
}

static struct census *begin(struct arena *a, const char *definition)
{
    return census_begin(a, json_parse(a, slice_str(definition), 64, NULL));
}

static void the_order_does_not_matter_and_everything_else_does(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct slice x = item(a, "{\"p\":{\"S\":\"x\"}}"), y = item(a, "{\"p\":{\"S\":\"y\"}}"), z = item(a, "{\"p\":{\"S\":\"z\"}}");
    struct digest xy = { 0 }, yx = { 0 }, xz = { 0 }, xyy = { 0 };
    digest_add(&xy, x), digest_add(&xy, y);
    digest_add(&yx, y), digest_add(&yx, x);
    digest_add(&xz, x), digest_add(&xz, z);
    digest_add(&xyy, x), digest_add(&xyy, y), digest_add(&xyy, y);
    assert_true(digest_same(&xy, &yx));
    assert_false(digest_same(&xy, &xz));
    assert_false(digest_same(&xy, &xyy));
    assert_int_equal(xy.items, 2);
    assert_int_equal(xy.bytes, 4);
}

static void an_index_holds_what_fits_it_as_it_is_projected(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct census *c = begin(a, DEFINITION);
    struct digest whole = { 0 }, keys = { 0 };
    assert_non_null(c);
    assert_int_equal(census_indexes(c), 2);
    census_add(c, a, item(a, "{\"p\":{\"S\":\"x\"},\"n\":{\"N\":\"1.0\"},\"l\":{\"S\":\"m\"},\"more\":{\"S\":\"...\"}}"));
    census_add(c, a, item(a, "{\"p\":{\"S\":\"y\"},\"n\":{\"S\":\"1\"}}"));
    digest_add(&whole, item(a, "{\"p\":{\"S\":\"x\"},\"n\":{\"N\":\"1\"},\"l\":{\"S\":\"m\"},\"more\":{\"S\":\"...\"}}"));
    digest_add(&keys, item(a, "{\"p\":{\"S\":\"x\"},\"n\":{\"N\":\"1\"}}"));
    assert_int_equal(census_table(c)->items, 2);
    assert_true(slice_eq(census_index_name(c, 0), SLICE("byL")));
    assert_true(digest_same(census_index(c, 0), &whole));
    assert_true(digest_same(census_index(c, 1), &keys));
    assert_true(census_needs_first(c, SLICE("p")) && census_needs_first(c, SLICE("l")));
    assert_false(census_needs_first(c, SLICE("n")));
}

static void what_is_no_definition_is_refused(void **state)
{
    static const char *const wrong[] = {
        "{}",
        "[]",
        "{\"TableName\":\"t\"}",
        "{\"TableName\":\"t\",\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}]}",
        "{\"TableName\":\"t\",\"KeySchema\":{},\"AttributeDefinitions\":7}",
        "{\"TableName\":7,\"KeySchema\":[7],\"AttributeDefinitions\":[7]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_null(begin(&arena, wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_does_not_matter_and_everything_else_does),
        cmocka_unit_test(an_index_holds_what_fits_it_as_it_is_projected),
        cmocka_unit_test(what_is_no_definition_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
