/* fixture.h: a store to test on, of the backend named on the command line, and short ways to use
 * it. */
#ifndef OF_TESTS_STORE_FIXTURE_H
#define OF_TESTS_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "store/store.h"

struct fixture {
    struct store_options options; /* what open uses; change it before fixture_reopen */
    struct store *s;
    char dir[64];  /* empty: in memory, or a database */
    char url[400]; /* empty: no database */
};

/* "full", "relaxed", "memory", "delayed", "postgres"; set by main before the tests run. */
extern const char *fixture_backend;
bool fixture_is(const char *backend);
bool fixture_persists(void);

int fixture_setup(void **state); /* opens a new store */
/* The same, of one backend by name: for tests that are about it. */
int fixture_setup_full(void **state);
int fixture_setup_relaxed(void **state);
int fixture_setup_memory(void **state);
/* A database, as if its rows were spread over machines. */
int fixture_setup_spread(void **state);
int fixture_teardown(void **state); /* closes it and removes the directory */
void fixture_reopen(struct fixture *f);
void fixture_close(struct fixture *f);

/* A new directory of this test's, and its removal with what is in it. */
void scratch_make(char *dir, size_t size);
void scratch_remove(const char *dir);

/* A schema of this test's own in the database that TEST_PG_URL names, with the store's tables, and its removal. 0, or it was said why not. */
int database_make(char *url, size_t size);
void database_remove(const char *url);
/* Runs SQL there. 0, or it was said why not. */
int database_run(const char *url, const char *sql);

/* One key in a transaction of its own. */
int put_one(struct store *s, enum store_space space, struct slice key, struct slice value);
int delete_one(struct store *s, enum store_space space, struct slice key);
/* Copies at most size bytes to value; *n is the whole length. */
int get_one(struct store *s, enum store_space space, struct slice key, void *value, size_t size,
            size_t *n);
int64_t sum_one(struct store *s, struct slice key);
size_t count_keys(struct store *s, enum store_space space, bool reverse);

/* A generator with a fixed seed: a failure can be run again. */
uint32_t next_random(uint32_t *state);
double seconds(void);

/* A sanitizer makes everything many times slower and finds what it finds in fewer rounds too. */
#if defined(__SANITIZE_THREAD__)
#define ROUNDS(n) ((n) / 20)
#elif defined(__SANITIZE_ADDRESS__)
#define ROUNDS(n) ((n) / 4)
#else
#define ROUNDS(n) (n)
#endif

/* In a store_fn: a read that is asked to come again comes again; anything else must succeed. */
#define TRY(call)                                \
    do {                                         \
        int tried = (call);                      \
        if (tried == STORE_CONFLICT) return tried; \
        assert_int_equal(tried, 0);              \
    } while (0)

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

#endif
