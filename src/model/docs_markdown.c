/* docs_markdown.c: the key document: what the seeds ask for at the top of a data layer: entities with their keys,
 * indexes with what each entity writes into them, access patterns with how they are answered, sample rows. */
#include "docs_impl.h"
#include "values.h"
#include <math.h>

bool put_control(struct buf *b, struct slice text, size_t *i)
{
    uint8_t c = text.p[*i];
    bool c1 = c == 0xc2 && *i + 1 < text.n && text.p[*i + 1] < 0xa0;
    if (c >= 0x20 && c != 0x7f && !c1) return false;
    *i += c1;
    buf_u8(b, ' ');
    return true;
}

/* Text in a table cell or a paragraph: one line, nothing that Markdown would take for more. */
void md_text(struct buf *b, struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        if (put_control(b, text, &i)) continue;
        if (c == '<') BUF_LIT(b, "&lt;");
        else if (c == '&') BUF_LIT(b, "&amp;");
        else {
            if (memchr("|\\`*[]", c, 6)) buf_u8(b, '\\');
            buf_u8(b, c);
        }
    }
}

/* A code span, fenced by one backtick more than the text holds in a row. */
void md_code(struct buf *b, struct slice text)
{
    size_t run = 0, longest = 0;
    if (!text.n) return;
    for (size_t i = 0; i < text.n; i++) {
        run = text.p[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    bool pad = text.p[0] == '`' || text.p[text.n - 1] == '`';
    for (size_t i = 0; i <= longest; i++) buf_u8(b, '`');
    if (pad) buf_u8(b, ' ');
    for (size_t i = 0; i < text.n; i++) {
        if (put_control(b, text, &i)) continue;
        if (text.p[i] == '|') buf_u8(b, '\\');
        buf_u8(b, text.p[i]);
    }
    if (pad) buf_u8(b, ' ');
    for (size_t i = 0; i <= longest; i++) buf_u8(b, '`');
}

static void cell(struct buf *b, struct slice text)
{
    BUF_LIT(b, " ");
    md_text(b, text);
    BUF_LIT(b, " |");
}

static void code_cell(struct buf *b, struct slice text)
{
    BUF_LIT(b, " ");
    md_code(b, text);
    BUF_LIT(b, " |");
}

/* names: "entity|PK|SK": the head and the line under it. */
static void head(struct buf *b, const struct slice *names, size_t n)
{
    BUF_LIT(b, "|");
    for (size_t i = 0; i < n; i++) cell(b, names[i]);
    BUF_LIT(b, "\n|");
    for (size_t i = 0; i < n; i++) BUF_LIT(b, "---|");
    BUF_LIT(b, "\n");
}
#define HEAD(b, ...) head((b), (const struct slice[]){ __VA_ARGS__ }, sizeof((struct slice[]){ __VA_ARGS__ }) / sizeof(struct slice))

static void put_side(struct buf *b, const struct key_side *side)
{
    for (size_t i = 0; i < side->n; i++) {
        if (i) BUF_LIT(b, ", ");
        md_code(b, side->attrs[i].name);
        if (side->attrs[i].type != TYPE_S) buf_printf(b, " (%s)", attribute_type_name(side->attrs[i].type));
    }
}

static void put_table(struct buf *b, const struct model *m)
{
    BUF_LIT(b, "## Table and indexes\n\n");
    HEAD(b, SLICE("where"), SLICE("hash key"), SLICE("sort key"), SLICE("holds"));
    for (size_t i = 0; i < m->n_indexes; i++) {
        const struct model_index *ix = &m->indexes[i];
        BUF_LIT(b, "|");
        if (i) code_cell(b, ix->name);
        else cell(b, SLICE("table"));
        BUF_LIT(b, " ");
        put_side(b, ix->local && !ix->hash.n ? &m->indexes[0].hash : &ix->hash);
        BUF_LIT(b, " | ");
        put_side(b, &ix->sort);
        BUF_LIT(b, " | ");
        if (ix->local) BUF_LIT(b, "local; ");
        if (!i) {
            BUF_LIT(b, "all items");
        } else if (ix->projection == PROJECT_INCLUDE) {
            BUF_LIT(b, "keys");
            for (size_t k = 0; k < ix->n_include; k++) {
                BUF_LIT(b, ", ");
                md_code(b, ix->include[k]);
            }
        } else {
            buf_slice(b, ix->projection == PROJECT_ALL ? SLICE("all attributes") : SLICE("keys"));
        }
        BUF_LIT(b, " |\n");
    }
    BUF_LIT(b, "\n");
    if (m->entity_attribute.n) {
        BUF_LIT(b, "- The entity's name is in ");
        md_code(b, m->entity_attribute);
        BUF_LIT(b, ".\n");
    }
    if (m->schema_attribute.n) {
        BUF_LIT(b, "- The version of its shape is in ");
        md_code(b, m->schema_attribute);
        BUF_LIT(b, ".\n");
    }
    if (m->ttl.n) {
        BUF_LIT(b, "- Items expire by ");
        md_code(b, m->ttl);
        BUF_LIT(b, " (epoch seconds).\n");
    }
    BUF_LIT(b, "\n");
}

static void path_row(struct buf *b, struct arena *a, const struct model *m, const struct access_path *p)
{
    BUF_LIT(b, "|");
    if (p->copy) cell(b, arena_printf(a, "%.*s (%.*s)", SLICE_ARG(p->entity->name), SLICE_ARG(p->copy->name)));
    else cell(b, p->entity->name);
    code_cell(b, keys_text(a, m, p->hash, p->n_hash));
    code_cell(b, keys_text(a, m, p->sort, p->n_sort));
}

/* What each entity writes into the keys of one index: its overloading. */
static void put_overloading(struct buf *b, struct arena *a, const struct model *m, size_t x)
{
    const struct model_index *ix = &m->indexes[x];
    struct buf hash, sort;
    buf_init(&hash, a, (size_t)1 << 16);
    buf_init(&sort, a, (size_t)1 << 16);
    for (size_t i = 0; i < ix->hash.n; i++) buf_printf(&hash, "%s%.*s", i ? ", " : "", SLICE_ARG(ix->hash.attrs[i].name));
    for (size_t i = 0; i < ix->sort.n; i++) buf_printf(&sort, "%s%.*s", i ? ", " : "", SLICE_ARG(ix->sort.attrs[i].name));
    if (!hash.n) buf_slice(&hash, m->indexes[0].hash.attrs[0].name);
    HEAD(b, SLICE("entity"), buf_view(&hash), sort.n ? buf_view(&sort) : SLICE("(no sort key)"));
    for (size_t i = 0; i < m->n_paths; i++) {
        if (m->paths[i].index != ix) continue;
        path_row(b, a, m, &m->paths[i]);
        BUF_LIT(b, "\n");
    }
    BUF_LIT(b, "\n");
}

/* A string as it is, without the quotes that JSON gives it. */
static void put_plain(struct buf *b, struct slice value)
{
    struct buf v;
    buf_init(&v, b->arena, (size_t)1 << 20);
    value_to_plain(&v, value);
    md_code(b, val_type(value) == TYPE_S && val_content(value).n ? val_content(value) : buf_view(&v));
}

static void put_rules(struct buf *b, const struct attribute *at)
{
    const char *sep = "";
    static const char *const formats[] = { "", "ulid", "date-time", "date", "epoch", "epoch-ms" };
#define RULE(condition, ...) \
    if (condition) { \
        buf_printf(b, "%s", sep); \
        buf_printf(b, __VA_ARGS__); \
        sep = ", "; \
    }
    RULE(at->required, "required")
    RULE(at->generate == GENERATE_ULID, "generated: ulid")
    RULE(at->generate == GENERATE_UUID, "generated: uuid")
    RULE(at->generate == GENERATE_NOW, "generated: now")
    RULE(at->time && at->generate == GENERATE_NONE, "%s", formats[at->time])
    RULE(at->is_uuid && at->generate == GENERATE_NONE, "uuid")
    RULE(at->read_only, "read only")
    RULE(at->hidden, "hidden")
    RULE(at->automatic, "automatic")
#undef RULE
    if (at->n_enumeration) {
        buf_printf(b, "%sone of ", sep);
        for (size_t i = 0; i < at->n_enumeration; i++) {
            if (i) BUF_LIT(b, ", ");
            put_plain(b, at->enumeration[i]);
        }
        sep = ", ";
    }
    const struct { const char *name; struct slice value; } plain[] = {
        { "default", at->default_value }, { "min", at->min }, { "max", at->max } };
    for (size_t i = 0; i < 3; i++) {
        if (!plain[i].value.n) continue;
        buf_printf(b, "%s%s ", sep, plain[i].name);
        put_plain(b, plain[i].value);
        sep = ", ";
    }
    if (at->pattern.n) {
        buf_printf(b, "%smatches ", sep);
        md_code(b, at->pattern);
    }
}

static void put_notes(struct buf *b, struct arena *a, const struct model *m, const struct entity *en)
{
    for (size_t i = 0; i < en->n_uniques; i++) {
        const struct unique *u = &en->uniques[i];
        BUF_LIT(b, "- Unique: ");
        for (size_t k = 0; k < u->n; k++) {
            if (k) BUF_LIT(b, " with ");
            md_code(b, u->attributes[k]);
        }
        BUF_LIT(b, ", kept by the item ");
        md_code(b, u->hash.source);
        BUF_LIT(b, ".\n");
    }
    for (size_t i = 0; i < en->n_copies; i++) {
        const struct copy *c = &en->copies[i];
        BUF_LIT(b, "- Copy ");
        md_text(b, c->name);
        BUF_LIT(b, " under ");
        md_code(b, keys_text(a, m, c->key->hash, c->key->n_hash));
        if (c->only) {
            BUF_LIT(b, " with only");
            for (size_t k = 0; k < c->n_only; k++) {
                buf_printf(b, "%s ", k ? "," : "");
                md_code(b, c->only[k]);
            }
        }
        buf_printf(b, "%s.\n", c->sparse ? "; only where its key can be made" : "");
    }
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        for (size_t k = 0; k < p->n_hash && p->entity == en; k++) {
            const struct shards *s = p->hash[k].shards;
            if (!s) continue;
            BUF_LIT(b, "- Shards: ");
            md_code(b, s->of);
            BUF_LIT(b, " is spread by ");
            md_code(b, s->by);
            BUF_LIT(b, " (");
            md_code(b, shards_text(a, m, &p->hash[k]));
            BUF_LIT(b, ").\n");
        }
    }
    if (en->lock.n) {
        BUF_LIT(b, "- Optimistic lock: ");
        md_code(b, en->lock);
        BUF_LIT(b, ".\n");
    }
    if (en->schema) buf_printf(b, "- Schema version %u.\n", en->schema);
    if (en->open) BUF_LIT(b, "- Attributes that are not declared are stored too.\n");
}

static void put_entity(struct buf *b, struct arena *a, const struct model *m, const struct entity *en)
{
    BUF_LIT(b, "### ");
    md_text(b, en->name);
    BUF_LIT(b, "\n\n");
    if (en->about.n) {
        md_text(b, en->about);
        BUF_LIT(b, "\n\n");
    }
    HEAD(b, SLICE("attribute"), SLICE("type"), SLICE("rules"), SLICE("what it is"));
    for (size_t i = 0; i < en->n_attributes; i++) {
        const struct attribute *at = &en->attributes[i];
        BUF_LIT(b, "|");
        code_cell(b, at->name);
        cell(b, slice_str(attribute_type_name(at->type)));
        BUF_LIT(b, " ");
        put_rules(b, at);
        BUF_LIT(b, " |");
        cell(b, at->about);
        BUF_LIT(b, "\n");
    }
    BUF_LIT(b, "\n");
    size_t before = b->n;
    put_notes(b, a, m, en);
    if (b->n > before) BUF_LIT(b, "\n");
}

static void number_cell(struct buf *b, bool known, double v)
{
    BUF_LIT(b, " ");
    if (known) number_put(b, floor(v * 100 + 0.5) / 100);
    else BUF_LIT(b, "unknown");
    BUF_LIT(b, " |");
}

static void put_patterns(struct buf *b, const struct facts *f)
{
    const struct model *m = f->model;
    if (!m->n_patterns) return;
    BUF_LIT(b, "## Access patterns\n\n");
    HEAD(b, SLICE("#"), SLICE("pattern"), SLICE("question"), SLICE("operation"), SLICE("index"), SLICE("key condition"),
         SLICE("items"), SLICE("read units"));
    for (size_t i = 0; i < m->n_patterns; i++) {
        const struct plan *p = &f->plans[i];
        const struct measure *ms = &f->measures[i];
        buf_printf(b, "| %zu |", i + 1);
        code_cell(b, m->patterns[i].name);
        cell(b, m->patterns[i].about);
        if (p->kind == PLAN_NONE) {
            cell(b, SLICE("not answerable"));
            BUF_LIT(b, " |");
            cell(b, p->reason);
            BUF_LIT(b, " | |\n");
            continue;
        }
        cell(b, p->operation);
        if (p->path->index->name.n) code_cell(b, p->path->index->name);
        else cell(b, SLICE("table"));
        BUF_LIT(b, " ");
        md_code(b, p->key_condition);
        buf_printf(b, "%s%s |", p->descending ? ", descending" : "", p->filter_entity ? ", filtered" : "");
        number_cell(b, ms->known, ms->items);
        number_cell(b, ms->known, ms->read_units);
        BUF_LIT(b, "\n");
    }
    BUF_LIT(b, "\n");
}

int docs_markdown(struct reporter *r, struct facts *f)
{
    struct buf *b = r->out;
    const struct model *m = f->model;
    BUF_LIT(b, "# ");
    md_text(b, m->table);
    BUF_LIT(b, "\n\n");
    if (m->about.n) {
        md_text(b, m->about);
        BUF_LIT(b, "\n\n");
    }
    put_table(b, m);
    BUF_LIT(b, "## Keys\n\n");
    put_overloading(b, r->arena, m, 0);
    for (size_t i = 1; i < m->n_indexes; i++) {
        BUF_LIT(b, "What each entity writes into ");
        md_code(b, m->indexes[i].name);
        BUF_LIT(b, ":\n\n");
        put_overloading(b, r->arena, m, i);
    }
    put_patterns(b, f);
    BUF_LIT(b, "## Entities\n\n");
    for (size_t i = 0; i < m->n_entities; i++) put_entity(b, r->arena, m, &m->entities[i]);
    docs_markdown_rows(b, r->arena, f);
    while (b->n > 1 && b->p[b->n - 1] == '\n' && b->p[b->n - 2] == '\n') b->n--;
    return 0;
}
