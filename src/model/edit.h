/* edit.h: edits of a model's text, as EditModel (docs/studio-api.md) and of_model_edit make them: everything else in the text, comments
 * included, stays as it is.
 *
 * Each edit is made twice: on the text, at the bytes its nodes take (edit_text.h), and on the tree of nodes (edit_tree.h). The new text is
 * read again; if that is not exactly the new tree, the edit is refused and nothing is changed. So a YAML that is
 * written in a way nobody thought of can make an edit impossible, but never wrong. */
#ifndef OF_MODEL_EDIT_H
#define OF_MODEL_EDIT_H

#include "edit_tree.h"
#include "report.h"

#define EDIT_NOTES_MAX 32

struct editor {
    struct arena *arena;
    struct slice name;               /* of the file, for messages */
    const struct model_files *files; /* that the model names */
    struct err *err;
    struct slice text;               /* as edited so far */
    const struct node *root;         /* its nodes */
    struct slice notes[EDIT_NOTES_MAX]; /* what else must be known or done, a sentence each */
    size_t n_notes;
};

/* 0, or an error with what is wrong with the text. */
int editor_open(struct editor *ed, struct slice text);

/* All return 0, or an error that says why not; the text is then as it was. */
int edit_set(struct editor *ed, const struct edit_path *path, const struct json *value);
int edit_remove(struct editor *ed, const struct edit_path *path);
/* Takes the edits over if they make just this tree. at: where the trouble is, if not. */
int editor_take(struct editor *ed, struct edits *edits, const struct node *expected, const struct node *at);
/* An entity, attribute, index or pattern, and everything that refers to it. */
int edit_rename(struct editor *ed, const struct edit_path *path, struct slice to);
enum edit_relation { RELATE_ONE_TO_MANY, RELATE_MANY_TO_MANY };
/* through: of many-to-many, the entity between the two; empty: both names. */
int edit_relate(struct editor *ed, struct slice from, struct slice to, enum edit_relation kind, struct slice through);
/* As the proposal of this number that explain gives for the pattern. */
int edit_accept(struct editor *ed, struct slice pattern, size_t proposal);

/* entities.Order.key: the first n parts of a path, for messages. */
struct slice edit_path_text(struct arena *a, const struct edit_path *path, size_t n);
void editor_note(struct editor *ed, struct slice note); /* once, however often it is said */
/* Runs work on the text as a model, which is freed also when memory runs out. If it is none: an error that begins with lead and tells
 * its first problem. */
int editor_with_model(struct editor *ed, const char *lead, int (*work)(struct editor *ed, const struct model *m, void *ctx), void *ctx);

struct edit_input {
    struct slice name, text;
    const struct model_files *files;
    struct slice edits; /* JSON: docs/studio-api.md */
};
/* {"text":...,"notes":[...]}. r->model is not used. */
int report_edit(struct reporter *r, const struct edit_input *in);

#endif
