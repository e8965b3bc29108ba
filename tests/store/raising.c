/* raising.c: see raising.h. */
#include "raising.h"
#include <semaphore.h>
#include <stdio.h>

#define FIXED      40   /* items that are always there */
#define LONG_KEY   2600 /* longer than what one row of an index holds */
#define LONG_KEYS  3
#define AT_ONCE    3
#define OWN_ANSWER 7    /* what a function fails with by itself */

/* ---- what is in the store ---- */

static struct slice number_key(char key[20], char first, uint64_t n)
{
    snprintf(key, 20, "%c%018llu", first, (unsigned long long)(n % UINT64_C(1000000000000000000)));
    return slice_of(key, 19);
}

static struct slice long_key(uint8_t key[LONG_KEY], unsigned n)
{
    memset(key, 'l', LONG_KEY);
    key[LONG_KEY - 1] = (uint8_t)('a' + n);
    return slice_of(key, LONG_KEY);
}

static int fill(struct store_txn *t, void *ctx)
{
    char key[20];
    uint8_t longer[LONG_KEY];
    int rc = STORE_OK;
    (void)ctx;
    for (unsigned i = 0; i < FIXED && !rc; i++) rc = store_put(t, SPACE_ITEM, number_key(key, 'f', i), SLICE("fixed"));
    for (unsigned i = 0; i < LONG_KEYS && !rc; i++) rc = store_put(t, SPACE_INDEX, long_key(longer, i), SLICE("long"));
    if (!rc) rc = store_put(t, SPACE_INDEX, SLICE("short"), SLICE("short"));
    return rc ? rc : store_put(t, SPACE_TOKEN, SLICE("token"), SLICE("token"));
}

static uint64_t number_of(struct slice value)
{
    return value.n == 8 ? slice_big_endian(value.p, 8) : 0;
}

static int read_number(struct store_txn *t, uint64_t *n)
{
    struct slice value;
    int rc = store_get(t, SPACE_META, SLICE("number"), &value);
    *n = rc ? 0 : number_of(value);
    return rc == STORE_NOT_FOUND ? STORE_OK : rc;
}

static int write_number(struct store_txn *t, uint64_t n)
{
    uint8_t bytes[8];
    char key[20];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(n >> (56 - 8 * i));
    int rc = store_put(t, SPACE_META, SLICE("number"), slice_of(bytes, 8));
    if (!rc) rc = store_put(t, SPACE_ITEM, number_key(key, 'r', n), SLICE("row"));
    return rc ? rc : store_add(t, SLICE("number"), 1);
}

static int count_range(struct store_txn *t, const struct store_range *r, unsigned *n)
{
    struct store_cursor *c;
    int rc = store_range_open(t, r, &c);
    for (*n = 0; !rc; ++*n) rc = store_range_next(c, NULL, NULL);
    --*n;
    return rc == STORE_END ? STORE_OK : rc;
}

/* ---- updates ---- */

static int raise_number(struct store_txn *t, void *ctx)
{
    uint64_t n;
    int rc = read_number(t, &n);
    (void)ctx;
    return rc ? rc : write_number(t, n + 1);
}

static int raise_unread(struct store_txn *t, void *ctx)
{
    return write_number(t, ((struct world *)ctx)->n + 1);
}

static int raise_after_many(struct store_txn *t, void *ctx)
{
    char key[20];
    struct store_read reads[] = { { .space = SPACE_META, .key = SLICE("number") },
                                  { .space = SPACE_ITEM, .key = number_key(key, 'f', 3) },
                                  { .space = SPACE_TOKEN, .key = SLICE("token") },
                                  { .space = SPACE_TOKEN, .key = SLICE("none") } };
    (void)ctx;
    int rc = store_get_many(t, reads, 4);
    if (!rc && (reads[1].status || reads[2].status || reads[3].status != STORE_NOT_FOUND)) return STORE_INVALID;
    return rc ? rc : write_number(t, reads[0].status ? 1 : number_of(reads[0].value) + 1);
}

/* As who drops a table writes down how large it was. */
static int raise_in_new_epoch(struct store_txn *t, void *ctx)
{
    const struct world *w = ctx;
    int64_t sum, epoch;
    int rc = store_epoch(t, &epoch);
    if (!rc) rc = store_new_epoch(t);
    if (!rc) rc = store_sum(t, SLICE("number"), &sum);
    if (!rc && (uint64_t)sum != w->n) return STORE_INVALID;
    return rc ? rc : raise_number(t, ctx);
}

static int raise_with_series(struct store_txn *t, void *ctx)
{
    char key[20];
    uint64_t number, next;
    int rc = store_next(t, SLICE("another"), 1, &number);
    if (!rc) rc = store_next(t, SLICE("series"), 1, &number);
    if (!rc) rc = store_next(t, SLICE("series"), 1, &next);
    if (!rc && next <= number) return STORE_INVALID;
    if (!rc) rc = store_put(t, SPACE_STREAM, number_key(key, 's', number), SLICE("record"));
    return rc ? rc : raise_number(t, ctx);
}

static int raise_after_ranges(struct store_txn *t, void *ctx)
{
    const struct {
        struct store_range range;
        unsigned count;
    } all[] = { { { .space = SPACE_ITEM, .from = SLICE("f"), .to = SLICE("g") }, FIXED },
                { { .space = SPACE_ITEM, .from = SLICE("f"), .to = SLICE("g"), .reverse = true, .limit = 7 }, FIXED },
                { { .space = SPACE_INDEX, .limit = 2 }, LONG_KEYS + 1 },
                { { .space = SPACE_INDEX, .reverse = true, .limit = 2 }, LONG_KEYS + 1 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned n;
        int rc = count_range(t, &all[i].range, &n);
        if (rc) return rc;
        if (n != all[i].count) return STORE_INVALID;
    }
    struct slice value; /* of a key between those that came: it is known that there is none */
    int rc = store_get(t, SPACE_ITEM, SLICE("f0 and more"), &value);
    return rc != STORE_NOT_FOUND ? rc : raise_number(t, ctx);
}

/* What is read and missing stays so until the commit, whether it is put or not. */
static int raise_after_missing(struct store_txn *t, void *ctx)
{
    char key[20];
    struct slice value;
    int rc = store_get(t, SPACE_ITEM, SLICE("missing"), &value);
    if (rc == STORE_NOT_FOUND) rc = store_get(t, SPACE_ITEM, SLICE("missing, too"), &value);
    if (rc == STORE_NOT_FOUND) rc = store_put(t, SPACE_ITEM, SLICE("missing"), SLICE("not for long"));
    if (!rc) rc = store_delete(t, SPACE_ITEM, SLICE("missing"));
    if (!rc) rc = store_get(t, SPACE_ITEM, number_key(key, 'f', 5), &value);
    if (!rc) rc = store_delete(t, SPACE_TOKEN, SLICE("never there"));
    if (!rc) rc = store_put(t, SPACE_ITEM, number_key(key, 'f', 6), SLICE("fixed"));
    return rc ? rc : raise_number(t, ctx);
}

static int raise_after_reset(struct store_txn *t, void *ctx)
{
    int64_t sum;
    int rc = store_add(t, SLICE("other"), 5);
    if (!rc) rc = store_add_reset(t, SLICE("other"));
    if (!rc) rc = store_add(t, SLICE("other"), 3);
    if (!rc) rc = store_sum(t, SLICE("other"), &sum);
    if (!rc && sum != 3) return STORE_INVALID;
    return rc ? rc : raise_number(t, ctx);
}

/* What it goes by turns out to be old, the first time. */
static int raise_after_refusal(struct store_txn *t, void *ctx)
{
    struct world *w = ctx;
    if (!atomic_fetch_add(&w->runs, 1)) store_refuse(t, STORE_CONFLICT);
    return raise_number(t, ctx);
}

/* Writes, and then fails by itself, after what it has read. */
static int change_its_mind(struct store_txn *t, void *ctx)
{
    char key[20];
    struct slice value;
    int rc = store_get(t, SPACE_ITEM, number_key(key, 'f', 1), &value);
    if (!rc) rc = store_get(t, SPACE_ITEM, number_key(key, 'f', 2), &value);
    if (!rc) rc = raise_number(t, ctx);
    return rc ? rc : OWN_ANSWER;
}

static int only_look(struct store_txn *t, void *ctx)
{
    uint64_t n;
    int64_t epoch;
    int rc = store_epoch(t, &epoch);
    if (!rc) rc = read_number(t, &n);
    return rc ? rc : n == ((struct world *)ctx)->n ? STORE_OK : STORE_INVALID;
}

/* ---- views: found is to be the number ---- */

static int found(struct world *w, int rc, uint64_t n)
{
    if (!rc) atomic_store(&w->found, n);
    return rc;
}

static int look_at_number(struct store_txn *t, void *ctx)
{
    uint64_t n;
    int rc = read_number(t, &n);
    return found(ctx, rc, n);
}

static int look_at_sum(struct store_txn *t, void *ctx)
{
    int64_t sum;
    int rc = store_sum(t, SLICE("number"), &sum);
    return found(ctx, rc, (uint64_t)sum);
}

static int look_at_epoch(struct store_txn *t, void *ctx)
{
    int64_t epoch;
    int rc = store_epoch(t, &epoch);
    return found(ctx, rc ? rc : epoch < 0 ? STORE_INVALID : STORE_OK, ((struct world *)ctx)->n);
}

static int look_at_many(struct store_txn *t, void *ctx)
{
    char key[20];
    struct store_read reads[] = { { .space = SPACE_ITEM, .key = number_key(key, 'f', 3) },
                                  { .space = SPACE_META, .key = SLICE("number") },
                                  { .space = SPACE_INDEX, .key = SLICE("none") } };
    int rc = store_get_many(t, reads, 3);
    if (!rc && (reads[0].status || reads[2].status != STORE_NOT_FOUND)) rc = STORE_INVALID;
    return found(ctx, rc, rc || reads[1].status ? 0 : number_of(reads[1].value));
}

static int look_at_rows(struct store_txn *t, void *ctx)
{
    struct store_range r = { .space = SPACE_ITEM, .from = SLICE("r"), .to = SLICE("s"), .limit = 100 };
    unsigned n;
    int rc = count_range(t, &r, &n);
    return found(ctx, rc, n);
}

static int look_at_long_keys(struct store_txn *t, void *ctx)
{
    unsigned up, down;
    int rc = count_range(t, &(struct store_range){ .space = SPACE_INDEX, .limit = 2 }, &up);
    if (!rc) rc = count_range(t, &(struct store_range){ .space = SPACE_INDEX, .reverse = true, .limit = 2 }, &down);
    if (!rc && (up != LONG_KEYS + 1 || down != up)) rc = STORE_INVALID;
    return found(ctx, rc, ((struct world *)ctx)->n);
}

static int look_at_all(struct store_txn *t, void *ctx)
{
    struct world *w = ctx;
    int rc = look_at_number(t, ctx);
    uint64_t number = atomic_load(&w->found);
    if (!rc) rc = look_at_sum(t, ctx);
    if (!rc && atomic_load(&w->found) != number) return STORE_INVALID;
    return rc ? rc : store_view(w->s, look_at_rows, ctx); /* which sees the same */
}

static int count_value(void *ctx, struct slice value)
{
    ((uint64_t *)ctx)[0] = 0;
    for (size_t i = 0; i < value.n; i++) ((uint64_t *)ctx)[0] |= (uint64_t)value.p[i] << (8 * i);
    return 0;
}

static int look_at_counters(struct store_txn *t, void *ctx)
{
    struct store_range r = { .space = SPACE_COUNTER, .from = SLICE("number"), .to = SLICE("numbes") };
    struct store_cursor *c;
    uint64_t n = 0;
    int rc = store_range_open(t, &r, &c);
    if (!rc) rc = store_range_each(c, count_value, &n);
    return found(ctx, rc == STORE_END ? STORE_OK : rc, n);
}

/* ---- several at once ---- */

static sem_t crowd_done;

static void member_done(struct store_job *job)
{
    (void)job;
    sem_post(&crowd_done);
}

static void crowd_make(struct store_job jobs[AT_ONCE], store_fn *fn, struct world *w)
{
    sem_init(&crowd_done, 0, 0);
    for (size_t i = 0; i < AT_ONCE; i++)
        jobs[i] = (struct store_job){ .fn = fn, .ctx = w, .done = member_done, .next = i + 1 < AT_ONCE ? &jobs[i + 1] : NULL };
}

static void crowd_wait(void)
{
    for (size_t i = 0; i < AT_ONCE; i++) sem_wait(&crowd_done);
    sem_destroy(&crowd_done);
}

static int raise_at_once(struct world *w)
{
    struct store_job jobs[AT_ONCE];
    int first = STORE_OK;
    crowd_make(jobs, raise_number, w);
    store_submit_all(w->s, &jobs[0], &jobs[AT_ONCE - 1]);
    crowd_wait();
    for (size_t i = 0; i < AT_ONCE; i++) {
        if (!jobs[i].status) w->n++;
        else if (!first) first = jobs[i].status;
    }
    return first;
}

/* As a server does: those that are not answered by one round trip are run on threads that may wait. */
static int look_at_once(struct world *w, store_fn *fn)
{
    struct store_job jobs[AT_ONCE];
    int first = STORE_OK;
    crowd_make(jobs, fn, w);
    store_submit_views(w->s, &jobs[0], &jobs[AT_ONCE - 1]);
    crowd_wait();
    for (size_t i = 0; i < AT_ONCE; i++) {
        int rc = jobs[i].status == STORE_LONG ? store_view_long(w->s, fn, w) : jobs[i].status;
        if (rc && !first) first = rc;
    }
    return first;
}

/* ---- all of them ---- */

const struct operation operations[] = {
    { "raise", UPDATE, raise_number },
    { "raise without a read", UPDATE, raise_unread },
    { "raise after many reads", UPDATE, raise_after_many },
    { "raise in a new epoch", UPDATE, raise_in_new_epoch },
    { "raise with numbers of a series", UPDATE, raise_with_series },
    { "raise after ranges", UPDATE, raise_after_ranges },
    { "raise after what is missing", UPDATE, raise_after_missing },
    { "raise after a counter's end", UPDATE, raise_after_reset },
    { "raise after a refusal", UPDATE, raise_after_refusal },
    { "change its mind", REFUSED, change_its_mind },
    { "only look", CHANGELESS, only_look },
    { "several raise", UPDATES, raise_number },
    { "look at the number", VIEW, look_at_number },
    { "look at the sum", VIEW, look_at_sum },
    { "look at the epoch", VIEW, look_at_epoch },
    { "look at many", VIEW, look_at_many },
    { "look at rows", VIEW, look_at_rows },
    { "look at long keys", VIEW, look_at_long_keys },
    { "look at all", VIEW, look_at_all },
    { "look at counters", VIEW, look_at_counters },
    { "look at all, for long", VIEW_LONG, look_at_all },
    { "several look at the number", VIEWS, look_at_number },
    { "several look at many", VIEWS, look_at_many },
    { "several look at the epoch", VIEWS, look_at_epoch },
    { "several look at all", VIEWS, look_at_all },
    { NULL, UPDATE, NULL },
};

int world_do(struct world *w, const struct operation *op)
{
    int rc;
    atomic_store(&w->runs, 0);
    atomic_store(&w->found, UINT64_MAX);
    switch (op->kind) {
    case UPDATE:
        rc = store_update(w->s, op->fn, w);
        if (!rc) w->n++;
        return rc;
    case REFUSED:
        rc = store_update(w->s, op->fn, w);
        return rc == OWN_ANSWER ? STORE_OK : rc ? rc : STORE_INVALID;
    case CHANGELESS: return store_update(w->s, op->fn, w);
    case UPDATES: return raise_at_once(w);
    case VIEW: rc = store_view(w->s, op->fn, w); break;
    case VIEW_LONG: rc = store_view_long(w->s, op->fn, w); break;
    case VIEWS: rc = look_at_once(w, op->fn); break;
    default: return STORE_INVALID;
    }
    return rc || atomic_load(&w->found) == w->n ? rc : STORE_INVALID;
}

void world_make(struct world *w, struct store *s)
{
    *w = (struct world){ .s = s };
    assert_int_equal(store_update(s, fill, NULL), STORE_OK);
}

bool world_fits(struct world *w)
{
    static const struct operation all = { "look at all", VIEW_LONG, look_at_all };
    return world_do(w, &all) == STORE_OK;
}
