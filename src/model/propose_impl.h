/* propose_impl.h: what the files that look for proposals share.
 *
 *   propose.c          the list: verified, ranked
 *   propose_pattern.c  changes of the pattern alone: across, filter
 *   propose_keys.c     changes of keys: index entries, new indexes, copies, sort keys
 *   propose_group.c    several entities into one partition
 *   propose_names.c    what the new keys are made of
 *   propose_sample.c   what the sample data says about them
 *   propose_cost.c     what each costs, in words
 * The change in the model's text is made by edit_text.h. */
#ifndef OF_MODEL_PROPOSE_IMPL_H
#define OF_MODEL_PROPOSE_IMPL_H

#include "plan_impl.h"
#include "edit_text.h"

#define PROPOSALS_MAX 12

struct proposer {
    struct resolver *r;
    const struct entity *entity;   /* the pattern's first; of a group the one that is changed */
    bool *had_plan;                /* per pattern: answered today */
    bool had_sample;               /* the sample data fits the model today */
    struct proposal list[PROPOSALS_MAX];
    size_t n;
};

/* A proposal on the way: what is known before it is verified. */
struct draft {
    enum proposal_kind kind;
    struct edits edits;
    struct slice text, yaml;
    bool per_item;                 /* every item of the entity is written again */
};

void draft_init(struct proposer *p, struct draft *d, enum proposal_kind kind);
/* Reads the changed model; if the pattern is answered there, and all that was answered before still is, the
 * proposal is added. */
void draft_offer(struct proposer *p, struct draft *d);
const struct node *entity_node(const struct proposer *p);
const struct node *pattern_node(const struct proposer *p);

void propose_across(struct proposer *p);
void propose_filter(struct proposer *p);
void propose_entries(struct proposer *p);
void propose_new_index(struct proposer *p);
void propose_sort_keys(struct proposer *p);
void propose_copy(struct proposer *p);
/* Several entities: those that are not in the first one's partition are brought there. */
void propose_group(struct proposer *p);
void proposal_cost(struct proposer *p, const struct draft *d, struct proposal *out);

/* The templates a key for this pattern would have; sort is empty where the order needs a time that the entity lacks. */
struct key_idea {
    struct slice hash, sort;
    bool constant;                 /* the hash key is the same for all items */
};
bool idea_for(struct proposer *p, struct key_idea *out);
/* The sort template of a path rearranged for the pattern; empty if it makes no sense. */
struct slice sort_idea(struct proposer *p, const struct access_path *path);
/* The sort template of an entity's own identity: its prefix and what its key is made of, but for what hash uses. */
struct slice identity_sort(struct proposer *p, const struct entity *en, const struct access_path *hash_of);
/* What a new global index and its attributes would be called; false: there are 20. */
bool new_index_names(struct arena *a, const struct model *m, struct slice *name, struct slice *hash, struct slice *sort);
/* The most decimals that the attribute has in the sample data; -1: it does not occur there. */
int sample_decimals(struct proposer *p, const struct entity *en, struct slice attribute);
/* Whether all of the sample data can be written under this model; true where there is none. */
bool sample_readable(struct proposer *p, const struct model *m);
struct slice quoted(struct arena *a, struct slice text); /* for YAML and JSON */

#endif
