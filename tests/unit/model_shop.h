/* model_shop.h: a small shop with everything that entity writes look after, and short forms to
 * write its entities. */
#ifndef OF_TESTS_MODEL_SHOP_H
#define OF_TESTS_MODEL_SHOP_H

#include "model_fixture.h"

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "entities:\n"
    "  Order:\n"
    "    key: { PK: 'ORDER#${orderId}', SK: '#META' }\n"
    "    index: { GSI1: { GSI1PK: 'STATUS#${status}', GSI1SK: '${day}#${orderId}' } }\n"
    "    copies:\n"
    "      - key: { PK: 'CUSTOMER#${customer}', SK: 'ORDER#${orderId}' }\n"
    "        only: [status, total]\n"
    "      - key: { PK: 'AGENT#${agent}', SK: 'ORDER#${orderId}' }\n"
    "        sparse: true\n"
    "    attributes:\n"
    "      orderId: { required: true }\n"
    "      customer: { required: true }\n"
    "      status: { enum: [open, paid, shipped], default: open }\n"
    "      total: { type: number, min: 0 }\n"
    "      day: string\n"
    "      agent: string\n"
    "      source: { readOnly: true }\n"
    "  User:\n"
    "    key: { PK: 'USER#${userId}', SK: PROFILE }\n"
    "    unique: [email, [tenant, slug]]\n"
    "    attributes: { userId: { required: true }, email: string, tenant: string, slug: string, "
    "visits: number }\n"
    "  Doc:\n"
    "    key: { PK: 'DOC#${docId}', SK: DOC }\n"
    "    lock: version\n"
    "    attributes: { docId: { required: true }, text: string, version: number }\n"
    "  Task:\n"
    "    key: { PK: 'PROJECT#${project}', SK: 'TASK#${priority:03}#${taskId}' }\n"
    "    attributes:\n"
    "      project: { required: true }\n"
    "      priority: { type: number, required: true }\n"
    "      taskId: { required: true }\n"
    "      note: string\n"
    "  Plain:\n"
    "    key: { PK: 'PLAIN#${id}', SK: PLAIN }\n"
    "    open: true\n"
    "    attributes: { id: { required: true }, count: number, tags: string-set, name: { max: 5 } "
    "}\n";

static struct world w;
static of_error err;

static inline int set_up(void **state)
{
    (void)state;
    world_open(&w, shop);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    world_check(&w); /* whatever a test did */
    world_close(&w);
    return 0;
}

/* ---- short forms ---- */

static inline int put(const char *entity, const char *attributes, const of_entity_options *o)
{
    of_item *item = item_of(attributes);
    int result = of_entity_put(w.model, w.db, entity, item, o, NULL, &err);
    of_item_free(item);
    return result;
}

static inline int update(const char *entity, const char *key, const char *set, const char *add,
                         const char *remove)
{
    of_item *k = item_of(key), *s = item_of(set), *a = item_of(add), *r = item_of(remove);
    int result = of_entity_update(w.model, w.db, entity, k, s, a, r, NULL, NULL, &err);
    of_item_free(k);
    of_item_free(s);
    of_item_free(a);
    of_item_free(r);
    return result;
}

static inline int erase(const char *entity, const char *key)
{
    of_item *k = item_of(key);
    int result = of_entity_delete(w.model, w.db, entity, k, NULL, NULL, &err);
    of_item_free(k);
    return result;
}

static inline void good(int result)
{
    if (result) fail_msg("%s: %s", err.type, err.message);
}

static inline void bad(int result, int code, const char *message)
{
    if (!result) fail_msg("it worked, but \"%s\" was expected", message);
    if (!strstr(err.message, message)) fail_msg("\"%s\" instead of \"%s\"", err.message, message);
    assert_int_equal(result, code);
}

/* The item at a key as plain JSON, "" where there is none. */
static inline const char *stored(const char *pk, const char *sk)
{
    of_item *key = of_item_new(), *item;
    of_item_set_string(key, "PK", -1, pk, -1);
    of_item_set_string(key, "SK", -1, sk, -1);
    good(of_get(w.db, "shop", key, NULL, NULL, &item, &err));
    const char *text = item ? show_item(&w, item) : "";
    of_item_free(key);
    of_item_free(item);
    return text;
}

static inline const char *entity(const char *name, const char *key)
{
    of_item *k = item_of(key), *item;
    good(of_entity_get(w.model, w.db, name, k, NULL, &item, &err));
    const char *text = item ? show_item(&w, item) : "";
    of_item_free(k);
    of_item_free(item);
    return text;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
