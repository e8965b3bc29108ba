/* rows.h: rows as PostgreSQL gives them, with their keys put together and their values verified.
 *
 * A chunk owns what its rows point to: results of libpq, and a block of memory for the keys of each. It grows by whole results, and what
 * was given out stays where it is until the chunk is freed. */
#ifndef OF_STORE_POSTGRES_ROWS_H
#define OF_STORE_POSTGRES_ROWS_H

#include "conn.h"
#include "keys.h"

struct row {
    struct slice key, value;
    int64_t version;
    bool damaged; /* its checksum is wrong: it has no value */
};

struct holding; /* a result and its keys */

struct chunk {
    struct row *rows;
    size_t n, cap;
    struct holding *held;
    const struct pq_library *pq;
};

void chunk_init(struct chunk *k, const struct pq_library *pq);
void chunk_free(struct chunk *k);
/* What another one owns becomes this one's; its rows are forgotten. */
void chunk_move(struct chunk *to, struct chunk *from);
/* Takes the result, which is the chunk's from then on also if this fails. *got: rows that it had. */
int chunk_add(struct chunk *k, const struct conn *c, enum store_space space, PGresult *r, size_t *got);

/* STORE_CORRUPT where it is damaged. */
int row_value(const struct row *row, struct slice *value);

void args_key(struct args *a, const struct columns *c);

/* One key: STORE_OK with a row added, or STORE_NOT_FOUND. */
int row_send(struct conn *c, enum store_space space, struct slice key);
int row_take(struct conn *c, enum store_space space, struct chunk *out);
/* Several of one space, in one statement: those that exist are added, in the order of the keys. Not where rows are spread over machines. */
int rows_send(struct conn *c, enum store_space space, const struct slice *keys, size_t n);
int rows_take(struct conn *c, enum store_space space, struct chunk *out);

#endif
