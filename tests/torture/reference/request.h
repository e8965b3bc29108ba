/* request.h: operations as the JSON that of_call takes. */
#ifndef REFERENCE_REQUEST_H
#define REFERENCE_REQUEST_H

#include "world.h"

extern const char *const operation_names[];
/* Everything but QUERY and SCAN. */
void add_request(struct text *t, const struct op *op);
/* One page; start: where it begins, or NULL. */
void add_page_request(struct text *t, const struct range *r, int segment, const struct val *start);
void add_create_table(struct text *t, const struct table_def *table);

#endif
