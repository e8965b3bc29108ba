/* gather.c: see gather.h. */
#include "gather.h"
#include "../../base/thread.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define LANES 4
#define TURN  64 /* errands */

struct lane {
    struct gather *g;
    struct conn conn;
    pthread_t thread;
};

struct gather {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct lane lanes[LANES];
    unsigned n;    /* lanes that run */
    unsigned idle; /* of these, without anything to do */
    struct errand *first, **last; /* that wait */
    bool closing;
};

/* ---- a turn of a lane ---- */

static int take_epoch(struct conn *c, int64_t *epoch)
{
    PGresult *r;
    int rc = conn_result(c, &r);
    if (rc) return rc;
    *epoch = conn_number(c, r, 0, 0);
    c->pq->PQclear(r);
    return STORE_OK;
}

static int ask_all(struct conn *c, struct errand *first)
{
    int rc = conn_ready(c);
    if (!rc) rc = conn_send(c, S_EPOCH, SPACE_META, NULL);
    for (struct errand *e = first; e && !rc && c->pg; e = e->next) {
        unsigned before = c->expected;
        e->ask(e, c);
        e->sent = c->expected - before;
    }
    if (!rc) rc = conn_flush(c);
    if (rc && c->pg) conn_drop(c, NULL); /* in the middle of what was to be sent */
    return rc;
}

static void take_turn(struct conn *c, struct errand *first)
{
    int64_t epoch = -1;
    int rc = ask_all(c, first);
    if (!rc) rc = take_epoch(c, &epoch);
    for (struct errand *e = first, *next; e; e = next) {
        bool good = !rc && c->pg;
        unsigned behind = good ? c->expected - e->sent : 0; /* results of the next ones */
        next = e->next;
        e->answer(e, good ? c : NULL, epoch);
        while (c->pg && good && c->expected > behind) conn_skip(c);
    }
    if (c->pg) conn_end(c);
}

/* ---- lanes ---- */

/* With the lock held: as many of those that wait as fit. */
static struct errand *take_waiting(struct gather *g)
{
    struct errand *first = g->first, **end = &g->first;
    for (size_t n = 0; *end && n < TURN; n++) end = &(*end)->next;
    g->first = *end;
    *end = NULL;
    if (!g->first) g->last = &g->first;
    return first;
}

static void *lane_main(void *arg)
{
    struct lane *lane = arg;
    struct gather *g = lane->g;
    pthread_setname_np(pthread_self(), "onefold-reader");
    pthread_mutex_lock(&g->lock);
    for (;;) {
        g->idle++;
        while (!g->first && !g->closing) pthread_cond_wait(&g->filled, &g->lock);
        g->idle--;
        struct errand *turn = take_waiting(g);
        if (!turn) break;
        if (g->first && g->idle) pthread_cond_signal(&g->filled);
        pthread_mutex_unlock(&g->lock);
        take_turn(&lane->conn, turn);
        pthread_mutex_lock(&g->lock);
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

void gather_add(struct gather *g, struct errand *first, struct errand *last)
{
    last->next = NULL;
    pthread_mutex_lock(&g->lock);
    *g->last = first;
    g->last = &last->next;
    bool wake = g->idle != 0;
    pthread_mutex_unlock(&g->lock);
    if (wake) pthread_cond_signal(&g->filled);
}

struct gather *gather_new(const struct pq_library *pq, const char *url, int wait_ms, enum hold hold)
{
    struct gather *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->filled, NULL);
    g->last = &g->first;
    for (; g->n < LANES; g->n++) {
        struct lane *lane = &g->lanes[g->n];
        lane->g = g;
        conn_init(&lane->conn, pq, url, wait_ms);
        lane->conn.hold = hold;
        if (thread_start(&lane->thread, lane_main, lane)) break;
    }
    if (g->n) return g;
    gather_free(g);
    return NULL;
}

void gather_free(struct gather *g)
{
    if (!g) return;
    pthread_mutex_lock(&g->lock);
    g->closing = true;
    pthread_cond_broadcast(&g->filled);
    pthread_mutex_unlock(&g->lock);
    for (unsigned i = 0; i < g->n; i++) {
        pthread_join(g->lanes[i].thread, NULL);
        conn_close(&g->lanes[i].conn);
    }
    pthread_cond_destroy(&g->filled);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* ---- single reads ---- */

struct awaited {
    struct errand errand;
    struct read *read;
    int status;
    int64_t epoch;
    sem_t done;
};

static void ask_read(struct errand *e, struct conn *c)
{
    struct awaited *a = (struct awaited *)e;
    if (a->read->send) a->status = a->read->send(a->read, c);
}

static void answer_read(struct errand *e, struct conn *c, int64_t epoch)
{
    struct awaited *a = (struct awaited *)e;
    a->epoch = epoch;
    if (!c) a->status = STORE_AWAY;
    else if (!a->status && a->read->send) a->status = a->read->take(a->read, c); /* not of what was asked for in part: what comes next is another's */
    if (c && c->aborted) a->status = STORE_AWAY;
    sem_post(&a->done);
}

int gather_read(struct gather *g, struct read *r, int64_t *epoch)
{
    struct awaited a = { .errand = { .ask = ask_read, .answer = answer_read }, .read = r };
    sem_init(&a.done, 0, 0);
    gather_add(g, &a.errand, &a.errand);
    while (sem_wait(&a.done) && errno == EINTR) continue;
    sem_destroy(&a.done);
    *epoch = a.epoch;
    return a.status;
}

int read_alone(struct read *r, struct conn *c, int64_t *epoch)
{
    int rc = epoch ? conn_send(c, S_EPOCH, SPACE_META, NULL) : STORE_OK;
    if (!rc && r->send) rc = r->send(r, c);
    if (!rc) rc = conn_flush(c);
    if (rc && c->pg) conn_drop(c, NULL);
    if (!rc && epoch) rc = take_epoch(c, epoch);
    if (!rc && r->send) rc = r->take(r, c);
    int end = c->pg ? conn_end(c) : STORE_AWAY;
    return end == STORE_AWAY ? end : rc ? rc : end;
}
