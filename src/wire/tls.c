/* tls.c: the context in force, exchanged as a whole: a connection keeps the one it began with. */
#include "tls.h"
#include "limits.h"
#include "../base/log.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct tls {
    const struct tls_library *ssl;
    struct tls_files files;
    pthread_mutex_t lock; /* of what follows */
    SSL_CTX *ctx;
    int64_t ends; /* its certificate, in seconds since 1970 */
};

int tls_open(struct tls **out, const struct tls_files *files, char *message, size_t size)
{
    const char *why;
    const struct tls_library *ssl = tls_library(&why);
    if (!ssl) {
        snprintf(message, size, "%s", why);
        return -1;
    }
    int64_t ends;
    SSL_CTX *ctx = tls_context(ssl, files, &ends, message, size);
    if (!ctx) return -1;
    struct tls *t = calloc(1, sizeof(*t));
    if (!t) {
        ssl->SSL_CTX_free(ctx);
        snprintf(message, size, "out of memory");
        return -1;
    }
    *t = (struct tls){ .ssl = ssl, .files = *files, .ctx = ctx, .ends = ends };
    pthread_mutex_init(&t->lock, NULL);
    tls_warn(t);
    *out = t;
    return 0;
}

/* Tickets are encrypted with keys of their context: a client whose authority was withdrawn is not let in by an old one. */
int tls_reload(struct tls *t, char *message, size_t size)
{
    int64_t ends;
    SSL_CTX *fresh = tls_context(t->ssl, &t->files, &ends, message, size);
    if (!fresh) return -1;
    pthread_mutex_lock(&t->lock);
    SSL_CTX *old = t->ctx;
    t->ctx = fresh;
    t->ends = ends;
    pthread_mutex_unlock(&t->lock);
    t->ssl->SSL_CTX_free(old); /* its connections count it */
    tls_warn(t);
    return 0;
}

int64_t tls_ends(struct tls *t)
{
    pthread_mutex_lock(&t->lock);
    int64_t ends = t->ends;
    pthread_mutex_unlock(&t->lock);
    return ends;
}

void tls_warn(struct tls *t)
{
    int64_t left = tls_ends(t) - (int64_t)time(NULL), size = left < 0 ? -left : left;
    if (left >= (int64_t)WIRE_TLS_DAYS * 86400) return;
    log_event(left > 0 ? LOG_WARN : LOG_ERROR, "certificate_ends", NULL, 0, "--tls-cert %s %s %d days %d hours%s", t->files.cert,
              left > 0 ? "expires in" : "expired", (int)(size / 86400), (int)(size % 86400 / 3600), left > 0 ? "" : " ago: clients refuse it; renew it");
}

const struct tls_library *tls_functions(const struct tls *t)
{
    return t->ssl;
}

SSL *tls_new(struct tls *t)
{
    pthread_mutex_lock(&t->lock);
    SSL *s = t->ssl->SSL_new(t->ctx);
    pthread_mutex_unlock(&t->lock);
    return s;
}

void tls_close(struct tls *t)
{
    if (!t) return;
    t->ssl->SSL_CTX_free(t->ctx);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
