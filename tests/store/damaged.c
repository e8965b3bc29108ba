/* damaged.c: updates that meet damage in the data file. The one that met it fails, alone: those of its batch are committed and answered, whatever
 * LMDB makes of the transaction it was found in, and the store goes on. */
#include "fixture.h"
#include "store/local/pages.h"
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ITEMS    2000
#define COUNTERS 600 /* more than a page has room for */
#define LONG     600 /* bytes of a key that leads to a list, local/keys.h */

#define PAGE_FIXED_KEYS 0x20 /* a flag of LMDB's that no page of ours has */

static struct slice counter_name(char *to, size_t size, unsigned i)
{
    snprintf(to, size, "c%04u", i);
    return slice_str(to);
}

static struct slice long_key(uint8_t *key, unsigned i)
{
    memset(key, 'l', LONG);
    key[LONG - 1] = (uint8_t)i;
    return slice_of(key, LONG);
}

static int fill(struct store_txn *t, void *ctx)
{
    char name[16];
    uint8_t key[LONG];
    int rc = 0;
    (void)ctx;
    for (unsigned i = 0; !rc && i < ITEMS; i++) {
        snprintf(name, sizeof name, "i%06u", i);
        rc = store_put(t, SPACE_ITEM, slice_str(name), SLICE("thirty bytes or so in every one"));
    }
    for (unsigned i = 0; !rc && i < COUNTERS; i++) rc = store_add(t, counter_name(name, sizeof name, i), 7);
    for (unsigned i = 0; !rc && i < 10; i++) rc = store_put(t, SPACE_TOKEN, long_key(key, i), SLICE("v"));
    return rc;
}

/* A store with all of that, closed. */
static int with_data(void **state)
{
    if (fixture_setup_full(state)) return -1;
    struct fixture *f = *state;
    if (store_update(f->s, fill, NULL)) return -1;
    fixture_close(f);
    return 0;
}

/* ---- the damage ---- */

static struct {
    int fd;
    size_t page_size;
    uint64_t number;
    uint8_t bytes[PAGE_MAX];
} page;

static void load(uint64_t number)
{
    page.number = number;
    assert_int_equal(pread(page.fd, page.bytes, page.page_size, (off_t)(number * page.page_size)), page.page_size);
}

static void save(void)
{
    assert_int_equal(pwrite(page.fd, page.bytes, page.page_size, (off_t)(page.number * page.page_size)), page.page_size);
    close(page.fd);
}

static uint8_t *node_at(size_t i)
{
    return page.bytes + pages_number(page.bytes + PAGE_HEADER + 2 * i, 2);
}

/* Loads the page with the records of all databases; save ends that. The record of one of them. */
static uint8_t *open_main(const struct fixture *f, const char *database)
{
    char path[100];
    struct pages_meta meta;
    struct pages_node node = { .size = 0 };
    snprintf(path, sizeof path, "%s/data.mdb", f->dir);
    page.fd = open(path, O_RDWR);
    assert_true(page.fd >= 0);
    assert_null(pages_read_meta(page.fd, &meta));
    page.page_size = meta.page_size;
    load(meta.main.root);
    for (size_t i = 0; !slice_eq(node.key, slice_str(database)); i++) {
        assert_true(i < pages_nodes(page.bytes));
        pages_node(page.bytes, i, &node);
    }
    return page.bytes + (node.data - page.bytes);
}

/* Loads a database's root; save ends that. */
static void open_root(const struct fixture *f, const char *database)
{
    load(pages_db(open_main(f, database)).root);
}

/* A database whose record says that its root is where the file's head is: LMDB asserts that it is not, as soon as a transaction looks there. */
static void uproot(const struct fixture *f, const char *database)
{
    uint8_t *record = open_main(f, database);
    memset(record + 40, 0, 8);
    save();
}

/* A branch that leads to a page beyond the file's last: LMDB says so, and takes no more of the transaction. */
static void lead_astray(const struct fixture *f, const char *database, bool last)
{
    open_root(f, database);
    assert_int_equal(pages_flags(page.bytes), PAGE_BRANCH);
    memcpy(node_at(last ? pages_nodes(page.bytes) - 1 : 0), "\xff\xff\xff\x7f\0\0", 6);
    save();
}

/* A page that is of no kind that a tree has: the same. */
static void mistake_kind(const struct fixture *f, const char *database)
{
    open_root(f, database);
    assert_int_equal(pages_flags(page.bytes), PAGE_LEAF);
    page.bytes[10] = PAGE_OVERFLOW;
    save();
}

/* A branch with one child: LMDB asserts that there are more. */
static void leave_one_child(const struct fixture *f, const char *database)
{
    open_root(f, database);
    assert_int_equal(pages_flags(page.bytes), PAGE_BRANCH);
    memcpy(page.bytes + 12, (uint8_t[]){ PAGE_HEADER + 2, 0 }, 2);
    save();
}

static void open_first_leaf(const struct fixture *f, const char *database)
{
    struct pages_node node;
    open_root(f, database);
    while (pages_flags(page.bytes) == PAGE_BRANCH) {
        pages_node(page.bytes, 0, &node);
        load(node.child);
    }
}

/* A first leaf whose keys have no length and are over two thousand million: LMDB's search among them adds its bounds up to a negative number, and goes on for ever. */
static void never_end(const struct fixture *f, const char *database)
{
    open_first_leaf(f, database);
    page.bytes[10] |= PAGE_FIXED_KEYS;
    memset(page.bytes + 12, 0, 2);
    save();
}

/* The first value of the first leaf: its checksum is wrong then. */
static void spoil_first_value(const struct fixture *f, const char *database)
{
    struct pages_node node;
    open_first_leaf(f, database);
    pages_node(page.bytes, 0, &node);
    page.bytes[(size_t)(node.data - page.bytes) + node.size - 1] ^= 0x10;
    save();
}

/* The first key of the first leaf, which stays the first. */
static void spoil_first_key(const struct fixture *f, const char *database)
{
    struct pages_node node;
    open_first_leaf(f, database);
    pages_node(page.bytes, 0, &node);
    page.bytes[node.key.p - page.bytes] ^= 0x01;
    save();
}

/* Counters by number: those of the tree's second page. */
static struct {
    unsigned from, to;
} second_page;

static unsigned first_counter_of(size_t child)
{
    char name[16] = "";
    struct pages_node node;
    pages_node(page.bytes, child, &node);
    memcpy(name, node.key.p, node.key.n < sizeof name ? node.key.n : sizeof name - 1);
    return (unsigned)strtoul(name + 1, NULL, 10);
}

static void find_second_page(const struct fixture *f)
{
    open_root(f, "counter");
    assert_true(pages_nodes(page.bytes) > 2);
    second_page.from = first_counter_of(1);
    second_page.to = first_counter_of(2);
    assert_true(second_page.from > 0 && second_page.to > second_page.from + 1);
    save();
}

/* ---- the updates ---- */

/* What an update does, in this order; then it puts its number, unless it only counts or only reads. */
struct work {
    enum { NOTHING, SCAN, SCAN_BACK, SCAN_EACH, PUT_LONG, DELETE_LONG } first;
    enum store_space space;       /* to scan */
    bool hides;                   /* says that all is well, whatever the first thing gave */
    const char *forgets, *counts; /* counters */
    bool forgets_page;            /* all counters but one of the second page */
    bool puts_nothing;
    int expected;
    /* filled by run_together */
    struct store_job job;
    uint8_t number;
    int runs;
    sem_t *done;
};

static int pass(void *ctx, struct slice value)
{
    (void)ctx;
    (void)value;
    return 0;
}

static int scan(struct store_txn *t, const struct work *w)
{
    struct store_range all = { .space = w->space, .reverse = w->first == SCAN_BACK };
    struct store_cursor *c;
    int rc = store_range_open(t, &all, &c);
    if (rc) return rc;
    if (w->first == SCAN_EACH) rc = store_range_each(c, pass, NULL);
    while (!rc) rc = store_range_next(c, NULL, NULL);
    return rc == STORE_END ? 0 : rc;
}

static int do_first(struct store_txn *t, const struct work *w)
{
    uint8_t key[LONG];
    switch (w->first) {
    case NOTHING: return 0;
    case PUT_LONG: return store_put(t, SPACE_TOKEN, long_key(key, 77), SLICE("v"));
    case DELETE_LONG: return store_delete(t, SPACE_TOKEN, long_key(key, 1));
    default: return scan(t, w);
    }
}

static int forget_page(struct store_txn *t)
{
    char name[16];
    int rc = 0;
    for (unsigned i = second_page.from + 1; !rc && i < second_page.to; i++) rc = store_add_reset(t, counter_name(name, sizeof name, i));
    return rc;
}

static int work_fn(struct store_txn *t, void *ctx)
{
    struct work *w = ctx;
    int rc = do_first(t, w);
    w->runs++;
    if (w->hides) rc = 0;
    if (!rc && w->forgets) rc = store_add_reset(t, slice_str(w->forgets));
    if (!rc && w->forgets_page) rc = forget_page(t);
    if (!rc && w->counts) rc = store_add(t, slice_str(w->counts), 1);
    return rc || w->puts_nothing ? rc : store_put(t, SPACE_META, slice_of(&w->number, 1), SLICE("done"));
}

static void work_done(struct store_job *job)
{
    sem_post(((struct work *)job->ctx)->done);
}

/* As one batch. */
static void run_together(struct store *s, struct work *works, size_t n)
{
    sem_t done;
    sem_init(&done, 0, 0);
    for (size_t i = 0; i < n; i++) {
        works[i].number = (uint8_t)i;
        works[i].done = &done;
        works[i].job = (struct store_job){ .fn = work_fn, .ctx = &works[i], .done = work_done };
        if (i) works[i - 1].job.next = &works[i].job;
    }
    store_submit_all(s, &works[0].job, &works[n - 1].job);
    for (size_t i = 0; i < n; i++) sem_wait(&done);
    sem_destroy(&done);
}

static void assert_done(struct store *s, const struct work *works, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool put = !works[i].expected && !works[i].puts_nothing;
        int rc = get_one(s, SPACE_META, slice_of(&works[i].number, 1), NULL, 0, NULL);
        if (works[i].job.status != works[i].expected) fail_msg("update %zu: %d, not %d", i, works[i].job.status, works[i].expected);
        if (rc != (put ? STORE_OK : STORE_NOT_FOUND)) fail_msg("update %zu: reading what it put gave %d", i, rc);
    }
}

/* Opens the store, runs them, and looks at what became of each and of the store, then and after a restart. */
static void assert_each_alone(struct fixture *f, struct work *works, size_t n)
{
    struct store_stats stats;
    size_t failed = 0;
    fixture_reopen(f);
    run_together(f->s, works, n);
    assert_done(f->s, works, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(works[i].runs <= 4);
        failed += works[i].expected != 0;
    }
    store_get_stats(f->s, &stats);
    assert_int_equal(stats.state, STORE_OK);
    assert_true(stats.commits <= failed + 1); /* those between two that fail are one batch */
    assert_int_equal(put_one(f->s, SPACE_META, SLICE("after"), SLICE("v")), 0);
    fixture_reopen(f);
    assert_done(f->s, works, n);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define HEALTHY  "c0599" /* the last counter, on the last page */
#define FIRST    "c0000"

/* Updates that scan a damaged space, among others that do not. */
static void assert_scans_fail_alone(struct fixture *f, enum store_space space)
{
    struct work works[] = {
        { .counts = HEALTHY },
        { .first = SCAN, .space = space, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
        { .counts = HEALTHY },
        { .first = SCAN_BACK, .space = space, .expected = STORE_CORRUPT, .puts_nothing = true },
        { .first = SCAN_EACH, .space = space, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
        { .first = SCAN, .space = space, .hides = true, .expected = STORE_CORRUPT },
        { .first = SCAN, .space = space, .hides = true, .puts_nothing = true, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
        { .first = SCAN, .space = space, .expected = STORE_CORRUPT },
    };
    assert_each_alone(f, works, COUNT(works));
    assert_int_equal(sum_one(f->s, SLICE(HEALTHY)), 7 + 5);
}

static void a_range_that_leads_astray(void **state)
{
    lead_astray(*state, "item", true);
    assert_scans_fail_alone(*state, SPACE_ITEM);
}

static void a_range_in_a_list_of_long_keys(void **state)
{
    mistake_kind(*state, "tails");
    assert_scans_fail_alone(*state, SPACE_TOKEN);
}

static void a_range_on_a_page_that_LMDB_asserts_not_to_be(void **state)
{
    leave_one_child(*state, "item");
    assert_scans_fail_alone(*state, SPACE_ITEM);
}

/* Nothing is tried after it but the commit, which would be LMDB's last word. */
static void a_range_that_leads_astray_at_the_end_of_a_batch(void **state)
{
    struct work works[] = {
        { .number = 0 },
        { .first = SCAN, .space = SPACE_ITEM, .expected = STORE_CORRUPT, .puts_nothing = true },
    };
    lead_astray(*state, "item", false);
    assert_each_alone(*state, works, COUNT(works));
}

/* That is not LMDB's matter: who can do without it may. */
static void a_range_with_a_damaged_value(void **state)
{
    struct work works[] = {
        { .first = SCAN_EACH, .space = SPACE_ITEM, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
        { .first = SCAN_EACH, .space = SPACE_ITEM, .hides = true },
    };
    struct store_stats stats;
    struct fixture *f = *state;
    spoil_first_value(f, "item");
    fixture_reopen(f);
    run_together(f->s, works, COUNT(works));
    assert_done(f->s, works, COUNT(works));
    store_get_stats(f->s, &stats);
    assert_true(stats.commits == 1 && stats.reruns == 0);
}

static void a_search_that_does_not_end(void **state)
{
    struct fixture *f = *state;
    never_end(f, "item");
    fixture_reopen(f);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("i000001"), NULL, 0, NULL), STORE_CORRUPT);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("i001999"), NULL, 0, NULL), STORE_OK);
    assert_int_equal(put_one(f->s, SPACE_ITEM, SLICE("i000001"), SLICE("v")), STORE_CORRUPT);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("i001999"), NULL, 0, NULL), STORE_OK);
}

static int read_range(struct store_txn *t, void *ctx)
{
    struct store_range range = { .space = *(const enum store_space *)ctx };
    struct store_cursor *cursor;
    struct slice key;
    int rc = store_range_open(t, &range, &cursor);
    if (rc) return rc;
    rc = store_range_next(cursor, &key, NULL);
    store_range_close(cursor);
    return rc;
}

static void a_database_without_a_root(void **state)
{
    struct fixture *f = *state;
    enum store_space item = SPACE_ITEM, token = SPACE_TOKEN;
    uproot(f, "item");
    fixture_reopen(f);
    assert_int_equal(store_view(f->s, read_range, &item), STORE_CORRUPT);
    assert_int_equal(store_update(f->s, read_range, &item), STORE_CORRUPT);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("i000001"), NULL, 0, NULL), STORE_CORRUPT);
    assert_int_equal(put_one(f->s, SPACE_TOKEN, SLICE("t"), SLICE("v")), STORE_OK);
    assert_int_equal(put_one(f->s, SPACE_ITEM, SLICE("i000001"), SLICE("v")), STORE_CORRUPT);
    assert_int_equal(store_view(f->s, read_range, &token), STORE_OK);
}

static void writes_of_long_keys(void **state)
{
    struct work works[] = {
        { .counts = HEALTHY },
        { .first = PUT_LONG, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
        { .first = PUT_LONG, .hides = true, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
        { .first = DELETE_LONG, .hides = true, .expected = STORE_CORRUPT },
        { .first = DELETE_LONG, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
    };
    spoil_first_value(*state, "token"); /* the node that leads to the list */
    assert_each_alone(*state, works, COUNT(works));
}

/* Updates that add to a damaged counter, among others that do not. */
static void assert_counts_fail_alone(struct fixture *f)
{
    struct work works[60] = { { .number = 0 } };
    for (size_t i = 0; i < COUNT(works); i++) {
        bool damaged = i % 4 == 1 || i == COUNT(works) - 1;
        works[i] = (struct work){ .counts = damaged ? FIRST : HEALTHY, .expected = damaged ? STORE_CORRUPT : STORE_OK, .puts_nothing = i % 8 == 5 };
    }
    works[20].counts = NULL;
    assert_each_alone(f, works, COUNT(works));
    assert_int_equal(sum_one(f->s, SLICE(HEALTHY)), 7 + 60 - 16 - 1);
}

static void a_search_for_a_counter_that_does_not_end(void **state)
{
    never_end(*state, "counter");
    assert_counts_fail_alone(*state);
}

static void a_damaged_counter(void **state)
{
    spoil_first_value(*state, "counter");
    assert_counts_fail_alone(*state);
}

/* Tables are numbered as they come: the counters of each new one lie behind those of the last. */
static void a_new_counter_beside_a_damaged_one(void **state)
{
    struct fixture *f = *state;
    struct work works[] = {
        { .counts = "bzzzz" },
        { .counts = FIRST, .expected = STORE_CORRUPT },
        { .counts = "bzzzz" },
        { .counts = "bzzzzz" },
    };
    spoil_first_value(f, "counter");
    assert_each_alone(f, works, COUNT(works));
    assert_int_equal(sum_one(f->s, SLICE("bzzzz")), 2);
}

static void a_counter_whose_key_is_damaged(void **state)
{
    struct fixture *f = *state;
    struct work works[] = {
        { .counts = FIRST, .expected = STORE_CORRUPT },
        { .counts = "c0000a" }, /* its neighbour is that one, but not its own */
        { .counts = HEALTHY },
    };
    spoil_first_key(f, "counter");
    assert_each_alone(f, works, COUNT(works));
}

static void a_counter_to_which_no_page_leads(void **state)
{
    lead_astray(*state, "counter", false);
    assert_counts_fail_alone(*state);
}

/* Whatever it or its neighbour holds. */
static void a_damaged_counter_can_be_forgotten(void **state)
{
    struct fixture *f = *state;
    struct work works[] = {
        { .counts = HEALTHY },
        { .counts = FIRST, .expected = STORE_CORRUPT },
        { .forgets = "c0000a" },
        { .forgets = FIRST, .counts = FIRST },
        { .counts = FIRST },
        { .counts = HEALTHY },
    };
    spoil_first_value(f, "counter");
    assert_each_alone(f, works, COUNT(works));
    assert_int_equal(sum_one(f->s, SLICE(FIRST)), 2);
    assert_int_equal(sum_one(f->s, SLICE(HEALTHY)), 9);
}

static void a_counter_to_which_no_page_leads_cannot_be_forgotten(void **state)
{
    struct work works[] = {
        { .counts = HEALTHY },
        { .forgets = FIRST, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
        { .forgets = FIRST, .counts = FIRST, .puts_nothing = true, .expected = STORE_CORRUPT },
        { .forgets = HEALTHY, .counts = HEALTHY },
    };
    lead_astray(*state, "counter", false);
    assert_each_alone(*state, works, COUNT(works));
    assert_int_equal(sum_one(((struct fixture *)*state)->s, SLICE(HEALTHY)), 1);
}

/* The page that is left nearly empty would be merged with the one before it. */
static void a_counter_whose_page_cannot_be_merged(void **state)
{
    struct work works[] = {
        { .counts = HEALTHY },
        { .forgets_page = true, .expected = STORE_CORRUPT },
        { .counts = HEALTHY },
        { .counts = HEALTHY },
    };
    find_second_page(*state);
    lead_astray(*state, "counter", false);
    assert_each_alone(*state, works, COUNT(works));
    assert_int_equal(sum_one(((struct fixture *)*state)->s, SLICE(HEALTHY)), 7 + 3);
}

/* All of them are behind that page, but what counts nothing is done. */
static void counters_on_a_page_that_LMDB_asserts_not_to_be(void **state)
{
    struct work works[] = {
        { .number = 0 },
        { .counts = FIRST, .expected = STORE_CORRUPT },
        { .number = 0 },
        { .counts = HEALTHY, .expected = STORE_CORRUPT },
        { .forgets = FIRST, .expected = STORE_CORRUPT },
        { .number = 0 },
    };
    leave_one_child(*state, "counter");
    assert_each_alone(*state, works, COUNT(works));
}

#define WITH_DATA(f) cmocka_unit_test_setup_teardown(f, with_data, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATA(a_range_that_leads_astray),
        WITH_DATA(a_range_in_a_list_of_long_keys),
        WITH_DATA(a_range_on_a_page_that_LMDB_asserts_not_to_be),
        WITH_DATA(a_range_that_leads_astray_at_the_end_of_a_batch),
        WITH_DATA(a_range_with_a_damaged_value),
        WITH_DATA(a_search_that_does_not_end),
        WITH_DATA(a_database_without_a_root),
        WITH_DATA(a_search_for_a_counter_that_does_not_end),
        WITH_DATA(writes_of_long_keys),
        WITH_DATA(a_damaged_counter),
        WITH_DATA(a_new_counter_beside_a_damaged_one),
        WITH_DATA(a_counter_whose_key_is_damaged),
        WITH_DATA(a_counter_to_which_no_page_leads),
        WITH_DATA(a_damaged_counter_can_be_forgotten),
        WITH_DATA(a_counter_to_which_no_page_leads_cannot_be_forgotten),
        WITH_DATA(a_counter_whose_page_cannot_be_merged),
        WITH_DATA(counters_on_a_page_that_LMDB_asserts_not_to_be),
    };
    return cmocka_run_group_tests_name("damaged", tests, NULL, NULL);
}
