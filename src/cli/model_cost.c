/* model_cost.c: `onefold model cost`: units and the price of a month, per pattern and entity. */
#include "session.h"
#include <math.h>
#include <stdlib.h>

struct cost_own_options {
    const char *prices;
    bool against_tables, provisioned;
    double scale;
};
static const struct cost_own_options defaults;

static struct slice money(struct session *s, const struct json *object, const char *name)
{
    double v = json_double(object, name, NAN);
    return isfinite(v) ? arena_printf(s->arena, "%.2f", v) : SLICE("unknown");
}

static struct slice cell_of(struct session *s, const struct json *object, const char *name)
{
    return json_figure(s->arena, object, name);
}

static void print_patterns(struct session *s, const struct json *list, bool against)
{
    static const char *alone[] = { "pattern", "requests", "read units", "runs a month", "price", "operation" };
    static const char *beside[] = { "pattern", "requests", "read units", "runs a month", "price",
                                    "tables: requests", "read units", "price" };
    struct table t;
    table_init(&t, s->arena, against ? COUNT(beside) : COUNT(alone), against ? beside : alone);
    for (size_t i = 1; i < t.n_columns; i++) t.right[i] = against || i < 5;
    for (const struct json *p = list ? list->first : NULL; p; p = p->next) {
        const struct json *tables = JSON_GET(p, "tables");
        struct cell *row = table_row(&t);
        row[0].text = json_text(p, "pattern");
        row[1].text = cell_of(s, p, "requests");
        row[2].text = cell_of(s, p, "readUnits");
        row[3].text = cell_of(s, p, "runsPerMonth");
        row[4].text = money(s, p, "price");
        if (!against) {
            row[5].text = json_text(p, "operation");
            continue;
        }
        row[5].text = cell_of(s, tables, "requests");
        row[6].text = cell_of(s, tables, "readUnits");
        row[7].text = money(s, tables, "price");
    }
    table_print(&t);
}

static void print_entities(struct session *s, const struct json *list)
{
    static const char *titles[] = { "entity", "bytes", "items a put", "units: put", "update", "delete",
                                    "price of writes", "items", "price of storage" };
    struct table t;
    table_init(&t, s->arena, COUNT(titles), titles);
    for (size_t i = 1; i < t.n_columns; i++) t.right[i] = true;
    for (const struct json *e = list ? list->first : NULL; e; e = e->next) {
        static const char *const writes[] = { "put", "update", "delete" };
        struct cell *row = table_row(&t);
        double price = 0;
        bool stated = false;
        row[0] = (struct cell){ json_text(e, "entity"), entity_ink(json_text(e, "entity")) };
        row[1].text = cell_of(s, e, "bytes");
        row[2].text = cell_of(s, e, "itemsPerPut");
        for (size_t i = 0; i < COUNT(writes); i++) {
            const struct json *w = json_get(e, slice_str(writes[i]));
            double one = json_double(w, "price", NAN);
            row[3 + i].text = cell_of(s, w, "writeUnits");
            if (!isfinite(one)) continue;
            price += one;
            stated = true;
        }
        row[6].text = stated ? arena_printf(s->arena, "%.2f", price) : SLICE("unknown");
        row[7].text = cell_of(s, JSON_GET(e, "storage"), "items");
        row[8].text = money(s, JSON_GET(e, "storage"), "price");
    }
    table_print(&t);
}

/* mode: "onDemand" or "provisioned". */
static void print_total(struct session *s, const char *title, const struct json *tree, const char *totals,
                        const char *mode)
{
    const struct json *t = json_get(json_get(tree, slice_str(totals)), slice_str(mode));
    struct slice currency = json_text(JSON_GET(tree, "prices"), "currency");
    bool complete = json_flag(tree, "complete");
    printf("%s: %.*s %.*s a month%s: reads %.*s, writes %.*s, storage %.*s\n", title, SLICE_ARG(money(s, t, "total")),
           SLICE_ARG(currency), complete ? "" : " for what is known", SLICE_ARG(money(s, t, "reads")), SLICE_ARG(money(s, t, "writes")),
           SLICE_ARG(money(s, t, "storage")));
}

static void render(struct session *s, const struct json *tree)
{
    const struct cost_own_options *o = s->in->options;
    const struct json *prices = JSON_GET(tree, "prices"), *unknown = JSON_GET(tree, "unknown");
    const char *mode = o->provisioned ? "provisioned" : "onDemand";
    print_patterns(s, JSON_GET(tree, "patterns"), o->against_tables);
    fputc('\n', stdout);
    print_entities(s, JSON_GET(tree, "entities"));
    fputc('\n', stdout);
    print_total(s, "one table", tree, "totals", mode);
    if (o->against_tables) print_total(s, "a table per entity", tree, "tables", mode);
    if (o->scale > 0) printf("at %.*s times the rates and items that the model states\n", SLICE_ARG(figure(s->arena, o->scale)));
    printf("prices: %.*s, %.*s, %s\n", SLICE_ARG(json_text(prices, "name")), SLICE_ARG(json_text(prices, "date")),
           o->provisioned ? "provisioned" : "on demand");
    if (!unknown || !unknown->count) return;
    puts("\nNot in the total, since the model does not say:");
    struct table t;
    table_init(&t, s->arena, 2, NULL);
    t.indent = 2;
    for (const struct json *u = unknown->first; u; u = u->next) {
        struct cell *row = table_row(&t);
        row[0].text = json_text(u, "on");
        row[1].text = json_text(u, "state");
    }
    table_print(&t);
}

static int cost(struct session *s)
{
    const struct cost_own_options *o = s->in->options;
    of_cost_options how = { .prices = o->prices, .against_tables = o->against_tables, .provisioned = o->provisioned,
                            .scale = o->scale };
    of_answer *report;
    of_error err;
    if (of_model_cost(s->model, &how, &report, &err)) return fail_of(&err);
    return print_report(s, report, render);
}

static int run(struct invocation *in)
{
    return with_model(in, cost);
}

/* "10", "0.5": digits and a point, which is what JSON and the model write too. */
static const char *set_scale(void *target, const char *value)
{
    double *scale = &((struct cost_own_options *)target)->scale;
    char *end;
    *scale = strtod(value, &end);
    bool plain = !*end && !value[strspn(value, "0123456789.")];
    return plain && *scale > 0 && *scale <= 1e6 ? NULL : "is not a factor (above 0, at most 1000000)";
}

static const struct option_spec options[] = {
    { "against-tables", NULL, "compare with one table per entity",
      offsetof(struct cost_own_options, against_tables) },
    { "provisioned", NULL, "provisioned capacity instead of on demand",
      offsetof(struct cost_own_options, provisioned) },
    { "scale", "N", "N times the rates and items that the model states", .set = set_scale },
    { "prices", "FILE", "a price list instead of the model's or the built-in one",
      offsetof(struct cost_own_options, prices), .complete = COMPLETE_FILE },
};

const struct command command_model_cost = {
    .name = "model cost",
    .summary = "reckon units and the price of a month",
    .about = "Units per run and the price of a month for each pattern and entity, from the rates that the model\n"
             "states ('rate', 'expect') and its sample data. What it does not state is unknown and is listed.\n",
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_JSON,
    .examples = "model cost\n"
                "model cost --against-tables --provisioned\n"
                "model cost --scale 10\n",
    .run = run,
};
