/* plan_impl.h: what the files of the resolver share.
 *
 *   plan.c             takes every path, keeps the best; says why there is none
 *   plan_path.c        judges one path for a pattern of one entity
 *   plan_group.c       the same for several entities, and for collections
 *   plan_sort.c        the sort side of both: range, order, time
 *   plan_neighbours.c  what else lies in the range
 *   plan_text.c        the words: key condition, operation, notes
 *   plan_bind.c        inputs to values; plan_range.c: values to key ranges
 *   plan_request.c     a range as a request
 *   propose*.c         changed models with which a pattern would be answered */
#ifndef OF_MODEL_PLAN_IMPL_H
#define OF_MODEL_PLAN_IMPL_H

#include "plan.h"

struct resolver {
    struct arena *arena;
    const struct model *model;
    const struct pattern *pattern;
};

/* How far a path that does not answer came; the farthest is the nearest miss. */
enum miss {
    MISS_INDEX,   /* another index is asked for */
    MISS_HASH,    /* a hole of the hash key is not known */
    MISS_GROUP,   /* another entity of the pattern is not there */
    MISS_KNOWN,   /* something known is not in the key */
    MISS_RANGE,   /* the condition is not on what follows */
    MISS_ORDER,   /* what follows holds no time */
    MISS_FILTER,  /* the filter is refused there */
    MISS_NONE     /* it answers */
};

/* The judgement on one path. */
struct verdict {
    enum miss miss;
    size_t score;        /* among equal misses: how many of the known attributes the key uses */
    struct slice reason; /* not MISS_NONE */
    bool *used;          /* by->n: answered by the key */
    struct plan plan;    /* MISS_NONE: complete but for texts */
    size_t known;        /* parts of the sort key that are known, for ranking */
    const struct part *hole;        /* what follows the known part of the sort key; NULL: nothing */
    const struct template *hole_of; /* its template */
    const struct key_attribute *hole_key;
};

/* ---- what a pattern knows ---- */
const struct condition *known_by(const struct pattern *q, struct slice attribute);
bool is_across(const struct pattern *q, struct slice attribute);
/* Marks a hole as known: equal by `by`, or fanned out over where fan is set. */
bool hole_known(struct resolver *r, struct verdict *v, struct slice attribute, bool fan);
/* False if there are too many fans. */
bool add_fan(struct resolver *r, struct verdict *v, struct slice attribute, const struct key_template *shards);
bool fails(struct verdict *v, enum miss miss, struct slice reason); /* false */

/* ---- judging: true if the path answers; else miss and reason are set ---- */
void judge_path(struct resolver *r, const struct access_path *p, struct verdict *v);
void judge_group(struct resolver *r, const struct access_path *p, struct verdict *v);
/* The path of en in the partition of p, or NULL. */
const struct access_path *group_companion(const struct entity *en, const struct access_path *p);
bool judge_hash(struct resolver *r, const struct access_path *p, struct verdict *v);
/* After fans of attributes: one shard, or all. */
bool judge_shards(struct resolver *r, const struct access_path *p, struct verdict *v);
bool judge_used(struct resolver *r, const struct access_path *p, struct verdict *v);
bool judge_range(struct resolver *r, const struct access_path *p, struct verdict *v);
bool judge_order(struct resolver *r, const struct access_path *p, struct verdict *v);
bool judge_filter(struct resolver *r, const struct access_path *p, struct verdict *v);
void finish_kind(struct resolver *r, const struct access_path *p, struct verdict *v);
/* Does the hole hold time such that its text (or number) sorts by it? */
bool hole_is_time(const struct entity *en, const struct template *t, const struct part *hole,
                  const struct key_attribute *key);
/* Is the attribute stored where the path is (its projection, the copy's list)? */
bool path_stores(const struct model *m, const struct access_path *p, struct slice attribute);
bool is_key_of(const struct model_index *x, struct slice name);
bool condition_is_date(enum compare op);

/* Must an entity have the attribute to lie in the path, though the pattern does not ask for it? Then those without it
 * are missing from the answer. */
bool path_leaves_out(const struct pattern *q, const struct access_path *p, const struct attribute *at);
void find_neighbours(struct resolver *r, struct plan *p);
bool path_in_range(struct arena *a, const struct plan *p, const struct access_path *other);
bool hash_may_meet(struct arena *a, const struct access_path *x, const struct access_path *y);

/* ---- words ---- */
void plan_describe(struct resolver *r, struct plan *p);
void plan_note(struct arena *a, struct plan *p, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "PK = ORDER#${orderId}": the hash templates of a path. */
struct slice hash_source(struct arena *a, const struct access_path *p);
struct slice sort_source(struct arena *a, const struct access_path *p);
/* "Order", "copy 1 of Order", "GSI1 of Order" */
struct slice path_name(struct arena *a, const struct access_path *p);

/* ---- binding ---- */
struct binder {
    struct arena *arena;
    const struct model *model;
    const struct plan *plan;
    struct slice inputs;
    int64_t now;
    struct err *err;
};
/* The value of an operand compared with an attribute. */
int bind_operand(struct binder *b, const struct entity *en, const struct condition *c, const struct operand *o,
                 bool check, struct slice *out);
int bind_date(struct binder *b, const struct condition *c, const struct operand *o, struct span *out);
/* Fills low, high, prefix. item: what is known in this stream. *empty: nothing can lie in it. */
int bind_range(struct binder *b, struct slice item, struct key_range *out, bool *empty);
/* The ends of a condition as values: low or prefix, high; empty where there is none. */
int condition_bounds(struct binder *b, const struct entity *en, const struct condition *c, struct slice out[2]);
/* The smallest valid UTF-8 text behind all that begin with prefix; empty where there is none. */
struct slice text_after(struct arena *a, struct slice prefix);

/* The members of plan_to_json, without its braces. */
void plan_members(struct buf *b, const struct plan *p);
/* "proposals":[...] of one that is not answered. */
void plan_proposals(struct buf *b, const struct plan *p);

/* ---- proposals ---- */
void propose(struct resolver *r, struct plan *p);

#endif
