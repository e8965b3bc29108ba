/* watch.c: what the counters know, told with names. */
#include "watch.h"
#include "engine_impl.h"
#include "ops.h"
#include <stdlib.h>

/* The table of an id, and its index if it is one's. NULL: gone. */
static const struct table *table_of_id(const struct catalog *c, uint32_t id, const struct index **ix)
{
    *ix = NULL;
    for (size_t i = 0; i < catalog_count(c); i++) {
        const struct table *t = catalog_at(c, i);
        if (t->id == id) return t;
        for (size_t k = 0; k < t->n_indexes; k++) {
            if (t->indexes[k].id != id) continue;
            *ix = &t->indexes[k];
            return t;
        }
    }
    return NULL;
}

static bool is_alive(void *ctx, uint32_t id)
{
    const struct index *ix;
    return table_of_id(ctx, id, &ix) != NULL;
}

void engine_forget_dropped(struct engine *e)
{
    if (!e->counters) return;
    const struct catalog *c = catalog_acquire(e->catalogs);
    counters_prune(e->counters, is_alive, (void *)(uintptr_t)c);
    catalog_release(e->catalogs, c);
}

void engine_store_stats(struct engine *e, struct store_stats *out)
{
    store_get_stats(e->store, out);
}

/* ---- keys ---- */

/* Text that was cut off, perhaps within a character, ends before it. */
static struct slice whole_characters(struct slice text)
{
    size_t n = text.n;
    if (!n || text.p[n - 1] < 0x80) return text;
    while (n && (text.p[n - 1] & 0xc0) == 0x80) n--;
    return slice_of(text.p, n ? n - 1 : 0);
}

/* One { n part } of what is left of the key; false: nothing of it is. */
static bool take_part(struct slice *left, struct slice *part, bool *cut)
{
    size_t n = 0, at = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (byte & 0x80 && at < left->n && shift < 28) {
        byte = left->p[at++];
        n |= (size_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (byte & 0x80) return false;
    size_t there = left->n - at;
    *cut = n > there;
    *part = slice_of(left->p + at, *cut ? there : n);
    *left = slice_of(part->p + part->n, there - part->n);
    return true;
}

static struct slice value_of(struct arena *a, enum val_type type, struct slice content, bool cut)
{
    struct buf b;
    buf_init(&b, a, 4096);
    if (type == TYPE_N) {
        val_put_number(&b, content);
    } else if (type == TYPE_B) {
        val_put_binary(&b, content);
    } else {
        val_put_string(&b, cut ? whole_characters(content) : content);
    }
    return buf_view(&b);
}

/* The key's attributes as an item. A number that was cut off is left out: what is there of it is none. */
static void show_key(struct arena *a, const struct key_schema *schema, const struct top_key *k, struct watched_key *out)
{
    struct attr attrs[4];
    struct slice left = slice_of(k->bytes, k->length < TOP_KEY_BYTES ? k->length : TOP_KEY_BYTES), part;
    size_t n = 0;
    out->cut = k->length > TOP_KEY_BYTES;
    for (size_t i = 0; i < schema->n_hash && i < 4; i++) {
        bool cut;
        if (!take_part(&left, &part, &cut) || (cut && schema->hash[i].type == TYPE_N)) break;
        attrs[n].name = schema->hash[i].name;
        attrs[n++].value = value_of(a, schema->hash[i].type, part, cut);
    }
    struct buf b;
    buf_init(&b, a, 65536);
    val_put_map(&b, attrs, n);
    out->value = buf_view(&b);
}

static struct slice advice_of(struct arena *a, const struct watched_place *p, const struct watched_key *k)
{
    const char *what = p->index.n ? "index" : "table";
    double reads = k->rates.read_halves / 2.0, writes = k->rates.write_halves / 2.0;
    if (k->load * TOP_PARTITION_LOAD >= HOT_LOAD) {
        return arena_printf(a, "This partition takes %.0f read and %.0f write units a second, %.0f %% of the 3,000 and 1,000 that "
                            "DynamoDB gives one partition: spread the key over shards, or cache what is read.",
                            reads, writes, k->load * 100);
    }
    return arena_printf(a, "%.0f %% of what is asked of the %s goes to this one partition: however much the %s is given, one "
                        "partition takes 3,000 read and 1,000 write units a second and no more. Spread the key over shards "
                        "before it grows.", k->share * 100, what, what);
}

static void judge(struct arena *a, const struct watched_place *p, struct watched_key *k)
{
    bool busy = (double)p->rates.reads + (double)p->rates.writes >= HOT_BUSY_REQUESTS;
    k->hot = k->load * TOP_PARTITION_LOAD >= HOT_LOAD || (busy && k->share > HOT_SHARE);
    if (k->hot) k->advice = advice_of(a, p, k);
}

/* ---- places ---- */

static void show_place(struct arena *a, const struct table *t, const struct index *ix, const struct busy_place *from,
                       struct watched_place *to)
{
    double whole = rates_load(&from->rates);
    *to = (struct watched_place){ .table = arena_dup(a, t->name),
                                  .index = ix ? arena_dup(a, ix->name) : slice_of(NULL, 0),
                                  .read_halves = from->read_halves,
                                  .write_halves = from->write_halves,
                                  .rates = from->rates,
                                  .load = whole / TOP_PARTITION_LOAD,
                                  .keys = ARENA_ARRAY(a, struct watched_key, from->n_keys + 1),
                                  .n_keys = from->n_keys };
    for (size_t i = 0; i < from->n_keys; i++) {
        struct watched_key *k = &to->keys[i];
        show_key(a, ix ? &ix->key : &t->key, &from->keys[i].key, k);
        k->rates = from->keys[i].rates;
        double load = rates_load(&k->rates);
        k->load = load / TOP_PARTITION_LOAD;
        k->last = from->keys[i].last / TOP_PARTITION_LOAD;
        k->share = whole > 0 ? load / whole : 0;
        if (k->share > 1) k->share = 1; /* a key's average may be younger than its table's */
        judge(a, to, k);
    }
}

static int by_name(const void *a, const void *b)
{
    const struct watched_place *x = a, *y = b;
    int c = slice_cmp(x->table, y->table);
    return c ? c : slice_cmp(x->index, y->index);
}

void engine_watch(struct engine *e, struct arena *a, struct watch *out)
{
    struct busy_place *busy;
    int64_t second = engine_second();
    counters_turn(e->counters, second);
    size_t n = counters_places(e->counters, a, second, &busy);
    *out = (struct watch){ .now_ms = engine_now_ms(e), .second = second, .first = second - COUNTERS_SECONDS,
                           .n_operations = op_count(), .places = ARENA_ARRAY(a, struct watched_place, n + 1) };
    const struct catalog *catalog = catalog_acquire(e->catalogs);
    volatile bool whole = false;
    if (ARENA_GUARD(a)) { /* the catalog is to be given back */
        for (size_t i = 0; i < n; i++) {
            const struct index *ix;
            const struct table *t = table_of_id(catalog, busy[i].id, &ix);
            if (t) show_place(a, t, ix, &busy[i], &out->places[out->n_places++]);
        }
        whole = true;
    }
    arena_unguard(a);
    catalog_release(e->catalogs, catalog);
    if (!whole) arena_fail(a);
    qsort(out->places, out->n_places, sizeof *out->places, by_name);
}

/* ---- one call ---- */

static void add_table(struct call_summary *s, struct slice name)
{
    for (size_t i = 0; i < s->n_tables; i++)
        if (slice_eq(s->tables[i], name)) return;
    if (s->n_tables < SUMMARY_TABLES) s->tables[s->n_tables++] = name;
}

/* Could there be a table of that name? */
static bool is_name(struct slice s)
{
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '_' && c != '-' && c != '.') return false;
    }
    return s.n > 0 && s.n <= SUMMARY_NAME;
}

/* What a request holds may be anything: a name is told that is in the catalog, or that was not before the call and is now, or was. */
static void add_named(const struct call *call, struct call_summary *out)
{
    struct slice name = access_table(call);
    const struct table *named = catalog_find(call->catalog, name);
    bool done = call_is_control(call) && call->ran && !call->err.code;
    if (named || (done && is_name(name))) add_table(out, named ? named->name : name);
}

void call_summarize(const struct call *call, struct call_summary *out)
{
    *out = (struct call_summary){ .returned = call->tally.returned, .written = call->tally.written };
    for (uint32_t i = 0; i < call->tally.n; i++) {
        const struct touch *touch = &call->tally.touches[i];
        *(touch->write ? &out->write_units : &out->read_units) += touch->halves / 2.0;
        const struct index *ix;
        const struct table *t = table_of_id(call->catalog, (uint32_t)slice_big_endian(touch->key.p, 4), &ix);
        if (!t) continue;
        add_table(out, t->name);
        if (ix && !touch->write && !out->index.n) out->index = ix->name;
    }
    if (!out->n_tables && call->catalog && call->request) add_named(call, out);
}

struct counters *engine_counters(struct engine *e)
{
    return e->counters;
}

uint64_t engine_damaged(struct engine *e)
{
    return __atomic_load_n(&e->damaged, __ATOMIC_RELAXED);
}

const char *watch_operation(size_t row)
{
    return op_at(row)->name;
}
