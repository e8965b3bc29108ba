/* tls.c: the context in force, exchanged as a whole: a connection keeps the one it began with. */
#include "tls.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct tls {
    const struct tls_library *ssl;
    struct tls_files files;
    pthread_mutex_t lock; /* of ctx */
    SSL_CTX *ctx;
};

int tls_open(struct tls **out, const struct tls_files *files, char *message, size_t size)
{
    const char *why;
    const struct tls_library *ssl = tls_library(&why);
    if (!ssl) {
        snprintf(message, size, "%s", why);
        return -1;
    }
    SSL_CTX *ctx = tls_context(ssl, files, message, size);
    if (!ctx) return -1;
    struct tls *t = calloc(1, sizeof(*t));
    if (!t) {
        ssl->SSL_CTX_free(ctx);
        snprintf(message, size, "out of memory");
        return -1;
    }
    *t = (struct tls){ .ssl = ssl, .files = *files, .ctx = ctx };
    pthread_mutex_init(&t->lock, NULL);
    *out = t;
    return 0;
}

/* Tickets are encrypted with keys of their context: a client whose authority was withdrawn is not let in by an old one. */
int tls_reload(struct tls *t, char *message, size_t size)
{
    SSL_CTX *fresh = tls_context(t->ssl, &t->files, message, size);
    if (!fresh) return -1;
    pthread_mutex_lock(&t->lock);
    SSL_CTX *old = t->ctx;
    t->ctx = fresh;
    pthread_mutex_unlock(&t->lock);
    t->ssl->SSL_CTX_free(old); /* its connections count it */
    return 0;
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
