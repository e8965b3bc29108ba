/* conflicts.c: the registry of items in hand. */
#include "conflicts.h"
#include "cancellation.h"
#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

#define BUCKETS  4096
#define SAME_TOKEN "The transaction with the given request token is already in progress."

struct claim {
    struct claim *next, **link; /* link: what points here; NULL: not in the registry */
    struct slice key;           /* of an item, or a token */
    bool token, transaction;
};

struct conflicts {
    pthread_mutex_t lock;
    struct claim *buckets[BUCKETS];
};

struct conflicts *conflicts_open(void)
{
    struct conflicts *c = calloc(1, sizeof *c);
    if (c) pthread_mutex_init(&c->lock, NULL);
    return c;
}

void conflicts_close(struct conflicts *c)
{
    if (!c) return;
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static struct claim **bucket_of(struct conflicts *c, struct slice key)
{
    return &c->buckets[XXH3_64bits(key.p, key.n) % BUCKETS];
}

/* ---- under the lock ---- */

/* Does someone have it: as a transaction, or (any) at all? */
static bool is_claimed(struct conflicts *c, struct slice key, bool token, bool any)
{
    for (const struct claim *k = *bucket_of(c, key); k; k = k->next) {
        if (k->token == token && (any || k->transaction) && slice_eq(k->key, key)) return true;
    }
    return false;
}

static void insert(struct conflicts *c, struct claim *k)
{
    k->link = bucket_of(c, k->key);
    k->next = *k->link;
    if (k->next) k->next->link = &k->next;
    *k->link = k;
}

static void take_out(struct claim *k)
{
    if (!k->link) return;
    *k->link = k->next;
    if (k->next) k->next->link = k->link;
    k->link = NULL;
}

static void release_all(struct footprint *f)
{
    for (size_t i = 0; i < f->n_claims; i++) take_out(&f->claims[i]);
    f->n_claims = 0;
}

/* Marks the items that others have; the count of them. */
static size_t find_conflicts(struct conflicts *c, struct footprint *f)
{
    bool transaction = f->style == FOOTPRINT_TRANSACTION;
    size_t found = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct footprint_item *item = &f->items[i];
        if (!item->key.n || !(item->write || transaction)) continue;
        item->conflict = is_claimed(c, item->key, false, !item->write);
        item->refused = item->conflict;
        found += item->conflict;
    }
    return found;
}

static void claim_items(struct conflicts *c, struct footprint *f)
{
    bool transaction = f->style == FOOTPRINT_TRANSACTION;
    if (f->token.n) f->claims[f->n_claims++] = (struct claim){ .key = f->token, .token = true, .transaction = true };
    for (size_t i = 0; i < f->n; i++) {
        const struct footprint_item *item = &f->items[i];
        if (!item->key.n || !item->write || item->conflict) continue;
        f->claims[f->n_claims++] = (struct claim){ .key = item->key, .transaction = transaction };
    }
    for (size_t i = 0; i < f->n_claims; i++) insert(c, &f->claims[i]);
}

/* ---- */

static bool names_the_same(const struct footprint *a, const struct footprint *b)
{
    if (a->n != b->n || a->style != b->style || !slice_eq(a->token, b->token)) return false;
    for (size_t i = 0; i < a->n; i++) {
        if (a->items[i].write != b->items[i].write || !slice_eq(a->items[i].key, b->items[i].key)) return false;
    }
    return true;
}

static int tell(struct call *call, const struct footprint *f)
{
    if (f->style == FOOTPRINT_SINGLE) return err_set(&call->err, ERR_TransactionConflictException, "%s", CONFLICTS_ONGOING);
    struct err *reasons = ARENA_ARRAY(call->arena, struct err, f->n);
    for (size_t i = 0; i < f->n; i++) {
        reasons[i].arena = call->arena;
        if (f->items[i].conflict) err_set(&reasons[i], ERR_TransactionConflictException, "%s", CONFLICTS_ONGOING);
    }
    return cancel_transaction(call, reasons, f->n);
}

int conflicts_claim(struct conflicts *c, struct call *call, struct footprint *before)
{
    struct footprint *f = call->footprint;
    if (before) { /* from here on they are given back with the call's footprint, also where memory runs out */
        f->claims = before->claims;
        f->n_claims = before->n_claims;
        before->n_claims = 0;
    }
    if (before && names_the_same(before, f)) {
        for (size_t i = 0; i < f->n; i++) {
            f->items[i].conflict = before->items[i].conflict;
            f->items[i].refused = before->items[i].conflict;
        }
        return 0;
    }
    struct claim *claims = ARENA_ARRAY(call->arena, struct claim, f->n + 1);
    pthread_mutex_lock(&c->lock);
    release_all(f);
    f->claims = claims;
    bool same_token = f->token.n && is_claimed(c, f->token, true, true);
    size_t found = same_token ? 0 : find_conflicts(c, f);
    bool goes_on = !same_token && (!found || f->style == FOOTPRINT_BATCH);
    if (goes_on) claim_items(c, f);
    pthread_mutex_unlock(&c->lock);
    if (same_token) return err_set(&call->err, ERR_TransactionInProgressException, "%s", SAME_TOKEN);
    return goes_on ? 0 : tell(call, f);
}

void conflicts_release(struct conflicts *c, struct call *call)
{
    if (!call->footprint || !call->footprint->n_claims) return;
    pthread_mutex_lock(&c->lock);
    release_all(call->footprint);
    pthread_mutex_unlock(&c->lock);
}
