/* batch_send.c: the items of a piece into the table: handed over as they are, or by BatchWriteItem on several connections.
 *
 * Requests of a piece are under way at once and end in any order, so no two items of a piece have the same key, and a piece is
 * begun when the one before it has ended. Requests are taken in order and one that was taken is brought to its end: so all that
 * stands before the first item that was refused is in the table, and perhaps some of what stands behind it. */
#include "batch.h"
#include "names.h"
#include "scratch.h"
#include "write.h"
#include "../item/item_json.h"
#include <stdlib.h>
#include <time.h>

#define REQUEST_ITEMS 25
#define REQUEST_MAX   ((size_t)64 << 20)
#define TRIES         8
/* A request has at most 16 MB, and what is one byte may become fifteen in JSON ({"BOOL":false},). */
#define REQUEST_BYTES ((size_t)1 << 20)
#define KEY_SLOTS     ((size_t)32768) /* four times what a piece with lanes has items */

static void no_memory(struct piece *p)
{
    p->err.code = ERR_InternalServerError;
    p->err.message = SLICE("out of memory");
    p->err.detail = slice_of(NULL, 0);
}

/* An error becomes the piece's own. */
static void say(struct piece *p, const struct err *e)
{
    if (!e->code) return;
    p->err.code = e->code;
    if (ARENA_GUARD(&p->memory)) {
        p->err.message = arena_dup(&p->memory, e->message);
        p->err.detail = arena_dup(&p->memory, e->detail);
    } else {
        no_memory(p);
    }
    arena_unguard(&p->memory);
}

/* ---- which keys a piece has ---- */

static uint64_t key_of(const struct batch *b, struct slice item)
{
    const struct model_index *t = &b->model->indexes[0];
    struct slice value;
    uint64_t h = 0;
    if (val_get(item, t->hash.attrs[0].name, &value)) h = fingerprint(h, value);
    if (t->sort.n && val_get(item, t->sort.attrs[0].name, &value)) h = fingerprint(h, value);
    return h ? h : 1; /* 0 is a free slot */
}

bool piece_has_keys(const struct batch *b, struct piece *p)
{
    if (!b->api->put_items && !p->keys) p->keys = calloc(KEY_SLOTS, sizeof *p->keys);
    return b->api->put_items || p->keys;
}

bool piece_takes_key(const struct batch *b, struct piece *p, struct slice item)
{
    if (!p->keys) return true;
    /* Two keys with the same fingerprint are taken for one: the piece ends a little earlier, no more. */
    uint64_t key = key_of(b, item);
    size_t at = key & (KEY_SLOTS - 1);
    for (; p->keys[at]; at = (at + 1) & (KEY_SLOTS - 1))
        if (p->keys[at] == key) return false;
    p->keys[at] = key;
    return true;
}

/* ---- one request ---- */

struct request {
    const struct batch *batch;
    const struct slice *items;
    size_t n;
};

static void put_requests(struct buf *out, const struct request *r)
{
    BUF_LIT(out, "{");
    json_put_string(out, r->batch->model->table);
    BUF_LIT(out, ":[");
    for (size_t i = 0; i < r->n; i++) {
        if (i) buf_u8(out, ',');
        BUF_LIT(out, "{\"PutRequest\":{\"Item\":");
        item_to_json_short(out, r->items[i]);
        BUF_LIT(out, "}}");
    }
    BUF_LIT(out, "]}");
}

static void wait_before(int attempt)
{
    struct timespec t = { 0, 50000000L << (attempt < 4 ? attempt : 4) };
    nanosleep(&t, NULL);
}

static int send(void *ctx, struct arena *a, struct err *e)
{
    const struct request *r = ctx;
    struct buf requests;
    buf_init(&requests, a, REQUEST_MAX);
    put_requests(&requests, r);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        struct buf body;
        const struct json *answer;
        buf_init(&body, a, REQUEST_MAX);
        BUF_LIT(&body, "{\"RequestItems\":");
        buf_slice(&body, buf_view(&requests));
        buf_u8(&body, '}');
        int code = API_CALL(r->batch->api, a, "BatchWriteItem", buf_view(&body), &answer, e);
        if (code) return code;
        const struct json *left = JSON_GET(answer, "UnprocessedItems");
        if (!left || left->count == 0) return 0;
        buf_init(&requests, a, REQUEST_MAX);
        json_put(&requests, left);
        wait_before(attempt);
    }
    return err_set(e, ERR_ServiceUnavailable, "the service left items unprocessed %d times in a row; try again later",
                   TRIES);
}

/* ---- many of them ---- */

struct sending {
    const struct batch *batch;
    struct piece *piece;
    pthread_mutex_t lock;
    size_t next;  /* the item that the next request begins with */
    bool stopped; /* no further one is to be sent */
};

/* Who sends: one request after the other. */
struct lane {
    struct sending *sending;
    pthread_t thread;
    bool started;
    struct arena scratch, words;
    struct err err;
    size_t failed; /* the item that err is about */
};

/* The next items that go into one request; false: there are none. */
static bool take(struct sending *s, size_t *from, size_t *n)
{
    const struct piece *p = s->piece;
    pthread_mutex_lock(&s->lock);
    size_t bytes = 0, at = s->next;
    /* One that is larger than that goes alone: the service refuses it. */
    while (!s->stopped && at < p->n && at - s->next < REQUEST_ITEMS && ((bytes += p->items[at].n) <= REQUEST_BYTES || at == s->next)) at++;
    *from = s->next;
    *n = at - s->next;
    s->next = at;
    pthread_mutex_unlock(&s->lock);
    return *n > 0;
}

static int send_some(struct lane *l, size_t from, size_t n)
{
    struct request r = { l->sending->batch, l->sending->piece->items + from, n };
    volatile int code = ERR_InternalServerError;
    l->failed = from;
    l->err.code = ERR_NONE;
    if (ARENA_GUARD(&l->words)) {
        code = scratch_step(&l->scratch, send, &r, &l->err);
    } else { /* no words for what went wrong */
        l->scratch.n_guards = 0;
        l->err.code = ERR_InternalServerError;
        l->err.message = SLICE("out of memory");
    }
    arena_unguard(&l->words);
    return code;
}

static void *run_lane(void *ctx)
{
    struct lane *l = ctx;
    struct sending *s = l->sending;
    size_t from, n;
    int code = 0;
    while (!code && take(s, &from, &n)) {
        code = send_some(l, from, n);
        /* A request is refused as a whole and nobody says for which item: one by one it shows. */
        if (code != ERR_ValidationException || n == 1) continue;
        code = 0;
        for (size_t i = 0; !code && i < n; i++) code = send_some(l, from + i, 1);
    }
    if (code) {
        pthread_mutex_lock(&s->lock);
        s->stopped = true;
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

/* Of what the lanes met the first in the order of items. */
static void take_outcome(struct piece *p, const struct lane *lanes, size_t n)
{
    p->put = p->n;
    for (size_t i = 0; i < n; i++) {
        if (!lanes[i].err.code || lanes[i].failed >= p->put) continue;
        p->put = lanes[i].failed;
        say(p, &lanes[i].err);
    }
}

static void send_on_lanes(const struct batch *b, struct piece *p)
{
    struct sending s = { .batch = b, .piece = p };
    struct lane lanes[API_MAX_LANES];
    size_t n = b->api->lanes ? b->api->lanes : 1;
    size_t requests = (p->n + REQUEST_ITEMS - 1) / REQUEST_ITEMS;
    if (n > requests) n = requests;
    pthread_mutex_init(&s.lock, NULL);
    for (size_t i = 0; i < n; i++) {
        lanes[i] = (struct lane){ .sending = &s };
        arena_init(&lanes[i].scratch, SCRATCH_MAX);
        arena_init(&lanes[i].words, SCRATCH_MAX);
        lanes[i].err.arena = &lanes[i].words;
        lanes[i].started = i && batch_thread(&lanes[i].thread, run_lane, &lanes[i]);
    }
    run_lane(&lanes[0]);
    for (size_t i = 1; i < n; i++)
        if (lanes[i].started) pthread_join(lanes[i].thread, NULL);
    take_outcome(p, lanes, n);
    for (size_t i = 0; i < n; i++) {
        arena_free(&lanes[i].scratch);
        arena_free(&lanes[i].words);
    }
    pthread_mutex_destroy(&s.lock);
}

/* ---- a database in this process ---- */

struct walk {
    const struct batch *batch;
    struct piece *piece;
    struct arena scratch, words;
};

struct lone {
    const struct batch *batch;
    const struct entity *entity;
    struct slice attributes;
};

static int put_entity(void *ctx, struct arena *a, struct err *e)
{
    const struct lone *x = ctx;
    struct session s = { .model = x->batch->model, .api = x->batch->api, .env = x->batch->env, .arena = a };
    struct write_options o = { .if_absent = false };
    struct slice result;
    return entity_put(&s, x->entity, x->attributes, &o, &result, e);
}

static int put_run(struct walk *w, size_t n)
{
    struct piece *p = w->piece;
    struct api *api = w->batch->api;
    struct err e = { .arena = &w->words };
    size_t put = 0;
    volatile int code = ERR_InternalServerError;
    if (ARENA_GUARD(&w->words)) {
        code = api->put_items(api, &w->words, w->batch->model->table, p->items + p->put, n, &put, &e);
        p->put += put;
        say(p, &e);
    } else {
        no_memory(p);
    }
    arena_unguard(&w->words);
    arena_reset(&w->words);
    return code;
}

/* Items and entities in their order, as far as they are good. */
static void put_all(struct walk *w)
{
    struct piece *p = w->piece;
    int code = 0;
    while (!code && p->put < p->n) {
        struct lone x = { w->batch, p->entities[p->put], p->items[p->put] };
        size_t n = 0;
        while (p->put + n < p->n && !p->entities[p->put + n]) n++;
        code = n ? put_run(w, n) : scratch_step(&w->scratch, put_entity, &x, &p->err);
        if (!code && !n) p->put++;
    }
}

/* May be run again. What leaves through a guard must not leave the transaction. */
static void put_mixed(void *ctx)
{
    struct walk *w = ctx;
    struct piece *p = w->piece;
    p->err = (struct err){ .arena = &p->memory };
    p->put = 0;
    if (ARENA_GUARD(&p->memory)) put_all(w);
    else no_memory(p);
    arena_unguard(&p->memory);
}

static void send_together(const struct batch *b, struct piece *p)
{
    struct walk w = { .batch = b, .piece = p };
    struct err e = { .arena = &w.words };
    arena_init(&w.scratch, SCRATCH_MAX);
    arena_init(&w.words, SCRATCH_MAX);
    if (ARENA_GUARD(&w.words)) {
        if (b->api->together(b->api, put_mixed, &w, &e)) {
            p->put = 0;
            p->err.code = ERR_NONE;
            say(p, &e);
        }
    } else { /* no words for why nothing was put */
        p->put = 0;
        no_memory(p);
    }
    arena_unguard(&w.words);
    arena_free(&w.scratch);
    arena_free(&w.words);
}

void piece_send(const struct batch *b, struct piece *p)
{
    p->err = (struct err){ .arena = &p->memory };
    p->put = 0;
    if (!p->n) return;
    if (!b->api->put_items)
        send_on_lanes(b, p);
    else if (p->mixed)
        send_together(b, p);
    else
        b->api->put_items(b->api, &p->memory, b->model->table, p->items, p->n, &p->put, &p->err);
}
