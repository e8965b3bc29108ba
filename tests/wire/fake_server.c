/* fake_server.c: the real server on the fake engine, with waiting times and caps from FAKE_*
 * variables, so that tests of slow clients are not slow themselves. */
#include "cli/cli.h"
#include "cli/serve.h"
#include "base/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int fail_error(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return EXIT_ERROR;
}

static void from_env(const char *name, unsigned *to)
{
    const char *value = getenv(name);
    if (value) *to = (unsigned)strtoul(value, NULL, 10);
}

int main(int argc, char **argv)
{
    struct serve_options o = { .host = "127.0.0.1",
                               .memory = true,
                               .log_level = LOG_WARN,
                               .threads = 2,
                               .limits = http_default_limits };
    from_env("FAKE_CONNECTIONS", &o.limits.connections);
    from_env("FAKE_IDLE_MS", &o.limits.idle_ms);
    from_env("FAKE_HEAD_MS", &o.limits.head_ms);
    from_env("FAKE_BODY_MS", &o.limits.body_ms);
    from_env("FAKE_WRITE_MS", &o.limits.write_ms);
    from_env("FAKE_LINGER_MS", &o.limits.linger_ms);
    from_env("FAKE_DRAIN_MS", &o.limits.drain_ms);
    from_env("FAKE_EVICT_MS", &o.limits.evict_ms);
    from_env("FAKE_MIN_RATE", &o.limits.min_rate);
    from_env("FAKE_TLS_WARN_MS", &o.limits.tls_warn_ms);
    from_env("FAKE_THREADS", &o.threads);
    from_env("FAKE_HELD_MB", &o.limits.held_mb);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--cors") == 0) o.cors[o.n_cors++] = argv[i + 1];
        if (strcmp(argv[i], "--allow-host") == 0) o.allow_hosts[o.n_allow_hosts++] = argv[i + 1];
        if (strcmp(argv[i], "--bind") == 0) o.host = argv[i + 1];
        if (strcmp(argv[i], "--tls-cert") == 0) o.tls_cert = argv[i + 1];
        if (strcmp(argv[i], "--tls-key") == 0) o.tls_key = argv[i + 1];
        if (strcmp(argv[i], "--tls-client-ca") == 0) o.tls_client_ca = argv[i + 1];
        if (strcmp(argv[i], "--log-level") == 0 && strcmp(argv[i + 1], "info") == 0) o.log_level = LOG_INFO;
    }
    return serve_run(&o);
}
