/* bench.c: `onefold bench`: workloads on an endpoint. */
#include "bench/model.h"
#include "bench/server.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_SECONDS 86400
#define MOST_ITEMS   1000000000
#define MOST_SIZE    400000
#define SIGNED_SECONDS 240 /* signatures are made before the clock starts and good for five minutes */

static const struct bench_options defaults = {
    .connections = 64, .threads = 0, .seconds = 5, .warmup = 0.5, .table = "onefold-bench",
    .data = { .items = 10000, .collection = 1000, .size = 200, .seed = 1 },
};

static atomic_bool stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    atomic_store(&stopped, true);
}

/* The first Ctrl-C ends the run and shows what there is; the second ends the program. */
static void watch_signals(void)
{
    struct sigaction act = { .sa_handler = stop, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
}

/* A connection is a file; the usual limit of 1,024 can be raised by anybody. */
static void allow_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- what is asked for ---- */

static bool is_asked_for(const struct invocation *in, const char *workload)
{
    for (size_t i = 0; i < in->n_arguments; i++)
        if (strcmp(in->arguments[i], workload) == 0) return true;
    return false;
}

/* Without a list: all, the model's if there was one given. */
static bool wants_model(const struct invocation *in)
{
    return in->n_arguments ? is_asked_for(in, "patterns") : in->shared.model != NULL;
}

static bool wants_table(const struct invocation *in)
{
    for (size_t i = 0; i < in->n_arguments; i++)
        if (!workload_find(in->arguments[i])->modelled) return true;
    return !in->n_arguments;
}

static bool can_do(const struct bench *b, const struct workload *w)
{
    return (!w->indexed || b->data.indexes) && (!w->big || b->data.collection) && (!w->modelled || b->model);
}

/* What was asked for by name and cannot be done with such a table is an error, before the table is made. */
static int check_needs(const struct bench *b)
{
    const struct invocation *in = b->in;
    for (size_t i = 0; i < in->n_arguments; i++) {
        const struct workload *w = workload_find(in->arguments[i]);
        if (!w->modelled && !can_do(b, w))
            return fail_usage(in->command, "%s needs a table with %s", w->name, w->indexed ? "an index: --indexes 1" : "a big collection: --collection 1000");
    }
    return EXIT_OK;
}

/* What was asked for, or of all what can be done. */
static size_t choose(const struct bench *b, const struct workload **list)
{
    const struct invocation *in = b->in;
    size_t n = 0;
    for (size_t i = 0; i < in->n_arguments; i++) list[n++] = workload_find(in->arguments[i]);
    for (size_t i = 0; i < n_workloads && !in->n_arguments; i++)
        if (can_do(b, &workloads[i])) list[n++] = &workloads[i];
    return n;
}

static int check_words(struct invocation *in)
{
    const char **names = ARENA_ARRAY(in->arena, const char *, n_workloads);
    for (size_t i = 0; i < n_workloads; i++) names[i] = workloads[i].name;
    for (size_t i = 0; i < in->n_arguments; i++) {
        if (workload_find(in->arguments[i])) continue;
        const char *near = nearest(in->arguments[i], names, n_workloads);
        if (near) return fail_usage(in->command, "there is no workload '%s'; did you mean '%s'?", in->arguments[i], near);
        return fail_usage(in->command, "there is no workload '%s'; 'onefold help bench' lists them", in->arguments[i]);
    }
    return EXIT_OK;
}

/* ---- the steps ---- */

static int prepare(struct bench *b)
{
    const struct bench_options *o = b->options;
    int code = EXIT_OK;
    if (wants_model(b->in)) code = model_open(b);
    if (!code && wants_table(b->in) && o->no_prepare) code = prepare_adopt(b, o->no_check);
    if (!code) code = check_needs(b);
    if (!code && wants_table(b->in) && !o->no_prepare) code = prepare_table(b);
    if (code || !wants_model(b->in)) return code;
    return o->no_prepare ? model_adopt(b) : model_prepare(b);
}

static int run_all(struct bench *b)
{
    const struct workload **list = ARENA_ARRAY(b->in->arena, const struct workload *, b->in->n_arguments + n_workloads);
    size_t n = choose(b, list), done = 0;
    int code = EXIT_OK;
    struct bench_outcome *outcomes = calloc(n, sizeof *outcomes);
    if (!outcomes) return fail_error("out of memory");
    for (size_t i = 0; i < n && !code && !atomic_load(&stopped); i++) {
        code = bench_run(b, list[i], &outcomes[done]);
        if (!code) done++;
    }
    if (b->in->shared.json) bench_report_json(b, outcomes, done);
    else if (done) bench_report_table(b, outcomes, done);
    fflush(stdout);
    for (size_t i = 0; i < done; i++) {
        if (!bench_report_troubles(&outcomes[i])) code = EXIT_ERROR;
        client_result_free(&outcomes[i].result);
    }
    free(outcomes);
    return code;
}

/* What this run made goes again, whatever happened in between. */
static int remove_made(struct bench *b)
{
    int code = EXIT_OK;
    if (b->options->keep || b->options->prepare_only) return code;
    if (b->made) code = prepare_remove(b, b->table);
    if (b->made_model) {
        int second = prepare_remove(b, b->model->table);
        if (!code) code = second;
    }
    return code;
}

static void say_ready(struct bench *b)
{
    uint64_t items = b->data.items + b->data.collection;
    if (b->made)
        printf("%.*s is ready: %.*s of %zu bytes\n", SLICE_ARG(b->table), SLICE_ARG(counted(b->in->arena, (double)items, "item", "items")),
               data_size(&b->data, b->in->arena));
    if (b->made_model) printf("%.*s is ready: the sample data of %s\n", SLICE_ARG(b->model->table), b->model->path);
}

static int bench(struct bench *b)
{
    int code = prepare(b);
    if (!code && b->options->prepare_only) say_ready(b);
    else if (!code) code = run_all(b);
    if (atomic_exchange(&stopped, false)) code = fail_error("stopped before the end");
    int removed = remove_made(b), written = finish_output();
    model_close(b);
    return code ? code : removed ? removed : written;
}

static const char *endpoint(const struct bench_options *o)
{
    static const char *const names[] = { "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL" };
    if (o->endpoint) return o->endpoint;
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return value;
    }
    return NULL;
}

static bool is_table_name(const char *s)
{
    size_t n = strlen(s);
    return n >= 3 && n <= 200 && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == n;
}

static struct slice given(const char *option)
{
    return option ? slice_str(option) : (struct slice){ 0 };
}

static struct remote_options remote_options(const struct bench_options *o)
{
    return (struct remote_options){ .region = given(o->region), .profile = given(o->profile), .ca_file = given(o->ca_file),
                                    .client_cert = given(o->client_cert), .client_key = given(o->client_key) };
}

static int bench_at(struct invocation *in, const char *url)
{
    struct bench_options *o = in->options;
    struct bench b = { .in = in, .options = o, .data = o->data, .table = slice_str(o->table), .stop = &stopped };
    int code = target_open(in->arena, url, remote_options(o), &b.target);
    if (!code && b.target.is_aws && !in->shared.yes)
        code = fail_error("bench would write to AWS itself, where it costs money: add --yes if that is meant");
    if (!code && !b.target.loopback && o->seconds + o->warmup > SIGNED_SECONDS)
        code = fail_usage(in->command, "at most %d seconds on another machine: a request is signed once, and that is good for five minutes", SIGNED_SECONDS);
    if (!code) code = target_resolve(in->arena, &b.target);
    if (!code) code = bench(&b);
    target_close(&b.target);
    return code;
}

static int run(struct invocation *in)
{
    struct bench_options *o = in->options;
    pid_t server = 0;
    int code = check_words(in);
    if (code) return code;
    if (o->prepare_only && o->no_prepare) return fail_usage(in->command, "--prepare and --no-prepare are both given; choose one");
    if (!is_table_name(o->table)) return fail_usage(in->command, "--table '%s' is not a table name", o->table);
    if (!o->indexes_given) o->data.indexes = !in->n_arguments || is_asked_for(in, "index");
    if (!o->threads) o->threads = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1;
    if (o->threads > o->connections) o->threads = o->connections;
    const char *url = endpoint(o);
    watch_signals();
    allow_files();
    if (!url && (o->prepare_only || o->no_prepare))
        return fail_usage(in->command, "which endpoint? Give --endpoint URL, such as http://127.0.0.1:8000");
    if (!url) {
        fprintf(stderr, "no --endpoint: measuring a server in memory, started for this\n");
        code = server_start(in->arena, &url, &server);
        if (code) return code;
    }
    code = bench_at(in, url);
    if (server) server_stop(server);
    return code;
}

/* ---- options ---- */

static const char *set_seconds(double *to, const char *value, bool zero)
{
    char *end;
    double v = strtod(value, &end);
    if (!*value || *end || !isfinite(v) || v < 0 || (!zero && v <= 0) || v > MOST_SECONDS) return "is not a number of seconds";
    *to = v;
    return NULL;
}

static const char *set_duration(void *target, const char *value)
{
    return set_seconds(&((struct bench_options *)target)->seconds, value, false);
}

static const char *set_warmup(void *target, const char *value)
{
    return set_seconds(&((struct bench_options *)target)->warmup, value, true);
}

static const char *set_connections(void *target, const char *value)
{
    long n = parse_digits(value, CLIENT_MAX_CONNECTIONS);
    if (n < 1) return "is not a number of connections (1 to 10000)";
    ((struct bench_options *)target)->connections = (unsigned)n;
    return NULL;
}

static const char *set_threads(void *target, const char *value)
{
    long n = parse_digits(value, CLIENT_MAX_THREADS);
    if (n < 1) return "is not a number of threads (1 to 64)";
    ((struct bench_options *)target)->threads = (unsigned)n;
    return NULL;
}

static const char *set_size(void *target, const char *value)
{
    struct bench_options *o = target;
    long n = parse_digits(value, MOST_SIZE);
    if (n < 1) return "is not a size in bytes (1 to 400000)";
    o->data.size = (uint32_t)n;
    o->size_given = true;
    return NULL;
}

static const char *set_items(void *target, const char *value)
{
    struct bench_options *o = target;
    long n = parse_digits(value, MOST_ITEMS);
    if (n < 100) return "is not a number of items (100 to 1000000000)";
    o->data.items = ((uint64_t)n + DATA_COLLECTION - 1) / DATA_COLLECTION * DATA_COLLECTION;
    o->items_given = true;
    return NULL;
}

static const char *set_collection(void *target, const char *value)
{
    struct bench_options *o = target;
    long n = parse_digits(value, MOST_ITEMS);
    if (n < 0 || (n > 0 && n <= DATA_RANGE)) return "is not a number of items (0, or 51 to 1000000000)";
    o->data.collection = (uint64_t)n;
    o->collection_given = true;
    return NULL;
}

static const char *set_indexes(void *target, const char *value)
{
    struct bench_options *o = target;
    long n = parse_digits(value, DATA_MAX_INDEXES);
    if (n < 0) return "is not a number of indexes (0 to 5)";
    o->data.indexes = (uint32_t)n;
    o->indexes_given = true;
    return NULL;
}

static const char *set_seed(void *target, const char *value)
{
    struct bench_options *o = target;
    long n = parse_digits(value, INT64_MAX / 16);
    if (n < 0) return "is not a number";
    o->data.seed = (uint64_t)n;
    o->seed_given = true;
    return NULL;
}

#define AT(member) offsetof(struct bench_options, member)
#define WORDS "get put update query newest first-page range index batch-get batch-write transact patterns mixed"

static const struct argument_spec arguments[] = {
    { "WORKLOAD", WORDS " (all)", COMPLETE_WORDS, WORDS, .optional = true, .repeats = true },
};
static const struct option_spec options[] = {
    { "endpoint", "URL", "a server (AWS_ENDPOINT_URL_DYNAMODB), or 'aws'", AT(endpoint) },
    { "connections", "N", "kept open, a request under way on each (64)", .set = set_connections },
    { "threads", "N", "that send them (2)", .set = set_threads },
    { "seconds", "S", "measured for each workload (5)", .set = set_duration },
    { "warmup", "S", "before that, not measured (0.5)", .set = set_warmup },
    { "items", "N", "to load, in collections of 20 (10000)", .set = set_items },
    { "collection", "N", "items of one big collection besides (1000)", .set = set_collection },
    { "size", "BYTES", "of an item, about (200)", .set = set_size },
    { "indexes", "N", "secondary indexes, 0 to 5 (1 for index, else 0)", .set = set_indexes },
    { "table", "NAME", "the benchmark's own table (onefold-bench)", AT(table) },
    { "prepare", NULL, "only make and fill the table", AT(prepare_only) },
    { "no-prepare", NULL, "use the table that is there, and leave it", AT(no_prepare) },
    { "keep", NULL, "do not delete the table at the end", AT(keep) },
    { "no-check", NULL, "do not compare answers, nor ask for units", AT(no_check) },
    { "seed", "N", "other data (1)", .set = set_seed },
    { "region", "NAME", "region to sign for (AWS_REGION)", AT(region) },
    { "profile", "NAME", "profile of the AWS files (AWS_PROFILE)", AT(profile) },
    { "ca-file", "FILE", "believe certificates of these authorities (AWS_CA_BUNDLE)", AT(ca_file), .complete = COMPLETE_FILE },
    { "client-cert", "FILE", "show this certificate to the server (ONEFOLD_CLIENT_CERT)", AT(client_cert), .complete = COMPLETE_FILE },
    { "client-key", "FILE", "the certificate's private key (ONEFOLD_CLIENT_KEY)", AT(client_key), .complete = COMPLETE_FILE },
};

const struct command command_bench = {
    .name = "bench",
    .summary = "measure an endpoint: throughput, latency, units",
    .about = "Makes a table of its own on the endpoint, fills it, runs workloads on it one\n"
             "after the other and deletes it. Every answer is compared with what was\n"
             "written, and counters are summed up: what is wrong ends in exit code 1.\n"
             "Without an endpoint a server in memory is started for it.\n"
             "\n"
             "newest, first-page and range read the big collection; index needs --indexes;\n"
             "patterns asks what the model's access patterns ask, on its sample data.",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON | SHARE_YES | SHARE_MODEL,
    .examples = "bench get put --seconds 1\n"
                "bench query index --size 1024 --connections 256 --seconds 1 --json\n"
                "bench patterns --model onefold.yaml --seconds 1\n",
    .run = run,
};
