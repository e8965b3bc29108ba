/* settings.c: in which order the places are asked.
 *
 *   endpoint      option ("aws": AWS in the region), AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, the profile's endpoint_url, AWS in the region
 *   region        option, AWS_REGION, AWS_DEFAULT_REGION, the profile's, us-east-1
 *   profile       option, AWS_PROFILE (either must be there), "default"
 *   credentials   the profile, if it was given as an option; AWS_ACCESS_KEY_ID ...; the profile; for this machine "local"
 *   authorities   option, AWS_CA_BUNDLE, the profile's ca_bundle, those of the system
 *   certificate   options, ONEFOLD_CLIENT_CERT and ONEFOLD_CLIENT_KEY; none */
#include "settings.h"
#include "profile.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((off_t)1 << 20)

/* ---- the system ---- */

static const char *system_get(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

static bool system_read(void *ctx, struct arena *a, const char *path, struct slice *out)
{
    struct stat st;
    (void)ctx;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX;
    size_t size = good ? (size_t)st.st_size : 0, n = 0;
    char *bytes = good ? malloc(size + 1) : NULL; /* not of the arena, which may leave without closing the file */
    while (bytes && n < size) {
        ssize_t got = read(fd, bytes + n, size - n);
        if (got <= 0) break;
        n += (size_t)got;
    }
    close(fd);
    if (!bytes) return false;
    if (ARENA_GUARD(a)) *out = arena_dup(a, slice_of(bytes, n));
    else good = false;
    arena_unguard(a);
    free(bytes);
    return good;
}

const struct remote_env remote_env_system = { system_get, system_read, NULL };

/* ---- the pieces ---- */

struct maker {
    struct arena *a;
    const struct remote_options *o;
    const struct remote_env *env;
    struct slice profile_name;
    struct profile credentials, config;
    const char *credentials_path, *config_path;
};

/* An empty variable counts as none. */
static struct slice variable(const struct maker *k, const char *name)
{
    const char *v = k->env->get(k->env->ctx, name);
    return v && *v ? slice_str(v) : (struct slice){ 0 };
}

static struct slice first_of(struct slice a, struct slice b)
{
    return a.n ? a : b;
}

static const char *file_path(struct maker *k, const char *name, const char *otherwise)
{
    struct slice path = variable(k, name), home = variable(k, "HOME");
    if (path.n) {
        /* As AWS's own tools do with these two. */
        if (home.n && slice_starts(path, SLICE("~/")))
            path = arena_printf(k->a, "%.*s%.*s", SLICE_ARG(home), (int)path.n - 1, (const char *)path.p + 1);
        return (const char *)arena_printf(k->a, "%.*s", SLICE_ARG(path)).p;
    }
    return (const char *)arena_printf(k->a, "%.*s/.aws/%s", SLICE_ARG(home), otherwise).p;
}

/* One that was named must be there, as for AWS's own tools: who misspelt it would come as somebody else. */
static int read_profile(struct maker *k, struct err *e)
{
    struct slice text;
    k->profile_name = first_of(first_of(k->o->profile, variable(k, "AWS_PROFILE")), SLICE("default"));
    k->credentials_path = file_path(k, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
    k->config_path = file_path(k, "AWS_CONFIG_FILE", "config");
    if (k->env->read_file(k->env->ctx, k->a, k->credentials_path, &text))
        profile_read(text, false, k->profile_name, &k->credentials);
    if (k->env->read_file(k->env->ctx, k->a, k->config_path, &text))
        profile_read(text, true, k->profile_name, &k->config);
    if (k->credentials.found || k->config.found || (!k->o->profile.n && !variable(k, "AWS_PROFILE").n)) return 0;
    return err_set(e, ERR_UnrecognizedClientException, "there is no profile %.*s in %s or %s", SLICE_ARG(k->profile_name), k->credentials_path,
                   k->config_path);
}

static bool is_loopback(struct slice host)
{
    struct slice local = SLICE("localhost");
    if (slice_eq(host, local) || slice_eq(host, SLICE("::1"))) return true;
    if (host.n > local.n && host.p[host.n - local.n - 1] == '.' &&
        slice_eq(slice_of(host.p + host.n - local.n, local.n), local))
        return true;
    if (!slice_starts(host, SLICE("127."))) return false;
    for (size_t i = 0; i < host.n; i++) {
        if (host.p[i] != '.' && (host.p[i] < '0' || host.p[i] > '9')) return false;
    }
    return true;
}

static bool is_amazon(struct slice host)
{
    static const char *const ends[] = { ".amazonaws.com", ".amazonaws.com.cn", ".api.aws" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct slice end = slice_str(ends[i]);
        if (host.n > end.n && slice_eq(slice_of(host.p + host.n - end.n, end.n), end)) return true;
    }
    return false;
}

/* http://host:port or https://[::1]:port, perhaps with a slash at the end; nothing else. */
static bool split_url(struct arena *a, struct slice url, struct remote_settings *out)
{
    size_t scheme = slice_starts(url, SLICE("http://")) ? 7 : slice_starts(url, SLICE("https://")) ? 8 : 0, i = scheme, from;
    if (!scheme) return false;
    while (url.n > scheme && url.p[url.n - 1] == '/') url.n--;
    bool brackets = i < url.n && url.p[i] == '[';
    from = brackets ? ++i : i;
    while (i < url.n && (brackets ? url.p[i] != ']' : url.p[i] != ':')) {
        if (url.p[i] <= ' ' || url.p[i] >= 0x7f || memchr("/?#@\\[\"'<>`{}|", url.p[i], 14)) return false;
        i++;
    }
    if (i == from || (brackets && i == url.n)) return false;
    uint8_t *host = arena_bytes(a, i - from + 1);
    for (size_t k = from; k < i; k++) host[k - from] = url.p[k] >= 'A' && url.p[k] <= 'Z' ? url.p[k] + 32 : url.p[k];
    host[i - from] = 0;
    out->host = slice_of(host, i - from);
    i += brackets;
    if (i < url.n) {
        if (url.p[i] != ':' || url.n - i < 2 || url.n - i > 6) return false;
        for (size_t k = i + 1; k < url.n; k++) {
            if (url.p[k] < '0' || url.p[k] > '9') return false;
        }
    }
    out->url = arena_printf(a, "%.*s/", SLICE_ARG(url));
    return true;
}

static int choose_region(struct maker *k, struct remote_settings *out, struct err *e)
{
    struct slice r = first_of(k->o->region, first_of(variable(k, "AWS_REGION"), variable(k, "AWS_DEFAULT_REGION")));
    r = first_of(r, first_of(k->config.region, first_of(k->credentials.region, SLICE("us-east-1"))));
    for (size_t i = 0; i < r.n; i++) {
        if ((r.p[i] < 'a' || r.p[i] > 'z') && (r.p[i] < '0' || r.p[i] > '9') && r.p[i] != '-')
            return err_set(e, ERR_ValidationException, "\"%.*s\" is not a region; write one such as eu-west-1", SLICE_ARG(r));
    }
    out->region = arena_printf(k->a, "%.*s", SLICE_ARG(r));
    return 0;
}

static int choose_endpoint(struct maker *k, struct remote_settings *out, struct err *e)
{
    struct slice url = first_of(k->o->endpoint, first_of(variable(k, "AWS_ENDPOINT_URL_DYNAMODB"), variable(k, "AWS_ENDPOINT_URL")));
    url = first_of(url, first_of(k->config.endpoint_url, k->credentials.endpoint_url));
    /* "aws" says it in so many words: neither a variable nor a profile leads elsewhere then. */
    if (!url.n || slice_eq(url, SLICE("aws")))
        url = arena_printf(k->a, "https://dynamodb.%.*s.amazonaws.com%s", SLICE_ARG(out->region),
                           slice_starts(out->region, SLICE("cn-")) ? ".cn" : "");
    if (!split_url(k->a, url, out))
        return err_set(e, ERR_ValidationException,
                       "\"%.*s\" is not an endpoint; write http://HOST:PORT or https://HOST, for example http://127.0.0.1:8000",
                       SLICE_ARG(url));
    out->loopback = is_loopback(out->host);
    out->is_aws = is_amazon(out->host);
    return 0;
}

static bool take(struct remote_settings *out, struct slice access, struct slice secret, struct slice token)
{
    if (!access.n || !secret.n) return false;
    out->access_key = access;
    out->secret_key = secret;
    out->session_token = token;
    return true;
}

static bool take_profile(struct maker *k, struct remote_settings *out)
{
    const struct profile *p = &k->credentials, *q = &k->config;
    return take(out, p->access_key, p->secret_key, p->session_token) ||
           take(out, q->access_key, q->secret_key, q->session_token);
}

static int no_credentials(struct maker *k, const struct remote_settings *s, struct err *e)
{
    struct slice indirect = first_of(k->credentials.indirect, k->config.indirect), name = k->profile_name;
    if (indirect.n)
        return err_set(e, ERR_UnrecognizedClientException,
                       "profile %.*s gets its credentials through %.*s, which onefold cannot do; "
                       "run: eval \"$(aws configure export-credentials --profile %.*s --format env)\"",
                       SLICE_ARG(name), SLICE_ARG(indirect), SLICE_ARG(name));
    return err_set(e, ERR_UnrecognizedClientException,
                   "there are no credentials for %.*s; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                   "or write them into %s under [%.*s]",
                   SLICE_ARG(s->host), k->credentials_path, SLICE_ARG(name));
}

/* Header lines are made of these. */
static bool is_clean(struct slice s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] <= ' ' || s.p[i] >= 0x7f) return false;
    }
    return true;
}

static int choose_credentials(struct maker *k, struct remote_settings *out, struct err *e)
{
    bool there = k->o->profile.n && take_profile(k, out);
    if (!there && !k->o->profile.n)
        there = take(out, variable(k, "AWS_ACCESS_KEY_ID"), variable(k, "AWS_SECRET_ACCESS_KEY"), variable(k, "AWS_SESSION_TOKEN"));
    if (!there) there = take_profile(k, out);
    if (!there && out->loopback) there = take(out, SLICE("local"), SLICE("local"), (struct slice){ 0 });
    if (!there) return no_credentials(k, out, e);
    if (!is_clean(out->access_key) || !is_clean(out->secret_key) || !is_clean(out->session_token))
        return err_set(e, ERR_UnrecognizedClientException, "the credentials for %.*s contain blanks or control characters; "
                       "look at the variables AWS_ACCESS_KEY_ID ... and at %s", SLICE_ARG(out->host), k->credentials_path);
    out->access_key = arena_printf(k->a, "%.*s", SLICE_ARG(out->access_key));
    out->secret_key = arena_printf(k->a, "%.*s", SLICE_ARG(out->secret_key));
    if (out->session_token.n) out->session_token = arena_printf(k->a, "%.*s", SLICE_ARG(out->session_token));
    return 0;
}

/* Followed by a NUL, for libcurl. */
static struct slice text(struct maker *k, struct slice s)
{
    return s.n ? arena_printf(k->a, "%.*s", SLICE_ARG(s)) : s;
}

/* What a variable or a profile says is for endpoints that are encrypted; who gave an option thinks that this one is. */
static int choose_certificates(struct maker *k, struct remote_settings *out, struct err *e)
{
    const struct remote_options *o = k->o;
    bool given = o->client_cert.n || o->client_key.n;
    struct slice cert = given ? o->client_cert : variable(k, "ONEFOLD_CLIENT_CERT");
    struct slice key = given ? o->client_key : variable(k, "ONEFOLD_CLIENT_KEY");
    if (!slice_starts(out->url, SLICE("https://"))) {
        if (!o->ca_file.n && !given) return 0;
        return err_set(e, ERR_ValidationException, "%s is for an encrypted connection, and %.*s is not: write https:// if it speaks TLS",
                       o->ca_file.n ? "--ca-file" : "--client-cert", SLICE_ARG(out->url));
    }
    if (key.n && !cert.n)
        return err_set(e, ERR_ValidationException, "--client-key needs --client-cert FILE, its certificate");
    struct slice authorities = first_of(k->config.ca_bundle, k->credentials.ca_bundle);
    out->ca_file = text(k, first_of(o->ca_file, first_of(variable(k, "AWS_CA_BUNDLE"), authorities)));
    out->client_cert = text(k, cert);
    out->client_key = text(k, key);
    return 0;
}

int remote_settings_make(struct arena *a, const struct remote_options *o, const struct remote_env *env,
                         struct remote_settings *out, struct err *e)
{
    struct maker k = { .a = a, .o = o, .env = env };
    *out = (struct remote_settings){ 0 };
    int rc = read_profile(&k, e);
    if (!rc) rc = choose_region(&k, out, e);
    if (!rc) rc = choose_endpoint(&k, out, e);
    if (!rc) rc = choose_certificates(&k, out, e);
    if (!rc) rc = choose_credentials(&k, out, e);
    return rc;
}
