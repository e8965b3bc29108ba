/* mirror.h: what a batch of updates knows of the database, and how it wants to have it.
 *
 * Updates are run against this copy in memory, which holds the rows that they asked for and nothing else. Where one asks for a row
 * that is not here it is undone, the row is fetched together with what others lack, and it is run again (writer.c). At the end the changes are
 * written in one transaction, which first makes sure that every row that was read by its key is still as it was (commit.c).
 *
 * For each space there is a list of nodes in the order of their keys, and a list of the ranges that are known completely: within them a key
 * without a node does not exist. */
#ifndef OF_STORE_POSTGRES_MIRROR_H
#define OF_STORE_POSTGRES_MIRROR_H

#include "../counters.h"
#include "../store.h"

struct sizes;

#define MIRROR_LEVELS 12

enum base { BASE_UNKNOWN, BASE_ABSENT, BASE_PRESENT };

/* What updates did to a key. */
struct state {
    bool checked;               /* read: must still be as it was */
    bool changed, deleted;      /* is to be otherwise; not to be at all */
    struct slice stored, value; /* as it is to be: with its header (../value.h), and without */
};

struct node {
    struct slice key;
    enum base base;          /* as PostgreSQL had it */
    struct slice base_value; /* of one that is present; of a counter its sum, 8 bytes */
    int64_t version;
    bool wanted;             /* is being fetched */
    bool damaged;            /* its checksum is wrong: who reads it fails */
    struct state now;
    unsigned levels;
    struct node *next[];
};

/* A range that is known, from a key on and below another (to_end: to the end). */
struct known {
    struct slice from, to;
    bool to_end;
    struct known *next;
};

/* A range that is asked for. */
struct wanted_range {
    struct store_range range;
    struct wanted_range *next;
};

/* Numbers that updates took. Who is undone has taken his in vain. */
struct series {
    struct slice key;
    uint64_t first, last;
    struct series *next;
};

struct undo {
    struct node *node;
    struct state before;
    struct undo *earlier;
};

struct memory_block;

struct mirror {
    struct node *heads[SPACE_END]; /* of all levels; no key */
    struct known *known[SPACE_END];
    struct wanted_range *ranges; /* asked for */
    size_t n_wanted;             /* nodes and ranges */
    size_t fetches;              /* how often something was asked for */
    bool told;                   /* of several rows, by an update that changed nothing */
    bool epoch_wanted;
    bool epoch_told;             /* somebody goes by it */
    int64_t epoch;               /* that all must be of, taken for granted until a read or the commit finds another; -1: not known */
    int64_t epoch_step;          /* by how much a change of the catalog raises it */
    int64_t epoch_found;         /* that the last read found; -1: none yet */
    struct series *series;
    struct sizes *sizes;         /* of the rows that are fetched */
    bool summed;                 /* an update was told a counter's sum */
    bool exact;                  /* numbers of series begin after what PostgreSQL has, not after what is known here */
    struct undo *undo;           /* of the update under way, newest first */
    struct counters adds, own;   /* of the batch; of the update under way */
    bool new_epoch, own_epoch;   /* store_new_epoch was called: by the batch; by the update under way */
    size_t changes, own_changes; /* how many; the same */
    size_t own_reads;            /* rows that the update under way has read, one that it read twice twice */
    size_t bytes;                /* written, also by what was undone */
    uint32_t random;
    struct memory_block *blocks;
};

/* False: no memory. */
bool mirror_init(struct mirror *m);
void mirror_free(struct mirror *m);
/* Forgets everything. */
bool mirror_clear(struct mirror *m);

void *mirror_alloc(struct mirror *m, size_t n); /* NULL: no memory */
bool mirror_copy(struct mirror *m, struct slice from, struct slice *to);

/* NULL: there is none. */
struct node *mirror_find(const struct mirror *m, enum store_space space, struct slice key);
/* NULL: no memory. */
struct node *mirror_node(struct mirror *m, enum store_space space, struct slice key);
/* The first whose key is not below this one; the last whose key is (to_end: the last of all). */
struct node *mirror_from(const struct mirror *m, enum store_space space, struct slice key);
struct node *mirror_below(const struct mirror *m, enum store_space space, struct slice key, bool to_end);
struct node *mirror_first(const struct mirror *m, enum store_space space);

/* The known range that a key lies in, or NULL. below: that what is just below the key lies in. */
const struct known *mirror_known(const struct mirror *m, enum store_space space, struct slice key);
const struct known *mirror_known_below(const struct mirror *m, enum store_space space, struct slice key, bool end);
bool mirror_add_known(struct mirror *m, enum store_space space, struct slice from, struct slice to, bool to_end);

/* ---- one update ---- */

void mirror_begin(struct mirror *m);
/* What it did stays, or is taken back. False: there is no memory to keep it. */
bool mirror_keep(struct mirror *m);
void mirror_undo(struct mirror *m);
/* What it did is taken back, but its answer tells of several rows that it read: they must have been so at one moment. */
void mirror_undo_changes(struct mirror *m);
/* Before a node is changed or marked. */
bool mirror_note(struct mirror *m, struct node *node);

/* Asks for what is not known. */
bool mirror_want(struct mirror *m, enum store_space space, struct slice key);
bool mirror_want_range(struct mirror *m, const struct store_range *r);
/* Nothing is asked for any more. */
void mirror_wants_done(struct mirror *m);

/* Does the key exist, as the updates so far have left it, and with which value? Only of one that is known. */
static inline bool node_value(const struct node *n, struct slice *value)
{
    if (n->now.changed) {
        *value = n->now.value;
        return !n->now.deleted;
    }
    *value = n->base_value;
    return n->base == BASE_PRESENT;
}

#endif
