/* cli.h: what the commands of the `onefold` program share. */
#ifndef OF_CLI_CLI_H
#define OF_CLI_CLI_H

#include "../store/store.h"
#include "../wire/http.h"

/* Exit codes of every command. */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_FINDINGS = 3 };

struct command {
    const char *name;
    const char *summary; /* one line */
    const char *help;    /* the whole text; holds an example that tests/wire/test_cli.py runs */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
};

extern const struct command command_serve, command_upgrade;

/* One line "onefold COMMAND: ..." to standard error. Returns the code, to be returned. */
int fail_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int fail_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- options ---- */

/* A value comes from a flag (--name VALUE or --name=VALUE) or, failing that, from the environment.
 */
struct option_spec {
    const char *name; /* "port", without the dashes */
    const char *env;  /* "ONEFOLD_PORT" */
    bool is_switch;   /* takes no value; in the environment: 1 or 0 */
    bool repeats;     /* may be given more than once; in the environment: a list with commas */
    /* Returns NULL, or what is wrong with the value ("is not a port number ..."). */
    const char *(*set)(void *target, const char *value);
};

/* 0, or EXIT_USAGE after a message. */
int options_read(const char *command, const struct option_spec *specs, size_t n, int argc,
                 char **argv, void *target);

/* ---- serve ---- */

#define SERVE_MAX_LIST 32

struct serve_options {
    const char *host;
    uint16_t port;
    unsigned threads;
    const char *data; /* NULL: ./onefold-data, or memory */
    bool memory;
    enum store_durability durability;
    int log_level;
    bool log_json;
    const char *cors[SERVE_MAX_LIST], *allow_hosts[SERVE_MAX_LIST];
    size_t n_cors, n_allow_hosts;
    struct http_limits limits;
};

/* Opens everything, serves until told to stop, closes everything. Returns an exit code. */
int serve_run(const struct serve_options *o);

#endif
