/* model_pattern.c: reads the access patterns: which entity is asked for, what is known, in which order. */
#include "model_reader.h"

#define MAX_ACROSS  3    /* attributes that one question is fanned out over */
#define MAX_STREAMS 1000 /* queries that they make together */

enum { ABOUT, OF, COLLECTION, BY, WHERE, FILTER, ACROSS, ORDER, LIMIT, INDEX, EXPECT, RATE, N_FIELDS };
static const struct field fields[] = {
    FIELD("about", FIELD_TEXT),  FIELD("of", FIELD_ANY),       FIELD("collection", FIELD_TEXT), FIELD("by", FIELD_ANY),
    FIELD("where", FIELD_MAP),   FIELD("filter", FIELD_ANY),   FIELD("across", FIELD_LIST),     FIELD("order", FIELD_TEXT),
    FIELD("limit", FIELD_SCALAR), FIELD("index", FIELD_TEXT),  FIELD("expect", FIELD_MAP),      FIELD("rate", FIELD_SCALAR),
};

static struct entity_draft *find_entity(struct reader *r, const struct node *n, struct slice field)
{
    size_t i;
    if (!field_fits(r, n, field, FIELD_TEXT)) return NULL;
    if (names_find(&r->whole->entity_names, n->text, &i)) return &r->drafts[i];
    struct slice hint = SLICE("");
    if (r->ps->n < PROBLEMS_MAX) {
        struct slice *list = ARENA_ARRAY(r->a, struct slice, r->m->n_entities + 1);
        for (i = 0; i < r->m->n_entities; i++) list[i] = r->entities[i].name;
        hint = hint_near(r, n->text, list, r->m->n_entities, "declare it under entities:");
    }
    problem_add(r->ps, n->place, hint, "there is no entity \"%.*s\"", SHOWN(n->text));
    return NULL;
}

/* Whom the question is about. Returns the first entity, or NULL after a problem. */
static const struct entity_draft *read_target(struct reader *r, const struct node *n, const struct node *const *f,
                                              struct pattern *p)
{
    const struct node *of = f[OF] ? f[OF] : f[COLLECTION];
    if (f[OF] && f[COLLECTION]) {
        problem_add(r->ps, f[COLLECTION]->name_place, SLICE("keep one of them"), "a pattern has \"of\" or \"collection\"");
    } else if (!of) {
        if (!NODE_GET(n, "of") && !NODE_GET(n, "collection"))
            problem_add(r->ps, n->name_place, SLICE("of: an entity, or collection: an entity"),
                        "pattern %.*s does not say what it asks for", SHOWN(p->name));
        return NULL;
    }
    bool list = of->kind == NODE_LIST;
    if (list && of->count == 0) {
        problem_add(r->ps, of->place, SLICE("name at least one"), "\"of\" is a list of no entities");
        return NULL;
    }
    const struct entity **out = ARENA_ARRAY(r->a, const struct entity *, list ? of->count : 1);
    const struct entity_draft *first = NULL;
    struct names seen;
    names_init(&seen, r->a, list ? of->count : 1);
    for (const struct node *c = list ? of->first : of; c; c = list ? c->next : NULL) {
        const struct entity_draft *d = find_entity(r, c, of->name);
        if (c == of || c == of->first) first = d;
        if (!d) continue;
        if (!names_add(&seen, c->text, 0, NULL))
            problem_add(r->ps, c->place, SLICE("keep one of them"), "\"%.*s\" is there twice", SHOWN(c->text));
        else out[p->n_entities++] = d->entity;
    }
    p->entities = out;
    p->collection = f[COLLECTION] != NULL;
    return first;
}

static void read_across(struct reader *r, const struct entity_draft *d, const struct node *n, struct pattern *p)
{
    size_t streams = 1;
    if (!n) return;
    read_texts(r, n, SLICE("across"), &p->across, &p->n_across);
    if (n->count == 0 || n->count > MAX_ACROSS)
        problem_add(r->ps, n->place, SLICE(""), "\"across\" must name one to %d attributes", MAX_ACROSS);
    for (const struct node *c = n->first; c && d && !d->broken; c = c->next) {
        const struct attribute *at = c->kind == NODE_SCALAR ? draft_attribute(d, c->text) : NULL;
        if (c->kind != NODE_SCALAR) continue;
        if (!at) {
            problem_add(r->ps, c->place, hint_attribute(r, d, c->text), "%.*s has no attribute \"%.*s\"",
                        SHOWN(d->entity->name), SHOWN(c->text));
        } else if (!at->n_enumeration && at->type != TYPE_BOOL && at->type != TYPE_NONE) {
            problem_add(r->ps, c->place, SLICE("give it an enum, so that its values are known"),
                        "\"across\" needs an attribute with enum, or a boolean, but %.*s is neither", SHOWN(at->name));
        } else if (streams <= MAX_STREAMS) {
            streams *= at->type == TYPE_BOOL ? 2 : at->n_enumeration;
            if (streams > MAX_STREAMS)
                problem_add(r->ps, n->place, SLICE("fan out over fewer values"), "this makes more than %d queries",
                            MAX_STREAMS);
        }
    }
}

/* An attribute is known, fanned out over or in a range: only one of these. */
static void check_twice(struct reader *r, const struct pattern *p)
{
    struct names seen;
    names_init(&seen, r->a, p->n_by + p->n_across);
    for (size_t i = 0; i < p->n_by; i++) names_add(&seen, p->by[i].attribute, 0, NULL);
    for (size_t i = 0; i < p->n_across; i++)
        if (!names_add(&seen, p->across[i], 1, NULL))
            problem_add(r->ps, p->place, SLICE("leave it out of one of them"),
                        "%.*s is under by and under across of pattern %.*s", SHOWN(p->across[i]), SHOWN(p->name));
    for (size_t i = 0; i < p->n_where; i++) {
        size_t at;
        if (names_find(&seen, p->where[i].attribute, &at))
            problem_add(r->ps, p->where[i].place, SLICE("leave it out of one of them"),
                        "%.*s is under %s and under where", SHOWN(p->where[i].attribute), at ? "across" : "by");
    }
}

static void read_index_choice(struct reader *r, const struct node *n, struct pattern *p)
{
    struct slice names[MODEL_MAX_INDEXES + 1];
    if (!n) return;
    if (slice_eq(n->text, SLICE("table"))) {
        p->index = &r->indexes[0];
        return;
    }
    p->index = find_index(r, n->text);
    if (p->index) return;
    names[0] = SLICE("table");
    for (size_t i = 1; i < r->m->n_indexes; i++) names[i] = r->indexes[i].name;
    problem_add(r->ps, n->place, hint_near(r, n->text, names, r->m->n_indexes, "name an index, or table"),
                "there is no index \"%.*s\"", SHOWN(n->text));
}

static void read_pattern(struct reader *r, const struct node *n, struct pattern *p)
{
    static const char *const orders[] = { "newest", "oldest", "ascending", "descending" };
    const struct node *f[N_FIELDS];
    uint64_t limit;
    for (size_t i = 0; i < n->name.n; i++) {
        uint8_t c = n->name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (letter || (c >= '0' && c <= '9') || c == '.' || (c == '-' && i)) continue;
        problem_add(r->ps, n->name_place, SLICE("use letters, digits, _, . and -, so that it can be typed on a command line"),
                    "\"%.*s\" cannot be the name of a pattern", SHOWN(n->name));
        break;
    }
    name_is_good(r, n->name, n->name_place, "a pattern");
    if (!FIELDS_READ(r, n, "a pattern", fields, f)) return;
    p->about = text_of(f[ABOUT]);
    const struct entity_draft *d = read_target(r, n, f, p);
    read_conditions(r, d, f[BY], IN_BY, &p->by, &p->n_by);
    read_conditions(r, d, f[WHERE], IN_WHERE, &p->where, &p->n_where);
    read_conditions(r, d, f[FILTER], IN_FILTER, &p->filter, &p->n_filter);
    read_across(r, d, f[ACROSS], p);
    check_twice(r, p);
    check_inputs(r, d, p);
    int order = read_word(r, f[ORDER], SLICE("order"), orders, 4);
    if (order >= 0) p->order = (enum order)(ORDER_NEWEST + order);
    if (read_whole(r, f[LIMIT], SLICE("limit"), 1, 1000000000, &limit)) p->limit = (uint32_t)limit;
    read_index_choice(r, f[INDEX], p);
    read_expectation(r, f[EXPECT], &p->expect);
    read_rate(r, f[RATE], &p->rate);
}

void read_patterns(struct reader *r, const struct node *node)
{
    size_t n = node ? node->count : 0;
    if (n > MODEL_MAX_PATTERNS) {
        problem_add(r->ps, node->place, SLICE("split the model"), "there are %zu patterns; the most is %d", n,
                    MODEL_MAX_PATTERNS);
        n = MODEL_MAX_PATTERNS;
    }
    struct pattern *list = ARENA_ARRAY(r->a, struct pattern, n + 1);
    names_init(&r->whole->pattern_names, r->a, n);
    const struct node *c = node ? node->first : NULL;
    for (size_t i = 0; i < n; i++, c = c->next) {
        list[i] = (struct pattern){ .name = c->name, .place = c->name_place, .number = i };
        names_add(&r->whole->pattern_names, c->name, i, NULL);
        read_pattern(r, c, &list[i]);
    }
    r->m->patterns = list;
    r->m->n_patterns = n;
}
