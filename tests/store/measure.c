/* measure.c: how fast the store is, on the backend that the first argument names. Run it by
 * `meson test --benchmark -C build`; docs/decisions/0002 quotes it. */
#include "fixture.h"
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ITEMS 100000u
#define VALUE 200

struct put {
    struct store_job job;
    uint32_t first, n;
    size_t prefix; /* bytes before the number: ordinary or long keys */
    sem_t *done;
};

static struct slice make_key(uint8_t *key, uint32_t i, size_t prefix)
{
    uint32_t x = i * 2654435761u;

    memset(key, 'k', prefix);
    for (int b = 0; b < 4; b++)
        key[prefix + (size_t)b] = (uint8_t)(x >> (24 - 8 * b));
    return slice_of(key, prefix + 4);
}

static int put_fn(struct store_txn *t, void *ctx)
{
    static const uint8_t value[VALUE];
    struct put *p = ctx;
    uint8_t key[1000];
    int rc = 0;

    for (uint32_t i = p->first; rc == 0 && i < p->first + p->n; i++)
        rc = store_put(t, SPACE_ITEM, make_key(key, i, p->prefix), slice_of(value, VALUE));
    return rc ? rc : store_add(t, SLICE("items"), p->n);
}

static int get_fn(struct store_txn *t, void *ctx)
{
    struct put *p = ctx;
    struct slice v;
    uint8_t key[1000];

    return store_get(t, SPACE_ITEM, make_key(key, p->first, p->prefix), &v);
}

static int page_fn(struct store_txn *t, void *ctx)
{
    struct put *p = ctx;
    struct store_cursor *c;
    struct slice k, v;
    uint8_t key[1000];
    struct store_range r = { .space = SPACE_ITEM, .from = make_key(key, p->first, p->prefix) };
    int rc = store_range_open(t, &r, &c);

    for (uint32_t i = 0; rc == 0 && i < p->n; i++)
        rc = store_range_next(c, &k, &v);
    return rc == STORE_END ? 0 : rc;
}

static void done(struct store_job *job)
{
    sem_post(((struct put *)job->ctx)->done);
}

/* Submits `group` single puts at a time and waits for all of them, as that many clients would. */
static void measure_groups(struct store *s, uint32_t group, uint32_t total)
{
    struct put *jobs = calloc(group, sizeof *jobs);
    struct store_stats before, after;
    double start = seconds(), took;
    sem_t all;

    sem_init(&all, 0, 0);
    store_get_stats(s, &before);
    for (uint32_t i = 0; i < total; i += group) {
        for (uint32_t j = 0; j < group; j++) {
            jobs[j] = (struct put){ .first = i + j, .n = 1, .prefix = 20, .done = &all };
            jobs[j].job = (struct store_job){ .fn = put_fn, .ctx = &jobs[j], .done = done };
            store_submit(s, &jobs[j].job);
        }
        for (uint32_t j = 0; j < group; j++)
            sem_wait(&all);
    }
    took = seconds() - start;
    store_get_stats(s, &after);
    printf("put, %4u at once:      %8.0f/s, %.1f updates per commit\n", group, total / took,
           total / (double)(after.commits - before.commits));
    free(jobs);
}

static void measure_inline(struct store *s, uint32_t total)
{
    double start = seconds();

    for (uint32_t i = 0; i < total; i++)
        store_update(s, put_fn, &(struct put){ .first = i, .n = 1, .prefix = 20 });
    printf("put, store_update:      %8.0f/s\n", total / (seconds() - start));
}

/* Of this thread: reads wait for nobody, and other programs do not count. */
static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure_reads(struct store *s, size_t prefix, const char *what)
{
    uint32_t seed = 5, gets = 300000, pages = 20000;
    double start;

    for (uint32_t i = 0; i < ITEMS; i += 1000)
        store_update(s, put_fn, &(struct put){ .first = i, .n = 1000, .prefix = prefix });
    start = cpu_seconds();
    for (uint32_t i = 0; i < gets; i++)
        store_view(s, get_fn,
                   &(struct put){ .first = next_random(&seed) % ITEMS, .prefix = prefix });
    printf("get, %-8s keys:     %8.0f ns\n", what, (cpu_seconds() - start) / gets * 1e9);
    start = cpu_seconds();
    for (uint32_t i = 0; i < pages; i++)
        store_view(s, page_fn,
                   &(struct put){ .first = next_random(&seed) % ITEMS, .n = 20, .prefix = prefix });
    printf("range of 20, %-8s:  %8.0f ns\n", what, (cpu_seconds() - start) / pages * 1e9);
}

int main(int argc, char **argv)
{
    struct fixture *f;
    void *state;

    if (argc > 1) fixture_backend = argv[1];
    if (fixture_setup(&state)) return 1;
    f = state;
    printf("%s\n", fixture_backend);
    measure_inline(f->s, 3000);
    for (uint32_t group = 1; group <= 256; group *= 4)
        measure_groups(f->s, group, group < 16 ? 3072 : 20480);
    measure_reads(f->s, 20, "ordinary");
    measure_reads(f->s, 600, "long");
    return fixture_teardown(&state);
}
