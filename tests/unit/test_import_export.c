/* test_import_export.c: imports and exports through the engine: into a bucket and back, twice over, with a clock that the
 * test moves; so that the sanitizers and valgrind see these ways too. What damaged records keep waiting. */
#include "engine_fixture.h"
#include "engine/engine_impl.h"
#include "engine/export.h"
#include "engine/import.h"
#include "failing_store.h"
#include "moved_clock.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BEGIN 1700000000 /* seconds */

static char top[64];

static void open_again(struct fixture *f)
{
    char message[256];
    struct engine_options eo = { .now_ms = read_clock, .s3_dir = top };
    assert_int_equal(engine_open(&f->engine, f->store, &eo, message, sizeof message), 0);
}

static void open_here(struct fixture *f)
{
    char message[256];
    mkdir(top, 0700);
    arena_init(&f->arena, (size_t)64 << 20);
    arena_init(&f->text, (size_t)64 << 20);
    assert_int_equal(store_open(&f->store, &(struct store_options){ 0 }, message, sizeof message), 0);
    open_again(f);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static int make(void **state)
{
    char path[128];
    (void)state;
    snprintf(top, sizeof top, "/tmp/onefold-transfer-XXXXXX");
    assert_non_null(mkdtemp(top));
    snprintf(path, sizeof path, "%s/in", top);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/out", top);
    mkdir(path, 0700);
    clock_ms = (int64_t)BEGIN * 1000;
    return 0;
}

static int clear(void **state)
{
    (void)state;
    return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void write_object(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/in/json", top);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/in/%s", top, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (const char *c = text; *c; c++)
        fputc(*c == '\'' ? '"' : *c, file);
    fclose(file);
}

/* The value of a string member, in out. */
static void member(const char *answer, const char *name, char *out, size_t size)
{
    char start[64];
    snprintf(start, sizeof start, "\"%s\":\"", name);
    const char *at = strstr(answer, start);
    if (!at) fail_msg("no %s in %.500s", name, answer);
    at += strlen(start);
    snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
}

/* Asks until the status is no longer IN_PROGRESS. */
static const char *wait_for(struct fixture *f, const char *operation, const char *arn_member, const char *arn)
{
    const char *answer = "";
    for (int i = 0; i < 20000; i++) {
        answer = q(f, operation, "{'%s':'%s'}", arn_member, arn);
        if (!strstr(answer, "IN_PROGRESS")) return answer;
        usleep(1000);
    }
    fail_msg("waited too long: %.500s", answer);
    return answer;
}

/* Where other threads than this fail, so does a call that the store's thread runs because that was at work. */
static const char *accepted(struct fixture *f, const char *operation, struct slice body)
{
    const char *answer = q(f, operation, "%.*s", SLICE_ARG(body));
    for (int i = 0; i < 1000 && !strstr(answer, "Arn\""); i++) {
        usleep(1000);
        answer = q(f, operation, "%.*s", SLICE_ARG(body));
    }
    return answer;
}

static void begin_import(struct fixture *f, const char *table, const char *bucket, const char *prefix, const char *more, char *arn, size_t size)
{
    struct slice body = arena_printf(&f->text,
                                     "{'ClientToken':'%s','S3BucketSource':{'S3Bucket':'%s','S3KeyPrefix':'%s'},%s,"
                                     "'TableCreationParameters':{'TableName':'%s','BillingMode':'PAY_PER_REQUEST',"
                                     "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                                     "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}}",
                                     table, bucket, prefix, more, table);
    member(accepted(f, "ImportTable", body), "ImportArn", arn, size);
}

static const char *import(struct fixture *f, const char *table, const char *bucket, const char *prefix, const char *more)
{
    char arn[256];
    begin_import(f, table, bucket, prefix, more, arn, sizeof arn);
    return wait_for(f, "DescribeImport", "ImportArn", arn);
}

static void items_are_imported_and_bad_ones_counted(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_here(&f);
    write_object("json/a", "{'Item':{'p':{'S':'1'}}}{'Item':{'p':{'S':'2'},'l':{'L':[{'N':'1'}]}}}\n"
                           "{'Item':{'q':{'S':'no key'}}}\n{'Item':{'p':{'S':'3'}}}\n{'Item':");
    write_object("csv", "p,v\n1,x\n2,\n3\n\"4");
    const char *answer = import(&f, "fromjson", "in", "json", "'InputFormat':'DYNAMODB_JSON'");
    assert_holds(answer, "\"ErrorCount\":2,");
    assert_holds(answer, "\"ImportedItemCount\":3,");
    assert_holds(answer, "ItemValidationError");
    answer = import(&f, "fromcsv", "in", "csv", "'InputFormat':'CSV'");
    assert_holds(answer, "\"ErrorCount\":2,");
    assert_holds(answer, "\"ImportedItemCount\":2,");
    assert_holds(q(&f, "GetItem", "{'TableName':'fromcsv','Key':{'p':{'S':'1'}}}"), "\"v\":{\"S\":\"x\"}");
    answer = import(&f, "nobucket", "none", "", "'InputFormat':'CSV'");
    assert_holds(answer, "S3NoSuchBucket");
    assert_holds(q(&f, "DescribeTable", "{'TableName':'nobucket'}"), "ResourceNotFoundException");
    fixture_close(&f);
}

static void fill(struct fixture *f, int from, int to, int version)
{
    for (int i = from; i < to; i++)
        q(f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'%d'},'v':{'N':'%d'}}}", i, version);
}

static void begin_export(struct fixture *f, const char *more, char *arn, size_t size)
{
    struct slice body = arena_printf(&f->text, "{'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/shop','S3Bucket':'out'%s}", more);
    member(accepted(f, "ExportTableToPointInTime", body), "ExportArn", arn, size);
}

static void export(struct fixture *f, const char *more, const char *count, char *manifest, size_t size)
{
    char arn[256];
    begin_export(f, more, arn, sizeof arn);
    const char *answer = wait_for(f, "DescribeExport", "ExportArn", arn);
    assert_holds(answer, "COMPLETED");
    assert_holds(answer, count);
    member(answer, "ExportManifest", manifest, size);
}

static void create_shop(struct fixture *f)
{
    q(f, "CreateTable", "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST',"
      "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
      "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}");
    q(f, "UpdateContinuousBackups", "{'TableName':'shop','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true}}");
}

static int count_changes(struct store_txn *txn, void *ctx)
{
    struct store_range all = { .space = SPACE_STREAM };
    struct store_cursor *cursor;
    int status = store_range_open(txn, &all, &cursor);
    for (*(int *)ctx = 0; !status && !(status = store_range_next(cursor, NULL, NULL)); ++*(int *)ctx) {}
    if (status == STORE_END) store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

/* Nothing needs the history any more. */
static void wait_for_no_history(struct fixture *f)
{
    int left = -1;
    q(f, "UpdateContinuousBackups", "{'TableName':'shop','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':false}}");
    for (int i = 0; i < 20000; i++) {
        assert_int_equal(store_view(f->store, count_changes, &left), STORE_OK);
        if (!left) return;
        usleep(1000);
    }
    fail_msg("%d changes are still kept", left);
}

static void exports_of_the_past_and_of_changes(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char manifest[256], data[256];
    open_here(&f);
    create_shop(&f);
    fill(&f, 0, 500, 0);
    clock_ms = (int64_t)(BEGIN + 3600) * 1000;
    fill(&f, 100, 300, 1);
    fill(&f, 100, 300, 2);
    q(&f, "DeleteItem", "{'TableName':'shop','Key':{'p':{'S':'0'}}}");
    clock_ms = (int64_t)(BEGIN + 7200) * 1000;
    fill(&f, 0, 500, 3);
    char at[64], period[256];
    snprintf(at, sizeof at, ",'ExportTime':%d", BEGIN + 5000);
    export(&f, at, "\"ItemCount\":499", manifest, sizeof manifest);
    snprintf(period, sizeof period,
             ",'ExportType':'INCREMENTAL_EXPORT','IncrementalExportSpecification':{'ExportFromTime':%d,'ExportToTime':%d}",
             BEGIN + 1800, BEGIN + 5400);
    export(&f, period, "\"ItemCount\":201", data, sizeof data);
    snprintf(data, sizeof data, "%.*s/data/", (int)(strrchr(manifest, '/') - manifest), manifest);
    const char *answer = import(&f, "again", "out", data, "'InputFormat':'DYNAMODB_JSON','InputCompressionType':'GZIP'");
    assert_holds(answer, "\"ImportedItemCount\":499");
    assert_holds(q(&f, "GetItem", "{'TableName':'again','Key':{'p':{'S':'150'}}}"), "{\"N\":\"2\"}");
    assert_holds(q(&f, "GetItem", "{'TableName':'again','Key':{'p':{'S':'400'}}}"), "{\"N\":\"0\"}");
    wait_for_no_history(&f);
    fixture_close(&f);
}

/* The first row whose key begins with this letter; copied. */
static int first_of(struct store_txn *txn, struct fixture *f, char letter, struct slice *key, struct slice *record)
{
    uint8_t from = (uint8_t)letter, to = (uint8_t)(letter + 1);
    struct store_range range = { .space = SPACE_META, .from = slice_of(&from, 1), .to = slice_of(&to, 1) };
    struct store_cursor *cursor;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    assert_int_equal(store_range_next(cursor, key, record), STORE_OK);
    *key = arena_dup(&f->text, *key);
    *record = arena_dup(&f->text, *record);
    store_range_close(cursor);
    return STORE_OK;
}

/* As a program left it that let go of the table before the changes were gathered. */
static int leave_ungathered(struct store_txn *txn, void *ctx)
{
    struct fixture *f = ctx;
    struct slice key, record;
    struct export_progress p;
    uint8_t copy[5] = "Y";
    int status = first_of(txn, f, 'e', &key, &record);
    if (status) return status;
    export_decode_progress(record, &p);
    if (p.phase != EXPORT_COPYING) return STORE_INVALID;
    p.phase = EXPORT_UNGATHERED;
    for (int i = 0; i < 4; i++)
        copy[1 + i] = (uint8_t)(p.items_id >> (24 - 8 * i));
    status = store_put(txn, SPACE_META, key, export_encode_progress(&f->text, &p));
    return status ? status : store_delete(txn, SPACE_META, slice_of(copy, sizeof copy));
}

static void export_without_its_changes_fails(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char arn[256];
    clock_ms = (int64_t)BEGIN * 1000;
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "100", 1);
    open_here(&f);
    create_shop(&f);
    fill(&f, 0, 500, 0);
    clock_ms = (int64_t)(BEGIN + 3600) * 1000;
    member(q(&f, "ExportTableToPointInTime",
             "{'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/shop','S3Bucket':'out','ExportType':'INCREMENTAL_EXPORT',"
             "'IncrementalExportSpecification':{'ExportFromTime':%d,'ExportToTime':%d}}", BEGIN, BEGIN + 1800),
           "ExportArn", arn, sizeof arn);
    engine_close(f.engine);
    assert_int_equal(store_update(f.store, leave_ungathered, &f), STORE_OK);
    open_again(&f);
    const char *answer = wait_for(&f, "DescribeExport", "ExportArn", arn);
    assert_holds(answer, "\"ExportStatus\":\"FAILED\"");
    assert_holds(answer, "\"FailureCode\":\"PointInTimeRecoveryUnavailable\"");
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    fixture_close(&f);
}

/* The record of the first export becomes one that cannot be read. */
static int spoil_first_export(struct store_txn *txn, void *ctx)
{
    struct slice key, record;
    int status = first_of(txn, ctx, 'E', &key, &record);
    return status ? status : store_put(txn, SPACE_META, key, SLICE("no record"));
}

/* What has ended is forgotten after 90 days, but not what is under way: whoever waits for it could never be told, and what comes behind it
 * could never begin. Nor what is damaged, which keeps no other from being forgotten. */
static void what_is_under_way_is_not_forgotten(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    const int64_t long_ms = (int64_t)91 * 86400 * 1000;
    char first[256], second[256], third[256];
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "50", 1);
    open_here(&f);
    create_shop(&f);
    fill(&f, 0, 500, 0);
    begin_export(&f, "", first, sizeof first);
    clock_ms += long_ms;
    begin_export(&f, "", second, sizeof second);
    assert_holds(wait_for(&f, "DescribeExport", "ExportArn", first), "COMPLETED");
    assert_holds(wait_for(&f, "DescribeExport", "ExportArn", second), "COMPLETED");
    assert_int_equal(store_update(f.store, spoil_first_export, &f), STORE_OK);
    clock_ms += long_ms;
    begin_export(&f, "", third, sizeof third);
    assert_holds(q(&f, "DescribeExport", "{'ExportArn':'%s'}", first), "damaged");
    assert_holds(q(&f, "DescribeExport", "{'ExportArn':'%s'}", second), "ExportNotFoundException");
    assert_holds(wait_for(&f, "DescribeExport", "ExportArn", third), "COMPLETED");
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    fixture_close(&f);
}

/* ---- a store that fails ---- */

/* The jobs' thread cannot put records of transfers whose key begins with this: the disk is full. 0: it can. */
static _Atomic char full_for;
static atomic_int refused;

static int put_or_full(struct store_txn *t, enum store_space space, struct slice key, struct slice value)
{
    bool fails = full_for && space == SPACE_META && key.p[0] == (uint8_t)full_for && !pthread_equal(pthread_self(), failing.owner);
    if (fails) refused++;
    return fails ? STORE_FULL : failing.real->put(t, space, key, value);
}

/* What the next views of the jobs' thread that read items end with: as many as this. */
static _Atomic int view_status;
static atomic_int views_to_fail;

static int open_or_fail(struct store_txn *t, const struct store_range *r, struct store_cursor **out)
{
    bool view = r->space == SPACE_ITEM && !t->writable && !pthread_equal(pthread_self(), failing.owner);
    if (view && atomic_fetch_sub(&views_to_fail, 1) > 0) return view_status;
    return failing.real->range_open(t, r, out);
}

/* The engine's threads are at the store as soon as it is open: what fails is put there before. By the real clock (NULL) what failed is tried
 * again every second, by one that a test moves every 50 ms. */
static void open_with(struct fixture *f, int (*put)(struct store_txn *, enum store_space, struct slice, struct slice), int64_t (*clock)(void *))
{
    char message[256];
    struct engine_options eo = { .now_ms = clock, .s3_dir = top };
    open_here(f);
    engine_close(f->engine);
    failing_set_up(f->store);
    failing.own.put = put;
    failing.own.range_open = open_or_fail;
    assert_int_equal(engine_open(&f->engine, f->store, &eo, message, sizeof message), 0);
}

static void expect_rest_until_there_is_room(void)
{
    for (int i = 0; i < 5000 && !refused; i++)
        usleep(1000);
    usleep(2200000);
    assert_in_range(refused, 1, 5);
    full_for = 0;
}

static void end_that_fails_is_tried_at_rest(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char arn[256];
    open_with(&f, put_or_full, NULL);
    create_shop(&f);
    refused = 0;
    full_for = 'E';
    begin_export(&f, "", arn, sizeof arn);
    expect_rest_until_there_is_room();
    assert_holds(wait_for(&f, "DescribeExport", "ExportArn", arn), "COMPLETED");
    full_for = 'I';
    refused = 0;
    begin_import(&f, "nowhere", "none", "", "'InputFormat':'CSV'", arn, sizeof arn);
    expect_rest_until_there_is_room();
    assert_holds(wait_for(&f, "DescribeImport", "ImportArn", arn), "S3NoSuchBucket");
    fixture_close(&f);
}

static atomic_int sync_error; /* of the next fsync; 0: it does not fail */

/* The answer that describes an export that met this. */
static const char *export_that_meets(struct fixture *f, int status, int views, int error)
{
    char arn[256];
    view_status = status;
    views_to_fail = views;
    sync_error = error;
    begin_export(f, "", arn, sizeof arn);
    const char *answer = wait_for(f, "DescribeExport", "ExportArn", arn);
    if (views_to_fail > 0 || sync_error) fail_msg("nothing failed: %s", answer);
    views_to_fail = 0;
    return answer;
}

/* Whoever waits for it gets all of it: the database was away for a while, there was no memory ... */
static void failures_that_pass_do_not_end_an_export(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_with(&f, put_or_full, NULL);
    create_shop(&f);
    fill(&f, 0, 50, 0);
    static const int passing[] = { STORE_AWAY, STORE_NO_MEMORY, STORE_IO };
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        const char *answer = export_that_meets(&f, passing[i], 1, 0);
        assert_holds(answer, "COMPLETED");
        assert_holds(answer, "\"ItemCount\":50");
    }
    assert_holds(export_that_meets(&f, 0, 0, ENOMEM), "COMPLETED");
    const char *answer = export_that_meets(&f, STORE_CORRUPT, 1, 0);
    assert_holds(answer, "\"FailureCode\":\"InternalServerError\"");
    assert_holds(answer, "Stored data is damaged");
    assert_holds(export_that_meets(&f, 0, 0, ENOSPC), "S3InternalError");
    fixture_close(&f);
}

/* The program is linked so that what calls malloc comes here. */
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);

#define SECOND_BLOCK ((size_t)32 << 10) /* of an arena */
#define FIRST_ROOM   ((size_t)64 << 10) /* of an object reader, for the text of an item */

/* So many arenas of the jobs' thread that want one next do not get it. More than one: other work has its turns before an import. */
static atomic_int blocks_refused;

void *__wrap_malloc(size_t n)
{
    bool asked = n == SECOND_BLOCK && blocks_refused > 0 && !pthread_equal(pthread_self(), failing.owner);
    return asked && atomic_fetch_sub(&blocks_refused, 1) ? NULL : __real_malloc(n);
}

/* So many texts of items that do not fit their first room stay without a larger one. */
static atomic_int texts_refused;

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_realloc(void *p, size_t n)
{
    bool asked = n == FIRST_ROOM * 2 && texts_refused > 0 && !pthread_equal(pthread_self(), failing.owner);
    return asked && atomic_fetch_sub(&texts_refused, 1) ? NULL : __real_realloc(p, n);
}

/* Wherever in the beginning of an import the first block is full: the longer a column's name, the earlier. */
static void import_begins_again_where_memory_fails(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char quotes[601], column[16000], table[32], arn[256];
    open_with(&f, put_or_full, read_clock);
    for (size_t i = 0; i < sizeof quotes - 1; i += 2) memcpy(quotes + i, "\\'", 2); /* an object's name that is copied wherever it is read */
    quotes[sizeof quotes - 1] = 0;
    memset(column, 'c', sizeof column);
    for (size_t n = 1; n < sizeof column; n += sizeof column / 32) {
        snprintf(table, sizeof table, "columns%zu", n);
        struct slice more = arena_printf(&f.text, "'InputFormat':'CSV','InputFormatOptions':{'Csv':{'HeaderList':['p','%.*s']}}%c", (int)n, column, 0);
        blocks_refused = 3;
        begin_import(&f, table, "in", quotes, (const char *)more.p, arn, sizeof arn);
        assert_holds(wait_for(&f, "DescribeImport", "ImportArn", arn), "COMPLETED");
        assert_in_range(blocks_refused, 0, 2);
    }
    blocks_refused = 0;
    fixture_close(&f);
}

/* An import reads again what it could not read for want of memory; taken for too large an object, its rest would have been left. */
static void import_reads_again_where_memory_fails(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char table[32];
    open_with(&f, put_or_full, read_clock);
    const size_t room = 4 * FIRST_ROOM;
    char *objects = malloc(room);
    size_t n = 0;
    assert_non_null(objects);
    for (int i = 0; i < 10; i++)
        n += (size_t)snprintf(objects + n, room - n, "{'Item':{'p':{'S':'%d'},'v':{'S':'%0*d'}}}\n", i, i == 7 ? (int)FIRST_ROOM : 4000, 0);
    write_object("json/a", objects);
    free(objects);
    for (int refused_blocks = 1; refused_blocks < 12; refused_blocks++) {
        snprintf(table, sizeof table, "blocks%d", refused_blocks);
        blocks_refused = refused_blocks;
        texts_refused = 1;
        const char *answer = import(&f, table, "in", "json", "'InputFormat':'DYNAMODB_JSON'");
        assert_holds(answer, "COMPLETED");
        assert_holds(answer, "\"ErrorCount\":0,");
        assert_holds(answer, "\"ImportedItemCount\":10}");
        assert_int_equal(blocks_refused, 0);
        assert_int_equal(texts_refused, 0);
    }
    fixture_close(&f);
}

/* ---- what a power loss leaves ---- */

/* Folders that were synced, and how many names they had by then. */
static struct synced {
    ino_t folder;
    int names;
} synced[256];
static atomic_size_t n_synced; /* raised when the one before it is written: it is by another thread */

static int names_in(int folder)
{
    int names = -2; /* "." and ".." */
    DIR *dir = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (dir && readdir(dir)) names++;
    if (dir) closedir(dir);
    return names;
}

__attribute__((visibility("default"))) int own_fsync(int fd) __asm__("fsync");

int own_fsync(int fd)
{
    struct stat st;
    errno = atomic_exchange(&sync_error, 0);
    if (errno) return -1;
    if (!fstat(fd, &st) && S_ISDIR(st.st_mode) && n_synced < sizeof synced / sizeof *synced) {
        synced[n_synced] = (struct synced){ .folder = st.st_ino, .names = names_in(fd) };
        n_synced++;
    }
    return (int)syscall(SYS_fsync, fd);
}

static bool was_synced(ino_t folder, int names)
{
    for (size_t i = 0; i < n_synced; i++) {
        if (synced[i].folder == folder && synced[i].names == names) return true;
    }
    return false;
}

static int expect_synced(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)at;
    if (kind != FTW_D) return 0;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    int names = names_in(fd);
    close(fd);
    if (!was_synced(st->st_ino, names)) fail_msg("%s was not synced with the %d names in it", path, names);
    return 0;
}

static void folders_of_a_complete_export_are_synced(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char manifest[256], path[400];
    struct stat data;
    open_here(&f);
    create_shop(&f);
    fill(&f, 0, 20, 0);
    snprintf(path, sizeof path, "%s/out/kept", top);
    mkdir(path, 0700); /* by somebody who was killed before it was synced */
    n_synced = 0;
    export(&f, ",'S3Prefix':'kept/deep'", "\"ItemCount\":20", manifest, sizeof manifest);
    nftw(path, expect_synced, 16, FTW_PHYS);
    snprintf(path, sizeof path, "%s/out", top);
    assert_int_equal(stat(path, &data), 0);
    expect_synced(path, &data, FTW_D, NULL);
    /* Each file before its progress is noted, after which it is not written again. */
    snprintf(path, sizeof path, "%s/out/%.*s/data", top, (int)(strrchr(manifest, '/') - manifest), manifest);
    assert_int_equal(stat(path, &data), 0);
    for (int files = 1; files <= 4; files++)
        assert_true(was_synced(data.st_ino, files));
    fixture_close(&f);
}

/* The engine is closed in the middle of each: nothing is left over that is not in the store. */
static void closing_in_the_middle(void **state)
{
    (void)state;
    char path[128], line[64];
    snprintf(path, sizeof path, "%s/in/many", top);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 3000; i++) {
        snprintf(line, sizeof line, "{\"Item\":{\"p\":{\"S\":\"%d\"}}}\n", i);
        fputs(line, file);
    }
    fclose(file);
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "20", 1);
    struct fixture f = { 0 };
    open_here(&f);
    assert_holds(q(&f, "ImportTable", "{'ClientToken':'t','S3BucketSource':{'S3Bucket':'in','S3KeyPrefix':'many'},'InputFormat':'DYNAMODB_JSON',"
                   "'TableCreationParameters':{'TableName':'many','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}}"),
                 "IN_PROGRESS");
    usleep(60000);
    assert_holds(q(&f, "DescribeTable", "{'TableName':'many'}"), "CREATING");
    fixture_close(&f);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
}

/* As a kill leaves it that comes between the end of the table and that of the import. */
static int leave_half_ended(struct store_txn *txn, void *ctx)
{
    struct fixture *f = ctx;
    struct slice key, record;
    struct import im;
    int status = first_of(txn, f, 'I', &key, &record);
    if (status) return status;
    struct slice id = slice_of(key.p + 1, key.n - 1);
    import_decode(record, &im);
    im.status = IMPORT_IN_PROGRESS;
    im.end_ms = 0;
    status = store_put(txn, SPACE_META, transfer_key(&f->text, 'I', id), import_encode(&f->text, &im));
    if (status) return status;
    return store_put(txn, SPACE_META, transfer_key(&f->text, 'i', id), import_encode_progress(&f->text, &(struct import_progress){ 0 }));
}

static void failure_is_told_after_a_kill(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char arn[256], path[128];
    open_here(&f);
    const char *answer = import(&f, "lost", "later", "", "'InputFormat':'CSV'");
    assert_holds(answer, "S3NoSuchBucket");
    member(answer, "ImportArn", arn, sizeof arn);
    assert_int_equal(store_update(f.store, leave_half_ended, &f), STORE_OK);
    engine_close(f.engine);
    snprintf(path, sizeof path, "%s/later", top);
    mkdir(path, 0700);
    open_again(&f);
    answer = wait_for(&f, "DescribeImport", "ImportArn", arn);
    assert_holds(answer, "\"ImportStatus\":\"FAILED\"");
    assert_holds(answer, "S3NoSuchBucket");
    fixture_close(&f);
}

/* ---- damaged records ---- */

/* The record of the transfer with this ARN. */
static void damage_record(char letter, const char *arn)
{
    char key[64];
    int n = snprintf(key, sizeof key, "%c%s", letter, strrchr(arn, '/') + 1);
    damage_row(SPACE_META, slice_of(key, (size_t)n));
}

static void damaged_exports_hold_up_no_other(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char arns[3][256];
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "100", 1);
    open_here(&f);
    create_shop(&f);
    fill(&f, 0, 20, 0);
    for (int i = 0; i < 3; i++, clock_ms++)
        member(q(&f, "ExportTableToPointInTime",
                 "{'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/shop','S3Bucket':'out','ClientToken':'%d'}", i),
               "ExportArn", arns[i], sizeof arns[i]);
    engine_close(f.engine);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    failing_set_up(f.store);
    damage_record('e', arns[0]);
    damage_record('E', arns[1]);
    open_again(&f);
    assert_holds(wait_for(&f, "DescribeExport", "ExportArn", arns[2]), "COMPLETED");
    assert_true(__atomic_load_n(&f.engine->damaged, __ATOMIC_RELAXED) > 0);
    fixture_close(&f);
}

static void damaged_imports_hold_up_no_other(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char path[128], arns[4][256];
    snprintf(path, sizeof path, "%s/in/lines", top);
    FILE *file = fopen(path, "w");
    fputs("p\n", file);
    for (int i = 0; i < 3000; i++) fprintf(file, "%d\n", i);
    fclose(file);
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "100", 1);
    open_here(&f);
    for (int i = 0; i < 4; i++, clock_ms++)
        member(q(&f, "ImportTable", "{'ClientToken':'%d','S3BucketSource':{'S3Bucket':'in','S3KeyPrefix':'lines'},'InputFormat':'CSV',"
                 "'TableCreationParameters':{'TableName':'lines%d','BillingMode':'PAY_PER_REQUEST',"
                 "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                 "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}}", i, i),
               "ImportArn", arns[i], sizeof arns[i]);
    engine_close(f.engine);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    failing_set_up(f.store);
    damage_record('i', arns[0]);
    damage_record('I', arns[1]);
    open_again(&f);
    assert_holds(wait_for(&f, "DescribeImport", "ImportArn", arns[3]), "COMPLETED");
    assert_int_equal(__atomic_load_n(&f.engine->damaged, __ATOMIC_RELAXED), 1);
    assert_holds(q(&f, "DescribeTable", "{'TableName':'lines0'}"), "CREATING");
    fixture_close(&f);
}

/* The first item that an import looks for; it stays damaged. */
static uint8_t damaged_key[64];
static size_t damaged_key_n;

static int get_or_damaged(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    bool asked = space == SPACE_ITEM && t->writable && !pthread_equal(pthread_self(), failing.owner);
    if (asked && !damaged_key_n) memcpy(damaged_key, key.p, damaged_key_n = key.n);
    return asked && slice_eq(key, slice_of(damaged_key, damaged_key_n)) ? STORE_CORRUPT : failing.real->get(t, space, key, value);
}

static void damaged_item_holds_up_no_import(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_with(&f, put_or_full, read_clock);
    failing.own.get = get_or_damaged;
    damaged_key_n = 0;
    write_object("json/a", "{'Item':{'p':{'S':'only'}}}\n");
    const char *answer = import(&f, "only", "in", "json", "'InputFormat':'DYNAMODB_JSON'");
    assert_holds(answer, "ItemValidationError");
    assert_holds(answer, "\"ErrorCount\":1,");
    assert_holds(answer, "\"ImportedItemCount\":0,");
    damaged_key_n = 0;
    write_object("json/a", "{'Item':{'p':{'S':'1'}}}\n{'Item':{'p':{'S':'2'}}}\n{'Item':{'p':{'S':'3'}}}\n");
    answer = import(&f, "three", "in", "json", "'InputFormat':'DYNAMODB_JSON'");
    assert_holds(answer, "\"ErrorCount\":1,");
    assert_holds(answer, "\"ProcessedItemCount\":3,\"ImportedItemCount\":2,");
    assert_true(__atomic_load_n(&f.engine->damaged, __ATOMIC_RELAXED) > 0);
    answer = import(&f, "later", "in", "json", "'InputFormat':'DYNAMODB_JSON'");
    assert_holds(answer, "COMPLETED");
    fixture_close(&f);
}

/* Somebody made a pipe where a file is to be written: nobody may ever read from it. */
static void pipe_does_not_hold_up_an_export(void **state)
{
    (void)state;
    static const char id[] = "01700000000000-12345678";
    struct export ex = { .bucket = SLICE("out"), .prefix = SLICE("pipes") };
    struct export_progress p = { .files = 1 };
    char path[128];
    snprintf(path, sizeof path, "%s/out/pipes", top);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/out/pipes/AWSDynamoDB", top);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/out/pipes/AWSDynamoDB/%s", top, id);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/out/pipes/AWSDynamoDB/%s/_started", top, id);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(20); /* where it does */
    assert_null(export_files_open(top, slice_str(id), &ex, &p, NULL));
    unlink(path);
    struct export_files *files = export_files_open(top, slice_str(id), &ex, &p, NULL);
    assert_non_null(files);
    export_files_close(files);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_imported_and_bad_ones_counted),
        cmocka_unit_test(exports_of_the_past_and_of_changes),
        cmocka_unit_test(export_without_its_changes_fails),
        cmocka_unit_test(what_is_under_way_is_not_forgotten),
        cmocka_unit_test(end_that_fails_is_tried_at_rest),
        cmocka_unit_test(failures_that_pass_do_not_end_an_export),
        cmocka_unit_test(import_begins_again_where_memory_fails),
        cmocka_unit_test(import_reads_again_where_memory_fails),
        cmocka_unit_test(folders_of_a_complete_export_are_synced),
        cmocka_unit_test(closing_in_the_middle),
        cmocka_unit_test(failure_is_told_after_a_kill),
        cmocka_unit_test(damaged_exports_hold_up_no_other),
        cmocka_unit_test(damaged_imports_hold_up_no_other),
        cmocka_unit_test(damaged_item_holds_up_no_import),
        cmocka_unit_test(pipe_does_not_hold_up_an_export),
    };
    return cmocka_run_group_tests(tests, make, clear);
}
