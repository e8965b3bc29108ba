/* test_check.c: that the check finds what is wrong: a directory is filled through the engine, one record is changed behind its back,
 * with a right checksum, and the finding must name it. That damaged bytes and pages are found: tests/torture/parts/flip.py. */
#include "engine_fixture.h"
#include "engine/check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { TABLE = 1, INDEX = 2, EXPIRY = 3, BACKUP = 4 }; /* ids, in the order of their making */

/* ---- a directory with one of everything ---- */

static char dir[64];

static void wait_for_backup(struct fixture *f)
{
    for (int i = 0; i < 10000; i++) {
        if (strstr(q(f, "ListBackups", "{}"), "AVAILABLE")) return;
        usleep(1000);
    }
    fail_msg("the backup is never ready");
}

static void fill(struct fixture *f)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},"
                   "{'AttributeName':'r','AttributeType':'N'},{'AttributeName':'s','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'r','KeyType':'RANGE'}],"
                   "'GlobalSecondaryIndexes':[{'IndexName':'gsi','KeySchema':[{'AttributeName':'s','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'ALL'}}],"
                   "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_AND_OLD_IMAGES'}}"),
                 "TableDescription");
    assert_holds(q(f, "UpdateTimeToLive", "{'TableName':'shop','TimeToLiveSpecification':{'AttributeName':'e','Enabled':true}}"), "true");
    for (int i = 0; i < 20; i++)
        for (int change = 0; change < (i == 0 ? 4 : 1); change++)
            assert_lacks(q(f, "PutItem",
                           "{'TableName':'shop','Item':{'p':{'S':'p%d'},'r':{'N':'%d'},'s':{'S':'s%d'},'e':{'N':'99999999%02d'},'v':{'N':'%d'}}}",
                           i % 5, i, i % 3, i, change),
                         "Exception");
    assert_lacks(q(f, "DeleteItem", "{'TableName':'shop','Key':{'p':{'S':'p4'},'r':{'N':'19'}}}"), "Exception");
    assert_lacks(q(f, "TransactWriteItems",
                   "{'ClientRequestToken':'tok','TransactItems':[{'Put':{'TableName':'shop','Item':{'p':{'S':'x'},'r':{'N':'1'}}}}]}"),
                 "Exception");
    assert_holds(q(f, "CreateBackup", "{'TableName':'shop','BackupName':'then'}"), "BackupArn");
    wait_for_backup(f);
}

static int make_directory(void **state)
{
    struct fixture f;
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/onefold-check-XXXXXX");
    assert_non_null(mkdtemp(dir));
    fixture_open(&f, &(struct store_options){ .dir = dir, .durability = DURABILITY_RELAXED, .map_size = 1 << 24 });
    fill(&f);
    fixture_close(&f);
    return 0;
}

static int remove_it(void **state)
{
    (void)state;
    remove_directory(dir);
    return 0;
}

/* ---- changing it ---- */

struct record {
    uint8_t key[512], value[4096];
    size_t n_key, n_value;
};

struct wanted {
    enum store_space space;
    struct slice from;
    size_t skip;
    struct record *out;
};

static int read_one(struct store_txn *txn, void *ctx)
{
    struct wanted *w = ctx;
    struct store_range range = { .space = w->space, .from = w->from };
    struct store_cursor *cursor;
    struct slice key, value;
    int status = store_range_open(txn, &range, &cursor);
    for (size_t i = 0; !status && i <= w->skip; i++) status = store_range_next(cursor, &key, &value);
    if (status || key.n > sizeof w->out->key || value.n > sizeof w->out->value) return STORE_NOT_FOUND;
    memcpy(w->out->key, key.p, w->out->n_key = key.n);
    memcpy(w->out->value, value.p, w->out->n_value = value.n);
    return STORE_OK;
}

/* What one case changes: the record that comes `skip` after `from` is deleted, or gets another key or value. */
struct damage {
    enum store_space space;
    struct slice from;
    size_t skip;
    bool remove;
    bool move;      /* under a key whose last byte is another, beside the old one; the value is the same */
    bool take_next; /* the value of the record behind it */
    struct slice value, key; /* or these */
    const char *finds;
    const char *where; /* of the finding: "index shop.gsi" */
};

static int change(struct store_txn *txn, void *ctx)
{
    const struct damage *d = ((void **)ctx)[0];
    struct record *r = ((void **)ctx)[1];
    struct slice key = slice_of(r->key, r->n_key), value = slice_of(r->value, r->n_value);
    if (d->remove) return store_delete(txn, d->space, key);
    if (d->space == SPACE_COUNTER) return store_add(txn, d->from, 1);
    if (d->move) r->key[r->n_key - 1] ^= 1;
    return store_put(txn, d->space, d->key.n ? d->key : key, d->value.p ? d->value : value);
}

static void do_damage(const struct damage *d)
{
    struct store *store;
    struct record r = { .n_key = 0 }, next;
    char message[256];
    struct wanted w = { d->space, d->from, d->skip, &r }, behind = { d->space, d->from, d->skip + 1, &next };
    assert_int_equal(store_open(&store, &(struct store_options){ .dir = dir, .durability = DURABILITY_RELAXED, .map_size = 1 << 24 },
                                message, sizeof message), 0);
    if (!d->key.n) assert_int_equal(store_view(store, read_one, &w), 0);
    if (d->take_next) {
        assert_int_equal(store_view(store, read_one, &behind), 0);
        memcpy(r.value, next.value, r.n_value = next.n_value);
    }
    assert_int_equal(store_update(store, change, (const void *[]){ d, &r }), 0);
    store_close(store);
}

/* ---- checking it ---- */

static char told[65536];

static void tell(void *ctx, const struct check_finding *f)
{
    size_t n = strlen(told);
    (void)ctx;
    snprintf(told + n, sizeof told - n, "%s %.*s.%.*s%s%.*s %.*s: %.*s\n", f->space, SLICE_ARG(f->table), SLICE_ARG(f->index),
             f->backup.n ? "backup " : "", SLICE_ARG(f->backup), SLICE_ARG(f->key), SLICE_ARG(f->what));
}

static struct check_report check(void)
{
    struct check_options o = { .dir = dir, .tell = tell };
    struct check_report report;
    char message[512] = "";
    told[0] = 0;
    int status = check_store(&o, &report, message, sizeof message);
    if (status) fail_msg("%s", message);
    return report;
}

static void nothing_is_found_in_a_good_directory(void **state)
{
    (void)state;
    struct check_report r = check();
    assert_string_equal(told, "");
    assert_int_equal(r.findings, 0);
    assert_int_equal(r.tables, 1);
    assert_int_equal(r.items, 40); /* 20 and those of the backup */
    assert_int_equal(r.entries, 19 + 19);
    assert_int_equal(r.changes, 23 + 1 + 1);
    assert_int_equal(r.backups, 1);
    assert_int_equal(r.tokens, 1);
}

#define ID(n) SLICE("\0\0\0" #n)
static const struct damage damages[] = {
    { SPACE_INDEX, ID(\2), .remove = true, .finds = "the item has no entry", .where = "index shop.gsi {\"p\":" },
    { SPACE_INDEX, ID(\2), .move = true, .finds = "the index has an entry that the item does not make", .where = "index shop.gsi" },
    { SPACE_INDEX, ID(\2), .take_next = true, .finds = "the entry is not what the item makes of it", .where = "index shop.gsi {\"p\":" },
    { SPACE_INDEX, ID(\3), .remove = true, .finds = "the item has no entry", .where = "index shop.(time to live) {\"p\":" },
    { SPACE_INDEX, ID(\3), .value = SLICE("x"), .finds = "is no time of expiry", .where = "index shop.(time to live)" },
    { SPACE_INDEX, .key = SLICE("\0\0\0\x63key"), .value = SLICE(""), .finds = "belongs to no index", .where = "index ." },
    { SPACE_ITEM, ID(\1), .skip = 1, .remove = true, .finds = "the entry has no item", .where = "index shop.gsi" },
    { SPACE_ITEM, ID(\1), .remove = true, .finds = "the item is not what its last change left", .where = "stream shop. {\"p\":" },
    { SPACE_ITEM, ID(\1), .remove = true, .finds = "counts 20 items, but there are 19", .where = "counter shop." },
    { SPACE_ITEM, ID(\1), .take_next = true, .finds = "lies under a key that is not the item's", .where = "item shop. {\"p\":" },
    { SPACE_ITEM, ID(\1), .value = SLICE("\7\xc\1\0"), .finds = "has 0 bytes but says 7", .where = "item shop. {\"p\":" },
    { SPACE_ITEM, ID(\1), .value = SLICE("\7\xc\5\1"), .finds = "cannot be decoded", .where = "item shop. {\"p\":" },
    { SPACE_ITEM, .key = SLICE("\0\0\0\x63key"), .value = SLICE(""), .finds = "belongs to no table", .where = "item . \"0000006" },
    { SPACE_ITEM, ID(\4), .remove = true, .finds = "a backup has 19 items", .where = "item shop.backup then" },
    { SPACE_ITEM, ID(\4), .value = SLICE("\7\xc\5\1"), .finds = "cannot be decoded", .where = "item shop.backup then {\"p\":" },
    { SPACE_COUNTER, SLICE("C\0\0\0\1"), .finds = "counts 21 items, but there are 20", .where = "counter shop." },
    { SPACE_COUNTER, SLICE("S\0\0\0\2"), .finds = "bytes, but there are", .where = "counter shop.gsi" },
    { SPACE_COUNTER, SLICE("C\0\0\0\x63"), .finds = "counts nothing that there is", .where = "counter ." },
    { SPACE_STREAM, ID(\1), .skip = 20, .remove = true, .finds = "a change did not find what the one before it left", .where = "stream shop. {\"p\":" },
    { SPACE_STREAM, ID(\1), .value = SLICE("\x20\1\xc"), .finds = "cannot be decoded", .where = "stream ." },
    { SPACE_STREAM, .key = SLICE("\0\0\0\1\0\0\0\1\xff\0\0\0\0\0\0\0"), .value = SLICE("\x22\3\xc\1\0"), .finds = "never given out", .where = "stream ." },
    { SPACE_META, SLICE("Tshop"), .value = SLICE("\xc\1\0"), .finds = "the record of the table cannot be decoded", .where = "meta shop." },
    { SPACE_META, SLICE("Tshop"), .move = true, .finds = "the record of the table has another name", .where = "meta shoq." },
    { SPACE_META, SLICE("Tshop"), .move = true, .finds = "which something else has too", .where = "meta shop." },
    { SPACE_META, SLICE("K"), .value = SLICE("\xc\1\0"), .finds = "the record of the backup cannot be decoded", .where = "meta ." },
    { SPACE_META, SLICE("N"), .value = SLICE("\0\0\0\1"), .finds = "which was never given out", .where = "meta shop.gsi" },
    { SPACE_META, SLICE("G"), .remove = true, .finds = "of its history is missing", .where = "meta shop." },
    { SPACE_META, .key = SLICE("Z"), .value = SLICE(""), .finds = "there should be no such record", .where = "meta ." },
    { SPACE_META, .key = SLICE("B\0\0\0\2"), .value = SLICE("\0\0\0\1"), .finds = "no index being filled", .where = "meta ." },
    { SPACE_TOKEN, SLICE("t"), .remove = true, .finds = "a time at which no token expires", .where = "token ." },
    { SPACE_TOKEN, SLICE("e"), .remove = true, .finds = "a token that would never expire", .where = "token ." },
};

static void test_damage(void **state)
{
    const struct damage *d = *state;
    do_damage(d);
    assert_true(check().findings > 0);
    for (const char *line = told; *line; line += strcspn(line, "\n") + 1) {
        const char *finds = strstr(line, d->finds);
        if (finds && finds < line + strcspn(line, "\n") && strncmp(line, d->where, strlen(d->where)) == 0) return;
    }
    fail_msg("no finding '%s ... %s' in:\n%s", d->where, d->finds, told);
}

/* What an export gathered is no item. While it is removed nothing tells the one from the other. */
static void what_is_being_removed_may_be_anything(void **state)
{
    (void)state;
    do_damage(&(struct damage){ SPACE_META, .key = SLICE("N"), .value = SLICE("\0\0\0\x70") });
    do_damage(&(struct damage){ SPACE_META, .key = SLICE("D\0\0\0\x63"), .value = SLICE("T") });
    do_damage(&(struct damage){ SPACE_ITEM, .key = SLICE("\0\0\0\x63key"), .value = SLICE("\xc\1\0") });
    assert_int_equal(check().findings, 0);
    assert_string_equal(told, "");
}

/* ---- what cannot be read ---- */

#ifndef __SANITIZE_THREAD__ /* which keeps signals back */
#define LONG_ONES 3
#define LONG      20000

static void put_long_ones(void)
{
    struct fixture f;
    char text[LONG + 1];
    memset(text, '~', LONG);
    text[LONG] = 0;
    fixture_open(&f, &(struct store_options){ .dir = dir, .durability = DURABILITY_RELAXED, .map_size = 1 << 24 });
    for (int i = 0; i < LONG_ONES; i++)
        assert_lacks(q(&f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'long %d'},'r':{'N':'1'},'t':{'S':'%s'}}}", i, text), "Exception");
    fixture_close(&f);
}

/* As bad sectors would: the pages of the file's map that hold nothing but those texts. */
static void take_away(uint8_t *map, size_t size)
{
    static uint8_t page[4096];
    memset(page, '~', sizeof page);
    for (size_t at = 0; at + sizeof page <= size; at += sizeof page)
        if (!memcmp(map + at, page, sizeof page)) assert_int_equal(mprotect(map + at, sizeof page, PROT_NONE), 0);
}

static void take_away_once(void *ctx, const char *what, uint64_t done, uint64_t of)
{
    bool *taken = ctx;
    char line[500], path[100];
    struct stat st;
    (void)done;
    (void)of;
    if (*taken || strcmp(what, "records of the catalog")) return; /* the store is open by then */
    snprintf(path, sizeof path, "%s/data.mdb", dir);
    assert_int_equal(stat(path, &st), 0);
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (!*taken && fgets(line, sizeof line, maps))
        if (strstr(line, path)) {
            take_away((uint8_t *)strtoul(line, NULL, 16), (size_t)st.st_size); /* NOLINT: a number is what the kernel gives */
            *taken = true;
        }
    fclose(maps);
    assert_true(*taken);
}

static unsigned count_of(const char *text, const char *what)
{
    unsigned n = 0;
    while ((text = strstr(text, what))) {
        n++;
        text++;
    }
    return n;
}

/* Each is told once, and the check goes on behind it. */
static void what_cannot_be_read_is_told_once(void **state)
{
    bool taken = false;
    struct check_options o = { .dir = dir, .tell = tell, .progress = take_away_once, .ctx = &taken };
    struct check_report r;
    char message[512] = "";
    (void)state;
    put_long_ones();
    store_survive_damage();
    told[0] = 0;
    assert_int_equal(check_store(&o, &r, message, sizeof message), STORE_OK);
    assert_int_equal(count_of(told, "item shop. {\"p\":{\"S\":\"long "), LONG_ONES);
    assert_int_equal(count_of(told, "is damaged: "), 2 * LONG_ONES); /* in its table and in the stream */
    assert_holds(told, "counts 23 items, but there are 20");
    assert_int_equal(r.findings, 2 * LONG_ONES + 2); /* and the counter of bytes */
    assert_int_equal(r.items, 40);
    assert_int_equal(r.entries, 19 + 19);
    assert_int_equal(r.changes, 23 + 1 + 1);
    assert_int_equal(r.tokens, 1);
}
#endif

/* ---- what cannot be checked ---- */

static void a_directory_in_use_is_refused(void **state)
{
    struct store *store;
    struct check_options o = { .dir = dir, .tell = tell };
    struct check_report report;
    char message[512] = "";
    (void)state;
    assert_int_equal(store_open(&store, &(struct store_options){ .dir = dir, .map_size = 1 << 24 }, message, sizeof message), 0);
    assert_int_equal(check_store(&o, &report, message, sizeof message), STORE_STOPPED);
    assert_holds(message, "is in use by process");
    store_close(store);
}

static void nothing_is_made_where_there_is_no_directory(void **state)
{
    struct check_options o = { .dir = "/tmp/onefold-check-nowhere", .tell = tell };
    struct check_report report;
    char message[512] = "";
    (void)state;
    assert_int_not_equal(check_store(&o, &report, message, sizeof message), STORE_OK);
    assert_int_equal(access(o.dir, F_OK), -1);
}

#ifdef __SANITIZE_THREAD__
#define OTHERS 4
#else
#define OTHERS 5
#endif

int main(void)
{
    static struct CMUnitTest tests[OTHERS + sizeof damages / sizeof *damages] = {
        cmocka_unit_test_setup_teardown(nothing_is_found_in_a_good_directory, make_directory, remove_it),
        cmocka_unit_test_setup_teardown(what_is_being_removed_may_be_anything, make_directory, remove_it),
        cmocka_unit_test_setup_teardown(a_directory_in_use_is_refused, make_directory, remove_it),
        cmocka_unit_test(nothing_is_made_where_there_is_no_directory),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_told_once, make_directory, remove_it),
#endif
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
        tests[OTHERS + i] = (struct CMUnitTest){ .name = damages[i].finds, .test_func = test_damage, .setup_func = make_directory,
                                            .teardown_func = remove_it, .initial_state = (void *)(uintptr_t)&damages[i] };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
