/* advise.c: what to do about a busy partition: whose key it is by the model, and the shards that would spread it.
 *
 * Several entities may share a partition. The one to spread is one whose items in it are many: whose own key holds an attribute
 * that the partition's key does not. */
#include "report.h"
#include "shard_private.h"
#include "spread.h"
#include "../item/item_json.h"
#include "jsonw.h"

#define KEY_MAX_DEPTH 8

static bool matches(struct arena *a, const struct model *m, const struct key_template *k, struct slice key)
{
    struct slice value, text;
    if (!val_get(key, k->attribute->name, &value)) return false;
    if (k->natural) return val_type(value) == k->attribute->type;
    if (val_type(value) != TYPE_S) return k->template.whole && val_type(value) == k->attribute->type;
    text = val_content(value);
    if (k->shards && !shard_strip(k->shards, m->delimiter, text, &text)) return false;
    return template_match(a, &k->template, text, ARENA_ARRAY(a, struct slice, template_holes(&k->template) + 1));
}

static bool path_matches(struct arena *a, const struct model *m, const struct access_path *p, const struct model_index *index,
                         struct slice key)
{
    if (p->index != index) return false;
    for (size_t i = 0; i < p->n_hash; i++) {
        if (!matches(a, m, &p->hash[i], key)) return false;
    }
    return true;
}

/* How well the path says whose key it is: literal text counts more than a hole that takes anything. */
static size_t literal_bytes(const struct access_path *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_hash; i++) {
        for (size_t j = 0; j < p->hash[i].template.n; j++) {
            if (!p->hash[i].template.parts[j].hole) n += p->hash[i].template.parts[j].text.n;
        }
    }
    return n;
}

static bool can_spread(const struct access_path *p)
{
    return !p->hash[0].natural && !p->hash[0].shards && spread_by(p).n;
}

static const struct access_path *find_path(struct arena *a, const struct model *m, const struct model_index *index, struct slice key)
{
    const struct access_path *best = NULL;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        if (!path_matches(a, m, p, index, key)) continue;
        if (!best || literal_bytes(p) > literal_bytes(best) ||
            (literal_bytes(p) == literal_bytes(best) && can_spread(p) && !can_spread(best))) {
            best = p;
        }
    }
    return best;
}

static size_t number_of_copy(const struct access_path *p)
{
    return (size_t)(p->copy - p->entity->copies);
}

/* The shards line as an edit of EditModel. */
static void put_edit(struct buf *b, const struct access_path *p)
{
    js_open(b, NULL, '{');
    js_string(b, "Op", SLICE("set"));
    js_open(b, "Path", '[');
    js_string(b, NULL, SLICE("entities"));
    js_string(b, NULL, p->entity->name);
    if (p->copy) {
        js_string(b, NULL, SLICE("copies"));
        js_number(b, NULL, (double)number_of_copy(p));
    }
    if (p->kind == PATH_INDEX) {
        js_string(b, NULL, SLICE("index"));
        js_string(b, NULL, p->index->name);
    }
    js_string(b, NULL, SLICE("shards"));
    js_close(b, ']');
    js_open(b, "Value", '{');
    js_string(b, "of", p->hash[0].attribute->name);
    js_string(b, "by", spread_by(p));
    js_number(b, "count", SPREAD_COUNT);
    js_close(b, '}');
    js_close(b, '}');
}

static struct slice source_of(const struct access_path *p)
{
    return p->hash[0].template.source.n ? p->hash[0].template.source : p->hash[0].attribute->name;
}

static struct slice advice_of(struct arena *a, const struct access_path *p)
{
    struct slice name = p->entity->name, of = p->hash[0].attribute->name, source = source_of(p), by = spread_by(p);
    if (p->hash[0].shards) {
        return arena_printf(a, "%.*s %.*s is spread by %.*s already, and one of its shards is busy all the same: more shards, or "
                            "another attribute to spread by, need the items to be written anew (onefold unfold and load).",
                            SLICE_ARG(name), SLICE_ARG(of), SLICE_ARG(p->hash[0].shards->by));
    }
    if (!by.n) {
        return arena_printf(a, "%.*s is one item of %.*s: shards do not help, for there is nothing to spread. Cache it where it "
                            "is read, or split what changes often into items of its own.", SLICE_ARG(source), SLICE_ARG(name));
    }
    struct slice what = spread_advice(a, p);
    return arena_printf(a, "%.*s is %.*s of %.*s; %.*s", SLICE_ARG(source), SLICE_ARG(of), SLICE_ARG(name), SLICE_ARG(what));
}

static void put_advice(struct reporter *r, const struct access_path *p)
{
    struct buf *b = r->out;
    js_open(b, NULL, '{');
    js_string(b, "Entity", p->entity->name);
    js_name(b, "At");
    if (p->index->name.n) json_put_string(b, p->index->name);
    else BUF_LIT(b, "null");
    if (p->copy) js_string(b, "Copy", p->copy->name);
    js_string(b, "Template", source_of(p));
    js_string(b, "Advice", advice_of(r->arena, p));
    js_open(b, "Edits", '[');
    if (can_spread(p)) put_edit(b, p);
    js_close(b, ']');
    js_close(b, '}');
}

int report_advise(struct reporter *r, struct slice index, struct slice key)
{
    const struct model_index *ix = index.n ? model_index(r->model, index) : &r->model->indexes[0];
    const struct json *node = json_parse(r->arena, key, KEY_MAX_DEPTH, NULL);
    struct slice item;
    if (!node || node->type != JSON_OBJECT)
        return err_set(r->err, ERR_ValidationException, "the key must be a JSON object: {\"PK\":{\"S\":\"...\"}}");
    int rc = item_from_json(r->arena, node, &item, r->err);
    if (rc) return rc;
    if (ix && ix->local) ix = &r->model->indexes[0]; /* the same partitions */
    const struct access_path *p = ix ? find_path(r->arena, r->model, ix, item) : NULL;
    if (p) {
        put_advice(r, p);
        return 0;
    }
    js_open(r->out, NULL, '{');
    js_name(r->out, "Entity");
    BUF_LIT(r->out, "null");
    js_string(r->out, "Advice", SLICE("No entity of the open model has such a key. Open the model of this table to see which line "
                                      "spreads it; in short: append a shard to the key, chosen by an attribute with many values."));
    js_open(r->out, "Edits", '[');
    js_close(r->out, ']');
    js_close(r->out, '}');
    return 0;
}
