/* test_large_steps.c: items of 400 KB, many at once. The memory of a step of the work behind the calls is bounded whatever the items are that it
 * replaces, so that copies, imports and exports of them come to an end; a call's is enough for the largest batch. What cannot be
 * imported takes nothing else with it. */
#include "engine_fixture.h"
#include "engine/fields.h"
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define ITEMS 200 /* of one step; together they are larger than its memory */
#define LARGE 390000

static _Atomic int64_t clock_ms;
static char bucket_dir[64];

static int64_t test_clock(void *ctx)
{
    (void)ctx;
    return clock_ms;
}

static void open_engine(struct fixture *f)
{
    char message[256] = "";
    struct engine_options o = { .now_ms = test_clock, .s3_dir = bucket_dir };
    if (engine_open(&f->engine, f->store, &o, message, sizeof message)) fail_msg("engine: %s", message);
}

static void open_memory(struct fixture *f)
{
    struct store_options o = { 0 };
    clock_ms = 1800000000000;
    fixture_open_with(f, &o, &(struct engine_options){ .now_ms = test_clock, .s3_dir = bucket_dir });
}

/* One partition, so that all changes follow each other. */
static void create_table(struct fixture *f)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'big','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1},"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}"),
                 "TableDescription");
    assert_holds(q(f, "UpdateContinuousBackups",
                   "{'TableName':'big','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true}}"),
                 "\"ENABLED\"");
}

static void put_items(struct fixture *f, int n, size_t length)
{
    char *text = malloc(length + 1);
    memset(text, 'x', length);
    text[length] = 0;
    for (int i = 0; i < n; i++) {
        assert_string_equal(q(f, "PutItem", "{'TableName':'big','Item':{'p':{'S':'%d'},'v':{'S':'%s'}}}", i, text), "{}");
        arena_reset(&f->text);
    }
    free(text);
}

static bool wait_for(struct fixture *f, const char *operation, const char *request, const char *part)
{
    for (int i = 0; i < 9000; i++) {
        if (strstr(q(f, operation, "%s", request), part)) return true;
        usleep(10000);
    }
    return false;
}

/* Where everything takes many times as long (valgrind, the sanitizer of threads) the largest amounts are left to the other builds. */
static void leave_if_slow(void)
{
    if (getenv("OF_TEST_SLOW")) skip();
}

/* ---- directories of buckets ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static int make(void **state)
{
    char path[80];
    (void)state;
    snprintf(bucket_dir, sizeof bucket_dir, "/tmp/onefold-large-XXXXXX");
    if (!mkdtemp(bucket_dir)) return -1;
    snprintf(path, sizeof path, "%s/bb", bucket_dir);
    return mkdir(path, 0700);
}

static int clear(void **state)
{
    (void)state;
    return nftw(bucket_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- copies ---- */

/* What an insertion left behind is one small record of the history, but the item that it undoes has 400 KB. */
static void undoing_insertions_of_large_items_ends(void **state)
{
    (void)state;
    leave_if_slow();
    static struct fixture f;
    open_memory(&f);
    create_table(&f);
    int64_t then = clock_ms / 1000;
    clock_ms += 5000;
    put_items(&f, ITEMS, LARGE);
    clock_ms += 5000;
    assert_holds(q(&f, "RestoreTableToPointInTime", "{'SourceTableName':'big','TargetTableName':'old','RestoreDateTime':%lld}",
                   (long long)then),
                 "CREATING");
    assert_true(wait_for(&f, "DescribeTable", "{'TableName':'old'}", "\"TableStatus\":\"ACTIVE\""));
    assert_holds(q(&f, "DescribeTable", "{'TableName':'old'}"), "\"ItemCount\":0");
    assert_holds(q(&f, "Scan", "{'TableName':'old'}"), "\"Count\":0");
    fixture_close(&f);
}

/* ---- calls ---- */

/* What each index holds of an item takes no memory of its own where that is the whole item. */
static void batches_of_large_items_with_many_indexes_fit(void **state)
{
    (void)state;
    leave_if_slow();
    static struct fixture f;
    struct buf indexes, batch;
    open_memory(&f);
    f.arena.max = (size_t)256 << 20; /* the server's for one request */
    buf_init(&indexes, &f.text, 1u << 20);
    for (int i = 0; i < 20; i++) {
        buf_printf(&indexes, "%s{'IndexName':'by%02d','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],"
                             "'Projection':{'ProjectionType':'ALL'}}",
                   i ? "," : "", i);
    }
    assert_holds(q(&f, "CreateTable",
                   "{'TableName':'big','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},{'AttributeName':'g','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}],'GlobalSecondaryIndexes':[%.*s]}",
                   SLICE_ARG(buf_view(&indexes))),
                 "TableDescription");
    char *text = malloc(LARGE + 1);
    memset(text, 'x', LARGE);
    text[LARGE] = 0;
    buf_init(&batch, &f.text, (size_t)64 << 20);
    for (int i = 0; i < 25; i++) {
        buf_printf(&batch, "%s{\"Statement\":\"INSERT INTO big VALUE {'p':'%d','g':'g','v':?}\",\"Parameters\":[{\"S\":\"%s\"}]}",
                   i ? "," : "", i, text);
    }
    assert_lacks(ask(&f, "BatchExecuteStatement", "{\"Statements\":[%.*s]}", SLICE_ARG(buf_view(&batch))), "Error");
    batch.n = 0;
    text[0] = 'y';
    for (int i = 0; i < 25; i++) {
        buf_printf(&batch, "%s{'PutRequest':{'Item':{'p':{'S':'%d'},'g':{'S':'h'},'v':{'S':'%s'}}}}", i ? "," : "", i, text);
    }
    assert_holds(q(&f, "BatchWriteItem", "{'RequestItems':{'big':[%.*s]}}", SLICE_ARG(buf_view(&batch))), "\"UnprocessedItems\":{}");
    free(text);
    const char *answer = q(&f, "DescribeTable", "{'TableName':'big'}");
    int count = 0;
    for (const char *at = answer; (at = strstr(at, "\"ItemCount\":25")); at++) count++;
    assert_int_equal(count, 21);
    assert_holds(q(&f, "Query", "{'TableName':'big','IndexName':'by19','KeyConditionExpression':'g = :g','Select':'COUNT',"
                                "'ExpressionAttributeValues':{':g':{'S':'g'}}}"),
                 "\"Count\":0");
    fixture_close(&f);
}

/* ---- what copies leave to other work ---- */

/* A copy that can never be made: of the items of the backup whose id was found. */
static int write_broken_copy(struct store_txn *txn, void *ctx)
{
    struct arena *a = ctx;
    struct store_range range = { .space = SPACE_META, .from = SLICE("K"), .to = SLICE("L") };
    struct store_cursor *cursor;
    struct slice key, record;
    int status = store_range_open(txn, &range, &cursor);
    if (!status) status = store_range_next(cursor, &key, &record);
    if (status) return status;
    struct fields_out f = { .arena = a };
    fields_int(&f, SLICE("source"), field_int(record, SLICE("items_id")));
    fields_int(&f, SLICE("purpose"), 1);
    return store_put(txn, SPACE_META, slice_of("Y\377\0\0\1", 5), fields_end(&f, 1000));
}

/* A backup that has expired and is being read is looked at now and then, not all the time. */
static void expired_backup_in_use_is_waited_for_at_rest(void **state)
{
    (void)state;
    static struct fixture f;
    struct store_stats before, after;
    open_memory(&f);
    create_table(&f);
    put_items(&f, 1, 10);
    assert_holds(q(&f, "DeleteTable", "{'TableName':'big'}"), "DELETING");
    assert_int_equal(store_update(f.store, write_broken_copy, &f.text), STORE_OK);
    clock_ms += (int64_t)40 * 86400000;
    usleep(100000); /* the thread looks at a clock that a test moves every 50 ms */
    store_get_stats(f.store, &before);
    usleep(500000);
    store_get_stats(f.store, &after);
    assert_in_range(after.updates - before.updates, 0, 100);
    assert_holds(q(&f, "ListBackups", "{'BackupType':'ALL'}"), "DeletedTableBackup");
    fixture_close(&f);
}

/* ---- imports ---- */

struct object {
    gzFile file;
};

static void begin_object(struct object *o, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/bb/%s", bucket_dir, name);
    o->file = gzopen(path, "wb1");
    assert_non_null(o->file);
}

static void add_item(struct object *o, int i, size_t length)
{
    char *text = malloc(length + 1);
    memset(text, 'y', length);
    text[length] = 0;
    gzprintf(o->file, "{\"Item\":{\"p\":{\"S\":\"%d\"},\"v\":{\"S\":\"", i);
    assert_int_equal(gzwrite(o->file, text, (unsigned)length), length);
    gzputs(o->file, "\"}}}\n");
    free(text);
}

static const char *ask_for_import(struct fixture *f)
{
    return q(f, "ImportTable",
             "{'S3BucketSource':{'S3Bucket':'bb'},'InputFormat':'DYNAMODB_JSON','InputCompressionType':'GZIP',"
             "'ClientToken':'t','TableCreationParameters':{'TableName':'imported','BillingMode':'PAY_PER_REQUEST',"
             "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
             "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}}");
}

static const char *import(struct fixture *f, const char *end)
{
    char request[300];
    const char *answer = ask_for_import(f);
    const char *arn = strstr(answer, "\"ImportArn\":\"");
    assert_non_null(arn);
    arn += strlen("\"ImportArn\":\"");
    snprintf(request, sizeof request, "{'ImportArn':'%.*s'}", (int)strcspn(arn, "\""), arn);
    assert_true(wait_for(f, "DescribeImport", request, "\"EndTime\""));
    answer = q(f, "DescribeImport", "%s", request);
    assert_holds(answer, end);
    return answer;
}

static void importing_over_large_items_ends(void **state)
{
    (void)state;
    leave_if_slow();
    static struct fixture f;
    struct object o;
    open_memory(&f);
    begin_object(&o, "1");
    for (int i = 0; i < ITEMS; i++)
        add_item(&o, i, LARGE);
    for (int i = 0; i < ITEMS; i++)
        add_item(&o, i, 1);
    gzclose(o.file);
    assert_holds(import(&f, "\"ImportStatus\":\"COMPLETED\""), "\"ImportedItemCount\":400");
    assert_holds(q(&f, "DescribeTable", "{'TableName':'imported'}"), "\"ItemCount\":200");
    assert_holds(q(&f, "Scan", "{'TableName':'imported','Select':'COUNT'}"), "\"Count\":200,\"ScannedCount\":200");
    fixture_close(&f);
}

static void items_too_large_do_not_end_an_import(void **state)
{
    (void)state;
    leave_if_slow();
    static struct fixture f;
    struct object o;
    open_memory(&f);
    begin_object(&o, "1");
    for (int i = 0; i < 150; i++)
        add_item(&o, i, 1500000);
    add_item(&o, 1000, 1);
    gzclose(o.file);
    const char *answer = import(&f, "ItemValidationError");
    assert_holds(answer, "\"ErrorCount\":150");
    assert_holds(answer, "\"ImportedItemCount\":1,");
    fixture_close(&f);
}

/* What is denied to this user: the import fails, and the table is not left being created for ever. In a process of its own, because nothing
 * is denied to root. */
static int import_from_a_locked_directory(void)
{
    static struct fixture f;
    char path[128], request[300];
    if (geteuid() == 0 && setresuid(65534, 65534, 65534)) return 2;
    if (make(NULL)) return 3;
    snprintf(path, sizeof path, "%s/bb/locked", bucket_dir);
    if (mkdir(path, 0)) return 4;
    open_memory(&f);
    const char *arn = strstr(ask_for_import(&f), "\"ImportArn\":\"");
    if (!arn) return 5;
    arn += strlen("\"ImportArn\":\"");
    snprintf(request, sizeof request, "{'ImportArn':'%.*s'}", (int)strcspn(arn, "\""), arn);
    bool ended = wait_for(&f, "DescribeImport", request, "S3AccessDenied");
    bool gone = strstr(q(&f, "DescribeTable", "{'TableName':'imported'}"), "ResourceNotFoundException") != NULL;
    fixture_close(&f);
    chmod(path, 0700);
    clear(NULL);
    return ended && gone ? 0 : 6;
}

static void import_from_a_locked_directory_fails(void **state)
{
    (void)state;
    int result = 0;
    pid_t child = fork();
    if (child == 0) _exit(import_from_a_locked_directory());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
}

/* Too many files are open, before the bucket and then before the object: the import waits. */
static void import_waits_for_files_to_open(void **state)
{
    (void)state;
    static struct fixture f;
    struct object o;
    struct rlimit before, few;
    open_memory(&f);
    begin_object(&o, "1");
    add_item(&o, 1, 1);
    gzclose(o.file);
    getrlimit(RLIMIT_NOFILE, &before);
    for (rlim_t more = 0; more < 3; more++) {
        int next = dup(0);
        assert_true(next >= 0);
        close(next);
        few = before;
        few.rlim_cur = (rlim_t)next + more;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        ask_for_import(&f);
        usleep(300000);
        const char *now = q(&f, "DescribeTable", "{'TableName':'imported'}");
        bool waits = strstr(now, "\"TableStatus\":\"CREATING\"") != NULL;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_true(waits);
        assert_true(wait_for(&f, "DescribeTable", "{'TableName':'imported'}", "\"TableStatus\":\"ACTIVE\""));
        assert_holds(q(&f, "DescribeTable", "{'TableName':'imported'}"), "\"ItemCount\":1");
        assert_holds(q(&f, "DeleteTable", "{'TableName':'imported'}"), "DELETING");
        clock_ms += 9 * 3600000; /* the token is forgotten */
    }
    fixture_close(&f);
}

/* ---- exports ---- */

static void exporting_changes_of_large_items_ends(void **state)
{
    (void)state;
    leave_if_slow();
    static struct fixture f;
    char request[300];
    open_memory(&f);
    create_table(&f);
    put_items(&f, ITEMS, LARGE);
    clock_ms += 10000;
    int64_t from = clock_ms / 1000;
    put_items(&f, ITEMS, 1);
    put_items(&f, ITEMS, 2);
    clock_ms += 1000000;
    const char *answer = q(&f, "ExportTableToPointInTime",
                           "{'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/big','S3Bucket':'bb',"
                           "'ExportType':'INCREMENTAL_EXPORT','IncrementalExportSpecification':{'ExportFromTime':%lld}}",
                           (long long)from);
    const char *arn = strstr(answer, "\"ExportArn\":\"");
    if (!arn) fail_msg("%s", answer);
    arn += strlen("\"ExportArn\":\"");
    snprintf(request, sizeof request, "{'ExportArn':'%.*s'}", (int)strcspn(arn, "\""), arn);
    assert_true(wait_for(&f, "DescribeExport", request, "\"EndTime\""));
    assert_holds(q(&f, "DescribeExport", "%s", request), "\"ItemCount\":200");
    fixture_close(&f);
}

static void export_waits_for_files_to_open(void **state)
{
    (void)state;
    static struct fixture f;
    struct rlimit before, few;
    open_memory(&f);
    create_table(&f);
    put_items(&f, 3, 10);
    getrlimit(RLIMIT_NOFILE, &before);
    for (rlim_t more = 0; more < 4; more++) {
        char request[300];
        int next = dup(0);
        assert_true(next >= 0);
        close(next);
        few = before;
        few.rlim_cur = (rlim_t)next + more;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        const char *answer = q(&f, "ExportTableToPointInTime",
                               "{'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/big','S3Bucket':'bb'}");
        const char *arn = strstr(answer, "\"ExportArn\":\"");
        if (arn) {
            arn += strlen("\"ExportArn\":\"");
            snprintf(request, sizeof request, "{'ExportArn':'%.*s'}", (int)strcspn(arn, "\""), arn);
        }
        usleep(200000);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_non_null(arn);
        assert_true(wait_for(&f, "DescribeExport", request, "\"EndTime\""));
        answer = q(&f, "DescribeExport", "%s", request);
        assert_holds(answer, "COMPLETED");
        assert_holds(answer, "\"ItemCount\":3");
    }
    fixture_close(&f);
}

/* ---- a clock that is set back ---- */

/* What is changed after a copy began is not in it, also when the server was started again meanwhile and its clock set back. */
static void copy_knows_what_came_after_it_when_the_clock_goes_back(void **state)
{
    (void)state;
    static struct fixture f;
    char arn[200];
    open_memory(&f);
    create_table(&f);
    put_items(&f, 2000, 1);
    clock_ms += 10000;
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "300", 1);
    engine_close(f.engine);
    open_engine(&f);
    const char *answer = q(&f, "CreateBackup", "{'TableName':'big','BackupName':'copy'}");
    const char *at = strstr(answer, "\"BackupArn\":\"");
    assert_non_null(at);
    at += strlen("\"BackupArn\":\"");
    snprintf(arn, sizeof arn, "%.*s", (int)strcspn(at, "\""), at);
    engine_close(f.engine);
    clock_ms -= 5000;
    open_engine(&f);
    put_items(&f, 2000, 2);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    engine_close(f.engine);
    open_engine(&f);
    char request[300];
    snprintf(request, sizeof request, "{'BackupArn':'%s'}", arn);
    assert_true(wait_for(&f, "DescribeBackup", request, "AVAILABLE"));
    assert_holds(q(&f, "RestoreTableFromBackup", "{'BackupArn':'%s','TargetTableName':'old'}", arn), "CREATING");
    assert_true(wait_for(&f, "DescribeTable", "{'TableName':'old'}", "\"TableStatus\":\"ACTIVE\""));
    assert_holds(q(&f, "Scan", "{'TableName':'old','FilterExpression':'size(v) > :o','Select':'COUNT',"
                               "'ExpressionAttributeValues':{':o':{'N':'1'}}}"),
                 "\"Count\":0");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(undoing_insertions_of_large_items_ends, make, clear),
        cmocka_unit_test_setup_teardown(batches_of_large_items_with_many_indexes_fit, make, clear),
        cmocka_unit_test_setup_teardown(expired_backup_in_use_is_waited_for_at_rest, make, clear),
        cmocka_unit_test_setup_teardown(importing_over_large_items_ends, make, clear),
        cmocka_unit_test_setup_teardown(items_too_large_do_not_end_an_import, make, clear),
        cmocka_unit_test(import_from_a_locked_directory_fails),
        cmocka_unit_test_setup_teardown(import_waits_for_files_to_open, make, clear),
        cmocka_unit_test_setup_teardown(exporting_changes_of_large_items_ends, make, clear),
        cmocka_unit_test_setup_teardown(export_waits_for_files_to_open, make, clear),
        cmocka_unit_test_setup_teardown(copy_knows_what_came_after_it_when_the_clock_goes_back, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
