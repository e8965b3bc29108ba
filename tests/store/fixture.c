/* fixture.c: see fixture.h. */
#include "fixture.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *fixture_backend = "full";

bool fixture_is(const char *backend)
{
    return !strcmp(fixture_backend, backend);
}

bool fixture_persists(void)
{
    return fixture_is("full") || fixture_is("relaxed") || fixture_is("postgres");
}

void scratch_make(char *dir, size_t size)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(dir, size, "%s/of-store-XXXXXX", tmp && strlen(tmp) < 30 ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        perror(dir);
        abort();
    }
}

void scratch_remove(const char *dir)
{
    char path[600];
    DIR *list;
    struct dirent *e;

    if (chmod(dir, 0700)) return;
    list = opendir(dir);
    while (list && (e = readdir(list))) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        unlink(path);
    }
    if (list) closedir(list);
    rmdir(dir);
}

void fixture_reopen(struct fixture *f)
{
    char message[400];

    fixture_close(f);
    if (store_open(&f->s, &f->options, message, sizeof message)) {
        print_error("%s\n", message);
        fail();
    }
}

void fixture_close(struct fixture *f)
{
    store_close(f->s);
    f->s = NULL;
}

int fixture_setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    if (!f) return -1;
    *state = f;
    if (fixture_persists() && !fixture_is("postgres")) {
        scratch_make(f->dir, sizeof f->dir);
        f->options.dir = f->dir;
    }
    if (fixture_is("postgres") && database_make(f->url, sizeof f->url)) return -1;
    if (fixture_is("postgres")) f->options.url = f->url;
    if (fixture_is("relaxed")) f->options.durability = DURABILITY_RELAXED;
    if (fixture_is("delayed")) {
        f->options.read_delay_us = 20;
        f->options.count_reads = true;
    }
    fixture_reopen(f);
    return 0;
}

int fixture_setup_full(void **state)
{
    fixture_backend = "full";
    return fixture_setup(state);
}

int fixture_setup_relaxed(void **state)
{
    fixture_backend = "relaxed";
    return fixture_setup(state);
}

int fixture_setup_memory(void **state)
{
    fixture_backend = "memory";
    return fixture_setup(state);
}

int fixture_setup_spread(void **state)
{
    setenv("ONEFOLD_TEST_SPREAD", "1", 1);
    int rc = fixture_setup(state);
    unsetenv("ONEFOLD_TEST_SPREAD");
    return rc;
}

int fixture_teardown(void **state)
{
    struct fixture *f = *state;

    fixture_close(f);
    if (f->dir[0]) scratch_remove(f->dir);
    if (f->url[0]) database_remove(f->url);
    free(f);
    return 0;
}

struct one {
    enum store_space space;
    struct slice key, value;
    void *to;
    size_t size, n;
    int64_t sum;
    bool reverse;
};

static int put_fn(struct store_txn *t, void *ctx)
{
    struct one *o = ctx;

    return store_put(t, o->space, o->key, o->value);
}

static int delete_fn(struct store_txn *t, void *ctx)
{
    struct one *o = ctx;

    return store_delete(t, o->space, o->key);
}

static int get_fn(struct store_txn *t, void *ctx)
{
    struct one *o = ctx;
    struct slice v;
    int rc = store_get(t, o->space, o->key, &v);

    if (rc) return rc;
    o->n = v.n;
    if (v.n && o->size) memcpy(o->to, v.p, v.n < o->size ? v.n : o->size);
    return 0;
}

static int sum_fn(struct store_txn *t, void *ctx)
{
    struct one *o = ctx;

    return store_sum(t, o->key, &o->sum);
}

static int count_fn(struct store_txn *t, void *ctx)
{
    struct one *o = ctx;
    struct store_range r = { .space = o->space, .reverse = o->reverse };
    struct store_cursor *c;
    int rc = store_range_open(t, &r, &c);

    for (o->n = 0; rc == 0; o->n++)
        rc = store_range_next(c, NULL, NULL);
    o->n--;
    return rc == STORE_END ? 0 : rc;
}

int put_one(struct store *s, enum store_space space, struct slice key, struct slice value)
{
    return store_update(s, put_fn, &(struct one){ .space = space, .key = key, .value = value });
}

int delete_one(struct store *s, enum store_space space, struct slice key)
{
    return store_update(s, delete_fn, &(struct one){ .space = space, .key = key });
}

int get_one(struct store *s, enum store_space space, struct slice key, void *value, size_t size,
            size_t *n)
{
    struct one o = { .space = space, .key = key, .to = value, .size = size };
    int rc = store_view(s, get_fn, &o);

    if (rc == 0 && n) *n = o.n;
    return rc;
}

int64_t sum_one(struct store *s, struct slice key)
{
    struct one o = { .key = key };

    assert_int_equal(store_view(s, sum_fn, &o), 0);
    return o.sum;
}

size_t count_keys(struct store *s, enum store_space space, bool reverse)
{
    struct one o = { .space = space, .reverse = reverse };

    assert_int_equal(store_view(s, count_fn, &o), 0);
    return o.n;
}

uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
