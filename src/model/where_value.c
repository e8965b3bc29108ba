/* where_value.c: names and values of the where-language: which attribute a name is, what type a value must have,
 * which tests an attribute allows. */
#include "where_impl.h"
#include "values.h"

/* A declared attribute of that name, also where it has a dot in it; or a way into maps. */
static const struct attribute *member(const struct attribute *list, size_t n, struct slice name)
{
    for (size_t i = 0; i < n; i++) {
        if (slice_eq(list[i].name, name)) return &list[i];
    }
    return NULL;
}

static struct slice first_name(struct slice text)
{
    const uint8_t *dot = text.n ? memchr(text.p, '.', text.n) : NULL;
    return dot ? slice_of(text.p, (size_t)(dot - text.p)) : text;
}

static struct slice near_of(struct where_parser *p, const struct attribute *list, size_t n, struct slice name)
{
    struct slice *names = ARENA_ARRAY(p->arena, struct slice, n ? n : 1);
    for (size_t i = 0; i < n; i++) names[i] = list[i].name;
    return near_name(name, names, n);
}

static const struct key_template *key_named(const struct access_path *path, struct slice name)
{
    for (size_t i = 0; i < path->n_hash; i++) {
        if (slice_eq(path->hash[i].attribute->name, name)) return &path->hash[i];
    }
    for (size_t i = 0; i < path->n_sort; i++) {
        if (slice_eq(path->sort[i].attribute->name, name)) return &path->sort[i];
    }
    return NULL;
}

/* The template an entity computes the key attribute from; NULL if it is none of its keys. */
static const struct key_template *entity_key_named(const struct entity *en, struct slice name)
{
    const struct key_template *k = key_named(en->key, name);
    for (size_t i = 0; !k && i < en->n_entries; i++) k = key_named(en->entries[i], name);
    for (size_t i = 0; !k && i < en->n_copies; i++) {
        k = key_named(en->copies[i].key, name);
        for (size_t j = 0; !k && j < en->copies[i].n_entries; j++) k = key_named(en->copies[i].entries[j], name);
    }
    return k;
}

static int refuse_key(struct where_parser *p, struct token name, const struct key_template *k)
{
    struct buf b;
    buf_init(&b, p->arena, 64 << 10);
    for (size_t i = 0; i < k->template.n; i++) {
        if (!k->template.parts[i].hole) continue;
        if (b.n) BUF_LIT(&b, ", ");
        buf_slice(&b, k->template.parts[i].text);
    }
    if (!b.n) {
        return where_fail(p, name.at, "%.*s is a key, and always %.*s for %.*s: leave it out", SLICE_ARG(name.text),
                          SLICE_ARG(k->template.source), SLICE_ARG(p->scope.entity->name));
    }
    return where_fail(p, name.at, "%.*s is a key, made as %.*s, and DynamoDB refuses keys in a filter: ask by %.*s "
                      "instead", SLICE_ARG(name.text), SLICE_ARG(k->template.source), SLICE_ARG(buf_view(&b)));
}

static int unknown(struct where_parser *p, struct token name, struct slice part)
{
    const struct entity *en = p->scope.entity;
    struct slice near = near_of(p, en->attributes, en->n_attributes, part);
    if (near.n) {
        return where_fail(p, name.at, "%.*s has no attribute %.*s; did you mean %.*s?", SLICE_ARG(en->name),
                          SLICE_ARG(part), SLICE_ARG(near));
    }
    return where_fail(p, name.at, "%.*s has no attribute %.*s; declare it under attributes:, or write an attribute "
                      "it has", SLICE_ARG(en->name), SLICE_ARG(part));
}

/* The names after the first dot. */
static int resolve_rest(struct where_parser *p, struct token name, struct slice rest, struct where *test)
{
    while (rest.n) {
        struct slice part = first_name(rest);
        const struct attribute *at = test->attribute;
        if (!part.n || rest.n == part.n + 1) {
            return where_fail(p, name.at, "a name is missing beside a dot of %.*s", SLICE_ARG(name.text));
        }
        if (test->n_path == WHERE_MAX_PATH) {
            return where_fail(p, name.at, "at most %d names can be joined with dots", WHERE_MAX_PATH);
        }
        if (at && at->type != TYPE_M) {
            return where_fail(p, name.at, "%.*s is no map, so that it has no %.*s", SLICE_ARG(at->name),
                              SLICE_ARG(part));
        }
        const struct attribute *next = at ? member(at->members, at->n_members, part) : NULL;
        if (at && at->n_members && !next) {
            struct slice near = near_of(p, at->members, at->n_members, part);
            return where_fail(p, name.at, "%.*s has no %.*s%s%.*s%s", SLICE_ARG(at->name), SLICE_ARG(part),
                              near.n ? "; did you mean " : "", SLICE_ARG(near), near.n ? "?" : "");
        }
        test->path[test->n_path++] = part;
        test->attribute = next;
        rest = part.n == rest.n ? slice_of(NULL, 0) : slice_of(rest.p + part.n + 1, rest.n - part.n - 1);
    }
    return 0;
}

static int resolve_in_index(struct where_parser *p, struct token name, struct where *test)
{
    const struct model_index *ix = p->scope.index;
    struct slice names[2 * KEY_MAX_PARTS];
    size_t n = 0;
    for (size_t i = 0; i < ix->hash.n + ix->sort.n; i++) {
        const struct key_attribute *k = i < ix->hash.n ? &ix->hash.attrs[i] : &ix->sort.attrs[i - ix->hash.n];
        if (slice_eq(k->name, name.text)) {
            struct attribute *at = ARENA_NEW(p->arena, struct attribute);
            at->name = k->name;
            at->type = k->type;
            test->attribute = at;
            test->path[0] = k->name;
            test->n_path = 1;
            return 0;
        }
        names[n++] = k->name;
    }
    struct buf b;
    buf_init(&b, p->arena, 64 << 10);
    for (size_t i = 0; i < n; i++) {
        if (i) BUF_LIT(&b, ", ");
        buf_slice(&b, names[i]);
    }
    return where_fail(p, name.at, "%.*s is no key of %s%.*s, which has %.*s", SLICE_ARG(name.text),
                      ix->name.n ? "index " : "the table", SLICE_ARG(ix->name), SLICE_ARG(buf_view(&b)));
}

int where_resolve(struct where_parser *p, struct token name, struct where *test)
{
    const struct entity *en = p->scope.entity;
    if (!en) return resolve_in_index(p, name, test);
    const struct attribute *at = member(en->attributes, en->n_attributes, name.text);
    struct slice part = at ? name.text : first_name(name.text), rest = { 0 };
    if (!at) {
        at = member(en->attributes, en->n_attributes, part);
        const struct key_template *k = at ? NULL : entity_key_named(en, name.text);
        if (k) return refuse_key(p, name, k);
        if (!at && !en->open) return unknown(p, name, part);
        if (!part.n) return where_fail(p, name.at, "expected the name of an attribute");
        if (part.n < name.text.n) {
            rest = slice_of(name.text.p + part.n + 1, name.text.n - part.n - 1);
            if (!rest.n) return where_fail(p, name.at, "a name is missing beside a dot of %.*s", SLICE_ARG(name.text));
        }
    }
    test->path[0] = part;
    test->n_path = 1;
    test->attribute = at;
    return resolve_rest(p, name, rest, test);
}

static const char *type_words(enum val_type t)
{
    static const char *const words[] = { [TYPE_S] = "a string", [TYPE_N] = "a number", [TYPE_B] = "binary",
                                         [TYPE_SS] = "a set of strings", [TYPE_NS] = "a set of numbers",
                                         [TYPE_BS] = "a set of binaries", [TYPE_M] = "a map", [TYPE_L] = "a list",
                                         [TYPE_BOOL] = "true or false", [TYPE_NULL] = "null", [TYPE_NONE] = "unknown" };
    return words[t];
}

int where_check_op(struct where_parser *p, const struct where *test, size_t at)
{
    const struct attribute *att = test->attribute;
    struct slice name = test->path[test->n_path - 1];
    bool is_time = test->op >= OP_SINCE;
    if (p->scope.index && (test->size || test->op == OP_NE || test->op == OP_IN || is_time ||
                           (test->op >= OP_CONTAINS && test->op <= OP_MISSING))) {
        return where_fail(p, at, "a key condition takes = < <= > >= between and begins_with only");
    }
    if (test->size) {
        if (is_time) return where_fail(p, at, "a size is a number, not a time");
        if (att && (att->type == TYPE_N || att->type == TYPE_BOOL)) {
            return where_fail(p, at, "%.*s is %s, which has no size", SLICE_ARG(name), type_words(att->type));
        }
        return 0;
    }
    if (is_time && (!att || att->time == TIME_NONE)) {
        return where_fail(p, at, "%.*s holds no time: since, until, on and during need an attribute with format date-time, "
                          "date, ulid, epoch or epoch-ms", SLICE_ARG(name));
    }
    if (!att) return 0;
    bool scalar = att->type == TYPE_S || att->type == TYPE_N || att->type == TYPE_B;
    bool ordered = (test->op >= OP_LT && test->op <= OP_GE) || test->op == OP_BETWEEN;
    if (ordered && !scalar) {
        return where_fail(p, at, "%.*s is %s, which has no order", SLICE_ARG(name), type_words(att->type));
    }
    if (test->op == OP_BEGINS && att->type != TYPE_S && att->type != TYPE_B) {
        return where_fail(p, at, "begins_with needs a string or binary, but %.*s is %s", SLICE_ARG(name),
                          type_words(att->type));
    }
    if (test->op == OP_CONTAINS && (att->type == TYPE_N || att->type == TYPE_BOOL || att->type == TYPE_M)) {
        return where_fail(p, at, "contains needs a string, a set or a list, but %.*s is %s", SLICE_ARG(name),
                          type_words(att->type));
    }
    return 0;
}

/* Where nothing is declared a bare word is what it looks like. */
static struct slice guessed(struct arena *a, struct token t)
{
    struct buf b;
    struct num n;
    buf_init(&b, a, WHERE_MAX_TEXT + 16);
    bool bare = t.kind == TOKEN_WORD;
    if (bare && (slice_eq(t.text, SLICE("true")) || slice_eq(t.text, SLICE("false")))) {
        val_put_bool(&b, t.text.n == 4);
    } else if (bare && num_parse(t.text, &n) == NUM_OK) {
        val_put_number(&b, slice_of(n.bytes, n.n));
    } else {
        val_put_string(&b, t.text);
    }
    return buf_view(&b);
}

/* Is it one of the values that the attribute may have? Otherwise the test would quietly never hold. */
static int check_enum(struct where_parser *p, const struct attribute *at, struct token t, struct slice value)
{
    struct buf b;
    buf_init(&b, p->arena, 1 << 20);
    for (size_t i = 0; i < at->n_enumeration; i++) {
        if (val_equal(at->enumeration[i], value)) return 0;
        if (i) BUF_LIT(&b, ", ");
        if (val_type(at->enumeration[i]) == TYPE_S) buf_slice(&b, val_content(at->enumeration[i]));
        else value_to_plain(&b, at->enumeration[i]);
    }
    if (!at->n_enumeration) return 0;
    return where_fail(p, t.at, "%.*s is never %.*s; it is one of %.*s", SLICE_ARG(at->name), SLICE_ARG(t.text),
                      SLICE_ARG(buf_view(&b)));
}

int where_value(struct where_parser *p, const struct where *test, struct token t, struct slice *out)
{
    const struct attribute *at = test->attribute;
    struct attribute other = { 0 };
    struct slice name = test->path[test->n_path - 1];
    struct err e = { .arena = p->arena };
    if (test->size) {
        other.type = TYPE_N;
        at = &other;
    } else if (at && test->op == OP_CONTAINS) {
        other.type = at->type == TYPE_NS ? TYPE_N : at->type == TYPE_BS || at->type == TYPE_B ? TYPE_B : TYPE_S;
        at = at->type == TYPE_L ? at->n_members ? &at->members[0] : NULL : &other;
    }
    if (!at) {
        *out = guessed(p->arena, t);
        return 0;
    }
    if (at == &other) other.name = name;
    if (value_from_text(p->arena, at, name, t.text, out, &e)) {
        return where_fail(p, t.at, "%.*s", SLICE_ARG(e.message));
    }
    if (p->scope.index && (at->type == TYPE_S || at->type == TYPE_B) && !val_content(*out).n) {
        return where_fail(p, t.at, "a key is never empty");
    }
    bool equality = test->op == OP_EQ || test->op == OP_NE || test->op == OP_IN;
    return equality && !test->size ? check_enum(p, at, t, *out) : 0;
}

static struct slice time_value(struct arena *a, const struct attribute *at, int64_t ms)
{
    struct slice text = when_bound(a, at->time, ms);
    if (at->type != TYPE_N) return val_make_string(a, text);
    struct num n;
    struct buf b;
    buf_init(&b, a, 64);
    if (num_parse(text, &n) != NUM_OK) num_from_int64(ms, &n);
    val_put_number(&b, slice_of(n.bytes, n.n));
    return buf_view(&b);
}

int where_time(struct where_parser *p, const struct where *test, struct token t, struct slice *start,
               struct slice *end)
{
    struct span span;
    if (!when_parse(t.text, p->now, &span)) {
        return where_fail(p, t.at, "%.*s is no date; write one such as 2026-05-10, 2026-05, today or -30d",
                          SLICE_ARG(t.text));
    }
    *start = time_value(p->arena, test->attribute, span.start);
    *end = time_value(p->arena, test->attribute, span.end);
    return 0;
}
