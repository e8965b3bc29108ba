/* target.c: which model and which table a command works on, opened and closed again. */
#include "session.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int fail_of(const of_error *err)
{
    /* DynamoDB's words for a table that is not there; an entity or a pattern that is not says so itself. */
    if (err->code == OF_NOT_FOUND &&
        (strstr(err->message, "resource not found") || strstr(err->message, "non-existent table")))
        return fail_error("%s: is the table there? 'onefold apply' makes it", err->message);
    /* Proposals stand one to a line. Only behind these words is a line end ours; elsewhere it is made visible. */
    const char *list = strstr(err->message, "\nWhat would help:\n");
    if (!list) return fail_error("%s", err->message);
    fail_error("%.*s", (int)(list - err->message), err->message);
    for (size_t n; *list; list += n) {
        char line[sizeof err->message];
        n = strcspn(++list, "\n");
        memcpy(line, list, n);
        line[n] = 0;
        put_visible(stderr, line);
        fputc('\n', stderr);
    }
    return EXIT_ERROR;
}

const char *model_path(const struct invocation *in)
{
    return in->shared.model ? in->shared.model : "./onefold.yaml";
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *endpoint_variable(void)
{
    const char *value = variable("AWS_ENDPOINT_URL_DYNAMODB");
    return value ? value : variable("AWS_ENDPOINT_URL");
}

/* Nothing is guessed: least of all that AWS itself was meant. Flags win over variables. */
int choose_target(struct invocation *in)
{
    struct shared *o = &in->shared;
    if (o->data_flag && o->endpoint_flag)
        return fail_usage(in->command, "--data and --endpoint are both given; choose one");
    if (o->endpoint_flag) o->data = NULL;
    if (o->data_flag) return 0;
    if (!o->endpoint) o->endpoint = endpoint_variable();
    if (!o->endpoint_flag && o->data && o->endpoint)
        return fail_usage(in->command, "ONEFOLD_DATA and AWS_ENDPOINT_URL_DYNAMODB are both set; choose with --data or "
                                       "--endpoint");
    if (!o->data && !o->endpoint)
        return fail_usage(in->command,
                          "where is the data? Give --data DIR (a data directory) or --endpoint URL (a server, or 'aws')");
    return 0;
}

static int open_directory(struct session *s, enum access access)
{
    const char *dir = s->in->shared.data;
    of_error err;
    struct stat st;
    bool missing = stat(dir, &st) && errno == ENOENT;
    if (missing && access == ACCESS_PLAN) dir = NULL;
    if (missing && !s->model && access == ACCESS_WRITE) return fail_error("there is no directory %s", dir);
    if (missing && (access == ACCESS_READ || access == ACCESS_WRITE))
        return fail_error("there is no directory %s: 'onefold apply --data %s' makes it and the table", dir, dir);
    if (!of_open(&s->db, &(of_options){ .dir = dir }, &err)) return 0;
    /* The store's sentence names the process and, for a server, where it answers. */
    const char *at = strstr(err.message, " at http"), *end = at ? strstr(at, ": stop it") : NULL;
    if (!end) return fail_of(&err);
    at += strlen(" at ");
    return fail_error("%.*s: ask it with --endpoint %.*s", (int)(end - err.message), err.message, (int)(end - at), at);
}

static int open_endpoint(struct session *s, enum access access)
{
    const struct shared *o = &s->in->shared;
    of_remote_options remote = { .endpoint = o->endpoint, .region = o->region, .profile = o->profile,
                                 .ca_file = o->ca_file, .client_cert = o->client_cert, .client_key = o->client_key };
    of_error err;
    if (of_connect(&s->db, &remote, &err)) return fail_of(&err);
    if (access == ACCESS_READ || access == ACCESS_PLAN || !of_is_aws(s->db) || o->yes || o->dry_run) return 0;
    of_close(s->db);
    s->db = NULL;
    return fail_error("%s would write to AWS itself, where it costs money: add --yes if that is meant",
                      s->in->command->name);
}

static int open_model(struct session *s)
{
    const char *path = model_path(s->in);
    of_error err;
    if (access(path, R_OK)) {
        if (errno == ENOENT && !s->in->shared.model)
            return fail_error("there is no ./onefold.yaml here: give the model with --model FILE");
        return fail_error("cannot read the model %s: %s", path, strerror(errno));
    }
    if (of_model_open(&s->model, path, &err)) return fail_of(&err);
    s->names = outline_tree(s->arena, s->model, &err);
    if (s->names) return 0;
    of_model_close(s->model);
    return fail_of(&err);
}

int with_model(struct invocation *in, int (*work)(struct session *s))
{
    struct session s = { .in = in, .arena = in->arena };
    int code = open_model(&s);
    if (code) return code;
    code = work(&s);
    of_model_close(s.model);
    int written = finish_output();
    return code ? code : written;
}

static int with_open(struct session *s, enum access access, int (*work)(struct session *s))
{
    int code = s->in->shared.data ? open_directory(s, access) : open_endpoint(s, access);
    if (!code) {
        code = work(s);
        of_close(s->db);
    }
    of_model_close(s->model);
    int written = finish_output();
    return code ? code : written;
}

int with_table(struct invocation *in, enum access access, int (*work)(struct session *s))
{
    struct session s = { .in = in, .arena = in->arena };
    int code = choose_target(in);
    if (!code) code = open_model(&s);
    return code ? code : with_open(&s, access, work);
}

int with_database(struct invocation *in, enum access access, int (*work)(struct session *s), void *ctx)
{
    struct session s = { .in = in, .arena = in->arena, .ctx = ctx };
    int code = choose_target(in);
    return code ? code : with_open(&s, access, work);
}

bool confirm(struct session *s, const char *question)
{
    if (s->in->shared.yes) return true;
    fflush(stdout);
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        fail_error("%s Add --yes if that is meant", question);
        return false;
    }
    char answer[16] = "";
    fprintf(stderr, "%s [y/N] ", question);
    if (!fgets(answer, sizeof answer, stdin)) return false;
    return answer[0] == 'y' || answer[0] == 'Y';
}
