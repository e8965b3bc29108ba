/* request.h: what several operations read from a request in the same way: expressions and their
 * placeholders, the legacy parameters and the rules about mixing the two.
 *
 * Everything here takes the object that holds the members: the request itself, or one entry of a
 * batch or transaction. All return 0 or an err_code with call->err filled. The usual order, which
 * is DynamoDB's:
 *
 *     request_check_mixing(call, obj, style)
 *     request_item, request_attributes_to_get     (values and legacy parameters)
 *     request_env(call, obj, &env)
 *     request_condition, request_projection ...
 *     expr_env_check_unused(&env, &call->err)
 */
#ifndef OF_ENGINE_REQUEST_H
#define OF_ENGINE_REQUEST_H

#include "capacity.h"
#include "ops.h"

/* The parameters an operation has of either kind, in the order DynamoDB names them; an empty one at the end. */
struct request_style {
    const struct slice *legacy;
    const struct slice *expressions;
    bool bare; /* does not say which expression ExpressionAttributeValues would need (Query) */
};
extern const struct request_style REQUEST_CONDITION;  /* PutItem, DeleteItem */
extern const struct request_style REQUEST_UPDATE;     /* UpdateItem */
extern const struct request_style REQUEST_PROJECTION; /* GetItem, BatchGetItem */
extern const struct request_style REQUEST_QUERY;
extern const struct request_style REQUEST_SCAN;

/* "Can not use both expression and non-expression parameters in the same request: ...", and
 * "ExpressionAttributeNames (Values) can only be specified when using expressions ...". */
int request_check_mixing(struct call *call, const struct json *obj,
                         const struct request_style *style);
/* "ConditionalOperator cannot be used without Filter or Expected" and its like. conditions: the
 * legacy map that it joins; may be NULL. */
int request_check_conditional_operator(struct call *call, const struct json *obj,
                                       const struct json *conditions);

/* ExpressionAttributeNames and ExpressionAttributeValues. */
int request_env(struct call *call, const struct json *obj, struct expr_env *env);

/* *out = NULL where the parameter is absent. what: "ConditionExpression" or "FilterExpression". */
int request_condition(struct call *call, const struct json *obj, const char *what,
                      struct expr_env *env, struct cond **out);
int request_projection(struct call *call, const struct json *obj, struct expr_env *env,
                       struct projection **out);
/* AttributesToGet: checked for duplicates; *out = NULL where it is absent. */
int request_attributes_to_get(struct call *call, const struct json *obj, struct projection **out);
/* The item or key at a member: encoded; an empty slice if the member is absent. */
int request_item(struct call *call, const struct json *obj, struct slice member, struct slice *out);

/* A part of the request, written back as it came. */
void request_echo(struct buf *b, const struct json *node);

/* Refuses a.b and a[0] where a is a key of the table or of one of its indexes: keys are scalars.
 * Each may be NULL. */
int request_check_key_paths(struct call *call, const struct table *t, const struct projection *p,
                            const struct cond *c, const struct update *u);

/* ---- what reads of single items share: GetItem, BatchGetItem, TransactGetItems ---- */

/* ProjectionExpression or AttributesToGet; *out = NULL: everything. After request_check_mixing. */
int request_read_projection(struct call *call, const struct json *obj, struct projection **out);
/* ProjectionExpression alone: TransactGetItems has no AttributesToGet, and takes placeholders
 * without an expression. */
int request_only_projection(struct call *call, const struct json *obj, struct projection **out);

#endif
