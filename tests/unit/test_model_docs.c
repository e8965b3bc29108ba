/* test_model_docs.c: the documents of a model: Markdown, SVG, Mermaid and JSON, also with names that are hostile to each. */
#include "report_fixture.h"

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "about: A small | shop\n"
    "ttl: expires\n"
    "indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\n"
    "data: data.yaml\n"
    "entities:\n"
    "  Customer:\n"
    "    about: Who <buys> | pays\n"
    "    key: { PK: \"CUSTOMER#${customerId}\", SK: \"#METADATA\" }\n"
    "    attributes: { customerId: { type: string, required: true }, email: { type: string }, expires: { type: number, "
    "format: epoch } }\n"
    "    unique: [email]\n"
    "  Order:\n"
    "    key: { PK: \"ORDER#${orderId}\", SK: \"#METADATA\" }\n"
    "    index: { GSI1: { GSI1PK: \"STATUS#${status}\", GSI1SK: \"ORDER#${orderId}\", shards: { of: GSI1PK, by: orderId, "
    "count: 4 } } }\n"
    "    copies: [{ key: { PK: \"CUSTOMER#${customerId}\", SK: \"ORDER#${orderId}\" }, only: [status] }]\n"
    "    attributes:\n"
    "      orderId: { type: string, required: true }\n"
    "      customerId: { type: string, required: true }\n"
    "      status: { enum: [\"open|new\", done], default: done }\n"
    "patterns:\n"
    "  customer: { of: Customer, by: [customerId], about: \"Who is it?\" }\n"
    "  orders: { of: Order, by: [customerId], limit: 10 }\n"
    "  byTotal: { of: Order, by: { status: done }, where: { customerId: { prefix: c } }, limit: 3 }\n";
static const char shop_data[] = "Customer:\n  - { customerId: c1, email: a@x }\n"
                                "Order:\n  - { orderId: o2, customerId: c1, status: \"open|new\" }\n"
                                "  - { orderId: o1, customerId: c1 }\n";

static const char *docs(enum docs_format f)
{
    read_model_with(shop, shop_data);
    struct reporter r = reporter();
    return report_text(report_docs(&r, f));
}

/* Unescaped | of a line. */
static size_t bars(const char *line, const char *end)
{
    size_t n = 0;
    for (const char *p = line; p < end; p++) {
        if (*p == '\\') p++;
        else if (*p == '|') n++;
    }
    return n;
}

static void test_markdown_tables_have_one_width(void **state)
{
    (void)state;
    const char *text = docs(DOCS_MARKDOWN);
    size_t width = 0;
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        if (*line != '|') width = 0;
        else if (!width) width = bars(line, end);
        else if (bars(line, end) != width) fail_msg("%zu cells, not %zu: %.*s", bars(line, end), width, (int)(end - line), line);
        line = end + 1;
    }
}

static void test_markdown_tells_keys_copies_patterns_and_rows(void **state)
{
    (void)state;
    const char *text = docs(DOCS_MARKDOWN);
    assert_holds(text, "# shop\n\nA small \\| shop\n");
    assert_holds(text, "Who &lt;buys> \\| pays");
    assert_holds(text, "| Order | `ORDER#${orderId}` | `#METADATA` |");
    assert_holds(text, "| Order (copy 1) | `CUSTOMER#${customerId}` | `ORDER#${orderId}` |");
    assert_holds(text, "| Order | `STATUS#${status}#0..3` | `ORDER#${orderId}` |");
    assert_holds(text, "| 1 | `customer` | Who is it? | GetItem | table |");
    assert_holds(text, "not answerable");
    assert_holds(text, "- Unique: `email`");
    assert_holds(text, "- Shards: `GSI1PK` is spread by `orderId`");
    assert_holds(text, "- Items expire by `expires`");
    assert_holds(text, "one of `open\\|new`, `done`, default `done`");
    /* rows in the order of the table */
    const char *first = strstr(text, "| `CUSTOMER#c1` | `#METADATA`"), *second = strstr(text, "| `CUSTOMER#c1` | `ORDER#o1`");
    const char *third = strstr(text, "| `ORDER#o2` |");
    assert_true(first && second && third && first < second && second < third);
}

/* Documents are printed on terminals, which obey escape sequences, and SVG is XML, which knows no U+FFFE. */
static void test_control_characters_are_in_no_document(void **state)
{
    static const char text[] = "onefold: 1\ntable: tab\nabout: \"a\\e[31mb\\x7f\\x9b31m\\uFFFE\"\n"
                               "entities:\n  E:\n    key: { PK: \"E#${id}\", SK: \"x\\uFFFEy\\e[2J\\x9bz\" }\n"
                               "    attributes: { id: { enum: [\"\\e[2J\", a] } }\n";
    static const enum docs_format formats[] = { DOCS_MARKDOWN, DOCS_SVG, DOCS_MERMAID };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        read_model_with(text, "");
        struct reporter r = reporter();
        const char *out = report_text(report_docs(&r, formats[i]));
        assert_non_null(strchr(out, 'y'));
        assert_null(strchr(out, '\033'));
        assert_null(strchr(out, '\177'));
        assert_null(strstr(out, "\xc2\x9b"));
        if (formats[i] == DOCS_SVG) assert_null(strstr(out, "\xef\xbf\xbe"));
    }
}

static void test_documents_are_the_same_each_time(void **state)
{
    (void)state;
    const char *once = docs(DOCS_MARKDOWN), *again = docs(DOCS_MARKDOWN);
    assert_string_equal(once, again);
}

/* Every element is closed, in order, and text holds no bare < or &. */
static void check_xml(const char *text)
{
    char open[32][16];
    size_t depth = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '&' && strncmp(p, "&amp;", 5) && strncmp(p, "&lt;", 4) && strncmp(p, "&gt;", 4) && strncmp(p, "&quot;", 6)) {
            fail_msg("a bare & at %.40s", p);
        }
        if (*p != '<') continue;
        const char *end = strchr(p, '>');
        assert_non_null(end);
        size_t n = strcspn(p + 1 + (p[1] == '/'), " />");
        if (p[1] == '/') {
            assert_true(depth > 0);
            depth--;
            if (strncmp(open[depth], p + 2, n) || open[depth][n]) fail_msg("%s closed by %.20s", open[depth], p);
        } else if (end[-1] != '/') {
            assert_true(depth < 32 && n < 16);
            memcpy(open[depth], p + 1, n);
            open[depth++][n] = 0;
        }
        p = end;
    }
    assert_int_equal(depth, 0);
}

static double attribute_of(const char *element, const char *name)
{
    const char *end = strchr(element, '>'), *at = strstr(element, name);
    assert_true(at && at < end);
    return strtod(at + strlen(name), NULL);
}

static void test_svg_is_sound_and_its_boxes_do_not_overlap(void **state)
{
    (void)state;
    const char *text = docs(DOCS_SVG);
    check_xml(text);
    assert_holds(text, ">CUSTOMER#${customerId}</text>");
    assert_holds(text, ">STATUS#${status}#0..3</text>");
    assert_holds(text, "prefers-color-scheme:dark");
    assert_holds(text, "monospace");
    double width = attribute_of(strstr(text, "<svg"), " width=\""), height = attribute_of(strstr(text, "<svg"), " height=\"");
    struct { double x, y, w, h; } boxes[16];
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, "<rect class=\"box")); p++) {
        assert_true(n < 16);
        boxes[n].x = attribute_of(p, " x=\"");
        boxes[n].y = attribute_of(p, " y=\"");
        boxes[n].w = attribute_of(p, " width=\"");
        boxes[n].h = attribute_of(p, " height=\"");
        assert_true(boxes[n].x + boxes[n].w < width && boxes[n].y + boxes[n].h < height);
        for (size_t i = 0; i < n; i++) {
            bool apart = boxes[i].x + boxes[i].w <= boxes[n].x || boxes[n].x + boxes[n].w <= boxes[i].x ||
                         boxes[i].y + boxes[i].h <= boxes[n].y || boxes[n].y + boxes[n].h <= boxes[i].y;
            assert_true(apart);
        }
        n++;
    }
    assert_int_equal(n, 4); /* Customer, Order, its copy, its entry */
    assert_holds(text, "class=\"line e1\""); /* from the order to its copy */
}

static void test_names_hostile_to_a_format_are_escaped(void **state)
{
    (void)state;
    read_model("onefold: 1\ntable: t.e\nentities:\n  \"end\":\n    key: { PK: 'A\"<b>&#${x}', SK: \"[S]{};|`${y}\" }\n"
               "    attributes: { x: { required: true }, y: { required: true } }\n");
    struct reporter r = reporter();
    const char *svg = report_text(report_docs(&r, DOCS_SVG));
    check_xml(svg);
    r = reporter();
    const char *mermaid = report_text(report_docs(&r, DOCS_MERMAID));
    assert_holds(mermaid, "flowchart LR\n");
    assert_lacks(mermaid, "<b>");
    assert_holds(mermaid, "A#34;#60;b#62;#38;#35;#36;#123;x#125;");
    assert_lacks(mermaid, "[S]");
    r = reporter();
    assert_holds(report_text(report_docs(&r, DOCS_MARKDOWN)), "| ``[S]{};\\|`${y}`` |");
}

static void test_mermaid_draws_partitions_copies_and_entries(void **state)
{
    (void)state;
    const char *text = docs(DOCS_MERMAID);
    assert_holds(text, "subgraph i0[\"table shop\"]");
    assert_holds(text, "subgraph i1[\"GSI1\"]");
    assert_holds(text, "-. copy .->");
    size_t opened = 0, closed = 0;
    for (const char *p = text; (p = strstr(p, "subgraph ")); p++) opened++;
    for (const char *p = text; (p = strstr(p, "  end\n")); p++) closed++;
    assert_int_equal(opened, closed);
}

static void test_json_holds_the_whole_model(void **state)
{
    (void)state;
    read_model_with(shop, shop_data);
    struct reporter r = reporter();
    const struct json *n = report_json(report_docs(&r, DOCS_JSON));
    assert_int_equal(JSON_GET(n, "entities")->count, 2);
    const struct json *order = JSON_GET(n, "entities")->first->next;
    const struct json *hash = JSON_GET(JSON_GET(order, "index")->first, "hash")->first;
    assert_true(slice_eq(JSON_GET(hash, "template")->text, SLICE("STATUS#${status}")));
    assert_number(JSON_GET(hash, "shards"), "count", 4);
    assert_int_equal(JSON_GET(JSON_GET(order, "copies")->first, "only")->count, 1);
    assert_int_equal(JSON_GET(n, "patterns")->count, 3);
    assert_int_equal(JSON_GET(n, "sample")->count, 5);
    const struct json *inputs = JSON_GET(JSON_GET(n, "patterns")->first, "inputs");
    assert_true(slice_eq(JSON_GET(inputs->first, "name")->text, SLICE("customerId")));
}

static void test_wrong_sample_data_is_an_error_with_its_place(void **state)
{
    (void)state;
    read_model_with(shop, "Order:\n  - { orderId: o1 }\n");
    struct reporter r = reporter();
    assert_int_equal(report_docs(&r, DOCS_MARKDOWN), ERR_ValidationException);
    assert_holds((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(error.message)).p, "data.yaml:2:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markdown_tables_have_one_width),
        cmocka_unit_test(test_markdown_tells_keys_copies_patterns_and_rows),
        cmocka_unit_test(test_control_characters_are_in_no_document),
        cmocka_unit_test(test_documents_are_the_same_each_time),
        cmocka_unit_test(test_svg_is_sound_and_its_boxes_do_not_overlap),
        cmocka_unit_test(test_names_hostile_to_a_format_are_escaped),
        cmocka_unit_test(test_mermaid_draws_partitions_copies_and_entries),
        cmocka_unit_test(test_json_holds_the_whole_model),
        cmocka_unit_test(test_wrong_sample_data_is_an_error_with_its_place),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
