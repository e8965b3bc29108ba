/* test_expr_util.h: expressions in, JSON or the error's text out, for the tests of src/expr.
 * Everything lives in one arena that each test program resets between tests. */
#ifndef OF_TEST_EXPR_UTIL_H
#define OF_TEST_EXPR_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "expr/expr.h"

static struct arena arena;
static struct err error;

static inline int setup(void **state)
{
    (void)state;
    arena_init(&arena, (size_t)64 << 20);
    error = (struct err){ .arena = &arena };
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static inline const char *cstr(struct slice s)
{
    return (const char *)arena_printf(&arena, "%.*s", SLICE_ARG(s)).p;
}

/* The message of a ValidationException; anything else is named. */
static inline const char *failed(int rc)
{
    assert_int_equal(rc, error.code);
    if (rc != ERR_ValidationException) return err_name(error.code);
    return cstr(error.message);
}

static inline const struct json *json(const char *text)
{
    if (!text) return NULL;
    const struct json *node = json_parse(&arena, slice_str(text), 100, NULL);
    assert_non_null(node);
    return node;
}

static inline struct slice item(const char *text)
{
    struct slice v;
    if (!text) return slice_of(NULL, 0);
    assert_int_equal(item_from_json(&arena, json(text), &v, &error), 0);
    assert_true(val_check(v));
    return v;
}

static inline const char *item_text(struct slice v)
{
    struct buf b;
    assert_true(val_check(v));
    buf_init(&b, &arena, 1 << 20);
    item_to_json(&b, v);
    return cstr(buf_view(&b));
}

static inline struct expr_env env_of(const char *names, const char *values)
{
    struct expr_env env;
    if (expr_env_init(&env, &arena, json(names), json(values), &error))
        fail_msg("%s", failed(error.code));
    return env;
}

#define OK "ok"

#endif
