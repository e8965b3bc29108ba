/* leaves.c: bits flipped where a leaf page of the data file has its offsets, its nodes' heads and
 * its keys. Nothing may be hidden by that: a key is found with its value, or the read says that
 * data is damaged; never is it "not there", and no range ends early. */
#include "fixture.h"
#include "store/local/pages.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ITEMS  2000
#define SPAN   4  /* items of a short range */
#define AROUND 10 /* items on both sides of the page, for a long one */
#define NAME   24
#define VALUE  64
#define UPDATE 13 /* one in so many flips is looked at by an update, too */

/* Of a node besides its value: 8 bytes of head, 17 of key and 5 of the store's. */
#define BESIDES 30

static size_t value_n; /* where nodes have a power of two, a bit flipped in an offset leads to another whole one */

static struct {
    int fd;
    uint64_t number;
    size_t size;
    uint8_t bytes[PAGE_MAX];
    unsigned first, last; /* items on it */
} page;

static struct slice name_of(char name[NAME], unsigned i)
{
    snprintf(name, NAME, "partition i%06u", i);
    return slice_str(name);
}

static struct slice value_of(char value[VALUE], unsigned i)
{
    memset(value, '.', VALUE);
    value[0] = (char)('a' + i % 26);
    value[1] = (char)('a' + i / 26 % 26);
    return slice_of((uint8_t *)value, value_n);
}

static int fill(struct store_txn *t, void *ctx)
{
    char name[NAME], value[VALUE];
    int rc = 0;
    (void)ctx;
    for (unsigned i = 0; !rc && i < ITEMS; i++)
        rc = store_put(t, SPACE_ITEM, name_of(name, i), value_of(value, i));
    return rc;
}

static void load(uint64_t number)
{
    page.number = number;
    assert_int_equal(pread(page.fd, page.bytes, page.size, (off_t)(number * page.size)), page.size);
}

static unsigned item_at(size_t i)
{
    struct pages_node node;
    char text[NAME] = "", *digits;
    pages_node(page.bytes, i, &node);
    memcpy(text, node.key.p, node.key.n < sizeof text ? node.key.n : sizeof text - 1);
    digits = strpbrk(text, "0123456789");
    assert_non_null(digits);
    return (unsigned)strtoul(digits, NULL, 10);
}

/* The root of the items' tree. */
static void open_root(const struct fixture *f)
{
    char path[100];
    struct pages_meta meta;
    struct pages_node node = { .size = 0 };
    snprintf(path, sizeof path, "%s/data.mdb", f->dir);
    page.fd = open(path, O_RDWR);
    assert_true(page.fd >= 0);
    assert_null(pages_read_meta(page.fd, &meta));
    page.size = meta.page_size;
    load(meta.main.root);
    for (size_t i = 0; !slice_eq(node.key, SLICE("item")); i++)
        pages_node(page.bytes, i, &node);
    load(pages_db(node.data).root);
}

/* A leaf in the middle of that. */
static void find_leaf(const struct fixture *f)
{
    struct pages_node node;
    open_root(f);
    while (pages_flags(page.bytes) == PAGE_BRANCH) {
        pages_node(page.bytes, pages_nodes(page.bytes) / 2, &node);
        load(node.child);
    }
    page.first = item_at(0);
    page.last = item_at(pages_nodes(page.bytes) - 1);
    assert_true(page.first > AROUND && page.last + AROUND < ITEMS && page.last > page.first + SPAN);
}

/* ---- what reads say ---- */

struct looking {
    size_t at; /* the byte */
    int bit;
    bool damaged; /* some said so */
};

static void found(struct looking *l, int status, unsigned item, struct slice value, const char *how)
{
    char expected[VALUE];
    if (status == STORE_CORRUPT)
        l->damaged = true;
    else if (status || !slice_eq(value, value_of(expected, item)))
        fail_msg("byte %zu, bit %d: %s %u: %s", l->at, l->bit, how, item,
                 status ? store_status_text(status) : "another value");
}

/* All that a range gives is right, and it ends where it should. One entry may be wrong (leaf.h), if the next step says so. */
static void range(struct store_txn *t, struct looking *l, unsigned from, unsigned to, bool reverse)
{
    char low[NAME], high[NAME], expected[NAME];
    struct store_range r = {
        .space = SPACE_ITEM, .from = name_of(low, from), .to = name_of(high, to), .reverse = reverse
    };
    struct store_cursor *c;
    struct slice key, value;
    unsigned n = 0;
    int status = store_range_open(t, &r, &c);
    if (status) {
        found(l, status, from, slice_of(NULL, 0), "a range from");
        return;
    }
    while (!(status = store_range_next(c, &key, &value))) {
        unsigned item = reverse ? to - ++n : from + n++;
        if (slice_eq(key, name_of(expected, item))) {
            found(l, STORE_OK, item, value, "in a range");
            continue;
        }
        status = store_range_next(c, &value, NULL);
        if (status != STORE_CORRUPT)
            fail_msg("byte %zu, bit %d: not %s but %.*s", l->at, l->bit, expected, SLICE_ARG(key));
        break;
    }
    store_range_close(c);
    if (status == STORE_CORRUPT)
        l->damaged = true;
    else if (status != STORE_END || n != to - from)
        fail_msg("byte %zu, bit %d: %u of %u items from %u %s: %s", l->at, l->bit, n, to - from,
                 from, reverse ? "back" : "on", store_status_text(status));
}

static int look(struct store_txn *t, void *ctx)
{
    char name[NAME];
    for (unsigned i = page.first; i <= page.last; i++) {
        struct slice value = { .p = NULL };
        int status = store_get(t, SPACE_ITEM, name_of(name, i), &value);
        found(ctx, status, i, value, "got");
    }
    for (unsigned i = page.first - SPAN; i <= page.last; i += SPAN) {
        range(t, ctx, i, i + SPAN, false);
        range(t, ctx, i, i + SPAN, true);
    }
    range(t, ctx, page.first - AROUND, page.last + AROUND, false);
    range(t, ctx, page.first - AROUND, page.last + AROUND, true);
    return STORE_OK;
}

static bool flip_and_look(struct fixture *f, size_t at, int bit)
{
    static unsigned turn;
    struct looking l = { at, bit, false };
    uint8_t byte = page.bytes[at] ^ (uint8_t)(1u << bit);
    off_t place = (off_t)(page.number * page.size + at);
    assert_int_equal(pwrite(page.fd, &byte, 1, place), 1);
    assert_int_equal(store_view(f->s, look, &l), STORE_OK);
    if (turn++ % UPDATE == 0) {
        int status = store_update(f->s, look, &l);
        if (status && !(status == STORE_CORRUPT && l.damaged))
            fail_msg("byte %zu, bit %d: an update: %s", at, bit, store_status_text(status));
    }
    assert_int_equal(pwrite(page.fd, &page.bytes[at], 1, place), 1);
    return l.damaged;
}

static unsigned flip_all(struct fixture *f, size_t from, size_t to)
{
    unsigned damaged = 0;
    for (size_t at = from; at < to; at++)
        for (int bit = 0; bit < 8; bit++)
            if (flip_and_look(f, at, bit)) damaged++;
    return damaged;
}

static void flip_a_leaf(struct fixture *f)
{
    struct looking whole = { .at = 0 };
    store_survive_damage();
    assert_int_equal(store_update(f->s, fill, NULL), STORE_OK);
    find_leaf(f);
    assert_int_equal(store_view(f->s, look, &whole), STORE_OK);
    assert_false(whole.damaged);
    size_t offsets = PAGE_HEADER + 2 * pages_nodes(page.bytes);
    assert_true(flip_all(f, 8, PAGE_HEADER) > 0);
    assert_int_equal(flip_all(f, PAGE_HEADER, offsets), 8 * (offsets - PAGE_HEADER));
    for (size_t i = 0; i < pages_nodes(page.bytes); i += 5) {
        struct pages_node node;
        pages_node(page.bytes, i, &node);
        size_t at = (size_t)(node.key.p - page.bytes);
        flip_all(f, at - NODE_HEADER, at);
        assert_int_equal(flip_all(f, at, at + node.key.n), 8 * node.key.n);
    }
    assert_int_equal(store_view(f->s, look, &whole), STORE_OK);
    assert_false(whole.damaged);
    close(page.fd);
}

static void a_flipped_bit_hides_nothing(void **state)
{
    value_n = 44;
    flip_a_leaf(*state);
}

static void a_flipped_bit_hides_nothing_of_nodes_of_64_bytes(void **state)
{
    value_n = 64 - BESIDES;
    flip_a_leaf(*state);
}

static void a_flipped_bit_hides_nothing_of_nodes_of_32_bytes(void **state)
{
    value_n = 32 - BESIDES;
    flip_a_leaf(*state);
}

/* ---- what lies beside ---- */

#define ONE "partition one,"
#define TWO "the place two,"
#define VALUE_AT (sizeof ONE "3" - 1 + 6) /* from where a key begins on the page */

static int fill_two(struct store_txn *t, void *ctx)
{
    static const char *keys[] = { ONE "1", ONE "2", ONE "3", TWO "1", TWO "2", TWO "3" };
    int rc = 0;
    (void)ctx;
    for (size_t i = 0; !rc && i < sizeof keys / sizeof *keys; i++) rc = store_put(t, SPACE_ITEM, slice_str(keys[i]), SLICE("a value"));
    return rc;
}

struct counted {
    const char *from, *to; /* to may be NULL: to the end */
    size_t from_n;         /* 0: all of it */
    bool reverse;
    unsigned n;
    int status;
};

static int count(struct store_txn *t, void *ctx)
{
    struct counted *w = ctx;
    struct slice from = slice_str(w->from);
    struct store_range r = { .space = SPACE_ITEM, .from = w->from_n ? slice_of(from.p, w->from_n) : from, .reverse = w->reverse };
    struct store_cursor *c;
    struct slice key, value;
    if (w->to) r.to = slice_str(w->to);
    int rc = store_range_open(t, &r, &c);
    if (rc) return rc;
    for (w->n = 0; !(w->status = store_range_next(c, &key, &value)); w->n++) {}
    store_range_close(c);
    return STORE_OK;
}

static void expect(struct fixture *f, struct counted range, int status, unsigned n)
{
    assert_int_equal(store_view(f->s, count, &range), STORE_OK);
    assert_int_equal(range.status, status);
    assert_int_equal(range.n, n);
}

static void expect_back(struct fixture *f, struct counted range, int status, unsigned n)
{
    range.reverse = true;
    expect(f, range, status, n);
}

/* Flips a bit of the byte that lies so far from where this text begins on the page. */
static void flip(const char *text, size_t offset, int bit)
{
    uint8_t *at = memmem(page.bytes, page.size, text, strlen(text));
    assert_non_null(at);
    at[offset] ^= (uint8_t)(1 << bit);
    assert_int_equal(pwrite(page.fd, page.bytes, page.size, (off_t)(page.number * page.size)), page.size);
}

static void make_two(struct fixture *f)
{
    store_survive_damage();
    assert_int_equal(store_update(f->s, fill_two, NULL), STORE_OK);
    open_root(f);
}

static void what_is_damaged_beside_a_range(void **state)
{
    struct fixture *f = *state;
    struct counted one = { .from = ONE, .to = "partition one-" }, two = { .from = TWO, .to = "the place two-" };
    struct counted behind = { .from = ONE "3\0", .from_n = sizeof ONE "3", .to = "partition one-" };
    make_two(f);
    expect(f, one, STORE_END, 3);
    expect(f, two, STORE_END, 3);

    /* A value is no matter of who does not ask for it: of another partition, of the same one, behind it. */
    flip(ONE "3", VALUE_AT, 0);
    expect(f, one, STORE_CORRUPT, 2);
    expect(f, two, STORE_END, 3);
    expect(f, behind, STORE_END, 0);
    expect(f, (struct counted){ .from = ONE "1", .to = ONE "3" }, STORE_END, 2);
    expect_back(f, (struct counted){ .from = ONE "1", .to = ONE "3" }, STORE_END, 2);
    flip(ONE "3", VALUE_AT, 0);

    /* A key that has left its partition is missed there: at its end, and at its beginning. */
    flip(ONE "3", 0, 1);
    expect(f, one, STORE_CORRUPT, 2);
    expect(f, two, STORE_END, 3);
    flip("rartition one,3", 0, 1);
    flip(TWO "1", 0, 2);
    expect(f, two, STORE_CORRUPT, 0);
    expect(f, one, STORE_END, 3);
    flip("phe place two,1", 0, 2);

    /* So is one that has left its range, but is in its partition. */
    flip(ONE "2", sizeof ONE "2" - 2, 2);
    expect(f, (struct counted){ .from = ONE "1", .to = ONE "3" }, STORE_CORRUPT, 1);
    expect(f, (struct counted){ .from = ONE "3", .to = ONE "4" }, STORE_CORRUPT, 0);
    flip(ONE "6", sizeof ONE "2" - 2, 2);

    /* So is one with fewer bytes than all in the range have. */
    expect(f, (struct counted){ .from = TWO "1", .to = TWO "10" }, STORE_END, 1);
    flip(TWO "1", (size_t)-2, 0);
    expect(f, (struct counted){ .from = TWO "1", .to = TWO "10" }, STORE_CORRUPT, 0);
    close(page.fd);
}

/* The first and the last of a table, whose keys have few bytes in common. */
static void what_a_long_range_has_lost_at_its_ends(void **state)
{
    struct fixture *f = *state;
    struct counted upper = { .from = "t", .to = "u" }, lower = { .from = "p", .to = "q" }, rest = { .from = "t" };
    make_two(f);
    flip(TWO "1", 0, 2);
    expect(f, upper, STORE_CORRUPT, 0);
    expect_back(f, upper, STORE_CORRUPT, 2);
    expect(f, rest, STORE_CORRUPT, 0);
    expect(f, (struct counted){ .from = "u" }, STORE_END, 0);
    flip("phe place two,1", 0, 2);
    flip(ONE "3", 0, 1);
    expect(f, lower, STORE_CORRUPT, 2);
    expect_back(f, lower, STORE_CORRUPT, 0);
    close(page.fd);
}

/* As one does that goes on behind a key of 16 bytes; but the key has 17, and has lost the zero byte. */
static void a_range_that_begins_at_a_key_that_lost_its_last_byte(void **state)
{
    struct fixture *f = *state;
    static const char *key = TWO "55\0";
    make_two(f);
    assert_int_equal(put_one(f->s, SPACE_ITEM, slice_of((const uint8_t *)key, 17), SLICE("its values")), STORE_OK);
    open_root(f);
    struct counted at = { .from = key, .from_n = 17, .to = "the place two-" };
    expect(f, at, STORE_END, 1);
    expect(f, (struct counted){ .from = TWO "3", .to = TWO "4" }, STORE_END, 1);
    flip(TWO "55", (size_t)-2, 0);
    expect(f, at, STORE_CORRUPT, 0);
    close(page.fd);
}

/* As a put does that must know what was there. */
static int put_new(struct store_txn *t, void *ctx)
{
    struct slice value;
    int rc = store_get(t, SPACE_ITEM, slice_str(ctx), &value);
    return rc == STORE_NOT_FOUND ? store_put(t, SPACE_ITEM, slice_str(ctx), SLICE("new")) : rc;
}

static void a_damaged_value_keeps_no_key_beside_it_from_being_written(void **state)
{
    struct fixture *f = *state;
    char behind[] = TWO "4";
    make_two(f);
    flip(TWO "3", VALUE_AT, 0);
    assert_int_equal(store_update(f->s, put_new, behind), STORE_OK);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE(TWO "4"), NULL, 0, NULL), STORE_OK);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE(TWO "3"), NULL, 0, NULL), STORE_CORRUPT);
    close(page.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_flipped_bit_hides_nothing, fixture_setup_full, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_flipped_bit_hides_nothing_of_nodes_of_64_bytes, fixture_setup_full, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_flipped_bit_hides_nothing_of_nodes_of_32_bytes, fixture_setup_full, fixture_teardown),
        cmocka_unit_test_setup_teardown(what_is_damaged_beside_a_range, fixture_setup_full, fixture_teardown),
        cmocka_unit_test_setup_teardown(what_a_long_range_has_lost_at_its_ends, fixture_setup_full, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_range_that_begins_at_a_key_that_lost_its_last_byte, fixture_setup_full, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_damaged_value_keeps_no_key_beside_it_from_being_written, fixture_setup_full, fixture_teardown),
    };
    return cmocka_run_group_tests_name("leaves", tests, NULL, NULL);
}
