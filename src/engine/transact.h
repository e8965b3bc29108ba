/* transact.h: the state of a TransactWriteItems call, for whoever makes one without JSON. */
#ifndef OF_ENGINE_TRANSACT_H
#define OF_ENGINE_TRANSACT_H

#include "mutations.h"
#include "token.h"

struct transact {
    struct mutations ms;
    struct slice token;         /* empty: none given */
    struct token_print print;
    /* The action that does not fit its table, found while binding: DynamoDB reports it as a cancelled
     * transaction. -1: none. */
    ptrdiff_t unfit;
    struct err unfit_err;
};

#endif
