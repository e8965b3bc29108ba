/* embedded.h: what the parts of the in-process benchmark share. */
#ifndef OF_BENCH_EMBEDDED_H
#define OF_BENCH_EMBEDDED_H

#include <lmdb.h>
#include <onefold.h>

#define TABLE      "bench"
#define PAGE       50    /* items of a query */
#define ROUND_KEYS 65536 /* of the sequence that a round draws from */
#define DIGITS     8     /* of the numbers in keys, and of attribute "n", which every answer is checked by */
#define PK_LEN     (5 + DIGITS)
#define SK_LEN     (6 + DIGITS)

struct settings {
    unsigned items, collection; /* items in all, and of one partition */
    double seconds;             /* of all rounds of one workload, both sides together */
    const char *dir;
    int json;
};

/* One item as both sides ask for it: the texts of its key, and where it lies in LMDB. */
struct key {
    char pk[PK_LEN + 1], sk[SK_LEN + 1];
    unsigned char stored[64];
    unsigned stored_len, prefix_len; /* prefix: what the keys of its partition have in common */
};

struct data {
    struct settings s;
    of_db *db;
    MDB_env *env; /* a copy of db's file, opened with the same flags */
    MDB_dbi dbi;
    MDB_txn *txn; /* reset between reads */
    struct key *keys; /* a sample of all items, in the order of the store */
    unsigned n_keys;
    unsigned item_at;  /* where the item begins in a stored value: behind the store's and the engine's headers */
    unsigned check_at; /* where attribute n's digits lie in it */
};

/* Fills a new directory and opens both sides; ends the program with a sentence where that fails. */
void data_open(struct data *d, const struct settings *s);
void data_close(struct data *d);
/* The item with this number; "n" is the number. */
void data_fill(of_item *item, unsigned number, unsigned collection);
unsigned data_number(const struct key *k);
_Noreturn void die(const char *what, const char *why);

#endif
