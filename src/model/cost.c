/* cost.c: what a model costs a month at the rates it states: reads by pattern, writes by entity, storage; on demand and
 * provisioned; and the same questions with one table per entity. What is not known stays null and is listed with what
 * would have to be stated. */
#include "cost_impl.h"

#define GB 1073741824.0
#define HOURS (RATE_MONTH_SECONDS / 3600)

struct bill {
    double on_demand, provisioned; /* a month; NAN: unknown */
};

struct totals {
    struct bill reads, writes;
    double storage;
};

struct cost {
    struct reporter *r;
    const struct cost_options *o;
    struct facts *f;
    struct prices prices;
    struct totals totals;
    struct buf unknown;       /* elements of an array */
};

static void unknown(struct cost *c, struct slice on, const char *what)
{
    js_open(&c->unknown, NULL, '{');
    js_string(&c->unknown, "on", on);
    js_string(&c->unknown, "state", slice_str(what));
    js_close(&c->unknown, '}');
}

/* units per run at runs a second. */
static struct bill bill_of(double units, double rate, double million, double hour, double utilization)
{
    double per_second = units * rate;
    return (struct bill){ per_second * RATE_MONTH_SECONDS / 1e6 * million, per_second / utilization * HOURS * hour };
}

static void add(struct bill *to, struct bill b)
{
    if (isfinite(b.on_demand)) to->on_demand += b.on_demand;
    if (isfinite(b.provisioned)) to->provisioned += b.provisioned;
}

static double cents(double v)
{
    return isfinite(v) ? round(v * 1e4) / 1e4 : v;
}

static void put_bill(struct cost *c, struct bill b)
{
    js_number(c->r->out, "onDemand", cents(b.on_demand));
    js_number(c->r->out, "provisioned", cents(b.provisioned));
    js_number(c->r->out, "price", cents(c->o->provisioned ? b.provisioned : b.on_demand));
}

static double scale_of(const struct cost *c)
{
    return c->o->scale > 0 ? c->o->scale : 1;
}

static double rate_of(const struct cost *c, struct rate r)
{
    return r.per_second > 0 ? r.per_second * scale_of(c) : NAN;
}

static struct bill bill_read(struct cost *c, double units, double rate)
{
    return bill_of(units, rate, c->prices.on_demand_read, c->prices.provisioned_read, c->prices.utilization);
}

static struct bill bill_write(struct cost *c, double units, double rate)
{
    return bill_of(units, rate, c->prices.on_demand_write, c->prices.provisioned_write, c->prices.utilization);
}

static void put_pattern(struct cost *c, size_t i, struct totals *tables)
{
    struct buf *b = c->r->out;
    const struct pattern *p = &c->f->model->patterns[i];
    const struct plan *pl = &c->f->plans[i];
    const struct measure *m = &c->f->measures[i];
    double rate = rate_of(c, p->rate), units = m->known && m->read_units > 0 ? m->read_units : NAN;
    double requests = pl->kind == PLAN_NONE ? NAN : pl->streams ? (double)pl->streams : NAN;
    struct bill bill = bill_read(c, units, rate);
    js_open(b, NULL, '{');
    js_string(b, "pattern", p->name);
    js_string(b, "operation", pl->kind == PLAN_NONE ? SLICE("not answerable") : pl->operation);
    js_number(b, "requests", requests);
    js_number(b, "items", m->known ? m->items : NAN);
    js_number(b, "readUnits", units);
    js_number(b, "runsPerMonth", rate * RATE_MONTH_SECONDS);
    js_number(b, "unitsPerMonth", units * rate * RATE_MONTH_SECONDS);
    put_bill(c, bill);
    add(&c->totals.reads, bill);
    if (pl->kind == PLAN_NONE) unknown(c, p->name, "a model that answers it: onefold model explain");
    else if (!isfinite(units)) unknown(c, p->name, "sample data that answers it, or expect: { items: 20, bytes: 400 }");
    if (!isfinite(rate)) unknown(c, p->name, "rate: 50/s");
    if (c->o->against_tables) {
        double t_units, t_requests;
        cost_of_reads_in_tables(c->f, i, &t_units, &t_requests);
        struct bill t = bill_read(c, t_units, rate);
        js_open(b, "tables", '{');
        js_number(b, "requests", t_requests);
        js_number(b, "readUnits", t_units);
        put_bill(c, t);
        js_close(b, '}');
        add(&tables->reads, t);
    }
    js_close(b, '}');
}

static void put_write(struct cost *c, const char *name, struct rate rate, double units, struct bill *sum)
{
    struct buf *b = c->r->out;
    double r = rate_of(c, rate);
    struct bill bill = bill_write(c, units, r);
    js_open(b, name, '{');
    js_number(b, "writeUnits", units);
    js_number(b, "runsPerMonth", r * RATE_MONTH_SECONDS);
    js_number(b, "unitsPerMonth", units * r * RATE_MONTH_SECONDS);
    put_bill(c, bill);
    js_close(b, '}');
    add(sum, bill);
}

static void put_writes(struct cost *c, const struct entity *en, const struct write_cost *w, struct totals *t)
{
    struct buf *b = c->r->out;
    js_number(b, "bytes", w->bytes);
    js_number(b, "itemsPerPut", isfinite(w->bytes) ? (double)w->items : NAN);
    put_write(c, "put", en->put, w->put, &t->writes);
    put_write(c, "update", en->update, w->update, &t->writes);
    put_write(c, "delete", en->delete, w->del, &t->writes);
    double items = en->expect.has_items ? en->expect.items * scale_of(c) : NAN, bytes = items * w->stored;
    double price = bytes / GB * c->prices.storage;
    js_open(b, "storage", '{');
    js_number(b, "items", items);
    js_number(b, "bytesEach", w->stored);
    js_number(b, "bytes", bytes);
    js_number(b, "price", cents(price));
    js_close(b, '}');
    if (isfinite(price)) t->storage += price;
}

static void put_entity(struct cost *c, const struct entity *en, struct totals *tables)
{
    struct buf *b = c->r->out;
    struct write_cost w;
    cost_of_writes(c->r, c->f, en, false, &w);
    js_open(b, NULL, '{');
    js_string(b, "entity", en->name);
    put_writes(c, en, &w, &c->totals);
    if (!isfinite(w.bytes)) unknown(c, en->name, "sample data, or expect: { bytes: 300 }");
    else if (!isfinite(w.stored)) unknown(c, en->name, "sample data, which tells how large its index entries are");
    else if (w.sentinels_unknown) unknown(c, en->name, "sample data, which tells how large its unique sentinels are");
    if (!en->expect.has_items) unknown(c, en->name, "expect: { items: 1000000 }");
    if (en->put.per_second <= 0 && en->update.per_second <= 0 && en->delete.per_second <= 0) {
        unknown(c, en->name, "rate: { put: 10/s, update: 1000/day }");
    }
    if (c->o->against_tables) {
        cost_of_writes(c->r, c->f, en, true, &w);
        js_open(b, "tables", '{');
        put_writes(c, en, &w, tables);
        js_close(b, '}');
    }
    js_close(b, '}');
}

static void put_sum(struct buf *b, const char *name, double reads, double writes, double storage)
{
    js_open(b, name, '{');
    js_number(b, "reads", cents(reads));
    js_number(b, "writes", cents(writes));
    js_number(b, "storage", cents(storage));
    js_number(b, "total", cents(reads + writes + storage));
    js_close(b, '}');
}

static void put_sums(struct buf *b, const struct totals *t, double times)
{
    double storage = t->storage * times;
    put_sum(b, "onDemand", t->reads.on_demand * times, t->writes.on_demand * times, storage);
    put_sum(b, "provisioned", t->reads.provisioned * times, t->writes.provisioned * times, storage);
}

static void put_totals(struct cost *c, const char *name, const struct totals *t)
{
    struct buf *b = c->r->out;
    js_open(b, name, '{');
    put_sums(b, t, 1);
    double total = c->o->provisioned ? t->reads.provisioned + t->writes.provisioned
                                     : t->reads.on_demand + t->writes.on_demand;
    js_number(b, "total", cents(total + t->storage));
    js_close(b, '}');
}

/* Every bill is a rate or a number of items times what one of them costs, so the sums grow as those do. */
static void put_growth(struct cost *c)
{
    struct buf *b = c->r->out;
    js_open(b, "growth", '[');
    for (size_t i = 0; i < c->o->n_scales; i++) {
        js_open(b, NULL, '{');
        js_number(b, "scale", c->o->scales[i]);
        put_sums(b, &c->totals, c->o->scales[i] / scale_of(c));
        js_close(b, '}');
    }
    js_close(b, ']');
}

/* Far from what the figures could overflow with. */
static bool good_scale(double v)
{
    return v > 0 && v <= COST_MAX_SCALE;
}

static int check_scales(struct reporter *r, const struct cost_options *o)
{
    bool good = o->scale == 0 || good_scale(o->scale);
    for (size_t i = 0; i < o->n_scales; i++) good = good && good_scale(o->scales[i]);
    if (good) return 0;
    return err_set(r->err, ERR_ValidationException, "a scale must be above 0 and at most %.0f", COST_MAX_SCALE);
}

static void put_prices(struct buf *b, const struct prices *p)
{
    js_open(b, "prices", '{');
    js_string(b, "name", p->name);
    js_string(b, "date", p->date);
    js_string(b, "currency", p->currency);
    js_string(b, "source", p->source);
    js_open(b, "onDemand", '{');
    js_number(b, "read", p->on_demand_read);
    js_number(b, "write", p->on_demand_write);
    js_close(b, '}');
    js_open(b, "provisioned", '{');
    js_number(b, "read", p->provisioned_read);
    js_number(b, "write", p->provisioned_write);
    js_close(b, '}');
    js_number(b, "storage", p->storage);
    js_number(b, "utilization", p->utilization);
    js_close(b, '}');
}

int report_cost(struct reporter *r, const struct cost_options *o)
{
    struct facts f;
    struct cost c = { .r = r, .o = o, .f = &f };
    struct totals tables = { 0 };
    struct buf *b = r->out;
    int rc = check_scales(r, o);
    if (!rc) rc = prices_read(r, o->prices.n ? o->prices : r->model->prices, &c.prices);
    if (!rc) rc = facts_read(r, &f);
    if (rc) return rc;
    facts_measure(r, &f);
    buf_init(&c.unknown, r->arena, (size_t)16 << 20);
    js_open(b, NULL, '{');
    js_string(b, "table", r->model->table);
    js_string(b, "mode", o->provisioned ? SLICE("provisioned") : SLICE("on-demand"));
    js_number(b, "scale", scale_of(&c));
    put_prices(b, &c.prices);
    js_open(b, "patterns", '[');
    for (size_t i = 0; i < r->model->n_patterns; i++) put_pattern(&c, i, &tables);
    js_close(b, ']');
    js_open(b, "entities", '[');
    for (size_t i = 0; i < r->model->n_entities; i++) put_entity(&c, &r->model->entities[i], &tables);
    js_close(b, ']');
    put_totals(&c, "totals", &c.totals);
    if (o->against_tables) put_totals(&c, "tables", &tables);
    if (o->n_scales) put_growth(&c);
    js_bool(b, "complete", c.unknown.n == 0);
    js_open(b, "unknown", '[');
    buf_slice(b, buf_view(&c.unknown));
    js_close(b, ']');
    js_close(b, '}');
    return 0;
}
