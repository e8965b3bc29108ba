/* list_contributor_insights.c: ListContributorInsights: the tables and indexes that have them switched on,
 * a table before its indexes, a page at a time. The token names the last one told: "TABLE" or
 * "TABLE/INDEX". Answered from the snapshot of the catalog. */
#include "../insights.h"
#include <stdlib.h>

#define PAGE 100

struct place {
    struct slice table, index; /* no index: the table itself */
};

struct listing {
    int64_t limit, n;    /* of a page; told so far */
    struct place after;  /* the last of the page before; no table: none */
    struct place last;   /* told */
    const struct table *only; /* the one that was asked for, or NULL */
    bool more;
};

static int parse(struct call *call)
{
    struct listing *l = ARENA_NEW(call->arena, struct listing);
    struct slice token = param_string(call->request, SLICE("NextToken"));
    call->state = l;
    l->limit = PAGE;
    param_int(call->request, SLICE("MaxResults"), &l->limit);
    if (l->limit < 1) l->limit = PAGE;
    if (!token.p) return 0;
    const uint8_t *slash = token.n ? memchr(token.p, '/', token.n) : NULL;
    l->after.table = slice_of(token.p, slash ? (size_t)(slash - token.p) : token.n);
    if (slash) l->after.index = slice_of(slash + 1, token.n - l->after.table.n - 1);
    if (api_is_name(l->after.table) && (!slash || api_is_name(l->after.index))) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   "One or more parameter values were invalid: Invalid NextToken");
}

static int bind(struct call *call)
{
    struct listing *l = call->state;
    struct slice name = param_table(call->request, SLICE("TableName"));
    l->only = name.p ? catalog_find(call->catalog, name) : NULL;
    return !name.p || l->only ? 0 : call_no_table(call, name);
}

/* One more of the page, unless it was told before or is off. */
static void tell(struct call *call, struct listing *l, const struct table *t,
                 const struct index *index)
{
    const struct insights *i = index ? &index->insights : &t->insights;
    struct slice index_name = index ? index->name : SLICE("");
    if (!i->on || l->more) return;
    if (slice_eq(t->name, l->after.table) && slice_cmp(index_name, l->after.index) <= 0) return;
    if (l->n == l->limit) {
        l->more = true;
        return;
    }
    buf_printf(&call->response, "%s{", l->n++ ? "," : "");
    insights_put(&call->response, t, index, "ENABLED", i->mode);
    buf_u8(&call->response, '}');
    l->last = (struct place){ t->name, index_name };
}

static int by_name(const void *a, const void *b)
{
    const struct index *const *x = a, *const *y = b;
    return slice_cmp((*x)->name, (*y)->name);
}

static void tell_table(struct call *call, struct listing *l, const struct table *t)
{
    const struct index *sorted[TABLE_MAX_INDEXES];
    for (size_t i = 0; i < t->n_indexes; i++)
        sorted[i] = &t->indexes[i];
    if (t->n_indexes) qsort(sorted, t->n_indexes, sizeof *sorted, by_name);
    tell(call, l, t, NULL);
    for (size_t i = 0; i < t->n_indexes; i++)
        tell(call, l, t, sorted[i]);
}

static int run(struct call *call, struct store_txn *txn)
{
    (void)txn;
    struct listing *l = call->state;
    const struct catalog *c = call->catalog;
    struct buf *b = &call->response;
    l->n = 0;
    l->more = false;
    BUF_LIT(b, "{\"ContributorInsightsSummaries\":[");
    if (l->only) {
        tell_table(call, l, l->only);
    } else {
        /* The table of the token may have indexes that were not told. */
        const struct table *begun = l->after.table.n ? catalog_find(c, l->after.table) : NULL;
        if (begun) tell_table(call, l, begun);
        for (size_t i = catalog_first_after(c, l->after.table); i < catalog_count(c) && !l->more; i++)
            tell_table(call, l, catalog_at(c, i));
    }
    buf_u8(b, ']');
    if (l->more) {
        BUF_LIT(b, ",\"NextToken\":\"");
        buf_slice(b, l->last.table);
        if (l->last.index.n) buf_u8(b, '/');
        buf_slice(b, l->last.index);
        buf_u8(b, '"');
    }
    buf_u8(b, '}');
    return 0;
}

const struct op op_list_contributor_insights = {
    .name = "ListContributorInsights", .kind = OP_READ, .parse = parse, .bind = bind, .run = run
};
