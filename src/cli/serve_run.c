/* serve_run.c: puts store, engine and server together, runs them, and takes them down in reverse order.
 */
#include "cli.h"
#include "heaps.h"
#include "notify.h"
#include "serve.h"
#include "serve_keys.h"
#include "version.h"
#include "../base/log.h"
#include "../engine/engine.h"
#include "../lib/within.h"
#include "../studio/studio.h"
#include "../wire/tls.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct http_server *running;
static struct tls *tls; /* NULL: plain HTTP */
static struct keyring *keys; /* NULL: whoever reaches us may do everything */
static const char *keys_source;
static volatile sig_atomic_t stop_asked;
static struct timespec first_signal;

#define SAME_WISH_MS 500

/* First signal: finish what is under way. Second: the user is in a hurry, unless it comes with the
 * first: make and timeout pass a signal on to a process that got it already. What was acknowledged
 * is on disk either way. */
static void on_stop_signal(int number)
{
    (void)number;
    int saved = errno;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!stop_asked) {
        stop_asked = 1;
        first_signal = now;
        notify_stopping();
        http_server_stop(running);
    } else if ((now.tv_sec - first_signal.tv_sec) * 1000 +
                   (now.tv_nsec - first_signal.tv_nsec) / 1000000 >
               SAME_WISH_MS) {
        _exit(EXIT_ERROR);
    }
    errno = saved;
}

static void on_reload_signal(int number)
{
    (void)number;
    int saved = errno;
    http_server_reload(running);
    errno = saved;
}

/* Only a process with a controlling terminal can open this one. */
static bool has_terminal(void)
{
    int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static void watch_signals(struct http_server *s)
{
    struct sigaction again = { .sa_handler = on_reload_signal, .sa_flags = SA_RESTART };
    struct sigaction a = { .sa_handler = on_stop_signal, .sa_flags = SA_RESTART };
    running = s;
    sigemptyset(&a.sa_mask);
    sigaddset(&a.sa_mask, SIGTERM);
    sigaddset(&a.sa_mask, SIGINT);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGINT, &a, NULL);
    /* Without files to read again it is what a closing terminal sends, and ends the process. Who runs under a supervisor, whichever it is,
     * has no terminal, and is asked to read files that it has not. */
    if (tls || keys || notify_is_wanted() || !has_terminal()) sigaction(SIGHUP, &again, NULL);
}

/* Why it does not run: one sentence, which is a line of the log where a program reads that. */
__attribute__((format(printf, 1, 2))) static int cannot_run(const char *fmt, ...)
{
    char message[1200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    if (!log_is_json()) return fail_error("%s", message);
    log_event(LOG_ERROR, "failed", NULL, 0, "%s", message);
    return EXIT_ERROR;
}

static const char *durability_text(const struct serve_options *o)
{
    if (o->memory) return "none";
    if (o->store) return "PostgreSQL's";
    return o->durability == DURABILITY_FULL ? "full" : "relaxed";
}

/* To standard output, always: scripts read the port from it. */
static void announce(const struct serve_options *o, const char *endpoint, const char *data)
{
    if (o->log_json) {
        char escaped[4096], now[LOG_TIME_SIZE];
        log_escape(escaped, sizeof(escaped), slice_str(data), true);
        log_time(now);
        printf("{\"time\":\"%s\",\"level\":\"info\",\"message\":\"listening\",\"event\":\"listening\",\"version\":\"%s\","
               "\"endpoint\":\"%s\",\"data\":\"%s\",\"durability\":\"%s\",\"signatures\":\"%s\"",
               now, ONEFOLD_VERSION, endpoint, escaped, durability_text(o), keys ? "verified" : "any well-formed one is accepted");
        if (o->conflicts == CONFLICTS_DYNAMODB) printf(",\"conflicts\":\"dynamodb\"");
        if (o->throttle) printf(",\"throttle\":true");
        if (studio_has_pages()) printf(",\"studio\":\"%s/studio/\"", endpoint);
        printf("}\n");
    } else {
        printf(
            "onefold %s on %s, data in %s, durability %s; %s\n",
            ONEFOLD_VERSION, endpoint, data, durability_text(o), keys ? "signatures are verified" : "any well-formed signature is accepted");
        /* Who forgot such a variable in the environment should see why requests fail. */
        if (o->conflicts == CONFLICTS_DYNAMODB) printf("conflicts: requests that overlap a transaction fail, as on DynamoDB\n");
        if (o->throttle) printf("throttle: tables have the capacity they were given, not more\n");
        if (studio_has_pages()) printf("studio: %s/studio/\n", endpoint);
        else printf("studio: none, this onefold was built without npm\n");
    }
    fflush(stdout);
}

bool serve_has_studio(void)
{
    return studio_has_pages();
}

bool serve_is_loopback(const char *host)
{
    return host_is_loopback(slice_str(host)) || strcmp(host, "::1") == 0;
}

static int run_server(const struct serve_options *o, struct http_server *server, of_db *db, const char *endpoint,
                      const char *data)
{
    char message[512] = "";
    watch_signals(server);
    if (!serve_is_loopback(o->host) && !keys)
        log_line(LOG_WARN, "whoever can reach %s can read and change all data: it runs without --credentials", endpoint);
    if (!serve_is_loopback(o->host) && !tls)
        log_line(LOG_WARN, "whoever is on the way to %s can read what passes: it runs without TLS", endpoint);
    announce(o, endpoint, data);
    notify_ready(); /* who connects from here on is answered */
    if (o->ready) o->ready(o->ready_ctx, db, endpoint);
    fflush(stdout);
    return http_server_run(server, message, sizeof(message)) ? cannot_run("%s", message) : EXIT_OK;
}

static int serve_studio(const struct serve_options *o, struct http_server *server, struct service *service,
                        const char *endpoint, const char *data)
{
    of_db *db = lib_db_within(service->engine);
    struct studio *studio = NULL;
    int code = EXIT_ERROR;
    if (db) studio = studio_open(&(struct studio_options){ .models = o->models, .n_models = o->n_models, .db = db,
                                                           .data = data, .engine = service->engine });
    if (studio) {
        service->guest = studio_guest(studio);
        code = run_server(o, server, db, endpoint, data);
        studio_close(studio);
    } else {
        cannot_run("out of memory");
    }
    lib_db_leave(db);
    return code;
}

/* Test aid: ONEFOLD_TEST_CLOCK names a file with a number of milliseconds, by which the clock of the database is ahead. It
 * is read again each time, so that a test can move it while the server runs. */
static int64_t moved_clock(void *ctx)
{
    struct timespec now;
    char text[32] = "";
    clock_gettime(CLOCK_REALTIME, &now);
    FILE *f = fopen(ctx, "r");
    if (f) {
        if (!fgets(text, sizeof text, f)) text[0] = 0;
        fclose(f);
    }
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + strtoll(text, NULL, 10);
}

static atomic_bool store_failed;

/* Once for each change. Reads go on, and /readyz tells a load balancer; the exit code tells whoever started us. */
static void on_store_state(void *ctx, int state, const char *why)
{
    static atomic_int last;
    int before = atomic_exchange(&last, state);
    (void)ctx;
    if (state == STORE_STOPPED) {
        atomic_store(&store_failed, true);
        log_event(LOG_ERROR, "store_failed", NULL, 0, "no more writes are taken: %s; reads go on. Restart when it is mended", why);
    } else if (state == STORE_FULL) {
        log_event(LOG_ERROR, "store_full", NULL, 0, "no room left on the disk: %s; writes fail until there is, reads go on", why);
    } else if (state == STORE_AWAY) {
        bool waits = strstr(why, "lock timeout") != NULL;
        log_event(LOG_ERROR, "store_away", NULL, 0, "PostgreSQL %s: %s; requests wait for it, and fail after some seconds",
                  waits ? "does not get on with its writes (are the standbys there that a commit waits for? does somebody hold a lock on the tables?)" : "cannot be reached", why);
    } else if (state != STORE_OK) {
        log_event(LOG_ERROR, "store_failed", NULL, 0, "a write has failed: %s", why);
    } else {
        log_event(LOG_INFO, "store_resumed", NULL, 0, "%swrites go on",
                  before == STORE_FULL ? "there is room on the disk again: " : before == STORE_AWAY ? "PostgreSQL is there again: reads and " : "");
    }
}

static int end_code(int code)
{
    bool failed = atomic_load(&store_failed);
    log_event(failed ? LOG_ERROR : LOG_INFO, "stopped", NULL, 0, "stopped%s", failed ? ", after the store had failed" : "");
    return failed ? EXIT_ERROR : code;
}

static int serve_store(const struct serve_options *o, struct http_server *server,
                       struct service *service, const char *endpoint)
{
    char message[512] = "";
    char shown[256];
    const char *dir = o->memory || o->store ? NULL : o->data ? o->data : "./onefold-data";
    const char *where = o->store ? store_url_shown(o->store, shown, sizeof shown) : dir ? dir : "memory";
    struct store_options so = { .dir = dir, .url = o->store, .durability = o->durability, .endpoint = endpoint, .told = on_store_state };
    struct store *store;
    if (store_open(&store, &so, message, sizeof(message))) return o->store ? cannot_run("%s: %s", where, message) : cannot_run("%s", message);
    char *clock_file = getenv("ONEFOLD_TEST_CLOCK");
    struct engine_options eo = { .now_ms = clock_file ? moved_clock : NULL, .clock_ctx = clock_file, .s3_dir = o->s3,
                                 .conflicts = o->conflicts, .throttle = o->throttle };
    if (engine_open(&service->engine, store, &eo, message, sizeof(message))) {
        store_close(store);
        return cannot_run("%s", message);
    }
    int code = serve_studio(o, server, service, endpoint, where);
    engine_close(service->engine);
    store_close(store);
    return end_code(code);
}

/* A name that the user bound to is one that clients will use. An address needs no mention: the wire
 * compares Host with the address that a connection came in on. */
static bool is_name(const char *host)
{
    uint8_t address[16];
    return inet_pton(AF_INET, host, address) != 1 && inet_pton(AF_INET6, host, address) != 1;
}

/* A model need not be there yet, but saving must be able to make it. */
static int check_model_path(const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    if (!stat(path, &st)) return S_ISDIR(st.st_mode) ? cannot_run("%s is a directory; give the model file in it", path) : 0;
    if (!slash || slash == path) return 0;
    char *folder = strndup(path, (size_t)(slash - path));
    int failed = folder && stat(folder, &st) ? cannot_run("%s: there is no folder %s", path, folder) : 0;
    free(folder);
    return failed;
}

/* What the loops need beside the service. */
static int open_tls(const struct serve_options *o, struct tls **out)
{
    const struct tls_files files = { .cert = o->tls_cert, .key = o->tls_key, .client_ca = o->tls_client_ca };
    char message[512];
    *out = NULL;
    if (!serve_has_tls(o) || !tls_open(out, &files, message, sizeof(message))) return 0;
    return cannot_run("%s", message);
}

static int open_keys(const struct serve_options *o, struct keyring *ring)
{
    char message[1100];
    struct credentials *first;
    keys = NULL;
    if (!o->credentials) return 0;
    if (serve_keys_read(&first, o->credentials, false, message, sizeof(message))) return cannot_run("%s", message);
    keyring_init(ring, first);
    keys = ring;
    keys_source = o->credentials;
    return 0;
}

static void reload_keys(void)
{
    char message[1100];
    struct credentials *next;
    if (serve_keys_read(&next, keys_source, true, message, sizeof(message))) {
        log_event(LOG_ERROR, "reload_failed", NULL, 0, "credentials: nothing is changed, the access keys from before stay in force: %s", message);
        return;
    }
    size_t n = credentials_count(next);
    keyring_replace(keys, next);
    log_event(LOG_INFO, "reloaded", NULL, 0, "credentials: read again, %zu access key%s", n, n == 1 ? "" : "s");
}

static void reload_tls(void)
{
    char message[512];
    if (tls_reload(tls, message, sizeof(message)))
        log_event(LOG_ERROR, "reload_failed", NULL, 0, "TLS: nothing is changed, the files from before stay in force: %s", message);
    else
        log_event(LOG_INFO, "reloaded", NULL, 0, "TLS: the files are read again; new connections use them");
}

/* On a loop, after SIGHUP. */
static void reload(void *service)
{
    (void)service;
    if (keys) reload_keys();
    if (tls) reload_tls();
    if (!keys && !tls) log_event(LOG_INFO, "reloaded", NULL, 0, "nothing to read again: it runs without credentials and without TLS");
}

/* Opens the server and runs it; what it needs is the caller's to close. */
static int run_with(const struct serve_options *o, struct http_options *ho, struct service *service)
{
    struct http_server *server;
    char message[512], endpoint[300];
    ho->tls = tls;
    service->keys = keys;
    if (http_server_open(&server, ho, message, sizeof(message))) return cannot_run("%s", message);
    bool v6 = strchr(o->host, ':') != NULL;
    snprintf(endpoint, sizeof(endpoint), v6 ? "%s://[%s]:%u" : "%s://%s:%u", tls ? "https" : "http",
             o->host, http_server_port(server));
    int code = serve_store(o, server, service, endpoint);
    signal(SIGTERM, SIG_IGN); /* all is closed; a late one must not make this look like a crash */
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    http_server_close(server);
    return code;
}

/* Reads on a store beyond a network wait for it, each on a thread of libuv's: as many are under way at once. */
static void have_more_threads(void)
{
    setenv("UV_THREADPOOL_SIZE", "64", 0);
}

int serve_run(const struct serve_options *o)
{
    if (o->store) have_more_threads();
    log_setup((enum log_level)o->log_level, o->log_json);
    for (size_t i = 0; i < o->n_models; i++)
        if (check_model_path(o->models[i])) return EXIT_ERROR;
    const char *hosts[SERVE_MAX_LIST + 1];
    size_t n_hosts = o->n_allow_hosts;
    memcpy(hosts, o->allow_hosts, n_hosts * sizeof(*hosts));
    if (is_name(o->host)) hosts[n_hosts++] = o->host;
    static struct service_counts counts;
    struct service service = { .counts = &counts,
                               .version = ONEFOLD_VERSION,
                               .started = time(NULL),
                               .metrics_for_all = o->metrics_for_all,
                               .slow_ns = (uint64_t)o->slow_ms * 1000000u,
                               .origins = { .allow_hosts = hosts,
                                            .n_allow_hosts = n_hosts,
                                            .cors = o->cors,
                                            .n_cors = o->n_cors } };
    struct http_options ho = { .host = o->host,
                               .port = o->port,
                               .threads = o->threads,
                               .limits = o->limits,
                               .handle = service_handle,
                               .service = &service,
                               .loop_open = service_loop_open,
                               .loop_close = service_loop_close,
                               .turn_end = service_turn_end,
                               .reload = reload,
                               .refused = service_refused };
    struct keyring ring;
    notify_open();
    if (open_keys(o, &ring)) return EXIT_ERROR;
    heaps_begin(HEAPS_EVERY_MS);
    int code = open_tls(o, &tls) ? EXIT_ERROR : run_with(o, &ho, &service);
    heaps_end();
    tls_close(tls);
    if (keys) keyring_end(keys);
    return code;
}
