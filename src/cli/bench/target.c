/* target.c: an endpoint's address, and requests to it, signed with AWS Signature Version 4. */
#include "target.h"
#include "../cli.h"
#include "../../base/sha256.h"
#include <netdb.h>
#include <time.h>

#define HEAD_MAX ((size_t)64 << 10)
#define SIGNED   "content-type;host;x-amz-date;x-amz-target"
#define SIGNED_WITH_TOKEN "content-type;host;x-amz-date;x-amz-security-token;x-amz-target"
#define JSON_1_0 "application/x-amz-json-1.0"

int target_resolve(struct arena *a, struct bench_target *out)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
    const char *name = (const char *)arena_printf(a, "%.*s", SLICE_ARG(out->name)).p;
    const char *service = (const char *)arena_printf(a, "%.*s", SLICE_ARG(out->port)).p;
    int code = getaddrinfo(name, service, &hints, &found);
    if (code) return fail_error("cannot find %s: %s", name, gai_strerror(code));
    memcpy(&out->address, found->ai_addr, found->ai_addrlen);
    out->address_n = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

/* The path behind http://host:port is ours; the rest is read as everywhere. from: the length of http:// or https:// */
static struct slice cut_path(struct slice *url, size_t from)
{
    const uint8_t *slash = url->n > from ? memchr(url->p + from, '/', url->n - from) : NULL;
    struct slice path = SLICE("/");
    if (!slash) return path;
    size_t n = (size_t)(slash - url->p);
    if (n + 1 < url->n) path = slice_of(slash, url->n - n);
    url->n = n;
    return path;
}

static bool is_clean(struct slice path)
{
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] <= ' ' || path.p[i] >= 0x7f || path.p[i] == '?' || path.p[i] == '#') return false;
    return true;
}

static size_t scheme_length(struct slice url)
{
    const struct slice schemes[] = { SLICE("http://"), SLICE("https://") };
    for (size_t i = 0; i < COUNT(schemes); i++)
        if (slice_starts(url, schemes[i])) return schemes[i].n;
    return 0;
}

void target_close(struct bench_target *t)
{
    secure_client_close(t->secure);
    t->secure = NULL;
}

int target_open(struct arena *a, const char *url, struct remote_options o, struct bench_target *out)
{
    struct slice rest = slice_str(url);
    struct err e = { .arena = a };
    struct remote_settings s;
    *out = (struct bench_target){ .url = rest };
    out->path = scheme_length(rest) ? cut_path(&rest, scheme_length(rest)) : SLICE("/");
    if (!is_clean(out->path)) return fail_error("the path of %s holds characters that cannot be sent: no blanks, no query", url);
    o.endpoint = rest;
    if (remote_settings_make(a, &o, &remote_env_system, &s, &e)) return fail_error("%.*s", SLICE_ARG(e.message));
    out->region = s.region;
    out->access_key = s.access_key;
    out->secret_key = s.secret_key;
    out->session_token = s.session_token;
    out->loopback = s.loopback;
    out->is_aws = s.is_aws;
    /* s.url is http://host:port/ */
    size_t scheme = scheme_length(s.url);
    bool tls = slice_starts(s.url, SLICE("https://"));
    out->host = slice_of(s.url.p + scheme, s.url.n - scheme - 1);
    size_t last = out->host.n;
    while (last && out->host.p[last - 1] >= '0' && out->host.p[last - 1] <= '9') last--;
    bool port = last && last < out->host.n && out->host.p[last - 1] == ':';
    out->name = s.host;
    out->port = port ? slice_of(out->host.p + last, out->host.n - last) : tls ? SLICE("443") : SLICE("80");
    char message[512];
    return tls && secure_client_open(&out->secure, &s, message, sizeof message) ? fail_error("%s", message) : EXIT_OK;
}

/* ---- signatures ---- */

static struct slice hex(struct arena *a, const uint8_t *bytes)
{
    uint8_t *text = arena_bytes(a, 2 * SHA256_BYTES);
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        text[2 * i] = (uint8_t)"0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = (uint8_t)"0123456789abcdef"[bytes[i] & 15];
    }
    return slice_of(text, 2 * SHA256_BYTES);
}

static struct slice hex_hash(struct arena *a, struct slice text)
{
    uint8_t sum[SHA256_BYTES];
    sha256(text, sum);
    return hex(a, sum);
}

static struct slice sign(struct arena *a, const struct bench_target *t, const char *when, struct slice scope, struct slice operation,
                         struct slice body)
{
    struct slice token = t->session_token;
    struct slice hash = hex_hash(a, body);
    /* The headers in the order of their names: the token's stands between the date and the target. */
    struct slice canonical = arena_printf(
        a, "POST\n%.*s\n\ncontent-type:" JSON_1_0 "\nhost:%.*s\nx-amz-date:%s\n%s%.*s%sx-amz-target:DynamoDB_20120810.%.*s\n\n%s\n%.*s",
        SLICE_ARG(t->path), SLICE_ARG(t->host), when, token.n ? "x-amz-security-token:" : "", SLICE_ARG(token), token.n ? "\n" : "",
        SLICE_ARG(operation), token.n ? SIGNED_WITH_TOKEN : SIGNED, SLICE_ARG(hash));
    struct slice text = arena_printf(a, "AWS4-HMAC-SHA256\n%s\n%.*s\n%.*s", when, SLICE_ARG(scope), SLICE_ARG(hex_hash(a, canonical)));
    struct slice secret = arena_printf(a, "AWS4%.*s", SLICE_ARG(t->secret_key));
    uint8_t key[SHA256_BYTES];
    const struct slice steps[] = { slice_of(when, 8), t->region, SLICE("dynamodb"), SLICE("aws4_request"), text };
    hmac_sha256(secret, steps[0], key);
    for (size_t i = 1; i < sizeof steps / sizeof *steps; i++) hmac_sha256(slice_of(key, sizeof key), steps[i], key);
    return hex(a, key);
}

struct slice target_request(struct arena *a, const struct bench_target *t, struct slice operation, struct slice body)
{
    static const char zeros[2 * SHA256_BYTES + 1] = "0000000000000000000000000000000000000000000000000000000000000000";
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &utc);
    struct slice token = t->session_token;
    struct slice scope = arena_printf(a, "%.8s/%.*s/dynamodb/aws4_request", when, SLICE_ARG(t->region));
    struct slice signature = t->loopback ? slice_str(zeros) : sign(a, t, when, scope, operation, body);
    struct buf b;
    buf_init(&b, a, HEAD_MAX + body.n);
    buf_reserve(&b, 512 + token.n + body.n);
    buf_printf(&b, "POST %.*s HTTP/1.1\r\nHost: %.*s\r\nContent-Type: " JSON_1_0 "\r\nX-Amz-Date: %s\r\n", SLICE_ARG(t->path),
               SLICE_ARG(t->host), when);
    if (token.n) buf_printf(&b, "X-Amz-Security-Token: %.*s\r\n", SLICE_ARG(token));
    buf_printf(&b, "X-Amz-Target: DynamoDB_20120810.%.*s\r\nAuthorization: AWS4-HMAC-SHA256 Credential=%.*s/%.*s, SignedHeaders=%s, "
               "Signature=%.*s\r\nContent-Length: %zu\r\n\r\n", SLICE_ARG(operation), SLICE_ARG(t->access_key), SLICE_ARG(scope),
               token.n ? SIGNED_WITH_TOKEN : SIGNED, SLICE_ARG(signature), body.n);
    buf_slice(&b, body);
    return buf_view(&b);
}
