/* single_write.h: the steps of PutItem, UpdateItem and DeleteItem, which differ in their kind only. */
#ifndef OF_ENGINE_SINGLE_WRITE_H
#define OF_ENGINE_SINGLE_WRITE_H

#include "mutation.h"

int single_write_parse(struct call *call, enum mutation_kind kind);
int single_write_bind(struct call *call);
int single_write_access(struct call *call);
void single_write_footprint(struct call *call, struct footprint *f);
int single_write_run(struct call *call, struct store_txn *txn);
/* Reads, decides and writes one bound mutation. */
int single_write_do(struct call *call, struct store_txn *txn, struct mutation *m, struct usage *usage);
/* The item that ReturnValues asks for; empty: none. */
struct slice single_write_returned(struct call *call, const struct mutation *m);

#endif
