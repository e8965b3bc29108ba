/* entity_private.h: what the files of entity.h share. */
#ifndef OF_MODEL_ENTITY_PRIVATE_H
#define OF_MODEL_ENTITY_PRIVATE_H

#include "entity.h"

#define ITEM_MAX_BYTES ((size_t)16 << 20) /* far above DynamoDB's 400 KB, which the service itself checks */

/* path_keys that also says which attribute is missing (empty: none is). */
int path_make(struct arena *a, const struct model *m, const struct access_path *p, struct slice attributes,
              struct attr *attrs, struct slice *missing, struct err *e);
/* The error for that. keys: as path_make left them. */
int path_needs(const struct access_path *p, const struct attr *keys, struct slice missing, struct err *e);
/* "Order: key PK", "Order: index GSI1, GSI1PK", "Order: copy byCustomer, PK" */
struct slice path_says(struct arena *a, const struct access_path *p, const struct key_template *t);

/* The KEY or COPY path of the entity that an item with this key is stored under; NULL if none. */
const struct access_path *identify_path(struct arena *a, const struct model *m, const struct entity *en,
                                        struct slice item);

/* A map with these attributes; of two with one name the later one stays. */
struct slice make_map(struct arena *a, struct attr *attrs, size_t n);

static inline const struct key_template *path_template(const struct access_path *p, size_t i)
{
    return i < p->n_hash ? &p->hash[i] : &p->sort[i - p->n_hash];
}

static inline size_t path_count(const struct access_path *p)
{
    return p->n_hash + p->n_sort;
}

#endif
