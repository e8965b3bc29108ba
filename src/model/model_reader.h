/* model_reader.h: what the files that read a model share: the model under construction, and how members of the file
 * are taken from their nodes. Private to model_*.c.
 *
 * A reader goes on after a problem, so that one run tells all of them. What could not be read is left in a state
 * that later checks skip silently: an attribute's type is TYPE_NONE, an index has no hash key, an entity is `broken`. No
 * such thing leaves the reader, since a model with problems is never handed out. */
#ifndef OF_MODEL_MODEL_READER_H
#define OF_MODEL_MODEL_READER_H

#include "model.h"
#include "names.h"
#include <regex.h>

/* Compiled patterns hold memory of their own. */
struct model_regex {
    regex_t regex;
    struct model_regex *next;
};

/* The model that is handed out, and what only lookups and model_free need. */
struct model_whole {
    struct model model;
    struct names entity_names, pattern_names, key_names;
    struct model_regex *regexes;
};

/* What an entity is while it is read. */
struct entity_draft {
    struct entity *entity;
    const struct node *node;      /* NULL: it is no map */
    const struct node *fields[16]; /* its members, see model_entity.c */
    struct attribute *attributes; /* entity->attributes, to be changed */
    struct names names;
    bool broken;                  /* its attributes are not known */
    bool escape;
};

struct reader {
    struct model_whole *whole;
    struct model *m;
    struct arena *a;              /* the model's */
    struct problems *ps;          /* in the model's arena too, until the end */
    struct model_index *indexes;  /* m->indexes */
    size_t n_keys;                /* key attributes of all of them, with repetitions */
    struct entity *entities;      /* m->entities */
    struct entity_draft *drafts;
    struct access_path **paths;   /* each on its own until all are known */
    size_t n_paths, cap_paths;
    bool schema_stated;           /* by an entity */
    struct slice schema_name;     /* the schema attribute, once it is one */
};

/* ---- members (model_fields.c) ---- */

enum field_kind {
    FIELD_TEXT,   /* a string: no list, no map, not null, and no number or boolean without quotes */
    FIELD_SCALAR, /* anything that is no list and no map, and not null */
    FIELD_BOOL,
    FIELD_MAP,
    FIELD_LIST,
    FIELD_ANY     /* not null */
};

struct field {
    struct slice name;
    enum field_kind kind;
    bool required;
};
/* What to do about a model without entities. */
#define FIRST_ENTITY "describe one, such as entities: { Customer: { key: { PK: \"CUSTOMER#${id}\", SK: PROFILE }, attributes: { id: string } } }"
#define FIELD(name, kind)    { { (const uint8_t *)("" name), sizeof(name) - 1 }, (kind), false }
#define REQUIRED(name, kind) { { (const uint8_t *)("" name), sizeof(name) - 1 }, (kind), true }

/* Sorts the members of a map into out, n of them, NULL where one is not there or wrong. What is unknown, missing or of
 * another kind becomes a problem. where: "an entity", for the message. False if node is no map. */
bool fields_read(struct reader *r, const struct node *node, const char *where, const struct field *fields, size_t n,
                 const struct node **out);
#define FIELDS_READ(r, node, where, fields, out) \
    fields_read((r), (node), (where), (fields), sizeof(fields) / sizeof((fields)[0]), (out))
bool field_fits(struct reader *r, const struct node *n, struct slice name, enum field_kind kind);

/* Text of a FIELD_TEXT; empty where n is NULL. */
struct slice text_of(const struct node *n);
/* False after a problem, or where n is NULL; then *out stays as it is. */
bool read_bool(const struct node *n, bool *out);
bool read_whole(struct reader *r, const struct node *n, struct slice name, uint64_t least, uint64_t most, uint64_t *out);
/* Which of the words; -1 after a problem or where n is NULL. */
int read_word(struct reader *r, const struct node *n, struct slice name, const char *const *words, size_t n_words);
/* A list of texts, all different; false after problems. */
bool read_texts(struct reader *r, const struct node *n, struct slice name, const struct slice **out, size_t *n_out);
/* 10/s, and { items, bytes }. */
void read_rate(struct reader *r, const struct node *n, struct rate *out);
void read_expectation(struct reader *r, const struct node *n, struct expectation *out);
/* At most 255 bytes, not empty, nothing that cannot be printed. */
bool name_is_good(struct reader *r, struct slice name, struct place at, const char *what);
/* DynamoDB's rule for tables and indexes: 3 to 255 of a-zA-Z0-9_.- */
bool resource_name_is_good(struct reader *r, struct slice name, struct place at, const char *what);

/* What a message shows of a name: not more than 80 bytes, whole characters. */
struct slice shown(struct slice s);
#define SHOWN(s) SLICE_ARG(shown(s))
/* A number of 1 to 3 kinds: "a list", "a map", "text", "nothing" ... for messages. */
const char *node_says(const struct node *n);

/* "did you mean X?", or else otherwise. */
struct slice hint_near(struct reader *r, struct slice name, const struct slice *list, size_t n, const char *otherwise);
struct slice hint_attribute(struct reader *r, const struct entity_draft *d, struct slice name);

/* ---- parts ---- */

void read_table(struct reader *r, const struct node *keys, const struct node *indexes);      /* model_table.c */
struct model_index *find_index(struct reader *r, struct slice name);
void check_projections(struct reader *r);

/* model_attribute.c. lock: the attribute that counts versions, or NULL. */
void read_attributes(struct reader *r, struct entity_draft *d, const struct node *node, const struct node *lock);
/* The attribute, declared or automatic; NULL if there is none. */
struct attribute *draft_attribute(const struct entity_draft *d, struct slice name);
const char *type_word(enum val_type t); /* "string", "number-set" ... */

/* The rules of one attribute, and whether they fit its type and each other (model_rules.c). */
struct rule_nodes {
    const struct node *default_, *enumeration, *pattern, *min, *max, *format, *generate;
};
void read_rules(struct reader *r, const struct entity *en, const struct rule_nodes *n, struct attribute *at);
bool read_regex(struct reader *r, const struct node *n, struct attribute *at);               /* model_regex.c */

void read_entities(struct reader *r, const struct node *node, const struct node *ttl);       /* model_entity.c */

/* Keys (model_keys.c). */
struct access_path *read_key(struct reader *r, struct entity_draft *d, const struct node *key,
                             const struct node *shards, struct copy *copy);
/* Index entries of the entity (copy NULL) or of one of its copies. */
void read_entries(struct reader *r, struct entity_draft *d, const struct node *node, struct access_path *key,
                  struct copy *copy, const struct access_path *const **out, size_t *n_out);
/* model_template.c */
bool read_template(struct reader *r, const struct entity_draft *d, const struct key_attribute *ka,
                   const struct node *node, bool sharded, struct key_template *out);
bool same_template(const struct template *a, const struct template *b);
/* model_mistakes.c: is the rest of a template taken for a comment; does it have holes as others write them? Then a
 * problem was added. */
bool template_is_cut(struct reader *r, const struct node *n, struct slice name);
bool template_is_another_language(struct reader *r, const struct entity_draft *d, const struct template *t);
/* model_shards.c. of: the key side it may spread. */
const struct shards *read_shards(struct reader *r, const struct entity_draft *d, const struct node *node,
                                 const struct key_side *side);

void read_copies(struct reader *r, struct entity_draft *d, const struct node *node);         /* model_copies.c */
void read_unique(struct reader *r, struct entity_draft *d, const struct node *node);         /* model_unique.c */

void read_patterns(struct reader *r, const struct node *node);                               /* model_pattern.c */
/* model_condition.c. by: equalities only; where: ranges only; filter: both. d: of the entity that is asked for. */
enum condition_place { IN_BY, IN_WHERE, IN_FILTER };
void read_conditions(struct reader *r, const struct entity_draft *d, const struct node *node, enum condition_place in,
                     const struct condition **out, size_t *n_out);
/* An input that stands for two attributes must be able to be both. */
void check_inputs(struct reader *r, const struct entity_draft *d, const struct pattern *p);

uint64_t model_fingerprint(const struct model *m);                                           /* model_fingerprint.c */

#endif
