/* ranges.c: cursors over ranges of ordinary keys. Long ones, and ranges at random, in longkeys.c.
 */
#include "groups.h"

/* What a range gives, as the keys (one byte each) in a row. */
struct walk {
    struct store_range r;
    char out[64];
    size_t stop_after; /* leaves the cursor open then; 0: never */
};

static int walk_fn(struct store_txn *t, void *ctx)
{
    struct walk *w = ctx;
    struct store_cursor *c;
    struct slice key, value;
    size_t n = 0;
    int rc = store_range_open(t, &w->r, &c);

    while (rc == 0 && (rc = store_range_next(c, &key, &value)) == 0) {
        w->out[n++] = (char)key.p[0];
        if (key.n != 1 || !slice_eq(key, value)) return 1;
        if (n == w->stop_after) {
            w->out[n] = 0;
            return 0;
        }
    }
    w->out[n] = 0;
    if (rc == STORE_END && store_range_next(c, &key, &value) != STORE_END) return 1;
    store_range_close(c);
    return rc == STORE_END ? 0 : rc;
}

/* The same by store_range_each, the first by store_range_next. */
static int take_value(void *ctx, struct slice value)
{
    struct walk *w = ctx;
    size_t n = strlen(w->out);

    if (value.n != 1) return 1;
    w->out[n] = (char)value.p[0];
    w->out[n + 1] = 0;
    return n + 1 == w->stop_after ? 77 : 0;
}

static int each_fn(struct store_txn *t, void *ctx)
{
    struct walk *w = ctx;
    struct store_cursor *c;
    struct slice value;
    int rc = store_range_open(t, &w->r, &c);

    w->out[0] = 0;
    if (rc == 0) rc = store_range_next(c, NULL, &value);
    if (rc == 0) rc = take_value(w, value);
    if (rc == 0) rc = store_range_each(c, take_value, w);
    if (rc == STORE_END && store_range_each(c, take_value, w) != STORE_END) return 1;
    return rc == STORE_END ? 0 : rc;
}

static void assert_walk(struct store *s, const char *from, const char *to, bool reverse,
                        const char *expected)
{
    struct walk w = { .r = { .space = SPACE_ITEM,
                             .from = slice_str(from),
                             .to = slice_str(to),
                             .reverse = reverse } };

    assert_int_equal(store_view(s, walk_fn, &w), 0);
    assert_string_equal(w.out, expected);
    assert_int_equal(store_view(s, each_fn, &w), 0);
    assert_string_equal(w.out, expected);
}

static void fill(struct store *s, const char *keys)
{
    for (; *keys; keys++)
        assert_int_equal(put_one(s, SPACE_ITEM, slice_of(keys, 1), slice_of(keys, 1)), 0);
}

static void each_value_is_given_until_one_is_refused(void **state)
{
    struct fixture *f = *state;
    struct walk w = { .r = { .space = SPACE_ITEM }, .stop_after = 3 };

    fill(f->s, "gbdfhc");
    assert_int_equal(store_view(f->s, each_fn, &w), 77);
    assert_string_equal(w.out, "bcd");
}

static int write_between_fn(struct store_txn *t, void *ctx)
{
    struct walk *w = ctx;
    struct store_cursor *c;
    int rc = store_range_open(t, &w->r, &c);

    if (rc == 0) rc = store_put(t, SPACE_ITEM, SLICE("x"), SLICE("x"));
    return rc ? rc : store_range_each(c, take_value, w) == STORE_INVALID ? 0 : 1;
}

static void each_value_is_refused_after_a_write(void **state)
{
    struct fixture *f = *state;
    struct walk w = { .r = { .space = SPACE_ITEM } };

    fill(f->s, "ab");
    assert_int_equal(store_update(f->s, write_between_fn, &w), 0);
}

static void bounds_are_from_and_up_to_but_not_to(void **state)
{
    struct fixture *f = *state;

    fill(f->s, "gbdfhc");
    assert_walk(f->s, "", "", false, "bcdfgh");
    assert_walk(f->s, "", "", true, "hgfdcb");
    assert_walk(f->s, "c", "g", false, "cdf");
    assert_walk(f->s, "c", "g", true, "fdc");
    assert_walk(f->s, "e", "", false, "fgh");
    assert_walk(f->s, "e", "", true, "hgf");
    assert_walk(f->s, "", "e", false, "bcd");
    assert_walk(f->s, "", "e", true, "dcb");
    assert_walk(f->s, "d", "d", false, "");
    assert_walk(f->s, "d", "d", true, "");
    assert_walk(f->s, "g", "c", false, "");
    assert_walk(f->s, "g", "c", true, "");
    assert_walk(f->s, "a", "z", false, "bcdfgh");
    assert_walk(f->s, "a", "z", true, "hgfdcb");
    assert_walk(f->s, "i", "", false, "");
    assert_walk(f->s, "", "b", true, "");
    assert_walk(f->s, "bb", "fa", false, "cdf");
    assert_walk(f->s, "bb", "fa", true, "fdc");
}

static void an_empty_space_has_an_empty_range(void **state)
{
    struct fixture *f = *state;

    assert_walk(f->s, "", "", false, "");
    assert_walk(f->s, "", "", true, "");
    assert_walk(f->s, "a", "b", true, "");
}

struct order_check {
    const struct slice *sorted;
    size_t n;
    bool reverse;
};

static int order_fn(struct store_txn *t, void *ctx)
{
    struct order_check *o = ctx;
    struct store_range r = { .space = SPACE_META, .reverse = o->reverse };
    struct store_cursor *c;
    struct slice key;
    int rc = store_range_open(t, &r, &c);

    for (size_t i = 0; rc == 0 && i < o->n; i++) {
        rc = store_range_next(c, &key, NULL);
        if (rc == 0 && !slice_eq(key, o->sorted[o->reverse ? o->n - 1 - i : i])) return 1;
    }
    return rc ? rc : store_range_next(c, &key, NULL) == STORE_END ? 0 : 1;
}

static void bytes_sort_unsigned_and_prefixes_first(void **state)
{
    static const struct slice sorted[] = {
        { (const uint8_t *)"\x00", 1 },     { (const uint8_t *)"\x00\x00", 2 },
        { (const uint8_t *)"\x00\xff", 2 }, { (const uint8_t *)"a", 1 },
        { (const uint8_t *)"a\x00", 2 },    { (const uint8_t *)"ab", 2 },
        { (const uint8_t *)"a\x7f", 2 },    { (const uint8_t *)"a\x80", 2 },
        { (const uint8_t *)"\x7f", 1 },     { (const uint8_t *)"\x80", 1 },
        { (const uint8_t *)"\xff", 1 },     { (const uint8_t *)"\xff\xff", 2 },
    };
    static const unsigned order[] = { 7, 3, 11, 0, 9, 4, 6, 10, 1, 5, 2, 8 };
    struct fixture *f = *state;
    struct order_check check = { .sorted = sorted, .n = 12 };

    for (size_t i = 0; i < 12; i++)
        assert_int_equal(put_one(f->s, SPACE_META, sorted[order[i]], SLICE("")), 0);
    assert_int_equal(store_view(f->s, order_fn, &check), 0);
    check.reverse = true;
    assert_int_equal(store_view(f->s, order_fn, &check), 0);
}

static void a_cursor_left_open_is_closed(void **state)
{
    struct fixture *f = *state;
    struct walk w = { .r = { .space = SPACE_ITEM }, .stop_after = 2 };

    fill(f->s, "abcd");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(store_view(f->s, walk_fn, &w), 0);
        assert_string_equal(w.out, "ab");
        assert_int_equal(store_update(f->s, walk_fn, &w), 0);
        assert_string_equal(w.out, "ab");
    }
}

static int cursors_in_an_update(struct store_txn *t, void *ctx)
{
    struct walk w = { .r = { .space = SPACE_ITEM } };
    struct store_cursor *c;
    struct slice key;

    (void)ctx;
    assert_int_equal(store_put(t, SPACE_ITEM, SLICE("c"), SLICE("c")), 0);
    assert_int_equal(store_delete(t, SPACE_ITEM, SLICE("a")), 0);
    assert_int_equal(walk_fn(t, &w), 0);
    assert_string_equal(w.out, "bc");
    assert_int_equal(store_range_open(t, &w.r, &c), 0);
    assert_int_equal(store_range_next(c, &key, NULL), 0);
    assert_int_equal(store_put(t, SPACE_ITEM, SLICE("x"), SLICE("x")), 0);
    assert_int_equal(store_range_next(c, &key, NULL), STORE_INVALID);
    return 0;
}

static void a_cursor_sees_earlier_writes_and_ends_with_later_ones(void **state)
{
    struct fixture *f = *state;

    fill(f->s, "ab");
    assert_int_equal(store_update(f->s, cursors_in_an_update, NULL), 0);
    assert_walk(f->s, "", "", false, "bcx");
}

static int two_at_once(struct store_txn *t, void *ctx)
{
    struct store_range up = { .space = SPACE_ITEM },
                       down = { .space = SPACE_ITEM, .reverse = true };
    struct store_cursor *a, *b;
    struct slice ka, kb, first = { 0 };

    (void)ctx;
    TRY(store_range_open(t, &up, &a));
    TRY(store_range_open(t, &down, &b));
    for (const char *k = "abc", *l = "cba"; *k; k++, l++) {
        struct slice v;

        TRY(store_range_next(a, &ka, &v));
        TRY(store_range_next(b, &kb, NULL));
        assert_int_equal(ka.p[0], *k);
        assert_int_equal(kb.p[0], *l);
        if (!first.n) first = v;
    }
    /* In a view a value lives as long as the view. */
    assert_true(slice_eq(first, SLICE("a")));
    store_range_close(a);
    assert_int_equal(store_range_next(b, NULL, NULL), STORE_END);
    return 0;
}

static void cursors_do_not_disturb_each_other(void **state)
{
    struct fixture *f = *state;

    fill(f->s, "abc");
    assert_int_equal(store_view(f->s, two_at_once, NULL), 0);
}

int ranges_group(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bounds_are_from_and_up_to_but_not_to),
        TEST(each_value_is_given_until_one_is_refused),
        TEST(each_value_is_refused_after_a_write),
        TEST(an_empty_space_has_an_empty_range),
        TEST(bytes_sort_unsigned_and_prefixes_first),
        TEST(a_cursor_left_open_is_closed),
        TEST(a_cursor_sees_earlier_writes_and_ends_with_later_ones),
        TEST(cursors_do_not_disturb_each_other),
    };

    return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
