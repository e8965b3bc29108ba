/* tls_library.c: dlopen of OpenSSL 3, and its functions. */
#include "tls_library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct tls_library library;
static bool loaded;
static char reason[512];

/* POSIX gives functions as void *; C has no cast for that. */
static bool find(void *handle, const char *name, void *function, size_t size)
{
    void *found = dlsym(handle, name); /* those of libcrypto too: libssl needs it */
    if (!found) {
        snprintf(reason, sizeof reason, "libssl.so.3 has no %s; install OpenSSL 3.0 or later", name);
        return false;
    }
    memcpy(function, &found, size);
    return true;
}

static void load(void)
{
    void *handle = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *message = dlerror();
        snprintf(reason, sizeof reason, "TLS needs OpenSSL 3: install it (Debian: libssl3). %s", message ? message : "");
        return;
    }
#define X(name)                                                                                                      \
    if (!find(handle, #name, &library.name, sizeof library.name)) return;
    TLS_FUNCTIONS(X)
#undef X
    loaded = true;
}

const struct tls_library *tls_library(const char **why)
{
    pthread_once(&once, load);
    *why = reason;
    return loaded ? &library : NULL;
}
