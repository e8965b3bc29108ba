/* copy.c: copying a table's items as at a moment; see copy.h. */
#include "copy.h"
#include "../base/failpoint.h"
#include "../base/log.h"
#include "fields.h"
#include "history.h"
#include "record.h"

/* A step keeps the writer from other calls: a few milliseconds of it. */
#define STEP_ITEMS 200
#define STEP_BYTES ((size_t)1 << 20)
#define RECORD_MAX ((size_t)2 << 20) /* the destination's definition and a position */

static const struct {
    const char *name;
    copy_finish *copied, *given_up;
    copy_gather *gather; /* NULL: the items are all it needs */
} purposes[] = { [COPY_BACKUP] = { "backup", backup_copied, backup_given_up, NULL },
                 [COPY_RESTORE] = { "restore", restore_copied, restore_given_up, NULL },
                 [COPY_EXPORT] = { "export", export_copied, export_given_up, export_gather } };
#define PURPOSES (sizeof purposes / sizeof *purposes)

/* ---- its record ---- */

static int write_copy(struct store_txn *txn, struct arena *a, const struct copy *c)
{
    uint8_t bytes[5];
    struct fields_out f = { .arena = a };
    fields_int(&f, SLICE("source"), c->source);
    fields_int(&f, SLICE("cut"), (int64_t)c->cut);
    fields_int(&f, SLICE("live"), c->live);
    fields_int(&f, SLICE("phase"), c->phase);
    fields_bytes(&f, SLICE("position"), c->position);
    fields_value(&f, SLICE("dest"), table_encode(c->dest, a));
    fields_int(&f, SLICE("purpose"), c->purpose);
    fields_value(&f, SLICE("data"), c->data);
    return store_put(txn, SPACE_META, catalog_id_key(bytes, 'Y', c->dest->id), fields_end(&f, RECORD_MAX));
}

/* record: the arena's. */
static bool decode_copy(struct arena *a, struct slice record, struct copy *c)
{
    struct slice dest = field_value(record, SLICE("dest"), TYPE_M);
    *c = (struct copy){ .source = (uint32_t)field_int(record, SLICE("source")),
                        .cut = (uint64_t)field_int(record, SLICE("cut")),
                        .live = field_int(record, SLICE("live")) != 0,
                        .phase = (enum copy_phase)field_int(record, SLICE("phase")),
                        .position = field_bytes(record, SLICE("position")),
                        .purpose = (enum copy_purpose)field_int(record, SLICE("purpose")) };
    if (!val_get(record, SLICE("data"), &c->data)) c->data = slice_of(NULL, 0);
    if (!dest.n || !c->source || c->phase > COPY_FINISH || c->purpose >= PURPOSES) return false;
    c->dest = table_decode_in(a, dest);
    return c->dest != NULL;
}

static int read_copy(struct store_txn *txn, struct arena *a, uint32_t id, struct copy *c)
{
    uint8_t bytes[5];
    struct slice record;
    int status = store_get(txn, SPACE_META, catalog_id_key(bytes, 'Y', id), &record);
    if (status) return status;
    return decode_copy(a, arena_dup(a, record), c) ? STORE_OK : STORE_CORRUPT;
}

/* ---- beginning ---- */

int copy_begin(struct store_txn *txn, struct arena *a, struct engine *e, struct table *table, struct copy *c)
{
    int status = STORE_OK;
    uint64_t now;
    c->live = table != NULL;
    c->phase = COPY_ITEMS;
    c->position = slice_of(NULL, 0);
    if (table) {
        c->source = table->id;
        table->copies++;
        /* The cut is a sequence number: what changes later has a higher one, whatever the clock says then. */
        status = history_next(txn, e, table->id, &now);
        if (c->cut == COPY_NOW) c->cut = now;
        if (!status) status = history_settle(txn, a, e, table);
    }
    return status ? status : write_copy(txn, a, c);
}

/* Calls fn with the record of each copy under way. One with a damaged record can never be complete: nobody has to wait for it. */
static int each_copy(struct store_txn *txn, void (*fn)(void *ctx, struct slice record), void *ctx)
{
    struct store_range range = { .space = SPACE_META, .from = SLICE("Y"), .to = SLICE("Z") };
    struct store_cursor *cursor;
    struct slice key, record;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    while (!(status = jobs_next_row(cursor, &key, &record)))
        if (record.n) fn(ctx, record);
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

struct counting {
    uint32_t source;
    enum copy_purpose purpose;
    size_t n;
};

static void count_copy(void *ctx, struct slice record)
{
    struct counting *c = ctx;
    bool reads = field_int(record, SLICE("phase")) < COPY_FINISH;
    if (c->source && (!reads || field_int(record, SLICE("source")) != c->source)) return;
    if (c->purpose == COPY_ANY || field_int(record, SLICE("purpose")) == (int64_t)c->purpose) c->n++;
}

int copy_count(struct store_txn *txn, uint32_t source, enum copy_purpose purpose, size_t *out)
{
    struct counting c = { .source = source, .purpose = purpose };
    int status = each_copy(txn, count_copy, &c);
    *out = c.n;
    return status;
}

struct sources {
    struct arena *arena;
    uint32_t *ids;
    size_t n, room;
};

static void add_source(void *ctx, struct slice record)
{
    struct sources *s = ctx;
    if (!field_int(record, SLICE("live")) || field_int(record, SLICE("phase")) > COPY_RELEASE) return;
    if (s->n == s->room) {
        uint32_t *more = ARENA_ARRAY(s->arena, uint32_t, s->room * 2 + 16);
        if (s->n) memcpy(more, s->ids, s->n * sizeof *more);
        s->ids = more;
        s->room = s->room * 2 + 16;
    }
    s->ids[s->n++] = (uint32_t)field_int(record, SLICE("source"));
}

int copy_live_sources(struct store_txn *txn, struct arena *a, uint32_t **ids, size_t *n)
{
    struct sources s = { .arena = a };
    int status = each_copy(txn, add_source, &s);
    *ids = s.ids;
    *n = s.n;
    return status;
}

/* ---- putting what was read ---- */

/* What the destination is to hold at a key. */
struct put {
    struct slice key;
    struct slice item; /* empty: nothing */
    size_t size;
    struct slice position; /* the copy's, when it is put */
};

/* Puts as many as there is memory for, one at least, and moves the copy's position. */
static int put_all(struct store_txn *txn, struct step *step, struct copy *c, const struct put *puts, size_t n, bool fresh,
                   bool *all)
{
    int status = STORE_OK;
    size_t i = 0;
    for (; !status && i < n && !(i && step_is_full(step)); i++) {
        struct change change = { .engine = step->engine, .table = c->dest, .store_key = puts[i].key,
                                 .new_item = puts[i].item, .new_size = puts[i].size };
        if (!fresh) status = item_read(txn, &step->arena, change.store_key, &change.old_item, &change.old_size);
        if (!status) status = item_change(txn, &step->arena, &change, NULL);
    }
    *all = i == n;
    if (!*all) c->position = puts[i - 1].position;
    return status;
}

/* Every index may hold the item once more: what a step has in hand stays the same. */
static size_t step_bytes(const struct copy *c)
{
    return STEP_BYTES / (1 + c->dest->n_indexes);
}

/* ---- the items ---- */

static struct slice under_id(struct arena *a, uint32_t id, struct slice key)
{
    struct buf b;
    buf_init(&b, a, STORE_MAX_KEY);
    buf_u32be(&b, id);
    buf_bytes(&b, key.p + 4, key.n - 4);
    return buf_view(&b);
}

static struct store_range items_after(struct arena *a, const struct copy *c)
{
    struct buf from, to;
    buf_init(&from, a, STORE_MAX_KEY + 1);
    buf_init(&to, a, 4);
    if (c->position.n) {
        buf_slice(&from, c->position);
        buf_u8(&from, 0); /* the next key there can be; item keys are far from the longest */
    } else {
        buf_u32be(&from, c->source);
    }
    buf_u32be(&to, c->source + 1);
    return (struct store_range){
        .space = SPACE_ITEM, .from = buf_view(&from), .to = buf_view(&to), .limit = STEP_ITEMS
    };
}

/* All reading is done before the first write: writing ends the cursor and what it gave out. */
static int copy_items(struct store_txn *txn, struct step *step, struct copy *c)
{
    struct arena *a = &step->arena;
    struct put *puts = ARENA_ARRAY(a, struct put, STEP_ITEMS);
    size_t n = 0, bytes = 0;
    struct store_range range = items_after(a, c);
    struct store_cursor *cursor;
    struct slice key, record;
    int status = store_range_open(txn, &range, &cursor);
    while (!status && n < STEP_ITEMS && bytes < step_bytes(c)) {
        status = store_range_next(cursor, &key, &record);
        if (status) break;
        if (key.n < 8 || !record_read(arena_dup(a, record), &puts[n].item, &puts[n].size)) return STORE_CORRUPT;
        c->position = arena_dup(a, key);
        puts[n].key = under_id(a, c->dest->id, c->position);
        puts[n].position = c->position;
        bytes += record.n;
        n++;
    }
    if (status && status != STORE_END) return status;
    bool complete = status == STORE_END, all;
    store_range_close(cursor);
    status = put_all(txn, step, c, puts, n, true, &all);
    if (!status) status = FAILPOINT_OR(copy_items, STORE_IO);
    if (!status && complete && all) {
        c->phase = c->live ? COPY_UNDO : COPY_FINISH;
        c->position = slice_of(NULL, 0);
    }
    return status;
}

/* ---- the changes since the moment ---- */

struct undoing {
    struct put *puts;
    size_t n;
    size_t read, bytes;
    bool complete;
};

/* From c->position backwards, to the end of a segment's part that is of interest or to the end of the piece. */
static int read_changes(struct store_txn *txn, struct arena *a, struct copy *c, struct undoing *u)
{
    struct store_range range = { .space = SPACE_STREAM, .from = history_key(a, c->source, 0, 0), .reverse = true };
    struct store_cursor *cursor;
    struct slice key, value;
    range.to = c->position.n ? c->position : history_key(a, c->source, UINT32_MAX, UINT64_MAX);
    range.limit = STEP_ITEMS - u->read;
    int status = store_range_open(txn, &range, &cursor);
    while (!status && u->read < STEP_ITEMS && u->bytes < step_bytes(c)) {
        struct history_change change;
        status = store_range_next(cursor, &key, &value);
        if (status) break;
        value = arena_dup(a, value);
        if (!history_read(key, value, &change)) return STORE_CORRUPT;
        u->read++;
        u->bytes += value.n;
        /* What comes before it in this segment had happened by then too. */
        if (change.sequence < c->cut) {
            c->position = history_key(a, c->source, change.segment, 0);
            break;
        }
        c->position = arena_dup(a, key);
        if (change.event != HISTORY_INSERT && !change.old_item.n) return STORE_CORRUPT;
        struct put *put = &u->puts[u->n++];
        *put = (struct put){ .key = key_item(a, c->dest, change.key), .item = change.old_item, .position = c->position };
        if (put->item.n) put->size = val_item_size(put->item);
    }
    if (status && status != STORE_END) return status;
    u->complete = status == STORE_END;
    store_range_close(cursor);
    return STORE_OK;
}

static int undo_changes(struct store_txn *txn, struct step *step, struct copy *c)
{
    struct undoing u = { .puts = ARENA_ARRAY(&step->arena, struct put, STEP_ITEMS) };
    int status = STORE_OK;
    while (!status && !u.complete && u.read < STEP_ITEMS && u.bytes < step_bytes(c)) {
        status = read_changes(txn, &step->arena, c, &u);
    }
    bool all = false;
    if (!status) status = put_all(txn, step, c, u.puts, u.n, false, &all);
    if (!status) status = FAILPOINT_OR(copy_undo, STORE_IO);
    if (!status && u.complete && all) {
        c->phase = COPY_RELEASE;
        c->position = slice_of(NULL, 0);
    }
    return status;
}

/* ---- the end ---- */

/* The table was deleted meanwhile: the last copy of it lets its items go. */
static int release_deleted(struct store_txn *txn, const struct copy *c)
{
    size_t copies;
    int status = copy_count(txn, c->source, COPY_ANY, &copies);
    if (status || copies > 1) return status;
    return catalog_drop_waiting(txn, c->source);
}

static int release(struct store_txn *txn, struct step *step, struct copy *c)
{
    int status;
    struct table *t = step_table(txn, step, c->source, &status);
    c->phase = COPY_FINISH;
    if (status == STORE_NOT_FOUND) return release_deleted(txn, c);
    if (status) return status;
    t->copies--;
    status = history_settle(txn, &step->arena, step->engine, t);
    return status ? status : catalog_write(txn, &step->arena, t, &step->record);
}

static int gather_and_release(struct store_txn *txn, struct step *step, struct copy *c)
{
    bool complete = true;
    int status = STORE_OK;
    if (purposes[c->purpose].gather) status = purposes[c->purpose].gather(txn, step, c, &c->position, &complete);
    if (status || !complete) return status;
    status = release(txn, step, c);
    return status ? status : FAILPOINT_OR(copy_release, STORE_IO);
}

static int copy_step(struct store_txn *txn, struct step *step)
{
    uint8_t bytes[5];
    struct copy c;
    int status = read_copy(txn, &step->arena, step->id, &c);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status;
    switch (c.phase) {
    case COPY_ITEMS: status = copy_items(txn, step, &c); break;
    case COPY_UNDO: status = undo_changes(txn, step, &c); break;
    case COPY_RELEASE: status = gather_and_release(txn, step, &c); break;
    case COPY_FINISH:
        *(bool *)step->ctx = true;
        status = purposes[c.purpose].copied(txn, step, &c);
        if (!status) status = FAILPOINT_OR(copy_finish, STORE_IO);
        return status ? status : store_delete(txn, SPACE_META, catalog_id_key(bytes, 'Y', step->id));
    }
    return status ? status : write_copy(txn, &step->arena, &c);
}

/* ---- damaged data ---- */

struct given_up {
    enum copy_purpose purpose;
    size_t n;
    uint8_t table[256];
};

static int give_up_step(struct store_txn *txn, struct step *step)
{
    struct given_up *g = step->ctx;
    uint8_t bytes[5];
    struct copy c;
    int status = read_copy(txn, &step->arena, step->id, &c);
    if (status) return status;
    g->purpose = c.purpose;
    g->n = c.dest->name.n < sizeof g->table ? c.dest->name.n : 0;
    if (g->n) memcpy(g->table, c.dest->name.p, g->n);
    if (c.live && c.phase < COPY_FINISH) status = release(txn, step, &c);
    if (!status) status = purposes[c.purpose].given_up(txn, step, &c);
    return status ? status : store_delete(txn, SPACE_META, catalog_id_key(bytes, 'Y', step->id));
}

/* Who waits for it would wait for ever, and could not even delete it. */
static int give_up(struct jobs *j, uint32_t id)
{
    struct given_up g;
    int status = jobs_step(j, give_up_step, id, &g);
    if (status) return status;
    struct slice table = slice_of(g.table, g.n);
    log_event(LOG_ERROR, "copy_given_up", (struct log_field[]){ LOG_TEXT("table", table) }, 1,
              "the %s of %.*s is given up: stored data is damaged; 'onefold check' says where, on a copy of the stopped directory",
              purposes[g.purpose].name, SLICE_ARG(table));
    jobs_wake(j); /* there is something to purge */
    return STORE_OK;
}

/* ---- the job ---- */

static int turn(struct jobs *j, uint32_t id, void *finished)
{
    bool ended = false;
    int status = jobs_step(j, copy_step, id, &ended);
    if (!status && ended) *(bool *)finished = true;
    return status == STORE_CORRUPT ? give_up(j, id) : status;
}

static int work(struct jobs *j, int64_t *rest_ms)
{
    bool finished = false;
    int status = jobs_turns(j, 'Y', turn, &finished, rest_ms);
    if (finished) jobs_wake(j); /* for what a purpose leaves to other kinds of work */
    return status;
}

const struct job_kind job_copy = { work, "a backup, restore or export" };
