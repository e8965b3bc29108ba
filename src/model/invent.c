/* invent.c: made-up sample data. Row k of an entity: what its sort key adds goes by k, everything else by k / 2, so that two
 * rows share a partition; where the sort key adds nothing the identity is in the hash key, which then goes by k. */
#include "invent.h"
#include "values.h"

#define ROWS 4
#define DAY  INT64_C(86400000)

struct inventor {
    struct arena *a;
    const struct model *m;
    const struct model_env *env;
    struct sample *out;
    size_t cap;
};

static bool sort_adds(const struct entity *en, struct slice attribute)
{
    bool in_sort = false;
    for (size_t i = 0; i < en->key->n_hash; i++)
        for (size_t k = 0; k < en->key->hash[i].template.n; k++)
            if (en->key->hash[i].template.parts[k].hole && slice_eq(en->key->hash[i].template.parts[k].text, attribute))
                return false;
    for (size_t i = 0; i < en->key->n_sort; i++)
        for (size_t k = 0; k < en->key->sort[i].template.n; k++)
            in_sort |= en->key->sort[i].template.parts[k].hole &&
                       slice_eq(en->key->sort[i].template.parts[k].text, attribute);
    return in_sort;
}

/* Does the sort key add anything at all? */
static bool any_added(const struct entity *en)
{
    for (size_t i = 0; i < en->n_attributes; i++)
        if (sort_adds(en, en->attributes[i].name)) return true;
    return false;
}

static size_t place_of(const struct entity *en, struct slice attribute, bool any, size_t row)
{
    bool own = any ? sort_adds(en, attribute) : path_uses(en->key, attribute);
    return own ? row : row / 2;
}

static bool ends_in(struct slice text, const char *end)
{
    size_t n = strlen(end);
    return text.n > n && memcmp(text.p + text.n - n, end, n) == 0;
}

/* customerId: customer_1; name: name 1. */
static struct slice word(struct inventor *v, struct slice name, size_t i)
{
    static const char *const ends[] = { "Id", "ID", "_id" };
    for (size_t k = 0; k < 3; k++)
        if (ends_in(name, ends[k]))
            return arena_printf(v->a, "%.*s_%zu", (int)(name.n - strlen(ends[k])), (const char *)name.p, i + 1);
    return arena_printf(v->a, "%.*s %zu", SLICE_ARG(name), i + 1);
}

/* Ids of one attribute name are the same in all entities. */
static struct slice identifier(struct inventor *v, const struct attribute *at, size_t i, int64_t now)
{
    if (at->generate == GENERATE_UUID || at->is_uuid)
        return arena_printf(v->a, "00000000-0000-4000-8000-%012zu", i + 1);
    return arena_printf(v->a, "%.*s%016zu", SLICE_ARG(when_bound(v->a, TIME_ULID, now + (int64_t)i * DAY)), i + 1);
}

static struct slice time_text(struct inventor *v, enum time_format f, int64_t ms)
{
    struct slice iso = when_iso(v->a, ms);
    switch (f) {
    case TIME_DATE: return slice_of(iso.p, 10);
    case TIME_EPOCH: return arena_printf(v->a, "%lld", (long long)(ms / 1000));
    case TIME_EPOCH_MS: return arena_printf(v->a, "%lld", (long long)ms);
    default: return iso;
    }
}

static void put_number_text(struct buf *b, struct slice text)
{
    struct num n;
    if (!num_parse(text, &n)) val_put_number(b, slice_of(n.bytes, n.n));
}

static bool put_value(struct inventor *v, struct buf *b, const struct attribute *at, size_t i);

static bool put_map(struct inventor *v, struct buf *b, const struct attribute *at, size_t i)
{
    struct attr *attrs = ARENA_ARRAY(v->a, struct attr, at->n_members + 1);
    for (size_t k = 0; k < at->n_members; k++) {
        struct buf value;
        buf_init(&value, v->a, (size_t)1 << 20);
        if (!put_value(v, &value, &at->members[k], i)) return false;
        attrs[k] = (struct attr){ .name = at->members[k].name, .value = buf_view(&value) };
    }
    val_put_map(b, attrs, at->n_members);
    return true;
}

static bool put_list(struct inventor *v, struct buf *b, const struct attribute *at, size_t i)
{
    struct buf element;
    struct slice value;
    buf_init(&element, v->a, (size_t)1 << 20);
    if (at->n_members && !put_value(v, &element, &at->members[0], i)) return false;
    if (!at->n_members) val_put_string(&element, SLICE("one"));
    value = buf_view(&element);
    val_put_list(b, &value, 1);
    return true;
}

static void put_set(struct inventor *v, struct buf *b, enum val_type type, size_t i)
{
    struct num n;
    struct slice member = arena_printf(v->a, "%zu", i + 1);
    if (type == TYPE_NS && !num_parse(member, &n)) member = arena_dup(v->a, slice_of(n.bytes, n.n));
    val_put_set(b, type, &member, 1);
}

/* False: nothing to be guessed. Whether the rules are kept is checked with the whole entity. */
static bool put_value(struct inventor *v, struct buf *b, const struct attribute *at, size_t i)
{
    int64_t now = v->env->now(v->env->ctx);
    if (at->n_enumeration) {
        buf_slice(b, at->enumeration[i % at->n_enumeration]);
        return true;
    }
    switch (at->type) {
    case TYPE_S:
        if (at->generate == GENERATE_ULID || at->generate == GENERATE_UUID || at->time == TIME_ULID || at->is_uuid)
            val_put_string(b, identifier(v, at, i, now));
        else if (at->time != TIME_NONE)
            val_put_string(b, time_text(v, at->time, now + (int64_t)i * DAY));
        else
            val_put_string(b, word(v, at->name, i));
        return true;
    case TYPE_N:
        if (at->time != TIME_NONE) put_number_text(b, time_text(v, at->time, now + (int64_t)i * DAY));
        else if (at->min.n) buf_slice(b, at->min);
        else put_number_text(b, arena_printf(v->a, "%zu", (i + 1) * 10));
        return true;
    case TYPE_BOOL: val_put_bool(b, i % 2 == 0); return true;
    case TYPE_B: val_put_binary(b, word(v, at->name, i)); return true;
    case TYPE_M: return put_map(v, b, at, i);
    case TYPE_L: return put_list(v, b, at, i);
    case TYPE_SS:
    case TYPE_NS:
    case TYPE_BS: put_set(v, b, at->type, i); return true;
    default: return false;
    }
}

static struct slice attributes_of(struct inventor *v, const struct entity *en, size_t row)
{
    struct attr *attrs = ARENA_ARRAY(v->a, struct attr, en->n_attributes + 1);
    size_t n = 0;
    bool any = any_added(en);
    for (size_t i = 0; i < en->n_attributes; i++) {
        const struct attribute *at = &en->attributes[i];
        struct buf b;
        if (at->automatic) continue;
        buf_init(&b, v->a, (size_t)1 << 20);
        if (!put_value(v, &b, at, place_of(en, at->name, any, row))) continue;
        attrs[n++] = (struct attr){ .name = at->name, .value = buf_view(&b) };
    }
    struct buf map;
    buf_init(&map, v->a, (size_t)4 << 20);
    val_put_map(&map, attrs, n);
    return buf_view(&map);
}

static bool is_there(const struct inventor *v, struct slice item)
{
    const struct model_index *table = &v->m->indexes[0];
    for (size_t i = 0; i < v->out->n; i++) {
        struct slice x, y;
        bool same = val_get(item, table->hash.attrs[0].name, &x) &&
                    val_get(v->out->items[i].item, table->hash.attrs[0].name, &y) && slice_eq(x, y);
        if (same && table->sort.n)
            same = val_get(item, table->sort.attrs[0].name, &x) &&
                   val_get(v->out->items[i].item, table->sort.attrs[0].name, &y) && slice_eq(x, y);
        if (same) return true;
    }
    return false;
}

static void add(struct inventor *v, const struct access_path *path, struct slice item)
{
    if (v->out->n == v->cap || is_there(v, item)) return;
    v->out->items[v->out->n++] = (struct sample_item){ path, item, val_item_size(item) };
}

static void invent_row(struct inventor *v, const struct entity *en, size_t row)
{
    struct slice complete;
    struct stored stored;
    struct err e = { .arena = v->a };
    if (entity_complete(v->a, v->m, en, v->env, attributes_of(v, en, row), &complete, &e) ||
        entity_store(v->a, v->m, en, complete, &stored, &e))
        return;
    for (size_t i = 0; i < stored.n; i++) add(v, stored.paths[i], stored.items[i]);
}

/* Large models need no rows of each entity for a picture of the table. Completing a row looks up every attribute among all of them. */
#define ITEMS_MAX 400
#define WORK_MAX  ((size_t)40000000)

void sample_invent(struct arena *a, const struct model *m, const struct model_env *env, struct sample *out)
{
    struct inventor v = { .a = a, .m = m, .env = env, .out = out, .cap = ITEMS_MAX };
    size_t left = WORK_MAX;
    *out = (struct sample){ .items = ARENA_ARRAY(a, struct sample_item, ITEMS_MAX) };
    for (size_t i = 0; i < m->n_entities && out->n < v.cap; i++) {
        size_t work = ROWS * m->entities[i].n_attributes * m->entities[i].n_attributes;
        if (work > left) continue;
        left -= work;
        for (size_t row = 0; row < ROWS; row++) invent_row(&v, &m->entities[i], row);
    }
}
