/* test_partitions.c: which partitions a table and its indexes have, counted page by page. */
#include "engine_fixture.h"
#include "engine/partitions.h"
#include <stdio.h>
#include <stdlib.h>

#define TABLE                                                                                      \
    "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST',"                                         \
    "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"                          \
    "{'AttributeName':'sk','AttributeType':'N'},{'AttributeName':'l','AttributeType':'S'},"        \
    "{'AttributeName':'g','AttributeType':'N'},{'AttributeName':'h','AttributeType':'B'}],"        \
    "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"                                        \
    "{'AttributeName':'sk','KeyType':'RANGE'}],"                                                   \
    "'LocalSecondaryIndexes':[{'IndexName':'local','KeySchema':["                                  \
    "{'AttributeName':'pk','KeyType':'HASH'},{'AttributeName':'l','KeyType':'RANGE'}],"            \
    "'Projection':{'ProjectionType':'KEYS_ONLY'}}],"                                               \
    "'GlobalSecondaryIndexes':[{'IndexName':'global','KeySchema':["                                \
    "{'AttributeName':'g','KeyType':'HASH'}],'Projection':{'ProjectionType':'KEYS_ONLY'}},"        \
    "{'IndexName':'two','KeySchema':[{'AttributeName':'g','KeyType':'HASH'},"                      \
    "{'AttributeName':'h','KeyType':'HASH'},{'AttributeName':'sk','KeyType':'RANGE'}],"            \
    "'Projection':{'ProjectionType':'ALL'}}]}"

static int set_up(void **state)
{
    static struct fixture f;
    fixture_open(&f, &(struct store_options){ 0 });
    assert_holds(q(&f, "CreateTable", TABLE), "TableDescription");
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_close(*state);
    return 0;
}

/* The answer, or the error's name and text; good until the end of the test. */
static const char *list(struct fixture *f, struct partitions_query query)
{
    struct err err = { 0 };
    struct buf out;
    buf_init(&out, &f->text, 64u << 20);
    if (!query.most_items) query.most_items = PARTITIONS_MOST_ITEMS;
    if (!query.table.p) query.table = SLICE("shop");
    if (partitions_list(f->engine, &f->text, &query, &out, &err))
        return (const char *)arena_printf(&f->text, "%s: %.*s", err_name(err.code), SLICE_ARG(err.message)).p;
    buf_u8(&out, 0);
    return (const char *)out.p;
}

/* The text between a member's name and the next quote or comma; empty: no such member. */
static struct slice member(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    if (!at) return slice_of(NULL, 0);
    at += strlen(name);
    return slice_of(at, strcspn(at, "\",}"));
}

static struct slice after(const char *answer)
{
    return member(answer, "\"After\":\"");
}

static size_t occurrences(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

static void put(struct fixture *f, const char *pk, int sk, const char *more)
{
    assert_string_equal(q(f, "PutItem", "{'TableName':'shop','Item':{'pk':{'S':'%s'},'sk':{'N':'%d'}%s}}", pk, sk, more),
                        "{}");
}

static void test_an_empty_table_has_none(void **state)
{
    assert_string_equal(list(*state, (struct partitions_query){ 0 }), "{\"Partitions\":[]}");
    assert_string_equal(list(*state, (struct partitions_query){ .index = SLICE("global") }), "{\"Partitions\":[]}");
}

static void test_items_and_bytes_are_dynamodbs(void **state)
{
    struct fixture *f = *state;
    put(f, "a", 1, ",'x':{'S':'12345'}");
    put(f, "a", 2, "");
    /* pk 2 + 1, sk 2 + 2, x 1 + 5 */
    assert_string_equal(list(f, (struct partitions_query){ 0 }),
                        "{\"Partitions\":[{\"Key\":{\"pk\":{\"S\":\"a\"}},\"Items\":2,\"Bytes\":20,\"More\":false}]}");
}

static void test_an_index_has_partitions_of_its_own(void **state)
{
    struct fixture *f = *state;
    put(f, "a", 1, ",'g':{'N':'7'},'l':{'S':'z'},'x':{'S':'12345'}");
    put(f, "b", 1, ",'g':{'N':'7'},'h':{'B':'AAE='},'x':{'S':'12345'}");
    put(f, "c", 1, ",'x':{'S':'12345'}");
    /* pk 3, sk 4, g 3: x is not in it */
    assert_string_equal(list(f, (struct partitions_query){ .index = SLICE("global") }),
                        "{\"Partitions\":[{\"Key\":{\"g\":{\"N\":\"7\"}},\"Items\":2,\"Bytes\":20,\"More\":false}]}");
    assert_string_equal(list(f, (struct partitions_query){ .index = SLICE("local") }),
                        "{\"Partitions\":[{\"Key\":{\"pk\":{\"S\":\"a\"}},\"Items\":1,\"Bytes\":9,\"More\":false}]}");
    assert_string_equal(list(f, (struct partitions_query){ .index = SLICE("two") }),
                        "{\"Partitions\":[{\"Key\":{\"g\":{\"N\":\"7\"},\"h\":{\"B\":\"AAE=\"}},"
                        "\"Items\":1,\"Bytes\":19,\"More\":false}]}");
}

/* With a hash of four bits two hundred partitions share sixteen hashes. */
static void test_pages_meet_each_partition_once(void **state)
{
    struct fixture *f = *state;
    char name[16];
    unsigned char seen[200] = { 0 };
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "P%03d", i);
        put(f, name, 1, "");
        if (i % 2) put(f, name, 2, "");
    }
    struct partitions_query query = { .limit = 7 };
    size_t pages = 0;
    do {
        const char *page = list(f, query);
        pages++;
        assert_lacks(page, "\"More\":true");
        for (const char *at = page; (at = strstr(at, "\"S\":\"P")); at++) {
            int i = (int)strtol(at + 6, NULL, 10);
            assert_in_range(i, 0, 199);
            seen[i]++;
            assert_int_equal(strtol((const char *)member(at, "\"Items\":").p, NULL, 10), 1 + i % 2);
        }
        query.after = after(page);
        /* Others write: one behind, one in front. It is no matter which. */
        snprintf(name, sizeof name, "Q%03zu", pages);
        put(f, name, 1, "");
    } while (query.after.n);
    for (int i = 0; i < 200; i++) assert_int_equal(seen[i], 1);
    assert_true(pages >= 200 / 7);
}

static void test_a_full_page_with_nothing_behind_it_is_the_last(void **state)
{
    struct fixture *f = *state;
    put(f, "a", 1, "");
    put(f, "b", 1, "");
    assert_lacks(list(f, (struct partitions_query){ .limit = 2 }), "After");
    assert_holds(list(f, (struct partitions_query){ .limit = 1 }), "After");
}

static void test_a_partition_that_is_gone_is_no_bad_place(void **state)
{
    struct fixture *f = *state;
    put(f, "a", 1, "");
    put(f, "b", 1, "");
    const char *first = list(f, (struct partitions_query){ .limit = 1 });
    bool a = strstr(first, "\"S\":\"a\"") != NULL;
    q(f, "DeleteItem", "{'TableName':'shop','Key':{'pk':{'S':'%s'},'sk':{'N':'1'}}}", a ? "a" : "b");
    assert_holds(list(f, (struct partitions_query){ .after = after(first) }), a ? "\"S\":\"b\"" : "\"S\":\"a\"");
}

static void fill(struct fixture *f, const char *pk, int n)
{
    for (int i = 0; i < n; i += 25) {
        struct buf b;
        buf_init(&b, &f->text, 1u << 20);
        for (int k = i; k < i + 25 && k < n; k++) {
            buf_printf(&b, "%s{'PutRequest':{'Item':{'pk':{'S':'%s'},'sk':{'N':'%d'}}}}", k > i ? "," : "", pk, k);
        }
        buf_u8(&b, 0);
        assert_holds(q(f, "BatchWriteItem", "{'RequestItems':{'shop':[%s]}}", (const char *)b.p), "{}");
    }
}

static void test_a_large_partition_is_counted_as_far_as_the_budget_goes(void **state)
{
    struct fixture *f = *state;
    fill(f, "large", 10000);
    for (int i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        put(f, name, 1, "");
    }
    const char *all = list(f, (struct partitions_query){ 0 });
    assert_int_equal(occurrences(all, "\"Key\""), 21);
    assert_holds(all, "{\"Key\":{\"pk\":{\"S\":\"large\"}},\"Items\":10000,");
    assert_lacks(all, "\"After\"");
    assert_lacks(all, "\"More\":true");

    struct partitions_query query = { .most_items = 500 };
    size_t partitions = 0, cut = 0, pages = 0;
    do {
        const char *page = list(f, query);
        size_t here = occurrences(page, "\"Key\"");
        assert_true(here > 0);
        partitions += here;
        if (strstr(page, "\"More\":true")) {
            assert_holds(page, "{\"Partitions\":[{\"Key\":{\"pk\":{\"S\":\"large\"}},\"Items\":500,");
            assert_int_equal(here, 1);
            cut++;
        }
        query.after = after(page);
        pages++;
    } while (query.after.n);
    assert_int_equal(partitions, 21);
    assert_int_equal(cut, 1);
    assert_true(pages <= 3);
}

/* On a store where reading takes longer than the page may. The clock is looked at every 64 items. */
static void test_time_ends_a_page(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, &(struct store_options){ .read_delay_us = 3000 });
    assert_holds(q(&f, "CreateTable", TABLE), "TableDescription");
    fill(&f, "large", 100);
    const char *page = list(&f, (struct partitions_query){ .most_ms = 1 });
    assert_holds(page, "{\"Partitions\":[{\"Key\":{\"pk\":{\"S\":\"large\"}},\"Items\":64,");
    assert_holds(page, "\"More\":true}],\"After\":\"");
    assert_string_equal(list(&f, (struct partitions_query){ .most_ms = 1, .after = after(page) }), "{\"Partitions\":[]}");
    fixture_close(&f);
}

static void test_what_is_not_there_is_told_in_dynamodbs_words(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(list(f, (struct partitions_query){ .table = SLICE("none") }),
                        "ResourceNotFoundException: Requested resource not found");
    assert_string_equal(list(f, (struct partitions_query){ .index = SLICE("none") }),
                        "ValidationException: The table does not have the specified index: none");
    static const char *const bad[] = { "x", "####", "AAAA", "AAAAAAE=", "AAAAAP////8=" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_string_equal(list(f, (struct partitions_query){ .after = slice_str(bad[i]) }),
                            "ValidationException: After is not a place in this table or index that an earlier page gave");
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_empty_table_has_none),
        TEST(items_and_bytes_are_dynamodbs),
        TEST(an_index_has_partitions_of_its_own),
        TEST(pages_meet_each_partition_once),
        TEST(a_full_page_with_nothing_behind_it_is_the_last),
        TEST(a_partition_that_is_gone_is_no_bad_place),
        TEST(a_large_partition_is_counted_as_far_as_the_budget_goes),
        TEST(time_ends_a_page),
        TEST(what_is_not_there_is_told_in_dynamodbs_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
