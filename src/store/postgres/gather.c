/* gather.c: see gather.h. */
#include "gather.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define LANES 4
#define TURN  64 /* reads */

struct lane {
    struct conn conn;
    bool busy;
};

struct gather {
    pthread_mutex_t lock;
    struct lane lanes[LANES];
    struct read *first, **last; /* that wait */
};

struct gather *gather_new(const struct pq_library *pq, const char *url, int wait_ms, enum hold hold)
{
    struct gather *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    pthread_mutex_init(&g->lock, NULL);
    for (size_t i = 0; i < LANES; i++) {
        conn_init(&g->lanes[i].conn, pq, url, wait_ms);
        g->lanes[i].conn.hold = hold;
    }
    g->last = &g->first;
    return g;
}

void gather_free(struct gather *g)
{
    if (!g) return;
    for (size_t i = 0; i < LANES; i++) conn_close(&g->lanes[i].conn);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

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

static int send_turn(struct conn *c, struct read *first)
{
    int rc = conn_ready(c);
    if (!rc) rc = conn_send(c, S_EPOCH, SPACE_META, NULL);
    for (struct read *r = first; r && !rc; r = r->next)
        if (r->send) rc = r->send(r, c);
    if (!rc) rc = conn_flush(c);
    if (rc && c->pg) conn_drop(c, NULL); /* in the middle of what was to be sent */
    return rc;
}

/* Each read has its status then. STORE_AWAY, to be asked again, where it was left out because the connection or another read failed. */
static void take_turn(struct conn *c, struct read *first)
{
    int64_t epoch = -1;
    int rc = send_turn(c, first);
    if (!rc) rc = take_epoch(c, &epoch);
    for (struct read *r = first; r; r = r->next) {
        r->epoch = epoch;
        r->status = rc ? STORE_AWAY : r->send ? r->take(r, c) : STORE_OK;
        if (c->aborted) r->status = STORE_AWAY;
    }
    if (c->pg) conn_end(c);
}

/* ---- who takes it ---- */

static struct lane *free_lane(struct gather *g)
{
    for (size_t i = 0; i < LANES; i++)
        if (!g->lanes[i].busy) return &g->lanes[i];
    return NULL;
}

/* With the lock held: the reads that wait, as many as fit. */
static struct read *take_waiting(struct gather *g)
{
    struct read *first = g->first, **end = &g->first;
    for (size_t n = 0; *end && n < TURN; n++) {
        (*end)->taken = true;
        end = &(*end)->next;
    }
    g->first = *end;
    *end = NULL;
    if (!g->first) g->last = &g->first;
    return first;
}

/* A turn of this lane, with all that wait. True: own was among them, which is so unless there were too many. Then one that came meanwhile is told that a
 * lane is free. */
static bool lead(struct gather *g, struct lane *lane, struct read *own)
{
    struct read *turn = take_waiting(g);
    bool led_own = false;
    pthread_mutex_unlock(&g->lock);
    take_turn(&lane->conn, turn);
    pthread_mutex_lock(&g->lock);
    lane->busy = false;
    if (g->first) {
        g->first->hints++;
        sem_post(&g->first->wake);
    }
    pthread_mutex_unlock(&g->lock);
    for (struct read *r = turn, *next; r; r = next) {
        next = r->next; /* it is its thread's again after the post */
        if (r == own) {
            led_own = true;
            continue;
        }
        __atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
        sem_post(&r->wake);
    }
    return led_own;
}

static void wait_for(sem_t *s)
{
    while (sem_wait(s) && errno == EINTR) continue;
}

void gather_read(struct gather *g, struct read *r)
{
    unsigned woken = 0;
    r->next = NULL;
    r->taken = r->done = false;
    r->hints = 0;
    sem_init(&r->wake, 0, 0);
    pthread_mutex_lock(&g->lock);
    *g->last = r;
    g->last = &r->next;
    for (;;) {
        struct lane *lane = r->taken ? NULL : free_lane(g);
        if (lane) {
            lane->busy = true;
            if (lead(g, lane, r)) break;
        } else {
            pthread_mutex_unlock(&g->lock);
            wait_for(&r->wake);
            /* The post of the thread that had it must have come too: that thread does not touch it after that. */
            woken++;
            if (__atomic_load_n(&r->done, __ATOMIC_ACQUIRE) && woken > r->hints) break;
        }
        pthread_mutex_lock(&g->lock);
    }
    sem_destroy(&r->wake);
}
