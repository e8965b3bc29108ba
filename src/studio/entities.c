/* entities.c: entities written from the pages, guarded against overwriting what somebody else wrote: PutEntity, UpdateEntity,
 * DeleteEntity. */
#include "operations.h"
#include "../item/item_json.h"
#include "../item/value.h"

/* What the three calls share. */
struct entity_write {
    of_model *model;
    const char *entity;
    bool typed; /* attributes come in DynamoDB JSON */
    of_item *expected;
    of_entity_options options;
    of_answer *requests;
};

/* DynamoDB JSON says itself what every value is: a set that the model does not declare stays one. */
static int take_typed(struct studio_call *c, const struct json *m, of_item **out)
{
    struct slice encoded, name, value;
    struct val_iter it;
    int rc = item_from_json(c->arena, m, &encoded, &c->err);
    if (rc) return rc;
    if (!(*out = call_item(c))) return (int)c->err.code;
    val_iter_init(&it, encoded);
    while (val_next(&it, &name, &value)) {
        if (of_item_set_value(*out, (const char *)name.p, (ptrdiff_t)name.n, (of_value){ value.p, value.n, 0 }))
            return err_set(&c->err, ERR_InternalServerError, "out of memory");
    }
    return 0;
}

/* A member that is an object of attributes; missing: NULL. */
static int take_item(struct studio_call *c, const struct entity_write *w, const char *name, bool required, of_item **out)
{
    const struct json *m = call_member(c, name);
    struct buf text;
    *out = NULL;
    if (!m) {
        return required ? err_set(&c->err, ERR_ValidationException, "%s is missing", name) : 0;
    }
    if (m->type != JSON_OBJECT)
        return err_set(&c->err, ERR_ValidationException, "%s must be an object of attributes", name);
    if (w->typed) return take_typed(c, m, out);
    buf_init(&text, c->arena, STUDIO_ANSWER_MAX);
    json_put(&text, m);
    if (of_entity_from_json(w->model, w->entity, (const char *)text.p, (ptrdiff_t)text.n, out, &c->of)) return call_failed(c);
    call_own_item(c, *out);
    return 0;
}

/* A list of names, as an item whose names they are. */
static int take_names(struct studio_call *c, const char *name, of_item **out)
{
    const struct json *m = call_member(c, name);
    *out = NULL;
    if (!m) return 0;
    if (m->type != JSON_ARRAY) return err_set(&c->err, ERR_ValidationException, "%s must be a list of names", name);
    if (!(*out = call_item(c))) return (int)c->err.code;
    for (const struct json *n = m->first; n; n = n->next) {
        if (n->type != JSON_STRING || of_item_set_null(*out, (const char *)n->text.p, (ptrdiff_t)n->text.n))
            return err_set(&c->err, ERR_ValidationException, "%s must be a list of names", name);
    }
    return 0;
}

static int begin(struct studio_call *c, struct entity_write *w)
{
    int rc = call_string(c, "Entity", true, &w->entity);
    if (!rc) rc = call_bool(c, "IfAbsent", &w->options.if_absent);
    if (!rc) rc = call_bool(c, "Typed", &w->typed);
    if (!rc) rc = call_model(c, &w->model);
    if (!rc) rc = take_item(c, w, "Expected", false, &w->expected);
    w->options.expected = w->expected;
    w->options.requests = &w->requests;
    return rc;
}

/* The item, which the call owns, as a member; or null where there is none. */
static int put_item(struct studio_call *c, const struct entity_write *w, of_item *item)
{
    of_answer *plain;
    if (!item) {
        js_name(&c->out, "Item");
        BUF_LIT(&c->out, "null");
        return 0;
    }
    if (of_entity_to_json(w->model, w->entity, item, &plain, &c->of)) return call_failed(c);
    call_put(c, "Item", plain);
    return 0;
}

/* Who is told that somebody else was there first is shown what that one wrote: the error's Item. */
static int refused(struct studio_call *c, const struct entity_write *w, const of_item *key)
{
    of_item *now;
    struct buf detail;
    int rc = call_failed(c);
    if (rc != ERR_ConditionalCheckFailedException || !w->expected) return rc;
    if (of_entity_get(w->model, c->studio->o.db, w->entity, key, NULL, &now, &c->of)) return rc;
    call_own_item(c, now);
    int trouble = put_item(c, w, now); /* nothing else is in the answer yet */
    if (trouble) return trouble;
    buf_init(&detail, c->arena, STUDIO_ANSWER_MAX);
    buf_u8(&detail, ',');
    buf_slice(&detail, buf_view(&c->out));
    c->err.detail = buf_view(&detail);
    return rc;
}

/* key: what the entity is found by. */
static int finish(struct studio_call *c, const struct entity_write *w, int failed, of_item *item, const of_item *key)
{
    if (failed) return refused(c, w, key);
    struct slice requests = call_keep(c, w->requests);
    call_own_item(c, item);
    js_open(&c->out, NULL, '{');
    int rc = put_item(c, w, item);
    if (rc) return rc;
    js_name(&c->out, "Requests");
    buf_slice(&c->out, requests);
    js_close(&c->out, '}');
    return 0;
}

int put_entity(struct studio_call *c)
{
    struct entity_write w = { 0 };
    of_item *attributes, *item;
    int rc = begin(c, &w);
    if (!rc) rc = take_item(c, &w, "Attributes", true, &attributes);
    if (rc) return rc;
    int failed = of_entity_put(w.model, c->studio->o.db, w.entity, attributes, &w.options, &item, &c->of);
    return finish(c, &w, failed, item, attributes);
}

int update_entity(struct studio_call *c)
{
    struct entity_write w = { 0 };
    of_item *key, *set, *remove, *item;
    int rc = begin(c, &w);
    if (!rc) rc = take_item(c, &w, "Key", true, &key);
    if (!rc) rc = take_item(c, &w, "Set", false, &set);
    if (!rc) rc = take_names(c, "Remove", &remove);
    if (rc) return rc;
    int failed = of_entity_update(w.model, c->studio->o.db, w.entity, key, set, NULL, remove, &w.options, &item, &c->of);
    return finish(c, &w, failed, item, key);
}

int delete_entity(struct studio_call *c)
{
    struct entity_write w = { 0 };
    of_item *key, *old;
    int rc = begin(c, &w);
    if (!rc) rc = take_item(c, &w, "Key", true, &key);
    if (rc) return rc;
    int failed = of_entity_delete(w.model, c->studio->o.db, w.entity, key, &w.options, &old, &c->of);
    return finish(c, &w, failed, old, key);
}
