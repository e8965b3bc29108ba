/* cancellation.h: TransactionCanceledException: one reason per action, in their order. */
#ifndef OF_ENGINE_CANCELLATION_H
#define OF_ENGINE_CANCELLATION_H

#include "engine.h"

/* reasons: one per action, code ERR_NONE where nothing was wrong with it. Returns the err_code. */
int cancel_transaction(struct call *call, const struct err *reasons, size_t n);

/* What a reason is called, and an error within a batch of statements: "ConditionalCheckFailed"; "ValidationError" for whatever has no
 * name of its own. */
const char *cancellation_code(enum err_code code);

/* What is wrong with a key value that is empty is said outright; other misfits cancel. */
bool cancellation_is_outright(const struct err *e);

#endif
