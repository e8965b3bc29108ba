/* resource_policy.h: resource-based policies of tables and streams. They are kept and given back; access.c
 * judges by them. */
#ifndef OF_ENGINE_RESOURCE_POLICY_H
#define OF_ENGINE_RESOURCE_POLICY_H

#include "resource.h"

#define POLICY_MAX 20480 /* bytes, blanks included */

/* Checks a document and gives its canonical form, which says whether two are the same: compact, members in
 * a fixed order, a list of one as its element, an account as the ARN of its root. may_lock_out: it may
 * deny changing the policy again. */
int resource_policy_read(struct arena *a, struct slice text, bool may_lock_out, struct slice *canonical,
                struct err *e);
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
