/* operations.c: each allocation of an operation fails in turn.
 *
 *   operations --list
 *   operations NAME [FIRST [STEP]]    from the FIRST allocation on, every STEP-th; 0: so that there are about 40
 *
 * Run under memory.c. For each N twice: the N-th allocation alone fails, and all from the N-th on. The operation has to end as it does
 * without that, or with an error that says so and nothing changed. The last line of the output tells how many were refused, or which one
 * was under way when the program died. */
#include "memory.h"
#include "operations.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct memory_faults *faults;

static int run(struct world *w, const struct operation *o, of_error *err)
{
    return o->run ? o->run(w, err) : world_ask(w, o->api, o->body, err);
}

static int run_with(struct world *w, const struct operation *o, uint64_t from, uint64_t to, of_error *err)
{
    *faults = (struct memory_faults){ .from = from, .to = to, .on = true };
    err->message[0] = 0;
    int code = run(w, o, err);
    faults->on = false;
    return code;
}

static int complain(const struct operation *o, uint64_t n, bool all, const char *what, const of_error *err)
{
    printf("%s: allocation %" PRIu64 "%s fails: %s: %.300s\n", o->name, n, all ? " and all after it" : "", what, err->message);
    return 1;
}

/* Where it changed something it was done, and the next one needs a new world. */
static void renew(struct world *w, uint64_t *before)
{
    if (world_digest(w) == *before) return;
    world_end(w);
    world_make(w);
    *before = world_digest(w);
}

static int one(struct world *w, const struct operation *o, uint64_t n, bool all, int usual, uint64_t *before)
{
    of_error err;
    printf("%s %" PRIu64 "\n", o->name, n);
    fflush(stdout);
    int code = run_with(w, o, n, all ? UINT64_MAX : n, &err);
    if (!world_is_whole(w)) return complain(o, n, all, "the store has stopped", &err);
    if (code == usual) {
        renew(w, before);
        return 0;
    }
    if (code != OF_NO_MEMORY && code != OF_IO && !strstr(err.message, "memory")) return complain(o, n, all, "ends as it never should", &err);
    if (!o->in_pieces && world_digest(w) != *before) return complain(o, n, all, "an error, but something is changed", &err);
    if (o->in_pieces) renew(w, before);
    return 0;
}

static int torture(const struct operation *o, uint64_t first, uint64_t step)
{
    struct world w;
    of_error err = { OF_OK };
    int bad = 0;
    uint64_t refused = 0, n = first;
    world_make(&w);
    uint64_t before = world_digest(&w);
    int usual = run_with(&w, o, UINT64_MAX, UINT64_MAX, &err);
    uint64_t takes = faults->seen;
    if (usual) printf("%s: without any failure: %.200s\n", o->name, err.message);
    if (usual != OF_OK && usual != OF_INVALID && usual != OF_CONDITION_FAILED && usual != OF_TRANSACTION_CANCELED) {
        printf("%s: does not even work with all the memory: %d %s\n", o->name, usual, err.message);
        bad = 1;
    }
    renew(&w, &before);
    if (!step) step = 1 + takes / 40;
    for (; !bad && n <= takes + 3; n += step) {
        bad = one(&w, o, n, false, usual, &before);
        refused += faults->failed != 0;
        if (!bad) bad = one(&w, o, n, true, usual, &before);
    }
    world_end(&w);
    printf("%s: %" PRIu64 " allocations, %" PRIu64 " refused, outcome %d\n", o->name, takes, refused, usual);
    return bad;
}

int main(int argc, char **argv)
{
    const struct operation *const lists[] = { json_operations, typed_operations };
    struct memory_faults *(*find)(void);
    *(void **)&find = dlsym(RTLD_DEFAULT, "memory_faults");
    if (argc < 2) return 2;
    for (size_t i = 0; i < 2; i++) {
        for (const struct operation *o = lists[i]; o->name; o++) {
            if (!strcmp(argv[1], "--list")) {
                puts(o->name);
            } else if (!strcmp(argv[1], o->name)) {
                if (!find) return 2;
                faults = find();
                return torture(o, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
            }
        }
    }
    return strcmp(argv[1], "--list") ? 2 : 0;
}
