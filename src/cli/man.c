/* man.c: `onefold man`: man pages, one to standard output or all of them to a directory. */
#include "cli.h"
#include <errno.h>

struct man_options {
    const char *all;
};
static const struct man_options defaults;

static int write_page(const char *dir, const struct command *c)
{
    char path[4096];
    size_t n = (size_t)snprintf(path, sizeof path, "%s/onefold%s%s.1", dir, c ? "-" : "", c ? c->name : "");
    if (n >= sizeof path) return fail_error("the name of the directory is too long");
    for (char *p = path + strlen(dir); *p; p++)
        if (*p == ' ') *p = '-';
    FILE *to = fopen(path, "w");
    if (!to) return fail_error("cannot write %s: %s", path, strerror(errno));
    man_page(to, c);
    return fclose(to) ? fail_error("cannot write %s: %s", path, strerror(errno)) : EXIT_OK;
}

static int run(struct invocation *in)
{
    const struct man_options *o = in->options;
    size_t used;
    if (o->all) {
        if (in->n_arguments) return fail_usage(in->command, "--all takes every command: name none");
        int code = write_page(o->all, NULL);
        for (size_t i = 0; !code && commands[i]; i++)
            if (!commands[i]->hidden) code = write_page(o->all, commands[i]);
        return code;
    }
    const struct command *c = NULL;
    if (in->n_arguments) {
        c = command_find(in->arguments, in->n_arguments, &used);
        if (!c) return fail_no_command(in->arguments, in->n_arguments);
        if (used < in->n_arguments) return fail_usage(in->command, "one command at a time, please");
    }
    man_page(stdout, c);
    return finish_output();
}

static const struct argument_spec arguments[] = {
    { "COMMAND", "one or two words: serve, model check; none: the program's own page", COMPLETE_COMMAND,
      .optional = true, .repeats = true },
};
static const struct option_spec options[] = {
    { "all", "DIR", "write every page into this directory", offsetof(struct man_options, all),
      .complete = COMPLETE_DIR },
};

const struct command command_man = {
    .name = "man",
    .summary = "print a man page",
    .about = "Prints the man page of a command as troff; 'onefold man serve | man -l -' shows it.\n"
             "'make install' installs all of them.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .examples = "man serve\n"
                "man --all .\n",
    .run = run,
};
