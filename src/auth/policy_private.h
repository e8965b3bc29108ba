/* policy_private.h: a policy as it is kept: what policy_read.c makes and policy.c judges by. */
#ifndef OF_AUTH_POLICY_PRIVATE_H
#define OF_AUTH_POLICY_PRIVATE_H

#include "../item/number.h"
#include "policy_pattern.h"

enum operator_kind {
    OPERATOR_TEXT, OPERATOR_NUMBER, OPERATOR_DATE, OPERATOR_BOOL, OPERATOR_ADDRESS, OPERATOR_ARN, OPERATOR_NULL
};
enum comparison { COMPARE_EQ, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };
enum over { OVER_ONE, OVER_ALL, OVER_ANY }; /* ForAllValues:, ForAnyValue: */

/* "StringNotLike" and what it means. */
struct operator_word {
    const char *name;
    enum operator_kind kind;
    enum comparison comparison;
    bool negated, wild, fold;
};

#define ARN_PARTS 6
#define ARN_REGION  3
#define ARN_ACCOUNT 4

/* One of the values that a condition compares with. */
struct operand_value {
    struct pattern pattern;              /* TEXT */
    struct pattern *parts;               /* ARN: six of them */
    struct num number;                   /* NUMBER */
    int64_t ms;                          /* DATE */
    bool yes;                            /* BOOL, NULL */
    uint8_t address[16];                 /* ADDRESS: IPv4 is mapped */
    unsigned bits;
};

struct policy_condition {
    const struct operator_word *op;
    enum over over;
    bool if_exists;
    enum policy_key key;
    struct slice tag;
    struct operand_value *operands;
    size_t n;
};

/* Who is meant, in a policy of a resource. */
struct principals {
    bool present, inverted; /* NotPrincipal */
    bool everyone;
    struct slice *texts;    /* of "AWS" */
    size_t n;
};

/* Part by part: a star in one takes nothing of the next, so that the end of an ARN cannot be taken for its table. */
struct policy_resource {
    bool any; /* "*" */
    struct pattern parts[ARN_PARTS];
};

_Static_assert(ACTION_COUNT <= 64, "a set of actions is one word");

struct policy_statement {
    bool deny;
    uint64_t actions; /* a bit each */
    struct principals principals;
    bool not_resource;
    struct policy_resource *resources;
    size_t n_resources;
    struct policy_condition *conditions;
    size_t n_conditions;
};

struct policy {
    const struct policy_statement *statements;
    size_t n;
    bool asks_attributes;
};

const struct operator_word *operator_find(struct slice name);
/* A policy's text as an operand of that operator. */
int operand_read(struct arena *a, const struct operator_word *op, struct slice text, bool variables, struct operand_value *out,
                 struct err *e);
/* How many parts there are; the last takes what is left. Colons inside ${...} divide nothing. */
size_t policy_arn_split(struct slice text, struct slice parts[ARN_PARTS]);
/* beginning: the ARN is that of all that begin with it. */
enum truth policy_arn_matches(const struct pattern parts[ARN_PARTS], const struct policy_request *r, struct slice arn, bool beginning);
enum truth policy_condition_holds(const struct policy_condition *c, const struct policy_request *r);
/* Are there values of its key, whatever the request's are, with which it holds, or with which it does not? */
bool policy_condition_could(const struct policy_condition *c, const struct policy_request *r, bool hold);
/* 2026-11-16T10:00:00Z, 2026-11-16, or seconds since 1970. */
bool policy_date_read(struct slice text, int64_t *ms);
size_t policy_date_put(int64_t ms, char *out, size_t room);

#endif
