/* plan_fixture.h: models from text, their plans, and requests, for the tests of the resolver; and the five seed
 * documents' models. */
#ifndef OF_TESTS_PLAN_FIXTURE_H
#define OF_TESTS_PLAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "model/plan.h"
#include "item/item_json.h"

#define NOW INT64_C(1778423581000) /* 2026-05-10T14:33:01Z */

__attribute__((unused)) static struct model *model_of(const char *text)
{
    struct problems ps;
    problems_init(&ps, &arena);
    struct model *m = model_read(&ps, SLICE("onefold.yaml"), slice_str(text));
    for (const struct problem *p = ps.first; p; p = p->next) {
        fprintf(stderr, "%u:%u: %.*s (%.*s)\n", p->place.line, p->place.column, SLICE_ARG(p->message), SLICE_ARG(p->hint));
    }
    assert_non_null(m);
    return m;
}

__attribute__((unused)) static struct plan *plan_with(const struct model *m, const char *pattern, bool proposals)
{
    struct plan *p = ARENA_NEW(&arena, struct plan);
    struct err e = { .arena = &arena };
    const struct pattern *q = model_pattern(m, slice_str(pattern));
    assert_non_null(q);
    assert_int_equal(plan_make(&arena, m, q, proposals, p, &e), 0);
    return p;
}

__attribute__((unused)) static struct plan *plan_of(const struct model *m, const char *pattern)
{
    return plan_with(m, pattern, false);
}

__attribute__((unused)) static void assert_slice(struct slice s, const char *expected)
{
    assert_string_equal(arena_printf(&arena, "%.*s", SLICE_ARG(s)).p, expected);
}

__attribute__((unused)) static void assert_contains(struct slice s, const char *part)
{
    const char *text = (const char *)arena_printf(&arena, "%.*s", SLICE_ARG(s)).p;
    if (!strstr(text, part)) fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

/* The plan's operation, index and key condition in one line: "Query GSI1: PK = ..., SK begins_with ...". */
__attribute__((unused)) static void assert_plan(const struct model *m, const char *pattern, const char *expected)
{
    struct plan *p = plan_of(m, pattern);
    if (p->kind == PLAN_NONE) fail_msg("%s is not answered: %.*s", pattern, SLICE_ARG(p->reason));
    struct slice text = arena_printf(&arena, "%.*s%s%.*s: %.*s%s%s", SLICE_ARG(p->operation), p->index_name.n ? " " : "",
                                     SLICE_ARG(p->index_name), SLICE_ARG(p->key_condition),
                                     p->descending ? ", descending" : "", p->filter_entity ? ", filtered" : "");
    assert_string_equal(text.p, expected);
}

/* An item from DynamoDB-JSON. */
__attribute__((unused)) static struct slice item(const char *json)
{
    struct err e = { .arena = &arena };
    struct slice out;
    const struct json *n = json_parse(&arena, slice_str(json), 32, NULL);
    assert_non_null(n);
    assert_int_equal(item_from_json(&arena, n, &out, &e), 0);
    return out;
}

__attribute__((unused)) static struct bound_plan bind(const struct model *m, const char *pattern, const char *inputs)
{
    struct bound_plan b;
    struct err e = { .arena = &arena };
    int rc = plan_bind(&arena, m, plan_of(m, pattern), item(inputs), NOW, &b, &e);
    if (rc) fail_msg("%.*s", SLICE_ARG(e.message));
    return b;
}

__attribute__((unused)) static void assert_bind_fails(const struct model *m, const char *pattern, const char *inputs,
                                                      const char *message)
{
    struct bound_plan b;
    struct err e = { .arena = &arena };
    assert_int_not_equal(plan_bind(&arena, m, plan_of(m, pattern), item(inputs), NOW, &b, &e), 0);
    assert_contains(e.message, message);
}

__attribute__((unused)) static struct slice request(const struct model *m, const struct bound_plan *b, size_t stream)
{
    struct buf out;
    buf_init(&out, &arena, 1 << 20);
    assert_true(stream < b->n);
    plan_request(&out, m, b, &b->ranges[stream], 0, (struct slice){ 0 }, false);
    struct slice text = buf_view(&out);
    assert_non_null(json_parse(&arena, text, 32, NULL));
    return text;
}

/* ---- the seeds ---- */

#define SEED_000_TOP \
    "onefold: 1\n" \
    "table: shop\n" \
    "indexes:\n" \
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n" \
    "entities:\n" \
    "  Customer:\n" \
    "    key: { PK: \"CUST#${id}\", SK: METADATA }\n" \
    "    index:\n" \
    "      GSI1: { GSI1PK: CUSTOMER, GSI1SK: \"${createdAt}\" }\n" \
    "    attributes:\n" \
    "      id: { type: string, required: true }\n" \
    "      createdAt: { type: string, format: date-time, required: true }\n" \
    "  Order:\n" \
    "    key: { PK: \"ORDER#${orderId}\", SK: METADATA }\n" \
    "    index:\n" \
    "      GSI1: { GSI1PK: \"CUST#${customerId}\", GSI1SK: \"ORDER#${createdAt}#${orderId}\" }\n" \
    "    attributes:\n" \
    "      orderId: { type: string, required: true }\n" \
    "      customerId: { type: string, required: true }\n" \
    "      status: { enum: [PLACED, SHIPPED, DELIVERED], required: true }\n" \
    "      createdAt: { type: string, format: date-time, required: true }\n" \
    "      total: number\n" \
    "  OrderItem:\n" \
    "    key: { PK: \"ORDER#${orderId}\", SK: \"ITEM#${sku}\" }\n" \
    "    index:\n" \
    "      GSI1: { GSI1PK: \"PRODUCT#${sku}\", GSI1SK: \"ORDER#${orderId}\" }\n" \
    "    attributes:\n" \
    "      orderId: { type: string, required: true }\n" \
    "      sku: { type: string, required: true }\n" \
    "      qty: number\n" \
    "  Product:\n" \
    "    key: { PK: \"PRODUCT#${sku}\", SK: METADATA }\n" \
    "    attributes:\n" \
    "      sku: { type: string, required: true }\n" \
    "      price: number\n" \
    "patterns:\n" \
    "  customer: { of: Customer, by: [id] }\n" \
    "  ordersOfCustomer: { of: Order, by: [customerId], order: newest }\n" \
    "  order: { of: [Order, OrderItem], by: [orderId] }\n" \
    "  product: { of: Product, by: [sku] }\n" \
    "  ordersWithSku: { of: OrderItem, by: [sku] }\n" \
    "  customers: { of: Customer, order: oldest }\n"

#define SEED_001 \
    "onefold: 1\n" \
    "table: customers\n" \
    "indexes:\n" \
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n" \
    "entities:\n" \
    "  Customer:\n" \
    "    key: { PK: \"CUSTOMER#${id}\", SK: PROFILE }\n" \
    "    attributes: { id: string, name: string }\n" \
    "  Order:\n" \
    "    key: { PK: \"ORDER#${number}\", SK: METADATA }\n" \
    "    index: { GSI1: { GSI1PK: \"STATUS#${status}\", GSI1SK: \"${date}\" } }\n" \
    "    copies: [ { key: { PK: \"CUSTOMER#${customer}\", SK: \"ORDER#${number}\" } } ]\n" \
    "    attributes:\n" \
    "      number: string\n" \
    "      customer: { type: string, required: true }\n" \
    "      status: { enum: [OPEN, CLOSED], required: true }\n" \
    "      date: { type: string, format: date, required: true }\n" \
    "  Membership:\n" \
    "    key: { PK: \"USER#${user}\", SK: \"TEAM#${team}\" }\n" \
    "    copies: [ { key: { PK: \"TEAM#${team}\", SK: \"USER#${user}\" } } ]\n" \
    "    attributes: { user: string, team: string }\n" \
    "patterns:\n" \
    "  customerWithOrders: { of: [Customer, Order], by: { id: $id } }\n" \
    "  everythingOfCustomer: { collection: Customer, by: [id] }\n" \
    "  ordersOfCustomer: { of: Order, by: [customer] }\n" \
    "  openOrders: { of: Order, by: { status: OPEN }, order: oldest }\n" \
    "  teamsOfUser: { of: Membership, by: [user] }\n" \
    "  usersOfTeam: { of: Membership, by: [team] }\n"

#define SEED_002 \
    "onefold: 1\n" \
    "table: blog\n" \
    "indexes:\n" \
    "  gsi1: { hash: GSI1PK, sort: GSI1SK }\n" \
    "timestamps: true\n" \
    "entities:\n" \
    "  User:\n" \
    "    key: { PK: \"USER#${username}\", SK: \"USER#${username}\" }\n" \
    "    attributes: { username: { required: true }, name: string, bio: string }\n" \
    "  Post:\n" \
    "    key: { PK: \"USER#${username}\", SK: \"POST#${postId}\" }\n" \
    "    index: { gsi1: { GSI1PK: POST, GSI1SK: \"STATUS#${published}#${postId}\" } }\n" \
    "    attributes:\n" \
    "      username: { required: true }\n" \
    "      postId: { generate: ulid }\n" \
    "      published: { type: boolean, default: false }\n" \
    "  Comment:\n" \
    "    key: { PK: \"POST#${postId}\", SK: \"COMMENT#${commentId}\" }\n" \
    "    index: { gsi1: { GSI1PK: \"USER#${username}\", GSI1SK: \"COMMENT#${commentId}\" } }\n" \
    "    attributes:\n" \
    "      postId: { required: true }\n" \
    "      commentId: { generate: ulid }\n" \
    "      username: { required: true }\n" \
    "  Reaction:\n" \
    "    key: { PK: \"POST#${postId}\", SK: \"COMMENT#${commentId}#REACTION#${reactionId}\" }\n" \
    "    attributes: { postId: string, commentId: string, reactionId: { generate: ulid } }\n" \
    "  PostTag:\n" \
    "    key: { PK: \"POST#${postId}\", SK: \"TAG#${tag}\" }\n" \
    "    index: { gsi1: { GSI1PK: \"TAG#${tag}\", GSI1SK: \"POST#${postId}\" } }\n" \
    "    attributes: { postId: { required: true }, tag: { required: true } }\n" \
    "patterns:\n" \
    "  user: { of: User, by: [username] }\n" \
    "  postsOfUser: { of: Post, by: [username] }\n" \
    "  commentsOfPost: { of: Comment, by: [postId] }\n" \
    "  publishedPosts: { of: Post, by: { published: true } }\n" \
    "  commentsOfUser: { of: Comment, by: [username] }\n" \
    "  postsWithTag: { of: PostTag, by: [tag] }\n" \
    "  reactions: { of: Reaction, by: [postId, commentId], order: newest }\n" \
    "  commentThread: { collection: Comment, by: [postId, commentId] }\n" \
    "  allPosts: { of: Post, across: [published], order: newest, limit: 10 }\n"

/* shards: empty, or the member of the index entry. */
#define SEED_003(shards) \
    "onefold: 1\n" \
    "table: ecommerce\n" \
    "keys: { hash: pk, sort: sk }\n" \
    "indexes:\n" \
    "  GSI1: { hash: gsi1pk, sort: gsi1sk }\n" \
    "timestamps: true\n" \
    "entities:\n" \
    "  Customer:\n" \
    "    key: { pk: \"CUSTOMER#${customerId}\", sk: \"#METADATA\" }\n" \
    "    attributes: { customerId: string, name: string }\n" \
    "  Order:\n" \
    "    key: { pk: \"ORDER#${orderId}\", sk: \"#METADATA\" }\n" \
    "    index:\n" \
    "      GSI1: { gsi1pk: \"STATUS#${status}\", gsi1sk: \"ORDER#${orderId}\"" shards " }\n" \
    "    copies:\n" \
    "      - key: { pk: \"CUSTOMER#${customerId}\", sk: \"ORDER#${orderId}\" }\n" \
    "        only: [orderId, status, total]\n" \
    "    attributes:\n" \
    "      orderId: { type: string, generate: ulid }\n" \
    "      customerId: { type: string, required: true }\n" \
    "      status: { enum: [pending, confirmed, shipped, delivered, cancelled], default: pending }\n" \
    "      total: number\n" \
    "  OrderItem:\n" \
    "    key: { pk: \"ORDER#${orderId}\", sk: \"ITEM#${productId}\" }\n" \
    "    attributes: { orderId: string, productId: string }\n" \
    "patterns:\n" \
    "  ap1: { of: Order, by: [orderId] }\n" \
    "  ap2: { of: Order, by: [customerId], order: newest }\n" \
    "  ap3: { of: Order, by: [status], order: newest }\n" \
    "  ap4: { of: OrderItem, by: [orderId] }\n" \
    "  ap5: { of: OrderItem, by: [orderId, productId] }\n" \
    "  ap6: { of: Customer, by: [customerId] }\n" \
    "  ap7: { of: Order, across: [status], order: newest, limit: 50 }\n" \
    "  ap8: { of: Order, by: [status], where: { orderId: { on: $month } } }\n"

#define SEED_004 \
    "onefold: 1\n" \
    "table: AppTable\n" \
    "indexes:\n" \
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n" \
    "  GSI2: { hash: GSI2PK, sort: GSI2SK }\n" \
    "entities:\n" \
    "  User:\n" \
    "    key: { PK: \"USER#${userId}\", SK: PROFILE }\n" \
    "    attributes: { userId: string, name: string }\n" \
    "  Order:\n" \
    "    key: { PK: \"USER#${userId}\", SK: \"ORDER#${date}#${orderId}\" }\n" \
    "    index:\n" \
    "      GSI1: { GSI1PK: ORDER_BY_DATE, GSI1SK: \"${placedAt}#${orderId}\" }\n" \
    "      GSI2: { GSI2PK: \"USER#${userId}#${status}\", GSI2SK: \"${placedAt}\" }\n" \
    "    attributes:\n" \
    "      userId: { required: true }\n" \
    "      orderId: { required: true }\n" \
    "      date: { format: date, required: true }\n" \
    "      placedAt: { format: date-time, required: true }\n" \
    "      status: { enum: [PENDING, SHIPPED], required: true }\n" \
    "  Shipment:\n" \
    "    key: { PK: \"ORDER#${orderId}\", SK: METADATA }\n" \
    "    attributes: { orderId: string, payment_method: string }\n" \
    "  OrderItem:\n" \
    "    key: { PK: \"ORDER#${orderId}\", SK: \"ITEM#${seq:03}\" }\n" \
    "    attributes: { orderId: string, seq: number }\n" \
    "  Review:\n" \
    "    key: { PK: \"PRODUCT#${productId}\", SK: \"REVIEW#${reviewId}\" }\n" \
    "    index:\n" \
    "      GSI1: { GSI1PK: \"PRODUCT#${productId}#REVIEWS\", GSI1SK: \"${at}#${reviewId}\" }\n" \
    "    attributes: { productId: string, reviewId: string, at: { format: date-time, required: true } }\n" \
    "patterns:\n" \
    "  profile: { of: User, by: [userId] }\n" \
    "  recentOrders: { of: Order, by: [userId], order: newest, limit: 10 }\n" \
    "  orderWithItems: { of: [Shipment, OrderItem], by: [orderId] }\n" \
    "  ordersToday: { of: Order, where: { placedAt: { on: today } }, order: oldest }\n" \
    "  ordersByStatus: { of: Order, by: [userId, status], order: newest }\n" \
    "  recentReviews: { of: Review, by: [productId], order: newest }\n" \
    "  profileWithOrders: { of: [User, Order], by: [userId], order: newest, limit: 6 }\n" \
    "  itemsFirst: { of: [Shipment, OrderItem], by: [orderId], order: descending, limit: 3 }\n"

#endif
