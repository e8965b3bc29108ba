/* world.c: the reference's tables and what operations do to them. */
#include "world.h"
#include <stdlib.h>
#include <string.h>

const struct table_def table_defs[TABLES] = {
    { "plain", "p", NULL, V_S, V_S, 40, 0, 1, { { "by_a", true, "a", NULL, 'A', NULL } } },
    { "full", "p", "s", V_S, V_N, 6, 12, 3,
      { { "own_a", false, "p", "a", 'K', NULL }, { "by_b", true, "b", "a", 'I', "c" }, { "by_a", true, "a", NULL, 'K', NULL } } },
    { "bytes", "p", "s", V_N, V_B, 5, 10, 2, { { "own_b", false, "p", "b", 'A', NULL }, { "by_p", true, "p", "b", 'A', NULL } } },
    { "wide", "p", "s", V_S, V_S, 150, 6, 1, { { "by_b", true, "b", NULL, 'A', NULL } } },
};

int key_type(const char *attribute)
{
    return !strcmp(attribute, "a") ? V_S : !strcmp(attribute, "b") ? V_N : -1;
}

/* ---- rows ---- */

static int key_order(const struct table_def *t, const struct val *a, const struct val *b)
{
    int order = val_order(map_get(a, t->hash), map_get(b, t->hash));
    return order || !t->range ? order : val_order(map_get(a, t->range), map_get(b, t->range));
}

/* The first row that is not before the key. */
static size_t place_of(const struct world *w, int table, const struct val *key)
{
    const struct table *t = &w->tables[table];
    size_t lo = 0, hi = t->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (key_order(&table_defs[table], t->rows[mid]->item, key) < 0) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

static bool is_at(const struct world *w, int table, const struct val *key, size_t i)
{
    return i < w->tables[table].n && key_order(&table_defs[table], w->tables[table].rows[i]->item, key) == 0;
}

struct row *world_find(const struct world *w, int table, const struct val *key)
{
    size_t i = place_of(w, table, key);
    return is_at(w, table, key, i) ? w->tables[table].rows[i] : NULL;
}

static void row_free(struct row *row)
{
    mem_free(&row->mem);
    free(row);
}

void world_put(struct world *w, int table, const struct val *item)
{
    struct table *t = &w->tables[table];
    struct row *row = calloc(1, sizeof *row);
    if (!row) abort();
    row->item = val_copy(&row->mem, item);
    size_t i = place_of(w, table, item);
    if (is_at(w, table, item, i)) {
        row_free(t->rows[i]);
        t->rows[i] = row;
        return;
    }
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->rows = realloc(t->rows, t->room * sizeof *t->rows);
        if (!t->rows) abort();
    }
    memmove(t->rows + i + 1, t->rows + i, (t->n - i) * sizeof *t->rows);
    t->rows[i] = row;
    t->n++;
}

void world_remove(struct world *w, int table, const struct val *key)
{
    struct table *t = &w->tables[table];
    size_t i = place_of(w, table, key);
    if (!is_at(w, table, key, i)) return;
    row_free(t->rows[i]);
    t->n--;
    memmove(t->rows + i, t->rows + i + 1, (t->n - i) * sizeof *t->rows);
}

void world_free(struct world *w)
{
    for (int k = 0; k < TABLES; k++) {
        for (size_t i = 0; i < w->tables[k].n; i++) row_free(w->tables[k].rows[i]);
        free(w->tables[k].rows);
    }
    memset(w, 0, sizeof *w);
}

struct val *key_of(struct mem *m, const struct table_def *t, const struct index_def *ix, const struct val *item)
{
    const char *names[] = { t->hash, t->range, ix ? ix->hash : NULL, ix ? ix->range : NULL };
    struct val *key = val_empty(m, V_M);
    for (size_t i = 0; i < 4; i++) {
        if (names[i]) map_set(m, key, names[i], val_copy(m, map_get(item, names[i])));
    }
    return key;
}

/* ---- actions ---- */

static bool is_index_key(const struct table_def *t, const char *attribute)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct index_def *ix = &t->indexes[i];
        if (!strcmp(ix->hash, attribute) || (ix->range && !strcmp(ix->range, attribute))) return true;
    }
    return false;
}

/* The type that a change gives its attribute, as far as its text tells; -1: it does not. */
static int text_type(const struct change *c)
{
    if (c->kind == CHANGE_REMOVE) return -1;
    if (c->kind != CHANGE_SET) return (int)c->operand->type;
    if (c->set != SET_TERM) return c->set == SET_APPEND ? V_L : V_N;
    return c->a.kind == TERM_PATH ? -1 : (int)c->a.value->type;
}

static bool text_fits(const struct table_def *t, const struct update *u)
{
    for (size_t i = 0; i < u->n; i++) {
        const struct change *c = &u->changes[i];
        int type = text_type(c), wanted = key_type(c->path.top);
        if (wanted >= 0 && type >= 0 && type != wanted && is_index_key(t, c->path.top)) return false;
    }
    return true;
}

/* An attribute that is a key of an index has its type, and is not empty. */
static enum outcome fits_indexes(const struct table_def *t, const struct val *item)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *names[] = { t->indexes[i].hash, t->indexes[i].range };
        for (size_t k = 0; k < 2; k++) {
            const struct val *v = names[k] && key_type(names[k]) >= 0 ? map_get(item, names[k]) : NULL;
            if (v && (int)v->type != key_type(names[k])) return UNFIT;
            if (v && v->type == V_S && !v->len) return EMPTY;
        }
    }
    return DONE;
}

static bool only_takes(const struct update *u)
{
    for (size_t i = 0; i < u->n; i++) {
        if (u->changes[i].kind != CHANGE_REMOVE && u->changes[i].kind != CHANGE_DELETE) return false;
    }
    return true;
}

enum outcome plan(struct mem *m, const struct world *w, const struct action *a, struct val **old, struct val **new)
{
    const struct table_def *t = &table_defs[a->table];
    struct row *row = world_find(w, a->table, a->key);
    *old = *new = row ? row->item : NULL;
    enum outcome fit = a->kind == PUT ? fits_indexes(t, a->item) : DONE;
    if (fit != DONE) return fit;
    if (a->kind == UPDATE && !text_fits(t, a->update)) return UNFIT;
    if (a->cond && !cond_holds(a->cond, *old)) return CONDITION;
    if (a->kind == PUT) *new = a->item;
    if (a->kind == DELETE) *new = NULL;
    /* An update that only takes away makes no item. */
    if (a->kind == UPDATE && (*old || !only_takes(a->update))) {
        *new = update_apply(m, a->update, *old, a->key);
        if (!*new || fits_indexes(t, *new) != DONE) return INVALID;
    }
    return DONE;
}

void apply(struct world *w, const struct action *a, const struct val *new)
{
    if (a->kind == GET || a->kind == CHECK) return;
    if (new) world_put(w, a->table, new);
    else world_remove(w, a->table, a->key);
}

/* ---- ranges ---- */

static const struct index_def *index_of(const struct range *r)
{
    return r->index < 0 ? NULL : &table_defs[r->table].indexes[r->index];
}

static const char *sort_attribute(const struct range *r)
{
    return index_of(r) ? index_of(r)->range : table_defs[r->table].range;
}

/* An item as an index has it; NULL: it is not in the index. */
static struct val *entry_of(struct mem *m, const struct table_def *t, const struct index_def *ix, struct val *item)
{
    if (!ix) return item;
    if (!map_get(item, ix->hash) || (ix->range && !map_get(item, ix->range))) return NULL;
    if (ix->projection == 'A') return item;
    struct val *entry = key_of(m, t, ix, item);
    const struct val *more = ix->include ? map_get(item, ix->include) : NULL;
    if (more) map_set(m, entry, ix->include, val_copy(m, more));
    return entry;
}

static bool in_range(const struct range *r, const struct val *entry)
{
    const struct index_def *ix = index_of(r);
    if (!r->hash) return true;
    if (!val_equal(map_get(entry, ix ? ix->hash : table_defs[r->table].hash), r->hash)) return false;
    if (!r->lo) return true;
    const struct val *v = map_get(entry, sort_attribute(r));
    int order = val_order(v, r->lo);
    if (r->between) return order >= 0 && val_order(v, r->hi) <= 0;
    if (r->begins) return v->len >= r->lo->len && !memcmp(v->s, r->lo->s, r->lo->len);
    switch (r->compare) {
    case CMP_EQ: return order == 0;
    case CMP_LT: return order < 0;
    case CMP_LE: return order <= 0;
    case CMP_GT: return order > 0;
    default: return order >= 0;
    }
}

static int range_order(const struct range *r, const struct val *a, const struct val *b)
{
    const char *sort = sort_attribute(r);
    int order = r->hash && sort ? val_order(map_get(a, sort), map_get(b, sort)) : 0;
    return r->backward ? -order : order;
}

bool range_tied(const struct range *r, const struct val *a, const struct val *b)
{
    return range_order(r, a, b) == 0;
}

struct val **range_entries(struct mem *m, const struct world *w, const struct range *r, size_t *n)
{
    const struct table *t = &w->tables[r->table];
    struct val **out = malloc((t->n + 1) * sizeof *out);
    if (!out) abort();
    *n = 0;
    for (size_t i = 0; i < t->n; i++) {
        struct val *entry = entry_of(m, &table_defs[r->table], index_of(r), t->rows[i]->item);
        if (!entry || !in_range(r, entry)) continue;
        size_t k = (*n)++; /* sorted by insertion: plain, and ranges are small */
        for (; k && range_order(r, out[k - 1], entry) > 0; k--) out[k] = out[k - 1];
        out[k] = entry;
    }
    return out;
}

struct val *range_shown(struct mem *m, const struct world *w, const struct range *r, const struct val *entry)
{
    const struct index_def *ix = index_of(r);
    /* A local index gives what it does not have from the table. */
    if (ix && !ix->global && (r->all || r->projection)) entry = world_find(w, r->table, entry)->item;
    if (!r->projection) return val_copy(m, entry);
    return project(m, r->projection->paths, r->projection->n, entry);
}
