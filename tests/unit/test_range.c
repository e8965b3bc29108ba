/* test_range.c: key conditions as ranges of the store, against a comparison of every item. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "engine/range.h"
#include "store/store.h"

enum { PARTITIONS = 3, ITEMS = 120, ROUNDS = 3000 };

struct world {
    struct arena arena;
    struct store *store;
    struct table table;
    struct slice pk[PARTITIONS];
    struct slice item[PARTITIONS][ITEMS], sort[PARTITIONS][ITEMS];
};

static uint32_t seed = 12345;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Few distinct bytes and short lengths, so that prefixes, zero bytes and equal values are common.
 */
static struct slice random_value(struct arena *a, enum val_type type)
{
    static const uint8_t bytes[] = { 0x00, 0x01, 'a', 'b', 0xff };
    struct buf b, text;
    buf_init(&b, a, 1024);
    buf_init(&text, a, 1024);
    if (type == TYPE_N) {
        struct num n;
        buf_printf(&text, "%s%ue%d", rnd(2) ? "-" : "", rnd(120), (int)rnd(5) - 2);
        assert_int_equal(num_parse(buf_view(&text), &n), NUM_OK);
        val_put_number(&b, slice_of(n.bytes, n.n));
        return buf_view(&b);
    }
    size_t n = 1 + rnd(4);
    for (size_t i = 0; i < n; i++) {
        buf_u8(&text, type == TYPE_S ? bytes[rnd(4)] : bytes[rnd(5)]);
    }
    if (type == TYPE_S)
        val_put_string(&b, buf_view(&text));
    else
        val_put_binary(&b, buf_view(&text));
    return buf_view(&b);
}

static int fill(struct store_txn *txn, void *ctx)
{
    struct world *w = ctx;
    for (int p = 0; p < PARTITIONS; p++) {
        for (int i = 0; i < ITEMS; i++) {
            struct slice key = key_item(&w->arena, &w->table, w->item[p][i]);
            int status = store_put(txn, SPACE_ITEM, key, w->item[p][i]);
            if (status) return status;
        }
    }
    return 0;
}

static void make_world(struct world *w, enum val_type type)
{
    char message[200];
    *w = (struct world){ 0 };
    arena_init(&w->arena, (size_t)256 << 20);
    w->table.id = 7;
    w->table.key = (struct key_schema){ .n_hash = 1, .n_range = 1 };
    w->table.key.hash[0] = (struct key_attr){ SLICE("p"), TYPE_S };
    w->table.key.range[0] = (struct key_attr){ SLICE("s"), type };
    for (int p = 0; p < PARTITIONS; p++) {
        w->pk[p] = val_make_string(&w->arena, arena_printf(&w->arena, "%.*s", p + 1, "ppp"));
        for (int i = 0; i < ITEMS; i++) {
            struct buf b;
            w->sort[p][i] = random_value(&w->arena, type);
            struct attr attrs[] = { { SLICE("p"), w->pk[p] }, { SLICE("s"), w->sort[p][i] } };
            buf_init(&b, &w->arena, 1024);
            val_put_map(&b, attrs, 2);
            w->item[p][i] = buf_view(&b);
        }
    }
    struct store_options o = { 0 };
    assert_int_equal(store_open(&w->store, &o, message, sizeof message), 0);
    assert_int_equal(store_update(w->store, fill, w), 0);
}

/* Whether the condition holds, by comparison alone. */
static bool holds(const struct key_query *q, struct slice v)
{
    int lo = q->op == KEY_NONE ? 0 : val_compare(v, q->lo);
    if (q->n_range_eq) return val_compare(v, q->range_eq[0]) == 0;
    switch (q->op) {
    case KEY_NONE:
        return true;
    case KEY_EQ:
        return lo == 0;
    case KEY_LT:
        return lo < 0;
    case KEY_LE:
        return lo <= 0;
    case KEY_GT:
        return lo > 0;
    case KEY_GE:
        return lo >= 0;
    case KEY_BETWEEN:
        return lo >= 0 && val_compare(v, q->hi) <= 0;
    case KEY_BEGINS_WITH:
        return slice_starts(val_content(v), val_content(q->lo));
    }
    return false;
}

static int order_of_items(const void *a, const void *b)
{
    struct slice x, y;
    val_get(*(const struct slice *)a, SLICE("s"), &x);
    val_get(*(const struct slice *)b, SLICE("s"), &y);
    return val_compare(x, y);
}

struct probe {
    struct world *w;
    struct store_range range;
    const struct slice *expected;
    size_t n;
};

static int compare_range(struct store_txn *txn, void *ctx)
{
    struct probe *p = ctx;
    struct store_cursor *c;
    struct slice value;
    assert_int_equal(store_range_open(txn, &p->range, &c), 0);
    for (size_t i = 0; i < p->n; i++) {
        assert_int_equal(store_range_next(c, NULL, &value), STORE_OK);
        assert_true(slice_eq(value, p->expected[p->range.reverse ? p->n - 1 - i : i]));
    }
    assert_int_equal(store_range_next(c, NULL, &value), STORE_END);
    store_range_close(c);
    return 0;
}

static struct key_query random_query(struct world *w, int p, enum val_type type)
{
    struct key_query q = { 0 };
    q.hash[0] = w->pk[p];
    q.lo = random_value(&w->arena, type);
    q.hi = random_value(&w->arena, type);
    q.op = (enum key_op)rnd(KEY_BEGINS_WITH + 1);
    if (q.op == KEY_BEGINS_WITH && type == TYPE_N) q.op = KEY_GE;
    if (q.op == KEY_EQ) {
        q.op = KEY_NONE;
        q.range_eq[0] = q.lo;
        q.n_range_eq = 1;
    }
    if (q.op == KEY_BETWEEN && val_compare(q.lo, q.hi) > 0) q.hi = q.lo;
    return q;
}

static void check_type(enum val_type type)
{
    struct world *w = malloc(sizeof *w);
    assert_non_null(w);
    make_world(w, type);
    for (int round = 0; round < ROUNDS; round++) {
        int p = (int)rnd(PARTITIONS);
        struct key_query q = random_query(w, p, type);
        struct probe probe = { .w = w };
        probe.range.reverse = rnd(2);
        range_of_query(&w->arena, &w->table, NULL, &q, &probe.range);

        struct slice found[ITEMS];
        size_t n = 0;
        for (int i = 0; i < ITEMS; i++) {
            if (!holds(&q, w->sort[p][i])) continue;
            assert_true(range_matches(&q, &w->sort[p][i], 1));
            bool twice = false; /* two draws of one key are one item */
            for (size_t k = 0; k < n; k++)
                twice = twice || slice_eq(found[k], w->item[p][i]);
            if (!twice) found[n++] = w->item[p][i];
        }
        qsort(found, n, sizeof *found, order_of_items);
        probe.expected = found;
        probe.n = n;
        assert_int_equal(store_view(w->store, compare_range, &probe), 0);

        if (n == 0) continue;
        /* Go on behind one of them. */
        size_t at = rnd((uint32_t)n);
        struct slice key = key_item(&w->arena, &w->table, found[at]);
        assert_true(range_start_behind(&w->arena, &probe.range, key));
        if (probe.range.reverse) {
            probe.n = at;
        } else {
            probe.expected = found + at + 1;
            probe.n = n - at - 1;
        }
        assert_int_equal(store_view(w->store, compare_range, &probe), 0);
    }
    store_close(w->store);
    arena_free(&w->arena);
    free(w);
}

static void test_ranges_of_strings(void **state)
{
    (void)state;
    check_type(TYPE_S);
}

static void test_ranges_of_numbers(void **state)
{
    (void)state;
    check_type(TYPE_N);
}

static void test_ranges_of_binaries(void **state)
{
    (void)state;
    check_type(TYPE_B);
}

static void test_segments_cover_the_table_once(void **state)
{
    (void)state;
    struct arena a;
    struct table t = { .id = 7 };
    arena_init(&a, 1 << 20);
    const uint32_t totals[] = { 1, 2, 3, 17, 1000 };
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        struct slice end = { 0 };
        for (uint32_t s = 0; s < totals[i]; s++) {
            struct store_range r = { 0 };
            range_of_segment(&a, &t, NULL, s, totals[i], &r);
            if (s) assert_true(slice_eq(r.from, end));
            assert_true(slice_cmp(r.from, r.to) < 0);
            end = r.to;
        }
    }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_of_strings),
        cmocka_unit_test(test_ranges_of_numbers),
        cmocka_unit_test(test_ranges_of_binaries),
        cmocka_unit_test(test_segments_cover_the_table_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
