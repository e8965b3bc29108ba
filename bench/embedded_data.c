/* embedded_data.c: the benchmark's data: a directory filled through onefold.h, and a copy of its data.mdb for LMDB alone, so
 * that both sides have the same keys and values on the same pages. */
#include "embedded.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLE  1000000u /* keys kept; of more items every so many-th */
#define ITEM_TAG 12      /* of a map, docs/format.md */
#define AT_ONCE 100u     /* items of a transaction */

void die(const char *what, const char *why)
{
    fprintf(stderr, "embedded: %s: %s\n", what, why);
    exit(1);
}

static void check(int rc, const char *what)
{
    if (rc) die(what, mdb_strerror(rc));
}

static void set(of_item *item, const char *name, const char *text)
{
    if (of_item_set_string(item, name, -1, text, -1)) die("of_item_set_string", name);
}

void data_fill(of_item *item, unsigned number, unsigned collection)
{
    char text[64];
    snprintf(text, sizeof text, "CUST#%0*u", DIGITS, number / collection);
    set(item, "PK", text);
    snprintf(text, sizeof text, "ORDER#%0*u", DIGITS, number);
    set(item, "SK", text);
    set(item, "n", text + 6);
    set(item, "email", "someone@example.com");
    set(item, "name", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    set(item, "status", "pending");
    set(item, "when", "2026-11-16T10:00:00Z");
}

unsigned data_number(const struct key *k)
{
    return (unsigned)strtoul(k->sk + 6, NULL, 10);
}

static void create_table(of_db *db)
{
    static const char body[] =
        "{\"TableName\":\"" TABLE "\",\"BillingMode\":\"PAY_PER_REQUEST\",\"KeySchema\":[{\"AttributeName\":\"PK\","
        "\"KeyType\":\"HASH\"},{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],\"AttributeDefinitions\":["
        "{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"},{\"AttributeName\":\"SK\",\"AttributeType\":\"S\"}]}";
    of_answer *answer;
    of_error err;
    if (of_call(db, "CreateTable", -1, body, -1, &answer, &err)) die("CreateTable", err.message);
    if (of_answer_status(answer) != 200) die("CreateTable", of_answer_body(answer, NULL));
    of_answer_free(answer);
}

static void load(of_db *db, const struct settings *s)
{
    of_item *item = of_item_new();
    of_error err;
    for (unsigned i = 0; i < s->items;) {
        of_transaction *t = of_transaction_new(db);
        for (unsigned k = 0; k < AT_ONCE && i < s->items; k++, i++) {
            data_fill(item, i, s->collection);
            if (of_transaction_put(t, TABLE, item, NULL)) die("of_transaction_put", "no memory");
        }
        if (of_transaction_commit(t, NULL, &err)) die("of_transaction_commit", err.message);
        of_transaction_free(t);
    }
    of_item_free(item);
}

static of_db *open_db(const char *dir)
{
    of_db *db;
    of_error err;
    if (of_open(&db, &(of_options){ .dir = dir, .durability = OF_RELAXED }, &err)) die(dir, err.message);
    return db;
}

static void copy_file(const char *from, const char *to)
{
    /* Page by page, as LMDB writes: the page cache keeps what came in larger pieces in larger pieces, in which ext4 takes several
     * times as long to write one page, and puts would be compared on unequal ground. */
    static char block[4096];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t n = -1;
    if (in < 0 || out < 0) die("cannot copy", from);
    while ((n = read(in, block, sizeof block)) > 0)
        if (write(out, block, (size_t)n) != n) die("cannot write", to);
    if (n < 0) die("cannot read", from);
    if (fsync(out)) die("cannot sync", to); /* or its pages are written while puts are measured */
    close(in);
    close(out);
}

static int open_env(MDB_env **env, const char *dir, size_t map_size)
{
    check(mdb_env_create(env), "mdb_env_create");
    check(mdb_env_set_maxdbs(*env, 8), "mdb_env_set_maxdbs");
    check(mdb_env_set_mapsize(*env, map_size), "mdb_env_set_mapsize");
    int rc = mdb_env_open(*env, dir, MDB_NOTLS | MDB_NOSYNC, 0600);
    if (rc) mdb_env_close(*env);
    return rc;
}

/* As env.c opens it with relaxed durability: with a smaller map where address space is short (valgrind). */
static void open_lmdb(struct data *d, const char *dir)
{
    size_t map_size = (size_t)64 << 30;
    int rc;
    while ((rc = open_env(&d->env, dir, map_size)) != 0 && map_size > (size_t)1 << 30) map_size /= 2;
    check(rc, dir);
    check(mdb_txn_begin(d->env, NULL, MDB_RDONLY, &d->txn), "mdb_txn_begin");
    check(mdb_dbi_open(d->txn, "item", 0, &d->dbi), "database item");
    check(mdb_txn_commit(d->txn), "mdb_txn_commit"); /* the handle is the transaction's own until then */
    check(mdb_txn_begin(d->env, NULL, MDB_RDONLY, &d->txn), "mdb_txn_begin");
}

/* The texts are found in the stored key: 8 bytes, the length of the partition key, it, the sort key. */
static void take_key(struct key *k, MDB_val stored)
{
    const unsigned char *p = stored.mv_data;
    if (stored.mv_size < 9 + PK_LEN + SK_LEN || stored.mv_size > sizeof k->stored || p[8] != PK_LEN)
        die("stored key", "not as expected");
    memcpy(k->stored, p, stored.mv_size);
    k->stored_len = (unsigned)stored.mv_size;
    k->prefix_len = 9 + PK_LEN;
    memcpy(k->pk, p + 9, PK_LEN);
    const unsigned char *sk = memmem(p + 9 + PK_LEN, stored.mv_size - 9 - PK_LEN, "ORDER#", 6);
    if (!sk) die("stored key", "has no sort key");
    memcpy(k->sk, sk, SK_LEN);
}

/* All items have the same layout. The item begins where its bytes read as a map with the attribute. */
static void find_places(struct data *d, MDB_val value, const struct key *k)
{
    for (unsigned at = 5; at < 12; at++) {
        const char *p = value.mv_data;
        of_value item = { p + at, value.mv_size - at, 0 }, v;
        size_t n;
        if (p[at] != ITEM_TAG || !of_value_get(item, "n", 1, &v)) continue;
        const char *digits = of_value_bytes(v, &n);
        if (n != DIGITS || memcmp(digits, k->sk + 6, DIGITS)) continue;
        d->item_at = at;
        d->check_at = (unsigned)(digits - p);
        return;
    }
}

static void sample_keys(struct data *d)
{
    unsigned stride = (d->s.items + SAMPLE - 1) / SAMPLE, i = 0;
    MDB_cursor *c;
    MDB_val key, value;
    d->keys = calloc(d->s.items / stride + 1, sizeof *d->keys);
    if (!d->keys) die("keys", "no memory");
    check(mdb_cursor_open(d->txn, d->dbi, &c), "mdb_cursor_open");
    for (; mdb_cursor_get(c, &key, &value, MDB_NEXT) == 0; i++) {
        if (i % stride) continue;
        struct key *k = &d->keys[d->n_keys++];
        take_key(k, key);
        if (!d->check_at) find_places(d, value, k);
    }
    mdb_cursor_close(c);
    mdb_txn_reset(d->txn);
    if (i != d->s.items || !d->check_at) die("item", "the database does not hold what was put");
}

void data_open(struct data *d, const struct settings *s)
{
    char raw[4096], from[4200], to[4200];
    *d = (struct data){ .s = *s };
    of_db *db = open_db(s->dir);
    create_table(db);
    load(db, s);
    of_close(db);
    snprintf(raw, sizeof raw, "%s.lmdb", s->dir);
    snprintf(from, sizeof from, "%s/data.mdb", s->dir);
    snprintf(to, sizeof to, "%s/data.mdb", raw);
    if (mkdir(raw, 0700)) die("cannot make", raw);
    copy_file(from, to);
    open_lmdb(d, raw);
    sample_keys(d);
    d->db = open_db(s->dir);
}

static void remove_files(const char *dir)
{
    static const char *const names[] = { "data.mdb", "lock.mdb", "LOCK", "FORMAT", "UNSYNCED" };
    char path[4200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

void data_close(struct data *d)
{
    char raw[4096];
    of_close(d->db);
    mdb_txn_abort(d->txn);
    mdb_env_close(d->env);
    free(d->keys);
    snprintf(raw, sizeof raw, "%s.lmdb", d->s.dir);
    remove_files(d->s.dir);
    remove_files(raw);
}
