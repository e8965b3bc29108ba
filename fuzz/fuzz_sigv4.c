/* fuzz_sigv4.c: any bytes as a signed request: target line, headers, empty line, body. What it says of itself is refused with words or reads
 * the same in all the ways in which it can be written; and signed with the key that it names, it is good, stays good when what a proxy may change
 * is changed, and is no longer good when anything else is. The clock stands at 2015-08-30 12:36:00. */
#include <strings.h>
#include "auth/sigv4.h"
#include "base/buf.h"
#include "fuzz.h"
#include "wire/auth_header.h"
#include "wire/limits.h"

#define NOW 1440938160

static const char keys[] = "[alice]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n"
                           "[session]\naws_access_key_id = ASIASESSION\naws_secret_access_key = s\naws_session_token = token-of-it\n";

static struct credentials *known(struct arena *a)
{
    static struct credentials *set;
    struct err e = { .arena = a };
    if (!set) CHECK(!credentials_read(&set, slice_str(keys), &(struct credentials_options){ .where = SLICE("keys") }, &e));
    return set;
}

/* ---- reading the input as a request ---- */

static struct slice take_line(struct slice *in)
{
    const uint8_t *end = in->n ? memchr(in->p, '\n', in->n) : NULL;
    struct slice line = fuzz_bytes(in, end ? (size_t)(end - in->p) : in->n);
    fuzz_bytes(in, 1);
    return line;
}

static bool split(struct slice s, char at, struct slice *left, struct slice *right)
{
    const uint8_t *p = s.n ? memchr(s.p, at, s.n) : NULL;
    *left = slice_of(s.p, p ? (size_t)(p - s.p) : s.n);
    *right = p ? slice_of(p + 1, s.n - left->n - 1) : slice_of(NULL, 0);
    return p != NULL;
}

static struct sigv4_request take_request(struct arena *a, struct slice in)
{
    struct sigv4_header *headers = ARENA_ARRAY(a, struct sigv4_header, WIRE_MAX_HEADERS);
    struct sigv4_request r = { .headers = headers };
    struct slice target, line;
    split(take_line(&in), ' ', &r.method, &target);
    split(target, '?', &r.path, &r.query);
    while (r.n_headers < WIRE_MAX_HEADERS && (line = take_line(&in)).n) {
        struct sigv4_header *h = &headers[r.n_headers];
        if (split(line, ':', &h->name, &h->value) && h->name.n) r.n_headers++;
    }
    r.body = in;
    return r;
}

static struct slice header_of(const struct sigv4_request *r, const char *name)
{
    for (size_t i = 0; i < r->n_headers; i++) {
        const struct sigv4_header *h = &r->headers[i];
        if (h->name.n == strlen(name) && !strncasecmp((const char *)h->name.p, name, h->name.n)) return slice_trim(h->value);
    }
    return slice_of(NULL, 0);
}

static struct auth_input input_of(const struct sigv4_request *r)
{
    return (struct auth_input){ .authorization = header_of(r, "authorization"), .x_amz_date = header_of(r, "x-amz-date"),
                                .date = header_of(r, "date"), .security_token = header_of(r, "x-amz-security-token"), .query = r->query };
}

/* ---- the claim, written in both forms ---- */

static bool same_claim(const struct sigv4_claim *x, const struct sigv4_claim *y)
{
    return slice_eq(x->access_key, y->access_key) && slice_eq(x->day, y->day) && slice_eq(x->region, y->region) &&
           slice_eq(x->service, y->service) && slice_eq(x->term, y->term) && slice_eq(x->signed_headers, y->signed_headers) &&
           slice_eq(x->signature, y->signature) && slice_eq(x->date, y->date) && slice_eq(x->token, y->token);
}

/* printf would end at a zero byte. */
static struct slice joined(struct arena *a, const struct slice *parts, size_t n, const char *between)
{
    struct buf b;
    buf_init(&b, a, 1 << 18);
    for (size_t i = 0; i < n; i++) {
        if (i) buf_slice(&b, slice_str(between));
        buf_slice(&b, parts[i]);
    }
    return buf_view(&b);
}

static struct slice credential_of(struct arena *a, const struct sigv4_claim *c)
{
    return joined(a, (struct slice[]){ c->access_key, c->day, c->region, c->service, c->term }, 5, "/");
}

static void put_percent(struct buf *b, const char *name, struct slice s)
{
    if (b->n) buf_u8(b, '&');
    buf_slice(b, slice_str(name));
    for (size_t i = 0; i < s.n; i++) buf_printf(b, "%%%02X", s.p[i]);
}

static void check_forms(struct arena *a, const struct auth_input *in, const struct sigv4_claim *c)
{
    struct err e = { .arena = a };
    struct sigv4_claim again;
    struct buf b;
    struct slice credential = credential_of(a, c);
    if (!c->presigned) {
        struct auth_input header = *in;
        header.authorization = joined(a, (struct slice[]){ SLICE("AWS4-HMAC-SHA256 SignedHeaders="), c->signed_headers, SLICE(",Signature="),
                                                           c->signature, SLICE("  , Credential="), credential }, 6, "");
        CHECK(auth_read(&header, &again, &e) == 0 && same_claim(&again, c));
    }
    if (!c->presigned && !in->x_amz_date.n) return; /* a Date is only looked at with the signature */
    buf_init(&b, a, 1 << 18);
    put_percent(&b, "X-Amz-Algorithm=", SLICE("AWS4-HMAC-SHA256"));
    put_percent(&b, "X-Amz-Credential=", credential);
    put_percent(&b, "X-Amz-SignedHeaders=", c->signed_headers);
    put_percent(&b, "X-Amz-Signature=", c->signature);
    put_percent(&b, "X-Amz-Date=", c->date);
    if (c->token.n) put_percent(&b, "X-Amz-Security-Token=", c->token);
    struct auth_input query = { .query = buf_view(&b) };
    CHECK(auth_read(&query, &again, &e) == 0 && again.presigned && same_claim(&again, c));
}

/* ---- the signature ---- */

static struct slice sign(struct arena *a, const struct sigv4_request *r, const struct sigv4_claim *c)
{
    struct hmac_key key;
    uint8_t sum[SHA256_BYTES], *hex = arena_bytes(a, 2 * SHA256_BYTES);
    credentials_signing_key(known(a), credentials_find(known(a), c->access_key), c->day, c->region, c->service, &key);
    hmac_key_sum(&key, sigv4_string_to_sign(a, sigv4_canonical(a, r, c), c), sum);
    sha256_hex(sum, (char *)hex);
    return slice_of(hex, 2 * SHA256_BYTES);
}

static bool good(struct arena *a, const struct sigv4_request *r, const struct sigv4_claim *c)
{
    struct err e = { .arena = a };
    const struct identity *who;
    int rc = sigv4_verify(r, c, known(a), NOW, &who, &e);
    CHECK(rc == (rc ? (int)e.code : 0) && (rc ? e.message.n > 0 && !who : who != NULL));
    return rc == 0;
}

static struct slice longer(struct arena *a, struct slice s, const char *by)
{
    return joined(a, (struct slice[]){ s, slice_str(by) }, 2, "");
}

/* Each change of one of the things that are signed. */
static void check_bad(struct arena *a, const struct sigv4_request *r, const struct sigv4_claim *c)
{
    struct sigv4_request bad = *r;
    struct sigv4_claim other = *c;
    uint8_t *digits = arena_bytes(a, c->signature.n);
    bad.body = slice_of(r->body.p, r->body.n ? r->body.n - 1 : 0);
    if (r->body.n) CHECK(!good(a, &bad, c));
    bad = *r;
    bad.method = longer(a, r->method, "x");
    CHECK(!good(a, &bad, c));
    bad = *r;
    bad.query = longer(a, r->query, r->query.n ? "&x-x=" : "x-x=");
    CHECK(!good(a, &bad, c));
    other.signature = slice_of(c->signature.p, c->signature.n - 1);
    CHECK(!good(a, r, &other));
    other.signature = longer(a, c->signature, "0");
    CHECK(!good(a, r, &other));
    memcpy(digits, c->signature.p, c->signature.n);
    digits[r->body.n % c->signature.n] ^= 1;
    other.signature = slice_of(digits, c->signature.n);
    CHECK(!good(a, r, &other));
    other = *c;
    other.region = longer(a, c->region, "x");
    CHECK(!good(a, r, &other));
}

/* The parameters of the query from the last to the first. */
static struct slice turned(struct arena *a, struct slice query)
{
    struct buf b;
    buf_init(&b, a, query.n + 1);
    for (size_t end = query.n, at = query.n; query.n && end; at--) {
        if (at && query.p[at - 1] != '&') continue;
        buf_slice(&b, slice_of(query.p + at, end - at));
        if (!at) break;
        buf_u8(&b, '&');
        end = at - 1;
    }
    return buf_view(&b);
}

static void check_same(struct arena *a, const struct sigv4_request *r, const struct sigv4_claim *c)
{
    struct sigv4_request same = *r;
    struct sigv4_header *headers = ARENA_ARRAY(a, struct sigv4_header, WIRE_MAX_HEADERS);
    for (size_t i = 0; i < r->n_headers; i++) {
        struct slice name = r->headers[i].name;
        uint8_t *p = arena_bytes(a, name.n);
        for (size_t k = 0; k < name.n; k++) p[k] = name.p[k] >= 'a' && name.p[k] <= 'z' ? name.p[k] - 32 : name.p[k];
        headers[i] = (struct sigv4_header){ slice_of(p, name.n), joined(a, (struct slice[]){ SLICE("\t  "), r->headers[i].value, SLICE(" ") }, 3, "") };
    }
    same.headers = headers;
    CHECK(good(a, &same, c));
    same = *r;
    same.query = turned(a, r->query);
    CHECK(good(a, &same, c));
    same = *r;
    same.path = joined(a, (struct slice[]){ SLICE("/./a/..//"), r->path }, 2, "");
    CHECK(good(a, &same, c));
}

static void check(struct arena *a, struct slice text)
{
    struct sigv4_request r = take_request(a, text);
    struct auth_input in = input_of(&r);
    struct sigv4_claim c;
    struct err e = { .arena = a };
    int rc = auth_read(&in, &c, &e);
    CHECK(rc == (rc ? (int)e.code : 0) && (!rc || e.message.n));
    if (rc) return;
    check_forms(a, &in, &c);
    /* Nobody guesses a signature. If that is all there is against it, the right one makes it good. */
    const struct identity *who;
    CHECK(sigv4_verify(&r, &c, known(a), NOW, &who, &e) && !who && e.message.n);
    if (!slice_starts(e.message, SLICE("The request signature we calculated"))) return;
    c.signature = sign(a, &r, &c);
    if (!slice_eq(credentials_find(known(a), c.access_key)->session_token, c.token)) { /* only looked at when the signature is right */
        CHECK(!good(a, &r, &c));
        return;
    }
    CHECK(good(a, &r, &c));
    check_same(a, &r, &c);
    check_bad(a, &r, &c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ARENA(a, (size_t)32 << 20);
    if (size > WIRE_MAX_HEAD || memchr(data, 0, size)) return 0; /* a head has no NUL */
    volatile bool enough = false;
    if (ARENA_GUARD(a)) {
        check(a, slice_of(data, size));
        enough = true;
    }
    arena_unguard(a);
    CHECK(enough);
    return 0;
}
