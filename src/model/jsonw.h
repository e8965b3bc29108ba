/* jsonw.h: writing JSON reports without counting commas: a member is set off from what stands before it by looking
 * at the last byte written. Only for text that these functions write themselves. */
#ifndef OF_MODEL_JSONW_H
#define OF_MODEL_JSONW_H

#include "../item/json.h"

static inline void js_sep(struct buf *b)
{
    if (!b->n) return;
    uint8_t last = b->p[b->n - 1];
    if (last != '{' && last != '[' && last != ':') buf_u8(b, ',');
}

/* name NULL: an element of an array, or the value after a name. */
static inline void js_name(struct buf *b, const char *name)
{
    js_sep(b);
    if (!name) return;
    json_put_string(b, slice_str(name));
    buf_u8(b, ':');
}

static inline void js_open(struct buf *b, const char *name, char bracket)
{
    js_name(b, name);
    buf_u8(b, (uint8_t)bracket);
}

static inline void js_close(struct buf *b, char bracket)
{
    buf_u8(b, (uint8_t)bracket);
}

static inline void js_string(struct buf *b, const char *name, struct slice text)
{
    js_name(b, name);
    json_put_string(b, text);
}

/* Nothing where the text is empty. */
static inline void js_string_if(struct buf *b, const char *name, struct slice text)
{
    if (text.n) js_string(b, name, text);
}

static inline void js_bool(struct buf *b, const char *name, bool v)
{
    js_name(b, name);
    buf_slice(b, v ? SLICE("true") : SLICE("false"));
}

/* A member whose name is not known beforehand; js_* with name NULL gives its value. */
static inline void js_key(struct buf *b, struct slice name)
{
    js_sep(b);
    json_put_string(b, name);
    buf_u8(b, ':');
}

/* Up to 12 significant digits; what is not finite is unknown: null. */
void js_number(struct buf *b, const char *name, double v);
void number_put(struct buf *b, double v);
/* The same JSON (text without blanks between its tokens) with line ends and indentation. */
void json_indent(struct buf *out, struct slice json);

#endif
