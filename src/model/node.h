/* node.h: a YAML (or JSON) text as a tree of nodes, each of which knows where it stands, so that every
 * complaint about a model can point. Reads with libyaml's events; knows nothing of models. */
#ifndef OF_MODEL_NODE_H
#define OF_MODEL_NODE_H

#include "problem.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

#define NODE_MAX_DEPTH 64
#define NODE_MAX_COUNT 2000000 /* nodes of one text, aliases counted as what they stand for */

struct node {
    enum node_kind kind;
    bool quoted;               /* scalar: written in quotes, or as a block: always a string */
    bool flow;                 /* list or map: written in brackets */
    bool alias;                /* written as *name: what it holds stands elsewhere */
    uint32_t begin, end;       /* bytes of the text it takes, its anchor included; an alias: its own */
    uint32_t name_begin, name_end;
    struct place place;
    struct slice text;         /* scalar */
    struct slice name;         /* when a member of a map */
    struct place name_place;
    size_t count;              /* children */
    const struct node *first, *next;
};

/* Reads exactly one document. NULL if it is none: then a problem was added. file: what problems say;
 * borrowed, as is text. Refused with a place: a name twice in one map, tags, merge keys, several
 * documents, what is not UTF-8, too deep, too many. */
const struct node *node_read(struct problems *ps, struct slice file, struct slice text);

/* The member of a map, or NULL (also where map is NULL or no map). */
const struct node *node_get(const struct node *map, struct slice name);
#define NODE_GET(map, lit) node_get((map), SLICE(lit))

/* YAML 1.2's core schema, so that `no` is a string: null, ~ or nothing; true, false; a JSON-like number. */
bool node_is_null(const struct node *n);
bool node_bool(const struct node *n, bool *out);
bool node_number(const struct node *n, struct num *out);

#endif
