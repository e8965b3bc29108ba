/* raw_lmdb.c: what LMDB alone can do with the bytes that Onefold writes: the yardstick of durable PutItem.
 *
 *     raw_lmdb DATA SCRATCH [GROUP [SECONDS]]
 *
 * DATA is a data directory that a server of full durability has filled and left. All rows of its items are read into memory,
 * keys and values as they lie on the disk, and loaded into a fresh environment in the directory SCRATCH, which must exist and
 * have none. Then, for SECONDS (5), rows are written again, GROUP (64) random ones per transaction, each commit synced, with
 * the flags the store uses. Each time one byte of the value is another: what LMDB finds unchanged it would still write, but a
 * disk that compares might not. Prints one line of JSON. */
#include <lmdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define MAP_SIZE (64ull << 30) /* as the store's */

struct rows {
    MDB_val *keys, *values;
    size_t n, room;
    size_t bytes;
};

static void check(int rc, const char *what)
{
    if (!rc) return;
    fprintf(stderr, "raw_lmdb: %s: %s\n", what, mdb_strerror(rc));
    exit(1);
}

static void *copy(const void *p, size_t n)
{
    void *to = malloc(n ? n : 1);
    check(to ? 0 : 12, "memory");
    memcpy(to, p, n);
    return to;
}

static void keep(struct rows *r, MDB_val key, MDB_val value)
{
    if (r->n == r->room) {
        r->room = r->room ? r->room * 2 : 1024;
        r->keys = realloc(r->keys, r->room * sizeof *r->keys);
        r->values = realloc(r->values, r->room * sizeof *r->values);
        check(r->keys && r->values ? 0 : 12, "memory");
    }
    r->keys[r->n] = (MDB_val){ key.mv_size, copy(key.mv_data, key.mv_size) };
    r->values[r->n++] = (MDB_val){ value.mv_size, copy(value.mv_data, value.mv_size) };
    r->bytes += key.mv_size + value.mv_size;
}

static void read_rows(const char *dir, struct rows *r)
{
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    MDB_cursor *c;
    MDB_val key, value;
    check(mdb_env_create(&env), "environment");
    check(mdb_env_set_maxdbs(env, 8), "environment");
    check(mdb_env_open(env, dir, MDB_RDONLY | MDB_NOLOCK, 0600), dir);
    check(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), dir);
    check(mdb_dbi_open(txn, "item", 0, &dbi), "database of items");
    check(mdb_cursor_open(txn, dbi, &c), "cursor");
    while (mdb_cursor_get(c, &key, &value, MDB_NEXT) == 0) keep(r, key, value);
    mdb_cursor_close(c);
    mdb_txn_abort(txn);
    mdb_env_close(env);
}

static MDB_env *open_scratch(const char *dir, MDB_dbi *dbi)
{
    MDB_env *env;
    MDB_txn *txn;
    MDB_stat st;
    check(mdb_env_create(&env), "environment");
    check(mdb_env_set_maxdbs(env, 8), "environment");
    check(mdb_env_set_mapsize(env, MAP_SIZE), "map");
    check(mdb_env_open(env, dir, MDB_NOTLS, 0600), dir);
    check(mdb_txn_begin(env, NULL, 0, &txn), dir);
    check(mdb_dbi_open(txn, "item", MDB_CREATE, dbi), dir);
    check(mdb_stat(txn, *dbi, &st), dir);
    check(mdb_txn_commit(txn), dir);
    if (st.ms_entries) {
        fprintf(stderr, "raw_lmdb: %s is not empty\n", dir);
        exit(1);
    }
    return env;
}

static uint64_t random_below(uint64_t *state, uint64_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % n;
}

static void put(MDB_txn *txn, MDB_dbi dbi, MDB_val key, MDB_val value)
{
    check(mdb_put(txn, dbi, &key, &value, 0), "put");
}

/* In random order, so that pages are as full as those of a server that was written to, not as after an import. */
static void load(MDB_env *env, MDB_dbi dbi, struct rows *r, uint64_t *state)
{
    MDB_txn *txn;
    for (size_t i = r->n; i > 1; i--) {
        size_t k = random_below(state, i);
        MDB_val key = r->keys[i - 1], value = r->values[i - 1];
        r->keys[i - 1] = r->keys[k];
        r->values[i - 1] = r->values[k];
        r->keys[k] = key;
        r->values[k] = value;
    }
    for (size_t i = 0; i < r->n;) {
        check(mdb_txn_begin(env, NULL, 0, &txn), "transaction");
        for (size_t end = i + 10000; i < r->n && i < end; i++) put(txn, dbi, r->keys[i], r->values[i]);
        check(mdb_txn_commit(txn), "commit");
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
    unsigned long group = argc > 3 ? strtoul(argv[3], NULL, 10) : 64;
    double seconds = argc > 4 ? strtod(argv[4], NULL) : 5;
    struct rows r = { 0 };
    uint64_t state = 88172645463325252u, puts = 0;
    MDB_dbi dbi;
    MDB_txn *txn;
    if (argc < 3 || group < 1 || seconds <= 0) {
        fprintf(stderr, "usage: raw_lmdb DATA SCRATCH [GROUP [SECONDS]]\n");
        return 2;
    }
    read_rows(argv[1], &r);
    check(r.n ? 0 : MDB_NOTFOUND, argv[1]);
    MDB_env *env = open_scratch(argv[2], &dbi);
    load(env, dbi, &r, &state);
    double began = now(), worked = cpu();
    while (now() - began < seconds) {
        check(mdb_txn_begin(env, NULL, 0, &txn), "transaction");
        for (unsigned long i = 0; i < group; i++) {
            size_t k = random_below(&state, r.n);
            uint8_t *bytes = r.values[k].mv_data;
            bytes[r.values[k].mv_size - 1]++;
            put(txn, dbi, r.keys[k], r.values[k]);
        }
        check(mdb_txn_commit(txn), "commit");
        puts += group;
    }
    double took = now() - began;
    worked = cpu() - worked;
    printf("{\"rows\":%zu,\"bytes_per_row\":%zu,\"group\":%lu,\"puts\":%llu,\"puts_per_second\":%.0f,\"cpu_us_per_put\":%.2f}\n", r.n,
           r.bytes / r.n, group, (unsigned long long)puts, (double)puts / took, worked * 1e6 / (double)puts);
    mdb_env_close(env);
    return 0;
}
