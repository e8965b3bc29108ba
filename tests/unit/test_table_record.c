/* test_table_record.c: a table's definition survives being written down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "engine/table.h"

static struct slice include[] = { { (const uint8_t *)"a", 1 }, { (const uint8_t *)"b\"", 2 } };

static struct key_attr attr(const char *name, enum val_type type)
{
    return (struct key_attr){ slice_str(name), type };
}

static struct index index_of(uint32_t id, const char *name)
{
    struct index ix = {
        .id = id, .name = slice_str(name), .kind = INDEX_GLOBAL, .status = INDEX_ACTIVE
    };
    ix.key.hash[ix.key.n_hash++] = attr("x", TYPE_S);
    return ix;
}

static struct table draft(struct index *indexes, size_t n_indexes, struct key_attr *attrs,
                          size_t n_attrs)
{
    struct table t = { .id = 7,
                       .name = SLICE("shop"),
                       .uuid = SLICE("id"),
                       .status = TABLE_ACTIVE,
                       .created_ms = 1700000000123,
                       .attrs = attrs,
                       .n_attrs = n_attrs,
                       .indexes = indexes,
                       .n_indexes = n_indexes };
    t.key.hash[t.key.n_hash++] = attr("p", TYPE_S);
    t.key.range[t.key.n_range++] = attr("s", TYPE_N);
    return t;
}

static void test_all_fields_survive(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 20);
    struct key_attr attrs[] = { attr("p", TYPE_S), attr("s", TYPE_N), attr("x", TYPE_S),
                                attr("y", TYPE_B) };
    struct index indexes[2] = { index_of(8, "one"), index_of(9, "two") };
    indexes[0].projection = PROJECT_INCLUDE;
    indexes[0].include = include;
    indexes[0].n_include = 2;
    indexes[0].throughput = (struct throughput){ .read = 3, .write = 4, .increased_ms = 5 };
    indexes[1].kind = INDEX_LOCAL;
    indexes[1].status = INDEX_CREATING;
    indexes[1].backfilling = true;
    indexes[1].projection = PROJECT_KEYS_ONLY;
    indexes[0].key.hash[indexes[0].key.n_hash++] = attr("y", TYPE_B);
    indexes[0].key.range[indexes[0].key.n_range++] = attr("s", TYPE_N);
    indexes[1].key.range[indexes[1].key.n_range++] = attr("y", TYPE_B);
    struct table t = draft(indexes, 2, attrs, 4);
    t.billing = BILLING_PAY_PER_REQUEST;
    t.billing_changed_ms = 11;
    t.throughput = (struct throughput){ .max_read = 1,
                                        .max_write = 2,
                                        .warm_read = 12001,
                                        .warm_write = 4001,
                                        .decreased_ms = 6,
                                        .decreases_today = 2 };
    t.deletion_protection = true;
    t.table_class = SLICE("STANDARD_INFREQUENT_ACCESS");
    t.table_class_ms = 12;
    t.sse = true;
    t.sse_type = SLICE("KMS");
    t.copy_of = SLICE("source");
    t.copy_of_id = 77;
    t.sse_key = SLICE("alias/x");
    t.stream_view = SLICE("KEYS_ONLY");
    t.stream_created_ms = 13;
    struct attr tag = { SLICE("k"), val_make_string(&a, SLICE("v")) };
    struct buf tags;
    buf_init(&tags, &a, 100);
    val_put_map(&tags, &tag, 1);
    t.tags = buf_view(&tags);
    t.policy = (struct resource_policy){ SLICE("{}"), 14 };
    t.stream_policy = (struct resource_policy){ .revision = 15 };
    t.insights = (struct insights){ true, INSIGHTS_THROTTLED_KEYS, 16, 17 };
    indexes[0].insights = (struct insights){ .mode = INSIGHTS_ALL_KEYS, .changed_ms = 18 };

    int status;
    struct table *got = table_decode(table_encode(&t, &a), &status);
    assert_non_null(got);
    assert_int_equal(got->id, 7);
    assert_true(slice_eq(got->name, t.name));
    assert_true(slice_eq(got->uuid, t.uuid));
    assert_int_equal(got->created_ms, t.created_ms);
    assert_int_equal(got->status, TABLE_ACTIVE);
    assert_int_equal(got->key.n_hash, 1);
    assert_int_equal(got->key.n_range, 1);
    assert_int_equal(got->key.range[0].type, TYPE_N);
    assert_int_equal(got->n_attrs, 4);
    assert_int_equal(got->attrs[3].type, TYPE_B);
    assert_int_equal(got->billing, BILLING_PAY_PER_REQUEST);
    assert_int_equal(got->billing_changed_ms, 11);
    assert_memory_equal(&got->throughput, &t.throughput, sizeof t.throughput);
    assert_true(got->deletion_protection);
    assert_true(slice_eq(got->table_class, t.table_class));
    assert_int_equal(got->table_class_ms, 12);
    assert_true(slice_eq(got->copy_of, t.copy_of) && got->copy_of_id == 77 && !got->is_copy);
    assert_true(got->sse && slice_eq(got->sse_type, t.sse_type) &&
                slice_eq(got->sse_key, t.sse_key));
    assert_true(slice_eq(got->stream_view, t.stream_view));
    assert_int_equal(got->stream_created_ms, 13);
    assert_true(slice_eq(got->tags, t.tags));
    assert_true(slice_eq(got->policy.text, t.policy.text));
    assert_int_equal(got->policy.revision, 14);
    assert_int_equal(got->stream_policy.text.n, 0);
    assert_int_equal(got->stream_policy.revision, 15);
    assert_true(got->insights.on);
    assert_int_equal(got->insights.mode, INSIGHTS_THROTTLED_KEYS);
    assert_int_equal(got->insights.changed_ms, 16);
    assert_int_equal(got->insights.rules_ms, 17);
    assert_int_equal(got->n_indexes, 2);
    const struct index *one = table_index(got, SLICE("one")), *two = table_index(got, SLICE("two"));
    assert_int_equal(one->id, 8);
    assert_int_equal(one->projection, PROJECT_INCLUDE);
    assert_int_equal(one->n_include, 2);
    assert_true(slice_eq(one->include[1], include[1]));
    assert_memory_equal(&one->throughput, &indexes[0].throughput, sizeof one->throughput);
    assert_false(one->insights.on);
    assert_int_equal(one->insights.mode, INSIGHTS_ALL_KEYS);
    assert_int_equal(one->insights.changed_ms, 18);
    assert_int_equal(two->kind, INDEX_LOCAL);
    assert_int_equal(two->status, INDEX_CREATING);
    assert_true(two->backfilling);
    assert_int_equal(one->key.n_hash, 2);
    assert_true(key_schema_has(&one->key, SLICE("y")));
    assert_int_equal(two->key.n_hash, 1);
    assert_true(key_schema_has(&two->key, SLICE("y")));
    assert_null(table_index(got, SLICE("three")));
    table_free(got);
    arena_free(&a);
}

static void test_entries_hold_index_keys_table_keys_and_included(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 20);
    struct index indexes[3] = { index_of(8, "all"), index_of(9, "keys"), index_of(10, "some") };
    indexes[1].projection = PROJECT_KEYS_ONLY;
    indexes[2].projection = PROJECT_INCLUDE;
    indexes[2].include = include;
    indexes[2].n_include = 2;
    struct table t = draft(indexes, 3, NULL, 0);
    table_derive(&t, &a);
    struct slice *names;
    assert_null(t.indexes[0].entry);
    assert_int_equal(projection_names(t.indexes[1].entry, &a, &names), 3);
    assert_int_equal(projection_names(t.indexes[2].entry, &a, &names), 5);
    arena_free(&a);
}

static void assert_damaged(struct slice record)
{
    int status;
    assert_null(table_decode(record, &status));
    assert_int_equal(status, STORE_CORRUPT);
}

static void test_what_is_no_record_is_refused(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 20);
    struct table t = draft(NULL, 0, NULL, 0);
    struct slice record = table_encode(&t, &a);
    assert_damaged(slice_of(NULL, 0));
    assert_damaged(SLICE("nonsense"));
    assert_damaged(slice_of(record.p, record.n - 1));
    assert_damaged(val_make_string(&a, SLICE("text")));
    t.name = slice_of(NULL, 0);
    assert_damaged(table_encode(&t, &a));
    struct index local = index_of(8, "local");
    t = draft(&local, 1, NULL, 0);
    local.kind = INDEX_LOCAL;
    local.key.range[local.key.n_range++] = attr("y", TYPE_S);
    local.key.range[local.key.n_range++] = attr("z", TYPE_S);
    assert_damaged(table_encode(&t, &a));
    t.n_indexes = 0;
    t.key.range[t.key.n_range++] = attr("t", TYPE_S);
    assert_damaged(table_encode(&t, &a));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fields_survive),
        cmocka_unit_test(test_entries_hold_index_keys_table_keys_and_included),
        cmocka_unit_test(test_what_is_no_record_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
