/* model.h: the single-table model as data: what a model file says, checked. docs/model.md is the file's manual.
 *
 * A model is read once and then never changes: all parts point into its arena, may be shared by threads and
 * live as long as the model.
 *
 *   model ─ keys, indexes            the table: one hash and at most one sort attribute; indexes
 *         ─ entities ─ attributes    what an item of this type holds
 *         │          ─ paths         where it is found: its key, its copies, its index entries
 *         └ patterns                 the questions
 *
 * A **path** is one place in which an entity can be found: the table under the entity's own key, the table under
 * a copy's key, or an index. Templates hang on paths, so that "which keys does this item have" and "which keys
 * could answer this question" are loops over paths. */
#ifndef OF_MODEL_MODEL_H
#define OF_MODEL_MODEL_H

#include "node.h"
#include "template.h"
#include "when.h"

#define MODEL_MAX_FILE     ((size_t)8 << 20)
#define MODEL_MAX_ENTITIES 1000
#define MODEL_MAX_PATTERNS 5000
#define MODEL_MAX_INDEXES  25  /* 20 global, 5 local */
#define KEY_MAX_PARTS      4   /* attributes of one side of a global index's key */

/* ---- the table ---- */

struct key_attribute {
    struct slice name;
    enum val_type type; /* TYPE_S, TYPE_N or TYPE_B */
};

/* One side (hash or sort) of a key: one attribute, or for a global index up to four. */
struct key_side {
    struct key_attribute attrs[KEY_MAX_PARTS];
    size_t n; /* 0: no sort key */
};

enum projection { PROJECT_ALL, PROJECT_KEYS, PROJECT_INCLUDE };

/* The table itself is index 0 of the model: name empty. */
struct model_index {
    struct slice name;
    struct place place;
    bool local;
    struct key_side hash, sort;
    enum projection projection;
    const struct slice *include; /* PROJECT_INCLUDE */
    size_t n_include;
    size_t number;               /* place in model->indexes */
};

/* ---- entities ---- */

enum generate { GENERATE_NONE, GENERATE_ULID, GENERATE_UUID, GENERATE_NOW };

struct attribute {
    struct slice name;
    struct place place;
    struct slice about;
    enum val_type type;          /* never TYPE_NULL */
    bool required, read_only, hidden;
    bool automatic;              /* written by the model: timestamps, lock version */
    enum generate generate;
    enum time_format time;       /* how it holds time, if it does */
    bool is_uuid;                /* format: uuid */
    struct slice default_value;  /* encoded; empty: none */
    const struct slice *enumeration; /* encoded, in the file's order */
    size_t n_enumeration;
    struct slice pattern;        /* POSIX extended, matches the whole value; empty: none */
    const void *compiled_pattern; /* regex_t, owned by the model */
    struct slice min, max;       /* encoded numbers: of a number its value, else length or count; empty: none */
    const struct attribute *members; /* map: its attributes; list: one, the element; else NULL */
    size_t n_members;
    const struct names *names;   /* of a map's members; for attribute_member */
};

enum shard_kind { SHARD_HASH, SHARD_LETTERS, SHARD_MONTH, SHARD_VALUE };

/* A key that is spread: the shard's text is appended to the key after a delimiter. */
struct shards {
    struct place place;
    struct slice of;        /* the key attribute, e.g. GSI1PK */
    struct slice by;        /* the entity's attribute */
    const struct attribute *by_attribute;
    enum shard_kind kind;
    unsigned count;         /* HASH: shards 0..count-1 */
    unsigned letters;       /* LETTERS: 1 or 2 */
    int64_t since;          /* MONTH: the first month there is, milliseconds */
};

/* The value of one key attribute on a path. */
struct key_template {
    const struct key_attribute *attribute;
    struct template template;
    const struct shards *shards; /* NULL: not sharded */
    bool natural;                /* the attribute of the same name itself: nothing is computed */
};

enum path_kind { PATH_KEY, PATH_COPY, PATH_INDEX };

struct access_path {
    enum path_kind kind;
    const struct entity *entity;
    const struct model_index *index;    /* where: model->indexes[0] for KEY and COPY */
    const struct copy *copy;      /* COPY; INDEX: the copy whose entry it is, else NULL */
    struct place place;
    struct key_template hash[KEY_MAX_PARTS], sort[KEY_MAX_PARTS];
    size_t n_hash, n_sort;
    size_t number;                /* place in model->paths */
};

struct copy {
    struct slice name;            /* as given, else "copy 1" ... */
    struct place place;
    const struct access_path *key;
    const struct access_path *const *entries; /* its index entries: only where declared */
    size_t n_entries;
    const struct slice *only;     /* attributes; NULL: all */
    size_t n_only;
    bool sparse;                  /* not written when an attribute of its key is missing; else that is an error */
};

/* A value, or tuple of values, that only one item of the entity may have. */
struct unique {
    struct place place;
    const struct slice *attributes;
    size_t n;
    struct template hash, sort;   /* of the sentinel; docs/model.md */
};

#define RATE_MONTH_SECONDS 2628000.0 /* 730 hours, the month that AWS's price lists reckon with */

struct rate {
    double per_second;            /* 0: not stated */
};

struct expectation {
    bool has_items, has_bytes;
    double items, bytes;          /* of a pattern: per run, per item; of an entity: in all, per item */
};

struct entity {
    struct slice name;
    struct place place;
    struct slice about;
    const struct attribute *attributes; /* in the file's order, then the automatic ones */
    size_t n_attributes;
    const struct access_path *key;
    const struct access_path *const *entries;  /* index entries of the item itself */
    size_t n_entries;
    const struct copy *copies;
    size_t n_copies;
    const struct unique *uniques;
    size_t n_uniques;
    unsigned schema;              /* 0: not stated */
    struct slice lock;            /* attribute with the version; empty: none */
    bool open;                    /* attributes that are not declared are accepted */
    struct rate put, update, delete;
    struct expectation expect;
    size_t number;                /* place in model->entities */
    const struct names *names;    /* of its attributes; for entity_attribute */
};

/* ---- patterns ---- */

/* A constant (encoded? no: its text, interpreted by the attribute it is compared with) or an input's name. */
struct operand {
    bool input;
    struct slice text;
    struct place place;
};

enum compare {
    COMPARE_EQ, COMPARE_PREFIX, COMPARE_AT_LEAST, COMPARE_ABOVE, COMPARE_AT_MOST, COMPARE_BELOW, COMPARE_BETWEEN,
    COMPARE_SINCE, COMPARE_UNTIL, COMPARE_ON, COMPARE_DURING /* dates; DURING: [a, b) */
};

struct condition {
    struct slice attribute;
    struct place place;
    enum compare op;
    struct operand a, b; /* b: BETWEEN and DURING */
};

enum order { ORDER_NONE, ORDER_NEWEST, ORDER_OLDEST, ORDER_ASCENDING, ORDER_DESCENDING };

struct pattern {
    struct slice name;
    struct place place;
    struct slice about;
    const struct entity *const *entities; /* the first one's attributes are what `by` speaks of */
    size_t n_entities;
    bool collection;              /* everything in the partition of the first one */
    const struct condition *by;   /* equalities that keys must answer */
    size_t n_by;
    const struct condition *where; /* ranges that the sort key must answer */
    size_t n_where;
    const struct condition *filter; /* answered after reading */
    size_t n_filter;
    const struct slice *across;   /* enum (or boolean) attributes to fan out over */
    size_t n_across;
    enum order order;
    uint32_t limit;               /* 0: none */
    const struct model_index *index;    /* forced; NULL: the cheapest */
    struct rate rate;
    struct expectation expect;
    size_t number;
};

/* ---- the whole ---- */

struct silence {
    struct place place;
    struct slice rule, on, reason; /* on: empty: everywhere */
};

/* The files that a model names, given with it. */
struct model_file {
    struct slice name, text;
};
struct model_files {
    const struct model_file *list;
    size_t n;
};

struct model {
    struct arena arena;
    struct slice file, text, table, about;
    const struct model_files *files;  /* borrowed; NULL: they lie on disk (side_file.h) */
    const struct model_index *indexes;      /* 0 is the table */
    size_t n_indexes;
    const struct entity *entities;
    size_t n_entities;
    const struct access_path *paths;         /* all of all entities */
    size_t n_paths;
    const struct pattern *patterns;
    size_t n_patterns;
    struct slice delimiter;
    bool escape;
    struct slice entity_attribute;    /* "entity_type"; empty: none */
    struct slice schema_attribute;    /* "schema_v"; empty: none */
    struct slice created, updated;    /* timestamps; empty: none */
    struct slice ttl;                 /* empty: none */
    const struct slice *data;         /* sample data files, paths as seen from the working directory */
    size_t n_data;
    struct slice prices;              /* file, empty: none */
    const struct silence *silences;
    size_t n_silences;
    uint64_t fingerprint;             /* of everything that decides where items lie; in page tokens */
    const struct node *root;          /* the file's nodes, for places */
};

/* Reads and checks a model. NULL if ps holds problems afterwards; the model is freed with model_free.
 * ps has an arena of its own, which outlives this. */
struct model *model_read(struct problems *ps, struct slice file, struct slice text);
/* The same with the files that it names, which outlive it. NULL: they lie on disk, beside file. */
struct model *model_read_with(struct problems *ps, struct slice file, struct slice text, const struct model_files *files);
/* The same from a file on disk. */
struct model *model_load(struct problems *ps, const char *path);
void model_free(struct model *m);

const struct entity *model_entity(const struct model *m, struct slice name);
const struct pattern *model_pattern(const struct model *m, struct slice name);
const struct model_index *model_index(const struct model *m, struct slice name);
const struct attribute *entity_attribute(const struct entity *e, struct slice name);
/* What a map declares of its member; NULL: nothing. */
const struct attribute *attribute_member(const struct attribute *map, struct slice name);
/* Does a path's key use the attribute (also as what shards go by)? */
bool path_uses(const struct access_path *p, struct slice attribute);
/* Is the attribute in the copy? One that its key or its index entries need always is; otherwise those that `only` lists,
 * or all but those that are themselves an index's hash key, which would put the copy into that index. */
bool copy_holds(const struct copy *c, struct slice attribute);
/* Is name a key attribute of the table or of an index, that is, one the model writes? */
bool model_is_key_attribute(const struct model *m, struct slice name);

#endif
