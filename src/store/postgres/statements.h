/* statements.h: every SQL statement that reads or writes rows, prepared on each connection under a number.
 *
 * A row's key is in three columns (keys.h): place, head, tail. None has a choice of plan: rows are found by their primary key or in its order.
 * S_EPOCH, sent with the others, tells from the same snapshot which catalog the rows belong to (store.h). */
#ifndef OF_STORE_POSTGRES_STATEMENTS_H
#define OF_STORE_POSTGRES_STATEMENTS_H

#include "../store.h"

enum statement {
    /* Of a space. Reading: columns COLUMN_*. */
    S_GET,        /* place head tail */
    S_MANY,       /* places[] heads[] tails[]; those that exist, in their order */
    S_UP,         /* place head tail (from), place head tail (below), limit */
    S_DOWN,       /* the same, in descending order */
    S_PLACE_UP,   /* place, head tail (from), head tail (below), limit: where both ends have the same place */
    S_PLACE_DOWN,
    S_GROUP_UP,   /* place head, rest (from), rest (below), unbounded, limit: long keys of one head, by their rest */
    S_GROUP_DOWN,
    /* Writing: how many rows it was is what the command tells. */
    S_INSERT,     /* place head tail rest version value; none if it is there */
    S_UPSERT,     /* the same; also if it is there */
    S_UPDATE,     /* place head tail version value, version before; none if it is not that */
    S_DELETE,     /* place head tail */
    S_DELETE_AT,  /* place head tail, version before */
    S_CHECK,      /* place head tail, version: keeps others from changing it */
    S_OF_SPACE,   /* how many of these */

    /* Not of a space. */
    S_EPOCH = S_OF_SPACE,
    S_NEW_EPOCH,   /* by how much */
    S_SHARE_EPOCH, /* waits for who is changing the catalog, and keeps others from it */
    S_TAKE_EPOCH,  /* and for all who write */
    S_BATCH,       /* server, batch */
    S_LAST_BATCH,  /* server; waits for what is under way */
    S_ADD,         /* place head tail rest slot value */
    S_SUM,         /* place head tail */
    S_RESET,       /* place head tail */
    S_SERIES,      /* place head tail rest last value first: none if the last one was not below first */
    S_FORGET,      /* the rows of servers that nothing was heard of for a week */
    S_LEAD,        /* true: this connection has the lock of the leader, until it ends */
    S_COUNTERS_UP, /* as S_UP */
    S_COUNTERS_DOWN,
    S_END
};

enum column { COLUMN_PLACE, COLUMN_HEAD, COLUMN_TAIL, COLUMN_REST, COLUMN_VERSION, COLUMN_VALUE };

/* Those of a space exist once for each of META, ITEM, INDEX, TOKEN and STREAM. */
#define STATEMENTS_MAX 96
/* Number of the prepared statement: its name is its decimal digits. */
unsigned statement_number(enum statement s, enum store_space space);
/* How many there are; the text of one, in a buffer of at least 1,000 bytes. */
unsigned statement_count(void);
void statement_text(unsigned number, char *text, size_t size);
/* "onefold_item" */
const char *space_table(enum store_space space);

#endif
