/* tls_files.c: a certificate and its key from their files, and the rules of a connection. Every mistake that one can make with them has
 * its sentence here: what OpenSSL says of it helps nobody who does not know OpenSSL. */
#include "tls.h"
#include "../base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <openssl/pemerr.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct loader {
    const struct tls_library *ssl;
    const struct tls_files *files;
    SSL_CTX *ctx;
    int64_t ends;
    char *message;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct loader *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(l->message, l->size, fmt, ap);
    va_end(ap);
    return false;
}

/* What OpenSSL says, for what has no sentence of its own. */
static const char *why(const struct loader *l)
{
    const char *text = l->ssl->ERR_reason_error_string(l->ssl->ERR_peek_error());
    return text ? text : "OpenSSL does not say why";
}

static bool no_such_pem(const struct loader *l)
{
    unsigned long e = l->ssl->ERR_peek_error();
    return ERR_GET_LIB(e) == ERR_LIB_PEM && ERR_GET_REASON(e) == PEM_R_NO_START_LINE;
}

static bool readable(struct loader *l, const char *option, const char *path, struct stat *st)
{
    if (stat(path, st)) return fail(l, "--%s %s: %s", option, path, strerror(errno));
    if (!S_ISREG(st->st_mode)) return fail(l, "--%s %s is not a file", option, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(l, "--%s %s: %s", option, path, strerror(errno));
    close(fd);
    return true;
}

static bool in_its_time(struct loader *l)
{
    const struct tls_library *ssl = l->ssl;
    const X509 *cert = ssl->SSL_CTX_get0_certificate(l->ctx);
    const char *path = l->files->cert;
    int days = 0, seconds = 0;
    if (!ssl->ASN1_TIME_diff(&days, &seconds, NULL, ssl->X509_get0_notBefore(cert)))
        return fail(l, "--tls-cert %s: its dates cannot be read", path);
    if (days > 0 || seconds > 0)
        return fail(l, "--tls-cert %s is not valid yet, but from %d days %d hours on: is the clock right?", path, days, seconds / 3600);
    if (!ssl->ASN1_TIME_diff(&days, &seconds, NULL, ssl->X509_get0_notAfter(cert)))
        return fail(l, "--tls-cert %s: its dates cannot be read", path);
    if (days < 0 || seconds < 0)
        return fail(l, "--tls-cert %s expired %d days %d hours ago: clients would refuse it; renew it", path, -days, -seconds / 3600);
    l->ends = (int64_t)time(NULL) + (int64_t)days * 86400 + seconds;
    return true;
}

static bool load_certificate(struct loader *l)
{
    struct stat st;
    const char *path = l->files->cert;
    if (!readable(l, "tls-cert", path, &st)) return false;
    l->ssl->ERR_clear_error();
    if (l->ssl->SSL_CTX_use_certificate_chain_file(l->ctx, path) == 1) return in_its_time(l);
    if (no_such_pem(l)) return fail(l, "--tls-cert %s holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)", path);
    return fail(l, "--tls-cert %s cannot be used: %s", path, why(l));
}

/* Called for an encrypted key. A server that waits for somebody to type is no server. */
static int no_passphrase(char *to, int size, int writing, void *asked)
{
    (void)to;
    (void)size;
    (void)writing;
    *(bool *)asked = true;
    return -1;
}

static bool load_key(struct loader *l)
{
    const struct tls_library *ssl = l->ssl;
    const char *path = l->files->key;
    struct stat st;
    bool asked = false;
    if (!readable(l, "tls-key", path, &st)) return false;
    if (st.st_mode & S_IRWXO)
        log_line(LOG_WARN, "--tls-key %s can be read by every user of this machine: chmod 600 %s", path, path);
    ssl->SSL_CTX_set_default_passwd_cb(l->ctx, no_passphrase);
    ssl->SSL_CTX_set_default_passwd_cb_userdata(l->ctx, &asked);
    ssl->ERR_clear_error();
    bool good = ssl->SSL_CTX_use_PrivateKey_file(l->ctx, path, SSL_FILETYPE_PEM) == 1;
    unsigned long e = good ? 0 : ssl->ERR_peek_error();
    ssl->SSL_CTX_set_default_passwd_cb_userdata(l->ctx, NULL);
    if (asked)
        return fail(l, "--tls-key %s is encrypted, and a server cannot ask for the passphrase: openssl pkey -in %s -out PLAIN makes one "
                       "that is not", path, path);
    if (good && ssl->SSL_CTX_check_private_key(l->ctx) == 1) return true;
    if (good || ERR_GET_LIB(e) == ERR_LIB_X509)
        return fail(l, "--tls-key %s does not belong to the certificate in %s", path, l->files->cert);
    /* Decoders of OpenSSL 3 say "unsupported" where the older ones said "no start line". */
    if (no_such_pem(l) || ERR_GET_LIB(e) == ERR_LIB_OSSL_DECODER)
        return fail(l, "--tls-key %s holds no private key in PEM form (-----BEGIN PRIVATE KEY-----)", path);
    return fail(l, "--tls-key %s cannot be used: %s", path, why(l));
}

static bool load_authorities(struct loader *l)
{
    const struct tls_library *ssl = l->ssl;
    const char *path = l->files->client_ca;
    struct stat st;
    if (!path) return true;
    if (!readable(l, "tls-client-ca", path, &st)) return false;
    ssl->ERR_clear_error();
    bool good = ssl->SSL_CTX_load_verify_locations(l->ctx, path, NULL) == 1;
    STACK_OF(X509_NAME) *names = good ? ssl->SSL_load_client_CA_file(path) : NULL;
    if (!names)
        return fail(l, "--tls-client-ca %s holds no certificate in PEM form: %s", path, why(l));
    ssl->SSL_CTX_set_client_CA_list(l->ctx, names); /* takes them */
    ssl->SSL_CTX_set_verify(l->ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return true;
}

/* A client that only speaks something else is told so by TLS's own alert. */
static int choose_protocol(SSL *s, const unsigned char **out, unsigned char *out_n, const unsigned char *in, unsigned in_n, void *arg)
{
    static const unsigned char ours[] = "\x08http/1.1\x08http/1.0";
    const struct tls_library *ssl = arg;
    unsigned char *chosen;
    (void)s;
    if (ssl->SSL_select_next_proto(&chosen, out_n, ours, sizeof(ours) - 1, in, in_n) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

/* TLS 1.2 with forward secrecy and authenticated encryption only; 1.3 has nothing else. No session is kept: tickets hold them. */
static bool set_rules(struct loader *l)
{
    const struct tls_library *ssl = l->ssl;
    static const unsigned char id[] = "onefold";
    ssl->SSL_CTX_set_options(l->ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                         SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
    ssl->SSL_CTX_ctrl(l->ctx, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, NULL);
    ssl->SSL_CTX_ctrl(l->ctx, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    ssl->SSL_CTX_set_alpn_select_cb(l->ctx, choose_protocol, (void *)(uintptr_t)ssl);
    static char groups[] = "X25519:P-256:P-384";
    return ssl->SSL_CTX_ctrl(l->ctx, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL) == 1 &&
           ssl->SSL_CTX_ctrl(l->ctx, SSL_CTRL_SET_GROUPS_LIST, 0, groups) == 1 &&
           ssl->SSL_CTX_set_cipher_list(l->ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
           ssl->SSL_CTX_set_session_id_context(l->ctx, id, sizeof(id) - 1) == 1;
}

SSL_CTX *tls_context(const struct tls_library *ssl, const struct tls_files *files, int64_t *ends, char *message, size_t size)
{
    struct loader l = { .ssl = ssl, .files = files, .ctx = ssl->SSL_CTX_new(ssl->TLS_server_method()), .message = message, .size = size };
    if (!l.ctx) {
        fail(&l, "TLS cannot be set up: %s", why(&l));
        return NULL;
    }
    bool good = set_rules(&l);
    if (!good) fail(&l, "TLS cannot be set up: %s", why(&l));
    good = good && load_certificate(&l) && load_key(&l) && load_authorities(&l);
    ssl->ERR_clear_error();
    *ends = l.ends;
    if (good) return l.ctx;
    ssl->SSL_CTX_free(l.ctx);
    return NULL;
}
