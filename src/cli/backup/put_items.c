/* put_items.c: see put_items.h. A database in this process takes pieces of many items in one transaction; all others BatchWriteItem. */
#include "put_items.h"
#include "guarded.h"
#include "../../item/item_json.h"
#include <stdlib.h>

#define BATCH_ITEMS 25
#define PIECE_ITEMS 16384
#define PIECE_BYTES ((size_t)4 << 20) /* then it is sent: of requests, which with their last item are under 8 MB of 16; or of items */
#define PIECE_MAX   ((size_t)64 << 20)

struct put_items {
    struct service *s;
    struct slice table;
    struct arena arena;  /* of the piece, and of the request that is sent */
    struct arena answer; /* to that */
    struct buf requests; /* of BatchWriteItem: [{"PutRequest":...},... */
    struct slice items[PIECE_ITEMS];
    size_t n, bytes;
};

struct put_items *put_items_begin(struct service *s, struct slice table)
{
    struct put_items *p = malloc(sizeof *p);
    if (!p) return NULL;
    p->s = s;
    p->table = table;
    p->n = p->bytes = 0;
    arena_init(&p->arena, PIECE_MAX);
    arena_init(&p->answer, PIECE_MAX);
    buf_init(&p->requests, &p->arena, PIECE_MAX);
    return p;
}

/* ---- sending ---- */

static int send_together(struct put_items *p)
{
    struct service *s = p->s;
    struct err e = { .arena = s->scratch };
    size_t put;
    if (!s->api->put_items(s->api, s->scratch, p->table, p->items, p->n, &put, &e)) return 0;
    end_progress();
    return fail_error("an item cannot be restored: %.*s", SLICE_ARG(e.message));
}

static struct slice first_batch(struct put_items *p)
{
    struct buf b;
    buf_init(&b, &p->arena, PIECE_MAX);
    BUF_LIT(&b, "{\"RequestItems\":{");
    json_put_string(&b, p->table);
    buf_u8(&b, ':');
    buf_slice(&b, buf_view(&p->requests));
    BUF_LIT(&b, "]}}");
    return buf_view(&b);
}

/* What the service could not take in, as the next request; the last one is over. */
static struct slice next_batch(struct put_items *p, const struct json *left)
{
    struct buf b;
    arena_reset(&p->arena);
    buf_init(&b, &p->arena, PIECE_MAX);
    BUF_LIT(&b, "{\"RequestItems\":");
    json_put(&b, left);
    buf_u8(&b, '}');
    return buf_view(&b);
}

static int send_batch(struct put_items *p)
{
    struct slice body = first_batch(p);
    unsigned ms = SERVICE_FIRST_WAIT_MS;
    for (;;) {
        const struct json *answer;
        arena_reset(&p->answer);
        int code = service_call(p->s, &p->answer, "BatchWriteItem", body, &answer);
        const struct json *left = code ? NULL : JSON_GET(answer, "UnprocessedItems");
        if (!left || !left->count) return code;
        body = next_batch(p, left);
        service_rest(&ms);
    }
}

static int send_piece(void *ctx)
{
    struct put_items *p = ctx;
    if (!p->n) return 0;
    int code = p->s->api->put_items ? send_together(p) : send_batch(p);
    arena_reset(&p->arena);
    buf_init(&p->requests, &p->arena, PIECE_MAX);
    p->n = p->bytes = 0;
    return code;
}

/* ---- gathering ---- */

struct adding {
    struct put_items *to;
    struct slice item;
};

static int add(void *ctx)
{
    struct adding *x = ctx;
    struct put_items *p = x->to;
    struct slice item = x->item;
    if (p->s->api->put_items) {
        p->items[p->n] = arena_dup(&p->arena, item);
        p->bytes += item.n;
    } else {
        size_t before = p->requests.n;
        buf_u8(&p->requests, p->n ? ',' : '[');
        BUF_LIT(&p->requests, "{\"PutRequest\":{\"Item\":");
        item_to_json_short(&p->requests, item);
        BUF_LIT(&p->requests, "}}");
        p->bytes += p->requests.n - before;
    }
    p->n++;
    bool full = p->n == (p->s->api->put_items ? PIECE_ITEMS : BATCH_ITEMS) || p->bytes >= PIECE_BYTES;
    return full ? send_piece(p) : 0;
}

int put_items_add(struct put_items *p, struct slice item)
{
    struct adding x = { p, item };
    return p ? guarded(&p->arena, &p->answer, add, &x) : fail_error("out of memory");
}

int put_items_end(struct put_items *p)
{
    int code = p ? guarded(&p->arena, &p->answer, send_piece, p) : 0;
    put_items_abandon(p);
    return code;
}

void put_items_abandon(struct put_items *p)
{
    if (!p) return;
    arena_free(&p->arena);
    arena_free(&p->answer);
    free(p);
}
