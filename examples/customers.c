/* customers.c: seed 001: a profile and its orders with one Query, open orders by date, an edge found from both ends. */
#include "example.h"

static void print_customer(const struct shop *s)
{
    of_item *answer = ask(s, "customerWithOrders", "customerId", "42", NULL);
    of_iter it = each(answer, "Customer");
    while (of_iter_next(&it)) line(it.value, "Customer %: %, %", "customerId", "name", "plan");
    it = each(answer, "Order");
    while (of_iter_next(&it)) line(it.value, "  % % %", "orderId", "status", "total");
    of_item_free(answer);
}

static void print_open_orders(const struct shop *s)
{
    of_item *answer = ask(s, "openOrders", NULL);
    of_iter it = each(answer, "Order");
    puts("Open orders:");
    while (of_iter_next(&it)) line(it.value, "  % %", "date", "orderId");
    of_item_free(answer);
}

static void print_teams(const struct shop *s)
{
    of_item *answer = ask(s, "teamsOfUser", "userId", "1", NULL);
    of_iter it = each(answer, "Membership");
    while (of_iter_next(&it)) line(it.value, "User % is in team %", "userId", "teamId");
    of_item_free(answer);
    answer = ask(s, "usersOfTeam", "teamId", "9", NULL);
    it = each(answer, "Membership");
    while (of_iter_next(&it)) line(it.value, "Team % has user %", "teamId", "userId");
    of_item_free(answer);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "patterns/customers";
    struct shop s = shop_open(folder, "onefold.yaml");
    shop_load(&s, folder);
    print_customer(&s);
    print_open_orders(&s);

    /* One update: the order, its key in the index and its copy under the customer. */
    of_item *key = attributes(&s, "Order", "orderId", "2026-001", NULL);
    of_item *set = attributes(&s, "Order", "status", "SHIPPED", NULL);
    must(of_entity_update(s.model, s.db, "Order", key, set, NULL, NULL, NULL, NULL, &error));
    of_item_free(key);
    of_item_free(set);
    puts("2026-001 is shipped.");
    print_customer(&s);
    print_open_orders(&s);

    print_teams(&s);
    shop_close(&s);
    return 0;
}
