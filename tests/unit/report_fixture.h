/* report_fixture.h: a model from text (and sample data from another), and reports about it, for the tests of reports. */
#ifndef OF_TESTS_REPORT_FIXTURE_H
#define OF_TESTS_REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "model/report.h"

static struct arena arena;
static struct model *model; /* of the test that runs */
static struct err error;
static char directory[64];  /* of its files; empty: none */

__attribute__((unused)) static void write_file(const char *name, const char *text, char path[128])
{
    if (!directory[0]) {
        snprintf(directory, sizeof directory, "/tmp/onefold-report-XXXXXX");
        assert_non_null(mkdtemp(directory));
    }
    snprintf(path, 128, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void forget(void)
{
    static const char *const names[] = { "data.yaml", "model.yaml", "prices.yaml" };
    char path[128];
    model_free(model);
    model = NULL;
    for (size_t i = 0; i < 3 && directory[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    if (directory[0]) rmdir(directory);
    directory[0] = 0;
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, (size_t)256 << 20);
    error = (struct err){ .arena = &arena };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    forget();
    arena_free(&arena);
    return 0;
}

static void fail_with(const struct problems *ps)
{
    struct buf b;
    buf_init(&b, &arena, (size_t)1 << 20);
    problems_to_json(&b, ps);
    fail_msg("the model is not valid: %.*s", SLICE_ARG(buf_view(&b)));
}

__attribute__((unused)) static const struct model *read_model(const char *text)
{
    struct problems ps;
    forget();
    problems_init(&ps, &arena);
    model = model_read(&ps, SLICE("model.yaml"), slice_of(arena_dup(&arena, slice_str(text)).p, strlen(text)));
    if (!model) fail_with(&ps);
    return model;
}

/* The model must say `data: data.yaml`. */
__attribute__((unused)) static const struct model *read_model_with(const char *text, const char *data)
{
    char path[128];
    struct problems ps;
    forget();
    write_file("data.yaml", data, path);
    write_file("model.yaml", text, path);
    problems_init(&ps, &arena);
    model = model_load(&ps, path);
    if (!model) fail_with(&ps);
    return model;
}

static struct buf report_buf;

static struct reporter reporter(void)
{
    buf_init(&report_buf, &arena, (size_t)64 << 20);
    error = (struct err){ .arena = &arena };
    return (struct reporter){ model, &model_env_system, &arena, &report_buf, &error };
}

/* The report's text, terminated. */
static const char *report_text(int rc)
{
    if (rc) fail_msg("error: %.*s", SLICE_ARG(error.message));
    buf_u8(&report_buf, 0);
    return (const char *)report_buf.p;
}

__attribute__((unused)) static const struct json *report_json(int rc)
{
    report_text(rc);
    const struct json *n = json_parse(&arena, slice_of(report_buf.p, report_buf.n - 1), 64, NULL);
    if (!n) fail_msg("not JSON: %s", (const char *)report_buf.p);
    return n;
}

static inline void assert_holds(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no %s in\n%.4000s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part)) fail_msg("%s in\n%.4000s", part, text);
}

/* The number at a path of members and elements: "patterns.0.readUnits". -1: null. */
__attribute__((unused)) static double number_at(const struct json *n, const char *path)
{
    const char *at = path;
    while (n && *at) {
        size_t len = strcspn(at, ".");
        if (n->type == JSON_ARRAY) {
            long k = strtol(at, NULL, 10);
            for (n = n->first; n && k > 0; k--) n = n->next;
        } else {
            n = json_get(n, slice_of(at, len));
        }
        at += len + (at[len] == '.');
    }
    if (!n) fail_msg("nothing at %s", path);
    if (n->type == JSON_NULL) return -1;
    if (n->type != JSON_NUMBER) fail_msg("no number at %s", path);
    return strtod((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(n->text)).p, NULL);
}

static inline void assert_number(const struct json *n, const char *path, double wanted)
{
    double v = number_at(n, path), d = v > wanted ? v - wanted : wanted - v;
    if (d > 1e-6 * (wanted > 1 ? wanted : 1)) fail_msg("%s is %.9g, not %.9g", path, v, wanted);
}

#endif
