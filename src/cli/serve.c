/* serve.c: `onefold serve`: its options and what they may be. */
#include "cli.h"
#include "serve.h"
#include "../base/log.h"
#include "../wire/limits.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *set_port(void *target, const char *value)
{
    struct serve_options *o = target;
    long n = parse_digits(value, 65535);
    if (strstr(value, "://")) return "is not a port number; Kubernetes sets it so where a Service is called onefold: give the pod enableServiceLinks: false";
    if (n < 0) return "is not a port number (0 to 65535)";
    o->port = (uint16_t)n;
    return NULL;
}

static const char *set_threads(void *target, const char *value)
{
    struct serve_options *o = target;
    long n = parse_digits(value, WIRE_MAX_THREADS);
    if (n < 1) return "is not a number of threads (1 to 64)";
    o->threads = (unsigned)n;
    return NULL;
}

static const char *set_bind(void *target, const char *value)
{
    ((struct serve_options *)target)->host = value;
    return *value ? NULL : "is empty; give an address such as 127.0.0.1";
}

static const char *set_data(void *target, const char *value)
{
    struct serve_options *o = target;
    o->data = value;
    return *value ? NULL : "is empty; give a directory";
}

static const char *set_s3(void *target, const char *value)
{
    ((struct serve_options *)target)->s3 = value;
    return *value ? NULL : "is empty; give a directory";
}

static const char *set_tls_cert(void *target, const char *value)
{
    ((struct serve_options *)target)->tls_cert = value;
    return *value ? NULL : "is empty; give a file";
}

static const char *set_tls_key(void *target, const char *value)
{
    ((struct serve_options *)target)->tls_key = value;
    return *value ? NULL : "is empty; give a file";
}

static const char *set_tls_client_ca(void *target, const char *value)
{
    ((struct serve_options *)target)->tls_client_ca = value;
    return *value ? NULL : "is empty; give a file";
}

static const char *set_memory(void *target, const char *value)
{
    (void)value;
    ((struct serve_options *)target)->memory = true;
    return NULL;
}

static const char *set_store(void *target, const char *value)
{
    ((struct serve_options *)target)->store = value;
    return is_store_url(value) ? NULL : "is not the URL of a PostgreSQL database: postgres://HOST/DATABASE";
}

static const char *set_durability(void *target, const char *value)
{
    struct serve_options *o = target;
    if (strcmp(value, "full") == 0)
        o->durability = DURABILITY_FULL;
    else if (strcmp(value, "relaxed") == 0)
        o->durability = DURABILITY_RELAXED;
    else
        return "must be full or relaxed (for no durability at all: --memory)";
    return NULL;
}

static const char *set_conflicts(void *target, const char *value)
{
    struct serve_options *o = target;
    if (strcmp(value, "serialize") == 0)
        o->conflicts = CONFLICTS_SERIALIZE;
    else if (strcmp(value, "dynamodb") == 0)
        o->conflicts = CONFLICTS_DYNAMODB;
    else
        return "must be serialize or dynamodb";
    return NULL;
}

static const char *set_credentials(void *target, const char *value)
{
    ((struct serve_options *)target)->credentials = value;
    return *value ? NULL : "is empty; give a file of access keys, or aws";
}

static const char *set_insecure(void *target, const char *value)
{
    (void)value;
    ((struct serve_options *)target)->insecure = true;
    return NULL;
}

static const char *set_throttle(void *target, const char *value)
{
    (void)value;
    ((struct serve_options *)target)->throttle = true;
    return NULL;
}

static const char *set_metrics(void *target, const char *value)
{
    if (strcmp(value, "local") != 0 && strcmp(value, "all") != 0) return "must be local or all";
    ((struct serve_options *)target)->metrics_for_all = strcmp(value, "all") == 0;
    return NULL;
}

static const char *set_slow_ms(void *target, const char *value)
{
    long n = parse_digits(value, SERVE_MAX_SLOW_MS);
    if (n < 0) return "is not a number of milliseconds (1 to 3600000; 0: none is told)";
    ((struct serve_options *)target)->slow_ms = (unsigned)n;
    return NULL;
}

static const char *set_log_level(void *target, const char *value)
{
    static const char *const names[] = { "error", "warn", "info", "debug" };
    for (int i = LOG_ERROR; i <= LOG_DEBUG; i++) {
        if (strcmp(value, names[i]) != 0) continue;
        ((struct serve_options *)target)->log_level = i;
        return NULL;
    }
    return "must be error, warn, info or debug";
}

static const char *set_log_format(void *target, const char *value)
{
    ((struct serve_options *)target)->log_json = strcmp(value, "json") == 0;
    return strcmp(value, "json") == 0 || strcmp(value, "text") == 0 ? NULL : "must be text or json";
}

static const char *add(const char **list, size_t *n, const char *value)
{
    if (*n == SERVE_MAX_LIST) return "is one too many (at most 32)";
    list[(*n)++] = value;
    return NULL;
}

static const char *add_cors(void *target, const char *value)
{
    struct serve_options *o = target;
    if (strcmp(value, "*") != 0 && strncmp(value, "http://", 7) != 0 &&
        strncmp(value, "https://", 8) != 0)
        return "is not an origin; give one such as https://app.example.com, or '*' for any";
    return add(o->cors, &o->n_cors, value);
}

/* As a Host header may have it: a name or an address, IPv6 in brackets, perhaps with a port. */
static bool is_host(const char *value)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    size_t n = *value == '[' ? strspn(value + 1, "0123456789abcdefABCDEF:.") + 1 : strspn(value, letters);
    if (*value == '[' && (n == 1 || value[n++] != ']')) return false;
    return n && (!value[n] || (value[n] == ':' && parse_digits(value + n + 1, 65535) > 0));
}

static const char *add_allow_host(void *target, const char *value)
{
    struct serve_options *o = target;
    if (!is_host(value) && strcmp(value, "*") != 0)
        return "is not a host name such as db.example.com (several: --allow-host for each, or ONEFOLD_ALLOW_HOST with commas and no spaces)";
    return add(o->allow_hosts, &o->n_allow_hosts, value);
}

static const char *add_model(void *target, const char *value)
{
    struct serve_options *o = target;
    if (!*value) return "is empty; give a model file";
    return add(o->models, &o->n_models, value);
}

static const struct option_spec options[] = {
    { "port", "N", "port to listen on (8000; 0 takes a free one)", .env = "ONEFOLD_PORT", .set = set_port },
    { "bind", "ADDRESS", "address to listen on (127.0.0.1)", .env = "ONEFOLD_BIND", .set = set_bind },
    { "data", "DIR", "where data is kept (./onefold-data)", .env = "ONEFOLD_DATA", .complete = COMPLETE_DIR,
      .set = set_data },
    { "memory", NULL, "keep data in memory only, gone at the end", .env = "ONEFOLD_MEMORY", .set = set_memory },
    { "store", "URL", "keep data in PostgreSQL, together with other servers", .env = "ONEFOLD_STORE", .set = set_store },
    { "durability", "LEVEL", "full: on disk before the answer (default), or relaxed", .env = "ONEFOLD_DURABILITY",
      .complete = COMPLETE_WORDS, .words = "full relaxed", .set = set_durability },
    { "conflicts", "MODE", "serialize: all succeed (default), or fail as on dynamodb", .env = "ONEFOLD_CONFLICTS",
      .complete = COMPLETE_WORDS, .words = "serialize dynamodb", .set = set_conflicts },
    { "throttle", NULL, "tables have the capacity they were given, not more", .env = "ONEFOLD_THROTTLE",
      .set = set_throttle },
    { "metrics", "WHO", "who sees /metrics: local, this machine (default), or all", .env = "ONEFOLD_METRICS",
      .set = set_metrics },
    { "credentials", "FILE", "access keys that may ask; aws: those of AWS's own tools", .env = "ONEFOLD_CREDENTIALS",
      .complete = COMPLETE_FILE, .set = set_credentials },
    { "insecure", NULL, "let other machines in without credentials or TLS", .env = "ONEFOLD_INSECURE", .set = set_insecure },
    { "s3", "DIR", "where the buckets of export and import are", .env = "ONEFOLD_S3", .complete = COMPLETE_DIR,
      .set = set_s3 },
    { "model", "FILE", "a model that /studio shows", .env = "ONEFOLD_MODEL", .complete = COMPLETE_FILE,
      .repeats = true, .set = add_model },
    { "tls-cert", "FILE", "answer over TLS, with this certificate (PEM, with its chain)", .env = "ONEFOLD_TLS_CERT",
      .complete = COMPLETE_FILE, .set = set_tls_cert },
    { "tls-key", "FILE", "the certificate's private key (PEM)", .env = "ONEFOLD_TLS_KEY", .complete = COMPLETE_FILE,
      .set = set_tls_key },
    { "tls-client-ca", "FILE", "only for clients with a certificate of one of these", .env = "ONEFOLD_TLS_CLIENT_CA",
      .complete = COMPLETE_FILE, .set = set_tls_client_ca },
    { "allow-host", "NAME", "answer requests for this Host too, beside loopback", .env = "ONEFOLD_ALLOW_HOST",
      .repeats = true, .set = add_allow_host },
    { "cors", "ORIGIN", "answer web pages of this origin too; '*': any", .env = "ONEFOLD_CORS", .repeats = true,
      .set = add_cors },
    { "threads", "N", "event loops (one per core)", .env = "ONEFOLD_THREADS", .set = set_threads },
    { "slow-ms", "N", "log requests that take this long, in milliseconds (none)", .env = "ONEFOLD_SLOW_MS", .set = set_slow_ms },
    { "log-level", "LEVEL", "error, warn, info (default) or debug", .env = "ONEFOLD_LOG_LEVEL",
      .complete = COMPLETE_WORDS, .words = "error warn info debug", .set = set_log_level },
    { "log-format", "FORMAT", "text (default) or json", .env = "ONEFOLD_LOG_FORMAT", .complete = COMPLETE_WORDS,
      .words = "text json", .set = set_log_format },
};

static bool has_flag(const struct invocation *in, const char *flag)
{
    size_t n = strlen(flag);
    for (int i = 0; i < in->argc; i++)
        if (!strncmp(in->argv[i], flag, n) && (!in->argv[i][n] || in->argv[i][n] == '=')) return true;
    return false;
}

/* Where the data is kept: a flag wins over variables, and ONEFOLD_STORE over ONEFOLD_DATA, which the service's unit and the image set by
 * themselves; two flags, or two other variables, are a mistake. */
static int settle_data(const struct invocation *in, struct serve_options *o)
{
    bool data = in->shared.data_flag, memory = has_flag(in, "--memory"), store = has_flag(in, "--store");
    int flags = data + memory + store;
    if (!flags && o->store) o->data = NULL;
    if ((o->data != NULL) + o->memory + (o->store != NULL) < 2) return 0;
    if (flags > 1)
        return fail_usage(in->command, "more than one place for the data is asked for; choose one of --data, --memory and --store");
    if (!flags)
        return fail_usage(in->command, "more than one place for the data is asked for; choose one of ONEFOLD_MEMORY and %s",
                          o->store ? "ONEFOLD_STORE" : "ONEFOLD_DATA");
    if (!data) o->data = NULL;
    if (!memory) o->memory = false;
    if (!store) o->store = NULL;
    return 0;
}

/* What is kept in one server's memory cannot speak for all of them; how durable it is, PostgreSQL's own settings say. */
static int check_store(const struct invocation *in, const struct serve_options *o)
{
    if (!o->store) return 0;
    if (o->throttle) return fail_usage(in->command, "--throttle counts within one server: it cannot be used with --store");
    if (o->conflicts != CONFLICTS_SERIALIZE)
        return fail_usage(in->command, "--conflicts dynamodb looks at the requests of one server: it cannot be used with --store");
    if (o->durability != DURABILITY_FULL)
        return fail_usage(in->command, "--durability is for a data directory; with --store a write is as durable as PostgreSQL makes it");
    return 0;
}

/* Half of it would be a server that is open where its owner thinks it is not. */
static int check_tls(const struct invocation *in, const struct serve_options *o)
{
    if (o->tls_cert && !o->tls_key) return fail_usage(in->command, "--tls-cert needs --tls-key FILE, its private key");
    if (o->tls_key && !o->tls_cert) return fail_usage(in->command, "--tls-key needs --tls-cert FILE, its certificate");
    if (o->tls_client_ca && !o->tls_cert)
        return fail_usage(in->command, "--tls-client-ca needs --tls-cert FILE and --tls-key FILE");
    return 0;
}

/* It may be made, or mounted, later; until then exports and imports end with S3NoSuchBucket, which does not name it. */
static void tell_of_buckets(const struct serve_options *o)
{
    struct stat st;
    if (!o->s3) return;
    if (stat(o->s3, &st))
        log_line(LOG_WARN, "--s3 %s: %s; exports and imports fail until it is there", o->s3, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        log_line(LOG_WARN, "--s3 %s is not a directory; exports and imports will fail", o->s3);
}

/* Models are shown by the studio as they are; who made a mistake in the command should read of it here. */
static void tell_of_files(void *ctx, of_db *db, const char *endpoint)
{
    const struct serve_options *o = ctx;
    of_error err;
    (void)db;
    (void)endpoint;
    tell_of_buckets(o);
    for (size_t i = 0; i < o->n_models; i++) {
        of_model *model;
        if (access(o->models[i], F_OK))
            log_line(LOG_WARN, "--model %s is not there; saving it in the studio makes it", o->models[i]);
        else if (of_model_open(&model, o->models[i], &err))
            log_line(LOG_WARN, "--model %s; the studio shows it, to mend it", err.message);
        else
            of_model_close(model);
    }
}

/* Whom other machines can be let in without: by default, nobody. */
static int check_exposure(const struct invocation *in, const struct serve_options *o)
{
    bool bare = !o->credentials, plain = !serve_has_tls(o);
    if (serve_is_loopback(o->host) || o->insecure || (!bare && !plain)) return 0;
    return fail_usage(in->command, "--bind %s lets other machines in: give %s%s%s too, or --insecure if the network is safe", o->host,
                      bare ? "--credentials FILE" : "", bare && plain ? " and " : "", plain ? "--tls-cert and --tls-key" : "");
}

static int run(struct invocation *in)
{
    struct serve_options *o = in->options;
    o->limits = http_default_limits;
    o->ready = tell_of_files;
    o->ready_ctx = o;
    int err = settle_data(in, o);
    if (!err) err = check_store(in, o);
    if (!err) err = check_tls(in, o);
    if (!err) err = check_exposure(in, o);
    return err ? err : serve_run(o);
}

static const struct serve_options defaults = {
    .host = "127.0.0.1", .port = 8000, .durability = DURABILITY_FULL, .log_level = LOG_INFO
};

const struct command command_serve = {
    .name = "serve",
    .logs = true,
    .summary = "serve the DynamoDB API and the studio",
    .about = "Serves the DynamoDB API, and under /studio the web studio, until it gets\n"
             "SIGTERM or SIGINT (Ctrl-C). SIGHUP reads credentials and TLS files again.\n"
             "Each option can come from a variable instead: ONEFOLD_PORT, ONEFOLD_DATA ...\n"
             "(man onefold-serve lists them all). A flag wins over variables, and\n"
             "ONEFOLD_STORE over ONEFOLD_DATA. --model, --allow-host and --cors may be\n"
             "repeated; their variables take a list with commas.\n",
    OPTIONS(options),
    DEFAULTS(defaults),
    .examples = "serve --memory --port 8001\n"
                "serve --data ./onefold-data --port 8001\n"
                "serve --store postgres://onefold@db1,db2,db3/onefold\n",
    .run = run,
};
