/* edit_value.h: JSON values as YAML in the house's style: maps and lists in brackets while they fit into a line, what a model is made
 * of (its entities, patterns, attributes) in lines; text in quotes only where YAML needs them, and templates. */
#ifndef OF_MODEL_EDIT_VALUE_H
#define OF_MODEL_EDIT_VALUE_H

#include "edit_text.h"
#include "../item/json.h"

#define EDIT_PATH_MAX 64

/* Where something stands in a model. */
struct edit_path {
    struct slice parts[EDIT_PATH_MAX];
    size_t n;
};

/* In double quotes, with escapes that YAML and JSON share. */
void yaml_put_quoted(struct buf *b, struct slice text);
/* flow: within brackets. json: always in quotes. */
void yaml_put_string(struct buf *b, struct slice text, bool flow, bool json);
void yaml_put_name(struct buf *b, struct slice name, bool json);
/* In one line. */
void yaml_put_flow(struct buf *b, const struct json *v, bool json);

/* How a value is to be written. */
struct edit_style {
    bool flow;     /* in brackets, come what may */
    bool like_flow; /* those beside it are in brackets: so is this one, if it fits */
    bool json;
    size_t indent;  /* what stands before it in its line */
};
struct edit_value yaml_value(struct arena *a, const struct json *v, const struct edit_path *path, struct edit_style style);

#endif
