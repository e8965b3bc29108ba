/* test_model_where.c: the where-language: what it reads, how it becomes expressions and conditions, what it refuses. */
#include "run_fixture.h"

static struct arena arena;
static struct model *model;
static const struct entity *order, *loose;
static struct err error;

static const char text[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "entities:\n"
    "  Order:\n"
    "    key: { PK: 'ORDER#${orderId}', SK: '#META' }\n"
    "    index: { GSI1: { GSI1PK: 'STATUS#${status}', GSI1SK: '${createdAt}' } }\n"
    "    attributes:\n"
    "      orderId: { format: ulid }\n"
    "      status: { enum: [open, shipped, on hold] }\n"
    "      total: number\n"
    "      paid: boolean\n"
    "      title: string\n"
    "      tags: string-set\n"
    "      sizes: number-set\n"
    "      createdAt: { format: date-time }\n"
    "      expires: { type: number, format: epoch }\n"
    "      address: { type: map, attributes: { city: string, floor: number } }\n"
    "      extra: map\n"
    "      lines: list\n"
    "  Loose:\n"
    "    key: { PK: 'LOOSE#${id}', SK: X }\n"
    "    open: true\n"
    "    attributes: { id: { required: true } }\n";

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, (size_t)256 << 20);
    model = read_model(&arena, text);
    order = model_entity(model, SLICE("Order"));
    loose = model_entity(model, SLICE("Loose"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    model_free(model);
    arena_free(&arena);
    return 0;
}

/* The expression with its placeholders replaced by what they stand for, or the error's message. */
static const char *expression_of(const struct entity *en, const char *where)
{
    const struct where *w;
    struct expression x;
    struct buf b;
    error = (struct err){ .arena = &arena };
    buf_init(&b, &arena, 1 << 20);
    if (where_parse(&arena, en, slice_str(where), NOW, &w, &error)) {
        buf_slice(&b, error.message);
        buf_u8(&b, 0);
        return (const char *)b.p;
    }
    expression_init(&x, &arena);
    where_to_expression(&arena, w, &x);
    struct slice t = buf_view(&x.text);
    for (size_t i = 0; i < t.n;) {
        const struct attr *list = t.p[i] == '#' ? x.names : x.values;
        if (t.p[i] != '#' && t.p[i] != ':') {
            buf_u8(&b, t.p[i++]);
            continue;
        }
        size_t k = 0, at = i + 2;
        while (at < t.n && t.p[at] >= '0' && t.p[at] <= '9') k = k * 10 + (size_t)(t.p[at++] - '0');
        if (t.p[i] == '#') buf_slice(&b, val_content(list[k].value));
        else val_to_json(&b, list[k].value);
        i = at;
    }
    buf_u8(&b, 0);
    for (size_t i = 0; i < b.n; i++) {
        if (b.p[i] == '"') b.p[i] = '\'';
    }
    return (const char *)b.p;
}

static void check_all(const struct entity *en, const char *const cases[][2], size_t n)
{
    for (size_t i = 0; i < n; i++) assert_string_equal(expression_of(en, cases[i][0]), cases[i][1]);
}
#define CHECK_ALL(en, cases) check_all(en, cases, sizeof(cases) / sizeof((cases)[0]))

static void test_values_are_of_the_attributes_type(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "title = 12", "title = {'S':'12'}" },
        { "total = 12", "total = {'N':'12'}" },
        { "total = '12.50'", "total = {'N':'12.5'}" },
        { "paid = true", "paid = {'BOOL':true}" },
        { "title = \"it's \"\"so\"\"\"", "title = {'S':'it's \\'so\\''}" },
        { "status = 'on hold'", "status = {'S':'on hold'}" },
        { "contains(tags, x)", "contains(tags, {'S':'x'})" },
        { "contains(sizes, 4)", "contains(sizes, {'N':'4'})" },
        { "size(tags) > 2", "size(tags) > {'N':'2'}" },
        { "address.city = Rome", "address.city = {'S':'Rome'}" },
        { "address.floor >= 3", "address.floor >= {'N':'3'}" },
        { "extra.any.thing = 3", "extra.any.thing = {'N':'3'}" },
    };
    CHECK_ALL(order, cases);
}

static void test_undeclared_values_are_what_they_look_like(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "a = 1", "a = {'N':'1'}" },
        { "a = '1'", "a = {'S':'1'}" },
        { "a = true and b = x", "a = {'BOOL':true} AND b = {'S':'x'}" },
    };
    CHECK_ALL(loose, cases);
}

static void test_operators(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "total<>1", "total <> {'N':'1'}" },
        { "total!=1", "total <> {'N':'1'}" },
        { "total<=1 AND total>=0", "total <= {'N':'1'} AND total >= {'N':'0'}" },
        { "total Between 1 and 2 and paid = false", "total BETWEEN {'N':'1'} AND {'N':'2'} AND paid = {'BOOL':false}" },
        { "status IN (open,'on hold')", "status IN ({'S':'open'}, {'S':'on hold'})" },
        { "begins_with(title, \"Re: \")", "begins_with(title, {'S':'Re: '})" },
        { "exists(title) or missing(address.city)", "attribute_exists(title) OR attribute_not_exists(address.city)" },
    };
    CHECK_ALL(order, cases);
}

static void test_and_binds_closer_than_or_and_not_closest(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "total=1 or total=2 and total=3", "total = {'N':'1'} OR (total = {'N':'2'} AND total = {'N':'3'})" },
        { "(total=1 or total=2) and total=3", "(total = {'N':'1'} OR total = {'N':'2'}) AND total = {'N':'3'}" },
        { "not total=1 and total=3", "NOT (total = {'N':'1'}) AND total = {'N':'3'}" },
        { "not (total=1 and total=3)", "NOT (total = {'N':'1'} AND total = {'N':'3'})" },
        { "((total=1))", "total = {'N':'1'}" },
    };
    CHECK_ALL(order, cases);
}

static void test_dates_are_half_open_spans_in_the_attributes_format(void **state)
{
    (void)state;
    /* The shortest text that sorts before every instant of the span, however precisely that is written. */
    assert_string_equal(expression_of(order, "createdAt on 2026-05"),
                        "(createdAt >= {'S':'2026-05'} AND createdAt < {'S':'2026-06'})");
    assert_string_equal(expression_of(order, "createdAt since -30d"), "createdAt >= {'S':'2026-04-10'}");
    assert_string_equal(expression_of(order, "createdAt until today"), "createdAt < {'S':'2026-05-10'}");
    assert_string_equal(expression_of(order, "expires since 2026-05-10"), "expires >= {'N':'1778371200'}");
    assert_holds(expression_of(order, "orderId since today"), "orderId >= {'S':'01K");
    assert_string_equal(expression_of(order, "createdAt during 2026-02 and 2026-03-05"),
                        "(createdAt >= {'S':'2026-02'} AND createdAt < {'S':'2026-03-05'})");
}

static void test_errors_point_and_say_what_to_do(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "", "column 1 of the condition: expected the name of an attribute, but the text ends here" },
        { "total >", "column 8 of the condition: expected a value, but the text ends here" },
        { "total > and", "column 9 of the condition: expected a value, but found the word and; a value of that name is "
          "written in quotes" },
        { "totl = 1", "column 1 of the condition: Order has no attribute totl; did you mean total?" },
        { "total = 1 paid = true", "column 11 of the condition: expected and, or, or the end of the text, but found paid" },
        { "title = 'x", "column 9 of the condition: this quote is not closed; write ' at the end of the value" },
        { "status = opn", "column 10 of the condition: status is never opn; it is one of open, shipped, on hold" },
        { "PK = 'ORDER#1'", "column 1 of the condition: PK is a key, made as ORDER#${orderId}, and DynamoDB refuses keys in "
          "a filter: ask by orderId instead" },
        { "paid = true and SK = X", "column 17 of the condition: SK is a key, and always #META for Order: leave it out" },
        { "paid > true", "column 6 of the condition: paid is true or false, which has no order" },
        { "begins_with(total, 1)", "column 1 of the condition: begins_with needs a string or binary, but total is a number" },
        { "length(title) > 1", "column 1 of the condition: length is no function; there are begins_with, contains, exists, "
          "missing and size" },
        { "total ! 1", "column 7 of the condition: ! stands alone; \"not equal\" is written != or <>" },
        { "total since today", "column 7 of the condition: total holds no time: since, until, on and during need an "
          "attribute with format date-time, date, ulid, epoch or epoch-ms" },
        { "createdAt on someday", "column 14 of the condition: someday is no date; write one such as 2026-05-10, 2026-05, "
          "today or -30d" },
        { "address.town = x", "column 1 of the condition: address has no town" },
        { "title.x = 1", "column 1 of the condition: title is no map, so that it has no x" },
        { "title = \xc3\xa9 or", "column 13 of the condition: expected the name of an attribute, but the text ends here" },
        { "(total = 1", "column 11 of the condition: expected and, or or ), but the text ends here" },
        { "size(total) = 1", "column 13 of the condition: total is a number, which has no size" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = expression_of(order, cases[i][0]);
        struct buf b;
        buf_init(&b, &arena, 4096);
        for (const char *p = cases[i][1]; *p; p++) buf_u8(&b, *p == '"' ? '\'' : (uint8_t)*p);
        buf_u8(&b, 0);
        char *mine = (char *)(uintptr_t)got;
        for (char *p = mine; *p; p++) {
            if (*p == '"') *p = '\'';
        }
        assert_string_equal(mine, (const char *)b.p);
    }
    assert_holds(expression_of(order, "total = abc"), "column 9 of the condition: ");
}

static const char *repeat(const char *open, const char *middle, const char *close, size_t n)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    for (size_t i = 0; i < n; i++) buf_printf(&b, "%s", open);
    buf_printf(&b, "%s", middle);
    for (size_t i = 0; i < n; i++) buf_printf(&b, "%s", close);
    buf_u8(&b, 0);
    return (const char *)b.p;
}

static void test_depth_terms_and_lists_are_bounded(void **state)
{
    (void)state;
    assert_holds(expression_of(order, repeat("(", "total=1", ")", 32)), "total = ");
    assert_holds(expression_of(order, repeat("(", "total=1", ")", 33)), "more than 32 levels");
    assert_holds(expression_of(order, repeat("not ", "total=1", "", 33)), "more than 32 levels");
    assert_holds(expression_of(order, repeat("", "total=1", " and total=1", 299)), "total = ");
    assert_holds(expression_of(order, repeat("", "total=1", " and total=1", 300)), "more than 300 conditions");
    assert_holds(expression_of(order, repeat("", "total in (1", ",1", 100)), "at most 100 values");
    assert_holds(expression_of(order, repeat("", "title=", "xxxxxxxxxx", 2000)), "at most 16384 bytes");
}

/* Words of the language in any order: each text is read, or refused with a column. */
static void test_any_text_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const words[] = {
        "total", "title", "status", "paid", "address.city", "address.", ".", "tags", "createdAt", "PK", "x", "1", "-2.5", "open",
        "'on hold'", "\"", "'", "(", ")", ",", "=", "!=", "<", ">=", "!", "and", "or", "not", "between", "in", "since", "on",
        "during", "begins_with(", "contains(", "exists(", "size(", "missing", "2026-05", "true", "\xc3\xa9", "\xff", " ", "",
    };
    uint64_t x = 0x9e3779b97f4a7c15;
    size_t read = 0;
    struct arena own, *kept = &own;
    arena_init(kept, (size_t)64 << 20);
    for (unsigned i = 0; i < 40000; i++) {
        char line[512] = "";
        const struct where *w;
        size_t n = 0, count = 1 + i % 12;
        arena_reset(kept);
        for (size_t k = 0; k < count; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s", words[(x >> 24) % (sizeof words / sizeof words[0])],
                                  x % 3 ? " " : "");
        }
        struct err e = { .arena = kept };
        if (where_parse(kept, i % 2 ? order : loose, slice_of(line, n), NOW, &w, &e)) {
            if (!memmem(e.message.p, e.message.n, "condition", 9)) fail_msg("%s: %.*s", line, SLICE_ARG(e.message));
            continue;
        }
        struct expression out;
        struct condition *by, *ranges;
        size_t n_by, n_ranges;
        expression_init(&out, kept);
        where_to_expression(kept, w, &out);
        where_to_conditions(kept, w, &by, &n_by, &ranges, &n_ranges);
        assert_true(out.text.n > 0);
        read++;
    }
    arena_free(kept);
    assert_true(read > 100);
}

static void test_comparisons_joined_by_and_become_conditions(void **state)
{
    (void)state;
    const struct where *w;
    struct condition *by, *ranges;
    size_t n_by, n_ranges;
    error = (struct err){ .arena = &arena };
    assert_int_equal(where_parse(&arena, order, SLICE("status = open and createdAt since -30d and total > 3 and title = 'a b'"),
                                 NOW, &w, &error), 0);
    assert_true(where_to_conditions(&arena, w, &by, &n_by, &ranges, &n_ranges));
    assert_int_equal(n_by, 2);
    assert_int_equal(n_ranges, 2);
    assert_true(slice_eq(by[1].a.text, SLICE("a b")) && !by[1].a.input);
    assert_int_equal(ranges[0].op, COMPARE_SINCE);
    assert_true(slice_eq(ranges[0].a.text, SLICE("-30d")));
    assert_int_equal(ranges[1].op, COMPARE_ABOVE);
    static const char *const others[] = { "total=1 or total=2", "not total=1", "total!=1", "exists(title)",
                                          "size(title)=1", "address.city=x", "total in (1)" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(where_parse(&arena, order, slice_str(others[i]), NOW, &w, &error), 0);
        assert_false(where_to_conditions(&arena, w, &by, &n_by, &ranges, &n_ranges));
    }
}

static void test_key_conditions_know_only_keys(void **state)
{
    (void)state;
    const struct where *w;
    const struct model_index *gsi = model_index(model, SLICE("GSI1"));
    error = (struct err){ .arena = &arena };
    assert_int_equal(where_parse_key(&arena, &model->indexes[0], SLICE("PK = 'C#1' and begins_with(SK, 'O#')"), &w, &error), 0);
    assert_int_not_equal(where_parse_key(&arena, gsi, SLICE("PK = x"), &w, &error), 0);
    assert_true(slice_eq(error.message, SLICE("column 1 of the condition: PK is no key of index GSI1, which has GSI1PK, GSI1SK")));
    static const char *const refused[] = { "GSI1PK = a or GSI1PK = b", "not GSI1PK = a", "GSI1PK != a", "GSI1PK in (a)",
                                           "exists(GSI1PK)", "GSI1PK = ''", "GSI1PK = a and (GSI1SK = b or GSI1SK = c)" };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_not_equal(where_parse_key(&arena, gsi, slice_str(refused[i]), &w, &error), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_of_the_attributes_type),
        cmocka_unit_test(test_undeclared_values_are_what_they_look_like),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_and_binds_closer_than_or_and_not_closest),
        cmocka_unit_test(test_dates_are_half_open_spans_in_the_attributes_format),
        cmocka_unit_test(test_errors_point_and_say_what_to_do),
        cmocka_unit_test(test_depth_terms_and_lists_are_bounded),
        cmocka_unit_test(test_any_text_is_read_or_refused),
        cmocka_unit_test(test_comparisons_joined_by_and_become_conditions),
        cmocka_unit_test(test_key_conditions_know_only_keys),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
