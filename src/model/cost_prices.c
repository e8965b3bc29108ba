/* cost_prices.c: price lists for cost: the one built in, and files of the same form. */
#include "cost_impl.h"
#include "side_file.h"
#include <stdlib.h>

#define PRICES_MAX ((size_t)1 << 20)

/* us-east-1, table class Standard, without the free tier. The on-demand prices have held since 1 November 2024, when AWS
 * halved them; docs/cost.md tells how to check them. */
static const struct prices built_in = {
    .name = { (const uint8_t *)"us-east-1", 9 },
    .date = { (const uint8_t *)"2024-11-01", 10 },
    .currency = { (const uint8_t *)"USD", 3 },
    .source = { (const uint8_t *)"built in", 8 },
    .on_demand_read = 0.125,
    .on_demand_write = 0.625,
    .provisioned_read = 0.00013,
    .provisioned_write = 0.00065,
    .storage = 0.25,
    .utilization = 0.7,
};

static void read_text(struct problems *ps, const struct node *n, struct slice *out)
{
    if (n->kind == NODE_SCALAR && n->text.n) *out = n->text;
    else problem_add(ps, n->place, SLICE("write a text"), "%.*s is not a text", SLICE_ARG(n->name));
}

static void read_number(struct problems *ps, const struct node *n, double *out)
{
    struct num num;
    char text[NUM_MAX_TEXT + 1];
    if (n->kind == NODE_SCALAR && node_number(n, &num)) {
        text[num_format(slice_of(num.bytes, num.n), text)] = 0;
        *out = strtod(text, NULL);
        if (*out >= 0) return;
    }
    problem_add(ps, n->place, SLICE("write a number from 0 on"), "%.*s is not a price", SLICE_ARG(n->name));
}

struct field {
    const char *name;
    struct slice *text;
    double *number;
};

/* Each member of the map is one of the fields, or a map of its own with fields (members != NULL). */
static void read_fields(struct problems *ps, const struct node *map, const struct field *fields, size_t n,
                        const struct slice *also, size_t n_also)
{
    struct slice names[16];
    size_t n_names = 0;
    for (size_t i = 0; i < n; i++) names[n_names++] = slice_str(fields[i].name);
    for (size_t i = 0; i < n_also; i++) names[n_names++] = also[i];
    if (map->kind != NODE_MAP) {
        problem_add(ps, map->place, SLICE("docs/cost.md shows the form"), "prices are a map of name to value");
        return;
    }
    for (const struct node *m = map->first; m; m = m->next) {
        size_t k = 0;
        while (k < n_names && !slice_eq(names[k], m->name)) k++;
        if (k == n_names) {
            struct slice near = near_name(m->name, names, n_names);
            struct slice hint = near.n ? arena_printf(ps->arena, "did you mean %.*s?", SLICE_ARG(near))
                                       : SLICE("docs/cost.md lists the names");
            problem_add(ps, m->name_place, hint, "%.*s is not a name of a price list", SLICE_ARG(m->name));
        } else if (k < n && fields[k].text) {
            read_text(ps, m, fields[k].text);
        } else if (k < n) {
            read_number(ps, m, fields[k].number);
        }
    }
}

static void read_list(struct problems *ps, const struct node *root, struct prices *p)
{
    static const struct slice maps[] = { { (const uint8_t *)"onDemand", 8 }, { (const uint8_t *)"provisioned", 11 } };
    struct field top[] = { { "name", &p->name, NULL }, { "date", &p->date, NULL }, { "currency", &p->currency, NULL },
                           { "storage", NULL, &p->storage }, { "utilization", NULL, &p->utilization } };
    read_fields(ps, root, top, 5, maps, 2);
    const struct node *on_demand = node_get(root, maps[0]), *provisioned = node_get(root, maps[1]);
    struct field a[] = { { "read", NULL, &p->on_demand_read }, { "write", NULL, &p->on_demand_write } };
    struct field b[] = { { "read", NULL, &p->provisioned_read }, { "write", NULL, &p->provisioned_write } };
    if (on_demand) read_fields(ps, on_demand, a, 2, NULL, 0);
    if (provisioned) read_fields(ps, provisioned, b, 2, NULL, 0);
    if (p->utilization <= 0 || p->utilization > 1) {
        problem_add(ps, root->place, SLICE("0.7 is usual"), "utilization is more than 0 and at most 1");
    }
}

int prices_read(struct reporter *r, struct slice file, struct prices *out)
{
    *out = built_in;
    if (!file.n) return 0;
    struct slice text;
    int rc = side_file_read(r->arena, r->model, file, PRICES_MAX, &text, r->err);
    if (rc) return rc;
    struct problems ps;
    problems_init(&ps, r->arena);
    const struct node *root = node_read(&ps, file, text);
    out->name = out->date = SLICE("not stated");
    out->source = file;
    if (root) read_list(&ps, root, out);
    return ps.first ? problem_error(r->err, ps.first) : 0;
}
