/* table_create.c: the CreateTable request of a model, and the parts of it that other requests share. */
#include "table_impl.h"

const char *projection_name(enum projection p)
{
    return p == PROJECT_ALL ? "ALL" : p == PROJECT_KEYS ? "KEYS_ONLY" : "INCLUDE";
}

const struct key_side *index_hash(const struct model *m, const struct model_index *ix)
{
    return ix->local && ix->hash.n == 0 ? &m->indexes[0].hash : &ix->hash;
}

bool model_has_local(const struct model *m, bool local)
{
    for (size_t i = 1; i < m->n_indexes; i++) {
        if (m->indexes[i].local == local) return true;
    }
    return false;
}

/* At most 25 indexes of eight attributes: comparing each with each is cheap. */
static void add_side(const struct key_attribute **list, size_t *n, const struct key_side *side)
{
    for (size_t i = 0; i < side->n; i++) {
        size_t k = 0;
        while (k < *n && !slice_eq(list[k]->name, side->attrs[i].name)) k++;
        if (k == *n) list[(*n)++] = &side->attrs[i];
    }
}

size_t table_key_attributes(struct arena *a, const struct model *m, const struct key_attribute ***out)
{
    *out = ARENA_ARRAY(a, const struct key_attribute *, m->n_indexes * KEY_MAX_PARTS * 2);
    size_t n = 0;
    for (size_t i = 0; i < m->n_indexes; i++) {
        add_side(*out, &n, index_hash(m, &m->indexes[i]));
        add_side(*out, &n, &m->indexes[i].sort);
    }
    return n;
}

void table_put_definitions(struct buf *b, struct arena *a, const struct model *m)
{
    const struct key_attribute **list;
    size_t n = table_key_attributes(a, m, &list);
    js_open(b, "AttributeDefinitions", '[');
    for (size_t i = 0; i < n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "AttributeName", list[i]->name);
        js_string(b, "AttributeType", slice_str(val_type_name(list[i]->type)));
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_side(struct buf *b, const struct key_side *side, struct slice kind)
{
    for (size_t i = 0; i < side->n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "AttributeName", side->attrs[i].name);
        js_string(b, "KeyType", kind);
        js_close(b, '}');
    }
}

void table_put_schema(struct buf *b, const struct model *m, const struct model_index *ix)
{
    js_open(b, "KeySchema", '[');
    put_side(b, index_hash(m, ix), SLICE("HASH"));
    put_side(b, &ix->sort, SLICE("RANGE"));
    js_close(b, ']');
}

void table_put_projection(struct buf *b, const struct model_index *ix)
{
    js_open(b, "Projection", '{');
    js_string(b, "ProjectionType", slice_str(projection_name(ix->projection)));
    if (ix->projection == PROJECT_INCLUDE) {
        js_open(b, "NonKeyAttributes", '[');
        for (size_t i = 0; i < ix->n_include; i++) js_string(b, NULL, ix->include[i]);
        js_close(b, ']');
    }
    js_close(b, '}');
}

void table_put_index(struct buf *b, const struct model *m, const struct model_index *ix)
{
    js_open(b, NULL, '{');
    js_string(b, "IndexName", ix->name);
    table_put_schema(b, m, ix);
    table_put_projection(b, ix);
    js_close(b, '}');
}

static void put_indexes(struct buf *b, const struct model *m, bool local)
{
    if (!model_has_local(m, local)) return;
    js_open(b, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes", '[');
    for (size_t i = 1; i < m->n_indexes; i++) {
        if (m->indexes[i].local == local) table_put_index(b, m, &m->indexes[i]);
    }
    js_close(b, ']');
}

void table_put_create(struct buf *b, struct arena *a, const struct model *m)
{
    js_open(b, NULL, '{');
    js_string(b, "TableName", m->table);
    js_string(b, "BillingMode", SLICE("PAY_PER_REQUEST"));
    table_put_definitions(b, a, m);
    table_put_schema(b, m, &m->indexes[0]);
    put_indexes(b, m, true);
    put_indexes(b, m, false);
    js_close(b, '}');
}

int report_table(struct reporter *r, enum table_format f)
{
    switch (f) {
    case TABLE_CREATE: {
        struct buf b;
        buf_init(&b, r->arena, (size_t)1 << 20);
        table_put_create(&b, r->arena, r->model);
        json_indent(r->out, buf_view(&b));
        return 0;
    }
    case TABLE_CLOUDFORMATION:
        table_cloudformation(r->out, r->arena, r->model);
        return 0;
    case TABLE_TERRAFORM:
        table_terraform(r->out, r->arena, r->model);
        return 0;
    }
    return err_set(r->err, ERR_ValidationException, "no such table format");
}
