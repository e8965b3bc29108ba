/* longkeys.c: keys of any length sort as memcmp sorts them: random operations and ranges, both
 * ways, against a sorted array. The keys crowd around the lengths where a backend might cut them
 * and share long prefixes, and are made of few different bytes, among them the lowest and the
 * highest. */
#include "groups.h"
#include <stdio.h>
#include <stdlib.h>

#define MOST_KEYS 1200
#define BATCH     50

struct entry {
    uint8_t *p;
    size_t n;
    uint32_t value;
};

struct model {
    struct entry v[MOST_KEYS + BATCH];
    size_t n;
    uint32_t seed;
};

static struct slice entry_key(const struct entry *e)
{
    return slice_of(e->p, e->n);
}

/* The first entry not less than key. */
static size_t lower_bound(const struct model *m, struct slice key)
{
    size_t lo = 0, hi = m->n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (slice_cmp(entry_key(&m->v[mid]), key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool model_has(const struct model *m, size_t at, struct slice key)
{
    return at < m->n && slice_eq(entry_key(&m->v[at]), key);
}

static void model_put(struct model *m, struct slice key, uint32_t value)
{
    size_t at = lower_bound(m, key);

    if (!model_has(m, at, key)) {
        memmove(&m->v[at + 1], &m->v[at], (m->n - at) * sizeof *m->v);
        m->v[at] = (struct entry){ malloc(key.n), key.n, 0 };
        memcpy(m->v[at].p, key.p, key.n);
        m->n++;
    }
    m->v[at].value = value;
}

static void model_delete(struct model *m, struct slice key)
{
    size_t at = lower_bound(m, key);

    if (!model_has(m, at, key)) return;
    free(m->v[at].p);
    m->n--;
    memmove(&m->v[at], &m->v[at + 1], (m->n - at) * sizeof *m->v);
}

static uint32_t pick(struct model *m, uint32_t n)
{
    return next_random(&m->seed) % n;
}

static size_t random_length(struct model *m)
{
    /* 480 and then every 472 is where the local backend cuts; 511 is LMDB's own limit. */
    static const size_t around[] = { 8, 480, 511, 952, 1424, 2048, 3072, 16370 };
    size_t n = around[pick(m, pick(m, 4) ? 5 : 8)];

    return n - 4 + pick(m, 9);
}

static uint8_t random_byte(struct model *m)
{
    return (uint8_t[]){ 0, 'a', 'a', 'b', 0xff }[pick(m, 5)];
}

static struct slice random_key(struct model *m, uint8_t *buf)
{
    size_t n = random_length(m), shared = 0;

    if (m->n && pick(m, 10)) {
        const struct entry *like = &m->v[pick(m, (uint32_t)m->n)];

        if (pick(m, 4) == 0) { /* the same key, perhaps a little longer or shorter */
            n = like->n + pick(m, 3);
            n = n > 2 ? n - 1 : 1;
        }
        shared = like->n < n ? like->n : n;
        if (pick(m, 3) == 0) shared -= pick(m, (uint32_t)(shared < 600 ? shared : 600));
        memcpy(buf, like->p, shared);
    }
    if (n > STORE_MAX_KEY) n = STORE_MAX_KEY;
    if (shared > n) shared = n;
    memset(buf + shared, random_byte(m), n - shared);
    for (int i = 0; i < 3 && n > shared; i++)
        buf[shared + pick(m, (uint32_t)(n - shared))] = random_byte(m);
    return slice_of(buf, n);
}

static struct slice copy(struct slice s)
{
    uint8_t *p = malloc(s.n + 1);

    if (s.n) memcpy(p, s.p, s.n);
    return slice_of(p, s.n);
}

struct op {
    struct slice key; /* owned */
    bool put;
    uint32_t value;
};

struct round {
    struct model *m;
    struct op ops[BATCH];
    struct store_range r; /* owns from and to */
    const char *wrong;
};

static int check_range(struct store_txn *t, struct round *w)
{
    struct model *m = w->m;
    size_t lo = lower_bound(m, w->r.from), hi = w->r.to.n ? lower_bound(m, w->r.to) : m->n;
    struct store_cursor *c;
    struct slice key, value;
    int rc = store_range_open(t, &w->r, &c);

    for (size_t i = 0; rc == 0 && lo + i < hi; i++) {
        const struct entry *e = &m->v[w->r.reverse ? hi - 1 - i : lo + i];

        rc = store_range_next(c, &key, &value);
        if (rc) break;
        if (!slice_eq(key, entry_key(e)))
            w->wrong = "a range gave another key";
        else if (value.n != 4 || memcmp(value.p, &e->value, 4))
            w->wrong = "a range gave another value";
        if (w->wrong) return 1;
    }
    if (rc == STORE_END)
        w->wrong = "a range ended early";
    if (rc == 0) {
        rc = store_range_next(c, NULL, NULL);
        if (rc == 0) w->wrong = "a range went on";
        if (rc == STORE_END) rc = 0;
    }
    store_range_close(c);
    return w->wrong ? 1 : rc;
}

/* The same range by store_range_each, which gives values only. */
struct each {
    struct round *w;
    size_t at, lo, hi;
};

static int check_value(void *ctx, struct slice value)
{
    struct each *e = ctx;
    size_t left = e->hi - e->lo;

    if (e->at == left) {
        e->w->wrong = "each went on";
    } else {
        const struct entry *x = &e->w->m->v[e->w->r.reverse ? e->hi - 1 - e->at : e->lo + e->at];

        e->at++;
        if (value.n != 4 || memcmp(value.p, &x->value, 4)) e->w->wrong = "each gave another value";
    }
    return e->w->wrong ? 1 : 0;
}

static int check_each(struct store_txn *t, struct round *w)
{
    struct model *m = w->m;
    struct each e = { w, 0, lower_bound(m, w->r.from), w->r.to.n ? lower_bound(m, w->r.to) : m->n };
    struct store_cursor *c;
    int rc = store_range_open(t, &w->r, &c);

    if (e.hi < e.lo) e.hi = e.lo;
    if (rc == 0) rc = store_range_each(c, check_value, &e);
    if (rc == STORE_END && e.at != e.hi - e.lo) w->wrong = "each ended early";
    store_range_close(c);
    return w->wrong ? 1 : rc == STORE_END ? 0 : rc;
}

static int check_gets(struct store_txn *t, struct round *w)
{
    struct slice value;

    for (int i = 0; i < BATCH; i += 5) {
        struct slice key = w->ops[i].key;
        size_t at = lower_bound(w->m, key);
        int rc = store_get(t, SPACE_ITEM, key, &value);

        if (rc && rc != STORE_NOT_FOUND) return rc;
        if ((rc == 0) != model_has(w->m, at, key))
            w->wrong = "get and model differ about a key";
        else if (rc == 0 && memcmp(value.p, &w->m->v[at].value, 4))
            w->wrong = "get gave another value";
        if (w->wrong) return 1;
    }
    return 0;
}

static int check_fn(struct store_txn *t, void *ctx)
{
    int rc = check_range(t, ctx);

    if (rc == 0) rc = check_each(t, ctx);
    return rc ? rc : check_gets(t, ctx);
}

static int ops_fn(struct store_txn *t, void *ctx)
{
    struct round *w = ctx;

    for (int i = 0; i < BATCH; i++) {
        struct op *o = &w->ops[i];
        int rc = o->put ? store_put(t, SPACE_ITEM, o->key, slice_of(&o->value, 4))
                        : store_delete(t, SPACE_ITEM, o->key);

        if (rc) return rc;
    }
    return check_fn(t, ctx); /* what was just written is seen */
}

static void random_range(struct model *m, struct store_range *r)
{
    static uint8_t buf[STORE_MAX_KEY + 1024];

    r->space = SPACE_ITEM;
    r->reverse = pick(m, 2);
    r->from = copy(pick(m, 5) ? random_key(m, buf) : slice_of(buf, 0));
    r->to = copy(pick(m, 5) ? random_key(m, buf) : slice_of(buf, 0));
    if (r->to.n && pick(m, 8) && slice_cmp(r->from, r->to) > 0) {
        struct slice swap = r->from;

        r->from = r->to;
        r->to = swap;
    }
}

static void run_round(struct store *s, struct model *m, bool shrink)
{
    static uint8_t buf[STORE_MAX_KEY + 1024];
    struct round w = { .m = m };

    for (int i = 0; i < BATCH; i++) {
        struct op *o = &w.ops[i];
        bool full = m->n >= MOST_KEYS;

        o->put = !shrink && !full && pick(m, 3) > 0;
        o->value = next_random(&m->seed);
        if (!o->put && m->n && pick(m, 4))
            o->key = copy(entry_key(&m->v[pick(m, (uint32_t)m->n)]));
        else
            o->key = copy(random_key(m, buf));
        if (o->put)
            model_put(m, o->key, o->value);
        else
            model_delete(m, o->key);
    }
    random_range(m, &w.r);
    if (store_update(s, ops_fn, &w)) fail_msg("%s", w.wrong ? w.wrong : "an operation failed");
    if (store_view(s, check_fn, &w)) fail_msg("after commit: %s", w.wrong ? w.wrong : "failed");
    for (int i = 0; i < BATCH; i++)
        free((void *)w.ops[i].key.p);
    free((void *)w.r.from.p);
    free((void *)w.r.to.p);
}

static void random_operations_match_a_sorted_array(void **state)
{
    struct fixture *f = *state;
    struct model *m = calloc(1, sizeof *m);
    const char *seed = getenv("ONEFOLD_TEST_SEED"), *more = getenv("ONEFOLD_TEST_ROUNDS");
    int rounds = ROUNDS(fixture_is("delayed") ? 40 : fixture_is("full") ? 300 : 600);

    /* For a longer search: ONEFOLD_TEST_SEED=7 ONEFOLD_TEST_ROUNDS=10000 test_store memory */
    m->seed = seed ? (uint32_t)strtoul(seed, NULL, 10) : 20240229;
    if (more) rounds = (int)strtoul(more, NULL, 10);
    for (int i = 0; i < rounds; i++)
        run_round(f->s, m, i % 100 > 90);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, false), m->n);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, true), m->n);
    while (m->n)
        run_round(f->s, m, true);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, false), 0);
    free(m);
}

#define LONG 2000

static int put_long(struct store_txn *t, void *ctx)
{
    static uint8_t key[STORE_MAX_KEY];
    int rc = 0;

    (void)ctx;
    memset(key, 'p', sizeof key);
    for (uint32_t i = 0; rc == 0 && i < LONG; i++) {
        snprintf((char *)key + 600, 9, "%08u", i * 7919 % LONG);
        rc = store_put(t, SPACE_INDEX, slice_of(key, 608), slice_of(&i, 4));
    }
    if (rc == 0) rc = store_put(t, SPACE_INDEX, slice_of(key, STORE_MAX_KEY), SLICE("longest"));
    return rc;
}

static void many_long_keys_with_one_prefix(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(store_update(f->s, put_long, NULL), 0);
    assert_int_equal(count_keys(f->s, SPACE_INDEX, false), LONG + 1);
    assert_int_equal(count_keys(f->s, SPACE_INDEX, true), LONG + 1);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, true), 0);
}

int longkeys_group(void)
{
    const struct CMUnitTest tests[] = {
        TEST(random_operations_match_a_sorted_array),
        TEST(many_long_keys_with_one_prefix),
    };

    return cmocka_run_group_tests_name("longkeys", tests, NULL, NULL);
}
