/* schema.h: the tables of a store on PostgreSQL, and their version. */
#ifndef OF_STORE_POSTGRES_SCHEMA_H
#define OF_STORE_POSTGRES_SCHEMA_H

#include "conn.h"

#define SCHEMA_VERSION 1

/* Makes the tables, where they are missing; *made tells. STORE_OK, or a status and one sentence. */
int schema_make(struct conn *c, bool *made, char *message, size_t size);
/* Are they there, and can this program use them? */
int schema_check(struct conn *c, char *message, size_t size);
/* A number for this server, which no other ever has. */
int schema_enter(struct conn *c, int64_t *server, char *message, size_t size);
/* Does Citus spread the rows over several machines? */
int schema_spread(struct conn *c, bool *spread, char *message, size_t size);
void schema_leave(struct conn *c, int64_t server);

#endif
