/* completion.c: `onefold completion`: the script that makes a shell complete onefold's commands. */
#include "completion_script.h"

static int run(struct invocation *in)
{
    const char *script = completion_script(in->arguments[0]);
    if (!script) return fail_usage(in->command, "'%s' is not a shell it knows: bash, zsh or fish", in->arguments[0]);
    fputs(script, stdout);
    return finish_output();
}

static const struct argument_spec arguments[] = {
    { "SHELL", "bash, zsh or fish", COMPLETE_WORDS, .words = "bash zsh fish" },
};

const struct command command_completion = {
    .name = "completion",
    .summary = "print a script that completes commands in a shell",
    .about = "Prints the script that makes bash, zsh or fish complete commands, options, files, and\n"
             "the entities, patterns and attributes of the model. 'make install' installs all three.\n"
             "By hand:\n"
             "\n"
             "  bash  eval \"$(onefold completion bash)\"   in ~/.bashrc\n"
             "  zsh   onefold completion zsh  > a directory of $fpath, as _onefold\n"
             "  fish  onefold completion fish > ~/.config/fish/completions/onefold.fish\n",
    ARGUMENTS(arguments),
    .examples = "completion bash\n",
    .run = run,
};
