/* options.c: reads flags, variables and arguments by the command's tables; flags win over variables. */
#include "cli.h"
#include <stdlib.h>

#define MAX_OPTIONS 64
#define MAX_VALUES  128
#define SHOWN_MAX   512

/* Where an option's value goes. */
static void *target_of(struct invocation *in, size_t i)
{
    return i < in->command->n_options ? in->options : (void *)&in->shared;
}

static size_t find(const struct command *c, struct slice name)
{
    size_t i = 0;
    while (command_option(c, i) && !slice_eq(slice_str(command_option(c, i)->name), name)) i++;
    return i;
}

static bool has_option(const struct command *c, const char *name)
{
    return command_option(c, find(c, slice_str(name))) != NULL;
}

/* What is wrong with it as the name of a directory. NULL: nothing that its name tells. */
static const char *not_a_directory(const struct command *c, const char *value)
{
    bool store = has_option(c, "store"), endpoint = has_option(c, "endpoint");
    if (is_store_url(value) && store) return "is a database, not a directory: give it with --store";
    if (is_store_url(value) && endpoint)
        return "is a database, not a directory: start a server with onefold serve --store, and give its address with --endpoint";
    if (is_store_url(value)) return "is a database, not a directory";
    if (is_server_url(value) && endpoint) return "is a server, not a directory: give it with --endpoint";
    if (is_server_url(value)) return "is a server, not a directory";
    if (!is_forgotten_scheme(value)) return NULL;
    if (store) return "looks like a database: give it with --store postgres://..., or write ./ before the name of a new directory";
    return "looks like a server: give it with --endpoint http://..., or write ./ before the name of a new directory";
}

static const char *set(struct invocation *in, size_t i, const char *value)
{
    const struct option_spec *o = command_option(in->command, i);
    void *target = target_of(in, i);
    const char *wrong = o->value && !strcmp(o->value, "DIR") ? not_a_directory(in->command, value) : NULL;
    if (o->value && !strcmp(o->value, "FILE") && is_store_url(value)) wrong = "is a database, not a file";
    if (wrong) return wrong;
    if (o->set) return o->set(target, value);
    if (!o->value) {
        *(bool *)((char *)target + o->at) = true;
    } else {
        if (!*value) return "is empty";
        *(const char **)((char *)target + o->at) = value;
    }
    return NULL;
}

static int read_environment(struct invocation *in, size_t i)
{
    const struct option_spec *o = command_option(in->command, i);
    char *value = o->env ? getenv(o->env) : NULL;
    if (!value || !*value) return 0;
    if (!o->value) {
        if (strcmp(value, "0") == 0) return 0;
        if (strcmp(value, "1") != 0)
            return fail_usage(in->command, "%s='%s' must be 1 or 0", o->env, value);
    }
    for (char *item = value, *comma; item; item = comma) {
        comma = o->repeats ? strchr(item, ',') : NULL;
        if (comma) *comma++ = 0; /* our own copy of the environment; nobody else reads it */
        const char *wrong = set(in, i, item);
        char shown[SHOWN_MAX];
        if (wrong) return fail_usage(in->command, "%s='%s' %s", o->env, place_shown(item, shown, sizeof shown), wrong);
    }
    return 0;
}

static int unknown(struct invocation *in, struct slice name)
{
    const char *names[MAX_OPTIONS];
    char asked[64];
    size_t n = 0;
    for (; command_option(in->command, n); n++) names[n] = command_option(in->command, n)->name;
    snprintf(asked, sizeof asked, "%.*s", SLICE_ARG(name));
    const char *near = nearest(asked, names, n);
    if (near)
        return fail_usage(in->command, "unknown option '--%.*s'; did you mean '--%s'?", SLICE_ARG(name), near);
    return fail_usage(in->command, "unknown option '--%.*s'; 'onefold help %s' lists the options",
                      SLICE_ARG(name), in->command->name);
}

/* Too many or too few arguments. */
static int count_arguments(struct invocation *in)
{
    const struct command *c = in->command;
    char shown[SHOWN_MAX];
    bool repeats = c->n_arguments && c->arguments[c->n_arguments - 1].repeats;
    if (in->n_arguments > c->n_arguments && !repeats) {
        const char *extra = place_shown(in->arguments[c->n_arguments], shown, sizeof shown);
        if (!c->n_arguments && !command_option(c, 0))
            return fail_usage(c, "unexpected argument '%s'; it takes none", extra);
        return fail_usage(c, "unexpected argument '%s'; 'onefold help %s' lists the options", extra,
                          c->name);
    }
    if (in->n_arguments < c->n_arguments && !c->arguments[in->n_arguments].optional)
        return fail_usage(c, "%s is missing: %.*s", c->arguments[in->n_arguments].name,
                          SLICE_ARG(command_usage(in->arena, c)));
    return 0;
}

static int check_directories(const struct invocation *in)
{
    const struct command *c = in->command;
    char shown[SHOWN_MAX];
    for (size_t i = 0; i < in->n_arguments && i < c->n_arguments; i++) {
        const char *name = in->arguments[i], *wrong = strcmp(c->arguments[i].name, "DIR") ? NULL : not_a_directory(c, name);
        if (wrong) return fail_usage(c, "'%s' %s", place_shown(name, shown, sizeof shown), wrong);
    }
    return 0;
}

struct given {
    bool by_flag[MAX_OPTIONS];
    const char *values[MAX_VALUES];
    size_t at[MAX_VALUES];
    size_t n;
};

static int read_flag(struct invocation *in, struct given *g, int *i)
{
    const char *arg = in->argv[*i], *equals = strchr(arg, '=');
    struct slice name = slice_of(arg + 2, equals ? (size_t)(equals - arg) - 2 : strlen(arg + 2));
    size_t at = find(in->command, name);
    const struct option_spec *o = command_option(in->command, at);
    if (!o) return unknown(in, name);
    if (!o->value && equals) return fail_usage(in->command, "--%s takes no value", o->name);
    if (o->value && !equals && *i + 1 == in->argc)
        return fail_usage(in->command, "--%s needs a value: --%s %s", o->name, o->name, o->value);
    if (g->by_flag[at] && !o->repeats) return fail_usage(in->command, "--%s is given twice", o->name);
    if (g->n == MAX_VALUES) return fail_usage(in->command, "too many options");
    g->by_flag[at] = true;
    g->at[g->n] = at;
    g->values[g->n++] = !o->value ? "" : equals ? equals + 1 : in->argv[++*i];
    return 0;
}

static int read_words(struct invocation *in, struct given *g)
{
    bool all_arguments = false;
    in->arguments = ARENA_ARRAY(in->arena, char *, (size_t)in->argc + 1);
    for (int i = 0; i < in->argc; i++) {
        char *arg = in->argv[i];
        if (!all_arguments && strcmp(arg, "--") == 0) {
            all_arguments = true;
        } else if (!all_arguments && strncmp(arg, "--", 2) == 0) {
            int err = read_flag(in, g, &i);
            if (err) return err;
        } else if (!all_arguments && arg[0] == '-' && arg[1]) {
            return fail_usage(in->command, "unexpected argument '%s'; options begin with two dashes", arg);
        } else {
            in->arguments[in->n_arguments++] = arg;
        }
    }
    return 0;
}

int options_read(struct invocation *in)
{
    const struct command *c = in->command;
    struct given g = { .n = 0 };
    in->options = arena_zalloc(in->arena, c->options_size + 1);
    if (c->options_size) memcpy(in->options, c->defaults, c->options_size);
    int err = read_words(in, &g);
    if (!err) err = count_arguments(in);
    if (!err) err = check_directories(in);
    if (!err) err = check_variables(c);
    for (size_t i = 0; !err && command_option(c, i); i++)
        if (!g.by_flag[i]) err = read_environment(in, i);
    for (size_t i = 0; !err && i < g.n; i++) {
        const char *wrong = set(in, g.at[i], g.values[i]);
        const struct option_spec *o = command_option(c, g.at[i]);
        char shown[SHOWN_MAX];
        if (wrong) err = fail_usage(c, "--%s '%s' %s", o->name, place_shown(g.values[i], shown, sizeof shown), wrong);
        if (strcmp(o->name, "data") == 0) in->shared.data_flag = true;
        if (strcmp(o->name, "endpoint") == 0) in->shared.endpoint_flag = true;
    }
    return err;
}

long parse_digits(const char *s, long most)
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
