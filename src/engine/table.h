/* table.h: what is known of a table: its keys, its indexes, its settings.
 *
 * A struct table exists in two ways. A published one is a heap object with an arena of its own, immutable,
 * freed when the last catalog that holds it goes; it is made by table_decode from its record. A draft is
 * one that an operation builds or changes in the arena of its call (table_decode_in, or a plain zeroed
 * struct): nothing of it needs freeing, running out of memory leaves through the call's guard. A change
 * goes from draft to record (table_encode), is committed, and only then becomes a published table. */
#ifndef OF_ENGINE_TABLE_H
#define OF_ENGINE_TABLE_H

#include "../expr/expr.h"
#include "engine.h"

#define TABLE_MAX_INDEXES 25 /* 20 global and 5 local */

enum table_status { TABLE_CREATING, TABLE_ACTIVE, TABLE_UPDATING, TABLE_DELETING };
enum index_status { INDEX_CREATING, INDEX_ACTIVE, INDEX_UPDATING, INDEX_DELETING };
enum index_kind { INDEX_LOCAL, INDEX_GLOBAL };
enum projection_kind { PROJECT_ALL, PROJECT_KEYS_ONLY, PROJECT_INCLUDE };
enum billing_mode { BILLING_PROVISIONED, BILLING_PAY_PER_REQUEST };

struct throughput {
    int64_t read, write;              /* 0, 0 for on-demand */
    int64_t max_read, max_write;      /* OnDemandThroughput; 0: not set */
    int64_t warm_read, warm_write;    /* WarmThroughput as asked for; 0: not set */
    int64_t increased_ms, decreased_ms; /* when last changed; 0: never */
    int64_t decreases_today;
};

enum insights_mode { INSIGHTS_NONE, INSIGHTS_ALL_KEYS, INSIGHTS_THROTTLED_KEYS };

/* Contributor insights of a table or global index. */
struct insights {
    bool on;
    enum insights_mode mode; /* the last that was set; NONE: never enabled */
    int64_t changed_ms;      /* 0: never */
    int64_t rules_ms;        /* when it was last switched on: part of the names of its rules */
};

/* A resource-based policy. Without a text, the revision is that of its deletion; 0: never had one. */
struct resource_policy {
    struct slice text; /* JSON in the service's canonical form */
    int64_t revision;  /* milliseconds since 1970 */
    const struct policy *read; /* the text as ../auth/policy.h judges by it; NULL: there is none. Derived */
};

/* What DynamoDB grants a new on-demand table or index. */
#define WARM_READ_ON_DEMAND  12000
#define WARM_WRITE_ON_DEMAND 4000
/* What it can take at once: as granted, provisioned or asked for, whichever is more. */
void throughput_warm(const struct throughput *t, enum billing_mode billing, int64_t *read,
                     int64_t *write);

struct index {
    uint32_t id;              /* of its entries in SPACE_INDEX; never reused */
    enum index_kind kind;
    enum index_status status;
    bool backfilling;
    struct slice name;
    struct key_schema key;    /* a local index repeats the table's hash attribute */
    enum projection_kind projection;
    const struct slice *include; /* INCLUDE: the non-key attributes */
    size_t n_include;
    /* All attributes an entry holds, or NULL for ALL: index keys, table keys, include. Derived. */
    const struct projection *entry;
    struct throughput throughput;
    struct insights insights;
};

struct segment; /* history.h */

struct table {
    struct arena arena;       /* owns every slice in here; unused in a draft */
    uint32_t id;              /* of its items in SPACE_ITEM; never reused */
    struct slice name;
    struct slice uuid;        /* TableId */
    int64_t created_ms;
    enum table_status status;
    struct key_schema key;
    struct key_attr *attrs;   /* AttributeDefinitions, in the order given */
    size_t n_attrs;
    enum billing_mode billing;
    int64_t billing_changed_ms; /* LastUpdateToPayPerRequestDateTime; 0: never */
    struct throughput throughput;
    bool deletion_protection;
    /* Settings that are stored and described but change nothing here are kept as they came; empty if
     * absent. */
    struct slice table_class; /* empty, "STANDARD" or "STANDARD_INFREQUENT_ACCESS" */
    int64_t table_class_ms;   /* when it was last changed; 0: never */
    struct slice tags;        /* an encoded map (value.h) of tag key to string; empty: none */
    struct slice stream_view; /* StreamViewType; empty: no stream */
    int64_t stream_created_ms; /* of the latest, also when it was disabled; 0: there never was one */
    /* Its history (history.h): what wants one, beside the stream; the open segments, by hash; the last number. */
    int64_t recovery_since_ms; /* point-in-time recovery; 0: off */
    int64_t recovery_days;     /* how far back, 1 to 35 */
    int64_t copies;            /* how many are under way (copy.h) */
    struct segment *segments;
    size_t n_segments;
    uint32_t last_segment;
    struct slice ttl_attribute; /* empty: time to live is off */
    uint32_t ttl_id;            /* of the entries that tell when items expire, in SPACE_INDEX */
    /* While it is being restored: from which table, as at when, and from which of its backups (empty: from its history). */
    struct slice restore_table, restore_backup;
    int64_t restore_ms;
    /* Of a working copy (own_names.h): the table whose items it has, and that one's id; empty: not known. is_copy: its name says that it is one. Derived */
    struct slice copy_of;
    uint32_t copy_of_id;
    bool is_copy;
    bool is_unfinished; /* it has the mark of own_names.h. Derived */
    bool sse;
    struct slice sse_type, sse_key; /* SSESpecification as given */
    struct insights insights;
    struct resource_policy policy;        /* of the table */
    struct resource_policy stream_policy; /* of its latest stream */
    struct index *indexes;
    size_t n_indexes;
    unsigned refs;            /* catalogs holding it; guarded by the catalog's lock. The last member: table_draft */
};

/* A table in an arena of its own; table_free only before it is published. NULL: out of memory. */
struct table *table_new(void);
void table_free(struct table *t);

/* The record in SPACE_META: an item (value.h) with one attribute per field, so that fields can be added.
 * table_decode gives a heap object with the derived fields filled, or NULL and a status: STORE_CORRUPT if the record is not one,
 * STORE_NO_MEMORY. table_decode_in gives a draft in the arena, NULL if the record is not one. */
struct slice table_encode(const struct table *t, struct arena *a);
struct table *table_decode(struct slice record, int *status);
struct table *table_decode_in(struct arena *a, struct slice record);
/* A field of it, which the row of a past stream has too (streams.h). Empty: never had one. */
struct slice table_encode_policy(struct arena *a, const struct resource_policy *p);
void table_decode_policy(struct arena *a, struct slice map, struct resource_policy *p);
/* A draft that is like the table. */
struct table *table_draft(struct arena *a, const struct table *t);
/* Fills what is derived (index->entry, is_copy, is_unfinished) from the arena. To be called after changing indexes, name or tags. */
void table_derive(struct table *t, struct arena *a);

/* Is it being filled from a backup or from another table's past? It is CREATING then. */
bool table_restoring(const struct table *t);
/* A new TableId. */
struct slice table_new_uuid(struct arena *a);

const struct index *table_index(const struct table *t, struct slice name);
/* Is the attribute part of the table's key? */
bool key_schema_has(const struct key_schema *k, struct slice attribute);

/* Writes the TableDescription object. Item counts come from the transaction's counters. Returns STORE_OK
 * or a store error. */
int table_describe(struct buf *b, struct store_txn *txn, const struct caller *who,
                   const struct table *t);
/* Decreases of throughput are counted from midnight UTC: forgets those of the days before now. */
void table_begin_day(struct table *t, int64_t now_ms);
/* An UpdateTable whose work is under way: what it changes of these is shown as it was before. */
struct table_change {
    const struct table *before;
    bool warm, encryption;
    const bool *index_warm; /* of each index that is shown */
};
int table_describe_change(struct buf *b, struct store_txn *txn, const struct caller *who,
                          const struct table *t, const struct table_change *change);
/* What DeleteTable answers: the same without schema and indexes. */
int table_describe_deleted(struct buf *b, struct store_txn *txn, const struct caller *who,
                           const struct table *t);
/* The member KeySchema, with a comma before it. */
void table_put_key_schema(struct buf *b, const struct key_schema *k);
struct slice caller_region(const struct caller *who);
struct slice caller_account(const struct caller *who);
/* arn:aws:dynamodb:REGION:ACCOUNT:table/NAME */
void table_put_arn(struct buf *b, const struct caller *who, struct slice table_name);

#endif
