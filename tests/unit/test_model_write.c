/* test_model_write.c: entities put, read, changed and deleted with all that belongs to them, on an
 * embedded database. */
#include "model_shop.h"

/* ---- put and get ---- */

static void test_a_put_writes_item_index_keys_and_copies(void **state)
{
    (void)state;
    good(put("Order", "orderId=o1 customer=c1 total:=10 day=2026-05-10", NULL));
    assert_string_equal(
        stored("ORDER#o1", "#META"),
        "{\"GSI1PK\":\"STATUS#open\",\"GSI1SK\":\"2026-05-10#o1\",\"PK\":\"ORDER#o1\",\"SK\":\"#"
        "META\","
        "\"customer\":\"c1\",\"day\":\"2026-05-10\",\"entity_type\":\"Order\",\"orderId\":\"o1\","
        "\"status\":\"open\",\"total\":10}");
    assert_string_equal(
        stored("CUSTOMER#c1", "ORDER#o1"),
        "{\"PK\":\"CUSTOMER#c1\",\"SK\":\"ORDER#o1\",\"customer\":\"c1\",\"entity_type\":\"Order\","
        "\"orderId\":\"o1\",\"status\":\"open\",\"total\":10}");
    assert_string_equal(
        entity("Order", "orderId=o1"),
        "{\"customer\":\"c1\",\"day\":\"2026-05-10\",\"orderId\":\"o1\",\"status\":\"open\","
        "\"total\":10}");
    assert_string_equal(entity("Order", "orderId=o2"), "");
}

static void test_a_put_over_another_takes_its_copies_away(void **state)
{
    (void)state;
    good(put("Order", "orderId=o1 customer=c1 agent=a1", NULL));
    assert_string_not_equal(stored("AGENT#a1", "ORDER#o1"), "");
    good(put("Order", "orderId=o1 customer=c2", NULL));
    assert_string_equal(stored("CUSTOMER#c1", "ORDER#o1"), "");
    assert_string_equal(stored("AGENT#a1", "ORDER#o1"), "");
    assert_string_not_equal(stored("CUSTOMER#c2", "ORDER#o1"), "");
}

static void test_a_put_if_absent(void **state)
{
    (void)state;
    of_entity_options o = { .if_absent = true };
    good(put("Order", "orderId=o1 customer=c1", &o));
    bad(put("Order", "orderId=o1 customer=c2", &o), OF_CONDITION_FAILED,
        "Order orderId=o1 exists already");
    good(put("Plain", "id=p1", &o));
    bad(put("Plain", "id=p1", &o), OF_CONDITION_FAILED, "Plain id=p1 exists already");
}

static void test_a_put_under_a_condition(void **state)
{
    (void)state;
    good(put("Plain", "id=p1 count:=3", NULL));
    of_entity_options o = { .condition = "count > 5" };
    bad(put("Plain", "id=p1 count:=9", &o), OF_CONDITION_FAILED,
        "Plain id=p1: the condition does not hold: count > 5");
    o.condition = "count < 5";
    good(put("Plain", "id=p1 count:=9", &o));
    good(put("Order", "orderId=o1 customer=c1 total:=1", NULL));
    o.condition = "total > 5";
    bad(put("Order", "orderId=o1 customer=c2 total:=7", &o), OF_CONDITION_FAILED,
        "the condition does not hold");
    assert_string_not_equal(stored("CUSTOMER#c1", "ORDER#o1"), "");
}

static void test_a_put_that_breaks_a_rule(void **state)
{
    (void)state;
    bad(put("Order", "orderId=o1 customer=c1 total:=-1", NULL), OF_INVALID, "Order.total");
    bad(put("Order", "orderId=o1", NULL), OF_INVALID, "Order.customer");
    bad(put("Order", "orderId=o#1 customer=c1", NULL), OF_INVALID, "Order");
    bad(put("Ordr", "orderId=o1", NULL), OF_INVALID, "did you mean Order?");
}

static void test_a_read_only_attribute_survives_a_put(void **state)
{
    (void)state;
    good(put("Order", "orderId=o1 customer=c1 source=web", NULL));
    bad(put("Order", "orderId=o1 customer=c1 source=shop", NULL), OF_INVALID,
        "Order.source: is read-only");
    good(put("Order", "orderId=o1 customer=c2", NULL));
    assert_non_null(strstr(entity("Order", "orderId=o1"), "\"source\":\"web\""));
}

/* ---- unique values ---- */

static void test_a_unique_value_is_taken_once(void **state)
{
    (void)state;
    good(put("User", "userId=u1 email=a@b tenant=t1 slug=x", NULL));
    assert_string_equal(stored("UNIQUE#User#email#a@b", "UNIQUE"),
                        "{\"PK\":\"UNIQUE#User#email#a@b\",\"SK\":\"UNIQUE\","
                        "\"owner\":{\"PK\":\"USER#u1\",\"SK\":\"PROFILE\"}}");
    bad(put("User", "userId=u2 email=a@b", NULL), OF_CONDITION_FAILED,
        "User.email: \"a@b\" is already taken");
    bad(put("User", "userId=u2 tenant=t1 slug=x", NULL), OF_CONDITION_FAILED,
        "User.tenant+slug: \"t1\", \"x\" is already taken");
    good(put("User", "userId=u1 email=a@b tenant=t1 slug=x", NULL)); /* its own */
    good(put("User", "userId=u2 tenant=t1 slug=y", NULL));
    bad(update("User", "userId=u2", "slug=x", "", ""), OF_CONDITION_FAILED, "is already taken");
    good(update("User", "userId=u1", "slug=z", "", ""));
    good(update("User", "userId=u2", "slug=x", "", ""));
    assert_string_equal(stored("UNIQUE#User#tenant+slug#t1#y", "UNIQUE"), "");
    good(erase("User", "userId=u1"));
    assert_string_equal(stored("UNIQUE#User#email#a@b", "UNIQUE"), "");
    good(update("User", "userId=u2", "email=a@b", "", ""));
    good(update("User", "userId=u2", "", "", "email=x"));
    assert_string_equal(stored("UNIQUE#User#email#a@b", "UNIQUE"), "");
}

/* ---- versions ---- */

static void test_versions_count_and_refuse_what_is_outdated(void **state)
{
    (void)state;
    good(put("Doc", "docId=d1 text=a", NULL));
    assert_non_null(strstr(entity("Doc", "docId=d1"), "\"version\":1"));
    good(update("Doc", "docId=d1", "text=b", "", ""));
    good(update("Doc", "docId=d1", "text=c version:=2", "", ""));
    assert_non_null(strstr(entity("Doc", "docId=d1"), "\"version\":3"));
    bad(update("Doc", "docId=d1", "text=d version:=2", "", ""), OF_CONDITION_FAILED,
        "Doc docId=d1 was changed meanwhile: version is 3, not 2");
    bad(put("Doc", "docId=d1 text=e", NULL), OF_CONDITION_FAILED, "version is 3 now");
    bad(put("Doc", "docId=d1 text=e version:=2", NULL), OF_CONDITION_FAILED, "version is 3, not 2");
    good(put("Doc", "docId=d1 text=e version:=3", NULL));
    assert_non_null(strstr(entity("Doc", "docId=d1"), "\"version\":4"));
    bad(update("Doc", "docId=d1", "", "version:=1", ""), OF_INVALID, "Doc.version");
}

/* ---- update ---- */

static void test_an_update_moves_index_keys_and_copies(void **state)
{
    (void)state;
    good(put("Order", "orderId=o1 customer=c1 day=d1 total:=10", NULL));
    good(update("Order", "orderId=o1", "status=paid agent=a1", "", ""));
    assert_non_null(strstr(stored("ORDER#o1", "#META"), "\"GSI1PK\":\"STATUS#paid\""));
    assert_non_null(strstr(stored("CUSTOMER#c1", "ORDER#o1"), "\"status\":\"paid\""));
    assert_non_null(strstr(stored("AGENT#a1", "ORDER#o1"), "\"total\":10"));
    good(update("Order", "orderId=o1", "customer=c2 agent=a2", "total:=5", ""));
    assert_string_equal(stored("CUSTOMER#c1", "ORDER#o1"), "");
    assert_string_equal(stored("AGENT#a1", "ORDER#o1"), "");
    assert_non_null(strstr(stored("CUSTOMER#c2", "ORDER#o1"), "\"total\":15"));
    good(update("Order", "orderId=o1", "", "", "day=x agent=x"));
    assert_null(strstr(stored("ORDER#o1", "#META"), "GSI1"));
    assert_string_equal(stored("AGENT#a2", "ORDER#o1"), "");
}

static void test_removing_what_has_a_default_gives_it_again(void **state)
{
    (void)state;
    good(put("Order", "orderId=o1 customer=c1 day=d1 status=paid total:=10", NULL));
    good(update("Order", "orderId=o1", "", "", "status=x"));
    assert_non_null(strstr(stored("ORDER#o1", "#META"), "\"status\":\"open\""));
    assert_non_null(strstr(stored("ORDER#o1", "#META"), "\"GSI1PK\":\"STATUS#open\""));
    assert_non_null(strstr(stored("CUSTOMER#c1", "ORDER#o1"), "\"status\":\"open\""));
}

static void test_an_update_that_nothing_depends_on_is_one_request(void **state)
{
    (void)state;
    of_answer *requests;
    of_entity_options o = { .requests = &requests };
    of_item *key = item_of("id=p1"), *add = item_of("count:=2"), *result;
    good(put("Plain", "id=p1 count:=1", NULL));
    good(of_entity_update(w.model, w.db, "Plain", key, NULL, add, NULL, &o, &result, &err));
    assert_string_equal(show_item(&w, result), "{\"count\":3,\"id\":\"p1\"}");
    assert_string_equal(
        of_answer_body(requests, NULL),
        "[{\"operation\":\"UpdateItem\",\"request\":{\"TableName\":\"shop\",\"Key\":{\"PK\":{\"S\":"
        "\"PLAIN#p1\"},\"SK\":{\"S\":\"PLAIN\"}},\"UpdateExpression\":\"ADD #a0 :a0\","
        "\"ConditionExpression\":\"attribute_exists(#a1)\","
        "\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\","
        "\"ExpressionAttributeNames\":{\"#a0\":\"count\",\"#a1\":\"PK\"},"
        "\"ExpressionAttributeValues\":{\":a0\":{\"N\":\"2\"}},\"ReturnValues\":\"ALL_NEW\"}}]");
    of_answer_free(requests);
    of_item_free(result);
    of_item_free(add);
    of_item_free(key);
}

static void test_an_update_of_what_is_not_there(void **state)
{
    (void)state;
    bad(update("Plain", "id=p9", "name=x", "", ""), OF_NOT_FOUND, "there is no Plain with id=p9");
    bad(update("Order", "orderId=o9", "status=paid", "", ""), OF_NOT_FOUND,
        "there is no Order with orderId=o9");
}

static void test_an_update_that_breaks_a_rule(void **state)
{
    (void)state;
    good(put("Order", "orderId=o1 customer=c1 total:=3 source=web", NULL));
    good(put("Plain", "id=p1", NULL));
    bad(update("Order", "orderId=o1", "status=lost", "", ""), OF_INVALID, "Order.status");
    bad(update("Order", "orderId=o1", "", "total:=-4", ""), OF_INVALID,
        "Order.total: must be at least 0");
    bad(update("Order", "orderId=o1", "", "status:=1", ""), OF_INVALID,
        "Order.status: is neither a number nor a set");
    bad(update("Order", "orderId=o1", "", "", "customer=x"), OF_INVALID,
        "Order.customer: is required");
    bad(update("Order", "orderId=o1", "source=shop", "", ""), OF_INVALID,
        "Order.source: is read-only");
    good(update("Order", "orderId=o1", "source=web", "", ""));
    bad(update("Order", "orderId=o1", "stats=paid", "", ""), OF_INVALID, "did you mean status?");
    bad(update("Order", "orderId=o1", "GSI1PK=x", "", ""), OF_INVALID,
        "Order.GSI1PK: is computed by the model");
    bad(update("Order", "orderId=o1", "total:=1", "total:=1", ""), OF_INVALID, "is changed twice");
    bad(update("Order", "orderId=o1", "", "", ""), OF_INVALID, "no change is given");
    bad(update("Plain", "id=p1", "name=toolong", "", ""), OF_INVALID, "Plain.name");
    good(update("Plain", "id=p1", "anything=goes", "", ""));
}

static void test_a_key_that_changes_moves_the_item(void **state)
{
    (void)state;
    good(put("Task", "project=p1 priority:=5 taskId=t1 note=n", NULL));
    good(update("Task", "project=p1 priority:=5 taskId=t1", "priority:=2", "", ""));
    assert_string_equal(stored("PROJECT#p1", "TASK#005#t1"), "");
    assert_non_null(strstr(stored("PROJECT#p1", "TASK#002#t1"), "\"note\":\"n\""));
    good(put("Task", "project=p1 priority:=1 taskId=t1", NULL));
    bad(update("Task", "project=p1 priority:=2 taskId=t1", "priority:=1", "", ""),
        OF_CONDITION_FAILED, "Task project=p1, priority=1, taskId=t1 exists already");
}

static void test_a_copy_that_is_missing_is_made_again(void **state)
{
    (void)state;
    good(put("Order", "orderId=o1 customer=c1 total:=3", NULL));
    of_item *key = item_of("PK=CUSTOMER#c1 SK=ORDER#o1");
    good(of_delete(w.db, "shop", key, NULL, NULL, &err));
    of_item_free(key);
    good(update("Order", "orderId=o1", "total:=4", "", ""));
    assert_non_null(strstr(stored("CUSTOMER#c1", "ORDER#o1"), "\"customer\":\"c1\""));
}

/* ---- delete ---- */

static void test_a_delete_takes_everything(void **state)
{
    (void)state;
    of_item *key = item_of("orderId=o1"), *old;
    good(put("Order", "orderId=o1 customer=c1 agent=a1", NULL));
    of_entity_options o = { .condition = "status = paid" };
    bad(of_entity_delete(w.model, w.db, "Order", key, &o, NULL, &err), OF_CONDITION_FAILED,
        "Order orderId=o1: the condition does not hold: status = paid");
    good(of_entity_delete(w.model, w.db, "Order", key, NULL, &old, &err));
    assert_non_null(strstr(show_item(&w, old), "\"agent\":\"a1\""));
    of_item_free(old);
    assert_int_equal(world_check(&w), 0);
    good(of_entity_delete(w.model, w.db, "Order", key, NULL, &old, &err)); /* nothing is there */
    assert_null(old);
    of_item_free(key);
}

/* ---- dry run ---- */

static void test_a_dry_run_shows_requests_and_writes_nothing(void **state)
{
    (void)state;
    of_answer *requests;
    of_entity_options o = { .dry_run = true, .requests = &requests };
    good(put("Order", "orderId=o1 customer=c1", &o));
    const char *text = of_answer_body(requests, NULL);
    assert_non_null(strstr(text, "\"operation\":\"TransactWriteItems\""));
    assert_non_null(strstr(text, "\"S\":\"CUSTOMER#c1\""));
    of_answer_free(requests);
    assert_int_equal(world_check(&w), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_put_writes_item_index_keys_and_copies),
        TEST(test_a_put_over_another_takes_its_copies_away),
        TEST(test_a_put_if_absent),
        TEST(test_a_put_under_a_condition),
        TEST(test_a_put_that_breaks_a_rule),
        TEST(test_a_read_only_attribute_survives_a_put),
        TEST(test_a_unique_value_is_taken_once),
        TEST(test_versions_count_and_refuse_what_is_outdated),
        TEST(test_an_update_moves_index_keys_and_copies),
        TEST(test_removing_what_has_a_default_gives_it_again),
        TEST(test_an_update_that_nothing_depends_on_is_one_request),
        TEST(test_an_update_of_what_is_not_there),
        TEST(test_an_update_that_breaks_a_rule),
        TEST(test_a_key_that_changes_moves_the_item),
        TEST(test_a_copy_that_is_missing_is_made_again),
        TEST(test_a_delete_takes_everything),
        TEST(test_a_dry_run_shows_requests_and_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
