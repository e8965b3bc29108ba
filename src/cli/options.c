/* options.c: reads flags and ONEFOLD_* variables by a table; flags win. */
#include "cli.h"
#include <stdio.h>
#include <stdlib.h>

static const struct option_spec *find(const struct option_spec *specs, size_t n, struct slice name)
{
    for (size_t i = 0; i < n; i++)
        if (slice_eq(slice_str(specs[i].name), name)) return &specs[i];
    return NULL;
}

/* The environment first, for the options that no flag sets. */
static int read_environment(const char *command, const struct option_spec *spec, void *target)
{
    char *value = spec->env ? getenv(spec->env) : NULL;
    if (!value || !*value) return 0;
    if (spec->is_switch) {
        if (strcmp(value, "0") == 0) return 0;
        if (strcmp(value, "1") != 0)
            return fail_usage(command, "%s='%s' must be 1 or 0", spec->env, value);
    }
    for (char *item = value, *comma; item; item = comma) {
        comma = spec->repeats ? strchr(item, ',') : NULL;
        if (comma) *comma++ = 0; /* our own copy of the environment; nobody else reads it */
        const char *wrong = spec->set(target, item);
        if (wrong) return fail_usage(command, "%s='%s' %s", spec->env, item, wrong);
    }
    return 0;
}

static int read_flag(const char *command, const struct option_spec *spec, const char *value,
                     void *target)
{
    const char *wrong = spec->set(target, value);
    return wrong ? fail_usage(command, "--%s '%s' %s", spec->name, value, wrong) : 0;
}

int options_read(const char *command, const struct option_spec *specs, size_t n, int argc,
                 char **argv, void *target)
{
    bool given[64] = { false };
    const char *values[64];
    int at[64];
    size_t n_values = 0;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strncmp(arg, "--", 2) != 0)
            return fail_usage(command,
                              "unexpected argument '%s'; 'onefold help %s' lists the options", arg,
                              command);
        const char *equals = strchr(arg, '=');
        struct slice name =
            slice_of(arg + 2, equals ? (size_t)(equals - arg) - 2 : strlen(arg + 2));
        const struct option_spec *spec = find(specs, n, name);
        if (!spec)
            return fail_usage(command,
                              "unknown option '--%.*s'; 'onefold help %s' lists the options",
                              SLICE_ARG(name), command);
        if (spec->is_switch && equals)
            return fail_usage(command, "--%s takes no value", spec->name);
        if (!spec->is_switch && !equals && i + 1 == argc)
            return fail_usage(command, "--%s needs a value", spec->name);
        if (given[spec - specs] && !spec->repeats)
            return fail_usage(command, "--%s is given twice", spec->name);
        if (n_values == sizeof(values) / sizeof(*values))
            return fail_usage(command, "too many options");
        given[spec - specs] = true;
        at[n_values] = (int)(spec - specs);
        values[n_values++] = spec->is_switch ? "" : equals ? equals + 1 : argv[++i];
    }
    for (size_t i = 0; i < n; i++) {
        int err = given[i] ? 0 : read_environment(command, &specs[i], target);
        if (err) return err;
    }
    for (size_t i = 0; i < n_values; i++) {
        int err = read_flag(command, &specs[at[i]], values[i], target);
        if (err) return err;
    }
    return 0;
}
