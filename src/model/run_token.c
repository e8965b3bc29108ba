/* run_token.c: page tokens: base64url of
 *
 *   1 byte   version, 1
 *   8 bytes  fingerprint of the model, big-endian
 *   8 bytes  of the question: the pattern, its filter
 *   8 bytes  of the inputs
 *   n bytes  the key of the last result in the table and the index that was read: a VAL_M
 *   8 bytes  fingerprint of all before
 *
 * The last result's key is its place: which stream it came from and how it sorts follow from it. */
#include "run_impl.h"
#include "../item/item_json.h"

#define TOKEN_VERSION 1
#define TOKEN_HEAD    25

struct slice page_token_write(struct arena *a, const struct fingerprints *f, struct slice key)
{
    struct buf b, text;
    buf_init(&b, a, RUN_MAX_TOKEN);
    buf_init(&text, a, 2 * RUN_MAX_TOKEN);
    buf_u8(&b, TOKEN_VERSION);
    buf_u64be(&b, f->model);
    buf_u64be(&b, f->question);
    buf_u64be(&b, f->inputs);
    buf_slice(&b, key);
    buf_u64be(&b, fingerprint(0, buf_view(&b)));
    base64_put(&text, buf_view(&b));
    while (text.n && text.p[text.n - 1] == '=') text.n--;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '+') text.p[i] = '-';
        if (text.p[i] == '/') text.p[i] = '_';
    }
    return buf_view(&text);
}

static uint64_t u64_at(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) v = v << 8 | p[i];
    return v;
}

static bool decode(struct arena *a, struct slice token, struct slice *out)
{
    if (token.n > RUN_MAX_TOKEN) return false;
    uint8_t *p = arena_bytes(a, token.n + 3);
    size_t n = token.n;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = token.p[i];
        if (c == '+' || c == '/' || c == '=') return false;
        p[i] = c == '-' ? '+' : c == '_' ? '/' : c;
    }
    while (n % 4) p[n++] = '=';
    return base64_decode(a, slice_of(p, n), out) && out->n > TOKEN_HEAD + 8 &&
           u64_at(out->p + out->n - 8) == fingerprint(0, slice_of(out->p, out->n - 8));
}

int page_token_read(struct arena *a, const struct fingerprints *f, struct slice token, struct slice *key, struct err *e)
{
    struct slice b;
    if (!decode(a, token, &b)) {
        return err_set(e, ERR_ValidationException,
                       "the page token is damaged; pass it exactly as the page before gave it, or start without one");
    }
    if (b.p[0] != TOKEN_VERSION) {
        return err_set(e, ERR_ValidationException,
                       "the page token is of version %u, which this Onefold does not read; start without one", b.p[0]);
    }
    if (u64_at(b.p + 1) != f->model) {
        return err_set(e, ERR_ValidationException,
                       "the page token belongs to another model, or the model's keys have changed; start without one");
    }
    if (u64_at(b.p + 9) != f->question) {
        return err_set(e, ERR_ValidationException,
                       "the page token belongs to another pattern or filter; start without one");
    }
    if (u64_at(b.p + 17) != f->inputs) {
        return err_set(e, ERR_ValidationException,
                       "the page token belongs to the same pattern with other inputs; start without one");
    }
    *key = slice_of(b.p + TOKEN_HEAD, b.n - TOKEN_HEAD - 8);
    if (!val_check(*key) || val_type(*key) != TYPE_M) {
        return err_set(e, ERR_ValidationException, "the page token is damaged; start without one");
    }
    return 0;
}
