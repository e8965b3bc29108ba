/* man_page.c: man pages (troff, the man macros) from the table of commands. */
#include "cli.h"
#include "version.h"
#include <ctype.h>

/* Text that means nothing to troff. bol: at the beginning of a line. */
static void plain(FILE *to, struct slice s, bool bol)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = (char)s.p[i];
        if (bol && (c == '.' || c == '\'')) fputs("\\&", to);
        bol = c == '\n';
        if (c == '\\')
            fputs("\\e", to);
        else if (c == '-')
            fputs("\\-", to);
        else if (c == '\'')
            fputs("\\(aq", to);
        else if (c == '^' || c == '~' || c == '`')
            fprintf(to, "\\(%s", c == '^' ? "ha" : c == '~' ? "ti" : "ga");
        else
            fputc(c, to);
    }
}

static void text(FILE *to, const char *s, bool bol)
{
    plain(to, slice_str(s), bol);
}

static void title(FILE *to, const char *name)
{
    fputs(".TH \"", to);
    for (; *name; name++) fputc(*name == ' ' ? '-' : toupper((unsigned char)*name), to);
    fprintf(to, "\" 1 \"\" \"onefold %s\" \"Onefold\"\n", ONEFOLD_VERSION);
}

/* Paragraphs; indented lines stand as they are. */
static void paragraphs(FILE *to, const char *about)
{
    bool raw = false;
    for (const char *end; *about; about = *end ? end + 1 : end) {
        end = about + strcspn(about, "\n");
        bool indented = *about == ' ';
        if (indented != raw) fputs(indented ? ".PP\n.nf\n" : ".fi\n", to);
        raw = indented;
        if (end == about) {
            fputs(".PP\n", to);
            continue;
        }
        plain(to, slice_of(about, (size_t)(end - about)), true);
        fputc('\n', to);
    }
    if (raw) fputs(".fi\n", to);
}

static void tagged(FILE *to, const char *name, const char *value, const char *help)
{
    fputs(".TP\n\\fB", to);
    text(to, name, false);
    fputs("\\fR", to);
    if (value) {
        fputs(" \\fI", to);
        text(to, value, false);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    text(to, help, true);
    fputc('\n', to);
}

static void print_examples(FILE *to, const char *examples)
{
    fputs(".SH EXAMPLES\n.nf\n", to);
    for (const char *end; (end = strchr(examples, '\n')); examples = end + 1) {
        fputs("onefold ", to);
        plain(to, slice_of(examples, (size_t)(end - examples)), false);
        fputc('\n', to);
    }
    fputs(".fi\n", to);
}

static void print_environment(FILE *to, const struct command *c)
{
    bool any = false;
    for (size_t i = 0; command_option(c, i); i++) {
        const struct option_spec *o = command_option(c, i);
        if (!o->env) continue;
        if (!any) fputs(".SH ENVIRONMENT\n", to);
        any = true;
        fprintf(to, ".TP\n.B %s\n", o->env);
        fprintf(to, o->value ? "Used where \\fB\\-\\-%s\\fR is not given%s.\n" : "1 is the same as \\fB\\-\\-%s\\fR%s.\n",
                o->name, o->repeats ? "; a list with commas" : "");
    }
}

static void exit_status(FILE *to)
{
    fputs(".SH EXIT STATUS\n0: done. 1: an error. 2: wrong usage. 3: the command looked for faults and found some.\n", to);
}

static void program_page(FILE *to)
{
    title(to, "onefold");
    fputs(".SH NAME\nonefold \\- a DynamoDB\\-compatible database for single\\-table design\n"
          ".SH SYNOPSIS\n\\fBonefold\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n"
          ".SH COMMANDS\n",
          to);
    for (size_t i = 0; commands[i]; i++)
        if (!commands[i]->hidden) tagged(to, commands[i]->name, NULL, commands[i]->summary);
    exit_status(to);
    fputs(".SH SEE ALSO\n\\fBonefold help\\fR; each command has a page of its own, such as \\fBonefold\\-serve\\fR(1).\n", to);
}

void man_page(FILE *to, const struct command *c)
{
    struct arena a;
    if (!c) {
        program_page(to);
        return;
    }
    arena_init(&a, 1 << 16);
    title(to, (const char *)arena_printf(&a, "onefold %s", c->name).p);
    fputs(".SH NAME\nonefold\\-", to);
    for (const char *p = c->name; *p; p++) fputs(*p == ' ' ? "\\-" : (char[]){ *p, 0 }, to);
    fputs(" \\- ", to);
    text(to, c->summary, false);
    fputs("\n.SH SYNOPSIS\n\\fB", to);
    plain(to, command_usage(&a, c), false);
    fputs("\\fR\n.SH DESCRIPTION\n", to);
    arena_free(&a);
    paragraphs(to, c->about);
    if (c->n_arguments) fputs(".SH ARGUMENTS\n", to);
    for (size_t i = 0; i < c->n_arguments; i++) tagged(to, c->arguments[i].name, NULL, c->arguments[i].help);
    if (command_option(c, 0)) fputs(".SH OPTIONS\n", to);
    for (size_t i = 0; command_option(c, i); i++) {
        const struct option_spec *o = command_option(c, i);
        char name[64];
        snprintf(name, sizeof name, "--%s", o->name);
        tagged(to, name, o->value, o->help);
    }
    print_environment(to, c);
    exit_status(to);
    print_examples(to, c->examples);
    fputs(".SH SEE ALSO\n\\fBonefold\\fR(1)\n", to);
}
