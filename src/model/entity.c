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

struct filler {
    struct arena *a;
    const struct model *m;
    const struct entity *en;
    const struct model_env *env;
    int64_t now;
};

static struct slice fill(const struct filler *f, const struct attribute *list, size_t n_list, struct slice map,
                         bool top);

/* A map whose members are declared has them filled in too. As deep as the declarations. */
static struct slice fill_inside(const struct filler *f, const struct attribute *at, struct slice value)
{
    if (at->type != TYPE_M || !at->n_members || val_type(value) != TYPE_M) return value;
    return fill(f, at->members, at->n_members, value, false);
}

static const struct attribute *find(const struct attribute *list, size_t n, struct slice name)
{
    for (size_t i = 0; i < n; i++) {
        if (slice_eq(list[i].name, name)) return &list[i];
    }
    return NULL;
}

static struct slice fill(const struct filler *f, const struct attribute *list, size_t n_list, struct slice map,
                         bool top)
{
    static const struct model none;
    static const struct entity no_lock;
    size_t n = 0;
    struct attr *attrs = ARENA_ARRAY(f->a, struct attr, val_count(map) + n_list + 1);
    struct val_iter it;
    struct slice name, value;
    val_iter_init(&it, map);
    while (val_next(&it, &name, &value)) {
        const struct attribute *at = find(list, n_list, name);
        if (at && val_type(value) == TYPE_NULL) continue; /* the same as not given */
        attrs[n++] = (struct attr){ name, at ? fill_inside(f, at, value) : value };
    }
    for (size_t i = 0; i < n_list; i++) {
        if (val_get(map, list[i].name, &value) && val_type(value) != TYPE_NULL) continue;
        value = value_if_absent(f->a, top ? f->m : &none, top ? f->en : &no_lock, f->env, f->now, &list[i]);
        if (value.n) attrs[n++] = (struct attr){ list[i].name, fill_inside(f, &list[i], value) };
    }
    return make_map(f->a, attrs, n);
}

int entity_complete(struct arena *a, const struct model *m, const struct entity *en, const struct model_env *env,
                    struct slice attributes, struct slice *out, struct err *e)
{
    /* One reading of the clock, so that created and updated are the same. */
    struct filler f = { a, m, en, env, env->now(env->ctx) };
    *out = fill(&f, en->attributes, en->n_attributes, attributes, true);
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
