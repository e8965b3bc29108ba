/* node.c: builds the tree of nodes from libyaml's events, without recursion: a stack of the lists and maps that are
 * open. libyaml holds memory that no arena knows, so this is one of the few places with a guard of its own. */
#include "node.h"
#include "names.h"
#include "node_error.h"
#include <yaml.h>

#define MAX_ANCHORS 1000

/* A list or map that is being read. */
struct frame {
    struct node *node;
    struct node *last;          /* its last child */
    bool has_name;              /* map: a name was read, its value comes next */
    struct slice name;
    struct place name_place;
    uint32_t name_begin, name_end;
    struct slice anchor;
    size_t count;               /* nodes in it and under it, aliases counted as what they stand for */
    unsigned height;            /* lists and maps within each other, this one included */
};

struct anchor {
    struct slice name;
    const struct node *node;
    size_t count;
    unsigned height;
    const struct anchor *older;
};

struct state {
    struct problems *ps;
    struct arena *a;
    struct slice file, text;
    uint32_t skipped;           /* bytes before the text: its byte order mark */
    size_t at_char, at_byte;    /* the place that was asked for last: they come in order */
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_parser, has_event;
    struct frame stack[NODE_MAX_DEPTH];
    unsigned depth;
    size_t total;
    const struct anchor *anchors;
    size_t n_anchors;
    struct node *root;
};

static struct place mark_place(const struct state *s, yaml_mark_t m)
{
    return (struct place){ s->file, (unsigned)m.line + 1, (unsigned)m.column + 1 };
}

/* libyaml counts characters. */
static uint32_t mark_byte(struct state *s, yaml_mark_t m)
{
    if (m.index < s->at_char) s->at_char = s->at_byte = 0;
    while (s->at_char < m.index && s->at_byte < s->text.n) {
        s->at_char++;
        s->at_byte++;
        while (s->at_byte < s->text.n && (s->text.p[s->at_byte] & 0xC0) == 0x80) s->at_byte++;
    }
    return (uint32_t)s->at_byte + s->skipped;
}

static bool refuse(struct state *s, struct place at, const char *hint, const char *what)
{
    problem_add(s->ps, at, slice_str(hint), "%s", what);
    return false;
}

static bool remember(struct state *s, struct slice name, const struct node *n, size_t count, unsigned height)
{
    if (s->n_anchors++ >= MAX_ANCHORS)
        return refuse(s, n->place, "write it out", "there are more than 1000 anchors (&name)");
    struct anchor *an = ARENA_NEW(s->a, struct anchor);
    *an = (struct anchor){ name, n, count, height, s->anchors };
    s->anchors = an;
    return true;
}

/* A finished node (with what is under it) takes its place in the list or map that is open. */
static bool attach(struct state *s, struct node *n, size_t count, unsigned height)
{
    if (s->depth == 0) {
        s->root = n;
        return true;
    }
    struct frame *f = &s->stack[s->depth - 1];
    f->count += count;
    if (height + 1 > f->height) f->height = height + 1;
    if (f->node->kind == NODE_MAP) {
        if (!f->has_name) {
            if (n->kind != NODE_SCALAR)
                return refuse(s, n->place, "names are plain text", "a list or map stands where a name is expected");
            if (!n->quoted && slice_eq(n->text, SLICE("<<")))
                return refuse(s, n->place, "write the members out", "merge keys (<<) are not supported");
            f->has_name = true;
            f->name = n->text;
            f->name_place = n->place;
            f->name_begin = n->begin;
            f->name_end = n->end;
            f->count--;
            return true;
        }
        n->name = f->name;
        n->name_place = f->name_place;
        n->name_begin = f->name_begin;
        n->name_end = f->name_end;
        f->has_name = false;
    }
    if (f->last) f->last->next = n;
    else f->node->first = n;
    f->last = n;
    f->node->count++;
    return true;
}

/* Every node, whether it is text, list, map or stands for one of those, is counted here first. */
static struct node *node_new(struct state *s, size_t count)
{
    s->total += count;
    if (s->total > NODE_MAX_COUNT) {
        refuse(s, mark_place(s, s->event.start_mark), "split it into several files",
               "the file holds too much: more than 2,000,000 values");
        return NULL;
    }
    struct node *n = ARENA_NEW(s->a, struct node);
    n->place = mark_place(s, s->event.start_mark);
    n->begin = mark_byte(s, s->event.start_mark);
    n->end = mark_byte(s, s->event.end_mark);
    return n;
}

/* A text in lines of its own (| or >) ends for libyaml where the next thing begins. */
static void end_with_content(struct state *s, struct node *n)
{
    while (n->end > n->begin && strchr(" \t\r\n", s->text.p[n->end - s->skipped - 1])) n->end--;
}

static struct slice copy_text(struct state *s, const yaml_char_t *p, size_t n)
{
    return arena_dup(s->a, slice_of(p, n));
}

static bool no_tag(struct state *s, const yaml_char_t *tag)
{
    return !tag || refuse(s, mark_place(s, s->event.start_mark), "leave it out; quotes make a string",
                          "tags (!name) are not supported");
}

static bool on_scalar(struct state *s)
{
    if (!no_tag(s, s->event.data.scalar.tag)) return false;
    struct node *n = node_new(s, 1);
    if (!n) return false;
    yaml_scalar_style_t style = s->event.data.scalar.style;
    n->quoted = style != YAML_PLAIN_SCALAR_STYLE;
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) end_with_content(s, n);
    n->text = copy_text(s, s->event.data.scalar.value, s->event.data.scalar.length);
    const char *anchor = (const char *)s->event.data.scalar.anchor;
    if (anchor && !remember(s, arena_dup(s->a, slice_str(anchor)), n, 1, 0)) return false;
    return attach(s, n, 1, 0);
}

static bool on_alias(struct state *s)
{
    struct slice name = slice_str((const char *)s->event.data.alias.anchor);
    struct place at = mark_place(s, s->event.start_mark);
    const struct anchor *an = s->anchors;
    while (an && !slice_eq(an->name, name)) an = an->older;
    if (!an) return refuse(s, at, "an anchor (&name) stands before its aliases, and not around them",
                           "this alias names no anchor");
    if (s->depth + an->height > NODE_MAX_DEPTH)
        return refuse(s, at, "nest less", "lists and maps are nested too deeply (more than 64)");
    struct node *n = node_new(s, an->count);
    if (!n) return false;
    uint32_t begin = n->begin, end = n->end;
    *n = *an->node;
    n->next = NULL;
    n->name = (struct slice){ 0 };
    n->alias = true;
    n->begin = begin;
    n->end = end;
    return attach(s, n, an->count, an->height);
}

static bool on_open(struct state *s, enum node_kind kind, const yaml_char_t *tag, const yaml_char_t *anchor)
{
    if (!no_tag(s, tag)) return false;
    if (s->depth == NODE_MAX_DEPTH)
        return refuse(s, mark_place(s, s->event.start_mark), "nest less",
                      "lists and maps are nested too deeply (more than 64)");
    struct node *n = node_new(s, 1);
    if (!n) return false;
    n->kind = kind;
    n->flow = kind == NODE_MAP ? s->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                               : s->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    s->stack[s->depth++] = (struct frame){ .node = n, .count = 1, .height = 1 };
    if (anchor) s->stack[s->depth - 1].anchor = arena_dup(s->a, slice_str((const char *)anchor));
    return true;
}

/* Complains about every name that is there twice. */
static bool names_differ(struct state *s, const struct node *map)
{
    bool good = true;
    if (map->count < 2) return true;
    struct names seen;
    names_init(&seen, s->a, map->count);
    for (const struct node *c = map->first; c; c = c->next) {
        if (names_add(&seen, c->name, 0, NULL)) continue;
        problem_add(s->ps, c->name_place, SLICE("keep one of them"), "\"%.*s\" is there twice",
                    c->name.n > 80 ? 80 : (int)c->name.n, (const char *)c->name.p);
        good = false;
    }
    return good;
}

static bool on_close(struct state *s)
{
    struct frame *f = &s->stack[--s->depth];
    /* A block ends with the last thing in it; libyaml's mark is behind the comments that follow. */
    f->node->end = f->node->flow ? mark_byte(s, s->event.end_mark) : f->last ? f->last->end : f->node->end;
    /* Goes on after names that are there twice: the rest of the file may have more to say. */
    if (f->node->kind == NODE_MAP) names_differ(s, f->node);
    if (f->anchor.n && !remember(s, f->anchor, f->node, f->count, f->height)) return false;
    return attach(s, f->node, f->count, f->height);
}

static bool on_event(struct state *s)
{
    switch (s->event.type) {
    case YAML_DOCUMENT_START_EVENT:
        if (!s->root) return true;
        return refuse(s, mark_place(s, s->event.start_mark), "keep one document in one file",
                      "a second document begins here");
    case YAML_SCALAR_EVENT:
        return on_scalar(s);
    case YAML_ALIAS_EVENT:
        return on_alias(s);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(s, NODE_LIST, s->event.data.sequence_start.tag, s->event.data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return on_open(s, NODE_MAP, s->event.data.mapping_start.tag, s->event.data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(s);
    default:
        return true;
    }
}

static bool read_events(struct state *s)
{
    for (;;) {
        if (!yaml_parser_parse(&s->parser, &s->event)) {
            node_yaml_error(s->ps, s->file, s->text, &s->parser);
            return false;
        }
        s->has_event = true;
        bool good = on_event(s), end = s->event.type == YAML_STREAM_END_EVENT;
        s->has_event = false;
        yaml_event_delete(&s->event);
        if (!good) return false;
        if (end) break;
    }
    if (s->root) return true;
    return refuse(s, (struct place){ s->file, 1, 1 }, "", "the file is empty");
}

static void release(struct state *s)
{
    if (s->has_event) yaml_event_delete(&s->event);
    if (s->has_parser) yaml_parser_delete(&s->parser);
}

const struct node *node_read(struct problems *ps, struct slice file, struct slice text)
{
    struct arena *a = ps->arena;
    size_t before = ps->n;
    struct state *s = ARENA_NEW(a, struct state);
    *s = (struct state){ .ps = ps, .a = a, .file = file };
    if (slice_starts(text, SLICE("\xef\xbb\xbf"))) {
        text = slice_of(text.p + 3, text.n - 3);
        s->skipped = 3;
    }
    s->text = text;
    if (!ARENA_GUARD(a)) {
        arena_unguard(a);
        release(s);
        arena_fail(a);
    }
    bool good = false;
    s->has_parser = yaml_parser_initialize(&s->parser);
    if (!s->has_parser) arena_fail(a);
    yaml_parser_set_encoding(&s->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&s->parser, text.p ? text.p : (const uint8_t *)"", text.n);
    good = read_events(s);
    arena_unguard(a);
    release(s);
    return good && ps->n == before ? s->root : NULL;
}

/* ---- what a node says ---- */

const struct node *node_get(const struct node *map, struct slice name)
{
    if (!map || map->kind != NODE_MAP) return NULL;
    for (const struct node *c = map->first; c; c = c->next)
        if (slice_eq(c->name, name)) return c;
    return NULL;
}

static bool is_one_of(const struct node *n, const char *a, const char *b, const char *c)
{
    return n && n->kind == NODE_SCALAR && !n->quoted &&
           (slice_eq(n->text, slice_str(a)) || slice_eq(n->text, slice_str(b)) || slice_eq(n->text, slice_str(c)));
}

bool node_is_null(const struct node *n)
{
    return is_one_of(n, "null", "Null", "NULL") || is_one_of(n, "~", "", "");
}

bool node_bool(const struct node *n, bool *out)
{
    *out = is_one_of(n, "true", "True", "TRUE");
    return *out || is_one_of(n, "false", "False", "FALSE");
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?, so that 007 and 1_000 stay text. */
static bool is_json_number(struct slice t)
{
    size_t i = 0, from;
    if (i < t.n && t.p[i] == '-') i++;
    from = i;
    while (i < t.n && t.p[i] >= '0' && t.p[i] <= '9') i++;
    if (i == from || (t.p[from] == '0' && i > from + 1)) return false;
    if (i < t.n && t.p[i] == '.') {
        from = ++i;
        while (i < t.n && t.p[i] >= '0' && t.p[i] <= '9') i++;
        if (i == from) return false;
    }
    if (i < t.n && (t.p[i] == 'e' || t.p[i] == 'E')) {
        i++;
        if (i < t.n && (t.p[i] == '+' || t.p[i] == '-')) i++;
        from = i;
        while (i < t.n && t.p[i] >= '0' && t.p[i] <= '9') i++;
        if (i == from) return false;
    }
    return i == t.n;
}

bool node_number(const struct node *n, struct num *out)
{
    return n && n->kind == NODE_SCALAR && !n->quoted && is_json_number(n->text) && num_parse(n->text, out) == NUM_OK;
}
