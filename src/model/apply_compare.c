/* apply_compare.c: a table as DescribeTable tells it against the model: what to add, what could be dropped, what
 * cannot be changed; and its time to live. */
#include "apply_impl.h"
#include <stdlib.h>

static struct slice text_of(const struct json *n, struct slice member)
{
    const struct json *t = json_get(n, member);
    return t && t->type == JSON_STRING ? t->text : SLICE("");
}

static struct slice type_of_attribute(const struct json *table, struct slice name)
{
    const struct json *list = JSON_GET(table, "AttributeDefinitions");
    for (const struct json *d = list ? list->first : NULL; d; d = d->next) {
        if (slice_eq(text_of(d, SLICE("AttributeName")), name)) return text_of(d, SLICE("AttributeType"));
    }
    return SLICE("");
}

/* "PK (HASH, S), SK (RANGE, S)", for comparing and for telling. */
static struct slice schema_there(struct arena *a, const struct json *table, const struct json *owner)
{
    struct buf b;
    buf_init(&b, a, (size_t)1 << 20);
    const struct json *list = JSON_GET(owner, "KeySchema");
    for (const struct json *k = list ? list->first : NULL; k; k = k->next) {
        struct slice name = text_of(k, SLICE("AttributeName"));
        if (b.n) BUF_LIT(&b, ", ");
        buf_printf(&b, "%.*s (%.*s, %.*s)", SLICE_ARG(name), SLICE_ARG(text_of(k, SLICE("KeyType"))),
                   SLICE_ARG(type_of_attribute(table, name)));
    }
    return buf_view(&b);
}

static void put_side(struct buf *b, const struct key_side *side, const char *kind)
{
    for (size_t i = 0; i < side->n; i++) {
        if (b->n) BUF_LIT(b, ", ");
        buf_printf(b, "%.*s (%s, %s)", SLICE_ARG(side->attrs[i].name), kind, val_type_name(side->attrs[i].type));
    }
}

static struct slice schema_meant(struct arena *a, const struct model *m, const struct model_index *ix)
{
    struct buf b;
    buf_init(&b, a, (size_t)1 << 20);
    put_side(&b, index_hash(m, ix), "HASH");
    put_side(&b, &ix->sort, "RANGE");
    return buf_view(&b);
}

static int by_bytes(const void *a, const void *b)
{
    return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* "ALL", "KEYS_ONLY" or "INCLUDE a, b" with the names in order. */
static struct slice projection_text(struct arena *a, struct slice type, struct slice *names, size_t n)
{
    struct buf b;
    buf_init(&b, a, (size_t)1 << 20);
    buf_slice(&b, type);
    if (!slice_eq(type, SLICE("INCLUDE"))) return buf_view(&b);
    qsort(names, n, sizeof *names, by_bytes);
    for (size_t i = 0; i < n; i++) buf_printf(&b, "%s%.*s", i ? ", " : " ", SLICE_ARG(names[i]));
    return buf_view(&b);
}

static struct slice projection_there(struct arena *a, const struct json *index)
{
    const struct json *p = JSON_GET(index, "Projection"), *list = JSON_GET(p, "NonKeyAttributes");
    size_t n = 0;
    struct slice *names = ARENA_ARRAY(a, struct slice, list ? list->count + 1 : 1);
    for (const struct json *k = list ? list->first : NULL; k; k = k->next) names[n++] = k->text;
    return projection_text(a, text_of(p, SLICE("ProjectionType")), names, n);
}

static struct slice projection_meant(struct arena *a, const struct model_index *ix)
{
    struct slice *names = ARENA_ARRAY(a, struct slice, ix->n_include + 1);
    for (size_t i = 0; i < ix->n_include; i++) names[i] = ix->include[i];
    return projection_text(a, slice_str(projection_name(ix->projection)), names, ix->n_include);
}

static const struct json *find_index(const struct json *list, struct slice name)
{
    for (const struct json *ix = list ? list->first : NULL; ix; ix = ix->next) {
        if (slice_eq(text_of(ix, SLICE("IndexName")), name)) return ix;
    }
    return NULL;
}

static void compare_index(struct applier *p, const struct model_index *ix, const struct json *there)
{
    struct arena *a = p->r->arena;
    const char *way_out = ix->local ? "a local index cannot be changed: make a new table, or use a global index"
                                    : "an index cannot be changed: give the model's another name, apply, and drop the "
                                      "old one later";
    struct slice has = schema_there(a, p->table, there), meant = schema_meant(a, p->r->model, ix);
    if (!slice_eq(has, meant)) {
        apply_conflict(p, "index %.*s has the key %.*s in the table and %.*s in the model; %s", SLICE_ARG(ix->name),
                       SLICE_ARG(has), SLICE_ARG(meant), way_out);
        return;
    }
    has = projection_there(a, there);
    meant = projection_meant(a, ix);
    if (!slice_eq(has, meant)) {
        apply_conflict(p, "index %.*s projects %.*s in the table and %.*s in the model; %s", SLICE_ARG(ix->name),
                       SLICE_ARG(has), SLICE_ARG(meant), way_out);
    }
}

static void open_update(struct buf *b, struct applier *p)
{
    buf_init(b, p->r->arena, (size_t)1 << 20);
    js_open(b, NULL, '{');
    js_string(b, "TableName", p->r->model->table);
}

/* A provisioned table needs figures for its new index: the table's own. */
static void put_throughput(struct buf *b, const struct json *table)
{
    struct slice mode = text_of(JSON_GET(table, "BillingModeSummary"), SLICE("BillingMode"));
    const struct json *t = JSON_GET(table, "ProvisionedThroughput");
    const struct json *read = JSON_GET(t, "ReadCapacityUnits"), *write = JSON_GET(t, "WriteCapacityUnits");
    if (slice_eq(mode, SLICE("PAY_PER_REQUEST")) || !read || !write) return;
    js_open(b, "ProvisionedThroughput", '{');
    js_name(b, "ReadCapacityUnits");
    buf_slice(b, read->text);
    js_name(b, "WriteCapacityUnits");
    buf_slice(b, write->text);
    js_close(b, '}');
}

static void put_definitions(struct buf *b, const struct key_side *side)
{
    for (size_t i = 0; i < side->n; i++) {
        js_open(b, NULL, '{');
        js_string(b, "AttributeName", side->attrs[i].name);
        js_string(b, "AttributeType", slice_str(val_type_name(side->attrs[i].type)));
        js_close(b, '}');
    }
}

/* Is a key attribute of the index made from a template, so that items written before have none? */
static bool is_computed(const struct model *m, const struct model_index *ix)
{
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        if (p->kind != PATH_INDEX || p->index != ix) continue;
        for (size_t k = 0; k < p->n_hash + p->n_sort; k++) {
            const struct key_template *t = k < p->n_hash ? &p->hash[k] : &p->sort[k - p->n_hash];
            const struct key_side *hash = &m->indexes[0].hash, *sort = &m->indexes[0].sort;
            bool of_table = (hash->n && slice_eq(hash->attrs[0].name, t->attribute->name)) ||
                            (sort->n && slice_eq(sort->attrs[0].name, t->attribute->name));
            if (!t->natural && !of_table) return true;
        }
    }
    return false;
}

static void plan_create_index(struct applier *p, const struct model_index *ix)
{
    struct buf b;
    open_update(&b, p);
    js_open(&b, "AttributeDefinitions", '[');
    put_definitions(&b, &ix->hash);
    put_definitions(&b, &ix->sort);
    js_close(&b, ']');
    js_open(&b, "GlobalSecondaryIndexUpdates", '[');
    js_open(&b, NULL, '{');
    js_open(&b, "Create", '{');
    js_string(&b, "IndexName", ix->name);
    table_put_schema(&b, p->r->model, ix);
    table_put_projection(&b, ix);
    put_throughput(&b, p->table);
    BUF_LIT(&b, "}}]}");
    struct apply_step *s = apply_add(p, SLICE("create-index"),
                                     arena_printf(p->r->arena, "add index %.*s%s", SLICE_ARG(ix->name),
                                                  is_computed(p->r->model, ix)
                                                      ? "; an item that is there comes into it when it is written again "
                                                        "(unfold --format ndjson, then load)"
                                                      : " and fill it from the items there are"));
    s->operation = SLICE("UpdateTable");
    s->request = buf_view(&b);
    s->index = ix->name;
    s->wait = WAIT_INDEX;
}

static void plan_drop_index(struct applier *p, struct slice name)
{
    struct arena *a = p->r->arena;
    if (!p->o->delete_indexes) {
        apply_add(p, SLICE("keep-index"), arena_printf(a, "index %.*s is not in the model; it stays unless apply "
                                                       "is run with --delete", SLICE_ARG(name)));
        return;
    }
    struct buf b;
    open_update(&b, p);
    js_open(&b, "GlobalSecondaryIndexUpdates", '[');
    js_open(&b, NULL, '{');
    js_open(&b, "Delete", '{');
    js_string(&b, "IndexName", name);
    BUF_LIT(&b, "}}]}");
    struct apply_step *s = apply_add(p, SLICE("delete-index"), arena_printf(a, "drop index %.*s", SLICE_ARG(name)));
    s->operation = SLICE("UpdateTable");
    s->request = buf_view(&b);
    s->index = name;
    s->wait = WAIT_DROPPED;
}

/* One attribute has one type in all keys of a table, also of indexes that are not the model's. */
static void compare_types(struct applier *p, const struct key_side *side, struct slice index)
{
    for (size_t i = 0; i < side->n; i++) {
        struct slice there = type_of_attribute(p->table, side->attrs[i].name);
        struct slice meant = slice_str(val_type_name(side->attrs[i].type));
        if (!there.n || slice_eq(there, meant)) continue;
        apply_conflict(p, "index %.*s needs %.*s as %.*s, but another key of the table has it as %.*s; name it "
                       "otherwise", SLICE_ARG(index), SLICE_ARG(side->attrs[i].name), SLICE_ARG(meant),
                       SLICE_ARG(there));
    }
}

static void compare_extra(struct applier *p, const struct json *list, bool local)
{
    for (const struct json *ix = list ? list->first : NULL; ix; ix = ix->next) {
        struct slice name = text_of(ix, SLICE("IndexName"));
        const struct model_index *meant = model_index(p->r->model, name);
        if (meant && meant->local == local) continue;
        if (!local) plan_drop_index(p, name);
        else apply_add(p, SLICE("keep-index"),
                       arena_printf(p->r->arena, "local index %.*s is not in the model; it lives as long as the table",
                                    SLICE_ARG(name)));
    }
}

void apply_compare(struct applier *p)
{
    const struct model *m = p->r->model;
    struct arena *a = p->r->arena;
    struct slice has = schema_there(a, p->table, p->table), meant = schema_meant(a, m, &m->indexes[0]);
    if (!slice_eq(has, meant)) {
        apply_conflict(p, "table %.*s has the key %.*s, the model's is %.*s; a table's key cannot be changed: give the "
                       "model another table name and load the items there", SLICE_ARG(m->table), SLICE_ARG(has),
                       SLICE_ARG(meant));
    }
    const struct json *global = JSON_GET(p->table, "GlobalSecondaryIndexes");
    const struct json *local = JSON_GET(p->table, "LocalSecondaryIndexes");
    compare_extra(p, local, true);
    compare_extra(p, global, false);
    for (size_t i = 1; i < m->n_indexes; i++) {
        const struct model_index *ix = &m->indexes[i];
        const struct json *there = find_index(ix->local ? local : global, ix->name);
        if (there) {
            compare_index(p, ix, there);
        } else if (ix->local) {
            apply_conflict(p, "the table has no local index %.*s, and one can only be made with the table: make it a "
                           "global index, or use a new table", SLICE_ARG(ix->name));
        } else if (find_index(local, ix->name)) {
            apply_conflict(p, "%.*s is a local index in the table and a global one in the model; name it otherwise",
                           SLICE_ARG(ix->name));
        } else {
            compare_types(p, &ix->hash, ix->name);
            compare_types(p, &ix->sort, ix->name);
            plan_create_index(p, ix);
        }
    }
}

static struct apply_step *plan_ttl(struct applier *p)
{
    struct buf b;
    open_update(&b, p);
    js_open(&b, "TimeToLiveSpecification", '{');
    js_string(&b, "AttributeName", p->r->model->ttl);
    js_bool(&b, "Enabled", true);
    BUF_LIT(&b, "}}");
    struct apply_step *s = apply_add(p, SLICE("enable-ttl"),
                                     arena_printf(p->r->arena, "let items expire by %.*s",
                                                  SLICE_ARG(p->r->model->ttl)));
    s->operation = SLICE("UpdateTimeToLive");
    s->request = buf_view(&b);
    return s;
}

int apply_ttl(struct applier *p)
{
    const struct model *m = p->r->model;
    struct arena *a = p->r->arena;
    if (!m->ttl.n) return 0;
    struct buf b;
    open_update(&b, p);
    js_close(&b, '}');
    const struct json *answer;
    struct err quiet = { .arena = a };
    int rc = API_CALL(p->api, a, "DescribeTimeToLive", buf_view(&b), &answer, &quiet);
    if (rc == ERR_UnknownOperationException) {
        apply_add(p, SLICE("enable-ttl"), SLICE("ttl: this endpoint cannot; skipped"));
        return 0;
    }
    if (rc == ERR_ResourceNotFoundException || rc == ERR_TableNotFoundException) {
        plan_ttl(p);
        return 0;
    }
    if (rc) return err_set(p->r->err, quiet.code, "%.*s", SLICE_ARG(quiet.message));
    const struct json *d = JSON_GET(answer, "TimeToLiveDescription");
    struct slice status = text_of(d, SLICE("TimeToLiveStatus")), by = text_of(d, SLICE("AttributeName"));
    bool on = slice_eq(status, SLICE("ENABLED")) || slice_eq(status, SLICE("ENABLING"));
    if (!on) {
        plan_ttl(p);
    } else if (!slice_eq(by, m->ttl)) {
        apply_conflict(p, "items expire by %.*s in the table and by %.*s in the model; switch it off first "
                       "(UpdateTimeToLive with Enabled false; DynamoDB takes up to an hour), then apply again",
                       SLICE_ARG(by), SLICE_ARG(m->ttl));
    }
    return 0;
}
