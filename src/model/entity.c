/* entity.c: an entity's attributes made complete and checked. */
#include "entity_private.h"
#include "values_private.h"
#include "../base/ulid.h"

/* ---- what is filled in ---- */

/* ULIDs grow within the process. A clock that a test injects has a source of its own, which starts afresh with each new
 * environment: a process that has read the real clock must not push the times of a test forward. */
static struct ulid_source of_system = ULID_SOURCE_INIT;
static struct ulid_source of_others = ULID_SOURCE_INIT;
static pthread_mutex_t others_lock = PTHREAD_MUTEX_INITIALIZER;
static struct model_env others_env;

static void next_ulid(const struct model_env *env, char out[ULID_LENGTH])
{
    struct ulid_source *s = &of_system;
    if (env->now != model_env_system.now) {
        s = &of_others;
        pthread_mutex_lock(&others_lock);
        if (others_env.now != env->now || others_env.random != env->random || others_env.ctx != env->ctx) {
            others_env = *env;
            pthread_mutex_lock(&s->lock);
            s->pid = 0;
            pthread_mutex_unlock(&s->lock);
        }
        pthread_mutex_unlock(&others_lock);
    }
    ulid_next(s, env->now(env->ctx), env->random, env->ctx, out);
}

static struct slice now_value(struct arena *a, const struct attribute *at, int64_t now)
{
    if (at->type == TYPE_N) return val_make_number(a, at->time == TIME_EPOCH_MS ? now : now / 1000);
    struct slice iso = when_iso(a, now);
    if (at->time == TIME_DATE) iso.n = 10;
    return val_make_string(a, iso);
}

/* The value of an attribute that was not given; empty: it has none. */
static struct slice value_if_absent(struct arena *a, const struct model *m, const struct entity *en,
                                    const struct model_env *env, int64_t now, const struct attribute *at)
{
    char ulid[ULID_LENGTH], uuid[UUID_LENGTH];
    if (at->default_value.n) return at->default_value;
    switch (at->generate) {
    case GENERATE_ULID:
        next_ulid(env, ulid);
        return val_make_string(a, slice_of(ulid, sizeof ulid));
    case GENERATE_UUID:
        uuid_v4(env->random, env->ctx, uuid);
        return val_make_string(a, slice_of(uuid, sizeof uuid));
    case GENERATE_NOW:
        return now_value(a, at, now);
    default:
        break;
    }
    if (en->lock.n && slice_eq(at->name, en->lock)) return val_make_number(a, 1);
    if ((m->created.n && slice_eq(at->name, m->created)) || (m->updated.n && slice_eq(at->name, m->updated)))
        return now_value(a, at, now);
    return (struct slice){ 0 };
}

int entity_complete(struct arena *a, const struct model *m, const struct entity *en, const struct model_env *env,
                    struct slice attributes, struct slice *out, struct err *e)
{
    struct attr *attrs = ARENA_ARRAY(a, struct attr, val_count(attributes) + en->n_attributes + 1);
    int64_t now = env->now(env->ctx); /* once, so that created and updated are the same */
    struct val_iter it;
    struct slice name, value;
    size_t n = 0;
    val_iter_init(&it, attributes);
    while (val_next(&it, &name, &value)) {
        /* A declared attribute that is null is one that was not given. */
        if (val_type(value) == TYPE_NULL && entity_attribute(en, name)) continue;
        attrs[n++] = (struct attr){ name, value };
    }
    for (size_t i = 0; i < en->n_attributes; i++) {
        const struct attribute *at = &en->attributes[i];
        if (val_get(attributes, at->name, &value) && val_type(value) != TYPE_NULL) continue;
        value = value_if_absent(a, m, en, env, now, at);
        if (value.n) attrs[n++] = (struct attr){ at->name, value };
    }
    *out = make_map(a, attrs, n);
    return entity_check(m, en, *out, e);
}

/* ---- what is checked ---- */

static int undeclared(const struct model *m, const struct entity *en, struct slice name, struct err *e)
{
    struct arena *a = e->arena;
    if (model_is_key_attribute(m, name) || (m->entity_attribute.n && slice_eq(name, m->entity_attribute)) ||
        (m->schema_attribute.n && slice_eq(name, m->schema_attribute)))
        return err_set(e, ERR_ValidationException, "%.*s.%.*s: is written by the model; leave it out",
                       SLICE_ARG(en->name), SLICE_ARG(name));
    if (en->open) return 0;
    struct slice *names = ARENA_ARRAY(a, struct slice, en->n_attributes + 1);
    for (size_t i = 0; i < en->n_attributes; i++) names[i] = en->attributes[i].name;
    struct slice near = near_name(name, names, en->n_attributes);
    if (near.n)
        return err_set(e, ERR_ValidationException, "%.*s.%.*s: is not an attribute of %.*s; did you mean %.*s?",
                       SLICE_ARG(en->name), SLICE_ARG(name), SLICE_ARG(en->name), SLICE_ARG(near));
    return err_set(e, ERR_ValidationException,
                   "%.*s.%.*s: is not an attribute of %.*s; declare it in the model, or say `open: true` there",
                   SLICE_ARG(en->name), SLICE_ARG(name), SLICE_ARG(en->name));
}

int entity_check(const struct model *m, const struct entity *en, struct slice attributes, struct err *e)
{
    struct val_iter it;
    struct slice name, value;
    int rc = 0;
    val_iter_init(&it, attributes);
    while (!rc && val_next(&it, &name, &value)) {
        const struct attribute *at = entity_attribute(en, name);
        rc = at ? value_check(en, at, value, e) : undeclared(m, en, name, e);
    }
    for (size_t i = 0; !rc && i < en->n_attributes; i++) {
        const struct attribute *at = &en->attributes[i];
        if (at->required && !val_get(attributes, at->name, &value))
            rc = err_set(e, ERR_ValidationException, "%.*s.%.*s: is required, but is missing; give %.*s=...",
                         SLICE_ARG(en->name), SLICE_ARG(at->name), SLICE_ARG(at->name));
    }
    return rc;
}
