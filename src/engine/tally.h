/* tally.h: what one run of a call touched, noted while it runs and counted when the call has ended (counters.h). A run that is
 * repeated begins its tally anew. */
#ifndef OF_ENGINE_TALLY_H
#define OF_ENGINE_TALLY_H

#include "../base/arena.h"

/* Units read from or written to one partition of a table or an index. */
struct touch {
    struct slice key; /* in the store (keys.h): id, hash, partition key, and whatever follows. Borrowed from the call's arena */
    uint32_t halves;  /* of units */
    uint8_t parts;    /* attributes of the partition key; 0: all partitions, as a Scan reads them */
    bool write;
};

struct tally {
    struct touch *touches; /* in the call's arena */
    uint32_t n, room;
    uint32_t returned, written; /* items */
};

/* May leave through the arena's guard. */
void tally_note(struct tally *t, struct arena *a, struct touch touch);
/* What was noted so far costs twice as much: a transaction. */
void tally_double(struct tally *t);

#endif
