/* expr.h: DynamoDB's expressions: parse once, evaluate on encoded items. No I/O, no table knowledge
 * beyond what the caller passes in.
 *
 * All parsed forms live in the arena given at parse time and borrow from the request text. Placeholders
 * are resolved while parsing. Errors carry DynamoDB's own words; parameter names ("ConditionExpression")
 * are passed in where they appear in the text. */
#ifndef OF_EXPR_EXPR_H
#define OF_EXPR_EXPR_H

#include "../base/err.h"
#include "../item/item_json.h"

#define EXPR_MAX_BYTES     4096
#define EXPR_MAX_OPERATORS 300
#define EXPR_MAX_DEPTH     300 /* of parentheses and nesting in the parser */
#define EXPR_MAX_IN        100 /* operands of IN, the one before it included */
#define EXPR_MAX_PLACEHOLDER 255 /* bytes of #name or :value */
#define EXPR_MAX_ENV_BYTES ((size_t)2 << 20) /* all names and values together */

/* ---- paths ---- */

/* One step of a document path: a name, or a list index when name.p is NULL. */
struct path_step {
    struct slice name;
    uint32_t index;
};
struct path {
    const struct path_step *steps;
    size_t n;
};
/* The value at the path, or false. */
bool path_get(struct slice item, const struct path *path, struct slice *out);

/* ---- placeholders ---- */

/* ExpressionAttributeNames and ExpressionAttributeValues of one request, shared by all its expressions,
 * remembering which were used. */
struct expr_placeholder {
    struct slice key;    /* with the leading # or : */
    struct slice value;  /* name text, or encoded value */
    bool used;
};
struct expr_env {
    struct arena *arena;
    struct expr_placeholder *names, *values;
    size_t n_names, n_values;
    bool has_names, has_values; /* the members were present in the request */
};
/* Either node may be NULL. Checks the keys' syntax, the values, emptiness, total size. */
int expr_env_init(struct expr_env *env, struct arena *a, const struct json *names,
                  const struct json *values, struct err *e);
/* To be called after all expressions of the request are parsed: "Value provided in
 * ExpressionAttributeNames unused in expressions: keys: {#a}". */
int expr_env_check_unused(const struct expr_env *env, struct err *e);

/* ---- conditions: ConditionExpression, FilterExpression, KeyConditionExpression ---- */

enum cond_kind {
    COND_AND, COND_OR, COND_NOT,
    COND_EQ, COND_NE, COND_LT, COND_LE, COND_GT, COND_GE,
    COND_BETWEEN, COND_IN,
    COND_EXISTS, COND_NOT_EXISTS, COND_TYPE, COND_BEGINS_WITH, COND_CONTAINS,
    /* Only the legacy parameters have these: NOT_CONTAINS is true if the attribute exists and does not. */
    COND_NOT_CONTAINS
};

/* COND, which only PartiQL has: a condition that is compared as the BOOL it gives. */
enum operand_kind { OPERAND_PATH, OPERAND_VALUE, OPERAND_SIZE, OPERAND_COND };

struct cond;
struct operand {
    enum operand_kind kind;
    struct path path;   /* PATH; SIZE of an attribute */
    struct slice value; /* VALUE: encoded; SIZE with an empty path: the value whose size it is */
    const struct cond *cond; /* COND */
};

struct cond {
    enum cond_kind kind;
    struct cond *left, *right; /* AND, OR; NOT uses left */
    struct operand *operands;  /* the rest; BETWEEN has 3, IN 1 + n */
    size_t n_operands;
    bool legacy; /* from KeyConditions, which have their own words for an operator that no key takes */
};

/* what: "ConditionExpression", "FilterExpression", "KeyConditionExpression". */
int cond_parse(struct expr_env *env, const char *what, struct slice text, struct cond **out,
               struct err *e);
/* True if the item (empty slice: no item) satisfies it. Never fails: what cannot be compared is false. */
bool cond_eval(const struct cond *c, struct slice item);
/* Calls fn for every top-level attribute name the condition reads, until it returns false. For "filter
 * on a key attribute" and for finding what must be fetched. */
bool cond_each_name(const struct cond *c, bool (*fn)(struct slice name, void *ctx), void *ctx);
/* The same for names of which it reads a part (a.b, a[0]): key attributes are scalars, and DynamoDB says so
 * ("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed"). */
bool cond_each_nested(const struct cond *c, bool (*fn)(struct slice name, void *ctx), void *ctx);
/* How many operands it has in all: what evaluating it once costs, roughly. */
size_t cond_operands(const struct cond *c);
/* Joins two conditions by COND_AND or COND_OR, or negates one (COND_NOT, right NULL). */
struct cond *cond_join(struct arena *a, enum cond_kind kind, struct cond *left, struct cond *right);

/* ---- key conditions ---- */

enum key_op { KEY_NONE, KEY_EQ, KEY_LT, KEY_LE, KEY_GT, KEY_GE, KEY_BETWEEN, KEY_BEGINS_WITH };

/* The schema a key condition is checked against: 1 + 0..1 attributes for tables and ordinary indexes,
 * up to 4 + 4 for multi-attribute GSIs. */
struct key_attr {
    struct slice name;
    enum val_type type;
};
struct key_schema {
    struct key_attr hash[4], range[4];
    size_t n_hash, n_range;
};

/* What a key condition selects: all hash attributes by equality, the leading range attributes by
 * equality, and at most one further range attribute by another comparison. */
struct key_query {
    struct slice hash[4];     /* encoded values */
    struct slice range_eq[4]; /* equality on range attributes 0 .. n_range_eq-1 */
    size_t n_range_eq;
    enum key_op op;           /* on range attribute n_range_eq; KEY_NONE if none (never KEY_EQ) */
    struct slice lo, hi;      /* operand(s) of op */
};
/* What is wrong with a KeyConditionExpression whatever the table looks like (operators, nesting, two
 * conditions on one key ...). DynamoDB says it before it looks for the table; key_query_from_cond says
 * it too. */
int key_cond_check(const struct cond *c, struct arena *a, struct err *e);
int key_query_from_cond(const struct cond *c, const struct key_schema *schema, struct arena *a,
                        struct key_query *out, struct err *e);

/* ---- projections ---- */

struct projection; /* a set of paths */
/* what: "ProjectionExpression". Refuses overlapping paths. */
int projection_parse(struct expr_env *env, struct slice text, struct projection **out, struct err *e);
/* The parts of the item that the paths name, as an item. */
struct slice projection_apply(const struct projection *p, struct arena *a, struct slice item);
/* From plain top-level names (AttributesToGet, index projections). */
struct projection *projection_from_names(struct arena *a, const struct slice *names, size_t n);
/* Columns: each the value at a path, under a name of its own. Returns the first of the names that was there before, or n. */
size_t projection_from_columns(struct arena *a, const struct path *paths, const struct slice *names, size_t n,
                               struct projection **out);
/* Top-level names it can reach. Those of columns in their order, each once. */
size_t projection_names(const struct projection *p, struct arena *a, struct slice **names);
/* As cond_each_nested. */
bool projection_each_nested(const struct projection *p, bool (*fn)(struct slice name, void *ctx),
                            void *ctx);

/* ---- updates ---- */

struct update; /* parsed UpdateExpression or AttributeUpdates */
int update_parse(struct expr_env *env, struct slice text, struct update **out, struct err *e);
/* Top-level attributes it changes, for "Cannot update attribute X. This attribute is part of the key". */
size_t update_names(const struct update *u, struct arena *a, struct slice **names);
/* Each top-level name that it changes or reads, until fn returns false. */
bool update_each_name(const struct update *u, bool (*fn)(struct slice name, void *ctx), void *ctx);
/* As cond_each_nested; what it reads counts as well as what it changes. */
bool update_each_nested(const struct update *u, bool (*fn)(struct slice name, void *ctx), void *ctx);
/* The type it gives the top-level attribute, where its text alone tells (a literal, a sum, list_append);
 * TYPE_NONE otherwise. For "Type mismatch for Index Key", which comes before the item is read. */
enum val_type update_type_of(const struct update *u, struct slice name);
/* Applies it to the item (the key attributes alone if there was none). *out is the new item. Errors are
 * DynamoDB's ("The provided expression refers to an attribute that does not exist in the item" ...). */
int update_apply(const struct update *u, struct arena *a, struct slice item, struct slice *out,
                 struct err *e);
/* The same for an item that is not there yet (item: its key attributes). The one difference: REMOVE of a
 * nested path then has nothing to find and is no error. */
int update_apply_new(const struct update *u, struct arena *a, struct slice item, struct slice *out,
                     struct err *e);
/* For UPDATED_OLD / UPDATED_NEW: the parts of the item at the updated paths. */
struct slice update_touched(const struct update *u, struct arena *a, struct slice item);

/* Does it only take away? Then an item that is not there stays away. */
bool update_only_removes(const struct update *u);

/* ---- the legacy parameters, into the same forms ---- */

/* Expected, QueryFilter, ScanFilter: each a map of name to condition, joined by ConditionalOperator
 * (an empty slice: AND). An absent or empty map gives *out = NULL. */
int legacy_expected(struct arena *a, const struct json *expected, struct slice conditional_operator,
                    struct cond **out, struct err *e);
int legacy_filter(struct arena *a, const char *what, const struct json *filter,
                  struct slice conditional_operator, struct cond **out, struct err *e);
int legacy_key_conditions(struct arena *a, const struct json *conditions, struct cond **out,
                          struct err *e);
int legacy_attribute_updates(struct arena *a, const struct json *updates, struct update **out,
                             struct err *e);

/* ---- words ---- */

bool expr_is_reserved(struct slice word); /* DynamoDB's reserved words, any case */

#endif
