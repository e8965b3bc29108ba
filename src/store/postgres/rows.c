/* rows.c: see rows.h. */
#include "rows.h"
#include "../value.h"
#include <stdlib.h>

struct holding {
    struct holding *next;
    PGresult *result;
    uint8_t keys[];
};

void chunk_init(struct chunk *k, const struct pq_library *pq)
{
    *k = (struct chunk){ .pq = pq };
}

void chunk_free(struct chunk *k)
{
    for (struct holding *h = k->held, *next; h; h = next) {
        next = h->next;
        k->pq->PQclear(h->result);
        free(h);
    }
    free(k->rows);
    chunk_init(k, k->pq);
}

void chunk_move(struct chunk *to, struct chunk *from)
{
    struct holding **end = &from->held;
    while (*end) end = &(*end)->next;
    *end = to->held;
    to->held = from->held;
    from->held = NULL;
    chunk_free(from);
}

/* For keys, and for the values of counters. */
static size_t own_bytes(const struct conn *c, const PGresult *r, int rows, enum store_space space)
{
    size_t n = 0;
    for (int i = 0; i < rows; i++)
        for (int column = COLUMN_PLACE; column <= COLUMN_REST; column++)
            if (column != COLUMN_TAIL) n += (size_t)c->pq->PQgetlength(r, i, column);
    return n + (space == SPACE_COUNTER ? 8 * (size_t)rows : 0);
}

static bool make_room(struct chunk *k, size_t more)
{
    if (k->cap - k->n >= more) return true;
    size_t cap = k->n + more > 2 * k->cap ? k->n + more : 2 * k->cap;
    struct row *rows = realloc(k->rows, cap * sizeof *rows);
    if (!rows) return false;
    k->rows = rows;
    k->cap = cap;
    return true;
}

static uint8_t *put(uint8_t *to, struct slice bytes)
{
    if (bytes.n) memcpy(to, bytes.p, bytes.n);
    return to + bytes.n;
}

/* A counter is a number, which store.h wants with its low byte first, and has neither version nor checksum. */
static uint8_t *put_number(uint8_t *to, uint64_t number)
{
    for (int i = 0; i < 8; i++) to[i] = (uint8_t)(number >> (8 * i));
    return to + 8;
}

int chunk_add(struct chunk *k, const struct conn *c, enum store_space space, PGresult *r, size_t *got)
{
    int rows = k->pq->PQntuples(r);
    struct holding *h = malloc(sizeof *h + own_bytes(c, r, rows, space));
    *got = 0;
    if (!h || !make_room(k, (size_t)rows)) {
        free(h);
        k->pq->PQclear(r);
        return STORE_NO_MEMORY;
    }
    *h = (struct holding){ .next = k->held, .result = r };
    k->held = h;
    uint8_t *at = h->keys;
    for (int i = 0; i < rows; i++) {
        struct row *row = &k->rows[k->n];
        uint8_t *begin = at;
        at = put(at, conn_bytes(c, r, i, COLUMN_PLACE));
        at = put(at, conn_bytes(c, r, i, COLUMN_HEAD));
        at = put(at, conn_bytes(c, r, i, COLUMN_REST));
        row->key = slice_of(begin, (size_t)(at - begin));
        row->version = conn_number(c, r, i, COLUMN_VERSION);
        row->damaged = false;
        if (space == SPACE_COUNTER) {
            row->value = slice_of(at, 8);
            at = put_number(at, (uint64_t)conn_number(c, r, i, COLUMN_VALUE));
        } else if (!value_read(conn_bytes(c, r, i, COLUMN_VALUE), space, row->key, &row->value)) {
            row->value = slice_of(NULL, 0);
            row->damaged = true;
        }
        k->n++;
        ++*got;
    }
    return STORE_OK;
}

int row_value(const struct row *row, struct slice *value)
{
    if (row->damaged) return STORE_CORRUPT;
    *value = row->value;
    return STORE_OK;
}

/* ---- single keys ---- */

void args_key(struct args *a, const struct columns *c)
{
    args_bytes(a, c->place);
    args_bytes(a, c->head);
    args_bytes(a, c->tail);
}

int row_send(struct conn *c, enum store_space space, struct slice key)
{
    struct columns columns;
    struct args a = { 0 };
    key_split(key, &columns);
    args_key(&a, &columns);
    return conn_send(c, S_GET, space, &a);
}

int row_take(struct conn *c, enum store_space space, struct chunk *out)
{
    PGresult *r;
    size_t got;
    int rc = conn_result(c, &r);
    if (!rc) rc = chunk_add(out, c, space, r, &got);
    return rc ? rc : got ? STORE_OK : STORE_NOT_FOUND;
}

/* ---- several ---- */

static void put_be32(uint8_t *to, uint32_t v)
{
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* An array of bytea in PostgreSQL's binary form: dimensions, has nulls, the element's type; length and lower bound; then the elements. */
#define ARRAY_HEADER 20
#define BYTEA_OID    17

static uint8_t *array_begin(uint8_t *to, size_t n)
{
    const uint32_t header[] = { 1, 0, BYTEA_OID, (uint32_t)n, 1 };
    for (size_t i = 0; i < 5; i++) put_be32(to + 4 * i, header[i]);
    return to + ARRAY_HEADER;
}

static uint8_t *array_add(uint8_t *to, struct slice bytes)
{
    put_be32(to, (uint32_t)bytes.n);
    return put(to + 4, bytes);
}

int rows_send(struct conn *c, enum store_space space, const struct slice *keys, size_t n)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) most += keys[i].n;
    size_t room = 3 * ARRAY_HEADER + 12 * n + most + KEY_TAIL * n;
    uint8_t *bytes = malloc(room), *at = bytes;
    struct args a = { 0 };
    if (!bytes) return STORE_NO_MEMORY;
    for (int part = 0; part < 3; part++) {
        uint8_t *begin = at;
        at = array_begin(at, n);
        for (size_t i = 0; i < n; i++) {
            struct columns columns;
            key_split(keys[i], &columns);
            at = array_add(at, part == 0 ? columns.place : part == 1 ? columns.head : columns.tail);
        }
        args_bytes(&a, slice_of(begin, (size_t)(at - begin)));
    }
    int rc = conn_send(c, S_MANY, space, &a);
    free(bytes);
    return rc;
}

int rows_take(struct conn *c, enum store_space space, struct chunk *out)
{
    PGresult *r;
    size_t got;
    int rc = conn_result(c, &r);
    return rc ? rc : chunk_add(out, c, space, r, &got);
}
