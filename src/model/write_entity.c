/* write_entity.c: the functions of write.h that write, as steps. */
#include "write_impl.h"

static int parse_condition(struct session *s, struct work *k, struct err *e)
{
    if (!k->step->condition.n) return 0;
    return where_parse(s->arena, k->entity, k->step->condition, s->env->now(s->env->ctx), &k->where,
                       e);
}

/* Removing an attribute that has a default gives it that value again: resolver and indexes rely on its being there. */
static const struct step *with_defaults(struct arena *a, const struct step *st)
{
    struct attribute_change *changes = ARENA_ARRAY(a, struct attribute_change, st->n_changes + 1);
    bool any = false;
    for (size_t i = 0; i < st->n_changes; i++) {
        changes[i] = st->changes[i];
        const struct attribute *at = entity_attribute(st->entity, changes[i].attribute);
        if (changes[i].kind != CHANGE_REMOVE || !at || !at->default_value.n) continue;
        changes[i].kind = CHANGE_SET;
        changes[i].value = at->default_value;
        any = true;
    }
    if (!any) return st;
    struct step *copy = ARENA_NEW(a, struct step);
    *copy = *st;
    copy->changes = changes;
    return copy;
}

static int write_one(struct session *s, const struct step *st, const struct write_options *o,
                     struct slice *result, struct err *e)
{
    struct work k = { .step = with_defaults(s->arena, st), .entity = st->entity };
    struct write w = { .s = s, .o = o, .works = &k, .n = 1, .alone = true };
    if (result) *result = slice_of(NULL, 0);
    int code = parse_condition(s, &k, e);
    if (!code) code = write_all(&w, e);
    if (!code && result) *result = k.result;
    return code;
}

int entity_put(struct session *s, const struct entity *en, struct slice attributes,
               const struct write_options *o, struct slice *result, struct err *e)
{
    struct step st = { .kind = STEP_PUT, .entity = en, .attributes = attributes };
    if (o) st.if_absent = o->if_absent;
    if (o) st.condition = o->condition;
    if (o) st.expected = o->expected;
    if (st.if_absent && (st.condition.n || st.expected.n)) {
        return err_set(e, ERR_ValidationException,
                       "a condition or expectation together with if-absent can never hold; give one");
    }
    return write_one(s, &st, o, result, e);
}

static int refuse_if_absent(const struct write_options *o, const char *what, struct err *e)
{
    if (!o || !o->if_absent) return 0;
    return err_set(e, ERR_ValidationException, "if-absent is for put; it means nothing for %s",
                   what);
}

int entity_update(struct session *s, const struct entity *en, struct slice key,
                  const struct attribute_change *changes, size_t n, const struct write_options *o,
                  struct slice *result, struct err *e)
{
    struct step st = {
        .kind = STEP_UPDATE, .entity = en, .attributes = key, .changes = changes, .n_changes = n
    };
    int code = refuse_if_absent(o, "update", e);
    if (code) return code;
    if (!n)
        return err_set(e, ERR_ValidationException, "%.*s: no change is given", SLICE_ARG(en->name));
    if (o) st.condition = o->condition;
    if (o) st.expected = o->expected;
    return write_one(s, &st, o, result, e);
}

int entity_delete(struct session *s, const struct entity *en, struct slice key,
                  const struct write_options *o, struct slice *old, struct err *e)
{
    struct step st = { .kind = STEP_DELETE, .entity = en, .attributes = key };
    int code = refuse_if_absent(o, "delete", e);
    if (code) return code;
    if (o) st.condition = o->condition;
    if (o) st.expected = o->expected;
    return write_one(s, &st, o, old, e);
}

int entities_transact(struct session *s, const struct step *steps, size_t n, struct slice token,
                      const struct write_options *o, struct err *e)
{
    struct write w = {
        .s = s, .o = o, .works = ARENA_ARRAY(s->arena, struct work, n), .n = n, .token = token
    };
    if (!n) return err_set(e, ERR_ValidationException, "there are no steps");
    if (n > WRITE_MAX_ACTIONS) {
        return err_set(e, ERR_ValidationException,
                       "there are %zu steps; a transaction has at most %d actions", n,
                       WRITE_MAX_ACTIONS);
    }
    for (size_t i = 0; i < n; i++) {
        w.works[i] = (struct work){ .step = with_defaults(s->arena, &steps[i]), .entity = steps[i].entity };
        int code = parse_condition(s, &w.works[i], e);
        if (code) return located(&w.works[i], e);
    }
    return write_all(&w, e);
}
