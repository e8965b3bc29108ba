/* check_history.c: the changes of streams and point-in-time recovery. Each can be decoded and lies in a segment that covers it, and
 * the changes of every item, the newest first, lead back from the item as it is: what a change left is what the next one found.
 *
 * The items on the way are remembered by two hashes, of the key and of the image that the next older change must have left. To
 * bound that, items are taken in so many rounds over the history that a round's share fits; a round goes backwards through all changes of a
 * table (history.h: by segment and sequence, which is the order of every single item's changes). */
#include "check_impl.h"
#include "record.h"
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define ROUND_CHANGES (1u << 20) /* in a round: 32 MB */
#define UNKNOWN       UINT64_MAX /* an image that was not kept */
#define ABSENT        0

struct slot {
    uint64_t key;   /* 0: free */
    uint64_t image; /* that the next older change left */
    uint32_t chain;
};

struct chains {
    struct owner *owner;
    uint64_t changes;          /* of the table */
    uint32_t rounds, round;
    struct slot *slots;
    size_t n_slots; /* twice what is in them, or more */
    struct segment segment;    /* of the change before, with its chain */
    bool has_segment;
    uint32_t chain;
};

static uint64_t print_of(struct slice image)
{
    if (!image.n) return ABSENT;
    uint64_t h = XXH3_64bits(image.p, image.n);
    return h == ABSENT || h == UNKNOWN ? 1 : h;
}

/* ---- single changes ---- */

static bool images_are_good(const struct history_change *c)
{
    if (c->event > HISTORY_REMOVE || (c->event == HISTORY_INSERT && c->old_item.n) || (c->event == HISTORY_REMOVE && c->new_item.n))
        return false;
    return val_check(c->key) && (!c->old_item.n || val_check(c->old_item)) && (!c->new_item.n || val_check(c->new_item));
}

static void check_change(struct check *k, struct slice key, struct slice value, void *ctx)
{
    struct chains *last = ctx; /* the table and segment of the change before */
    struct history_change c;
    struct owner *o = key.n == 16 ? check_owner(k, (uint32_t)slice_big_endian(key.p, 4)) : NULL;
    k->report->changes++;
    if (!history_read(key, value, &c) || !images_are_good(&c)) {
        check_tell_key(k, "stream", NULL, key, "cannot be decoded");
        return;
    }
    if (c.sequence > k->last_sequence) check_tell_key(k, "stream", NULL, key, "has a sequence number that was never given out");
    if (!last->has_segment || last->owner != o || last->segment.number != c.segment) {
        last->owner = o;
        uint32_t id = (uint32_t)slice_big_endian(key.p, 4);
        last->has_segment = history_get_segment(k->txn, &k->scratch, id, c.segment, &last->segment) == STORE_OK;
        last->segment.number = c.segment;
        if (!last->has_segment) check_tell_key(k, "stream", o, key, "lies in a segment that there is not");
    }
    if (o) o->changes++;
    if (!last->has_segment) return;
    const struct segment *s = &last->segment;
    if (c.sequence < s->start || c.sequence <= s->trimmed) check_tell_key(k, "stream", NULL, key, "is older than its segment");
    if (!o || !o->table) return;
    struct slice at = key_item(&k->scratch, o->table, c.key);
    uint32_t hash = at.n >= 8 ? (uint32_t)slice_big_endian(at.p + 4, 4) : 0;
    if (at.n < 8) check_tell_key(k, "stream", NULL, key, "has no key of the table");
    else if (hash < s->hash_from || hash > s->hash_to) check_tell(k, "stream", o, c.key, "a change lies in the segment of other keys");
}

/* ---- chains ---- */

/* NULL where there is no room: what could not be read when the changes were counted can be read now. */
static struct slot *slot_of(const struct chains *c, uint64_t key)
{
    size_t i = key % c->n_slots;
    for (size_t tried = 0; tried < c->n_slots; tried++, i = (i + 1) % c->n_slots)
        if (!c->slots[i].key || c->slots[i].key == key) return &c->slots[i];
    return NULL;
}

/* Does the newest chain of the table reach to now? Then the newest change of an item left what is there. */
static bool is_open(const struct chains *c, uint32_t segment)
{
    const struct table *t = c->owner->table;
    for (size_t i = 0; i < t->n_segments; i++)
        if (t->segments[i].number == segment) return true;
    return false;
}

static uint64_t present(struct check *k, struct slice item_key)
{
    struct slice record, item;
    size_t size;
    int status = store_get(k->txn, SPACE_ITEM, item_key, &record);
    if (status == STORE_NOT_FOUND) return ABSENT;
    return !status && record_read(record, &item, &size) ? print_of(item) : UNKNOWN;
}

/* Segments that took over from one another without a gap are one chain: it goes on while each has a parent. */
static uint32_t chain_of(struct check *k, struct chains *c, uint32_t segment)
{
    struct segment s;
    if (c->has_segment && c->segment.number == segment) return c->chain;
    uint32_t at = segment;
    while (history_get_segment(k->txn, &k->scratch, c->owner->id, at, &s) == STORE_OK && s.parent && s.parent < at) at = s.parent;
    c->has_segment = true;
    c->segment.number = segment;
    c->chain = at;
    return at;
}

static void follow(struct check *k, struct slice key, struct slice value, void *ctx)
{
    struct chains *c = ctx;
    struct history_change change;
    if (!history_read(key, value, &change) || !images_are_good(&change)) return; /* was told */
    struct slice at = key_item(&k->scratch, c->owner->table, change.key);
    uint64_t hash = at.n ? XXH3_64bits(at.p, at.n) | 1 : 0, left;
    if (!hash || (hash >> 32) % c->rounds != c->round) return;
    struct slot *slot = slot_of(c, hash);
    if (!slot) return;
    uint32_t chain = chain_of(k, c, change.segment);
    bool is_new = !slot->key;
    if (is_new && is_open(c, change.segment))
        left = k->damaged[SPACE_ITEM] ? UNKNOWN : present(k, at);
    else
        left = is_new || slot->chain != chain ? UNKNOWN : slot->image;
    uint64_t did = change.event == HISTORY_REMOVE ? ABSENT : change.new_item.n ? print_of(change.new_item) : UNKNOWN;
    bool there = left != ABSENT, should = change.event != HISTORY_REMOVE;
    if (left != UNKNOWN && (there != should || (did != UNKNOWN && did != left)))
        check_tell(k, "stream", c->owner, change.key,
                   is_new ? "the item is not what its last change left" : "a change did not find what the one before it left");
    *slot = (struct slot){ .key = hash, .chain = chain, .image = change.event == HISTORY_INSERT ? ABSENT : print_of(change.old_item) };
    if (change.event != HISTORY_INSERT && !change.old_item.n) slot->image = UNKNOWN;
}

static int check_chains(struct check *k, struct owner *o)
{
    struct chains c = { .owner = o, .rounds = (uint32_t)(o->changes / ROUND_CHANGES) + 1 };
    uint8_t from[5], to[5];
    struct store_range range = { .space = SPACE_STREAM, .reverse = true };
    int status = STORE_OK;
    range.from = slice_of(catalog_id_key(from, 0, o->id).p + 1, 4);
    range.to = slice_of(catalog_id_key(to, 0, o->id + 1).p + 1, 4);
    c.n_slots = 2 * (o->changes < ROUND_CHANGES ? (size_t)o->changes + 1 : ROUND_CHANGES);
    c.slots = calloc(c.n_slots, sizeof *c.slots);
    if (!c.slots) return STORE_NO_MEMORY;
    for (c.round = 0; !status && c.round < c.rounds; c.round++) {
        if (c.round) memset(c.slots, 0, c.n_slots * sizeof *c.slots);
        c.has_segment = false;
        status = check_each(k, &range, follow, &c);
    }
    free(c.slots);
    return status;
}

int check_history(struct check *k)
{
    struct store_range all = { .space = SPACE_STREAM };
    struct chains last = { .owner = NULL };
    int status = check_each(k, &all, check_change, &last);
    k->damage_is_told = true;
    for (size_t i = 0; !status && i < k->n_owners; i++) {
        struct owner *o = &k->owners[i];
        if (o->kind == OWNER_TABLE && o->changes) status = check_chains(k, o);
    }
    k->damage_is_told = false;
    return status;
}
