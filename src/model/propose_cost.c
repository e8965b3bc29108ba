/* propose_cost.c: what a proposal costs in writes, storage and backfill: with figures where the
 * model states rates and expectations, else per item. */
#include "propose_impl.h"

static double writes_per_second(const struct entity *en)
{
    return en->put.per_second + en->update.per_second + en->delete.per_second;
}

/* Write units that one item takes: one for each kilobyte begun. */
static double item_units(const struct entity *en)
{
    if (!en->expect.has_bytes) return 1;
    double kb = en->expect.bytes / 1024;
    double units = (double)(int64_t)kb;
    return units < kb || units < 1 ? units + 1 : units;
}

/* 1234567 as "1,234,567". */
static struct slice count_text(struct arena *a, double v)
{
    struct slice digits = arena_printf(a, "%.0f", v);
    struct buf b;
    buf_init(&b, a, 512);
    for (size_t i = 0; i < digits.n; i++) {
        if (i && (digits.n - i) % 3 == 0) buf_u8(&b, ',');
        buf_u8(&b, digits.p[i]);
    }
    return buf_view(&b);
}

static struct slice bytes_text(struct arena *a, double v)
{
    static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
    size_t u = 0;
    while (v >= 1000 && u < 4)
        v /= 1000, u++;
    return arena_printf(a, v < 10 && u ? "%.1f %s" : "%.0f %s", v, units[u]);
}

static struct slice every(struct arena *a, const struct entity *en)
{
    if (!en->expect.has_items) return arena_printf(a, "every %.*s", SLICE_ARG(en->name));
    struct slice n = count_text(a, en->expect.items);
    return arena_printf(a, "all %.*s %.*s items", SLICE_ARG(n), SLICE_ARG(en->name));
}

static struct slice rate_text(struct arena *a, const struct entity *en, double units)
{
    double w = writes_per_second(en) * units;
    return w > 0 ? arena_printf(a, "; %.3g more write units a second at the stated rates", w)
                 : SLICE("");
}

static struct slice storage_text(struct arena *a, const struct entity *en)
{
    struct slice all = every(a, en);
    if (!en->expect.has_items || !en->expect.has_bytes) {
        return arena_printf(a, "%.*s once more", SLICE_ARG(all));
    }
    struct slice bytes = bytes_text(a, en->expect.items * en->expect.bytes);
    return arena_printf(a, "%.*s once more: %.*s", SLICE_ARG(all), SLICE_ARG(bytes));
}

static struct slice backfill_text(struct arena *a, const struct entity *en, double per_item,
                                  const char *how)
{
    struct slice all = every(a, en);
    if (!en->expect.has_items) return arena_printf(a, "%.*s %s", SLICE_ARG(all), how);
    struct slice units = count_text(a, en->expect.items * per_item);
    return arena_printf(a, "%.*s %s: %.*s write units", SLICE_ARG(all), how, SLICE_ARG(units));
}

void proposal_cost(struct proposer *p, const struct draft *d, struct proposal *out)
{
    struct arena *a = p->r->arena;
    const struct entity *en = p->entity;
    double units = item_units(en);
    struct slice rate = rate_text(a, en, units);
    out->writes = out->storage = out->backfill = SLICE("none");
    switch (d->kind) {
    case PROPOSE_ACROSS:
        out->writes = arena_printf(a, "none; each run is %zu Queries", out->plan->streams);
        break;
    case PROPOSE_FILTER:
        out->writes = SLICE("none; each run reads more than it answers");
        break;
    case PROPOSE_INDEX_ENTRY:
    case PROPOSE_NEW_INDEX:
        out->writes = arena_printf(
            a,
            "1 more write unit per kilobyte and put of %.*s, 2 where an update changes these "
            "keys%.*s",
            SLICE_ARG(en->name), SLICE_ARG(rate));
        out->storage = storage_text(a, en);
        out->backfill = backfill_text(a, en, 2 * units,
                                      "updated once with the new keys, and written to the index");
        break;
    case PROPOSE_COPY:
        out->writes = arena_printf(
            a,
            "every write of %.*s also writes its copy, in a transaction, which doubles write "
            "units: 4 instead of 1 per kilobyte%.*s",
            SLICE_ARG(en->name), SLICE_ARG(rate_text(a, en, 3 * units)));
        out->storage = storage_text(a, en);
        out->backfill = backfill_text(a, en, units, "copied once");
        break;
    case PROPOSE_SORT_KEY:
        out->backfill =
            d->per_item ? backfill_text(a, en, 2 * units, "deleted and put under its new key")
                        : backfill_text(a, en, 3 * units,
                                        "updated once: the item, and out of and into the index");
        break;
    }
}
