/* test_history.c: the history of changes and what time does to it: sequence numbers when the clock goes back and over a restart,
 * segments and their heirs, rotation after four hours, what is removed after a day, and what recovery and copies keep. */
#include "engine_fixture.h"
#include "failing_store.h"
#include "moved_clock.h"
#include "engine/engine_impl.h"
#include "engine/partition_hash.h"
#include "engine/streams.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define START   1700000000000
#define HOUR_MS ((int64_t)60 * 60 * 1000)
#define MANY    512

/* A clock that goes on by this much each time it is read. */
static _Atomic int64_t tick_ms;

static int64_t read_ticking_clock(void *ctx)
{
    clock_ms += tick_ms;
    return read_clock(ctx);
}

static void open_all(struct fixture *f, const struct store_options *o)
{
    fixture_open_with(f, o, &(struct engine_options){ .now_ms = read_ticking_clock });
}

static int set_up(void **state)
{
    static struct fixture f;
    clock_ms = START;
    open_all(&f, &(struct store_options){ 0 });
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_close(*state);
    return 0;
}

/* ---- requests ---- */

#define SPECIFICATION "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_AND_OLD_IMAGES'}"

static void create_named(struct fixture *f, const char *name, const char *more)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'%s','AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}],%s}",
                   name, more),
                 "TableDescription");
}

static void create(struct fixture *f, const char *more)
{
    create_named(f, "shop", more);
}

static void update(struct fixture *f, const char *what)
{
    assert_holds(q(f, "UpdateTable", "{'TableName':'shop',%s}", what), "TableDescription");
}

static void put_in(struct fixture *f, const char *name, int key, int value)
{
    assert_string_equal(q(f, "PutItem", "{'TableName':'%s','Item':{'p':{'S':'%d'},'v':{'N':'%d'}}}", name, key, value), "{}");
}

static void put(struct fixture *f, int key, int value)
{
    put_in(f, "shop", key, value);
}

/* ---- what is stored ---- */

struct stored {
    struct segment segments[MANY];
    size_t n_segments;
    size_t in_segment[MANY]; /* changes, by place in segments */
    size_t n_changes, n_streams;
    uint64_t first, last; /* of all changes, by key */
};

/* A change lies in the segment that has its item's partition. */
static void assert_at_home(const struct segment *s, const struct history_change *c)
{
    struct slice p;
    assert_true(val_get(c->key, SLICE("p"), &p));
    uint32_t hash = partition_hash(&p, 1);
    assert_true(s->hash_from <= hash && hash <= s->hash_to && c->sequence > s->start);
}

static int look(struct store_txn *txn, void *ctx)
{
    struct stored *s = ctx;
    struct store_cursor *cursor;
    struct slice key, value;
    struct store_range rows = { .space = SPACE_META }, changes = { .space = SPACE_STREAM };
    memset(s, 0, sizeof *s);
    int status = store_range_open(txn, &rows, &cursor);
    while (!status && !(status = store_range_next(cursor, &key, &value))) {
        if (key.p[0] == 'R') s->n_streams++;
        if (key.p[0] != 'G') continue;
        assert_true(s->n_segments < MANY);
        assert_true(history_read_segment(key, value, &s->segments[s->n_segments++]));
    }
    if (status == STORE_END) status = store_range_open(txn, &changes, &cursor);
    while (!status && !(status = store_range_next(cursor, &key, &value))) {
        struct history_change c;
        assert_true(history_read(key, value, &c));
        for (size_t i = 0; i < s->n_segments; i++) {
            if (s->segments[i].number != c.segment) continue;
            s->in_segment[i]++;
            assert_at_home(&s->segments[i], &c);
        }
        if (!s->n_changes++) s->first = c.sequence;
        s->last = c.sequence;
    }
    return status == STORE_END ? STORE_OK : status;
}

static struct stored *stored(struct fixture *f)
{
    static struct stored s;
    assert_int_equal(store_view(f->store, look, &s), STORE_OK);
    return &s;
}

static size_t count_open(const struct stored *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_segments; i++)
        n += !s->segments[i].end;
    return n;
}

static const struct segment *with_number(const struct stored *s, uint32_t number)
{
    for (size_t i = 0; i < s->n_segments; i++) {
        if (s->segments[i].number == number) return &s->segments[i];
    }
    fail_msg("no segment %u", number);
    return NULL;
}

/* The open segments cover every hash once; each heir lies within its one parent, begins after its end, has a higher number. */
static void assert_sound(const struct stored *s)
{
    uint64_t covered = 0;
    for (size_t i = 0; i < s->n_segments; i++) {
        const struct segment *a = &s->segments[i];
        assert_true(a->hash_from <= a->hash_to);
        if (!a->end) covered += (uint64_t)a->hash_to - a->hash_from + 1;
        for (size_t k = 0; !a->end && k < i; k++) {
            const struct segment *b = &s->segments[k];
            assert_true(b->end || b->hash_to < a->hash_from || a->hash_to < b->hash_from);
        }
        if (!a->parent) continue;
        const struct segment *p = with_number(s, a->parent);
        assert_true(p->end && p->end < a->start && p->number < a->number);
        assert_true(p->hash_from <= a->hash_from && a->hash_to <= p->hash_to);
    }
    if (count_open(s)) assert_true(covered == (uint64_t)1 << 32);
}

/* The clock is moved and the background given time: until the condition holds, or 30 s have passed. */
static void move(struct fixture *f, int64_t ms, bool (*reached)(const struct stored *))
{
    clock_ms += ms;
    for (int i = 0; i < 30000; i++) {
        if (reached(stored(f))) return;
        usleep(1000);
    }
    fail_msg("waited too long");
}

/* Nothing may change: as long as the jobs take to look a few times. */
static void move_in_vain(struct fixture *f, int64_t ms)
{
    struct stored before = *stored(f);
    clock_ms += ms;
    usleep(250000);
    struct stored *after = stored(f);
    assert_int_equal(after->n_segments, before.n_segments);
    assert_int_equal(after->n_changes, before.n_changes);
    assert_int_equal(after->n_streams, before.n_streams);
}

/* ---- sequence numbers ---- */

struct taking {
    struct engine *engine;
    uint64_t number;
};

static int take_number(struct store_txn *txn, void *ctx)
{
    struct taking *t = ctx;
    history_begin(t->engine);
    return history_next(txn, t->engine, 1, &t->number);
}

static uint64_t next_number(struct fixture *f)
{
    struct taking t = { .engine = f->engine };
    assert_int_equal(store_update(f->store, take_number, &t), STORE_OK);
    return t.number;
}

static void test_sequence_numbers_never_go_back(void **state)
{
    struct fixture *f = *state;
    uint64_t last = 0;
    const int64_t steps[] = { 0, 0, 1, -5, 1000, -3600000, 0, 86400000, -86400000, 1 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        clock_ms += steps[i];
        uint64_t next = next_number(f);
        assert_true(next > last);
        last = next;
    }
    assert_int_equal(history_time_ms(history_after(START) - 1), START);
    assert_int_equal(history_time_ms(history_after(START)), START + 1);
    assert_int_equal(history_after(-1), 0);
}

static void test_a_transaction_has_one_time(void **state)
{
    struct fixture *f = *state;
    create(f, "'BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}," SPECIFICATION);
    tick_ms = 700;
    const char *answer = q(f, "TransactWriteItems",
                           "{'TransactItems':[{'Put':{'TableName':'shop','Item':{'p':{'S':'1'}}}},"
                           "{'Put':{'TableName':'shop','Item':{'p':{'S':'2'}}}},"
                           "{'Put':{'TableName':'shop','Item':{'p':{'S':'3'}}}}]}");
    tick_ms = 0;
    assert_string_equal(answer, "{}");
    const struct stored *s = stored(f);
    assert_int_equal(s->n_changes, 3);
    assert_int_equal(history_time_ms(s->first), history_time_ms(s->last));
    assert_true(s->first < s->last);
}

static void test_a_restart_with_an_earlier_clock_goes_on_from_the_last_number(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char path[] = "/tmp/onefold-history-XXXXXX";
    assert_non_null(mkdtemp(path));
    struct store_options o = { .dir = path, .durability = DURABILITY_RELAXED };
    clock_ms = START;
    open_all(&f, &o);
    create(&f, "'BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}," SPECIFICATION);
    uint64_t opened = stored(&f)->segments[0].start;
    fixture_close(&f);
    clock_ms = START - HOUR_MS;
    open_all(&f, &o);
    assert_true(next_number(&f) > opened); /* nothing was written since */
    put(&f, 1, 1);
    uint64_t before = stored(&f)->last;
    fixture_close(&f);
    clock_ms = START - 10 * HOUR_MS;
    open_all(&f, &o);
    assert_true(next_number(&f) > before);
    put(&f, 1, 2);
    struct stored *s = stored(&f);
    assert_int_equal(s->n_changes, 2);
    assert_true(s->first == before && s->last > before);
    fixture_close(&f);
    remove_directory(path);
}

/* ---- segments ---- */

static void test_segments_of_a_new_stream(void **state)
{
    struct fixture *f = *state;
    create(f, "'BillingMode':'PAY_PER_REQUEST'," SPECIFICATION);
    struct stored *s = stored(f);
    assert_int_equal(s->n_segments, 4);
    assert_int_equal(s->n_streams, 1);
    assert_sound(s);
    for (int i = 0; i < 200; i++)
        put(f, i, i);
    put(f, 7, 7); /* changes nothing */
    s = stored(f);
    assert_int_equal(s->n_changes, 200);
    for (size_t i = 0; i < 4; i++)
        assert_true(s->in_segment[i] > 20);
}

static void test_a_split_gives_each_heir_one_parent(void **state)
{
    struct fixture *f = *state;
    create(f, "'BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':10,'WriteCapacityUnits':10}," SPECIFICATION);
    assert_int_equal(count_open(stored(f)), 1);
    put(f, 1, 1);
    update(f, "'BillingMode':'PAY_PER_REQUEST'");
    struct stored *s = stored(f);
    assert_int_equal(s->n_segments, 5);
    assert_int_equal(count_open(s), 4);
    assert_sound(s);
    update(f, "'WarmThroughput':{'ReadUnitsPerSecond':12000,'WriteUnitsPerSecond':6000}");
    s = stored(f);
    assert_int_equal(s->n_segments, 9); /* two were split in two, two go on */
    assert_int_equal(count_open(s), 6);
    assert_sound(s);
    update(f, "'WarmThroughput':{'ReadUnitsPerSecond':12000,'WriteUnitsPerSecond':400000}");
    s = stored(f);
    assert_int_equal(count_open(s), 256); /* no more than that */
    assert_sound(s);
    /* Fewer units merge nothing. */
    update(f, "'BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}");
    assert_int_equal(count_open(stored(f)), 256);
    for (int i = 0; i < 100; i++)
        put(f, i, 100);
    s = stored(f);
    assert_int_equal(s->n_changes, 101);
    assert_int_equal(s->in_segment[0], 1);
}

static void test_a_second_stream_has_segments_of_its_own(void **state)
{
    struct fixture *f = *state;
    create(f, "'BillingMode':'PAY_PER_REQUEST'," SPECIFICATION);
    put(f, 1, 1);
    update(f, "'StreamSpecification':{'StreamEnabled':false}");
    put(f, 1, 2);
    struct stored *s = stored(f);
    assert_int_equal(s->n_changes, 1);
    assert_int_equal(count_open(s), 0);
    update(f, SPECIFICATION);
    put(f, 1, 3);
    s = stored(f);
    assert_int_equal(s->n_segments, 8);
    assert_int_equal(s->n_streams, 2);
    assert_int_equal(count_open(s), 4);
    assert_int_equal(s->n_changes, 2);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(s->segments[i].parent, 0);
}

/* ---- time ---- */

static bool two_segments(const struct stored *s)
{
    return s->n_segments == 2;
}

#define SMALL "'BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}"

static void test_a_segment_with_changes_is_succeeded_after_four_hours(void **state)
{
    struct fixture *f = *state;
    create(f, SMALL "," SPECIFICATION);
    move_in_vain(f, 5 * HOUR_MS); /* empty */
    put(f, 1, 1);
    move(f, 0, two_segments);
    put(f, 1, 2);
    struct stored *s = stored(f);
    assert_sound(s);
    assert_int_equal(s->segments[1].parent, s->segments[0].number);
    assert_int_equal(s->in_segment[0], 1);
    assert_int_equal(s->in_segment[1], 1);
    move_in_vain(f, 4 * HOUR_MS); /* not more than four hours */
}

static bool no_changes(const struct stored *s)
{
    return !s->n_changes && s->n_segments == 1;
}

static bool all_removed(const struct stored *s)
{
    return !s->n_changes;
}

static bool one_change(const struct stored *s)
{
    return s->n_changes == 1;
}

static bool nothing(const struct stored *s)
{
    return !s->n_changes && !s->n_segments && !s->n_streams;
}

static void test_changes_are_removed_after_a_day(void **state)
{
    struct fixture *f = *state;
    create(f, SMALL "," SPECIFICATION);
    put(f, 1, 1);
    clock_ms += HOUR_MS;
    put(f, 1, 2);
    uint64_t second = stored(f)->last;
    move_in_vain(f, 2 * HOUR_MS);
    move(f, 2 * HOUR_MS, two_segments);
    move_in_vain(f, 19 * HOUR_MS); /* exactly a day after the first */
    move(f, 1, one_change);
    struct stored *s = stored(f);
    assert_true(s->first == second);
    assert_true(s->segments[0].trimmed && s->segments[0].trimmed < second);
    /* The closed segment goes with its time; the open one stays for ever. */
    move(f, 6 * HOUR_MS, no_changes);
    move_in_vain(f, 40 * 24 * HOUR_MS);
    assert_int_equal(count_open(stored(f)), 1);
}

static void test_more_than_one_step_can_remove(void **state)
{
    struct fixture *f = *state;
    create(f, SMALL "," SPECIFICATION);
    for (int i = 0; i < 2500; i++)
        put(f, i, i);
    assert_int_equal(stored(f)->n_changes, 2500);
    move(f, 30 * HOUR_MS, all_removed);
}

static void test_a_disabled_stream_is_gone_after_a_day(void **state)
{
    struct fixture *f = *state;
    create(f, SMALL "," SPECIFICATION);
    clock_ms += HOUR_MS;
    put(f, 1, 1);
    update(f, "'StreamSpecification':{'StreamEnabled':false}");
    move_in_vain(f, 24 * HOUR_MS - 1);
    move(f, 2, nothing);
    assert_holds(q(f, "ListStreams", "{}"), "{\"Streams\":[]}");
}

static void test_the_stream_of_a_deleted_table_is_gone_after_a_day(void **state)
{
    struct fixture *f = *state;
    create(f, "'BillingMode':'PAY_PER_REQUEST'," SPECIFICATION);
    for (int i = 0; i < 20; i++)
        put(f, i, i);
    assert_holds(q(f, "DeleteTable", "{'TableName':'shop'}"), "DELETING");
    create(f, "'BillingMode':'PAY_PER_REQUEST'");
    move_in_vain(f, 24 * HOUR_MS - 1);
    move(f, 2, nothing);
}

/* ---- damaged rows: the tables are created in this order ---- */

#define HURT "\0\0\0\1"
#define SHOP "\0\0\0\2"

/* The first row of this beginning. */
static int spoil(struct store_txn *txn, void *ctx)
{
    const struct slice *beginning = ctx;
    struct store_range range = { .space = SPACE_META, .from = *beginning };
    struct store_cursor *cursor;
    struct slice key;
    uint8_t bytes[100];
    int status = store_range_open(txn, &range, &cursor);
    if (!status) status = store_range_next(cursor, &key, NULL);
    if (status || key.n > sizeof bytes || key.n < beginning->n || memcmp(key.p, beginning->p, beginning->n)) return STORE_INVALID;
    memcpy(bytes, key.p, key.n);
    return store_put(txn, SPACE_META, slice_of(bytes, key.n), SLICE("no row"));
}

struct counting {
    enum store_space space;
    struct slice beginning;
    size_t n;
};

static int count(struct store_txn *txn, void *ctx)
{
    struct counting *c = ctx;
    struct store_range range = { .space = c->space, .from = c->beginning };
    struct store_cursor *cursor;
    struct slice key;
    int status = store_range_open(txn, &range, &cursor);
    c->n = 0;
    while (!status && !(status = store_range_next(cursor, &key, NULL)) && key.n >= c->beginning.n &&
           !memcmp(key.p, c->beginning.p, c->beginning.n))
        c->n++;
    return status == STORE_END ? STORE_OK : status;
}

static size_t count_of(struct fixture *f, enum store_space space, struct slice beginning)
{
    struct counting c = { .space = space, .beginning = beginning };
    assert_int_equal(store_view(f->store, count, &c), STORE_OK);
    return c.n;
}

#define CHANGES_OF(f, id)  count_of(f, SPACE_STREAM, slice_of(id, 4))
#define SEGMENTS_OF(f, id) count_of(f, SPACE_META, slice_of("G" id, 5))

static void wait_for(struct fixture *f, enum store_space space, struct slice beginning, size_t wanted)
{
    size_t n = 0;
    for (int i = 0; i < 5000 && (n = count_of(f, space, beginning)) != wanted; i++) usleep(1000);
    assert_int_equal(n, wanted);
}

static void test_a_damaged_segment_keeps_no_other(void **state)
{
    struct fixture *f = *state;
    struct slice first = slice_of("G" HURT, 5);
    create_named(f, "hurt", "'BillingMode':'PAY_PER_REQUEST'," SPECIFICATION);
    for (int i = 0; i < 40; i++) put_in(f, "hurt", i, i);
    size_t in_first = stored(f)->in_segment[0], segments = SEGMENTS_OF(f, HURT);
    assert_true(in_first && in_first < 40 && segments > 1);
    create(f, SMALL "," SPECIFICATION);
    put(f, 1, 1);
    assert_int_equal(store_update(f->store, spoil, &first), STORE_OK);
    clock_ms += 5 * HOUR_MS;
    wait_for(f, SPACE_META, slice_of("G" SHOP, 5), 2);
    assert_int_equal(SEGMENTS_OF(f, HURT), segments); /* all or none are succeeded */
    clock_ms += 21 * HOUR_MS;
    wait_for(f, SPACE_STREAM, slice_of(SHOP, 4), 0);
    wait_for(f, SPACE_STREAM, slice_of(HURT, 4), in_first);
    assert_int_equal(__atomic_load_n(&f->engine->damaged, __ATOMIC_RELAXED), 1);
}

/* Which changes are of a stream that cannot be read is not known: all stay for a day. */
static void test_a_damaged_stream_keeps_a_day_of_all(void **state)
{
    struct fixture *f = *state;
    struct slice row = SLICE("Rhurt");
    create_named(f, "hurt", SMALL "," SPECIFICATION);
    create(f, SMALL "," SPECIFICATION);
    put_in(f, "hurt", 1, 1);
    put(f, 1, 1);
    assert_int_equal(store_update(f->store, spoil, &row), STORE_OK);
    clock_ms += 5 * HOUR_MS;
    wait_for(f, SPACE_META, slice_of("G" HURT, 5), 2);
    wait_for(f, SPACE_META, slice_of("G" SHOP, 5), 2);
    clock_ms += 18 * HOUR_MS;
    usleep(250000);
    assert_int_equal(CHANGES_OF(f, HURT), 1);
    assert_int_equal(CHANGES_OF(f, SHOP), 1);
    clock_ms += 2 * HOUR_MS;
    wait_for(f, SPACE_STREAM, slice_of(HURT, 4), 0);
    wait_for(f, SPACE_STREAM, slice_of(SHOP, 4), 0);
    assert_int_equal(__atomic_load_n(&f->engine->damaged, __ATOMIC_RELAXED), 1);
}

static _Atomic int surveys;

static int count_surveys(struct store_txn *t, const struct store_range *r, struct store_cursor **out)
{
    if (r->space == SPACE_META && slice_eq(r->from, SLICE("R"))) surveys++;
    return failing.real->range_open(t, r, out);
}

/* More of them than one round takes: the records of their tables are damaged. */
static void test_segments_that_cannot_be_succeeded_keep_no_other(void **state)
{
    struct fixture *f = *state;
    static const char *const hurt[] = { "hurt1", "hurt2" };
    struct slice records[] = { SLICE("Thurt1"), SLICE("Thurt2") };
    char message[256];
    engine_close(f->engine);
    failing_set_up(f->store);
    failing.own.range_open = count_surveys;
    assert_int_equal(engine_open(&f->engine, f->store, &(struct engine_options){ .now_ms = read_ticking_clock }, message, sizeof message), 0);
    for (int t = 0; t < 2; t++) {
        create_named(f, hurt[t],
                     "'BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':256000}," SPECIFICATION);
        for (int i = 0; i < 1000; i++) put_in(f, hurt[t], i, i);
    }
    create(f, SMALL "," SPECIFICATION);
    put(f, 1, 1);
    for (int t = 0; t < 2; t++) assert_int_equal(store_update(f->store, spoil, &records[t]), STORE_OK);
    clock_ms += 5 * HOUR_MS;
    wait_for(f, SPACE_META, slice_of("G\0\0\0\3", 5), 2);
    assert_int_equal(__atomic_load_n(&f->engine->damaged, __ATOMIC_RELAXED), 1);
    /* Tried again, and not all the time. With a clock that a test moves a second lasts 50 ms. */
    surveys = 0;
    usleep(1000000);
    assert_in_range(surveys, 2, 100);
}

/* ---- what else needs the history ---- */

struct reasons {
    struct fixture *f;
    int64_t recovery_days, copies;
    struct arena arena;
    struct slice record;
};

static int set_reasons(struct store_txn *txn, void *ctx)
{
    struct reasons *r = ctx;
    int status;
    struct table *t = catalog_read(txn, &r->arena, SLICE("shop"), &status);
    if (status) return status;
    t->recovery_days = r->recovery_days;
    t->recovery_since_ms = r->recovery_days ? clock_ms : 0;
    t->copies = r->copies;
    status = history_settle(txn, &r->arena, r->f->engine, t);
    return status ? status : catalog_write(txn, &r->arena, t, &r->record);
}

static void keep(struct fixture *f, int64_t recovery_days, int64_t copies)
{
    struct reasons r = { .f = f, .recovery_days = recovery_days, .copies = copies };
    arena_init(&r.arena, (size_t)16 << 20);
    assert_int_equal(store_update(f->store, set_reasons, &r), STORE_OK);
    catalog_publish(f->engine->catalogs, r.record);
    jobs_wake(f->engine->jobs);
    arena_free(&r.arena);
}

static void test_recovery_keeps_its_days_and_an_hour(void **state)
{
    struct fixture *f = *state;
    create(f, SMALL);
    put(f, 1, 1);
    assert_int_equal(stored(f)->n_segments, 0);
    keep(f, 2, 0);
    put(f, 1, 2);
    move_in_vain(f, 49 * HOUR_MS); /* not succeeded either: there is no stream */
    move(f, 2, no_changes);
    keep(f, 0, 0);
    move(f, 0, nothing);
}

static void test_a_copy_keeps_everything(void **state)
{
    struct fixture *f = *state;
    create(f, SMALL "," SPECIFICATION);
    put(f, 1, 1);
    keep(f, 0, 1);
    update(f, "'StreamSpecification':{'StreamEnabled':false}");
    put(f, 1, 2);
    struct stored *s = stored(f);
    assert_int_equal(s->n_changes, 2);
    assert_int_equal(count_open(s), 1);
    clock_ms += 100 * 24 * HOUR_MS;
    usleep(250000);
    s = stored(f);
    assert_int_equal(s->n_changes, 2);
    assert_int_equal(s->n_segments, 2);
    keep(f, 0, 0);
    move(f, 0, nothing);
}

/* The text of a member, kept until the end of the test. */
static const char *member(struct fixture *f, const char *answer, const char *name)
{
    struct slice mark = arena_printf(&f->text, "\"%s\":\"%c", name, 0);
    const char *at = strstr(answer, (const char *)mark.p);
    if (!at) fail_msg("no %s in %.500s", name, answer);
    at += strlen((const char *)mark.p);
    return (const char *)arena_printf(&f->text, "%.*s%c", (int)strcspn(at, "\""), at, 0).p;
}

static const char *records(struct fixture *f, const char *arn, const char *shard)
{
    const char *answer = q(f, "GetShardIterator", "{'StreamArn':'%s','ShardId':'%s','ShardIteratorType':'TRIM_HORIZON'}", arn, shard);
    return q(f, "GetRecords", "{'ShardIterator':'%s'}", member(f, answer, "ShardIterator"));
}

static void test_a_stream_shows_no_more_than_its_own_of_what_recovery_keeps(void **state)
{
    struct fixture *f = *state;
    create(f, SMALL ",'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_IMAGE'}");
    keep(f, 35, 0);
    put(f, 1, 1);
    put(f, 1, 2);
    const char *arn = member(f, q(f, "DescribeTable", "{'TableName':'shop'}"), "LatestStreamArn");
    const char *shard = member(f, q(f, "DescribeStream", "{'StreamArn':'%s'}", arn), "ShardId");
    const char *answer = records(f, arn, shard);
    assert_holds(answer, "\"eventName\":\"MODIFY\"");
    assert_holds(answer, "NewImage");
    assert_lacks(answer, "OldImage");
    /* A day later its shard has an heir; its records are kept, but not shown. */
    move(f, 5 * HOUR_MS, two_segments);
    move_in_vain(f, 19 * HOUR_MS + 1000);
    assert_int_equal(stored(f)->n_changes, 2);
    assert_string_equal(records(f, arn, shard), "{\"Records\":[]}"); /* closed: there is no next iterator */
    move_in_vain(f, 6 * HOUR_MS);
    answer = q(f, "DescribeStream", "{'StreamArn':'%s'}", arn);
    assert_string_not_equal(member(f, answer, "ShardId"), shard);
    assert_string_equal(member(f, answer, "ParentShardId"), shard); /* the heir names it still */
}

/* The check of an iterator is no secret: whoever makes one up may have it issued at any time. */
static void test_an_iterator_of_long_ago_has_expired(void **state)
{
    struct fixture *f = *state;
    create(f, "'BillingMode':'PAY_PER_REQUEST'," SPECIFICATION);
    const char *arn = member(f, q(f, "DescribeTable", "{'TableName':'shop'}"), "LatestStreamArn");
    static const int64_t times[] = { INT64_MIN, -1, START - 15 * 60 * 1000 - 1, START - 15 * 60 * 1000, INT64_MAX };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct buf b;
        buf_init(&b, &f->text, 4096);
        stream_put_iterator(&b, &(struct stream_position){ .arn = slice_str(arn), .segment = 1, .sequence = 1,
                                                         .issued_ms = times[i] });
        buf_u8(&b, 0);
        assert_holds(q(f, "GetRecords", "{'ShardIterator':'%s'}", (const char *)b.p),
                     i < 3 ? "ExpiredIteratorException" : "Records");
    }
}

/* Where a record becomes too old every few milliseconds, a reader must be able to use the iterator that it was given. */
static void test_an_iterator_at_the_end_of_the_day_can_be_used(void **state)
{
    struct fixture *f = *state;
    create(f, SMALL "," SPECIFICATION);
    keep(f, 0, 1); /* nothing is removed */
    put(f, 1, 1);
    const char *arn = member(f, q(f, "DescribeTable", "{'TableName':'shop'}"), "LatestStreamArn");
    const char *shard = member(f, q(f, "DescribeStream", "{'StreamArn':'%s'}", arn), "ShardId");
    clock_ms += 24 * HOUR_MS;
    const char *iterator = member(f, q(f, "GetShardIterator", "{'StreamArn':'%s','ShardId':'%s','ShardIteratorType':'TRIM_HORIZON'}", arn, shard),
                                  "ShardIterator");
    clock_ms += 5;
    assert_holds(q(f, "GetRecords", "{'ShardIterator':'%s'}", iterator), "\"eventName\":\"INSERT\"");
    clock_ms += 60 * 1000 - 5;
    assert_holds(q(f, "GetRecords", "{'ShardIterator':'%s'}", iterator), "\"eventName\":\"INSERT\"");
    clock_ms += 1;
    assert_holds(q(f, "GetRecords", "{'ShardIterator':'%s'}", iterator), "TrimmedDataAccessException");
    assert_lacks(records(f, arn, shard), "INSERT"); /* a new one does not show it */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_sequence_numbers_never_go_back),
        TEST(test_a_transaction_has_one_time),
        cmocka_unit_test(test_a_restart_with_an_earlier_clock_goes_on_from_the_last_number),
        TEST(test_segments_of_a_new_stream),
        TEST(test_a_split_gives_each_heir_one_parent),
        TEST(test_a_second_stream_has_segments_of_its_own),
        TEST(test_a_segment_with_changes_is_succeeded_after_four_hours),
        TEST(test_changes_are_removed_after_a_day),
        TEST(test_more_than_one_step_can_remove),
        TEST(test_a_disabled_stream_is_gone_after_a_day),
        TEST(test_the_stream_of_a_deleted_table_is_gone_after_a_day),
        TEST(test_a_damaged_segment_keeps_no_other),
        TEST(test_a_damaged_stream_keeps_a_day_of_all),
        TEST(test_segments_that_cannot_be_succeeded_keep_no_other),
        TEST(test_recovery_keeps_its_days_and_an_hour),
        TEST(test_a_copy_keeps_everything),
        TEST(test_an_iterator_of_long_ago_has_expired),
        TEST(test_an_iterator_at_the_end_of_the_day_can_be_used),
        TEST(test_a_stream_shows_no_more_than_its_own_of_what_recovery_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
