/* propose_edit.h: changes of a model's text that leave the rest of it, comments included, as it is. Nodes know where they
 * begin; this finds where they end. Whoever edits reads the result again: an edit that went wrong is dropped, not
 * written. */
#ifndef OF_MODEL_PROPOSE_EDIT_H
#define OF_MODEL_PROPOSE_EDIT_H

#include "node.h"

#define EDITS_MAX 8

struct edit {
    size_t at, cut;      /* cut bytes at this offset give way to: */
    struct slice text;
};

struct edits {
    struct arena *arena;
    struct slice source;
    struct edit list[EDITS_MAX];
    size_t n;
    bool json;           /* the text is JSON: names in quotes */
    bool failed;         /* something was not found */
};

void edits_init(struct edits *e, struct arena *a, struct slice source, const struct node *root);
/* The text with all changes made; empty if one failed. */
struct slice edits_apply(struct edits *e);

/* Where two changes meet at one place (two blocks that end together), the one made first comes first: make the change of
 * the inner one first. */

/* Adds a member at the end of a map. value: in flow style. */
void edit_member(struct edits *e, const struct node *map, struct slice name, struct slice value);
/* Adds inner: value to the map that is the member outer of map, and that member too where there is none. */
void edit_nested(struct edits *e, const struct node *map, struct slice outer, struct slice inner, struct slice value);
/* Adds an element to the list that is the member name of map; makes it where there is none. */
void edit_element(struct edits *e, const struct node *map, struct slice name, struct slice value);
/* Puts value in the place of a whole member of a map. */
void edit_replace(struct edits *e, const struct node *member, struct slice value);
/* Puts text, quoted, in the place of the scalar that begins at a place and reads as source. */
void edit_scalar(struct edits *e, struct place at, struct slice source, struct slice text);

#endif
