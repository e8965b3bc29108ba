/* batch.c: collecting items, and handing what was collected to a thread. */
#include "batch.h"
#include "scratch.h"
#include "../base/thread.h"
#include <stdlib.h>

/* A piece of a database in this process is one transaction: its pages, one for each item at the worst, are in memory until the
 * commit, and the larger it is the fewer of them are written more than once. docs/decisions/0017. */
#define OWN_ITEMS    131072
/* Elsewhere a piece ends with all its requests answered: enough for each connection to have several. */
#define LANE_ITEMS   250
#define MIXED_SHARE  8 /* an entity with its copies and all that is read for it takes as much as so many items */
#define PIECE_BYTES  ((size_t)32 << 20)

static size_t most_items(const struct api *api)
{
    const char *wanted = getenv("ONEFOLD_TEST_PIECE");
    size_t n = wanted ? strtoul(wanted, NULL, 10) : 0;
    size_t most = api->put_items ? OWN_ITEMS : (size_t)LANE_ITEMS * (api->lanes ? api->lanes : 1);
    return n && n < most ? n : most;
}

void batch_init(struct batch *b, const struct model *m, const struct model_env *env, struct api *api)
{
    *b = (struct batch){ .model = m, .env = env, .api = api, .most = most_items(api) };
    for (size_t i = 0; i < 2; i++) {
        arena_init(&b->pieces[i].arena, SCRATCH_MAX);
        arena_init(&b->pieces[i].memory, SCRATCH_MAX);
    }
}

static void *send_piece(void *ctx)
{
    struct batch *b = ctx;
    piece_send(b, &b->pieces[!b->filling]);
    return NULL;
}

bool batch_thread(pthread_t *thread, void *(*run)(void *), void *ctx)
{
    return thread_start(thread, run, ctx) == 0;
}

/* What became of the piece that was sent. */
static int take_outcome(struct batch *b, struct piece *p, struct err *e)
{
    int code = (int)p->err.code;
    if (p->put) b->written = p->places[p->put - 1];
    if (code) {
        b->failed = true;
        b->trouble = p->places[p->put];
        e->code = p->err.code;
        e->message = arena_dup(e->arena, p->err.message);
        e->detail = arena_dup(e->arena, p->err.detail);
    }
    p->n = p->bytes = 0;
    p->mixed = false;
    free(p->keys);
    p->keys = NULL;
    arena_reset(&p->arena);
    arena_reset(&p->memory);
    return code;
}

static int wait_for_sender(struct batch *b, struct err *e)
{
    if (!b->sending) return 0;
    pthread_join(b->sender, NULL);
    b->sending = false;
    return take_outcome(b, &b->pieces[!b->filling], e);
}

/* The piece is sent and the other one is collected. */
static int hand_over(struct batch *b, struct err *e)
{
    int code = wait_for_sender(b, e);
    if (code) return code;
    b->filling = !b->filling;
    b->sending = batch_thread(&b->sender, send_piece, b);
    if (b->sending) return 0;
    send_piece(b); /* no thread to be had */
    return take_outcome(b, &b->pieces[!b->filling], e);
}

int batch_flush(struct batch *b, struct err *e)
{
    int code = wait_for_sender(b, e);
    struct piece *p = &b->pieces[b->filling];
    if (code || !p->n) return code;
    piece_send(b, p);
    return take_outcome(b, p, e);
}

void batch_free(struct batch *b)
{
    if (b->sending) pthread_join(b->sender, NULL);
    for (size_t i = 0; i < 2; i++) {
        arena_free(&b->pieces[i].arena);
        arena_free(&b->pieces[i].memory);
        free(b->pieces[i].items);
        free(b->pieces[i].entities);
        free(b->pieces[i].places);
        free(b->pieces[i].keys);
    }
}

static bool make_room(struct piece *p)
{
    if (p->n < p->cap) return true;
    size_t cap = p->cap ? 2 * p->cap : 256;
    struct slice *items = realloc(p->items, cap * sizeof *items);
    if (items) p->items = items;
    const struct entity **entities = realloc(p->entities, cap * sizeof *entities);
    if (entities) p->entities = entities;
    uint64_t *places = realloc(p->places, cap * sizeof *places);
    if (places) p->places = places;
    if (!items || !entities || !places) return false;
    p->cap = cap;
    return true;
}

static int no_memory(struct err *e)
{
    return err_set(e, ERR_InternalServerError, "out of memory");
}

static int collect(struct piece *p, const struct entity *en, struct slice item, uint64_t place, struct err *e)
{
    volatile bool fits = make_room(p);
    if (ARENA_GUARD(&p->arena)) {
        if (fits) p->items[p->n] = arena_dup(&p->arena, item);
    } else {
        fits = false;
    }
    arena_unguard(&p->arena);
    if (!fits) return no_memory(e);
    p->entities[p->n] = en;
    p->mixed = p->mixed || en;
    p->places[p->n++] = place;
    p->bytes += item.n;
    return 0;
}

/* Where a unique value or a version is at stake, what a crash repeats must be one entity: a value may have gone from one to another
 * within the file. */
bool batch_takes(const struct batch *b, const struct entity *en)
{
    return b->api->together && !en->n_uniques && !en->lock.n;
}

static bool is_full(const struct batch *b, const struct piece *p, struct slice item)
{
    size_t most = p->mixed ? b->most / MIXED_SHARE + 1 : b->most;
    return p->n >= most || (p->n && p->bytes + item.n > PIECE_BYTES);
}

int batch_add(struct batch *b, const struct entity *en, struct slice item, uint64_t place, struct err *e)
{
    struct piece *p = &b->pieces[b->filling];
    if (!piece_has_keys(b, p)) return no_memory(e);
    if (is_full(b, p, item) || !piece_takes_key(b, p, item)) {
        int code = hand_over(b, e);
        if (code) return code;
        p = &b->pieces[b->filling];
        if (!piece_has_keys(b, p)) return no_memory(e);
        piece_takes_key(b, p, item);
    }
    return collect(p, en, item, place, e);
}
