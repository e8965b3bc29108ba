/* sigv4_canonical.c: the canonical request: what stays the same on the way through proxies.
 *
 *   method
 *   path          "." and ".." and doubled slashes resolved, every byte but letters, digits and -_.~/ as %XX: a % that was sent, too
 *   query         sorted by name, then value, each decoded and encoded anew; without X-Amz-Signature, which is written just so
 *   name:value    of every signed header, names in lower case and sorted; values of one name with commas between them, in the order
 *                 in which they came, blanks around them gone and runs of blanks inside one blank
 *                 (an empty line)
 *   names         with semicolons between them
 *   hash          of the body as it was sent */
#include "sigv4.h"
#include "../base/buf.h"
#include <stdlib.h>
#include <strings.h>

#define MAX_CANONICAL ((size_t)256 << 10) /* a head of 16 KB, every byte as three, and room */

static bool is_plain(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
}

static void put_encoded(struct buf *b, uint8_t c)
{
    static const char digits[] = "0123456789ABCDEF";
    const uint8_t code[3] = { '%', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15] };
    if (is_plain(c)) buf_u8(b, c);
    else buf_bytes(b, code, sizeof code);
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct slice cut(struct slice *rest, char separator)
{
    const uint8_t *at = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
    struct slice piece = slice_of(rest->p, at ? (size_t)(at - rest->p) : rest->n);
    *rest = at ? slice_of(at + 1, rest->n - piece.n - 1) : slice_of(NULL, 0);
    return piece;
}

/* ---- path ---- */

static void put_path(struct buf *b, struct slice path)
{
    size_t root = b->n;
    buf_u8(b, '/');
    for (struct slice rest = path, name; rest.n;) {
        bool last = !memchr(rest.p, '/', rest.n);
        name = cut(&rest, '/');
        if (!name.n || slice_eq(name, SLICE("."))) continue;
        if (slice_eq(name, SLICE(".."))) {
            if (b->n > root + 1) b->n--; /* the slash behind the name that goes */
            while (b->p[b->n - 1] != '/') b->n--;
            continue;
        }
        for (size_t i = 0; i < name.n; i++) put_encoded(b, name.p[i]);
        if (!last) buf_u8(b, '/');
    }
}

/* ---- query ---- */

struct parameter {
    struct slice name, value; /* encoded */
};

static int by_name_and_value(const void *a, const void *b)
{
    const struct parameter *x = a, *y = b;
    int c = slice_cmp(x->name, y->name);
    return c ? c : slice_cmp(x->value, y->value);
}

static struct slice encoded_anew(struct buf *b, struct slice s)
{
    size_t from = b->n;
    for (size_t i = 0; i < s.n; i++) {
        int high = s.p[i] == '%' && s.n - i > 2 ? hex_digit(s.p[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(s.p[i + 2]) : -1;
        put_encoded(b, low >= 0 ? (uint8_t)(high * 16 + low) : s.p[i]);
        if (low >= 0) i += 2;
    }
    return slice_of(b->p + from, b->n - from);
}

static bool is_left_out(const struct sigv4_claim *c, struct slice name)
{
    if (!c->presigned) return false;
    return slice_eq(name, SLICE("X-Amz-Signature")) || (c->token_apart && slice_eq(name, SLICE("X-Amz-Security-Token")));
}

static void put_query(struct buf *b, struct arena *a, struct slice query, const struct sigv4_claim *c)
{
    size_t n = 0, max = 1;
    if (!query.n) return;
    for (size_t i = 0; i < query.n; i++) max += query.p[i] == '&';
    struct parameter *list = ARENA_ARRAY(a, struct parameter, max);
    struct buf texts;
    buf_init(&texts, a, MAX_CANONICAL);
    buf_reserve(&texts, 3 * query.n); /* so that what is in it stays where it is */
    while (query.n) {
        struct slice value = cut(&query, '&');
        if (!value.n) continue;
        struct slice name = cut(&value, '=');
        if (is_left_out(c, name)) continue;
        list[n].name = encoded_anew(&texts, name);
        list[n++].value = encoded_anew(&texts, value);
    }
    qsort(list, n, sizeof *list, by_name_and_value);
    for (size_t i = 0; i < n; i++) {
        if (i) buf_u8(b, '&');
        buf_slice(b, list[i].name);
        buf_u8(b, '=');
        buf_slice(b, list[i].value);
    }
}

/* ---- headers ---- */

static void put_value(struct buf *b, struct slice value)
{
    value = slice_trim(value);
    for (size_t i = 0; i < value.n; i++) {
        bool blank = value.p[i] == ' ' || value.p[i] == '\t';
        if (!blank) buf_u8(b, value.p[i]);
        else if (value.p[i + 1] != ' ' && value.p[i + 1] != '\t') buf_u8(b, ' '); /* the last of a run; none is at the end */
    }
}

/* A header that is not there counts as an empty one. */
static void put_header(struct buf *b, const struct sigv4_request *r, struct slice name)
{
    bool first = true;
    buf_slice(b, name);
    buf_u8(b, ':');
    for (size_t i = 0; i < r->n_headers; i++) {
        const struct sigv4_header *h = &r->headers[i];
        if (h->name.n != name.n || strncasecmp((const char *)h->name.p, (const char *)name.p, name.n) != 0) continue;
        if (!first) buf_u8(b, ',');
        put_value(b, h->value);
        first = false;
    }
    buf_u8(b, '\n');
}

/* In lower case and sorted; there are never many. */
static size_t signed_names(struct arena *a, struct slice list, struct slice *names)
{
    size_t n = 0;
    uint8_t *lower = arena_bytes(a, list.n);
    for (size_t i = 0; i < list.n; i++) lower[i] = list.p[i] >= 'A' && list.p[i] <= 'Z' ? list.p[i] + 32 : list.p[i];
    for (struct slice rest = slice_of(lower, list.n); rest.n && n < SIGV4_MAX_HEADERS;) {
        struct slice name = cut(&rest, ';');
        size_t at = n++;
        while (at && slice_cmp(names[at - 1], name) > 0) {
            names[at] = names[at - 1];
            at--;
        }
        names[at] = name;
    }
    return n;
}

struct slice sigv4_canonical(struct arena *a, const struct sigv4_request *r, const struct sigv4_claim *c)
{
    struct slice names[SIGV4_MAX_HEADERS];
    size_t n = signed_names(a, c->signed_headers, names);
    uint8_t sum[SHA256_BYTES];
    char hash[2 * SHA256_BYTES];
    struct buf b;
    buf_init(&b, a, MAX_CANONICAL);
    buf_reserve(&b, 1024);
    buf_slice(&b, r->method);
    buf_u8(&b, '\n');
    put_path(&b, r->path);
    buf_u8(&b, '\n');
    put_query(&b, a, r->query, c);
    buf_u8(&b, '\n');
    for (size_t i = 0; i < n; i++) put_header(&b, r, names[i]);
    buf_u8(&b, '\n');
    for (size_t i = 0; i < n; i++) {
        if (i) buf_u8(&b, ';');
        buf_slice(&b, names[i]);
    }
    buf_u8(&b, '\n');
    sha256(r->body, sum);
    sha256_hex(sum, hash);
    buf_bytes(&b, hash, sizeof hash);
    return buf_view(&b);
}

struct slice sigv4_string_to_sign(struct arena *a, struct slice canonical, const struct sigv4_claim *c)
{
    uint8_t sum[SHA256_BYTES];
    char hash[2 * SHA256_BYTES];
    struct buf b;
    const struct slice scope[] = { c->day, c->region, c->service, c->term };
    sha256(canonical, sum);
    sha256_hex(sum, hash);
    buf_init(&b, a, MAX_CANONICAL);
    buf_reserve(&b, 256);
    BUF_LIT(&b, "AWS4-HMAC-SHA256\n");
    buf_slice(&b, c->date);
    for (size_t i = 0; i < sizeof scope / sizeof *scope; i++) {
        buf_u8(&b, i ? '/' : '\n');
        buf_slice(&b, scope[i]);
    }
    buf_u8(&b, '\n');
    buf_bytes(&b, hash, sizeof hash);
    return buf_view(&b);
}
