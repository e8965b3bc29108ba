/* cli.h: what the commands of the `onefold` program share.
 *
 * A command is data: a `struct command` says what it is called, what it takes and how it is used. Help, man pages, the
 * completion of three shells and the reading of arguments all come from that one description, so that none can say
 * what another does not. How to add one: CONTRIBUTING.md. */
#ifndef OF_CLI_CLI_H
#define OF_CLI_CLI_H

#include "../base/buf.h"
#include <stdio.h>

/* Exit codes of every command. */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_FINDINGS = 3 };

/* What a shell offers where a word is wanted. */
enum complete {
    COMPLETE_NOTHING,
    COMPLETE_FILE,
    COMPLETE_DIR,
    COMPLETE_COMMAND,
    COMPLETE_ENTITY,
    COMPLETE_PATTERN,
    COMPLETE_ATTRIBUTE, /* name= of the entity or pattern that the first argument names */
    COMPLETE_INDEX,
    COMPLETE_LIBRARY,   /* a pattern of the library */
    COMPLETE_WORDS      /* those of `words` */
};

/* An option. Its value comes from a flag (--name VALUE or --name=VALUE) or, failing that, from the environment. It is
 * written to the struct that command->defaults describes, at `at`: a bool for a switch, else a const char *; or by
 * `set`. */
struct option_spec {
    const char *name;  /* "port", without the dashes */
    const char *value; /* what the value is called in help: "N"; NULL: a switch (in the environment: 1 or 0) */
    const char *help;  /* a few words, with the default in parentheses */
    size_t at;
    const char *env;   /* "ONEFOLD_PORT"; NULL: none */
    bool repeats;      /* may be given more than once; in the environment: a list with commas */
    enum complete complete;
    const char *words; /* COMPLETE_WORDS: with blanks between */
    /* Returns NULL, or what is wrong with the value ("is not a port number ..."). */
    const char *(*set)(void *target, const char *value);
};

struct argument_spec {
    const char *name; /* "ENTITY" */
    const char *help;
    enum complete complete;
    const char *words;
    bool optional, repeats; /* only the last may repeat, and all after an optional one are optional */
};

/* Options that many commands share; each bit stands for a group in shared_options.c. */
enum { SHARE_MODEL = 1, SHARE_TARGET = 2, SHARE_REQUESTS = 4, SHARE_YES = 8, SHARE_JSON = 16, SHARE_PAGES = 32,
       SHARE_REMOTE = 64 /* of SHARE_TARGET what is about a server, without naming one */ };

/* What the shared options say. */
struct shared {
    const char *model;
    const char *data, *endpoint, *region, *profile;
    const char *ca_file, *client_cert, *client_key; /* of an https endpoint */
    bool data_flag, endpoint_flag; /* given on the command line, not by a variable */
    bool yes, json, dry_run, explain;
    const char *after;
    uint32_t limit;
    bool consistent;
};

struct invocation;

struct command {
    const char *name;     /* "serve", "model check" */
    const char *summary;  /* one line for the list of commands, without a full stop */
    const char *about;    /* paragraphs, with a blank line between; each line is at most 80 wide */
    const struct argument_spec *arguments;
    size_t n_arguments;
    const struct option_spec *options;
    size_t n_options;
    const void *defaults; /* of the command's own options: a copy is in->options */
    size_t options_size;
    unsigned shares;      /* SHARE_MODEL | ... */
    const char *examples; /* one to a line, without the program's name: "put Order orderId=o1\n" */
    bool hidden;          /* not in lists */
    bool logs;            /* writes a log: as JSON, where that is asked for, it tells of wrong usage too */
    int (*run)(struct invocation *in);
};
#define COUNT(array)       (sizeof(array) / sizeof(*(array)))
#define ARGUMENTS(array)   .arguments = (array), .n_arguments = COUNT(array)
#define OPTIONS(array)     .options = (array), .n_options = COUNT(array)
#define DEFAULTS(variable) .defaults = &(variable), .options_size = sizeof(variable)

/* One call of the program: what was asked for, read and counted. */
struct invocation {
    const struct command *command;
    struct arena *arena; /* until the program ends */
    struct shared shared;
    void *options;       /* the command's own */
    char **arguments;    /* those that are no options, as many as the command allows */
    size_t n_arguments;
    int argc;            /* everything after the command's name as it came */
    char **argv;
};

/* The table, in the order of the list. NULL ends it. */
extern const struct command *const commands[];
/* A command by the first one or two of words; *used: how many. NULL: there is none. */
const struct command *command_find(char **words, size_t n, size_t *used);
/* Is it the first word of commands of two ("model")? */
bool command_is_group(const char *word);

/* One line "onefold COMMAND: ..." to standard error. Returns the code, to be returned. */
int fail_usage(const struct command *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int fail_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* On one line, control characters shown as what they are: what data says must not command a terminal. */
void put_visible(FILE *to, const char *text);
/* "there is no command 'x'" with the nearest name. */
int fail_no_command(char **words, size_t n);
/* Output that could not be written must not look like success: EXIT_OK, or an error after a message. */
int finish_output(void);
/* postgres://... or postgresql://...; and the same as it may be shown: hosts and database, without user, password and parameters. */
bool is_store_url(const char *text);
const char *store_url_shown(const char *url, char *out, size_t size);
/* http://... or https://... */
bool is_server_url(const char *text);
/* Whatever was given, as a message may repeat it: without what may be a password. */
const char *place_shown(const char *text, char *out, size_t size);
/* HOST:PORT or USER@HOST, and no directory of this name: was it meant to be a URL? */
bool is_forgotten_scheme(const char *text);

/* ---- options ---- */

/* Fills in->options, in->shared and in->arguments. 0, or EXIT_USAGE after a message. */
int options_read(struct invocation *in);
/* Is there a variable that is nearly one of the server's? 0, or EXIT_USAGE after a message; 0 for all commands but serve. */
int check_variables(const struct command *c);
/* The command's own options and then the shared ones, one after the other: i from 0, NULL after the last. */
const struct option_spec *command_option(const struct command *c, size_t i);
/* Digits only, at most `most`; -1 otherwise. */
long parse_digits(const char *s, long most);
/* The word that name was probably meant to be, or NULL. */
const char *nearest(const char *name, const char *const *words, size_t n);

/* ---- what is generated from the table ---- */

void help_overview(FILE *to);
void help_group(FILE *to, const char *group);
void help_command(FILE *to, const struct command *c);
/* "onefold put ENTITY NAME=VALUE... [OPTION...]", in the arena. */
struct slice command_usage(struct arena *a, const struct command *c);
/* troff; NULL: the page of the whole program. */
void man_page(FILE *to, const struct command *c);

#endif
