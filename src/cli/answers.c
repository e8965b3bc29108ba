/* answers.c: what the library answered, printed: reports, one entity, raw requests. */
#include "session.h"
#include "../item/item_json.h"
#include <errno.h>
#include <stdlib.h>

struct slice report_text(const of_answer *report)
{
    size_t n;
    const char *p = of_answer_body(report, &n);
    return slice_of(p, n);
}

static void print_line(struct slice text)
{
    fwrite(text.p, 1, text.n, stdout);
    if (!text.n || text.p[text.n - 1] != '\n') fputc('\n', stdout);
}

int print_report(struct session *s, of_answer *report, void (*render)(struct session *s, const struct json *tree))
{
    struct slice text = arena_dup(s->arena, report_text(report));
    of_answer_free(report);
    if (s->in->shared.json) {
        print_line(text);
        return EXIT_OK;
    }
    const struct json *tree = json_parse(s->arena, text, 100, NULL);
    if (!tree) return fail_error("the report is not JSON: %.*s", SLICE_ARG(text));
    render(s, tree);
    return EXIT_OK;
}

int print_text(struct session *s, of_answer *report, const char *output)
{
    struct slice text = arena_dup(s->arena, report_text(report));
    of_answer_free(report);
    return print_slice(text, output);
}

int print_slice(struct slice text, const char *output)
{
    if (!output) {
        print_line(text);
        return EXIT_OK;
    }
    FILE *to = fopen(output, "w");
    if (!to) return fail_error("cannot write %s: %s", output, strerror(errno));
    fwrite(text.p, 1, text.n, to);
    return fclose(to) ? fail_error("cannot write %s: %s", output, strerror(errno)) : EXIT_OK;
}

/* ---- one entity ---- */

static void put_value(struct buf *b, of_value v);

static void put_members(struct buf *b, of_value v)
{
    bool map = of_value_type(v) == OF_MAP, first = true;
    of_iter it = of_iter_of(v);
    buf_u8(b, map ? '{' : '[');
    while (of_iter_next(&it)) {
        if (!first) buf_u8(b, ',');
        first = false;
        if (map) {
            json_put_string(b, slice_of(it.name, it.name_len));
            buf_u8(b, ':');
        }
        put_value(b, it.value);
    }
    buf_u8(b, map ? '}' : ']');
}

/* Plain JSON: a set is an array, a binary base64. Items nest at most 32 deep. */
static void put_value(struct buf *b, of_value v)
{
    char number[OF_NUMBER_TEXT_MAX];
    size_t n;
    const char *bytes = of_value_bytes(v, &n);
    switch (of_value_type(v)) {
    case OF_STRING: json_put_string(b, slice_of(bytes, n)); break;
    case OF_NUMBER: buf_bytes(b, number, of_value_number(v, number)); break;
    case OF_BOOL: buf_slice(b, of_value_bool(v) ? SLICE("true") : SLICE("false")); break;
    case OF_BINARY:
        buf_u8(b, '"');
        base64_put(b, slice_of(bytes, n));
        buf_u8(b, '"');
        break;
    case OF_NONE:
    case OF_NULL: BUF_LIT(b, "null"); break;
    default: put_members(b, v); break;
    }
}

static bool is_hidden(const struct json *entity, struct slice name)
{
    return json_flag(outline_member(entity, name), "hidden");
}

/* A cell's text: strings and binaries without quotes. */
static struct slice value_cell(struct arena *a, of_value v)
{
    struct buf b;
    size_t n;
    const char *bytes = of_value_bytes(v, &n);
    if (of_value_type(v) == OF_STRING) return arena_dup(a, slice_of(bytes, n));
    buf_init(&b, a, (size_t)1 << 24);
    if (of_value_type(v) == OF_BINARY)
        base64_put(&b, slice_of(bytes, n));
    else
        put_value(&b, v);
    return buf_view(&b);
}

/* In the model's order, then what it does not declare. */
static void print_attributes(struct session *s, const struct json *entity, const of_item *item)
{
    struct table t;
    of_value v;
    table_init(&t, s->arena, 2, NULL);
    t.indent = 2;
    t.fixed[0] = true;
    const struct json *list = JSON_GET(entity, "attributes");
    for (const struct json *at = list ? list->first : NULL; at; at = at->next) {
        struct slice name = json_text(at, "name");
        if (json_flag(at, "hidden") || !of_item_get(item, (const char *)name.p, (ptrdiff_t)name.n, &v)) continue;
        struct cell *row = table_row(&t);
        row[0] = (struct cell){ name, INK_TITLE };
        row[1].text = value_cell(s->arena, v);
    }
    of_iter it = of_iter_of(of_item_value(item));
    while (of_iter_next(&it)) {
        struct slice name = slice_of(it.name, it.name_len);
        if (outline_member(entity, name)) continue;
        struct cell *row = table_row(&t);
        row[0] = (struct cell){ arena_dup(s->arena, name), INK_TITLE };
        row[1].text = value_cell(s->arena, it.value);
    }
    table_print(&t);
}

static void print_object(struct session *s, const struct json *entity, const of_item *item)
{
    struct buf b;
    bool first = true;
    of_iter it = of_iter_of(of_item_value(item));
    buf_init(&b, s->arena, (size_t)1 << 26);
    buf_u8(&b, '{');
    while (of_iter_next(&it)) {
        struct slice name = slice_of(it.name, it.name_len);
        if (is_hidden(entity, name)) continue;
        if (!first) buf_u8(&b, ',');
        first = false;
        json_put_string(&b, name);
        buf_u8(&b, ':');
        put_value(&b, it.value);
    }
    buf_u8(&b, '}');
    print_line(buf_view(&b));
}

void print_item(struct session *s, const char *entity, const of_item *item)
{
    const struct json *declared = outline_named(s->names, "entities", slice_str(entity));
    if (s->in->shared.json) {
        print_object(s, declared, item);
        return;
    }
    print_inked(entity_ink(slice_str(entity)), slice_str(entity));
    fputc('\n', stdout);
    print_attributes(s, declared, item);
}

/* ---- raw requests ---- */

of_answer **wants_requests(const struct invocation *in, of_answer **requests)
{
    *requests = NULL;
    return in->shared.dry_run || in->shared.explain ? requests : NULL;
}

void print_requests(struct session *s, of_answer *requests)
{
    if (!requests) return;
    FILE *to = s->in->shared.dry_run ? stdout : stderr;
    fflush(stdout);
    json_print(to, s->arena, arena_dup(s->arena, report_text(requests)));
    of_answer_free(requests);
}

/* False with errno. */
static bool read_all(FILE *from, struct buf *b)
{
    for (size_t got = 1; got;) {
        uint8_t *to = buf_reserve(b, 65536);
        got = fread(to, 1, 65536, from);
        b->n += got;
    }
    return !ferror(from);
}

static bool read_file(const char *path, struct buf *b)
{
    FILE *from = fopen(path, "rb");
    if (!from) return false;
    bool good = read_all(from, b);
    int why = errno;
    fclose(from);
    errno = why;
    return good;
}

char *slurp(struct session *s, const char *path, size_t *n)
{
    struct buf b;
    buf_init(&b, s->arena, (size_t)1 << 28);
    if (!(strcmp(path, "-") == 0 ? read_all(stdin, &b) : read_file(path, &b))) {
        fail_error("cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    *n = b.n;
    buf_u8(&b, 0);
    return (char *)b.p;
}
