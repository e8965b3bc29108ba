/* model_copies.c: reads the copies of an entity: the same item under other keys. */
#include "model_reader.h"

static bool same_side(const struct key_template *a, const struct key_template *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!same_template(&a[i].template, &b[i].template) || !a[i].shards != !b[i].shards) return false;
    return true;
}

/* Would both always be one and the same item? */
static bool same_key(const struct access_path *a, const struct access_path *b)
{
    return a && b && same_side(a->hash, b->hash, a->n_hash) && same_side(a->sort, b->sort, a->n_sort);
}

static void read_only_list(struct reader *r, struct entity_draft *d, const struct node *n, struct copy *c)
{
    if (!n) return;
    read_texts(r, n, SLICE("only"), &c->only, &c->n_only);
    for (const struct node *x = n->first; x; x = x->next)
        if (x->kind == NODE_SCALAR && !d->broken && !draft_attribute(d, x->text))
            problem_add(r->ps, x->place, hint_attribute(r, d, x->text), "%.*s has no attribute \"%.*s\"",
                        SHOWN(d->entity->name), SHOWN(x->text));
}

static void read_copy(struct reader *r, struct entity_draft *d, const struct node *n, struct copy *c, size_t number)
{
    enum { KEY, NAME, ONLY, SPARSE, INDEX, SHARDS, N_FIELDS };
    static const struct field fields[] = { REQUIRED("key", FIELD_MAP), FIELD("name", FIELD_TEXT),
                                           FIELD("only", FIELD_LIST), FIELD("sparse", FIELD_BOOL),
                                           FIELD("index", FIELD_MAP), FIELD("shards", FIELD_MAP) };
    const struct node *f[N_FIELDS];
    c->place = n->place;
    c->name = arena_printf(r->a, "copy %zu", number);
    if (!FIELDS_READ(r, n, "a copy", fields, f)) return;
    if (f[NAME] && name_is_good(r, f[NAME]->text, f[NAME]->place, "a copy")) c->name = f[NAME]->text;
    read_bool(f[SPARSE], &c->sparse);
    read_only_list(r, d, f[ONLY], c);
    struct access_path *key = f[KEY] ? read_key(r, d, f[KEY], f[SHARDS], c) : NULL;
    c->key = key;
    read_entries(r, d, f[INDEX], key, c, &c->entries, &c->n_entries);
    if (same_key(key, d->entity->key))
        problem_add(r->ps, f[KEY]->place, SLICE("give it a key of its own"),
                    "this copy has the same key as %.*s itself", SHOWN(d->entity->name));
}

void read_copies(struct reader *r, struct entity_draft *d, const struct node *node)
{
    struct entity *en = d->entity;
    if (!node) return;
    struct copy *list = ARENA_ARRAY(r->a, struct copy, node->count + 1);
    struct names names;
    names_init(&names, r->a, node->count);
    for (const struct node *c = node->first; c; c = c->next) {
        struct copy *copy = &list[en->n_copies];
        read_copy(r, d, c, copy, en->n_copies + 1);
        if (!names_add(&names, copy->name, 0, NULL))
            problem_add(r->ps, c->place, SLICE("give one of them another name"), "two copies are called \"%.*s\"",
                        SHOWN(copy->name));
        /* No entity has more than a hundred that could be written. */
        for (size_t i = 0; i < en->n_copies && en->n_copies <= 100; i++)
            if (same_key(list[i].key, copy->key))
                problem_add(r->ps, c->place, SLICE("remove one of them"), "this copy has the same key as %.*s",
                            SHOWN(list[i].name));
        en->n_copies++;
    }
    en->copies = list;
}
