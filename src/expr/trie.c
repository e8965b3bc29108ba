/* trie.c: from a list of paths to a tree, refusing paths that cannot stand together. */
#include "trie.h"
#include <stdlib.h>

/* Names before indexes: where both follow one prefix, two neighbours will differ in kind. */
static int step_cmp(const struct path_step *a, const struct path_step *b)
{
    if (!a->name.p != !b->name.p) return a->name.p ? -1 : 1;
    if (a->name.p) return slice_cmp(a->name, b->name);
    return (a->index > b->index) - (a->index < b->index);
}

struct entry {
    struct path path;
    size_t at; /* its place in the request */
};

static int entry_cmp(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    for (size_t i = 0; i < a->path.n && i < b->path.n; i++) {
        int c = step_cmp(&a->path.steps[i], &b->path.steps[i]);
        if (c) return c;
    }
    if (a->path.n != b->path.n) return a->path.n < b->path.n ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

enum clash { CLASH_NONE, CLASH_OVERLAP, CLASH_CONFLICT };

static enum clash clash(const struct path *a, const struct path *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        const struct path_step *x = &a->steps[i], *y = &b->steps[i];
        if (!x->name.p != !y->name.p) return CLASH_CONFLICT;
        if (step_cmp(x, y)) return CLASH_NONE;
    }
    return CLASH_OVERLAP;
}

/* Only on the way to an error: finds the pair that DynamoDB names, the first in the order of the
 * request; overlaps before conflicts. */
static int report(struct arena *a, const char *what, const struct path *paths, size_t n,
                  enum clash kind, struct err *e)
{
    for (size_t j = 1; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            if (clash(&paths[i], &paths[j]) != kind) continue;
            struct slice one = path_text(a, &paths[i]), two = path_text(a, &paths[j]);
            return err_set(
                e, ERR_ValidationException,
                "%s%s%sTwo document paths %s with each other; must remove or rewrite "
                "one of these paths; path one: %.*s, path two: %.*s",
                *what ? "Invalid " : "", what, *what ? ": " : "", kind == CLASH_OVERLAP ? "overlap" : "conflict", SLICE_ARG(one),
                SLICE_ARG(two));
        }
    }
    return 0;
}

/* Entries lo..hi-1 share their first depth steps. Depth is at most EXPR_MAX_LEVELS. */
static void grow(struct arena *a, struct trie *t, const struct entry *list, size_t lo, size_t hi,
                 size_t depth)
{
    if (list[lo].path.n == depth) { /* without overlaps it is alone */
        t->leaf = list[lo].at;
        return;
    }
    size_t n = 1;
    for (size_t i = lo + 1; i < hi; i++)
        n += step_cmp(&list[i - 1].path.steps[depth], &list[i].path.steps[depth]) != 0;
    t->children = ARENA_ARRAY(a, struct trie, n);
    for (size_t i = lo; i < hi;) {
        size_t j = i + 1;
        const struct path_step *step = &list[i].path.steps[depth];
        while (j < hi && step_cmp(step, &list[j].path.steps[depth]) == 0)
            j++;
        struct trie *child = &t->children[t->n_children++];
        *child = (struct trie){ .step = *step, .leaf = TRIE_INNER };
        grow(a, child, list, i, j, depth + 1);
        i = j;
    }
}

int trie_build(struct arena *a, const char *what, const struct path *paths, size_t n,
               struct trie *root, struct err *e)
{
    *root = (struct trie){ .leaf = TRIE_INNER };
    if (!n) return 0;
    struct entry *list = ARENA_ARRAY(a, struct entry, n);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct entry){ paths[i], i };
    if (n > 1) qsort(list, n, sizeof(*list), entry_cmp);
    /* In this order, paths that clash have neighbours that do. */
    enum clash worst = CLASH_NONE;
    size_t kept = 1;
    for (size_t i = 1; i < n; i++) {
        enum clash c = clash(&list[i - 1].path, &list[i].path);
        if (c == CLASH_OVERLAP || worst == CLASH_NONE) worst = c == CLASH_NONE ? worst : c;
        if (c != CLASH_OVERLAP) list[kept++] = list[i];
    }
    if (what && worst != CLASH_NONE) return report(a, what, paths, n, worst, e);
    grow(a, root, list, 0, kept, 0);
    return 0;
}

bool trie_each_nested(const struct trie *root, bool (*fn)(struct slice name, void *ctx), void *ctx)
{
    for (size_t i = 0; i < root->n_children; i++) {
        const struct trie *child = &root->children[i];
        if (child->n_children && !fn(child->step.name, ctx)) return false;
    }
    return true;
}
