/* table_create.h: a new table, as CreateTable and ImportTable ask for it. */
#ifndef OF_ENGINE_TABLE_CREATE_H
#define OF_ENGINE_TABLE_CREATE_H

#include "ops.h"

/* Reads a draft out of request: CreateTable's, or ImportTable's TableCreationParameters. */
int table_create_parse(struct call *call, const struct json *request, struct table *t);
/* Gives the draft its ids, in the transaction; it is CREATING then. ResourceInUseException if the name is taken. */
int table_create_begin(struct call *call, struct store_txn *txn, struct table *t);
/* The table is there: ACTIVE, its indexes too. */
void table_create_end(struct table *t);
/* ResourceInUseException: the name is taken. */
int table_exists(struct call *call, const struct table *there);
/* ResourceInUseException: it cannot be changed while it is being made. */
int table_being_created(struct call *call, const struct table *t);

#endif
