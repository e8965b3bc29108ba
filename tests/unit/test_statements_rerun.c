/* test_statements_rerun.c: PartiQL's writes and copies of tables, all at once, in batches that are run again, while their tables are changed, deleted
 * and made anew: transactions keep their sums, also in every copy, and counters tell what there is. */
#include "engine_fixture.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITERS = 3, ACCOUNTS = 40, EACH = 100, ROUNDS = 1000, COPIES_MAX = 40 };

static atomic_int at_work;

struct worker {
    struct fixture *f;
    struct arena arena;
    unsigned seed;
    void (*work)(struct worker *w);
    int copies; /* tables made of backups and of the past */
};

/* The answer stays until the worker's next question. */
__attribute__((format(printf, 3, 4))) static const char *tell(struct worker *w, const char *operation, const char *fmt, ...)
{
    struct call call = { 0 };
    va_list ap;
    arena_reset(&w->arena);
    va_start(ap, fmt);
    struct slice body = arena_vprintf(&w->arena, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < body.n; i++) {
        uint8_t *p = (uint8_t *)(uintptr_t)body.p + i;
        *p = *p == '\'' ? '"' : *p == '`' ? '\'' : *p;
    }
    if (!call_prepare(&call, w->f->engine, &w->arena, (struct caller){ 0 }, slice_str(operation), body)) call_run(&call);
    struct slice answer = call_answer(&call);
    char *text = (char *)arena_bytes(&w->arena, answer.n + 1);
    if (answer.n) memcpy(text, answer.p, answer.n); /* TagResource answers nothing */
    text[answer.n] = 0;
    call_end(&call);
    if (strstr(text, "InternalServerError")) fail_msg("%s: %s", operation, text);
    return text;
}

static int below(struct worker *w, int n)
{
    return rand_r(&w->seed) % n;
}

static void transfer(struct worker *w)
{
    int from = below(w, ACCOUNTS), to = (from + 1 + below(w, ACCOUNTS - 1)) % ACCOUNTS, n = 1 + below(w, 9);
    tell(w, "ExecuteTransaction",
         "{'ClientRequestToken':'%d','TransactStatements':[{'Statement':'UPDATE bank SET v = v - %d WHERE p = `%d`'},"
         "{'Statement':'UPDATE bank SET v = v + ? WHERE p = `%d`','Parameters':[{'N':'%d'}]}]}",
         below(w, 1000000), n, from, to, n);
}

static void write_statements(struct worker *w)
{
    for (int i = 0; i < ROUNDS; i++) {
        int key = below(w, 30);
        switch (below(w, 5)) {
        case 0:
            tell(w, "BatchExecuteStatement",
                 "{'ReturnConsumedCapacity':'INDEXES','Statements':[{'Statement':'INSERT INTO toggled VALUE {`p`:`%d`,`x`:`%d`}'},"
                 "{'Statement':'UPDATE toggled SET x = ? WHERE p = `%d` RETURNING ALL OLD *','Parameters':[{'S':'%d'}]},"
                 "{'Statement':'DELETE FROM toggled WHERE p = `%d` AND x > `%d`',"
                 "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'},{'Statement':'DELETE FROM none WHERE p = `1`'}]}",
                 key, i, key + 30, i, key + 60, i);
            break;
        case 1:
            tell(w, "ExecuteStatement", "{'Statement':'INSERT INTO toggled VALUE {`p`:`%d`,`x`:`%d`,`e`:%d}'}", key + 30 * below(w, 3), i, i);
            break;
        case 2:
            tell(w, "ExecuteStatement", "{'Statement':'DELETE FROM toggled WHERE p = `%d` RETURNING ALL OLD *'}", key);
            break;
        default:
            transfer(w);
        }
    }
    at_work--;
}

static void make_toggled(struct worker *w)
{
    tell(w, "CreateTable",
         "{'TableName':'toggled','BillingMode':'PAY_PER_REQUEST',"
         "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
         "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}");
}

/* Copies of the bank while it is written to. */
static void copy_bank(struct worker *w)
{
    char arn[200] = "";
    for (int i = 0; at_work; i++) {
        const char *answer = tell(w, "CreateBackup", "{'TableName':'bank','BackupName':'copy'}");
        const char *at = strstr(answer, "\"BackupArn\":\"");
        assert_non_null(at);
        at += strlen("\"BackupArn\":\"");
        snprintf(arn, sizeof arn, "%.*s", (int)strcspn(at, "\""), at);
        tell(w, "UpdateContinuousBackups", "{'TableName':'bank','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':%s}}",
             i % 4 == 3 ? "false" : "true");
        if (w->copies < COPIES_MAX) {
            answer = tell(w, "RestoreTableToPointInTime",
                          "{'SourceTableName':'bank','TargetTableName':'copy%d','UseLatestRestorableTime':true}", w->copies);
            w->copies += strstr(answer, "TableDescription") != NULL;
        }
        while (!strstr(tell(w, "DescribeBackup", "{'BackupArn':'%s'}", arn), "AVAILABLE")) usleep(500);
        if (w->copies < COPIES_MAX) {
            answer = tell(w, "RestoreTableFromBackup", "{'BackupArn':'%s','TargetTableName':'copy%d'}", arn, w->copies);
            w->copies += strstr(answer, "TableDescription") != NULL;
        } else {
            tell(w, "DeleteBackup", "{'BackupArn':'%s'}", arn);
        }
    }
}

/* The other table goes while it is copied, comes again, has an index and times of expiry and has them no longer. */
static void change_tables(struct worker *w)
{
    for (int i = 0; at_work; i++) {
        tell(w, "CreateBackup", "{'TableName':'toggled','BackupName':'copy'}");
        tell(w, "UpdateTable",
             "{'TableName':'toggled','AttributeDefinitions':[{'AttributeName':'x','AttributeType':'S'}],"
             "'GlobalSecondaryIndexUpdates':[{'Create':{'IndexName':'byx','KeySchema':[{'AttributeName':'x','KeyType':'HASH'}],"
             "'Projection':{'ProjectionType':'ALL'}}}]}");
        tell(w, "UpdateContinuousBackups",
             "{'TableName':'toggled','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':%s}}", i % 3 ? "true" : "false");
        tell(w, "RestoreTableToPointInTime", "{'SourceTableName':'toggled','TargetTableName':'other','UseLatestRestorableTime':true}");
        usleep(3000);
        tell(w, "DeleteTable", "{'TableName':'other'}");
        tell(w, "UpdateTable", "{'TableName':'toggled','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'byx'}}]}");
        tell(w, "TagResource", "{'ResourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/bank','Tags':[{'Key':'k','Value':'%d'}]}", i);
        if (i % 4 == 0) {
            tell(w, "DeleteTable", "{'TableName':'toggled'}");
            make_toggled(w);
        }
    }
}

static int put_and_fail(struct store_txn *txn, void *ctx)
{
    (void)ctx;
    int status = store_put(txn, SPACE_META, SLICE("zz"), SLICE("x"));
    return status ? status : 1;
}

/* The batch that this is in is run again. */
static void spoil(struct worker *w)
{
    while (at_work) {
        store_update(w->f->store, put_and_fail, NULL);
        usleep(300);
    }
}

static void *run(void *ctx)
{
    struct worker *w = ctx;
    w->work(w);
    return NULL;
}

/* ---- what is left ---- */

static int64_t number_after(const char *answer, const char *what)
{
    const char *at = strstr(answer, what);
    if (!at) fail_msg("no %s in %.500s", what, answer);
    return strtoll(at + strlen(what), NULL, 10);
}

static void wait_active(struct fixture *f, const char *table)
{
    for (int i = 0; i < 20000; i++) {
        const char *answer = q(f, "DescribeTable", "{'TableName':'%s'}", table);
        if (!strstr(answer, "\"TableStatus\":\"CREATING\"") && !strstr(answer, "\"Backfilling\":true")) return;
        usleep(1000);
    }
    fail_msg("waited too long for %s", table);
}

/* How many accounts have another sum than at first. */
static int assert_sum(struct fixture *f, const char *table)
{
    int64_t sum = 0, n = 0;
    int moved = 0;
    wait_active(f, table);
    const char *answer = q(f, "Scan", "{'TableName':'%s'}", table);
    for (const char *at = answer; (at = strstr(at, "\"v\":{\"N\":\"")); at++, n++) {
        sum += number_after(at, "\"v\":{\"N\":\"");
        moved += number_after(at, "\"v\":{\"N\":\"") != EACH;
    }
    assert_int_equal(n, ACCOUNTS);
    assert_int_equal(sum, ACCOUNTS * EACH);
    assert_int_equal(number_after(q(f, "DescribeTable", "{'TableName':'%s'}", table), "\"ItemCount\":"), ACCOUNTS);
    return moved;
}

static void assert_counted(struct fixture *f, const char *table)
{
    const char *answer = q(f, "DescribeTable", "{'TableName':'%s'}", table);
    if (strstr(answer, "ResourceNotFoundException")) return;
    wait_active(f, table);
    int64_t n = number_after(q(f, "Scan", "{'TableName':'%s','Select':'COUNT'}", table), "\"Count\":");
    answer = q(f, "DescribeTable", "{'TableName':'%s'}", table);
    const char *of_table = strstr(answer, "\"TableSizeBytes\"");
    assert_non_null(of_table);
    assert_int_equal(number_after(of_table, "\"ItemCount\":"), n);
    if (!strstr(answer, "\"byx\"")) return;
    const char *of_index = strstr(answer, "\"IndexSizeBytes\"");
    int64_t in_index = number_after(q(f, "Scan", "{'TableName':'%s','IndexName':'byx','Select':'COUNT'}", table), "\"Count\":");
    assert_int_equal(number_after(of_index, "\"ItemCount\":"), in_index);
}

static void everything_at_once(struct fixture *f, const struct engine_options *o)
{
    static struct worker workers[WRITERS + 3];
    pthread_t threads[WRITERS + 3];
    fixture_open_with(f, &(struct store_options){ 0 }, o);
    memset(workers, 0, sizeof workers);
    at_work = WRITERS;
    for (unsigned i = 0; i < WRITERS + 3; i++) {
        void (*const others[])(struct worker *) = { copy_bank, change_tables, spoil };
        workers[i] = (struct worker){ .f = f, .seed = i + 1, .work = i < WRITERS ? write_statements : others[i - WRITERS] };
        arena_init(&workers[i].arena, (size_t)64 << 20);
    }
    tell(&workers[0], "CreateTable",
         "{'TableName':'bank','BillingMode':'PAY_PER_REQUEST',"
         "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}");
    make_toggled(&workers[0]);
    for (int i = 0; i < ACCOUNTS; i++)
        tell(&workers[0], "ExecuteStatement", "{'Statement':'INSERT INTO bank VALUE {`p`:`%d`,`v`:%d}'}", i, EACH);
    for (unsigned i = 0; i < WRITERS + 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
    for (unsigned i = 0; i < WRITERS + 3; i++) {
        pthread_join(threads[i], NULL);
        arena_free(&workers[i].arena);
    }
    assert_true(assert_sum(f, "bank") > ACCOUNTS / 2);
    assert_true(workers[WRITERS].copies > 0);
    for (int i = 0; i < workers[WRITERS].copies; i++) {
        char table[32];
        snprintf(table, sizeof table, "copy%d", i);
        assert_sum(f, table);
    }
    assert_counted(f, "toggled");
    assert_counted(f, "other");
    struct store_stats stats;
    store_get_stats(f->store, &stats);
    assert_true(stats.reruns > 0); /* otherwise this tests nothing */
    print_message("%d copies, %llu reruns\n", workers[WRITERS].copies, (unsigned long long)stats.reruns);
    fixture_close(f);
}

static void all_succeed(void **state)
{
    (void)state;
    static struct fixture f;
    everything_at_once(&f, &(struct engine_options){ 0 });
}

static void with_conflicts_and_throttling(void **state)
{
    (void)state;
    static struct fixture f;
    everything_at_once(&f, &(struct engine_options){ .conflicts = CONFLICTS_DYNAMODB, .throttle = true });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_succeed),
        cmocka_unit_test(with_conflicts_and_throttling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
