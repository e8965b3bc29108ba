/* token.c: remembering which transactions were done. */
#include "token.h"
#include <xxhash.h>

#define RECORD_VERSION 2 /* 1 had no read units */
#define RECORD_BYTES   25
#define MAX_ACTIONS    100

/* Members of an object are summed, so their order does not matter; elements of an array are chained. The
 * tree is as deep as the request, which json_parse has bounded. */
static XXH128_hash_t hash_value(const struct json *v)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(v->text.p, v->text.n, (XXH64_hash_t)v->type);
    for (const struct json *c = v->first; c; c = c->next) {
        XXH128_hash_t child = hash_value(c);
        if (v->type == JSON_OBJECT) {
            XXH128_hash_t name = XXH3_128bits_withSeed(c->name.p, c->name.n, child.low64);
            h.low64 += name.low64 ^ child.high64;
            h.high64 += name.high64;
        } else {
            XXH64_hash_t pair[4] = { h.low64, h.high64, child.low64, child.high64 };
            h = XXH3_128bits(pair, sizeof pair);
        }
    }
    return h;
}

struct token_print token_fingerprint(const struct json *value)
{
    struct token_print print;
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash_value(value));
    memcpy(print.bytes, canonical.digest, sizeof print.bytes);
    return print;
}

struct slice token_key(struct arena *a, struct slice token)
{
    struct buf b;
    buf_init(&b, a, 256);
    buf_u8(&b, 't');
    buf_slice(&b, token);
    return buf_view(&b);
}

static int64_t read_expiry(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) v = v << 8 | p[i];
    return (int64_t)v;
}

enum token_state token_check(struct slice record, const struct token_print *print, int64_t now_ms)
{
    if (record.n < RECORD_BYTES || record.p[0] > RECORD_VERSION) return TOKEN_NEW;
    if (read_expiry(record.p + 1) <= now_ms) return TOKEN_NEW;
    bool same = memcmp(record.p + 9, print->bytes, sizeof print->bytes) == 0;
    return same ? TOKEN_DONE_BEFORE : TOKEN_MISMATCH;
}

struct slice token_read_units(struct slice record)
{
    if (record.n < RECORD_BYTES) return slice_of(NULL, 0);
    return slice_of(record.p + RECORD_BYTES, record.n - RECORD_BYTES);
}

int token_write(struct store_txn *txn, struct arena *a, struct slice token,
                const struct token_print *print, struct slice read_units, int64_t now_ms)
{
    uint64_t expiry = (uint64_t)(now_ms + TOKEN_LIFETIME_MS);
    struct buf record, expiry_key;
    buf_init(&record, a, RECORD_BYTES + MAX_ACTIONS);
    buf_u8(&record, RECORD_VERSION);
    buf_u64be(&record, expiry);
    buf_bytes(&record, print->bytes, sizeof print->bytes);
    buf_slice(&record, read_units);
    int status = store_put(txn, SPACE_TOKEN, token_key(a, token), buf_view(&record));
    if (status) return status;
    buf_init(&expiry_key, a, 256);
    buf_u8(&expiry_key, 'e');
    buf_u64be(&expiry_key, expiry);
    buf_slice(&expiry_key, token);
    return store_put(txn, SPACE_TOKEN, buf_view(&expiry_key), SLICE(""));
}
