/* propose_edit.c: changes of a model's text. Flow style ({ a: b }) ends at its bracket; a block
 * ends before the first line with content that is not indented as far. */
#include "propose_edit.h"
#include "model.h"
#include "../item/json.h"

void edits_init(struct edits *e, struct arena *a, struct slice source, const struct node *root)
{
    *e = (struct edits){ .arena = a, .source = source };
    e->json = root->count && root->first->name_place.column &&
              slice_starts(slice_trim(source), SLICE("{"));
}

static void add(struct edits *e, size_t at, size_t cut, struct slice text)
{
    if (e->n == EDITS_MAX)
        e->failed = true;
    else
        e->list[e->n++] = (struct edit){ at, cut, text };
}

/* Columns count characters. */
static size_t offset_of(struct edits *e, struct place p)
{
    struct slice s = e->source;
    size_t at = 0;
    for (unsigned line = 1; line < p.line; line++) {
        const uint8_t *end = at < s.n ? memchr(s.p + at, '\n', s.n - at) : NULL;
        if (!end) {
            e->failed = true;
            return 0;
        }
        at = (size_t)(end - s.p) + 1;
    }
    for (unsigned c = 1; c < p.column && at < s.n; c++) {
        at++;
        while (at < s.n && (s.p[at] & 0xC0) == 0x80)
            at++;
    }
    return at;
}

static uint8_t byte_at(const struct edits *e, size_t at)
{
    return at < e->source.n ? e->source.p[at] : 0;
}

/* Behind the closing quote of the quoted text that begins at. */
static size_t skip_quoted(const struct edits *e, size_t at)
{
    uint8_t quote = byte_at(e, at++);
    while (at < e->source.n && byte_at(e, at) != quote)
        at += quote == '"' && byte_at(e, at) == '\\' ? 2 : 1;
    return at + 1;
}

/* Is this quote the beginning of a quoted text? In a plain one (don't) it is a letter. */
static bool opens_quote(const struct edits *e, size_t at)
{
    uint8_t c = byte_at(e, at), before = at ? byte_at(e, at - 1) : ' ';
    return (c == '"' || c == '\'') && (before == ' ' || before == '\n' || strchr("{[,:", before));
}

/* Of the closing bracket of what begins at. */
static size_t flow_end(struct edits *e, size_t at)
{
    int depth = 0;
    while (at < e->source.n) {
        uint8_t c = byte_at(e, at);
        if (opens_quote(e, at)) {
            at = skip_quoted(e, at);
            continue;
        }
        if (c == '#' && (byte_at(e, at - 1) == ' ' || byte_at(e, at - 1) == '\n')) {
            while (at < e->source.n && byte_at(e, at) != '\n')
                at++;
        }
        if (c == '{' || c == '[') depth++;
        if ((c == '}' || c == ']') && --depth == 0) return at;
        at++;
    }
    e->failed = true;
    return 0;
}

/* Behind the last line of a block whose lines are indented by at least indent; dashes: a line with
 * just that much belongs to it only if it begins with "-". The line at begins it. The line's end
 * itself is not included. */
static size_t block_end(const struct edits *e, size_t at, size_t indent, bool dashes)
{
    struct slice s = e->source;
    size_t end = at;
    for (bool first = true; at < s.n; first = false) {
        const uint8_t *nl = memchr(s.p + at, '\n', s.n - at);
        size_t stop = nl ? (size_t)(nl - s.p) : s.n, i = at;
        while (i < stop && s.p[i] == ' ')
            i++;
        bool content = i < stop && s.p[i] != '#' && s.p[i] != '\r';
        bool marker =
            i == at && stop - i >= 3 && (!memcmp(s.p + i, "...", 3) || !memcmp(s.p + i, "---", 3));
        if (content && !first) {
            size_t depth = i - at;
            if (depth < indent || marker || (dashes && depth == indent && s.p[i] != '-')) break;
        }
        if (content || first) end = stop;
        at = stop + 1;
    }
    if (end && byte_at(e, end - 1) == '\r') end--;
    return end;
}

static struct slice name_text(struct edits *e, struct slice name)
{
    return e->json ? arena_printf(e->arena, "\"%.*s\"", SLICE_ARG(name)) : name;
}

/* Before a closing bracket, behind what stands there. */
static void add_before(struct edits *e, size_t close, struct slice text)
{
    size_t at = close;
    while (at && strchr(" \t\r\n", byte_at(e, at - 1)))
        at--;
    uint8_t last = at ? byte_at(e, at - 1) : 0;
    bool first = last == '{' || last == '[';
    const char *lead = first ? (last == '{' ? " " : "") : last == ',' ? " " : ", ";
    struct slice tail = first && last == '{' && at == close ? SLICE(" ") : SLICE("");
    add(e, at, 0, arena_printf(e->arena, "%s%.*s%.*s", lead, SLICE_ARG(text), SLICE_ARG(tail)));
}

static bool is_flow(struct edits *e, const struct node *n)
{
    uint8_t c = byte_at(e, offset_of(e, n->place));
    return c == '{' || c == '[';
}

/* lines: with the indentation they need beyond the block's own. */
static void add_lines(struct edits *e, const struct node *block, size_t indent, struct slice lines)
{
    size_t at = offset_of(e, block->place);
    bool dashes = block->kind == NODE_LIST;
    size_t start = at;
    while (start && byte_at(e, start - 1) != '\n')
        start--;
    size_t end = block_end(e, start, indent, dashes);
    struct buf b;
    buf_init(&b, e->arena, MODEL_MAX_FILE);
    for (size_t i = 0; i < lines.n;) {
        const uint8_t *nl = memchr(lines.p + i, '\n', lines.n - i);
        size_t n = nl ? (size_t)(nl - lines.p) - i : lines.n - i;
        buf_u8(&b, '\n');
        for (size_t k = 0; k < indent; k++)
            buf_u8(&b, ' ');
        buf_bytes(&b, lines.p + i, n);
        i += n + 1;
    }
    add(e, end, 0, buf_view(&b));
}

static size_t indent_of(const struct node *map)
{
    return map->first->name_place.column ? map->first->name_place.column - 1 : 0;
}

void edit_member(struct edits *e, const struct node *map, struct slice name, struct slice value)
{
    if (!map || map->kind != NODE_MAP) {
        e->failed = true;
        return;
    }
    struct slice label = name_text(e, name);
    struct slice text = arena_printf(e->arena, "%.*s: %.*s", SLICE_ARG(label), SLICE_ARG(value));
    if (is_flow(e, map))
        add_before(e, flow_end(e, offset_of(e, map->place)), text);
    else if (map->count)
        add_lines(e, map, indent_of(map), text);
    else
        e->failed = true;
}

void edit_nested(struct edits *e, const struct node *map, struct slice outer, struct slice inner,
                 struct slice value)
{
    const struct node *there = node_get(map, outer);
    if (there && there->kind == NODE_MAP) {
        edit_member(e, there, inner, value);
        return;
    }
    if (there || !map || map->kind != NODE_MAP) {
        e->failed = true;
        return;
    }
    if (is_flow(e, map)) {
        struct slice label = name_text(e, inner);
        edit_member(e, map, outer,
                    arena_printf(e->arena, "{ %.*s: %.*s }", SLICE_ARG(label), SLICE_ARG(value)));
        return;
    }
    add_lines(e, map, indent_of(map),
              arena_printf(e->arena, "%.*s:\n  %.*s: %.*s", SLICE_ARG(outer), SLICE_ARG(inner),
                           SLICE_ARG(value)));
}

void edit_element(struct edits *e, const struct node *map, struct slice name, struct slice value)
{
    const struct node *there = node_get(map, name);
    if (!there) {
        if (!map || map->kind != NODE_MAP)
            e->failed = true;
        else if (is_flow(e, map))
            edit_member(e, map, name, arena_printf(e->arena, "[%.*s]", SLICE_ARG(value)));
        else
            add_lines(e, map, indent_of(map),
                      arena_printf(e->arena, "%.*s:\n  - %.*s", SLICE_ARG(name), SLICE_ARG(value)));
        return;
    }
    if (there->kind != NODE_LIST) {
        e->failed = true;
    } else if (is_flow(e, there)) {
        add_before(e, flow_end(e, offset_of(e, there->place)), value);
    } else {
        add_lines(e, there, there->place.column - 1,
                  arena_printf(e->arena, "- %.*s", SLICE_ARG(value)));
    }
}

void edit_replace(struct edits *e, const struct node *member, struct slice value)
{
    size_t at = offset_of(e, member->name_place);
    size_t start = at;
    if (byte_at(e, at) == '"' || byte_at(e, at) == '\'') at = skip_quoted(e, at);
    while (at < e->source.n && byte_at(e, at) != ':')
        at++;
    at++;
    size_t end;
    if (is_flow(e, member)) {
        end = flow_end(e, offset_of(e, member->place)) + 1;
    } else {
        while (start && byte_at(e, start - 1) != '\n')
            start--;
        end = block_end(e, start, member->name_place.column, false);
    }
    if (end < at) {
        e->failed = true;
        return;
    }
    add(e, at, end - at, arena_printf(e->arena, " %.*s", SLICE_ARG(value)));
}

void edit_scalar(struct edits *e, struct place place, struct slice source, struct slice text)
{
    size_t at = offset_of(e, place), end = at + source.n;
    if (byte_at(e, at) == '"' || byte_at(e, at) == '\'') {
        end = skip_quoted(e, at);
    } else if (end > e->source.n || memcmp(e->source.p + at, source.p, source.n) != 0) {
        e->failed = true;
        return;
    }
    struct buf b;
    buf_init(&b, e->arena, MODEL_MAX_FILE);
    json_put_string(&b, text);
    add(e, at, end - at, buf_view(&b));
}

/* By place; those at one place stay as they were made, inner ones first. */
static void sort_edits(struct edits *e)
{
    for (size_t i = 1; i < e->n; i++) {
        struct edit x = e->list[i];
        size_t k = i;
        for (; k && e->list[k - 1].at > x.at; k--)
            e->list[k] = e->list[k - 1];
        e->list[k] = x;
    }
}

struct slice edits_apply(struct edits *e)
{
    if (e->failed) return (struct slice){ 0 };
    sort_edits(e);
    struct buf b;
    buf_init(&b, e->arena, (size_t)16 << 20);
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
