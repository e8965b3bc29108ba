/* model_keys.c: reads where an entity or a copy is found: its key in the table and its entries in indexes. */
#include "model_reader.h"
#include "shard.h"

static struct access_path *new_path(struct reader *r, enum path_kind kind, const struct entity_draft *d,
                                    const struct model_index *ix, const struct copy *copy, struct place at)
{
    struct access_path *p = ARENA_NEW(r->a, struct access_path);
    if (r->n_paths == r->cap_paths) {
        r->cap_paths = r->cap_paths ? r->cap_paths * 2 : 64;
        struct access_path **more = ARENA_ARRAY(r->a, struct access_path *, r->cap_paths);
        if (r->n_paths) memcpy(more, r->paths, r->n_paths * sizeof(*more));
        r->paths = more;
    }
    *p = (struct access_path){ .kind = kind, .entity = d->entity, .index = ix, .copy = copy, .place = at,
                               .number = r->n_paths };
    r->paths[r->n_paths++] = p;
    return p;
}

static const struct key_attribute *attribute_of(const struct model_index *ix, size_t i)
{
    return i < ix->hash.n ? &ix->hash.attrs[i] : &ix->sort.attrs[i - ix->hash.n];
}

/* Complains about every name that is no key attribute of the index (or table). */
static void check_names(struct reader *r, const struct node *node, const struct model_index *ix, bool shards)
{
    struct slice list[2 * KEY_MAX_PARTS];
    size_t n = ix->hash.n + ix->sort.n;
    for (size_t i = 0; i < n; i++) list[i] = attribute_of(ix, i)->name;
    for (const struct node *c = node->first; c; c = c->next) {
        size_t i = 0;
        while (i < n && !slice_eq(list[i], c->name)) i++;
        if (i < n || (shards && slice_eq(c->name, SLICE("shards")))) continue;
        problem_add(r->ps, c->name_place, hint_near(r, c->name, list, n, "name the key attributes only"),
                    "\"%.*s\" is not a key attribute of %s%.*s", SHOWN(c->name), ix->number ? "index " : "the table",
                    SHOWN(ix->name));
    }
}

struct access_path *read_key(struct reader *r, struct entity_draft *d, const struct node *key,
                             const struct node *shards, struct copy *copy)
{
    const struct model_index *table = &r->indexes[0];
    if (!table->hash.n) return NULL;
    struct place at = key ? key->name_place : d->entity->place;
    struct access_path *p = new_path(r, copy ? PATH_COPY : PATH_KEY, d, table, copy, at);
    const struct shards *sh = read_shards(r, d, shards, &table->hash);
    bool good = true;
    if (key) check_names(r, key, table, false);
    for (size_t i = 0; i < table->hash.n + table->sort.n; i++) {
        const struct key_attribute *ka = attribute_of(table, i);
        struct key_template *kt = i < table->hash.n ? &p->hash[p->n_hash++] : &p->sort[p->n_sort++];
        const struct node *given = node_get(key, ka->name);
        bool spread = sh && slice_eq(sh->of, ka->name);
        if (!given && !draft_attribute(d, ka->name)) {
            if (!d->broken)
                problem_add(r->ps, at, SLICE("give it a template, or declare an attribute of that name"),
                            "the key of %.*s has no template for %.*s", SHOWN(d->entity->name), SHOWN(ka->name));
            good = false;
            continue;
        }
        good = read_template(r, d, ka, given, spread, kt) && good;
        if (spread) kt->shards = sh;
    }
    return good ? p : NULL;
}

/* ---- index entries ---- */

/* The key attributes of one item, by name: an attribute that two keys share has one value. */
struct known {
    struct key_template *list; /* room for all key attributes there are */
    size_t n;
};

static struct key_template *find_known(struct known *k, struct slice name)
{
    for (size_t i = 0; i < k->n; i++)
        if (slice_eq(k->list[i].attribute->name, name)) return &k->list[i];
    return NULL;
}

/* Takes the templates that an entry gives. False if one was wrong, so that the entry is not judged further. */
static bool gather(struct reader *r, struct entity_draft *d, const struct node *entry, const struct model_index *ix,
                   struct known *k)
{
    const struct node *sn = NODE_GET(entry, "shards");
    const struct shards *sh = NULL;
    bool good = true;
    check_names(r, entry, ix, true);
    if (sn && field_fits(r, sn, SLICE("shards"), FIELD_MAP)) sh = read_shards(r, d, sn, &ix->hash);
    if (sn && !sh) good = false;
    if (sh && !node_get(entry, sh->of) && !draft_attribute(d, sh->of))
        problem_add(r->ps, sh->place, SLICE("write the template and the shards in one place"),
                    "the template of %.*s is not given here, so that it cannot be spread here", SHOWN(sh->of));
    for (size_t i = 0; i < ix->hash.n + ix->sort.n; i++) {
        const struct key_attribute *ka = attribute_of(ix, i);
        const struct node *given = node_get(entry, ka->name);
        bool spread = sh && slice_eq(sh->of, ka->name);
        struct key_template kt, *there = find_known(k, ka->name);
        if (!given && !(spread && draft_attribute(d, ka->name))) continue;
        if (!read_template(r, d, ka, given, spread, &kt)) {
            good = false;
            continue;
        }
        if (spread) kt.shards = sh;
        if (!there) {
            k->list[k->n++] = kt;
        } else if (!same_template(&kt.template, &there->template) || !same_shards(kt.shards, there->shards)) {
            problem_add(r->ps, (given ? given : entry)->place, SLICE("an item has one value for it; leave one of the templates out"),
                        "%.*s already has the template \"%.*s\"", SHOWN(ka->name), SHOWN(there->template.source));
            good = false;
        }
    }
    return good;
}

/* An entry in the index, if every key attribute is known. */
static struct access_path *build(struct reader *r, struct entity_draft *d, const struct model_index *ix,
                                 struct known *k, const struct copy *copy, struct place at, bool declared, bool complain)
{
    struct access_path *p = NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < ix->hash.n + ix->sort.n; i++) {
            const struct key_attribute *ka = attribute_of(ix, i);
            const struct key_template *there = find_known(k, ka->name);
            const struct attribute *own = draft_attribute(d, ka->name);
            if (own && !declared && copy && !copy_holds(copy, ka->name)) own = NULL;
            struct key_template kt;
            if (there) kt = *there;
            else if (own && own->type == ka->type) read_template(r, d, ka, NULL, false, &kt);
            else {
                if (complain && !(own && own->type == TYPE_NONE))
                    problem_add(r->ps, at, SLICE("give it a template, or declare an attribute of that name"),
                                "the entry in index %.*s has no template for %.*s", SHOWN(ix->name), SHOWN(ka->name));
                return NULL;
            }
            kt.attribute = ka;
            if (p && i < ix->hash.n) p->hash[p->n_hash++] = kt;
            else if (p) p->sort[p->n_sort++] = kt;
        }
        if (!p) p = new_path(r, PATH_INDEX, d, ix, copy, at);
    }
    return p;
}

void read_entries(struct reader *r, struct entity_draft *d, const struct node *node, struct access_path *key,
                  struct copy *copy, const struct access_path *const **out, size_t *n_out)
{
    struct known known = { ARENA_ARRAY(r->a, struct key_template, r->n_keys), 0 }, *k = &known;
    bool judged[MODEL_MAX_INDEXES + 1] = { false };
    const struct access_path **list = ARENA_ARRAY(r->a, const struct access_path *, r->m->n_indexes);
    struct slice names[MODEL_MAX_INDEXES + 1];
    size_t n = 0;
    for (size_t i = 0; key && i < key->n_hash; i++) k->list[k->n++] = key->hash[i];
    for (size_t i = 0; key && i < key->n_sort; i++) k->list[k->n++] = key->sort[i];
    for (size_t i = 1; i < r->m->n_indexes; i++) names[i - 1] = r->indexes[i].name;
    for (const struct node *c = node ? node->first : NULL; c; c = c->next) {
        struct model_index *ix = find_index(r, c->name);
        if (!ix) {
            problem_add(r->ps, c->name_place,
                        hint_near(r, c->name, names, r->m->n_indexes - 1, "declare it under indexes:"),
                        "there is no index \"%.*s\"", SHOWN(c->name));
            continue;
        }
        judged[ix->number] = true;
        if (!field_fits(r, c, c->name, FIELD_MAP) || !ix->hash.n) continue;
        if (gather(r, d, c, ix, k)) judged[ix->number] = false;
    }
    for (const struct node *c = node ? node->first : NULL; c; c = c->next) {
        const struct model_index *ix = find_index(r, c->name);
        if (!ix || judged[ix->number]) continue;
        judged[ix->number] = true;
        /* Without a key that could be read, a missing template may be the key's. */
        const struct access_path *p = build(r, d, ix, k, copy, c->name_place, true, key && !d->broken);
        if (p) list[n++] = p;
    }
    /* DynamoDB puts an item into every index whose key attributes it has, whether that was meant or not. */
    *out = list;
    *n_out = n;
    for (size_t i = 1; key && i < r->m->n_indexes; i++) {
        if (judged[i] || !r->indexes[i].hash.n) continue;
        const struct access_path *p = build(r, d, &r->indexes[i], k, copy, key->place, false, false);
        if (p) list[(*n_out)++] = p;
    }
}
