/* differential_world.h: the world of the differential test: one set of entities in four models that differ in shards and
 * copies only, and the same entities as plain text, of which an oracle answers questions by looking at every one. */
#ifndef OF_TESTS_DIFFERENTIAL_WORLD_H
#define OF_TESTS_DIFFERENTIAL_WORLD_H

#include "run_fixture.h"

/* ---- models ---- */

#define VARIANTS 4 /* bit 0: sharded, bit 1: copies */

static const char *shards(unsigned variant, const char *text)
{
    return variant & 1 ? text : "";
}

/* The same attributes and questions; only where things lie differs. */
static inline const char *model_text(struct arena *a, unsigned v)
{
    struct buf b;
    buf_init(&b, a, 1 << 16);
    BUF_LIT(&b, "onefold: 1\n"
                "table: world\n"
                "indexes:\n"
                "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
                "  GSI2: { hash: GSI2PK, sort: GSI2SK }\n"
                "  GSI3: { hash: GSI3PK, sort: GSI3SK }\n"
                "  GSI4: { hash: GSI4PK, sort: { name: rank, type: number } }\n"
                "  GSI5: { hash: [GSI5PK], sort: [day, at] }\n"
                "entities:\n"
                "  Order:\n"
                "    key: { PK: 'ORDER#${orderId}', SK: '#META' }\n"
                "    index:\n");
    buf_printf(&b, "      GSI1: { GSI1PK: 'STATUS#${status}', GSI1SK: '${at}'%s }\n",
               shards(v, ", shards: { of: GSI1PK, by: orderId, count: 4 }"));
    if (!(v & 2)) BUF_LIT(&b, "      GSI2: { GSI2PK: 'CUST#${customerId}', GSI2SK: 'ORDER#${at}' }\n");
    buf_printf(&b, "      GSI3: { GSI3PK: 'REGION#${region}', GSI3SK: 'S#${status}#${at}'%s }\n",
               shards(v, ", shards: { of: GSI3PK, by: customerId, count: 3 }"));
    buf_printf(&b, "      GSI4: { GSI4PK: 'KIND#${kind}'%s }\n",
               shards(v, ", shards: { of: GSI4PK, by: customerId, letters: 1 }"));
    buf_printf(&b, "      GSI5: { GSI5PK: 'KIND#${kind}'%s }\n", shards(v, ", shards: { of: GSI5PK, by: region }"));
    if (v & 2) {
        buf_printf(&b, "    copies: [{ key: { PK: 'CUST#${customerId}', SK: 'ORDER#${at}#${orderId}' }%s }]\n",
                   shards(v, ", shards: { of: PK, by: orderId, count: 2 }"));
    }
    BUF_LIT(&b, "    attributes:\n"
                "      orderId: { required: true }\n"
                "      customerId: { required: true }\n"
                "      status: { enum: [open, shipped, closed], required: true }\n"
                "      region: { enum: [eu, us, asia], required: true }\n"
                "      kind: { required: true }\n"
                "      at: { required: true }\n"
                "      day: { required: true }\n"
                "      total: number\n"
                "      rank: number\n"
                "  Note:\n" /* lies between the orders of a customer, so that these need a filter */
                "    key: { PK: 'CUST#${customerId}', SK: 'ORDER#${at}#${orderId}#NOTE#${n}' }\n"
                "    attributes: { customerId: { required: true }, at: { required: true },\n"
                "                  orderId: { required: true }, n: { required: true } }\n"
                "  Event:\n"
                "    key: { PK: 'FEED#${feed}', SK: 'E#${createdAt}#${eventId}' }\n");
    buf_printf(&b, "%s", shards(v, "    shards: { of: PK, by: createdAt, month: 2026-01 }\n"));
    BUF_LIT(&b, "    attributes:\n"
                "      feed: { required: true }\n"
                "      eventId: { required: true }\n"
                "      createdAt: { format: date-time, required: true }\n"
                "      total: number\n");
    buf_u8(&b, 0);
    return (const char *)b.p;
}

/* ---- entities ---- */

enum field { F_ID, F_CUSTOMER, F_STATUS, F_REGION, F_KIND, F_AT, F_DAY, F_TOTAL, F_RANK, F_FEED, F_CREATED, FIELDS };

static const char *const field_names[2][FIELDS] = {
    { "orderId", "customerId", "status", "region", "kind", "at", "day", "total", "rank", NULL, NULL },
    { "eventId", NULL, NULL, NULL, NULL, NULL, NULL, "total", NULL, "feed", "createdAt" },
};

struct fact {
    unsigned entity; /* 0: Order, 1: Event */
    char values[FIELDS][32];
};

#define ORDERS 150
#define EVENTS 60
#define FACTS  (ORDERS + EVENTS)

struct world {
    bool ties; /* sort keys are shared by many */
    struct fact facts[FACTS];
    struct bench benches[VARIANTS];
};

static const char *const customers[] = { "ann", "bea", "cid", "Dan", "7up", "\xc3\x96sk", "eve", "flo" };
static const char *const statuses[] = { "open", "shipped", "closed" };
static const char *const regions[] = { "eu", "us", "asia" };

static uint64_t seed = 0x2545f4914f6cdd1d;

static inline unsigned chance(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)((seed >> 20) % below);
}

#define PICK(list) ((list)[chance(sizeof(list) / sizeof((list)[0]))])
#define SET(f, field, ...) snprintf((f)->values[field], sizeof (f)->values[field], __VA_ARGS__)

static inline bool is_number(enum field f)
{
    return f == F_TOTAL || f == F_RANK;
}

/* i-th of n different numbers in an order that is not theirs. */
static inline unsigned scattered(unsigned i, unsigned n)
{
    return i * 7919u % n;
}

static inline void make_facts(struct world *w)
{
    for (unsigned i = 0; i < ORDERS; i++) {
        struct fact *f = &w->facts[i];
        unsigned k = scattered(i, 1009);
        f->entity = 0;
        SET(f, F_ID, "o%03u", scattered(i, 997));
        SET(f, F_CUSTOMER, "%s", PICK(customers));
        SET(f, F_STATUS, "%s", PICK(statuses));
        SET(f, F_REGION, "%s", PICK(regions));
        SET(f, F_KIND, "k%u", chance(3));
        SET(f, F_AT, "%04u", w->ties ? chance(6) * 700 : k * 9 + chance(9));
        SET(f, F_DAY, "d%u", chance(4));
        SET(f, F_TOTAL, "%u", chance(100));
        if (w->ties) SET(f, F_RANK, "%d", (int)chance(5) - 2);
        else SET(f, F_RANK, "%d.%u", (int)k - 500, chance(9) + 1);
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        struct fact *f = &w->facts[ORDERS + i];
        f->entity = 1;
        SET(f, F_ID, "e%03u", scattered(i, 997));
        SET(f, F_FEED, "f%u", chance(3));
        SET(f, F_TOTAL, "%u", chance(100));
        if (w->ties) SET(f, F_CREATED, "2026-%02u-01T00:00:00Z", 1 + chance(5));
        else SET(f, F_CREATED, "2026-%02u-%02uT%02u:%02u:00Z", 1 + chance(5), 1 + chance(9), chance(24), i);
    }
}

static inline void put_fact(struct bench *b, const struct fact *f)
{
    const struct entity *en = model_entity(b->model, f->entity ? SLICE("Event") : SLICE("Order"));
    struct attr attrs[FIELDS];
    struct buf out;
    size_t n = 0;
    for (unsigned i = 0; i < FIELDS; i++) {
        const char *name = field_names[f->entity][i];
        if (!name) continue;
        attrs[n].name = slice_str(name);
        assert_int_equal(value_from_text(&b->arena, entity_attribute(en, attrs[n].name), attrs[n].name,
                                         slice_str(f->values[i]), &attrs[n].value, &b->err), 0);
        n++;
    }
    buf_init(&out, &b->arena, 1 << 16);
    val_put_map(&out, attrs, n);
    put_entity(b, f->entity ? "Event" : "Order", buf_view(&out));
}

static inline void world_open(struct world *w, bool ties)
{
    struct arena text;
    arena_init(&text, 1 << 20);
    w->ties = ties;
    make_facts(w);
    for (unsigned v = 0; v < VARIANTS; v++) {
        struct bench *b = &w->benches[v];
        bench_open(b, model_text(&text, v));
        for (unsigned i = 0; i < FACTS; i++) {
            put_fact(b, &w->facts[i]);
            if (i < ORDERS && i % 5 == 0) {
                PUT(b, "Note", "{'customerId':'%s','at':'%s','orderId':'%s','n':'1'}", w->facts[i].values[F_CUSTOMER],
                    w->facts[i].values[F_AT], w->facts[i].values[F_ID]);
            }
            bench_rest(b);
        }
    }
    arena_free(&text);
}

static inline void world_close(struct world *w)
{
    for (unsigned v = 0; v < VARIANTS; v++) bench_close(&w->benches[v]);
}

#endif
