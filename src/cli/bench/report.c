/* report.c: what came out, as a table for people and as JSON for programs. */
#include "bench.h"

/* "1,234/s" stands in its column with as many digits as say something. */
static struct slice rate(struct arena *a, double v)
{
    return figure(a, v >= 100 ? (double)(uint64_t)(v + 0.5) : v);
}

/* Microseconds as 85 us, 1.24 ms, 2.50 s. */
static struct slice duration(struct arena *a, double us)
{
    if (us < 99.95) return arena_printf(a, "%.1f us", us);
    if (us < 999.5) return arena_printf(a, "%.0f us", us);
    if (us < 999500) return arena_printf(a, us < 99950 ? "%.2f ms" : "%.0f ms", us / 1000);
    return arena_printf(a, "%.2f s", us / 1e6);
}

static double throughput(const struct bench_outcome *o)
{
    return o->result.seconds > 0 ? (double)o->requests / o->result.seconds : 0;
}

static struct slice units(struct bench *b, const struct bench_outcome *o)
{
    struct arena *a = b->in->arena;
    if (b->options->no_check) return SLICE("not asked");
    struct slice read = figure(a, (double)(uint64_t)(o->read_units + 0.5)), write = figure(a, (double)(uint64_t)(o->write_units + 0.5));
    if (o->read_units > 0 && o->write_units > 0) return arena_printf(a, "%.*s r, %.*s w", SLICE_ARG(read), SLICE_ARG(write));
    return o->write_units > 0 ? arena_printf(a, "%.*s w", SLICE_ARG(write)) : arena_printf(a, "%.*s r", SLICE_ARG(read));
}

/* A model's sample data have sizes of their own. */
static bool is_modelled(const struct bench_outcome *x)
{
    return workload_find(x->workload)->modelled;
}

/* Where, with what load, on which items. */
static void print_heading(struct bench *b, const struct bench_outcome *outcomes, size_t n)
{
    struct arena *a = b->in->arena;
    const struct bench_options *o = b->options;
    bool own = false;
    for (size_t i = 0; i < n; i++) own |= !is_modelled(&outcomes[i]);
    printf("%.*s, %s, %s", SLICE_ARG(b->target.url), (const char *)counted(a, o->connections, "connection", "connections").p,
           (const char *)counted(a, o->threads, "thread", "threads").p);
    if (own) printf(", items of %zu bytes", data_size(&b->data, a));
    puts("\n");
}

void bench_report_table(struct bench *b, const struct bench_outcome *outcomes, size_t n)
{
    static const char *titles[] = { "workload", "requests", "per second", "p50", "p99", "p99.9", "slowest", "units", "errors", "wrong" };
    struct arena *a = b->in->arena;
    const struct bench_options *o = b->options;
    struct table t;
    print_heading(b, outcomes, n);
    table_init(&t, a, COUNT(titles), titles);
    for (size_t i = 0; i < n; i++) {
        const struct bench_outcome *x = &outcomes[i];
        const struct histogram *h = &x->result.latency;
        uint64_t errors = x->result.errors + x->result.lost + x->result.throttled;
        struct cell *row = table_row(&t);
        row[0].text = slice_str(x->workload);
        row[1].text = figure(a, (double)x->requests);
        row[2] = (struct cell){ rate(a, throughput(x)), INK_TITLE };
        row[3].text = duration(a, histogram_quantile(h, 0.5));
        row[4].text = duration(a, histogram_quantile(h, 0.99));
        row[5].text = duration(a, histogram_quantile(h, 0.999));
        row[6].text = duration(a, histogram_max(h));
        row[7].text = units(b, x);
        row[8] = (struct cell){ figure(a, (double)errors), errors ? INK_BAD : INK_PLAIN };
        row[9] = (struct cell){ o->no_check ? SLICE("not checked") : figure(a, (double)x->result.wrong), x->result.wrong ? INK_BAD : INK_PLAIN };
    }
    for (size_t i = 1; i < COUNT(titles); i++) t.right[i] = true;
    table_print(&t);
}

static void print_outcome(struct bench *b, const struct bench_outcome *x)
{
    const struct bench_options *o = b->options;
    const struct client_result *r = &x->result;
    const struct histogram *h = &r->latency;
    printf("{\"workload\":\"%s\",\"connections\":%u,\"threads\":%u,\"seconds\":%.3f,", x->workload, o->connections, o->threads, r->seconds);
    if (is_modelled(x))
        printf("\"size\":null,\"items\":null,");
    else
        printf("\"size\":%zu,\"items\":%llu,", data_size(&b->data, b->in->arena), (unsigned long long)b->data.items);
    printf("\"requests\":%llu,", (unsigned long long)x->requests);
    printf("\"errors\":%llu,\"throttled\":%llu,\"wrong\":%llu,\"throughput\":%.1f,\"bytes_in\":%llu,", (unsigned long long)(r->errors + r->lost),
           (unsigned long long)r->throttled, (unsigned long long)r->wrong, throughput(x), (unsigned long long)r->bytes_in);
    printf("\"latency_us\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,\"mean\":%.1f},", histogram_quantile(h, 0.5),
           histogram_quantile(h, 0.9), histogram_quantile(h, 0.99), histogram_quantile(h, 0.999), histogram_max(h), histogram_mean(h));
    if (o->no_check)
        printf("\"units\":null,");
    else
        printf("\"units\":{\"read\":%.1f,\"write\":%.1f},", x->read_units, x->write_units);
    printf("\"client_cpu_us\":%llu}", (unsigned long long)r->cpu_us);
}

void bench_report_json(struct bench *b, const struct bench_outcome *outcomes, size_t n)
{
    fputc('[', stdout);
    for (size_t i = 0; i < n; i++) {
        if (i) fputs(",\n ", stdout);
        print_outcome(b, &outcomes[i]);
    }
    puts("]");
}

bool bench_report_troubles(const struct bench_outcome *x)
{
    const struct client_result *r = &x->result;
    if (r->errors)
        fail_error("%s: %llu errors; the first: %d %s", x->workload, (unsigned long long)r->errors, r->first_error.status, r->first_error.text);
    if (r->throttled)
        fail_error("%s: %llu requests were throttled", x->workload, (unsigned long long)r->throttled);
    if (r->lost) fail_error("%s: %llu requests got no answer; the first: %s", x->workload, (unsigned long long)r->lost, r->first_lost.text);
    if (r->wrong) fail_error("%s: %llu wrong answers; the first: %s", x->workload, (unsigned long long)r->wrong, r->first_wrong.text);
    if (x->complaint[0]) fail_error("%s: %s", x->workload, x->complaint);
    return !r->errors && !r->lost && !r->wrong && !x->complaint[0];
}
