/* write_change.c: single changes of an update: which are allowed, and what adding gives. */
#include "../item/item_json.h"
#include "values.h"
#include "write_update.h"

static int refuse(struct err *e, const struct entity *en, struct slice attribute, const char *why)
{
    return err_set(e, ERR_ValidationException, "%.*s.%.*s: %s", SLICE_ARG(en->name),
                   SLICE_ARG(attribute), why);
}

static bool is_set(enum val_type t)
{
    return t == TYPE_SS || t == TYPE_NS || t == TYPE_BS;
}

static int check_add(const struct entity *en, const struct attribute *at,
                     const struct attribute_change *c, struct err *e)
{
    enum val_type t = val_type(c->value);
    if (t != TYPE_N && !is_set(t))
        return refuse(e, en, c->attribute, "only a number or a set can be added");
    if (at && at->type != t) {
        return refuse(e, en, c->attribute,
                      is_set(at->type) ? "is a set, to which a set of its kind can be added"
                      : at->type == TYPE_N
                          ? "is a number, to which a number can be added"
                          : "is neither a number nor a set, so nothing can be added to it");
    }
    return 0;
}

static int unknown(struct arena *a, const struct entity *en, struct slice name, struct err *e)
{
    struct slice *names = ARENA_ARRAY(a, struct slice, en->n_attributes);
    for (size_t i = 0; i < en->n_attributes; i++)
        names[i] = en->attributes[i].name;
    struct slice near = near_name(name, names, en->n_attributes);
    return err_set(e, ERR_ValidationException, "%.*s has no attribute %.*s%s%.*s%s",
                   SLICE_ARG(en->name), SLICE_ARG(name), near.n ? "; did you mean " : "",
                   SLICE_ARG(near), near.n ? "?" : "");
}

int change_check(struct arena *a, const struct model *m, const struct work *k, size_t i,
                 struct err *e)
{
    const struct entity *en = k->entity;
    const struct attribute_change *c = &k->step->changes[i];
    const struct attribute *at = entity_attribute(en, c->attribute);
    for (size_t j = 0; j < i; j++) {
        if (slice_eq(k->step->changes[j].attribute, c->attribute)) {
            return refuse(e, en, c->attribute, "is changed twice in one update");
        }
    }
    if (en->lock.n && slice_eq(c->attribute, en->lock)) {
        if (c->kind == CHANGE_SET && val_type(c->value) == TYPE_N) return 0;
        return refuse(e, en, c->attribute,
                      "counts versions by itself; give the version that you read, or nothing");
    }
    if (at && at->automatic)
        return refuse(e, en, c->attribute, "is written by the model and cannot be given");
    if (!at &&
        (model_is_key_attribute(m, c->attribute) || slice_eq(c->attribute, m->entity_attribute) ||
         slice_eq(c->attribute, m->schema_attribute))) {
        return refuse(e, en, c->attribute,
                      "is computed by the model; change the attributes that it is made from");
    }
    if (!at && !en->open) return unknown(a, en, c->attribute, e);
    switch (c->kind) {
    case CHANGE_REMOVE:
        return at && at->required ? refuse(e, en, c->attribute, "is required and cannot be removed")
                                  : 0;
    case CHANGE_ADD:
        return check_add(en, at, c, e);
    case CHANGE_SET:
        break;
    }
    return at ? value_check(en, at, c->value, e) : 0;
}

static struct slice unite(struct arena *a, struct slice x, struct slice y)
{
    struct slice *members = ARENA_ARRAY(a, struct slice, val_count(x) + val_count(y));
    struct slice name, member;
    struct val_iter it;
    struct buf b;
    size_t n = 0;
    val_iter_init(&it, x);
    while (val_next(&it, &name, &members[n]))
        n++;
    val_iter_init(&it, y);
    while (val_next(&it, &name, &member)) {
        if (!val_set_has(x, member)) members[n++] = member;
    }
    buf_init(&b, a, WRITE_TEXT_MAX);
    val_put_set(&b, val_type(x), members, n);
    return buf_view(&b);
}

int change_sum(struct arena *a, const struct entity *en, const struct attribute_change *c,
               struct slice is, struct slice *out, struct err *e)
{
    struct num sum;
    struct buf b;
    if (val_type(is) != val_type(c->value)) {
        return refuse(e, en, c->attribute,
                      "the stored value is of another type, so nothing can be added to it");
    }
    if (val_type(is) != TYPE_N) {
        *out = unite(a, is, c->value);
        return 0;
    }
    enum num_status status = num_add(val_content(is), val_content(c->value), &sum);
    if (status) return num_error(e, status, slice_of(NULL, 0));
    buf_init(&b, a, NUM_MAX_BYTES + 64);
    val_put_number(&b, slice_of(sum.bytes, sum.n));
    *out = buf_view(&b);
    return 0;
}
