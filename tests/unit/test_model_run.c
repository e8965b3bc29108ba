/* test_model_run.c: answering plans: pages, filters, merges, tokens, scans, key conditions by hand. */
#include "run_fixture.h"

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "  GSI2: { hash: [GSI2A], sort: [day, rank] }\n"
    "  GSI3: { hash: GSI3PK, sort: GSI3SK, project: keys }\n"
    "entities:\n"
    "  Customer:\n"
    "    key: { PK: 'CUST#${customerId}', SK: '#META' }\n"
    "    unique: [email]\n"
    "    attributes:\n"
    "      customerId: { required: true }\n"
    "      name: string\n"
    "      email: string\n"
    "      secret: { hidden: true }\n"
    "  Order:\n"
    "    key: { PK: 'ORDER#${orderId}', SK: '#META' }\n"
    "    schema: 2\n"
    "    index:\n"
    "      GSI1: { GSI1PK: 'STATUS#${status}', GSI1SK: '${at}', shards: { of: GSI1PK, by: orderId, count: 4 } }\n"
    "      GSI2: { GSI2A: 'S#${status}' }\n"
    "      GSI3: { GSI3PK: 'BY#${customerId}', GSI3SK: 'T#${total:04}', shards: { of: GSI3PK, by: orderId, count: 2 } }\n"
    "    copies:\n"
    "      - key: { PK: 'CUST#${customerId}', SK: 'ORDER#${orderId}' }\n"
    "    attributes:\n"
    "      orderId: { required: true }\n"
    "      customerId: { required: true }\n"
    "      status: { enum: [open, shipped], default: open }\n"
    "      at: string\n"
    "      total: { type: number, default: 0 }\n"
    "      day: string\n"
    "      rank: { type: string }\n"
    "  Note:\n"
    "    key: { PK: 'CUST#${customerId}', SK: 'ORDER#${orderId}#NOTE#${n}' }\n"
    "    attributes:\n"
    "      customerId: { required: true }\n"
    "      orderId: { required: true }\n"
    "      n: { required: true }\n"
    "  Event:\n"
    "    key: { PK: 'FEED#${feed}', SK: 'E#${createdAt}' }\n"
    "    shards: { of: PK, by: createdAt, month: 2026-01 }\n"
    "    attributes: { feed: { required: true }, createdAt: { format: date-time, required: true } }\n"
    "patterns:\n"
    "  events: { of: Event, by: [feed], where: { createdAt: { since: -3d } }, order: oldest, limit: 2 }\n"
    "  newest: { of: Event, by: [feed], where: { createdAt: { since: -3d } }, order: newest, limit: 2 }\n"
    "  customer: { of: Customer, by: [customerId] }\n"
    "  everything: { collection: Customer, by: [customerId] }\n"
    "  orders: { of: Order, by: [customerId], limit: 3 }\n"
    "  big: { of: Order, by: [customerId], filter: { total: { atLeast: $least } }, limit: 2 }\n"
    "  byStatus: { of: Order, by: [status], index: GSI1, order: ascending, limit: 5 }\n"
    "  latest: { of: Order, by: [status], index: GSI1, order: descending }\n"
    "  recent: { of: Order, across: [status], index: GSI1, order: descending, limit: 4 }\n"
    "  between: { of: Order, by: [status], where: { at: { between: [$low, $high] } }, index: GSI1, limit: 2 }\n"
    "  byTotal: { of: Order, by: [customerId], where: { total: { above: 0 } }, index: GSI3 }\n"
    "  days: { of: Order, across: [status], index: GSI2, order: ascending, limit: 3 }\n";

static struct bench b;

static int set_up(void **state)
{
    (void)state;
    bench_open(&b, shop);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bench_close(&b);
    return 0;
}

/* The values of one attribute over all results, joined; fails on an error. Follows no tokens. */
static struct results last;
static const char *list_page(const char *pattern, const char *inputs, struct run_options o, const char *attribute)
{
    const struct pattern *p = model_pattern(b.model, slice_str(pattern));
    struct buf out;
    if (!p) fail_msg("no pattern %s", pattern);
    struct slice in = from_json(&b, p->entities[0], quoted(&b.arena, "%s", inputs));
    if (run_pattern(&b, p, in, &o, &last)) fail_msg("%s: %.*s", pattern, SLICE_ARG(b.err.message));
    buf_init(&out, &b.arena, 1 << 20);
    for (size_t i = 0; i < last.n; i++) {
        struct slice v;
        if (!val_get(last.list[i].item, slice_str(attribute), &v)) fail_msg("no %s", attribute);
        if (i) buf_u8(&out, ' ');
        buf_slice(&out, val_content(v));
    }
    buf_u8(&out, 0);
    return (const char *)out.p;
}

/* All pages, joined by |. */
static const char *list_pages(const char *pattern, const char *inputs, struct run_options o, const char *attribute)
{
    struct buf out;
    buf_init(&out, &b.arena, 1 << 20);
    for (unsigned page = 0; page < 1000; page++) {
        const char *one = list_page(pattern, inputs, o, attribute);
        if (page && last.n) buf_u8(&out, '|');
        buf_printf(&out, "%s", one);
        if (!last.token.n) break;
        o.after = last.token;
    }
    buf_u8(&out, 0);
    return (const char *)out.p;
}

static void orders(unsigned from, unsigned to, const char *status)
{
    for (unsigned i = from; i <= to; i++) {
        PUT(&b, "Order", "{'orderId':'o%02u','customerId':'c1','status':'%s','at':'t%02u','total':%u,'day':'d%u','rank':'r%u'}",
            i, status, i, i, i / 4, i % 4);
    }
}

static void test_one_item(void **state)
{
    (void)state;
    PUT(&b, "Customer", "{'customerId':'c1','name':'Ann','secret':'x','email':'a@b'}");
    const char *answer = ask(&b, "customer", "{'customerId':'c1'}", NULL);
    assert_string_equal(answer, "{'Customer':[{'customerId':'c1','email':'a@b','name':'Ann'}],"
                                "'read':{'items':1,'requests':1,'units':0.5}}");
    assert_holds(ask(&b, "customer", "{'customerId':'none'}", NULL), "{'Customer':[],'read':{'items':0,'requests':1");
    struct run_options o = { .after = SLICE("x") };
    assert_holds(ask(&b, "customer", "{'customerId':'c1'}", &o), "has no further pages");
    o = (struct run_options){ .filter = SLICE("name = Ann") };
    assert_holds(ask(&b, "customer", "{'customerId':'c1'}", &o), "'name':'Ann'");
    o.filter = SLICE("name = Bob");
    assert_holds(ask(&b, "customer", "{'customerId':'c1'}", &o), "{'Customer':[],");
}

static void test_collections_are_split_by_entity(void **state)
{
    (void)state;
    PUT(&b, "Customer", "{'customerId':'c1','name':'Ann'}");
    PUT(&b, "Order", "{'orderId':'o1','customerId':'c1','total':5}");
    PUT(&b, "Note", "{'orderId':'o1','customerId':'c1','n':'1'}");
    const char *answer = ask(&b, "everything", "{'customerId':'c1'}", NULL);
    assert_holds(answer, "{'Customer':[{'customerId':'c1','name':'Ann'}],'Order':[{");
    assert_holds(answer, "'Note':[{'customerId':'c1','n':'1','orderId':'o1'}],'read':{'items':3,'requests':1,");
    assert_holds(answer, "'schema':{'Order':{'2':1}}}");
}

static void test_older_items_get_defaults_and_are_counted(void **state)
{
    (void)state;
    send(&b, "PutItem", slice_str(quoted(&b.arena, "{'TableName':'shop','Item':{'PK':{'S':'CUST#c1'},'SK':{'S':'ORDER#o0'},"
         "'entity_type':{'S':'Order'},'schema_v':{'N':'1'},'orderId':{'S':'o0'},'customerId':{'S':'c1'}}}")));
    PUT(&b, "Order", "{'orderId':'o1','customerId':'c1','total':5}");
    const char *answer = ask(&b, "orders", "{'customerId':'c1'}", NULL);
    assert_holds(answer, "'orderId':'o0','status':'open','total':0}");
    assert_holds(answer, "'schema':{'Order':{'1':1,'2':1}}");
}

static void test_an_index_that_projects_keys_tells_what_keys_tell(void **state)
{
    (void)state;
    PUT(&b, "Order", "{'orderId':'o1','customerId':'c1','total':50,'status':'shipped','at':'x'}");
    PUT(&b, "Order", "{'orderId':'o2','customerId':'c1','total':7,'status':'shipped','at':'x'}");
    const char *answer = ask(&b, "byTotal", "{'customerId':'c1'}", NULL);
    /* No default for the status, which is not known; no schema version either. */
    assert_holds(answer, "{'Order':[{'customerId':'c1','orderId':'o2','total':7},{'customerId':'c1','orderId':'o1','total':50}],");
    assert_lacks(answer, "schema");
}

static void test_only_the_entity_asked_for_and_the_limit_counts_results(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= 7; i++) {
        PUT(&b, "Order", "{'orderId':'o%u','customerId':'c1','total':%u}", i, i);
        for (unsigned n = 0; n < 4; n++) PUT(&b, "Note", "{'orderId':'o%u','customerId':'c1','n':'%u'}", i, n);
    }
    assert_string_equal(list_pages("orders", "{'customerId':'c1'}", (struct run_options){ 0 }, "orderId"),
                        "o1 o2 o3|o4 o5 o6|o7");
    list_page("orders", "{'customerId':'c1'}", (struct run_options){ 0 }, "orderId");
    assert_true(last.items_read >= 11); /* what was thrown away is told */
    assert_int_equal(last.n, 3);
    assert_string_equal(list_pages("big", "{'customerId':'c1','least':4}", (struct run_options){ 0 }, "orderId"),
                        "o4 o5|o6 o7");
    assert_string_equal(list_pages("orders", "{'customerId':'c1'}",
                                   (struct run_options){ .filter = SLICE("total in (2, 7)"), .limit = 1 }, "orderId"), "o2|o7");
}

static void test_filters_on_keys_are_refused(void **state)
{
    (void)state;
    struct run_options o = { .filter = SLICE("SK = x") };
    assert_holds(ask(&b, "orders", "{'customerId':'c1'}", &o), "SK is a key");
    o.filter = SLICE("day = d1");
    assert_holds(ask(&b, "days", "{}", &o), "day is a key of index GSI2, and DynamoDB refuses keys in a filter");
}

static void test_shards_merge_in_order(void **state)
{
    (void)state;
    orders(1, 30, "open");
    assert_string_equal(list_pages("byStatus", "{'status':'open'}", (struct run_options){ .limit = 10 }, "at"),
                        "t01 t02 t03 t04 t05 t06 t07 t08 t09 t10|t11 t12 t13 t14 t15 t16 t17 t18 t19 t20|"
                        "t21 t22 t23 t24 t25 t26 t27 t28 t29 t30");
    assert_string_equal(list_pages("latest", "{'status':'open'}", (struct run_options){ .limit = 16 }, "at"),
                        "t30 t29 t28 t27 t26 t25 t24 t23 t22 t21 t20 t19 t18 t17 t16 t15|"
                        "t14 t13 t12 t11 t10 t09 t08 t07 t06 t05 t04 t03 t02 t01");
    assert_string_equal(list_pages("between", "{'status':'open','low':'t05','high':'t09'}", (struct run_options){ 0 }, "at"),
                        "t05 t06|t07 t08|t09");
    assert_string_equal(list_page("latest", "{'status':'shipped'}", (struct run_options){ 0 }, "at"), "");
}

static void test_enum_values_merge_in_order(void **state)
{
    (void)state;
    orders(1, 3, "open");
    orders(4, 6, "shipped");
    orders(7, 7, "open");
    assert_string_equal(list_pages("recent", "{}", (struct run_options){ 0 }, "at"), "t07 t06 t05 t04|t03 t02 t01");
    assert_string_equal(list_pages("recent", "{}", (struct run_options){ .filter = SLICE("total > 1 and total < 7") }, "at"),
                        "t06 t05 t04 t03|t02");
}

static void test_several_sort_attributes_page_as_tuples(void **state)
{
    (void)state;
    orders(1, 9, "open");
    orders(10, 18, "shipped");
    assert_string_equal(list_pages("days", "{}", (struct run_options){ 0 }, "orderId"),
                        "o01 o02 o03|o04 o05 o06|o07 o08 o09|o10 o11 o12|o13 o14 o15|o16 o17 o18");
    assert_string_equal(list_pages("days", "{}", (struct run_options){ .limit = 1 }, "orderId"),
                        "o01|o02|o03|o04|o05|o06|o07|o08|o09|o10|o11|o12|o13|o14|o15|o16|o17|o18");
}

/* Every order of 40 with the same sort key in four shards and two statuses comes once, whatever the page. */
static void test_ties_page_without_doubles_or_losses(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        PUT(&b, "Order", "{'orderId':'o%02u','customerId':'c1','status':'%s','at':'same'}", i, i % 3 ? "open" : "shipped");
    }
    static const unsigned sizes[] = { 1, 2, 3, 7, 39, 40, 41 };
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        bool seen[40] = { false };
        struct run_options o = { .limit = sizes[s] };
        size_t n = 0;
        do {
            list_page("recent", "{}", o, "orderId");
            for (size_t i = 0; i < last.n; i++, n++) {
                struct slice v;
                val_get(last.list[i].item, SLICE("orderId"), &v);
                v = val_content(v);
                size_t k = (size_t)(v.p[1] - '0') * 10 + (size_t)(v.p[2] - '0');
                assert_false(seen[k]);
                seen[k] = true;
            }
            o.after = last.token;
        } while (o.after.n);
        assert_int_equal(n, 40);
    }
}

static void test_inserts_between_pages_disturb_nothing(void **state)
{
    (void)state;
    for (unsigned i = 10; i < 30; i++) {
        PUT(&b, "Order", "{'orderId':'o%02u','customerId':'c1','at':'t%02u'}", i, i / 4 * 4); /* four of each */
    }
    struct run_options o = { .limit = 6 };
    char seen[4096] = "";
    size_t n = 0;
    for (unsigned page = 0; page < 100; page++) {
        list_page("byStatus", "{'status':'open'}", o, "orderId");
        for (size_t i = 0; i < last.n; i++) {
            struct slice v;
            char one[16];
            val_get(last.list[i].item, SLICE("orderId"), &v);
            snprintf(one, sizeof one, " %.*s.", SLICE_ARG(val_content(v)));
            if (strstr(seen, one)) fail_msg("%s comes twice", one);
            n += one[2] != 'x';
            size_t used = strlen(seen);
            snprintf(seen + used, sizeof seen - used, "%s", one);
        }
        if (!last.token.n) break;
        o.after = last.token;
        /* Before everything, at the place, behind everything. */
        struct slice at;
        val_get(last.list[last.n - 1].item, SLICE("at"), &at);
        at = val_content(at);
        PUT(&b, "Order", "{'orderId':'ox%ua','customerId':'c1','at':'a'}", page);
        PUT(&b, "Order", "{'orderId':'ox%ub','customerId':'c1','at':'%.*s'}", page, SLICE_ARG(at));
        if (page < 3) PUT(&b, "Order", "{'orderId':'ox%uc','customerId':'c1','at':'z'}", page);
    }
    assert_int_equal(n, 20);
    assert_null(strstr(seen, "a."));
    assert_non_null(strstr(seen, "ox0c."));
    assert_non_null(strstr(seen, "ox2c."));
}

static void delete_order(struct slice id)
{
    struct slice customer = SLICE("c1");
    send(&b, "DeleteItem", slice_str(quoted(&b.arena, "{'TableName':'shop','Key':{'PK':{'S':'ORDER#%.*s'},'SK':{'S':'#META'}}}",
                                            SLICE_ARG(id))));
    send(&b, "DeleteItem", slice_str(quoted(&b.arena, "{'TableName':'shop','Key':{'PK':{'S':'CUST#%.*s'},'SK':{'S':'ORDER#%.*s'}}}",
                                            SLICE_ARG(customer), SLICE_ARG(id))));
}

static void test_pages_go_on_when_the_last_result_is_deleted(void **state)
{
    (void)state;
    static const char *const patterns[][2] = { { "byStatus", "{'status':'open'}" }, { "orders", "{'customerId':'c1'}" },
                                               { "days", "{}" } };
    for (size_t p = 0; p < 3; p++) {
        orders(1, 12, "open");
        struct run_options o = { .limit = 4 };
        unsigned next = 1;
        do {
            const char *page = list_page(patterns[p][0], patterns[p][1], o, "orderId");
            for (size_t i = 0; i < last.n; i++, next++) {
                char id[8];
                snprintf(id, sizeof id, "o%02u", next);
                assert_holds(page, id);
            }
            struct slice id;
            if (!last.n) break;
            val_get(last.list[last.n - 1].item, SLICE("orderId"), &id);
            delete_order(val_content(id));
            o.after = last.token;
        } while (o.after.n);
        assert_int_equal(next, 13);
    }
}

static void test_tokens_are_refused_where_they_do_not_belong(void **state)
{
    (void)state;
    orders(1, 9, "open");
    list_page("byStatus", "{'status':'open'}", (struct run_options){ 0 }, "at");
    struct slice token = last.token;
    assert_true(token.n > 0);
    struct run_options o = { .after = token };
    assert_string_equal(list_page("byStatus", "{'status':'open'}", o, "at"), "t06 t07 t08 t09");
    assert_holds(ask(&b, "byStatus", "{'status':'shipped'}", &o), "same pattern with other inputs");
    assert_holds(ask(&b, "latest", "{'status':'open'}", &o), "another pattern");
    o.filter = SLICE("total > 1");
    assert_holds(ask(&b, "byStatus", "{'status':'open'}", &o), "another pattern or filter");
    o.filter = SLICE("");
    for (size_t i = 0; i < token.n; i++) { /* any character changed */
        uint8_t *bad = (uint8_t *)(uintptr_t)arena_dup(&b.arena, token).p;
        bad[i] = bad[i] == 'A' ? 'B' : 'A';
        o.after = slice_of(bad, token.n);
        const char *answer = ask(&b, "byStatus", "{'status':'open'}", &o);
        if (!strstr(answer, "damaged")) fail_msg("character %zu: %s", i, answer);
    }
    o.after = slice_of(token.p, token.n - 1);
    assert_holds(ask(&b, "byStatus", "{'status':'open'}", &o), "damaged");
    uint64_t x = 88172645463325252;
    for (unsigned i = 0; i < 2000; i++) { /* bytes of any kind */
        uint8_t bad[96];
        for (size_t k = 0; k < sizeof bad; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            bad[k] = i % 2 ? (uint8_t)(x >> 32) : (uint8_t)"ABCDEFGHabcdefgh0123_-=/"[(x >> 32) % 24];
        }
        o.after = slice_of(bad, 1 + i % sizeof bad);
        assert_holds(ask(&b, "byStatus", "{'status':'open'}", &o), "damaged");
    }
    b.model->fingerprint++;
    o.after = token;
    assert_holds(ask(&b, "byStatus", "{'status':'open'}", &o), "another model");
}

/* -3d is another day when the next page is asked for, and there is one more month's shard. */
static void test_pages_go_on_when_the_range_has_moved(void **state)
{
    (void)state;
    const int64_t day = 86400000;
    for (unsigned i = 27; i <= 36; i++) {
        PUT(&b, "Event", "{'feed':'f','createdAt':'2026-%02u-%02uT12:00:00Z'}", i > 31 ? 6 : 5, i > 31 ? i - 31 : i);
    }
    bench_now = NOW + 21 * day; /* the 31st */
    assert_string_equal(list_page("events", "{'feed':'f'}", (struct run_options){ 0 }, "createdAt"),
                        "2026-05-28T12:00:00Z 2026-05-29T12:00:00Z");
    struct slice token = last.token;
    struct run_options o = { .after = token };
    bench_now += day; /* the place is still inside, in a list of shards that has grown */
    assert_string_equal(list_page("events", "{'feed':'f'}", o, "createdAt"), "2026-05-30T12:00:00Z 2026-05-31T12:00:00Z");
    bench_now += 3 * day; /* the place lies before the range */
    assert_string_equal(list_page("events", "{'feed':'f'}", o, "createdAt"), "2026-06-01T12:00:00Z 2026-06-02T12:00:00Z");
    bench_now = NOW + 21 * day;
    assert_string_equal(list_page("newest", "{'feed':'f'}", (struct run_options){ .limit = 3 }, "createdAt"),
                        "2026-05-31T12:00:00Z 2026-05-30T12:00:00Z 2026-05-29T12:00:00Z");
    o.after = last.token;
    assert_string_equal(list_page("newest", "{'feed':'f'}", o, "createdAt"), "2026-05-28T12:00:00Z");
    bench_now += 4 * day; /* all that is left has become too old */
    assert_string_equal(list_page("newest", "{'feed':'f'}", o, "createdAt"), "");
    assert_int_equal(last.token.n, 0);
    bench_now = NOW;
}

static void test_explain_shows_the_requests_of_the_first_page(void **state)
{
    (void)state;
    orders(1, 9, "open");
    struct buf requests;
    buf_init(&requests, &b.arena, 1 << 20);
    struct run_options o = { .dry_run = true, .requests = &requests };
    assert_string_equal(list_page("byStatus", "{'status':'open'}", o, "at"), "");
    buf_u8(&requests, 0);
    assert_holds((const char *)requests.p, "STATUS#open#3");
    assert_holds((const char *)requests.p, "\"Limit\":5");
    assert_int_equal(last.requests, 0);
    o = (struct run_options){ .consistent = true };
    assert_holds(ask(&b, "byStatus", "{'status':'open'}", &o), "cannot be read consistently");
}

static void test_scans_skip_copies_and_sentinels_unless_all_is_wanted(void **state)
{
    (void)state;
    struct session s = session_of(&b);
    struct results r;
    PUT(&b, "Customer", "{'customerId':'c1','name':'Ann','email':'a@b'}");
    orders(1, 9, "open");
    const struct entity *order = model_entity(b.model, SLICE("Order"));
    size_t seen = 0;
    struct run_options o = { .limit = 2 };
    do {
        assert_int_equal(entities_scan(&s, order, false, &o, &r, &b.err), 0);
        for (size_t i = 0; i < r.n; i++, seen++) assert_true(r.list[i].entity == order && !r.list[i].copy);
        o.after = r.token;
    } while (o.after.n);
    assert_int_equal(seen, 9);
    o = (struct run_options){ .filter = SLICE("total between 3 and 5") };
    assert_int_equal(entities_scan(&s, order, false, &o, &r, &b.err), 0);
    assert_int_equal(r.n, 3);
    assert_int_equal(r.items_read, 20);
    o = (struct run_options){ 0 };
    assert_int_equal(entities_scan(&s, NULL, false, &o, &r, &b.err), 0);
    assert_int_equal(r.n, 10);
    assert_int_equal(entities_scan(&s, NULL, true, &o, &r, &b.err), 0);
    assert_int_equal(r.n, 20);
    o.filter = SLICE("total > 1");
    assert_int_not_equal(entities_scan(&s, NULL, false, &o, &r, &b.err), 0);
    struct scan_estimate x;
    assert_int_equal(entities_scan_estimate(&s, &x, &b.err), 0);
    assert_int_equal(x.items, 20);
    assert_true(x.read_units >= 0.5);
}

static void test_key_conditions_by_hand(void **state)
{
    (void)state;
    struct session s = session_of(&b);
    struct results r;
    const struct where *key;
    struct run_options o = { .limit = 4 };
    PUT(&b, "Customer", "{'customerId':'c1','name':'Ann'}");
    orders(1, 9, "open");
    const struct model_index *table = &b.model->indexes[0];
    assert_int_equal(where_parse_key(&b.arena, table, SLICE("PK = 'CUST#c1' and begins_with(SK, 'ORDER#')"), &key, &b.err), 0);
    size_t seen = 0;
    do {
        assert_int_equal(key_query(&s, table, key, NULL, true, &o, &r, &b.err), 0);
        seen += r.n;
        o.after = r.token;
    } while (o.after.n);
    assert_int_equal(seen, 9);
    assert_int_equal(where_parse_key(&b.arena, table, SLICE("PK = 'CUST#c1'"), &key, &b.err), 0);
    o = (struct run_options){ .filter = SLICE("total >= 5") };
    assert_int_equal(key_query(&s, table, key, model_entity(b.model, SLICE("Order")), false, &o, &r, &b.err), 0);
    assert_int_equal(r.n, 5);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static void test_a_scan_reads_no_more_at_a_time_than_it_may(void **state)
{
    (void)state;
    struct session s = session_of(&b);
    struct results r;
    orders(1, 9, "open");
    const struct entity *order = model_entity(b.model, SLICE("Order"));
    size_t seen = 0, calls = 0, read = 0;
    struct run_options o = { .filter = SLICE("total between 3 and 5"), .read = 4 };
    do {
        assert_int_equal(entities_scan(&s, order, false, &o, &r, &b.err), 0);
        assert_true(r.items_read <= 4);
        seen += r.n;
        read += r.items_read;
        calls++;
        o.after = r.token;
    } while (o.after.n);
    assert_int_equal(seen, 3);
    assert_int_equal(read, 18); /* each order and its copy */
    assert_true(calls >= 5);
    /* The limit of results ends a page as ever. */
    o = (struct run_options){ .limit = 1, .read = 100 };
    assert_int_equal(entities_scan(&s, order, false, &o, &r, &b.err), 0);
    assert_int_equal(r.n, 1);
    assert_true(r.token.n > 0);
    /* What is bounded at the end exactly is the end. */
    o = (struct run_options){ .read = 1000 };
    assert_int_equal(entities_scan(&s, order, false, &o, &r, &b.err), 0);
    assert_int_equal(r.n, 9);
    assert_int_equal(r.token.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_one_item),
        TEST(test_collections_are_split_by_entity),
        TEST(test_older_items_get_defaults_and_are_counted),
        TEST(test_an_index_that_projects_keys_tells_what_keys_tell),
        TEST(test_only_the_entity_asked_for_and_the_limit_counts_results),
        TEST(test_filters_on_keys_are_refused),
        TEST(test_shards_merge_in_order),
        TEST(test_enum_values_merge_in_order),
        TEST(test_several_sort_attributes_page_as_tuples),
        TEST(test_ties_page_without_doubles_or_losses),
        TEST(test_inserts_between_pages_disturb_nothing),
        TEST(test_pages_go_on_when_the_last_result_is_deleted),
        TEST(test_tokens_are_refused_where_they_do_not_belong),
        TEST(test_pages_go_on_when_the_range_has_moved),
        TEST(test_explain_shows_the_requests_of_the_first_page),
        TEST(test_scans_skip_copies_and_sentinels_unless_all_is_wanted),
        TEST(test_a_scan_reads_no_more_at_a_time_than_it_may),
        TEST(test_key_conditions_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
