/* write_impl.h: what the files behind write.h share.
 *
 * A write (of one entity, or of several in a transaction) is a list of steps. Each step reads its
 * item where it must and says which actions (puts, updates, deletes, checks of single items) make
 * the table right; all actions are then sent at once: one alone as PutItem, UpdateItem or
 * DeleteItem, several as TransactWriteItems. What an action was worked out from stands in its
 * condition, so that a write that others overtook is refused as a whole, and is worked out again:
 *
 *   prepare steps (read, compute) -> actions -> send -> done
 *        ^                                       |
 *        +-------- something read has changed ---+
 *
 * The invariant: after every write each copy, index key and sentinel is what the entity's item
 * says. It holds among any writers that go through here, because
 *   - where copies and sentinels lie depends on attributes that every step which touches them has
 *     in its condition;
 *   - a copy is changed in place together with the item, attribute by attribute; one that is put
 *     as a whole has every attribute it holds in the condition (or the version, where the entity
 *     has a lock). */
#ifndef OF_MODEL_WRITE_IMPL_H
#define OF_MODEL_WRITE_IMPL_H

#include "where.h"
#include "write.h"

#define WRITE_TRIES         8
#define WRITE_MAX_ACTIONS   100
#define WRITE_MAX_BYTES     ((size_t)4 << 20)
#define WRITE_MAX_CONDITION 4096 /* DynamoDB's limit on the text of an expression */
#define WRITE_TEXT_MAX      ((size_t)64 << 20) /* of one request; services refuse smaller ones */

enum action_kind { ACTION_PUT, ACTION_UPDATE, ACTION_DELETE, ACTION_CHECK };
enum action_role { ROLE_ITEM, ROLE_NEW_ITEM, ROLE_COPY, ROLE_SENTINEL };

struct action {
    enum action_kind kind;
    enum action_role role; /* NEW_ITEM: under the key to which an entity moves */
    size_t step;
    struct slice key;            /* VAL_M */
    struct slice item;           /* PUT: all of it */
    size_t size;                 /* what it counts towards 4 MB */
    const struct unique *unique; /* SENTINEL */
    /* expressions under construction */
    struct arena *arena;
    struct buf condition, set, add, remove, names, values;
    unsigned n_names, n_values;
};

/* What an attribute of the item was when it was read. */
struct guard {
    struct slice attribute;
    struct slice value; /* empty: not there */
};

/* How much of the item a write stands on. */
enum guard_scope {
    GUARD_PLACES, /* attributes that decide where copies and sentinels lie */
    GUARD_KEYS,   /* and those that index keys are made from */
    GUARD_COPIES, /* and everything that a copy holds */
    GUARD_ALL
};

/* One entity's write. */
struct work {
    const struct step *step;
    const struct entity *entity;
    const struct where *where; /* the step's condition; NULL: none */
    struct slice attributes;   /* PUT: completed, once */
    struct slice key;          /* the table key, VAL_M */
    /* of this attempt: */
    bool was_read;
    struct slice old; /* the item as read; empty: there is none */
    struct slice old_attributes;
    struct guard *guards;
    size_t n_guards;
    struct slice result; /* attributes as they will be; empty: the answer tells */
    /* learnt from an attempt that failed: */
    bool rewrite;        /* a copy was missing: put all of them */
    bool keep_sentinels; /* a sentinel is another item's: leave those there are */
};

struct write {
    struct session *s;
    const struct write_options *o;
    struct work *works;
    size_t n;
    bool alone; /* one step, whose result is wanted */
    struct slice token;
    unsigned attempt;
    struct action *actions;
    size_t n_actions, cap;
};

/* ---- write.c ---- */

/* Works everything out and sends it, again where others came first. */
int write_all(struct write *w, struct err *e);
/* The item under work->key, consistently, into old and old_attributes. */
int work_read(struct write *w, struct work *k, struct err *e);

/* Puts the place of the step's text before the error's message. */
int located(const struct work *k, struct err *e);

/* ---- write_limits.c ---- */

int actions_check(const struct write *w, struct err *e);

/* ---- the steps: each adds its actions ---- */

int work_put(struct write *w, struct work *k, struct err *e);
int work_update(struct write *w, struct work *k, struct err *e);
int work_delete(struct write *w, struct work *k, struct err *e);
int work_check(struct write *w, struct work *k, struct err *e);

/* ---- write_parts.c: the copies and sentinels of an entity ---- */

/* Everything stored for attributes read from the table: unlike entity_store it also bears what an
 * older or foreign writer left: then false, items are keys only, and a copy that cannot be made is
 * not there. */
bool parts_of(struct arena *a, const struct model *m, const struct entity *en,
              struct slice attributes, struct stored *out);
/* Does where the copies or sentinels lie depend on more than the entity's key? */
bool parts_wander(const struct entity *en);
/* Is the attribute used by the key of a copy or by a unique value; by any template at all; held by
 * some copy? */
bool places_use(const struct entity *en, struct slice attribute);
bool keys_use(const struct entity *en, struct slice attribute);
bool copies_hold(const struct entity *en, struct slice attribute);
/* Adds actions that turn the copies and sentinels of old into those of now; either may have none.
 * whole: they are put even where they stay. owner: the item's key as it will be. k->result is set.
 */
void parts_move(struct write *w, struct work *k, const struct stored *old, const struct stored *now,
                struct slice owner, bool whole);
/* Whose sentinel has this hash key, for these attributes. */
const struct unique *sentinel_unique(struct arena *a, const struct entity *en,
                                     struct slice attributes, struct slice hash);

/* ---- write_expected.c ---- */

/* After work_read: is the entity what the step expects? The error names what differs. */
int expected_check(struct write *w, struct work *k, struct err *e);

/* ---- write_guard.c: what must not have changed ---- */

/* Conditions of the base item's action: that the item is (or is not) there, the guards, and the
 * step's own. */
void guard_item(struct write *w, struct work *k, struct action *x);
/* The guards of a step that read its item; with a lock its version is enough. more: further
 * attributes. Those that the step expects are added. */
void guard_make(struct write *w, struct work *k, enum guard_scope scope, const struct slice *more,
                size_t n_more);
/* Does the item hold what the guards say? */
bool guard_holds(const struct work *k, struct slice item);

/* ---- write_action.c ---- */

struct action *action_add(struct write *w, enum action_kind kind, enum action_role role,
                          const struct work *k, struct slice key);
/* Join a condition with `and`. */
void action_exists(struct action *x, struct slice attribute, bool exists);
void action_equals(struct action *x, struct slice attribute, struct slice value);
void action_where(struct action *x, const struct where *where);
/* Part of an update. */
void action_set(struct action *x, struct slice attribute, struct slice value);
void action_change(struct action *x, const struct attribute_change *c);
/* Sets and removes what makes `from` into `to`; key attributes of the table excepted. */
void action_difference(struct action *x, const struct model *m, struct slice from, struct slice to);
bool action_is_empty(const struct action *x); /* an update that changes nothing */
unsigned action_name(struct action *x, struct slice attribute);
unsigned action_value(struct action *x, struct slice value);
/* The action as a request's members, without braces. */
void action_to_json(struct buf *b, const struct model *m, const struct action *x);

/* ---- write_answer.c ---- */

int not_there(struct write *w, const struct work *k, struct err *e);
int version_differs(struct write *w, const struct work *k, int64_t is, int64_t given,
                    struct err *e);
/* What a refused request means: *again: something that was read has changed; else e says it in
 * words of the model. */
int answer_refused(struct write *w, bool *again, struct err *e);

/* ---- write_text.c: words and small values ---- */

/* "Order orderId=o1" */
struct slice entity_label(struct arena *a, const struct entity *en, struct slice attributes);
/* A value as plain JSON, cut where it is long. */
struct slice value_label(struct arena *a, struct slice value);
/* The table key of an item. */
struct slice table_key_of(struct arena *a, const struct model *m, struct slice item);
/* map with an attribute set; or without it (value empty). */
struct slice map_with(struct arena *a, struct slice map, struct slice name, struct slice value);
struct slice map_make(struct arena *a, struct attr *attrs, size_t n);
/* The time, as the attribute holds it, some milliseconds later than now. */
struct slice now_value(struct write *w, const struct attribute *at, int64_t later);
int64_t lock_version(struct slice attributes, struct slice lock); /* 0: none */

#endif
