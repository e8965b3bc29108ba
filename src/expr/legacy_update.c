/* legacy_update.c: AttributeUpdates as an update. */
#include "legacy.h"
#include "update.h"

#define INVALID "One or more parameter values were invalid: "

static bool is_set(enum val_type t)
{
    return t == TYPE_SS || t == TYPE_NS || t == TYPE_BS;
}

static int read_action(const struct json *m, enum action_kind *kind, struct err *e)
{
    const struct json *action = LEGACY_MEMBER(m, "Action");
    struct slice word = action ? action->text : SLICE("PUT");
    if (slice_eq(word, SLICE("PUT")))
        *kind = ACTION_SET;
    else if (slice_eq(word, SLICE("ADD")))
        *kind = ACTION_ADD;
    else if (slice_eq(word, SLICE("DELETE")))
        *kind = ACTION_DELETE;
    else
        return err_set(
            e, ERR_ValidationException,
            "1 validation error detected: Value '%.*s' at 'attributeUpdates.%.*s.member.action' "
            "failed to satisfy constraint: Member must satisfy enum value set: [ADD, PUT, "
            "DELETE]",
            SLICE_ARG(word), SLICE_ARG(m->name));
    return 0;
}

static int check_operand(enum action_kind kind, struct slice v, struct err *e)
{
    enum val_type t = val_type(v);
    if (kind == ACTION_DELETE && !is_set(t))
        return err_set(e, ERR_ValidationException,
                       INVALID "DELETE action with value is not supported for the type %s",
                       val_type_name(t));
    if (kind == ACTION_ADD && !is_set(t) && t != TYPE_N && t != TYPE_L)
        return err_set(e, ERR_ValidationException,
                       INVALID "ADD action is not supported for the type %s", val_type_name(t));
    return 0;
}

static struct node *value_node(struct arena *a, struct slice v)
{
    struct node *n = ARENA_NEW(a, struct node);
    n->kind = NODE_VALUE;
    n->value = v;
    return n;
}

static int read_update(struct arena *a, const struct json *m, struct action *out, struct err *e)
{
    struct slice v;
    enum action_kind kind = ACTION_SET;
    if (m->type != JSON_OBJECT)
        return err_set(e, ERR_SerializationException, "Unexpected value type in payload");
    int rc = attr_name_check(m->name, e);
    if (!rc) rc = read_action(m, &kind, e);
    if (rc) return rc;
    *out = (struct action){ .kind = kind, .path = legacy_path(a, m->name), .legacy = true };
    const struct json *value = LEGACY_MEMBER(m, "Value");
    if (!value) {
        out->kind = ACTION_REMOVE;
        if (kind == ACTION_DELETE) return 0;
        return err_set(e, ERR_ValidationException,
                       INVALID
                       "Only DELETE action is allowed when no attribute value is specified");
    }
    rc = val_from_json(a, value, &v, e);
    if (!rc) rc = check_operand(kind, v, e);
    if (rc) return rc;
    if (kind == ACTION_SET)
        out->value = value_node(a, v);
    else
        out->operand = v;
    return 0;
}

int legacy_attribute_updates(struct arena *a, const struct json *updates, struct update **out,
                             struct err *e)
{
    struct update *u = *out = ARENA_NEW(a, struct update);
    if (updates && updates->type == JSON_NULL) updates = NULL;
    if (updates && updates->type != JSON_OBJECT)
        return err_set(e, ERR_SerializationException, "Unexpected field type");
    u->actions = ARENA_ARRAY(a, struct action, updates ? updates->count : 0);
    for (const struct json *m = updates ? updates->first : NULL; m; m = m->next) {
        int rc = read_update(a, m, &u->actions[u->n++], e);
        if (rc) return rc;
    }
    return update_finish(u, a, NULL, e);
}
