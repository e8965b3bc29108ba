/* test_model_scale.c: the resolver on a large model: 200 entities in overloaded indexes and shared
 * partitions, 1,000 patterns, all resolved within 100 milliseconds. */
#include "plan_fixture.h"
#include <time.h>

#define ENTITIES 200
#define PATTERNS 1000

/* Twenty tenants' worth of ten entities each: a parent, children in its partition, and all in both
 * indexes. */
static void put_entity(struct buf *b, int i)
{
    int group = i / 10, child = i % 10;
    buf_printf(b, "  E%d:\n", i);
    if (child == 0)
        buf_printf(b, "    key: { PK: \"G%d#${parent}\", SK: METADATA }\n", group);
    else
        buf_printf(b, "    key: { PK: \"G%d#${parent}\", SK: \"K%d#${id}\" }\n", group, child);
    buf_printf(b,
               "    index:\n      GSI1: { GSI1PK: \"STATUS#${status}\", GSI1SK: "
               "\"E%d#${createdAt}#${id}\" }\n",
               i);
    buf_printf(b, "      GSI2: { GSI2PK: \"OWNER#${owner}\", GSI2SK: \"${createdAt}#${id}\" }\n");
    if (child == 1)
        buf_printf(b, "    copies: [ { key: { PK: \"OWNER#${owner}\", SK: \"E%d#${id}\" } } ]\n",
                   i);
    buf_printf(b, "    attributes:\n      parent: { type: string, required: true }\n"
                  "      id: { type: string, generate: ulid }\n      owner: { type: string, "
                  "required: true }\n"
                  "      status: { enum: [new, open, done], required: true }\n"
                  "      createdAt: { type: string, format: date-time, required: true }\n");
}

static void put_pattern(struct buf *b, int i)
{
    int en = i % ENTITIES, parent = en / 10 * 10;
    switch (i / ENTITIES) {
    case 0:
        buf_printf(b, "  p%d: { of: E%d, by: [parent%s] }\n", i, en, en == parent ? "" : ", id");
        break;
    case 1:
        buf_printf(b,
                   "  p%d: { of: E%d, by: [status], where: { createdAt: { since: $from } }, order: "
                   "newest, limit: 20 }\n",
                   i, en);
        break;
    case 2:
        buf_printf(b, "  p%d: { of: E%d, by: [owner], order: newest }\n", i, en);
        break;
    case 3:
        buf_printf(b, "  p%d: { of: E%d, across: [status], order: newest, index: GSI1 }\n", i, en);
        break;
    default:
        if (en == parent)
            buf_printf(b, "  p%d: { collection: E%d, by: [parent] }\n", i, en);
        else
            buf_printf(b, "  p%d: { of: [E%d, E%d], by: [parent] }\n", i, parent, en);
    }
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void test_1000_patterns_of_200_entities_in_under_100_ms(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, &arena, 8 << 20);
    BUF_LIT(&b, "onefold: 1\ntable: big\nindexes:\n  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
                "  GSI2: { hash: GSI2PK, sort: GSI2SK }\nentities:\n");
    for (int i = 0; i < ENTITIES; i++)
        put_entity(&b, i);
    BUF_LIT(&b, "patterns:\n");
    for (int i = 0; i < PATTERNS; i++)
        put_pattern(&b, i);
    buf_u8(&b, 0);
    double begun = now_ms();
    struct model *m = model_of((const char *)b.p);
    double read = now_ms() - begun, best = 1e9;
    assert_int_equal(m->n_patterns, PATTERNS);
    for (int round = 0; round < 5;
         round++) { /* others use the machine too: the best of five counts */
        struct arena a;
        arena_init(&a, (size_t)256 << 20);
        begun = now_ms();
        size_t answered = 0;
        for (size_t i = 0; i < m->n_patterns; i++) {
            struct plan p;
            struct err e = { .arena = &a };
            assert_int_equal(plan_make(&a, m, &m->patterns[i], false, &p, &e), 0);
            answered += p.kind != PLAN_NONE;
        }
        double took = now_ms() - begun;
        if (took < best) best = took;
        arena_free(&a);
        assert_int_equal(answered, PATTERNS);
    }
    print_message("read in %.1f ms, resolved in %.1f ms\n", read, best);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (!getenv("OF_TEST_SLOW")) assert_true(best < 100);
#endif
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        test_1000_patterns_of_200_entities_in_under_100_ms) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
