/* sigv4.c: whether a signature is good: in time, for this service, over what must be signed, by a key that is known. */
#include "sigv4.h"
#include "../base/buf.h"
#include "date.h"
#include <strings.h>

/* ---- the claim by itself ---- */

/* seconds: how long it is good for */
static int too_old(const struct sigv4_claim *c, int64_t now, int64_t seconds, struct err *e)
{
    char at[DATE_BASIC], limit[DATE_BASIC];
    date_write_basic(now, at);
    date_write_basic(now - seconds, limit);
    return err_set(e, ERR_InvalidSignatureException, "Signature expired: %.*s is now earlier than %s (%s - %lld min.)", SLICE_ARG(c->date),
                   limit, at, (long long)seconds / 60);
}

static int too_new(const struct sigv4_claim *c, int64_t now, struct err *e)
{
    char at[DATE_BASIC], limit[DATE_BASIC];
    date_write_basic(now, at);
    date_write_basic(now + SIGV4_WINDOW_MINUTES * 60, limit);
    return err_set(e, ERR_InvalidSignatureException, "Signature not yet current: %.*s is still later than %s (%s + %d min.)",
                   SLICE_ARG(c->date), limit, at, SIGV4_WINDOW_MINUTES);
}

/* How long a presigned request says that it is good for; 0: it does not say, negative: nothing that we take. */
static int64_t expires_of(const struct sigv4_claim *c)
{
    int64_t n = 0;
    for (size_t i = 0; i < c->expires.n; i++) {
        if (c->expires.p[i] < '0' || c->expires.p[i] > '9' || n > SIGV4_MAX_EXPIRES) return -1;
        n = n * 10 + (c->expires.p[i] - '0');
    }
    return c->expires.p && (n < 1 || n > SIGV4_MAX_EXPIRES) ? -1 : n;
}

static int check_time(const struct sigv4_claim *c, int64_t now, struct err *e)
{
    int64_t date, expires = expires_of(c), window = SIGV4_WINDOW_MINUTES * 60;
    if (!date_read_basic(c->date, &date))
        return err_set(e, ERR_IncompleteSignatureException,
                       "Date must be in ISO-8601 'basic format'. Got '%.*s'. See http://en.wikipedia.org/wiki/ISO_8601", SLICE_ARG(c->date));
    if (expires < 0)
        return err_set(e, ERR_IncompleteSignatureException, "X-Amz-Expires must be a number of seconds from 1 to %d, got '%.*s'",
                       SIGV4_MAX_EXPIRES, SLICE_ARG(c->expires));
    if (date > now + window) return too_new(c, now, e);
    if (expires && now > date + expires) return too_old(c, now, expires, e);
    if (!expires && date < now - window) return too_old(c, now, window, e);
    return 0;
}

bool sigv4_is_region(struct slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '-')) return false;
    return s.n && s.n <= 32;
}

static int check_scope(const struct sigv4_claim *c, struct err *e)
{
    struct slice service = SLICE("dynamodb"), term = SLICE("aws4_request"), day = slice_of(c->date.p, 8);
    struct buf b;
    if (sigv4_is_region(c->region) && slice_eq(c->service, service) && slice_eq(c->term, term) && slice_eq(c->day, day)) return 0;
    buf_init(&b, e->arena, 65536);
    if (!sigv4_is_region(c->region))
        buf_printf(&b, "Credential should be scoped to a valid region, not '%.*s'. ", SLICE_ARG(c->region));
    if (!slice_eq(c->service, service)) buf_printf(&b, "Credential should be scoped to correct service: 'dynamodb'. ");
    if (!slice_eq(c->term, term))
        buf_printf(&b, "Credential should be scoped with a valid terminator: 'aws4_request', not '%.*s'. ", SLICE_ARG(c->term));
    if (!slice_eq(c->day, day))
        buf_printf(&b, "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '%.*s' != '%.*s', from '%.*s'. ",
                   SLICE_ARG(c->day), SLICE_ARG(day), SLICE_ARG(c->date));
    return err_set(e, ERR_InvalidSignatureException, "%.*s", SLICE_ARG(buf_view(&b)));
}

/* ---- what must be signed ---- */

static bool same_name(struct slice a, struct slice b)
{
    return a.n == b.n && strncasecmp((const char *)a.p, (const char *)b.p, a.n) == 0;
}

static bool is_among(struct slice list, struct slice name)
{
    for (size_t from = 0, i = 0; i <= list.n; i++) {
        if (i < list.n && list.p[i] != ';') continue;
        if (same_name(slice_of(list.p + from, i - from), name)) return true;
        from = i + 1;
    }
    return false;
}

static bool is_signed(const struct sigv4_claim *c, struct slice name)
{
    return is_among(c->signed_headers, name);
}

/* A long header named a hundred times would make a canonical request of a megabyte. */
static bool names_one_twice(struct slice list)
{
    for (size_t from = 0, i = 0; i < list.n; i++) {
        if (list.p[i] != ';') continue;
        if (is_among(slice_of(list.p + i + 1, list.n - i - 1), slice_of(list.p + from, i - from))) return true;
        from = i + 1;
    }
    return false;
}

/* x-amz-content-sha256 may be left out, as early versions of AWS's own client for Go did: the hash that counts is of the body. So may a session's token,
 * which some clients add when all is signed (one of the published vectors does): it must be the key's own anyway. */
static bool must_be_signed(struct slice name)
{
    struct slice prefix = SLICE("x-amz-");
    return name.n > prefix.n && same_name(slice_of(name.p, prefix.n), prefix) && !same_name(name, SLICE("x-amz-content-sha256")) &&
           !same_name(name, SLICE("x-amz-security-token"));
}

static int check_signed_headers(const struct sigv4_request *r, const struct sigv4_claim *c, struct err *e)
{
    size_t n = 1;
    for (size_t i = 0; i < c->signed_headers.n; i++) n += c->signed_headers.p[i] == ';';
    if (n > SIGV4_MAX_HEADERS)
        return err_set(e, ERR_InvalidSignatureException, "SignedHeaders names more than %u headers.", SIGV4_MAX_HEADERS);
    if (names_one_twice(c->signed_headers))
        return err_set(e, ERR_InvalidSignatureException, "SignedHeaders names a header twice.");
    if (!is_signed(c, SLICE("host")))
        return err_set(e, ERR_InvalidSignatureException, "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
    for (size_t i = 0; i < r->n_headers; i++) {
        struct slice name = r->headers[i].name;
        if (must_be_signed(name) && !is_signed(c, name))
            return err_set(e, ERR_InvalidSignatureException, "'%.*s' must be a 'SignedHeader' in the AWS Authorization.", SLICE_ARG(name));
    }
    return 0;
}

int sigv4_check_claim(const struct sigv4_request *r, const struct sigv4_claim *c, int64_t now, struct err *e)
{
    int rc = check_time(c, now, e);
    return rc ? rc : check_signed_headers(r, c, e);
}

/* ---- the signature ---- */

static int mismatch(struct slice canonical, struct slice to_sign, struct err *e)
{
    return err_set(e, ERR_InvalidSignatureException,
                   "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and "
                   "signing method. Consult the service documentation for details.\n\n"
                   "The Canonical String for this request should have been\n'%.*s'\n\nThe String-to-Sign should have been\n'%.*s'\n",
                   SLICE_ARG(canonical), SLICE_ARG(to_sign));
}

static bool is_of(const struct hmac_key *key, struct slice to_sign, struct slice signature)
{
    uint8_t sum[SHA256_BYTES];
    char right[2 * SHA256_BYTES];
    hmac_key_sum(key, to_sign, sum);
    sha256_hex(sum, right);
    bool same = same_secret(slice_of(right, sizeof right), signature);
    explicit_bzero(sum, sizeof sum);
    explicit_bzero(right, sizeof right); /* who was refused must not find the right one anywhere */
    return same;
}

static int check_signature(const struct sigv4_request *r, const struct sigv4_claim *c, struct credentials *set, const struct identity *who,
                           struct err *e)
{
    struct hmac_key key;
    struct slice canonical = sigv4_canonical(e->arena, r, c), to_sign = sigv4_string_to_sign(e->arena, canonical, c);
    credentials_signing_key(set, who, c->day, c->region, c->service, &key);
    bool good = is_of(&key, to_sign, c->signature);
    if (!good && c->presigned && c->token.n) {
        struct sigv4_claim apart = *c;
        apart.token_apart = true;
        good = is_of(&key, sigv4_string_to_sign(e->arena, sigv4_canonical(e->arena, r, &apart), c), c->signature);
    }
    explicit_bzero(&key, sizeof key);
    return good ? 0 : mismatch(canonical, to_sign, e);
}

int sigv4_verify(const struct sigv4_request *r, const struct sigv4_claim *c, struct credentials *set, int64_t now,
                 const struct identity **who, struct err *e)
{
    *who = NULL;
    int rc = c->checked ? 0 : sigv4_check_claim(r, c, now, e);
    if (!rc) rc = check_scope(c, e);
    if (rc) return rc;
    const struct identity *found = credentials_find(set, c->access_key);
    if (!found || (found->session_token.n && !c->token.n))
        return err_set(e, ERR_UnrecognizedClientException, "The security token included in the request is invalid.");
    rc = check_signature(r, c, set, found, e);
    if (rc) return rc;
    if (!same_secret(found->session_token, c->token)) /* without a full stop, this one */
        return err_set(e, ERR_UnrecognizedClientException, "The security token included in the request is invalid");
    if (found->expires && now >= found->expires)
        return err_set(e, ERR_ExpiredTokenException, "The security token included in the request is expired");
    *who = found;
    return 0;
}
