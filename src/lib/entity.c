/* entity.c: of_entity_put, of_entity_get, of_entity_update, of_entity_delete, of_entities_transact.
 */
#include "lib_model.h"
#include "../model/steps.h"

struct entity_call {
    const of_model *model;
    of_db *db;
    const char *entity;
    struct slice attributes; /* put: all; else the key */
    struct slice set, add, remove;
    const of_entity_options *options;
    struct slice expected; /* of the options */
    struct slice steps, token;
};

static struct write_options options_of(struct lib_work *w, const struct entity_call *c)
{
    const of_entity_options *o = c->options;
    if (!o) return (struct write_options){ .dry_run = false };
    return (struct write_options){ .if_absent = o->if_absent,
                                   .condition = lib_text(o->condition, -1),
                                   .expected = c->expected,
                                   .requests = o->requests ? &w->requests : NULL,
                                   .dry_run = o->dry_run };
}

static int run(const struct entity_call *c, int (*work)(struct lib_work *w), of_item **item,
               of_error *err)
{
    struct lib_outputs out = { .item = item, .requests = c->options ? c->options->requests : NULL };
    return lib_run(work, c, out, err);
}

static bool take_expected(struct entity_call *c)
{
    return !c->options || !c->options->expected || lib_item_bytes(c->options->expected, &c->expected);
}

static int put(struct lib_work *w)
{
    const struct entity_call *c = w->in;
    const struct entity *en;
    struct session s = lib_session(w, c->model, c->db);
    struct write_options o = options_of(w, c);
    int code = lib_entity(w, c->model, c->entity, &en);
    return code ? code : entity_put(&s, en, c->attributes, &o, &w->item, &w->e);
}

int of_entity_put(const of_model *model, of_db *db, const char *entity, const of_item *attributes,
                  const of_entity_options *options, of_item **result, of_error *err)
{
    struct entity_call c = { .model = model, .db = db, .entity = entity, .options = options };
    if (!lib_item_bytes(attributes, &c.attributes) || !take_expected(&c)) return lib_no_memory(err);
    return run(&c, put, result, err);
}

static int get(struct lib_work *w)
{
    const struct entity_call *c = w->in;
    const struct entity *en;
    struct session s = lib_session(w, c->model, c->db);
    struct write_options o = options_of(w, c);
    int code = lib_entity(w, c->model, c->entity, &en);
    return code ? code : entity_get(&s, en, c->attributes, &o, &w->item, &w->e);
}

int of_entity_get(const of_model *model, of_db *db, const char *entity, const of_item *key,
                  const of_entity_options *options, of_item **result, of_error *err)
{
    struct entity_call c = { .model = model, .db = db, .entity = entity, .options = options };
    if (!lib_item_bytes(key, &c.attributes)) return lib_no_memory(err);
    return run(&c, get, result, err);
}

static void add_changes(struct attribute_change *list, size_t *n, enum change_kind kind,
                        struct slice map)
{
    struct val_iter it;
    struct slice name, value;
    val_iter_init(&it, map);
    while (val_next(&it, &name, &value))
        list[(*n)++] = (struct attribute_change){ kind, name, value };
}

static int update(struct lib_work *w)
{
    const struct entity_call *c = w->in;
    const struct entity *en;
    struct session s = lib_session(w, c->model, c->db);
    struct write_options o = options_of(w, c);
    size_t n = 0, most = val_count(c->set) + val_count(c->add) + val_count(c->remove);
    struct attribute_change *changes = ARENA_ARRAY(&w->arena, struct attribute_change, most);
    add_changes(changes, &n, CHANGE_SET, c->set);
    add_changes(changes, &n, CHANGE_ADD, c->add);
    add_changes(changes, &n, CHANGE_REMOVE, c->remove);
    int code = lib_entity(w, c->model, c->entity, &en);
    return code ? code : entity_update(&s, en, c->attributes, changes, n, &o, &w->item, &w->e);
}

int of_entity_update(const of_model *model, of_db *db, const char *entity, const of_item *key,
                     const of_item *set, const of_item *add, const of_item *remove,
                     const of_entity_options *options, of_item **result, of_error *err)
{
    struct entity_call c = { .model = model, .db = db, .entity = entity, .options = options };
    if (!lib_item_bytes(key, &c.attributes) || !lib_item_bytes(set, &c.set) ||
        !lib_item_bytes(add, &c.add) || !lib_item_bytes(remove, &c.remove) || !take_expected(&c)) {
        return lib_no_memory(err);
    }
    return run(&c, update, result, err);
}

static int erase(struct lib_work *w)
{
    const struct entity_call *c = w->in;
    const struct entity *en;
    struct session s = lib_session(w, c->model, c->db);
    struct write_options o = options_of(w, c);
    int code = lib_entity(w, c->model, c->entity, &en);
    return code ? code : entity_delete(&s, en, c->attributes, &o, &w->item, &w->e);
}

int of_entity_delete(const of_model *model, of_db *db, const char *entity, const of_item *key,
                     const of_entity_options *options, of_item **old, of_error *err)
{
    struct entity_call c = { .model = model, .db = db, .entity = entity, .options = options };
    if (!lib_item_bytes(key, &c.attributes) || !take_expected(&c)) return lib_no_memory(err);
    return run(&c, erase, old, err);
}

static int transact(struct lib_work *w)
{
    const struct entity_call *c = w->in;
    struct session s = lib_session(w, c->model, c->db);
    struct write_options o = options_of(w, c);
    struct problems ps;
    const struct step *steps;
    size_t n;
    if (o.if_absent || o.condition.n || (c->options && c->options->expected)) {
        return err_set(&w->e, ERR_ValidationException,
                       "conditions of a transaction stand in its steps");
    }
    problems_init(&ps, &w->arena);
    if (!steps_read(&ps, c->model->model, SLICE("steps"), c->steps, &steps, &n))
        return lib_problem(&w->e, &ps);
    return entities_transact(&s, steps, n, c->token, &o, &w->e);
}

int of_entities_transact(const of_model *model, of_db *db, const char *steps, ptrdiff_t len,
                         const char *token, const of_entity_options *options, of_error *err)
{
    struct entity_call c = { .model = model,
                             .db = db,
                             .options = options,
                             .steps = lib_text(steps, len),
                             .token = lib_text(token, -1) };
    return run(&c, transact, NULL, err);
}
