/* metrics.c: a page of figures for Prometheus.
 *
 * Names of tables and indexes are labels, and at most COUNTERS_PLACES of them; values of keys are not: they are somebody's data, and
 * there is no end of them. A busy key is told by its rank. */
#include "metrics.h"
#include "../engine/watch.h"
#include <time.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUSIEST 3 /* keys of a table or index */

static void family(struct buf *b, const char *name, const char *type, const char *help)
{
    buf_printf(b, "# HELP onefold_%s %s\n# TYPE onefold_%s %s\n", name, help, name, type);
}

static void single(struct buf *b, const char *name, const char *type, double value, const char *help)
{
    family(b, name, type, help);
    buf_printf(b, "onefold_%s %.17g\n", name, value);
}

/* ---- operations ---- */

struct row {
    const char *name;
    struct counters_row total;
};

/* Those that were called. */
static size_t read_rows(struct arena *a, struct counters *c, const struct watch *w, struct row **out)
{
    size_t n = 0;
    struct row *rows = arena_zalloc(a, w->n_operations * sizeof *rows);
    for (size_t i = 0; i < w->n_operations; i++) {
        rows[n].name = watch_operation(i);
        counters_total(c, i, w->second, &rows[n].total, NULL);
        if (rows[n].total.calls) n++;
    }
    *out = rows;
    return n;
}

/* Every second bucket: one to a doubling. */
static void put_latency(struct buf *b, const struct row *row)
{
    uint64_t below = 0;
    for (size_t i = 0; i < COUNTERS_BUCKETS; i++) {
        below += row->total.latency[i];
        if (i % 2 == 0 || counters_bucket_end(i) == UINT64_MAX) continue;
        buf_printf(b, "onefold_request_seconds_bucket{operation=\"%s\",le=\"%.9g\"} %llu\n", row->name,
                   (double)counters_bucket_end(i) / 1e6, (unsigned long long)below);
    }
    buf_printf(b, "onefold_request_seconds_bucket{operation=\"%s\",le=\"+Inf\"} %llu\n", row->name, (unsigned long long)row->total.calls);
    buf_printf(b, "onefold_request_seconds_sum{operation=\"%s\"} %.9g\n", row->name, (double)row->total.microseconds / 1e6);
    buf_printf(b, "onefold_request_seconds_count{operation=\"%s\"} %llu\n", row->name, (unsigned long long)row->total.calls);
}

static void put_operations(struct buf *b, const struct row *rows, size_t n)
{
    static const char *const outcomes[FAILURE_KINDS] = { "ok", "user_error", "condition_failed", "throttled", "server_error" };
    family(b, "requests_total", "counter", "Calls of the API by operation and outcome.");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < FAILURE_KINDS; k++)
            buf_printf(b, "onefold_requests_total{operation=\"%s\",outcome=\"%s\"} %llu\n", rows[i].name, outcomes[k],
                       (unsigned long long)rows[i].total.failures[k]);
    family(b, "request_seconds", "histogram", "Time from reading a request's body to its answer, by operation.");
    for (size_t i = 0; i < n; i++) put_latency(b, &rows[i]);
    family(b, "items_returned_total", "counter", "Items in answers, by operation.");
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "onefold_items_returned_total{operation=\"%s\"} %llu\n", rows[i].name, (unsigned long long)rows[i].total.returned);
    family(b, "items_written_total", "counter", "Items put, changed or deleted, by operation.");
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "onefold_items_written_total{operation=\"%s\"} %llu\n", rows[i].name, (unsigned long long)rows[i].total.written);
}

static void put_errors(struct buf *b, const struct service *s)
{
    family(b, "errors_total", "counter", "Answers that are an error, by its type.");
    for (size_t i = ERR_NONE + 1; i < ERR_COUNT; i++) {
        uint64_t n = __atomic_load_n(&s->counts->errors[i], __ATOMIC_RELAXED);
        if (n) buf_printf(b, "onefold_errors_total{type=\"%s\"} %llu\n", err_name((enum err_code)i), (unsigned long long)n);
    }
}

static void put_refusals(struct buf *b, const struct service *s)
{
    static const char *const reasons[REFUSALS] = {
#define X(id, name, words) [REFUSAL_##id] = (name),
        REFUSAL_LIST(X)
#undef X
    };
    family(b, "refused_total", "counter", "Requests and connections that were turned away before a signature was looked at.");
    for (size_t i = REFUSAL_NONE + 1; i < REFUSALS; i++)
        buf_printf(b, "onefold_refused_total{reason=\"%s\"} %llu\n", reasons[i],
                   (unsigned long long)__atomic_load_n(&s->counts->refusals[i], __ATOMIC_RELAXED));
}

/* ---- tables ---- */

/* Names have no character that would have to be escaped. */
static void put_place(struct buf *b, const char *family_name, const struct watched_place *p)
{
    buf_printf(b, "onefold_%s{table=\"%.*s\",index=\"%.*s\"", family_name, SLICE_ARG(p->table), SLICE_ARG(p->index));
}

static void put_units(struct buf *b, const struct watch *w)
{
    family(b, "consumed_units_total", "counter", "Capacity units by table and index (index empty: the table) and kind.");
    for (size_t i = 0; i < w->n_places; i++) {
        const struct watched_place *p = &w->places[i];
        put_place(b, "consumed_units_total", p);
        buf_printf(b, ",kind=\"read\"} %.17g\n", (double)p->read_halves / 2);
        put_place(b, "consumed_units_total", p);
        buf_printf(b, ",kind=\"write\"} %.17g\n", (double)p->write_halves / 2);
    }
}

static void put_keys(struct buf *b, const struct watch *w)
{
    family(b, "partition_load", "gauge",
           "Load of the busiest partition keys of the last fifteen seconds; 1 is all that DynamoDB gives one partition.");
    for (size_t i = 0; i < w->n_places; i++)
        for (size_t k = 0; k < w->places[i].n_keys && k < BUSIEST; k++) {
            put_place(b, "partition_load", &w->places[i]);
            buf_printf(b, ",rank=\"%zu\"} %.9g\n", k + 1, w->places[i].keys[k].load);
        }
    family(b, "hot_partitions", "gauge", "Partition keys that are hot, as the studio's Watch shows them.");
    for (size_t i = 0; i < w->n_places; i++) {
        unsigned hot = 0;
        for (size_t k = 0; k < w->places[i].n_keys; k++) hot += w->places[i].keys[k].hot;
        put_place(b, "hot_partitions", &w->places[i]);
        buf_printf(b, "} %u\n", hot);
    }
}

/* ---- the store, the loops, the process ---- */

static void put_store(struct buf *b, const struct store_stats *s)
{
    single(b, "store_bytes", "gauge", (double)s->bytes, "Size of the data file that is in use or can be reused.");
    single(b, "store_map_bytes", "gauge", (double)s->map_size, "Address space set aside for the data file; grows in steps.");
    single(b, "store_commits_total", "counter", (double)s->commits, "Transactions committed; one may hold many updates.");
    single(b, "store_updates_total", "counter", (double)s->updates, "Updates; divided by commits: how large groups are.");
    single(b, "store_reruns_total", "counter", (double)s->reruns, "Updates run again because another of their group was undone.");
    single(b, "store_commit_seconds_total", "counter", (double)s->commit_ns / 1e9, "Time spent in commits, waiting for the disk included.");
    single(b, "store_queued_updates", "gauge", (double)s->queued, "Updates that wait for the writer.");
    single(b, "store_reader_lag_commits", "gauge", (double)s->reader_lag,
           "Commits since the oldest read began that is still under way; what it sees cannot be reused.");
    single(b, "store_reader_age_seconds", "gauge", (double)s->reader_ms / 1000, "How long ago that read began; good to some milliseconds.");
    family(b, "store_state", "gauge", "1 for the state that the store is in.");
    buf_printf(b, "onefold_store_state{state=\"ok\"} %d\nonefold_store_state{state=\"full\"} %d\nonefold_store_state{state=\"stopped\"} %d\n"
               "onefold_store_state{state=\"away\"} %d\n",
               s->state == STORE_OK, s->state == STORE_FULL, s->state == STORE_STOPPED, s->state == STORE_AWAY);
}

static void put_http(struct buf *b, struct http_request *r)
{
    struct http_stats s;
    http_get_stats(r, &s);
    single(b, "connections", "gauge", s.connections, "Open connections.");
    single(b, "connections_max", "gauge", s.connections_max, "Connections at which new ones have to wait.");
    single(b, "request_memory_bytes", "gauge", (double)s.held, "Memory held by bodies and by requests that wait.");
    single(b, "request_memory_max_bytes", "gauge", (double)s.held_max, "Memory at which a further request is refused.");
    if (s.certificate_ends)
        single(b, "tls_certificate_expires_seconds", "gauge", (double)s.certificate_ends, "When the TLS certificate ends, in seconds since 1970.");
}

/* Resident pages, from /proc: 0 where there is none. */
static double resident_bytes(void)
{
    long pages = 0;
    char text[100] = "", *at;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f) return 0;
    if (fgets(text, sizeof text, f) && (at = strchr(text, ' '))) pages = strtol(at, NULL, 10);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void put_process(struct buf *b, const struct service *s)
{
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    family(b, "build_info", "gauge", "1, with the version.");
    buf_printf(b, "onefold_build_info{version=\"%s\"} 1\n", s->version);
    single(b, "start_time_seconds", "gauge", (double)s->started, "When the server started, in seconds since 1970.");
    single(b, "cpu_seconds_total", "counter", (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9, "Processor time of the process.");
    single(b, "resident_bytes", "gauge", resident_bytes(), "Resident memory of the process, pages of the data file included.");
}

void metrics_put(struct buf *b, struct http_request *r)
{
    const struct service *s = r->service;
    struct store_stats store = { 0 };
    struct watch w;
    struct row *rows;
    engine_watch(s->engine, r->arena, &w);
    engine_store_stats(s->engine, &store);
    size_t n = read_rows(r->arena, engine_counters(s->engine), &w, &rows);
    put_process(b, s);
    put_operations(b, rows, n);
    put_errors(b, s);
    put_refusals(b, s);
    single(b, "damaged_reads_total", "counter", (double)engine_damaged(s->engine), "Calls that failed because what is stored is damaged.");
    put_units(b, &w);
    put_keys(b, &w);
    put_store(b, &store);
    put_http(b, r);
}

struct slice metrics_not_ready(struct http_request *r)
{
    const struct service *s = r->service;
    struct store_stats store = { 0 };
    struct http_stats http;
    http_get_stats(r, &http);
    if (http.stopping) return SLICE("stopping: requests under way are finished, new ones go elsewhere\n");
    engine_store_stats(s->engine, &store);
    if (store.state == STORE_STOPPED) return SLICE("read-only: a write to the disk failed; the log says more. Restart after it is mended\n");
    if (store.state == STORE_FULL) return SLICE("full: the last write found no room on the disk\n");
    /* STORE_AWAY: whoever takes servers out that are not ready would take all of them out at once. */
    return slice_of(NULL, 0);
}
