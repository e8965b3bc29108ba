/* watch.c: what the server does: Watch; and what to do about a busy partition: AdvisePartition. */
#include "operations.h"
#include "../engine/watch.h"
#include "../item/item_json.h"

#define SHORT_SECONDS 10 /* what rates "now" are the average of */

static const char *const failure_names[FAILURE_KINDS] = { NULL, "User", "Condition", "Throttled", "Server" };

/* Rounded to three decimals: they are read by people. */
static void put_rate(struct buf *b, const char *name, double v)
{
    js_number(b, name, (double)(long long)(v * 1000 + 0.5) / 1000);
}

static void put_halves(struct buf *b, const char *name, uint64_t halves)
{
    js_number(b, name, (double)halves / 2);
}

/* ---- operations ---- */

static void put_failures(struct buf *b, const struct counters_row *row)
{
    js_open(b, "Failures", '{');
    for (size_t i = FAILURE_USER; i < FAILURE_KINDS; i++) js_number(b, failure_names[i], (double)row->failures[i]);
    js_close(b, '}');
}

static void put_latency(struct buf *b, const struct counters_row *row)
{
    js_open(b, "Latency", '[');
    for (size_t i = 0; i < COUNTERS_BUCKETS; i++) {
        if (!row->latency[i]) continue;
        js_open(b, NULL, '{');
        js_name(b, "Below");
        if (counters_bucket_end(i) == UINT64_MAX) BUF_LIT(b, "null");
        else number_put(b, (double)counters_bucket_end(i));
        js_number(b, "Count", (double)row->latency[i]);
        js_close(b, '}');
    }
    js_close(b, ']');
}

/* Averages of the last seconds that are over. */
static void put_now(struct buf *b, struct counters *counters, const struct watch *w, size_t row)
{
    double calls = 0, failures = 0, read = 0, write = 0;
    struct counters_second s;
    for (int64_t at = w->second - SHORT_SECONDS; at < w->second; at++) {
        if (!counters_at(counters, at, row, &s)) continue;
        calls += s.calls;
        failures += s.failures;
        read += (double)s.read_halves / 2;
        write += (double)s.write_halves / 2;
    }
    js_open(b, "PerSecond", '{');
    put_rate(b, "Calls", calls / SHORT_SECONDS);
    put_rate(b, "Failures", failures / SHORT_SECONDS);
    put_rate(b, "ReadUnits", read / SHORT_SECONDS);
    put_rate(b, "WriteUnits", write / SHORT_SECONDS);
    js_close(b, '}');
}

static void put_row(struct buf *b, struct counters *counters, const struct watch *w, size_t row, const char *name)
{
    struct counters_row total;
    uint64_t recent[COUNTERS_BUCKETS];
    counters_total(counters, row, w->second, &total, recent);
    if (!total.calls) return;
    js_open(b, NULL, '{');
    js_string(b, "Name", slice_str(name));
    js_number(b, "Calls", (double)total.calls);
    put_failures(b, &total);
    js_number(b, "ItemsReturned", (double)total.returned);
    js_number(b, "ItemsWritten", (double)total.written);
    put_halves(b, "ReadUnits", total.read_halves);
    put_halves(b, "WriteUnits", total.write_halves);
    js_number(b, "Microseconds", (double)total.microseconds);
    put_latency(b, &total);
    js_open(b, "Recent", '{');
    put_rate(b, "P50", counters_percentile(recent, 0.5));
    put_rate(b, "P99", counters_percentile(recent, 0.99));
    js_close(b, '}');
    put_now(b, counters, w, row);
    js_close(b, '}');
}

/* ---- seconds ---- */

static void put_second_row(struct buf *b, const struct counters_second *s)
{
    js_number(b, "Calls", s->calls);
    js_number(b, "Failures", s->failures);
    put_rate(b, "P50", (double)s->p50);
    put_rate(b, "P99", (double)s->p99);
    put_halves(b, "ReadUnits", s->read_halves);
    put_halves(b, "WriteUnits", s->write_halves);
}

static void put_seconds(struct buf *b, struct counters *counters, const struct watch *w, int64_t after)
{
    size_t guest = counters_guest_row(counters);
    struct counters_second s;
    js_open(b, "Seconds", '[');
    for (int64_t at = after >= w->first ? after + 1 : w->first; at < w->second; at++) {
        if (!counters_at(counters, at, guest + 1, &s)) continue;
        js_open(b, NULL, '{');
        js_number(b, "Second", (double)at);
        put_second_row(b, &s);
        js_open(b, "Operations", '[');
        for (size_t i = 0; i < guest; i++) {
            if (!counters_at(counters, at, i, &s)) continue;
            js_open(b, NULL, '{');
            js_string(b, "Name", slice_str(watch_operation(i)));
            put_second_row(b, &s);
            js_close(b, '}');
        }
        js_close(b, ']');
        js_close(b, '}');
    }
    js_close(b, ']');
}

/* ---- tables and keys ---- */

static void put_rates(struct buf *b, const struct rates *r)
{
    put_rate(b, "Reads", (double)r->reads);
    put_rate(b, "Writes", (double)r->writes);
    put_rate(b, "ReadUnits", (double)r->read_halves / 2);
    put_rate(b, "WriteUnits", (double)r->write_halves / 2);
}

static void put_key(struct buf *b, const struct watched_key *k)
{
    js_open(b, NULL, '{');
    js_name(b, "Key");
    item_to_json(b, k->value);
    if (k->cut) js_bool(b, "Cut", true);
    put_rates(b, &k->rates);
    js_number(b, "Load", k->load);
    js_number(b, "LastLoad", k->last);
    put_rate(b, "Share", k->share);
    js_bool(b, "Hot", k->hot);
    js_string_if(b, "Advice", k->advice);
    js_close(b, '}');
}

static void put_place(struct buf *b, const struct watched_place *p)
{
    js_open(b, NULL, '{');
    js_string(b, "Table", p->table);
    js_name(b, "Index");
    if (p->index.n) json_put_string(b, p->index);
    else BUF_LIT(b, "null");
    put_halves(b, "ReadUnits", p->read_halves);
    put_halves(b, "WriteUnits", p->write_halves);
    js_open(b, "PerSecond", '{');
    put_rates(b, &p->rates);
    js_close(b, '}');
    js_number(b, "Load", p->load);
    js_open(b, "Keys", '[');
    for (size_t i = 0; i < p->n_keys; i++) put_key(b, &p->keys[i]);
    js_close(b, ']');
    js_close(b, '}');
}

int watch(struct studio_call *c)
{
    struct engine *e = c->studio->o.engine;
    struct counters *counters = engine_counters(e);
    uint32_t after;
    struct watch w;
    int rc = call_count(c, "After", 999999999, &after);
    if (rc) return rc;
    engine_watch(e, c->arena, &w);
    js_open(&c->out, NULL, '{');
    js_name(&c->out, "Now");
    buf_printf(&c->out, "%lld", (long long)w.now_ms); /* more digits than js_number writes */
    js_number(&c->out, "Second", (double)w.second);
    js_open(&c->out, "Operations", '[');
    for (size_t i = 0; i < w.n_operations; i++) put_row(&c->out, counters, &w, i, watch_operation(i));
    js_close(&c->out, ']');
    js_open(&c->out, "Studio", '[');
    put_row(&c->out, counters, &w, counters_guest_row(counters), "Studio");
    js_close(&c->out, ']');
    put_seconds(&c->out, counters, &w, after);
    js_open(&c->out, "Tables", '[');
    for (size_t i = 0; i < w.n_places; i++) put_place(&c->out, &w.places[i]);
    js_close(&c->out, ']');
    js_close(&c->out, '}');
    return 0;
}

int advise_partition(struct studio_call *c)
{
    of_model *model;
    const char *index;
    struct slice key;
    of_answer *report;
    int rc = call_string(c, "Index", false, &index);
    if (!rc) rc = call_text(c, "Key", true, &key);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    if (of_model_advise(model, index, (const char *)key.p, (ptrdiff_t)key.n, &report, &c->of)) return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}
