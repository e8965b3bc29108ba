/* curl_library.c: dlopen and the few functions of libcurl that are used. */
#include "curl_library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct curl_library library;
static bool loaded;
static char reason[512];

/* POSIX gives functions as void *; C has no cast for that. */
static bool find(void *handle, const char *name, void *function, size_t size)
{
    void *found = dlsym(handle, name);
    if (!found) {
        snprintf(reason, sizeof reason, "libcurl.so.4 has no %s; install libcurl 7.75 or later", name);
        return false;
    }
    memcpy(function, &found, size);
    return true;
}
#define FIND(name, to) find(handle, name, &(to), sizeof(to))

static void load(void)
{
    CURLcode (*global_init)(long flags);
    curl_version_info_data *(*version_info)(CURLversion age);
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *message = dlerror();
        snprintf(reason, sizeof reason, "another database can only be reached with libcurl: install it (Debian: libcurl4). %s",
                 message ? message : "");
        return;
    }
    if (!FIND("curl_global_init", global_init) || !FIND("curl_version_info", version_info) ||
        !FIND("curl_easy_init", library.init) || !FIND("curl_easy_setopt", library.setopt) ||
        !FIND("curl_easy_perform", library.perform) || !FIND("curl_easy_getinfo", library.getinfo) ||
        !FIND("curl_easy_cleanup", library.cleanup) || !FIND("curl_easy_strerror", library.strerror) ||
        !FIND("curl_slist_append", library.slist_append) || !FIND("curl_slist_free_all", library.slist_free))
        return;
    const curl_version_info_data *version = version_info(CURLVERSION_NOW);
    if (version->version_num < 0x074b00) { /* 7.75 brought the signatures */
        snprintf(reason, sizeof reason, "libcurl %s is too old; install 7.75 or later", version->version);
        return;
    }
    if (global_init(CURL_GLOBAL_DEFAULT)) {
        snprintf(reason, sizeof reason, "libcurl cannot be started");
        return;
    }
    loaded = true;
}

const struct curl_library *curl_library(const char **why)
{
    pthread_once(&once, load);
    *why = reason;
    return loaded ? &library : NULL;
}
