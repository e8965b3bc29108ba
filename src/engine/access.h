/* access.h: who may do what: the engine's side of policies (../auth/policy.h).
 *
 * Asked in one place, for every call that has an identity: after bind, before anything is claimed, read or written (call.c). What an
 * operation does stands in access_rules.c, a row for each; those that work on items have an access step in addition, which asks for
 * each item by itself, so that no key hides behind another. An operation without a row is denied.
 *
 * Where bind found fault, the caller is told what only if he might have had access: otherwise the words of a refusal would tell what
 * tables there are. */
#ifndef OF_ENGINE_ACCESS_H
#define OF_ENGINE_ACCESS_H

#include "../auth/policy.h"
#include "table.h"

/* One thing that a call does to one item, or to all of a table or index. */
struct access {
    enum policy_action action;
    struct slice table_name;   /* a name or an ARN */
    struct slice index_name;   /* empty: the table itself */
    const char *enclosing;     /* the transaction that it is part of; NULL: none */
    bool unfit;                /* it could not be bound: what follows is not known */
    /* Looked at only where it was bound. */
    const struct table *table;
    struct slice item;         /* the item or its key; empty: hash, or all */
    const struct slice *hash;  /* the values of the partition key's attributes, encoded, from the first on */
    size_t n_hash;
    bool whole_table;          /* no partition is named: all are read */
    bool whole_item;           /* attributes are shown that nobody named */
    bool shows;                /* it returns items: as projection says, or all of them */
    bool counts;               /* Select: COUNT: it returns none */
    const struct projection *projection;
    const struct cond *conditions[2];
    const struct update *update;
    struct slice return_values; /* .p NULL: none */
    struct slice full_scan;     /* of PartiQL's SELECT: "true" or "false" */
};

/* 0, or AccessDeniedException in call->err. */
int access_ask(struct call *call, const struct access *a);
/* The same for a resource by its ARN: of a table, or of what belongs to one. whole: as in a rule. */
int access_ask_arn(struct call *call, enum policy_action action, struct slice arn, bool whole);
/* What reads a stream: the catalog knows the policy of a table's latest stream alone, so that of others nothing is asked before the run step
 * has read the row (stream_look_up). its: what that says, NULL: nothing. */
bool access_is_left_open(const struct call *call, struct slice arn);
int access_ask_past_stream(struct call *call, enum policy_action action, struct slice arn, bool whole, const struct policy *its);
/* Would this policy, on a table with these tags or its stream, deny the caller that action? relative: what follows "table/" in the ARN. */
bool access_denied_by(const struct call *call, const struct policy *p, enum policy_action action, struct slice relative, struct slice tags);
/* bound: what bind returned, with call->err. Returns that, or the refusal; 0 where an access step has bound anew what it allows, and says so
 * in call->bound. */
int access_check(struct call *call, int bound);

/* ---- the rows ---- */

enum access_of {
    OF_ITEMS,      /* the operation's access step tells */
    OF_TABLE,      /* the table that the member names; all tables if it is not there */
    OF_NAME,       /* the same, and it tells of earlier tables of that name */
    OF_ARN,        /* the table, or what belongs to it, whose ARN the member is */
    OF_EVERYTHING, /* no table: only a policy that says "*" allows it */
};

struct access_rule {
    const char *operation;
    enum access_of of;
    const char *member; /* "A|B": either; "A/B": B in A */
    const char *below;  /* NULL, or what follows the table's name in the ARN: "/backup/ *" without the blank */
    /* It changes the table, or hands out items, without naming keys: a policy that speaks of leading keys does not allow it. */
    bool whole;
    const char *target; /* NULL, or the member with the name of a second table, the one that it makes and fills */
};
/* The table that the call names by its row: the one that it makes, if there are two. Empty: none, or several. */
struct slice access_table(const struct call *call);
/* number: the operation's, in the API. NULL: there is none. */
const struct access_rule *access_rule(size_t number, const char *operation);

#endif
