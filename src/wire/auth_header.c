/* auth_header.c: the form of a signature: `AWS4-HMAC-SHA256
 * Credential=key/date/region/service/term, SignedHeaders=..., Signature=...`, or the same as
 * X-Amz-* members of the query.
 *
 * The order of checks and the wording are DynamoDB's as dynalite recorded them (its index.js and
 * test/connection.js, which also ran against the service). */
#include "auth_header.h"
#include "../auth/date.h"
#include "../base/buf.h"
#include <time.h>

enum { CREDENTIAL, SIGNATURE, SIGNED_HEADERS, DATE, ALGORITHM, EXPIRES, TOKEN, FIELDS };

#define TEXT(lit) { (const uint8_t *)(lit), sizeof(lit) - 1 }
static const struct {
    struct slice header, query; /* no header: empty, which no name is */
} names[FIELDS] = {
    [CREDENTIAL] = { TEXT("Credential"), TEXT("X-Amz-Credential") },
    [SIGNATURE] = { TEXT("Signature"), TEXT("X-Amz-Signature") },
    [SIGNED_HEADERS] = { TEXT("SignedHeaders"), TEXT("X-Amz-SignedHeaders") },
    [DATE] = { .query = TEXT("X-Amz-Date") },
    [ALGORITHM] = { .query = TEXT("X-Amz-Algorithm") },
    [EXPIRES] = { .query = TEXT("X-Amz-Expires") },
    [TOKEN] = { .query = TEXT("X-Amz-Security-Token") },
};
#undef TEXT

/* Takes what stands before the separator off *rest, and the separator with it. Without one: takes
 * all, and says false. */
static bool cut(struct slice *rest, char separator, struct slice *piece)
{
    const uint8_t *at = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
    *piece = slice_of(rest->p, at ? (size_t)(at - rest->p) : rest->n);
    *rest = at ? slice_of(at + 1, rest->n - piece->n - 1) : slice_of(NULL, 0);
    return at != NULL;
}

/* The fields stand between commas, spaces or both. */
static int read_header(struct slice authorization, struct slice fields[FIELDS], struct err *e)
{
    struct slice rest = authorization, part = { 0 };
    for (bool first = true; rest.n || part.n; first = false) {
        struct slice pair, name, value;
        if (!part.n) cut(&rest, ',', &part);
        cut(&part, ' ', &pair);
        if (first) fields[ALGORITHM] = pair;
        if (first || pair.n == 0) continue;
        value = pair;
        if (!cut(&value, '=', &name))
            return err_set(
                e, ERR_IncompleteSignatureException,
                "'%.*s' not a valid key=value pair (missing equal-sign) in Authorization "
                "header: '%.*s'.",
                SLICE_ARG(pair), SLICE_ARG(authorization));
        for (int i = 0; i < FIELDS; i++)
            if (name.n && slice_eq(name, names[i].header)) fields[i] = value;
    }
    return 0;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

static struct slice percent_decoded(struct arena *a, struct slice s)
{
    uint8_t *to = arena_bytes(a, s.n);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int hi = i + 2 < s.n && s.p[i] == '%' ? hex_digit(s.p[i + 1]) : -1;
        int lo = hi >= 0 ? hex_digit(s.p[i + 2]) : -1;
        if (lo >= 0) {
            to[n++] = (uint8_t)(hi * 16 + lo);
            i += 2;
        } else {
            to[n++] = s.p[i];
        }
    }
    return slice_of(to, n);
}

/* True if the query names X-Amz-Algorithm, with or without a value: then it means to be signed. Of two of a name the first counts. */
static bool read_query(struct arena *a, struct slice query, struct slice fields[FIELDS])
{
    bool presigned = false;
    while (query.n) {
        struct slice name, value;
        cut(&query, '&', &value);
        cut(&value, '=', &name);
        for (int i = 0; i < FIELDS; i++) {
            if (fields[i].p || !slice_eq(name, names[i].query)) continue;
            fields[i] = value.n ? percent_decoded(a, value) : SLICE("");
            if (i == ALGORITHM) presigned = true;
        }
    }
    return presigned;
}

static int check_header_fields(const struct auth_input *in, const struct slice fields[FIELDS],
                               struct err *e)
{
    struct buf b;
    buf_init(&b, e->arena, 65536);
    for (int i = CREDENTIAL; i <= SIGNED_HEADERS; i++)
        if (fields[i].n == 0)
            buf_printf(&b, "Authorization header requires '%.*s' parameter. ",
                       SLICE_ARG(names[i].header));
    if (!in->x_amz_date.n && !in->date.n)
        buf_printf(&b,
                   "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' "
                   "header. ");
    if (b.n == 0) return 0;
    return err_set(e, ERR_IncompleteSignatureException, "%.*sAuthorization=%.*s",
                   SLICE_ARG(buf_view(&b)), SLICE_ARG(in->authorization));
}

static int check_query_fields(const struct slice fields[FIELDS], struct err *e)
{
    static const int order[] = { ALGORITHM, CREDENTIAL, SIGNATURE, SIGNED_HEADERS, DATE };
    struct buf b;
    buf_init(&b, e->arena, 65536);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (fields[order[i]].n == 0)
            buf_printf(&b, "AWS query-string parameters must include '%.*s'. ",
                       SLICE_ARG(names[order[i]].query));
    if (b.n == 0) return 0;
    return err_set(e, ERR_IncompleteSignatureException,
                   "%.*sRe-examine the query-string parameters.", SLICE_ARG(buf_view(&b)));
}

/* 20130609T094515Z */
static bool is_basic_date(struct slice s)
{
    if (s.n != 16 || s.p[8] != 'T' || s.p[15] != 'Z') return false;
    for (size_t i = 0; i < 15; i++)
        if (i != 8 && (s.p[i] < '0' || s.p[i] > '9')) return false;
    return true;
}

static bool read_credential(struct slice credential, struct sigv4_claim *out)
{
    struct slice rest = credential, parts[5];
    while (rest.n && rest.p[rest.n - 1] == '/')
        rest.n--;
    int n = 0;
    while (n < 5 && cut(&rest, '/', &parts[n]))
        n++;
    if (n != 4) return false;
    out->access_key = parts[0];
    out->day = parts[1];
    out->region = parts[2];
    out->service = parts[3];
    out->term = parts[4];
    return true;
}

static int check_values(const struct auth_input *in, const struct slice fields[FIELDS], struct slice date, struct sigv4_claim *out, struct err *e)
{
    bool whole = read_credential(fields[CREDENTIAL], out);
    out->signed_headers = fields[SIGNED_HEADERS];
    out->signature = fields[SIGNATURE];
    if (date.n && !is_basic_date(date))
        return err_set(e, ERR_IncompleteSignatureException,
                       "Date must be in ISO-8601 'basic format'. Got '%.*s'. See "
                       "http://en.wikipedia.org/wiki/ISO_8601",
                       SLICE_ARG(date));
    if (in->request) {
        int rc = sigv4_check_claim(in->request, out, in->now, e);
        if (rc) return rc;
        out->checked = true;
    }
    if (!slice_eq(fields[ALGORITHM], SLICE("AWS4-HMAC-SHA256")))
        return err_set(e, ERR_IncompleteSignatureException,
                       "Unsupported AWS 'algorithm': '%.*s' (only AWS4-HMAC-SHA256 for now). ",
                       SLICE_ARG(fields[ALGORITHM]));
    if (whole) return 0;
    return err_set(e, ERR_IncompleteSignatureException,
                   "Credential must have exactly 5 slash-delimited elements, e.g. "
                   "keyid/date/region/service/term, got '%.*s'",
                   SLICE_ARG(fields[CREDENTIAL]));
}

/* X-Amz-Date, or else Date, which HTTP writes as "Sun, 30 Aug 2015 12:36:00 GMT"; signed is the other form. */
static struct slice header_date(struct arena *a, const struct auth_input *in)
{
    char text[40];
    struct tm t = { 0 };
    if (in->x_amz_date.n || !in->date.n || in->date.n >= sizeof text) return in->x_amz_date;
    memcpy(text, in->date.p, in->date.n);
    text[in->date.n] = 0;
    const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &t);
    uint8_t *basic = arena_bytes(a, DATE_BASIC);
    if (!end || *end) return in->date;
    date_write_basic(timegm(&t), (char *)basic);
    return slice_of(basic, DATE_BASIC - 1);
}

int auth_read(const struct auth_input *in, struct sigv4_claim *out, struct err *e)
{
    struct slice fields[FIELDS] = { 0 };
    *out = (struct sigv4_claim){ 0 };
    bool presigned = read_query(e->arena, in->query, fields);
    if (presigned && in->authorization.n)
        return err_set(
            e, ERR_InvalidSignatureException,
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as "
            "HTTP header.");
    if (presigned) {
        int err = check_query_fields(fields, e);
        out->presigned = true;
        out->expires = fields[EXPIRES];
        out->token = fields[TOKEN].n ? fields[TOKEN] : in->security_token;
        out->date = fields[DATE];
        return err ? err : check_values(in, fields, fields[DATE], out, e);
    }
    if (!slice_starts(in->authorization, SLICE("AWS4-")))
        return err_set(e, ERR_MissingAuthenticationTokenException,
                       "Request is missing Authentication Token");
    struct slice of_header[FIELDS] = { 0 }; /* what the query has of these is nobody's */
    int err = read_header(in->authorization, of_header, e);
    if (!err) err = check_header_fields(in, of_header, e);
    out->token = in->security_token;
    out->date = header_date(e->arena, in);
    return err ? err : check_values(in, of_header, in->x_amz_date, out, e);
}
