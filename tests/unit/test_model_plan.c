/* test_model_plan.c: the resolver: every access pattern of the five seed documents, by document and
 * number, and what decides between paths. */
#include "plan_fixture.h"

static void test_seed_000_patterns_1_to_6(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_000_TOP);
    assert_plan(m, "customer", "GetItem: PK = CUST#<id>, SK = METADATA");
    assert_plan(m, "ordersOfCustomer",
                "Query GSI1: GSI1PK = CUST#<customerId>, GSI1SK begins_with ORDER#, descending");
    assert_plan(m, "order", "Query: PK = ORDER#<orderId>");
    assert_plan(m, "product", "GetItem: PK = PRODUCT#<sku>, SK = METADATA");
    assert_plan(m, "ordersWithSku",
                "Query GSI1: GSI1PK = PRODUCT#<sku>, GSI1SK begins_with ORDER#");
    assert_plan(m, "customers", "Query GSI1: GSI1PK = CUSTOMER");
    model_free(m);
}

static void test_seed_001_collections_and_adjacency_list(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_001);
    assert_plan(m, "customerWithOrders", "Query: PK = CUSTOMER#<id>");
    assert_plan(m, "everythingOfCustomer", "Query: PK = CUSTOMER#<id>");
    assert_int_equal(plan_of(m, "everythingOfCustomer")->n_paths, 2);
    assert_plan(m, "ordersOfCustomer", "Query: PK = CUSTOMER#<customer>, SK begins_with ORDER#");
    assert_plan(m, "openOrders", "Query GSI1: GSI1PK = STATUS#OPEN");
    assert_plan(m, "teamsOfUser", "Query: PK = USER#<user>, SK begins_with TEAM#");
    assert_plan(m, "usersOfTeam", "Query: PK = TEAM#<team>, SK begins_with USER#");
    model_free(m);
}

static void test_seed_002_patterns_1_to_6(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_002);
    assert_plan(m, "user", "GetItem: PK = USER#<username>, SK = USER#<username>");
    assert_plan(m, "postsOfUser", "Query: PK = USER#<username>, SK begins_with POST#");
    assert_plan(m, "commentsOfPost",
                "Query: PK = POST#<postId>, SK begins_with COMMENT#, filtered");
    assert_plan(m, "publishedPosts", "Query gsi1: GSI1PK = POST, GSI1SK begins_with STATUS#true#");
    assert_plan(m, "commentsOfUser",
                "Query gsi1: GSI1PK = USER#<username>, GSI1SK begins_with COMMENT#");
    assert_plan(m, "postsWithTag", "Query gsi1: GSI1PK = TAG#<tag>, GSI1SK begins_with POST#");
    model_free(m);
}

static void test_seed_002_hierarchies(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_002);
    struct plan *p = plan_of(m, "commentsOfPost");
    assert_non_null(p->neighbours);
    assert_slice(p->neighbours->path->entity->name, "Reaction");
    assert_null(p->neighbours->next);
    assert_false(p->filter_client);
    assert_plan(
        m, "reactions",
        "Query: PK = POST#<postId>, SK begins_with COMMENT#<commentId>#REACTION#, descending");
    assert_plan(m, "commentThread",
                "Query: PK = POST#<postId>, SK at and below COMMENT#<commentId>");
    assert_int_equal(plan_of(m, "commentThread")->n_paths, 2);
    assert_plan(
        m, "allPosts",
        "Query x 2 gsi1: GSI1PK = POST, GSI1SK begins_with STATUS#<each published>#, descending");
    model_free(m);
}

static void test_seed_003_patterns_1_to_8(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_003(""));
    assert_plan(m, "ap1", "GetItem: pk = ORDER#<orderId>, sk = #METADATA");
    assert_plan(m, "ap2", "Query: pk = CUSTOMER#<customerId>, sk begins_with ORDER#, descending");
    assert_plan(m, "ap3",
                "Query GSI1: gsi1pk = STATUS#<status>, gsi1sk begins_with ORDER#, descending");
    assert_plan(m, "ap4", "Query: pk = ORDER#<orderId>, sk begins_with ITEM#");
    assert_plan(m, "ap5", "GetItem: pk = ORDER#<orderId>, sk = ITEM#<productId>");
    assert_plan(m, "ap6", "GetItem: pk = CUSTOMER#<customerId>, sk = #METADATA");
    assert_plan(
        m, "ap7",
        "Query x 5 GSI1: gsi1pk = STATUS#<each status>, gsi1sk begins_with ORDER#, descending");
    assert_plan(m, "ap8", "Query GSI1: gsi1pk = STATUS#<status>, gsi1sk within ORDER#<month>");
    model_free(m);
}

static void test_seed_003_ten_shards(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_003(", shards: { of: gsi1pk, by: orderId, count: 10 }"));
    assert_plan(m, "ap1", "GetItem: pk = ORDER#<orderId>, sk = #METADATA");
    assert_plan(
        m, "ap3",
        "Query x 10 GSI1: gsi1pk = STATUS#<status>#<0..9>, gsi1sk begins_with ORDER#, descending");
    assert_plan(m, "ap7",
                "Query x 50 GSI1: gsi1pk = STATUS#<each status>#<0..9>, gsi1sk begins_with ORDER#, "
                "descending");
    assert_plan(m, "ap8",
                "Query x 10 GSI1: gsi1pk = STATUS#<status>#<0..9>, gsi1sk within ORDER#<month>");
    model_free(m);
}

static void test_seed_004_patterns_1_to_6(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_004);
    assert_plan(m, "profile", "GetItem: PK = USER#<userId>, SK = PROFILE");
    assert_plan(m, "recentOrders", "Query: PK = USER#<userId>, SK begins_with ORDER#, descending");
    assert_plan(m, "orderWithItems", "Query: PK = ORDER#<orderId>");
    assert_plan(m, "ordersToday", "Query GSI1: GSI1PK = ORDER_BY_DATE, GSI1SK within <today>");
    assert_plan(m, "ordersByStatus", "Query GSI2: GSI2PK = USER#<userId>#<status>, descending");
    assert_plan(m, "recentReviews", "Query GSI1: GSI1PK = PRODUCT#<productId>#REVIEWS, descending");
    model_free(m);
}

static void test_seed_004_profile_with_the_last_five_orders_is_one_query(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_004);
    assert_plan(m, "profileWithOrders", "Query: PK = USER#<userId>, descending");
    assert_int_equal(plan_of(m, "profileWithOrders")->n_notes, 0);
    struct bound_plan b = bind(m, "profileWithOrders", "{\"userId\":{\"S\":\"42\"}}");
    assert_int_equal(b.n, 1);
    struct buf out;
    buf_init(&out, &arena, 1 << 16);
    plan_request(&out, m, &b, &b.ranges[0], 6, (struct slice){ 0 }, false);
    assert_slice(buf_view(&out),
                 "{\"TableName\":\"AppTable\",\"KeyConditionExpression\":\"#k0 = :k0\","
                 "\"ExpressionAttributeNames\":{\"#k0\":\"PK\"},\"ExpressionAttributeValues\":{\":"
                 "k0\":{\"S\":\"USER#42\"}},"
                 "\"ScanIndexForward\":false,\"Limit\":6,\"ReturnConsumedCapacity\":\"TOTAL\"}");
    model_free(m);
}

static void test_what_a_limit_may_cut_off_is_told(void **state)
{
    (void)state;
    struct model *m =
        model_of(SEED_004); /* METADATA is behind ITEM# upwards, before it downwards */
    assert_int_equal(plan_of(m, "itemsFirst")->n_notes, 0);
    model_free(m);
    m = model_of("onefold: 1\ntable: ttt\nentities:\n"
                 "  A: { key: { PK: \"A#${a}\", SK: METADATA }, attributes: { a: string } }\n"
                 "  B: { key: { PK: \"A#${a}\", SK: \"ORDER#${t}\" }, attributes: { a: string, t: "
                 "{ generate: ulid } } }\n"
                 "patterns:\n  last: { of: [A, B], by: [a], order: newest, limit: 6 }\n");
    struct plan *p = plan_of(m, "last");
    assert_int_equal(p->kind, PLAN_QUERY);
    assert_int_equal(p->n_notes, 1);
    assert_contains(p->notes[0], "the limit of 6 may cut it off");
    model_free(m);
}

#define TOP "onefold: 1\ntable: ttt\nindexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\nentities:\n"

static void assert_reason(const char *entities_and_patterns, const char *pattern,
                          const char *reason)
{
    struct model *m =
        model_of((const char *)arena_printf(&arena, "%s%s", TOP, entities_and_patterns).p);
    struct plan *p = plan_of(m, pattern);
    assert_int_equal(p->kind, PLAN_NONE);
    assert_contains(p->reason, reason);
    model_free(m);
}

static void test_reasons_name_what_is_missing(void **state)
{
    (void)state;
#define ORDER                                                                                      \
    "  Order:\n    key: { PK: \"CUST#${c}\", SK: \"ORDER#${id}\" }\n"                              \
    "    attributes: { c: string, id: string, status: string, n: number, t: { format: date-time "  \
    "} }\n"
    assert_reason(ORDER "patterns: { p: { of: Order, by: [status] } }\n", "p",
                  "needs status in a hash key; the key of Order has PK = CUST#${c}");
    assert_reason(ORDER "patterns: { p: { of: Order } }\n", "p",
                  "needs a hash key that is the same for every Order");
    assert_reason(ORDER "patterns: { p: { of: Order, by: [c, status] } }\n", "p",
                  "needs status in the known part of a key; the key of Order has PK = CUST#${c}, "
                  "SK = ORDER#${id}");
    assert_reason(
        ORDER "patterns: { p: { of: Order, by: [c], where: { t: { since: today } } } }\n", "p",
        "needs t right behind the known part of a sort key; the key of Order has SK = ORDER#${id}");
    assert_reason(ORDER "patterns: { p: { of: Order, by: [c], order: newest } }\n", "p",
                  "holds no time");
    assert_reason(ORDER "  Other: { key: { PK: \"O#${c}\", SK: X }, attributes: { c: string } }\n"
                        "patterns: { p: { of: [Order, Other], by: [c] } }\n",
                  "p", "needs Other in the same partition as Order");
    assert_reason(
        "  E: { key: { PK: \"E#${a}\", SK: \"${n}#x\" }, attributes: { a: string, n: number } }\n"
        "patterns: { p: { of: E, by: [a], where: { n: { above: 3 } } } }\n",
        "p", "${n:010}");
    assert_reason("  E: { key: { PK: \"E#${a}\", SK: \"T#${t}\" }, attributes: { a: string, t: { "
                  "type: number, format: epoch } } }\n"
                  "patterns: { p: { of: E, by: [a], order: newest } }\n",
                  "p", "is not padded");
}

static void test_a_filter_on_a_key_attribute_is_refused(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nkeys: { hash: user, sort: post }\nentities:\n"
        "  Post: { key: {}, attributes: { user: string, post: { generate: ulid }, title: string } "
        "}\n"
        "patterns:\n  p: { of: Post, by: [user], filter: { post: { prefix: x } } }\n"
        "  q: { of: Post, by: [user], where: { post: { prefix: x } }, filter: [title] }\n";
    struct model *m = model_of(text);
    struct plan *p = plan_of(m, "p");
    assert_int_equal(p->kind, PLAN_NONE);
    assert_contains(p->reason, "which is a key attribute");
    assert_contains(p->reason, "where:");
    assert_plan(m, "q", "Query: user = <user>, post begins_with x");
    model_free(m);
}

static void test_the_cheapest_path_wins(void **state)
{
    (void)state;
    static const char text[] =
        TOP "  E:\n"
            "    key: { PK: \"E#${a}\", SK: \"B#${b}\" }\n"
            "    copies: [ { key: { PK: \"F#${a}\", SK: \"B#${b}\" } } ]\n"
            "    index: { GSI1: { GSI1PK: \"G#${a}\", GSI1SK: \"B#${b}\" } }\n"
            "    attributes: { a: string, b: string }\n"
            "patterns:\n"
            "  one: { of: E, by: [a, b] }\n  many: { of: E, by: [a] }\n"
            "  forced: { of: E, by: [a, b], index: GSI1 }\n";
    struct model *m = model_of(text);
    assert_plan(m, "one", "GetItem: PK = E#<a>, SK = B#<b>");
    assert_plan(m, "many", "Query: PK = E#<a>, SK begins_with B#");
    assert_plan(m, "forced", "Query GSI1: GSI1PK = G#<a>, GSI1SK = B#<b>");
    model_free(m);
}

static void test_a_collection_is_a_partition_before_a_part_of_one(void **state)
{
    (void)state;
    static const char text[] = TOP "  Project:\n    key: { PK: \"T#${t}#P#${p}\", SK: M }\n"
                                   "    index: { GSI1: { GSI1PK: \"T#${t}\", GSI1SK: \"P#${p}\" } "
                                   "}\n    attributes: { t: string, p: string }\n"
                                   "  Task: { key: { PK: \"T#${t}#P#${p}\", SK: \"TASK#${id}\" }, "
                                   "attributes: { t: string, p: string, id: string } }\n"
                                   "patterns:\n  page: { collection: Project, by: [t, p] }\n";
    struct model *m = model_of(text);
    assert_plan(m, "page", "Query: PK = T#<t>#P#<p>");
    assert_int_equal(plan_of(m, "page")->n_paths, 2);
    model_free(m);
}

static void test_a_copy_in_the_same_range_is_dropped_after_reading(void **state)
{
    (void)state;
    static const char text[] =
        TOP "  Link:\n    key: { PK: \"N#${from}\", SK: \"L#${to}\" }\n"
            "    copies: [ { key: { PK: \"N#${to}\", SK: \"L#${to}#${from}\" } } ]\n"
            "    attributes: { from: string, to: string }\n"
            "patterns:\n  links: { of: Link, by: [from] }\n";
    struct model *m = model_of(text);
    struct plan *p = plan_of(m, "links");
    assert_non_null(p->neighbours);
    assert_true(p->filter_client);
    assert_false(p->filter_entity);
    model_free(m);
}

static void test_what_an_index_does_not_hold_is_noted(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nindexes: { GSI1: { hash: GSI1PK, sort: GSI1SK, project: keys } "
        "}\nentities:\n"
        "  E:\n    key: { PK: \"E#${a}\", SK: X }\n    index: { GSI1: { GSI1PK: \"B#${b}\", "
        "GSI1SK: \"${a}\" } }\n"
        "    attributes: { a: string, b: string, c: string }\n"
        "patterns:\n  p: { of: E, by: [b] }\n  q: { of: E, by: [b], filter: [c] }\n";
    struct model *m = model_of(text);
    struct plan *p = plan_of(m, "p");
    assert_true(p->fetch);
    assert_contains(p->notes[p->n_notes - 1], "does not hold");
    assert_int_equal(plan_of(m, "q")->kind, PLAN_NONE);
    model_free(m);
}

static void test_multi_attribute_indexes(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\n"
        "indexes: { byDay: { hash: [tenant, region], sort: [day, orderId] } }\nentities:\n"
        "  Order:\n    key: { PK: \"O#${orderId}\", SK: M }\n    index: { byDay: {} }\n"
        "    attributes: { orderId: { generate: ulid }, tenant: { required: true }, region: { "
        "enum: [eu, us] }, day: { format: date } }\n"
        "patterns:\n"
        "  days: { of: Order, by: [tenant, region], where: { day: { during: [$a, $b] } }, order: "
        "newest }\n"
        "  day: { of: Order, by: [tenant, region, day], order: newest }\n"
        "  regions: { of: Order, by: [tenant], across: [region], order: newest }\n";
    struct model *m = model_of(text);
    assert_plan(
        m, "days",
        "Query byDay: tenant = <tenant>, region = <region>, day between <a> and <b>, descending");
    assert_plan(m, "day",
                "Query byDay: tenant = <tenant>, region = <region>, day = <day>, descending");
    assert_plan(m, "regions",
                "Query x 2 byDay: tenant = <tenant>, region = <each region>, descending");
    model_free(m);
}

static void test_reasons_say_what_else_a_hash_key_needs(void **state)
{
    (void)state;
    assert_reason("  E: { key: { PK: \"T#${t}#${r}\", SK: \"X#${x}\" }, attributes: { t: string, "
                  "r: string, x: string } }\n"
                  "patterns: { p: { of: E, by: [t] } }\n",
                  "p", "needs r to be known too; the key of E has PK = T#${t}#${r}");
}

static void test_one_item_of_each_value_has_no_order(void **state)
{
    (void)state;
    assert_reason("  E: { key: { PK: \"E#${a}\", SK: \"S#${s}\" }, attributes: { a: string, s: { "
                  "enum: [x, y] } } }\n"
                  "patterns: { p: { of: E, by: [a], across: [s], order: newest } }\n",
                  "p", "asks for the newest first");
}

static void test_local_indexes(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nindexes: { LSI1: { local: true, sort: LSI1SK } }\nentities:\n"
        "  E:\n    key: { PK: \"E#${a}\", SK: \"B#${b}\" }\n    index: { LSI1: { LSI1SK: "
        "\"T#${t}\" } }\n"
        "    attributes: { a: string, b: string, t: { format: date-time } }\n"
        "patterns:\n  p: { of: E, by: [a], order: newest }\n";
    struct model *m = model_of(text);
    assert_plan(m, "p", "Query LSI1: PK = E#<a>, LSI1SK begins_with T#, descending");
    struct plan *p = plan_of(m, "p");
    assert_int_equal(p->n_notes, 1);
    assert_contains(p->notes[0], "holds only those that have t");
    struct bound_plan b = bind(m, "p", "{\"a\":{\"S\":\"1\"}}");
    assert_contains(request(m, &b, 0), "\"#k0\":\"PK\",\"#s0\":\"LSI1SK\"");
    model_free(m);
}

static void test_without_an_entity_attribute_keys_tell(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nentityAttribute: none\nentities:\n"
        "  C: { key: { PK: \"P#${p}\", SK: \"C#${c}\" }, attributes: { p: string, c: string } }\n"
        "  R: { key: { PK: \"P#${p}\", SK: \"C#${c}#R#${r}\" }, attributes: { p: string, c: "
        "string, r: string } }\n"
        "patterns:\n  cs: { of: C, by: [p] }\n";
    struct model *m = model_of(text);
    struct plan *p = plan_of(m, "cs");
    assert_false(p->filter_entity);
    assert_true(p->filter_client);
    assert_int_equal(p->n_notes, 2);
    model_free(m);
}

static void test_several_entities_share_a_prefix(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nentities:\n"
        "  A: { key: { PK: \"P#${p}\", SK: \"DOC#A#${t}\" }, attributes: { p: string, t: { "
        "generate: ulid } } }\n"
        "  B: { key: { PK: \"P#${q}\", SK: \"DOC#B#${t}\" }, attributes: { q: string, t: { "
        "generate: ulid } } }\n"
        "  C: { key: { PK: \"P#${p}\", SK: \"LOG#${t}\" }, attributes: { p: string, t: { generate: "
        "ulid } } }\n"
        "  D: { key: { PK: \"P#${p}\", SK: \"DOC#D\" }, attributes: { p: string } }\n"
        "patterns:\n  docs: { of: [A, B], by: [p] }\n  two: { of: [A, C], by: [p], order: newest "
        "}\n"
        "  since: { of: [A, B], by: [p], where: { t: { since: today } } }\n";
    struct model *m = model_of(text);
    assert_plan(m, "docs", "Query: PK = P#<p>, SK begins_with DOC#, filtered");
    struct plan *p = plan_of(m, "docs");
    assert_slice(p->neighbours->path->entity->name, "D");
    assert_null(p->neighbours->next);
    struct bound_plan b = bind(m, "docs", "{\"p\":{\"S\":\"1\"}}");
    assert_slice(val_content(b.ranges[0].prefix), "DOC#");
    assert_contains(request(m, &b, 0), "\"FilterExpression\":\"#e0 IN (:e0, :e1)\"");
    assert_plan(m, "two", "Query: PK = P#<p>, descending, filtered");
    assert_int_equal(plan_of(m, "since")->kind,
                     PLAN_NONE); /* A and B do not lie beside each other by time */
    model_free(m);
}

/* A pattern that says nothing of an optional attribute is not answered from an index which needs it, where another
 * path holds everything: those without it would be missing. */
static void test_what_holds_everything_comes_before_what_is_sparse(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nindexes: { LSI1: { local: true, sort: LSI1SK } }\nentities:\n"
        "  E:\n    key: { PK: \"E#${a}\", SK: \"B#${b}\" }\n"
        "    index: { LSI1: { LSI1SK: \"T#${t}\" } }\n"
        "    attributes: { a: string, b: string, t: { format: date } }\n"
        "  F: { key: { PK: \"E#${a}\", SK: \"B#${b}#F#${f}\" }, attributes: { a: string, b: string, f: "
        "string } }\n"
        "patterns:\n  all: { of: E, by: [a] }\n  both: { of: [E, F], by: [a] }\n"
        "  some: { of: E, by: [a], where: { t: { since: $day } } }\n";
    struct model *m = model_of(text);
    assert_plan(m, "all", "Query: PK = E#<a>, SK begins_with B#, filtered");
    assert_plan(m, "both", "Query: PK = E#<a>, SK begins_with B#");
    assert_plan(m, "some", "Query LSI1: PK = E#<a>, LSI1SK >= T#<day> within T#");
    assert_int_equal(plan_of(m, "some")->n_notes, 0); /* who asks for t wants those that have it */
    model_free(m);
}

/* A copy goes without what is itself the hash key of an index, so as not to be in it. */
static void test_what_a_copy_goes_without(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nindexes: { GSI1: { hash: region, sort: day }, GSI2: { hash: tenant, "
        "sort: day } }\nentities:\n"
        "  E:\n    key: { PK: \"E#${a}\", SK: \"B\" }\n    index: { GSI1: {}, GSI2: {} }\n"
        "    copies: [ { key: { PK: \"T#${tenant}\", SK: \"${day}#${a}\" } } ]\n"
        "    attributes: { a: string, region: { required: true }, tenant: { required: true }, "
        "day: { format: date, required: true } }\n"
        "patterns:\n  p: { of: E, by: [tenant], index: table }\n"
        "  q: { of: E, by: [tenant], index: table, filter: { region: eu } }\n"
        "  r: { of: E, by: [tenant], index: GSI2 }\n";
    struct model *m = model_of(text);
    struct plan *p = plan_of(m, "p");
    assert_int_equal(p->n_notes, 1);
    assert_contains(p->notes[0], "copy 1 of E does not hold region");
    assert_int_equal(plan_of(m, "q")->kind, PLAN_NONE);
    assert_contains(plan_of(m, "q")->reason, "filters on region, which copy 1 of E does not hold");
    /* What its own key needs it holds, and so it is in that index. */
    p = plan_of(m, "r");
    assert_null(p->path->copy);
    assert_non_null(p->neighbours);
    assert_slice(p->neighbours->path->copy->name, "copy 1");
    assert_true(p->filter_client);
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seed_000_patterns_1_to_6),
        cmocka_unit_test(test_seed_001_collections_and_adjacency_list),
        cmocka_unit_test(test_seed_002_patterns_1_to_6),
        cmocka_unit_test(test_seed_002_hierarchies),
        cmocka_unit_test(test_seed_003_patterns_1_to_8),
        cmocka_unit_test(test_seed_003_ten_shards),
        cmocka_unit_test(test_seed_004_patterns_1_to_6),
        cmocka_unit_test(test_seed_004_profile_with_the_last_five_orders_is_one_query),
        cmocka_unit_test(test_what_a_limit_may_cut_off_is_told),
        cmocka_unit_test(test_reasons_name_what_is_missing),
        cmocka_unit_test(test_a_filter_on_a_key_attribute_is_refused),
        cmocka_unit_test(test_the_cheapest_path_wins),
        cmocka_unit_test(test_a_collection_is_a_partition_before_a_part_of_one),
        cmocka_unit_test(test_a_copy_in_the_same_range_is_dropped_after_reading),
        cmocka_unit_test(test_what_an_index_does_not_hold_is_noted),
        cmocka_unit_test(test_multi_attribute_indexes),
        cmocka_unit_test(test_reasons_say_what_else_a_hash_key_needs),
        cmocka_unit_test(test_one_item_of_each_value_has_no_order),
        cmocka_unit_test(test_local_indexes),
        cmocka_unit_test(test_without_an_entity_attribute_keys_tell),
        cmocka_unit_test(test_several_entities_share_a_prefix),
        cmocka_unit_test(test_what_holds_everything_comes_before_what_is_sparse),
        cmocka_unit_test(test_what_a_copy_goes_without),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
