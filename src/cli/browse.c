/* browse.c: `onefold browse`: the table drawer by drawer. */
#include "session.h"

static const struct browse_options {
    const char *index, *beside;
} defaults;

/* "ORDER#o1 / METADATA" */
static struct slice key_text(struct arena *a, const struct json *key, const struct json *without)
{
    struct buf b;
    buf_init(&b, a, 1 << 16);
    for (const struct json *k = key ? key->first : NULL; k; k = k->next) {
        if (without && json_get(without, k->name)) continue;
        if (b.n) BUF_LIT(&b, "  ");
        buf_slice(&b, json_cell(a, k));
    }
    return buf_view(&b);
}

static struct slice beside_text(struct arena *a, const struct json *indexes)
{
    struct buf b;
    buf_init(&b, a, 1 << 16);
    for (const struct json *ix = indexes ? indexes->first : NULL; ix; ix = ix->next) {
        if (b.n) BUF_LIT(&b, "; ");
        buf_printf(&b, "%.*s: %.*s", SLICE_ARG(ix->name), SLICE_ARG(key_text(a, ix, NULL)));
    }
    return buf_view(&b);
}

static struct slice attributes_text(struct arena *a, const struct json *attributes)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    for (const struct json *at = attributes ? attributes->first : NULL; at; at = at->next) {
        if (b.n) buf_u8(&b, ' ');
        buf_printf(&b, "%.*s=", SLICE_ARG(at->name));
        buf_slice(&b, json_cell(a, at));
    }
    return buf_view(&b);
}

static void print_drawer(struct session *s, const struct json *drawer)
{
    const struct json *items = JSON_GET(drawer, "items"), *key = JSON_GET(drawer, "key");
    struct table t;
    print_inked(INK_TITLE, key_text(s->arena, key, NULL));
    printf("  (%.*s)\n", SLICE_ARG(counted(s->arena, items ? items->count : 0, "item", "items")));
    table_init(&t, s->arena, 4, NULL);
    t.wrap = false; /* an item is one line */
    t.indent = 2;
    t.fixed[0] = t.fixed[1] = true;
    for (const struct json *it = items ? items->first : NULL; it; it = it->next) {
        struct cell *row = table_row(&t);
        struct slice entity = json_text(it, "entity");
        row[0].text = key_text(s->arena, JSON_GET(it, "key"), key);
        row[1] = (struct cell){ entity.n ? entity : SLICE("?"), entity.n ? entity_ink(entity) : INK_WARN };
        if (json_flag(it, "copy")) row[1].text = arena_printf(s->arena, "%.*s copy", SLICE_ARG(entity));
        row[2] = (struct cell){ beside_text(s->arena, JSON_GET(it, "indexes")), INK_FAINT };
        row[3].text = attributes_text(s->arena, JSON_GET(it, "attributes"));
    }
    table_print(&t);
    puts("");
}

static void render(struct session *s, const struct json *tree)
{
    const struct json *drawers = JSON_GET(tree, "drawers");
    if (!drawers || !drawers->count) puts("nothing is there");
    for (const struct json *d = drawers ? drawers->first : NULL; d; d = d->next) print_drawer(s, d);
    struct slice after = json_text(tree, "after");
    if (after.n) printf("more: --after %.*s\n", SLICE_ARG(after));
}

static int browse(struct session *s)
{
    const struct browse_options *o = s->in->options;
    of_answer *report;
    of_error err;
    of_browse_options options = { .partition = s->in->n_arguments ? s->in->arguments[0] : NULL, .index = o->index,
                                  .beside = o->beside, .after = s->in->shared.after, .limit = s->in->shared.limit };
    if (s->in->shared.consistent) return fail_usage(s->in->command, "--consistent is not for browsing");
    return of_model_browse(s->model, s->db, &options, &report, &err) ? fail_of(&err) : print_report(s, report, render);
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_READ, browse);
}

static const struct argument_spec arguments[] = {
    { "PARTITION", "a key, such as CUST#c1: only that drawer", COMPLETE_NOTHING, .optional = true },
};
static const struct option_spec options[] = {
    { "index", "NAME", "the drawers of this index", offsetof(struct browse_options, index), .complete = COMPLETE_INDEX },
    { "beside", "NAME", "only this index beside each item", offsetof(struct browse_options, beside),
      .complete = COMPLETE_INDEX },
};

const struct command command_browse = {
    .name = "browse",
    .summary = "look at the table drawer by drawer",
    .about = "Shows the table as it lies: each partition with its items in order, their\n"
             "entity, what they write into the indexes, and their attributes.",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON | SHARE_PAGES | SHARE_MODEL | SHARE_TARGET,
    .examples = "browse --data d\n"
                "browse 'STATUS#pending' --index GSI1 --data d\n",
    .run = run,
};
