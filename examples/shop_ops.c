/* shop_ops.c: seed 004: the orders of a day across users, a status that moves in its index, a profile with the last five
 * orders; and the filter on a key that DynamoDB refuses. */
#include "example.h"

static void print_orders(const char *title, of_item *answer)
{
    of_iter it = each(answer, "Order");
    printf("%s:\n", title);
    while (of_iter_next(&it)) line(it.value, "  % user % % %", "order_id", "user_id", "placed_at", "status");
    of_item_free(answer);
}

static void print_user(const struct shop *s)
{
    of_item *answer = ask(s, "userWithLastOrders", "user_id", "42", NULL);
    of_iter it = each(answer, "User");
    while (of_iter_next(&it)) line(it.value, "% and the last orders:", "name");
    it = each(answer, "Order");
    while (of_iter_next(&it)) line(it.value, "  % %", "date", "order_id");
    printf("  (%d items read)\n", items_read(answer));
    of_item_free(answer);
}

/* The seed's own request. */
static void print_refusal(const struct shop *s)
{
    of_item *values = of_item_new();
    of_query *query;
    if (!values) exit(1);
    must(of_item_set_string(values, ":pk", -1, "USER#42", -1));
    must(of_item_set_string(values, ":profile", -1, "PROFILE", -1));
    must(of_item_set_string(values, ":orderPrefix", -1, "ORDER#", -1));
    int code = of_query_open(&query, s->db, "shop-ops", &(of_query_options){
        .condition = "PK = :pk", .filter = "SK = :profile OR begins_with(SK, :orderPrefix)", .values = values,
        .descending = true }, &error);
    if (!code) {
        const of_item *item;
        code = of_query_next(query, &item, &error);
        of_query_close(query);
    }
    printf("%s\n", code ? error.message : "a filter on a key was accepted");
    of_item_free(values);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "patterns/shop-ops";
    struct shop s = shop_open(folder, "onefold.yaml");
    shop_load(&s, folder);
    print_orders("Placed on 2026-05-10", ask(&s, "ordersOfDay", "day", "2026-05-10", NULL));
    print_orders("Pending", ask(&s, "ordersByStatus", "user_id", "42", "status", "PENDING", NULL));

    of_item *key = attributes(&s, "Order", "user_id", "42", "date", "2026-05-03", "order_id", "B7", NULL);
    of_item *set = attributes(&s, "Order", "status", "SHIPPED", NULL);
    must(of_entity_update(s.model, s.db, "Order", key, set, NULL, NULL, NULL, NULL, &error));
    of_item_free(key);
    of_item_free(set);
    print_orders("Pending", ask(&s, "ordersByStatus", "user_id", "42", "status", "PENDING", NULL));
    print_orders("Shipped", ask(&s, "ordersByStatus", "user_id", "42", "status", "SHIPPED", NULL));

    of_item *reviews = ask(&s, "reviewsOfProduct", "product_id", "P9", NULL);
    of_iter it = each(reviews, "Review");
    while (of_iter_next(&it)) line(it.value, "Review % of %: % stars", "review_id", "product_id", "stars");
    of_item_free(reviews);

    print_user(&s);
    print_refusal(&s);
    shop_close(&s);
    return 0;
}
