/* world.h: the reference: tables as sorted arrays of items, and operations on them. */
#ifndef REFERENCE_WORLD_H
#define REFERENCE_WORLD_H

#include "expr.h"

enum { TABLES = 4, MAX_INDEXES = 3, MAX_ACTIONS = 5 };

struct index_def {
    const char *name;
    bool global;
    const char *hash, *range; /* range NULL: none */
    char projection;          /* 'A'll, 'K'eys, 'I'nclude */
    const char *include;      /* the one attribute that 'I' adds */
};
struct table_def {
    const char *name, *hash, *range;
    enum type hash_type, range_type;
    int hashes, ranges; /* how many values of each the operations use */
    size_t n;
    struct index_def indexes[MAX_INDEXES];
};
extern const struct table_def table_defs[TABLES];

struct row {
    struct mem mem;
    struct val *item;
};
struct table {
    struct row **rows; /* in the order of their keys */
    size_t n, room;
};
struct world {
    struct table tables[TABLES];
};

enum kind { PUT, UPDATE, DELETE, GET, CHECK, BATCH_WRITE, BATCH_GET, TRANSACT_WRITE, TRANSACT_GET, QUERY, SCAN };
enum returns { RETURN_NONE, RETURN_ALL_OLD, RETURN_ALL_NEW, RETURN_UPDATED_OLD, RETURN_UPDATED_NEW };

/* What is done to one item: PUT, UPDATE, DELETE, GET or CHECK. */
struct action {
    enum kind kind;
    int table;
    struct val *key, *item; /* item: of PUT */
    struct cond *cond;      /* NULL: none */
    struct update *update;
    struct projection *projection;
    enum returns returns;
    bool show_on_failure;
};
/* QUERY and SCAN. */
struct range {
    int table, index; /* index -1: the table */
    struct val *hash, *lo, *hi;
    bool between, begins; /* else compare, where there is a lo */
    enum compare compare;
    struct cond *filter;
    struct projection *projection;
    int limit; /* 0: none */
    bool backward, count, all, consistent;
    int segments; /* 0: not divided */
};
struct op {
    enum kind kind;
    size_t n;
    struct action actions[MAX_ACTIONS];
    struct range range;
};

/* The type of an attribute that some index of some table has as its key; -1: none has. */
int key_type(const char *attribute);
struct row *world_find(const struct world *w, int table, const struct val *key);
void world_put(struct world *w, int table, const struct val *item);
void world_remove(struct world *w, int table, const struct val *key);
void world_free(struct world *w);
/* The key's attributes of an item or entry; with those of the index where there is one. */
struct val *key_of(struct mem *m, const struct table_def *t, const struct index_def *ix, const struct val *item);

/* UNFIT, EMPTY: what is wrong with it can be seen without the item; EMPTY is a key without a character, which is said outright also of a transaction. */
enum outcome { DONE, CONDITION, INVALID, UNFIT, EMPTY };
/* What an action would do now: the item before and after, NULL where there is none. Nothing is changed. */
enum outcome plan(struct mem *m, const struct world *w, const struct action *a, struct val **old, struct val **new);
void apply(struct world *w, const struct action *a, const struct val *new);

/* The items or entries of a range, in its order; the caller frees the array, not the entries. */
struct val **range_entries(struct mem *m, const struct world *w, const struct range *r, size_t *n);
/* Do two entries stand where their order is not said: equal keys of an index, or a Scan? */
bool range_tied(const struct range *r, const struct val *a, const struct val *b);
/* What the answer shows of an entry. */
struct val *range_shown(struct mem *m, const struct world *w, const struct range *r, const struct val *entry);

/* gen.c: the operation of this number; it depends on nothing else. */
void generate(struct mem *m, uint64_t seed, uint64_t number, struct op *op);

#endif
