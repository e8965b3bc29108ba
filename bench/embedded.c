/* embedded.c: the library in this process against LMDB alone: get, put, query of 50 both ways, on the same bytes.
 *
 *   embedded [--items N] [--collection N] [--seconds S] [--dir NEW] [--json] [--only WORKLOAD]
 *
 * What is compared. Both sides read the same values from files that were equal when they were opened, one operation per
 * snapshot, with keys drawn at random from the same sequence; both know their keys beforehand (the texts on our side, the stored
 * bytes on LMDB's), and both end with bytes that outlive the snapshot: of_get and of_query_next hand out items that do, so the
 * LMDB side copies each value out, into one buffer that it keeps. Then one attribute of each item is read by its name, with the
 * same function on both sides, since the bytes are the same, and compared with what it must be. LMDB's side checks no checksum,
 * and a query there compares each key with the partition's prefix, which is the least that finding the end takes.
 * "in place" is the barest that LMDB allows: nothing is copied, and a byte is read at a place that is known beforehand, while
 * the snapshot is held. It is told, but no goal is measured by it.
 *
 * Rounds alternate between the sides, and what is told is the median round. CPU time (of the process, so that the writer's
 * thread counts) beside wall time, because on a machine that others use only the former means something. */
#include "embedded.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 9
#define BATCH  64 /* operations between two looks at the clock */

/* One side of a round: does the operation for each key, returns how many answers were right. */
typedef unsigned side_fn(struct data *d, const struct key *keys, unsigned n);

struct workload {
    const char *name;
    side_fn *onefold, *lmdb, *in_place; /* in_place: NULL: there is none */
};

struct rate {
    double wall, cpu; /* operations per second */
};

static unsigned char kept[PAGE * 1024]; /* LMDB's side: values that were copied out */

static bool is_right(const void *digits, const struct key *k)
{
    return memcmp(digits, k->sk + 6, DIGITS) == 0;
}

/* The digits of attribute n; NULL: something is wrong. */
static const char *digits_of(of_value item)
{
    of_value v;
    size_t n;
    if (!of_value_get(item, "n", 1, &v)) return NULL;
    const char *digits = of_value_bytes(v, &n);
    return n == DIGITS ? digits : NULL;
}

/* ---- ours ---- */

static bool item_is_right(const of_item *item, const struct key *k)
{
    const char *digits = digits_of(of_item_value(item));
    return digits && is_right(digits, k);
}

static unsigned get_onefold(struct data *d, const struct key *keys, unsigned n)
{
    unsigned right = 0;
    of_item *key = of_item_new(), *item;
    for (unsigned i = 0; i < n; i++) {
        of_item_set_string(key, "PK", 2, keys[i].pk, PK_LEN);
        of_item_set_string(key, "SK", 2, keys[i].sk, SK_LEN);
        if (of_get(d->db, TABLE, key, NULL, NULL, &item, NULL) || !item) continue;
        right += item_is_right(item, &keys[i]);
        of_item_free(item);
    }
    of_item_free(key);
    return right;
}

static unsigned put_onefold(struct data *d, const struct key *keys, unsigned n)
{
    unsigned right = 0;
    of_item *item = of_item_new();
    data_fill(item, 0, d->s.collection);
    for (unsigned i = 0; i < n; i++) {
        of_item_set_string(item, "PK", 2, keys[i].pk, PK_LEN);
        of_item_set_string(item, "SK", 2, keys[i].sk, SK_LEN);
        of_item_set_string(item, "n", 1, keys[i].sk + 6, DIGITS);
        right += of_put(d->db, TABLE, item, NULL, NULL, NULL) == OF_OK;
    }
    of_item_free(item);
    return right;
}

/* The first and the last item of a partition, and how many there are, tell whether an answer is right; of each item the
 * attribute is read. */
static bool query_is_right(struct data *d, of_query *q, const struct key *k, bool backwards)
{
    unsigned size = d->s.collection < PAGE ? d->s.collection : PAGE, n = 0;
    unsigned long first = data_number(k) / d->s.collection * d->s.collection, sum = 0;
    unsigned long start = backwards ? first + d->s.collection - size : first;
    const of_item *item;
    while (of_query_next(q, &item, NULL) == OF_OK) {
        const char *digits = digits_of(of_item_value(item));
        if (!digits) return false;
        sum += (unsigned char)digits[DIGITS - 1] - '0';
        n++;
    }
    unsigned long wanted = 0;
    for (unsigned i = 0; i < size; i++) wanted += (start + i) % 10;
    return n == size && sum == wanted;
}

static unsigned query_onefold(struct data *d, const struct key *keys, unsigned n, bool backwards)
{
    unsigned right = 0;
    of_item *values = of_item_new();
    for (unsigned i = 0; i < n; i++) {
        of_query *q;
        of_item_set_string(values, ":pk", 3, keys[i].pk, PK_LEN);
        of_query_options o = { .condition = "PK = :pk", .values = values, .descending = backwards, .limit = PAGE };
        if (of_query_open(&q, d->db, TABLE, &o, NULL)) continue;
        right += query_is_right(d, q, &keys[i], backwards);
        of_query_close(q);
    }
    of_item_free(values);
    return right;
}

static unsigned forwards_onefold(struct data *d, const struct key *keys, unsigned n)
{
    return query_onefold(d, keys, n, false);
}

static unsigned backwards_onefold(struct data *d, const struct key *keys, unsigned n)
{
    return query_onefold(d, keys, n, true);
}

/* ---- LMDB's ---- */

static const char *copy_out(const struct data *d, unsigned char *to, MDB_val v)
{
    memcpy(to, v.mv_data, v.mv_size);
    return digits_of((of_value){ to + d->item_at, v.mv_size - d->item_at, 0 });
}

static unsigned get_raw(struct data *d, const struct key *keys, unsigned n, bool copy)
{
    unsigned right = 0;
    for (unsigned i = 0; i < n; i++) {
        MDB_val k = { keys[i].stored_len, (void *)(size_t)keys[i].stored }, v;
        if (mdb_txn_renew(d->txn)) continue;
        if (mdb_get(d->txn, d->dbi, &k, &v) == 0 && v.mv_size <= sizeof kept) {
            const char *digits = (const char *)v.mv_data + d->check_at;
            if (copy) digits = copy_out(d, kept, v);
            right += digits && is_right(digits, &keys[i]);
        }
        mdb_txn_reset(d->txn);
    }
    return right;
}

static unsigned get_lmdb(struct data *d, const struct key *keys, unsigned n)
{
    return get_raw(d, keys, n, true);
}

static unsigned get_in_place(struct data *d, const struct key *keys, unsigned n)
{
    return get_raw(d, keys, n, false);
}

static unsigned put_lmdb(struct data *d, const struct key *keys, unsigned n)
{
    unsigned right = 0;
    for (unsigned i = 0; i < n; i++) {
        MDB_val k = { keys[i].stored_len, (void *)(size_t)keys[i].stored }, v;
        MDB_txn *txn;
        if (mdb_txn_begin(d->env, NULL, 0, &txn)) continue;
        if (mdb_get(txn, d->dbi, &k, &v) == 0 && v.mv_size <= sizeof kept) {
            memcpy(kept, v.mv_data, v.mv_size);
            v.mv_data = kept;
            right += mdb_put(txn, d->dbi, &k, &v, 0) == 0;
        }
        if (mdb_txn_commit(txn)) return 0;
    }
    return right;
}

/* To the first entry of the partition or, backwards, its last. */
static int seek(MDB_cursor *c, const struct key *key, bool backwards, MDB_val *k, MDB_val *v)
{
    unsigned char after[64];
    *k = (MDB_val){ key->prefix_len, (void *)(size_t)key->stored };
    if (!backwards) return mdb_cursor_get(c, k, v, MDB_SET_RANGE);
    memcpy(after, key->stored, key->prefix_len);
    after[key->prefix_len - 1]++; /* a digit: never 255 */
    k->mv_data = after;
    if (mdb_cursor_get(c, k, v, MDB_SET_RANGE)) return mdb_cursor_get(c, k, v, MDB_LAST);
    return mdb_cursor_get(c, k, v, MDB_PREV);
}

static bool raw_query_is_right(struct data *d, MDB_cursor *c, const struct key *key, bool backwards, bool copy)
{
    unsigned size = d->s.collection < PAGE ? d->s.collection : PAGE, n = 0;
    unsigned long first = data_number(key) / d->s.collection * d->s.collection, sum = 0;
    unsigned long start = backwards ? first + d->s.collection - size : first;
    MDB_val k, v;
    size_t used = 0;
    int rc = seek(c, key, backwards, &k, &v);
    while (rc == 0 && k.mv_size > key->prefix_len && memcmp(k.mv_data, key->stored, key->prefix_len) == 0) {
        const char *digits = (const char *)v.mv_data + d->check_at;
        if (copy) {
            digits = used + v.mv_size <= sizeof kept ? copy_out(d, kept + used, v) : NULL;
            if (!digits) return false;
            used += v.mv_size;
        }
        sum += (unsigned char)digits[DIGITS - 1] - '0';
        if (++n == PAGE) break;
        rc = mdb_cursor_get(c, &k, &v, backwards ? MDB_PREV : MDB_NEXT);
    }
    unsigned long wanted = 0;
    for (unsigned i = 0; i < size; i++) wanted += (start + i) % 10;
    return n == size && sum == wanted;
}

static unsigned query_raw(struct data *d, const struct key *keys, unsigned n, bool backwards, bool copy)
{
    unsigned right = 0;
    MDB_cursor *c = NULL;
    for (unsigned i = 0; i < n; i++) {
        if (mdb_txn_renew(d->txn)) continue;
        if (c ? mdb_cursor_renew(d->txn, c) : mdb_cursor_open(d->txn, d->dbi, &c)) die("mdb_cursor", "cannot open");
        right += raw_query_is_right(d, c, &keys[i], backwards, copy);
        mdb_txn_reset(d->txn);
    }
    if (c) mdb_cursor_close(c);
    return right;
}

static unsigned forwards_lmdb(struct data *d, const struct key *keys, unsigned n)
{
    return query_raw(d, keys, n, false, true);
}

static unsigned backwards_lmdb(struct data *d, const struct key *keys, unsigned n)
{
    return query_raw(d, keys, n, true, true);
}

static unsigned forwards_in_place(struct data *d, const struct key *keys, unsigned n)
{
    return query_raw(d, keys, n, false, false);
}

static unsigned backwards_in_place(struct data *d, const struct key *keys, unsigned n)
{
    return query_raw(d, keys, n, true, false);
}

static const struct workload workloads[] = {
    { "get", get_onefold, get_lmdb, get_in_place },
    { "put", put_onefold, put_lmdb, NULL },
    { "query50", forwards_onefold, forwards_lmdb, forwards_in_place },
    { "query50_backwards", backwards_onefold, backwards_lmdb, backwards_in_place },
};

/* ---- rounds ---- */

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Side by side, so that fetching the key itself costs neither side anything. */
static void draw(const struct data *d, unsigned round, struct key *sequence)
{
    uint64_t x = 0x9e3779b97f4a7c15u * (round + 1);
    for (unsigned i = 0; i < ROUND_KEYS; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        sequence[i] = d->keys[x % d->n_keys];
    }
}

static struct rate run_side(struct data *d, side_fn *side, const struct key *sequence, double seconds)
{
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC), end = wall + seconds, t;
    unsigned done = 0, at = 0;
    do {
        if (side(d, sequence + at, BATCH) != BATCH) die("a round", "an answer was wrong");
        at = (at + BATCH) % ROUND_KEYS;
        done += BATCH;
        t = now(CLOCK_MONOTONIC);
    } while (t < end);
    return (struct rate){ done / (t - wall), done / (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) };
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct rate median(const struct rate *rounds)
{
    double wall[ROUNDS], cpu[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) wall[i] = rounds[i].wall, cpu[i] = rounds[i].cpu;
    qsort(wall, ROUNDS, sizeof *wall, by_size);
    qsort(cpu, ROUNDS, sizeof *cpu, by_size);
    return (struct rate){ wall[ROUNDS / 2], cpu[ROUNDS / 2] };
}

static void tell(const struct settings *s, const struct workload *w, struct rate ours, struct rate lmdb, struct rate in_place)
{
    if (!s->json) {
        printf("%-18s onefold %9.0f/s  lmdb %9.0f/s  ratio %.2f (cpu %.2f)", w->name, ours.wall, lmdb.wall,
               ours.wall / lmdb.wall, ours.cpu / lmdb.cpu);
        if (w->in_place) printf("  in place %9.0f/s (cpu %.2f)", in_place.wall, ours.cpu / in_place.cpu);
        puts("");
        return;
    }
    printf("\"%s\":{\"onefold\":%.0f,\"lmdb\":%.0f,\"ratio\":%.3f,\"onefold_cpu\":%.0f,\"lmdb_cpu\":%.0f,\"ratio_cpu\":%.3f",
           w->name, ours.wall, lmdb.wall, ours.wall / lmdb.wall, ours.cpu, lmdb.cpu, ours.cpu / lmdb.cpu);
    if (w->in_place) printf(",\"lmdb_in_place\":%.0f,\"lmdb_in_place_cpu\":%.0f", in_place.wall, in_place.cpu);
    printf("}");
}

static void run(struct data *d, const struct workload *w)
{
    static struct key sequence[ROUND_KEYS];
    struct rate ours[ROUNDS], lmdb[ROUNDS], in_place[ROUNDS];
    double each = d->s.seconds / ROUNDS / (w->in_place ? 3 : 2);
    for (unsigned i = 0; i < ROUNDS; i++) {
        draw(d, i, sequence);
        if (i % 2) ours[i] = run_side(d, w->onefold, sequence, each);
        lmdb[i] = run_side(d, w->lmdb, sequence, each);
        if (!(i % 2)) ours[i] = run_side(d, w->onefold, sequence, each);
        if (w->in_place) in_place[i] = run_side(d, w->in_place, sequence, each);
    }
    tell(&d->s, w, median(ours), median(lmdb), w->in_place ? median(in_place) : (struct rate){ 0, 0 });
}

static _Noreturn void usage(void)
{
    fputs("usage: embedded [--items N] [--collection N] [--seconds S] [--dir NEW] [--only WORKLOAD] [--json]\n", stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    static struct data d;
    char dir[] = "/tmp/onefold-embedded-XXXXXX", inside[sizeof dir + 8];
    struct settings s = { .items = 1000000, .collection = 50, .seconds = 5 };
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) {
            s.json = 1;
            continue;
        }
        if (i + 1 == argc) usage();
        const char *value = argv[++i];
        if (!strcmp(argv[i - 1], "--items")) s.items = (unsigned)strtoul(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--collection")) s.collection = (unsigned)strtoul(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--seconds")) s.seconds = strtod(value, NULL);
        else if (!strcmp(argv[i - 1], "--dir")) s.dir = value;
        else if (!strcmp(argv[i - 1], "--only")) only = value;
        else usage();
    }
    /* Whole collections, so that every query has as many items. */
    if (!s.collection || s.items < s.collection || s.items % s.collection || s.items > 99999999 || s.seconds <= 0) usage();
    if (!s.dir) {
        if (!mkdtemp(dir)) die("mkdtemp", dir);
        snprintf(inside, sizeof inside, "%s/data", dir);
        s.dir = inside;
    }
    data_open(&d, &s);
    if (s.json) printf("{\"items\":%u,\"collection\":%u,", s.items, s.collection);
    const char *comma = "";
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        if (only && strcmp(only, workloads[i].name)) continue;
        if (s.json) fputs(comma, stdout);
        comma = ",";
        run(&d, &workloads[i]);
    }
    if (s.json) puts("}");
    data_close(&d);
    if (s.dir == inside) rmdir(dir);
    return 0;
}
