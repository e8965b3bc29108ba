/* model_unique.c: reads which values of an entity are unique, and makes the templates of their sentinels. */
#include "model_reader.h"
#include "template_private.h"

/* UNIQUE#User#tenantId+slug#${tenantId}#${slug}, made of parts, since names may hold what a template cannot. */
static struct template hash_template(struct reader *r, const struct entity *en, const struct unique *u)
{
    struct slice delimiter = r->m->delimiter;
    struct part *parts = ARENA_ARRAY(r->a, struct part, 2 * u->n);
    struct buf first, source;
    buf_init(&first, r->a, 1 << 20);
    BUF_LIT(&first, "UNIQUE");
    buf_slice(&first, delimiter);
    put_escaped(&first, en->name, delimiter);
    buf_slice(&first, delimiter);
    for (size_t i = 0; i < u->n; i++) {
        if (i) buf_u8(&first, '+');
        buf_slice(&first, u->attributes[i]);
    }
    buf_slice(&first, delimiter);
    buf_init(&source, r->a, 2 << 20);
    for (size_t i = 0; i < u->n; i++) {
        parts[2 * i] = (struct part){ .text = i ? delimiter : buf_view(&first) };
        parts[2 * i + 1] = (struct part){ .text = u->attributes[i], .hole = true };
        buf_slice(&source, parts[2 * i].text);
        buf_printf(&source, "${%.*s}", SLICE_ARG(u->attributes[i]));
    }
    return (struct template){ .source = buf_view(&source), .place = u->place, .parts = parts, .n = 2 * u->n,
                              .escape = true, .delimiter = delimiter };
}

static void check_attribute(struct reader *r, const struct entity_draft *d, const struct node *n)
{
    if (n->kind != NODE_SCALAR || d->broken) return;
    /* a+b and c would have the sentinels of a and b+c. */
    struct slice d_text = r->m->delimiter;
    if (memchr(n->text.p, '+', n->text.n) || memmem(n->text.p, n->text.n, d_text.p, d_text.n)) {
        problem_add(r->ps, n->place, SLICE("rename the attribute"),
                    "the name of a unique attribute cannot hold + or the delimiter, which its sentinel's key is made with");
        return;
    }
    const struct attribute *at = draft_attribute(d, n->text);
    if (!at)
        problem_add(r->ps, n->place, hint_attribute(r, d, n->text), "%.*s has no attribute \"%.*s\"",
                    SHOWN(d->entity->name), SHOWN(n->text));
    else if (at->type != TYPE_NONE && at->type != TYPE_S && at->type != TYPE_N && at->type != TYPE_BOOL)
        problem_add(r->ps, n->place, SLICE("only strings, numbers and booleans can be unique"),
                    "%.*s is a %s, which cannot be unique", SHOWN(at->name), type_word(at->type));
}

static bool same_attributes(const struct unique *a, const struct unique *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++)
        if (!slice_eq(a->attributes[i], b->attributes[i])) return false;
    return true;
}

static bool read_one(struct reader *r, struct entity_draft *d, const struct node *n, struct unique *u)
{
    u->place = n->place;
    if (n->kind == NODE_LIST) {
        if (n->count == 0 || n->count > KEY_MAX_PARTS) {
            problem_add(r->ps, n->place, SLICE(""), "one to four attributes can be unique together");
            return false;
        }
        for (const struct node *c = n->first; c; c = c->next) check_attribute(r, d, c);
        return read_texts(r, n, SLICE("unique"), &u->attributes, &u->n);
    }
    if (!field_fits(r, n, SLICE("unique"), FIELD_TEXT)) return false;
    check_attribute(r, d, n);
    struct slice *name = ARENA_NEW(r->a, struct slice);
    *name = n->text;
    u->attributes = name;
    u->n = 1;
    return true;
}

void read_unique(struct reader *r, struct entity_draft *d, const struct node *node)
{
    struct entity *en = d->entity;
    const struct model_index *table = &r->indexes[0];
    if (!node) return;
    for (size_t i = 0; i < table->hash.n + table->sort.n; i++) {
        const struct key_attribute *ka = i < table->hash.n ? &table->hash.attrs[i] : &table->sort.attrs[i - table->hash.n];
        if (ka->type == TYPE_S) continue;
        problem_add(r->ps, node->name_place, SLICE("make the table's keys strings"),
                    "unique values need a table whose keys are strings, but %.*s is a %s", SHOWN(ka->name),
                    type_word(ka->type));
        return;
    }
    struct unique *list = ARENA_ARRAY(r->a, struct unique, node->count + 1);
    for (const struct node *c = node->first; c; c = c->next) {
        struct unique *u = &list[en->n_uniques];
        if (!read_one(r, d, c, u)) continue;
        for (size_t i = 0; i < en->n_uniques && i < 100; i++)
            if (same_attributes(&list[i], u))
                problem_add(r->ps, c->place, SLICE("keep one of them"), "this is unique already");
        u->hash = hash_template(r, en, u);
        if (table->sort.n) {
            struct part *part = ARENA_NEW(r->a, struct part);
            *part = (struct part){ .text = SLICE("UNIQUE") };
            u->sort = (struct template){ .source = part->text, .place = u->place, .parts = part, .n = 1, .escape = true,
                                         .delimiter = r->m->delimiter };
        }
        en->n_uniques++;
    }
    en->uniques = list;
}
