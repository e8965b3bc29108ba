/* secure.h: the client's side of TLS: OpenSSL on sockets that do not wait. */
#ifndef OF_CLI_BENCH_SECURE_H
#define OF_CLI_BENCH_SECURE_H

#include "../../remote/settings.h"
#include <sys/types.h>

/* What all connections have in common: whom they believe, what they show. May be used by any number of threads. */
struct secure_client;
struct secure_connection;

/* For an endpoint that begins with https://; nothing of the settings is kept. -1: a sentence is in message. */
int secure_client_open(struct secure_client **out, const struct remote_settings *s, char *message, size_t size);
void secure_client_close(struct secure_client *c);

/* The handshake, on a socket that is connected: takes at most so long. NULL: *why says why not, in words that live for ever. */
struct secure_connection *secure_client_connect(struct secure_client *c, int fd, int ms, const char **why);
void secure_connection_end(struct secure_connection *s); /* NULL: nothing; the socket stays open */
/* As send and recv: -1 and errno, which is EAGAIN where they would have to wait. */
ssize_t secure_connection_send(struct secure_connection *s, const void *p, size_t n);
ssize_t secure_connection_recv(struct secure_connection *s, void *p, size_t n);

#endif
