/* table_impl.h: the table of a model as requests and templates name it; shared by table_*.c and apply*.c. */
#ifndef OF_MODEL_TABLE_IMPL_H
#define OF_MODEL_TABLE_IMPL_H

#include "report.h"
#include "jsonw.h"

/* The attributes of all keys, each once, in the order of the table, then of the indexes. */
size_t table_key_attributes(struct arena *a, const struct model *m, const struct key_attribute ***out);
/* A local index has the table's hash key, whether or not the reader filled it in. */
const struct key_side *index_hash(const struct model *m, const struct model_index *ix);
const char *projection_name(enum projection p); /* "ALL" ... */
/* Members of a CreateTable request: "KeySchema":[...], "Projection":{...} */
void table_put_definitions(struct buf *b, struct arena *a, const struct model *m);
void table_put_schema(struct buf *b, const struct model *m, const struct model_index *ix);
void table_put_projection(struct buf *b, const struct model_index *ix);
/* {"IndexName":...,"KeySchema":...,"Projection":...} */
void table_put_index(struct buf *b, const struct model *m, const struct model_index *ix);
/* The whole request, on demand. */
void table_put_create(struct buf *b, struct arena *a, const struct model *m);
bool model_has_local(const struct model *m, bool local);

void table_cloudformation(struct buf *b, struct arena *a, const struct model *m);
void table_terraform(struct buf *b, struct arena *a, const struct model *m);

#endif
