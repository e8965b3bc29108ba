/* json.h: reads JSON text into a tree of nodes in the arena, and writes JSON strings. Strict RFC 8259:
 * nothing beyond the grammar is accepted, UTF-8 is checked, depth is bounded before recursion. Knows
 * nothing of DynamoDB. */
#ifndef OF_ITEM_JSON_H
#define OF_ITEM_JSON_H

#include "../base/buf.h"

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
    /* Never read from text: a tree made by hand may hold an encoded value (value.h) in place of its JSON. */
    JSON_ENCODED
};

struct json {
    enum json_type type : 8;
    bool name_escaped : 1;    /* the name was written with escapes; otherwise it needs none */
    bool text_escaped : 1;    /* the same for a string's text */
    uint32_t count;           /* children of an array or object */
    struct slice name;        /* when a member of an object: its name, unescaped */
    struct slice text;        /* string: unescaped bytes; number: the literal; else empty */
    const struct json *first; /* first child */
    const struct json *next;  /* next sibling */
};

#define JSON_MAX_DEPTH 1000 /* of requests and items: far above what an item may nest, so that nesting gets its own error */

/* Strings without escapes borrow from text, which must live as long as the nodes. Returns NULL if the
 * text is not exactly one JSON value; *at (if not NULL) is then the byte offset of the trouble.
 * A repeated member name is kept; json_get finds the last. */
const struct json *json_parse(struct arena *a, struct slice text, unsigned max_depth, size_t *at);

/* The member, or NULL if there is none or obj is NULL or no object. */
const struct json *json_get(const struct json *obj, struct slice name);
#define JSON_GET(obj, lit) json_get((obj), SLICE(lit))

/* A quoted, escaped string. plain: the caller knows that nothing needs escaping. */
void json_put_string(struct buf *b, struct slice text);
void json_put_plain(struct buf *b, struct slice text);
/* A tree that was read, as compact text again; its depth was bounded by reading. */
void json_put(struct buf *b, const struct json *value);
/* Does text hold a byte that must be escaped in JSON (", \, below 0x20)? */
bool json_needs_escape(struct slice text);

/* Is it well-formed UTF-8 (no overlong forms, no surrogates, nothing past U+10FFFF)? */
bool utf8_valid(struct slice text);
/* The text itself where it is; otherwise with the replacement character for every byte that is of none. */
struct slice utf8_mended(struct arena *a, struct slice text);
/* The length that DynamoDB, which is written in Java, counts for valid UTF-8: one for each character,
 * two for those beyond the first 65,536. */
size_t utf16_length(struct slice text);

#endif
