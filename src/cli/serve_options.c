/* serve_options.c: `onefold serve`: its help, its options and what they may be. */
#include "cli.h"
#include "../base/log.h"
#include "../wire/limits.h"
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Usage: onefold serve [OPTION...]\n"
    "\n"
    "Serves the DynamoDB API until it gets SIGTERM or SIGINT (Ctrl-C).\n"
    "\n"
    "  --port N             port to listen on (8000; 0 takes a free one)\n"
    "  --bind ADDRESS       address to listen on (127.0.0.1)\n"
    "  --data DIR           where data is kept (./onefold-data)\n"
    "  --memory             keep data in memory only, gone at the end\n"
    "  --durability LEVEL   full: on disk before the answer (default), or relaxed\n"
    "  --allow-host NAME    answer requests for this Host too, beside loopback\n"
    "  --cors ORIGIN        answer web pages of this origin too; '*': any\n"
    "  --threads N          event loops (one per core)\n"
    "  --log-level LEVEL    error, warn, info (default) or debug\n"
    "  --log-format FORMAT  text (default) or json\n"
    "\n"
    "Each option can come from a variable instead: ONEFOLD_PORT, ONEFOLD_DATA ...\n"
    "--allow-host and --cors may be repeated.\n"
    "\n"
    "Examples:\n"
    "  onefold serve --memory --port 8001\n"
    "  onefold serve --data ./onefold-data --port 8001\n";

/* Digits only, at most `most`; -1 otherwise. */
static long number(const char *s, long most)
{
    long n = 0;
    if (!*s) return -1;
    for (; *s; s++) {
        if (*s < '0' || *s > '9') return -1;
        n = n * 10 + (*s - '0');
        if (n > most) return -1;
    }
    return n;
}

static const char *set_port(void *target, const char *value)
{
    struct serve_options *o = target;
    long n = number(value, 65535);
    if (n < 0) return "is not a port number (0 to 65535)";
    o->port = (uint16_t)n;
    return NULL;
}

static const char *set_threads(void *target, const char *value)
{
    struct serve_options *o = target;
    long n = number(value, WIRE_MAX_THREADS);
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

static const char *set_memory(void *target, const char *value)
{
    (void)value;
    ((struct serve_options *)target)->memory = true;
    return NULL;
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

static const char *add_allow_host(void *target, const char *value)
{
    struct serve_options *o = target;
    if (!*value || strchr(value, '/')) return "is not a host name; give one such as db.example.com";
    return add(o->allow_hosts, &o->n_allow_hosts, value);
}

static const struct option_spec specs[] = {
    { "port", "ONEFOLD_PORT", false, false, set_port },
    { "bind", "ONEFOLD_BIND", false, false, set_bind },
    { "data", "ONEFOLD_DATA", false, false, set_data },
    { "memory", "ONEFOLD_MEMORY", true, false, set_memory },
    { "durability", "ONEFOLD_DURABILITY", false, false, set_durability },
    { "allow-host", "ONEFOLD_ALLOW_HOST", false, true, add_allow_host },
    { "cors", "ONEFOLD_CORS", false, true, add_cors },
    { "threads", "ONEFOLD_THREADS", false, false, set_threads },
    { "log-level", "ONEFOLD_LOG_LEVEL", false, false, set_log_level },
    { "log-format", "ONEFOLD_LOG_FORMAT", false, false, set_log_format },
};

/* --data wins over ONEFOLD_MEMORY and --memory over ONEFOLD_DATA; twice the same kind is a mistake.
 */
static int settle_data(struct serve_options *o, int argc, char **argv)
{
    bool data_flag = false, memory_flag = false;
    for (int i = 1; i < argc; i++) {
        data_flag |= strcmp(argv[i], "--data") == 0 || strncmp(argv[i], "--data=", 7) == 0;
        memory_flag |= strcmp(argv[i], "--memory") == 0;
    }
    if (o->data && o->memory && data_flag == memory_flag)
        return fail_usage("serve", "a data directory and memory are both asked for; choose one");
    if (o->data && o->memory) {
        if (data_flag)
            o->memory = false;
        else
            o->data = NULL;
    }
    return 0;
}

static int run(int argc, char **argv)
{
    struct serve_options o = { .host = "127.0.0.1",
                               .port = 8000,
                               .durability = DURABILITY_FULL,
                               .log_level = LOG_INFO,
                               .limits = http_default_limits };
    int err = options_read("serve", specs, sizeof(specs) / sizeof(*specs), argc, argv, &o);
    if (!err) err = settle_data(&o, argc, argv);
    return err ? err : serve_run(&o);
}

const struct command command_serve = {
    .name = "serve",
    .summary = "serve the DynamoDB API",
    .help = help,
    .run = run,
};
