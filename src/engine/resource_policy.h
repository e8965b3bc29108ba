/* resource_policy.h: resource-based policies of tables and streams. They are kept and given back; access.c
 * judges by them. */
#ifndef OF_ENGINE_RESOURCE_POLICY_H
#define OF_ENGINE_RESOURCE_POLICY_H

#include "resource.h"

#define POLICY_MAX 20480 /* bytes, blanks included */

struct resource_policy_wish {
    bool of_stream; /* and not of a table: actions and resources are those of one of them */
    bool restored;  /* it was good once, on a table that is being restored: it must be readable, and no more */
};

/* Checks a document and gives its canonical form, which says whether two are the same: compact, members in
 * a fixed order, a list of one as its element, an account as the ARN of its root; and what it is to policy_judge. */
int resource_policy_read(struct arena *a, struct slice text, const struct resource_policy_wish *wish, struct slice *canonical,
                         const struct policy **out, struct err *e);
/* AccessDeniedException if it would keep the caller from changing it again. relative: what follows "table/" in the resource's ARN. */
int resource_policy_check_lockout(struct call *call, const struct policy *p, struct slice relative, struct slice tags);
/* The canonical form as GetResourcePolicy tells it, a JSON string: with the version that a document without
 * one has. */
void resource_policy_put(struct buf *b, struct slice canonical);

/* The parse step of an operation that needs the resource alone: it is the call's state. */
int resource_policy_parse(struct call *call);
/* The policy of the resource, in a draft of its table; ResourceNotFoundException if there is no such stream.
 */
int resource_policy_of(struct call *call, struct table *t, const struct resource *r, struct resource_policy **out);
/* ExpectedRevisionId of the request, against the policy there is. */
int resource_policy_check_revision(struct call *call, const struct resource *r, const struct resource_policy *p);
/* A new revision: the time, and later than the last in any case. */
int64_t resource_policy_next_revision(const struct call *call, const struct resource_policy *p);
void resource_policy_put_revision(struct buf *b, int64_t revision);

#endif
