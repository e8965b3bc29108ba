/* entity.h: between an entity (its attributes) and the items that hold it: keys computed from templates, copies,
 * sentinels; and which entity an item found in the table is. No I/O: the clock and randomness come in with env. */
#ifndef OF_MODEL_ENTITY_H
#define OF_MODEL_ENTITY_H

#include "model.h"
#include "../base/err.h"

/* Injected, so that tests repeat. */
struct model_env {
    int64_t (*now)(void *ctx);                        /* milliseconds since 1970 */
    void (*random)(void *ctx, uint8_t *p, size_t n);
    void *ctx;
};
extern const struct model_env model_env_system;

/* Everything that is stored for one entity: the item first, then its copies. Key attributes, entity and schema
 * attribute included. */
struct stored {
    struct slice *items;        /* VAL_M, n of them */
    const struct access_path **paths;  /* the KEY or COPY path of each */
    size_t n;
    struct slice *sentinels;    /* VAL_M: the keys and content of unique sentinels */
    size_t n_sentinels;
};

/* attributes (VAL_M, without keys) made ready for a put: defaults, generated values, timestamps, first version;
 * then every rule checked. */
int entity_complete(struct arena *a, const struct model *m, const struct entity *en, const struct model_env *env,
                    struct slice attributes, struct slice *out, struct err *e);
/* All rules of a whole entity, required ones included. */
int entity_check(const struct model *m, const struct entity *en, struct slice attributes, struct err *e);
/* All items for complete attributes. Errors name entity, key and attribute. */
int entity_store(struct arena *a, const struct model *m, const struct entity *en, struct slice attributes,
                 struct stored *out, struct err *e);
/* Only the table key, from attributes that hold at least what the key's templates use. */
int entity_key(struct arena *a, const struct model *m, const struct entity *en, struct slice attributes,
               struct slice *key, struct err *e);
/* The value of each key attribute of a path, shard included, into attrs (path->n_hash + path->n_sort of them).
 * *absent: an attribute is missing, so that the item is not in this path. */
int path_keys(struct arena *a, const struct model *m, const struct access_path *p, struct slice attributes,
              struct attr *attrs, bool *absent, struct err *e);

/* Hash and sort key of the item in which apply remembers the shard counts in force; told as a sentinel. */
#define MODEL_MARKER "ONEFOLD#MODEL"

/* What a stored item is. NULL entity: not one of this model's (or a sentinel: then *sentinel). */
struct identity {
    const struct entity *entity;
    const struct access_path *path; /* the KEY or COPY path its key matches */
    bool sentinel;           /* of a unique value, or (marker) the item that apply keeps */
    bool marker;
    unsigned schema;         /* its schema version; 0: not stated */
};
struct identity item_identify(struct arena *a, const struct model *m, struct slice item);
/* The entity's attributes of a stored item: without keys, entity and schema attributes; defaults filled in for an
 * older schema version. hidden: keep the hidden ones. */
struct slice item_attributes(struct arena *a, const struct model *m, const struct entity *en, struct slice item,
                             bool hidden);

#endif
