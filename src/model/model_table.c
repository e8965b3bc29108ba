/* model_table.c: reads the table's keys and its secondary indexes. */
#include "model_reader.h"

#define MAX_GLOBAL  20
#define MAX_LOCAL   5
#define MAX_INCLUDE 100 /* attributes that all indexes of a table project by name */

/* A key attribute: its name, or { name: PK, type: string }. */
static bool read_key_attribute(struct reader *r, const struct node *n, struct slice what, struct key_attribute *out)
{
    static const struct field fields[] = { REQUIRED("name", FIELD_TEXT), FIELD("type", FIELD_TEXT) };
    static const char *const types[] = { "string", "number", "binary" };
    static const enum val_type values[] = { TYPE_S, TYPE_N, TYPE_B };
    const struct node *name = n, *f[2];
    *out = (struct key_attribute){ .type = TYPE_NONE }; /* until settle_types */
    if (n->kind == NODE_MAP) {
        FIELDS_READ(r, n, "a key attribute", fields, f);
        name = f[0];
        int t = read_word(r, f[1], SLICE("type"), types, 3);
        if (t >= 0) out->type = values[t];
        else if (!NODE_GET(n, "type")) out->type = TYPE_S;
        if (!name) return false;
    } else if (!field_fits(r, n, what, FIELD_TEXT)) {
        return false;
    }
    if (!name_is_good(r, name->text, name->place, "a key attribute")) return false;
    if (slice_eq(name->text, SLICE("shards"))) {
        problem_add(r->ps, name->place, SLICE("choose another name"),
                    "a key attribute cannot be called \"shards\", which is a word of this file");
        return false;
    }
    out->name = name->text;
    return true;
}

/* Every key attribute has one type in the whole table: two that differ contradict each other. */
static void check_type(struct reader *r, const struct key_attribute *ka, struct place at)
{
    for (size_t i = 0; i < r->m->n_indexes && ka->type != TYPE_NONE; i++) {
        const struct key_side *sides[2] = { &r->indexes[i].hash, &r->indexes[i].sort };
        for (size_t s = 0; s < 2; s++)
            for (size_t k = 0; k < sides[s]->n; k++) {
                const struct key_attribute *other = &sides[s]->attrs[k];
                if (!slice_eq(other->name, ka->name) || other->type == TYPE_NONE || other->type == ka->type) continue;
                problem_add(r->ps, at, SLICE("give it the same type everywhere"),
                            "key attribute %.*s is a %s here, but a %s %s%.*s", SHOWN(ka->name), type_word(ka->type),
                            type_word(other->type), i ? "in index " : "in the table",
                            SHOWN(r->indexes[i].name));
                return;
            }
    }
}

/* A name without a type has the one that is stated elsewhere, or else is a string. */
static void settle_types(struct reader *r)
{
    struct names stated;
    names_init(&stated, r->a, r->n_keys);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->m->n_indexes; i++) {
            struct key_side *sides[2] = { &r->indexes[i].hash, &r->indexes[i].sort };
            for (size_t s = 0; s < 2; s++)
                for (size_t k = 0; k < sides[s]->n; k++) {
                    struct key_attribute *ka = &sides[s]->attrs[k];
                    size_t type = TYPE_S;
                    if (pass == 0 && ka->type != TYPE_NONE) names_add(&stated, ka->name, ka->type, NULL);
                    if (pass == 0 || ka->type != TYPE_NONE) continue;
                    names_find(&stated, ka->name, &type);
                    ka->type = (enum val_type)type;
                }
        }
}

static bool side_has(const struct key_side *side, struct slice name)
{
    for (size_t i = 0; i < side->n; i++)
        if (slice_eq(side->attrs[i].name, name)) return true;
    return false;
}

/* One side of a key: one attribute, or where most allows it a list. other: what it may not repeat. */
static void read_side(struct reader *r, const struct node *n, struct slice what, size_t most,
                      const struct key_side *other, struct key_side *out)
{
    if (!n) return;
    const struct node *c = n;
    if (n->kind == NODE_LIST) {
        if (most == 1 || n->count == 0 || n->count > most) {
            problem_add(r->ps, n->place, SLICE(""),
                        most == 1 ? "\"%.*s\" must be one attribute here" : "\"%.*s\" must be one to four attributes",
                        SLICE_ARG(what));
            return;
        }
        c = n->first;
    }
    for (; c; c = n->kind == NODE_LIST ? c->next : NULL) {
        struct key_attribute ka;
        if (!read_key_attribute(r, c, what, &ka)) continue;
        if (side_has(out, ka.name) || (other && side_has(other, ka.name))) {
            problem_add(r->ps, c->place, SLICE("a key is made of different attributes"),
                        "%.*s is in this key twice", SHOWN(ka.name));
            continue;
        }
        check_type(r, &ka, c->place);
        out->attrs[out->n++] = ka;
    }
}

static void read_keys(struct reader *r, const struct node *n)
{
    static const struct field fields[] = { REQUIRED("hash", FIELD_ANY), FIELD("sort", FIELD_ANY) };
    const struct node *f[2];
    struct model_index *table = &r->indexes[0];
    if (!n) {
        table->place = (struct place){ r->m->file, 1, 1 };
        table->hash = (struct key_side){ .attrs = { { SLICE("PK"), TYPE_S } }, .n = 1 };
        table->sort = (struct key_side){ .attrs = { { SLICE("SK"), TYPE_S } }, .n = 1 };
        return;
    }
    table->place = n->name_place;
    if (!FIELDS_READ(r, n, "keys", fields, f)) return;
    read_side(r, f[0], SLICE("hash"), 1, NULL, &table->hash);
    read_side(r, f[1], SLICE("sort"), 1, &table->hash, &table->sort);
}

static void read_projection(struct reader *r, const struct node *n, struct model_index *ix)
{
    if (!n) return;
    if (n->kind == NODE_LIST) {
        ix->projection = PROJECT_INCLUDE;
        read_texts(r, n, SLICE("project"), &ix->include, &ix->n_include);
        if (n->count == 0)
            problem_add(r->ps, n->place, SLICE("project: keys"), "\"project\" is a list of no attributes");
        return;
    }
    if (n->kind == NODE_SCALAR && slice_eq(n->text, SLICE("all"))) {
        ix->projection = PROJECT_ALL;
    } else if (n->kind == NODE_SCALAR && slice_eq(n->text, SLICE("keys"))) {
        ix->projection = PROJECT_KEYS;
    } else {
        problem_add(r->ps, n->place, SLICE(""), "\"project\" must be all, keys or a list of attributes");
    }
}

static void read_local(struct reader *r, const struct node *const *f, struct model_index *ix, struct place at)
{
    const struct model_index *table = &r->indexes[0];
    if (f[0])
        problem_add(r->ps, f[0]->name_place, SLICE("leave hash out"),
                    "a local index has the table's hash key and none of its own");
    ix->hash = table->hash;
    if (table->hash.n && table->sort.n == 0)
        problem_add(r->ps, at, SLICE("give the table a sort key, or make the index global"),
                    "a local index needs a table with a sort key");
    if (!f[1]) problem_add(r->ps, at, SLICE(""), "\"sort\" is missing in local index %.*s", SHOWN(ix->name));
    read_side(r, f[1], SLICE("sort"), 1, &ix->hash, &ix->sort);
    if (!ix->sort.n) ix->hash.n = 0; /* nothing can be said about its entries */
}

static void read_index(struct reader *r, const struct node *n, struct model_index *ix)
{
    static const struct field fields[] = { FIELD("hash", FIELD_ANY), FIELD("sort", FIELD_ANY),
                                           FIELD("project", FIELD_ANY), FIELD("local", FIELD_BOOL) };
    const struct node *f[4];
    ix->name = n->name;
    ix->place = n->name_place;
    resource_name_is_good(r, n->name, n->name_place, "an index");
    if (slice_eq(n->name, SLICE("table")))
        problem_add(r->ps, n->name_place, SLICE("choose another name"),
                    "an index cannot be called \"table\", which stands for the table itself in patterns");
    if (!FIELDS_READ(r, n, "an index", fields, f)) return;
    read_bool(f[3], &ix->local);
    if (ix->local) {
        read_local(r, f, ix, n->name_place);
    } else {
        struct key_side hash = { 0 }, sort = { 0 };
        if (!node_get(n, SLICE("hash")))
            problem_add(r->ps, n->name_place, SLICE("name its hash attribute, or write local: true"),
                        "\"hash\" is missing in index %.*s", SHOWN(n->name));
        read_side(r, f[0], SLICE("hash"), KEY_MAX_PARTS, NULL, &hash);
        read_side(r, f[1], SLICE("sort"), KEY_MAX_PARTS, &hash, &sort);
        ix->hash = hash;
        ix->sort = sort;
    }
    read_projection(r, f[2], ix);
}

void read_table(struct reader *r, const struct node *keys, const struct node *indexes)
{
    size_t n = indexes ? indexes->count : 0, globals = 0, locals = 0;
    size_t most = n < MODEL_MAX_INDEXES ? n : MODEL_MAX_INDEXES;
    r->indexes = ARENA_ARRAY(r->a, struct model_index, most + 1);
    r->m->indexes = r->indexes;
    r->m->n_indexes = 1;
    read_keys(r, keys);
    if (n > most)
        problem_add(r->ps, indexes->place, SLICE(""),
                    "there are %zu indexes; a table has at most %d global and %d local ones", n, MAX_GLOBAL, MAX_LOCAL);
    const struct node *c = indexes ? indexes->first : NULL;
    for (size_t i = 1; c && i <= most; c = c->next, i++) {
        r->indexes[i].number = i;
        r->m->n_indexes = i + 1;
        read_index(r, c, &r->indexes[i]);
        if (r->indexes[i].local ? ++locals == MAX_LOCAL + 1 : ++globals == MAX_GLOBAL + 1)
            problem_add(r->ps, c->name_place, SLICE(""), "this is one %s index too many: a table has at most %d",
                        r->indexes[i].local ? "local" : "global", r->indexes[i].local ? MAX_LOCAL : MAX_GLOBAL);
    }
    for (size_t i = 0; i < r->m->n_indexes; i++) r->n_keys += r->indexes[i].hash.n + r->indexes[i].sort.n;
    settle_types(r);
    names_init(&r->whole->key_names, r->a, r->n_keys);
    for (size_t i = 0; i < r->m->n_indexes; i++) {
        const struct model_index *ix = &r->indexes[i];
        for (size_t k = 0; k < ix->hash.n; k++) names_add(&r->whole->key_names, ix->hash.attrs[k].name, i, NULL);
        for (size_t k = 0; k < ix->sort.n; k++) names_add(&r->whole->key_names, ix->sort.attrs[k].name, i, NULL);
    }
}

struct model_index *find_index(struct reader *r, struct slice name)
{
    for (size_t i = 1; i < r->m->n_indexes; i++)
        if (slice_eq(r->indexes[i].name, name)) return &r->indexes[i];
    return NULL;
}

/* Is there an attribute of this name in any entity? An open entity may hold any. */
static bool declared_somewhere(struct reader *r, struct slice name)
{
    const struct model *m = r->m;
    if (slice_eq(name, m->entity_attribute) || slice_eq(name, m->schema_attribute) || model_is_key_attribute(m, name))
        return true;
    for (size_t i = 0; i < m->n_entities; i++)
        if (r->drafts[i].broken || m->entities[i].open || draft_attribute(&r->drafts[i], name)) return true;
    return false;
}

void check_projections(struct reader *r)
{
    size_t total = 0;
    for (size_t i = 1; i < r->m->n_indexes; i++) {
        const struct model_index *ix = &r->indexes[i];
        total += ix->n_include;
        for (size_t k = 0; k < ix->n_include && total <= MAX_INCLUDE; k++)
            if (!declared_somewhere(r, ix->include[k]))
                problem_add(r->ps, ix->place, SLICE("declare it in an entity, or leave it out"),
                            "index %.*s projects \"%.*s\", which no entity has", SHOWN(ix->name),
                            SHOWN(ix->include[k]));
        if (total > MAX_INCLUDE) {
            problem_add(r->ps, ix->place, SLICE("project all, or fewer"),
                        "the indexes project more than %d attributes by name", MAX_INCLUDE);
            return;
        }
    }
}
