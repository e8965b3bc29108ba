/* check_catalog.c: the records of SPACE_META: each can be decoded, and they agree about which ids there are. */
#include "backup.h"
#include "check_impl.h"
#include "export.h"
#include "fields.h"
#include "import.h"
#include "streams.h"
#include <stdlib.h>

#define FIRST_OWNERS 64
#define SPACE        "meta"

static void wrong(struct check *k, struct slice key, const char *what)
{
    struct slice name = key.n > 1 && key.p[0] == 'T' ? slice_of(key.p + 1, key.n - 1) : slice_of(NULL, 0);
    struct table named = { .name = name };
    struct owner o = { .kind = OWNER_INDEX, .table = name.n ? &named : NULL };
    check_tell_key(k, SPACE, name.n ? &o : NULL, key, "%s", what);
}

/* ---- ids ---- */

static struct owner *own(struct check *k, uint32_t id, enum owner_kind kind, const struct table *t, const struct index *ix)
{
    if (k->n_owners == k->cap) {
        size_t cap = k->cap ? k->cap * 2 : FIRST_OWNERS;
        struct owner *owners = ARENA_ARRAY(&k->kept, struct owner, cap);
        if (k->n_owners) memcpy(owners, k->owners, k->n_owners * sizeof *owners);
        k->owners = owners;
        k->cap = cap;
    }
    struct owner *o = &k->owners[k->n_owners++];
    *o = (struct owner){ .id = id, .kind = kind, .table = t, .index = ix, .said_count = -1 };
    return o;
}

static int by_id(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static void sort_owners(struct check *k)
{
    if (k->n_owners) qsort(k->owners, k->n_owners, sizeof *k->owners, by_id);
    for (size_t i = 0; i < k->n_owners; i++) {
        const struct owner *o = &k->owners[i];
        if (!o->id || o->id > k->last_id)
            check_tell(k, SPACE, o, slice_of(NULL, 0), "has the id %u, which was never given out", o->id);
        if (i && o->id == o[-1].id)
            check_tell(k, SPACE, o, slice_of(NULL, 0), "has the id %u, which something else has too", o->id);
    }
}

/* ---- tables ---- */

static bool ranges_cover(const struct table *t)
{
    uint64_t next = 0;
    for (size_t i = 0; i < t->n_segments; i++) {
        if (t->segments[i].hash_from != next || t->segments[i].hash_to < next) return false;
        next = (uint64_t)t->segments[i].hash_to + 1;
    }
    return !t->n_segments || next == (uint64_t)UINT32_MAX + 1;
}

static void take_table(struct check *k, struct slice key, struct slice value)
{
    struct table *t = val_check(value) ? table_decode_in(&k->kept, arena_dup(&k->kept, value)) : NULL;
    if (!t) {
        wrong(k, key, "the record of the table cannot be decoded");
        return;
    }
    k->report->tables++;
    if (!slice_eq(t->name, slice_of(key.p + 1, key.n - 1))) wrong(k, key, "the record of the table has another name");
    if (!ranges_cover(t)) wrong(k, key, "the segments of its history do not cover all keys once");
    own(k, t->id, OWNER_TABLE, t, NULL);
    for (size_t i = 0; i < t->n_indexes; i++) {
        struct owner *o = own(k, t->indexes[i].id, OWNER_INDEX, t, &t->indexes[i]);
        o->filling = t->indexes[i].backfilling;
    }
    if (t->ttl_id) own(k, t->ttl_id, OWNER_EXPIRY, t, NULL);
}

static void take_backup(struct check *k, struct slice key, struct slice value)
{
    struct backup b;
    if (!val_check(value) || !backup_decode(&k->kept, arena_dup(&k->kept, key), arena_dup(&k->kept, value), &b)) {
        wrong(k, key, "the record of the backup cannot be decoded");
        return;
    }
    k->report->backups++;
    struct owner *o = own(k, b.items_id, OWNER_BACKUP, b.table, NULL);
    o->backup = b.name;
    if (b.creating || b.type == BACKUP_SYSTEM) return; /* those of the system go by the counters */
    o->said_count = b.count;
    o->said_bytes = b.bytes;
}

static void take_export(struct check *k, struct slice key, struct slice value)
{
    struct export_progress p;
    if (key.n != 1 + TRANSFER_ID || !val_check(value)) {
        wrong(k, key, "the record of the export cannot be decoded");
        return;
    }
    export_decode_progress(arena_dup(&k->kept, value), &p);
    struct table *t = p.keys.n && val_check(p.keys) ? table_decode_in(&k->kept, p.keys) : NULL;
    if (p.items_id) own(k, p.items_id, OWNER_BACKUP, t, NULL)->backup = SLICE("(export)");
    if (p.changes_id) own(k, p.changes_id, OWNER_CHANGES, t, NULL);
}

/* ---- the rest, when the ids are known ---- */

static void check_filling(struct check *k, struct slice key, struct slice value)
{
    struct owner *o = key.n == 5 ? check_owner(k, (uint32_t)slice_big_endian(key.p + 1, 4)) : NULL;
    if (!o || (o->kind != OWNER_INDEX && o->kind != OWNER_EXPIRY) || value.n < 4 ||
        slice_big_endian(value.p, 4) != o->table->id || (o->kind == OWNER_INDEX && !o->filling)) {
        wrong(k, key, "something is to be filled that is no index being filled");
        return;
    }
    o->filling = true;
    o->position = arena_dup(&k->kept, value);
}

static void check_copy(struct check *k, struct slice key, struct slice value)
{
    bool good = val_check(value);
    struct slice dest = good ? field_value(value, SLICE("dest"), TYPE_M) : slice_of(NULL, 0);
    struct owner *o = key.n == 5 ? check_owner(k, (uint32_t)slice_big_endian(key.p + 1, 4)) : NULL;
    struct owner *from = good ? check_owner(k, (uint32_t)field_int(value, SLICE("source"))) : NULL;
    if (!dest.n || !table_decode_in(&k->scratch, dest)) {
        wrong(k, key, "the record of the copy cannot be decoded");
    } else if (!o || (o->kind != OWNER_TABLE && o->kind != OWNER_BACKUP && o->kind != OWNER_DROPPED)) {
        wrong(k, key, "a copy is under way to nothing");
    } else if (!from && field_int(value, SLICE("phase")) < 2) {
        wrong(k, key, "a copy is under way from nothing");
    }
}

static void check_segment(struct check *k, struct slice key, struct slice value)
{
    struct segment s;
    struct owner *o = key.n == 9 ? check_owner(k, (uint32_t)slice_big_endian(key.p + 1, 4)) : NULL;
    if (!history_read_segment(key, value, &s)) {
        wrong(k, key, "the record of a segment cannot be decoded");
        return;
    }
    if (s.hash_from > s.hash_to || (s.end && s.end < s.start) || s.start > k->last_sequence)
        wrong(k, key, "a segment has impossible bounds");
    if (!o || o->kind != OWNER_TABLE) return;
    bool open = false;
    for (size_t i = 0; i < o->table->n_segments; i++) {
        const struct segment *t = &o->table->segments[i];
        if (t->number != s.number) continue;
        open = true;
        if (t->hash_from != s.hash_from || t->hash_to != s.hash_to || t->start != s.start || t->parent != s.parent)
            check_tell(k, SPACE, o, slice_of(NULL, 0), "the table and segment %u do not agree", s.number);
    }
    if (open != (s.end == 0))
        check_tell(k, SPACE, o, slice_of(NULL, 0), "segment %u is open for one of table and segment only", s.number);
    if (s.number > o->table->last_segment)
        check_tell(k, SPACE, o, slice_of(NULL, 0), "segment %u was never given out", s.number);
}

static bool transfer_is_good(struct slice key, struct slice value)
{
    if (key.p[0] == 'k') return key.n == 18 && (key.p[1] == 'I' || key.p[1] == 'E') && value.n >= TRANSFER_ID;
    return key.n == 1 + TRANSFER_ID && val_check(value);
}

/* First what has ids ... */
static void take(struct check *k, struct slice key, struct slice value, void *ctx)
{
    uint32_t id = key.n == 5 ? (uint32_t)slice_big_endian(key.p + 1, 4) : 0;
    (void)ctx;
    switch (key.p[0]) {
    case 'T':
        take_table(k, key, value);
        break;
    case 'K':
        take_backup(k, key, value);
        break;
    case 'e':
        take_export(k, key, value);
        break;
    case 'D':
    case 'W':
        if (id && value.n == 1 && (value.p[0] == 'T' || value.p[0] == 'I'))
            own(k, id, key.p[0] == 'D' ? OWNER_DROPPED : OWNER_WAITING, NULL, NULL);
        else
            wrong(k, key, "a record about something dropped cannot be decoded");
        break;
    case 'N':
        if (value.n == 4) k->last_id = (uint32_t)slice_big_endian(value.p, 4);
        if (key.n != 1 || value.n != 4) wrong(k, key, "the last id cannot be decoded");
        break;
    case 'Q':
        if (value.n == 8 && slice_big_endian(value.p, 8) > k->last_sequence) k->last_sequence = slice_big_endian(value.p, 8);
        if ((key.n != 1 && key.n != 5) || value.n != 8) wrong(k, key, "the last sequence number cannot be decoded");
        break;
    default:
        break;
    }
}

/* ... then what speaks of them. */
static void judge(struct check *k, struct slice key, struct slice value, void *ctx)
{
    struct stream s;
    (void)ctx;
    switch (key.p[0]) {
    case 'T':
    case 'K':
    case 'e':
    case 'D':
    case 'W':
    case 'N':
    case 'Q':
        break;
    case 'B':
        check_filling(k, key, value);
        break;
    case 'Y':
        check_copy(k, key, value);
        break;
    case 'G':
        check_segment(k, key, value);
        break;
    case 'R':
        if (!val_check(value) || !stream_decode(key, value, &s)) wrong(k, key, "the record of a stream cannot be decoded");
        break;
    case 'I':
    case 'i':
    case 'E':
    case 'k':
        if (!transfer_is_good(key, value)) wrong(k, key, "the record of an import or export cannot be decoded");
        break;
    default:
        wrong(k, key, "there should be no such record");
    }
}

/* Segments that a table names must be there; and an index that is being filled, how far it got. */
static void check_named(struct check *k)
{
    for (size_t i = 0; i < k->n_owners; i++) {
        const struct owner *o = &k->owners[i];
        arena_reset(&k->scratch);
        if (o->filling && !o->position.n)
            check_tell(k, SPACE, o, slice_of(NULL, 0), "is being filled, but there is no record of how far");
        for (size_t n = 0; o->kind == OWNER_TABLE && n < o->table->n_segments; n++) {
            struct segment s;
            uint32_t number = o->table->segments[n].number;
            if (history_get_segment(k->txn, &k->scratch, o->id, number, &s) == STORE_NOT_FOUND)
                check_tell(k, SPACE, o, slice_of(NULL, 0), "segment %u of its history is missing", number);
        }
    }
}

int check_catalog(struct check *k)
{
    struct store_range all = { .space = SPACE_META };
    int status = check_each(k, &all, take, NULL);
    if (status) return status;
    sort_owners(k);
    k->damage_is_told = true;
    status = check_each(k, &all, judge, NULL);
    k->damage_is_told = false;
    if (!status) check_named(k);
    return status;
}
