/* kill.c: a process killed in the middle of writing has lost nothing that it acknowledged and left
 * no half of a transaction. The child tells through a pipe what was acknowledged. */
#include "fixture.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITERS 4

struct child {
    struct store *s;
    uint32_t writer;
    int out;
};

struct pair {
    uint32_t writer, n;
};

/* Two keys far apart, one of them long, and a counter: all or nothing. */
static int put_pair(struct store_txn *t, void *ctx)
{
    const struct pair *p = ctx;
    uint8_t key[700] = { 0 };
    int rc;

    memcpy(key, p, sizeof *p);
    rc = store_put(t, SPACE_ITEM, slice_of(key, sizeof *p), slice_of(key, 300));
    memset(key, 'x', 600);
    memcpy(key + 600, p, sizeof *p);
    if (rc == 0) rc = store_put(t, SPACE_INDEX, slice_of(key, 608), slice_of(p, sizeof *p));
    return rc ? rc : store_add(t, SLICE("pairs"), 1);
}

static void *write_pairs(void *arg)
{
    struct child *c = arg;
    struct pair p = { .writer = c->writer };

    for (;; p.n++) {
        if (store_update(c->s, put_pair, &p)) _exit(1);
        if (write(c->out, &p, sizeof p) != sizeof p) _exit(1);
    }
    return NULL;
}

static void run_child(const struct store_options *o, uint32_t round, int out)
{
    struct child c[WRITERS];
    pthread_t threads[WRITERS];
    struct store *s;
    char message[400];

    if (store_open(&s, o, message, sizeof message)) _exit(1);
    for (uint32_t i = 0; i < WRITERS; i++) {
        c[i] = (struct child){ s, round * WRITERS + i, out };
        pthread_create(&threads[i], NULL, write_pairs, &c[i]);
    }
    for (;;)
        pause();
}

static void kill_and_check(void **state)
{
    struct fixture *f = *state;
    uint32_t seed = 99;

    fixture_close(f);
    for (uint32_t round = 0; round < 5; round++) {
        uint32_t acknowledged[WRITERS] = { 0 };
        struct pair p;
        size_t items;
        int fds[2];
        pid_t pid;

        assert_int_equal(pipe(fds), 0);
        pid = fork();
        if (pid == 0) run_child(&f->options, round, fds[1]);
        close(fds[1]);
        assert_int_equal(read(fds[0], &p, sizeof p), sizeof p); /* it has begun */
        acknowledged[p.writer % WRITERS] = p.n + 1;
        usleep(20000 + next_random(&seed) % 60000);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        while (read(fds[0], &p, sizeof p) == sizeof p)
            acknowledged[p.writer % WRITERS] = p.n + 1;
        close(fds[0]);

        fixture_reopen(f);
        for (uint32_t w = 0; w < WRITERS; w++) {
            for (p = (struct pair){ round * WRITERS + w, 0 }; p.n < acknowledged[w]; p.n++)
                assert_int_equal(get_one(f->s, SPACE_ITEM, slice_of(&p, sizeof p), NULL, 0, NULL),
                                 0);
        }
        items = count_keys(f->s, SPACE_ITEM, false);
        assert_int_equal(count_keys(f->s, SPACE_INDEX, true), items);
        assert_int_equal(sum_one(f->s, SLICE("pairs")), items);
        fixture_close(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "killed with full durability", kill_and_check, fixture_setup_full, fixture_teardown, NULL },
        { "killed with relaxed durability", kill_and_check, fixture_setup_relaxed, fixture_teardown, NULL },
    };

    return cmocka_run_group_tests_name("kill", tests, NULL, NULL);
}
