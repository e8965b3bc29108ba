/* transaction.h: all mutations or none, once per token: what TransactWriteItems and ExecuteTransaction share once their actions are
 * mutations.
 *
 *     transaction_begin   the token                                       (parse)
 *     transaction_check   one item twice, too large, once all are bound   (bind)
 *     transaction_footprint   the items it names                      (footprint)
 *     transaction_run     reads, decides, writes                          (run; the answer is the operation's)
 *     transaction_after   after the commit */
#ifndef OF_ENGINE_TRANSACTION_H
#define OF_ENGINE_TRANSACTION_H

#include "mutations.h"
#include "token.h"

struct transaction {
    struct mutations ms;
    struct slice token; /* empty: none given */
    struct token_print print;
    /* One per mutation, where one does not fit its table, found while binding: DynamoDB reports that as a cancelled transaction.
     * NULL: all fit. */
    struct err *unfit;
};

/* actions: what the token stands for. */
void transaction_begin(struct call *call, const struct json *actions, struct transaction *t);
/* Notes call->err as the reason of mutation i, and clears it. */
void transaction_unfit(struct call *call, struct transaction *t, size_t i);
int transaction_check(struct call *call, const struct transaction *t);
void transaction_footprint(struct call *call, const struct transaction *t, struct footprint *f);
int transaction_run(struct call *call, struct store_txn *txn, struct transaction *t);
void transaction_after(struct call *call, const struct transaction *t);

#endif
