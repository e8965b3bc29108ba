/* statement.h: PartiQL statements as the engine runs them: what ExecuteStatement, BatchExecuteStatement and ExecuteTransaction share.
 *
 * A statement that writes becomes a mutation (mutation.h), one that reads an item by its key a get (gets.h), any other SELECT a Query or a
 * Scan (statement_read.h). */
#ifndef OF_ENGINE_STATEMENT_H
#define OF_ENGINE_STATEMENT_H

#include "../expr/partiql.h"
#include "mutation.h"

struct statement {
    struct partiql *ql; /* NULL: not well formed, or its parameters are not */
    struct err err;     /* why */
    bool bad_parameter; /* it is the parameters */
    bool show_old;      /* ReturnValuesOnConditionCheckFailure: ALL_OLD */
};

/* The members Statement and Parameters of obj. Returns the code of s->err, and leaves call->err alone. */
int statement_parse(struct call *call, const struct json *obj, struct statement *s);
/* Parameters (statement_params.c): encoded values. list: NULL for none. */
int statement_parameters(struct call *call, const struct json *list, struct slice **values, size_t *n, struct err *e);
bool statement_writes(const struct statement *s);

/* What comes first of all that is wrong with a well-formed statement: an index with several attributes in its key, then the fault that it
 * carries, then the table that is not there. *index: NULL if the statement names none, or one that is not there. */
int statement_bind(struct call *call, const struct statement *s, const struct table **table, const struct index **index);

/* How a write's WHERE that does not fix exactly one item is told. */
enum statement_style { STATEMENT_SINGLE, STATEMENT_IN_TRANSACTION };
/* A statement that writes, or EXISTS, on its table: the mutation, for mutation_bind. */
int statement_mutation(struct call *call, const struct statement *s, const struct table *t, enum statement_style style,
                       struct mutation *m);

/* The key of the one item that a SELECT reads in a batch or a transaction, whose name is the operation's. */
int statement_key(struct call *call, const struct statement *s, const struct table *t, const char *operation, struct slice *key);

#endif
