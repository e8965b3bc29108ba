/* fuzz_edit.c: any bytes as a YAML text that is edited: set, added to, removed from and renamed in, at places that the last bytes choose. What is edited
 * is what was asked for and nothing else, and a refusal has words and leaves the text alone. */
#include <stdlib.h>
#include "model/edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) abort();                                                                         \
    } while (0)

/* Bytes from the end of the input, for choices. */
struct choices {
    const uint8_t *p;
    size_t n;
};

static unsigned choose(struct choices *c, unsigned below)
{
    return c->n && below ? c->p[--c->n] % below : 0;
}

static struct edit_path choose_path(struct choices *c, const struct node *n)
{
    static const char *const digits[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
    struct edit_path path = { .n = 0 };
    while (n->count && path.n < EDIT_PATH_MAX - 2) {
        unsigned pick = choose(c, n->count > 255 ? 255 : (unsigned)n->count);
        const struct node *child = n->first;
        for (unsigned i = 0; i < pick; i++) child = child->next;
        if (n->kind == NODE_LIST && pick > 9) break;
        path.parts[path.n++] = n->kind == NODE_MAP ? child->name : slice_str(digits[pick]);
        n = child;
        if (choose(c, 4) == 0) break;
    }
    return path;
}

static const struct node *at_path(const struct node *n, const struct edit_path *path)
{
    for (size_t i = 0; n && i < path->n; i++) n = tree_child(n, path->parts[i]);
    return n;
}

static const char *const values[] = {
    "\"x\"", "\"\"", "\"a: b # c\"", "\"\\n\\u0085\"", "1", "true", "null", "[]", "{}", "[1,[2,{\"a\":null}]]", "{\"a\":{\"b\":[\"- x\"]},\"c\":\"${d}\"}",
};

static void set_one(struct editor *ed, struct choices *c, struct edit_path path, bool new)
{
    struct edit_path at = path;
    const struct node *old = at_path(ed->root, &path);
    if (new) {
        bool list = old->kind == NODE_LIST;
        at.parts[at.n] = path.parts[path.n] = SLICE("-");
        if (!list) at.parts[at.n] = path.parts[path.n] = SLICE("new name");
        else if (old->count < 10) at.parts[at.n] = arena_printf(ed->arena, "%u", (unsigned)old->count);
        at.n++;
        path.n++;
    }
    const struct json *value = json_parse(ed->arena, slice_str(values[choose(c, sizeof values / sizeof *values)]), 8, NULL);
    struct slice before = ed->text;
    if (edit_set(ed, &path, value)) {
        CHECK(ed->err->message.n && slice_eq(ed->text, before));
        return;
    }
    const struct node *is = at_path(ed->root, &at);
    if (is) CHECK(tree_equal(is, tree_of_json(ed->arena, value)));
}

static void edit_some(struct editor *ed, struct choices *c)
{
    for (int i = 0; i < 6; i++) {
        struct edit_path path = choose_path(c, ed->root);
        struct slice before = ed->text;
        switch (choose(c, 4)) {
        case 0: set_one(ed, c, path, false); break;
        case 1: set_one(ed, c, path, true); break;
        case 2:
            if (edit_remove(ed, &path)) CHECK(slice_eq(ed->text, before));
            break;
        default:
            if (edit_rename(ed, &path, choose(c, 2) ? SLICE("other") : SLICE("a \"b\": #c"))) CHECK(slice_eq(ed->text, before));
            break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct model_files none = { NULL, 0 };
    struct arena a;
    struct err e = { .arena = &a };
    size_t tail = size / 4 < 24 ? size / 4 : 24;
    struct choices c = { data + size - tail, tail };
    struct editor ed = { .arena = &a, .name = SLICE("m.yaml"), .files = &none, .err = &e };
    arena_init(&a, (size_t)256 << 20);
    if (editor_open(&ed, slice_of(data, size - tail)) == 0) edit_some(&ed, &c);
    else CHECK(e.message.n);
    arena_free(&a);
    return 0;
}
