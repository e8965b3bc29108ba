/* edit_place.c: members and elements put into a text, replaced in it and taken out of it, in brackets and in blocks. */
#include "edit_text.h"
#include "edit_value.h"
#include "model.h"

/* ---- text that goes in ---- */

/* Every line behind a line end and so many blanks. */
static void put_lines(struct edits *e, struct buf *b, struct slice lines, size_t indent)
{
    for (size_t i = 0; i < lines.n;) {
        const uint8_t *nl = memchr(lines.p + i, '\n', lines.n - i);
        size_t n = nl ? (size_t)(nl - lines.p) - i : lines.n - i;
        buf_slice(b, e->newline);
        for (size_t k = 0; n && k < indent; k++) buf_u8(b, ' ');
        buf_bytes(b, lines.p + i, n);
        i += n + 1;
    }
}

/* Lines in a place that is indented already: no line end before the first. */
static struct slice joined(struct edits *e, struct slice lines, size_t indent)
{
    struct buf b;
    buf_init(&b, e->arena, 2 * MODEL_MAX_FILE);
    put_lines(e, &b, lines, indent);
    return slice_of(b.p + e->newline.n + indent, b.n - e->newline.n - indent);
}

static struct slice below(struct edits *e, struct slice lines, size_t indent)
{
    struct buf b;
    buf_init(&b, e->arena, 2 * MODEL_MAX_FILE);
    put_lines(e, &b, lines, indent);
    return buf_view(&b);
}

/* "name: value" or "- value"; a block in lines below its name, indented by two, or behind its dash. */
static struct slice entry(struct edits *e, struct slice name, struct edit_value v)
{
    struct buf b;
    buf_init(&b, e->arena, 2 * MODEL_MAX_FILE);
    if (name.p) {
        yaml_put_name(&b, name, e->json);
        buf_u8(&b, ':');
    } else {
        buf_u8(&b, '-');
    }
    if (!v.block) {
        buf_u8(&b, ' ');
        buf_slice(&b, v.text);
        return buf_view(&b);
    }
    struct slice newline = e->newline;
    e->newline = SLICE("\n"); /* until it stands in its place */
    if (name.p) {
        put_lines(e, &b, v.text, 2);
    } else {
        buf_u8(&b, ' ');
        buf_slice(&b, joined(e, v.text, 2));
    }
    e->newline = newline;
    return buf_view(&b);
}

/* ---- in brackets ---- */

static size_t child_begin(const struct node *parent, const struct node *child)
{
    return parent->kind == NODE_MAP ? child->name_begin : child->begin;
}

static struct slice flow_entry(struct edits *e, struct slice name, struct slice value)
{
    struct buf b;
    buf_init(&b, e->arena, 2 * MODEL_MAX_FILE);
    if (name.p) {
        yaml_put_name(&b, name, e->json);
        BUF_LIT(&b, ": ");
    }
    buf_slice(&b, value);
    return buf_view(&b);
}

static void insert_first(struct edits *e, const struct node *parent, struct slice text)
{
    size_t at = edit_bracket(e, parent) + 1, close = parent->end - 1;
    for (size_t i = at; i < close; i++)
        if (!strchr(" \t\r\n", e->source.p[i])) e->failed = true;
    const char *space = parent->kind == NODE_MAP ? " " : "";
    if (!e->failed) edits_add(e, at, close - at, arena_printf(e->arena, "%s%.*s%s", space, SLICE_ARG(text), space));
}

static void insert_flow(struct edits *e, const struct node *parent, const struct node *last, struct slice text)
{
    size_t close = parent->end - 1, comma = edit_comma(e, last->end, close), begin = child_begin(parent, last);
    bool has_comma = comma < close;
    size_t line = edit_line_end(e, has_comma ? comma : last->end);
    bool own_line = edit_begins_line(e, begin) && line < close && (!last->next || child_begin(parent, last->next) > line);
    if (own_line) {
        if (!has_comma) edits_add(e, last->end, 0, SLICE(","));
        struct slice lines = arena_printf(e->arena, "%.*s%s", SLICE_ARG(text), last->next ? "," : "");
        edits_add(e, line, 0, below(e, lines, edit_column(e, begin)));
    } else if (has_comma && !last->next) {
        edits_add(e, comma + 1, 0, arena_printf(e->arena, " %.*s", SLICE_ARG(text)));
    } else {
        edits_add(e, last->end, 0, arena_printf(e->arena, ", %.*s", SLICE_ARG(text)));
    }
}

/* Behind the line end of the line that at is in. */
static size_t next_line(const struct edits *e, size_t at)
{
    at = edit_line_end(e, at);
    if (at < e->source.n && e->source.p[at] == '\r') at++;
    return at < e->source.n ? at + 1 : at;
}

static bool only_comment(const struct edits *e, size_t at)
{
    size_t end = edit_line_end(e, at);
    while (at < end && (e->source.p[at] == ' ' || e->source.p[at] == '\t')) at++;
    return at == end || e->source.p[at] == '#';
}

static void cut_range(struct edits *e, size_t from, size_t to)
{
    edits_add(e, from, to - from, SLICE(""));
}

static const struct node *before(const struct node *parent, const struct node *child)
{
    const struct node *prev = NULL;
    for (const struct node *c = parent->first; c != child; c = c->next) prev = c;
    return prev;
}

static void cut_flow(struct edits *e, const struct node *parent, const struct node *child)
{
    size_t close = parent->end - 1, comma = edit_comma(e, child->end, close), begin = child_begin(parent, child);
    bool has_comma = comma < close;
    size_t end = has_comma ? comma + 1 : child->end;
    bool own_lines = edit_begins_line(e, begin) && edit_line_end(e, end) < close && only_comment(e, end);
    const struct node *prev = before(parent, child);
    if (!child->next && prev) { /* the comma before it has nothing to part any more */
        size_t earlier = edit_comma(e, prev->end, begin);
        if (earlier == begin) {
            e->failed = true;
            return;
        }
        if (!own_lines) {
            cut_range(e, earlier, end);
            return;
        }
        if (!has_comma) cut_range(e, earlier, earlier + 1);
    }
    if (own_lines) cut_range(e, edit_line_start(e, begin), next_line(e, end));
    else if (child->next) cut_range(e, begin, child_begin(parent, child->next));
    else cut_range(e, begin, end);
}

/* ---- in blocks ---- */

static size_t indent_of(struct edits *e, const struct node *parent)
{
    return edit_column(e, parent->kind == NODE_MAP ? parent->first->name_begin : edit_dash(e, parent->first));
}

void edit_insert(struct edits *e, const struct node *parent, const struct node *after, struct slice name, struct edit_value v)
{
    const struct node *last = after ? after : parent->first;
    while (!after && last && last->next) last = last->next;
    if (parent->flow) {
        struct slice text = flow_entry(e, name, v.text);
        if (last) insert_flow(e, parent, last, text);
        else insert_first(e, parent, text);
        return;
    }
    if (!last) {
        e->failed = true;
        return;
    }
    size_t indent = indent_of(e, parent);
    size_t at = edit_past_comments(e, edit_line_end(e, last->end), indent);
    /* The great parts of a model stand apart. */
    bool apart = v.block && !indent && (slice_eq(name, SLICE("entities")) || slice_eq(name, SLICE("patterns")));
    if (apart) edits_add(e, at, 0, e->newline);
    edits_add(e, at, 0, below(e, entry(e, name, v), indent));
}

/* Behind the colon or dash of a child in a block. */
static size_t head_of(struct edits *e, const struct node *parent, const struct node *child)
{
    if (parent->kind == NODE_LIST) return edit_dash(e, child) + 1;
    size_t at = child->name_end;
    while (at < e->source.n && e->source.p[at] == ' ') at++;
    if (at >= e->source.n || e->source.p[at] != ':') e->failed = true;
    return at + 1;
}

static void put_inline(struct edits *e, const struct node *child, struct slice text)
{
    size_t at = child->begin;
    if (at == child->end) { /* "name:", and there it ends */
        uint8_t prev = at ? e->source.p[at - 1] : 0, next = at < e->source.n ? e->source.p[at] : '\n';
        text = arena_printf(e->arena, "%s%.*s%s", prev == ' ' ? "" : " ", SLICE_ARG(text), next == '}' || next == ']' ? " " : "");
    }
    edits_add(e, at, child->end - at, text);
}

/* Instead of a value behind its name or dash: lines. What follows the value, a comment, stays where it is. */
static void put_block(struct edits *e, const struct node *parent, const struct node *child, struct slice lines)
{
    size_t indent = indent_of(e, parent) + 2, head = head_of(e, parent, child);
    if (parent->kind == NODE_MAP) {
        cut_range(e, head, child->end);
        edits_add(e, edit_line_end(e, child->end), 0, below(e, lines, indent));
        return;
    }
    const uint8_t *nl = memchr(lines.p, '\n', lines.n);
    size_t first = nl ? (size_t)(nl - lines.p) : lines.n;
    put_inline(e, child, slice_of(lines.p, first));
    if (nl) {
        struct slice rest = slice_of(nl + 1, lines.n - first - 1);
        edits_add(e, edit_line_end(e, child->end), 0, below(e, rest, indent));
    }
}

void edit_put(struct edits *e, const struct node *parent, const struct node *child, struct edit_value v)
{
    bool was_block = child->kind != NODE_SCALAR && !child->flow && !child->alias;
    if (parent->flow || (!was_block && !v.block)) {
        put_inline(e, child, v.text);
    } else if (!was_block) {
        put_block(e, parent, child, v.text);
    } else if (v.block) {
        size_t column = edit_column(e, child->begin);
        if (column <= indent_of(e, parent) && !slice_starts(v.text, SLICE("- "))) column = indent_of(e, parent) + 2;
        if (column != edit_column(e, child->begin)) { /* a list beside its name gives way to a map below it */
            size_t start = edit_line_end(e, head_of(e, parent, child));
            edits_add(e, start, child->end - start, below(e, v.text, column));
        } else {
            edits_add(e, child->begin, child->end - child->begin, joined(e, v.text, column));
        }
    } else if (parent->kind == NODE_LIST) {
        edits_add(e, child->begin, child->end - child->begin, v.text);
    } else {
        size_t head = head_of(e, parent, child), start = edit_line_end(e, head);
        size_t end = edit_past_comments(e, edit_line_end(e, child->end), indent_of(e, parent));
        edits_add(e, head, 0, arena_printf(e->arena, " %.*s", SLICE_ARG(v.text)));
        if (end > start) cut_range(e, start, end);
    }
}

/* The start of the comment lines right above the line that begins at start; start where they begin the file. */
static size_t comments_above(const struct edits *e, size_t start, size_t indent)
{
    size_t from = start;
    while (from) {
        size_t line = edit_line_start(e, from - 1), i = line;
        while (e->source.p[i] == ' ') i++;
        if (e->source.p[i] != '#' || i - line != indent) return from;
        from = line;
    }
    return start;
}

static bool blank_line(const struct edits *e, size_t at)
{
    size_t end = edit_line_end(e, at);
    while (at < end && e->source.p[at] == ' ') at++;
    return at == end;
}

/* Of the empty lines before and behind what goes, one goes too. */
static size_t with_blank_line(const struct edits *e, size_t start, size_t next)
{
    if (!start || !blank_line(e, next)) return start;
    size_t above = edit_line_start(e, start - 1);
    return blank_line(e, above) ? above : start;
}

void edit_cut(struct edits *e, const struct node *parent, const struct node *child)
{
    if (parent->flow) {
        cut_flow(e, parent, child);
        return;
    }
    size_t begin = parent->kind == NODE_MAP ? child->name_begin : edit_dash(e, child);
    if (e->failed) return;
    if (!edit_begins_line(e, begin)) { /* the first one behind a dash: the next takes its place */
        if (!child->next) e->failed = true;
        else cut_range(e, begin, parent->kind == NODE_MAP ? child->next->name_begin : edit_dash(e, child->next));
        return;
    }
    size_t indent = edit_column(e, begin), start = comments_above(e, edit_line_start(e, begin), indent);
    size_t end = edit_past_comments(e, edit_line_end(e, child->end), indent);
    size_t next = next_line(e, end);
    start = with_blank_line(e, start, next);
    /* The last line of a text that ends without a line end takes the one before it along. */
    bool no_end = next == e->source.n && (!next || e->source.p[next - 1] != '\n');
    if (no_end && start && e->source.p[start - 1] == '\n') start -= start > 1 && e->source.p[start - 2] == '\r' ? 2 : 1;
    cut_range(e, start, next);
}

void edit_name(struct edits *e, const struct node *member, struct slice name)
{
    struct buf b;
    buf_init(&b, e->arena, 2 * MODEL_MAX_FILE);
    uint8_t quote = e->source.p[member->name_begin];
    if (quote == '"') yaml_put_quoted(&b, name);
    else yaml_put_name(&b, name, e->json);
    edits_add(e, member->name_begin, member->name_end - member->name_begin, buf_view(&b));
}

/* ---- for those who know what they add ---- */

void edit_member(struct edits *e, const struct node *map, struct slice name, struct slice value)
{
    if (!map || map->kind != NODE_MAP || map->alias) e->failed = true;
    else edit_insert(e, map, edit_after(map, name), name, edit_inline(value));
}

void edit_nested(struct edits *e, const struct node *map, struct slice outer, struct slice inner, struct slice value)
{
    const struct node *there = node_get(map, outer);
    if (there) {
        edit_member(e, there, inner, value);
        return;
    }
    if (!map || map->kind != NODE_MAP || map->alias) {
        e->failed = true;
        return;
    }
    struct slice text = flow_entry(e, inner, value);
    struct edit_value v = { map->flow ? arena_printf(e->arena, "{ %.*s }", SLICE_ARG(text)) : text, !map->flow };
    edit_insert(e, map, edit_after(map, outer), outer, v);
}

void edit_element(struct edits *e, const struct node *map, struct slice name, struct slice value)
{
    const struct node *there = node_get(map, name);
    if (there) {
        if (there->kind != NODE_LIST || there->alias) e->failed = true;
        else edit_insert(e, there, NULL, slice_of(NULL, 0), edit_inline(value));
        return;
    }
    if (!map || map->kind != NODE_MAP || map->alias) {
        e->failed = true;
        return;
    }
    bool block = !map->flow && slice_starts(value, SLICE("{"));
    struct edit_value v = { arena_printf(e->arena, block ? "- %.*s" : "[%.*s]", SLICE_ARG(value)), block };
    edit_insert(e, map, edit_after(map, name), name, v);
}

static const struct node *scalar_at(const struct node *n, struct place at)
{
    if (n->kind == NODE_SCALAR) return !n->alias && n->place.line == at.line && n->place.column == at.column ? n : NULL;
    for (const struct node *c = n->first; c; c = c->next) {
        const struct node *found = scalar_at(c, at);
        if (found) return found;
    }
    return NULL;
}

void edit_scalar(struct edits *e, const struct node *root, struct place at, struct slice text)
{
    const struct node *n = scalar_at(root, at);
    struct buf b;
    if (!n) {
        e->failed = true;
        return;
    }
    buf_init(&b, e->arena, 2 * MODEL_MAX_FILE);
    yaml_put_quoted(&b, text);
    put_inline(e, n, buf_view(&b));
}
