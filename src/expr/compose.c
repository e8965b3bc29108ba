/* compose.c: reading and writing containers along a tree of paths. What does not change is copied
 * as bytes: runs of untouched entries in one piece. */
#include "trie.h"

static size_t varint_size(uint64_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

static uint8_t *varint_put(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

struct slice compose(struct arena *a, enum val_tag tag, size_t count, const struct slice *pieces,
                     size_t n)
{
    size_t body = varint_size(count);
    for (size_t i = 0; i < n; i++)
        body += pieces[i].n;
    size_t total = 1 + varint_size(body) + body;
    uint8_t *start = arena_bytes(a, total), *p = start;
    *p++ = (uint8_t)tag;
    p = varint_put(p, body);
    p = varint_put(p, count);
    for (size_t i = 0; i < n; i++) {
        if (pieces[i].n) memcpy(p, pieces[i].p, pieces[i].n);
        p += pieces[i].n;
    }
    return slice_of(start, total);
}

/* The head of a map entry: length and escape mark, then the name. */
static struct slice entry_name(struct arena *a, struct slice name)
{
    uint64_t head = (uint64_t)name.n << 1 | json_needs_escape(name);
    uint8_t *start = arena_bytes(a, varint_size(head) + name.n);
    uint8_t *p = varint_put(start, head);
    memcpy(p, name.p, name.n);
    return slice_of(start, (size_t)(p - start) + name.n);
}

static struct slice between(const uint8_t *from, const uint8_t *to)
{
    return slice_of(from, (size_t)(to - from));
}

/* A walk over a container, beside the tree's children. */
struct walk {
    struct val_iter it;
    const uint8_t *start;     /* of the current entry */
    struct slice name, value; /* of the current entry */
    size_t index;
    bool map, more;
};

static void walk_next(struct walk *w)
{
    w->start = w->it.at;
    w->more = val_next(&w->it, &w->name, &w->value);
}

static bool walk_begin(struct walk *w, struct slice container, const struct trie *t)
{
    enum val_type type = val_type(container);
    w->map = type == TYPE_M;
    w->index = 0;
    if ((type != TYPE_M && type != TYPE_L) || !t->n_children) return false;
    if (w->map != (t->children[0].step.name.p != NULL)) return false;
    val_iter_init(&w->it, container);
    walk_next(w);
    return true;
}

/* Goes to the child's entry, or to where it would be. True if it is there. */
static bool walk_to(struct walk *w, const struct trie *child)
{
    for (; w->more; w->index++, walk_next(w)) {
        if (w->map) {
            int c = slice_cmp(w->name, child->step.name);
            if (c >= 0) return c == 0;
        } else if (w->index >= child->step.index) {
            return w->index == child->step.index;
        }
    }
    return false;
}

/* ---- projection ---- */

struct slice trie_project(const struct trie *t, struct arena *a, struct slice container)
{
    struct walk w;
    if (!walk_begin(&w, container, t)) return slice_of(NULL, 0);
    struct slice few[16], *pieces = few;
    if (t->n_children > 8) pieces = ARENA_ARRAY(a, struct slice, t->n_children * 2);
    size_t n = 0, count = 0;
    for (size_t i = 0; i < t->n_children && w.more; i++) {
        const struct trie *child = &t->children[i];
        if (!walk_to(&w, child)) continue;
        struct slice v = w.value;
        if (child->leaf == TRIE_INNER) v = trie_project(child, a, w.value);
        if (!v.n) continue;
        pieces[n++] = between(w.start, w.value.p); /* its name; nothing in a list */
        pieces[n++] = v;
        count++;
    }
    if (!count) return slice_of(NULL, 0);
    return compose(a, w.map ? VAL_M : VAL_L, count, pieces, n);
}

/* ---- rebuilding ---- */

struct slice trie_rebuild(const struct trie *t, const struct change *changes, struct arena *a,
                          struct slice container)
{
    struct walk w;
    if (!walk_begin(&w, container, t)) return container;
    struct slice *pieces = ARENA_ARRAY(a, struct slice, t->n_children * 3 + 1);
    size_t n = 0, count = val_count(container);
    const uint8_t *copied = w.start; /* everything before this is in pieces */
    for (size_t i = 0; i < t->n_children; i++) {
        const struct trie *child = &t->children[i];
        bool there = walk_to(&w, child);
        struct change change = { CHANGE_NONE };
        if (child->leaf != TRIE_INNER)
            change = changes[child->leaf];
        else if (there)
            change = (struct change){ CHANGE_SET, trie_rebuild(child, changes, a, w.value) };
        if (change.kind == CHANGE_NONE || (change.kind == CHANGE_REMOVE && !there)) continue;
        const uint8_t *kept = there && change.kind == CHANGE_SET ? w.value.p : w.start;
        pieces[n++] = between(copied, kept);
        copied = there ? w.value.p + w.value.n : w.start;
        if (change.kind == CHANGE_REMOVE) {
            count--;
            continue;
        }
        if (!there) {
            count++;
            if (w.map) pieces[n++] = entry_name(a, child->step.name);
        }
        pieces[n++] = change.value;
    }
    if (!n) return container;
    pieces[n++] = between(copied, w.it.end);
    return compose(a, w.map ? VAL_M : VAL_L, count, pieces, n);
}
