/* scan.c: the questions that no pattern asks: the whole table, and a key condition written by hand. */
#include "run_impl.h"
#include <stdlib.h>

static int run_one(struct run *r, struct slice question)
{
    struct slice only = r->only ? r->only->name : SLICE("");
    uint8_t flags[2] = { r->all, r->descending };
    uint64_t h = fingerprint(fingerprint(0, question), r->o->filter);
    h = fingerprint(fingerprint(h, only), slice_of(flags, sizeof flags));
    r->prints = (struct fingerprints){ r->s->model->fingerprint, h, 0 };
    r->limit = r->o->limit;
    r->n = 1;
    r->streams = ARENA_ARRAY(r->s->arena, struct stream, 1);
    return run_streams(r);
}

static const struct entity *const *list_of(struct arena *a, const struct entity *en)
{
    const struct entity **list = arena_alloc(a, sizeof *list);
    list[0] = en;
    return list;
}

/* Only items that say they are this entity: what else there is need not travel. */
static void filter_entity(struct run *r)
{
    struct arena *a = r->s->arena;
    struct expression *x = &r->filter, with;
    if (!r->only || !r->s->model->entity_attribute.n) return;
    r->filtered = true;
    expression_init(&with, a);
    buf_printf(&with.text, "%s%.*s%s#e = :e", x->text.n ? "(" : "", (int)x->text.n, (const char *)x->text.p,
               x->text.n ? ") AND " : "");
    with.names = ARENA_ARRAY(a, struct attr, x->n_names + 1);
    with.values = ARENA_ARRAY(a, struct attr, x->n_values + 1);
    if (x->n_names) memcpy(with.names, x->names, x->n_names * sizeof *with.names);
    if (x->n_values) memcpy(with.values, x->values, x->n_values * sizeof *with.values);
    with.names[x->n_names] = (struct attr){ SLICE("#e"), val_make_string(a, r->s->model->entity_attribute) };
    with.values[x->n_values] = (struct attr){ SLICE(":e"), val_make_string(a, r->only->name) };
    with.n_names = x->n_names + 1;
    with.n_values = x->n_values + 1;
    *x = with;
}

int entities_scan(struct session *s, const struct entity *en, bool all, const struct run_options *o,
                  struct results *out, struct err *e)
{
    struct run r = { .s = s, .o = o, .out = out, .err = e, .operation = SLICE("Scan"), .only = en, .all = all };
    r.index = &s->model->indexes[0];
    r.read = o->read;
    *out = (struct results){ .asked = list_of(s->arena, en), .n_asked = en ? 1 : 0 };
    int rc = run_filter(&r, en);
    if (rc) return rc;
    if (!all) r.filtered = true;
    filter_entity(&r);
    return run_one(&r, SLICE("scan"));
}

int key_query(struct session *s, const struct model_index *index, const struct where *key, const struct entity *en,
              bool descending, const struct run_options *o, struct results *out, struct err *e)
{
    struct run r = { .s = s, .o = o, .out = out, .err = e, .operation = SLICE("Query"), .only = en, .all = true };
    struct expression x;
    r.index = index;
    r.descending = descending;
    r.filtered = en != NULL;
    *out = (struct results){ .asked = list_of(s->arena, en), .n_asked = en ? 1 : 0 };
    int rc = run_filter(&r, en);
    if (rc) return rc;
    /* The placeholders of both texts stand in one map: the condition goes on counting where the filter ended. */
    x = r.filter;
    buf_init(&x.text, s->arena, (size_t)1 << 20);
    where_to_expression(s->arena, key, &x);
    r.condition = x;
    x.text = r.filter.text;
    r.filter = x;
    struct buf question;
    buf_init(&question, s->arena, (size_t)16 << 20);
    buf_slice(&question, index->name);
    buf_u8(&question, ' ');
    buf_slice(&question, buf_view(&r.condition.text));
    expression_maps_to_json(&question, &r.condition);
    return run_one(&r, buf_view(&question));
}

static uint64_t count_of(const struct json *n)
{
    char text[32];
    if (!n || n->type != JSON_NUMBER || n->text.n >= sizeof text) return 0;
    memcpy(text, n->text.p, n->text.n);
    text[n->text.n] = 0;
    return strtoull(text, NULL, 10);
}

int entities_scan_estimate(struct session *s, struct scan_estimate *out, struct err *e)
{
    const struct json *answer;
    struct buf b;
    buf_init(&b, s->arena, (size_t)1 << 16);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, s->model->table);
    BUF_LIT(&b, "}");
    int rc = API_CALL(s->api, s->arena, "DescribeTable", buf_view(&b), &answer, e);
    if (rc) return rc;
    const struct json *table = JSON_GET(answer, "Table");
    out->items = count_of(JSON_GET(table, "ItemCount"));
    out->bytes = count_of(JSON_GET(table, "TableSizeBytes"));
    uint64_t blocks = (out->bytes + 4095) / 4096;
    /* A new table on demand has four partitions, each of which a Scan pays for, and a small one is hardly more. */
    const struct json *mode = JSON_GET(JSON_GET(table, "BillingModeSummary"), "BillingMode");
    uint64_t least = mode && slice_eq(mode->text, SLICE("PAY_PER_REQUEST")) ? 4 : 1;
    out->read_units = (double)(blocks > least ? blocks : least) * 0.5;
    return 0;
}
