/* test_model_sample.c: data files with located errors, the items they make, and what plans read of them. */
#include "run_fixture.h"
#include "model/sample.h"
#include <stdlib.h>
#include <unistd.h>

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK, project: keys }\n"
    "entities:\n"
    "  Customer:\n"
    "    key: { PK: 'CUST#${customerId}', SK: '#META' }\n"
    "    unique: [email]\n"
    "    attributes: { customerId: { required: true }, email: string, blob: string, tags: string-set }\n"
    "  Order:\n"
    "    key: { PK: 'CUST#${customerId}', SK: 'ORDER#${at}' }\n"
    "    index: { GSI1: { GSI1PK: 'S#${status}', GSI1SK: '${at}', shards: { of: GSI1PK, by: customerId, count: 2 } } }\n"
    "    copies: [{ key: { PK: 'COPY#${customerId}', SK: 'ORDER#${at}' } }]\n"
    "    attributes:\n"
    "      customerId: { required: true }\n"
    "      at: { format: date-time }\n"
    "      status: { enum: [open, shipped], default: open }\n"
    "      total: number\n"
    "      blob: string\n"
    "  Never:\n"
    "    key: { PK: 'NEVER#${id}', SK: X }\n"
    "    expect: { items: 5, bytes: 9000 }\n"
    "    attributes: { id: { required: true } }\n"
    "patterns:\n"
    "  customer: { of: Customer, by: [customerId] }\n"
    "  orders: { of: Order, by: [customerId], index: table }\n"
    "  two: { of: Order, by: [customerId], index: table, limit: 2 }\n"
    "  all: { collection: Customer, by: [customerId] }\n"
    "  big: { of: Order, by: [customerId], filter: { total: { atLeast: 3 } }, index: table, limit: 1 }\n"
    "  status: { of: Order, by: [status], index: GSI1, order: newest }\n"
    "  recent: { of: Order, by: [customerId], where: { at: { since: -2d } }, index: table }\n"
    "  since: { of: Order, by: [customerId], where: { at: { since: $from } }, index: table }\n"
    "  never: { of: Never, by: [id] }\n"
    "  nevers: { of: Never, by: [id], order: descending, expect: { items: 10, bytes: 1000 } }\n"
    "data: data.yaml\n";

static struct arena arena;
static char folder[] = "/tmp/onefold-sample-XXXXXX";
static char model_path[64], data_path[64];

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, (size_t)512 << 20);
    if (!mkdtemp(folder)) return -1;
    snprintf(model_path, sizeof model_path, "%s/onefold.yaml", folder);
    snprintf(data_path, sizeof data_path, "%s/data.yaml", folder);
    write_file(model_path, shop);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(model_path);
    unlink(data_path);
    rmdir(folder);
    arena_free(&arena);
    return 0;
}

/* The first problem as line:column: message; hint. "" if there is none. */
static const char *first_problem(const struct problems *ps)
{
    const struct problem *p = ps->first;
    if (!p) return "";
    return (const char *)arena_printf(&arena, "%u:%u: %.*s%s%.*s", p->place.line, p->place.column, SLICE_ARG(p->message),
                                      p->hint.n ? "; " : "", SLICE_ARG(p->hint)).p;
}

static const char *problem_of(const char *data)
{
    struct problems ps;
    struct record *records;
    struct sample sample;
    size_t n;
    problems_init(&ps, &arena);
    struct model *m = model_load(&ps, model_path);
    if (!m) fail_msg("%s", first_problem(&ps));
    write_file(data_path, data);
    bool read = sample_read(&arena, &ps, m, &fixed_env, &sample);
    assert_true(read == (ps.n == 0));
    const char *text = first_problem(&ps);
    if (ps.n) assert_true(slice_eq(ps.first->place.file, slice_str(data_path)));
    problems_init(&ps, &arena);
    records_read(&ps, m, SLICE("x"), slice_str(data), &records, &n);
    model_free(m);
    return text;
}

static void test_problems_are_located(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "Customer:\n  - { customerId: c1 }\n", "" },
        { "", "1:1: the file is empty" },
        { "Custmer:\n  - { customerId: c1 }\n", "1:1: the model has no entity Custmer; did you mean Customer?" },
        { "Customer:\n  - { customerId: c1, emial: x }\n", "2:23: Customer has no attribute emial; did you mean email?" },
        { "Customer:\n  - { customerId: c1, PK: x }\n", "2:23: PK is a key, which is computed; leave it out" },
        { "Customer: { a: 1 }\n", "1:11: Customer holds a list; write - before each" },
        { "Customer: [ x ]\n", "1:13: one Customer is a map of its attributes; write { name: value, ... }" },
        { "- 1\n", "1:1: a data file is a map of entity name to a list; write Entity: [ { name: value, ... }, ... ]" },
        { "Customer:\n  - { customerId: c1 }\n  - { customerId: c1 }\n",
          "3:5: the same key or unique value is there already; the other one is in line 2 of " },
        { "Customer:\n  - { customerId: c1, email: a }\n  - { customerId: c2, email: a }\n",
          "3:5: the same key or unique value is there already; the other one is in line 2 of " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = problem_of(cases[i][0]);
        if (strncmp(got, cases[i][1], strlen(cases[i][1])) || (!cases[i][1][0] && got[0])) {
            fail_msg("%s gives %s, not %s", cases[i][0], got, cases[i][1]);
        }
    }
    assert_holds(problem_of("Customer:\n  - { email: x }\n"), "2:5: ");
    assert_holds(problem_of("Order:\n  - { customerId: c1, at: yesterday }\n"), "2:5: ");
    assert_holds(problem_of("Order:\n  - { customerId: c1, total: many }\n"), "2:30: ");
    assert_holds(problem_of("Customer:\n  - { customerId: 'a\n"), "3:1: this is not YAML");
}

static void test_a_missing_data_file_is_a_problem(void **state)
{
    (void)state;
    struct problems ps;
    struct sample sample;
    unlink(data_path);
    problems_init(&ps, &arena);
    struct model *m = model_load(&ps, model_path);
    assert_non_null(m);
    assert_false(sample_read(&arena, &ps, m, &fixed_env, &sample));
    assert_holds(first_problem(&ps), "cannot be read: No such file");
    model_free(m);
}

/* ---- measuring ---- */

static struct model *m;
static struct sample sample;

static void read_sample(size_t blob)
{
    struct problems ps;
    struct buf b;
    buf_init(&b, &arena, 16 << 20);
    char *x = (char *)arena_bytes(&arena, blob + 1);
    memset(x, 'x', blob);
    x[blob] = 0;
    BUF_LIT(&b, "Customer:\n  - { customerId: c1, email: a }\n  - { customerId: c2, email: b }\nOrder:\n");
    for (unsigned i = 1; i <= 4; i++) {
        buf_printf(&b, "  - { customerId: c1, at: '2026-05-0%uT10:00:00Z', total: %u, blob: 'b%s' }\n", i, i, x);
    }
    buf_printf(&b, "  - { customerId: c2, at: '2026-05-01T10:00:00Z', total: 9, status: shipped, blob: 'b%s' }\n", x);
    buf_u8(&b, 0);
    write_file(data_path, (const char *)b.p);
    problems_init(&ps, &arena);
    m = model_load(&ps, model_path);
    assert_non_null(m);
    if (!sample_read(&arena, &ps, m, &fixed_env, &sample)) fail_msg("%s", first_problem(&ps));
}

static struct measure measure(const char *pattern)
{
    struct plan plan;
    struct measure out;
    struct err e = { .arena = &arena };
    const struct pattern *p = model_pattern(m, slice_str(pattern));
    if (plan_make(&arena, m, p, false, &plan, &e)) fail_msg("%.*s", SLICE_ARG(e.message));
    if (plan.kind == PLAN_NONE) fail_msg("%s: %.*s", pattern, SLICE_ARG(plan.reason));
    plan_measure(&arena, m, &plan, &sample, &out);
    return out;
}

static void assert_measure(const char *pattern, size_t inputs, double items, double most, double results, double units)
{
    struct measure x = measure(pattern);
    if (x.known && x.inputs == inputs && x.items == items && x.items_most == most && x.results == results &&
        x.read_units == units) {
        return;
    }
    fail_msg("%s: known %d, %zu inputs, %g items, most %g, %g results, %g units", pattern, x.known, x.inputs, x.items,
             x.items_most, x.results, x.read_units);
}

static void test_items_hold_keys_and_copies(void **state)
{
    (void)state;
    read_sample(0);
    assert_true(sample.present);
    assert_int_equal(sample.n, 2 + 2 * 5);
    size_t copies = 0;
    for (size_t i = 0; i < sample.n; i++) {
        copies += sample.items[i].path->kind == PATH_COPY;
        assert_int_equal(sample.items[i].size, val_item_size(sample.items[i].item));
    }
    assert_int_equal(copies, 5);
    model_free(m);
}

static void test_plans_are_measured_over_all_inputs(void **state)
{
    (void)state;
    read_sample(0);
    assert_measure("customer", 2, 1, 1, 1, 0.5);
    assert_measure("orders", 2, 2.5, 4, 2.5, 0.5);
    assert_measure("two", 2, 1.5, 2, 1.5, 0.5);   /* the limit caps what is read */
    assert_measure("all", 2, 3.5, 5, 3.5, 0.5);
    assert_measure("big", 2, 2, 3, 1, 0.5);       /* three are read for the first that fits */
    assert_measure("status", 2, 2.5, 4, 2.5, 1);  /* two shards, each at least half a unit */
    assert_measure("recent", 2, 1.5, 3, 1.5, 0.5); /* -2d from the latest instant in the sample */
    assert_measure("since", 5, (4 + 3 + 2 + 1 + 1) / 5.0, 4, (4 + 3 + 2 + 1 + 1) / 5.0, 0.5);
    model_free(m);
}

static void test_units_are_of_four_kilobytes_and_of_what_the_index_holds(void **state)
{
    (void)state;
    read_sample(3000);
    assert_measure("two", 2, 1.5, 2, 1.5, 0.75); /* 2 * 3.1 KB: 2 blocks; 1 * 3.1 KB: 1 block */
    struct measure x = measure("orders");
    assert_true(x.bytes > 2.5 * 3000 && x.bytes < 2.5 * 3300);
    assert_true(measure("status").bytes < 1000); /* keys only */
    model_free(m);
}

static void test_without_a_sample_expect_or_unknown(void **state)
{
    (void)state;
    read_sample(0);
    struct measure x = measure("never"); /* the sample has none */
    assert_true(x.known && !x.from_sample && x.items == 1 && x.bytes == 9000 && x.read_units == 1.5);
    x = measure("nevers");
    assert_true(x.known && !x.from_sample && x.items == 10 && x.bytes == 10000 && x.read_units == 1.5);
    sample = (struct sample){ 0 };
    assert_false(measure("orders").known);
    assert_false(measure("customer").known);
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems_are_located),
        cmocka_unit_test(test_a_missing_data_file_is_a_problem),
        cmocka_unit_test(test_items_hold_keys_and_copies),
        cmocka_unit_test(test_plans_are_measured_over_all_inputs),
        cmocka_unit_test(test_units_are_of_four_kilobytes_and_of_what_the_index_holds),
        cmocka_unit_test(test_without_a_sample_expect_or_unknown),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
