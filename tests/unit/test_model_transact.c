/* test_model_transact.c: several entities in one transaction, from a text of steps. */
#include "model_shop.h"

static int transact(const char *steps)
{
    return of_entities_transact(w.model, w.db, steps, -1, NULL, NULL, &err);
}

static void test_a_transaction_writes_all_or_nothing(void **state)
{
    (void)state;
    good(put("User", "userId=u1 visits:=1", NULL));
    good(transact(
        "- { put: Order, attributes: { orderId: o1, customer: c1, total: 5 } }\n"
        "- { put: Task, attributes: { project: p, priority: 1, taskId: t } }\n"
        "- { update: User, key: { userId: u1 }, set: { email: a@b }, add: { visits: 1 } }\n"));
    assert_non_null(strstr(entity("User", "userId=u1"), "\"visits\":2"));
    bad(transact("- { delete: Order, key: { orderId: o1 } }\n"
                 "- { check: User, key: { userId: u1 }, if: visits > 5 }\n"),
        OF_CONDITION_FAILED, "steps:2:3: User userId=u1: the condition does not hold: visits > 5");
    assert_string_not_equal(entity("Order", "orderId=o1"), "");
    bad(transact("- { delete: Order, key: { orderId: o1 } }\n"
                 "- { put: User, attributes: { userId: u2, email: a@b } }\n"),
        OF_CONDITION_FAILED, "steps:2:3: User.email: \"a@b\" is already taken");
    good(transact(
        "- { delete: Order, key: { orderId: o1 } }\n- { check: User, key: { userId: u1 } }\n"));
    assert_string_equal(entity("Order", "orderId=o1"), "");
}

static void test_a_transaction_that_cannot_be_is_refused_before(void **state)
{
    (void)state;
    bad(transact("- { put: Plain, attributes: { id: x } }\n- { delete: Plain, key: { id: x } }\n"),
        OF_INVALID, "steps:1:3 and steps:2:3 both write the item");
    struct buf b;
    buf_init(&b, &w.arena, 1 << 20);
    for (int i = 0; i < 51; i++) {
        buf_printf(&b, "- { put: Order, attributes: { orderId: o%d, customer: c1 } }\n", i);
    }
    bad(of_entities_transact(w.model, w.db, (const char *)b.p, (ptrdiff_t)b.n, NULL, NULL, &err),
        OF_INVALID, "that is 102 actions");
    assert_int_equal(world_check(&w), 0);
}

static void test_a_transaction_over_4_mb_is_refused_before(void **state)
{
    (void)state;
    struct buf b;
    char *much = malloc(390 * 1024 + 1);
    memset(much, 'x', 390 * 1024);
    much[390 * 1024] = 0;
    buf_init(&b, &w.arena, 16 << 20);
    for (int i = 0; i < 11; i++)
        buf_printf(&b, "- { put: Plain, attributes: { id: i%d, text: %s } }\n", i, much);
    bad(of_entities_transact(w.model, w.db, (const char *)b.p, (ptrdiff_t)b.n, NULL, NULL, &err),
        OF_INVALID, "(4 MB) are allowed");
    free(much);
}

static void test_steps_that_are_wrong_are_pointed_at(void **state)
{
    (void)state;
    bad(transact("- { put: Ordr, attributes: { orderId: o1 } }\n"), OF_INVALID,
        "steps:1:10: the model has no entity Ordr");
    bad(transact("- { put: Order, key: { orderId: o1 } }\n"), OF_INVALID,
        "steps:1:17: a step that begins with put has no key");
    bad(transact("- { put: Order, attributes: { orderID: o1 } }\n"), OF_INVALID,
        "did you mean orderId?");
    bad(transact("- { put: Order, attributes: { orderId: o1, customer: c, total: x } }\n"),
        OF_INVALID, "steps:1:64: ");
    bad(transact("- { update: Order, key: { orderId: o1 } }\n"), OF_INVALID,
        "update needs set, add or remove");
    bad(transact("- { put: Order, delete: Order }\n"), OF_INVALID, "a step does one thing");
    bad(transact("- x\n"), OF_INVALID, "steps:1:3: a step is a map");
    bad(transact("{}\n"), OF_INVALID, "a list of steps is needed");
    bad(transact("- { update: Order, key: { orderId: o1 }, remove: customer }\n"), OF_INVALID,
        "a list of names");
}

static void test_a_token_makes_a_repeat_harmless(void **state)
{
    (void)state;
    static const char steps[] = "- { update: Plain, key: { id: p1 }, add: { count: 1 } }\n";
    good(put("Plain", "id=p1 count:=1", NULL));
    good(of_entities_transact(w.model, w.db, steps, -1, "token-1", NULL, &err));
    good(of_entities_transact(w.model, w.db, steps, -1, "token-1", NULL, &err));
    assert_non_null(strstr(entity("Plain", "id=p1"), "\"count\":2"));
    bad(of_entities_transact(w.model, w.db, "- { delete: Plain, key: { id: p1 } }", -1, "token-1",
                             NULL, &err),
        OF_TOKEN_MISMATCH, "the token was used before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_transaction_writes_all_or_nothing),
        TEST(test_a_transaction_that_cannot_be_is_refused_before),
        TEST(test_a_transaction_over_4_mb_is_refused_before),
        TEST(test_steps_that_are_wrong_are_pointed_at),
        TEST(test_a_token_makes_a_repeat_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
