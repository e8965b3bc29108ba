/* csv.c: reading and writing comma-separated values. */
#include "csv.h"

static int file_byte(void *ctx)
{
    return getc(ctx);
}

struct csv_reader csv_of_file(FILE *file)
{
    return (struct csv_reader){ .byte = file_byte, .ctx = file };
}

static int take(struct csv_reader *r)
{
    int c = r->n_again ? r->again[--r->n_again] : r->byte(r->ctx);
    if (c == '\n') r->next_line++;
    return c;
}

static bool ends_field(const struct csv_reader *r, int c)
{
    return c == (r->delimiter ? r->delimiter : ',') || c == '\n' || c == '\r' || c == EOF;
}

static enum csv_status bad(struct csv_reader *r, const char *problem)
{
    r->problem = problem;
    return CSV_BAD;
}

/* After the opening quote, up to the character behind the closing one, which is returned. */
static int quoted_field(struct csv_reader *r, struct buf *b)
{
    for (;;) {
        int c = take(r);
        if (c == EOF) {
            r->problem = "a quote is never closed";
            return EOF;
        }
        if (c == '"') {
            c = take(r);
            if (c != '"') return c;
        }
        if (b->n >= CSV_MAX_RECORD) {
            r->problem = "a field is longer than 4 MB";
            return EOF;
        }
        buf_u8(b, (uint8_t)c);
    }
}

/* One field; *c is its first character and afterwards the one behind it. */
static enum csv_status field(struct csv_reader *r, struct arena *a, int *c, struct csv_field *out)
{
    struct buf b;
    buf_init(&b, a, CSV_MAX_RECORD + 1);
    bool quoted = *c == '"';
    if (quoted) {
        *c = quoted_field(r, &b);
        if (r->problem) return CSV_BAD;
        if (!ends_field(r, *c)) return bad(r, "something stands between a closing quote and the end of its field");
    } else {
        for (; !ends_field(r, *c); *c = take(r)) {
            if (*c == '"') return bad(r, "a quote stands inside a field that does not begin with one");
            if (b.n >= CSV_MAX_RECORD) return bad(r, "a field is longer than 4 MB");
            buf_u8(&b, (uint8_t)*c);
        }
    }
    if (*c == '\r') {
        *c = take(r);
        if (*c != '\n' && *c != EOF) return bad(r, "a carriage return stands inside a field without quotes");
    }
    *out = (struct csv_field){ buf_view(&b), !quoted && b.n == 0 };
    return CSV_RECORD;
}

static void skip_byte_order_mark(struct csv_reader *r)
{
    static const int mark[3] = { 0xEF, 0xBB, 0xBF };
    int got[3], n = 0;
    do got[n] = r->byte(r->ctx);
    while (got[n] == mark[n] && ++n < 3);
    if (n == 3) return;
    for (n += got[n] != EOF; n > 0; n--) r->again[r->n_again++] = (uint8_t)got[n - 1];
}

enum csv_status csv_read(struct csv_reader *r, struct arena *a, struct csv_field **fields, size_t *n)
{
    if (r->next_line == 0) {
        r->next_line = 1;
        skip_byte_order_mark(r);
    }
    int c;
    size_t cap = 16, blank = 0;
    do {
        r->line = r->next_line;
        c = take(r);
    } while ((c == '\n' || c == '\r') && blank++ < CSV_MAX_RECORD);
    if (c == EOF) return CSV_END;
    if (blank > CSV_MAX_RECORD) return bad(r, "there are more than 4 MB of blank lines");
    *fields = ARENA_ARRAY(a, struct csv_field, cap);
    for (*n = 0;;) {
        if (*n == CSV_MAX_FIELDS) return bad(r, "a line has more than 4,096 fields");
        if (*n == cap) {
            struct csv_field *more = ARENA_ARRAY(a, struct csv_field, cap * 2);
            memcpy(more, *fields, cap * sizeof **fields);
            *fields = more;
            cap *= 2;
        }
        enum csv_status s = field(r, a, &c, &(*fields)[*n]);
        if (s != CSV_RECORD) return s;
        (*n)++;
        if (c == '\n' || c == EOF) return CSV_RECORD;
        c = take(r);
    }
}

void csv_put(struct buf *b, struct csv_field f, bool first)
{
    if (!first) buf_u8(b, ',');
    if (f.nothing) return;
    bool quote = f.text.n == 0;
    for (size_t i = 0; i < f.text.n && !quote; i++)
        quote = memchr(",\"\r\n", f.text.p[i], 4) != NULL;
    if (!quote) {
        buf_slice(b, f.text);
        return;
    }
    buf_u8(b, '"');
    for (size_t i = 0; i < f.text.n; i++) {
        if (f.text.p[i] == '"') buf_u8(b, '"');
        buf_u8(b, f.text.p[i]);
    }
    buf_u8(b, '"');
}

void csv_end(struct buf *b)
{
    BUF_LIT(b, "\r\n");
}
