/* commit.c: writes a batch's changes in one transaction.
 *
 * First it makes sure of the catalog: all who write share a lock that who changes the catalog takes alone, so what an update was bound to
 * holds until it is committed. Then come the rows in the order of spaces and keys, so that no two batches wait for each other. A row that was read by its
 * key is written only if it has the version that was read; one that was read and not changed is locked as it is; one that was
 * found missing is put and taken away again, which keeps others from putting it. How many rows each statement changed tells whether all is as it was. Only
 * then is the transaction committed.
 *
 * The batch's number goes into this server's row in the same transaction. If the connection is lost while PostgreSQL commits, that row tells what
 * became of it: whoever reads it waits for the transaction, if it is still under way. */
#include "batch.h"
#include "../value.h"
#include <stdlib.h>

struct step {
    enum statement s;
    bool must; /* change one row */
};

/* The statements for a node, at most two. */
static size_t steps_of(const struct node *n, struct step steps[2])
{
    const struct state *now = &n->now;
    bool read = now->checked && n->base != BASE_UNKNOWN;
    size_t count = 0;
    if (!read && !now->changed) return 0;
    if (!read) {
        steps[count++] = (struct step){ now->deleted ? S_DELETE : S_UPSERT, false };
    } else if (n->base == BASE_PRESENT) {
        steps[count++] = (struct step){ !now->changed ? S_CHECK : now->deleted ? S_DELETE_AT : S_UPDATE, true };
    } else {
        steps[count++] = (struct step){ S_INSERT, true };
        if (!now->changed || now->deleted) steps[count++] = (struct step){ S_DELETE, true };
    }
    return count;
}

static int send_step(struct conn *c, enum store_space space, const struct node *n, enum statement s, int64_t version)
{
    struct columns columns;
    struct args a = { 0 };
    struct slice stored = n->now.changed ? n->now.stored : slice_of(NULL, 0);
    key_split(n->key, &columns);
    args_key(&a, &columns);
    if (s == S_INSERT || s == S_UPSERT) args_bytes(&a, columns.rest);
    if (s == S_INSERT || s == S_UPSERT || s == S_UPDATE) args_number(&a, version);
    if (s == S_INSERT || s == S_UPSERT || s == S_UPDATE) args_bytes(&a, stored);
    if (s == S_UPDATE || s == S_DELETE_AT || s == S_CHECK) args_number(&a, n->version);
    return conn_send(c, s, space, &a);
}

static int send_rows(struct mirror *m, struct conn *c, int64_t version)
{
    struct step steps[2];
    int rc = STORE_OK;
    for (enum store_space space = 0; space < SPACE_COUNTER; space++) {
        for (const struct node *n = mirror_first(m, space); n && !rc; n = n->next[0]) {
            size_t count = steps_of(n, steps);
            for (size_t i = 0; i < count && !rc; i++) rc = send_step(c, space, n, steps[i].s, version);
        }
    }
    return rc;
}

static int take_step(struct conn *c, struct step step)
{
    PGresult *r;
    int rc = conn_result(c, &r);
    if (rc) return rc;
    /* A SELECT tells its rows in the same way. */
    bool one = conn_changed(c, r) == 1;
    c->pq->PQclear(r);
    return step.must && !one ? STORE_CONFLICT : STORE_OK;
}

static int take_rows(struct mirror *m, struct conn *c)
{
    struct step steps[2];
    int rc = STORE_OK;
    for (enum store_space space = 0; space < SPACE_COUNTER; space++) {
        for (const struct node *n = mirror_first(m, space); n && !rc; n = n->next[0]) {
            size_t count = steps_of(n, steps);
            for (size_t i = 0; i < count && !rc; i++) rc = take_step(c, steps[i]);
        }
    }
    return rc;
}

/* ---- series: after all rows, so that others wait for each other as short as can be ---- */

static int send_series(struct conn *c, const struct series *one)
{
    uint8_t number[8], stored[VALUE_HEADER + 8];
    struct columns columns;
    struct args a = { 0 };
    for (int i = 0; i < 8; i++) number[i] = (uint8_t)(one->last >> (56 - 8 * i));
    value_write(stored, SPACE_META, one->key, slice_of(number, 8));
    key_split(one->key, &columns);
    args_key(&a, &columns);
    args_bytes(&a, columns.rest);
    args_number(&a, (int64_t)one->last);
    args_bytes(&a, slice_of(stored, sizeof stored));
    args_number(&a, (int64_t)one->first);
    return conn_send(c, S_SERIES, SPACE_META, &a);
}

/* The next one in the order of keys, in which all take their locks. NULL: there is none. */
static const struct series *next_series(const struct mirror *m, const struct series *before)
{
    const struct series *next = NULL;
    for (const struct series *s = m->series; s; s = s->next)
        if ((!before || slice_cmp(s->key, before->key) > 0) && (!next || slice_cmp(s->key, next->key) < 0)) next = s;
    return next;
}

static int send_all_series(struct mirror *m, struct conn *c)
{
    int rc = STORE_OK;
    for (const struct series *s = next_series(m, NULL); s && !rc; s = next_series(m, s)) rc = send_series(c, s);
    return rc;
}

static int take_all_series(struct mirror *m, struct conn *c)
{
    int rc = STORE_OK;
    for (const struct series *s = m->series; s && !rc; s = s->next) rc = take_step(c, (struct step){ S_SERIES, true });
    return rc;
}

/* ---- counters: each server adds to a row of its own ---- */

#define COUNTER_SLOTS 64

static int send_counter(struct conn *c, const struct counters *all, const struct counter *one, int64_t server)
{
    struct columns columns;
    int rc = STORE_OK;
    key_split(counter_key(all, one), &columns);
    if (one->reset) {
        struct args a = { 0 };
        args_key(&a, &columns);
        rc = conn_send(c, S_RESET, SPACE_COUNTER, &a);
    }
    if (rc || !one->delta) return rc;
    struct args a = { 0 };
    args_key(&a, &columns);
    args_bytes(&a, columns.rest);
    args_number(&a, server % COUNTER_SLOTS);
    args_number(&a, one->delta);
    return conn_send(c, S_ADD, SPACE_COUNTER, &a);
}

struct placed {
    struct slice key;
    const struct counter *one;
};

static int by_key(const void *a, const void *b)
{
    return slice_cmp(((const struct placed *)a)->key, ((const struct placed *)b)->key);
}

/* In the order of keys, as all rows: two servers may share a slot, and one that forgets a counter locks those of all. */
static int send_counters(struct mirror *m, struct conn *c, int64_t server)
{
    size_t n = m->adds.n;
    int rc = STORE_OK;
    struct placed *all = n ? mirror_alloc(m, n * sizeof *all) : NULL;
    if (n && !all) return STORE_NO_MEMORY;
    for (size_t i = 0; i < n; i++) all[i] = (struct placed){ counter_key(&m->adds, &m->adds.v[i]), &m->adds.v[i] };
    if (n) qsort(all, n, sizeof *all, by_key);
    for (size_t i = 0; i < n && !rc; i++) rc = send_counter(c, &m->adds, all[i].one, server);
    return rc;
}

/* ---- the transaction ---- */

static int send_all(struct mirror *m, struct conn *c, const struct commit *with)
{
    struct args a = { 0 }, step = { 0 };
    args_number(&step, m->epoch_step);
    int rc = with->begun ? STORE_OK : conn_send_ahead(c, PG_BEGIN_WRITING);
    if (!rc && !with->begun) rc = conn_send(c, m->new_epoch ? S_TAKE_EPOCH : S_SHARE_EPOCH, SPACE_META, NULL);
    if (!rc) rc = conn_send(c, S_EPOCH, SPACE_META, NULL);
    args_number(&a, with->server);
    args_number(&a, with->number);
    if (!rc) rc = conn_send(c, S_BATCH, SPACE_META, &a);
    if (!rc) rc = send_rows(m, c, with->number);
    if (!rc) rc = send_all_series(m, c);
    if (!rc) rc = send_counters(m, c, with->server);
    if (!rc && m->new_epoch) rc = conn_send(c, S_NEW_EPOCH, SPACE_META, &step);
    return rc ? rc : conn_flush(c);
}

/* STORE_NOT_FOUND: this server's row is gone. */
static int take_batch(struct conn *c)
{
    PGresult *r;
    int rc = conn_result(c, &r);
    if (rc) return rc;
    bool one = conn_changed(c, r) == 1;
    c->pq->PQclear(r);
    return one ? STORE_OK : STORE_NOT_FOUND;
}

static int take_all(struct mirror *m, struct conn *c, const struct commit *with)
{
    PGresult *r = NULL;
    int rc = with->begun ? STORE_OK : conn_skip(c);
    if (!rc) rc = conn_result(c, &r);
    if (r) m->epoch_found = conn_number(c, r, 0, 0);
    if (r && m->epoch >= 0 && m->epoch_found != m->epoch) rc = STORE_CONFLICT;
    if (r) c->pq->PQclear(r);
    if (!rc) rc = take_batch(c);
    if (!rc) rc = take_rows(m, c);
    return rc ? rc : take_all_series(m, c);
}

/* From here on a lost connection leaves open what happened. */
static int commit(struct conn *c)
{
    PGresult *r;
    int rc = conn_send_text(c, "COMMIT");
    if (!rc) rc = conn_flush(c);
    if (!rc) rc = conn_result(c, &r);
    if (rc == STORE_AWAY) return STORE_UNKNOWN;
    if (rc) {
        conn_end(c);
        return rc;
    }
    bool done = !strcmp(c->pq->PQcmdStatus(r), "COMMIT"); /* ROLLBACK: something had failed before */
    c->pq->PQclear(r);
    conn_end(c);
    return done ? STORE_OK : STORE_CONFLICT;
}

int batch_commit(struct mirror *m, struct conn *c, const struct commit *with)
{
    PGresult *r;
    int rc = send_all(m, c, with);
    if (!rc) rc = take_all(m, c, with);
    int end = c->pg ? conn_end(c) : STORE_AWAY;
    if (!rc) rc = end;
    if (!rc) {
        c->wait_ms = PG_COMMIT_MS;
        rc = commit(c);
        c->wait_ms = PG_READ_MS;
        return rc;
    }
    if (c->pg && !conn_run_text(c, "ROLLBACK", &r)) c->pq->PQclear(r);
    return rc;
}

int batch_outcome(struct conn *c, const struct commit *with)
{
    struct args a = { 0 };
    PGresult *r;
    int rc = conn_ready(c);
    args_number(&a, with->server);
    if (!rc) rc = conn_run(c, S_LAST_BATCH, SPACE_META, &a, &r);
    if (rc) return STORE_AWAY;
    bool done = c->pq->PQntuples(r) == 1 && conn_number(c, r, 0, 0) == with->number;
    c->pq->PQclear(r);
    return done ? STORE_OK : STORE_CONFLICT;
}
