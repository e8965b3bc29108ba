/* help.c: `onefold help`: the list of commands, or one explained. */
#include "cli.h"

static int run(struct invocation *in)
{
    size_t used;
    if (!in->n_arguments) {
        help_overview(stdout);
        return finish_output();
    }
    const struct command *c = command_find(in->arguments, in->n_arguments, &used);
    if (!c && in->n_arguments == 1 && command_is_group(in->arguments[0])) {
        help_group(stdout, in->arguments[0]);
        return finish_output();
    }
    if (!c) return fail_no_command(in->arguments, in->n_arguments);
    if (used < in->n_arguments) return fail_usage(in->command, "one command at a time, please");
    help_command(stdout, c);
    return finish_output();
}

static const struct argument_spec arguments[] = {
    { "COMMAND", "one or two words: serve, model check", COMPLETE_COMMAND, .optional = true, .repeats = true },
};

const struct command command_help = {
    .name = "help",
    .summary = "explain a command",
    .about = "Lists the commands, or explains one.\n",
    ARGUMENTS(arguments),
    .examples = "help serve\n",
    .run = run,
};
