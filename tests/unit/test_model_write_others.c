/* test_model_write_others.c: entity writes among others: items of an older shape, times, services
 * that answer less than ours does, transactions that collide. */
#include "model_fixture.h"
#include <time.h>

static const char model[] =
    "onefold: 1\n"
    "table: shop\n"
    "timestamps: true\n"
    "entities:\n"
    "  Order:\n"
    "    key: { PK: 'ORDER#${orderId}', SK: '#META' }\n"
    "    schema: 2\n"
    "    copies: [{ key: { PK: 'CUSTOMER#${customer}', SK: 'ORDER#${orderId}' } }]\n"
    "    attributes:\n"
    "      orderId: { required: true }\n"
    "      ticket: { generate: ulid, readOnly: true }\n"
    "      customer: { required: true }\n"
    "      channel: { default: web }\n"
    "      note: string\n"
    "      secret: { hidden: true }\n"
    "  Plain:\n"
    "    key: { PK: 'PLAIN#${id}', SK: PLAIN }\n"
    "    attributes: { id: { required: true }, n: number }\n"
    "  Bag:\n"
    "    key: { PK: 'BAG#${id}', SK: BAG }\n"
    "    open: true\n"
    "    copies: [{ key: { PK: 'SHELF#${shelf}', SK: 'BAG#${id}' } }]\n"
    "    attributes: { id: { required: true }, shelf: { required: true } }\n";

static struct world w;
static of_error err;

/* ---- a service in between ---- */

static struct {
    int (*call)(struct api *api, struct arena *a, struct slice operation, struct slice body,
                struct slice *answer, struct err *e);
    bool silent;           /* never shows the item whose condition failed */
    unsigned collisions;   /* so many transactions are refused */
    const char *meanwhile; /* an update of Bag b1 between reading and writing: attributes to set */
    unsigned reads, writes;
} service;

static void do_meanwhile(void)
{
    of_item *key = item_of("id=b1"), *set = item_of(service.meanwhile);
    service.meanwhile = NULL;
    assert_int_equal(of_entity_update(w.model, w.db, "Bag", key, set, NULL, NULL, NULL, NULL, &err),
                     0);
    of_item_free(key);
    of_item_free(set);
}

/* {"Item": {...}} taken out of the members of an error: what is left is still JSON. */
static void hide_items(struct arena *a, struct err *e)
{
    struct slice d = arena_dup(a, e->detail);
    uint8_t *p = (uint8_t *)(uintptr_t)d.p, *at;
    while ((at = memmem(p, d.n, "\"Item\"", 6)) != NULL)
        memcpy(at, "\"item\"", 6);
    e->detail = d;
}

static int call(struct api *api, struct arena *a, struct slice operation, struct slice body,
                struct slice *answer, struct err *e)
{
    bool read = slice_eq(operation, SLICE("GetItem"));
    if (slice_eq(operation, SLICE("TransactWriteItems")) && service.collisions) {
        service.collisions--;
        err_set(e, ERR_TransactionCanceledException, "Transaction cancelled");
        e->detail =
            SLICE(",\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"TransactionConflict\","
                  "\"Message\":\"Transaction is ongoing for the item\"}]");
        return (int)e->code;
    }
    int code = service.call(api, a, operation, body, answer, e);
    service.reads += read;
    service.writes += !read;
    if (code && service.silent) hide_items(a, e);
    if (read && service.meanwhile) do_meanwhile();
    return code;
}

static int set_up(void **state)
{
    (void)state;
    world_open(&w, model);
    memset(&service, 0, sizeof service);
    service.call = w.db->embedded.call;
    w.db->embedded.call = call;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_close(&w);
    return 0;
}

static int put(const char *entity, const char *attributes, const of_entity_options *o,
               of_item **result)
{
    of_item *item = item_of(attributes);
    int code = of_entity_put(w.model, w.db, entity, item, o, result, &err);
    of_item_free(item);
    return code;
}

static int update(const char *entity, const char *key, const char *set, const of_entity_options *o,
                  of_item **result)
{
    of_item *k = item_of(key), *s = item_of(set);
    int code = of_entity_update(w.model, w.db, entity, k, s, NULL, NULL, o, result, &err);
    of_item_free(k);
    of_item_free(s);
    return code;
}

static void good(int result)
{
    if (result) fail_msg("%s: %s", err.type, err.message);
}

static void bad(int result, int code, const char *message)
{
    if (!result) fail_msg("it worked, but \"%s\" was expected", message);
    if (!strstr(err.message, message)) fail_msg("\"%s\" instead of \"%s\"", err.message, message);
    assert_int_equal(result, code);
}

static void raw(const char *text)
{
    of_item *item = item_of(text);
    good(of_put(w.db, "shop", item, NULL, NULL, &err));
    of_item_free(item);
}

static struct slice text_of(const of_item *item, const char *name)
{
    of_value v;
    size_t n;
    assert_true(of_item_get(item, name, -1, &v));
    const char *p = of_value_bytes(v, &n);
    return slice_of(p, n);
}

/* ---- times and generated values ---- */

static void test_times_follow_writes(void **state)
{
    (void)state;
    of_item *first, *second, *third;
    good(put("Order", "orderId=o1 customer=c1", NULL, &first));
    assert_int_equal(text_of(first, "ticket").n, 26);
    assert_true(slice_eq(text_of(first, "createdAt"), text_of(first, "updatedAt")));
    struct timespec t = { .tv_nsec = 3000000 };
    nanosleep(&t, NULL);
    good(update("Order", "orderId=o1", "note=x", NULL, &second));
    assert_true(slice_eq(text_of(first, "createdAt"), text_of(second, "createdAt")));
    assert_true(slice_cmp(text_of(first, "updatedAt"), text_of(second, "updatedAt")) < 0);
    bad(update("Order", "orderId=o1", "updatedAt=2020-01-01T00:00:00Z", NULL, NULL), OF_INVALID,
        "Order.updatedAt: is written by the model");
    /* What was read, put back with a change: the time of the update is not the one that was read.
     */
    nanosleep(&t, NULL);
    of_item_set_string(second, "note", -1, "y", -1);
    good(of_entity_put(w.model, w.db, "Order", second, NULL, &third, &err));
    assert_true(slice_cmp(text_of(second, "updatedAt"), text_of(third, "updatedAt")) < 0);
    /* Put back as it is: nothing changes. */
    of_item *fourth;
    good(of_entity_put(w.model, w.db, "Order", third, NULL, &fourth, &err));
    assert_true(slice_eq(text_of(third, "updatedAt"), text_of(fourth, "updatedAt")));
    world_check(&w);
    of_item_free(first);
    of_item_free(second);
    of_item_free(third);
    of_item_free(fourth);
}

/* ---- older items ---- */

static void test_an_update_brings_an_older_item_up_to_date(void **state)
{
    (void)state;
    raw("PK=ORDER#o1 SK=#META entity_type=Order schema_v:=1 orderId=o1 customer=c1 "
        "createdAt=2020-01-01T00:00:00.000Z updatedAt=2020-01-01T00:00:00.000Z");
    raw("PK=CUSTOMER#c1 SK=ORDER#o1 entity_type=Order schema_v:=1 orderId=o1 customer=c1 "
        "createdAt=2020-01-01T00:00:00.000Z updatedAt=2020-01-01T00:00:00.000Z");
    of_item *now;
    good(update("Order", "orderId=o1", "note=x", NULL, &now));
    assert_true(slice_eq(text_of(now, "channel"), SLICE("web")));
    of_item_free(now);
    assert_int_equal(world_check(&w), 1); /* copy included */
}

static void test_hidden_attributes_stay(void **state)
{
    (void)state;
    of_item *now;
    good(put("Order", "orderId=o1 customer=c1 secret=s", NULL, NULL));
    good(update("Order", "orderId=o1", "customer=c2", NULL, &now));
    assert_true(slice_eq(text_of(now, "secret"), SLICE("s")));
    of_item_free(now);
    assert_int_equal(world_check(&w), 1);
}

/* ---- an attribute nobody declared, added while a copy moves ---- */

static void test_an_unknown_attribute_is_not_lost_when_a_copy_moves(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        char shelf[32];
        snprintf(shelf, sizeof shelf, "shelf=s%d", i);
        good(put("Bag", "id=b1 shelf=s", NULL, NULL));
        service.meanwhile = "colour=red";
        good(update("Bag", "id=b1", shelf, NULL, NULL));
        assert_null(service.meanwhile);
        assert_int_equal(world_check(&w), 1);
    }
}

/* ---- services ---- */

static void test_a_service_that_hides_the_item_is_asked_for_it(void **state)
{
    (void)state;
    of_entity_options absent = { .if_absent = true }, condition = { .condition = "n > 5" };
    service.silent = true;
    good(put("Plain", "id=p1 n:=1", NULL, NULL));
    bad(put("Plain", "id=p1 n:=2", &absent, NULL), OF_CONDITION_FAILED,
        "Plain id=p1 exists already");
    bad(update("Plain", "id=p1", "n:=2", &condition, NULL), OF_CONDITION_FAILED,
        "the condition does not hold: n > 5");
    bad(update("Plain", "id=p2", "n:=2", NULL, NULL), OF_NOT_FOUND, "there is no Plain with id=p2");
}

static void test_a_collision_is_tried_again(void **state)
{
    (void)state;
    service.collisions = 3;
    good(put("Order", "orderId=o1 customer=c1", NULL, NULL));
    assert_int_equal(service.collisions, 0);
    assert_int_equal(world_check(&w), 1);
}

static void test_collisions_without_end_are_told(void **state)
{
    (void)state;
    service.collisions = 1000;
    bad(put("Order", "orderId=o1 customer=c1", NULL, NULL), OF_TRANSACTION_CANCELED,
        "others kept changing Order orderId=o1");
    assert_int_equal(world_check(&w), 0);
}

static void test_a_dry_run_reads_but_never_writes(void **state)
{
    (void)state;
    of_answer *requests;
    of_entity_options dry = { .dry_run = true, .requests = &requests };
    good(put("Order", "orderId=o1 customer=c1", NULL, NULL));
    service.reads = service.writes = 0;
    good(update("Order", "orderId=o1", "customer=c2", &dry, NULL));
    assert_int_equal(service.reads, 1);
    assert_int_equal(service.writes, 0);
    const char *text = of_answer_body(requests, NULL);
    assert_ptr_equal(strstr(text, "[{\"operation\":\"GetItem\""), text);
    assert_non_null(strstr(text, "{\"operation\":\"TransactWriteItems\""));
    of_answer_free(requests);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_times_follow_writes),
        TEST(test_an_update_brings_an_older_item_up_to_date),
        TEST(test_hidden_attributes_stay),
        TEST(test_an_unknown_attribute_is_not_lost_when_a_copy_moves),
        TEST(test_a_service_that_hides_the_item_is_asked_for_it),
        TEST(test_a_collision_is_tried_again),
        TEST(test_collisions_without_end_are_told),
        TEST(test_a_dry_run_reads_but_never_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
