/* test_direct.c: of_get and of_query without a request (engine/direct.h) answer as the same operations with one do: the same items,
 * and of what is wrong the same words. */
#include <onefold.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ANSWER 4096 /* room for one as text */
#define BIG 30000 /* bytes of an item of the partition that needs several pages */

struct fixture {
    of_db *db;
    of_error err;
};

static of_answer *call(of_db *db, const char *operation, const char *body)
{
    of_answer *answer;
    assert_int_equal(of_call(db, operation, -1, body, -1, &answer, NULL), OF_OK);
    return answer;
}

static void create(of_db *db, const char *name, const char *types, bool range)
{
    char body[1024];
    snprintf(body, sizeof body,
             "{\"TableName\":\"%s\",\"BillingMode\":\"PAY_PER_REQUEST\",\"KeySchema\":[{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"}%s],"
             "\"AttributeDefinitions\":[{\"AttributeName\":\"PK\",\"AttributeType\":\"%c\"}%s%c%s]}",
             name, range ? ",{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}" : "", types[0],
             range ? ",{\"AttributeName\":\"SK\",\"AttributeType\":\"" : "", range ? types[1] : ' ', range ? "\"}" : "");
    of_answer *answer = call(db, "CreateTable", body);
    assert_int_equal(of_answer_status(answer), 200);
    of_answer_free(answer);
}

static void put(of_db *db, const char *table, of_item *item)
{
    of_error err;
    if (of_put(db, table, item, NULL, NULL, &err)) fail_msg("%s", err.message);
    of_item_free(item);
}

static of_item *text_item(const char *pk, const char *sk)
{
    of_item *item = of_item_new();
    of_item_set_string(item, "PK", -1, pk, -1);
    of_item_set_string(item, "SK", -1, sk, -1);
    return item;
}

static void fill(of_db *db)
{
    char *big = malloc(BIG + 1);
    memset(big, 'x', BIG);
    big[BIG] = 0;
    for (int i = 0; i < 40; i++) {
        char sk[16];
        snprintf(sk, sizeof sk, "S#%02d", i);
        put(db, "text", text_item("small", sk));
        of_item *item = text_item("big", sk);
        of_item_set_string(item, "text", -1, big, -1);
        put(db, "text", item);
    }
    free(big);
    for (int i = -5; i < 5; i++) {
        of_item *item = of_item_new();
        of_item_set_int(item, "PK", -1, i);
        of_item_set_binary(item, "SK", -1, "\0\1\0", 3);
        put(db, "numbers", item);
    }
    of_item *item = of_item_new();
    of_item_set_string(item, "PK", -1, "alone", -1);
    put(db, "hash", item);
}

static int open_db(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (!f || of_open(&f->db, NULL, &f->err)) return 1;
    create(f->db, "text", "SS", true);
    create(f->db, "numbers", "NB", true);
    create(f->db, "hash", "S", false);
    fill(f->db);
    *state = f;
    return 0;
}

static int close_db(void **state)
{
    struct fixture *f = *state;
    of_close(f->db);
    free(f);
    return 0;
}

/* Names, though none are used, make a request of a get. */
static void same_get(of_db *db, const char *table, const of_item *key, int code)
{
    of_item *names = of_item_new(), *direct = NULL, *asked = NULL;
    of_error a = { 0 }, b = { 0 };
    int one = of_get(db, table, key, NULL, NULL, &direct, &a), other = of_get(db, table, key, NULL, names, &asked, &b);
    assert_int_equal(one, other);
    assert_int_equal(one, code);
    assert_string_equal(a.message, b.message);
    assert_string_equal(a.type, b.type);
    assert_int_equal(!direct, !asked);
    if (direct) {
        of_value x = of_item_value(direct), y = of_item_value(asked);
        assert_int_equal(x.n, y.n);
        assert_memory_equal(x.p, y.p, x.n);
    }
    of_item_free(direct);
    of_item_free(asked);
    of_item_free(names);
}

static of_item *long_key(size_t pk, size_t sk)
{
    char *text = malloc(4096);
    of_item *item = of_item_new();
    memset(text, 'k', 4096);
    of_item_set_string(item, "PK", -1, text, (ptrdiff_t)pk);
    of_item_set_string(item, "SK", -1, text, (ptrdiff_t)sk);
    free(text);
    return item;
}

static void gets_are_answered_alike(void **state)
{
    struct fixture *f = *state;
    of_item *key = text_item("small", "S#07"), *found;
    same_get(f->db, "text", key, OF_OK);
    assert_int_equal(of_get(f->db, "text", key, NULL, NULL, &found, NULL), OF_OK);
    assert_non_null(found);
    same_get(f->db, "text", found, OF_OK); /* an item that was read is a key as well */
    of_item_free(found);
    of_item_set_string(key, "SK", -1, "none", -1);
    same_get(f->db, "text", key, OF_OK);
    same_get(f->db, "hash", key, OF_INVALID);
    same_get(f->db, "numbers", key, OF_INVALID);
    same_get(f->db, "absent", key, OF_NOT_FOUND);
    same_get(f->db, "no name!", key, OF_INVALID);
    same_get(f->db, "", key, OF_INVALID);
    same_get(f->db, NULL, key, OF_INVALID);
    same_get(f->db, "text", NULL, OF_INVALID);
    same_get(f->db, "arn:aws:dynamodb:us-east-1:000000000000:table/text", key, OF_OK);
    of_item_set_string(key, "more", -1, "x", -1);
    same_get(f->db, "text", key, OF_INVALID);
    of_item_remove(key, "more", -1);
    of_item_remove(key, "SK", -1);
    same_get(f->db, "text", key, OF_INVALID);
    of_item_set_string(key, "SK", -1, "", -1);
    same_get(f->db, "text", key, OF_INVALID);
    of_item_set_int(key, "SK", -1, 3);
    same_get(f->db, "text", key, OF_INVALID);
    of_item_free(key);
}

static void keys_are_as_long_as_they_may_be(void **state)
{
    struct fixture *f = *state;
    static const struct { size_t pk, sk; int code; } sizes[] = {
        { 2048, 1024, OF_OK }, { 2049, 1024, OF_INVALID }, { 2048, 1025, OF_INVALID }, { 1, 0, OF_INVALID }, { 0, 1, OF_INVALID }
    };
    put(f->db, "text", long_key(2048, 1024));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        of_item *key = long_key(sizes[i].pk, sizes[i].sk);
        same_get(f->db, "text", key, sizes[i].code);
        of_item_free(key);
    }
    /* Each zero byte is two in the store. */
    uint8_t zeros[1024] = { 0 };
    of_item *key = of_item_new(), *found;
    of_item_set_int(key, "PK", -1, -4);
    of_item_set_binary(key, "SK", -1, zeros, sizeof zeros);
    assert_int_equal(of_put(f->db, "numbers", key, NULL, NULL, NULL), OF_OK);
    same_get(f->db, "numbers", key, OF_OK);
    assert_int_equal(of_get(f->db, "numbers", key, NULL, NULL, &found, NULL), OF_OK);
    assert_non_null(found);
    of_item_free(found);
    assert_int_equal(of_delete(f->db, "numbers", key, NULL, NULL, NULL), OF_OK);
    of_item_free(key);
}

static void a_table_that_was_dropped_or_made_again_is_noticed(void **state)
{
    struct fixture *f = *state;
    of_item *key = of_item_new(), *found;
    of_item_set_string(key, "PK", -1, "alone", -1);
    same_get(f->db, "hash", key, OF_OK);
    of_answer_free(call(f->db, "DeleteTable", "{\"TableName\":\"hash\"}"));
    same_get(f->db, "hash", key, OF_NOT_FOUND);
    create(f->db, "hash", "S", false);
    assert_int_equal(of_get(f->db, "hash", key, NULL, NULL, &found, NULL), OF_OK);
    assert_null(found);
    of_item_free(key);
}

/* ---- queries ---- */

/* Sort keys of the items, a line each; of an error its text. A filter, though it is true of every item, makes a request of it. */
static void ask(of_db *db, const char *condition, const of_item *values, bool descending, size_t limit, bool request, char *out)
{
    size_t left = ANSWER;
    of_query *q;
    of_error err = { 0 };
    const of_item *item;
    of_query_options o = { .condition = condition, .values = values, .descending = descending, .limit = limit };
    if (request) o.filter = "attribute_not_exists(nowhere)";
    int code = of_query_open(&q, db, "text", &o, &err);
    assert_int_equal(code, OF_OK);
    while ((code = of_query_next(q, &item, &err)) == OF_OK) {
        of_value v;
        size_t n;
        assert_true(of_item_get(item, "SK", -1, &v));
        const char *text = of_value_bytes(v, &n);
        int written = snprintf(out, left, "%.*s\n", (int)n, text);
        assert_true(written > 0 && (size_t)written < left);
        out += written, left -= (size_t)written;
    }
    if (code != OF_END) snprintf(out, left, "%s\n", err.message);
    of_query_close(q);
}

static const char *const conditions[] = {
    "PK = :a", ":a = PK", "PK = :a AND SK = :b", "PK = :a AND SK < :b", "PK = :a AND SK <= :b", "SK > :b AND PK = :a",
    "PK = :a AND SK >= :b", "PK = :a AND begins_with(SK, :b)", "PK = :a AND SK BETWEEN :b AND :c", "PK = :a AND SK BETWEEN :c AND :b",
    "PK = :a AND SK <> :b", "PK > :a", "SK = :b", "PK = :a OR SK = :b", "PK = :a AND PK = :b", "PK = :a AND other = :b",
    "PK = :none", "PK = ", "", "PK = :a AND contains(SK, :b)", "#p = :a", "name = :a", "PK.x = :a",
};

/* What each condition needs of the values: those that are not used are refused, so each is tried with all and with its own. */
static of_item *values_of(const char *condition, const char *pk, int kind, bool all)
{
    static const char *const names[] = { ":a", ":b", ":c" };
    of_item *values = of_item_new();
    for (int i = 0; i < 3; i++) {
        if (!all && !strstr(condition, names[i])) continue;
        if (i == 0) of_item_set_string(values, names[i], -1, pk, -1);
        else if (kind == 0) of_item_set_string(values, names[i], -1, i == 1 ? "S#1" : "S#25", -1);
        else if (kind == 1) of_item_set_int(values, names[i], -1, 5);
        else of_item_set_string(values, names[i], -1, "", -1);
    }
    return values;
}

static void queries_are_answered_alike(void **state)
{
    struct fixture *f = *state;
    static const size_t limits[] = { 0, 1, 7, 38, 40, 41, 2000 };
    char one[ANSWER], other[ANSWER];
    size_t answered = 0;
    for (size_t c = 0; c < sizeof conditions / sizeof *conditions; c++) {
        for (unsigned way = 0; way < 2 * 3 * 2 * 3; way++) {
            const char *pk = (const char *[]){ "small", "big", "" }[way % 3];
            of_item *values = values_of(conditions[c], pk, (int)(way / 3 % 3), way / 9 % 2);
            for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
                one[0] = other[0] = 0;
                ask(f->db, conditions[c], values, way / 18, limits[l], false, one);
                ask(f->db, conditions[c], values, way / 18, limits[l], true, other);
                assert_string_equal(one, other);
                answered += one[0] == 'S' && one[1] == '#';
            }
            of_item_free(values);
        }
    }
    assert_true(answered > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gets_are_answered_alike),
        cmocka_unit_test(keys_are_as_long_as_they_may_be),
        cmocka_unit_test(queries_are_answered_alike),
        cmocka_unit_test(a_table_that_was_dropped_or_made_again_is_noticed),
    };
    return cmocka_run_group_tests(tests, open_db, close_db);
}
