/* plan_request.c: one stream of a bound plan as the JSON of a GetItem or Query, ready to be sent.
 * Every attribute is named through ExpressionAttributeNames, since any may be a reserved word. */
#include "plan_impl.h"
#include "where.h"
#include "../item/item_json.h"

/* Names and values of an expression under construction, as JSON members. */
struct parts {
    struct buf text, names, values;
};

static void parts_init(struct parts *p, struct arena *a)
{
    buf_init(&p->text, a, 1 << 20);
    buf_init(&p->names, a, 1 << 20);
    buf_init(&p->values, a, 8 << 20);
}

static void put_name(struct parts *p, const char *label, size_t i, struct slice name)
{
    buf_printf(&p->names, "%s\"#%s%zu\":", p->names.n ? "," : "", label, i);
    json_put_string(&p->names, name);
}

static void put_value(struct parts *p, const char *label, size_t i, struct slice value)
{
    buf_printf(&p->values, "%s\":%s%zu\":", p->values.n ? "," : "", label, i);
    val_to_json(&p->values, value);
}

/* The one condition on the last sort attribute. Open ends of a range with two ends are the runner's
 * to drop. */
static void put_sort(struct parts *p, const struct key_range *r, size_t i, struct slice name)
{
    if (!r->prefix.n && !r->low.n && !r->high.n) return;
    put_name(p, "s", i, name);
    if (r->prefix.n) {
        buf_printf(&p->text, " AND begins_with(#s%zu, :s%zu)", i, i);
        put_value(p, "s", i, r->prefix);
    } else if (r->low.n && r->high.n) {
        bool same = val_equal(r->low, r->high);
        if (same)
            buf_printf(&p->text, " AND #s%zu = :s%zu", i, i);
        else
            buf_printf(&p->text, " AND #s%zu BETWEEN :s%zu AND :t%zu", i, i, i);
        put_value(p, "s", i, r->low);
        if (!same) put_value(p, "t", i, r->high);
    } else {
        const char *sign = r->low.n ? (r->low_open ? ">" : ">=") : (r->high_open ? "<" : "<=");
        buf_printf(&p->text, " AND #s%zu %s :s%zu", i, sign, i);
        put_value(p, "s", i, r->low.n ? r->low : r->high);
    }
}

static void put_key_condition(struct parts *p, const struct plan *plan, const struct key_range *r)
{
    const struct model_index *x = plan->path->index;
    for (size_t i = 0; i < x->hash.n; i++) {
        buf_printf(&p->text, "%s#k%zu = :k%zu", i ? " AND " : "", i, i);
        put_name(p, "k", i, x->hash.attrs[i].name);
        put_value(p, "k", i, r->hash[i]);
    }
    for (size_t i = 0; i < plan->sort_fixed; i++) {
        buf_printf(&p->text, " AND #s%zu = :s%zu", i, i);
        put_name(p, "s", i, x->sort.attrs[i].name);
        put_value(p, "s", i, r->fixed[i]);
    }
    if (plan->sort_fixed < x->sort.n)
        put_sort(p, r, plan->sort_fixed, x->sort.attrs[plan->sort_fixed].name);
}

static void put_and(struct parts *p)
{
    if (p->text.n) BUF_LIT(&p->text, " AND ");
}

static void put_entities(struct parts *p, const struct model *m, const struct plan *plan)
{
    put_and(p);
    put_name(p, "e", 0, m->entity_attribute);
    BUF_LIT(&p->text, "#e0 ");
    buf_slice(&p->text, plan->n_paths == 1 ? SLICE("= ") : SLICE("IN ("));
    for (size_t i = 0; i < plan->n_paths; i++) {
        buf_printf(&p->text, "%s:e%zu", i ? ", " : "", i);
        put_value(p, "e", i, val_make_string(p->text.arena, plan->paths[i]->entity->name));
    }
    if (plan->n_paths > 1) buf_u8(&p->text, ')');
}

static void put_filter(struct parts *p, const struct condition *c, const struct slice *values,
                       size_t i)
{
    put_and(p);
    put_name(p, "f", i, c->attribute);
    switch (c->op) {
    case COMPARE_EQ:
        buf_printf(&p->text, "#f%zu = :f%zu", i, i);
        break;
    case COMPARE_PREFIX:
        buf_printf(&p->text, "begins_with(#f%zu, :f%zu)", i, i);
        break;
    case COMPARE_AT_LEAST:
    case COMPARE_SINCE:
        buf_printf(&p->text, "#f%zu >= :f%zu", i, i);
        break;
    case COMPARE_ABOVE:
        buf_printf(&p->text, "#f%zu > :f%zu", i, i);
        break;
    case COMPARE_AT_MOST:
        buf_printf(&p->text, "#f%zu <= :g%zu", i, i);
        break;
    case COMPARE_BELOW:
    case COMPARE_UNTIL:
        buf_printf(&p->text, "#f%zu < :g%zu", i, i);
        break;
    case COMPARE_BETWEEN:
        buf_printf(&p->text, "#f%zu BETWEEN :f%zu AND :g%zu", i, i, i);
        break;
    case COMPARE_ON:
    case COMPARE_DURING:
        buf_printf(&p->text, "#f%zu >= :f%zu AND #f%zu < :g%zu", i, i, i, i);
        break;
    }
    if (values[0].n) put_value(p, "f", i, values[0]);
    if (values[1].n && c->op != COMPARE_EQ) put_value(p, "g", i, values[1]);
}

/* What the caller added. Its own names are #w0, :w0 ... */
static void put_more(struct parts *p, const struct expression *x)
{
    bool first = !p->text.n;
    put_and(p);
    if (!first) buf_u8(&p->text, '(');
    buf_slice(&p->text, buf_view(&x->text));
    if (!first) buf_u8(&p->text, ')');
    for (size_t i = 0; i < x->n_names; i++) {
        if (p->names.n) buf_u8(&p->names, ',');
        json_put_string(&p->names, x->names[i].name);
        buf_u8(&p->names, ':');
        json_put_string(&p->names, val_content(x->names[i].value));
    }
    for (size_t i = 0; i < x->n_values; i++) {
        if (p->values.n) buf_u8(&p->values, ',');
        json_put_string(&p->values, x->values[i].name);
        buf_u8(&p->values, ':');
        val_to_json(&p->values, x->values[i].value);
    }
}

static void put_member(struct buf *b, const char *name, struct slice text)
{
    buf_printf(b, ",\"%s\":", name);
    json_put_string(b, text);
}

static void put_get(struct buf *b, const struct bound_plan *bp, const struct key_range *r)
{
    const struct model_index *x = bp->plan->path->index;
    struct attr attrs[2];
    size_t n = 0;
    attrs[n++] = (struct attr){ x->hash.attrs[0].name, r->hash[0] };
    if (x->sort.n) attrs[n++] = (struct attr){ x->sort.attrs[0].name, r->fixed[0] };
    struct buf key;
    buf_init(&key, b->arena, 1 << 20);
    val_put_map(&key, attrs, n);
    BUF_LIT(b, ",\"Key\":");
    item_to_json(b, buf_view(&key));
}

static void put_query(struct buf *b, const struct model *m, const struct bound_plan *bp,
                      const struct key_range *r)
{
    const struct plan *plan = bp->plan;
    struct parts p;
    parts_init(&p, b->arena);
    if (plan->path->index->name.n) put_member(b, "IndexName", plan->path->index->name);
    put_key_condition(&p, plan, r);
    put_member(b, "KeyConditionExpression", buf_view(&p.text));
    buf_init(&p.text, b->arena, 1 << 20);
    if (plan->filter_entity) put_entities(&p, m, plan);
    for (size_t i = 0; i < plan->pattern->n_filter; i++) {
        put_filter(&p, &plan->pattern->filter[i], &bp->filter_values[2 * i], i);
    }
    if (bp->filter && bp->filter->text.n) put_more(&p, bp->filter);
    if (p.text.n) put_member(b, "FilterExpression", buf_view(&p.text));
    BUF_LIT(b, ",\"ExpressionAttributeNames\":{");
    buf_slice(b, buf_view(&p.names));
    BUF_LIT(b, "},\"ExpressionAttributeValues\":{");
    buf_slice(b, buf_view(&p.values));
    buf_u8(b, '}');
    if (plan->descending) BUF_LIT(b, ",\"ScanIndexForward\":false");
}

void plan_request(struct buf *b, const struct model *m, const struct bound_plan *bp,
                  const struct key_range *r, uint32_t page, struct slice start, bool consistent)
{
    BUF_LIT(b, "{\"TableName\":");
    json_put_string(b, m->table);
    if (bp->plan->kind == PLAN_GET) {
        put_get(b, bp, r);
    } else {
        put_query(b, m, bp, r);
        if (page) buf_printf(b, ",\"Limit\":%u", page);
        if (start.n) {
            BUF_LIT(b, ",\"ExclusiveStartKey\":");
            item_to_json(b, start);
        }
    }
    if (consistent) BUF_LIT(b, ",\"ConsistentRead\":true");
    BUF_LIT(b, ",\"ReturnConsumedCapacity\":\"TOTAL\"}");
}
