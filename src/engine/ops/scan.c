/* scan.c: Scan: all items of a table or an index, or of one segment of it, in the order of the
 * partition hash. */
#include "../ranged.h"

struct scan {
    struct ranged ranged;
    int64_t segment, total; /* 0 of 1: everything */
};

static int parse_segment(struct call *call, struct scan *s)
{
    bool segment = param_int(call->request, SLICE("Segment"), &s->segment);
    bool total = param_int(call->request, SLICE("TotalSegments"), &s->total);
    if (segment && !total) {
        return err_set(&call->err, ERR_ValidationException,
                       "The TotalSegments parameter is required but was not present in the request "
                       "when Segment parameter is present");
    }
    if (total && !segment) {
        return err_set(&call->err, ERR_ValidationException,
                       "The Segment parameter is required but was not present in the request when "
                       "parameter TotalSegments is present");
    }
    if (!total) {
        s->segment = 0;
        s->total = 1;
    }
    if (s->segment >= s->total) {
        return err_set(&call->err, ERR_ValidationException,
                       "The Segment parameter is zero-based and must be less than parameter "
                       "TotalSegments: Segment: %lld is not less than TotalSegments: %lld",
                       (long long)s->segment, (long long)s->total);
    }
    return 0;
}

static int parse(struct call *call)
{
    struct scan *s = ARENA_NEW(call->arena, struct scan);
    struct ranged *r = &s->ranged;
    call->state = s;
    int code = ranged_select(call, r);
    if (!code) code = request_check_mixing(call, call->request, &REQUEST_SCAN);
    if (!code) code = ranged_attributes_to_get(call, r);
    if (!code) code = ranged_legacy_filter(call, r, "ScanFilter");
    if (!code) code = ranged_start_values(call, r);
    if (!code) code = parse_segment(call, s);
    if (!code) code = ranged_expressions(call, r, NULL);
    return code;
}

static int bind(struct call *call)
{
    struct scan *s = call->state;
    struct ranged *r = &s->ranged;
    struct page *p = &r->page;
    const uint32_t segment = (uint32_t)s->segment, total = (uint32_t)s->total;
    int code = ranged_bind(call, r);
    if (!code) code = start_key_check_scan(call, r);
    if (!code) code = ranged_check_select(call, r);
    if (code) return code;
    range_of_segment(call->arena, p->table, p->index, segment, total, &p->range);
    code = start_key_apply_scan(call, r, segment, total);
    if (!code) code = ranged_check_attributes(call, r);
    return code;
}

static int access(struct call *call)
{
    const struct scan *s = call->state;
    const struct ranged *r = &s->ranged;
    return access_ask(call, &(struct access){ .action = ACTION_Scan,
                                              .table_name = param_string(call->request, SLICE("TableName")),
                                              .index_name = param_string(call->request, SLICE("IndexName")),
                                              .table = r->page.table,
                                              .whole_table = true,
                                              .shows = r->select != SELECT_COUNT,
                                              .counts = r->select == SELECT_COUNT,
                                              .projection = r->projection,
                                              .conditions = { r->filter },
                                              .full_scan = SLICE("true") });
}

static void footprint(struct call *call, struct footprint *f)
{
    const struct scan *s = call->state;
    page_footprint(call, &s->ranged.page, f);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct scan *s = call->state;
    struct page *p = &s->ranged.page;
    buf_u8(&call->response, '{');
    int code = page_read(call, txn, p);
    if (code) return code;
    page_charge_scan(call, p);
    page_count(call, p);
    page_put_summary(call, p);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_scan = {
    .name = "Scan", .kind = OP_READ, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run
};
