/* main.c: the `onefold` program: finds the command, reads what it is given and runs it. Each command is a file of its
 * own. */
#include "cli.h"
#include "../base/log.h"
#include "store/store.h"
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#define MEMORY_MAX ((size_t)1 << 30)

/* Takes the user and password out of a word that is a URL, up to its last @: nobody knows how they were written. */
static void hide_user(char *from, char *end)
{
    while (end > from && end[-1] != '@') end--;
    size_t n = end > from ? (size_t)(end - 1 - from) : 0, dots = n < 3 ? n : 3;
    if (!memchr(from, ':', n)) return;
    memset(from, '.', dots);
    memmove(from + dots, end - 1, strlen(end - 1) + 1);
}

/* Whatever a message repeats of what was given: a password goes on no screen and into no log. */
static void hide_secrets(char *text)
{
    for (char *at = strstr(text, "://"); at; at = strstr(at + 3, "://")) {
        char *from = at + 3, *word = strstr(from, "password="), *end = from + strcspn(from, " \n");
        if (word && word < end) memset(word + 9, '.', strcspn(word + 9, "&'\" \n"));
        hide_user(from, end);
    }
}

/* One sentence; where a program reads what we say, a line of the log. */
static void say(const struct command *c, const char *fmt, va_list ap)
{
    char text[4096]; /* what does not fit names something absurdly long */
    vsnprintf(text, sizeof text, fmt, ap);
    hide_secrets(text);
    if (log_is_json()) {
        log_event(LOG_ERROR, "failed", NULL, 0, "%s", text);
        return;
    }
    fputs("onefold", stderr);
    if (c) fprintf(stderr, " %s", c->name);
    fputs(": ", stderr);
    put_visible(stderr, text);
    fputc('\n', stderr);
}

int fail_usage(const struct command *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(c, fmt, ap);
    va_end(ap);
    return EXIT_USAGE;
}

int fail_error(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(NULL, fmt, ap);
    va_end(ap);
    return EXIT_ERROR;
}

int finish_output(void)
{
    return fflush(stdout) || ferror(stdout) ? fail_error("cannot write to standard output") : EXIT_OK;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* --help anywhere explains the command, whatever else is there; not after "--". */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i])) return true;
    return false;
}

/* Of a command that writes a log. Looked for before the options are read: it may be one of them that is wrong. */
static bool wants_json(int argc, char **argv)
{
    static const char flag[] = "--log-format";
    const char *form = getenv("ONEFOLD_LOG_FORMAT");
    for (int i = 0; i < argc; i++) {
        const char *rest = strncmp(argv[i], flag, sizeof flag - 1) == 0 ? argv[i] + sizeof flag - 1 : NULL;
        if (rest && *rest == '=') form = rest + 1;
        else if (rest && !*rest && i + 1 < argc) form = argv[i + 1];
    }
    return form && strcmp(form, "json") == 0;
}

static int start(const struct command *c, int argc, char **argv)
{
    if (asks_for_help(argc, argv)) {
        help_command(stdout, c);
        return finish_output();
    }
    if (c->logs) log_setup(LOG_INFO, wants_json(argc, argv));
    struct arena arena;
    int code;
    arena_init(&arena, MEMORY_MAX);
    if (ARENA_GUARD(&arena)) {
        struct invocation in = { .command = c, .arena = &arena, .argc = argc, .argv = argv };
        code = options_read(&in);
        if (!code) code = c->run(&in);
    } else {
        code = fail_error("out of memory");
    }
    arena_unguard(&arena);
    arena_free(&arena);
    return code;
}

/* "onefold model", "onefold model --help": the commands of that group. */
static int start_group(int argc, char **argv)
{
    if (argc > 1 && !is_help(argv[1])) return fail_no_command(argv, (size_t)argc);
    help_group(argc > 1 ? stdout : stderr, argv[0]);
    return argc > 1 ? finish_output() : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    static char help[] = "help", version[] = "version";
    if (argc < 2) {
        help_overview(stderr);
        return EXIT_USAGE;
    }
    if (is_help(argv[1])) argv[1] = help;
    if (strcmp(argv[1], "--version") == 0) argv[1] = version;
    size_t used;
    const struct command *c = command_find(argv + 1, (size_t)argc - 1, &used);
    store_survive_damage();
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error like a full disk, not the end */
    if (c) return start(c, argc - 1 - (int)used, argv + 1 + used);
    if (command_is_group(argv[1])) return start_group(argc - 1, argv + 1);
    return fail_no_command(argv + 1, (size_t)argc - 1);
}
