/* docs_json.c: the whole model as JSON, for tools: table, indexes, entities, patterns with their plans, sample items. */
#include "docs_impl.h"
#include "relations.h"
#include "values.h"

static void put_side(struct buf *b, const char *name, const struct key_side *side)
{
    js_open(b, name, '[');
    for (size_t i = 0; i < side->n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "name", side->attrs[i].name);
        js_string(b, "type", slice_str(attribute_type_name(side->attrs[i].type)));
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_place(struct buf *b, struct place at)
{
    js_number(b, "line", at.line);
    js_number(b, "column", at.column);
}

static void put_names(struct buf *b, const char *name, const struct slice *list, size_t n)
{
    js_open(b, name, '[');
    for (size_t i = 0; i < n; i++) js_string(b, NULL, list[i]);
    js_close(b, ']');
}

static void put_indexes(struct buf *b, const struct model *m)
{
    static const char *const projections[] = { "all", "keys", "include" };
    js_open(b, "keys", '{');
    put_side(b, "hash", &m->indexes[0].hash);
    put_side(b, "sort", &m->indexes[0].sort);
    js_close(b, '}');
    js_open(b, "indexes", '[');
    for (size_t i = 1; i < m->n_indexes; i++) {
        const struct model_index *ix = &m->indexes[i];
        js_open(b, NULL, '{');
        js_string(b, "name", ix->name);
        put_place(b, ix->place);
        js_bool(b, "local", ix->local);
        put_side(b, "hash", ix->local && !ix->hash.n ? &m->indexes[0].hash : &ix->hash);
        put_side(b, "sort", &ix->sort);
        js_string(b, "project", slice_str(projections[ix->projection]));
        if (ix->projection == PROJECT_INCLUDE) put_names(b, "include", ix->include, ix->n_include);
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_keys(struct buf *b, const char *name, const struct key_template *k, size_t n)
{
    static const char *const kinds[] = { "hash", "letters", "month", "value" };
    js_open(b, name, '[');
    for (size_t i = 0; i < n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "attribute", k[i].attribute->name);
        js_string(b, "template", key_source(b->arena, &k[i]));
        js_bool(b, "natural", k[i].natural);
        if (k[i].shards) {
            const struct shards *s = k[i].shards;
            js_open(b, "shards", '{');
            js_string(b, "kind", slice_str(kinds[s->kind]));
            js_string(b, "by", s->by);
            if (s->kind == SHARD_HASH) js_number(b, "count", s->count);
            if (s->kind == SHARD_LETTERS) js_number(b, "letters", s->letters);
            if (s->kind == SHARD_MONTH) {
                char month[8];
                when_month(s->since, month);
                js_string(b, "since", slice_str(month));
            }
            js_close(b, '}');
        }
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_path(struct buf *b, const struct access_path *p)
{
    put_keys(b, "hash", p->hash, p->n_hash);
    put_keys(b, "sort", p->sort, p->n_sort);
}

static void put_entries(struct buf *b, const struct access_path *const *list, size_t n)
{
    js_open(b, "index", '[');
    for (size_t i = 0; i < n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "index", list[i]->index->name);
        put_path(b, list[i]);
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_value(struct buf *b, const char *name, struct slice value)
{
    if (!value.n) return;
    js_name(b, name);
    value_to_plain(b, value);
}

static void put_attributes(struct buf *b, const char *name, const struct attribute *list, size_t n, unsigned depth)
{
    static const char *const formats[] = { NULL, "ulid", "date-time", "date", "epoch", "epoch-ms" };
    static const char *const generates[] = { NULL, "ulid", "uuid", "now" };
    js_open(b, name, '[');
    for (size_t i = 0; i < n && depth < NODE_MAX_DEPTH; i++) {
        const struct attribute *at = &list[i];
        js_open(b, NULL, '{');
        js_string(b, "name", at->name);
        js_string(b, "type", slice_str(attribute_type_name(at->type)));
        js_string_if(b, "about", at->about);
        if (at->required) js_bool(b, "required", true);
        if (at->read_only) js_bool(b, "readOnly", true);
        if (at->hidden) js_bool(b, "hidden", true);
        if (at->automatic) js_bool(b, "automatic", true);
        if (at->generate) js_string(b, "generate", slice_str(generates[at->generate]));
        if (at->is_uuid) js_string(b, "format", SLICE("uuid"));
        else if (at->time) js_string(b, "format", slice_str(formats[at->time]));
        put_value(b, "default", at->default_value);
        if (at->n_enumeration) {
            js_open(b, "enum", '[');
            for (size_t k = 0; k < at->n_enumeration; k++) put_value(b, NULL, at->enumeration[k]);
            js_close(b, ']');
        }
        js_string_if(b, "pattern", at->pattern);
        put_value(b, "min", at->min);
        put_value(b, "max", at->max);
        if (at->n_members) put_attributes(b, at->type == TYPE_L ? "items" : "attributes", at->members, at->n_members, depth + 1);
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_expectation(struct buf *b, const struct expectation *x)
{
    if (!x->has_items && !x->has_bytes) return;
    js_open(b, "expect", '{');
    if (x->has_items) js_number(b, "items", x->items);
    if (x->has_bytes) js_number(b, "bytes", x->bytes);
    js_close(b, '}');
}

static void put_entity(struct buf *b, const struct entity *en)
{
    js_open(b, NULL, '{');
    js_string(b, "name", en->name);
    put_place(b, en->place);
    js_string_if(b, "about", en->about);
    js_open(b, "key", '{');
    put_path(b, en->key);
    js_close(b, '}');
    put_entries(b, en->entries, en->n_entries);
    js_open(b, "copies", '[');
    for (size_t i = 0; i < en->n_copies; i++) {
        const struct copy *c = &en->copies[i];
        js_open(b, NULL, '{');
        js_string(b, "name", c->name);
        put_path(b, c->key);
        put_entries(b, c->entries, c->n_entries);
        if (c->only) put_names(b, "only", c->only, c->n_only);
        js_bool(b, "sparse", c->sparse);
        js_close(b, '}');
    }
    js_close(b, ']');
    js_open(b, "unique", '[');
    for (size_t i = 0; i < en->n_uniques; i++) put_names(b, NULL, en->uniques[i].attributes, en->uniques[i].n);
    js_close(b, ']');
    put_attributes(b, "attributes", en->attributes, en->n_attributes, 0);
    if (en->schema) js_number(b, "schema", en->schema);
    js_string_if(b, "lock", en->lock);
    js_bool(b, "open", en->open);
    put_expectation(b, &en->expect);
    js_close(b, '}');
}

static void put_pattern(struct buf *b, const struct pattern *p, const struct plan *pl, const struct measure *ms)
{
    js_open(b, NULL, '{');
    js_string(b, "name", p->name);
    put_place(b, p->place);
    js_string_if(b, "about", p->about);
    js_open(b, "entities", '[');
    for (size_t i = 0; i < p->n_entities; i++) js_string(b, NULL, p->entities[i]->name);
    js_close(b, ']');
    js_bool(b, "collection", p->collection);
    const struct slice *inputs;
    const struct attribute *const *attributes;
    size_t n = pattern_inputs(b->arena, p, &inputs, &attributes);
    js_open(b, "inputs", '[');
    for (size_t i = 0; i < n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "name", inputs[i]);
        if (attributes[i]) {
            js_string(b, "attribute", attributes[i]->name);
            js_string(b, "type", slice_str(attribute_type_name(attributes[i]->type)));
        }
        js_close(b, '}');
    }
    js_close(b, ']');
    if (p->limit) js_number(b, "limit", p->limit);
    put_expectation(b, &p->expect);
    js_name(b, "plan");
    plan_to_json(b, pl);
    if (ms->known) {
        js_open(b, "measure", '{');
        js_number(b, "items", ms->items);
        js_number(b, "results", ms->results);
        js_number(b, "bytes", ms->bytes);
        js_number(b, "readUnits", ms->read_units);
        js_bool(b, "fromSample", ms->from_sample);
        js_close(b, '}');
    }
    js_close(b, '}');
}

static void put_relations(struct buf *b, const struct model *m)
{
    const struct relation *list;
    size_t n = relations_find(b->arena, m, &list);
    js_open(b, "relations", '[');
    for (size_t i = 0; i < n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "from", list[i].from->name);
        js_string(b, "to", list[i].to->name);
        js_string(b, "kind", list[i].through ? SLICE("many-to-many") : SLICE("one-to-many"));
        if (list[i].through) js_string(b, "through", list[i].through->name);
        put_names(b, "by", list[i].by, list[i].n_by);
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_sample(struct buf *b, const struct sample *s)
{
    js_open(b, "sample", '[');
    for (size_t i = 0; i < s->n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "entity", s->items[i].path->entity->name);
        js_bool(b, "copy", s->items[i].path->kind == PATH_COPY);
        js_number(b, "bytes", (double)s->items[i].size);
        js_name(b, "item");
        item_to_plain(b, s->items[i].item);
        js_close(b, '}');
    }
    js_close(b, ']');
}

int docs_json(struct reporter *r, struct facts *f)
{
    const struct model *m = f->model;
    struct buf *b = r->out;
    js_open(b, NULL, '{');
    js_number(b, "onefold", 1);
    js_string(b, "table", m->table);
    js_string_if(b, "about", m->about);
    js_string(b, "file", m->file);
    js_string(b, "delimiter", m->delimiter);
    js_string(b, "escape", m->escape ? SLICE("percent") : SLICE("refuse"));
    js_string_if(b, "entityAttribute", m->entity_attribute);
    js_string_if(b, "schemaAttribute", m->schema_attribute);
    js_string_if(b, "created", m->created);
    js_string_if(b, "updated", m->updated);
    js_string_if(b, "ttl", m->ttl);
    put_indexes(b, m);
    js_open(b, "entities", '[');
    for (size_t i = 0; i < m->n_entities; i++) put_entity(b, &m->entities[i]);
    js_close(b, ']');
    js_open(b, "patterns", '[');
    for (size_t i = 0; i < m->n_patterns; i++) put_pattern(b, &m->patterns[i], &f->plans[i], &f->measures[i]);
    js_close(b, ']');
    put_relations(b, m);
    put_sample(b, &f->sample);
    js_close(b, '}');
    return 0;
}
