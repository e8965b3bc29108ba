/* test_model_differential.c: 10,000 random questions over random entities, asked of four models that differ in shards and
 * copies, page by page, and of an oracle that looks at every entity: all five answer the same in the same order. Where sort
 * keys are shared by many, entities with the same one may come in any order, but each once. */
#include "differential_world.h"
#include "repeat.h"
#include <stdlib.h>

#define CASES  10000
#define ROUNDS 20 /* worlds; half of them with ties */
#define PAGES  12 /* after so many a question is left */

/* ---- questions ---- */

#define MAX_CONDITIONS 4

struct test {
    enum field field;
    enum compare op;
    char a[32], b[32];
    bool input;
};

struct ask {
    unsigned entity;
    struct test by[2], where[1], filter[2];
    size_t n_by, n_where, n_filter;
    bool across_status;
    const char *index;          /* NULL: whatever the resolver takes */
    enum field order_by[2];     /* what the answer is sorted by */
    size_t n_order;
    enum order order;
    uint32_t limit;             /* the pattern's */
    uint32_t limits[PAGES];     /* of each page; 0: the pattern's */
    char text[64];              /* a filter as text */
    struct test text_test;      /* the same for the oracle; text empty: none */
};

static struct test equal(enum field f, const char *value)
{
    struct test t = { .field = f, .op = COMPARE_EQ, .input = chance(2) };
    snprintf(t.a, sizeof t.a, "%s", value);
    return t;
}

static void value_of(const struct world *w, unsigned entity, enum field f, char out[32])
{
    const struct fact *x = &w->facts[entity ? ORDERS + chance(EVENTS) : chance(ORDERS)];
    snprintf(out, 32, "%s", x->values[f]);
}

static int compare_texts(enum field f, const char *a, const char *b)
{
    if (!is_number(f)) return strcmp(a, b);
    double x = strtod(a, NULL), y = strtod(b, NULL);
    return (x > y) - (x < y);
}

/* may_be_empty: now and then with its ends the wrong way round. DynamoDB refuses that in a filter. */
static struct test range_on(const struct world *w, unsigned entity, enum field f, bool may_be_empty)
{
    static const enum compare ops[] = { COMPARE_AT_LEAST, COMPARE_ABOVE, COMPARE_AT_MOST, COMPARE_BELOW, COMPARE_BETWEEN,
                                        COMPARE_BETWEEN, COMPARE_PREFIX };
    static const enum compare dates[] = { COMPARE_SINCE, COMPARE_UNTIL, COMPARE_ON, COMPARE_DURING };
    struct test t = { .field = f, .op = f == F_CREATED ? PICK(dates) : ops[chance(is_number(f) ? 6 : 7)] };
    value_of(w, entity, f, t.a);
    value_of(w, entity, f, t.b);
    if (f == F_CREATED) t.a[chance(2) ? 7 : 10] = t.b[chance(2) ? 7 : 10] = 0; /* a month or a day */
    if (t.op == COMPARE_PREFIX) t.a[1 + chance(2)] = 0;
    if (compare_texts(f, t.a, t.b) > 0 && (!may_be_empty || chance(8))) {
        char c[32];
        memcpy(c, t.a, sizeof c);
        memcpy(t.a, t.b, sizeof c);
        memcpy(t.b, c, sizeof c);
    }
    return t;
}

static void add_filters(const struct world *w, struct ask *q)
{
    if (!chance(3)) q->filter[q->n_filter++] = range_on(w, q->entity, F_TOTAL, false);
    if (q->entity == 0 && !chance(6)) {
        q->filter[q->n_filter++] = equal(F_CUSTOMER, PICK(customers));
        if (q->n_by && q->by[0].field == F_CUSTOMER) q->n_filter--;
    }
    if (!chance(5)) {
        q->text_test = (struct test){ .field = F_TOTAL, .op = COMPARE_ABOVE };
        snprintf(q->text_test.a, sizeof q->text_test.a, "%u", chance(100));
        snprintf(q->text, sizeof q->text, "total > %s", q->text_test.a);
    }
}

static struct ask random_ask(const struct world *w)
{
    struct ask q = { .n_order = 1, .order_by = { F_AT } };
    char value[32];
    unsigned what = chance(100);
    enum field range = F_AT;
    if (what < 30) { /* a customer's: GSI2, or copies among notes */
        q.by[q.n_by++] = equal(F_CUSTOMER, PICK(customers));
    } else if (what < 50) { /* GSI1 */
        q.by[q.n_by++] = equal(F_STATUS, PICK(statuses));
        q.index = "GSI1";
    } else if (what < 56) {
        q.across_status = true;
        q.index = "GSI1";
    } else if (what < 64) { /* streams with different prefixes of the sort key */
        q.by[q.n_by++] = equal(F_REGION, PICK(regions));
        q.across_status = true;
        q.index = "GSI3";
    } else if (what < 70) {
        q.by[q.n_by++] = equal(F_REGION, PICK(regions));
        q.by[q.n_by++] = equal(F_STATUS, PICK(statuses));
        q.index = "GSI3";
    } else if (what < 73) { /* a number as sort key; shards by letter */
        value_of(w, 0, F_KIND, value);
        q.by[q.n_by++] = equal(F_KIND, value);
        q.order_by[0] = range = F_RANK;
        q.index = "GSI4";
    } else if (what < 80) { /* two sort attributes */
        value_of(w, 0, F_KIND, value);
        q.by[q.n_by++] = equal(F_KIND, value);
        q.order_by[0] = range = F_DAY;
        q.order_by[q.n_order++] = F_AT;
        q.index = "GSI5";
    } else if (what < 85) {
        value_of(w, 0, F_KIND, value);
        q.by[q.n_by++] = equal(F_KIND, value);
        value_of(w, 0, F_DAY, value);
        q.by[q.n_by++] = equal(F_DAY, value);
        q.index = "GSI5";
    } else {
        q.entity = 1;
        value_of(w, 1, F_FEED, value);
        q.by[q.n_by++] = equal(F_FEED, value);
        q.order_by[0] = range = F_CREATED;
    }
    if (chance(2)) q.where[q.n_where++] = range_on(w, q.entity, range, true);
    add_filters(w, &q);
    static const enum order orders[] = { ORDER_NONE, ORDER_ASCENDING, ORDER_DESCENDING, ORDER_DESCENDING };
    static const enum order times[] = { ORDER_NEWEST, ORDER_OLDEST };
    q.order = q.entity ? PICK(times) : PICK(orders);
    if (q.across_status && q.order == ORDER_NONE) q.order = ORDER_ASCENDING; /* else one Query may do, sorted by status */
    static const uint32_t limits[] = { 0, 1, 2, 3, 5, 8, 10, 20, 30 };
    q.limit = PICK(limits);
    for (size_t i = 0; i < PAGES; i++) q.limits[i] = chance(4) ? 0 : 1 + chance(12);
    return q;
}

/* ---- the oracle ---- */

static bool holds(const struct test *t, const struct fact *f)
{
    const char *v = f->values[t->field];
    int a = compare_texts(t->field, v, t->a), b = compare_texts(t->field, v, t->b);
    switch (t->op) {
    case COMPARE_EQ: return a == 0;
    case COMPARE_PREFIX:
    case COMPARE_ON: return !strncmp(v, t->a, strlen(t->a));
    case COMPARE_AT_LEAST:
    case COMPARE_SINCE: return a >= 0;
    case COMPARE_ABOVE: return a > 0;
    case COMPARE_AT_MOST: return a <= 0;
    case COMPARE_BELOW:
    case COMPARE_UNTIL: return a < 0;
    case COMPARE_BETWEEN: return a >= 0 && b <= 0;
    default: return a >= 0 && b < 0;
    }
}

static const struct ask *sorting;

static int by_order(const void *x, const void *y)
{
    const struct fact *const *a = x, *const *b = y;
    int c = 0;
    for (size_t i = 0; !c && i < sorting->n_order; i++) {
        enum field f = sorting->order_by[i];
        c = compare_texts(f, (*a)->values[f], (*b)->values[f]);
    }
    bool down = sorting->order == ORDER_DESCENDING || sorting->order == ORDER_NEWEST;
    return down ? -c : c;
}

static size_t oracle(const struct world *w, const struct ask *q, const struct fact *out[FACTS])
{
    size_t n = 0;
    for (size_t i = 0; i < FACTS; i++) {
        const struct fact *f = &w->facts[i];
        bool in = f->entity == q->entity && (!q->text[0] || holds(&q->text_test, f));
        for (size_t k = 0; in && k < q->n_by; k++) in = holds(&q->by[k], f);
        for (size_t k = 0; in && k < q->n_where; k++) in = holds(&q->where[k], f);
        for (size_t k = 0; in && k < q->n_filter; k++) in = holds(&q->filter[k], f);
        if (in) out[n++] = f;
    }
    sorting = q;
    qsort(out, n, sizeof *out, by_order);
    return n;
}

/* ---- asking a model ---- */

static void say(char *out, size_t n, const struct ask *q)
{
    size_t at = (size_t)snprintf(out, n, "entity %u, index %s, across %d, order %d, limit %u, filter '%s'", q->entity,
                                 q->index ? q->index : "any", q->across_status, (int)q->order, q->limit, q->text);
    const struct test *lists[] = { q->by, q->where, q->filter };
    size_t counts[] = { q->n_by, q->n_where, q->n_filter };
    for (size_t l = 0; l < 3; l++) {
        for (size_t i = 0; i < counts[l] && at < n; i++) {
            at += (size_t)snprintf(out + at, n - at, "; %s op %d '%s' '%s'", field_names[q->entity][lists[l][i].field],
                                   (int)lists[l][i].op, lists[l][i].a, lists[l][i].b);
        }
    }
}

static void conditions(struct bench *b, const struct entity *en, const struct ask *q, const struct test *tests, size_t n,
                       struct condition *out, struct attr *inputs, size_t *n_inputs)
{
    for (size_t i = 0; i < n; i++) {
        const struct test *t = &tests[i];
        struct slice name = slice_str(field_names[q->entity][t->field]);
        out[i] = (struct condition){ .attribute = name, .op = t->op, .a.text = slice_str(t->a), .b.text = slice_str(t->b) };
        if (!t->input) continue;
        out[i].a = (struct operand){ .input = true, .text = name };
        inputs[*n_inputs].name = name;
        assert_int_equal(value_from_text(&b->arena, entity_attribute(en, name), name, slice_str(t->a),
                                         &inputs[*n_inputs].value, &b->err), 0);
        ++*n_inputs;
    }
}

/* Asks for one page. */
static void page_of(struct bench *b, const struct ask *q, size_t page, struct slice after, struct results *out)
{
    const struct entity *en = model_entity(b->model, q->entity ? SLICE("Event") : SLICE("Order"));
    struct condition by[MAX_CONDITIONS], where[MAX_CONDITIONS], filter[MAX_CONDITIONS];
    struct attr inputs[3 * MAX_CONDITIONS];
    struct slice status = SLICE("status");
    struct buf in;
    size_t n = 0;
    conditions(b, en, q, q->by, q->n_by, by, inputs, &n);
    conditions(b, en, q, q->where, q->n_where, where, inputs, &n);
    conditions(b, en, q, q->filter, q->n_filter, filter, inputs, &n);
    struct pattern p = { .name = SLICE("random"), .entities = &en, .n_entities = 1, .by = by, .n_by = q->n_by,
                         .where = where, .n_where = q->n_where, .filter = filter, .n_filter = q->n_filter,
                         .across = &status, .n_across = q->across_status, .order = q->order, .limit = q->limit };
    if (q->index) p.index = model_index(b->model, slice_str(q->index));
    buf_init(&in, &b->arena, 1 << 16);
    val_put_map(&in, inputs, n);
    struct run_options o = { .limit = q->limit ? q->limits[page] : 0, .after = after, .filter = slice_str(q->text) };
    if (run_pattern(b, &p, buf_view(&in), &o, out)) {
        char text[1024];
        say(text, sizeof text, q);
        fail_msg("%.*s\n%s", SLICE_ARG(b->err.message), text);
    }
}

static struct slice text_of(struct slice item, const char *name)
{
    struct slice v;
    return val_get(item, slice_str(name), &v) ? val_content(v) : slice_of(NULL, 0);
}

static const struct fact *fact_of(const struct world *w, const struct ask *q, struct slice item)
{
    struct slice id = text_of(item, field_names[q->entity][F_ID]);
    for (size_t i = 0; i < FACTS; i++) {
        if (w->facts[i].entity == q->entity && slice_eq(slice_str(w->facts[i].values[F_ID]), id)) return &w->facts[i];
    }
    return NULL;
}

struct tally {
    size_t cases, pages, results, merged;
};

/* One page of one variant against the oracle's answer from `at` on. */
static void check_page(const struct world *w, const struct ask *q, unsigned variant, size_t page, const struct results *r,
                       const struct fact *const *expected, size_t n_expected, size_t at, bool seen[FACTS])
{
    char text[1024];
    uint32_t limit = q->limit && q->limits[page] ? q->limits[page] : q->limit;
    size_t left = n_expected - at, want = limit && limit < left ? limit : left;
    say(text, sizeof text, q);
    if (r->n != want) fail_msg("variant %u, page %zu: %zu results, not %zu\n%s", variant, page, r->n, want, text);
    if (!r->token.n && at + r->n < n_expected) fail_msg("variant %u, page %zu: ends too early\n%s", variant, page, text);
    for (size_t i = 0; i < r->n; i++) {
        const struct fact *got = fact_of(w, q, r->list[i].item), *should = expected[at + i];
        bool fine = got && (w->ties ? by_order(&got, &should) == 0 && !seen[got - w->facts] : got == should);
        if (!fine) {
            fail_msg("variant %u, page %zu, result %zu: %s, not %s\n%s", variant, page, i,
                     got ? got->values[F_ID] : "unknown", should->values[F_ID], text);
        }
        seen[got - w->facts] = true;
    }
}

/* The attributes are those of the first model, whatever lies beside them in the item. */
static void check_attributes(struct world *w, unsigned variant, const struct results *r, const struct results *first)
{
    struct bench *b = &w->benches[variant], *b0 = &w->benches[0];
    for (size_t i = 0; i < r->n; i++) {
        struct slice mine = item_attributes(&b->arena, b->model, r->list[i].entity, r->list[i].item, true);
        struct slice other = item_attributes(&b0->arena, b0->model, first->list[i].entity, first->list[i].item, true);
        assert_true(val_equal(mine, other));
    }
}

static void run_case(struct world *w, struct tally *t)
{
    struct ask q = random_ask(w);
    const struct fact *expected[FACTS];
    size_t n = oracle(w, &q, expected);
    struct results first[PAGES];
    for (unsigned v = 0; v < VARIANTS; v++) {
        bool seen[FACTS] = { false };
        struct slice after = { 0 };
        size_t at = 0;
        for (size_t page = 0; page < PAGES; page++) {
            struct results r;
            page_of(&w->benches[v], &q, page, after, &r);
            check_page(w, &q, v, page, &r, expected, n, at, seen);
            if (!v) first[page] = r;
            else if (!w->ties && r.n) check_attributes(w, v, &r, &first[page]);
            at += r.n;
            t->pages++;
            t->results += r.n;
            t->merged += r.requests > 1;
            after = r.token;
            if (!after.n) break;
        }
    }
    for (unsigned v = 0; v < VARIANTS; v++) bench_rest(&w->benches[v]);
    t->cases++;
}

static void test_shards_and_copies_change_no_answer(void **state)
{
    (void)state;
    static struct world w;
    struct tally t = { 0 };
    unsigned rounds = 2 * (unsigned)repeated(ROUNDS / 2), of_each = (unsigned)repeated(CASES) / rounds;
    size_t cases = rounds * of_each;
    for (unsigned round = 0; round < rounds; round++) {
        world_open(&w, round % 2);
        for (unsigned i = 0; i < of_each; i++) run_case(&w, &t);
        world_close(&w);
    }
    print_message("%zu cases, %zu pages, %zu results; %zu pages of several requests\n", t.cases, t.pages, t.results, t.merged);
    assert_int_equal(t.cases, cases);
    assert_true(t.pages > 4 * cases && t.results > 10 * cases && t.merged > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_shards_and_copies_change_no_answer) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
