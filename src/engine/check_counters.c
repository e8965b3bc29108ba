/* check_counters.c: counters against what was counted, and the tokens of transactions. */
#include "check_impl.h"
#include "token.h"

#define TOKEN_RECORD 25

/* ---- counters ---- */

static void check_counter(struct check *k, struct slice key, struct slice value, void *ctx)
{
    const struct owner *o = key.n == 5 ? check_owner(k, (uint32_t)slice_big_endian(key.p + 1, 4)) : NULL;
    (void)ctx;
    if (key.n != 5 || (key.p[0] != 'C' && key.p[0] != 'S') || value.n != 8)
        check_tell_key(k, "counter", NULL, key, "is no counter");
    else if (!o || o->kind == OWNER_EXPIRY || o->kind == OWNER_CHANGES)
        check_tell_key(k, "counter", NULL, key, "counts nothing that there is");
}

static bool is_counted(const struct check *k, const struct owner *o)
{
    if (o->kind == OWNER_TABLE || o->kind == OWNER_BACKUP) return !k->damaged[SPACE_ITEM];
    return o->kind == OWNER_INDEX && !k->damaged[SPACE_INDEX];
}

static int compare(struct check *k, const struct owner *o, char letter, int64_t found, const char *what)
{
    int64_t sum;
    int status = counter_sum(k->txn, letter, o->id, &sum);
    if (status == STORE_CORRUPT) return STORE_OK; /* told while going through the counters */
    if (!status && sum != found)
        check_tell(k, "counter", o, slice_of(NULL, 0), "counts %lld %s, but there are %lld", (long long)sum, what, (long long)found);
    return status;
}

int check_counters(struct check *k)
{
    struct store_range all = { .space = SPACE_COUNTER };
    int status = check_each(k, &all, check_counter, NULL);
    for (size_t i = 0; !status && i < k->n_owners; i++) {
        const struct owner *o = &k->owners[i];
        if (!is_counted(k, o)) continue;
        status = compare(k, o, 'C', o->count, o->index ? "entries" : "items");
        if (!status) status = compare(k, o, 'S', o->bytes, "bytes");
        if (o->said_count >= 0 && (o->said_count != o->count || o->said_bytes != o->bytes))
            check_tell(k, "item", o, slice_of(NULL, 0), "a backup has %lld items of %lld bytes, but its record says %lld of %lld",
                       (long long)o->count, (long long)o->bytes, (long long)o->said_count, (long long)o->said_bytes);
    }
    return status;
}

/* ---- tokens ---- */

/* "t" token: when it expires; "e" expiry token: so that it is found then. A token that is used again after it expired has an "e" left
 * over from before, which is removed in its turn. */
static void check_token(struct check *k, struct slice key, struct slice value, void *ctx)
{
    struct buf other;
    struct slice there;
    int status = STORE_OK;
    (void)ctx;
    buf_init(&other, &k->scratch, STORE_MAX_KEY);
    if (key.p[0] == 't' && value.n >= TOKEN_RECORD && value.p[0] >= 1 && value.p[0] <= 2) {
        k->report->tokens++;
        buf_u8(&other, 'e');
        buf_bytes(&other, value.p + 1, 8);
        buf_bytes(&other, key.p + 1, key.n - 1);
        status = store_get(k->txn, SPACE_TOKEN, buf_view(&other), &there);
    } else if (key.p[0] == 'e' && key.n >= 9 && !value.n) {
        buf_u8(&other, 't');
        buf_bytes(&other, key.p + 9, key.n - 9);
        status = store_get(k->txn, SPACE_TOKEN, buf_view(&other), &there);
        if (!status && there.n >= 9 && slice_big_endian(there.p + 1, 8) < slice_big_endian(key.p + 1, 8)) status = STORE_NOT_FOUND;
    } else {
        check_tell_key(k, "token", NULL, key, "is no record of a token");
    }
    if (status == STORE_NOT_FOUND)
        check_tell_key(k, "token", NULL, key, key.p[0] == 't' ? "a token that would never expire" : "a time at which no token expires");
}

int check_tokens(struct check *k)
{
    struct store_range all = { .space = SPACE_TOKEN };
    return check_each(k, &all, check_token, NULL);
}
