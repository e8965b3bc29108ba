/* variables.c: refuses variables that begin with ONEFOLD_ and are none of ours. A misspelt ONEFOLD_CREDENTIALS would be a server that is open where its
 * owner thinks it is not. Empty ones too: they take away what an image has set, such as ONEFOLD_INSECURE. */
#include "cli.h"
#include <unistd.h>

#define PREFIX    "ONEFOLD_"
#define MAX_NAMES 256

/* Read elsewhere than by the tables of options, or by nobody: */
static const char *const others[] = {
    "CLIENT_CERT", "CLIENT_KEY",                /* src/remote/settings.c, for every command that asks a server */
    "FAILPOINT", "FAILPOINT_MAP", "SEEDED_BUG", /* src/base/failpoint.h */
    "VERSION",                                  /* images are in the habit of telling by such a name what is in them */
};

/* "_8000_TCP" or "_8000_TCP_ADDR" */
static bool is_port_of_service(const char *rest)
{
    size_t digits = strspn(rest + 1, "0123456789");
    rest += 1 + digits;
    return digits && (!strncmp(rest, "_TCP", 4) || !strncmp(rest, "_UDP", 4) || !strncmp(rest, "_SCTP", 5));
}

/* Kubernetes gives every pod variables that name the Services around it: of one that is called onefold-a ONEFOLD_A_SERVICE_HOST,
 * ONEFOLD_A_SERVICE_PORT_HTTP, ONEFOLD_A_PORT=tcp://10.0.0.1:8000, ONEFOLD_A_PORT_8000_TCP_ADDR. name: with its value. */
static bool is_of_kubernetes(const char *name)
{
    if (strstr(name, "_SERVICE_HOST=") || strstr(name, "_SERVICE_PORT=") || strstr(name, "_SERVICE_PORT_")) return true;
    const char *port = strstr(name, "_PORT");
    for (; port; port = strstr(port + 1, "_PORT")) {
        const char *rest = port + strlen("_PORT");
        if (*rest == '_' && is_port_of_service(rest)) return true;
        if (!strncmp(rest, "=tcp://", 7) || !strncmp(rest, "=udp://", 7) || !strncmp(rest, "=sctp://", 8)) return true;
    }
    return false;
}

static void add(const char **names, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (!strcmp(names[i], name)) return;
    if (*n < MAX_NAMES) names[(*n)++] = name;
}

/* Those of all commands, without the prefix: what is set for the server may stand in the environment of the others. */
static size_t known_names(const char **names)
{
    size_t n = 0;
    for (size_t c = 0; commands[c]; c++) {
        for (size_t i = 0; command_option(commands[c], i); i++) {
            const char *env = command_option(commands[c], i)->env;
            if (env && !strncmp(env, PREFIX, strlen(PREFIX))) add(names, &n, env + strlen(PREFIX));
        }
    }
    for (size_t i = 0; i < COUNT(others); i++) add(names, &n, others[i]);
    return n;
}

static bool is_known(struct slice name, const char *const *names, size_t n)
{
    if (slice_starts(name, SLICE("TEST_"))) return true; /* test aids */
    for (size_t i = 0; i < n; i++)
        if (slice_eq(name, slice_str(names[i]))) return true;
    return false;
}

static bool reads_variables(const struct command *c)
{
    for (size_t i = 0; command_option(c, i); i++)
        if (command_option(c, i)->env) return true;
    return false;
}

int check_variables(const struct command *c)
{
    const char *names[MAX_NAMES];
    size_t n = reads_variables(c) ? known_names(names) : 0;
    for (char **at = environ; n && at && *at; at++) {
        if (strncmp(*at, PREFIX, strlen(PREFIX)) != 0) continue;
        const char *rest = *at + strlen(PREFIX);
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, "="), rest);
        if (is_known(slice_str(name), names, n) || is_of_kubernetes(*at)) continue;
        const char *near = nearest(name, names, n);
        if (near) return fail_usage(c, "there is no variable " PREFIX "%s; did you mean " PREFIX "%s?", name, near);
        return fail_usage(c, "there is no variable " PREFIX "%s; 'onefold man serve' lists those of a server", name);
    }
    return 0;
}
