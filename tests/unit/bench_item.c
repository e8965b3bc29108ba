/* bench_item.c: what the item layer costs on an ordinary PutItem; not a test. Prints nanoseconds
 * per round: build/tests/unit/bench_item [rounds]. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "item/item_json.h"

static const char body[] =
    "{\"TableName\":\"shop\",\"Item\":{\"PK\":{\"S\":\"ORDER#01HV5K8Z3QW7RT2M9N4B6C8D0E\"},\"SK\":{"
    "\"S\":\"#METADATA\"},"
    "\"GSI1PK\":{\"S\":\"STATUS#pending\"},\"GSI1SK\":{\"S\":\"ORDER#01HV5K8Z3QW7RT2M9N4B6C8D0E\"},"
    "\"customerId\":{\"S\":\"01HV5K8Z3QW7\"},\"status\":{\"S\":\"pending\"},\"total\":{\"N\":\"129."
    "95\"},\"paid\":{\"BOOL\":true},"
    "\"lines\":{\"L\":[{\"M\":{\"sku\":{\"S\":\"A-1\"},\"n\":{\"N\":\"2\"}}}]}},"
    "\"ConditionExpression\":\"attribute_not_exists(PK)\",\"ReturnConsumedCapacity\":\"TOTAL\"}";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Touches every node, as an operation would. */
static size_t walk(const struct json *node)
{
    size_t n = 0;
    for (const struct json *c = node->first; c; c = c->next)
        n += c->name.n + c->text.n + walk(c);
    return n;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    struct slice text = slice_of(body, sizeof body - 1), item, v;
    struct arena a;
    struct buf b;
    size_t sum = 0;
    arena_init(&a, 1 << 24);
    double start = now();
    for (long i = 0; i < rounds; i++) {
        const struct json *j = json_parse(&a, text, 100, NULL);
        sum += walk(j);
        arena_reset(&a);
    }
    double parsed = now();
    printf("%zu bytes: parse and walk %.0f ns", text.n, (parsed - start) / (double)rounds);
    struct arena keep;
    arena_init(&keep, 1 << 24);
    struct err e = { .arena = &keep };
    const struct json *node = JSON_GET(json_parse(&keep, text, 100, NULL), "Item");
    start = now();
    for (long i = 0; i < rounds; i++) {
        if (item_from_json(&a, node, &item, &e)) return 1;
        sum += item.n;
        arena_reset(&a);
    }
    printf(", item from JSON %.0f ns", (now() - start) / (double)rounds);
    item_from_json(&keep, node, &item, &e);
    start = now();
    for (long i = 0; i < rounds; i++) {
        buf_init(&b, &a, 1 << 20);
        item_to_json(&b, item);
        sum += b.n;
        arena_reset(&a);
    }
    printf(" to JSON %.0f ns", (now() - start) / (double)rounds);
    start = now();
    for (long i = 0; i < rounds; i++)
        sum += val_get(item, i & 1 ? SLICE("total") : SLICE("paid"), &v);
    printf(", one attribute %.0f ns", (now() - start) / (double)rounds);
    start = now();
    for (long i = 0; i < rounds; i++)
        sum += val_item_size(item);
    printf(", size %.0f ns", (now() - start) / (double)rounds);
    start = now();
    for (long i = 0; i < rounds; i++)
        sum += val_check(item);
    printf(", check %.0f ns (encoded %zu bytes, sum %zu)\n", (now() - start) / (double)rounds,
           item.n, sum);
    arena_free(&a);
    arena_free(&keep);
    return 0;
}
