/* model_entity.c: reads the entities: first all names and attributes, then keys, which speak of those. */
#include "model_reader.h"

enum { ABOUT, KEY, SHARDS, INDEX, COPIES, UNIQUE, ATTRIBUTES, SCHEMA, LOCK, ESCAPE, OPEN, RATE, EXPECT, N_FIELDS };
static const struct field fields[] = {
    FIELD("about", FIELD_TEXT),   FIELD("key", FIELD_MAP),        FIELD("shards", FIELD_MAP),    FIELD("index", FIELD_MAP),
    FIELD("copies", FIELD_LIST),  FIELD("unique", FIELD_LIST),    FIELD("attributes", FIELD_MAP), FIELD("schema", FIELD_SCALAR),
    FIELD("lock", FIELD_TEXT),    FIELD("escape", FIELD_TEXT),    FIELD("open", FIELD_BOOL),     FIELD("rate", FIELD_MAP),
    FIELD("expect", FIELD_MAP),
};

#define MAX_ACTIONS 100 /* of a transaction: an entity is written with all its copies and sentinels at once */

static void read_rates(struct reader *r, const struct node *n, struct entity *en)
{
    static const struct field rates[] = { FIELD("put", FIELD_SCALAR), FIELD("update", FIELD_SCALAR), FIELD("delete", FIELD_SCALAR) };
    const struct node *f[3];
    if (!n || !FIELDS_READ(r, n, "the rate of an entity", rates, f)) return;
    read_rate(r, f[0], &en->put);
    read_rate(r, f[1], &en->update);
    read_rate(r, f[2], &en->delete);
}

/* What an entity is by itself. */
static void read_one(struct reader *r, struct entity_draft *d, const struct node *n)
{
    static const char *const escapes[] = { "refuse", "percent" };
    struct entity *en = d->entity;
    const struct node **f = d->fields;
    uint64_t schema;
    if (!FIELDS_READ(r, n, "an entity", fields, f)) {
        d->broken = true;
        return;
    }
    d->node = n;
    d->broken = !f[ATTRIBUTES] && NODE_GET(n, "attributes");
    en->about = text_of(f[ABOUT]);
    d->escape = r->m->escape;
    int escape = read_word(r, f[ESCAPE], SLICE("escape"), escapes, 2);
    if (escape >= 0) d->escape = escape == 1;
    if (read_whole(r, f[SCHEMA], SLICE("schema"), 1, 1000000000, &schema)) en->schema = (unsigned)schema;
    if (f[SCHEMA]) r->schema_stated = true;
    read_bool(f[OPEN], &en->open);
    read_rates(r, f[RATE], en);
    read_expectation(r, f[EXPECT], &en->expect);
}

static void read_paths(struct reader *r, struct entity_draft *d)
{
    struct entity *en = d->entity;
    const struct node **f = d->fields;
    /* A key that was there and no map has been complained about. */
    bool no_key = !f[KEY] && NODE_GET(d->node, "key");
    struct access_path *key = no_key ? NULL : read_key(r, d, f[KEY], f[SHARDS], NULL);
    en->key = key;
    read_entries(r, d, f[INDEX], key, NULL, &en->entries, &en->n_entries);
    read_copies(r, d, f[COPIES]);
    read_unique(r, d, f[UNIQUE]);
    if (1 + en->n_copies + en->n_uniques > MAX_ACTIONS)
        problem_add(r->ps, en->place, SLICE("have fewer of them"),
                    "%.*s has %zu copies and unique values; one transaction writes at most %d items", SHOWN(en->name),
                    en->n_copies + en->n_uniques, MAX_ACTIONS);
}

/* A name is also a word on a command line, a file that unfold writes and a member of the answer of run. */
static void name_works(struct reader *r, const struct node *c)
{
    static const char *const taken[] = { "read", "after", "other", "unique" };
    if (!name_is_good(r, c->name, c->name_place, "an entity")) return;
    if (strchr("-._", c->name.p[0]) || slice_trim(c->name).n != c->name.n)
        problem_add(r->ps, c->name_place, SLICE("begin it with a letter"),
                    "the name of an entity cannot begin with -, . or _ or have blanks around it");
    for (size_t i = 0; i < c->name.n; i++) {
        if (c->name.p[i] >= ' ' && !strchr("/\\\"", c->name.p[i])) continue;
        problem_add(r->ps, c->name_place, SLICE("use letters, digits, - and _"),
                    "the name of an entity cannot contain /, \\, \" or control characters");
        break;
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (slice_eq(c->name, slice_str(taken[i])))
            problem_add(r->ps, c->name_place, SLICE("choose another name"),
                        "an entity cannot be called \"%s\", which has a meaning of its own in answers", taken[i]);
}

static void check_ttl(struct reader *r, const struct node *ttl)
{
    for (size_t i = 0; i < r->m->n_entities; i++)
        if (r->drafts[i].broken || r->entities[i].open || draft_attribute(&r->drafts[i], ttl->text)) return;
    problem_add(r->ps, ttl->place, SLICE("declare it where items expire: { type: number, format: epoch }"),
                "no entity has the ttl attribute \"%.*s\"", SHOWN(ttl->text));
}

void read_entities(struct reader *r, const struct node *node, const struct node *ttl)
{
    size_t n = node ? node->count : 0;
    if (n > MODEL_MAX_ENTITIES) {
        problem_add(r->ps, node->place, SLICE("split the model"), "there are %zu entities; the most is %d", n,
                    MODEL_MAX_ENTITIES);
        n = MODEL_MAX_ENTITIES;
    } else if (node && n == 0) {
        problem_add(r->ps, node->place, SLICE(FIRST_ENTITY), "there are no entities");
    }
    r->entities = ARENA_ARRAY(r->a, struct entity, n + 1);
    r->drafts = ARENA_ARRAY(r->a, struct entity_draft, n + 1);
    names_init(&r->whole->entity_names, r->a, n);
    const struct node *c = node ? node->first : NULL;
    for (size_t i = 0; i < n; i++, c = c->next) {
        r->entities[i] = (struct entity){ .name = c->name, .place = c->name_place, .number = i };
        r->drafts[i].entity = &r->entities[i];
        name_works(r, c);
        names_add(&r->whole->entity_names, c->name, i, NULL);
        read_one(r, &r->drafts[i], c);
    }
    r->m->entities = r->entities;
    r->m->n_entities = n;
    if (r->schema_stated && !r->m->schema_attribute.n) r->m->schema_attribute = SLICE("schema_v");
    for (size_t i = 0; i < n; i++) {
        struct entity_draft *d = &r->drafts[i];
        read_attributes(r, d, d->node ? d->fields[ATTRIBUTES] : NULL, d->node ? d->fields[LOCK] : NULL);
        r->entities[i].names = &d->names;
    }
    if (ttl) check_ttl(r, ttl);
    for (size_t i = 0; i < n; i++)
        if (r->drafts[i].node) read_paths(r, &r->drafts[i]);
}
