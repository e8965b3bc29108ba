/* backup.h: backups: a table's definition and items as they were, kept apart from it. A backup outlives its table.
 *
 *   SPACE_META   "K" backup id (01234567890123-abcdef12: the milliseconds of its creation, and random digits)
 *                  an item { name type created expires items_id count bytes creating table (its record) }
 *   SPACE_ITEM   its items, under items_id: as of a table, but there are no indexes
 *
 * BACKUP_SYSTEM: what DeleteTable leaves of a table that had point-in-time recovery. It takes the items over from the table,
 * with their id, and goes by itself after 35 days. Calls behind DeleteTable in its batch are still bound to the table and change
 * those items: so its record has no count and bytes, they are what the counters of the id say (backup_sums). */
#ifndef OF_ENGINE_BACKUP_H
#define OF_ENGINE_BACKUP_H

#include "ops.h"

#define BACKUP_SYSTEM_DAYS 35
#define DAY_MS             ((int64_t)86400000)

enum backup_type { BACKUP_USER, BACKUP_SYSTEM };

struct backup {
    struct slice id;
    struct slice name;
    enum backup_type type;
    int64_t created_ms;
    int64_t expires_ms; /* 0: never */
    bool creating;      /* its items are being copied */
    uint32_t items_id;
    int64_t count, bytes;       /* of the table at that moment; BACKUP_SYSTEM: see above */
    const struct table *table;  /* the table's definition at that moment */
};

/* The id in a BackupArn: arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/backup/ID. */
int backup_parse_arn(struct call *call, struct slice arn, struct slice *id);
/* One of the first five parts of an ARN, by its number; empty if there is none. */
enum { ARN_REGION = 3, ARN_ACCOUNT = 4 };
struct slice backup_arn_part(struct slice arn, int number);

/* Inside a transaction. backup_read: BackupNotFoundException if there is none. */
int backup_read(struct call *call, struct store_txn *txn, struct slice arn, struct backup *out);
/* Of a record in SPACE_META; borrowed from it. */
bool backup_decode(struct arena *a, struct slice key, struct slice record, struct backup *out);
int backup_write(struct store_txn *txn, struct arena *a, const struct backup *b);
/* Of BACKUP_SYSTEM: its count and bytes; others have them already. STORE_OK or an error. */
int backup_sums(struct store_txn *txn, struct backup *b);
/* An id that is not taken. STORE_OK or an error. */
int backup_new_id(struct store_txn *txn, struct arena *a, int64_t now_ms, enum backup_type type, struct slice *id);
/* Forgets it; its items are purged. */
int backup_remove(struct store_txn *txn, struct arena *a, const struct backup *b);
/* What DeleteTable leaves of t. */
int backup_of_deleted(struct store_txn *txn, struct arena *a, const struct table *t, int64_t now_ms);

/* Parts of answers. */
void backup_put_arn(struct buf *b, const struct caller *who, struct slice table_name, struct slice id);
void backup_put_details(struct buf *b, const struct caller *who, const struct backup *k);
void backup_put_summary(struct buf *b, const struct caller *who, const struct backup *k);
/* BackupDescription. deleted: its status says so. */
void backup_put_description(struct buf *b, const struct caller *who, const struct backup *k, bool deleted);

#endif
