/* curl_library.h: libcurl, loaded when it is first needed (docs/decisions/0006-libcurl-when-needed.md). */
#ifndef OF_REMOTE_CURL_LIBRARY_H
#define OF_REMOTE_CURL_LIBRARY_H

#include <curl/curl.h>

struct curl_library {
    CURL *(*init)(void);
    CURLcode (*setopt)(CURL *handle, CURLoption option, ...);
    CURLcode (*perform)(CURL *handle);
    CURLcode (*getinfo)(CURL *handle, CURLINFO info, ...);
    void (*cleanup)(CURL *handle);
    const char *(*strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free)(struct curl_slist *list);
};

/* NULL if it cannot be loaded; *why then is a sentence that lives for ever. Any thread may ask; it is loaded once. */
const struct curl_library *curl_library(const char **why);

#endif
