/* results.c: the answer of run, query and scan: one table per entity, columns in the model's order, then what it took. */
#include "session.h"

static bool has(const struct json *rows, struct slice name)
{
    for (const struct json *r = rows->first; r; r = r->next)
        if (json_get(r, name)) return true;
    return false;
}

struct columns {
    struct slice *names;
    size_t n;
};

static bool listed(const struct columns *c, struct slice name)
{
    for (size_t i = 0; i < c->n; i++)
        if (slice_eq(c->names[i], name)) return true;
    return false;
}

#define MAX_COLUMNS 256

/* Declared attributes that occur, in the model's order; then whatever else there is. */
static struct columns columns_of(struct session *s, const struct json *entity, const struct json *rows)
{
    struct columns c = { ARENA_ARRAY(s->arena, struct slice, MAX_COLUMNS), 0 };
    const struct json *list = JSON_GET(entity, "attributes");
    for (const struct json *at = list ? list->first : NULL; at && c.n < MAX_COLUMNS; at = at->next)
        if (has(rows, json_text(at, "name"))) c.names[c.n++] = json_text(at, "name");
    for (const struct json *r = rows->first; r; r = r->next)
        for (const struct json *m = r->first; m && c.n < MAX_COLUMNS; m = m->next)
            if (!listed(&c, m->name)) c.names[c.n++] = m->name;
    return c;
}

static void print_entity(struct session *s, const struct json *rows)
{
    const struct json *entity = outline_named(s->names, "entities", rows->name);
    struct columns c = columns_of(s, entity, rows);
    struct table t;
    print_inked(entity_ink(rows->name), rows->name);
    fputc('\n', stdout);
    if (!c.n) {
        fputc('\n', stdout);
        return;
    }
    const char **titles = ARENA_ARRAY(s->arena, const char *, c.n);
    for (size_t i = 0; i < c.n; i++) titles[i] = (const char *)arena_printf(s->arena, "%.*s", SLICE_ARG(c.names[i])).p;
    table_init(&t, s->arena, c.n, titles);
    t.wrap = false; /* a row of data is one line */
    for (size_t i = 0; i < c.n; i++) {
        const struct json *at = outline_member(entity, c.names[i]);
        t.right[i] = slice_eq(json_text(at, "type"), SLICE("number"));
        t.fixed[i] = json_flag(at, "key"); /* the next command needs it whole */
    }
    for (const struct json *r = rows->first; r; r = r->next) {
        struct cell *row = table_row(&t);
        for (size_t i = 0; i < c.n; i++) row[i].text = json_cell(s->arena, json_get(r, c.names[i]));
    }
    table_print(&t);
    fputc('\n', stdout);
}

/* Where items of several versions, or of an older one, were found: how many of each, so that one knows when a migration
 * is done. */
static void print_versions(struct session *s, const struct json *schema)
{
    for (const struct json *e = schema ? schema->first : NULL; e; e = e->next) {
        struct slice now = json_cell(s->arena, JSON_GET(outline_named(s->names, "entities", e->name), "schema"));
        if (e->count == 1 && slice_eq(e->first->name, now)) continue;
        printf("schema versions of %.*s: ", SLICE_ARG(e->name));
        for (const struct json *v = e->first; v; v = v->next)
            printf("%.*s of version %.*s%s", SLICE_ARG(json_cell(s->arena, v)), SLICE_ARG(v->name), v->next ? ", " : "\n");
    }
}

void render_results(struct session *s, const struct json *tree)
{
    const struct json *read = JSON_GET(tree, "read");
    double items = 0;
    for (const struct json *rows = tree->first; rows; rows = rows->next) {
        if (rows->type != JSON_ARRAY || !rows->count) continue;
        items += rows->count;
        print_entity(s, rows);
    }
    double looked_at = json_double(read, "items", items), requests = json_double(read, "requests", 1);
    printf("%.*s", SLICE_ARG(counted(s->arena, items, "item", "items")));
    if (looked_at != items) printf(" of %.*s read", SLICE_ARG(figure(s->arena, looked_at)));
    printf(", %.*s", SLICE_ARG(counted(s->arena, requests, "request", "requests")));
    printf(", %.*s%s\n", SLICE_ARG(counted(s->arena, json_double(read, "units", 0), "read unit", "read units")),
           json_flag(read, "reckoned") ? " (reckoned)" : "");
    print_versions(s, JSON_GET(read, "schema"));
    struct slice after = json_text(tree, "after");
    if (after.n) printf("more: --after %.*s\n", SLICE_ARG(after));
}
