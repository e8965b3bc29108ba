/* access_items.h: the accesses of operations that work on items, whichever way these were asked for. */
#ifndef OF_ENGINE_ACCESS_ITEMS_H
#define OF_ENGINE_ACCESS_ITEMS_H

#include "gets.h"
#include "mutations.h"
#include "statement.h"

/* enclosing: NULL, or the transaction. unfit: it could not be bound. */
int access_mutation(struct call *call, const struct mutation *m, enum policy_action action, const char *enclosing, bool unfit);
/* Those of a transaction; unfit: of each, or NULL. */
int access_mutations(struct call *call, const struct mutations *ms, const struct err *unfit, const char *enclosing);
enum policy_action access_action_of(enum mutation_kind kind);
int access_get(struct call *call, const struct get *g, enum policy_action action, const char *enclosing);
/* The action that a statement is. */
enum policy_action access_action_of_statement(const struct statement *s);
/* A statement that could not be bound. */
int access_unfit_statement(struct call *call, const struct statement *s);

#endif
