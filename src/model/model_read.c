/* model_read.c: reads a whole model: the file's top level, in the order in which its parts need each other. */
#include "model_reader.h"
#include "text_file.h"
#include <errno.h>
#include <stdlib.h>

#define MODEL_MAX_MEMORY ((size_t)1 << 30)

enum {
    ONEFOLD, TABLE, ABOUT, KEYS, INDEXES, DELIMITER, ESCAPE, ENTITY_ATTRIBUTE, SCHEMA_ATTRIBUTE, TIMESTAMPS, TTL,
    ENTITIES, PATTERNS, DATA, PRICES, SILENCE, N_FIELDS
};
static const struct field fields[] = {
    REQUIRED("onefold", FIELD_SCALAR),   REQUIRED("table", FIELD_TEXT),  FIELD("about", FIELD_TEXT),
    FIELD("keys", FIELD_MAP),            FIELD("indexes", FIELD_MAP),    FIELD("delimiter", FIELD_TEXT),
    FIELD("escape", FIELD_TEXT),         FIELD("entityAttribute", FIELD_TEXT), FIELD("schemaAttribute", FIELD_TEXT),
    FIELD("timestamps", FIELD_ANY),      FIELD("ttl", FIELD_TEXT),       FIELD("entities", FIELD_MAP),
    FIELD("patterns", FIELD_MAP),        FIELD("data", FIELD_ANY),       FIELD("prices", FIELD_TEXT),
    FIELD("silence", FIELD_LIST),
};

static void read_delimiter(struct reader *r, const struct node *n)
{
    r->m->delimiter = SLICE("#");
    if (!n) return;
    size_t characters = 0;
    bool good = true;
    for (size_t i = 0; i < n->text.n; i++) {
        uint8_t c = n->text.p[i];
        if ((c & 0xc0) != 0x80) characters++;
        /* Letters and digits would stand in %23 again, and the others have a meaning of their own. */
        good = good && c > 0x20 && c != 0x7f && !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') &&
               c != '%' && c != '$' && c != '{' && c != '}';
    }
    if (characters >= 1 && characters <= 4 && good) r->m->delimiter = n->text;
    else
        problem_add(r->ps, n->place, SLICE("such as #, | or ::"),
                    "\"delimiter\" must be one to four characters, and no letters, digits, blanks, %%, $, { or }");
}

static void read_timestamps(struct reader *r, const struct node *n)
{
    static const struct field names[] = { FIELD("created", FIELD_TEXT), FIELD("updated", FIELD_TEXT) };
    const struct node *f[2];
    bool b;
    if (!n) return;
    if (node_bool(n, &b)) {
        if (b) r->m->created = SLICE("createdAt"), r->m->updated = SLICE("updatedAt");
        return;
    }
    if (n->kind != NODE_MAP) {
        problem_add(r->ps, n->place, SLICE(""),
                    "\"timestamps\" must be true or { created: createdAt, updated: updatedAt }, but is %s", node_says(n));
        return;
    }
    FIELDS_READ(r, n, "timestamps", names, f);
    if (n->count == 0) problem_add(r->ps, n->place, SLICE("name one of created, updated"), "\"timestamps\" is empty");
    if (f[0] && name_is_good(r, f[0]->text, f[0]->place, "an attribute")) r->m->created = f[0]->text;
    if (f[1] && name_is_good(r, f[1]->text, f[1]->place, "an attribute")) r->m->updated = f[1]->text;
}

/* The attributes that the model itself writes are all different, and no keys. */
static void check_own_names(struct reader *r, const struct node *const *f)
{
    const struct model *m = r->m;
    struct {
        struct slice name;
        const struct node *node;
        const char *what;
        bool key;
    } own[] = { { m->entity_attribute, f[ENTITY_ATTRIBUTE], "entityAttribute", false },
                { r->schema_name, f[SCHEMA_ATTRIBUTE], "schemaAttribute", false },
                { m->created, f[TIMESTAMPS], "timestamps", true },
                { m->updated, f[TIMESTAMPS], "timestamps", true },
                { m->ttl, f[TTL], "ttl", true } };
    for (size_t i = 0; i < 5; i++) {
        struct place at = own[i].node ? own[i].node->place : (struct place){ m->file, 1, 1 };
        if (!own[i].name.n) continue;
        if (!own[i].key && model_is_key_attribute(m, own[i].name))
            problem_add(r->ps, at, arena_printf(r->a, "choose another name with %s:", own[i].what),
                        "%.*s is the %s and cannot be a key attribute", SHOWN(own[i].name), own[i].what);
        for (size_t k = 0; k < i; k++)
            if (slice_eq(own[i].name, own[k].name))
                problem_add(r->ps, at, SLICE("choose different names"), "%.*s is both %s and %s", SHOWN(own[i].name),
                            own[k].what, i == 3 && k == 2 ? "timestamps again" : own[i].what);
    }
}

static void read_names(struct reader *r, const struct node *const *f)
{
    struct model *m = r->m;
    m->entity_attribute = SLICE("entity_type");
    if (f[ENTITY_ATTRIBUTE] && slice_eq(f[ENTITY_ATTRIBUTE]->text, SLICE("none")))
        m->entity_attribute = (struct slice){ 0 };
    else if (f[ENTITY_ATTRIBUTE] &&
             name_is_good(r, f[ENTITY_ATTRIBUTE]->text, f[ENTITY_ATTRIBUTE]->place, "an attribute"))
        m->entity_attribute = f[ENTITY_ATTRIBUTE]->text;
    if (f[SCHEMA_ATTRIBUTE] && name_is_good(r, f[SCHEMA_ATTRIBUTE]->text, f[SCHEMA_ATTRIBUTE]->place, "an attribute"))
        r->schema_name = m->schema_attribute = f[SCHEMA_ATTRIBUTE]->text;
    if (f[TTL] && name_is_good(r, f[TTL]->text, f[TTL]->place, "an attribute")) m->ttl = f[TTL]->text;
    read_timestamps(r, f[TIMESTAMPS]);
}

/* ---- other files ---- */

static struct slice beside_model(struct reader *r, struct slice path)
{
    size_t n = r->m->file.n;
    while (n && r->m->file.p[n - 1] != '/') n--;
    if (path.p[0] == '/' || !n) return path;
    return arena_printf(r->a, "%.*s%.*s", (int)n, (const char *)r->m->file.p, SLICE_ARG(path));
}

static bool file_name_works(struct reader *r, const struct node *n)
{
    if (n->text.n && n->text.n < 4096 && !memchr(n->text.p, 0, n->text.n)) return true;
    problem_add(r->ps, n->place, SLICE(""), "this is not the name of a file");
    return false;
}

static void read_files(struct reader *r, const struct node *const *f)
{
    const struct node *data = f[DATA];
    if (f[PRICES] && file_name_works(r, f[PRICES])) r->m->prices = beside_model(r, f[PRICES]->text);
    if (!data) return;
    bool list = data->kind == NODE_LIST;
    struct slice *out = ARENA_ARRAY(r->a, struct slice, list ? data->count + 1 : 1);
    for (const struct node *c = list ? data->first : data; c; c = list ? c->next : NULL)
        if (field_fits(r, c, SLICE("data"), FIELD_TEXT) && file_name_works(r, c))
            out[r->m->n_data++] = beside_model(r, c->text);
    r->m->data = out;
}

static void read_silences(struct reader *r, const struct node *node)
{
    static const struct field members[] = { REQUIRED("rule", FIELD_TEXT), FIELD("on", FIELD_TEXT),
                                            REQUIRED("reason", FIELD_TEXT) };
    const struct node *f[3];
    size_t i;
    if (!node) return;
    struct silence *list = ARENA_ARRAY(r->a, struct silence, node->count + 1);
    for (const struct node *c = node->first; c; c = c->next) {
        if (!FIELDS_READ(r, c, "silence", members, f)) continue;
        if (f[2] && slice_trim(f[2]->text).n == 0)
            problem_add(r->ps, f[2]->place, SLICE("say why it is meant"), "the reason is empty");
        if (f[0] && f[0]->text.n == 0) problem_add(r->ps, f[0]->place, SLICE("name a rule of lint"), "the rule is empty");
        if (f[1] && !names_find(&r->whole->entity_names, f[1]->text, &i) &&
            !names_find(&r->whole->pattern_names, f[1]->text, &i) && !find_index(r, f[1]->text))
            problem_add(r->ps, f[1]->place, SLICE("name one, or leave \"on\" out"),
                        "there is no entity, pattern or index \"%.*s\"", SHOWN(f[1]->text));
        list[r->m->n_silences++] = (struct silence){ c->place, text_of(f[0]), text_of(f[1]), text_of(f[2]) };
    }
    r->m->silences = list;
}

/* ---- the whole ---- */

/* Paths were made one by one; now that their number is known they get their places side by side. */
static void settle_paths(struct reader *r)
{
    struct access_path *all = ARENA_ARRAY(r->a, struct access_path, r->n_paths + 1);
    for (size_t i = 0; i < r->n_paths; i++) all[i] = *r->paths[i];
    for (size_t i = 0; i < r->m->n_entities; i++) {
        struct entity *en = &r->entities[i];
        en->key = &all[en->key->number];
        const struct access_path **entries = (const struct access_path **)(uintptr_t)en->entries;
        for (size_t k = 0; k < en->n_entries; k++) entries[k] = &all[entries[k]->number];
        struct copy *copies = (struct copy *)(uintptr_t)en->copies;
        for (size_t c = 0; c < en->n_copies; c++) {
            copies[c].key = &all[copies[c].key->number];
            entries = (const struct access_path **)(uintptr_t)copies[c].entries;
            for (size_t k = 0; k < copies[c].n_entries; k++) entries[k] = &all[entries[k]->number];
        }
    }
    r->m->paths = all;
    r->m->n_paths = r->n_paths;
}

static void read_root(struct reader *r)
{
    static const char *const escapes[] = { "refuse", "percent" };
    const struct node *f[N_FIELDS];
    struct model *m = r->m;
    if (!FIELDS_READ(r, m->root, "the model", fields, f)) return;
    if (!NODE_GET(m->root, "entities"))
        problem_add(r->ps, m->root->place, SLICE(FIRST_ENTITY), "\"entities\" is missing in the model: it has none yet");
    struct num num;
    if (f[ONEFOLD] && (!node_number(f[ONEFOLD], &num) || !slice_eq(f[ONEFOLD]->text, SLICE("1"))))
        problem_add(r->ps, f[ONEFOLD]->place, SLICE("write onefold: 1"), "\"onefold\" is the version of this format, 1");
    if (f[TABLE] && resource_name_is_good(r, f[TABLE]->text, f[TABLE]->place, "a table")) m->table = f[TABLE]->text;
    m->about = text_of(f[ABOUT]);
    read_delimiter(r, f[DELIMITER]);
    m->escape = read_word(r, f[ESCAPE], SLICE("escape"), escapes, 2) == 1;
    read_names(r, f);
    read_table(r, f[KEYS], f[INDEXES]);
    read_files(r, f);
    read_entities(r, f[ENTITIES], f[TTL]);
    if (r->schema_stated) r->schema_name = m->schema_attribute;
    check_own_names(r, f);
    check_projections(r);
    read_patterns(r, f[PATTERNS]);
    read_silences(r, f[SILENCE]);
    if (r->ps->n) return;
    settle_paths(r);
    m->fingerprint = model_fingerprint(m);
}

/* Problems move out of the model's memory, which is about to be given back. */
static void hand_over(struct problems *from, struct problems *to, struct slice file)
{
    problems_sort(from);
    struct slice name = arena_dup(to->arena, file);
    for (const struct problem *p = from->first; p; p = p->next) {
        struct place at = p->place;
        at.file = name;
        problem_add(to, at, p->hint, "%.*s", SLICE_ARG(p->message));
    }
    if (from->n > PROBLEMS_MAX) to->n += from->n - PROBLEMS_MAX;
}

static void read_into(struct model_whole *whole, struct problems *ps, struct slice file, struct slice text,
                      const struct model_files *files)
{
    struct model *m = &whole->model;
    struct reader r = { .whole = whole, .m = m, .a = &m->arena, .ps = ps };
    m->file = arena_dup(r.a, file);
    m->text = arena_dup(r.a, text);
    m->files = files;
    m->root = node_read(ps, m->file, m->text);
    if (m->root) read_root(&r);
}

struct model *model_read_with(struct problems *ps, struct slice file, struct slice text, const struct model_files *files)
{
    if (text.n > MODEL_MAX_FILE) {
        problem_add(ps, (struct place){ file, 0, 0 }, SLICE("split it"), "the model has %zu bytes; the most is %zu", text.n,
                    MODEL_MAX_FILE);
        return NULL;
    }
    struct model_whole *whole = calloc(1, sizeof(*whole) + sizeof(struct problems));
    if (!whole) arena_fail(ps->arena);
    struct problems *found = (struct problems *)(whole + 1); /* not on the stack, where a longjmp may lose it */
    struct arena *a = &whole->model.arena;
    arena_init(a, MODEL_MAX_MEMORY);
    problems_init(found, a);
    if (ARENA_GUARD(a)) {
        read_into(whole, found, file, text, files);
        arena_unguard(a);
        if (!found->n) return &whole->model;
    } else {
        arena_unguard(a);
        *found = (struct problems){ .arena = a };
    }
    if (!ARENA_GUARD(ps->arena)) {
        arena_unguard(ps->arena);
        model_free(&whole->model);
        arena_fail(ps->arena);
    }
    if (found->n) hand_over(found, ps, file);
    else problem_add(ps, (struct place){ file, 0, 0 }, SLICE("split it"), "there is not enough memory for this model");
    arena_unguard(ps->arena);
    model_free(&whole->model);
    return NULL;
}

struct model *model_read(struct problems *ps, struct slice file, struct slice text)
{
    return model_read_with(ps, file, text, NULL);
}

struct model *model_load(struct problems *ps, const char *path)
{
    struct place at = { slice_str(path), 0, 0 };
    struct slice text;
    /* Twice what a model may have: model_read says how much it is. */
    int code = text_file_bytes(ps->arena, path, 2 * MODEL_MAX_FILE, &text);
    if (!code) return model_read(ps, at.file, text);
    problem_add(ps, at, code == ENOENT ? SLICE("name it with --model FILE, or write ./onefold.yaml") : SLICE(""),
                "the model cannot be read: %s", strerror(code));
    return NULL;
}
