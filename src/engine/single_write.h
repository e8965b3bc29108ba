/* single_write.h: the steps of PutItem, UpdateItem and DeleteItem, which differ in their kind only. */
#ifndef OF_ENGINE_SINGLE_WRITE_H
#define OF_ENGINE_SINGLE_WRITE_H

#include "mutation.h"

int single_write_parse(struct call *call, enum mutation_kind kind);
int single_write_bind(struct call *call);
void single_write_footprint(struct call *call, struct footprint *f);
int single_write_run(struct call *call, struct store_txn *txn);

#endif
