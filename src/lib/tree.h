/* tree.h: a request put together by hand, as the tree that reading its JSON would have given. */
#ifndef OF_LIB_TREE_H
#define OF_LIB_TREE_H

#include "lib.h"

/* An object or array under construction; add members, then use the node. */
struct tree {
    struct arena *arena;
    struct json *node;
    struct json *last;
};

struct tree tree_object(struct arena *a);
struct tree tree_array(struct arena *a);
/* name is ignored in arrays. Slices are borrowed. */
void tree_add(struct tree *t, struct slice name, const struct json *value);
void tree_add_string(struct tree *t, struct slice name, struct slice text);
void tree_add_bool(struct tree *t, struct slice name, bool value);
void tree_add_int(struct tree *t, struct slice name, uint64_t value);
/* A whole item, or one value. */
void tree_add_encoded(struct tree *t, struct slice name, struct slice encoded);
/* Adds the text if s is not NULL. */
void tree_add_text(struct tree *t, struct slice name, const char *s);
/* ExpressionAttributeNames, ExpressionAttributeValues; encoded items, empty slices where there are none. */
void tree_add_placeholders(struct tree *t, struct slice names, struct slice values);

#endif
