/* throttle.c: letting calls in, and charging them. */
#include "throttle.h"
#include "cancellation.h"
#include "engine_impl.h"
#include "throttle_impl.h"
#include <pthread.h>
#include <stdlib.h>

#define KEY_HASH_END 8 /* id(4) hash(4), keys.h */

struct throttle {
    pthread_mutex_t lock;
    struct meters meters; /* under the lock */
};

/* What a call has taken: to be given back if it is run again. */
struct take {
    struct limits limits;
    uint32_t hash;
    bool write;
    int64_t halves;
};

struct throttle *throttle_open(void)
{
    struct throttle *t = calloc(1, sizeof *t);
    if (t) pthread_mutex_init(&t->lock, NULL);
    return t;
}

void throttle_close(struct throttle *t)
{
    if (!t) return;
    meters_free(&t->meters);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t hash_of(struct slice key)
{
    return key.n >= KEY_HASH_END ? big_endian(key.p + 4) : 0; /* a Scan from the beginning has none */
}

/* ---- what is said of it ---- */

static const char *message_of(const struct limits *l, enum limit_kind kind)
{
    if (l->table->billing == BILLING_PROVISIONED) {
        return l->index ? "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
                          "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes "
                          "with the UpdateTable API"
                        : "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
                          "provisioning level with the UpdateTable API.";
    }
    if (kind == LIMIT_WHOLE) return "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
    return l->index ? "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically "
                      "scaling your index so please try again shortly."
                    : "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or "
                      "index so please try again shortly. If exceptions persist, check if you have a hot key: "
                      "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html";
}

static const char *limit_name(const struct limits *l, enum limit_kind kind)
{
    if (kind == LIMIT_PARTITION) return "KeyRangeThroughputExceeded";
    return l->table->billing == BILLING_PROVISIONED ? "ProvisionedThroughputExceeded" : "MaxOnDemandThroughputExceeded";
}

static void refuse(struct call *call, const struct limits *l, enum limit_kind kind, bool write, struct err *e)
{
    bool provisioned = l->table->billing == BILLING_PROVISIONED;
    struct buf b;
    buf_init(&b, call->arena, 4096);
    buf_printf(&b, ",\"%s\":[{\"reason\":\"%s%s%s\",\"resource\":\"",
               provisioned ? "ThrottlingReasons" : "throttlingReasons", /* as the API describes the two exceptions */
               l->index ? "Index" : "Table", write ? "Write" : "Read", limit_name(l, kind));
    table_put_arn(&b, &call->caller, l->table->name);
    if (l->index) buf_printf(&b, "/index/%.*s", SLICE_ARG(l->index->name));
    BUF_LIT(&b, "\"}]");
    e->arena = call->arena;
    err_set(e, provisioned ? ERR_ProvisionedThroughputExceededException : ERR_ThrottlingException, "%s", message_of(l, kind));
    e->detail = buf_view(&b);
}

/* ---- letting in ---- */

/* Which limit keeps the item out; LIMIT_NONE if none does. Under the lock. */
static enum limit_kind item_full(struct throttle *t, const struct footprint_item *item, int64_t now_ms, struct limits *l)
{
    *l = limits_of(item->table, item->index);
    struct meter *p = meter_of(&t->meters, l);
    enum limit_kind kind = p ? meter_full(p, l, hash_of(item->key), item->write, now_ms) : LIMIT_NONE;
    for (size_t i = 0; item->write && !kind && i < item->table->n_indexes; i++) {
        const struct index *ix = &item->table->indexes[i];
        if (ix->kind == INDEX_LOCAL || ix->status == INDEX_DELETING) continue;
        *l = limits_of(item->table, ix);
        p = meter_of(&t->meters, l);
        if (p) kind = meter_full_anywhere(p, l, true, now_ms);
    }
    return kind;
}

static void note_take(struct call *call, struct take take)
{
    struct footprint *f = call->footprint;
    if (f->n_takes == f->room_takes) {
        size_t room = f->room_takes ? f->room_takes * 2 : 16;
        struct take *more = ARENA_ARRAY(call->arena, struct take, room);
        if (f->n_takes) memcpy(more, f->takes, f->n_takes * sizeof *more);
        f->takes = more;
        f->room_takes = room;
    }
    f->takes[f->n_takes++] = take;
}

/* sign 1: takes what was noted; -1: gives it back. */
static void move_takes(struct throttle *t, struct call *call, int sign)
{
    const struct footprint *f = call->footprint;
    int64_t now = engine_now_ms(call->engine);
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < f->n_takes; i++) {
        const struct take *k = &f->takes[i];
        struct meter *p = meter_of(&t->meters, &k->limits);
        if (p) meter_take(p, &k->limits, k->hash, k->write, sign * k->halves, now);
    }
    pthread_mutex_unlock(&t->lock);
}

void throttle_give_back(struct throttle *t, struct call *call)
{
    if (!call->footprint || !call->footprint->n_takes) return;
    move_takes(t, call, -1);
    call->footprint->n_takes = 0;
}

/* The entries of a batch follow each other: each takes at once what it will cost at least. */
static enum limit_kind admit_item(struct throttle *t, struct call *call, struct footprint_item *item, struct limits *l)
{
    int64_t now = engine_now_ms(call->engine);
    bool takes = call->footprint->style == FOOTPRINT_BATCH;
    pthread_mutex_lock(&t->lock);
    enum limit_kind kind = item_full(t, item, now, l);
    struct take take = { .limits = limits_of(item->table, item->index), .hash = hash_of(item->key), .write = item->write,
                         .halves = item->halves };
    struct meter *p = takes && !kind ? meter_of(&t->meters, &take.limits) : NULL;
    if (p) meter_take(p, &take.limits, take.hash, take.write, take.halves, now);
    pthread_mutex_unlock(&t->lock);
    if (p) note_take(call, take);
    return kind;
}

int throttle_admit(struct throttle *t, struct call *call)
{
    struct footprint *f = call->footprint;
    struct err *reasons = f->style == FOOTPRINT_TRANSACTION ? ARENA_ARRAY(call->arena, struct err, f->n) : NULL;
    f->throttled = false;
    for (size_t i = 0; i < f->n; i++) {
        struct footprint_item *item = &f->items[i];
        struct limits l;
        struct err refusal = { 0 };
        item->refused = item->conflict;
        if (item->refused || !item->table) continue;
        enum limit_kind kind = admit_item(t, call, item, &l);
        if (!kind) continue;
        refuse(call, &l, kind, item->write, &refusal);
        item->refused = true;
        if (!f->throttled) f->refusal = refusal;
        refusal.detail = slice_of(NULL, 0); /* a reason of a cancelled transaction has none */
        if (reasons) reasons[i] = refusal;
        f->throttled = true;
    }
    if (!f->throttled || f->style == FOOTPRINT_BATCH) return 0;
    if (reasons) return cancel_transaction(call, reasons, f->n);
    call->err = f->refusal;
    return (int)call->err.code;
}

/* ---- charging ---- */

/* The table or index that has this id, among those of the call. */
static bool limits_by_id(const struct footprint *f, uint32_t id, struct limits *l)
{
    const struct table *looked = NULL;
    for (size_t i = 0; i < f->n; i++) {
        const struct table *t = f->items[i].table;
        if (!t || t == looked) continue;
        looked = t;
        if (t->id == id) {
            *l = limits_of(t, NULL);
            return true;
        }
        for (size_t k = 0; k < t->n_indexes; k++) {
            if (t->indexes[k].id != id) continue;
            *l = limits_of(t, &t->indexes[k]);
            return true;
        }
    }
    return false;
}

void throttle_settle(struct throttle *t, struct call *call)
{
    throttle_give_back(t, call);
    for (uint32_t i = 0; i < call->tally.n; i++) {
        const struct touch *touch = &call->tally.touches[i];
        struct take take = { .hash = hash_of(touch->key), .write = touch->write, .halves = touch->halves };
        if (touch->key.n < 4 || !limits_by_id(call->footprint, big_endian(touch->key.p), &take.limits)) continue;
        note_take(call, take);
    }
    move_takes(t, call, 1);
}
