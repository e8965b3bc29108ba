/* transfer.c: see transfer.h. */
#include "transfer.h"
#include "engine_impl.h"
#include <stdio.h>
#include <unistd.h>
#include <xxhash.h>

#define KEPT_MS       ((int64_t)90 * 24 * 3600 * 1000)
#define TOKEN_MS      ((int64_t)8 * 3600 * 1000)
#define FORGET_AT_ONCE 10

const struct transfer_kind transfer_import = { 'I', 'i', "import", "Import", ERR_ImportConflictException,
                                               ERR_ImportNotFoundException };
const struct transfer_kind transfer_export = { 'E', 'e', "export", "Export", ERR_ExportConflictException,
                                               ERR_ExportNotFoundException };

int transfer_check_buckets(struct call *call, const char *operation)
{
    if (call->engine->options.s3_dir) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   "%s is not available: there are no buckets here. Start onefold serve with --s3 DIR, each "
                   "directory below which is a bucket",
                   operation);
}

/* ---- ARNs and ids ---- */

void transfer_put_arn(struct buf *b, const struct transfer_kind *k, struct slice region, struct slice account,
                      struct slice table, struct slice id)
{
    struct caller who = { .region = region, .account = account };
    table_put_arn(b, &who, table);
    buf_printf(b, "/%s/%.*s", k->name, SLICE_ARG(id));
}

static bool is_id(struct slice id)
{
    if (id.n != TRANSFER_ID || id.p[14] != '-') return false;
    for (size_t i = 0; i < id.n; i++) {
        bool digit = id.p[i] >= '0' && id.p[i] <= '9', letter = id.p[i] >= 'a' && id.p[i] <= 'f';
        if (i != 14 && !digit && !(letter && i > 14)) return false;
    }
    return true;
}

int transfer_read_arn(struct call *call, const struct transfer_kind *k, const char *member, struct slice *arn,
                      struct slice *table, struct slice *id)
{
    char between[16];
    int n = snprintf(between, sizeof between, "/%s/", k->name);
    *arn = param_string(call->request, slice_str(member));
    struct slice rest = table_of(*arn);
    const uint8_t *end = rest.n && rest.p != arn->p ? memmem(rest.p, rest.n, between, (size_t)n) : NULL;
    if (end) {
        *table = slice_of(rest.p, (size_t)(end - rest.p));
        *id = slice_of(end + n, (size_t)(arn->p + arn->n - end - n));
    }
    if (end && slice_starts(*arn, SLICE("arn:aws:dynamodb:")) && table->n >= 3 && is_id(*id)) return 0;
    return err_set(&call->err, ERR_ValidationException, "Invalid %s ARN", k->title);
}

int transfer_not_found(struct call *call, const struct transfer_kind *k, struct slice arn)
{
    return err_set(&call->err, k->not_found, "%s not found: %s not found: %.*s", k->title, k->title,
                   SLICE_ARG(arn));
}

struct slice transfer_new_id(struct arena *a, int64_t now_ms)
{
    uint32_t random;
    if (getentropy(&random, sizeof random) != 0) arena_fail(a);
    return arena_printf(a, "%014lld-%08x", (long long)now_ms, random);
}

int64_t transfer_id_ms(struct slice id)
{
    int64_t ms = 0;
    for (size_t i = 0; i < 14; i++)
        ms = ms * 10 + (id.p[i] - '0');
    return ms;
}

/* ---- records ---- */

struct slice transfer_key(struct arena *a, char letter, struct slice id)
{
    struct buf b;
    buf_init(&b, a, TRANSFER_ID + 1);
    buf_u8(&b, (uint8_t)letter);
    buf_slice(&b, id);
    return buf_view(&b);
}

int transfer_goes_on(struct store_txn *txn, struct arena *a, char letter, struct slice id)
{
    struct slice progress;
    return store_get(txn, SPACE_META, transfer_key(a, letter, id), &progress);
}

static struct slice token_key(struct arena *a, const struct transfer_kind *k, struct slice token)
{
    struct buf b;
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(token.p, token.n));
    buf_init(&b, a, 18);
    buf_u8(&b, 'k');
    buf_u8(&b, (uint8_t)k->record);
    buf_bytes(&b, hash.digest, sizeof hash.digest);
    return buf_view(&b);
}

int transfer_read(struct store_txn *txn, struct arena *a, char letter, struct slice id, struct slice *record)
{
    int status = store_get(txn, SPACE_META, transfer_key(a, letter, id), record);
    if (status) return status;
    *record = arena_dup(a, *record);
    return val_check(*record) && val_type(*record) == TYPE_M ? STORE_OK : STORE_CORRUPT;
}

struct old {
    struct slice id, token;
};

/* Gives its token. STORE_NOT_FOUND: it is to be kept, since it is under way (its work reads the record, and who waits for its end would never be
 * told), or damaged, which must keep no other from being forgotten or begun. */
static int may_be_forgotten(struct store_txn *txn, struct arena *a, const struct transfer_kind *k, struct old *o)
{
    struct slice record = { .p = NULL };
    int status = transfer_goes_on(txn, a, k->progress, o->id);
    if (!status) return STORE_NOT_FOUND;
    if (status == STORE_NOT_FOUND) status = transfer_read(txn, a, k->record, o->id, &record);
    if (!status) o->token = field_text(record, SLICE("token"));
    return status == STORE_CORRUPT ? STORE_NOT_FOUND : status;
}

static int forget(struct store_txn *txn, struct arena *a, const struct transfer_kind *k, const struct old *o)
{
    struct slice newer;
    int status = transfer_find_token(txn, a, k, o->token, &newer);
    if (!status && slice_eq(newer, o->id)) status = store_delete(txn, SPACE_META, token_key(a, k, o->token));
    if (status && status != STORE_NOT_FOUND && status != STORE_CORRUPT) return status;
    return store_delete(txn, SPACE_META, transfer_key(a, k->record, o->id));
}

static int find_old(struct store_txn *txn, struct arena *a, const struct transfer_kind *k, struct store_cursor *cursor, int64_t now_ms, struct old *old,
                    size_t *n)
{
    struct slice key;
    int status = STORE_OK;
    while (*n < FORGET_AT_ONCE && !(status = store_range_next(cursor, &key, NULL))) {
        struct old *o = &old[*n];
        if (key.n != TRANSFER_ID + 1) continue;
        o->id = arena_dup(a, slice_of(key.p + 1, TRANSFER_ID));
        if (transfer_id_ms(o->id) + KEPT_MS > now_ms) break;
        status = may_be_forgotten(txn, a, k, o);
        if (!status) ++*n;
        else if (status != STORE_NOT_FOUND) break;
    }
    return status == STORE_END || status == STORE_NOT_FOUND ? STORE_OK : status;
}

static int forget_old(struct store_txn *txn, struct arena *a, const struct transfer_kind *k, int64_t now_ms)
{
    struct store_range range = { .space = SPACE_META,
                                 .from = transfer_key(a, k->record, slice_of(NULL, 0)),
                                 .to = transfer_key(a, (char)(k->record + 1), slice_of(NULL, 0)),
                                 .limit = FORGET_AT_ONCE };
    struct store_cursor *cursor;
    struct old old[FORGET_AT_ONCE];
    size_t n = 0;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    status = find_old(txn, a, k, cursor, now_ms, old, &n);
    store_range_close(cursor);
    for (size_t i = 0; !status && i < n; i++)
        status = forget(txn, a, k, &old[i]);
    return status;
}

int transfer_write_new(struct store_txn *txn, struct arena *a, const struct transfer_kind *k, struct slice id,
                       struct slice token, struct slice record)
{
    struct buf b;
    buf_init(&b, a, TRANSFER_ID + token.n);
    buf_slice(&b, id);
    buf_slice(&b, token);
    int status = forget_old(txn, a, k, transfer_id_ms(id));
    if (!status) status = store_put(txn, SPACE_META, token_key(a, k, token), buf_view(&b));
    return status ? status : store_put(txn, SPACE_META, transfer_key(a, k->record, id), record);
}

int transfer_find_token(struct store_txn *txn, struct arena *a, const struct transfer_kind *k, struct slice token,
                        struct slice *id)
{
    struct slice value;
    int status = store_get(txn, SPACE_META, token_key(a, k, token), &value);
    if (status) return status;
    if (value.n < TRANSFER_ID) return STORE_CORRUPT;
    if (!slice_eq(slice_of(value.p + TRANSFER_ID, value.n - TRANSFER_ID), token)) return STORE_NOT_FOUND;
    *id = arena_dup(a, slice_of(value.p, TRANSFER_ID));
    return STORE_OK;
}

bool transfer_token_counts(int64_t end_ms, int64_t now_ms)
{
    return !end_ms || now_ms < end_ms + TOKEN_MS;
}

/* ---- members of answers ---- */

void put_member_text(struct buf *b, const char *member, struct slice text)
{
    if (!text.n) return;
    buf_printf(b, ",\"%s\":", member);
    json_put_string(b, text);
}

void put_member_json(struct buf *b, const char *member, struct slice json)
{
    if (!json.n) return;
    buf_printf(b, ",\"%s\":", member);
    buf_slice(b, json);
}

void put_member_int(struct buf *b, const char *member, int64_t v)
{
    buf_printf(b, ",\"%s\":%lld", member, (long long)v);
}

void put_member_ms(struct buf *b, const char *member, int64_t ms)
{
    if (ms) buf_printf(b, ",\"%s\":%lld.%03d", member, (long long)(ms / 1000), (int)(ms % 1000));
}
