/* secure.c: a context for all connections, checked certificates, and SSL_read and SSL_write made to look like recv and send. */
#include "secure.h"
#include "../../wire/tls_library.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct secure_client {
    const struct tls_library *lib;
    SSL_CTX *ctx;
    bool is_address; /* the name is one: it is not sent */
    char name[256];  /* that the certificate must have */
};

struct secure_connection {
    const struct tls_library *lib;
    SSL *ssl;
};

static const char *reason(const struct tls_library *lib)
{
    const char *text = lib->ERR_reason_error_string(lib->ERR_peek_error());
    return text ? text : "OpenSSL does not say why";
}

/* NULL, or the file that cannot be used. */
static const char *load(struct secure_client *c, const struct remote_settings *s)
{
    const struct tls_library *lib = c->lib;
    const char *cert = (const char *)s->client_cert.p, *key = s->client_key.n ? (const char *)s->client_key.p : cert;
    const char *authorities = (const char *)s->ca_file.p;
    lib->ERR_clear_error();
    if (s->ca_file.n && lib->SSL_CTX_load_verify_locations(c->ctx, authorities, NULL) != 1) return authorities;
    if (!s->ca_file.n && lib->SSL_CTX_set_default_verify_paths(c->ctx) != 1) return "the system's list of authorities";
    if (!s->client_cert.n) return NULL;
    if (lib->SSL_CTX_use_certificate_chain_file(c->ctx, cert) != 1) return cert;
    return lib->SSL_CTX_use_PrivateKey_file(c->ctx, key, SSL_FILETYPE_PEM) != 1 || lib->SSL_CTX_check_private_key(c->ctx) != 1 ? key : NULL;
}

int secure_client_open(struct secure_client **out, const struct remote_settings *s, char *message, size_t size)
{
    const char *why;
    const struct tls_library *lib = tls_library(&why);
    struct secure_client *c = lib && s->host.n < sizeof c->name ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        snprintf(message, size, "%s", lib ? "the name of the endpoint is too long, or there is no memory" : why);
        return -1;
    }
    uint8_t address[16];
    c->lib = lib;
    memcpy(c->name, s->host.p, s->host.n);
    c->is_address = inet_pton(AF_INET, c->name, address) == 1 || inet_pton(AF_INET6, c->name, address) == 1;
    c->ctx = lib->SSL_CTX_new(lib->TLS_client_method());
    why = c->ctx ? load(c, s) : "TLS";
    if (why) {
        snprintf(message, size, "%s cannot be used: %s", why, reason(lib));
        secure_client_close(c);
        return -1;
    }
    lib->SSL_CTX_ctrl(c->ctx, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
    lib->SSL_CTX_ctrl(c->ctx, SSL_CTRL_MODE, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, NULL);
    lib->SSL_CTX_set_verify(c->ctx, SSL_VERIFY_PEER, NULL);
    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes to the socket without saying that it wants none */
    *out = c;
    return 0;
}

void secure_client_close(struct secure_client *c)
{
    if (!c) return;
    c->lib->SSL_CTX_free(c->ctx);
    free(c);
}

/* ---- a connection ---- */

/* What must be waited for; 0: nothing, it is done or has failed. */
static short wanted(const struct secure_connection *s, int result)
{
    int error = s->lib->SSL_get_error(s->ssl, result);
    return error == SSL_ERROR_WANT_READ ? POLLIN : error == SSL_ERROR_WANT_WRITE ? POLLOUT : 0;
}

/* NULL, or why not. */
static const char *shake_hands(struct secure_connection *s, int fd, int ms)
{
    for (;;) {
        s->lib->ERR_clear_error();
        int result = s->lib->SSL_do_handshake(s->ssl);
        if (result == 1) return NULL;
        struct pollfd ready = { .fd = fd, .events = wanted(s, result) };
        long verified = s->lib->SSL_get_verify_result(s->ssl);
        if (!ready.events) return verified ? s->lib->X509_verify_cert_error_string(verified) : reason(s->lib);
        if (poll(&ready, 1, ms) != 1) return "no TLS handshake in time";
    }
}

struct secure_connection *secure_client_connect(struct secure_client *c, int fd, int ms, const char **why)
{
    const struct tls_library *lib = c->lib;
    struct secure_connection *s = calloc(1, sizeof *s);
    *why = "out of memory";
    if (!s) return NULL;
    s->lib = lib;
    s->ssl = lib->SSL_new(c->ctx);
    if (s->ssl && lib->SSL_set_fd(s->ssl, fd) == 1 && lib->SSL_set1_host(s->ssl, c->name) == 1) {
        if (!c->is_address) lib->SSL_ctrl(s->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, c->name);
        lib->SSL_set_connect_state(s->ssl);
        *why = shake_hands(s, fd, ms);
        if (!*why) return s;
    }
    secure_connection_end(s);
    return NULL;
}

void secure_connection_end(struct secure_connection *s)
{
    if (!s) return;
    s->lib->SSL_free(s->ssl);
    free(s);
}

static ssize_t outcome(const struct secure_connection *s, int n)
{
    if (n > 0) return n;
    errno = wanted(s, n) ? EAGAIN : ECONNRESET;
    return s->lib->SSL_get_error(s->ssl, n) == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

static int most(size_t n)
{
    return n > 1 << 30 ? 1 << 30 : (int)n;
}

ssize_t secure_connection_send(struct secure_connection *s, const void *p, size_t n)
{
    s->lib->ERR_clear_error();
    return outcome(s, s->lib->SSL_write(s->ssl, p, most(n)));
}

ssize_t secure_connection_recv(struct secure_connection *s, void *p, size_t n)
{
    s->lib->ERR_clear_error();
    return outcome(s, s->lib->SSL_read(s->ssl, p, most(n)));
}
