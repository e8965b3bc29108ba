/* ecommerce.c: seed 003: an order's life cycle, dates inside ULIDs, answers merged over statuses; then the same from ten
 * shards. */
#include "example.h"

static void print_orders(const char *title, of_item *answer)
{
    of_iter it = each(answer, "Order");
    printf("%s:\n", title);
    while (of_iter_next(&it)) line(it.value, "  % % %", "orderId", "status", "total");
    of_item_free(answer);
}

static void set_status(const struct shop *s, const char *order, const char *status)
{
    of_item *key = attributes(s, "Order", "orderId", order, NULL);
    of_item *set = attributes(s, "Order", "status", status, NULL);
    must(of_entity_update(s->model, s->db, "Order", key, set, NULL, NULL, NULL, NULL, &error));
    of_item_free(key);
    of_item_free(set);
}

static void tour(const char *folder, const char *file)
{
    struct shop s = shop_open(folder, file);
    shop_load(&s, folder);
    printf("-- %s\n", file);
    print_orders("Orders of cust_01", ask(&s, "ordersOfCustomer", "customerId", "cust_01", NULL));
    print_orders("Recent orders", ask(&s, "recentOrders", NULL));
    print_orders("February 2026", ask(&s, "allOrdersInRange", "from", "2026-02", "to", "2026-03", NULL));
    set_status(&s, "01HVNR4Q3R7RHYG5G075CMMCW9", "confirmed");
    print_orders("Confirmed", ask(&s, "ordersByStatus", "status", "confirmed", NULL));
    print_orders("Pending", ask(&s, "ordersByStatus", "status", "pending", NULL));
    of_item *answer = ask(&s, "itemsOfOrder", "orderId", "01HVMK3P2QSABR24PA3EYWNYP2", NULL);
    of_iter it = each(answer, "OrderItem");
    puts("Items of 01HVMK3P2QSABR24PA3EYWNYP2:");
    while (of_iter_next(&it)) line(it.value, "  % x % @ %", "qty", "name", "price");
    of_item_free(answer);
    shop_close(&s);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "patterns/ecommerce";
    tour(folder, "onefold.yaml");
    tour(folder, "sharded.yaml");
    return 0;
}
