/* orders.c: seed 000: an order and its lines are written together and read with one Query. */
#include "example.h"

static void write_order(const struct shop *s)
{
    static const char steps[] =
        "- put: Order\n"
        "  attributes: { orderId: o103, customerId: c3, total: 265 }\n"
        "- put: LineItem\n"
        "  attributes: { orderId: o103, sku: AVON-TORTOISE, quantity: 1, price: 145 }\n"
        "- put: LineItem\n"
        "  attributes: { orderId: o103, sku: HENLEY-BLACK, quantity: 1, price: 120 }\n";
    must(of_entities_transact(s->model, s->db, steps, -1, NULL, NULL, &error));
}

static void print_order(const struct shop *s, const char *id)
{
    of_item *answer = ask(s, "orderWithItems", "orderId", id, NULL);
    of_iter it = each(answer, "Order");
    while (of_iter_next(&it)) line(it.value, "Order % for % (%, £%)", "orderId", "customerId", "status", "total");
    it = each(answer, "LineItem");
    while (of_iter_next(&it)) line(it.value, "  % x % @ £%", "quantity", "sku", "price");
    of_item_free(answer);
}

static void print_orders_of(const struct shop *s, const char *customer)
{
    of_item *answer = ask(s, "ordersOfCustomer", "customerId", customer, NULL);
    of_iter it = each(answer, "Order");
    printf("Orders for %s:\n", customer);
    while (of_iter_next(&it)) line(it.value, "  %  %  £%  %", "orderId", "status", "total", "createdAt");
    of_item_free(answer);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "patterns/orders";
    struct shop s = shop_open(folder, "onefold.yaml");
    shop_load(&s, folder);
    print_order(&s, "o101");
    print_orders_of(&s, "c1");

    write_order(&s);
    print_order(&s, "o103");
    of_item *answer = ask(&s, "ordersWithProduct", "sku", "AVON-TORTOISE", NULL);
    of_iter it = each(answer, "LineItem");
    while (of_iter_next(&it)) line(it.value, "AVON-TORTOISE is on %", "orderId");
    of_item_free(answer);
    shop_close(&s);
    return 0;
}
