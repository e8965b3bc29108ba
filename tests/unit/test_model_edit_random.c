/* test_model_edit_random.c: random edits of the pattern library's models, sprinkled with comments. Whatever is set is there, everything
 * else is as it was, comments stay, and what is undone is gone without a trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "model/edit.h"
#include "repeat.h"

#define ROUNDS 60 /* for each model */

static const char *const models[] = { "blog", "customers", "ecommerce", "feed", "orders", "saas", "shop-ops" };

static struct slice file_text(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/patterns/%s/onefold.yaml", SOURCE_ROOT, name);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s", path);
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    for (size_t n; (n = fread(buf_reserve(&b, 4096), 1, 4096, f));) b.n += n;
    fclose(f);
    return buf_view(&b);
}

/* Comments of their own number: lines indented as the next one, and behind what stands in a line. */
static struct slice with_comments(struct slice text, bool crlf)
{
    struct buf b;
    unsigned number = 0;
    buf_init(&b, &arena, 1 << 20);
    for (size_t i = 0; i < text.n;) {
        const uint8_t *nl = memchr(text.p + i, '\n', text.n - i);
        size_t n = nl ? (size_t)(nl - text.p) - i : text.n - i, indent = 0;
        while (indent < n && text.p[i + indent] == ' ') indent++;
        if (rnd(4) == 0) buf_printf(&b, "%*s#c%u.%s\n", (int)indent, "", number++, crlf ? "\r" : "");
        buf_bytes(&b, text.p + i, n);
        if (n && rnd(4) == 0) buf_printf(&b, " #c%u.", number++);
        if (crlf) buf_u8(&b, '\r');
        buf_u8(&b, '\n');
        i += n + 1;
    }
    return buf_view(&b);
}

/* ---- values ---- */

static void put_value(struct buf *b, unsigned depth)
{
    static const char *const scalars[] = {
        "\"plain\"", "\"two words\"", "\"a: b\"", "\"#x\"", "\"x # y\"", "\"A#${a}#${b:08}\"", "\"\"", "\"true\"", "\"12\"", "\"- a\"",
        "\"[a]\"", "\"a,b\"", "\"line\\nline\"", "\"\\u00e4\\u20ac\"", "\"it's\"", "\"say \\\"x\\\"\"", "\"$in\"", "true", "false", "null", "0",
        "-1.5e3", "123456789012345678901234567890", "\"---\"", "\"\\u2028\"", "\" x\"", "\"*a\"", "\"&a\"", "\"!t\"", "\"|\"", "\"? x\"", "\"<<\"",
    };
    uint64_t kind = depth ? rnd(5) : 4;
    if (kind < 2) {
        buf_u8(b, '{');
        for (uint64_t n = rnd(4), i = 0; i < n; i++) {
            buf_printf(b, "%s\"%s%d\":", i ? "," : "", rnd(4) ? "k" : "a name", (int)i);
            put_value(b, depth - 1);
        }
        buf_u8(b, '}');
    } else if (kind == 2) {
        buf_u8(b, '[');
        for (uint64_t n = rnd(4), i = 0; i < n; i++) {
            if (i) buf_u8(b, ',');
            put_value(b, depth - 1);
        }
        buf_u8(b, ']');
    } else {
        buf_slice(b, slice_str(scalars[rnd(sizeof scalars / sizeof *scalars)]));
    }
}

static const struct json *random_value(void)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 16);
    put_value(&b, 3);
    return json_parse(&arena, buf_view(&b), 16, NULL);
}

static void put_node(struct buf *b, const struct node *n)
{
    bool truth;
    struct num number;
    if (n->kind == NODE_SCALAR) {
        if (node_is_null(n)) BUF_LIT(b, "null");
        else if (node_bool(n, &truth) || node_number(n, &number)) buf_slice(b, n->text);
        else json_put_string(b, n->text);
        return;
    }
    buf_u8(b, n->kind == NODE_MAP ? '{' : '[');
    for (const struct node *c = n->first; c; c = c->next) {
        if (c != n->first) buf_u8(b, ',');
        if (n->kind == NODE_MAP) {
            json_put_string(b, c->name);
            buf_u8(b, ':');
        }
        put_node(b, c);
    }
    buf_u8(b, n->kind == NODE_MAP ? '}' : ']');
}

static const struct json *json_of(const struct node *n)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    put_node(&b, n);
    return json_parse(&arena, buf_view(&b), 32, NULL);
}

/* ---- what is there ---- */

/* A way to some node, and the number of parts of it. */
static const struct node *random_path(const struct node *root, struct edit_path *path)
{
    const struct node *n = root;
    path->n = 0;
    do {
        uint64_t pick = rnd(n->count), i = 0;
        const struct node *c = n->first;
        for (; i < pick; i++) c = c->next;
        path->parts[path->n++] = n->kind == NODE_MAP ? c->name : arena_printf(&arena, "%u", (unsigned)pick);
        n = c;
    } while (n->count && rnd(5));
    return n;
}

static const struct node *at_path(const struct node *n, const struct edit_path *path)
{
    for (size_t i = 0; n && i < path->n; i++) n = tree_child(n, path->parts[i]);
    return n;
}

/* Every scalar but those at and under one node: its path and text, one to a line. */
static void put_rest(struct buf *b, const struct node *n, const struct node *but, const char *path)
{
    size_t i = 0;
    if (n == but) return;
    if (n->kind == NODE_SCALAR) buf_printf(b, "%s = %.*s\n", path, SLICE_ARG(n->text));
    for (const struct node *c = n->first; c; c = c->next, i++) {
        /* Elements are told by what they hold, since one more or less moves those behind it. */
        struct slice part = n->kind == NODE_MAP ? c->name : SLICE("-");
        put_rest(b, c, but, (const char *)arena_printf(&arena, "%s/%.*s", path, SLICE_ARG(part)).p);
    }
}

static void assert_rest(const struct node *old, const struct node *old_at, const struct node *new, const struct node *new_at, struct slice text)
{
    struct buf a, b;
    buf_init(&a, &arena, 1 << 22);
    buf_init(&b, &arena, 1 << 22);
    put_rest(&a, old, old_at, "");
    put_rest(&b, new, new_at, "");
    if (!slice_eq(buf_view(&a), buf_view(&b))) fail_msg("something else changed:\n%.*s", SLICE_ARG(text));
}

static unsigned line_of(struct slice text, size_t at)
{
    unsigned line = 1;
    for (size_t i = 0; i < at; i++) line += text.p[i] == '\n';
    return line;
}

static bool is_comment_line(struct slice text, unsigned line)
{
    size_t i = 0;
    for (unsigned l = 1; i < text.n && l < line; i++) l += text.p[i] == '\n';
    while (i < text.n && text.p[i] == ' ') i++;
    return i < text.n && text.p[i] == '#';
}

enum change { NOTHING, REPLACED, REMOVED };

/* May the comment at this offset go with the node that was changed? */
static bool may_go(struct slice text, const struct node *n, enum change change, size_t at)
{
    if (change == NOTHING) return false;
    bool block = n->kind != NODE_SCALAR && !n->flow;
    if (change == REPLACED && !block) return at >= n->begin && at < n->end;
    bool named = n->name_begin && n->name_begin < n->begin;
    unsigned from = line_of(text, named ? n->name_begin : n->begin), to = line_of(text, n->end), line = line_of(text, at);
    while (is_comment_line(text, to + 1)) to++;
    if (change == REPLACED) return line <= to && (named ? line > from : at >= n->begin);
    while (from > 1 && is_comment_line(text, from - 1)) from--;
    return line >= from && line <= to;
}

/* Every comment is still there, but for those of the node that was changed. */
static void assert_comments(struct slice old, const struct node *changed, enum change change, struct slice new)
{
    for (unsigned number = 0;; number++) {
        char mark[16];
        int n = snprintf(mark, sizeof mark, "#c%u.", number);
        const uint8_t *at = memmem(old.p, old.n, mark, (size_t)n);
        if (!at) break;
        if (!memmem(new.p, new.n, mark, (size_t)n) && !may_go(old, changed, change, (size_t)(at - old.p)))
            fail_msg("comment %s is gone:\n%.*s\n--- was\n%.*s", mark, SLICE_ARG(new), SLICE_ARG(old));
    }
}

/* ---- the edits ---- */

static struct editor editor_of(struct slice text, struct err *e)
{
    struct editor ed = { .arena = &arena, .name = SLICE("m"), .err = e };
    static const struct model_files none = { NULL, 0 };
    *e = (struct err){ .arena = &arena };
    ed.files = &none;
    assert_int_equal(editor_open(&ed, text), 0);
    return ed;
}

static void must(int rc, const struct err *e, const struct edit_path *path, struct slice text)
{
    if (rc) fail_msg("%.*s: %.*s\n%.*s", SLICE_ARG(edit_path_text(&arena, path, path->n)), SLICE_ARG(e->message), SLICE_ARG(text));
}

static void set_and_undo(struct slice text)
{
    struct err e;
    struct editor ed = editor_of(text, &e);
    struct edit_path path;
    const struct node *old_root = ed.root, *old = random_path(ed.root, &path);
    const struct json *value = random_value();
    must(edit_set(&ed, &path, value), &e, &path, text);
    const struct node *new = at_path(ed.root, &path);
    assert_true(tree_equal(new, tree_of_json(&arena, value)));
    assert_rest(old_root, old, ed.root, new, ed.text);
    assert_comments(text, old, REPLACED, ed.text);
    must(edit_set(&ed, &path, json_of(old)), &e, &path, ed.text);
    assert_true(tree_equal(ed.root, old_root));
}

static void add_and_undo(struct slice text)
{
    struct err e;
    struct editor ed = editor_of(text, &e);
    struct edit_path path;
    const struct node *old_root = ed.root, *parent = random_path(ed.root, &path);
    if (parent->kind == NODE_SCALAR || !parent->count) return;
    bool map = parent->kind == NODE_MAP;
    size_t there = path.n;
    path.parts[path.n++] = map ? SLICE("a new one") : SLICE("-");
    if (map && rnd(2)) path.parts[path.n++] = rnd(2) ? SLICE("deeper") : SLICE("-");
    const struct json *value = random_value();
    must(edit_set(&ed, &path, value), &e, &path, text);
    if (!map) path.parts[there] = arena_printf(&arena, "%zu", parent->count);
    if (path.n > there + 1 && slice_eq(path.parts[there + 1], SLICE("-"))) path.parts[there + 1] = SLICE("0");
    assert_true(tree_equal(at_path(ed.root, &path), tree_of_json(&arena, value)));
    assert_comments(text, NULL, NOTHING, ed.text);
    struct slice edited = ed.text;
    must(edit_remove(&ed, &path), &e, &path, edited);
    assert_true(tree_equal(ed.root, old_root));
    assert_comments(text, NULL, NOTHING, ed.text);
}

static void remove_one(struct slice text)
{
    struct err e;
    struct editor ed = editor_of(text, &e);
    struct edit_path path;
    const struct node *old_root = ed.root, *old = random_path(ed.root, &path);
    must(edit_remove(&ed, &path), &e, &path, text);
    /* What became empty went with it. */
    for (size_t n = path.n - 1; n; n--) {
        struct edit_path head = path;
        head.n = n;
        const struct node *parent = at_path(old_root, &head);
        if (parent->count > 1) break;
        old = parent;
    }
    assert_rest(old_root, old, ed.root, NULL, ed.text);
    assert_comments(text, old, REMOVED, ed.text);
}

/* There and back again gives the text as it was. */
static void rename_and_undo(struct slice text)
{
    static const char *const kinds[] = { "entities", "entities", "entities", "indexes", "patterns" };
    struct err e;
    struct editor ed = editor_of(text, &e);
    struct edit_path path = { .n = 1 };
    path.parts[0] = slice_str(kinds[rnd(5)]);
    const struct node *map = node_get(ed.root, path.parts[0]);
    if (!map) return;
    for (int level = 0; level < 2; level++) {
        const struct node *c = map->first;
        for (uint64_t pick = rnd(map->count); pick; pick--) c = c->next;
        path.parts[path.n++] = c->name;
        map = NODE_GET(c, "attributes");
        if (level || !map || slice_eq(path.parts[0], SLICE("patterns")) || rnd(2)) break;
        path.parts[path.n++] = SLICE("attributes");
    }
    struct slice from = path.parts[path.n - 1], to = SLICE("Renamed-once");
    struct slice plain = slice_eq(path.parts[0], SLICE("entities")) ? SLICE("RenamedOnce") : to;
    int rc = edit_rename(&ed, &path, plain);
    if (rc && memmem(e.message.p, e.message.n, "key attribute", 13)) return;
    must(rc, &e, &path, text);
    assert_false(slice_eq(ed.text, text));
    assert_comments(text, NULL, NOTHING, ed.text);
    path.parts[path.n - 1] = plain;
    must(edit_rename(&ed, &path, from), &e, &path, ed.text);
    if (!slice_eq(ed.text, text)) fail_msg("not as it was:\n%.*s", SLICE_ARG(ed.text));
}

static void test_random_edits(void **state)
{
    (void)state;
    unsigned rounds = (unsigned)repeated(ROUNDS);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        for (unsigned round = 0; round < rounds; round++) {
            struct slice text = with_comments(file_text(models[i]), round % 5 == 1);
            set_and_undo(text);
            add_and_undo(text);
            remove_one(text);
            rename_and_undo(text);
            arena_reset(&arena);
        }
    }
}

/* One edit after the other on the same text: what they leave behind can be edited again. */
static void test_chains_of_edits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct err e;
        struct editor ed = editor_of(file_text(models[i]), &e);
        for (unsigned round = 0; round < 60 && ed.root->count > 3; round++) {
            struct edit_path path;
            const struct node *n = random_path(ed.root, &path);
            struct slice text = ed.text;
            if (rnd(3) == 0) {
                must(edit_remove(&ed, &path), &e, &path, text);
                continue;
            }
            if (n->kind != NODE_SCALAR && rnd(2)) path.parts[path.n++] = n->kind == NODE_MAP ? arena_printf(&arena, "n%u", round) : SLICE("-");
            const struct json *value = random_value();
            must(edit_set(&ed, &path, value), &e, &path, text);
        }
        arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_edits),
        cmocka_unit_test(test_chains_of_edits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
