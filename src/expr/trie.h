/* trie.h: a set of document paths as a tree, children in the order in which the encoding keeps map
 * entries and list elements, so that walking an item beside the tree is one merge.
 *
 *     a.b, a.c[1], d        root -- a -- b     (leaf 0)
 *                                |    `- c -- [1]  (leaf 1)
 *                                `- d          (leaf 2)
 *
 * Projections keep what the leaves name; updates put, at each leaf, the outcome of one action. */
#ifndef OF_EXPR_TRIE_H
#define OF_EXPR_TRIE_H

#include "parse.h"

#define TRIE_INNER SIZE_MAX

struct trie {
    struct path_step step;
    struct trie *children;
    size_t n_children;
    size_t leaf; /* which of the paths ends here, or TRIE_INNER */
};

/* Builds the tree. what: the parameter's name for the error "Two document paths overlap with each
 * other ..."; NULL if the caller knows that none do; "" if the error is to name none. */
int trie_build(struct arena *a, const char *what, const struct path *paths, size_t n,
               struct trie *root, struct err *e);

/* Calls fn for every top-level name of which the paths go on, until it returns false. */
bool trie_each_nested(const struct trie *root, bool (*fn)(struct slice name, void *ctx), void *ctx);

/* The parts of the container that the tree names, as a container of the same type; an empty slice
 * if it holds none of them. */
struct slice trie_project(const struct trie *t, struct arena *a, struct slice container);

/* What an update does at a leaf. */
enum change_kind { CHANGE_NONE, CHANGE_SET, CHANGE_REMOVE };
struct change {
    enum change_kind kind;
    struct slice value; /* SET: encoded */
};
/* The container with the changes made (changes[i] at the leaf i). A SET at a list index past the
 * end appends, in the order of the indexes. */
struct slice trie_rebuild(const struct trie *t, const struct change *changes, struct arena *a,
                          struct slice container);

/* A map or list whose entries are the bytes of pieces, one after the other; count entries in all.
 */
struct slice compose(struct arena *a, enum val_tag tag, size_t count, const struct slice *pieces,
                     size_t n);

#endif
