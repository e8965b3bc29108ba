/* main.c: random operations through of_call and through a reference of our own; every answer is compared.
 *
 *     reference [--seed N] [--operations N] [--from N] [--only N,N,...] [--dir DIR] [--forget N] [--progress]
 *
 * Without --dir the store is in memory; a directory is made anew. On a difference the operations that are needed for it are looked for, and the
 * command that repeats it with those alone is printed. --forget: the reference leaves out the write of that operation, which must be found. */
#include "run.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRIES = 4000, LOOK_EVERY = 10000 };

struct options {
    uint64_t seed, from, operations, forget;
    const char *dir, *only;
    bool progress;
};

/* A directory of ours has files only. */
static void empty_directory(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    char file[4096];
    while (dir && (entry = readdir(dir))) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        unlink(file);
    }
    if (dir) closedir(dir);
    rmdir(path);
}

/* These operations alone, in memory. True: the answers differ. */
static bool fails(const struct options *o, const uint64_t *numbers, size_t n)
{
    struct run r = { .forget = o->forget };
    bool same = run_open(&r, NULL);
    for (size_t i = 0; same && i < n; i++) same = run_one(&r, o->seed, numbers[i]);
    if (same) same = run_compare_tables(&r);
    run_close(&r);
    return !same;
}

/* Leaves out what is not needed for the difference: ever smaller pieces. Returns how many are left. */
static size_t shrink(const struct options *o, uint64_t *numbers, size_t n)
{
    uint64_t *fewer = malloc(n * sizeof *fewer);
    int tries = 0;
    if (!fewer) return n;
    for (size_t piece = n / 2; piece; piece /= 2) {
        for (size_t i = 0; i < n && tries < MOST_TRIES;) {
            size_t out = n - i < piece ? n - i : piece;
            memcpy(fewer, numbers, i * sizeof *fewer);
            memcpy(fewer + i, numbers + i + out, (n - i - out) * sizeof *fewer);
            tries++;
            if (fails(o, fewer, n - out)) memcpy(numbers, fewer, (n -= out) * sizeof *fewer);
            else i += piece;
        }
    }
    free(fewer);
    return n;
}

static void tell_repeat(const struct options *o, uint64_t last)
{
    printf("again: reference --seed %llu --operations %llu%s%s\n", (unsigned long long)o->seed, (unsigned long long)(last - o->from + 1),
           o->dir ? " --dir " : "", o->dir ? o->dir : "");
    /* The last operations are tried first: most differences need few. */
    for (uint64_t many = 64;; many *= 8) {
        uint64_t first = last + 1 - o->from > many ? last + 1 - many : o->from;
        size_t n = (size_t)(last + 1 - first);
        uint64_t *numbers = malloc(n * sizeof *numbers);
        if (!numbers) return;
        for (size_t i = 0; i < n; i++) numbers[i] = first + i;
        if (fails(o, numbers, n)) {
            n = shrink(o, numbers, n);
            printf("least: reference --seed %llu --only ", (unsigned long long)o->seed);
            for (size_t i = 0; i < n; i++) printf("%s%llu", i ? "," : "", (unsigned long long)numbers[i]);
            printf("\n");
            free(numbers);
            return;
        }
        free(numbers);
        if (first == o->from) break;
    }
    printf("(in memory, from an empty table, it does not show)\n");
}

static int run_selected(const struct options *o)
{
    struct run r = { .forget = o->forget };
    bool same = run_open(&r, NULL);
    const char *p = o->only;
    while (same && *p) {
        char *end;
        same = run_one(&r, o->seed, strtoull(p, &end, 10));
        printf("%s\n", r.request.p);
        p = *end ? end + 1 : end;
    }
    same = same && run_compare_tables(&r);
    printf("%s", same ? "the same\n" : r.fault.p);
    run_close(&r);
    return same ? 0 : 1;
}

static int run_all(const struct options *o)
{
    struct run r = { .forget = o->forget };
    if (o->dir) empty_directory(o->dir);
    bool same = run_open(&r, o->dir);
    uint64_t i = o->from, end = o->from + o->operations;
    for (; same && i < end; i++) {
        same = run_one(&r, o->seed, i);
        if (same && (i + 1) % LOOK_EVERY == 0) same = run_compare_tables(&r);
        if (o->progress && (i + 1) % LOOK_EVERY == 0) {
            printf("%llu\n", (unsigned long long)(i + 1 - o->from));
            fflush(stdout);
        }
    }
    same = same && run_compare_tables(&r) && run_expiry(&r, o->seed);
    if (!same) printf("seed %llu, operation %llu: %s", (unsigned long long)o->seed, (unsigned long long)(i - 1), r.fault.p);
    run_close(&r);
    if (o->dir) empty_directory(o->dir);
    if (same) printf("seed %llu: %llu operations, every answer the same\n", (unsigned long long)o->seed, (unsigned long long)o->operations);
    else tell_repeat(o, i - 1);
    return same ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options o = { .seed = 1, .operations = 100000, .forget = UINT64_MAX };
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--progress")) {
            o.progress = true;
            continue;
        }
        const char *value = ++i < argc ? argv[i] : NULL;
        if (!value) name = "";
        if (!strcmp(name, "--seed")) o.seed = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--operations")) o.operations = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--from")) o.from = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--forget")) o.forget = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--only")) o.only = value;
        else if (!strcmp(name, "--dir")) o.dir = value;
        else {
            fprintf(stderr, "usage: reference [--seed N] [--operations N] [--from N] [--only N,N,...] [--dir DIR] [--forget N] [--progress]\n");
            return 2;
        }
    }
    return o.only ? run_selected(&o) : run_all(&o);
}
