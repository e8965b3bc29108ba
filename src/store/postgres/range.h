/* range.h: what is left of a range of keys, as statements see it.
 *
 * Rows come in the order of (place, head, tail). Where keys are short that is the order of the keys. Long keys that share a place and a
 * head are a group: within it rows come by a hash, so a group is read by S_GROUP_UP or S_GROUP_DOWN, in the order of rest. A span therefore goes through
 * its keys in pieces: rows up to the next group, the group, rows after it. Ordinary data is one piece. */
#ifndef OF_STORE_POSTGRES_RANGE_H
#define OF_STORE_POSTGRES_RANGE_H

#include "rows.h"

enum edge {
    EDGE_KEY,        /* just before this key */
    EDGE_END,        /* after all keys */
    EDGE_SHORT_PAST, /* after the short key, before the long ones that begin with it */
    EDGE_GROUP_PAST, /* after these long ones */
};

struct bound {
    struct slice key;
    enum edge edge;
};

struct span {
    enum store_space space;
    bool reverse;
    struct bound from, to; /* what is left */
    uint8_t *bytes;        /* of the bound that moved; malloc'ed */
};

/* The range's keys are borrowed as long as the span lives. */
void span_begin(struct span *s, const struct store_range *r);
void span_free(struct span *s);
/* Sends the statement for the next piece, at most limit rows; takes its rows to the end of the chunk and moves on. *whole: there are no
 * more. A piece may be empty without that. */
int span_send(struct span *s, struct conn *c, size_t limit);
int span_take(struct span *s, struct conn *c, size_t limit, struct chunk *out, bool *whole);
/* Both, in one round trip. */
int span_piece(struct span *s, struct conn *c, size_t limit, struct chunk *out, bool *whole);
/* At least one row, or *whole: as many round trips as that takes. */
int span_fetch(struct span *s, struct conn *c, size_t limit, struct chunk *out, bool *whole);

#endif
