/* test_answer_item.c: a JSON answer read as an item: what becomes of each type, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "lib/common.h"

static of_error error;

static int read_text(const char *text, of_item **item)
{
    of_answer *answer = lib_answer(slice_str(text));
    assert_non_null(answer);
    int code = of_answer_item(answer, item, &error);
    of_answer_free(answer);
    return code;
}

static void test_every_type_of_json(void **state)
{
    (void)state;
    of_item *item;
    of_value v, inner;
    int64_t n;
    size_t len;
    double d;
    assert_int_equal(read_text("{\"Order\":[{\"id\":\"o1\",\"total\":94.96,\"paid\":true,\"note\":null}],\"read\":{\"items\":3}}",
                               &item), OF_OK);
    assert_true(of_item_get(item, "read", -1, &v));
    assert_int_equal(of_value_type(v), OF_MAP);
    assert_true(of_value_get(v, "items", -1, &inner) && of_value_int(inner, &n));
    assert_int_equal(n, 3);
    assert_true(of_item_get(item, "Order", -1, &v));
    assert_int_equal(of_value_type(v), OF_LIST);
    assert_int_equal(of_value_count(v), 1);
    assert_true(of_value_at(v, 0, &v));
    assert_true(of_value_get(v, "id", -1, &inner));
    assert_memory_equal(of_value_bytes(inner, &len), "o1", 2);
    assert_true(of_value_get(v, "total", -1, &inner) && of_value_double(inner, &d));
    assert_true(d > 94.95 && d < 94.97);
    assert_true(of_value_get(v, "paid", -1, &inner) && of_value_bool(inner));
    assert_true(of_value_get(v, "note", -1, &inner));
    assert_int_equal(of_value_type(inner), OF_NULL);
    of_item_free(item);
}

static void test_an_empty_answer(void **state)
{
    (void)state;
    of_item *item;
    of_value v;
    assert_int_equal(read_text("{}", &item), OF_OK);
    assert_non_null(item);
    assert_false(of_item_get(item, "Order", -1, &v));
    of_item_free(item);
}

static void test_what_is_no_object_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "[]", "# orders\n", "{\"a\":1", "12" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        of_item *item;
        assert_int_equal(read_text(texts[i], &item), OF_INVALID);
        assert_null(item);
        assert_string_equal(error.message, "the answer is not a JSON object");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_of_json),
        cmocka_unit_test(test_an_empty_answer),
        cmocka_unit_test(test_what_is_no_object_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
