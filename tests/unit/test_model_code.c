/* test_model_code.c: of_pattern_code: texts quoted for each language, and what a program consists of. That the programs run is
 * tested by tests/studio/code.test.mjs. */
#include "model_fixture.h"

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "entities:\n"
    "  Order:\n"
    "    key: { PK: 'CUST#${customer}', SK: 'ORDER#${day}' }\n"
    "    index: { GSI1: { GSI1PK: 'ALL', GSI1SK: '${status}#${day}' } }\n"
    "    attributes:\n"
    "      customer: { required: true }\n"
    "      day: { required: true, format: date }\n"
    "      status: { enum: [open, paid], default: open }\n"
    "      weight: number\n"
    "patterns:\n"
    "  order: { about: \"ends in a backslash \\\\\", of: Order, by: [customer, day] }\n"
    "  orders: { about: \"two\\nlines\\u2028three\", of: Order, by: [customer], limit: 7 }\n"
    "  heavy: { of: Order, by: [customer], filter: { weight: { atLeast: $least } }, limit: 7 }\n"
    "  inMay: { of: Order, by: [customer], where: { day: { during: [$from, $to] } } }\n"
    "  everywhere: { of: Order, across: [status], where: { day: { since: $from } }, order: newest }\n"
    "  byWeight: { of: Order, by: [weight] }\n";

static struct world w;
static of_error error;
static char text[1 << 16];

static int set_up(void **state)
{
    (void)state;
    world_open(&w, shop);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_close(&w);
    return 0;
}

/* The program, or the error's message. value: of the pattern's first input; day: of `from`, `to` and `day`. */
static const char *code(const char *pattern, const char *language, const char *name, const char *value, size_t len)
{
    of_item *inputs = of_item_new();
    of_answer *answer;
    if (name) assert_int_equal(of_pattern_set(w.model, pattern, inputs, name, -1, value, (ptrdiff_t)len, &error), 0);
    static const char *const days[][2] = { { "day", "2026-05-01" }, { "from", "2026-05" }, { "to", "2026-06" }, { "least", "2.50" } };
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        of_error ignored;
        of_pattern_set(w.model, pattern, inputs, days[i][0], -1, days[i][1], -1, &ignored);
    }
    int rc = of_pattern_code(w.model, pattern, inputs, language, "http://127.0.0.1:8000", &answer, &error);
    of_item_free(inputs);
    if (rc) return error.message;
    snprintf(text, sizeof text, "%s", of_answer_body(answer, NULL));
    of_answer_free(answer);
    return text;
}

static void holds(const char *told, const char *part)
{
    if (!strstr(told, part)) fail_msg("no %s in:\n%s", part, told);
}

static void lacks(const char *told, const char *part)
{
    if (strstr(told, part)) fail_msg("%s in:\n%s", part, told);
}

static void test_texts_are_quoted(void **state)
{
    (void)state;
    static const char value[] = "a'b\"c\\d$x`y`\n\x01\xc3\xa9?";
    size_t n = sizeof value - 1;
    holds(code("orders", "javascript", "customer", value, n), "{ S: \"CUST#a'b\\\"c\\\\d$x`y`\\n\\u0001\xc3\xa9?\" }");
    holds(code("orders", "python", "customer", value, n), "\":k0\": \"CUST#a'b\\\"c\\\\d$x`y`\\n\\u0001\xc3\xa9?\"");
    holds(code("orders", "cli", "customer", value, n), "'{\":k0\":{\"S\":\"CUST#a'\\''b\\\"c\\\\d$x`y`\\n\\u0001\xc3\xa9?\"}");
    holds(code("orders", "onefold", "customer", value, n), " 'customer=a'\\''b\"c\\d$x`y`\n\x01\xc3\xa9?' --model");
    holds(code("orders", "c", "customer", value, n), ", \"a'b\\\"c\\\\d$x`y`\\012\\001\xc3\xa9\\?\", -1, &err)");
}

static void test_a_text_with_nul(void **state)
{
    (void)state;
    holds(code("orders", "c", "customer", "a\0b", 3), "\"a\\000b\", 3, &err)");
    holds(code("orders", "python", "customer", "a\0b", 3), "\"CUST#a\\u0000b\"");
    holds(code("orders", "onefold", "customer", "a\0b", 3), "customer holds a NUL character");
}

/* A comment is one line, whatever is said in it, and does not reach into the next. */
static void test_comments_stay_comments(void **state)
{
    (void)state;
    static const char *const languages[] = { "javascript", "python", "cli", "onefold", "c" };
    for (size_t i = 0; i < 5; i++) {
        bool slashes = i == 0 || i == 4;
        holds(code("orders", languages[i], "customer", "x", 1), slashes ? "// orders: two lines three\n" : "# orders: two lines three\n");
        holds(code("order", languages[i], "customer", "x", 1), "ends in a backslash \\ .\n");
        holds(code("order", languages[i], "customer", "line\nend", 8), "with customer = line end, day = 2026-05-01\n");
    }
}

static void test_what_is_asked_is_what_is_sent(void **state)
{
    (void)state;
    holds(code("order", "javascript", "customer", "c", 1), "GetItemCommand({\n  TableName: \"shop\",\n  Key: { PK: { S: \"CUST#c\" }");
    lacks(code("order", "javascript", "customer", "c", 1), "Limit");
    holds(code("orders", "javascript", "customer", "c", 1), "Limit: limit,");
    lacks(code("heavy", "javascript", "customer", "c", 1), "Limit: limit,"); /* it would count what the filter drops */
    holds(code("heavy", "javascript", "customer", "c", 1), "items.slice(0, limit)");
    holds(code("heavy", "python", "customer", "c", 1), "\":f0\": Decimal(\"2.5\")");
    holds(code("inMay", "javascript", "customer", "c", 1), "item.SK.S !== request.ExpressionAttributeValues[\":t0\"].S");
    holds(code("inMay", "python", "customer", "c", 1), "return item[\"SK\"] != values[\":t0\"]");
    holds(code("inMay", "cli", "customer", "c", 1), "Items[?\"SK\".S != `\"ORDER#2026-06-01\"`]");
}

static void test_a_merge_compares_behind_the_stems(void **state)
{
    (void)state;
    holds(code("everywhere", "javascript", NULL, NULL, 0), "const stems = [\"open\", \"paid\"];");
    holds(code("everywhere", "javascript", NULL, NULL, 0), "compare(key(b), key(a))");
    holds(code("everywhere", "python", NULL, NULL, 0), "reverse=True");
    holds(code("everywhere", "cli", NULL, NULL, 0), "sort -s -t \"$(printf '\\t')\" -k 1,1r");
}

/* Python takes such words in the first two lines of a file for the name of its character set. */
static void test_words_of_others_do_not_choose_the_character_set(void **state)
{
    (void)state;
    const char *program = code("orders", "python", "customer", "coding: utf-7 +AAo-print(1)", 27);
    assert_memory_equal(program, "# coding: utf-8\n# orders: ", 26);
}

static void test_what_cannot_be_written(void **state)
{
    (void)state;
    holds(code("orders", "ruby", "customer", "c", 1), "there is no language ruby; the languages are javascript, python, cli, onefold, c");
    holds(code("orders", "c", NULL, NULL, 0), "orders needs the input customer");
    holds(code("byWeight", "c", "weight", "1", 1), "byWeight cannot be answered");
    of_answer *answer;
    assert_int_equal(of_pattern_code(w.model, "odrers", NULL, "c", NULL, &answer, &error), OF_INVALID);
    holds(error.message, "the model has no pattern odrers; did you mean orders?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_are_quoted),
        cmocka_unit_test(test_a_text_with_nul),
        cmocka_unit_test(test_comments_stay_comments),
        cmocka_unit_test(test_what_is_asked_is_what_is_sent),
        cmocka_unit_test(test_a_merge_compares_behind_the_stems),
        cmocka_unit_test(test_words_of_others_do_not_choose_the_character_set),
        cmocka_unit_test(test_what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
