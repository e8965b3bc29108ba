/* tls_trouble.c: each way in which an encrypted connection fails to come about has its sentence: what libcurl and OpenSSL say of it helps
 * nobody who does not know them. Where there is no code to tell two of them apart, OpenSSL's words do. */
#include "tls_trouble.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* OpenSSL's X509_V_ERR_...: libcurl passes them on as they are. */
enum {
    VERIFY_NO_ISSUER = 2,
    VERIFY_NOT_YET = 9,
    VERIFY_EXPIRED = 10,
    VERIFY_SELF_SIGNED = 18,
    VERIFY_SELF_SIGNED_IN_CHAIN = 19,
    VERIFY_NO_LOCAL_ISSUER = 20,
    VERIFY_ALONE = 21,
};

#define FAIL(...) (err_set(e, ERR_ServiceUnavailable, __VA_ARGS__), true)

static bool not_believed(const struct remote_settings *s, long verified, const char *said, struct err *e)
{
    if (strstr(said, "target host name")) /* libcurl compares it itself */
        return FAIL("the certificate of %.*s is not for the name %.*s: ask by a name that is in it", SLICE_ARG(s->url), SLICE_ARG(s->host));
    switch (verified) {
    case VERIFY_EXPIRED: return FAIL("the certificate of %.*s has expired: who runs it has to renew it", SLICE_ARG(s->url));
    case VERIFY_NOT_YET: return FAIL("the certificate of %.*s is not valid yet: is the clock of this machine right?", SLICE_ARG(s->url));
    case VERIFY_NO_ISSUER:
    case VERIFY_SELF_SIGNED:
    case VERIFY_SELF_SIGNED_IN_CHAIN:
    case VERIFY_NO_LOCAL_ISSUER:
    case VERIFY_ALONE:
        if (s->ca_file.n)
            return FAIL("the certificate of %.*s was not issued by an authority of %.*s: if it is to be believed, name the authority's certificate "
                        "with --ca-file FILE or AWS_CA_BUNDLE", SLICE_ARG(s->url), SLICE_ARG(s->ca_file));
        return FAIL("the certificate of %.*s was not issued by an authority that this machine knows: if it is to be believed, name the "
                    "authority's certificate with --ca-file FILE or AWS_CA_BUNDLE", SLICE_ARG(s->url));
    default: return FAIL("the certificate of %.*s cannot be believed: %s", SLICE_ARG(s->url), said);
    }
}

/* Why it cannot be opened; NULL: it can. */
static const char *unreadable(struct slice path)
{
    int fd = open((const char *)path.p, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return strerror(errno);
    close(fd);
    return NULL;
}

static bool bad_authorities(const struct remote_settings *s, const char *said, struct err *e)
{
    if (!s->ca_file.n)
        return FAIL("this machine has no list of authorities: install it (Debian: ca-certificates), or name one with --ca-file FILE (%s)",
                    said);
    const char *why = unreadable(s->ca_file);
    if (why) return FAIL("--ca-file %.*s: %s", SLICE_ARG(s->ca_file), why);
    return FAIL("--ca-file %.*s holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)", SLICE_ARG(s->ca_file));
}

static bool bad_certificate(const struct remote_settings *s, const char *said, struct err *e)
{
    struct slice key = s->client_key.n ? s->client_key : s->client_cert;
    const char *why = unreadable(s->client_cert);
    if (why) return FAIL("--client-cert %.*s: %s", SLICE_ARG(s->client_cert), why);
    why = unreadable(key);
    if (why) return FAIL("--client-key %.*s: %s", SLICE_ARG(key), why);
    if (strstr(said, "client certificate"))
        return FAIL("--client-cert %.*s holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)", SLICE_ARG(s->client_cert));
    /* libcurl has one sentence for all that can be wrong with a key. */
    return FAIL("--client-key %.*s holds no private key in PEM form (-----BEGIN PRIVATE KEY-----) that belongs to the certificate in %.*s "
                "and is not encrypted", SLICE_ARG(key), SLICE_ARG(s->client_cert));
}

/* The server refused us, or it does not speak as we do. OpenSSL's words, in the order in which they are looked for. */
static const struct {
    const char *words, *meaning;
} refusals[] = {
    { "wrong version number", "does not speak TLS here: write http:// if that is meant" },
    { "packet length too long", "does not speak TLS here: write http:// if that is meant" },
    { "protocol version", "speaks only versions of TLS that are no longer safe; 1.2 is the least" },
    { "unsupported protocol", "speaks only versions of TLS that are no longer safe; 1.2 is the least" },
    { "certificate required", "wants a certificate of the client: give --client-cert FILE and --client-key FILE" },
    { "certificate expired", "refuses the client's certificate: it has expired" },
    { "alert unknown ca", "refuses the client's certificate: it does not know the authority that issued it" },
    { "alert bad certificate", "refuses the client's certificate" },
    { "alert certificate unknown", "refuses the client's certificate" },
    { "alert certificate revoked", "refuses the client's certificate: it was revoked" },
    { "alert unsupported certificate", "refuses the client's certificate: it is not made for a client" },
};

static bool no_agreement(const struct remote_settings *s, const char *said, struct err *e)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (strstr(said, refusals[i].words)) return FAIL("%.*s %s", SLICE_ARG(s->url), refusals[i].meaning);
    }
    /* Before TLS 1.3 there is one alert for everything, a missing certificate too. */
    if (strstr(said, "alert handshake failure"))
        return FAIL("%.*s refuses the connection%s", SLICE_ARG(s->url),
                    s->client_cert.n ? ": it has no kind of encryption in common with us, or does not take the client's certificate"
                                     : ": perhaps it wants a certificate of the client (--client-cert FILE, --client-key FILE)");
    return false;
}

bool tls_trouble(const struct remote_settings *s, CURLcode code, long verified, const char *said, struct err *e)
{
    if (!slice_starts(s->url, SLICE("https://"))) return false;
    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION: return not_believed(s, verified, said, e);
    case CURLE_SSL_CACERT_BADFILE: return bad_authorities(s, said, e);
    case CURLE_SSL_CERTPROBLEM: return bad_certificate(s, said, e);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: return no_agreement(s, said, e); /* in TLS 1.3 a refusal comes after the handshake */
    default: return false;
    }
}
