/* statement_read.c: a SELECT in reads, in the order of their keys, up to the end of a page.
 *
 * NextToken is the base64 of
 *
 *     version(1)  fingerprint of the statement(16)  and of its parameters(16)  read(2)  key
 *
 * where key is the item (key attributes only) that the page ended with, in the read of that number; empty: the read has not
 * begun. It names a place in one statement's reads, so it is good for no other statement. */
#include "statement_read.h"
#include "token.h"
#include <stdlib.h>

enum { TOKEN_VERSION = 1, TOKEN_HEAD = 35 };

/* ---- NextToken ---- */

static void put_fingerprint(const struct call *call, uint8_t out[32])
{
    static const struct json absent = { .type = JSON_NULL };
    const struct json *parameters = JSON_GET(call->request, "Parameters");
    struct token_print a = token_fingerprint(JSON_GET(call->request, "Statement"));
    struct token_print b = token_fingerprint(parameters ? parameters : &absent);
    memcpy(out, a.bytes, 16);
    memcpy(out + 16, b.bytes, 16);
}

static int invalid_token(struct call *call)
{
    return err_set(&call->err, ERR_ValidationException, "Invalid NextToken");
}

static int read_token(struct call *call, struct statement_read *r)
{
    struct slice text = param_string(call->request, SLICE("NextToken")), bytes;
    uint8_t print[32];
    r->ranged.has_start = false;
    r->start = 0;
    if (!param_present(call->request, SLICE("NextToken"))) return 0;
    if (!base64_decode(call->arena, text, &bytes) || bytes.n < TOKEN_HEAD || bytes.p[0] != TOKEN_VERSION) {
        return invalid_token(call);
    }
    put_fingerprint(call, print);
    if (memcmp(bytes.p + 1, print, sizeof print) != 0) {
        return err_set(&call->err, ERR_ValidationException, "NextToken does not match request");
    }
    r->start = (size_t)bytes.p[33] << 8 | bytes.p[34];
    struct slice key = slice_of(bytes.p + TOKEN_HEAD, bytes.n - TOKEN_HEAD);
    r->ranged.has_start = key.n != 0;
    r->ranged.start = key;
    if (key.n && (!val_check(key) || val_type(key) != TYPE_M)) return invalid_token(call);
    return 0;
}

static void put_token(struct call *call, size_t read, struct slice key)
{
    struct buf token, *b = &call->response;
    uint8_t print[32];
    put_fingerprint(call, print);
    buf_init(&token, call->arena, 1u << 16);
    buf_u8(&token, TOKEN_VERSION);
    buf_bytes(&token, print, sizeof print);
    buf_u8(&token, (uint8_t)(read >> 8));
    buf_u8(&token, (uint8_t)read);
    buf_slice(&token, key);
    BUF_LIT(b, ",\"NextToken\":\"");
    base64_put(b, buf_view(&token));
    buf_u8(b, '"');
}

/* ---- binding ---- */

static int find_index(struct call *call, struct statement_read *r, const struct index *ix)
{
    struct page *p = &r->ranged.page;
    if (!r->statement.ql->index.p) return 0;
    if (!ix || ix->status == INDEX_DELETING) {
        return err_set(&call->err, ERR_ValidationException, "The table does not have the specified index");
    }
    if (ix->kind == INDEX_GLOBAL && p->consistent) {
        return err_set(&call->err, ERR_ValidationException,
                       "Strongly consistent read is not supported on Global Secondary Indexes");
    }
    return ranged_find_index(p->table, r->statement.ql->index, p->consistent, &p->index, &call->err);
}

/* A keyed read of an index that holds nothing of what any of its branches filters on is refused. If one branch can do
 * without, all are taken, and what is not there is missing. */
static int check_filters(struct call *call, const struct statement_read *r)
{
    const struct page *p = &r->ranged.page;
    struct slice missing = { NULL, 0 };
    if (!p->index || !r->plan.keyed) return 0;
    for (size_t i = 0; i < r->plan.n_reads; i++) {
        struct slice *names;
        if (!r->plan.reads[i]->filter) return 0;
        size_t n = ranged_filter_names(call->arena, r->plan.reads[i]->filter, &names);
        missing = ranged_not_projected(call, p, names, n);
        if (!missing.n) return 0;
    }
    return missing.n ? ranged_refuse_filter(call, p, missing) : 0;
}

static const struct partiql_order *order_of(const struct partiql *ql, struct slice name)
{
    for (size_t i = 0; i < ql->n_order; i++) {
        if (slice_eq(ql->order[i].name, name)) return &ql->order[i];
    }
    return NULL;
}

static int check_order(struct call *call, const struct statement_read *r)
{
    const struct partiql *ql = r->statement.ql;
    const struct key_schema *key = r->plan.key;
    if (!ql->n_order) return 0;
    const char *text = NULL;
    if (!ql->where) text = "Must have WHERE clause in the statement when using ORDER BY clause.";
    for (size_t i = 0; !text && i < ql->n_order; i++) {
        struct slice name = ql->order[i].name;
        if (key_schema_has(key, name)) continue;
        return err_set(&call->err, ERR_ValidationException,
                       "Attribute %.*s in ORDER BY clause must be part of the primary key", SLICE_ARG(name));
    }
    if (!text && !r->plan.keyed) {
        text = "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.";
    }
    if (!text && r->plan.n_partitions > 1 && !order_of(ql, key->hash[0].name)) {
        text = "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.";
    }
    return text ? err_set(&call->err, ERR_ValidationException, "%s", text) : 0;
}

static void reverse(struct read_branch **reads, size_t from, size_t to)
{
    for (; from + 1 < to; from++, to--) {
        struct read_branch *b = reads[from];
        reads[from] = reads[to - 1];
        reads[to - 1] = b;
    }
}

/* The reads are in ascending order. With an ORDER BY that does not name it the sort key descends, as seen on DynamoDB. */
static void apply_order(struct statement_read *r)
{
    const struct partiql *ql = r->statement.ql;
    struct reads *plan = &r->plan;
    if (!ql->n_order) return;
    const struct partiql_order *hash = order_of(ql, plan->key->hash[0].name);
    const struct partiql_order *range = plan->key->n_range ? order_of(ql, plan->key->range[0].name) : NULL;
    bool down = hash && hash->descending;
    r->ranged.page.range.reverse = plan->key->n_range && (!range || range->descending);
    if (down) reverse(plan->reads, 0, plan->n_reads);
    if (down == r->ranged.page.range.reverse) return;
    for (size_t i = 0, end; i < plan->n_reads; i = end) {
        for (end = i + 1; end < plan->n_reads && val_equal(plan->reads[i]->hash, plan->reads[end]->hash);) end++;
        reverse(plan->reads, i, end);
    }
}

static size_t n_reads(const struct statement_read *r)
{
    return r->plan.keyed ? r->plan.n_reads : 1;
}

/* Sets the page to one of the reads. */
static void choose(struct call *call, struct statement_read *r, size_t read)
{
    struct page *p = &r->ranged.page;
    bool down = p->range.reverse;
    p->range = (struct store_range){ .reverse = down };
    if (r->plan.keyed) {
        const struct read_branch *b = r->plan.reads[read];
        p->range = b->range;
        p->range.reverse = down;
        p->filter = b->filter;
        p->one_row = b->one_row;
        p->parts = 1;
    } else {
        p->filter = r->filter;
        p->parts = 0;
        range_of_segment(call->arena, p->table, p->index, 0, 1, &p->range);
    }
}

/* A token made by hand may hold any key: it must be one, and of the read that it goes on with. */
static int check_start(struct call *call, struct statement_read *r)
{
    struct ranged *ranged = &r->ranged;
    if (!r->start && !ranged->has_start) return 0;
    if (r->start >= n_reads(r)) return invalid_token(call);
    if (!ranged->has_start) return 0;
    choose(call, r, r->start);
    int code;
    if (r->plan.keyed) {
        struct key_query any = { .hash = { r->plan.reads[r->start]->hash }, .op = KEY_NONE };
        code = start_key_check_hash(call, ranged);
        if (!code) code = start_key_apply_query(call, ranged, &any);
    } else {
        code = start_key_check_scan(call, ranged);
        if (!code) code = start_key_apply_scan(call, ranged, 0, 1);
    }
    r->rest = ranged->page.range;
    return code ? invalid_token(call) : 0;
}

static int bind_reads(struct call *call, struct statement_read *r)
{
    struct page *p = &r->ranged.page;
    const struct partiql *ql = r->statement.ql;
    reads_make(call->arena, p->index ? &p->index->key : &p->table->key, ql->where, &r->plan);
    int code = reads_check_types(&r->plan, &call->err);
    if (!code) code = reads_ranges(call, p, &r->plan);
    if (!code) code = check_filters(call, r);
    if (!code) code = check_order(call, r);
    if (!code) code = ranged_check_projection(call, &r->ranged);
    if (!code) code = request_check_key_paths(call, p->table, ql->columns, ql->where, NULL);
    if (code) return code;
    p->fetch_all = p->fetch;
    r->filter = ql->where;
    apply_order(r);
    code = read_token(call, r);
    return code ? code : check_start(call, r);
}

int statement_read_bind(struct call *call, struct statement_read *r)
{
    const struct partiql *ql = r->statement.ql;
    const struct index *ix;
    struct page *p = &r->ranged.page;
    int64_t limit;
    *p = (struct page){ .consistent = param_bool(call->request, SLICE("ConsistentRead"), false), .projection = ql->columns };
    if (param_int(call->request, SLICE("Limit"), &limit)) p->limit = (uint64_t)limit;
    r->ranged.projection = ql->columns;
    int code = statement_bind(call, &r->statement, &p->table, &ix);
    if (!code) p->usage.name = ql->table;
    if (!code) code = find_index(call, r, ix);
    return code ? code : bind_reads(call, r);
}

/* Each partition by itself, from the page's first to the last, whichever a token goes on with. */
int statement_read_access(struct call *call, const struct statement_read *r)
{
    const struct partiql *ql = r->statement.ql;
    const struct page *p = &r->ranged.page;
    struct access a = { .action = ACTION_PartiQLSelect,
                        .table_name = ql->table,
                        .index_name = ql->index,
                        .table = p->table,
                        .whole_table = !r->plan.keyed,
                        .shows = true,
                        .projection = ql->columns,
                        .conditions = { ql->where },
                        .full_scan = r->plan.keyed ? SLICE("false") : SLICE("true") };
    a.unfit = call->bound && r->plan.keyed && !r->plan.n_reads; /* it can find nothing, in whatever partition */
    if (!call->bound || !r->plan.keyed || a.unfit) return access_ask(call, &a);
    int code = 0;
    for (size_t i = 0; !code && i < r->plan.n_reads; i++) {
        a.hash = &r->plan.reads[i]->hash; /* of the first attribute */
        a.n_hash = 1;
        code = access_ask(call, &a);
    }
    return code;
}

/* The place where each read begins. */
void statement_read_footprint(struct call *call, struct statement_read *r, struct footprint *f)
{
    const struct page *p = &r->ranged.page;
    const size_t n = n_reads(r);
    struct footprint_item *items = footprint_room(call, f, n);
    for (size_t i = 0; i < n; i++) {
        choose(call, r, i);
        items[i] = (struct footprint_item){ .key = p->range.from, .table = p->table, .index = p->index };
    }
}

/* ---- running ---- */

/* The counters are told of each read by itself: they are of different partitions. */
static void count_part(struct call *call, const struct page *p, const struct usage *before)
{
    struct page part = *p;
    part.usage.table_halves -= before->table_halves;
    for (size_t i = 0; i < p->table->n_indexes; i++) part.usage.index_halves[i] -= before->index_halves[i];
    page_count(call, &part);
}

static bool is_full(const struct page *p)
{
    return p->last.n != 0;
}

static void put_rest(struct call *call, struct statement_read *r, size_t read)
{
    struct page *p = &r->ranged.page;
    bool more = is_full(p) && !(p->one_row && read + 1 == n_reads(r));
    page_put_end(call, p, more);
    if (!more) return;
    if (p->one_row)
        put_token(call, read + 1, slice_of(NULL, 0));
    else
        put_token(call, read, call->last_key);
}

int statement_read_run(struct call *call, struct store_txn *txn, struct statement_read *r)
{
    struct page *p = &r->ranged.page;
    const size_t n = n_reads(r);
    size_t read = r->start;
    page_begin(call, p);
    BUF_LIT(&call->response, "{\"Items\":[");
    for (; read < n; read++) {
        struct usage before = p->usage;
        choose(call, r, read);
        if (read == r->start && r->ranged.has_start) p->range = r->rest;
        int code = page_read_part(call, txn, p);
        if (code) return code;
        if (!r->plan.keyed) page_charge_scan(call, p);
        count_part(call, p, &before);
        if (is_full(p)) break;
    }
    if (n == 0 && p->index) p->usage.index_halves[p->index - p->table->indexes] = capacity_read_halves(0, p->consistent);
    if (n == 0 && !p->index) p->usage.table_halves = capacity_read_halves(0, p->consistent);
    buf_u8(&call->response, ']');
    put_rest(call, r, read);
    buf_u8(&call->response, '}');
    return 0;
}
