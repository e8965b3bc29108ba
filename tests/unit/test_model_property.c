/* test_model_property.c: after any sequence of entity writes, by one thread or several, every key,
 * copy and sentinel in the table is what the templates say of its entity. Random writes over few
 * values, so that entities meet. */
#include "model_fixture.h"
#include "model_random.h"
#include "repeat.h"
#include <pthread.h>

/* ---- one writer, with a memory of its own of what was written ---- */

#define MEMORY_MAX 4096

struct memory {
    const struct kind *kinds[MEMORY_MAX];
    struct values at[MEMORY_MAX];
    size_t n;
};

static size_t recall(const struct memory *mem, const struct kind *k, const struct values *v)
{
    for (size_t i = 0; i < mem->n; i++) {
        if (mem->kinds[i] == k && same_key(k, &mem->at[i], v)) return i;
    }
    return mem->n;
}

static void forget(struct memory *mem, const struct kind *k, const struct values *v)
{
    size_t i = recall(mem, k, v);
    if (i == mem->n) return;
    mem->n--;
    mem->kinds[i] = mem->kinds[mem->n];
    mem->at[i] = mem->at[mem->n];
}

static void remember(struct memory *mem, const struct kind *k, const struct values *v)
{
    size_t i = recall(mem, k, v);
    if (i == mem->n) mem->n++;
    assert_true(i < MEMORY_MAX);
    mem->kinds[i] = k;
    mem->at[i] = *v;
}

/* What a write that succeeded has made of what was there. */
static void follow(struct memory *mem, const struct op *op)
{
    const struct kind *k = op->kind;
    struct values v = op->values;
    if (op->what == OP_CHECK || op->nothing) return;
    if (op->what == OP_PUT) {
        remember(mem, k, &v);
        return;
    }
    size_t i = recall(mem, k, &v);
    if (op->what == OP_DELETE) {
        forget(mem, k, &v);
        return;
    }
    assert_true(i < mem->n); /* an update of what is not there fails */
    v = mem->at[i];
    forget(mem, k, &op->values);
    for (size_t f = 0; f < k->n; f++) {
        if (op->change[f] == '=') v.v[f] = op->to[f];
        if (op->change[f] == '-') v.v[f] = ABSENT;
        if (op->change[f] == '+') v.v[f] = (v.v[f] == ABSENT ? 0 : v.v[f]) + op->to[f];
    }
    remember(mem, k, &v);
}

/* Every entity that memory holds is in the table with these values, and no other is. */
static void compare(struct world *w, const struct memory *mem)
{
    size_t entities = world_check(w);
    if (entities != mem->n) fail_msg("%zu entities in the table, %zu remembered", entities, mem->n);
    for (size_t i = 0; i < mem->n; i++) {
        const struct kind *k = mem->kinds[i];
        of_item *key = item_from(k, &mem->at[i], true), *found;
        of_error err;
        if (of_entity_get(w->model, w->db, k->name, key, NULL, &found, &err))
            fail_msg("get: %s", err.message);
        if (!found) fail_msg("%s is not there", show_item(w, key));
        for (size_t f = 0; f < k->n; f++) {
            of_value v;
            bool there = of_item_get(found, k->fields[f].name, -1, &v);
            bool same = there == (mem->at[i].v[f] != ABSENT);
            if (same && there) same = value_is(&k->fields[f], mem->at[i].v[f], v);
            if (!same)
                fail_msg("%s.%s is not %d in %s", k->name, k->fields[f].name, mem->at[i].v[f],
                         show_item(w, found));
        }
        of_item_free(found);
        of_item_free(key);
    }
}

/* Below a few hundred there is too little in the table for much to happen. */
static size_t steps_of(int all)
{
    int steps = repeated(all);
    return steps < 300 ? 300 : (size_t)steps;
}

static void one_writer(const struct setting *s, uint64_t seed, size_t steps)
{
    struct world w;
    struct memory *mem = calloc(1, sizeof *mem);
    struct chance c = { seed };
    size_t done = 0, refused = 0;
    world_open(&w, s->model);
    for (size_t i = 0; i < steps; i++) {
        struct op ops[3];
        of_error err;
        size_t n = pick(&c, 6) ? 1 : 1 + pick(&c, 3);
        for (size_t j = 0; j < n; j++)
            ops[j] = random_op(&c, s, n > 1);
        int result = n == 1 ? run_op(&w, &ops[0], &err) : run_transaction(&w, ops, n, &err);
        if (!result) {
            for (size_t j = 0; j < n; j++)
                follow(mem, &ops[j]);
            done++;
        } else {
            expected_failure(result, &err);
            refused++;
        }
        if (i % 64 == 0) compare(&w, mem);
    }
    compare(&w, mem);
    assert_true(done > steps / 5);
    assert_true(refused > steps / 50);
    world_close(&w);
    free(mem);
}

static void test_entities_with_copies_and_shards(void **state)
{
    (void)state;
    one_writer(&settings[SETTING_ORDERS], 1, steps_of(2500));
    one_writer(&settings[SETTING_ORDERS], 2, steps_of(1000));
}

static void test_unique_values_and_versions(void **state)
{
    (void)state;
    one_writer(&settings[SETTING_USERS], 3, steps_of(2500));
}

static void test_keys_that_move(void **state)
{
    (void)state;
    one_writer(&settings[SETTING_TASKS], 4, steps_of(2500));
}

/* ---- a writer who is interrupted between reading and writing, the same way in every run ---- */

static struct {
    struct world *w;
    const struct setting *s;
    struct memory *mem;
    struct chance *c;
    int (*call)(struct api *api, struct arena *a, struct slice operation, struct slice body,
                struct slice *answer, struct err *e);
    const struct op *interrupted; /* NULL: nobody may be */
    const struct op *next;        /* these come between, up to one without a kind; NULL: by chance, or nothing without chance */
    size_t done;
} other;

/* Mostly of the very entity that is being written, and of one attribute. */
static struct op interruption(const struct op *outer)
{
    struct chance *c = other.c;
    struct op op = random_op(c, other.s, false);
    if (!pick(c, 4)) return op;
    op.values = outer->values;
    if (op.kind == outer->kind && !pick(c, 4)) return op;
    op.kind = outer->kind;
    size_t f = pick(c, (unsigned)op.kind->n);
    const struct field *fd = &op.kind->fields[f];
    op.what = OP_UPDATE;
    op.if_absent = false;
    memset(op.change, 0, sizeof op.change);
    op.change[f] = fd->flags & FIELD_ADD                                    ? '+'
                   : fd->flags & (FIELD_KEY | FIELD_REQUIRED) || pick(c, 2) ? '='
                                                                            : '-';
    op.to[f] = (int)pick(c, (unsigned)fd->values);
    return op;
}

static int call_and_interrupt(struct api *api, struct arena *a, struct slice operation,
                              struct slice body, struct slice *answer, struct err *e)
{
    int code = other.call(api, a, operation, body, answer, e);
    const struct op *outer = other.interrupted;
    if (!outer || !slice_eq(operation, SLICE("GetItem")) || (!other.next && (!other.c || !pick(other.c, 3)))) return code;
    other.interrupted = NULL;
    const struct op *next = other.next;
    other.next = NULL;
    struct op op = next ? *next : interruption(outer);
    do {
        of_error err;
        int result = run_op(other.w, &op, &err);
        if (result) {
            expected_failure(result, &err);
        } else {
            follow(other.mem, &op);
            other.done++;
        }
        if (next) op = *++next;
    } while (next && op.kind);
    other.interrupted = outer;
    return code;
}

static void interrupted_writer(const struct setting *s, uint64_t seed, size_t steps)
{
    struct world w;
    struct memory *mem = calloc(1, sizeof *mem);
    struct chance c = { seed };
    size_t done = 0;
    world_open(&w, s->model);
    other.call = w.db->embedded.call;
    w.db->embedded.call = call_and_interrupt;
    other.w = &w, other.s = s, other.mem = mem, other.c = &c, other.done = 0;
    for (size_t i = 0; i < steps; i++) {
        struct op op = random_op(&c, s, false);
        of_error err;
        other.interrupted = &op;
        int result = run_op(&w, &op, &err);
        other.interrupted = NULL;
        if (result) {
            expected_failure(result, &err);
        } else {
            follow(mem, &op);
            done++;
        }
        if (i % 16 == 0) compare(&w, mem);
    }
    compare(&w, mem);
    assert_true(done > steps / 5);
    assert_true(other.done > steps / 5);
    world_close(&w);
    free(mem);
}

static void test_writes_between_reading_and_writing(void **state)
{
    (void)state;
    interrupted_writer(&settings[SETTING_ORDERS], 11, steps_of(1500));
    interrupted_writer(&settings[SETTING_USERS], 12, steps_of(1000));
    interrupted_writer(&settings[SETTING_TASKS], 13, steps_of(1500));
}

/* One write, and what comes between its reading and writing. */
static void assert_interrupted(const struct setting *s, struct op *first, struct op *outer, const struct op *between)
{
    struct world w;
    struct memory *mem = calloc(1, sizeof *mem);
    of_error err;
    world_open(&w, s->model);
    other.call = w.db->embedded.call;
    w.db->embedded.call = call_and_interrupt;
    other.w = &w, other.s = s, other.mem = mem, other.c = NULL;
    assert_int_equal(run_op(&w, first, &err), 0);
    follow(mem, first);
    other.interrupted = outer, other.next = between;
    assert_int_equal(run_op(&w, outer, &err), 0);
    assert_null(other.next);
    other.interrupted = NULL;
    follow(mem, outer);
    compare(&w, mem);
    world_check(&w);
    world_close(&w);
    free(mem);
}

/* What an update finds to be as it asks for may be changed by another before it is done. */
static void test_a_value_that_is_there_already(void **state)
{
    (void)state;
    const struct setting *s = &settings[SETTING_TASKS];
    const struct kind *member = &s->kinds[1];
    struct op put = { .what = OP_PUT, .kind = member, .values = { { 0, 0, 1 } } };
    struct op set = { .what = OP_UPDATE, .kind = member, .values = put.values, .change = "\0\0=", .to = { 0, 0, 1 } };
    struct op take[] = { { .what = OP_UPDATE, .kind = member, .values = put.values, .change = "\0\0-" }, { .kind = NULL } };
    assert_interrupted(s, &put, &set, take);
    struct op none = { .what = OP_PUT, .kind = member, .values = { { 1, 1, ABSENT } } };
    struct op remove = { .what = OP_UPDATE, .kind = member, .values = none.values, .change = "\0\0-" };
    struct op give[] = { { .what = OP_UPDATE, .kind = member, .values = none.values, .change = "\0\0=", .to = { 0, 0, 2 } }, { .kind = NULL } };
    assert_interrupted(s, &none, &remove, give);
}

/* Another entity of the same key begins with the same version, and has other unique values. */
static void test_an_entity_that_comes_anew(void **state)
{
    (void)state;
    const struct setting *s = &settings[SETTING_USERS];
    const struct kind *user = &s->kinds[0];
    struct op put = { .what = OP_PUT, .kind = user, .values = { { 0, 0, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT } } };
    struct op move = { .what = OP_UPDATE, .kind = user, .values = put.values, .change = "\0=", .to = { 0, 2 } };
    struct op anew[] = { { .what = OP_DELETE, .kind = user, .values = put.values },
                         { .what = OP_PUT, .kind = user, .values = { { 0, 3, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT } }, .if_absent = true },
                         { .kind = NULL } };
    assert_interrupted(s, &put, &move, anew);
}

/* ---- several writers of the same few entities ---- */

struct writer {
    struct world *w;
    const struct setting *s;
    uint64_t seed;
    size_t steps, done;
};

static void *write_much(void *arg)
{
    struct writer *me = arg;
    struct chance c = { me->seed };
    for (size_t i = 0; i < me->steps; i++) {
        struct op ops[2];
        of_error err;
        size_t n = pick(&c, 8) ? 1 : 2;
        for (size_t j = 0; j < n; j++)
            ops[j] = random_op(&c, me->s, n > 1);
        int result = n == 1 ? run_op(me->w, &ops[0], &err) : run_transaction(me->w, ops, n, &err);
        if (result) {
            expected_failure(result, &err);
        } else {
            me->done++;
        }
    }
    return NULL;
}

static void several_writers(const struct setting *s, uint64_t seed, size_t steps)
{
    struct world w;
    struct writer writers[4];
    pthread_t threads[4];
    if (getenv("OF_TEST_SLOW")) steps /= 10; /* valgrind runs one thread at a time */
    world_open(&w, s->model);
    for (unsigned i = 0; i < 4; i++) {
        writers[i] = (struct writer){ .w = &w, .s = s, .seed = seed + i, .steps = steps };
        assert_int_equal(pthread_create(&threads[i], NULL, write_much, &writers[i]), 0);
    }
    size_t done = 0;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        done += writers[i].done;
    }
    assert_true(done > steps);
    world_check(&w);
    world_close(&w);
}

static void test_several_threads(void **state)
{
    (void)state;
    several_writers(&settings[SETTING_ORDERS], 100, 400);
    several_writers(&settings[SETTING_USERS], 200, 300);
    several_writers(&settings[SETTING_TASKS], 300, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entities_with_copies_and_shards),
        cmocka_unit_test(test_unique_values_and_versions),
        cmocka_unit_test(test_keys_that_move),
        cmocka_unit_test(test_writes_between_reading_and_writing),
        cmocka_unit_test(test_a_value_that_is_there_already),
        cmocka_unit_test(test_an_entity_that_comes_anew),
        cmocka_unit_test(test_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
