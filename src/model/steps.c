/* steps.c: reads the steps of a transaction. */
#include "steps.h"
#include "values.h"
#include "write_impl.h"

struct reader {
    struct problems *ps;
    const struct model *m;
};

/* What a step may hold. */
enum member {
    MEMBER_ATTRIBUTES = 1,
    MEMBER_KEY = 2,
    MEMBER_CHANGES = 4,
    MEMBER_IF = 8,
    MEMBER_ABSENT = 16
};

static const struct {
    const char *name;
    enum step_kind kind;
    unsigned members;
} kinds[] = {
    { "put", STEP_PUT, MEMBER_ATTRIBUTES | MEMBER_IF | MEMBER_ABSENT },
    { "update", STEP_UPDATE, MEMBER_KEY | MEMBER_CHANGES | MEMBER_IF },
    { "delete", STEP_DELETE, MEMBER_KEY | MEMBER_IF },
    { "check", STEP_CHECK, MEMBER_KEY | MEMBER_IF },
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static const struct {
    const char *name;
    enum member member;
} members[] = {
    { "attributes", MEMBER_ATTRIBUTES }, { "key", MEMBER_KEY },        { "set", MEMBER_CHANGES },
    { "add", MEMBER_CHANGES },           { "remove", MEMBER_CHANGES }, { "if", MEMBER_IF },
    { "ifAbsent", MEMBER_ABSENT },
};
#define N_MEMBERS (sizeof members / sizeof *members)

static size_t kind_of(struct slice name)
{
    size_t i = 0;
    while (i < N_KINDS && !slice_eq(name, slice_str(kinds[i].name)))
        i++;
    return i;
}

static void unknown_member(const struct reader *r, const struct node *n, const char *step)
{
    struct slice names[N_MEMBERS];
    for (size_t i = 0; i < N_MEMBERS; i++)
        names[i] = slice_str(members[i].name);
    struct slice near = near_name(n->name, names, N_MEMBERS);
    struct slice hint =
        near.n ? arena_printf(r->ps->arena, "did you mean %.*s?", SLICE_ARG(near)) : near;
    problem_add(r->ps, n->name_place, hint, "a step that begins with %s has no %.*s", step,
                SLICE_ARG(n->name));
}

/* The word that says what the step does; N_KINDS after a complaint. */
static size_t step_kind(const struct reader *r, const struct node *n, const struct node **named)
{
    size_t found = N_KINDS;
    for (const struct node *c = n->first; c; c = c->next) {
        size_t i = kind_of(c->name);
        if (i == N_KINDS) continue;
        if (found < N_KINDS) {
            problem_add(r->ps, c->name_place, SLICE("make two steps of it"),
                        "a step does one thing, not %s and %s", kinds[found].name, kinds[i].name);
            return N_KINDS;
        }
        found = i;
        *named = c;
    }
    if (found == N_KINDS) {
        problem_add(r->ps, n->place, SLICE("begin it like { put: Order, attributes: {...} }"),
                    "a step needs one of put, update, delete, check");
    }
    return found;
}

static const struct entity *entity_of(const struct reader *r, const struct node *named)
{
    const struct model *m = r->m;
    const struct entity *en = named->kind == NODE_SCALAR ? model_entity(m, named->text) : NULL;
    if (en) return en;
    if (named->kind != NODE_SCALAR) {
        problem_add(r->ps, named->place, slice_of(NULL, 0), "the name of an entity stands here");
        return NULL;
    }
    struct slice *names = ARENA_ARRAY(r->ps->arena, struct slice, m->n_entities);
    for (size_t i = 0; i < m->n_entities; i++)
        names[i] = m->entities[i].name;
    struct slice near = near_name(named->text, names, m->n_entities);
    struct slice hint =
        near.n ? arena_printf(r->ps->arena, "did you mean %.*s?", SLICE_ARG(near)) : near;
    problem_add(r->ps, named->place, hint, "the model has no entity %.*s", SLICE_ARG(named->text));
    return NULL;
}

static bool read_value(const struct reader *r, const struct entity *en, const struct node *n,
                       struct slice *out)
{
    struct err e = { .arena = r->ps->arena };
    const struct attribute *at = entity_attribute(en, n->name);
    if (!at && !en->open) {
        struct slice *names = ARENA_ARRAY(r->ps->arena, struct slice, en->n_attributes);
        for (size_t i = 0; i < en->n_attributes; i++)
            names[i] = en->attributes[i].name;
        struct slice near = near_name(n->name, names, en->n_attributes);
        struct slice hint =
            near.n ? arena_printf(r->ps->arena, "did you mean %.*s?", SLICE_ARG(near)) : near;
        problem_add(r->ps, n->name_place, hint, "%.*s has no attribute %.*s", SLICE_ARG(en->name),
                    SLICE_ARG(n->name));
        return false;
    }
    if (!value_from_node(r->ps->arena, at, n, out, &e)) return true;
    problem_add(r->ps, n->place, slice_of(NULL, 0), "%.*s.%.*s", SLICE_ARG(en->name), SLICE_ARG(e.message));
    return false;
}

/* A map of attributes to values. */
static bool read_attributes(const struct reader *r, const struct entity *en, const struct node *n,
                            struct slice *out)
{
    if (n->kind != NODE_MAP) {
        problem_add(r->ps, n->place, slice_of(NULL, 0),
                    "%.*s: a map of attributes to values is needed", SLICE_ARG(n->name));
        return false;
    }
    struct attr *attrs = ARENA_ARRAY(r->ps->arena, struct attr, n->count);
    size_t count = 0;
    bool good = true;
    for (const struct node *c = n->first; c; c = c->next, count++) {
        attrs[count].name = c->name;
        good = read_value(r, en, c, &attrs[count].value) && good;
    }
    if (good) *out = map_make(r->ps->arena, attrs, count);
    return good;
}

/* set and add: maps; remove: a list of names. */
static bool read_changes(const struct reader *r, const struct entity *en, const struct node *n,
                         struct step *st, struct attribute_change *changes)
{
    enum change_kind kind = slice_eq(n->name, SLICE("set"))   ? CHANGE_SET
                            : slice_eq(n->name, SLICE("add")) ? CHANGE_ADD
                                                              : CHANGE_REMOVE;
    if (n->kind != (kind == CHANGE_REMOVE ? NODE_LIST : NODE_MAP)) {
        problem_add(r->ps, n->place, slice_of(NULL, 0),
                    kind == CHANGE_REMOVE ? "%.*s: a list of names is needed"
                                          : "%.*s: a map of attributes to values is needed",
                    SLICE_ARG(n->name));
        return false;
    }
    bool good = true;
    for (const struct node *c = n->first; c; c = c->next) {
        struct attribute_change *change = &changes[st->n_changes++];
        *change =
            (struct attribute_change){ .kind = kind,
                                       .attribute = kind == CHANGE_REMOVE ? c->text : c->name };
        if (kind != CHANGE_REMOVE) {
            good = read_value(r, en, c, &change->value) && good;
        } else if (c->kind != NODE_SCALAR || !c->text.n) {
            problem_add(r->ps, c->place, slice_of(NULL, 0), "the name of an attribute stands here");
            good = false;
        }
    }
    return good;
}

static bool read_member(const struct reader *r, const struct node *c, enum member member,
                        struct step *st, struct attribute_change *changes)
{
    switch (member) {
    case MEMBER_ATTRIBUTES:
    case MEMBER_KEY:
        return read_attributes(r, st->entity, c, &st->attributes);
    case MEMBER_CHANGES:
        return read_changes(r, st->entity, c, st, changes);
    case MEMBER_IF:
        if (c->kind == NODE_SCALAR && c->text.n) {
            st->condition = c->text;
            return true;
        }
        problem_add(r->ps, c->place, SLICE("if: \"status = open\""), "a condition is a text");
        return false;
    case MEMBER_ABSENT:
        if (node_bool(c, &st->if_absent)) return true;
        problem_add(r->ps, c->place, slice_of(NULL, 0), "ifAbsent is true or false");
        return false;
    }
    return false;
}

static size_t count_changes(const struct node *n)
{
    const struct node *set = NODE_GET(n, "set"), *add = NODE_GET(n, "add"),
                      *remove = NODE_GET(n, "remove");
    return (set ? set->count : 0) + (add ? add->count : 0) + (remove ? remove->count : 0);
}

static bool complete(const struct reader *r, const struct node *n, const char *name, unsigned needs,
                     const struct step *st)
{
    if ((needs & (MEMBER_ATTRIBUTES | MEMBER_KEY)) && !st->attributes.n) {
        problem_add(r->ps, n->place, slice_of(NULL, 0), "%s needs %s: { name: value }", name,
                    needs & MEMBER_KEY ? "key" : "attributes");
        return false;
    }
    if ((needs & MEMBER_CHANGES) && !st->n_changes) {
        problem_add(r->ps, n->place, slice_of(NULL, 0), "update needs set, add or remove");
        return false;
    }
    if (st->if_absent && st->condition.n) {
        problem_add(r->ps, n->place, slice_of(NULL, 0),
                    "if together with ifAbsent can never hold; give one");
        return false;
    }
    return true;
}

static bool read_step(const struct reader *r, const struct node *n, struct step *st)
{
    const struct node *named = NULL;
    if (n->kind != NODE_MAP) {
        problem_add(r->ps, n->place, slice_of(NULL, 0),
                    "a step is a map such as { put: Order, attributes: {...} }");
        return false;
    }
    size_t kind = step_kind(r, n, &named);
    if (kind == N_KINDS || !(st->entity = entity_of(r, named))) return false;
    st->kind = kinds[kind].kind;
    st->place = n->place;
    struct attribute_change *changes =
        ARENA_ARRAY(r->ps->arena, struct attribute_change, count_changes(n) + 1);
    st->changes = changes;
    bool good = true;
    for (const struct node *c = n->first; c; c = c->next) {
        size_t i = 0;
        if (c == named) continue;
        while (i < N_MEMBERS && !slice_eq(c->name, slice_str(members[i].name)))
            i++;
        if (i < N_MEMBERS && (kinds[kind].members & members[i].member)) {
            good = read_member(r, c, members[i].member, st, changes) && good;
        } else {
            unknown_member(r, c, kinds[kind].name);
            good = false;
        }
    }
    return good && complete(r, n, kinds[kind].name, kinds[kind].members, st);
}

bool steps_read(struct problems *ps, const struct model *m, struct slice file, struct slice text,
                const struct step **out, size_t *n)
{
    struct reader r = { .ps = ps, .m = m };
    const struct node *root = node_read(ps, file, text);
    if (!root) return false;
    if (root->kind != NODE_LIST || !root->count) {
        problem_add(ps, root->place, SLICE("- { put: Order, attributes: {...} }"),
                    "a list of steps is needed");
        return false;
    }
    struct step *steps = ARENA_ARRAY(ps->arena, struct step, root->count);
    bool good = true;
    *n = 0;
    for (const struct node *c = root->first; c; c = c->next)
        good = read_step(&r, c, &steps[(*n)++]) && good;
    *out = steps;
    if (!good) problems_sort(ps);
    return good;
}
