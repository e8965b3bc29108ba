/* check_impl.h: what the parts of the check share. */
#ifndef OF_ENGINE_CHECK_IMPL_H
#define OF_ENGINE_CHECK_IMPL_H

#include "check.h"
#include "catalog.h"
#include "history.h"

struct check;

/* What an id in keys of items, entries and counters stands for. */
enum owner_kind {
    OWNER_TABLE,
    OWNER_INDEX,
    OWNER_EXPIRY,  /* times of expiry */
    OWNER_BACKUP,  /* items that lie apart from any table: of a backup, a copy under way, an export */
    OWNER_CHANGES, /* what an export gathered */
    OWNER_DROPPED, /* being removed */
    OWNER_WAITING  /* items of a dropped table that copies still read */
};

struct owner {
    uint32_t id;
    enum owner_kind kind;
    const struct table *table; /* whose keys they have; NULL: not known */
    const struct index *index;
    struct slice backup;       /* its name */
    bool filling;              /* entries are missing behind this key of an item: */
    struct slice position;
    int64_t count, bytes;      /* found */
    uint64_t changes;          /* in its history */
    int64_t said_count, said_bytes; /* of a backup, by its record; -1: it says nothing */
};

/* A record that another one is to be compared with. They are looked up many at a time: on a store that is far away each question takes its time. */
struct lookup {
    enum store_space space;
    struct slice key;
    void (*then)(struct check *k, const struct lookup *l, int status, struct slice value);
    struct owner *owner;
    struct slice of, made; /* what then makes of it: the key or item it was asked for, and what there should be */
};
#define CHECK_LOOKUPS 128

struct check {
    const struct check_options *o;
    struct check_report *report;
    const bool *damaged;    /* by space */
    struct store *store;
    struct store_txn *txn;  /* the innermost: what it gives out may be gone at the next record */
    struct arena kept;      /* the catalog */
    struct arena scratch;   /* of one record, and of those that wait for lookups */
    struct lookup lookups[CHECK_LOOKUPS];
    size_t n_lookups;
    struct owner *owners;   /* by id, when the catalog has been read */
    size_t n_owners, cap;
    uint32_t last_id;
    uint64_t last_sequence;
    bool damage_is_told;    /* this is the second time that the space is gone through */
    const char *stage;      /* for progress */
    uint64_t done;
    uint64_t of_pages;      /* findings */
};

/* ---- check.c ---- */

struct owner *check_owner(struct check *k, uint32_t id);
/* Tells one finding. table, index: may be NULL. key: of an item with the table's key attributes, or an empty slice. */
void check_tell(struct check *k, const char *space, const struct owner *o, struct slice item, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The same, where only the key in the store is known. */
void check_tell_key(struct check *k, const char *space, const struct owner *o, struct slice store_key, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Calls fn for each key and value of a range; tells of values that are damaged, and goes on behind them. Returns STORE_OK, or what ended
 * it: STORE_CORRUPT, when it was told, where the cursor does not get on. */
typedef void check_fn(struct check *k, struct slice key, struct slice value, void *ctx);
int check_each(struct check *k, const struct store_range *range, check_fn *fn, void *ctx);
extern const char *const check_spaces[SPACE_END];
/* Slices of a lookup: of the scratch arena, or of values. */
void check_lookup(struct check *k, struct lookup l);
/* Decodes and judges a stored item or entry. False after a finding. */
bool check_record(struct check *k, const char *space, const struct owner *o, struct slice key, struct slice value,
                  struct slice *item, size_t *size);

/* ---- the parts; each returns STORE_OK or what kept it from going on ---- */

int check_catalog(struct check *k);  /* check_catalog.c: fills owners */
int check_items(struct check *k);    /* check_items.c */
int check_entries(struct check *k);
int check_counters(struct check *k); /* check_counters.c, when all was counted */
int check_tokens(struct check *k);
int check_history(struct check *k);  /* check_history.c */

#endif
