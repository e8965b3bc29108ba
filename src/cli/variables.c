/* variables.c: refuses misspelt settings of the server. A misspelt ONEFOLD_CREDENTIALS would be a server that is open where its owner thinks it is not;
 * an empty ONEFOLD_INSECUR would not take away what an image has set. Others may have variables of this prefix too (ONEFOLD_BIN of a script, those in which
 * Kubernetes tells of a Service called onefold): only what is nearly one of ours is taken for it. */
#include "cli.h"
#include <unistd.h>

#define PREFIX    "ONEFOLD_"
#define MAX_NAMES 64
#define SHORTEST  5 /* letters: PORT, BIND, DATA, CORS are near to names that others use, and a server tells at its start what they came to */

/* Those of the server, without the prefix. */
static size_t known_names(const struct command *c, const char **names)
{
    size_t n = 0;
    for (size_t i = 0; command_option(c, i) && n < MAX_NAMES; i++) {
        const char *env = command_option(c, i)->env;
        if (env && !strncmp(env, PREFIX, strlen(PREFIX))) names[n++] = env + strlen(PREFIX);
    }
    return n;
}

int check_variables(const struct command *c)
{
    const char *names[MAX_NAMES];
    size_t n = !strcmp(c->name, "serve") ? known_names(c, names) : 0;
    for (char **at = environ; n && at && *at; at++) {
        if (strncmp(*at, PREFIX, strlen(PREFIX)) != 0) continue;
        const char *rest = *at + strlen(PREFIX);
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, "="), rest);
        const char *near = nearest(name, names, n);
        if (near && strlen(near) >= SHORTEST && strcmp(near, name) != 0)
            return fail_usage(c, "there is no variable " PREFIX "%s; did you mean " PREFIX "%s?", name, near);
    }
    return 0;
}
