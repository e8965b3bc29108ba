/* table_params.h: reading a table's definition out of CreateTable and UpdateTable requests, with
 * DynamoDB's rules, in its order and words. The request has passed api_validate, so members have
 * their types and lengths; what is checked here is how they fit together. Everything read borrows
 * from the request or lies in the call's arena. */
#ifndef OF_ENGINE_TABLE_PARAMS_H
#define OF_ENGINE_TABLE_PARAMS_H

#include "api/params.h"
#include "table.h"

#define PARAMS_MAX_LOCAL     5
#define PARAMS_MAX_GLOBAL    20
#define PARAMS_MAX_PROJECTED 100 /* non-key attributes over all indexes of a table */

#define PARAMS_INVALID "One or more parameter values were invalid: "

struct definitions {
    struct key_attr *attrs;
    size_t n;
};

enum schema_kind { SCHEMA_TABLE, SCHEMA_LOCAL, SCHEMA_GLOBAL };

/* AttributeDefinitions. */
int params_definitions(struct arena *a, const struct json *list, struct definitions *out,
                       struct err *e);
/* A KeySchema; every attribute must be among the definitions. */
int params_key_schema(struct arena *a, const struct json *schema, const struct definitions *defs,
                      enum schema_kind kind, struct key_schema *out, struct err *e);
/* IndexName, KeySchema and Projection of an index. table_key: of a local index, which must fit it;
 * NULL for a global one. */
int params_index(struct arena *a, const struct json *node, const struct definitions *defs,
                 const struct key_schema *table_key, struct index *out, struct err *e);
/* The rules that hold over all indexes of a table: 100 projected attributes, 5 local, 20 global. */
int params_index_counts(const struct table *t, struct err *e);
/* With indexes, every definition must be the key of something. */
int params_all_used(struct arena *a, const struct table *t, struct err *e);
/* Drops the definitions that are the key of nothing. */
void params_drop_unused(struct table *t);

/* Is the member there, and does it hold anything? */
bool params_asked(const struct json *request, struct slice member);
/* BillingMode, or TableThroughputMode, its other name, when that is absent. */
struct slice params_billing_mode(const struct json *request);
/* ProvisionedThroughput: both values; false if the node is NULL. */
bool params_throughput(const struct json *node, struct throughput *out);
int params_throughput_bounds(const struct throughput *t, struct err *e);
/* OnDemandThroughput of a table, or of an index if it has a name, that bills by `billing`. creating selects
 * CreateTable's words; otherwise -1 takes a limit away. */
int params_on_demand(const struct json *node, enum billing_mode billing, bool creating,
                     struct slice index, struct throughput *out, struct err *e);
/* WarmThroughput of a table, or of an index if it has a name: never less than there is already. */
int params_warm(const struct json *node, enum billing_mode billing, bool creating,
                struct slice index, struct throughput *out, struct err *e);
/* Of one index under the table's billing mode: whether its ProvisionedThroughput must or must not
 * be there. */
int params_index_throughput(const struct json *node, enum billing_mode billing, bool creating,
                            struct index *ix, struct err *e);

/* Members that ask for something Onefold does not have: refused openly, never ignored. */
int params_refused(const struct json *request, struct err *e);
/* TableClass, which may be absent. */
int params_class(const struct json *request, struct err *e);
/* StreamSpecification. */
struct stream_wish {
    bool given, enable;
    struct slice view; /* StreamViewType, if enable */
};
/* creating selects CreateTable's words. */
int params_stream(const struct json *request, bool creating, struct stream_wish *out, struct err *e);
/* An SSESpecification, NULL if there is none: whether its members fit together; and its setting, unless an
 * existing table has it already. */
int params_encryption(const struct json *spec, struct err *e);
int params_encrypt(const struct json *spec, bool creating, struct table *t, struct err *e);

#endif
