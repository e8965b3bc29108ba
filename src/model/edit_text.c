/* edit_text.c: the list of changes, and the lines, commas and dashes of a text. */
#include "edit_text.h"
#include "model.h"

void edits_init(struct edits *e, struct arena *a, struct slice source, const struct node *root)
{
    const uint8_t *first = source.n ? memchr(source.p, '\n', source.n) : NULL;
    bool crlf = first && first > source.p && first[-1] == '\r';
    *e = (struct edits){ .arena = a, .source = source, .json = root->flow, .newline = crlf ? SLICE("\r\n") : SLICE("\n") };
}

void edits_add(struct edits *e, size_t at, size_t cut, struct slice text)
{
    if (e->n == e->cap) {
        size_t cap = e->cap ? e->cap * 2 : 8;
        struct edit *list = ARENA_ARRAY(e->arena, struct edit, cap);
        if (e->n) memcpy(list, e->list, e->n * sizeof *list);
        e->list = list;
        e->cap = cap;
    }
    e->list[e->n++] = (struct edit){ at, cut, text };
}

/* By place; those at one place stay as they were made, inner ones first. They come nearly sorted. */
static void sort_edits(struct edits *e)
{
    for (size_t i = 1; i < e->n; i++) {
        struct edit x = e->list[i];
        size_t k = i;
        for (; k && e->list[k - 1].at > x.at; k--) e->list[k] = e->list[k - 1];
        e->list[k] = x;
    }
}

struct slice edits_apply(struct edits *e)
{
    if (e->failed) return (struct slice){ 0 };
    sort_edits(e);
    struct buf b;
    buf_init(&b, e->arena, 2 * MODEL_MAX_FILE);
    size_t at = 0;
    for (size_t i = 0; i < e->n; i++) {
        if (e->list[i].at < at) return (struct slice){ 0 };
        buf_bytes(&b, e->source.p + at, e->list[i].at - at);
        buf_slice(&b, e->list[i].text);
        at = e->list[i].at + e->list[i].cut;
    }
    buf_bytes(&b, e->source.p + at, e->source.n - at);
    return buf_view(&b);
}

/* ---- lines ---- */

size_t edit_line_start(const struct edits *e, size_t at)
{
    while (at && e->source.p[at - 1] != '\n') at--;
    return at;
}

size_t edit_line_end(const struct edits *e, size_t at)
{
    const uint8_t *nl = at < e->source.n ? memchr(e->source.p + at, '\n', e->source.n - at) : NULL;
    size_t end = nl ? (size_t)(nl - e->source.p) : e->source.n;
    return end > at && e->source.p[end - 1] == '\r' ? end - 1 : end;
}

size_t edit_column(const struct edits *e, size_t at)
{
    return at - edit_line_start(e, at);
}

bool edit_begins_line(const struct edits *e, size_t at)
{
    for (size_t i = edit_line_start(e, at); i < at; i++)
        if (e->source.p[i] != ' ') return false;
    return true;
}

size_t edit_past_comments(const struct edits *e, size_t at, size_t indent)
{
    for (;;) {
        size_t next = edit_line_end(e, at);
        while (next < e->source.n && (e->source.p[next] == '\r' || e->source.p[next] == '\n')) {
            if (e->source.p[next++] == '\n') break;
        }
        size_t i = next;
        while (i < e->source.n && e->source.p[i] == ' ') i++;
        if (i >= e->source.n || e->source.p[i] != '#' || i - next <= indent) return at;
        at = edit_line_end(e, i);
    }
}

/* ---- what stands around nodes ---- */

size_t edit_bracket(const struct edits *e, const struct node *n)
{
    size_t at = n->begin; /* an anchor may stand before it */
    while (at < n->end && e->source.p[at] != '{' && e->source.p[at] != '[') at++;
    return at;
}

size_t edit_comma(const struct edits *e, size_t at, size_t end)
{
    for (; at < end; at++) {
        uint8_t c = e->source.p[at];
        if (c == ',') return at;
        if (c == '#') at = edit_line_end(e, at);
        else if (!strchr(" \t\r\n", c)) break;
    }
    return end;
}

size_t edit_dash(struct edits *e, const struct node *element)
{
    size_t at = element->begin;
    while (at && strchr(" \t\r\n", e->source.p[at - 1])) at--;
    if (at && e->source.p[at - 1] == '-') return at - 1;
    e->failed = true;
    return 0;
}
