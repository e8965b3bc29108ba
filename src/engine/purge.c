/* purge.c: removes what nothing can reach any more: the items of dropped tables, the entries of
 * dropped indexes, transaction tokens that have expired. Ids are never given out twice, so there is
 * no hurry. */
#include "jobs_impl.h"
#include "../base/failpoint.h"

#define TOKENS_MS  60000
#define PAUSE_MS   1000 /* behind steps that failed: they make the store do others again */
#define STEP_KEYS  1000
#define STEP_BYTES (1u << 20)

struct keys {
    struct slice *keys;
    size_t n;
    bool complete; /* the range has no more */
};

static int collect(struct store_txn *txn, struct arena *a, const struct store_range *range,
                   struct keys *out)
{
    struct store_cursor *cursor;
    struct slice key;
    size_t bytes = 0;
    *out = (struct keys){ .keys = ARENA_ARRAY(a, struct slice, STEP_KEYS) };
    int status = store_range_open(txn, range, &cursor);
    while (!status && out->n < STEP_KEYS && bytes < STEP_BYTES) {
        status = store_range_next(cursor, &key, NULL);
        if (status) break;
        out->keys[out->n++] = arena_dup(a, key);
        bytes += key.n;
    }
    if (status && status != STORE_END) return status;
    out->complete = status == STORE_END;
    store_range_close(cursor);
    return STORE_OK;
}

static struct slice id_prefix(uint8_t bytes[5], uint32_t id)
{
    return slice_of(catalog_id_key(bytes, 0, id).p + 1, 4);
}

static int forget_counters(struct store_txn *txn, uint32_t id)
{
    uint8_t bytes[5];
    int status = store_add_reset(txn, catalog_id_key(bytes, 'C', id));
    return status ? status : store_add_reset(txn, catalog_id_key(bytes, 'S', id));
}

static int purge_step(struct store_txn *txn, struct step *step)
{
    uint8_t bytes[5], from[5], to[5];
    struct slice record_key = catalog_id_key(bytes, 'D', step->id), what;
    struct keys keys;
    int status = store_get(txn, SPACE_META, record_key, &what);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status;
    if (what.n != 1) return STORE_CORRUPT;
    struct store_range range = { .space = what.p[0] == 'T' ? SPACE_ITEM : SPACE_INDEX,
                                 .from = id_prefix(from, step->id),
                                 .to = id_prefix(to, step->id + 1),
                                 .limit = STEP_KEYS };
    status = collect(txn, &step->arena, &range, &keys);
    for (size_t i = 0; !status && i < keys.n; i++) {
        status = store_delete(txn, range.space, keys.keys[i]);
    }
    if (!status) status = FAILPOINT_OR(purge_step, STORE_IO);
    if (status || !keys.complete) return status;
    status = forget_counters(txn, step->id);
    return status ? status : store_delete(txn, SPACE_META, record_key);
}

static int turn(struct jobs *j, uint32_t id, void *ctx)
{
    return jobs_step(j, purge_step, id, ctx);
}

static int work(struct jobs *j, int64_t *rest_ms)
{
    return jobs_turns(j, 'D', turn, NULL, rest_ms);
}

const struct job_kind job_purge = { work, "the removal of what was deleted" };

/* ---- tokens (token.h): "e" expiry(8) token, and "t" token -> version(1) expiry(8) ... ---- */

struct forgetting {
    struct slice after; /* the expiry key behind which it begins; empty: at the first */
    size_t most;        /* it looks at no more */
    /* out */
    size_t done;       /* expiry keys that it looked at */
    struct slice last; /* the last of them; the step's arena */
    bool more;         /* there may be more that have expired */
    bool damaged;      /* some stay: whether a later use of the same token wrote them is not known */
};

/* Removes one token's records, but not a "t" record that a later use of the same token wrote. */
static int forget_token(struct store_txn *txn, struct step *step, struct slice expiry_key)
{
    struct forgetting *f = step->ctx;
    struct buf key;
    struct slice record;
    buf_init(&key, &step->arena, STORE_MAX_KEY);
    buf_u8(&key, 't');
    buf_bytes(&key, expiry_key.p + 9, expiry_key.n - 9);
    int status = store_get(txn, SPACE_TOKEN, buf_view(&key), &record);
    if (status == STORE_CORRUPT) {
        f->damaged = true;
        return STORE_OK; /* where that was a page, or a neighbour of one that is not there, the store fails the update */
    }
    bool expired = !status && (record.n < 9 || (int64_t)slice_big_endian(record.p + 1, 8) <= step->now_ms);
    if (status == STORE_NOT_FOUND) status = STORE_OK;
    if (!status && expired) status = store_delete(txn, SPACE_TOKEN, buf_view(&key));
    return status ? status : store_delete(txn, SPACE_TOKEN, expiry_key);
}

static struct slice behind(struct arena *a, struct slice expiry_key)
{
    struct buf b;
    if (!expiry_key.n) return SLICE("e");
    buf_init(&b, a, STORE_MAX_KEY + 1);
    buf_slice(&b, expiry_key);
    buf_u8(&b, 0); /* the next key there can be; tokens are short */
    return buf_view(&b);
}

static int purge_tokens_step(struct store_txn *txn, struct step *step)
{
    struct forgetting *f = step->ctx;
    struct store_range range = {
        .space = SPACE_TOKEN, .from = behind(&step->arena, f->after), .to = SLICE("f"), .limit = STEP_KEYS
    };
    struct keys keys;
    f->done = 0;
    f->last = f->after;
    f->more = true;
    f->damaged = false;
    int status = collect(txn, &step->arena, &range, &keys);
    while (!status && f->done < keys.n && f->done < f->most) {
        struct slice key = keys.keys[f->done];
        f->more = key.n < 9 || (int64_t)slice_big_endian(key.p + 1, 8) <= step->now_ms;
        if (!f->more) return STORE_OK;
        f->last = key;
        f->done++;
        status = key.n >= 9 ? forget_token(txn, step, key) : store_delete(txn, SPACE_TOKEN, key);
    }
    if (!status && f->done == keys.n && keys.complete) f->more = false;
    return status;
}

static int any_token(struct store_txn *txn, void *ctx)
{
    struct store_range range = {
        .space = SPACE_TOKEN, .from = SLICE("e"), .to = SLICE("f"), .limit = 1
    };
    struct store_cursor *cursor;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    status = store_range_next(cursor, NULL, NULL);
    *(bool *)ctx = status == STORE_OK;
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

static int work_tokens(struct jobs *j, int64_t *rest_ms)
{
    struct forgetting f = { .after = jobs_place(j, 0).after, .most = STEP_KEYS };
    bool any = false;
    int status = store_view(jobs_engine(j)->store, any_token, &any);
    if (status || !any) return status;
    do status = jobs_step(j, purge_tokens_step, 0, &f);
    while (status == STORE_CORRUPT && step_in_parts(&f.most, f.done));
    if (status && (status != STORE_CORRUPT || !f.done)) return status;
    if (status || f.damaged) jobs_left_damaged(j);
    jobs_keep_place(j, 0, (struct job_place){ .after = f.more ? f.last : slice_of(NULL, 0) });
    *rest_ms = !f.more ? TOKENS_MS : status ? PAUSE_MS : 0;
    return STORE_OK;
}

const struct job_kind job_tokens = { work_tokens, "the removal of old tokens" };
