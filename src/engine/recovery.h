/* recovery.h: point-in-time recovery of a table: how far back it goes, and as an answer. The changes themselves are its
 * history (history.h), which is kept while table->recovery_since_ms is set. */
#ifndef OF_ENGINE_RECOVERY_H
#define OF_ENGINE_RECOVERY_H

#include "ops.h"

#define RECOVERY_MAX_DAYS 35

/* The seconds to which it can be restored, both included: to the state at their end, or to now for the last. */
struct recovery_window {
    int64_t earliest, latest;
};
struct recovery_window recovery_window(const struct table *t, int64_t now_ms);

/* {"ContinuousBackupsDescription":...} */
void recovery_put_answer(struct buf *b, const struct table *t, int64_t now_ms);
/* TableNotFoundException, which these operations say in place of ResourceNotFoundException. */
int recovery_no_table(struct call *call, struct slice name);
/* The table's record as the transaction sees it, or that. */
int recovery_read_table(struct call *call, struct store_txn *txn, struct slice name, struct table **out);

#endif
