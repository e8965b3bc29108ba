/* model_attribute.c: reads the attributes of an entity, and those inside maps and lists. How the rules of one attribute
 * fit each other is model_rules.c. */
#include "model_reader.h"

static const char *const type_words[] = { "string", "number", "boolean", "binary", "list", "map",
                                          "string-set", "number-set", "binary-set" };
static const enum val_type types[] = { TYPE_S, TYPE_N, TYPE_BOOL, TYPE_B, TYPE_L, TYPE_M, TYPE_SS, TYPE_NS, TYPE_BS };
#define N_TYPES (sizeof(types) / sizeof(types[0]))

const char *type_word(enum val_type t)
{
    for (size_t i = 0; i < N_TYPES; i++)
        if (types[i] == t) return type_words[i];
    return "value";
}

static enum val_type read_type(struct reader *r, const struct node *n)
{
    int t = read_word(r, n, SLICE("type"), type_words, N_TYPES);
    return t < 0 ? TYPE_NONE : types[t];
}

enum level { TOP, MEMBER, ELEMENT };

enum { TYPE, ABOUT, REQUIRED_, DEFAULT, ENUM, PATTERN, MIN, MAX, FORMAT, GENERATE, READ_ONLY, HIDDEN, ITEMS, MEMBERS, N_FIELDS };
static const struct field fields[] = {
    FIELD("type", FIELD_TEXT),    FIELD("about", FIELD_TEXT),  FIELD("required", FIELD_BOOL), FIELD("default", FIELD_ANY),
    FIELD("enum", FIELD_LIST),    FIELD("pattern", FIELD_TEXT), FIELD("min", FIELD_SCALAR),   FIELD("max", FIELD_SCALAR),
    FIELD("format", FIELD_TEXT),  FIELD("generate", FIELD_TEXT), FIELD("readOnly", FIELD_BOOL), FIELD("hidden", FIELD_BOOL),
    FIELD("items", FIELD_ANY),    FIELD("attributes", FIELD_MAP),
};

/* What only a whole item can do is refused inside of one, rather than ignored. */
static void refuse_inside(struct reader *r, const struct node *const *f, enum level level)
{
    static const int top_only[] = { DEFAULT, GENERATE, READ_ONLY, HIDDEN };
    for (size_t i = 0; i < sizeof(top_only) / sizeof(top_only[0]); i++)
        if (f[top_only[i]])
            problem_add(r->ps, f[top_only[i]]->name_place, SLICE("say it of the attribute that holds this one"),
                        "\"%.*s\" is for attributes of an entity, not for what is inside of them",
                        SLICE_ARG(fields[top_only[i]].name));
    if (level == ELEMENT && f[REQUIRED_])
        problem_add(r->ps, f[REQUIRED_]->name_place, SLICE("use min on the list"),
                    "\"required\" says nothing about the elements of a list");
}

static void read_attribute(struct reader *r, const struct entity *en, const struct node *n, enum level level,
                           struct attribute *out);

static void read_members(struct reader *r, const struct entity *en, const struct node *n, struct attribute *out)
{
    struct attribute *list = ARENA_ARRAY(r->a, struct attribute, n->count + 1);
    struct names *names = ARENA_NEW(r->a, struct names);
    size_t i = 0;
    names_init(names, r->a, n->count);
    for (const struct node *c = n->first; c; c = c->next) {
        names_add(names, c->name, i, NULL);
        if (!c->name.n) problem_add(r->ps, c->name_place, SLICE("give it a name"), "the name of an attribute is empty");
        read_attribute(r, en, c, MEMBER, &list[i++]);
    }
    out->members = list;
    out->n_members = i;
    out->names = names;
}

static void read_inside(struct reader *r, const struct entity *en, const struct node *const *f, struct attribute *out)
{
    if (f[ITEMS]) {
        if (out->type == TYPE_L) {
            struct attribute *element = ARENA_NEW(r->a, struct attribute);
            read_attribute(r, en, f[ITEMS], ELEMENT, element);
            element->name = out->name;
            out->members = element;
            out->n_members = 1;
        } else if (out->type != TYPE_NONE) {
            problem_add(r->ps, f[ITEMS]->name_place, SLICE("write type: list"), "\"items\" is for a list, but %.*s is a %s",
                        SHOWN(out->name), type_word(out->type));
        }
    }
    if (f[MEMBERS]) {
        if (out->type == TYPE_M) read_members(r, en, f[MEMBERS], out);
        else if (out->type != TYPE_NONE)
            problem_add(r->ps, f[MEMBERS]->name_place, SLICE("write type: map"),
                        "\"attributes\" is for a map, but %.*s is a %s", SHOWN(out->name), type_word(out->type));
    }
}

static void read_attribute(struct reader *r, const struct entity *en, const struct node *n, enum level level,
                           struct attribute *out)
{
    const struct node *f[N_FIELDS];
    *out = (struct attribute){ .name = n->name, .place = level == ELEMENT ? n->place : n->name_place, .type = TYPE_S };
    if (n->kind == NODE_SCALAR && !node_is_null(n)) {
        out->type = read_type(r, n);
        return;
    }
    if (n->kind != NODE_MAP) {
        problem_add(r->ps, n->place, SLICE("write a type, such as string, or { type: string, required: true }"),
                    "attribute %.*s must be a type or a map, but is %s", SHOWN(n->name), node_says(n));
        out->type = TYPE_NONE;
        return;
    }
    FIELDS_READ(r, n, "an attribute", fields, f);
    if (NODE_GET(n, "type")) out->type = f[TYPE] ? read_type(r, f[TYPE]) : TYPE_NONE;
    out->about = text_of(f[ABOUT]);
    if (level != TOP) refuse_inside(r, f, level);
    read_bool(f[REQUIRED_], &out->required);
    read_bool(f[READ_ONLY], &out->read_only);
    read_bool(f[HIDDEN], &out->hidden);
    read_inside(r, en, f, out);
    struct rule_nodes rules = { f[DEFAULT], f[ENUM], f[PATTERN], f[MIN], f[MAX], f[FORMAT], f[GENERATE] };
    if (level != TOP) rules.default_ = rules.generate = NULL;
    if (out->type != TYPE_NONE) read_rules(r, en, &rules, out);
}

struct attribute *draft_attribute(const struct entity_draft *d, struct slice name)
{
    size_t i;
    return names_find(&d->names, name, &i) ? &d->attributes[i] : NULL;
}

/* ---- those that the model writes by itself ---- */

/* Adds the attribute, or takes the one that is declared. */
static struct attribute *automatic(struct entity_draft *d, struct slice name, enum val_type type, struct place at)
{
    size_t i;
    if (names_find(&d->names, name, &i)) {
        d->attributes[i].automatic = true;
        return &d->attributes[i];
    }
    struct attribute *out = &d->attributes[d->entity->n_attributes];
    *out = (struct attribute){ .name = name, .place = at, .type = type, .automatic = true };
    names_add(&d->names, name, d->entity->n_attributes++, NULL);
    return out;
}

static void add_timestamp(struct reader *r, struct entity_draft *d, struct slice name)
{
    if (!name.n) return;
    struct attribute *at = automatic(d, name, TYPE_S, d->entity->place);
    if (at->type == TYPE_NONE) return;
    bool text = at->type == TYPE_S && (at->time == TIME_NONE || at->time == TIME_DATE_TIME) && !at->is_uuid;
    bool number = at->type == TYPE_N && (at->time == TIME_EPOCH || at->time == TIME_EPOCH_MS);
    if (!text && !number) {
        problem_add(r->ps, at->place, SLICE("make it a string with format: date-time, or a number with format: epoch; or leave "
                                            "it out, since timestamps declares it"),
                    "%.*s is a timestamp of the model, but is declared as something else", SHOWN(name));
        return;
    }
    if (text) at->time = TIME_DATE_TIME;
}

static void add_lock(struct reader *r, struct entity_draft *d, const struct node *lock)
{
    if (!lock || !name_is_good(r, lock->text, lock->place, "an attribute")) return;
    if (slice_eq(lock->text, r->m->created) || slice_eq(lock->text, r->m->updated) ||
        model_is_key_attribute(r->m, lock->text)) {
        problem_add(r->ps, lock->place, SLICE("name an attribute of its own, such as version"),
                    "\"lock\" cannot be a key attribute or a timestamp");
        return;
    }
    d->entity->lock = lock->text;
    struct attribute *at = automatic(d, lock->text, TYPE_N, lock->place);
    if (at->type != TYPE_N && at->type != TYPE_NONE)
        problem_add(r->ps, lock->place, SLICE("declare it as a number, or not at all"),
                    "\"lock\" counts versions and must be a number, but %.*s is a %s", SHOWN(lock->text),
                    type_word(at->type));
}

/* What the model writes into every item must not be taken for something else. */
static void check_reserved(struct reader *r, struct entity_draft *d, struct slice name, enum val_type type,
                           const char *what)
{
    const struct attribute *at = name.n ? draft_attribute(d, name) : NULL;
    if (at && at->type != type && at->type != TYPE_NONE)
        problem_add(r->ps, at->place, SLICE("give one of them another name"),
                    "%.*s is the %s, a %s, but is declared as a %s", SHOWN(name), what, type_word(type),
                    type_word(at->type));
}

static void check_key_type(struct reader *r, const struct attribute *at)
{
    for (size_t i = 0; i < r->m->n_indexes; i++) {
        const struct key_side *sides[2] = { &r->indexes[i].hash, &r->indexes[i].sort };
        for (size_t s = 0; s < 2; s++)
            for (size_t k = 0; k < sides[s]->n; k++) {
                if (!slice_eq(sides[s]->attrs[k].name, at->name) || sides[s]->attrs[k].type == at->type) continue;
                problem_add(r->ps, at->place, SLICE("give both the same type, or one of them another name"),
                            "%.*s is a key attribute of type %s, but is declared as a %s", SHOWN(at->name),
                            type_word(sides[s]->attrs[k].type), type_word(at->type));
                return;
            }
    }
}

void read_attributes(struct reader *r, struct entity_draft *d, const struct node *node, const struct node *lock)
{
    struct entity *en = d->entity;
    size_t n = node ? node->count : 0;
    d->attributes = ARENA_ARRAY(r->a, struct attribute, n + 3);
    names_init(&d->names, r->a, n + 3);
    for (const struct node *c = node ? node->first : NULL; c; c = c->next) {
        struct attribute *at = &d->attributes[en->n_attributes];
        name_is_good(r, c->name, c->name_place, "an attribute");
        read_attribute(r, en, c, TOP, at);
        names_add(&d->names, c->name, en->n_attributes++, NULL);
    }
    add_timestamp(r, d, r->m->created);
    add_timestamp(r, d, r->m->updated);
    add_lock(r, d, lock);
    check_reserved(r, d, r->m->entity_attribute, TYPE_S, "entity attribute");
    check_reserved(r, d, r->m->schema_attribute, TYPE_N, "schema attribute");
    for (size_t i = 0; i < en->n_attributes; i++)
        if (d->attributes[i].type != TYPE_NONE && model_is_key_attribute(r->m, d->attributes[i].name))
            check_key_type(r, &d->attributes[i]);
    struct attribute *ttl = r->m->ttl.n ? draft_attribute(d, r->m->ttl) : NULL;
    if (ttl && ttl->type == TYPE_N && ttl->time == TIME_NONE) ttl->time = TIME_EPOCH;
    if (ttl && ttl->type != TYPE_NONE && (ttl->type != TYPE_N || ttl->time != TIME_EPOCH))
        problem_add(r->ps, ttl->place, SLICE("DynamoDB wants seconds: { type: number, format: epoch }"),
                    "%.*s is the ttl attribute and must be a number of seconds", SHOWN(ttl->name));
    en->attributes = d->attributes;
}
