/* env.c: ExpressionAttributeNames and ExpressionAttributeValues. The placeholders are kept in byte
 * order so that a request with thousands of them is not searched from the front each time. */
#include "expr.h"
#include <stdlib.h>

#define FEW 16

static bool key_valid(struct slice key, uint8_t first)
{
    if (key.n < 2 || key.p[0] != first) return false;
    for (size_t i = 1; i < key.n; i++) {
        uint8_t c = key.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
    }
    return true;
}

static int by_key(const void *x, const void *y)
{
    const struct expr_placeholder *a = x, *b = y;
    int c = slice_cmp(a->key, b->key);
    return c ? c : (a->key.p > b->key.p) - (a->key.p < b->key.p);
}

/* By insertion, for few: qsort would ask for more, and for memory. */
static void sort_few(struct expr_placeholder *list, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct expr_placeholder one = list[i];
        size_t at = i;
        for (; at > 0 && by_key(&list[at - 1], &one) > 0; at--) list[at] = list[at - 1];
        list[at] = one;
    }
}

/* Sorts, and of two with the same key keeps the one written later. */
static size_t settle(struct expr_placeholder *list, size_t n)
{
    size_t kept = 0;
    if (n <= FEW)
        sort_few(list, n);
    else
        qsort(list, n, sizeof(*list), by_key);
    for (size_t i = 0; i < n; i++) {
        if (kept && slice_eq(list[kept - 1].key, list[i].key)) kept--;
        list[kept++] = list[i];
    }
    return kept;
}

static int check_key(struct slice key, const char *what, char first, struct err *e)
{
    if (key.n > EXPR_MAX_PLACEHOLDER && first == '#')
        return err_set(e, ERR_ValidationException,
                       "%s contains invalid key: The expression attribute map contains a key that "
                       "is too long; size of key: %zu",
                       what, key.n);
    if (key.n > EXPR_MAX_PLACEHOLDER) /* of values the service does not tell the size */
        return err_set(e, ERR_ValidationException,
                       "%s contains invalid key: The expression attribute map contains a key that "
                       "is too long;",
                       what);
    if (key_valid(key, first)) return 0;
    return err_set(e, ERR_ValidationException,
                   "%s contains invalid key: Syntax error; key: \"%.*s\"", what, SLICE_ARG(key));
}

static int check_keys(const struct json *map, const char *what, char first, struct err *e)
{
    if (map->type != JSON_OBJECT)
        return err_set(e, ERR_SerializationException, "Unexpected field type");
    if (!map->first) return err_set(e, ERR_ValidationException, "%s must not be empty", what);
    for (const struct json *m = map->first; m; m = m->next) {
        int rc = check_key(m->name, what, first, e);
        if (rc) return rc;
    }
    return 0;
}

static int read_names(struct expr_env *env, const struct json *map, size_t *bytes, struct err *e)
{
    int rc = check_keys(map, "ExpressionAttributeNames", '#', e);
    if (rc) return rc;
    env->has_names = true;
    env->names = ARENA_ARRAY(env->arena, struct expr_placeholder, map->count);
    for (const struct json *m = map->first; m; m = m->next) {
        if (m->type != JSON_STRING)
            return err_set(e, ERR_SerializationException,
                           "Start of structure or map found where not expected");
        if (attr_name_check(m->text, e))
            return err_set(e, ERR_ValidationException,
                           "ExpressionAttributeNames contains invalid value: %.*s for key %.*s",
                           SLICE_ARG(e->message), SLICE_ARG(m->name));
        env->names[env->n_names++] = (struct expr_placeholder){ .key = m->name, .value = m->text };
        *bytes += m->name.n + m->text.n;
    }
    env->n_names = settle(env->names, env->n_names);
    return 0;
}

static int read_values(struct expr_env *env, const struct json *map, size_t *bytes, struct err *e)
{
    int rc = check_keys(map, "ExpressionAttributeValues", ':', e);
    if (rc) return rc;
    env->has_values = true;
    env->values = ARENA_ARRAY(env->arena, struct expr_placeholder, map->count);
    for (const struct json *m = map->first; m; m = m->next) {
        struct slice v;
        rc = operand_from_json(env->arena, m, &v, e);
        if (rc == ERR_ValidationException)
            return err_set(e, ERR_ValidationException,
                           "ExpressionAttributeValues contains invalid value: %.*s for key %.*s",
                           SLICE_ARG(e->message), SLICE_ARG(m->name));
        if (rc) return rc;
        env->values[env->n_values++] = (struct expr_placeholder){ .key = m->name, .value = v };
        *bytes += m->name.n + val_size(v);
    }
    env->n_values = settle(env->values, env->n_values);
    return 0;
}

int expr_env_init(struct expr_env *env, struct arena *a, const struct json *names,
                  const struct json *values, struct err *e)
{
    *env = (struct expr_env){ .arena = a };
    size_t bytes = 0;
    int rc = 0;
    if (names && names->type != JSON_NULL) rc = read_names(env, names, &bytes, e);
    if (!rc && values && values->type != JSON_NULL) rc = read_values(env, values, &bytes, e);
    if (!rc && bytes > EXPR_MAX_ENV_BYTES)
        rc = err_set(
            e, ERR_ValidationException,
            "Size of ExpressionAttributeNames and ExpressionAttributeValues has exceeded the "
            "maximum allowed size; size: %zu",
            bytes);
    return rc;
}

static int check_used(struct arena *a, const struct expr_placeholder *list, size_t n,
                      const char *what, struct err *e)
{
    struct buf b;
    buf_init(&b, a, SIZE_MAX / 2);
    for (size_t i = 0; i < n; i++) {
        if (list[i].used) continue;
        if (b.n) BUF_LIT(&b, ", ");
        buf_slice(&b, list[i].key);
    }
    if (!b.n) return 0;
    return err_set(e, ERR_ValidationException,
                   "Value provided in %s unused in expressions: keys: {%.*s}", what,
                   SLICE_ARG(buf_view(&b)));
}

int expr_env_check_unused(const struct expr_env *env, struct err *e)
{
    int rc = check_used(env->arena, env->names, env->n_names, "ExpressionAttributeNames", e);
    if (rc) return rc;
    return check_used(env->arena, env->values, env->n_values, "ExpressionAttributeValues", e);
}
