/* tls.h: the certificate, the key and the rules that connections are encrypted by; renewed while the server runs. Knows files and
 * OpenSSL, but no sockets: http_tls.c has those. */
#ifndef OF_WIRE_TLS_H
#define OF_WIRE_TLS_H

#include "tls_library.h"
#include <stdint.h>

struct tls_files {
    const char *cert, *key; /* PEM: the server's certificate with its chain, and its key */
    const char *client_ca;  /* PEM: only clients with a certificate of one of these come in; NULL: all do */
};

struct tls;

/* The texts of files are borrowed until tls_close. On failure returns -1 and writes one sentence into message. */
int tls_open(struct tls **out, const struct tls_files *files, char *message, size_t size);
/* Reads the files again; new connections use them. On failure -1 and a sentence: the old ones stay in force. On any one thread. */
int tls_reload(struct tls *t, char *message, size_t size);
void tls_close(struct tls *t);

const struct tls_library *tls_functions(const struct tls *t);
/* The server's side of a new connection; NULL: no memory. From any thread. */
SSL *tls_new(struct tls *t);
/* When the certificate in force ends, in seconds since 1970. From any thread. */
int64_t tls_ends(struct tls *t);
/* A line in the log if that is soon, or past. tls_open and tls_reload say it too. */
void tls_warn(struct tls *t);

/* tls_files.c: a context by these files, for tls.c, and when its certificate ends. NULL after a sentence. */
SSL_CTX *tls_context(const struct tls_library *ssl, const struct tls_files *files, int64_t *ends, char *message, size_t size);

#endif
