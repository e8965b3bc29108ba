/* batch.c: BatchWriteItem. */
#include "batch.h"
#include "scratch.h"
#include "../item/item_json.h"
#include <time.h>

#define REQUEST_MAX ((size_t)64 << 20)
#define TRIES       8
/* A request has at most 16 MB, and one byte of a string may become six in JSON (\u0001). */
#define BYTES_MAX   ((size_t)2 << 20)

void batch_init(struct batch *b, const struct model *m, struct api *api)
{
    *b = (struct batch){ .model = m, .api = api };
    arena_init(&b->arena, SCRATCH_MAX);
}

void batch_free(struct batch *b)
{
    arena_free(&b->arena);
}

/* The first items of a batch. */
struct sending {
    struct batch *batch;
    size_t n;
};

static void put_requests(struct buf *out, const struct sending *x)
{
    const struct batch *b = x->batch;
    BUF_LIT(out, "{");
    json_put_string(out, b->model->table);
    BUF_LIT(out, ":[");
    for (size_t i = 0; i < x->n; i++) {
        buf_printf(out, "%s{\"PutRequest\":{\"Item\":", i ? "," : "");
        item_to_json(out, b->items[i]);
        BUF_LIT(out, "}}");
    }
    BUF_LIT(out, "]}");
}

static void wait_before(int attempt)
{
    struct timespec t = { 0, 50000000L << (attempt < 4 ? attempt : 4) };
    if (t.tv_nsec >= 1000000000L) t = (struct timespec){ 1, 0 };
    nanosleep(&t, NULL);
}

static int send(void *ctx, struct arena *a, struct err *e)
{
    struct sending *x = ctx;
    struct buf requests;
    buf_init(&requests, a, REQUEST_MAX);
    put_requests(&requests, x);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        struct buf body;
        const struct json *answer;
        buf_init(&body, a, REQUEST_MAX);
        BUF_LIT(&body, "{\"RequestItems\":");
        buf_slice(&body, buf_view(&requests));
        buf_u8(&body, '}');
        int code = API_CALL(x->batch->api, a, "BatchWriteItem", buf_view(&body), &answer, e);
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

static int send_first(struct batch *b, size_t n, struct err *e)
{
    struct sending x = { b, n };
    struct arena a;
    arena_init(&a, SCRATCH_MAX);
    int code = scratch_step(&a, send, &x, e);
    arena_free(&a);
    return code;
}

/* A batch is refused as a whole and nobody says for which item: one by one it shows. */
static int one_by_one(struct batch *b, struct err *e)
{
    int code = 0;
    while (b->n && !(code = send_first(b, 1, e))) {
        b->n--;
        memmove(b->items, b->items + 1, b->n * sizeof *b->items);
        memmove(b->keys, b->keys + 1, b->n * sizeof *b->keys);
        memmove(b->places, b->places + 1, b->n * sizeof *b->places);
    }
    return code;
}

int batch_flush(struct batch *b, struct err *e)
{
    b->failed = false;
    if (b->n == 0) return 0;
    int code = send_first(b, b->n, e);
    if (code == ERR_ValidationException && b->n > 1) code = one_by_one(b, e);
    b->failed = code != 0;
    if (code) return code; /* what is not written stays */
    b->n = b->bytes = 0;
    arena_reset(&b->arena);
    return 0;
}

/* The table's key of an item, as one item. Where an attribute is missing the service will say so. */
static struct slice key_of(struct batch *b, struct slice item)
{
    const struct model_index *t = &b->model->indexes[0];
    struct attr attrs[2];
    size_t n = 0;
    attrs[n].name = t->hash.attrs[0].name;
    if (val_get(item, attrs[n].name, &attrs[n].value)) n++;
    attrs[n].name = t->sort.n ? t->sort.attrs[0].name : SLICE("");
    if (t->sort.n && val_get(item, attrs[n].name, &attrs[n].value)) n++;
    struct buf out;
    buf_init(&out, &b->arena, (size_t)64 << 10);
    val_put_map(&out, attrs, n);
    return buf_view(&out);
}

struct adding {
    struct batch *batch;
    struct slice item;
    uint64_t place;
    bool full; /* it does not go with what there is */
};

static int collect(struct adding *x, struct err *e)
{
    struct batch *b = x->batch;
    int code;
    if (ARENA_GUARD(&b->arena)) {
        struct slice key = key_of(b, x->item);
        x->full = b->n == BATCH_ITEMS || (b->n && b->bytes + x->item.n > BYTES_MAX);
        for (size_t i = 0; i < b->n && !x->full; i++) x->full = slice_eq(b->keys[i], key);
        if (!x->full) {
            b->keys[b->n] = key;
            b->items[b->n] = arena_dup(&b->arena, x->item);
            b->places[b->n] = x->place;
            b->bytes += x->item.n;
            b->n++;
        }
        code = 0;
    } else {
        code = err_set(e, ERR_InternalServerError, "out of memory");
    }
    arena_unguard(&b->arena);
    return code;
}

int batch_add(struct batch *b, struct slice item, uint64_t place, struct err *e)
{
    struct adding x = { .batch = b, .item = item, .place = place };
    int code = collect(&x, e);
    if (code || !x.full) return code;
    code = batch_flush(b, e);
    return code ? code : collect(&x, e);
}
