/* table_put.h: members of a table's description that other answers hold too (table_describe.c). Each begins with a comma. */
#ifndef OF_ENGINE_TABLE_PUT_H
#define OF_ENGINE_TABLE_PUT_H

#include "table.h"

void describe_string(struct buf *b, const char *member, struct slice text);
void describe_int(struct buf *b, const char *member, int64_t v);
/* Seconds with milliseconds. */
void describe_time(struct buf *b, const char *member, int64_t ms);
void describe_projection(struct buf *b, const struct index *ix);
/* Nothing where there is no limit, no encryption setting. */
void describe_on_demand(struct buf *b, const struct throughput *t);
void describe_encryption(struct buf *b, const struct caller *who, const struct table *t);

#endif
