/* fold_map.c: guessing, reading and showing the mapping of columns to attributes. */
#include "fold_map.h"
#include "text_file.h"

#define NAME_MAX_BYTES 256

/* Lower case, letters and digits only: "customer_id" and "customerId" are the same. */
struct plain_name {
    char text[NAME_MAX_BYTES];
    size_t n;
};

static struct plain_name plain(struct slice s)
{
    struct plain_name out = { .n = 0 };
    for (size_t i = 0; i < s.n && out.n + 4 < NAME_MAX_BYTES; i++) {
        uint8_t c = s.p[i];
        if (c >= 'A' && c <= 'Z') c = (uint8_t)(c + 32);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 128) out.text[out.n++] = (char)c;
    }
    return out;
}

static bool same(struct plain_name a, struct plain_name b)
{
    return a.n == b.n && memcmp(a.text, b.text, a.n) == 0;
}

static struct plain_name with(struct plain_name a, const char *end, size_t cut)
{
    size_t n = strlen(end);
    a.n -= cut;
    memcpy(a.text + a.n, end, n);
    a.n += n;
    return a;
}

static struct plain_name joined(struct plain_name a, struct plain_name b)
{
    if (a.n + b.n < NAME_MAX_BYTES) {
        memcpy(a.text + a.n, b.text, b.n);
        a.n += b.n;
    }
    return a;
}

/* How well a table's name fits an entity's: 0 not at all. */
static int table_fit(struct slice entity, struct slice table)
{
    struct plain_name e = plain(entity), t = plain(table);
    if (slice_eq(entity, table)) return 4;
    if (same(e, t)) return 3;
    if (same(with(e, "s", 0), t) || same(with(e, "es", 0), t)) return 2;
    if (e.n > 1 && e.text[e.n - 1] == 'y' && same(with(e, "ies", 1), t)) return 2;
    return 0;
}

/* How well a column's name fits an attribute's. */
static int column_fit(struct slice entity, struct slice attribute, struct slice column)
{
    struct plain_name e = plain(entity), a = plain(attribute), c = plain(column);
    if (slice_eq(attribute, column)) return 5;
    if (same(a, c)) return 4;
    if (same(joined(e, c), a)) return 3; /* Order: id for orderId */
    if (same(joined(e, a), c)) return 2; /* Order: order_status for status */
    if (same(with(c, "id", 0), a)) return 1; /* customer for customerId */
    return 0;
}

static const struct source_table *best_table(const struct entity *en, const struct source *s)
{
    const struct source_table *best = NULL;
    int fit = 0;
    for (size_t i = 0; i < s->n; i++) {
        int f = table_fit(en->name, s->tables[i].name);
        if (f > fit) fit = f, best = &s->tables[i];
    }
    return best;
}

static void guess_columns(struct fold_map *map, const struct slice *columns, size_t n)
{
    for (size_t k = 0; k < map->entity->n_attributes; k++) {
        int fit = 0;
        for (size_t i = 0; i < n; i++) {
            int f = column_fit(map->entity->name, map->entity->attributes[k].name, columns[i]);
            if (f > fit) fit = f, map->columns[k] = columns[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        if (slice_eq(columns[i], COLUMN_MORE)) map->more = columns[i];
}

static struct fold_map *empty_maps(struct arena *a, const struct model *m)
{
    struct fold_map *maps = ARENA_ARRAY(a, struct fold_map, m->n_entities + 1);
    for (size_t i = 0; i < m->n_entities; i++) {
        maps[i].entity = &m->entities[i];
        maps[i].columns = ARENA_ARRAY(a, struct slice, m->entities[i].n_attributes + 1);
    }
    return maps;
}

int fold_map_guess(struct arena *a, const struct model *m, const struct source *s, struct fold_map **out)
{
    *out = empty_maps(a, m);
    for (size_t i = 0; i < m->n_entities; i++) {
        struct fold_map *map = &(*out)[i];
        /* One file and one entity need no names. */
        const struct source_table *t = s->n == 1 && m->n_entities == 1 ? &s->tables[0] : best_table(map->entity, s);
        if (!t) continue;
        map->from = t->name;
        guess_columns(map, t->columns, t->n);
    }
    return 0;
}

static bool word(struct problems *ps, const struct node *n, struct slice *out)
{
    if (n->kind == NODE_SCALAR && n->text.n) return *out = n->text, true;
    problem_add(ps, n->place, SLICE("write a name"), "expected a name here");
    return false;
}

static void read_columns(struct problems *ps, struct fold_map *map, const struct node *columns)
{
    if (columns->kind != NODE_MAP) {
        problem_add(ps, columns->place, SLICE("write attribute: column"), "columns has to be a map");
        return;
    }
    for (const struct node *c = columns->first; c; c = c->next) {
        const struct attribute *at = entity_attribute(map->entity, c->name);
        struct slice name;
        if (!at)
            problem_add(ps, c->name_place, SLICE("attributes stand on the left, columns on the right"),
                        "%.*s has no attribute '%.*s'", SLICE_ARG(map->entity->name), SLICE_ARG(c->name));
        else if (word(ps, c, &name))
            map->columns[at - map->entity->attributes] = name;
    }
}

static void read_entity(struct problems *ps, const struct source *s, struct fold_map *map, const struct node *n)
{
    const struct node *columns = NULL;
    if (n->kind != NODE_MAP) {
        problem_add(ps, n->place, SLICE("write from: TABLE and columns: {...}"), "expected a map");
        return;
    }
    for (const struct node *c = n->first; c; c = c->next) {
        if (slice_eq(c->name, SLICE("from")) || slice_eq(c->name, SLICE("query"))) {
            map->query = slice_eq(c->name, SLICE("query"));
            word(ps, c, &map->from);
        } else if (slice_eq(c->name, SLICE("columns"))) {
            columns = c;
        } else if (!slice_eq(c->name, SLICE("unused")) && !slice_eq(c->name, SLICE("empty"))) {
            problem_add(ps, c->name_place, SLICE("known are from, query, columns"), "'%.*s' is not known here",
                        SLICE_ARG(c->name));
        }
    }
    for (size_t i = 0; i < s->n; i++)
        if (!map->query && slice_eq(s->tables[i].name, map->from)) {
            if (!columns) guess_columns(map, s->tables[i].columns, s->tables[i].n);
            for (size_t k = 0; k < s->tables[i].n; k++)
                if (slice_eq(s->tables[i].columns[k], COLUMN_MORE)) map->more = COLUMN_MORE;
        }
    if (columns) read_columns(ps, map, columns);
}

int fold_map_read(struct arena *a, const struct model *m, const struct source *s, const char *path,
                  struct fold_map **out, struct err *e)
{
    struct slice text;
    struct problems ps;
    int code = text_file_read(a, path, MODEL_MAX_FILE, &text, e);
    if (code) return code;
    problems_init(&ps, a);
    *out = empty_maps(a, m);
    const struct node *root = node_read(&ps, slice_str(path), text);
    /* The report's own form, with the mapping under "mapping", is taken too. */
    const struct node *inner = NODE_GET(root, "mapping");
    if (inner && !model_entity(m, SLICE("mapping"))) root = inner;
    if (root && root->kind != NODE_MAP)
        problem_add(&ps, root->place, SLICE("write ENTITY: { from: TABLE, columns: {...} }"), "expected a map of entities");
    for (const struct node *n = root && root->kind == NODE_MAP ? root->first : NULL; n; n = n->next) {
        const struct entity *en = model_entity(m, n->name);
        if (en)
            read_entity(&ps, s, &(*out)[en->number], n);
        else
            problem_add(&ps, n->name_place, SLICE("entities are those of the model"), "the model has no entity '%.*s'",
                        SLICE_ARG(n->name));
    }
    if (!ps.n) return 0;
    const struct problem *p = ps.first;
    return err_set(e, ERR_ValidationException, "%.*s:%u:%u: %.*s; %.*s", SLICE_ARG(p->place.file), p->place.line,
                   p->place.column, SLICE_ARG(p->message), SLICE_ARG(p->hint));
}

static void put_list(struct buf *b, const char *name, const struct slice *list, size_t n)
{
    buf_printf(b, ",\"%s\":[", name);
    for (size_t i = 0; i < n; i++) {
        buf_printf(b, "%s", i ? "," : "");
        json_put_string(b, list[i]);
    }
    buf_u8(b, ']');
}

static void put_map(struct buf *b, const struct source *s, const struct fold_map *map)
{
    const struct entity *en = map->entity;
    const char *comma = "";
    buf_printf(b, "{\"%s\":", map->query ? "query" : "from");
    json_put_string(b, map->from);
    BUF_LIT(b, ",\"columns\":{");
    struct slice *unfilled = ARENA_ARRAY(b->arena, struct slice, en->n_attributes + 1);
    size_t n = 0;
    for (size_t k = 0; k < en->n_attributes; k++) {
        if (!map->columns[k].n) {
            unfilled[n++] = en->attributes[k].name;
            continue;
        }
        buf_printf(b, "%s", comma);
        json_put_string(b, en->attributes[k].name);
        buf_u8(b, ':');
        json_put_string(b, map->columns[k]);
        comma = ",";
    }
    buf_u8(b, '}');
    put_list(b, "empty", unfilled, n);
    for (size_t i = 0; i < s->n; i++) {
        const struct source_table *t = &s->tables[i];
        if (map->query || !slice_eq(t->name, map->from)) continue;
        struct slice *unused = ARENA_ARRAY(b->arena, struct slice, t->n + 1);
        n = 0;
        for (size_t c = 0; c < t->n; c++) {
            bool used = slice_eq(t->columns[c], map->more);
            for (size_t k = 0; k < en->n_attributes && !used; k++) used = slice_eq(map->columns[k], t->columns[c]);
            if (!used) unused[n++] = t->columns[c];
        }
        put_list(b, "unused", unused, n);
    }
    buf_u8(b, '}');
}

void fold_map_to_json(struct buf *b, const struct model *m, const struct source *s, const struct fold_map *maps)
{
    const char *comma = "";
    buf_u8(b, '{');
    for (size_t i = 0; i < m->n_entities; i++) {
        if (!maps[i].from.n) continue;
        buf_printf(b, "%s", comma);
        json_put_string(b, m->entities[i].name);
        buf_u8(b, ':');
        put_map(b, s, &maps[i]);
        comma = ",";
    }
    buf_u8(b, '}');
}
