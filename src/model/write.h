/* write.h: putting, reading, changing and deleting entities, with their copies, index keys and unique values, in
 * one transaction where more than one item is concerned. */
#ifndef OF_MODEL_WRITE_H
#define OF_MODEL_WRITE_H

#include "api.h"
#include "entity.h"

struct write_options {
    bool if_absent;
    struct slice condition;      /* where-language (where.h) on the stored entity; empty: none */
    struct slice expected;       /* VAL_M: attributes that must be so now, NULL: not there; empty: none */
    struct buf *requests;        /* not NULL: --explain: the raw requests are written here, a JSON array's elements */
    bool dry_run;                /* nothing is sent that writes */
};

enum change_kind { CHANGE_SET, CHANGE_ADD, CHANGE_REMOVE };
struct attribute_change {
    enum change_kind kind;
    struct slice attribute;
    struct slice value;          /* encoded */
};

struct session {
    const struct model *model;
    struct api *api;
    const struct model_env *env;
    struct arena *arena;         /* results live here */
};

/* result: the entity's attributes as they are now (hidden ones included). */
int entity_put(struct session *s, const struct entity *en, struct slice attributes, const struct write_options *o,
               struct slice *result, struct err *e);
/* key: attributes that hold what the key's templates use. *result is empty if there is none. Of the options only requests
 * and dry_run count. */
int entity_get(struct session *s, const struct entity *en, struct slice key, const struct write_options *o,
               struct slice *result, struct err *e);
int entity_update(struct session *s, const struct entity *en, struct slice key, const struct attribute_change *changes,
                  size_t n, const struct write_options *o, struct slice *result, struct err *e);
int entity_delete(struct session *s, const struct entity *en, struct slice key, const struct write_options *o,
                  struct slice *old, struct err *e);

/* Several in one transaction. */
enum step_kind { STEP_PUT, STEP_UPDATE, STEP_DELETE, STEP_CHECK };
struct step {
    enum step_kind kind;
    const struct entity *entity;
    struct slice attributes;     /* PUT: all; else the key */
    const struct attribute_change *changes;
    size_t n_changes;
    bool if_absent;
    struct slice condition;
    struct slice expected;       /* as in write_options; not of CHECK */
    struct place place;
};
/* Refused before anything is written if over 100 actions or 4 MB. */
int entities_transact(struct session *s, const struct step *steps, size_t n, struct slice token,
                      const struct write_options *o, struct err *e);

#endif
