/* indexes.c: rules about indexes: unused-index, many-indexes, projection-all. */
#include "lint.h"

#define MANY_INDEXES 5

static bool plan_reads(const struct plan *pl, const struct model_index *ix, const struct entity *en)
{
    if (pl->kind == PLAN_NONE || !pl->path || pl->path->index != ix) return false;
    if (!en || pl->path->entity == en) return true;
    for (size_t i = 0; i < pl->n_paths; i++) {
        if (pl->paths[i]->entity == en) return true;
    }
    return false;
}

/* en NULL: whatever it reads there. */
static bool is_read(const struct linter *l, const struct model_index *ix, const struct entity *en)
{
    for (size_t i = 0; i < l->model->n_patterns; i++) {
        if (plan_reads(&l->plans[i], ix, en)) return true;
    }
    return false;
}

static bool is_written(const struct model *m, const struct model_index *ix)
{
    for (size_t i = 0; i < m->n_paths; i++) {
        if (m->paths[i].kind == PATH_INDEX && m->paths[i].index == ix) return true;
    }
    return false;
}

void lint_unused_index(struct linter *l)
{
    const struct model *m = l->model;
    for (size_t i = 1; i < m->n_indexes; i++) {
        const struct model_index *ix = &m->indexes[i];
        if (!is_written(m, ix)) {
            lint_tell(l, ix->place, ix->name, SLICE("take it out, or write into it: entities.NAME.index"),
                      "no entity writes into %.*s", SLICE_ARG(ix->name));
        } else if (m->n_patterns && !is_read(l, ix, NULL)) {
            lint_tell(l, ix->place, ix->name, SLICE("take it out, or add the pattern that it is for"),
                      "no pattern is answered from %.*s, but every write to it is paid for", SLICE_ARG(ix->name));
        }
    }
}

/* Could one index stand for both: keys of the same make, and no entity in both? */
static bool could_be_one(const struct model *m, const struct model_index *a, const struct model_index *b)
{
    if (a->hash.n != 1 || b->hash.n != 1 || a->sort.n > 1 || a->sort.n != b->sort.n) return false;
    if (a->hash.attrs[0].type != b->hash.attrs[0].type || a->projection != b->projection) return false;
    if (a->sort.n && a->sort.attrs[0].type != b->sort.attrs[0].type) return false;
    if (a->projection == PROJECT_INCLUDE) return false;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        if (p->kind != PATH_INDEX || (p->index != a && p->index != b)) continue;
        for (size_t k = 0; k < path_n_keys(p); k++) {
            if (path_key(p, k)->natural) return false;
        }
        for (size_t j = i + 1; j < m->n_paths; j++) {
            const struct access_path *q = &m->paths[j];
            bool other = p->index == a ? q->index == b : q->index == a;
            if (q->kind == PATH_INDEX && other && q->entity == p->entity) return false;
        }
    }
    return true;
}

void lint_many_indexes(struct linter *l)
{
    const struct model *m = l->model;
    size_t global = 0;
    for (size_t i = 1; i < m->n_indexes; i++) global += !m->indexes[i].local;
    if (global > MANY_INDEXES) {
        lint_tell(l, m->indexes[1].place, m->table,
                  SLICE("let entities share indexes with generic names: each writes what it needs into GSI1PK and GSI1SK"),
                  "the table has %zu global indexes; every write is paid for again in each that holds the item", global);
    }
    for (size_t j = 2; j < m->n_indexes; j++) {
        const struct model_index *b = &m->indexes[j];
        for (size_t i = 1; i < j && !b->local; i++) {
            const struct model_index *a = &m->indexes[i];
            if (a->local || !is_written(m, a) || !is_written(m, b) || !could_be_one(m, a, b)) continue;
            lint_tell(l, b->place, b->name,
                      arena_printf(l->arena, "write the templates of %.*s into %.*s: one index, several questions",
                                   SLICE_ARG(b->name), SLICE_ARG(a->name)),
                      "no entity is in both %.*s and %.*s, so one of them would do", SLICE_ARG(a->name),
                      SLICE_ARG(b->name));
            break;
        }
    }
}

void lint_projection_all(struct linter *l)
{
    const struct model *m = l->model;
    for (size_t i = 0; i < m->n_paths && m->n_patterns; i++) {
        const struct access_path *p = &m->paths[i];
        if (p->kind != PATH_INDEX || p->index->projection != PROJECT_ALL) continue;
        /* An index that nobody reads is told once, by unused-index. */
        if (!is_read(l, p->index, NULL) || is_read(l, p->index, p->entity)) continue;
        lint_tell(l, p->place, p->index->name,
                  arena_printf(l->arena, "take %.*s out of %.*s, or state project: keys", SLICE_ARG(p->entity->name),
                               SLICE_ARG(p->index->name)),
                  "%.*s holds all of every %.*s (project: all), but no pattern reads %.*s from it",
                  SLICE_ARG(p->index->name), SLICE_ARG(p->entity->name), SLICE_ARG(p->entity->name));
    }
}
