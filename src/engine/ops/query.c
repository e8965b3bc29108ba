/* query.c: Query: the items of one partition, of a table or an index, in the order of the sort key.
 */
#include "../ranged.h"

struct query {
    struct ranged ranged;
    struct cond *key_condition; /* from either form */
    struct slice hash[4];       /* bound: the values of the partition key's attributes */
};

static const struct json *key_conditions(const struct call *call)
{
    const struct json *node = JSON_GET(call->request, "KeyConditions");
    return node && node->type == JSON_OBJECT ? node : NULL;
}

static int parse_legacy_key_conditions(struct call *call, struct query *q)
{
    const struct json *node = key_conditions(call);
    if (!node) return 0;
    if (node->count == 0) {
        return err_set(&call->err, ERR_ValidationException,
                       "Conditions can be of length 1 or 2 only");
    }
    return legacy_key_conditions(call->arena, node, &q->key_condition, &call->err);
}

static int parse(struct call *call)
{
    struct query *q = ARENA_NEW(call->arena, struct query);
    struct ranged *r = &q->ranged;
    call->state = q;
    r->is_query = true;
    int code = ranged_select(call, r);
    if (!code) code = request_check_mixing(call, call->request, &REQUEST_QUERY);
    if (!code) code = ranged_legacy_filter(call, r, "QueryFilter");
    if (!code) code = ranged_attributes_to_get(call, r);
    if (!code) code = ranged_start_values(call, r);
    if (!code && !key_conditions(call) &&
        !param_present(call->request, SLICE("KeyConditionExpression"))) {
        return err_set(&call->err, ERR_ValidationException,
                       "Either the KeyConditions or KeyConditionExpression parameter must be "
                       "specified in the request.");
    }
    if (!code) code = ranged_expressions(call, r, &q->key_condition);
    if (!code && q->key_condition) {
        code = key_cond_check(q->key_condition, call->arena, &call->err);
    }
    if (!code) code = parse_legacy_key_conditions(call, q);
    return code;
}

static int bind(struct call *call)
{
    struct query *q = call->state;
    struct ranged *r = &q->ranged;
    struct page *p = &r->page;
    struct key_query kq;
    int code = ranged_bind(call, r);
    if (code) return code;
    const struct key_schema *k = p->index ? &p->index->key : &p->table->key;
    code = start_key_check_hash(call, r);
    if (!code) code = key_query_from_cond(q->key_condition, k, call->arena, &kq, &call->err);
    if (!code) code = ranged_check_key_values(call, p, &kq);
    if (code) return code;

    memcpy(q->hash, kq.hash, sizeof q->hash);
    p->one_row = !p->index && k->n_range == 0;
    p->parts = (uint8_t)k->n_hash;
    p->range.reverse = !param_bool(call->request, SLICE("ScanIndexForward"), true);
    range_of_query(call->arena, p->table, p->index, &kq, &p->range);
    code = start_key_apply_query(call, r, &kq);
    if (!code) code = ranged_check_attributes(call, r);
    return code;
}

static int access(struct call *call)
{
    const struct query *q = call->state;
    const struct ranged *r = &q->ranged;
    return access_ask(call, &(struct access){ .action = ACTION_Query,
                                              .table_name = param_string(call->request, SLICE("TableName")),
                                              .index_name = param_string(call->request, SLICE("IndexName")),
                                              .table = r->page.table,
                                              .hash = q->hash,
                                              .n_hash = r->page.parts,
                                              .shows = r->select != SELECT_COUNT,
                                              .counts = r->select == SELECT_COUNT,
                                              .projection = r->projection,
                                              .conditions = { q->key_condition, r->filter } });
}

static void footprint(struct call *call, struct footprint *f)
{
    const struct query *q = call->state;
    page_footprint(call, &q->ranged.page, f);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct query *q = call->state;
    buf_u8(&call->response, '{');
    int code = page_read(call, txn, &q->ranged.page);
    if (code) return code;
    page_count(call, &q->ranged.page);
    page_put_summary(call, &q->ranged.page);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_query = {
    .name = "Query", .kind = OP_READ, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run
};
