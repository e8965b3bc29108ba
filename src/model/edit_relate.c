/* edit_relate.c: a relation between two entities, drawn: To gets the attributes that From is known by and a pattern that asks for them. It is
 * all made of sets, so nothing of it is more than somebody could have typed. */
#include "edit_relate.h"
#include "relations.h"

static const struct node *entities_of(const struct editor *ed)
{
    return NODE_GET(ed->root, "entities");
}

/* ---- what an entity is known by ---- */

bool relate_among(const struct slice *list, size_t n, struct slice name)
{
    for (size_t i = 0; i < n; i++)
        if (slice_eq(list[i], name)) return true;
    return false;
}

static void know(struct end *x, struct slice name)
{
    if (x->n < KNOWN_MAX && !relate_among(x->known, x->n, name)) x->known[x->n++] = name;
}

static void know_holes(struct end *x, struct slice t)
{
    for (size_t i = 0; i + 2 < t.n; i++) {
        if (t.p[i] != '$' || t.p[i + 1] != '{') continue;
        if (i && t.p[i - 1] == '$') continue;
        size_t from = i + 2, to = from;
        while (to < t.n && t.p[to] != '}' && t.p[to] != ':') to++;
        know(x, slice_of(t.p + from, to - from));
        i = to;
    }
}

/* The name of the table's hash or sort attribute; empty: there is no sort key. */
struct slice relate_key_name(const struct editor *ed, const char *side)
{
    const struct node *keys = NODE_GET(ed->root, "keys");
    bool hash = strcmp(side, "hash") == 0;
    if (!keys) return hash ? SLICE("PK") : SLICE("SK");
    const struct node *n = node_get(keys, slice_str(side));
    if (n && n->kind == NODE_MAP) n = NODE_GET(n, "name");
    return n && n->kind == NODE_SCALAR ? n->text : slice_of(NULL, 0);
}

static void know_side(struct editor *ed, struct end *x, struct slice attribute)
{
    const struct node *template = node_get(NODE_GET(x->node, "key"), attribute);
    if (template && template->kind == NODE_SCALAR) know_holes(x, template->text);
    else if (attribute.n && node_get(NODE_GET(x->node, "attributes"), attribute)) know(x, attribute);
    if (x->n_hash || x->hash.n) return;
    x->n_hash = x->n;
    x->hash = template && template->kind == NODE_SCALAR ? template->text : arena_printf(ed->arena, "${%.*s}", SLICE_ARG(attribute));
}

static int find_end(struct editor *ed, struct slice name, struct end *x)
{
    *x = (struct end){ .name = name, .node = node_get(entities_of(ed), name) };
    if (!x->node || x->node->kind != NODE_MAP)
        return err_set(ed->err, ERR_ValidationException, "the model has no entity %.*s", SLICE_ARG(name));
    know_side(ed, x, relate_key_name(ed, "hash"));
    know_side(ed, x, relate_key_name(ed, "sort"));
    if (!x->n)
        return err_set(ed->err, ERR_ValidationException,
                       "%.*s has no attribute in its key that it is known by; give it one first, such as PK: \"CUSTOMER#${customerId}\"",
                       SLICE_ARG(name));
    for (size_t i = 0; i < x->n; i++) x->as[i] = relation_name(ed->arena, name, x->known[i]);
    return 0;
}

/* ---- sets ---- */

int relate_set(struct editor *ed, struct edit_path path, struct buf *json)
{
    return edit_set(ed, &path, json_parse(ed->arena, buf_view(json), 16, NULL));
}

struct buf relate_json(struct editor *ed)
{
    struct buf b;
    buf_init(&b, ed->arena, MODEL_MAX_FILE);
    return b;
}

static void put_names(struct buf *b, const struct slice *list, size_t n)
{
    buf_u8(b, '[');
    for (size_t i = 0; i < n; i++) {
        if (i) buf_u8(b, ',');
        json_put_string(b, list[i]);
    }
    buf_u8(b, ']');
}

/* {"type":"string","required":true}, as the attribute is declared where it comes from. */
void relate_put_attribute(struct buf *b, const struct end *x, struct slice name)
{
    const struct node *at = node_get(NODE_GET(x->node, "attributes"), name);
    const struct node *type = at && at->kind == NODE_SCALAR ? at : NODE_GET(at, "type"), *format = NODE_GET(at, "format");
    if (!format) format = NODE_GET(at, "generate");
    bool lasting = format && (slice_eq(format->text, SLICE("ulid")) || slice_eq(format->text, SLICE("uuid")));
    BUF_LIT(b, "{\"type\":");
    json_put_string(b, type && type->kind == NODE_SCALAR && type->text.n ? type->text : SLICE("string"));
    if (lasting) {
        BUF_LIT(b, ",\"format\":");
        json_put_string(b, format->text);
    }
    BUF_LIT(b, ",\"required\":true}");
}

static int set_attributes(struct editor *ed, const struct end *of, struct slice entity)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < of->n; i++) {
        const struct node *en = node_get(entities_of(ed), entity);
        if (node_get(NODE_GET(en, "attributes"), of->as[i])) continue;
        struct buf b = relate_json(ed);
        relate_put_attribute(&b, of, of->known[i]);
        rc = relate_set(ed, (struct edit_path){ { SLICE("entities"), entity, SLICE("attributes"), of->as[i] }, 4 }, &b);
    }
    return rc;
}

/* ---- patterns ---- */

/* Is it of this entity alone, by just these attributes? */
static bool asks_already(const struct node *p, struct slice entity, const struct slice *by, size_t n)
{
    const struct node *of = NODE_GET(p, "of"), *given = NODE_GET(p, "by");
    if (of && of->kind == NODE_LIST && of->count == 1) of = of->first;
    if (!of || of->kind != NODE_SCALAR || !slice_eq(of->text, entity) || !given || given->count != n) return false;
    if (NODE_GET(p, "where") || NODE_GET(p, "across") || NODE_GET(p, "filter")) return false;
    for (const struct node *c = given->first; c; c = c->next)
        if (!relate_among(by, n, given->kind == NODE_MAP ? c->name : c->text)) return false;
    return true;
}

static bool ends_in(struct slice s, const char *end)
{
    size_t n = strlen(end);
    return s.n > n && memcmp(s.p + s.n - n, end, n) == 0;
}

/* ordersOfCustomer, categoriesOfProduct. */
static struct slice pattern_name(struct editor *ed, struct slice many, struct slice one)
{
    struct slice stem = many;
    const char *end = "s";
    if (ends_in(many, "y") && !ends_in(many, "ay") && !ends_in(many, "ey") && !ends_in(many, "oy")) {
        stem.n--;
        end = "ies";
    } else if (ends_in(many, "s") || ends_in(many, "x") || ends_in(many, "ch") || ends_in(many, "sh")) {
        end = "es";
    }
    uint8_t first = stem.p[0] >= 'A' && stem.p[0] <= 'Z' ? (uint8_t)(stem.p[0] + 32) : stem.p[0];
    struct slice name = arena_printf(ed->arena, "%c%.*s%sOf%.*s", first, (int)stem.n - 1, (const char *)stem.p + 1, end, SLICE_ARG(one));
    struct slice unique = name;
    for (unsigned i = 2; node_get(NODE_GET(ed->root, "patterns"), unique); i++)
        unique = arena_printf(ed->arena, "%.*s%u", SLICE_ARG(name), i);
    return unique;
}

/* The many of one: asked of entity, by what the one is known by. */
int relate_set_pattern(struct editor *ed, struct slice many, const struct end *one, struct slice entity)
{
    const struct node *patterns = NODE_GET(ed->root, "patterns");
    for (const struct node *p = patterns && patterns->kind == NODE_MAP ? patterns->first : NULL; p; p = p->next)
        if (asks_already(p, entity, one->as, one->n)) return 0;
    struct buf b = relate_json(ed);
    BUF_LIT(&b, "{\"of\":");
    json_put_string(&b, entity);
    BUF_LIT(&b, ",\"by\":");
    put_names(&b, one->as, one->n);
    buf_u8(&b, '}');
    return relate_set(ed, (struct edit_path){ { SLICE("patterns"), pattern_name(ed, many, one->name) }, 2 }, &b);
}

static int one_to_many(struct editor *ed, const struct end *from, const struct end *to)
{
    int rc = set_attributes(ed, from, to->name);
    return rc ? rc : relate_set_pattern(ed, to->name, from, to->name);
}

int edit_relate(struct editor *ed, struct slice from, struct slice to, enum edit_relation kind, struct slice through)
{
    struct end a, b;
    struct slice text = ed->text;
    const struct node *root = ed->root;
    if (slice_eq(from, to)) return err_set(ed->err, ERR_ValidationException, "an entity cannot be related to itself here: give it an attribute such as parentId, and a pattern by it");
    int rc = find_end(ed, from, &a);
    if (rc) return rc;
    b = (struct end){ .name = to, .node = node_get(entities_of(ed), to) };
    if (!b.node) return err_set(ed->err, ERR_ValidationException, "the model has no entity %.*s", SLICE_ARG(to));
    if (kind == RELATE_MANY_TO_MANY) rc = find_end(ed, to, &b);
    if (!rc) rc = kind == RELATE_MANY_TO_MANY ? relate_many_to_many(ed, &a, &b, through) : one_to_many(ed, &a, &b);
    if (rc) {
        ed->text = text;
        ed->root = root;
    }
    return rc;
}
