/* expr.c: what expressions mean: paths, conditions, updates, projections. Written for being plain, from DynamoDB's documentation. */
#include "expr.h"
#include <stdlib.h>
#include <string.h>

static struct val *step_into(const struct val *v, const struct step *s)
{
    if (s->name) return v->type == V_M ? map_get(v, s->name) : NULL;
    return v->type == V_L && s->index < v->count ? v->at[s->index] : NULL;
}

struct val *path_get(const struct val *item, const struct path *p)
{
    struct val *v = item ? map_get(item, p->top) : NULL;
    for (size_t i = 0; v && i < p->n; i++) v = step_into(v, &p->steps[i]);
    return v;
}

/* ---- conditions ---- */

/* False: there is nothing to compare. */
static bool operand_get(const struct operand *o, const struct val *item, struct val *room, const struct val **out)
{
    const struct val *v = o->kind == OPERAND_VALUE ? o->value : path_get(item, &o->path);
    *out = v;
    if (!v || o->kind != OPERAND_SIZE) return v != NULL;
    if (v->type == V_N || v->type == V_BOOL || v->type == V_NULL) return false;
    *room = (struct val){ .type = V_N, .n = 100 * (int64_t)(v->type == V_S || v->type == V_B ? v->len : v->count) };
    *out = room;
    return true;
}

static bool ordered(const struct val *a, const struct val *b)
{
    return a->type == b->type && (a->type == V_S || a->type == V_N || a->type == V_B);
}

static bool compare(enum compare how, const struct val *a, const struct val *b)
{
    if (how == CMP_EQ) return val_equal(a, b);
    if (how == CMP_NE) return !val_equal(a, b);
    if (!ordered(a, b)) return false;
    int order = val_order(a, b);
    return how == CMP_LT ? order < 0 : how == CMP_LE ? order <= 0 : how == CMP_GT ? order > 0 : order >= 0;
}

static bool begins(const struct val *v, const struct val *with)
{
    return v->type == with->type && v->len >= with->len && memcmp(v->s, with->s, with->len) == 0;
}

static bool contains(const struct val *v, const struct val *what)
{
    if (v->type == V_S && what->type == V_S) return memmem(v->s, v->len, what->s, what->len) != NULL;
    return (v->type == V_L || v->type == V_SS || v->type == V_NS) && list_has(v, what);
}

bool cond_holds(const struct cond *c, const struct val *item)
{
    struct val room[2];
    const struct val *of, *with;
    if (c->kind == COND_AND) return cond_holds(c->left, item) && cond_holds(c->right, item);
    if (c->kind == COND_OR) return cond_holds(c->left, item) || cond_holds(c->right, item);
    if (c->kind == COND_NOT) return !cond_holds(c->left, item);
    bool there = operand_get(&c->of, item, &room[0], &of);
    if (c->kind == COND_EXISTS || c->kind == COND_MISSING) return there == (c->kind == COND_EXISTS);
    bool found = false;
    for (size_t i = 0; i < c->n; i++) {
        bool both = operand_get(&c->with[i], item, &room[1], &with) && there;
        bool holds = false;
        switch (c->kind) {
        case COND_COMPARE: holds = both ? compare(c->compare, of, with) : c->compare == CMP_NE; break;
        case COND_IN: holds = both && val_equal(of, with); break;
        case COND_BETWEEN: holds = both && compare(i ? CMP_LE : CMP_GE, of, with); break;
        case COND_TYPE: holds = both && strcmp(type_name(of->type), with->s) == 0; break;
        case COND_BEGINS: holds = both && begins(of, with); break;
        case COND_CONTAINS: holds = both && contains(of, with); break;
        default: abort();
        }
        if (c->kind == COND_BETWEEN && !holds) return false;
        found |= holds;
    }
    return found;
}

/* ---- updates ---- */

static struct val *term_get(const struct term *t, const struct val *old)
{
    struct val *v = t->kind == TERM_VALUE ? NULL : path_get(old, &t->path);
    return v || t->kind == TERM_PATH ? v : t->value;
}

static struct val *set_value(struct mem *m, const struct change *c, const struct val *old)
{
    struct val *a = term_get(&c->a, old);
    if (c->set == SET_TERM) return a ? val_copy(m, a) : NULL;
    struct val *b = term_get(&c->b, old);
    if (!a || !b || a->type != b->type) return NULL;
    if (c->set == SET_APPEND) {
        if (a->type != V_L) return NULL;
        struct val *list = val_copy(m, a);
        for (size_t i = 0; i < b->count; i++) list_add(m, list, val_copy(m, b->at[i]));
        return list;
    }
    if (a->type != V_N) return NULL;
    return val_number(m, c->set == SET_PLUS ? a->n + b->n : a->n - b->n);
}

/* What ADD leaves there; NULL: it cannot be added. */
static struct val *add_to(struct mem *m, const struct val *v, const struct val *operand)
{
    if (!v) return val_copy(m, operand);
    if (v->type != operand->type) return NULL;
    if (v->type == V_N) return val_number(m, v->n + operand->n);
    struct val *set = val_copy(m, v);
    for (size_t i = 0; i < operand->count; i++) {
        if (!list_has(set, operand->at[i])) list_add(m, set, val_copy(m, operand->at[i]));
    }
    return set;
}

static struct val *take_from(struct mem *m, const struct val *v, const struct val *operand)
{
    if (v->type != operand->type) return NULL;
    struct val *set = val_empty(m, v->type);
    for (size_t i = 0; i < v->count; i++) {
        if (!list_has(operand, v->at[i])) list_add(m, set, val_copy(m, v->at[i]));
    }
    return set;
}

/* The map or list that the path's last step is a member of. */
static struct val *parent_of(struct val *item, const struct path *p)
{
    if (!p->n) return item;
    struct path up = *p;
    up.n--;
    struct val *v = path_get(item, &up);
    return v && v->type == (p->steps[p->n - 1].name ? V_M : V_L) ? v : NULL;
}

/* v NULL: nothing is to be there. */
static void put_at(struct mem *m, struct val *parent, const struct path *p, struct val *v)
{
    const struct step *last = p->n ? &p->steps[p->n - 1] : NULL;
    const char *name = last ? last->name : p->top;
    if (name) {
        if (v) map_set(m, parent, name, v);
        else map_remove(parent, name);
    } else if (!v) {
        if (last->index < parent->count) list_remove(parent, last->index);
    } else if (last->index < parent->count) {
        parent->at[last->index] = v;
    } else {
        list_add(m, parent, v);
    }
}

static size_t last_index(const struct change *c)
{
    const struct path *p = &c->path;
    return p->n && !p->steps[p->n - 1].name ? p->steps[p->n - 1].index : 0;
}

/* What is set goes first, with lower indices before higher ones, so that what lies behind a list's end is appended in order; what is removed last,
 * from behind, so that all indices are those of the list as it was. */
static int by_turn(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    bool last_x = x->kind == CHANGE_REMOVE, last_y = y->kind == CHANGE_REMOVE;
    if (last_x != last_y) return last_x - last_y;
    size_t i = last_index(x), j = last_index(y);
    return last_x ? (i < j) - (i > j) : (i > j) - (i < j);
}

static bool change_apply(struct mem *m, const struct change *c, const struct val *old, struct val *item)
{
    struct val *parent = parent_of(item, &c->path), *there = path_get(old, &c->path), *v = NULL;
    if (c->kind == CHANGE_SET && !(v = set_value(m, c, old))) return false;
    if (c->kind == CHANGE_ADD && !(v = add_to(m, there, c->operand))) return false;
    if (c->kind == CHANGE_DELETE && there && !(v = take_from(m, there, c->operand))) return false;
    if (!parent) return !old && c->kind == CHANGE_REMOVE; /* from a new item anything may be removed */
    if (c->kind == CHANGE_DELETE || c->kind == CHANGE_REMOVE) {
        if (!there) return true;
        if (v && !v->count) v = NULL;
    }
    put_at(m, parent, &c->path, v);
    return true;
}

struct val *update_apply(struct mem *m, const struct update *u, const struct val *old, const struct val *key)
{
    struct val *item = val_copy(m, old ? old : key);
    struct update sorted = *u;
    qsort(sorted.changes, sorted.n, sizeof *sorted.changes, by_turn);
    for (size_t i = 0; i < sorted.n; i++) {
        if (!change_apply(m, &sorted.changes[i], old, item)) return NULL;
    }
    return item;
}

void update_paths(const struct update *u, struct path *paths)
{
    for (size_t i = 0; i < u->n; i++) paths[i] = u->changes[i].path;
}

/* ---- projections ---- */

/* Which of the paths go through this member, which is at this depth; those that end there have all of it. */
static struct val *project_member(struct mem *m, const struct path *paths, size_t n, size_t depth, const struct val *v)
{
    if (!n) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (paths[i].n == depth) return val_copy(m, v);
    }
    if (depth == MAX_STEPS - 1 || (v->type != V_M && v->type != V_L)) return NULL;
    struct val *out = val_empty(m, v->type);
    for (size_t k = 0; k < v->count; k++) {
        struct path through[MAX_PATHS];
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            const struct step *s = &paths[i].steps[depth];
            bool here = v->type == V_M ? s->name && !strcmp(s->name, v->names[k]) : !s->name && s->index == k;
            if (here) through[count++] = paths[i];
        }
        struct val *member = project_member(m, through, count, depth + 1, v->at[k]);
        if (!member) continue;
        if (v->type == V_M) map_set(m, out, v->names[k], member);
        else list_add(m, out, member);
    }
    return out->count ? out : NULL;
}

struct val *project(struct mem *m, const struct path *paths, size_t n, const struct val *item)
{
    struct val *out = val_empty(m, V_M);
    for (size_t k = 0; k < item->count; k++) {
        struct path through[MAX_PATHS];
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            if (!strcmp(paths[i].top, item->names[k])) through[count++] = paths[i];
        }
        struct val *member = project_member(m, through, count, 0, item->at[k]);
        if (member) map_set(m, out, item->names[k], member);
    }
    return out;
}
