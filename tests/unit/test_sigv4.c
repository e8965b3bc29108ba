/* test_sigv4.c: signatures: the vectors of data/sigv4_vectors.txt (or of the file that OF_SIGV4_VECTORS names, in the same form), and each
 * reason for which a request is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "auth/date.h"
#include "auth/sigv4.h"
#include "base/buf.h"
#include <stdio.h>
#include <stdlib.h>

#define NOW 1440938160 /* 20150830T123600Z */

static const char keys[] = "[alice]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n"
                           "[session]\naws_access_key_id = ASIASESSION\naws_secret_access_key = s\naws_session_token = token-of-it\n"
                           "[late]\naws_access_key_id = AKIDLATE\naws_secret_access_key = s\nexpires = 2015-08-30T12:36:00Z\n"
                           "[soon]\naws_access_key_id = AKIDSOON\naws_secret_access_key = s\nexpires = 2015-08-30T12:36:01Z\n";

static struct credentials *known(struct arena *a)
{
    struct credentials *c = NULL;
    struct err e = { .arena = a };
    assert_int_equal(credentials_read(&c, slice_str(keys), &(struct credentials_options){ .where = SLICE("keys") }, &e), 0);
    return c;
}

/* The signature that the request should have, in hexadecimal. */
static struct slice sign(struct arena *a, struct credentials *set, const struct sigv4_request *r, const struct sigv4_claim *c)
{
    struct hmac_key key;
    uint8_t sum[SHA256_BYTES], *hex = arena_bytes(a, 2 * SHA256_BYTES);
    const struct identity *who = credentials_find(set, c->access_key);
    assert_non_null(who);
    credentials_signing_key(set, who, c->day, c->region, c->service, &key);
    hmac_key_sum(&key, sigv4_string_to_sign(a, sigv4_canonical(a, r, c), c), sum);
    sha256_hex(sum, (char *)hex);
    return slice_of(hex, 2 * SHA256_BYTES);
}

/* ---- vectors ---- */

static struct slice whole_file(struct arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("cannot read %s", path);
    uint8_t *bytes = arena_bytes(a, 1 << 20);
    size_t n = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return slice_of(bytes, n);
}

static struct slice line_of(struct slice *rest)
{
    const uint8_t *end = memchr(rest->p, '\n', rest->n);
    struct slice line = slice_of(rest->p, end ? (size_t)(end - rest->p) : rest->n);
    size_t used = line.n + (end != NULL);
    *rest = slice_of(rest->p + used, rest->n - used);
    return line;
}

struct vector {
    struct slice name, signature;
    struct sigv4_header headers[16];
    struct sigv4_request request;
    struct buf canonical;
    int lines; /* of the request, so far; -1: its body comes next */
};

static void read_request_line(struct vector *v, struct slice line)
{
    if (v->lines < 0) {
        v->request.body = line;
    } else if (v->lines++ == 0) { /* "GET /a b?c HTTP/1.1": a target may have blanks */
        const uint8_t *blank = memchr(line.p, ' ', line.n);
        size_t at = (size_t)(blank - line.p), n = line.n - at - 1 - strlen(" HTTP/1.1");
        const uint8_t *question = memchr(blank + 1, '?', n);
        v->request.method = slice_of(line.p, at);
        v->request.path = slice_of(blank + 1, question ? (size_t)(question - blank - 1) : n);
        if (question) v->request.query = slice_of(question + 1, n - v->request.path.n - 1);
    } else if (!line.n) {
        v->lines = -1;
    } else {
        const uint8_t *colon = memchr(line.p, ':', line.n);
        size_t n = (size_t)(colon - line.p);
        v->headers[v->request.n_headers++] = (struct sigv4_header){ slice_of(line.p, n), slice_of(colon + 1, line.n - n - 1) };
    }
}

static bool has(struct slice text, const char *part)
{
    return text.n && memmem(text.p, text.n, part, strlen(part));
}

static void check_vector(struct arena *a, struct credentials *set, struct vector *v)
{
    /* The names stand in the line before the last. */
    struct slice rest = buf_view(&v->canonical), names = { 0 };
    for (struct slice line = { 0 }; rest.n;) {
        names = line;
        line = line_of(&rest);
    }
    struct sigv4_claim c = { .access_key = SLICE("AKIDEXAMPLE"), .day = SLICE("20150830"), .region = SLICE("us-east-1"),
                             .service = SLICE("service"), .term = SLICE("aws4_request"), .date = SLICE("20150830T123600Z"),
                             .signed_headers = names,
                             .presigned = has(v->request.query, "X-Amz-Signature="),
                             .token_apart = has(v->request.query, "X-Amz-Security-Token=") && !has(buf_view(&v->canonical), "X-Amz-Security-Token=") };
    v->request.headers = v->headers;
    struct slice canonical = sigv4_canonical(a, &v->request, &c), signature = sign(a, set, &v->request, &c);
    if (!slice_eq(canonical, buf_view(&v->canonical)))
        fail_msg("%.*s: canonical form is\n%.*s\nnot\n%.*s", SLICE_ARG(v->name), SLICE_ARG(canonical), SLICE_ARG(buf_view(&v->canonical)));
    if (!slice_eq(signature, v->signature)) fail_msg("%.*s: signature %.*s", SLICE_ARG(v->name), SLICE_ARG(signature));
}

static struct slice without(struct slice line, size_t n)
{
    return line.n > n ? slice_of(line.p + n, line.n - n) : slice_of(line.p, 0);
}

static void test_vectors(void **state)
{
    struct arena *a = &arena;
    (void)state;
    const char *named = getenv("OF_SIGV4_VECTORS");
    struct slice rest = whole_file(a, named ? named : SOURCE_ROOT "/tests/unit/data/sigv4_vectors.txt");
    struct credentials *set = known(a);
    struct vector *v = NULL;
    unsigned n = 0;
    while (rest.n) {
        struct slice line = line_of(&rest);
        if (slice_starts(line, SLICE("case "))) {
            v = ARENA_NEW(a, struct vector);
            v->name = without(line, 5);
            buf_init(&v->canonical, a, 1 << 16);
        } else if (slice_starts(line, SLICE(">"))) {
            read_request_line(v, without(line, 2));
        } else if (slice_starts(line, SLICE("="))) {
            if (v->canonical.n) buf_u8(&v->canonical, '\n');
            buf_slice(&v->canonical, without(line, 2));
        } else if (slice_starts(line, SLICE("signature "))) {
            v->signature = without(line, 10);
            check_vector(a, set, v);
            n++;
        }
    }
    assert_true(n >= 25);
    credentials_release(set);
}

/* ---- refusals ---- */

static const struct sigv4_header headers[] = {
    { SLICE("Host"), SLICE("127.0.0.1:8000") }, { SLICE("X-Amz-Date"), SLICE("20150830T123600Z") },
    { SLICE("X-Amz-Target"), SLICE("DynamoDB_20120810.ListTables") }, { SLICE("x-amz-content-sha256"), SLICE("UNSIGNED-PAYLOAD") },
    { SLICE("User-Agent"), SLICE("test") },
};
static const struct sigv4_request listing = { .method = SLICE("POST"), .path = SLICE("/"), .headers = headers, .n_headers = 5,
                                              .body = SLICE("{}") };
static const struct sigv4_claim good = { .access_key = SLICE("AKIDEXAMPLE"), .day = SLICE("20150830"), .region = SLICE("us-east-1"),
                                         .service = SLICE("dynamodb"), .term = SLICE("aws4_request"), .date = SLICE("20150830T123600Z"),
                                         .signed_headers = SLICE("host;x-amz-date;x-amz-target") };

/* Signs and verifies; "" if it is let in, otherwise "Exception: message". */
static const char *said(struct arena *a, const struct sigv4_request *sent, const struct sigv4_request *came, struct sigv4_claim c, int64_t now)
{
    struct err e = { .arena = a };
    struct credentials *set = known(a);
    const struct identity *who = NULL;
    if (!c.signature.n && credentials_find(set, c.access_key)) c.signature = sign(a, set, sent, &c);
    int rc = sigv4_verify(came, &c, set, now, &who, &e);
    assert_true(rc ? !who : who == credentials_find(set, c.access_key));
    const char *text = rc ? (const char *)arena_printf(a, "%s: %.*s", err_name(e.code), SLICE_ARG(e.message)).p : "";
    credentials_release(set);
    return text;
}

static void test_a_good_one_is_let_in(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct sigv4_claim c = good;
    assert_string_equal(said(a, &listing, &listing, c, NOW), "");
    assert_string_equal(said(a, &listing, &listing, c, NOW + 900), "");
    assert_string_equal(said(a, &listing, &listing, c, NOW - 900), "");
    c.region = SLICE("eu-central-1");
    assert_string_equal(said(a, &listing, &listing, c, NOW), "");
}

static void test_time(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct sigv4_claim c = good;
    assert_string_equal(said(a, &listing, &listing, c, NOW + 901),
                        "InvalidSignatureException: Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z (20150830T125101Z - 15 min.)");
    assert_string_equal(said(a, &listing, &listing, c, NOW - 901),
                        "InvalidSignatureException: Signature not yet current: 20150830T123600Z is still later than 20150830T123559Z (20150830T122059Z + 15 min.)");
    c.date = SLICE("20151330T123600Z");
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW), "IncompleteSignatureException: Date must be in ISO-8601 'basic format'."));
}

static void test_presigned_time(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct sigv4_claim c = good;
    c.presigned = true;
    assert_string_equal(said(a, &listing, &listing, c, NOW + 900), "");
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW + 901), "Signature expired"));
    c.expires = SLICE("60");
    assert_string_equal(said(a, &listing, &listing, c, NOW + 60), "");
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW + 61), "Signature expired"));
    c.expires = SLICE("90");
    assert_string_equal(said(a, &listing, &listing, c, NOW + 91),
                        "InvalidSignatureException: Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z (20150830T123731Z - 1 min.)");
    c.expires = SLICE("604800");
    assert_string_equal(said(a, &listing, &listing, c, NOW + 604800), "");
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW + 604801), "Signature expired"));
    static const char *const wrong[] = { "", "0", "604801", "-1", "1x", "99999999999999999999999999" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        c.expires = slice_str(wrong[i]);
        assert_non_null(strstr(said(a, &listing, &listing, c, NOW), "IncompleteSignatureException: X-Amz-Expires must be"));
    }
}

static void test_scope(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct sigv4_claim c = good;
    c.service = SLICE("s3");
    assert_string_equal(said(a, &listing, &listing, c, NOW), "InvalidSignatureException: Credential should be scoped to correct service: 'dynamodb'. ");
    c.region = SLICE("Mars 1");
    c.term = SLICE("aws5");
    c.day = SLICE("20150829");
    assert_string_equal(said(a, &listing, &listing, c, NOW),
                        "InvalidSignatureException: Credential should be scoped to a valid region, not 'Mars 1'. Credential should be scoped to "
                        "correct service: 'dynamodb'. Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5'. Date in "
                        "Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20150829' != '20150830', from "
                        "'20150830T123600Z'. ");
}

static void test_what_must_be_signed(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct sigv4_claim c = good;
    c.signed_headers = SLICE("x-amz-date;x-amz-target");
    assert_string_equal(said(a, &listing, &listing, c, NOW),
                        "InvalidSignatureException: 'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
    c.signed_headers = SLICE("host;x-amz-date");
    assert_string_equal(said(a, &listing, &listing, c, NOW),
                        "InvalidSignatureException: 'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
    c.signed_headers = SLICE("host;x-amz-target");
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW), "'X-Amz-Date' must be a 'SignedHeader'"));
    struct buf b;
    buf_init(&b, a, 1 << 16);
    BUF_LIT(&b, "host;x-amz-date;x-amz-target");
    for (size_t i = 3; i < SIGV4_MAX_HEADERS; i++) buf_printf(&b, ";z%zu", i);
    c.signed_headers = buf_view(&b);
    assert_string_equal(said(a, &listing, &listing, c, NOW), "");
    BUF_LIT(&b, ";z");
    c.signed_headers = buf_view(&b);
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW), "names more than 128 headers"));
    c.signed_headers = SLICE("host;x-amz-date;z;x-amz-target;Z");
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW), "names a header twice"));
}

static void test_keys_and_tokens(void **state)
{
    static const char unknown[] = "UnrecognizedClientException: The security token included in the request is invalid.";
    static const char other[] = "UnrecognizedClientException: The security token included in the request is invalid"; /* what was sent is not its */
    struct arena *a = &arena;
    (void)state;
    struct sigv4_claim c = good;
    c.access_key = SLICE("AKIDNOBODY");
    assert_string_equal(said(a, &listing, &listing, c, NOW), unknown);
    c.access_key = SLICE("ASIASESSION");
    assert_string_equal(said(a, &listing, &listing, c, NOW), unknown);
    c.token = SLICE("token-of-iT");
    assert_string_equal(said(a, &listing, &listing, c, NOW), other);
    c.signature = SLICE("0");
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW), "does not match"));
    c.signature = SLICE("");
    c.token = SLICE("token-of-it");
    assert_string_equal(said(a, &listing, &listing, c, NOW), "");
    c.access_key = SLICE("AKIDEXAMPLE");
    assert_string_equal(said(a, &listing, &listing, c, NOW), other);
    c.token = SLICE("");
    c.access_key = SLICE("AKIDSOON");
    assert_string_equal(said(a, &listing, &listing, c, NOW), "");
    c.access_key = SLICE("AKIDLATE");
    assert_string_equal(said(a, &listing, &listing, c, NOW), "ExpiredTokenException: The security token included in the request is expired");
}

/* Each part of a request that is changed on its way, by itself. */
static void test_changes_are_noticed(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct sigv4_header changed[5];
    for (int what = 0; what < 6; what++) {
        struct sigv4_request came = listing;
        memcpy(changed, headers, sizeof headers);
        came.headers = changed;
        if (what == 0) came.body = SLICE("{} ");
        if (what == 1) came.method = SLICE("PUT");
        if (what == 2) came.path = SLICE("/x");
        if (what == 3) came.query = SLICE("x=1");
        if (what == 4) changed[0].value = SLICE("127.0.0.1:8001");
        if (what == 5) changed[2].value = SLICE("DynamoDB_20120810.DeleteTable");
        const char *text = said(a, &listing, &came, good, NOW);
        assert_non_null(strstr(text, "InvalidSignatureException: The request signature we calculated does not match the signature you provided."));
    }
    changed[4].value = SLICE("another");
    memcpy(changed, headers, 4 * sizeof *headers);
    struct sigv4_request came = listing;
    came.headers = changed;
    assert_string_equal(said(a, &listing, &came, good, NOW), ""); /* which nobody signed */
}

static void test_the_texts_of_a_mismatch(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct sigv4_claim c = good;
    c.signature = SLICE("0000000000000000000000000000000000000000000000000000000000000000");
    assert_string_equal(said(a, &listing, &listing, c, NOW),
                        "InvalidSignatureException: The request signature we calculated does not match the signature you provided. Check your AWS "
                        "Secret Access Key and signing method. Consult the service documentation for details.\n\n"
                        "The Canonical String for this request should have been\n'POST\n/\n\nhost:127.0.0.1:8000\nx-amz-date:20150830T123600Z\n"
                        "x-amz-target:DynamoDB_20120810.ListTables\n\nhost;x-amz-date;x-amz-target\n"
                        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'\n\nThe String-to-Sign should have been\n"
                        "'AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/dynamodb/aws4_request\n"
                        "8beae9a39dc2166353382fedca96e83043cb3386b5cf811b366db9c45617b6a2'\n");
}

static void test_signatures_of_another_length(void **state)
{
    struct arena *a = &arena;
    (void)state;
    struct credentials *set = known(a);
    struct sigv4_claim c = good;
    struct slice right = sign(a, set, &listing, &c);
    for (size_t n = 1; n < right.n; n++) {
        c.signature = slice_of(right.p, n);
        assert_non_null(strstr(said(a, &listing, &listing, c, NOW), "does not match"));
    }
    c.signature = arena_printf(a, "%.*s0", SLICE_ARG(right));
    assert_non_null(strstr(said(a, &listing, &listing, c, NOW), "does not match"));
    credentials_release(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors), cmocka_unit_test(test_a_good_one_is_let_in), cmocka_unit_test(test_time), cmocka_unit_test(test_presigned_time),
        cmocka_unit_test(test_scope), cmocka_unit_test(test_what_must_be_signed), cmocka_unit_test(test_keys_and_tokens), cmocka_unit_test(test_changes_are_noticed),
        cmocka_unit_test(test_the_texts_of_a_mismatch), cmocka_unit_test(test_signatures_of_another_length),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
