/* edit_text.h: changes of a model's text that leave the rest of it, comments included, as it is. Nodes know which bytes
 * they take (node.h); this finds the lines, commas and dashes around them. Nothing here checks that a change means what
 * was intended: whoever edits reads the result again, and drops an edit that went wrong. */
#ifndef OF_MODEL_EDIT_TEXT_H
#define OF_MODEL_EDIT_TEXT_H

#include "node.h"

struct edit {
    size_t at, cut;      /* cut bytes at this offset give way to: */
    struct slice text;
};

struct edits {
    struct arena *arena;
    struct slice source;
    struct edit *list;
    size_t n, cap;
    struct slice newline; /* as the text has it: LF or CRLF */
    bool json;           /* the text is JSON: names in quotes */
    bool failed;         /* something was not found */
};

void edits_init(struct edits *e, struct arena *a, struct slice source, const struct node *root);
/* The text with all changes made; empty if one failed. */
struct slice edits_apply(struct edits *e);

/* Where two changes meet at one place (two blocks that end together), the one made first comes first: make the change of
 * the inner one first. */

/* A value as it is written: behind its name, or (block) in lines of its own, not indented, LF between them. */
struct edit_value {
    struct slice text;
    bool block;
};
static inline struct edit_value edit_inline(struct slice text)
{
    return (struct edit_value){ text, false };
}

/* Adds a member to a map, or (name.p NULL) an element to a list, behind a child of it; NULL: behind its last. parent has
 * children or is in brackets; what goes into brackets is no block. */
void edit_insert(struct edits *e, const struct node *parent, const struct node *after, struct slice name, struct edit_value v);
/* Puts a value in the place of a child's. */
void edit_put(struct edits *e, const struct node *parent, const struct node *child, struct edit_value v);
/* Takes a child out, and with it the comment lines right above it that are indented as it is (unless they begin the file)
 * and those right below it that are indented further. parent has others. */
void edit_cut(struct edits *e, const struct node *parent, const struct node *child);
/* Puts text in the place of a name. */
void edit_name(struct edits *e, const struct node *member, struct slice name);
/* Where the docs' order of members would have a new one: behind which. NULL: behind all. */
const struct node *edit_after(const struct node *map, struct slice name);

/* ---- for those who know what they add (proposals): values in flow style ---- */
void edit_member(struct edits *e, const struct node *map, struct slice name, struct slice value);
/* Adds inner: value to the map that is the member outer of map, and that member too where there is none. */
void edit_nested(struct edits *e, const struct node *map, struct slice outer, struct slice inner, struct slice value);
/* Adds an element to the list that is the member name of map; makes it where there is none. */
void edit_element(struct edits *e, const struct node *map, struct slice name, struct slice value);
/* Puts text, quoted, in the place of the scalar that begins at a place. */
void edit_scalar(struct edits *e, const struct node *root, struct place at, struct slice text);

/* ---- for the files of the editor ---- */
void edits_add(struct edits *e, size_t at, size_t cut, struct slice text);
size_t edit_line_start(const struct edits *e, size_t at);
size_t edit_line_end(const struct edits *e, size_t at); /* before its CR LF or LF */
bool edit_begins_line(const struct edits *e, size_t at);
size_t edit_column(const struct edits *e, size_t at);   /* bytes before it in its line */
size_t edit_bracket(const struct edits *e, const struct node *n); /* of a flow list or map: its opening one */
size_t edit_comma(const struct edits *e, size_t at, size_t end);  /* the next thing after at, if it is a comma; else end */
size_t edit_dash(struct edits *e, const struct node *element);    /* of a block list's element */
/* The end of the last of the comment lines behind at that are indented by more than indent; else at. */
size_t edit_past_comments(const struct edits *e, size_t at, size_t indent);

#endif
