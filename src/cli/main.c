/* main.c: the `onefold` program: finds the command and runs it. Each command is a file of its own.
 */
#include "cli.h"
#include "version.h"
#include <stdarg.h>
#include <stdio.h>

static int run_version(int argc, char **argv);
static int run_help(int argc, char **argv);

static const struct command command_version = {
    .name = "version",
    .summary = "print the version",
    .help = "Usage: onefold version\n"
            "\n"
            "Prints the program's name and version.\n"
            "\n"
            "Example:\n"
            "  onefold version\n",
    .run = run_version,
};

static const struct command command_help = {
    .name = "help",
    .summary = "explain a command",
    .help = "Usage: onefold help [COMMAND]\n"
            "\n"
            "Lists the commands, or explains one.\n"
            "\n"
            "Example:\n"
            "  onefold help serve\n",
    .run = run_help,
};

static const struct command *const commands[] = { &command_serve, &command_upgrade,
                                                &command_version, &command_help };
#define N_COMMANDS (sizeof(commands) / sizeof(*commands))

int fail_usage(const char *command, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, *command ? "onefold %s: " : "onefold: ", command);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return EXIT_USAGE;
}

int fail_error(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("onefold: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return EXIT_ERROR;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static void print_overview(FILE *to)
{
    fputs("Onefold: a DynamoDB-compatible database for single-table design.\n"
          "\n"
          "Usage: onefold COMMAND [OPTION...]\n"
          "\n"
          "Commands:\n",
          to);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "Examples:\n"
          "  onefold serve\n"
          "  onefold serve --memory --port 8001\n"
          "  onefold help serve\n"
          "\n"
          "Exit codes: 0 done, 1 error, 2 wrong usage, 3 findings.\n",
          to);
}

/* Output that could not be written must not look like success. */
static int finish_output(void)
{
    return fflush(stdout) ? fail_error("cannot write to standard output") : EXIT_OK;
}

static int no_such_command(const char *name)
{
    return fail_usage("", "there is no command '%s'; 'onefold help' lists them", name);
}

static int run_version(int argc, char **argv)
{
    if (argc > 1) return fail_usage("version", "unexpected argument '%s'; it takes none", argv[1]);
    printf("onefold %s\n", ONEFOLD_VERSION);
    return finish_output();
}

static int run_help(int argc, char **argv)
{
    if (argc > 2) return fail_usage("help", "one command at a time, please");
    if (argc < 2) {
        print_overview(stdout);
        return finish_output();
    }
    const struct command *c = find_command(argv[1]);
    if (!c) return no_such_command(argv[1]);
    fputs(c->help, stdout);
    return finish_output();
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const struct command *c = find_command(name);
    if (!c) return no_such_command(name);
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) continue;
        fputs(c->help, stdout);
        return finish_output();
    }
    return c->run(argc - 1, argv + 1);
}
