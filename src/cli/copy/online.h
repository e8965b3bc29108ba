/* online.h: copying through the API: from a server that goes on serving, or to one.
 *
 * Before anything is read the table's stream is looked at: its open shards are where changes will be found. Then all items are read and put, and in
 * between, and after that, the changes. What a change says is only the key: the item is read again from the source, and put, or deleted if it
 * is not there. So the order of changes does not matter, nor how often one is seen, nor what the stream shows; and since one thread reads
 * the source and writes what it read before it reads again, an older item never replaces a newer one.
 *
 * A shard that had ended before the items were read has nothing that they do not show. */
#ifndef OF_CLI_COPY_ONLINE_H
#define OF_CLI_COPY_ONLINE_H

#include "copy.h"
#include "../backup/service.h"

struct copy_shard {
    struct slice id;    /* kept */
    char after[48];     /* the last sequence number that was done; empty: none */
    bool ended;
    char *iterator;     /* to go on with; NULL: to be asked for. Not in the file: they expire */
};

enum copy_phase { PHASE_SCAN, PHASE_INDEX, PHASE_FOLLOW, PHASE_DONE };

struct copied {
    struct slice name, definition; /* kept; definition.h */
    struct slice keys[2];          /* the names of the key's attributes */
    size_t n_keys;
    enum copy_phase phase;
    struct slice stream;  /* its ARN; empty: nobody writes to the source */
    bool ours;            /* the stream was switched on for the copy */
    struct arena place;
    struct slice after;   /* where the scan goes on, in place */
    uint64_t items, changes;
    struct copy_shard *shards;
    size_t n_shards, room;
};

struct online {
    struct invocation *in;
    const struct copy_places *p;
    struct service from, to;
    bool live;             /* the source is a server */
    struct copied *tables; /* kept */
    size_t n;
    struct arena group;    /* of a few items that are looked at together */
    const char *state;     /* the file; NULL: none */
    double round_at;       /* when changes were last looked for, in seconds */
};

/* ---- state.c: how far it got, in a file ---- */

/* 0 with o->n 0: there is none. */
int state_read(struct online *o);
int state_write(const struct online *o);
void state_remove(const struct online *o);

/* ---- items.c: a few items at a time ---- */

#define GROUP 25

/* The key attributes of an item, as an item. */
struct slice items_key(struct arena *a, const struct copied *t, struct slice item);
/* items[i]: what is there under keys[i], in the arena; empty: nothing. */
int items_get(struct service *s, struct arena *a, const struct copied *t, const struct slice *keys, size_t n, struct slice *items);
/* Makes the target have, under these keys, what the source has now. */
int items_renew(struct online *o, const struct copied *t, const struct slice *keys, size_t n);

/* ---- follow.c: changes ---- */

/* Which shards there are; `begin`: those that have ended are done. */
int follow_shards(struct online *o, struct copied *t, bool begin);
/* All changes that there are now, of all tables; *n: how many. */
int follow_round(struct online *o, uint64_t *n);
/* Gives back what the shards hold. */
void follow_forget(struct copied *t);

/* ---- compare.c ---- */

/* *differing: so many keys, of which the first are told. */
int compare_tables(struct online *o, const struct copied *t, uint64_t *differing);

#endif
