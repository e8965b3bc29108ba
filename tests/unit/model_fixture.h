/* model_fixture.h: a model, an embedded database in memory with the model's table, and a check that
 * everything in the table is what the templates say. */
#ifndef OF_TESTS_MODEL_FIXTURE_H
#define OF_TESTS_MODEL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "lib/lib_model.h"
#include "model/values.h"

struct world {
    of_db *db;
    of_model *model;
    struct arena arena; /* of the last question; reset by world_check */
};

/* ---- asking ---- */

static struct slice world_call(struct world *w, const char *operation, struct slice body)
{
    of_error err;
    of_answer *answer;
    size_t n;
    if (of_call(w->db, operation, -1, (const char *)body.p, (ptrdiff_t)body.n, &answer, &err)) {
        fail_msg("%s: %s", operation, err.message);
    }
    const char *text = of_answer_body(answer, &n);
    struct slice out = arena_dup(&w->arena, slice_of(text, n));
    if (of_answer_status(answer) != 200) fail_msg("%s: %.*s", operation, SLICE_ARG(out));
    of_answer_free(answer);
    return out;
}

static void put_side(struct buf *b, struct buf *defined, const struct key_side *side,
                     const char *kind)
{
    for (size_t i = 0; i < side->n; i++) {
        const struct key_attribute *at = &side->attrs[i];
        buf_printf(b, "%s{\"AttributeName\":\"%.*s\",\"KeyType\":\"%s\"}",
                   b->p[b->n - 1] == '[' ? "" : ",", SLICE_ARG(at->name), kind);
        char one[256];
        int n = snprintf(one, sizeof one, "{\"AttributeName\":\"%.*s\",\"AttributeType\":\"%s\"}",
                         SLICE_ARG(at->name), val_type_name(at->type));
        if (defined->n && memmem(defined->p, defined->n, one, (size_t)n)) continue;
        buf_printf(defined, "%s%s", defined->n ? "," : "", one);
    }
}

static void put_index(struct buf *b, struct buf *defined, const struct model *m,
                      const struct model_index *ix)
{
    buf_printf(
        b, "%s{\"IndexName\":\"%.*s\",\"Projection\":{\"ProjectionType\":\"ALL\"},\"KeySchema\":[",
        b->p[b->n - 1] == '[' ? "" : ",", SLICE_ARG(ix->name));
    put_side(b, defined, ix->local ? &m->indexes[0].hash : &ix->hash, "HASH");
    put_side(b, defined, &ix->sort, "RANGE");
    BUF_LIT(b, "]}");
}

static void world_create_table(struct world *w)
{
    const struct model *m = w->model->model;
    struct buf b, defined;
    buf_init(&b, &w->arena, 1 << 20);
    buf_init(&defined, &w->arena, 1 << 20);
    buf_printf(&b, "{\"TableName\":\"%.*s\",\"BillingMode\":\"PAY_PER_REQUEST\",\"KeySchema\":[",
               SLICE_ARG(m->table));
    put_side(&b, &defined, &m->indexes[0].hash, "HASH");
    put_side(&b, &defined, &m->indexes[0].sort, "RANGE");
    BUF_LIT(&b, "]");
    size_t global = 0;
    for (size_t i = 1; i < m->n_indexes; i++)
        global += !m->indexes[i].local;
    if (global) {
        BUF_LIT(&b, ",\"GlobalSecondaryIndexes\":[");
        for (size_t i = 1; i < m->n_indexes; i++) {
            if (!m->indexes[i].local) put_index(&b, &defined, m, &m->indexes[i]);
        }
        BUF_LIT(&b, "]");
    }
    buf_printf(&b, ",\"AttributeDefinitions\":[%.*s]}", SLICE_ARG(buf_view(&defined)));
    world_call(w, "CreateTable", buf_view(&b));
}

static inline void world_open(struct world *w, const char *model)
{
    of_error err;
    arena_init(&w->arena, (size_t)1 << 30);
    if (of_model_parse(&w->model, model, -1, "test.yaml", &err)) fail_msg("model: %s", err.message);
    if (of_open(&w->db, NULL, &err)) fail_msg("open: %s", err.message);
    world_create_table(w);
}

static inline void world_close(struct world *w)
{
    of_close(w->db);
    of_model_close(w->model);
    arena_free(&w->arena);
}

/* Every item of the table, in the world's arena. */
static size_t world_items(struct world *w, struct slice **out)
{
    const struct model *m = w->model->model;
    struct slice *items = ARENA_ARRAY(&w->arena, struct slice, 256), start = { NULL, 0 };
    size_t n = 0, cap = 256;
    do {
        struct err e = { .arena = &w->arena };
        struct buf b;
        buf_init(&b, &w->arena, 1 << 20);
        buf_printf(&b, "{\"TableName\":\"%.*s\",\"ConsistentRead\":true", SLICE_ARG(m->table));
        if (start.n) {
            BUF_LIT(&b, ",\"ExclusiveStartKey\":");
            item_to_json(&b, start);
        }
        buf_u8(&b, '}');
        const struct json *answer =
            json_parse(&w->arena, world_call(w, "Scan", buf_view(&b)), 128, NULL);
        const struct json *list = JSON_GET(answer, "Items"),
                          *last = JSON_GET(answer, "LastEvaluatedKey");
        for (const struct json *i = list->first; i; i = i->next) {
            if (n == cap) {
                struct slice *grown = ARENA_ARRAY(&w->arena, struct slice, cap * 2);
                memcpy(grown, items, n * sizeof *items);
                items = grown;
                cap *= 2;
            }
            assert_int_equal(item_from_json(&w->arena, i, &items[n++], &e), 0);
        }
        start = slice_of(NULL, 0);
        if (last) assert_int_equal(item_from_json(&w->arena, last, &start, &e), 0);
    } while (start.n);
    *out = items;
    return n;
}

static const char *show(struct world *w, struct slice item)
{
    struct buf b;
    buf_init(&b, &w->arena, 16 << 20);
    item_to_plain(&b, item);
    buf_u8(&b, 0);
    return (const char *)b.p;
}

static inline const char *show_item(struct world *w, const of_item *item)
{
    struct slice bytes;
    assert_true(lib_item_bytes(item, &bytes));
    return show(w, bytes);
}

static int by_bytes(const void *a, const void *b)
{
    return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* The invariant: what is in the table is exactly what the entities in it say, each key, copy and
 * sentinel. Returns how many entities there are. */
static inline size_t world_check(struct world *w)
{
    const struct model *m = w->model->model;
    struct slice *items, *expected;
    arena_reset(&w->arena);
    size_t n = world_items(w, &items), entities = 0, n_expected = 0, cap = 16 * (n + 1);
    expected = ARENA_ARRAY(&w->arena, struct slice, cap);
    for (size_t i = 0; i < n; i++) {
        struct err e = { .arena = &w->arena };
        struct identity id = item_identify(&w->arena, m, items[i]);
        struct stored st;
        if (id.sentinel) continue;
        if (!id.entity) fail_msg("not of this model: %s", show(w, items[i]));
        if (id.path->kind == PATH_COPY) continue;
        entities++;
        struct slice attributes = item_attributes(&w->arena, m, id.entity, items[i], true);
        if (entity_check(m, id.entity, attributes, &e)) {
            fail_msg("%s: %.*s", show(w, items[i]), SLICE_ARG(e.message));
        }
        if (entity_store(&w->arena, m, id.entity, attributes, &st, &e)) {
            fail_msg("%s: %.*s", show(w, items[i]), SLICE_ARG(e.message));
        }
        for (size_t j = 0; j < st.n; j++)
            expected[n_expected++] = st.items[j];
        for (size_t j = 0; j < st.n_sentinels; j++)
            expected[n_expected++] = st.sentinels[j];
        assert_true(n_expected + 16 < cap || i + 1 == n);
    }
    qsort(items, n, sizeof *items, by_bytes);
    qsort(expected, n_expected, sizeof *expected, by_bytes);
    for (size_t i = 0; i < n || i < n_expected; i++) {
        if (i < n && i < n_expected && slice_eq(items[i], expected[i])) continue;
        fail_msg("the table and its entities differ:\nthere:    %s\nexpected: %s",
                 i < n ? show(w, items[i]) : "nothing",
                 i < n_expected ? show(w, expected[i]) : "nothing");
    }
    return entities;
}

/* ---- items from text ---- */

/* "a=x n:=1 t:=true b=": strings with =, plain JSON with :=, words by spaces. */
static inline of_item *item_of(const char *text)
{
    of_item *item = of_item_new();
    while (*text) {
        const char *eq = strchr(text, '='), *end = strchr(text, ' ');
        if (!end) end = text + strlen(text);
        if (eq[-1] != ':') {
            assert_int_equal(of_item_set_string(item, text, eq - text, eq + 1, end - eq - 1), 0);
        } else if (eq[1] == 't' || eq[1] == 'f') {
            assert_int_equal(of_item_set_bool(item, text, eq - text - 1, eq[1] == 't'), 0);
        } else {
            assert_int_equal(of_item_set_number(item, text, eq - text - 1, eq + 1, end - eq - 1),
                             0);
        }
        text = *end ? end + 1 : end;
    }
    return item;
}

#endif
