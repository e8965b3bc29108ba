/* test_model_entity.c: an entity completed and checked, the items it is stored as, and items recognised again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include "item/item_json.h"
#include "model/entity.h"
#include "model/values.h"
#include "arena_fixture.h"

static struct err e;
static struct model *model;

static void assert_slice(struct slice s, const char *expected)
{
    char got[4096];
    snprintf(got, sizeof got, "%.*s", SLICE_ARG(s));
    assert_string_equal(got, expected);
}

static struct model *read_model(const char *text)
{
    struct problems ps;
    problems_init(&ps, &arena);
    struct model *m = model_read(&ps, SLICE("test.yaml"), slice_str(text));
    for (const struct problem *p = ps.first; p; p = p->next)
        print_message("%u:%u: %.*s\n", p->place.line, p->place.column, SLICE_ARG(p->message));
    assert_non_null(m);
    return m;
}

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "  GSI2: { hash: email }\n"
    "timestamps: true\n"
    "entities:\n"
    "  Customer:\n"
    "    key: { PK: 'CUSTOMER#${customerId}', SK: '#METADATA' }\n"
    "    index: { GSI2: {} }\n"
    "    attributes:\n"
    "      customerId: { type: string, required: true }\n"
    "      email: string\n"
    "      tenant: string\n"
    "      slug: string\n"
    "      address: { type: map, attributes: { zip: number } }\n"
    "    unique: [email, [tenant, slug]]\n"
    "  Order:\n"
    "    key: { PK: 'ORDER#${orderId}', SK: '#METADATA' }\n"
    "    index:\n"
    "      GSI1: { GSI1PK: 'STATUS#${status}', GSI1SK: 'ORDER#${total:06.2}', shards: { of: GSI1PK, by: orderId, count: 10 } }\n"
    "    schema: 3\n"
    "    lock: version\n"
    "    copies:\n"
    "      - key: { PK: 'CUSTOMER#${customerId}', SK: 'ORDER#${orderId}' }\n"
    "        only: [status]\n"
    "      - name: byCoupon\n"
    "        key: { PK: 'COUPON#${coupon}', SK: 'ORDER#${orderId}' }\n"
    "        sparse: true\n"
    "    attributes:\n"
    "      orderId: { type: string, generate: ulid }\n"
    "      token: { type: string, generate: uuid, hidden: true }\n"
    "      customerId: { type: string, required: true }\n"
    "      status: { enum: [pending, confirmed], default: pending }\n"
    "      total: { type: number, min: 0 }\n"
    "      coupon: string\n"
    "  Friendship:\n"
    "    key: { PK: 'USER#${a}', SK: 'FRIEND#${b}' }\n"
    "    copies: [{ key: { PK: 'USER#${b}', SK: 'FRIEND#${a}' } }]\n"
    "    attributes: { a: string, b: string }\n"
    "  Member:\n"
    "    key: { PK: 'MEMBER#${id}', SK: M }\n"
    "    index: { GSI2: {} }\n"
    "    copies:\n"
    "      - key: { PK: 'CLUB#${club}', SK: 'M#${id}' }\n"
    "      - key: { PK: 'TEAM#${club}', SK: 'M#${id}' }\n"
    "        index: { GSI2: {} }\n"
    "    attributes: { id: string, club: string, email: string }\n"
    "  Note:\n"
    "    open: true\n"
    "    key: { PK: 'NOTE#${id}', SK: NOTE }\n"
    "    attributes: { id: string }\n";

static int64_t clock_ms = 1778423381123;

static int64_t test_now(void *ctx)
{
    (void)ctx;
    return clock_ms;
}

static void test_random(void *ctx, uint8_t *p, size_t n)
{
    (void)ctx;
    memset(p, 0, n);
}

static const struct model_env env = { test_now, test_random, NULL };

static int set_up_model(void **state)
{
    set_up(state);
    model = read_model(shop);
    return 0;
}

static int tear_down_model(void **state)
{
    model_free(model);
    return tear_down(state);
}

static const struct entity *entity(const char *name)
{
    const struct entity *en = model_entity(model, slice_str(name));
    assert_non_null(en);
    return en;
}

/* Plain JSON with ' for ", by the declared types. */
static struct slice attributes(const struct entity *en, const char *text)
{
    struct slice t = arena_dup(&arena, slice_str(text));
    for (size_t i = 0; i < t.n; i++) {
        if (t.p[i] == '\'') ((uint8_t *)(uintptr_t)t.p)[i] = '"';
    }
    const struct json *j = json_parse(&arena, t, 50, NULL);
    assert_non_null(j);
    struct attr attrs[32];
    size_t n = 0;
    e = (struct err){ .arena = &arena };
    for (const struct json *k = j->first; k; k = k->next, n++) {
        attrs[n].name = k->name;
        assert_int_equal(value_from_plain(&arena, entity_attribute(en, k->name), k->name, k, &attrs[n].value, &e), 0);
    }
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}

static void assert_plain(struct slice item, const char *expected)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    item_to_plain(&b, item);
    for (size_t i = 0; i < b.n; i++) {
        if (b.p[i] == '"') b.p[i] = '\'';
    }
    assert_slice(buf_view(&b), expected);
}

static void assert_message(int rc, const char *expected)
{
    assert_int_equal(rc, ERR_ValidationException);
    assert_slice(e.message, expected);
}

static void test_completing_fills_in_what_the_model_says(void **state)
{
    (void)state;
    const struct entity *en = entity("Order");
    struct slice out;
    assert_int_equal(entity_complete(&arena, model, en, &env, attributes(en, "{'customerId':'c1','coupon':null}"), &out, &e), 0);
    assert_plain(out, "{'createdAt':'2026-05-10T14:29:41.123Z','customerId':'c1','orderId':'01KR94PF430000000000000000',"
                      "'status':'pending','token':'00000000-0000-4000-8000-000000000000',"
                      "'updatedAt':'2026-05-10T14:29:41.123Z','version':1}");
    assert_int_equal(entity_complete(&arena, model, en, &env, attributes(en, "{'customerId':'c1'}"), &out, &e), 0);
    struct slice id;
    assert_true(val_get(out, SLICE("orderId"), &id));
    assert_slice(val_content(id), "01KR94PF430000000000000001");
    en = entity("Customer");
    assert_int_equal(entity_complete(&arena, model, en, &env,
                                     attributes(en, "{'customerId':'c1','createdAt':'2020-01-01T00:00:00Z','address':{'zip':1}}"),
                                     &out, &e), 0);
    assert_plain(out, "{'address':{'zip':1},'createdAt':'2020-01-01T00:00:00Z','customerId':'c1',"
                      "'updatedAt':'2026-05-10T14:29:41.123Z'}");
}

static void test_failed_checks_name_entity_attribute_and_rule(void **state)
{
    (void)state;
    const struct entity *en = entity("Order");
    static const char *const cases[][2] = {
        { "{'customerId':'c1','status':'lost'}", "Order.status: must be one of pending, confirmed, but is \"lost\"" },
        { "{'total':5}", "Order.customerId: is required, but is missing; give customerId=..." },
        { "{'customerId':'c1','totl':5}", "Order.totl: is not an attribute of Order; did you mean total?" },
        { "{'customerId':'c1','zzzzzz':5}",
          "Order.zzzzzz: is not an attribute of Order; declare it in the model, or say `open: true` there" },
        { "{'customerId':'c1','PK':'x'}", "Order.PK: is written by the model; leave it out" },
        { "{'customerId':'c1','entity_type':'x'}", "Order.entity_type: is written by the model; leave it out" },
        { "{'customerId':'c1','total':-1}", "Order.total: must be at least 0, but is -1" },
    };
    struct slice out;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice given = attributes(en, cases[i][0]);
        assert_message(entity_complete(&arena, model, en, &env, given, &out, &e), cases[i][1]);
    }
    en = entity("Note");
    assert_int_equal(entity_check(model, en, attributes(en, "{'id':'1','anything':[1]}"), &e), 0);
    assert_message(entity_check(model, en, attributes(en, "{'id':'1','GSI1PK':'x'}"), &e),
                   "Note.GSI1PK: is written by the model; leave it out");
}

static void test_all_items_of_an_entity(void **state)
{
    (void)state;
    const struct entity *en = entity("Order");
    struct stored s;
    struct slice given = attributes(en, "{'orderId':'o100','customerId':'c1','status':'pending','total':145}");
    assert_int_equal(entity_store(&arena, model, en, given, &s, &e), 0);
    assert_int_equal(s.n, 2); /* the sparse copy is not made */
    assert_plain(s.items[0], "{'GSI1PK':'STATUS#pending#3','GSI1SK':'ORDER#000145.00','PK':'ORDER#o100','SK':'#METADATA',"
                             "'customerId':'c1','entity_type':'Order','orderId':'o100','schema_v':3,'status':'pending','total':145}");
    assert_plain(s.items[1], "{'PK':'CUSTOMER#c1','SK':'ORDER#o100','customerId':'c1','entity_type':'Order','orderId':'o100',"
                             "'schema_v':3,'status':'pending'}");
    assert_ptr_equal(s.paths[0], en->key);
    assert_ptr_equal(s.paths[1], en->copies[0].key);
    assert_int_equal(s.n_sentinels, 0);
    /* Without a total it is not in the index; with a coupon there is another copy, with everything. */
    given = attributes(en, "{'orderId':'o1','customerId':'c1','status':'pending','coupon':'X'}");
    assert_int_equal(entity_store(&arena, model, en, given, &s, &e), 0);
    assert_int_equal(s.n, 3);
    assert_plain(s.items[0], "{'PK':'ORDER#o1','SK':'#METADATA','coupon':'X','customerId':'c1','entity_type':'Order',"
                             "'orderId':'o1','schema_v':3,'status':'pending'}");
    assert_plain(s.items[2], "{'PK':'COUPON#X','SK':'ORDER#o1','coupon':'X','customerId':'c1','entity_type':'Order',"
                             "'orderId':'o1','schema_v':3,'status':'pending'}");
}

static void test_sentinels_of_unique_values(void **state)
{
    (void)state;
    const struct entity *en = entity("Customer");
    struct stored s;
    struct slice given = attributes(en, "{'customerId':'c1','email':'a#b%@x.com','tenant':'t1','slug':'hello'}");
    assert_int_equal(entity_store(&arena, model, en, given, &s, &e), 0);
    assert_int_equal(s.n_sentinels, 2);
    assert_plain(s.sentinels[0], "{'PK':'UNIQUE#Customer#email#a%23b%25@x.com','SK':'UNIQUE',"
                                 "'owner':{'PK':'CUSTOMER#c1','SK':'#METADATA'}}");
    assert_plain(s.sentinels[1], "{'PK':'UNIQUE#Customer#tenant+slug#t1#hello','SK':'UNIQUE',"
                                 "'owner':{'PK':'CUSTOMER#c1','SK':'#METADATA'}}");
    assert_true(item_identify(&arena, model, s.sentinels[0]).sentinel);
    assert_null(item_identify(&arena, model, s.sentinels[0]).entity);
    given = attributes(en, "{'customerId':'c1','tenant':'t1'}");
    assert_int_equal(entity_store(&arena, model, en, given, &s, &e), 0);
    assert_int_equal(s.n_sentinels, 0);
}

static void test_keys_that_cannot_be_made(void **state)
{
    (void)state;
    const struct entity *en = entity("Order");
    struct stored s;
    struct slice key;
    assert_message(entity_store(&arena, model, en, attributes(en, "{'customerId':'c1'}"), &s, &e),
                   "Order: key PK needs orderId, which is missing; give it");
    assert_message(entity_store(&arena, model, en, attributes(en, "{'orderId':'o1'}"), &s, &e),
                   "Order: copy 1, key PK needs customerId, which is missing; give it, or say `sparse: true` for this copy in the model");
    assert_message(entity_store(&arena, model, en, attributes(en, "{'orderId':'o#1','customerId':'c1'}"), &s, &e),
                   "Order: key PK cannot be made: orderId contains the delimiter; use a value without it, or "
                   "`escape: percent` in the model");
    assert_message(entity_store(&arena, model, en, attributes(en, "{'orderId':'','customerId':'c1'}"), &s, &e),
                   "Order: key PK cannot be made: orderId is empty; leave it out or give it a value");
    assert_message(entity_store(&arena, model, en,
                                attributes(en, "{'orderId':'o1','customerId':'c1','status':'pending','total':1234567}"), &s, &e),
                   "Order: index GSI1, key GSI1SK cannot be made: total does not fit the padding (it is negative, has more "
                   "digits or more decimals); widen the padding in the model before there is data");
    assert_message(entity_key(&arena, model, en, attributes(en, "{}"), &key, &e),
                   "Order: key PK needs orderId, which is missing; give it");
    assert_int_equal(entity_key(&arena, model, en, attributes(en, "{'orderId':'o1'}"), &key, &e), 0);
    assert_plain(key, "{'PK':'ORDER#o1','SK':'#METADATA'}");
    struct attr keys[8];
    bool absent;
    assert_int_equal(path_keys(&arena, model, en->entries[0], attributes(en, "{'orderId':'o1'}"), keys, &absent, &e), 0);
    assert_true(absent);
}

static void test_a_key_attribute_that_is_the_entitys_own(void **state)
{
    (void)state;
    const struct entity *en = entity("Customer");
    struct stored s;
    struct slice v;
    assert_int_equal(entity_store(&arena, model, en, attributes(en, "{'customerId':'c1','email':'a@b'}"), &s, &e), 0);
    assert_true(val_get(s.items[0], SLICE("email"), &v));
    struct attr keys[8];
    bool absent;
    assert_int_equal(path_keys(&arena, model, en->entries[0], attributes(en, "{'email':'a@b'}"), keys, &absent, &e), 0);
    assert_false(absent);
    assert_true(val_equal(keys[0].value, v));
    assert_plain(item_attributes(&arena, model, en, s.items[0], true), "{'customerId':'c1','email':'a@b'}");
}

/* Its own attribute is the index's key: a copy that has it would be in the index. */
static void test_a_copy_is_only_in_the_indexes_it_declares(void **state)
{
    (void)state;
    const struct entity *en = entity("Member");
    struct stored s;
    assert_int_equal(entity_store(&arena, model, en, attributes(en, "{'id':'1','club':'c','email':'a@b'}"), &s, &e), 0);
    assert_plain(s.items[1], "{'PK':'CLUB#c','SK':'M#1','club':'c','entity_type':'Member','id':'1'}");
    assert_plain(s.items[2], "{'PK':'TEAM#c','SK':'M#1','club':'c','email':'a@b','entity_type':'Member','id':'1'}");
}

static struct slice item(const char *text)
{
    return attributes(entity("Note"), text);
}

static void test_items_are_recognised(void **state)
{
    (void)state;
    const struct entity *order = entity("Order"), *friends = entity("Friendship");
    struct identity id = item_identify(&arena, model, item("{'PK':'ORDER#1','SK':'#METADATA','entity_type':'Order','schema_v':2}"));
    assert_ptr_equal(id.entity, order);
    assert_ptr_equal(id.path, order->key);
    assert_int_equal(id.schema, 2);
    id = item_identify(&arena, model, item("{'PK':'CUSTOMER#1','SK':'ORDER#1','entity_type':'Order'}"));
    assert_ptr_equal(id.path, order->copies[0].key);
    id = item_identify(&arena, model, item("{'PK':'SOMETHING','SK':'ORDER#1','entity_type':'Order'}"));
    assert_ptr_equal(id.entity, order);
    assert_null(id.path);
    id = item_identify(&arena, model, item("{'PK':'ORDER#1','SK':'#METADATA','entity_type':'Nobody'}"));
    assert_null(id.entity);
    id = item_identify(&arena, model, item("{'PK':'COUPON#1','SK':'ORDER#7'}"));
    assert_ptr_equal(id.entity, order);
    assert_ptr_equal(id.path, order->copies[1].key);
    id = item_identify(&arena, model, item("{'PK':'OTHER','SK':'x'}"));
    assert_null(id.entity);
    assert_false(id.sentinel);
    /* Both keys of a friendship look alike: the attributes decide. */
    struct stored s;
    assert_int_equal(entity_store(&arena, model, friends, attributes(friends, "{'a':'1','b':'2'}"), &s, &e), 0);
    assert_ptr_equal(item_identify(&arena, model, s.items[0]).path, friends->key);
    assert_ptr_equal(item_identify(&arena, model, s.items[1]).path, friends->copies[0].key);
}

static void test_attributes_of_a_stored_item(void **state)
{
    (void)state;
    const struct entity *en = entity("Order");
    struct slice old = item("{'PK':'ORDER#1','SK':'#METADATA','GSI1PK':'x','entity_type':'Order','schema_v':2,'orderId':'1','token':'t'}");
    assert_plain(item_attributes(&arena, model, en, old, true), "{'orderId':'1','status':'pending','token':'t'}");
    assert_plain(item_attributes(&arena, model, en, old, false), "{'orderId':'1','status':'pending'}");
    struct slice now = item("{'PK':'ORDER#1','SK':'#METADATA','schema_v':3,'orderId':'1'}");
    assert_plain(item_attributes(&arena, model, en, now, true), "{'orderId':'1'}");
    /* A copy with everything is filled in; one that leaves attributes out only in those it has. */
    assert_plain(item_attributes(&arena, model, en, item("{'PK':'CUSTOMER#1','SK':'ORDER#1'}"), true), "{'status':'pending'}");
}

/* Random entities: every item is recognised as what it was stored as, and gives its attributes back. */
static void test_what_is_stored_is_recognised(void **state)
{
    (void)state;
    static const char *const names[] = { "Order", "Friendship", "Customer" };
    for (int round = 0; round < 3000; round++) {
        const struct entity *en = entity(names[rnd(3)]);
        struct attr attrs[8];
        size_t n = 0;
        for (size_t i = 0; i < en->n_attributes; i++) {
            const struct attribute *at = &en->attributes[i];
            if (at->type != TYPE_S || at->n_enumeration || at->automatic || at->generate == GENERATE_UUID) continue;
            if (slice_eq(at->name, SLICE("coupon")) && rnd(2)) continue;
            attrs[n++] = (struct attr){ at->name, val_make_string(&arena, arena_printf(&arena, "%llu", (unsigned long long)rnd(3))) };
        }
        struct buf b;
        buf_init(&b, &arena, 1 << 20);
        val_put_map(&b, attrs, n);
        struct stored s;
        e = (struct err){ .arena = &arena };
        assert_int_equal(entity_store(&arena, model, en, buf_view(&b), &s, &e), 0);
        for (size_t i = 0; i < s.n; i++) {
            struct identity id = item_identify(&arena, model, s.items[i]);
            assert_ptr_equal(id.entity, en);
            /* With a = b the item and its copy are one. */
            if (!slice_eq(en->name, SLICE("Friendship")) || !val_equal(attrs[0].value, attrs[1].value))
                assert_ptr_equal(id.path, s.paths[i]);
        }
        assert_true(slice_eq(item_attributes(&arena, model, en, s.items[0], true), buf_view(&b)));
        if (round % 100 == 0) arena_reset(&arena);
    }
}

/* 200 entities without an entity attribute: by templates alone, and fast. */
static void test_many_entities_are_told_apart_by_their_keys(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    BUF_LIT(&b, "onefold: 1\ntable: big\nentityAttribute: none\nentities:\n  Any: { key: { PK: '${id}', SK: '${sk}' }, "
                "attributes: { id: string, sk: string } }\n");
    for (int i = 0; i < 200; i++)
        buf_printf(&b, "  E%d: { key: { PK: 'TYPE%d#${id}', SK: 'E#${id}' }, copies: [{ key: { PK: 'C#${id}', SK: 'C%d#${id}' } }], "
                       "attributes: { id: string } }\n", i, i, i);
    buf_u8(&b, 0);
    struct model *m = read_model((const char *)b.p);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 200; i++) {
        struct attr attrs[2] = { { SLICE("PK"), val_make_string(&arena, arena_printf(&arena, "TYPE%d#7", i)) },
                                 { SLICE("SK"), val_make_string(&arena, SLICE("E#7")) } };
        struct buf v;
        buf_init(&v, &arena, 1 << 20);
        val_put_map(&v, attrs, 2);
        struct identity id = item_identify(&arena, m, buf_view(&v));
        assert_slice(id.entity->name, (const char *)arena_printf(&arena, "E%d", i).p);
        assert_int_equal(id.path->kind, PATH_KEY);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (!getenv("OF_TEST_SLOW")) assert_true((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 < 200);
    model_free(m);
}

static void test_inverted_and_local_indexes(void **state)
{
    (void)state;
    struct model *m = read_model("onefold: 1\n"
                                 "table: tbl\n"
                                 "indexes:\n"
                                 "  LSI1: { local: true, sort: LSI1SK }\n"
                                 "  Multi: { hash: [tenant, region], sort: [day] }\n"
                                 "entities:\n"
                                 "  Post:\n"
                                 "    key: { PK: 'U#${u}', SK: 'P#${p}' }\n"
                                 "    index: { LSI1: { LSI1SK: 'T#${title}' }, Multi: {} }\n"
                                 "    attributes: { u: string, p: string, title: string, tenant: string, region: string, day: string }\n");
    const struct entity *en = model_entity(m, SLICE("Post"));
    struct stored s;
    assert_int_equal(entity_store(&arena, m, en, attributes(en, "{'u':'1','p':'2','title':'x','tenant':'t'}"), &s, &e), 0);
    assert_plain(s.items[0], "{'LSI1SK':'T#x','PK':'U#1','SK':'P#2','entity_type':'Post','p':'2','tenant':'t','title':'x','u':'1'}");
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_completing_fills_in_what_the_model_says),
        cmocka_unit_test(test_failed_checks_name_entity_attribute_and_rule),
        cmocka_unit_test(test_all_items_of_an_entity),
        cmocka_unit_test(test_sentinels_of_unique_values),
        cmocka_unit_test(test_keys_that_cannot_be_made),
        cmocka_unit_test(test_a_key_attribute_that_is_the_entitys_own),
        cmocka_unit_test(test_a_copy_is_only_in_the_indexes_it_declares),
        cmocka_unit_test(test_items_are_recognised),
        cmocka_unit_test(test_attributes_of_a_stored_item),
        cmocka_unit_test(test_what_is_stored_is_recognised),
        cmocka_unit_test(test_many_entities_are_told_apart_by_their_keys),
        cmocka_unit_test(test_inverted_and_local_indexes),
    };
    return cmocka_run_group_tests(tests, set_up_model, tear_down_model);
}
