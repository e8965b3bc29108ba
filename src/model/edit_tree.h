/* edit_tree.h: what an edit makes of a tree of nodes: the text that was edited is read again and must give just that. */
#ifndef OF_MODEL_EDIT_TREE_H
#define OF_MODEL_EDIT_TREE_H

#include "edit_value.h"

/* A JSON value as the nodes that reading it gives. */
const struct node *tree_of_json(struct arena *a, const struct json *v);
/* The child that a part of a path names; "-" names none. */
const struct node *tree_child(const struct node *parent, struct slice part);
/* The tree with value at the path: what is there already is replaced; where only the last part is missing, it is added behind
 * after (NULL: behind all). */
const struct node *tree_set(struct arena *a, const struct node *root, const struct edit_path *path, const struct node *value,
                            const struct node *after);
const struct node *tree_remove(struct arena *a, const struct node *root, const struct edit_path *path);
/* Is it this text, or a list or map that holds it? NULL holds nothing. */
bool tree_has_text(const struct node *n, struct slice text);
/* The same names, values and order, however they are written. */
bool tree_equal(const struct node *a, const struct node *b);

#endif
