/* engine_fixture.h: an engine on a memory store, asked in JSON, for the tests of operations. */
#ifndef OF_TESTS_ENGINE_FIXTURE_H
#define OF_TESTS_ENGINE_FIXTURE_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/buf.h"
#include "engine/engine.h"

struct fixture {
    struct store *store;
    struct engine *engine;
    struct arena arena; /* of the last call */
    struct arena text;  /* requests built by tests; kept until the end */
};

static inline void fixture_open_with(struct fixture *f, const struct store_options *o, const struct engine_options *eo)
{
    char message[256] = "";
    arena_init(&f->arena, (size_t)512 << 20);
    arena_init(&f->text, (size_t)512 << 20);
    if (store_open(&f->store, o, message, sizeof message)) fail_msg("store: %s", message);
    if (engine_open(&f->engine, f->store, eo, message, sizeof message)) {
        fail_msg("engine: %s", message);
    }
}

static inline void fixture_open(struct fixture *f, const struct store_options *o)
{
    fixture_open_with(f, o, &(struct engine_options){ 0 });
}

static void fixture_close(struct fixture *f)
{
    engine_close(f->engine);
    store_close(f->store);
    arena_free(&f->arena);
    arena_free(&f->text);
}

/* With the files in it. */
static inline void remove_directory(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    char file[512];
    while (dir && (entry = readdir(dir))) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        unlink(file);
    }
    if (dir) closedir(dir);
    rmdir(path);
}

/* The answer's bytes, followed by a NUL; good until the next call. */
static const char *ask_slice(struct fixture *f, const char *operation, struct slice body)
{
    struct call call = { 0 };
    arena_reset(&f->arena);
    if (!call_prepare(&call, f->engine, &f->arena, (struct caller){ 0 }, slice_str(operation),
                      body)) {
        call_run(&call);
    }
    struct slice answer = call_answer(&call);
    struct buf b;
    buf_init(&b, &f->arena, (size_t)256 << 20);
    buf_slice(&b, answer);
    buf_u8(&b, 0);
    call_end(&call);
    return (const char *)b.p;
}

__attribute__((format(printf, 3, 4))) static inline const char *
ask(struct fixture *f, const char *operation, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice body = arena_vprintf(&f->text, fmt, ap);
    va_end(ap);
    return ask_slice(f, operation, body);
}

/* The same for requests written with ' instead of ", which read better in C. */
__attribute__((format(printf, 3, 4))) static inline const char *
q(struct fixture *f, const char *operation, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice body = arena_vprintf(&f->text, fmt, ap);
    va_end(ap);
    uint8_t *p = (uint8_t *)(uintptr_t)body.p;
    for (size_t i = 0; i < body.n; i++) {
        if (p[i] == '\'') p[i] = '"';
    }
    return ask_slice(f, operation, body);
}

static inline void assert_holds(const char *answer, const char *part)
{
    assert_non_null(answer);
    if (!strstr(answer, part)) fail_msg("no %s in %.2000s", part, answer);
}

static inline void assert_lacks(const char *answer, const char *part)
{
    assert_non_null(answer);
    if (strstr(answer, part)) fail_msg("%s in %.2000s", part, answer);
}

#endif
