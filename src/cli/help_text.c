/* help_text.c: help for a terminal of 80 columns, from the table of commands. */
#include "cli.h"

#define WIDTH 80

/* Text from column `at` on, which it has reached; wrapped at WIDTH. */
static void wrapped(FILE *to, const char *text, int at)
{
    int column = at;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column > at && column + 1 + (int)n > WIDTH) {
            fprintf(to, "\n%*s", at, "");
            column = at;
        } else if (column > at) {
            fputc(' ', to);
            column++;
        }
        fwrite(text, 1, n, to);
        column += (int)n;
        text += n;
        while (*text == ' ') text++;
    }
    fputc('\n', to);
}

/* Paragraphs wrapped anew, so that a change of words needs no counting; indented lines stand as they are. */
static void paragraphs(FILE *to, const char *about)
{
    int column = 0;
    for (const char *end; *about; about = *end ? end + 1 : end) {
        end = about + strcspn(about, "\n");
        bool apart = end == about || *about == ' ';
        if (apart && column) {
            fputc('\n', to);
            column = 0;
        }
        if (apart) {
            fprintf(to, "%.*s\n", (int)(end - about), about);
            continue;
        }
        for (size_t n; about < end; about += n + strspn(about + n, " ")) {
            n = strcspn(about, " \n");
            bool fits = column + 1 + (int)n <= WIDTH;
            if (column) fputc(fits ? ' ' : '\n', to);
            column = column && fits ? column + 1 + (int)n : (int)n;
            fwrite(about, 1, n, to);
        }
    }
    if (column) fputc('\n', to);
}

static void row(FILE *to, const char *left, const char *right, int width)
{
    if ((int)strlen(left) > width)
        fprintf(to, "  %s\n  %*s  ", left, width, "");
    else
        fprintf(to, "  %-*s  ", width, left);
    wrapped(to, right, width + 4);
}

struct slice command_usage(struct arena *a, const struct command *c)
{
    struct buf b;
    buf_init(&b, a, 1024);
    buf_printf(&b, "onefold %s", c->name);
    for (size_t i = 0; i < c->n_arguments; i++) {
        const struct argument_spec *x = &c->arguments[i];
        buf_printf(&b, x->optional ? " [%s%s]" : " %s%s", x->name, x->repeats ? "..." : "");
    }
    if (command_option(c, 0)) BUF_LIT(&b, " [OPTION...]");
    return buf_view(&b);
}

static const char *left_of(const struct option_spec *o, char text[64])
{
    snprintf(text, 64, o->value ? "--%s %s" : "--%s", o->name, o->value);
    return text;
}

static void print_examples(FILE *to, const char *examples)
{
    const char *end;
    fputs(strchr(examples, '\n') == strrchr(examples, '\n') ? "\nExample:\n" : "\nExamples:\n", to);
    for (; (end = strchr(examples, '\n')); examples = end + 1)
        fprintf(to, "  onefold %.*s\n", (int)(end - examples), examples);
}

void help_command(FILE *to, const struct command *c)
{
    char left[64];
    size_t width = 0;
    struct arena a;
    arena_init(&a, 1 << 16);
    fprintf(to, "Usage: %.*s\n\n", SLICE_ARG(command_usage(&a, c)));
    arena_free(&a);
    paragraphs(to, c->about);
    for (size_t i = 0; i < c->n_arguments; i++)
        if (strlen(c->arguments[i].name) > width) width = strlen(c->arguments[i].name);
    for (size_t i = 0; command_option(c, i); i++) {
        size_t n = strlen(left_of(command_option(c, i), left));
        if (n > width) width = n;
    }
    if (c->n_arguments || command_option(c, 0)) fputc('\n', to);
    for (size_t i = 0; i < c->n_arguments; i++)
        row(to, c->arguments[i].name, c->arguments[i].help, (int)width);
    for (size_t i = 0; command_option(c, i); i++)
        row(to, left_of(command_option(c, i), left), command_option(c, i)->help, (int)width);
    print_examples(to, c->examples);
}

/* Is it a command of that group, "model check" of "model"? n: the length of the group's name. */
static bool is_in(const struct command *c, const char *group, size_t n)
{
    return !c->hidden && strncmp(c->name, group, n) == 0 && c->name[n] == ' ';
}

/* A row for a group, so that the overview fits a screen: its second words. */
static void group_row(FILE *to, const char *group, size_t n, int width)
{
    char name[32];
    struct arena a;
    struct buf b;
    arena_init(&a, 1 << 12);
    buf_init(&b, &a, 1024);
    for (size_t i = 0; commands[i]; i++)
        if (is_in(commands[i], group, n))
            buf_printf(&b, "%s%s", buf_view(&b).n ? ", " : "", commands[i]->name + n + 1);
    buf_printf(&b, " (help %.*s)", (int)n, group);
    buf_u8(&b, 0);
    snprintf(name, sizeof name, "%.*s", (int)n, group);
    row(to, name, (const char *)buf_view(&b).p, width);
    arena_free(&a);
}

static void print_group(FILE *to, const char *group)
{
    size_t width = 0, n = strlen(group);
    for (size_t i = 0; commands[i]; i++)
        if (is_in(commands[i], group, n) && strlen(commands[i]->name) > width) width = strlen(commands[i]->name);
    for (size_t i = 0; commands[i]; i++)
        if (is_in(commands[i], group, n)) row(to, commands[i]->name, commands[i]->summary, (int)width);
}

/* All, a group where its first command stands. */
static void print_list(FILE *to)
{
    size_t width = 0, before = 0; /* of the group in the row before */
    for (size_t i = 0; commands[i]; i++) {
        size_t n = strcspn(commands[i]->name, " ");
        if (!commands[i]->hidden && n > width) width = n;
    }
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        size_t n = strcspn(c->name, " ");
        if (c->hidden || (before && is_in(c, commands[i - 1]->name, before))) continue;
        before = c->name[n] ? n : 0;
        if (before)
            group_row(to, c->name, n, (int)width);
        else
            row(to, c->name, c->summary, (int)width);
    }
}

void help_overview(FILE *to)
{
    fputs("Onefold: a DynamoDB-compatible database for single-table design.\n"
          "\n"
          "Usage: onefold COMMAND [ARGUMENT...] [OPTION...]\n"
          "Exit codes: 0 done, 1 error, 2 wrong usage, 3 findings.\n"
          "\nCommands:\n",
          to);
    print_list(to);
    print_examples(to, "studio shop.yaml\nhelp serve\n");
}

void help_group(FILE *to, const char *group)
{
    fprintf(to, "Usage: onefold %s COMMAND [ARGUMENT...] [OPTION...]\n\nCommands:\n", group);
    print_group(to, group);
    fprintf(to, "\n'onefold help %s COMMAND' explains one.\n", group);
}
