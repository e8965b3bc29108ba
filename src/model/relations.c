/* relations.c: which entities belong to which others, told from what each is known by. See relations.h. */
#include "relations.h"

#define KNOWN_MAX 32

/* What an entity is known by: the attributes in its key. */
struct known {
    const struct entity *entity;
    struct slice list[KNOWN_MAX];
    size_t n;
};

static bool knows(const struct known *k, struct slice name)
{
    for (size_t i = 0; i < k->n; i++)
        if (slice_eq(k->list[i], name)) return true;
    return false;
}

static void know_side(struct known *k, const struct key_template *side, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct template *t = &side[i].template;
        for (size_t j = 0; j < t->n; j++)
            if (t->parts[j].hole && k->n < KNOWN_MAX && !knows(k, t->parts[j].text)) k->list[k->n++] = t->parts[j].text;
    }
}

/* Is everything that a is known by part of what b is known by? */
static bool within(const struct known *a, const struct known *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (!knows(b, a->list[i])) return false;
    return true;
}

struct slice relation_name(struct arena *a, struct slice entity, struct slice attribute)
{
    if (!slice_eq(attribute, SLICE("id")) && !slice_eq(attribute, SLICE("Id")) && !slice_eq(attribute, SLICE("ID"))) return attribute;
    uint8_t first = entity.p[0] >= 'A' && entity.p[0] <= 'Z' ? (uint8_t)(entity.p[0] + 32) : entity.p[0];
    return arena_printf(a, "%c%.*sId", first, (int)entity.n - 1, (const char *)entity.p + 1);
}

struct finder {
    struct arena *a;
    const struct model *m;
    struct known *known; /* by entity; names as others call them */
    struct relation *list;
    size_t n, cap;
};

static void add(struct finder *f, struct relation r)
{
    if (f->n == RELATIONS_MAX) return;
    if (f->n == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 16;
        struct relation *list = ARENA_ARRAY(f->a, struct relation, cap);
        if (f->n) memcpy(list, f->list, f->n * sizeof *list);
        f->list = list;
        f->cap = cap;
    }
    f->list[f->n++] = r;
}

/* Does b hold what a is known by, without being known by just that or less? */
static bool belongs(const struct known *a, const struct known *b)
{
    if (!a->n || a->entity == b->entity || within(b, a)) return false;
    for (size_t i = 0; i < a->n; i++)
        if (!entity_attribute(b->entity, a->list[i])) return false;
    return true;
}

/* Of several that are known by the same, such as a tenant and its subscription, the first stands for all. */
static bool is_first(const struct finder *f, const struct known *k)
{
    for (const struct known *x = f->known; x < k; x++)
        if (within(x, k) && within(k, x)) return false;
    return true;
}

/* A tenant's tasks are the tasks of its projects: tasks are known by their project, which is known by its tenant. */
static bool by_another(const struct finder *f, const struct known *a, const struct known *b)
{
    for (size_t i = 0; i < f->m->n_entities; i++) {
        const struct known *x = &f->known[i];
        if (x != a && x != b && within(a, x) && !within(x, a) && within(x, b) && belongs(x, b)) return true;
    }
    return false;
}

static void find_one_to_many(struct finder *f)
{
    for (size_t i = 0; i < f->m->n_entities && f->n < RELATIONS_MAX; i++) {
        const struct known *a = &f->known[i];
        if (!a->n || !is_first(f, a)) continue;
        for (size_t k = 0; k < f->m->n_entities; k++) {
            const struct known *b = &f->known[k];
            if (belongs(a, b) && !by_another(f, a, b))
                add(f, (struct relation){ .from = a->entity, .to = b->entity, .by = a->list, .n_by = a->n });
        }
    }
}

/* An entity that is known by what two others are known by, and by nothing else, is the relation of these two. */
static bool is_between(const struct finder *f, const struct relation *x, const struct relation *y)
{
    const struct known *a = &f->known[x->from->number], *b = &f->known[y->from->number], *t = &f->known[x->to->number];
    if (x->to != y->to || within(a, b) || within(b, a) || !within(a, t) || !within(b, t)) return false;
    for (size_t i = 0; i < t->n; i++)
        if (!knows(a, t->list[i]) && !knows(b, t->list[i])) return false;
    return true;
}

static void find_many_to_many(struct finder *f)
{
    size_t n = f->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (!is_between(f, &f->list[i], &f->list[k])) continue;
            const struct known *t = &f->known[f->list[i].to->number];
            add(f, (struct relation){ .from = f->list[i].from, .to = f->list[k].from, .through = t->entity, .by = t->list, .n_by = t->n });
        }
    }
}

size_t relations_find(struct arena *a, const struct model *m, const struct relation **out)
{
    struct finder f = { .a = a, .m = m, .known = ARENA_ARRAY(a, struct known, m->n_entities + 1) };
    for (size_t i = 0; i < m->n_entities; i++) {
        struct known *k = &f.known[i];
        k->entity = &m->entities[i];
        know_side(k, k->entity->key->hash, k->entity->key->n_hash);
        know_side(k, k->entity->key->sort, k->entity->key->n_sort);
        for (size_t j = 0; j < k->n; j++) k->list[j] = relation_name(a, k->entity->name, k->list[j]);
    }
    find_one_to_many(&f);
    find_many_to_many(&f);
    *out = f.list;
    return f.n;
}
