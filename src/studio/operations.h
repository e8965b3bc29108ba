/* operations.h: the calls of the studio, by the file they are in. */
#ifndef OF_STUDIO_OPERATIONS_H
#define OF_STUDIO_OPERATIONS_H

#include "call.h"

/* models.c: files and the library */
studio_function describe_studio, read_model, save_model;
/* reports.c: what a model says of itself */
studio_function describe_model, explain_pattern, export_model, cost_model, size_item, give_model_schema;
/* items.c: what items are, and the keys that attributes give */
studio_function identify_items, compute_keys;
/* edits.c: changes of a model's text */
studio_function edit_model;
/* entities.c: entities written */
studio_function put_entity, update_entity, delete_entity;
/* questions.c: what the tables answer */
studio_function write_code, run_pattern, query_model, scan_model, browse_model;
/* partitions.c: what the tables hold, seen from inside */
studio_function list_partitions;
/* tables.c: a model's table made and filled; the bare model of a table that has none */
studio_function apply_model, load_sample;
int read_table_model(struct studio_call *c, const char *table);
/* watch.c: what the server does */
studio_function watch, advise_partition;

#endif
