/* test_model_relations.c: which entities belong to which, told from what they are known by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "model/relations.h"

/* "Customer>Order(customerId)", "Customer<CustomerProduct>Product(...)". */
static struct slice told(const char *entities)
{
    struct problems ps;
    struct buf b;
    const struct relation *list;
    problems_init(&ps, &arena);
    buf_init(&b, &arena, 1 << 16);
    struct model *m = model_read(&ps, SLICE("m"), arena_printf(&arena, "onefold: 1\ntable: shop\nentities:\n%s", entities));
    if (!m) fail_msg("%u: %.*s", ps.first->place.line, SLICE_ARG(ps.first->message));
    size_t n = relations_find(&arena, m, &list);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "%s%.*s", i ? " " : "", SLICE_ARG(list[i].from->name));
        if (list[i].through) buf_printf(&b, "<%.*s", SLICE_ARG(list[i].through->name));
        buf_printf(&b, ">%.*s(", SLICE_ARG(list[i].to->name));
        for (size_t k = 0; k < list[i].n_by; k++) buf_printf(&b, "%s%.*s", k ? "," : "", SLICE_ARG(list[i].by[k]));
        buf_u8(&b, ')');
    }
    model_free(m);
    return buf_view(&b);
}

#define ENTITY(name, pk, sk, attributes) "  " name ": { key: { PK: \"" pk "\", SK: \"" sk "\" }, attributes: { " attributes " } }\n"
#define A "a: string"
#define B ", b: string"
#define C ", c: string"

static void test_relations(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { ENTITY("X", "X#${a}", "X", A), "" },
        { ENTITY("X", "X#${a}", "X", A) ENTITY("Y", "Y#${b}", "Y", A B), "X>Y(a)" },
        { ENTITY("X", "X#${a}", "X", A) ENTITY("Y", "X#${a}", "Y#${b}", A B), "X>Y(a)" },
        /* known by the same: no relation, and the first stands for both */
        { ENTITY("X", "X#${a}", "X", A) ENTITY("Z", "X#${a}", "Z", A) ENTITY("Y", "Y#${b}", "Y", A B), "X>Y(a)" },
        /* two levels: the upper one is told by the one between, not twice */
        { ENTITY("X", "X#${a}", "X", A) ENTITY("Y", "X#${a}", "Y#${b}", A B) ENTITY("Z", "X#${a}", "Z#${b}#${c}", A B C),
          "X>Y(a) Y>Z(a,b)" },
        /* one that merely mentions both is no level */
        { ENTITY("X", "X#${a}", "X", A) ENTITY("Y", "X#${a}", "Y#${b}", A B) ENTITY("Z", "X#${a}", "Z#${c}", A B C),
          "X>Y(a) X>Z(a) Y>Z(a,b)" },
        { ENTITY("X", "X#${a}", "X", A) ENTITY("Y", "Y#${b}", "Y", "b: string") ENTITY("Z", "X#${a}", "Z#${b}", A B),
          "X>Z(a) Y>Z(b) X<Z>Y(a,b)" },
        /* known by a third thing too: not just the relation of two */
        { ENTITY("X", "X#${a}", "X", A) ENTITY("Y", "Y#${b}", "Y", "b: string") ENTITY("Z", "X#${a}", "Z#${b}#${c}", A B C),
          "X>Z(a) Y>Z(b)" },
        { ENTITY("Shop", "S#${id}", "S", "id: string") ENTITY("Y", "Y#${id}", "Y", "id: string, shopId: string"), "Shop>Y(shopId)" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice got = told(cases[i][0]);
        if (!slice_eq(got, slice_str(cases[i][1]))) fail_msg("case %zu: %.*s, not %s", i, SLICE_ARG(got), cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_relations) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
