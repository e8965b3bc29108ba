/* no_libpq.c: a machine without libpq, or with one that lacks a function: one sentence says what to install, and nothing else fails.
 *
 * It is loaded once in a process: so each case is a process. */
#include "fixture.h"
#include "store/postgres/pq_library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void *__real_dlopen(const char *file, int mode);
void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *handle, const char *name);

static const char *missing; /* a function; NULL: all of it */

void *__wrap_dlopen(const char *file, int mode)
{
    return missing || strcmp(file, "libpq.so.5") != 0 ? __real_dlopen(file, mode) : NULL;
}

void *__wrap_dlsym(void *handle, const char *name)
{
    return missing && !strcmp(name, missing) ? NULL : __real_dlsym(handle, name);
}

static bool says(const char *expected)
{
    struct store_options o = { .url = "postgres://127.0.0.1:1/nothing" };
    struct store *s;
    char message[400] = "";
    bool made;
    if (store_open(&s, &o, message, sizeof message) != STORE_INVALID || !strstr(message, expected)) return false;
    message[0] = 0;
    return store_postgres_init(o.url, &made, message, sizeof message) == STORE_INVALID && strstr(message, expected);
}

/* In a process of its own. */
static void assert_says(const char *expected)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) exit(says(expected) ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void without_it_the_sentence_says_what_to_install(void **state)
{
    (void)state;
    missing = NULL;
    assert_says("a store of PostgreSQL needs libpq: install it (Debian: libpq5)");
}

static void an_old_one_is_told_by_what_it_lacks(void **state)
{
    static const char *const names[] = {
#define X(name) #name,
        PQ_FUNCTIONS(X)
#undef X
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char expected[100];
        missing = names[i];
        snprintf(expected, sizeof expected, "libpq.so.5 has no %s; install libpq of PostgreSQL 14 or later", missing);
        assert_says(expected);
    }
}

static void other_stores_do_not_need_it(void **state)
{
    struct fixture *f = *state;
    missing = NULL;
    assert_int_equal(put_one(f->s, SPACE_ITEM, SLICE("k"), SLICE("v")), STORE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_it_the_sentence_says_what_to_install),
        cmocka_unit_test(an_old_one_is_told_by_what_it_lacks),
        cmocka_unit_test_setup_teardown(other_stores_do_not_need_it, fixture_setup_memory, fixture_teardown),
    };
    return cmocka_run_group_tests_name("no libpq", tests, NULL, NULL);
}
