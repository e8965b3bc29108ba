/* clash.c: rules about entities beside each other: keys-clash, lonely-entity. */
#include "lint.h"

static struct slice leading_text(const struct template *t)
{
    return t->n && !t->parts[0].hole ? t->parts[0].text : SLICE("");
}

/* A cheap no for most pairs, since prefixes mostly differ in the first letters. */
static bool may_begin_alike(const struct template *a, const struct template *b)
{
    struct slice x = leading_text(a), y = leading_text(b);
    return slice_starts(x, y) || slice_starts(y, x);
}

static bool may_meet(const struct key_template *a, const struct key_template *b)
{
    if (!a->shards != !b->shards) return false; /* a shard is a part more */
    if (slice_eq(a->template.source, b->template.source)) return true;
    return may_begin_alike(&a->template, &b->template) &&
           template_may_meet(&a->template, a->template.n, &b->template);
}

static bool keys_may_meet(const struct access_path *a, const struct access_path *b)
{
    for (size_t i = 0; i < a->n_hash; i++) {
        if (!may_meet(&a->hash[i], &b->hash[i])) return false;
    }
    for (size_t i = 0; i < a->n_sort; i++) {
        if (!may_meet(&a->sort[i], &b->sort[i])) return false;
    }
    return true;
}

static struct slice path_words(struct arena *a, const struct access_path *p)
{
    if (!p->copy) return p->entity->name;
    return arena_printf(a, "the copy %.*s of %.*s", SLICE_ARG(p->copy->name), SLICE_ARG(p->entity->name));
}

static struct slice key_words(struct arena *a, const struct access_path *p)
{
    struct slice hash = p->hash[0].template.source;
    if (!p->n_sort) return hash;
    return arena_printf(a, "%.*s / %.*s", SLICE_ARG(hash), SLICE_ARG(p->sort[0].template.source));
}

static bool holds_unique(const struct access_path *p)
{
    for (size_t i = 0; i < p->entity->n_uniques; i++) {
        const struct unique *u = &p->entity->uniques[i];
        size_t n = 0;
        while (n < u->n && path_uses(p, u->attributes[n])) n++;
        if (n == u->n) return true;
    }
    return false;
}

/* Two entities with one copy between them: the key of the copy lacks what tells them apart. */
static void tell_shared_copy(struct linter *l, const struct access_path *p)
{
    const struct attribute *lacks = NULL;
    for (size_t i = 0; i < p->entity->n_attributes; i++) {
        const struct attribute *at = &p->entity->attributes[i];
        bool uses = path_uses(p, at->name);
        if (uses && (at->generate == GENERATE_ULID || at->generate == GENERATE_UUID)) return;
        if (!uses && !lacks && path_uses(p->entity->key, at->name)) lacks = at;
    }
    if (!lacks || holds_unique(p)) return;
    lint_tell(l, p->place, p->entity->name,
              arena_printf(l->arena, "put ${%.*s} into its key, or say under unique: what is in it and is unique",
                           SLICE_ARG(lacks->name)),
              "%.*s (%.*s) lacks %.*s, which the key of %.*s has: of two that differ in nothing else, one copy would overwrite "
              "the other", SLICE_ARG(path_words(l->arena, p)), SLICE_ARG(key_words(l->arena, p)), SLICE_ARG(lacks->name),
              SLICE_ARG(p->entity->name));
}

#define CLASHES_TOLD 3 /* of one key: a hundred entities with one key are a hundred findings, not five thousand */

void lint_keys_clash(struct linter *l)
{
    const struct model *m = l->model;
    for (size_t j = 0; j < m->n_paths; j++) {
        const struct access_path *q = &m->paths[j];
        if (q->kind == PATH_INDEX) continue;
        if (q->kind == PATH_COPY) tell_shared_copy(l, q);
        for (size_t i = 0, told = 0; i < j && told < CLASHES_TOLD; i++) {
            const struct access_path *p = &m->paths[i];
            if (p->kind == PATH_INDEX || !keys_may_meet(p, q)) continue;
            told++;
            lint_tell(l, q->place, q->entity->name,
                      SLICE("give each a prefix of its own in the sort key, such as ORDER# or #METADATA"),
                      "the keys of %.*s (%.*s) and %.*s (%.*s) cannot be told apart: one could overwrite the other",
                      SLICE_ARG(path_words(l->arena, p)), SLICE_ARG(key_words(l->arena, p)),
                      SLICE_ARG(path_words(l->arena, q)), SLICE_ARG(key_words(l->arena, q)));
        }
    }
}

/* ---- entities that have nothing to do with any other ---- */

/* Is a hole of one hash key a hole of the other: USER#${userId} and TIMELINE#${userId}? Then both are about one thing. */
static bool share_hole(const struct access_path *a, const struct access_path *b)
{
    for (size_t i = 0; i < a->n_hash; i++) {
        const struct template *t = &a->hash[i].template;
        for (size_t j = 0; j < t->n; j++) {
            if (!t->parts[j].hole || attribute_is_narrow(entity_attribute(a->entity, t->parts[j].text))) continue;
            for (size_t k = 0; k < b->n_hash; k++) {
                const struct template *u = &b->hash[k].template;
                for (size_t n = 0; n < u->n; n++) {
                    if (u->parts[n].hole && slice_eq(u->parts[n].text, t->parts[j].text)) return true;
                }
            }
        }
    }
    return false;
}

/* Two hash keys of which the partitions can be the same, in whatever index: CUST#c1 as a customer's key and as the
 * index key of its orders. A bare hole says nothing unless it is the same attribute. */
static bool partitions_meet(const struct access_path *a, const struct access_path *b)
{
    if (share_hole(a, b)) return true;
    if (a->n_hash != b->n_hash) return false;
    for (size_t i = 0; i < a->n_hash; i++) {
        const struct template *x = &a->hash[i].template, *y = &b->hash[i].template;
        if (x->whole || y->whole) {
            if (!x->whole || !y->whole || !slice_eq(x->parts[0].text, y->parts[0].text)) return false;
        } else if (!may_begin_alike(x, y) || !template_may_meet(x, x->n, y)) {
            return false;
        }
    }
    return true;
}

static void mark_patterns(const struct linter *l, bool *has_company)
{
    for (size_t i = 0; i < l->model->n_patterns; i++) {
        const struct pattern *p = &l->model->patterns[i];
        const struct plan *pl = &l->plans[i];
        for (size_t k = 0; k < p->n_entities && p->n_entities > 1; k++) has_company[p->entities[k]->number] = true;
        for (size_t k = 0; k < pl->n_paths && pl->n_paths > 1; k++) {
            if (pl->paths[k]->entity != pl->paths[0]->entity) {
                has_company[pl->paths[k]->entity->number] = has_company[pl->paths[0]->entity->number] = true;
            }
        }
    }
}

void lint_lonely_entity(struct linter *l)
{
    const struct model *m = l->model;
    bool *has_company = ARENA_ARRAY(l->arena, bool, m->n_entities + 1);
    if (m->n_entities < 2) return;
    mark_patterns(l, has_company);
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        for (size_t j = i + 1; j < m->n_paths; j++) {
            const struct access_path *q = &m->paths[j];
            if (q->entity == p->entity || (has_company[p->entity->number] && has_company[q->entity->number])) continue;
            if (partitions_meet(p, q)) has_company[p->entity->number] = has_company[q->entity->number] = true;
        }
    }
    for (size_t i = 0; i < m->n_entities; i++) {
        const struct entity *en = &m->entities[i];
        if (has_company[i]) continue;
        lint_tell(l, en->place, en->name, SLICE("give it a table of its own: docs/when-not.md"),
                  "%.*s shares no pattern and no partition with another entity, so one table gains it nothing",
                  SLICE_ARG(en->name));
    }
}
