/* fuzz_model.c: any bytes as a model file. What is refused is refused at a place in the file and with words; what is
 * taken is complete: every name finds its part, every path hangs together, and reading it again gives the same. */
#include <stdlib.h>
#include "item/json.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) abort();                                                                         \
    } while (0)

static void check_side(const struct key_template *list, size_t n, const struct key_side *side)
{
    CHECK(n == side->n);
    for (size_t i = 0; i < n; i++) {
        CHECK(list[i].attribute == &side->attrs[i]);
        CHECK(list[i].template.n > 0 && list[i].template.delimiter.n > 0);
    }
}

static void check_path(const struct model *m, const struct access_path *p)
{
    CHECK(p == &m->paths[p->number]);
    CHECK(p->entity == &m->entities[p->entity->number]);
    CHECK(p->index == &m->indexes[p->index->number]);
    check_side(p->hash, p->n_hash, &p->index->hash);
    check_side(p->sort, p->n_sort, &p->index->sort);
}

static void check_attributes(const struct attribute *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CHECK(list[i].type != TYPE_NONE);
        CHECK(list[i].default_value.n == 0 || val_check(list[i].default_value));
        for (size_t k = 0; k < list[i].n_enumeration; k++) CHECK(val_check(list[i].enumeration[k]));
        check_attributes(list[i].members, list[i].n_members);
    }
}

static void check_model(const struct model *m)
{
    for (size_t i = 0; i < m->n_entities; i++) {
        const struct entity *en = &m->entities[i];
        CHECK(model_entity(m, en->name) == en);
        check_attributes(en->attributes, en->n_attributes);
        for (size_t k = 0; k < en->n_attributes; k++)
            CHECK(entity_attribute(en, en->attributes[k].name) == &en->attributes[k]);
        check_path(m, en->key);
        for (size_t k = 0; k < en->n_entries; k++) check_path(m, en->entries[k]);
        for (size_t c = 0; c < en->n_copies; c++) {
            check_path(m, en->copies[c].key);
            for (size_t k = 0; k < en->copies[c].n_entries; k++) check_path(m, en->copies[c].entries[k]);
        }
    }
    for (size_t i = 0; i < m->n_patterns; i++) {
        const struct pattern *p = &m->patterns[i];
        CHECK(model_pattern(m, p->name) == p && p->n_entities > 0);
        for (size_t k = 0; k < p->n_by; k++) CHECK(entity_attribute(p->entities[0], p->by[k].attribute));
        for (size_t k = 0; k < p->n_where; k++) CHECK(entity_attribute(p->entities[0], p->where[k].attribute));
    }
}

static void check_problems(struct arena *a, const struct problems *ps, size_t size)
{
    struct buf b;
    CHECK(ps->n > 0 && ps->first);
    for (const struct problem *p = ps->first; p; p = p->next) {
        CHECK(p->message.n > 0);
        CHECK(p->place.line >= 1 && p->place.column >= 1);
        CHECK(p->place.line <= size + 2 && p->place.column <= size + 2);
    }
    buf_init(&b, a, 64 << 20);
    problems_to_json(&b, ps);
    CHECK(json_parse(a, buf_view(&b), 8, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct problems ps;
    arena_init(&a, (size_t)256 << 20);
    problems_init(&ps, &a);
    struct model *m = model_read(&ps, SLICE("m.yaml"), slice_of(data, size));
    if (m) {
        check_model(m);
        struct model *again = model_read(&ps, SLICE("m.yaml"), slice_of(data, size));
        CHECK(again && again->fingerprint == m->fingerprint && again->n_paths == m->n_paths);
        model_free(again);
    } else {
        check_problems(&a, &ps, size);
    }
    model_free(m);
    arena_free(&a);
    return 0;
}
