/* studio.c: `onefold studio`: the web studio on a model, its table in memory with the model's sample data, and a browser on it. */
#include "cli.h"
#include "serve.h"
#include "../base/log.h"
#include <onefold.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

static const struct studio_command {
    const char *port;
    bool no_open;
} defaults = { .port = "0" };

static const struct option_spec options[] = {
    { "port", "N", "port to listen on (a free one)", .at = offsetof(struct studio_command, port), .env = "ONEFOLD_PORT" },
    { "no-open", NULL, "do not open a browser", .at = offsetof(struct studio_command, no_open) },
};

static const struct argument_spec arguments[] = {
    { "MODEL", "the model file (./onefold.yaml); one that is not there is made by saving", COMPLETE_FILE, .optional = true },
};

/* The model's table, made and filled. What is wrong with the model is for the page to show. */
static void fill(of_db *db, const char *path)
{
    of_model *model;
    of_answer *report;
    of_error err;
    if (access(path, F_OK)) {
        printf("%s is not there yet: the studio begins with an empty table, and saving makes the file\n", path);
        return;
    }
    if (of_model_open(&model, path, &err)) {
        printf("%s\nThe studio opens all the same, to mend it.\n", err.message);
        return;
    }
    if (of_model_apply(model, db, NULL, &report, &err)) {
        printf("the table could not be made: %s\n", err.message);
    } else {
        of_answer_free(report);
        if (of_model_load_sample(model, db, &report, &err)) printf("the sample data could not be loaded: %s\n", err.message);
        else of_answer_free(report);
    }
    of_model_close(model);
}

/* Whatever opens addresses on this desktop. Returns false where there is none. */
static bool open_browser(const char *address)
{
    char *const arguments_of[] = { (char[]){ "xdg-open" }, (char *)(uintptr_t)address, NULL };
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY") && !getenv("BROWSER")) return false;
    if (posix_spawn_file_actions_init(&quiet)) return false;
    signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
    posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
    int failed = posix_spawnp(&pid, "xdg-open", &quiet, NULL, arguments_of, environ);
    posix_spawn_file_actions_destroy(&quiet);
    return !failed;
}

struct plan {
    const char *model; /* NULL: none */
    bool browser;
};

static void ready(void *ctx, of_db *db, const char *endpoint)
{
    const struct plan *p = ctx;
    char address[400];
    snprintf(address, sizeof address, "%s/studio/", endpoint);
    if (p->model) fill(db, p->model);
    else printf("No model was named and there is no ./onefold.yaml here: begin in the page, or with 'onefold studio shop.yaml'.\n");
    if (!p->browser || !open_browser(address)) printf("Open %s in a browser.\n", address);
    printf("Ctrl-C ends it; the table is in memory and is gone then, the model stays where it is saved.\n");
}

static int run(struct invocation *in)
{
    const struct studio_command *o = in->options;
    long port = parse_digits(o->port, 65535);
    if (port < 0) return fail_usage(in->command, "--port '%s' is not a port number (0 to 65535)", o->port);
    if (!serve_has_studio())
        return fail_error("this onefold was built without the studio: npm was not there. Run 'make build' where Node.js and npm, or the npm registry, can be had");
    const char *variable = getenv("ONEFOLD_MODEL");
    struct plan plan = { .model = in->n_arguments ? in->arguments[0] : variable && *variable ? variable : NULL, .browser = !o->no_open };
    if (!plan.model && !access("onefold.yaml", F_OK)) plan.model = "onefold.yaml";
    struct serve_options serve = { .host = "127.0.0.1", .port = (uint16_t)port, .memory = true, .log_level = LOG_WARN,
                                   .limits = http_default_limits, .ready = ready, .ready_ctx = &plan };
    if (plan.model) serve.models[serve.n_models++] = plan.model;
    return serve_run(&serve);
}

const struct command command_studio = {
    .name = "studio",
    .summary = "design and try a model in the browser",
    .about = "Serves the web studio on a model, with its table in memory, filled with the\n"
             "sample data that the model names, and opens the browser on it.\n"
             "'onefold serve' has the studio too, on the data it serves.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .examples = "studio\n"
                "studio shop.yaml --port 8001\n"
                "studio --no-open new.yaml\n",
    .run = run,
};
