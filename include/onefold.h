/* onefold.h: the Onefold library. What is not in here is not API.
 *
 * Onefold is an embedded, ordered, transactional store for single-table design that speaks DynamoDB.
 * There are two levels, which can be mixed freely:
 *
 *   of_call      any API operation as JSON bytes in, JSON bytes out: exactly what the server answers
 *   of_put ...   typed functions: items built and read without JSON, queries as cursors that page by
 *                themselves, transactions
 *
 *     of_db *db;
 *     of_error err;
 *     if (of_open(&db, &(of_options){ .dir = "./data" }, &err)) { puts(err.message); return 1; }
 *     of_item *item = of_item_new();
 *     of_item_set_string(item, "PK", -1, "USER#1", -1);
 *     of_item_set_string(item, "SK", -1, "PROFILE", -1);
 *     of_item_set_int(item, "age", -1, 42);
 *     if (of_put(db, "shop", item, NULL, NULL, &err)) puts(err.message);
 *     of_item_free(item);
 *     of_close(db);
 *
 * Conventions
 *   - Functions that can fail return 0 or one of of_code; the text is in the of_error, which may be NULL.
 *     If a function that makes something succeeded you must free what it made; if it failed you owe
 *     nothing.
 *   - Every string has a length in bytes; -1 stands for "up to the terminating NUL". Text is UTF-8.
 *   - Strings and values handed out are borrowed: they live until the object they came from is changed or freed.
 *   - An of_db may be used by any number of threads at once. Items, queries, transactions and answers
 *     belong to one thread at a time.
 *   - A directory belongs to one of_db in one process at a time; opening it twice is refused.
 *
 * What costs least
 *   - A key item that is made once and filled again (of_item_set_string on a name that is there) takes no memory.
 *   - of_get without a projection, and a query with a key condition on the table and no filter or projection, are read straight from the
 *     store; the attributes of an item are found when they are asked for.
 *
 * Caveats
 *   - A long-running read holds the pages it sees: an of_query reads page by page and holds nothing in
 *     between.
 *   - Writes of all threads are made durable together; one thread alone waits for the disk each time
 *     (OF_RELAXED does not wait; it survives a crash of the process, but not surely one of the machine).
 *   - fork: open the database in the child, never before the fork.
 */
#ifndef ONEFOLD_H
#define ONEFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OF_API __attribute__((visibility("default")))
#else
#define OF_API
#endif

typedef struct of_db of_db;
typedef struct of_item of_item;               /* a map of attributes */
typedef struct of_list of_list;
typedef struct of_query of_query;
typedef struct of_transaction of_transaction;
typedef struct of_answer of_answer;

typedef enum of_code {
    OF_OK = 0,
    OF_END,                 /* a query has no more items */
    OF_NOT_FOUND,           /* no such table, or no item where one was asked for */
    OF_EXISTS,              /* a table of that name is there already */
    OF_INVALID,             /* the request is wrong; the message says how */
    OF_CONDITION_FAILED,
    OF_TRANSACTION_CANCELED,
    OF_TOKEN_MISMATCH,      /* the token was used for another transaction */
    OF_NO_MEMORY,
    OF_IO                   /* the store failed: disk full, damaged, closed */
} of_code;

typedef struct of_error {
    of_code code;
    char type[64];      /* DynamoDB's name for it: "ValidationException" */
    char message[1024]; /* DynamoDB's words, or one sentence; always terminated */
} of_error;

typedef enum of_durability {
    OF_FULL = 0, /* synced before a write returns */
    OF_RELAXED
} of_durability;

typedef struct of_options {
    const char *dir;          /* data directory, made if it is not there; NULL: in memory */
    of_durability durability;
} of_options;

/* "0.1.0" */
OF_API const char *of_version(void);

OF_API int of_open(of_db **db, const of_options *options, of_error *err);
/* Ends background work, waits for writes under way. Nothing made from db may be used afterwards: queries
 * are closed before it. */
OF_API void of_close(of_db *db);

/* ---- JSON in, JSON out ---- */

/* operation: "CreateTable", "Query" ...; body: its JSON request. Returns OF_OK and an answer also when the
 * operation failed: of_answer_status then is not 200 and the body is DynamoDB's error envelope. A body
 * over 16 MB is OF_INVALID. */
OF_API int of_call(of_db *db, const char *operation, ptrdiff_t operation_len, const char *body,
                   ptrdiff_t body_len, of_answer **answer, of_error *err);
OF_API int of_answer_status(const of_answer *answer);
/* Terminated by a NUL that is not counted. */
OF_API const char *of_answer_body(const of_answer *answer, size_t *len);
OF_API void of_answer_free(of_answer *answer);
/* A JSON object as an item, to be read with the of_value functions: objects are maps, arrays are lists. The caller frees it. */
OF_API int of_answer_item(const of_answer *answer, of_item **item, of_error *err);

/* ---- values ---- */

typedef enum of_type {
    OF_NONE,
    OF_STRING,
    OF_NUMBER,
    OF_BINARY,
    OF_STRING_SET,
    OF_NUMBER_SET,
    OF_BINARY_SET,
    OF_MAP,
    OF_LIST,
    OF_NULL,
    OF_BOOL
} of_type;

/* A borrowed view of one attribute value. Copy it freely; it lives until what it came from is changed or freed:
 * a later value of an attribute takes the place of the one before it. */
typedef struct of_value {
    const void *p; /* not for your eyes */
    size_t n;
    int member_of; /* 0, or the type of the set it is a member of */
} of_value;

#define OF_NUMBER_TEXT_MAX 192 /* room for the text of any number, with its NUL */

OF_API of_type of_value_type(of_value v);
/* Bytes of a string or binary; NULL for other types. Not terminated. */
OF_API const char *of_value_bytes(of_value v, size_t *len);
/* The text of a number in normal form, terminated; 0 for other types, else its length. */
OF_API size_t of_value_number(of_value v, char text[OF_NUMBER_TEXT_MAX]);
/* False if it is not a number, not whole, or out of range. */
OF_API bool of_value_int(of_value v, int64_t *out);
/* The nearest double; false if it is not a number. */
OF_API bool of_value_double(of_value v, double *out);
OF_API bool of_value_bool(of_value v);
/* Members of a set, elements of a list, attributes of a map. */
OF_API size_t of_value_count(of_value v);
/* The attribute of a map; the element of a list. False if there is none. */
OF_API bool of_value_get(of_value map, const char *name, ptrdiff_t name_len, of_value *out);
OF_API bool of_value_at(of_value list, size_t index, of_value *out);

/* Walks maps, lists and sets. name is set for maps only. For sets, value is a string, number or binary.
 *     of_iter it = of_iter_of(v);
 *     while (of_iter_next(&it)) use(it.name, it.name_len, it.value);                               */
typedef struct of_iter {
    const char *name;
    size_t name_len;
    of_value value;
    const void *at, *end; /* the rest is not for your eyes */
    int type;
} of_iter;
OF_API of_iter of_iter_of(of_value v);
OF_API bool of_iter_next(of_iter *it);

/* ---- items ---- */

/* NULL if memory is out. The of_item_set functions return 0, OF_INVALID (a number that is none, an empty
 * set, an empty name or one over 65,535 bytes, text that is not UTF-8 ...) or OF_NO_MEMORY; a name that is already there is replaced. What is passed in is copied. */
OF_API of_item *of_item_new(void);
OF_API void of_item_free(of_item *item);
OF_API int of_item_set_string(of_item *item, const char *name, ptrdiff_t name_len, const char *text,
                              ptrdiff_t len);
OF_API int of_item_set_binary(of_item *item, const char *name, ptrdiff_t name_len,
                              const void *bytes, size_t len);
/* Up to 38 digits, as text: "3.14", "-1e10". */
OF_API int of_item_set_number(of_item *item, const char *name, ptrdiff_t name_len, const char *text,
                              ptrdiff_t len);
OF_API int of_item_set_int(of_item *item, const char *name, ptrdiff_t name_len, int64_t number);
OF_API int of_item_set_bool(of_item *item, const char *name, ptrdiff_t name_len, bool value);
OF_API int of_item_set_null(of_item *item, const char *name, ptrdiff_t name_len);
OF_API int of_item_set_map(of_item *item, const char *name, ptrdiff_t name_len, const of_item *map);
OF_API int of_item_set_list(of_item *item, const char *name, ptrdiff_t name_len, const of_list *list);
/* The list's elements (strings, or numbers, or binaries) as a set. */
OF_API int of_item_set_set(of_item *item, const char *name, ptrdiff_t name_len,
                           const of_list *members);
/* Any value, from any item. */
OF_API int of_item_set_value(of_item *item, const char *name, ptrdiff_t name_len, of_value value);
OF_API int of_item_remove(of_item *item, const char *name, ptrdiff_t name_len);

/* The item as a value of type OF_MAP; valid until the item is changed or freed. */
OF_API of_value of_item_value(const of_item *item);
OF_API bool of_item_get(const of_item *item, const char *name, ptrdiff_t name_len, of_value *out);
/* Size in bytes as DynamoDB counts it. */
OF_API size_t of_item_size(const of_item *item);

OF_API of_list *of_list_new(void);
OF_API void of_list_free(of_list *list);
OF_API int of_list_add_string(of_list *list, const char *text, ptrdiff_t len);
OF_API int of_list_add_binary(of_list *list, const void *bytes, size_t len);
OF_API int of_list_add_number(of_list *list, const char *text, ptrdiff_t len);
OF_API int of_list_add_int(of_list *list, int64_t number);
OF_API int of_list_add_value(of_list *list, of_value value);

/* ---- single items ---- */

/* Expressions are DynamoDB's. names: an item of strings, "#n" to attribute name; values: an item of
 * ":v" to value. Both may be NULL; one without attributes is the same as NULL. */
typedef struct of_write_options {
    const char *condition;
    const of_item *names, *values;
} of_write_options;

/* old (may be NULL): the replaced item, or NULL if there was none; the caller frees it. */
OF_API int of_put(of_db *db, const char *table, const of_item *item, const of_write_options *options,
                  of_item **old, of_error *err);
/* *item is NULL if there is none (and the result is OF_OK). projection may be NULL. */
OF_API int of_get(of_db *db, const char *table, const of_item *key, const char *projection,
                  const of_item *names, of_item **item, of_error *err);
/* expression: "SET a = :v"; result (may be NULL): the item as it is now. */
OF_API int of_update(of_db *db, const char *table, const of_item *key, const char *expression,
                     const of_write_options *options, of_item **result, of_error *err);
OF_API int of_delete(of_db *db, const char *table, const of_item *key,
                     const of_write_options *options, of_item **old, of_error *err);

/* ---- queries ---- */

typedef struct of_query_options {
    const char *index;      /* NULL: the table */
    const char *condition;  /* key condition: "PK = :pk and begins_with(SK, :p)"; NULL: scan */
    const char *filter;     /* may be NULL */
    const char *projection; /* may be NULL */
    const of_item *names, *values;
    bool descending;
    size_t limit;           /* items to return in all; 0: every one */
} of_query_options;

/* The options are read at once and need not live on. */
OF_API int of_query_open(of_query **query, of_db *db, const char *table,
                         const of_query_options *options, of_error *err);
/* OF_OK and the next item, OF_END, or an error. The item lives until the next call. */
OF_API int of_query_next(of_query *query, const of_item **item, of_error *err);
OF_API void of_query_close(of_query *query);

/* ---- transactions ---- */

/* Collects up to 100 actions, which of_transaction_commit does all or not at all. Everything passed in is
 * copied. Adding fails only for want of memory; what is wrong with an action is said at the commit. */
OF_API of_transaction *of_transaction_new(of_db *db);
OF_API void of_transaction_free(of_transaction *t);
OF_API int of_transaction_put(of_transaction *t, const char *table, const of_item *item,
                              const of_write_options *options);
OF_API int of_transaction_update(of_transaction *t, const char *table, const of_item *key,
                                 const char *expression, const of_write_options *options);
OF_API int of_transaction_delete(of_transaction *t, const char *table, const of_item *key,
                                 const of_write_options *options);
OF_API int of_transaction_check(of_transaction *t, const char *table, const of_item *key,
                                const of_write_options *options);
/* token: makes a repeat within ten minutes harmless; NULL: none. OF_TRANSACTION_CANCELED: the message
 * holds the reason of each action in order. The transaction is used up either way: free it. */
OF_API int of_transaction_commit(of_transaction *t, const char *token, of_error *err);

/* ---- elsewhere ---- */

/* A database that is not in this process: a running onefold, or any DynamoDB endpoint. Requests are signed with what the
 * usual AWS variables and profile files say. of_call and the functions of the model work on it; the typed functions
 * above answer OF_INVALID. Needs libcurl (libcurl.so.4) at run time. */
typedef struct of_remote_options {
    const char *endpoint; /* "http://127.0.0.1:8000", "aws"; NULL: AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, the
                           * profile's endpoint_url, else AWS itself */
    const char *region;   /* NULL: AWS_REGION, AWS_DEFAULT_REGION, the profile's, us-east-1 */
    const char *profile;  /* NULL: AWS_PROFILE, "default"; one that is named must be there */
    /* Files in PEM form, for an endpoint that begins with https://, whose certificate and name are checked always. */
    const char *ca_file;     /* the authorities that are believed; NULL: AWS_CA_BUNDLE, the profile's ca_bundle, the system's */
    const char *client_cert; /* to be shown to the server; NULL: ONEFOLD_CLIENT_CERT, else none */
    const char *client_key;  /* its key; NULL: it is in the same file (ONEFOLD_CLIENT_KEY for ONEFOLD_CLIENT_CERT) */
} of_remote_options;
OF_API int of_connect(of_db **db, const of_remote_options *options, of_error *err);
/* Does it speak to Amazon's own service, so that a person should be asked before writing? */
OF_API bool of_is_aws(const of_db *db);

/* ---- the model ---- */

/* A model is the file that docs/model.md describes. The functions below are what the commands of the `onefold` program do; a
 * report is the JSON that the command prints with --json (docs/json.md), or the text where it says so. A model never changes and may be
 * used by any number of threads. */
typedef struct of_model of_model;

/* err tells the first problem with its place; of_model_check tells all. */
OF_API int of_model_open(of_model **model, const char *path, of_error *err);
/* name: what stands for the file in messages; data files are looked for beside it. */
OF_API int of_model_parse(of_model **model, const char *text, ptrdiff_t len, const char *name, of_error *err);
/* A file that a model names (data, prices), given instead of read. */
typedef struct of_file {
    const char *name; /* as the model names it */
    const char *text;
    size_t len;
} of_file;
/* The same with its files: of these copies are made, and no other is read. */
OF_API int of_model_parse_with(of_model **model, const char *text, ptrdiff_t len, const char *name, const of_file *files,
                               size_t n_files, of_error *err);
OF_API void of_model_close(of_model *model);

/* Every problem of a model file. OF_OK also where there are some: {"problems":[...]}. */
OF_API int of_model_check(const char *path, of_answer **report, of_error *err);
/* A model that is being written, with the files it names: its problems, its text as a tree with places and, where it is a model,
 * the document (as of of_model_docs "json") and what lint finds; OF_OK also where there are problems. No file is read. */
OF_API int of_model_describe(const char *text, ptrdiff_t len, const char *name, const of_file *files, size_t n_files,
                             of_answer **report, of_error *err);
/* The text with edits made in it, everything else (comments too) as it was: {"text":"...","notes":[]}. edits: a JSON list such as
 * [{"Op":"set","Path":["entities","Order","attributes","total"],"Value":{"type":"number"}}]; docs/studio-api.md has them all under
 * EditModel. Neither text need be a model, only YAML. An edit that cannot be made is an error, and nothing is edited. */
OF_API int of_model_edit(const char *text, ptrdiff_t len, const char *name, const of_file *files, size_t n_files, const char *edits,
                         ptrdiff_t edits_len, of_answer **report, of_error *err);
/* What the model holds, in the file's order: {"table":"shop","entities":[{"name":"Order","attributes":[{"name":"orderId",
 * "type":"string","key":true}]}],"patterns":[{"name":"ordersOfCustomer","inputs":["customerId"]}]}. */
OF_API int of_model_outline(const of_model *model, of_answer **report, of_error *err);
/* How each pattern is answered, or one (pattern not NULL); where it is not: proposals. */
OF_API int of_model_explain(const of_model *model, const char *pattern, of_answer **report, of_error *err);
OF_API int of_model_lint(const of_model *model, of_answer **report, of_error *err);
/* What to do about a busy partition: whose key it is and the shards that would spread it. index: NULL: the table's own. key: its
 * hash attributes as DynamoDB JSON, {"PK":{"S":"STATUS#open"}}. */
OF_API int of_model_advise(const of_model *model, const char *index, const char *key, ptrdiff_t key_len, of_answer **report,
                           of_error *err);
/* format: "markdown", "svg", "mermaid", "json". The report is that text. */
OF_API int of_model_docs(const of_model *model, const char *format, of_answer **report, of_error *err);
/* format: "create-table", "cloudformation", "terraform". */
OF_API int of_model_table(const of_model *model, const char *format, of_answer **report, of_error *err);
typedef struct of_policy_options {
    const char *tenant;           /* the attribute that tells tenants apart; NULL: the first one in the keys */
    const char *tag;              /* of the access key; NULL: "tenant" */
    const char *const *entities;  /* NULL: all */
    size_t n_entities;
    bool read_only;
} of_policy_options;
/* The IAM policy that keeps a tenant to its own partitions, and which keys it cannot keep apart. */
OF_API int of_model_policy(const of_model *model, const of_policy_options *options, of_answer **report, of_error *err);
/* The file's JSON Schema, for editors. */
OF_API int of_model_schema(of_answer **report, of_error *err);

typedef struct of_cost_options {
    const char *prices;  /* a file; NULL: the model's, else built in */
    bool against_tables; /* also as one table per entity */
    bool provisioned;    /* else on demand */
    double scale;        /* rates and expected numbers of items times this; 0: as the model states them */
    const double *scales; /* "growth": also the totals at each of these times what the model states */
    size_t n_scales;
} of_cost_options;
OF_API int of_model_cost(const of_model *model, const of_cost_options *options, of_answer **report, of_error *err);
/* Bytes by attribute and units per operation of one item, given as DynamoDB JSON or plain JSON. */
OF_API int of_size(const char *item, ptrdiff_t len, of_answer **report, of_error *err);

typedef struct of_apply_options {
    bool dry_run;        /* only the plan */
    bool delete_indexes; /* drop what the model does not have */
    void (*progress)(void *ctx, const char *text); /* a sentence while an index is being built; NULL: none */
    void *ctx;
} of_apply_options;
/* Creates the table or adds indexes: {"plan":[...],"done":true}. */
OF_API int of_model_apply(const of_model *model, of_db *db, const of_apply_options *options, of_answer **report,
                          of_error *err);

/* ---- entities ---- */

typedef struct of_entity_options {
    bool if_absent;        /* put: only if there is none */
    const char *condition; /* "status = pending and total > 10"; NULL: none */
    /* put, update, delete: attributes as they were read; a value of OF_NULL: it was not there. If any of them is different now, nothing is
     * written: OF_CONDITION_FAILED, and the message names what differs. So nobody's change is overwritten unseen. NULL: none */
    const of_item *expected;
    bool dry_run;          /* nothing is written; requests tells what would be sent */
    of_answer **requests;  /* not NULL: the raw requests, a JSON array; the caller frees it */
} of_entity_options;

/* Sets an attribute of item from text as a person types it, by the type that the model declares: "12" for a number, "true",
 * base64 for a binary, JSON for a list, map or set; a string is the text itself. Not declared: a string, where the
 * entity is open. No rule but the type is checked. */
OF_API int of_entity_set(const of_model *model, const char *entity, of_item *item, const char *name, ptrdiff_t name_len,
                         const char *text, ptrdiff_t len, of_error *err);
/* The same from plain JSON: "12", "\"text\"", "[1,2]". What is not declared is what its JSON says. */
OF_API int of_entity_set_json(const of_model *model, const char *entity, of_item *item, const char *name,
                              ptrdiff_t name_len, const char *json, ptrdiff_t len, of_error *err);
/* All attributes from one plain JSON object. null is OF_NULL; of a name that is not declared the value is what its JSON says: whether
 * the entity may have it is told when it is written. The caller frees the item. */
OF_API int of_entity_from_json(const of_model *model, const char *entity, const char *json, ptrdiff_t len, of_item **item,
                               of_error *err);
/* And back: a set is an array, a binary is base64; hidden attributes are left out. */
OF_API int of_entity_to_json(const of_model *model, const char *entity, const of_item *item, of_answer **json, of_error *err);
/* An input of a pattern; dates stay text ("today", "-30d"). */
OF_API int of_pattern_set(const of_model *model, const char *pattern, of_item *inputs, const char *name,
                          ptrdiff_t name_len, const char *text, ptrdiff_t len, of_error *err);

/* What items that one has read are. items: a JSON array in DynamoDB JSON; the report has one element for each: its entity, whether it is
 * a copy, a unique value's sentinel or none of the model's, where its original lies, its size (docs/json.md, identify). */
OF_API int of_items_identify(const of_model *model, const char *items, ptrdiff_t len, of_answer **report, of_error *err);
/* The keys that attributes (an object in DynamoDB JSON, which need not be whole) give the entity, its copies and its entries in
 * indexes: {"keys":[...]} (docs/json.md, identify). */
OF_API int of_entity_keys(const of_model *model, const char *entity, const char *attributes, ptrdiff_t len,
                          of_answer **report, of_error *err);

/* attributes: without keys, which are computed. result (may be NULL): the entity as it is now. */
OF_API int of_entity_put(const of_model *model, of_db *db, const char *entity, const of_item *attributes,
                         const of_entity_options *options, of_item **result, of_error *err);
/* *result is NULL if there is none. Of the options dry_run and requests count. */
OF_API int of_entity_get(const of_model *model, of_db *db, const char *entity, const of_item *key,
                         const of_entity_options *options, of_item **result, of_error *err);
/* set: attributes to change; add: numbers to add; remove: an item whose names are removed. Each may be NULL. */
OF_API int of_entity_update(const of_model *model, of_db *db, const char *entity, const of_item *key, const of_item *set,
                            const of_item *add, const of_item *remove, const of_entity_options *options,
                            of_item **result, of_error *err);
OF_API int of_entity_delete(const of_model *model, of_db *db, const char *entity, const of_item *key,
                            const of_entity_options *options, of_item **old, of_error *err);
/* steps: YAML or JSON, a list of { put: Order, attributes: {...} }, { update: Order, key: {...}, set/add/remove },
 * { delete: Order, key }, { check: Order, key, if }. All of it or nothing. */
OF_API int of_entities_transact(const of_model *model, of_db *db, const char *steps, ptrdiff_t len, const char *token,
                                const of_entity_options *options, of_error *err);

typedef struct of_run_options {
    uint32_t limit;       /* 0: the pattern's */
    const char *after;    /* token of the page before; NULL: the first */
    const char *filter;   /* NULL: none */
    const char *index;    /* of_model_query: answer from this one; NULL: the cheapest */
    bool raw;             /* of_model_query: the text is a key condition, "PK = 'CUST#1' and begins_with(SK, 'ORDER#')", and
                             entity may be NULL; of_model_scan: copies, sentinels and foreign items too */
    bool descending;      /* of_model_query */
    bool consistent;
    bool dry_run;
    of_answer **requests; /* as above */
    uint32_t read;        /* of_model_scan: at most so many items are read, found or not; "after" tells where to go on. 0: no bound */
} of_run_options;

/* {"Order":[...],"OrderItem":[...],"read":{...},"after":"..."} */
OF_API int of_pattern_run(const of_model *model, of_db *db, const char *pattern, const of_item *inputs,
                          const of_run_options *options, of_answer **report, of_error *err);
/* A program that asks the same and prints the answer as JSON, ready to be copied. language: "javascript" (AWS SDK 3), "python" (boto3),
 * "cli" (AWS CLI in a POSIX shell), "onefold" (the command) or "c" (this library); the last two read the model from ./onefold.yaml.
 * endpoint: NULL: AWS itself. Dates such as -30d are reckoned from now where the program sends requests itself. */
OF_API int of_pattern_code(const of_model *model, const char *pattern, const of_item *inputs, const char *language,
                           const char *endpoint, of_answer **text, of_error *err);
/* An ad-hoc question: "username = alice and postId > X", resolved like a pattern. */
OF_API int of_model_query(const of_model *model, of_db *db, const char *entity, const char *where,
                          const of_run_options *options, of_answer **report, of_error *err);
/* How that question would be answered, of the options index, raw, descending and filter: {"plan":{...},"match":"orders","scan":null}.
 * match: the pattern that asks the same, or null. Where no key answers it (or where is NULL) that is no error: plan is null, and scan
 * tells what reading the whole table costs. Reads nothing but DescribeTable. */
OF_API int of_model_query_explain(const of_model *model, of_db *db, const char *entity, const char *where,
                                  const of_run_options *options, of_answer **report, of_error *err);
/* Every item of an entity (NULL: of all), by reading the whole table. dry_run: {"estimate":{"items":n,"bytes":n,"units":x}}. */
OF_API int of_model_scan(const of_model *model, of_db *db, const char *entity, const of_run_options *options,
                         of_answer **report, of_error *err);

/* ---- many entities ---- */

/* Called while a long job is under way: what is counted, how many so far, of how many (0: not known). */
typedef void of_progress(void *ctx, const char *what, uint64_t done, uint64_t of);

typedef struct of_load_options {
    bool raw;            /* items in DynamoDB JSON, past the model */
    bool dry_run;        /* everything is checked, nothing written */
    const char *marker;  /* file that remembers how far it got; NULL: PATH.onefold-load */
    of_progress *progress;
    void *ctx;
} of_load_options;
/* path: a data file (.yaml, .yml, .json), NDJSON, a folder of .ndjson files, "-": NDJSON from standard input. A bad line
 * stops it with its number; a second run goes on there. {"loaded":{"Order":n},"raw":n,"before":n} */
OF_API int of_model_load(const of_model *model, of_db *db, const char *path, const of_load_options *options,
                         of_answer **report, of_error *err);

/* The sample data that the model itself names. The same report. */
OF_API int of_model_load_sample(const of_model *model, of_db *db, of_answer **report, of_error *err);

typedef struct of_browse_options {
    const char *partition; /* only the drawer with this key; NULL: all */
    const char *index;     /* the drawers of an index; NULL: of the table */
    const char *beside;    /* the index whose keys stand beside each item; NULL: all */
    const char *after;     /* token of the page before */
    uint32_t limit;        /* items of a page; 0: 100 */
} of_browse_options;
/* {"drawers":[{"key":{...},"items":[...]}],"after":"..."} */
OF_API int of_model_browse(const of_model *model, of_db *db, const of_browse_options *options, of_answer **report,
                           of_error *err);

typedef struct of_unfold_options {
    const char *format;  /* "sqlite", "csv", "ndjson" */
    const char *to;      /* a file (sqlite) or a folder that is not there yet */
    const char *entity;  /* NULL: all */
    of_progress *progress;
    void *ctx;
} of_unfold_options;
/* One relational table per entity, keys stripped. Needs libsqlite3 (libsqlite3.so.0) at run time for sqlite. */
OF_API int of_model_unfold(const of_model *model, of_db *db, const of_unfold_options *options, of_answer **report,
                           of_error *err);

typedef struct of_fold_options {
    const char *mapping; /* a file that says which column is which attribute; NULL: guessed */
    const char *entity;  /* NULL: all */
    bool dry_run;        /* the mapping and the counts, nothing written */
    of_progress *progress;
    void *ctx;
} of_fold_options;
/* source: an SQLite file, a folder of CSV files, or one CSV file. */
OF_API int of_model_fold(const of_model *model, of_db *db, const char *source, const of_fold_options *options,
                         of_answer **report, of_error *err);

/* ---- the pattern library ---- */

/* Models to learn from and to start with: [{"name":"orders","about":"...","files":["onefold.yaml",...]}] */
OF_API int of_patterns(of_answer **report, of_error *err);
/* The text of one file. */
OF_API int of_patterns_file(const char *name, const char *file, of_answer **text, of_error *err);

#ifdef __cplusplus
}
#endif

#endif
