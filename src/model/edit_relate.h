/* edit_relate.h: what edit_relate.c (one-to-many) and edit_between.c (many-to-many) share. */
#ifndef OF_MODEL_EDIT_RELATE_H
#define OF_MODEL_EDIT_RELATE_H

#include "edit.h"

#define KNOWN_MAX 16

/* One end of a relation. */
struct end {
    struct slice name;
    const struct node *node;
    struct slice known[KNOWN_MAX]; /* the attributes that identify it, in the order of its key */
    struct slice as[KNOWN_MAX];    /* what they are called elsewhere: customerId for a Customer's id */
    size_t n;
    size_t n_hash;                 /* so many of them are in its hash key */
    struct slice hash;             /* its template */
};

bool relate_among(const struct slice *list, size_t n, struct slice name);
/* The name of the table's hash or sort attribute; empty: there is no sort key. */
struct slice relate_key_name(const struct editor *ed, const char *side);
/* JSON under construction, and a path set to it. */
struct buf relate_json(struct editor *ed);
int relate_set(struct editor *ed, struct edit_path path, struct buf *json);
/* {"type":"string","required":true}, as the attribute is declared where it comes from. */
void relate_put_attribute(struct buf *b, const struct end *x, struct slice name);
/* The many of one: a pattern of entity, by what the one is known by, unless there is such a pattern. */
int relate_set_pattern(struct editor *ed, struct slice many, const struct end *one, struct slice entity);
int relate_many_to_many(struct editor *ed, const struct end *from, const struct end *to, struct slice through);

#endif
