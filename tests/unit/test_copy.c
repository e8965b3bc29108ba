/* test_copy.c: copies of a table as at a moment: restoring to any second of a random past gives exactly what was there, with
 * its indexes and counters; backups taken beside writes are consistent; restarts in every phase; deletion meanwhile; damaged backups. */
#include "engine_fixture.h"
#include "failing_store.h"
#include "moved_clock.h"
#include "repeat.h"
#include "engine/engine_impl.h"
#include "engine/fields.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEYS 500

/* The same numbers each time. */
static uint64_t randomness;

static int below(int n)
{
    randomness = randomness * 6364136223846793005u + 1442695040888963407u;
    return (int)((randomness >> 33) % (uint64_t)n);
}

static void open_engine(struct fixture *f)
{
    char message[256] = "";
    struct engine_options o = { .now_ms = read_clock };
    if (engine_open(&f->engine, f->store, &o, message, sizeof message)) fail_msg("engine: %s", message);
}

static void open_memory(struct fixture *f)
{
    struct store_options o = { 0 };
    clock_ms = 1800000000000;
    fixture_open_with(f, &o, &(struct engine_options){ .now_ms = read_clock });
}

/* ---- a table and what it should hold ---- */

struct state {
    int v[KEYS]; /* 0: the item is not there */
};

static void create_table(struct fixture *f)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},"
                   "{'AttributeName':'s','AttributeType':'N'},{'AttributeName':'v','AttributeType':'N'},"
                   "{'AttributeName':'x','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}],"
                   "'LocalSecondaryIndexes':[{'IndexName':'byv','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},"
                   "{'AttributeName':'v','KeyType':'RANGE'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}],"
                   "'GlobalSecondaryIndexes':[{'IndexName':'byx','KeySchema':[{'AttributeName':'x','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'ALL'}}]}"),
                 "TableDescription");
}

static void recover(struct fixture *f)
{
    assert_holds(q(f, "UpdateContinuousBackups",
                   "{'TableName':'shop','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true}}"),
                 "\"ENABLED\"");
}

/* Every third version is in the global index. */
static void put(struct fixture *f, struct state *s, int i, int v)
{
    const char *x = v % 3 == 0 ? ",'x':{'S':'x'}" : "";
    const char *answer = q(f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'%d'},'s':{'N':'%d'},'v':{'N':'%d'}%s}}",
                           i % 7, i, v, x);
    assert_string_equal(answer, "{}");
    if (s) s->v[i] = v;
}

static void delete(struct fixture *f, struct state *s, int i)
{
    q(f, "DeleteItem", "{'TableName':'shop','Key':{'p':{'S':'%d'},'s':{'N':'%d'}}}", i % 7, i);
    s->v[i] = 0;
}

static void fill(struct fixture *f, struct state *s)
{
    for (int i = 0; i < KEYS; i++)
        put(f, s, i, i + 1);
}

static void change(struct fixture *f, struct state *s)
{
    int i = below(KEYS);
    if (below(4) == 0) {
        delete(f, s, i);
    } else {
        put(f, s, i, 1 + below(100000));
    }
}

/* ---- asking ---- */

static int64_t number_after(const char *answer, const char *what)
{
    const char *at = strstr(answer, what);
    if (!at) fail_msg("no %s in %.500s", what, answer);
    return strtoll(at + strlen(what), NULL, 10);
}

static void wait_active(struct fixture *f, const char *table)
{
    for (int i = 0; i < 20000; i++) {
        if (strstr(q(f, "DescribeTable", "{'TableName':'%s'}", table), "\"TableStatus\":\"ACTIVE\"")) return;
        usleep(1000);
    }
    fail_msg("waited too long for %s", table);
}

static void read_all(struct fixture *f, const char *table, struct state *out)
{
    const char *answer = q(f, "Scan", "{'TableName':'%s'}", table);
    memset(out, 0, sizeof *out);
    assert_lacks(answer, "LastEvaluatedKey");
    assert_holds(answer, "\"Items\":[");
    for (const char *at = answer; (at = strstr(at, "\"s\":{\"N\":\"")); at++) {
        int64_t i = number_after(at, "\"s\":{\"N\":\"");
        assert_in_range(i, 0, KEYS - 1);
        assert_int_equal(out->v[i], 0);
        out->v[i] = (int)number_after(at, "\"v\":{\"N\":\"");
    }
}

static void assert_index(struct fixture *f, const char *table, const char *index, int wanted)
{
    const char *answer = q(f, "Scan", "{'TableName':'%s','IndexName':'%s','Select':'COUNT'}", table, index);
    assert_int_equal(number_after(answer, "\"Count\":"), wanted);
}

static void assert_table(struct fixture *f, const char *table, const struct state *wanted)
{
    struct state found;
    int items = 0, with_x = 0;
    read_all(f, table, &found);
    for (int i = 0; i < KEYS; i++) {
        if (found.v[i] != wanted->v[i]) fail_msg("%s: item %d is %d, not %d", table, i, found.v[i], wanted->v[i]);
        items += wanted->v[i] != 0;
        with_x += wanted->v[i] != 0 && wanted->v[i] % 3 == 0;
    }
    assert_index(f, table, "byv", items);
    assert_index(f, table, "byx", with_x);
    const char *answer = q(f, "DescribeTable", "{'TableName':'%s'}", table);
    assert_int_equal(number_after(answer, "\"ItemCount\":"), items);
    assert_int_equal(number_after(strstr(answer, "byv"), "\"ItemCount\":"), items);
    assert_int_equal(number_after(strstr(answer, "byx"), "\"ItemCount\":"), with_x);
    assert_lacks(answer, "RestoreSummary");
}

/* The store's counters of a table's items are told from the items themselves. */
static void assert_same_size(struct fixture *f, const char *table, const char *other)
{
    int64_t size = number_after(q(f, "DescribeTable", "{'TableName':'%s'}", table), "\"TableSizeBytes\":");
    assert_int_equal(number_after(q(f, "DescribeTable", "{'TableName':'%s'}", other), "\"TableSizeBytes\":"), size);
}

static void restore_second(struct fixture *f, const char *target, int64_t second)
{
    assert_holds(q(f, "RestoreTableToPointInTime",
                   "{'SourceTableName':'shop','TargetTableName':'%s','RestoreDateTime':%lld}", target, (long long)second),
                 "\"RestoreInProgress\":true");
}

/* at: a member BackupArn in an answer. */
static void copy_arn(const char *at, char arn[200])
{
    at += strlen("\"BackupArn\":\"");
    size_t n = strcspn(at, "\"");
    assert_in_range(n, 1, 199);
    memcpy(arn, at, n);
    arn[n] = 0;
}

static void create_backup(struct fixture *f, char arn[200])
{
    const char *answer = q(f, "CreateBackup", "{'TableName':'shop','BackupName':'copy'}");
    const char *at = strstr(answer, "\"BackupArn\":\"");
    assert_non_null(at);
    assert_holds(answer, "\"BackupStatus\":\"CREATING\"");
    copy_arn(at, arn);
}

static void wait_available(struct fixture *f, const char *arn)
{
    for (int i = 0; i < 20000; i++) {
        if (strstr(q(f, "DescribeBackup", "{'BackupArn':'%s'}", arn), "AVAILABLE")) return;
        usleep(1000);
    }
    fail_msg("waited too long for %s", arn);
}

static void assert_backup_counts(struct fixture *f, const char *arn, const char *table)
{
    const char *answer = q(f, "DescribeTable", "{'TableName':'%s'}", table);
    int64_t items = number_after(answer, "\"ItemCount\":"), bytes = number_after(answer, "\"TableSizeBytes\":");
    answer = q(f, "DescribeBackup", "{'BackupArn':'%s'}", arn);
    assert_int_equal(number_after(answer, "\"ItemCount\":"), items);
    assert_int_equal(number_after(answer, "\"TableSizeBytes\":"), bytes);
    assert_int_equal(number_after(answer, "\"BackupSizeBytes\":"), bytes);
}

static void restore_backup(struct fixture *f, const char *arn, const char *target)
{
    assert_holds(q(f, "RestoreTableFromBackup", "{'BackupArn':'%s','TargetTableName':'%s'}", arn, target),
                 "\"TableStatus\":\"CREATING\"");
    wait_active(f, target);
}

/* ---- a random past ---- */

#define SECONDS_MAX 400

struct past {
    int64_t second[SECONDS_MAX];
    struct state state[SECONDS_MAX]; /* at the end of that second */
    int n;
};

static void remember(struct past *past, int64_t second, const struct state *s)
{
    if (past->n == SECONDS_MAX) return;
    past->second[past->n] = second;
    past->state[past->n++] = *s;
}

/* Some time goes by: often none, so that many changes share a millisecond and a second; now and then hours. */
static void pass(struct past *past, const struct state *s)
{
    int64_t before = clock_ms, step = 0;
    switch (below(12)) {
    case 0: step = 1 + below(3); break;
    case 1: step = below(400); break;
    case 2: step = 1000 - before % 1000; break; /* to the first millisecond of the next second */
    case 3: step = 999 - before % 1000; break;  /* to the last one of this */
    case 4: step = below(20) ? 0 : 1000 * (int64_t)(below(20000)); break;
    default: break;
    }
    if (before / 1000 != (before + step) / 1000) {
        remember(past, before / 1000, s);
        /* Seconds in which nothing happened. */
        if ((before + step) / 1000 - before / 1000 > 1) remember(past, (before + step) / 1000 - 1, s);
    }
    clock_ms = before + step;
}

struct writer {
    struct fixture f;
    pthread_t thread;
    _Atomic bool stop;
};

static void *write_on(void *arg)
{
    struct writer *w = arg;
    for (unsigned n = 0; !w->stop; n++) {
        put(&w->f, NULL, (int)(n * 37 % KEYS), 1 + (int)n);
        arena_reset(&w->f.text);
    }
    return NULL;
}

static void start_writer(struct writer *w, const struct fixture *f, void *(*fn)(void *))
{
    memset(w, 0, sizeof *w);
    w->f.store = f->store;
    w->f.engine = f->engine;
    arena_init(&w->f.arena, (size_t)64 << 20);
    arena_init(&w->f.text, (size_t)64 << 20);
    assert_int_equal(pthread_create(&w->thread, NULL, fn, w), 0);
}

static void stop_writer(struct writer *w)
{
    w->stop = true;
    pthread_join(w->thread, NULL);
    arena_free(&w->f.arena);
    arena_free(&w->f.text);
}

static void restores_to_every_second_that_was(void **unused)
{
    (void)unused;
    static struct past past;
    static struct fixture f;
    static struct writer writer;
    struct state s = { 0 };
    open_memory(&f);
    randomness = 5;
    past.n = 0;
    create_table(&f);
    for (int i = 0; i < KEYS; i += 2)
        put(&f, &s, i, i + 1); /* before there is a history */
    recover(&f);
    for (int i = 0; i < 3000 && past.n < SECONDS_MAX; i++) {
        change(&f, &s);
        pass(&past, &s);
    }
    assert_true(past.n > 60);
    clock_ms += 5000;
    start_writer(&writer, &f, write_on);
    for (int i = 0; i < 2 + repeated(22); i++) {
        int at = i == 0 ? 0 : i == 1 ? past.n - 1 : below(past.n);
        char target[32];
        snprintf(target, sizeof target, "then%d", i);
        restore_second(&f, target, past.second[at]);
        if (i % 3 == 0) clock_ms += 3600000;
        wait_active(&f, target);
        assert_table(&f, target, &past.state[at]);
    }
    stop_writer(&writer);
    /* All at once, and from the same table. */
    for (int i = 0; i < 6; i++)
        restore_second(&f, (const char *[]){ "m0x", "m1x", "m2x", "m3x", "m4x", "m5x" }[i], past.second[i * past.n / 6]);
    for (int i = 0; i < 6; i++) {
        const char *target = (const char *[]){ "m0x", "m1x", "m2x", "m3x", "m4x", "m5x" }[i];
        wait_active(&f, target);
        assert_table(&f, target, &past.state[i * past.n / 6]);
    }
    fixture_close(&f);
}

static void latest_is_the_table_as_it_was_when_asked(void **unused)
{
    (void)unused;
    static struct fixture f;
    struct state s = { 0 };
    open_memory(&f);
    create_table(&f);
    fill(&f, &s);
    recover(&f);
    struct state then = s;
    assert_holds(q(&f, "RestoreTableToPointInTime",
                   "{'SourceTableName':'shop','TargetTableName':'now','UseLatestRestorableTime':true}"),
                 "CREATING");
    /* In the same millisecond, after the answer. */
    for (int i = 0; i < KEYS; i += 3)
        delete(&f, &s, i);
    put(&f, &s, 1, 77777);
    wait_active(&f, "now");
    assert_table(&f, "now", &then);
    /* The second that has not ended yet is as it is now. */
    restore_second(&f, "second", clock_ms / 1000);
    then = s;
    put(&f, &s, 2, 88888);
    wait_active(&f, "second");
    assert_table(&f, "second", &then);
    fixture_close(&f);
}

/* ---- backups beside writes ---- */

static void backup_is_the_table_as_it_was_when_asked(void **unused)
{
    (void)unused;
    static struct fixture f;
    struct state s = { 0 };
    char arn[200], other[200];
    open_memory(&f);
    randomness = 6;
    create_table(&f);
    fill(&f, &s);
    for (int round = 0; round < 5; round++) {
        struct state then = s;
        char target[32];
        create_backup(&f, arn);
        for (int i = 0; i < 100; i++)
            change(&f, &s);
        struct state later = s;
        create_backup(&f, other); /* perhaps while the first is under way */
        for (int i = 0; i < 100; i++)
            change(&f, &s);
        wait_available(&f, arn);
        snprintf(target, sizeof target, "first%d", round);
        restore_backup(&f, arn, target);
        assert_table(&f, target, &then);
        assert_backup_counts(&f, arn, target);
        wait_available(&f, other);
        snprintf(target, sizeof target, "later%d", round);
        restore_backup(&f, other, target);
        assert_table(&f, target, &later);
    }
    /* A copy of a restored table is the same once more, and as large. */
    restore_backup(&f, arn, "again1");
    restore_backup(&f, arn, "again2");
    assert_same_size(&f, "again1", "again2");
    fixture_close(&f);
}

#define ACCOUNTS 400

/* Moves one between two accounts, so that the sum stays what it is. */
static void *move_on(void *arg)
{
    struct writer *w = arg;
    for (unsigned n = (unsigned)((uintptr_t)w >> 6); !w->stop; n += 7919) {
        int from = (int)(n % ACCOUNTS), to = (int)(n / ACCOUNTS % ACCOUNTS);
        if (from == to) continue;
        q(&w->f, "TransactWriteItems",
          "{'TransactItems':[{'Update':{'TableName':'shop','Key':{'p':{'S':'%d'},'s':{'N':'%d'}},"
          "'UpdateExpression':'ADD v :m','ExpressionAttributeValues':{':m':{'N':'-1'}}}},"
          "{'Update':{'TableName':'shop','Key':{'p':{'S':'%d'},'s':{'N':'%d'}},'UpdateExpression':'ADD v :o',"
          "'ExpressionAttributeValues':{':o':{'N':'1'}}}}]}",
          from % 7, from, to % 7, to);
        arena_reset(&w->f.text);
    }
    return NULL;
}

static void backups_beside_transactions(bool stream)
{
    static struct fixture f;
    static struct writer writers[3];
    struct state s = { 0 };
    open_memory(&f);
    create_table(&f);
    if (stream) {
        assert_holds(q(&f, "UpdateTable",
                       "{'TableName':'shop','StreamSpecification':{'StreamEnabled':true,'StreamViewType':'KEYS_ONLY'}}"),
                     "LatestStreamArn");
    }
    for (int i = 0; i < ACCOUNTS; i++)
        put(&f, &s, i, 10000);
    for (int i = 0; i < 3; i++)
        start_writer(&writers[i], &f, move_on);
    for (int round = 0; round < 10; round++) {
        char arn[200], target[32];
        int64_t sum = 0;
        struct state found;
        usleep(3000);
        create_backup(&f, arn);
        wait_available(&f, arn);
        snprintf(target, sizeof target, "copy%d", round);
        restore_backup(&f, arn, target);
        read_all(&f, target, &found);
        for (int i = 0; i < ACCOUNTS; i++)
            sum += found.v[i];
        assert_int_equal(sum, ACCOUNTS * 10000);
    }
    for (int i = 0; i < 3; i++)
        stop_writer(&writers[i]);
    fixture_close(&f);
}

static void backup_beside_transactions_holds_all_or_nothing_of_each(void **unused)
{
    (void)unused;
    backups_beside_transactions(false);
}

/* The history was there before, without anyone who wants old images. */
static void so_it_does_of_a_table_with_a_stream(void **unused)
{
    (void)unused;
    backups_beside_transactions(true);
}

/* ---- restarts ---- */

struct look {
    int phase; /* of the first copy under way; -1: there is none */
};

static int look_at_phase(struct store_txn *txn, void *ctx)
{
    struct look *look = ctx;
    struct store_range range = { .space = SPACE_META, .from = SLICE("Y"), .to = SLICE("Z"), .limit = 1 };
    struct store_cursor *cursor;
    struct slice record;
    look->phase = -1;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    status = store_range_next(cursor, NULL, &record);
    if (!status) look->phase = (int)field_int(record, SLICE("phase"));
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

static int phase_now(struct fixture *f)
{
    struct look look;
    assert_int_equal(store_view(f->store, look_at_phase, &look), STORE_OK);
    return look.phase;
}

/* Closes and opens the engine again and again, and writes in between. While it is open one step is done, or none; the long rest
 * after it ends with closing. */
static void restart_until_done(struct fixture *f, struct state *s, bool seen[4])
{
    for (int phase = 0; phase >= 0;) {
        engine_close(f->engine);
        phase = phase_now(f);
        if (phase >= 0) seen[phase] = true;
        open_engine(f);
        for (int i = 0; i < 20; i++)
            change(f, s);
        usleep(2000);
    }
}

static void goes_on_after_a_restart_in_every_phase(void **unused)
{
    (void)unused;
    static struct fixture f;
    struct state s = { 0 };
    bool seen[4] = { false };
    char arn[200];
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "60000", 1);
    open_memory(&f);
    randomness = 7;
    create_table(&f);
    fill(&f, &s);
    struct state then = s;
    create_backup(&f, arn);
    restart_until_done(&f, &s, seen);
    for (int phase = 0; phase < 4; phase++) {
        if (!seen[phase]) fail_msg("phase %d was never seen", phase);
    }
    wait_available(&f, arn);
    assert_holds(q(&f, "RestoreTableFromBackup", "{'BackupArn':'%s','TargetTableName':'copy'}", arn), "CREATING");
    restart_until_done(&f, &s, seen);
    wait_active(&f, "copy");
    assert_table(&f, "copy", &then);
    recover(&f);
    clock_ms += 1000;
    then = s;
    clock_ms += 1000;
    for (int i = 0; i < 500; i++)
        change(&f, &s);
    restore_second(&f, "past", clock_ms / 1000 - 1);
    restart_until_done(&f, &s, seen);
    wait_active(&f, "past");
    assert_table(&f, "past", &then);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    fixture_close(&f);
}

/* ---- deletion meanwhile ---- */

static int count_left(struct store_txn *txn, void *ctx)
{
    struct store_range range = { .space = SPACE_ITEM };
    struct store_cursor *cursor;
    *(int *)ctx = 0;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    while (!(status = store_range_next(cursor, NULL, NULL)))
        ++*(int *)ctx;
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

static void wait_left(struct fixture *f, int wanted)
{
    int left = -1;
    for (int i = 0; i < 20000; i++) {
        assert_int_equal(store_view(f->store, count_left, &left), STORE_OK);
        if (left == wanted) return;
        usleep(1000);
    }
    fail_msg("%d items are left, not %d", left, wanted);
}

static void table_may_be_deleted_while_it_is_copied(void **unused)
{
    (void)unused;
    static struct fixture f;
    struct state s = { 0 };
    char arn[200], second[200];
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "5", 1);
    open_memory(&f);
    create_table(&f);
    fill(&f, &s);
    create_backup(&f, arn);
    put(&f, NULL, 3, 55555);
    create_backup(&f, second);
    assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "DELETING");
    create_table(&f);
    put(&f, NULL, 1, 66666);
    wait_available(&f, arn);
    wait_available(&f, second);
    restore_backup(&f, arn, "copy");
    assert_table(&f, "copy", &s);
    restore_backup(&f, second, "second");
    s.v[3] = 55555;
    assert_table(&f, "second", &s);
    wait_left(&f, 4 * KEYS + 1); /* two backups, two restored tables, and the one item of the new table */
    assert_holds(q(&f, "DeleteBackup", "{'BackupArn':'%s'}", arn), "DELETED");
    assert_holds(q(&f, "DeleteBackup", "{'BackupArn':'%s'}", second), "DELETED");
    wait_left(&f, 2 * KEYS + 1);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    fixture_close(&f);
}

static void deleted_table_stays_as_a_backup_of_the_system(void **unused)
{
    (void)unused;
    static struct fixture f;
    struct state s = { 0 };
    char arn[200];
    open_memory(&f);
    create_table(&f);
    fill(&f, &s);
    recover(&f);
    restore_second(&f, "past", clock_ms / 1000); /* under way while it is deleted */
    assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "DELETING");
    wait_active(&f, "past");
    assert_table(&f, "past", &s);
    const char *answer = q(&f, "ListBackups", "{'BackupType':'SYSTEM'}");
    assert_holds(answer, "\"BackupName\":\"shop$DeletedTableBackup\"");
    copy_arn(strstr(answer, "\"BackupArn\":\""), arn);
    assert_holds(q(&f, "DeleteBackup", "{'BackupArn':'%s'}", arn), "not allowed to delete the system backup");
    restore_backup(&f, arn, "shop");
    assert_table(&f, "shop", &s);
    clock_ms += (int64_t)35 * 86400000 - 1;
    usleep(200000);
    assert_holds(q(&f, "DescribeBackup", "{'BackupArn':'%s'}", arn), "AVAILABLE");
    clock_ms += 1;
    for (int i = 0; i < 20000 && strstr(q(&f, "DescribeBackup", "{'BackupArn':'%s'}", arn), "AVAILABLE"); i++)
        usleep(1000);
    assert_holds(q(&f, "DescribeBackup", "{'BackupArn':'%s'}", arn), "BackupNotFoundException");
    wait_left(&f, 2 * KEYS);
    fixture_close(&f);
}

struct first_rows {
    char letter; /* that the keys begin with */
    uint8_t keys[3][64];
    size_t lengths[3], n;
};

static int find_rows(struct store_txn *txn, void *ctx)
{
    struct first_rows *rows = ctx;
    const char after = (char)(rows->letter + 1);
    struct store_range range = { .space = SPACE_META, .from = slice_of(&rows->letter, 1), .to = slice_of(&after, 1) };
    struct store_cursor *cursor;
    struct slice key;
    int status = store_range_open(txn, &range, &cursor);
    for (rows->n = 0; !status && !(status = store_range_next(cursor, &key, NULL)); rows->n++) {
        if (rows->n == 3 || key.n > sizeof *rows->keys) return STORE_INVALID;
        memcpy(rows->keys[rows->n], key.p, rows->lengths[rows->n] = key.n);
    }
    return status == STORE_END ? STORE_OK : status;
}

/* Whole, but nobody can say whose items it has. */
static int forget_table(struct store_txn *txn, void *ctx)
{
    struct fields_out fields = { .arena = &((struct fixture *)ctx)->text };
    struct first_rows rows = { .letter = 'K' };
    int status = find_rows(txn, &rows);
    if (status || rows.n != 3) return STORE_INVALID;
    fields_int(&fields, SLICE("expires"), 1);
    return store_put(txn, SPACE_META, slice_of(rows.keys[1], rows.lengths[1]), fields_end(&fields, 100));
}

static void damaged_backups_keep_no_other_of_the_system(void **unused)
{
    (void)unused;
    static struct fixture f;
    struct first_rows rows = { .letter = 'K' };
    open_memory(&f);
    for (int i = 0; i < 3; i++) {
        create_table(&f);
        recover(&f);
        assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "DELETING");
        clock_ms += 1000;
    }
    engine_close(f.engine);
    assert_int_equal(store_update(f.store, forget_table, &f), STORE_OK);
    assert_int_equal(store_view(f.store, find_rows, &rows), STORE_OK);
    failing_set_up(f.store);
    damage_row(SPACE_META, slice_of(rows.keys[0], rows.lengths[0]));
    clock_ms += (int64_t)36 * 86400000;
    open_engine(&f);
    for (int i = 0; i < 5000 && rows.n == 3; i++) {
        assert_int_equal(store_view(f.store, find_rows, &rows), STORE_OK);
        usleep(1000);
    }
    assert_int_equal(rows.n, 2);
    assert_int_equal(__atomic_load_n(&f.engine->damaged, __ATOMIC_RELAXED), 1);
    fixture_close(&f);
}

static void damaged_copy_keeps_no_other(void **unused)
{
    (void)unused;
    static struct fixture f;
    struct state s = { 0 };
    struct first_rows rows = { .letter = 'Y' };
    char arn[200];
    open_memory(&f);
    create_table(&f);
    fill(&f, &s);
    create_backup(&f, arn);
    wait_available(&f, arn);
    engine_close(f.engine);
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "60000", 1);
    open_engine(&f);
    assert_holds(q(&f, "RestoreTableFromBackup", "{'BackupArn':'%s','TargetTableName':'lost'}", arn), "CREATING");
    engine_close(f.engine);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    assert_int_equal(store_view(f.store, find_rows, &rows), STORE_OK);
    assert_int_equal(rows.n, 1);
    failing_set_up(f.store);
    damage_row(SPACE_META, slice_of(rows.keys[0], rows.lengths[0]));
    open_engine(&f);
    restore_backup(&f, arn, "copy");
    assert_table(&f, "copy", &s);
    assert_holds(q(&f, "DeleteBackup", "{'BackupArn':'%s'}", arn), "DELETED");
    assert_true(__atomic_load_n(&f.engine->damaged, __ATOMIC_RELAXED) > 0);
    fixture_close(&f);
}

/* ---- the largest items in the most indexes ---- */

static void put_large(struct fixture *f, char letter)
{
    static char text[395 * 1024 + 1];
    memset(text, letter, sizeof text - 1);
    for (int i = 0; i < 5; i++)
        assert_string_equal(q(f, "PutItem", "{'TableName':'large','Item':{'p':{'S':'%d'},'s':{'S':'s'},'t':{'S':'%s'}}}", i, text),
                            "{}");
}

static void copies_the_largest_items_with_25_indexes(void **unused)
{
    (void)unused;
    static struct fixture f;
    struct buf b;
    open_memory(&f);
    buf_init(&b, &f.text, 1 << 16);
    for (int i = 0; i < 25; i++) {
        buf_printf(&b, "%s{'IndexName':'i%02d','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},"
                       "{'AttributeName':'s','KeyType':'RANGE'}],'Projection':{'ProjectionType':'ALL'}}",
                   i == 5 ? "],'GlobalSecondaryIndexes':[" : i ? "," : "", i);
    }
    assert_holds(q(&f, "CreateTable",
                   "{'TableName':'large','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},{'AttributeName':'s','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}],"
                   "'LocalSecondaryIndexes':[%.*s]}", SLICE_ARG(buf_view(&b))),
                 "TableDescription");
    assert_holds(q(&f, "UpdateContinuousBackups",
                   "{'TableName':'large','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true}}"),
                 "ENABLED");
    put_large(&f, 'a');
    int64_t second = clock_ms / 1000;
    clock_ms += 1000;
    put_large(&f, 'b');
    assert_holds(q(&f, "RestoreTableToPointInTime",
                   "{'SourceTableName':'large','TargetTableName':'then','RestoreDateTime':%lld}", (long long)second),
                 "CREATING");
    wait_active(&f, "then");
    for (int i = 0; i < 5; i++)
        assert_holds(q(&f, "GetItem", "{'TableName':'then','Key':{'p':{'S':'%d'},'s':{'S':'s'}}}", i), "{\"S\":\"aaaa");
    assert_int_equal(number_after(strstr(q(&f, "DescribeTable", "{'TableName':'then'}"), "i24"), "\"ItemCount\":"), 5);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restores_to_every_second_that_was),
        cmocka_unit_test(latest_is_the_table_as_it_was_when_asked),
        cmocka_unit_test(backup_is_the_table_as_it_was_when_asked),
        cmocka_unit_test(backup_beside_transactions_holds_all_or_nothing_of_each),
        cmocka_unit_test(so_it_does_of_a_table_with_a_stream),
        cmocka_unit_test(goes_on_after_a_restart_in_every_phase),
        cmocka_unit_test(table_may_be_deleted_while_it_is_copied),
        cmocka_unit_test(deleted_table_stays_as_a_backup_of_the_system),
        cmocka_unit_test(damaged_backups_keep_no_other_of_the_system),
        cmocka_unit_test(damaged_copy_keeps_no_other),
        cmocka_unit_test(copies_the_largest_items_with_25_indexes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
