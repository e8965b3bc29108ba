/* run_expiry.c: time to live: which items must be gone after a while, and which must stay.
 *
 * An item whose time has come may go at any moment, so nothing is asked about single items here: items are put, put again with another time and
 * deleted, at random, and when all is quiet the table and its index must hold exactly those that do not expire. */
#include "run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 300, CHANGES = 900, WAIT_MS = 30000, LOOK_MS = 20 };

static uint64_t roll(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* The attribute in the forms that mean something; *goes: such an item is deleted. */
static struct val *a_time(struct mem *m, uint64_t *dice, bool *goes)
{
    const int64_t now = (int64_t)time(NULL), year = 365 * 86400;
    uint64_t which = roll(dice) % 8;
    *goes = which < 3;
    switch (which) {
    case 0: return val_number(m, 100 * (now - 1 - (int64_t)(roll(dice) % 1000)));
    case 1: return val_number(m, 100 * (now - (int64_t)(roll(dice) % (uint64_t)(4 * year)) - 60));
    case 2: return val_number(m, 100 * (now - 3600) + 50);
    case 3: return val_number(m, 100 * (now + 3600 + (int64_t)(roll(dice) % 100000)));
    case 4: return val_number(m, 100 * (now - 6 * year)); /* over five years ago: taken for a mistake */
    case 5: return val_text(m, V_S, "1700000000", 10);
    case 6: return val_number(m, 0);
    default: return NULL;
    }
}

static bool done(struct run *r, const char *operation)
{
    struct said said;
    if (!ask(r, operation, &said)) return false;
    return !said.kind || differ(r, "refused", NULL, &said);
}

static bool make_table(struct run *r)
{
    struct said said;
    r->request.n = 0;
    add(&r->request, "{\"TableName\":\"mortal\",\"BillingMode\":\"PAY_PER_REQUEST\",\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"}],"
        "\"AttributeDefinitions\":[{\"AttributeName\":\"p\",\"AttributeType\":\"S\"},{\"AttributeName\":\"a\",\"AttributeType\":\"S\"}],"
        "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"by_a\",\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"}],"
        "\"Projection\":{\"ProjectionType\":\"ALL\"}}]}");
    if (!ask(r, "CreateTable", &said)) return false;
    if (said.kind) return differ(r, "no table", NULL, &said);
    r->request.n = 0;
    add(&r->request, "{\"TableName\":\"mortal\",\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":\"dies\"}}");
    return done(r, "UpdateTimeToLive");
}

/* One item is put, or deleted; stays[i] is what must be there in the end. */
static bool change(struct run *r, struct mem *kept, uint64_t *dice, struct val **stays)
{
    char name[16];
    size_t i = roll(dice) % ITEMS;
    snprintf(name, sizeof name, "k%zu", i);
    r->request.n = 0;
    if (roll(dice) % 10 == 0) {
        stays[i] = NULL;
        add(&r->request, "{\"TableName\":\"mortal\",\"Key\":{\"p\":{\"S\":\"%s\"}}}", name);
        return done(r, "DeleteItem");
    }
    bool goes;
    struct val *item = val_empty(kept, V_M), *when = a_time(kept, dice, &goes);
    map_set(kept, item, "p", val_text(kept, V_S, name, strlen(name)));
    map_set(kept, item, "a", val_text(kept, V_S, "g", 1));
    map_set(kept, item, "v", val_number(kept, (int64_t)(roll(dice) % 1000)));
    if (when) map_set(kept, item, "dies", when);
    stays[i] = goes ? NULL : item;
    add(&r->request, "{\"TableName\":\"mortal\",\"Item\":");
    add_item(&r->request, item);
    add(&r->request, "}");
    return done(r, "PutItem");
}

/* The table, or its index, as it is now beside what must be there. */
static bool is_so(struct run *r, struct val *const *stays, const char *index, const struct val **strange)
{
    struct said said;
    r->request.n = 0;
    add(&r->request, "{\"TableName\":\"mortal\"%s}", index);
    *strange = NULL;
    if (!ask(r, "Scan", &said) || said.kind) return false;
    const struct val *items = map_get(said.json, "Items");
    size_t expected = 0;
    for (size_t i = 0; i < ITEMS; i++) expected += stays[i] != NULL;
    for (size_t i = 0; i < items->count; i++) {
        const struct val *item = item_of(&r->mem, items->at[i]), *key = item ? map_get(item, "p") : NULL;
        size_t n = key ? strtoul(key->s + 1, NULL, 10) : ITEMS;
        if (n < ITEMS && stays[n] && val_equal(stays[n], item)) expected--;
        else *strange = item;
    }
    return !expected && !*strange;
}

bool run_expiry(struct run *r, uint64_t seed)
{
    struct mem kept = { 0 };
    struct val *stays[ITEMS] = { 0 };
    const struct val *strange = NULL;
    const struct timespec moment = { .tv_nsec = LOOK_MS * 1000000 };
    uint64_t dice = seed * 2 + 1;
    bool good = make_table(r);
    for (int i = 0; good && i < CHANGES; i++) good = change(r, &kept, &dice, stays);
    bool same = false;
    for (int ms = 0; good && !same && ms < WAIT_MS && !r->fault.n; ms += LOOK_MS) {
        mem_free(&r->mem);
        same = is_so(r, stays, "", &strange) && is_so(r, stays, ",\"IndexName\":\"by_a\"", &strange);
        if (!same) nanosleep(&moment, NULL);
    }
    if (good && !same) differ(r, "what expires is not what is gone after 30 seconds; an item that should not be there, if any:", strange, NULL);
    r->request.n = 0;
    add(&r->request, "{\"TableName\":\"mortal\"}");
    same = same && done(r, "DeleteTable");
    mem_free(&kept);
    return same;
}
