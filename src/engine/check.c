/* check.c: the order of the check, how findings are told, and going through a space; see check.h. */
#include "check_impl.h"
#include "clone.h"
#include "record.h"
#include "../item/item_json.h"
#include <stdio.h>
#include <stdlib.h>

#define SCRATCH_MAX   ((size_t)64 << 20)
#define SCRATCH_FULL  ((size_t)8 << 20) /* nothing more waits then */
#define KEPT_MAX      ((size_t)1 << 30)
#define PROGRESS      1024 /* records between two words about progress */
#define PIECE_RECORDS 4096 /* read in one view */
#define PIECE_BYTES   ((size_t)16 << 20)
#define MAX_FAILURES  1000 /* in a row: a cursor that does not get on */

const char *const check_spaces[SPACE_END] = {
    [SPACE_META] = "meta",   [SPACE_ITEM] = "item",     [SPACE_INDEX] = "index",
    [SPACE_TOKEN] = "token", [SPACE_STREAM] = "stream", [SPACE_COUNTER] = "counter",
};

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const struct owner *)a)->id, y = ((const struct owner *)b)->id;
    return (x > y) - (x < y);
}

struct owner *check_owner(struct check *k, uint32_t id)
{
    struct owner key = { .id = id };
    return k->n_owners ? bsearch(&key, k->owners, k->n_owners, sizeof key, by_id) : NULL;
}

/* ---- telling ---- */

/* A string of JSON; to has room for 2 n + 2 bytes. */
static struct slice hexadecimal(uint8_t *to, struct slice bytes)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *at = to;
    *at++ = '"';
    for (size_t i = 0; i < bytes.n; i++) {
        *at++ = (uint8_t)digits[bytes.p[i] >> 4];
        *at++ = (uint8_t)digits[bytes.p[i] & 15];
    }
    *at++ = '"';
    return slice_of(to, (size_t)(at - to));
}

static void tell(struct check *k, const char *space, const struct owner *o, struct slice key, const char *fmt, va_list ap)
{
    char text[512];
    struct check_finding f = { .space = space, .key = key };
    vsnprintf(text, sizeof text, fmt, ap);
    f.what = slice_str(text);
    if (o && o->table) f.table = o->table->name;
    if (o && o->index) f.index = o->index->name;
    if (o) f.backup = o->backup;
    if (o && o->kind == OWNER_EXPIRY) f.index = SLICE("(time to live)");
    k->report->findings++;
    k->o->tell(k->o->ctx, &f);
}

static struct slice json_of(struct check *k, const struct table *t, struct slice item)
{
    struct buf b;
    struct slice key = key_attributes(&k->scratch, t, NULL, item);
    buf_init(&b, &k->scratch, SCRATCH_MAX);
    item_to_json(&b, key);
    return buf_view(&b);
}

void check_tell(struct check *k, const char *space, const struct owner *o, struct slice item, const char *fmt, ...)
{
    struct slice key = { .p = NULL };
    va_list ap;
    if (item.n && o && o->table) key = json_of(k, o->table, item);
    va_start(ap, fmt);
    tell(k, space, o, key, fmt, ap);
    va_end(ap);
}

/* The key attributes that the key of an item holds, or an empty slice. */
static struct slice item_of_key(struct check *k, const struct table *t, struct slice key)
{
    struct attr attrs[2] = { { .name = t->key.hash[0].name } };
    struct slice rest = key.n > 8 ? slice_of(key.p + 8, key.n - 8) : slice_of(NULL, 0), pk;
    struct buf b;
    uint64_t n = 0;
    size_t i = 0;
    do {
        if (i >= rest.n || i > 3) return slice_of(NULL, 0);
        n |= (uint64_t)(rest.p[i] & 0x7f) << (7 * i);
    } while (rest.p[i++] & 0x80);
    if (n > rest.n - i) return slice_of(NULL, 0);
    pk = slice_of(rest.p + i, (size_t)n);
    rest = slice_of(pk.p + n, rest.n - i - (size_t)n);
    buf_init(&b, &k->scratch, STORE_MAX_KEY + 16);
    if (t->key.hash[0].type == TYPE_S) val_put_string(&b, pk);
    if (t->key.hash[0].type == TYPE_B) val_put_binary(&b, pk);
    if (t->key.hash[0].type == TYPE_N) val_put_number(&b, pk);
    attrs[0].value = buf_view(&b);
    if (t->key.n_range) {
        attrs[1].name = t->key.range[0].name;
        if (!keybytes_take(&k->scratch, t->key.range[0].type, &rest, &attrs[1].value)) return slice_of(NULL, 0);
    }
    if (rest.n || !val_check(attrs[0].value)) return slice_of(NULL, 0);
    buf_init(&b, &k->scratch, STORE_MAX_KEY * 2);
    val_put_map(&b, attrs, 1 + (t->key.n_range > 0));
    return buf_view(&b);
}

void check_tell_key(struct check *k, const char *space, const struct owner *o, struct slice store_key, const char *fmt, ...)
{
    struct slice item = { .p = NULL };
    va_list ap;
    if (o && o->table && o->kind != OWNER_INDEX && o->kind != OWNER_EXPIRY) item = item_of_key(k, o->table, store_key);
    struct slice key = item.n ? json_of(k, o->table, item)
                              : hexadecimal(arena_bytes(&k->scratch, 2 * store_key.n + 2), store_key);
    va_start(ap, fmt);
    tell(k, space, o, key, fmt, ap);
    va_end(ap);
}

/* ---- looking up ---- */

static void look_up_all(struct check *k)
{
    struct store_read reads[CHECK_LOOKUPS];
    for (size_t i = 0; i < k->n_lookups; i++) reads[i] = (struct store_read){ .space = k->lookups[i].space, .key = k->lookups[i].key };
    bool each = k->n_lookups && store_get_many(k->txn, reads, k->n_lookups); /* one that cannot be read spoils them all */
    for (size_t i = 0; i < k->n_lookups; i++) {
        const struct lookup *l = &k->lookups[i];
        if (each) reads[i].status = store_get(k->txn, l->space, l->key, &reads[i].value);
        l->then(k, l, reads[i].status, reads[i].value);
    }
    k->n_lookups = 0;
}

void check_lookup(struct check *k, struct lookup l)
{
    k->lookups[k->n_lookups++] = l;
    if (k->n_lookups == CHECK_LOOKUPS) look_up_all(k);
}

/* ---- going through ---- */

static void progress(struct check *k)
{
    if (k->done++ % PROGRESS == 0 && k->o->progress) k->o->progress(k->o->ctx, k->stage, k->done, 0);
}

static void tell_damage(struct check *k, const struct store_range *range, struct slice key)
{
    const char *space = check_spaces[range->space];
    bool has_id = key.n >= 4 && range->space != SPACE_META && range->space != SPACE_TOKEN;
    struct owner *o = has_id ? check_owner(k, (uint32_t)slice_big_endian(key.p, 4)) : NULL;
    if (key.n)
        check_tell_key(k, space, o, key, "is damaged: its checksum is not that of its bytes, or they cannot be read");
    else
        check_tell(k, space, NULL, key, "has long keys that lead nowhere, or a place that cannot be read");
}

/* A range, as far as it has been gone through. */
struct passage {
    struct check *k;
    check_fn *fn;
    void *ctx;
    struct store_range rest;
    unsigned failures; /* in a row */
    bool nowhere;      /* the last step led to no key */
    uint8_t bytes[STORE_MAX_KEY + 1]; /* of the bound that moves */
};

/* What is left is behind this key. False: it is so long that no key is right behind it. */
static bool move_behind(struct passage *p, struct slice key)
{
    if (key.n == STORE_MAX_KEY) return false;
    memcpy(p->bytes, key.p, key.n);
    p->bytes[key.n] = 0;
    if (p->rest.reverse)
        p->rest.to = slice_of(p->bytes, key.n);
    else
        p->rest.from = slice_of(p->bytes, key.n + 1);
    return true;
}

/* The next record. STORE_CORRUPT: it was told. */
static int take_step(struct passage *p, struct store_cursor *cursor, struct slice *key, size_t *bytes)
{
    struct slice value;
    int status = store_range_next(cursor, key, &value);
    if (p->k->scratch.used > SCRATCH_FULL) look_up_all(p->k);
    if (!p->k->n_lookups) arena_reset(&p->k->scratch);
    progress(p->k);
    if (!status) {
        p->fn(p->k, *key, value, p->ctx);
        *bytes += value.n;
    } else if (status == STORE_CORRUPT && !p->k->damage_is_told && (key->n || !p->nowhere)) {
        tell_damage(p->k, &p->rest, *key);
    }
    p->nowhere = status == STORE_CORRUPT && !key->n;
    p->failures = status == STORE_CORRUPT ? p->failures + 1 : 0;
    return status;
}

/* The next so many. A cursor that met what cannot be read (a bad sector in a long value) does not go on: one that begins behind the key
 * does. STORE_OK: there may be more. */
static int go_along(struct passage *p, struct store_cursor *cursor)
{
    size_t n = 0, bytes = 0;
    for (;;) {
        struct slice key = { .p = NULL };
        int status = take_step(p, cursor, &key, &bytes);
        if (status && (status != STORE_CORRUPT || p->failures == MAX_FAILURES)) return status;
        bool enough = ++n >= PIECE_RECORDS || bytes >= PIECE_BYTES || status;
        if (key.n && enough && move_behind(p, key)) return STORE_OK;
    }
}

/* In a view of its own, so that what was read is not kept to the end. */
static int pass_piece(struct store_txn *txn, void *ctx)
{
    struct passage *p = ctx;
    struct check *k = p->k;
    struct store_txn *around = k->txn;
    struct store_cursor *cursor;
    volatile int status = store_range_open(txn, &p->rest, &cursor);
    if (status) return status;
    k->txn = txn;
    if (ARENA_GUARD(&k->kept) && ARENA_GUARD(&k->scratch)) {
        status = go_along(p, cursor);
        look_up_all(k); /* what waits is of this view */
    } else {
        status = STORE_NO_MEMORY;
    }
    arena_unguard(&k->scratch);
    arena_unguard(&k->kept);
    k->txn = around;
    store_range_close(cursor);
    return status;
}

int check_each(struct check *k, const struct store_range *range, check_fn *fn, void *ctx)
{
    struct passage p = { .k = k, .fn = fn, .ctx = ctx, .rest = *range };
    int status;
    do status = store_view(k->store, pass_piece, &p);
    while (!status);
    return status == STORE_END ? STORE_OK : status;
}

bool check_record(struct check *k, const char *space, const struct owner *o, struct slice key, struct slice value,
                  struct slice *item, size_t *size)
{
    if (!record_read(value, item, size) || !val_check(*item)) {
        check_tell_key(k, space, o, key, "cannot be decoded");
        return false;
    }
    size_t is = val_item_size(*item);
    if (is == *size) return true;
    check_tell_key(k, space, o, key, "has %zu bytes but says %zu", is, *size);
    *size = is;
    return true;
}

/* ---- the whole ---- */

static int check_stage(struct check *k, const char *name, int (*part)(struct check *k), enum store_space space)
{
    if (k->damaged[space] || k->damaged[SPACE_META]) return STORE_OK; /* was told by the pages */
    k->stage = name;
    k->done = 0;
    return part(k);
}

static int run_stages(struct check *k)
{
    int status = check_stage(k, "records of the catalog", check_catalog, SPACE_META);
    if (!status) status = check_stage(k, "items", check_items, SPACE_ITEM);
    if (!status) status = check_stage(k, "entries of indexes", check_entries, SPACE_INDEX);
    if (!status) status = check_stage(k, "counters", check_counters, SPACE_COUNTER);
    if (!status) status = check_stage(k, "changes", check_history, SPACE_STREAM);
    if (!status) status = check_stage(k, "tokens", check_tokens, SPACE_TOKEN);
    return status;
}

/* A view may be run more than once. What the pages told stays. */
static void begin_anew(struct check *k)
{
    arena_reset(&k->kept);
    arena_reset(&k->scratch);
    *k->report = (struct check_report){ .pages = k->report->pages, .findings = k->of_pages };
    k->owners = NULL;
    k->n_lookups = 0;
    k->n_owners = k->cap = 0;
    k->last_id = 0;
    k->last_sequence = 0;
    k->damage_is_told = false;
}

static int run(struct store_txn *txn, void *ctx)
{
    struct check *k = ctx;
    volatile int status = STORE_NO_MEMORY;
    k->txn = txn;
    begin_anew(k);
    if (ARENA_GUARD(&k->kept) && ARENA_GUARD(&k->scratch)) status = run_stages(k);
    arena_unguard(&k->scratch);
    arena_unguard(&k->kept);
    return status;
}

static void tell_page(void *ctx, const struct store_fault *fault)
{
    struct check *k = ctx;
    struct check_finding f = { .space = fault->tree };
    char text[400];
    uint8_t key[2 * 512 + 2];
    if (fault->page)
        snprintf(text, sizeof text, "page %llu %s", (unsigned long long)fault->page, fault->what);
    else
        snprintf(text, sizeof text, "%s", fault->what);
    f.what = slice_str(text);
    if (fault->key.n && fault->key.n <= 512) f.key = hexadecimal(key, fault->key);
    k->report->findings++;
    k->of_pages++;
    k->o->tell(k->o->ctx, &f);
}

static void count_pages(void *ctx, uint64_t pages, uint64_t of)
{
    struct check *k = ctx;
    k->report->pages = of;
    if (pages % PROGRESS == 0 && k->o->progress) k->o->progress(k->o->ctx, "pages", pages, of);
}

int check_store(const struct check_options *o, struct check_report *report, char *message, size_t message_size)
{
    struct check k = { .o = o, .report = report };
    struct store_verify verify = { .tell = tell_page, .progress = count_pages, .ctx = &k };
    struct store_options options = { .dir = o->dir, .url = o->url, .read_only = true, .verify = &verify };
    struct store *store;
    *report = (struct check_report){ 0 };
    k.damaged = verify.damaged;
    int status = store_open(&store, &options, message, message_size);
    /* What the file's own pages tell is an answer, also where it cannot be opened for them. */
    if (status == STORE_CORRUPT && report->findings) return STORE_OK;
    if (status) return status;
    if (!k.damaged[SPACE_META] && clone_refuse(store, message, message_size) == STORE_INVALID) {
        store_close(store);
        return STORE_INVALID;
    }
    arena_init(&k.kept, KEPT_MAX);
    arena_init(&k.scratch, SCRATCH_MAX);
    k.store = store;
    status = store_view(store, run, &k);
    store_close(store);
    arena_free(&k.scratch);
    arena_free(&k.kept);
    if (status) snprintf(message, message_size, "%s could not be checked to its end: %s", o->dir ? o->dir : "it", store_status_text(status));
    return status;
}
