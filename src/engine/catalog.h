/* catalog.h: which tables there are.
 *
 * The truth is in SPACE_META, one record per table under its name. In memory there is a snapshot of all
 * of it: immutable, counted, replaced as a whole after a change has been committed. A call holds one
 * snapshot from binding until its end. Table definitions change only on the writer's side: the
 * operation reads the record in its transaction (never the snapshot: an earlier update of the same
 * batch may have changed it), writes the new one, and publishes after the commit.
 *
 * Keys in SPACE_META:
 *   "T" name            table record
 *   "D" id(4)           a dropped table or index whose entries are still to be purged: 'T' or 'I'
 *   "B" id(4)           of an index or of times of expiry: a backfill under way: the key of the last item done (at first the table's id)
 *   "W" id(4)           a dropped table whose items a copy still reads (copy.h); it becomes "D" then
 *   "Y" id(4)           a copy under way (copy.h)
 *   "K" text            a backup (backup.h)
 *   "N"                 the last id given out (4 bytes, big-endian), for tables and indexes alike
 *   "G", "Q", "R"       of histories and streams: history.h
 *   "C"                 this store is the target of a copy that is not finished: clone.h
 *   "I", "i", "E", "e", "k"  imports, exports and their tokens: transfer.h
 */
#ifndef OF_ENGINE_CATALOG_H
#define OF_ENGINE_CATALOG_H

#include "table.h"

struct catalog; /* one immutable snapshot */
struct catalogs; /* the current snapshot and its lock */

int catalogs_open(struct catalogs **out, struct store *store, char *message, size_t message_size);
void catalogs_close(struct catalogs *c);

/* On a shared store (store.h) other servers change the catalog too. Nothing is published then: a snapshot is of an epoch, and holds for
 * transactions that see the same one. */
bool catalog_is_shared(const struct catalogs *c);
int64_t catalog_epoch(const struct catalog *snapshot);
/* Reads all of it, in the view that is under way on this thread or in one of its own, for the others too. Acquired; NULL: *status says why. */
const struct catalog *catalog_read_all(struct catalogs *c, int *status);
/* Makes sure that the snapshot which catalog_acquire gives is the transaction's. STORE_OK, or an error, which its function has to return. */
int catalog_follow(struct catalogs *c, struct store_txn *txn);
/* The same for who has no transaction: it is the newest, as of now. May wait. */
int catalog_catch_up(struct catalogs *c);

const struct catalog *catalog_acquire(struct catalogs *c);
void catalog_release(struct catalogs *c, const struct catalog *snapshot);
/* Is it still the newest? */
bool catalog_is_current(struct catalogs *c, const struct catalog *snapshot);
/* There was no memory to publish a change, nor to read all again since: what one acquires is not to be used. */
bool catalog_is_stale(struct catalogs *c);

const struct table *catalog_find(const struct catalog *c, struct slice name);
/* The same, but not one that is CREATING: it is being restored, and nobody but DescribeTable sees it yet. */
const struct table *catalog_find_ready(const struct catalog *c, struct slice name);
/* In ascending order of names, those after `after` (empty: from the first). */
size_t catalog_count(const struct catalog *c);
const struct table *catalog_at(const struct catalog *c, size_t i);
size_t catalog_first_after(const struct catalog *c, struct slice after);

/* Inside an update: reads, writes, removes a table's record. catalog_read gives a draft in the arena: NULL
 * with *status STORE_NOT_FOUND if there is no such table, with another status if the store failed.
 * catalog_write gives back the record it wrote (in the arena), for publishing. */
struct table *catalog_read(struct store_txn *txn, struct arena *a, struct slice name, int *status);
int catalog_write(struct store_txn *txn, struct arena *a, const struct table *t, struct slice *record);
int catalog_remove(struct store_txn *txn, struct slice name);
int catalog_next_id(struct store_txn *txn, uint32_t *id);
/* Ids for a new table and its indexes. */
int catalog_give_ids(struct store_txn *txn, struct table *t);
/* Work for the background (jobs.h): what an id held is to be purged (what: 'T' or 'I'); an index is to
 * be filled from the table's items. catalog_drop_index also ends a backfill of that index. The times of expiry
 * (table->ttl_id, expiry.h) are dropped and filled like an index. A table's items stay while copies read them; keep_items: they
 * now belong to a backup. catalog_drop_waiting: no copy reads them any more. catalog_drop_items: of a backup. */
int catalog_drop_table(struct store_txn *txn, const struct table *t, bool keep_items);
int catalog_drop_waiting(struct store_txn *txn, uint32_t id);
int catalog_drop_items(struct store_txn *txn, uint32_t id);
int catalog_drop_index(struct store_txn *txn, uint32_t index_id);
int catalog_begin_backfill(struct store_txn *txn, uint32_t index_id, uint32_t table_id);
/* what and id, big-endian: the keys "B" and "D". */
struct slice catalog_id_key(uint8_t bytes[5], char what, uint32_t id);

/* After the commit, on the writer's thread (so that publications come in the order of the commits): the
 * table of this record replaces the one of its name; or the name is gone. Out of memory here ends the
 * process: the change is already durable. */
void catalog_publish(struct catalogs *c, struct slice record);
void catalog_publish_removal(struct catalogs *c, struct slice name);

#endif
