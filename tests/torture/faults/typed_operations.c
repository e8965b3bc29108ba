/* typed_operations.c: the functions of onefold.h. Each frees what it made, also where it was not given all the memory it asked for. */
#include "operations.h"
#include <stdlib.h>
#include <unistd.h>

/* ---- helpers ---- */

static of_item *make_item(const char *p, const char *s)
{
    of_item *item = of_item_new();
    if (!item) return NULL;
    if (!of_item_set_string(item, "p", -1, p, -1) && !of_item_set_string(item, "s", -1, s, -1)) return item;
    of_item_free(item);
    return NULL;
}

/* Of the model's Order o1, which the sample data has, or of another. */
static of_item *order_key(const char *id)
{
    of_item *item = of_item_new();
    if (item && !of_item_set_string(item, "orderId", -1, id, -1)) return item;
    of_item_free(item);
    return NULL;
}

/* report: of a function that has returned this code. */
static int report_end(int code, of_answer **report)
{
    if (!code) of_answer_free(*report);
    return code;
}

/* ---- the database ---- */

static int open_in_memory(struct world *w, of_error *err)
{
    of_db *db;
    (void)w;
    int code = of_open(&db, NULL, err);
    if (!code) of_close(db);
    return code;
}

static int open_directory(struct world *w, of_error *err)
{
    of_db *db;
    (void)w;
    int code = of_open(&db, &(of_options){ .dir = getenv("SCRATCH") }, err);
    if (!code) of_close(db);
    return code;
}

/* ---- items ---- */

static int fill_item(of_item *item, of_item *inner, of_list *list)
{
    int code = of_item_set_int(item, "n", -1, 42);
    if (!code) code = of_item_set_number(item, "big", -1, "1.5E+20", -1);
    if (!code) code = of_item_set_binary(item, "bytes", -1, "\0\1\2", 3);
    if (!code) code = of_item_set_bool(item, "yes", -1, true);
    if (!code) code = of_item_set_null(item, "nothing", -1);
    if (!code) code = of_item_set_string(inner, "k", -1, "v", -1);
    if (!code) code = of_item_set_map(item, "map", -1, inner);
    if (!code) code = of_list_add_string(list, "text", -1);
    if (!code) code = of_list_add_int(list, -7);
    if (!code) code = of_item_set_list(item, "list", -1, list);
    if (!code) code = of_item_remove(item, "yes", -1);
    return code;
}

static int build_item(struct world *w, of_error *err)
{
    of_item *item = of_item_new(), *inner = of_item_new();
    of_list *list = of_list_new();
    (void)w;
    (void)err;
    int code = item && inner && list ? fill_item(item, inner, list) : OF_NO_MEMORY;
    if (!code && of_item_size(item) == 0) code = OF_NO_MEMORY;
    of_item_free(item);
    of_item_free(inner);
    of_list_free(list);
    return code;
}

static int put(struct world *w, of_error *err)
{
    of_item *item = make_item("typed", "1");
    int code = item ? of_item_set_string(item, "g", -1, "g1", -1) : OF_NO_MEMORY;
    if (!code) code = of_put(w->db, "one", item, NULL, NULL, err);
    of_item_free(item);
    return code;
}

static int put_in_place(struct world *w, of_error *err)
{
    of_item *item = make_item("a", "1"), *old = NULL;
    int code = item ? of_put(w->db, "one", item, &(of_write_options){ .condition = "attribute_exists(p)" }, &old, err) : OF_NO_MEMORY;
    if (!code) of_item_free(old);
    of_item_free(item);
    return code;
}

static int get_with(struct world *w, const char *projection, of_error *err)
{
    of_item *key = make_item("a", "1"), *item = NULL;
    int code = key ? of_get(w->db, "one", key, projection, NULL, &item, err) : OF_NO_MEMORY;
    if (!code) of_item_free(item);
    of_item_free(key);
    return code;
}

static int get(struct world *w, of_error *err)
{
    return get_with(w, NULL, err);
}

static int get_projected(struct world *w, of_error *err)
{
    return get_with(w, "g, n", err);
}

static int update(struct world *w, of_error *err)
{
    of_item *key = make_item("a", "1"), *values = of_item_new(), *result = NULL;
    int code = key && values ? of_item_set_string(values, ":g", -1, "g5", -1) : OF_NO_MEMORY;
    if (!code) code = of_update(w->db, "one", key, "SET g = :g", &(of_write_options){ .values = values }, &result, err);
    if (!code) of_item_free(result);
    of_item_free(key);
    of_item_free(values);
    return code;
}

static int delete(struct world *w, of_error *err)
{
    of_item *key = make_item("a", "1"), *old = NULL;
    int code = key ? of_delete(w->db, "one", key, NULL, &old, err) : OF_NO_MEMORY;
    if (!code) of_item_free(old);
    of_item_free(key);
    return code;
}

static int delete_if_not(struct world *w, of_error *err)
{
    of_item *key = make_item("a", "1");
    int code = key ? of_delete(w->db, "one", key, &(of_write_options){ .condition = "attribute_not_exists(p)" }, NULL, err) : OF_NO_MEMORY;
    of_item_free(key);
    return code;
}

/* ---- queries and transactions ---- */

static int read_all(struct world *w, const of_query_options *o, of_error *err)
{
    of_query *query;
    const of_item *item;
    int code = of_query_open(&query, w->db, "one", o, err);
    if (code) return code;
    while (!(code = of_query_next(query, &item, err))) continue;
    of_query_close(query);
    return code == OF_END ? OF_OK : code;
}

static int query_with(struct world *w, of_query_options o, of_error *err)
{
    of_item *values = of_item_new();
    int code = values ? of_item_set_string(values, ":v", -1, o.index ? "g1" : "a", -1) : OF_NO_MEMORY;
    o.values = values;
    if (!code) code = read_all(w, &o, err);
    of_item_free(values);
    return code;
}

static int query(struct world *w, of_error *err)
{
    return query_with(w, (of_query_options){ .condition = "p = :v" }, err);
}

static int query_filtered(struct world *w, of_error *err)
{
    return query_with(w, (of_query_options){ .condition = "p = :v", .filter = "attribute_exists(n)", .projection = "s", .descending = true }, err);
}

static int query_index(struct world *w, of_error *err)
{
    return query_with(w, (of_query_options){ .index = "byG", .condition = "g = :v" }, err);
}

static int scan(struct world *w, of_error *err)
{
    return read_all(w, &(of_query_options){ .limit = 3 }, err);
}

/* never: a condition that is not true; NULL: none. */
static int add_actions(of_transaction *t, const of_item *one, const of_item *two, const of_write_options *never)
{
    int code = of_transaction_put(t, "one", one, NULL);
    return code ? code : of_transaction_delete(t, "one", two, never);
}

static int transact_with(struct world *w, const of_write_options *never, const char *token, of_error *err)
{
    of_item *one = make_item("typed", "1"), *two = make_item("a", "2");
    of_transaction *t = of_transaction_new(w->db);
    int code = one && two && t ? add_actions(t, one, two, never) : OF_NO_MEMORY;
    if (!code) code = of_transaction_commit(t, token, err);
    of_transaction_free(t);
    of_item_free(one);
    of_item_free(two);
    return code;
}

static int transact(struct world *w, of_error *err)
{
    return transact_with(w, NULL, "typed", err);
}

static int transact_canceled(struct world *w, of_error *err)
{
    return transact_with(w, &(of_write_options){ .condition = "attribute_not_exists(p)" }, NULL, err);
}

/* ---- the model ---- */

static int model_open(struct world *w, of_error *err)
{
    of_model *model;
    (void)w;
    int code = of_model_open(&model, getenv("MODEL"), err);
    if (!code) of_model_close(model);
    return code;
}

static int model_check(struct world *w, of_error *err)
{
    of_answer *report;
    (void)w;
    return report_end(of_model_check(getenv("MODEL"), &report, err), &report);
}

#define REPORT(function, call)                              \
    static int function(struct world *w, of_error *err)     \
    {                                                       \
        of_answer *report = NULL;                           \
        int code = call;                                    \
        return report_end(code, &report);                    \
    }
REPORT(model_outline, of_model_outline(w->model, &report, err))
REPORT(model_explain, of_model_explain(w->model, "ordersByStatus", &report, err))
REPORT(model_lint, of_model_lint(w->model, &report, err))
REPORT(model_docs, of_model_docs(w->model, "markdown", &report, err))
REPORT(model_table, of_model_table(w->model, "cloudformation", &report, err))
REPORT(model_cost, of_model_cost(w->model, NULL, &report, err))
REPORT(model_apply, of_model_apply(w->model, w->db, &(of_apply_options){ .dry_run = true }, &report, err))
REPORT(model_scan, of_model_scan(w->model, w->db, "Order", &(of_run_options){ .limit = 0 }, &report, err))
REPORT(model_query, of_model_query(w->model, w->db, "Order", "status = pending", &(of_run_options){ .limit = 0 }, &report, err))
REPORT(model_query_explain, of_model_query_explain(w->model, w->db, "Order", "status = pending", &(of_run_options){ .limit = 0 }, &report, err))
REPORT(model_browse, of_model_browse(w->model, w->db, &(of_browse_options){ .limit = 5 }, &report, err))
REPORT(model_sample, of_model_load_sample(w->model, w->db, &report, err))
REPORT(model_identify, of_items_identify(w->model, "[{\"PK\":{\"S\":\"ORDER#1\"},\"SK\":{\"S\":\"#METADATA\"}}]", -1, &report, err))
REPORT(entity_keys, of_entity_keys(w->model, "Order", "{\"orderId\":{\"S\":\"1\"}}", -1, &report, err))

static int item_size(struct world *w, of_error *err)
{
    of_answer *report;
    (void)w;
    return report_end(of_size("{\"p\":{\"S\":\"x\"}}", -1, &report, err), &report);
}

static int library(struct world *w, of_error *err)
{
    of_answer *report;
    (void)w;
    return report_end(of_patterns(&report, err), &report);
}

static int entity_put(struct world *w, of_error *err)
{
    of_item *order;
    int code = of_entity_from_json(w->model, "Order", "{\"orderId\":\"new\",\"customerId\":\"c9\",\"total\":12}", -1, &order, err);
    if (code) return code;
    code = of_entity_put(w->model, w->db, "Order", order, NULL, NULL, err);
    of_item_free(order);
    return code;
}

static int entity_get(struct world *w, of_error *err)
{
    of_item *key = order_key("none"), *result = NULL;
    int code = key ? of_entity_get(w->model, w->db, "Order", key, NULL, &result, err) : OF_NO_MEMORY;
    if (!code) of_item_free(result);
    of_item_free(key);
    return code;
}

static int entity_transact(struct world *w, of_error *err)
{
    static const char steps[] = "[{\"put\":\"Order\",\"attributes\":{\"orderId\":\"n1\",\"customerId\":\"c9\",\"total\":1}},"
                                "{\"put\":\"Line\",\"attributes\":{\"orderId\":\"n1\",\"number\":1,\"sku\":\"s\"}}]";
    return of_entities_transact(w->model, w->db, steps, -1, NULL, NULL, err);
}

static int pattern_run(struct world *w, of_error *err)
{
    of_item *inputs = of_item_new();
    of_answer *report;
    int code = inputs ? of_pattern_set(w->model, "ordersByStatus", inputs, "status", -1, "pending", -1, err) : OF_NO_MEMORY;
    if (!code) code = report_end(of_pattern_run(w->model, w->db, "ordersByStatus", inputs, NULL, &report, err), &report);
    of_item_free(inputs);
    return code;
}

static int pattern_code(struct world *w, of_error *err)
{
    of_item *inputs = of_item_new();
    of_answer *text;
    int code = inputs ? of_pattern_set(w->model, "ordersByStatus", inputs, "status", -1, "pending", -1, err) : OF_NO_MEMORY;
    if (!code) code = report_end(of_pattern_code(w->model, "ordersByStatus", inputs, "python", NULL, &text, err), &text);
    of_item_free(inputs);
    return code;
}

const struct operation typed_operations[] = {
    { .name = "of_open-memory", .run = open_in_memory },
    { .name = "of_open-directory", .run = open_directory },
    { .name = "of_item", .run = build_item },
    { .name = "of_put", .run = put },
    { .name = "of_put-in-place", .run = put_in_place },
    { .name = "of_get", .run = get },
    { .name = "of_get-projected", .run = get_projected },
    { .name = "of_update", .run = update },
    { .name = "of_delete", .run = delete },
    { .name = "of_delete-if-not", .run = delete_if_not },
    { .name = "of_query", .run = query },
    { .name = "of_query-filtered", .run = query_filtered },
    { .name = "of_query-index", .run = query_index },
    { .name = "of_query-scan", .run = scan },
    { .name = "of_transaction", .run = transact },
    { .name = "of_transaction-canceled", .run = transact_canceled },
    { .name = "of_model_open", .run = model_open },
    { .name = "of_model_check", .run = model_check },
    { .name = "of_model_outline", .run = model_outline },
    { .name = "of_model_explain", .run = model_explain },
    { .name = "of_model_lint", .run = model_lint },
    { .name = "of_model_docs", .run = model_docs },
    { .name = "of_model_table", .run = model_table },
    { .name = "of_model_cost", .run = model_cost },
    { .name = "of_model_apply", .run = model_apply },
    { .name = "of_model_scan", .run = model_scan },
    { .name = "of_model_query", .run = model_query },
    { .name = "of_model_query_explain", .run = model_query_explain },
    { .name = "of_model_browse", .run = model_browse },
    { .name = "of_model_load_sample", .run = model_sample, .in_pieces = true },
    { .name = "of_items_identify", .run = model_identify },
    { .name = "of_size", .run = item_size },
    { .name = "of_patterns", .run = library },
    { .name = "of_entity_keys", .run = entity_keys },
    { .name = "of_entity_put", .run = entity_put },
    { .name = "of_entity_get", .run = entity_get },
    { .name = "of_entities_transact", .run = entity_transact },
    { .name = "of_pattern_run", .run = pattern_run },
    { .name = "of_pattern_code", .run = pattern_code },
    { .name = NULL },
};
