/* pq_library.c: dlopen of libpq, and its functions. */
#include "pq_library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct pq_library library;
static bool loaded;
static char reason[512];

/* POSIX gives functions as void *; C has no cast for that. */
static bool find(void *handle, const char *name, void *function, size_t size)
{
    void *found = dlsym(handle, name);
    if (!found) {
        snprintf(reason, sizeof reason, "libpq.so.5 has no %s; install libpq of PostgreSQL 14 or later", name);
        return false;
    }
    memcpy(function, &found, size);
    return true;
}

static void load(void)
{
    void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *message = dlerror();
        snprintf(reason, sizeof reason, "a store of PostgreSQL needs libpq: install it (Debian: libpq5). %s", message ? message : "");
        return;
    }
#define X(name)                                                                                                      \
    if (!find(handle, #name, &library.name, sizeof library.name)) return;
    PQ_FUNCTIONS(X)
#undef X
    loaded = true;
}

const struct pq_library *pq_library(const char **why)
{
    pthread_once(&once, load);
    *why = reason;
    return loaded ? &library : NULL;
}
