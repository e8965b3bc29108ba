/* lint.h: the rules of lint. A rule is an id and a function that looks at the whole model and tells what it finds; its
 * page is docs/lint/ID.md. lint.c runs all of them and takes out what the model silences. To add one: write the
 * function in the file of its subject, add a row to the table in lint.c, a page, and two models to the test: one that
 * triggers it and one that does not. */
#ifndef OF_MODEL_LINT_LINT_H
#define OF_MODEL_LINT_LINT_H

#include "../report.h"

struct linter {
    const struct model *model;
    const struct model_env *env;
    struct arena *arena;
    const char *rule;              /* the one that runs */
    const struct plan *plans;      /* of each pattern, by its number */
    struct sample sample;
    struct record *records;        /* sample data as written, before keys are computed from it; by entity */
    size_t n_records;
    size_t *first_record;          /* of each entity by number, and one more */
    struct problems data_problems; /* why sample data could not be used */
    struct problem *findings, *last;
    size_t n;
};

/* on: the entity, pattern or index. hint: what to do. */
void lint_tell(struct linter *l, struct place at, struct slice on, struct slice hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

static inline size_t path_n_keys(const struct access_path *p)
{
    return p->n_hash + p->n_sort;
}

/* Hash templates first, then sort templates. */
static inline const struct key_template *path_key(const struct access_path *p, size_t i)
{
    return i < p->n_hash ? &p->hash[i] : &p->sort[i - p->n_hash];
}

/* Where a path is to a reader: "PK", "GSI1PK of the copy under-customer". */
struct slice lint_key_name(struct arena *a, const struct access_path *p, const struct key_template *k);
/* Does every value of the attribute come from a short list: an enum, a boolean? */
bool attribute_is_narrow(const struct attribute *at);

void lint_prefix_mixed(struct linter *l);
void lint_prefixed_value(struct linter *l);
void lint_keys_clash(struct linter *l);
void lint_lonely_entity(struct linter *l);
void lint_sort_unpadded(struct linter *l);
void lint_sort_date(struct linter *l);
void lint_escape_order(struct linter *l);
void lint_mutable_key(struct linter *l);
void lint_hot_partition(struct linter *l);
void lint_unused_index(struct linter *l);
void lint_many_indexes(struct linter *l);
void lint_projection_all(struct linter *l);
void lint_needs_scan(struct linter *l);
void lint_filter_on_key(struct linter *l);
void lint_unbounded_read(struct linter *l);
void lint_range_shared(struct linter *l);
void lint_item_size(struct linter *l);
void lint_data_wrong(struct linter *l);

#endif
