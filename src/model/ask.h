/* ask.h: questions that are no pattern: read from text, explained, and compared with the patterns that the model has. */
#ifndef OF_MODEL_ASK_H
#define OF_MODEL_ASK_H

#include "report.h"

struct ask {
    const struct entity *entity;     /* NULL: raw, and everything that is found */
    const struct model_index *index; /* NULL: the cheapest; raw: the table */
    struct slice where;              /* raw: a key condition; empty: nothing is known */
    struct slice filter;             /* empty: none */
    bool raw, descending;
};

/* A question about an entity as a pattern named `this query`. *joined: it is comparisons joined by `and`; else no key can
 * answer it, and out has no conditions. */
int ask_pattern(struct arena *a, const struct ask *q, int64_t now, struct pattern *out, bool *joined, struct err *e);
/* The pattern that asks the same: the same entity, equalities and ranges on the same attributes (as keys or as a filter) and
 * the same direction; where it names a constant, that constant. NULL: there is none. p: of ask_pattern. */
int ask_match(struct arena *a, const struct model *m, const struct ask *q, const struct pattern *p, int64_t now,
              const struct pattern **out, struct err *e);
/* The same for a key condition written by hand: the pattern whose plan has that index, and whose templates give such keys. */
struct where;
int ask_match_key(struct arena *a, const struct model *m, const struct ask *q, const struct where *key, int64_t now,
                  const struct pattern **out, struct err *e);
/* {"plan":...,"match":...,"scan":...}: docs/json.md. Reads nothing but DescribeTable. */
int report_ask(struct reporter *r, struct session *s, const struct ask *q);

#endif
