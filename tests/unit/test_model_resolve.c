/* test_model_resolve.c: random questions to the seeds' models: what lies in the key ranges of the
 * plan is exactly what fulfils the question, found by looking at every entity; and every proposal
 * for a question without a plan works. */
#include "plan_fixture.h"
#include "repeat.h"

#define ENTITIES_EACH 60
#define QUESTIONS     150

/* ---- a table in memory ---- */

struct row {
    struct slice item; /* as stored */
    const struct access_path *path;
    struct slice attributes; /* of its entity */
    struct slice key;        /* of its entity's own item */
};

static struct row rows[20000];
static size_t n_rows;

static const char *const words[] = { "a", "b", "ab", "b1", "c" };

static const char *stamp(void)
{
    static const char *const stamps[] = { "2026-04-30T23:59:59Z", "2026-05-01T00:00:00Z",
                                          "2026-05-09T10:00:00.500Z", "2026-05-10T14:00:00Z",
                                          "2026-05-11T00:00:00Z" };
    return stamps[rnd(5)];
}

static struct slice random_value(const struct attribute *at)
{
    if (at->n_enumeration) return at->enumeration[rnd(at->n_enumeration)];
    struct slice text = slice_str(words[rnd(5)]);
    struct span s;
    if (at->type == TYPE_N) return val_make_number(&arena, (int64_t)rnd(20));
    if (at->type == TYPE_BOOL) {
        struct buf b;
        buf_init(&b, &arena, 8);
        val_put_bool(&b, rnd(2));
        return buf_view(&b);
    }
    if (at->time == TIME_DATE) text = slice_of(stamp(), 10);
    if (at->time == TIME_DATE_TIME) text = slice_str(stamp());
    if (at->time == TIME_ULID) {
        assert_true(when_parse(slice_str(stamp()), NOW, &s));
        text = arena_printf(&arena, "%.*s0000000000000%03d",
                            SLICE_ARG(when_bound(&arena, TIME_ULID, s.start)), (int)rnd(4));
    }
    return val_make_string(&arena, text);
}

static struct slice random_attributes(const struct entity *en)
{
    struct attr list[64];
    size_t n = 0;
    for (size_t i = 0; i < en->n_attributes; i++) {
        if (en->attributes[i].automatic) continue;
        list[n++] = (struct attr){ en->attributes[i].name, random_value(&en->attributes[i]) };
    }
    struct buf b;
    buf_init(&b, &arena, 1 << 16);
    val_put_map(&b, list, n);
    return buf_view(&b);
}

static bool taken(struct slice key)
{
    for (size_t i = 0; i < n_rows; i++) {
        if (slice_eq(rows[i].key, key)) return true;
    }
    return false;
}

static void fill(const struct model *m)
{
    struct err e = { .arena = &arena };
    n_rows = 0;
    for (size_t i = 0; i < m->n_entities; i++) {
        const struct entity *en = &m->entities[i];
        for (int k = 0; k < ENTITIES_EACH; k++) {
            struct slice attributes, key;
            struct stored s;
            if (entity_complete(&arena, m, en, &model_env_system, random_attributes(en),
                                &attributes, &e) ||
                entity_key(&arena, m, en, attributes, &key, &e) ||
                entity_store(&arena, m, en, attributes, &s, &e)) {
                fail_msg("%.*s", SLICE_ARG(e.message));
            }
            for (size_t j = 0; j < s.n && !taken(key); j++) {
                for (; j < s.n; j++)
                    rows[n_rows++] = (struct row){ s.items[j], s.paths[j], attributes, key };
            }
        }
    }
}

/* ---- what a question means ---- */

static bool fulfils(const struct entity *en, const struct condition *c, struct slice attributes)
{
    const struct attribute *at = entity_attribute(en, c->attribute);
    struct slice v, x;
    struct num num;
    if (!val_get(attributes, c->attribute, &v)) return false;
    if (c->op >= COMPARE_SINCE) {
        struct span s;
        int64_t ms;
        assert_true(when_parse(c->a.text, NOW, &s));
        assert_true(when_of(at->time, val_content(v), &ms));
        return c->op == COMPARE_SINCE   ? ms >= s.start
               : c->op == COMPARE_UNTIL ? ms < s.start
                                        : ms >= s.start && ms < s.end;
    }
    x = val_make_string(&arena, c->a.text);
    if (at->type == TYPE_BOOL) return val_bool(v) == slice_eq(c->a.text, SLICE("true"));
    if (at->type == TYPE_N) {
        struct buf b;
        buf_init(&b, &arena, 64);
        assert_int_equal(num_parse(c->a.text, &num), NUM_OK);
        val_put_number(&b, slice_of(num.bytes, num.n));
        x = buf_view(&b);
    }
    int order = val_compare(v, x);
    switch (c->op) {
    case COMPARE_EQ:
        return order == 0;
    case COMPARE_PREFIX:
        return slice_starts(val_content(v), c->a.text);
    case COMPARE_AT_LEAST:
        return order >= 0;
    case COMPARE_ABOVE:
        return order > 0;
    case COMPARE_AT_MOST:
        return order <= 0;
    default:
        return order < 0;
    }
}

static bool wanted(const struct pattern *q, const struct row *r)
{
    if (r->path->entity != q->entities[0] || r->path->kind != PATH_KEY) return false;
    const struct condition *lists[] = { q->by, q->where, q->filter };
    size_t counts[] = { q->n_by, q->n_where, q->n_filter };
    for (size_t l = 0; l < 3; l++) {
        for (size_t i = 0; i < counts[l]; i++) {
            if (!fulfils(q->entities[0], &lists[l][i], r->attributes)) return false;
        }
    }
    return true;
}

/* ---- what a plan finds ---- */

static bool lies_in(const struct bound_plan *b, const struct key_range *r, struct slice item)
{
    const struct model_index *x = b->plan->path->index;
    struct slice v;
    for (size_t i = 0; i < x->hash.n; i++) {
        if (!val_get(item, x->hash.attrs[i].name, &v) || !val_equal(v, r->hash[i])) return false;
    }
    for (size_t i = 0; i < x->sort.n; i++) {
        if (!val_get(item, x->sort.attrs[i].name, &v)) return false;
        if (i < b->plan->sort_fixed && !val_equal(v, r->fixed[i])) return false;
        if (i != b->plan->sort_fixed) continue;
        if (r->prefix.n && !slice_starts(val_content(v), val_content(r->prefix))) return false;
        if (r->low.n && (val_compare(v, r->low) < 0 || (r->low_open && val_equal(v, r->low))))
            return false;
        if (r->high.n && (val_compare(v, r->high) > 0 || (r->high_open && val_equal(v, r->high))))
            return false;
    }
    return true;
}

static const struct access_path *home(const struct access_path *p)
{
    return p->kind != PATH_INDEX ? p : p->copy ? p->copy->key : p->entity->key;
}

static void check_answer(const struct plan *p, const struct bound_plan *b)
{
    const struct pattern *q = p->pattern;
    size_t want = 0, found = 0;
    for (size_t i = 0; i < n_rows; i++)
        want += wanted(q, &rows[i]);
    for (size_t k = 0; k < b->n; k++) {
        for (size_t i = 0; i < n_rows; i++) {
            const struct row *r = &rows[i];
            if (!lies_in(b, &b->ranges[k], r->item)) continue;
            if (r->path != home(p->path)) { /* a neighbour: then a filter must be there */
                if (!p->filter_client && !(p->filter_entity && r->path->entity != q->entities[0])) {
                    fail_msg("%.*s also finds %.*s: %.*s", SLICE_ARG(q->name),
                             SLICE_ARG(r->path->entity->name), SLICE_ARG(p->key_condition));
                }
                continue;
            }
            struct row own = *r;
            own.path = r->path->entity->key;
            bool fits = true; /* filters run after reading */
            for (size_t f = 0; f < q->n_filter; f++)
                fits &= fulfils(q->entities[0], &q->filter[f], r->attributes);
            if (!fits) continue;
            if (!wanted(q, &own))
                fail_msg("%.*s finds too much: %.*s", SLICE_ARG(q->name),
                         SLICE_ARG(p->key_condition));
            found++;
        }
    }
    if (want != found) {
        fail_msg("%.*s: %zu wanted, %zu found: %.*s", SLICE_ARG(q->name), want, found,
                 SLICE_ARG(p->key_condition));
    }
}

/* ---- random questions ---- */

static void put_constant(struct buf *b, const struct attribute *at)
{
    struct slice v = random_value(at);
    char text[NUM_MAX_TEXT];
    if (at->type == TYPE_BOOL)
        buf_printf(b, "%s", val_bool(v) ? "true" : "false");
    else if (at->type == TYPE_N)
        buf_bytes(b, text, num_format(val_content(v), text));
    else
        buf_printf(b, "\"%.*s\"", SLICE_ARG(val_content(v)));
}

static void put_range(struct buf *b, const struct attribute *at)
{
    static const char *const dates[] = { "2026-05", "2026-05-01", "2026-05-10", "today", "-9d" };
    static const char *const date_ops[] = { "since", "until", "on" };
    static const char *const ops[] = { "prefix", "atLeast", "above", "atMost", "below" };
    if (at->time) {
        buf_printf(b, "{ %s: \"%s\" }", date_ops[rnd(3)], dates[rnd(5)]);
        return;
    }
    buf_printf(b, "{ %s: ", ops[at->type == TYPE_S ? rnd(5) : 1 + rnd(4)]);
    put_constant(b, at);
    BUF_LIT(b, " }");
}

static void put_question(struct buf *b, const struct model *m, int number)
{
    const struct entity *en = &m->entities[rnd(m->n_entities)];
    bool used[64] = { false };
    buf_printf(b, "  q%d: { of: %.*s, by: {", number, SLICE_ARG(en->name));
    for (uint64_t i = 0, n = rnd(4), k = 0; i < n; i++) {
        size_t at = rnd(en->n_attributes);
        if (used[at] || en->attributes[at].automatic) continue;
        used[at] = true;
        buf_printf(b, "%s%.*s: ", k++ ? ", " : " ", SLICE_ARG(en->attributes[at].name));
        put_constant(b, &en->attributes[at]);
    }
    BUF_LIT(b, " }");
    static const char *const members[] = { "where", "filter" };
    for (int i = 0; i < 2; i++) {
        size_t at = rnd(en->n_attributes);
        if (rnd(2) || used[at] || en->attributes[at].automatic ||
            en->attributes[at].type == TYPE_BOOL)
            continue;
        used[at] = true;
        buf_printf(b, ", %s: { %.*s: ", members[i], SLICE_ARG(en->attributes[at].name));
        put_range(b, &en->attributes[at]);
        BUF_LIT(b, " }");
    }
    for (size_t i = 0; i < en->n_attributes && !rnd(2); i++) {
        const struct attribute *at = &en->attributes[i];
        if (used[i] || (!at->n_enumeration && at->type != TYPE_BOOL)) continue;
        buf_printf(b, ", across: [%.*s]", SLICE_ARG(at->name));
        break;
    }
    if (!rnd(4)) buf_printf(b, ", order: %s", rnd(2) ? "newest" : "ascending");
    BUF_LIT(b, " }\n");
}

static void check_proposals(const struct plan *p)
{
    for (size_t i = 0; i < p->n_proposals; i++) {
        struct problems ps;
        problems_init(&ps, &arena);
        struct model *m = model_read(&ps, SLICE("changed"), p->proposals[i].model);
        assert_non_null(m);
        const struct plan *now =
            plan_of(m, (const char *)arena_printf(&arena, "%.*s", SLICE_ARG(p->pattern->name)).p);
        assert_int_not_equal(now->kind, PLAN_NONE);
        model_free(m);
    }
}

static void ask(const char *seed, size_t *answered, size_t *proposed)
{
    struct model *m = model_of(seed);
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    buf_slice(&b, slice_str(seed));
    for (int i = 0; i < repeated(QUESTIONS); i++)
        put_question(&b, m, i);
    buf_u8(&b, 0);
    model_free(m);
    m = model_of((const char *)b.p);
    fill(m);
    for (size_t i = 0; i < m->n_patterns; i++) {
        const struct pattern *q = &m->patterns[i];
        if (q->name.p[0] != 'q') continue;
        struct plan p;
        struct err e = { .arena = &arena };
        struct bound_plan bound;
        assert_int_equal(plan_make(&arena, m, q, i % 10 == 0, &p, &e), 0);
        if (p.kind == PLAN_NONE) {
            assert_true(p.reason.n > 0);
            check_proposals(&p);
            *proposed += p.n_proposals;
            continue;
        }
        if (plan_bind(&arena, m, &p, (struct slice){ 0 }, NOW, &bound, &e))
            fail_msg("%.*s", SLICE_ARG(e.message));
        check_answer(&p, &bound);
        for (size_t k = 0; k < bound.n; k++)
            request(m, &bound, k);
        ++*answered;
    }
    model_free(m);
}

static void test_a_plan_finds_exactly_what_was_asked_for(void **state)
{
    (void)state;
    size_t answered = 0, proposed = 0;
    ask(SEED_000_TOP, &answered, &proposed);
    ask(SEED_001, &answered, &proposed);
    ask(SEED_002, &answered, &proposed);
    ask(SEED_003(""), &answered, &proposed);
    ask(SEED_003(", shards: { of: gsi1pk, by: orderId, count: 3 }"), &answered, &proposed);
    ask(SEED_003(", shards: { of: gsi1pk, by: orderId, month: 2026-01 }"), &answered, &proposed);
    ask(SEED_003(", shards: { of: gsi1pk, by: customerId, letters: 1 }"), &answered, &proposed);
    ask(SEED_003(", shards: { of: gsi1pk, by: status }"), &answered, &proposed);
    ask(SEED_004, &answered, &proposed);
    print_message("%zu questions answered, %zu proposals\n", answered, proposed);
    assert_true(answered > (size_t)repeated(150));
    assert_true(proposed > (size_t)repeated(100));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        test_a_plan_finds_exactly_what_was_asked_for) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
