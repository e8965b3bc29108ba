/* test_model_read.c: what a model file becomes: keys, paths, copies, patterns; lookups; the fingerprint; its speed.
 * What is refused is in test_model_refuse.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "model/model.h"

static struct model *model; /* freed after each test */
static struct problems ps;

static struct model *read_text(struct slice text)
{
    problems_init(&ps, &arena);
    struct model *m = model_read(&ps, SLICE("dir/onefold.yaml"), text);
    if (!m) {
        const struct problem *p = ps.first;
        fail_msg("%u:%u %.*s", p->place.line, p->place.column, SLICE_ARG(p->message));
    }
    assert_int_equal(ps.n, 0);
    return m;
}

static struct model *read_str(const char *text)
{
    model_free(model);
    /* In a copy that is gone when the model is looked at: the model keeps what it needs. */
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, text, n);
    model = read_text(slice_of(copy, n));
    memset(copy, 'X', n);
    free(copy);
    return model;
}

static int drop(void **state)
{
    (void)state;
    model_free(model);
    model = NULL;
    return 0;
}

static void assert_text(struct slice s, const char *expected)
{
    if (!slice_eq(s, slice_str(expected))) fail_msg("\"%.*s\" is not \"%s\"", SLICE_ARG(s), expected);
}

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "about: A shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "timestamps: true\n"
    "entities:\n"
    "  Customer:\n"
    "    key: { PK: \"CUSTOMER#${customerId}\", SK: \"#METADATA\" }\n"
    "    attributes:\n"
    "      customerId: { type: string, required: true }\n"
    "      name: string\n"
    "      email: { type: string, required: true }\n"
    "    unique: [email, [name, email]]\n"
    "  Order:\n"
    "    key: { PK: \"ORDER#${orderId}\", SK: \"#METADATA\" }\n"
    "    index:\n"
    "      GSI1: { GSI1PK: \"STATUS#${status}\", GSI1SK: \"ORDER#${orderId}\", shards: { of: GSI1PK, by: orderId, count: 10 } }\n"
    "    copies:\n"
    "      - key: { PK: \"CUSTOMER#${customerId}\", SK: \"ORDER#${orderId}\" }\n"
    "        only: [orderId, status, total]\n"
    "    attributes:\n"
    "      orderId: { type: string, generate: ulid }\n"
    "      customerId: { type: string, required: true }\n"
    "      status: { enum: [pending, shipped], default: pending }\n"
    "      total: { type: number, min: 0, required: true }\n"
    "    lock: version\n"
    "    schema: 2\n"
    "    rate: { put: 10/s, update: 120/min }\n"
    "    expect: { items: 1000000, bytes: 300 }\n"
    "patterns:\n"
    "  ordersOfCustomer: { of: Order, by: [customerId], order: newest, limit: 20, rate: 3600/h }\n"
    "  recent: { of: [Order, Customer], by: { status: pending }, where: { createdAt: { since: -30d, until: $end } } }\n"
    "  everything: { collection: Customer, by: [customerId], index: table }\n"
    "data: data.yaml\n"
    "prices: /etc/prices.yaml\n"
    "silence: [{ rule: hot-partition, on: Order, reason: few }]\n";

static void the_table_and_its_indexes_are_read(void **state)
{
    (void)state;
    const struct model *m = read_str(shop);
    assert_text(m->table, "shop");
    assert_text(m->about, "A shop");
    assert_text(m->file, "dir/onefold.yaml");
    assert_text(m->text, shop);
    assert_int_equal(m->n_indexes, 2);
    assert_text(m->indexes[0].hash.attrs[0].name, "PK");
    assert_text(m->indexes[0].sort.attrs[0].name, "SK");
    assert_text(m->indexes[1].name, "GSI1");
    assert_int_equal(m->indexes[1].place.line, 5);
    assert_ptr_equal(model_index(m, SLICE("GSI1")), &m->indexes[1]);
    assert_ptr_equal(model_index(m, SLICE("table")), &m->indexes[0]);
    assert_null(model_index(m, SLICE("GSI2")));
    assert_true(model_is_key_attribute(m, SLICE("GSI1SK")));
    assert_false(model_is_key_attribute(m, SLICE("orderId")));
    assert_text(m->delimiter, "#");
    assert_text(m->entity_attribute, "entity_type");
    assert_text(m->schema_attribute, "schema_v");
    assert_text(m->created, "createdAt");
    assert_text(m->data[0], "dir/data.yaml");
    assert_text(m->prices, "/etc/prices.yaml");
    assert_text(m->silences[0].on, "Order");
}

static void an_entity_has_attributes_paths_and_copies(void **state)
{
    (void)state;
    const struct model *m = read_str(shop);
    const struct entity *o = model_entity(m, SLICE("Order"));
    assert_non_null(o);
    assert_null(model_entity(m, SLICE("order")));
    assert_int_equal(o->number, 1);
    assert_int_equal(o->n_attributes, 7); /* four, two timestamps, the version */
    const struct attribute *id = entity_attribute(o, SLICE("orderId"));
    assert_int_equal(id->generate, GENERATE_ULID);
    assert_int_equal(id->time, TIME_ULID);
    assert_int_equal(entity_attribute(o, SLICE("createdAt"))->time, TIME_DATE_TIME);
    assert_true(entity_attribute(o, SLICE("createdAt"))->automatic);
    assert_int_equal(entity_attribute(o, SLICE("version"))->type, TYPE_N);
    assert_int_equal(entity_attribute(o, SLICE("status"))->n_enumeration, 2);
    assert_text(val_content(entity_attribute(o, SLICE("status"))->default_value), "pending");
    assert_null(entity_attribute(o, SLICE("nothing")));
    assert_text(o->lock, "version");
    assert_int_equal(o->schema, 2);
    assert_true(o->put.per_second > 9.99 && o->put.per_second < 10.01);
    assert_true(o->update.per_second > 1.99 && o->update.per_second < 2.01);
    assert_true(o->delete.per_second == 0);
    assert_true(o->expect.has_items && o->expect.items == 1000000);

    assert_int_equal(m->n_paths, 4);
    for (size_t i = 0; i < m->n_paths; i++) assert_int_equal(m->paths[i].number, i);
    assert_ptr_equal(o->key, &m->paths[o->key->number]);
    assert_int_equal(o->key->kind, PATH_KEY);
    assert_ptr_equal(o->key->entity, o);
    assert_text(o->key->hash[0].template.source, "ORDER#${orderId}");
    assert_int_equal(o->n_entries, 1);
    const struct access_path *entry = o->entries[0];
    assert_ptr_equal(entry, &m->paths[entry->number]);
    assert_ptr_equal(entry->index, &m->indexes[1]);
    assert_int_equal(entry->hash[0].shards->count, 10);
    assert_ptr_equal(entry->hash[0].shards->by_attribute, id);
    assert_null(entry->sort[0].shards);
    assert_int_equal(o->n_copies, 1);
    assert_text(o->copies[0].name, "copy 1");
    assert_int_equal(o->copies[0].n_only, 3);
    assert_ptr_equal(o->copies[0].key->copy, &o->copies[0]);
    assert_int_equal(o->copies[0].key->kind, PATH_COPY);
    assert_int_equal(o->copies[0].n_entries, 0);
    assert_true(path_uses(entry, SLICE("status")));
    assert_true(path_uses(entry, SLICE("orderId")));
    assert_false(path_uses(entry, SLICE("customerId")));
    assert_false(path_uses(o->key, SLICE("SK")));
}

static void unique_values_have_sentinels(void **state)
{
    (void)state;
    const struct entity *c = model_entity(read_str(shop), SLICE("Customer"));
    assert_int_equal(c->n_uniques, 2);
    assert_text(c->uniques[0].hash.source, "UNIQUE#Customer#email#${email}");
    assert_text(c->uniques[0].sort.source, "UNIQUE");
    assert_text(c->uniques[1].hash.source, "UNIQUE#Customer#name+email#${name}#${email}");
    assert_true(c->uniques[1].hash.escape);
    assert_int_equal(c->uniques[1].hash.n, 4);
    const struct model *m = read_str("onefold: 1\ntable: abc\nkeys: { hash: id }\ndelimiter: '~~'\nentities:\n"
                                     "  \"A~~%B\":\n    key: { id: \"A~~${x}\" }\n    attributes: { x: string }\n    unique: [x]\n");
    assert_text(m->entities[0].uniques[0].hash.source, "UNIQUE~~A%7E%7E%25B~~x~~${x}");
    assert_int_equal(m->entities[0].uniques[0].sort.n, 0);
}

static void patterns_are_read(void **state)
{
    (void)state;
    const struct model *m = read_str(shop);
    assert_int_equal(m->n_patterns, 3);
    const struct pattern *p = model_pattern(m, SLICE("ordersOfCustomer"));
    assert_int_equal(p->n_by, 1);
    assert_true(p->by[0].a.input);
    assert_text(p->by[0].a.text, "customerId");
    assert_int_equal(p->order, ORDER_NEWEST);
    assert_int_equal(p->limit, 20);
    assert_true(p->rate.per_second > 0.99 && p->rate.per_second < 1.01);
    p = model_pattern(m, SLICE("recent"));
    assert_int_equal(p->n_entities, 2);
    assert_ptr_equal(p->entities[0], model_entity(m, SLICE("Order")));
    assert_false(p->by[0].a.input);
    assert_int_equal(p->n_where, 2);
    assert_int_equal(p->where[0].op, COMPARE_SINCE);
    assert_text(p->where[0].a.text, "-30d");
    assert_int_equal(p->where[1].op, COMPARE_UNTIL);
    assert_true(p->where[1].a.input);
    assert_text(p->where[1].a.text, "end");
    p = model_pattern(m, SLICE("everything"));
    assert_true(p->collection);
    assert_ptr_equal(p->index, &m->indexes[0]);
    assert_null(model_pattern(m, SLICE("nothing")));
}

static void indexes_of_the_entitys_own_attributes_need_no_templates(void **state)
{
    (void)state;
    const struct model *m = read_str(
        "onefold: 1\ntable: abc\nkeys: { hash: PK, sort: { name: n, type: number } }\nindexes:\n"
        "  multi: { hash: [tenant, region], sort: [day, n], project: [total] }\n"
        "  inverted: { hash: { name: n, type: number }, sort: PK, project: keys }\n"
        "  LSI: { local: true, sort: day }\n"
        "  mine: { hash: owner }\n"
        "entities:\n  Order:\n    key: { PK: 'O#${tenant}', n: '${n}' }\n    index: { multi: {} }\n    attributes:\n"
        "      { tenant: string, region: string, day: string, n: number, total: number }\n");
    const struct entity *o = &m->entities[0];
    /* Declared: one. The others because DynamoDB indexes every item that has the key attributes. */
    assert_int_equal(o->n_entries, 3);
    const struct access_path *p = o->entries[0];
    assert_int_equal(p->n_hash, 2);
    assert_int_equal(p->n_sort, 2);
    assert_true(p->hash[0].natural);
    assert_true(p->hash[0].template.whole);
    assert_text(p->sort[1].attribute->name, "n");
    assert_true(o->key->sort[0].natural);
    assert_text(o->entries[1]->index->name, "inverted");
    assert_text(o->entries[1]->sort[0].template.source, "O#${tenant}");
    assert_text(o->entries[2]->index->name, "LSI");
    assert_text(o->entries[2]->hash[0].template.source, "O#${tenant}");
    assert_true(o->entries[2]->sort[0].natural);
    assert_int_equal(m->indexes[1].projection, PROJECT_INCLUDE);
    assert_int_equal(m->indexes[2].projection, PROJECT_KEYS);
}

static void rules_of_attributes_are_read(void **state)
{
    (void)state;
    const struct model *m = read_str(
        "onefold: 1\ntable: abc\nttl: expires\nentityAttribute: none\ntimestamps: { created: born }\nentities:\n"
        "  A:\n    key: { PK: 'A#${id:08.2}', SK: A }\n    open: true\n    escape: percent\n    attributes:\n"
        "      id: { type: number, enum: [1, 2.50], readOnly: true }\n"
        "      code: { pattern: '[A-Z]{2}|x', max: 2, hidden: true }\n"
        "      at: { type: number, generate: now }\n"
        "      expires: number\n"
        "      born: { type: number, format: epoch-ms }\n"
        "      tags: { type: string-set, default: [a, b], max: 3 }\n"
        "      lines: { type: list, items: { type: map, attributes: { sku: { required: true }, qty: number } } }\n");
    const struct entity *a = &m->entities[0];
    assert_int_equal(m->entity_attribute.n, 0);
    assert_int_equal(m->schema_attribute.n, 0);
    assert_true(a->open);
    assert_true(a->key->hash[0].template.escape);
    assert_int_equal(a->key->hash[0].template.parts[1].digits, 8);
    assert_true(entity_attribute(a, SLICE("id"))->read_only);
    assert_non_null(entity_attribute(a, SLICE("code"))->compiled_pattern);
    assert_true(entity_attribute(a, SLICE("code"))->hidden);
    assert_int_equal(entity_attribute(a, SLICE("at"))->time, TIME_EPOCH);
    assert_int_equal(entity_attribute(a, SLICE("expires"))->time, TIME_EPOCH);
    assert_int_equal(entity_attribute(a, SLICE("born"))->time, TIME_EPOCH_MS);
    assert_true(entity_attribute(a, SLICE("born"))->automatic);
    assert_int_equal(val_count(entity_attribute(a, SLICE("tags"))->default_value), 2);
    const struct attribute *lines = entity_attribute(a, SLICE("lines"));
    assert_int_equal(lines->members[0].type, TYPE_M);
    assert_int_equal(lines->members[0].n_members, 2);
    assert_true(lines->members[0].members[0].required);
}

/* ---- the fingerprint ---- */

static const char *replaced(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    /* arena_printf ends it with a NUL */
    return (const char *)arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old)).p;
}

static void the_fingerprint_changes_with_where_items_lie_and_only_then(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new;
        bool changes;
    } cases[] = {
        { "about: A shop\n", "# nothing\nabout: Another\n", false },
        { "limit: 20", "limit: 30", false },
        { "min: 0, ", "", false },
        { "table: shop\n", "", false }, /* it comes again below */
        { "CUSTOMER#${customerId}", "CUST#${customerId}", true },
        { "count: 10", "count: 11", true },
        { "by: orderId, count: 10", "by: customerId, count: 10", true },
        { "timestamps: true", "delimiter: '|'", true },
        { "timestamps: true", "escape: percent", true },
        { "    copies:\n      - key: { PK: \"CUSTOMER#${customerId}\", SK: \"ORDER#${orderId}\" }\n"
          "        only: [orderId, status, total]\n", "", true },
        { "sort: GSI1SK }", "sort: GSI1SK, project: keys }", false },
        { "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n", "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n  GSI2: { hash: x }\n", true },
    };
    uint64_t before = read_str(shop)->fingerprint;
    assert_int_equal(read_str(shop)->fingerprint, before);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = replaced(shop, cases[i].old, cases[i].new);
        if (i == 3) text = replaced(text, "onefold: 1\n", "onefold: 1\ntable: other\n");
        if (!strstr(text, "timestamps"))
            text = replaced(text, ", where: { createdAt: { since: -30d, until: $end } }", "");
        uint64_t after = read_str(text)->fingerprint;
        if ((after != before) != cases[i].changes) fail_msg("case %zu", i);
    }
}

/* ---- size and speed ---- */

static struct slice large_model(unsigned entities, unsigned patterns)
{
    struct buf b;
    buf_init(&b, &arena, 16 << 20);
    buf_printf(&b, "onefold: 1\ntable: large\nindexes:\n");
    for (int i = 1; i <= 5; i++) buf_printf(&b, "  GSI%d: { hash: GSI%dPK, sort: GSI%dSK }\n", i, i, i);
    buf_printf(&b, "timestamps: true\nentities:\n");
    for (unsigned e = 0; e < entities; e++) {
        buf_printf(&b, "  Entity%u:\n    key: { PK: \"ENTITY%u#${id}\", SK: \"#METADATA\" }\n    index:\n", e, e);
        for (int i = 1; i <= 3; i++)
            buf_printf(&b, "      GSI%d: { GSI%dPK: \"E%u#${status}\", GSI%dSK: \"${createdAt}\" }\n", i, i, e, i);
        buf_printf(&b, "    copies:\n      - key: { PK: \"OWNER#${owner}\", SK: \"E%u#${id}\" }\n    attributes:\n", e);
        buf_printf(&b, "      id: { type: string, generate: ulid }\n      owner: { type: string, required: true }\n"
                       "      status: { enum: [a, b, c], default: a }\n      code: { pattern: '[a-z]+-[0-9]{4}' }\n");
        for (int i = 0; i < 16; i++) buf_printf(&b, "      attribute%d: { type: number, min: %d }\n", i, i);
    }
    buf_printf(&b, "patterns:\n");
    for (unsigned p = 0; p < patterns; p++)
        buf_printf(&b, "  pattern%u: { about: \"Question %u\", of: Entity%u, by: [status, owner], "
                       "where: { createdAt: { since: -30d } }, order: newest, limit: 20, rate: 10/s }\n",
                   p, p, p % entities);
    return buf_view(&b);
}

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void a_large_model_is_read_in_no_time(void **state)
{
    (void)state;
    struct slice text = large_model(200, 1000);
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        double from = milliseconds();
        model = read_text(text);
        double took = milliseconds() - from;
        if (took < best) best = took;
        assert_int_equal(model->n_patterns, 1000);
        assert_int_equal(model->n_paths, 1000);
        assert_ptr_equal(model_pattern(model, SLICE("pattern999"))->entities[0], model_entity(model, SLICE("Entity199")));
        drop(NULL);
    }
    print_message("200 entities, 1,000 patterns, %zu bytes: %.1f ms\n", text.n, best);
    if (!getenv("OF_TEST_SLOW")) assert_true(best < 500);
}

static void the_limits_are_kept(void **state)
{
    (void)state;
    model = read_text(large_model(1000, 5000));
    drop(NULL);
    problems_init(&ps, &arena);
    assert_null(model_read(&ps, SLICE("m"), large_model(1001, 5001)));
    assert_int_equal(ps.n, 2 + 4); /* the patterns of the entity that was left out */
    assert_text(ps.first->message, "there are 1001 entities; the most is 1000");
    uint8_t *much = calloc(1, MODEL_MAX_FILE + 1);
    problems_init(&ps, &arena);
    assert_null(model_read(&ps, SLICE("m"), slice_of(much, MODEL_MAX_FILE + 1)));
    assert_int_equal(ps.n, 1);
    free(much);
}

static void a_file_is_read_from_disk(void **state)
{
    (void)state;
    char path[] = "/tmp/onefold-model-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, shop, sizeof(shop) - 1), sizeof(shop) - 1);
    close(fd);
    problems_init(&ps, &arena);
    model = model_load(&ps, path);
    assert_non_null(model);
    assert_text(model->data[0], "/tmp/data.yaml");
    unlink(path);
    assert_null(model_load(&ps, path));
    assert_int_equal(ps.n, 1);
    assert_int_equal(ps.first->place.line, 0);
    assert_text(ps.first->message, "the model cannot be read: No such file or directory");
    problems_init(&ps, &arena);
    assert_null(model_load(&ps, "/tmp"));
    assert_text(ps.first->message, "the model cannot be read: Is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_table_and_its_indexes_are_read, drop),
        cmocka_unit_test_teardown(an_entity_has_attributes_paths_and_copies, drop),
        cmocka_unit_test_teardown(unique_values_have_sentinels, drop),
        cmocka_unit_test_teardown(patterns_are_read, drop),
        cmocka_unit_test_teardown(indexes_of_the_entitys_own_attributes_need_no_templates, drop),
        cmocka_unit_test_teardown(rules_of_attributes_are_read, drop),
        cmocka_unit_test_teardown(the_fingerprint_changes_with_where_items_lie_and_only_then, drop),
        cmocka_unit_test_teardown(a_large_model_is_read_in_no_time, drop),
        cmocka_unit_test_teardown(the_limits_are_kept, drop),
        cmocka_unit_test_teardown(a_file_is_read_from_disk, drop),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
