/* model_template.c: reads the template of one key attribute and checks it against the entity's attributes. */
#include "model_reader.h"

bool same_template(const struct template *a, const struct template *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct part *x = &a->parts[i], *y = &b->parts[i];
        if (x->hole != y->hole || x->digits != y->digits || x->decimals != y->decimals || !slice_eq(x->text, y->text))
            return false;
    }
    return true;
}

static bool contains(struct slice text, struct slice part)
{
    return text.n && part.n && memmem(text.p, text.n, part.p, part.n);
}

/* A value that can never be written is found here rather than on the first write. */
static void check_enum(struct reader *r, const struct template *t, const struct attribute *at)
{
    if (t->whole || t->escape || at->type != TYPE_S) return;
    for (size_t i = 0; i < at->n_enumeration; i++) {
        if (val_type(at->enumeration[i]) != TYPE_S) continue; /* told already */
        struct slice value = val_content(at->enumeration[i]);
        if (!contains(value, t->delimiter)) continue;
        problem_add(r->ps, t->place, SLICE("write escape: percent, or choose another delimiter"),
                    "%.*s may be \"%.*s\", which contains the delimiter and cannot stand in a key", SHOWN(at->name),
                    SHOWN(value));
        return;
    }
}

static bool check_hole(struct reader *r, const struct entity_draft *d, const struct key_attribute *ka,
                       const struct template *t, const struct part *hole)
{
    const struct attribute *at = draft_attribute(d, hole->text);
    if (!at) {
        struct slice hint = model_is_key_attribute(r->m, hole->text)
                                ? SLICE("it is made from a template; use the attributes of that one")
                                : hint_attribute(r, d, hole->text);
        problem_add(r->ps, t->place, hint, "%.*s has no attribute \"%.*s\"", SHOWN(d->entity->name), SHOWN(hole->text));
        return false;
    }
    if (at->type == TYPE_NONE) return true;
    if (hole->digits && at->type != TYPE_N) {
        problem_add(r->ps, t->place, SLICE("leave the padding out"),
                    "only numbers are padded with zeros, but %.*s is a %s", SHOWN(at->name), type_word(at->type));
        return false;
    }
    if (t->whole) {
        if (at->type == ka->type) return true;
        problem_add(r->ps, t->place,
                    ka->type == TYPE_S && (at->type == TYPE_N || at->type == TYPE_BOOL)
                        ? SLICE("put text before the hole, which makes it text: \"N#${name}\"")
                        : SLICE("a template that is one hole takes the value with its type"),
                    "key attribute %.*s is a %s, but %.*s is a %s", SHOWN(ka->name), type_word(ka->type),
                    SHOWN(at->name), type_word(at->type));
        return false;
    }
    if (at->type != TYPE_S && at->type != TYPE_N && at->type != TYPE_BOOL) {
        problem_add(r->ps, t->place, SLICE("use strings, numbers and booleans in keys"),
                    "%.*s is a %s, which cannot stand in a template", SHOWN(at->name), type_word(at->type));
        return false;
    }
    check_enum(r, t, at);
    return true;
}

/* The attribute itself: a template that was not written. */
static void natural_template(struct reader *r, const struct entity_draft *d, const struct attribute *at,
                             struct key_template *out)
{
    struct part *part = ARENA_NEW(r->a, struct part);
    *part = (struct part){ .text = at->name, .hole = true };
    out->template = (struct template){ .source = arena_printf(r->a, "${%.*s}", SLICE_ARG(at->name)), .place = at->place,
                                       .parts = part, .n = 1, .whole = true, .escape = d->escape,
                                       .delimiter = r->m->delimiter };
    out->natural = true;
}

bool read_template(struct reader *r, const struct entity_draft *d, const struct key_attribute *ka,
                   const struct node *node, bool sharded, struct key_template *out)
{
    const struct attribute *own = draft_attribute(d, ka->name);
    *out = (struct key_template){ .attribute = ka };
    if (own && sharded) {
        problem_add(r->ps, node ? node->place : d->entity->place, SLICE("rename the attribute or the key"),
                    "%.*s is an attribute of %.*s itself and cannot be spread over shards", SHOWN(ka->name),
                    SHOWN(d->entity->name));
        return false;
    }
    if (own && !node) {
        natural_template(r, d, own, out);
        return true;
    }
    if (!node || template_is_cut(r, node, ka->name) || !field_fits(r, node, ka->name, FIELD_TEXT)) return false;
    struct template *t = &out->template;
    if (!template_parse(r->ps, node->text, node->place, r->m->delimiter, d->escape, t)) return false;
    if (own) {
        out->natural = true;
        if (t->whole && slice_eq(t->parts[0].text, ka->name)) return true;
        problem_add(r->ps, node->place, SLICE("leave the template out, or give the attribute another name"),
                    "%.*s is an attribute of %.*s itself, so its key is that attribute and nothing else",
                    SHOWN(ka->name), SHOWN(d->entity->name));
        return false;
    }
    if (ka->type != TYPE_S && !t->whole) {
        problem_add(r->ps, node->place, SLICE("write ${name} and nothing else"),
                    "key attribute %.*s is a %s and takes one attribute as it is", SHOWN(ka->name), type_word(ka->type));
        return false;
    }
    /* The shard is appended after a delimiter, so that it is no longer one value as it is. */
    if (sharded) t->whole = false;
    bool good = d->broken || !template_is_another_language(r, d, t);
    for (size_t i = 0; i < t->n && !d->broken; i++)
        if (t->parts[i].hole) good = check_hole(r, d, ka, t, &t->parts[i]) && good;
    return good;
}
