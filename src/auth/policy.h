/* policy.h: IAM's policies: may this identity do this to that?
 *
 * A document is read once (policy_read), into statements whose actions are a set of bits and whose texts are patterns in pieces; a
 * request is then judged without allocating anything (policy_judge). Nothing here knows tables: the engine says what a request is.
 *
 * What is not certain denies. A condition is true, false or unknown: unknown where the request touches more than it names (a Scan has
 * no leading key and reads them all), where a variable has no value, where the document says something that is not understood. An
 * Allow needs what is true; a Deny is content with what is not false. */
#ifndef OF_AUTH_POLICY_H
#define OF_AUTH_POLICY_H

#include "../base/err.h"
#include "../item/json.h"
#include "identity.h"
#include "policy_action.h"

#define POLICY_MAX_TEXT 32768 /* bytes of an identity's document; the engine has a limit of its own for resources */

#define POLICY_KEYS 4 /* attributes of a partition key, at most */

struct policy;

/* Of an identity; or of a table or stream, which has principals. */
enum policy_kind { POLICY_OF_IDENTITY, POLICY_OF_RESOURCE };

/* 0, or ERR_ValidationException with a sentence that says what cannot be read and where. Everything is the arena's; text must live
 * as long. */
int policy_read(struct arena *a, enum policy_kind kind, struct slice text, const struct policy **out, struct err *e);
/* The same of a document that is a tree already. */
int policy_compile(struct arena *a, enum policy_kind kind, const struct json *document, const struct policy **out, struct err *e);
/* What a document that cannot be read is: it denies everything. */
extern const struct policy policy_unreadable;

/* How much of the items a request touches, beside what it names. */
enum policy_reach {
    REACH_NAMED, /* nothing */
    REACH_ALL,   /* every leading key, or every attribute, that there is */
};

struct policy_request {
    enum policy_action action;
    struct slice resource; /* its ARN */
    bool and_below;        /* the resource is the beginning of the names of several: all objects with a prefix */
    const struct identity *who;
    int64_t now_ms;
    bool secure;           /* it came over TLS */
    struct slice address;  /* from where, as text; empty: not known */
    struct slice region;
    struct slice tags;     /* of the resource: an encoded map (value.h); empty: none */
    bool of_earlier;     /* it may belong to an earlier table of that name: what tags that had, nobody can say */
    /* dynamodb:LeadingKeys and those of the partition key's further attributes: one partition at most: several are several requests, so that
     * none hides behind another. */
    enum policy_reach key_reach;
    struct slice keys[POLICY_KEYS]; /* as text; .p NULL: not named */
    size_t n_keys;                  /* attributes that the partition key has */
    /* dynamodb:Attributes: top-level names. */
    enum policy_reach attribute_reach;
    const struct slice *attributes;
    size_t n_attributes;
    /* As the request has them; .p NULL: not there. */
    struct slice select, return_values, return_consumed_capacity, enclosing_operation, full_table_scan;
    /* Keys and attributes are not known, because the request does not fit its table: is it certain that it would be denied, whatever they
     * were? If not, it is allowed. */
    bool vague;
};

enum policy_verdict { POLICY_SILENT, POLICY_ALLOWS, POLICY_DENIES };
enum policy_verdict policy_judge(const struct policy *p, const struct policy_request *r);
/* Could it deny one of these actions to a request of which that much is known: who asks, from where and when, for what resource? Its action
 * is not looked at; what it does to items is anything. */
bool policy_may_deny(const struct policy *p, const struct policy_request *r, const enum policy_action *actions, size_t n);
/* Does it let in everybody, whoever that is? A condition keeps others out if it names accounts or users, as they are. */
bool policy_is_public(const struct policy *p);
/* Does any condition ask for dynamodb:Attributes? Otherwise they need not be gathered. */
bool policy_asks_attributes(const struct policy *p);

/* The tags that its variables ask for without a default and who does not have, as far as there is room; how many. */
size_t policy_missing_tags(const struct policy *p, const struct identity *who, struct slice *names, size_t room);

/* arn:aws:iam::ACCOUNT:user/NAME, into b. */
void identity_put_arn(struct buf *b, const struct identity *who);

#endif
