/* remote.c: connections, kept open; a call takes one that is free, and waits where there is none.
 *
 * No arena is touched while the lock, a connection or memory of libcurl is held: running out of arena leaves by longjmp. The
 * answer is collected in malloc'ed memory and copied when everything is released. */
#include "remote.h"
#include "tls_trouble.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

struct remote {
    struct api api; /* first, so that one is the other */
    const struct curl_library *curl;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    CURL *idle[REMOTE_CONNECTIONS]; /* the one used last is at the end, and is the next to be used */
    unsigned n_idle, n_made;
    struct arena arena; /* holds the settings */
    struct remote_settings settings;
};

struct answer {
    char *p;
    size_t n, cap;
    bool too_large, no_memory;
    long status, verified; /* verified: what the verification of the server's certificate came to */
    CURLcode code;
    char trouble[CURL_ERROR_SIZE];
};

static size_t receive(char *p, size_t size, size_t count, void *ctx)
{
    struct answer *a = ctx;
    size_t n = size * count;
    if (n > REMOTE_MAX_ANSWER - a->n) {
        a->too_large = true;
        return 0;
    }
    if (a->cap - a->n < n) {
        size_t cap = a->cap ? a->cap : 16384;
        while (cap - a->n < n) cap *= 2;
        char *more = realloc(a->p, cap);
        if (!more) {
            a->no_memory = true;
            return 0;
        }
        a->p = more;
        a->cap = cap;
    }
    memcpy(a->p + a->n, p, n);
    a->n += n;
    return n;
}

static bool add_header(const struct curl_library *curl, struct curl_slist **list, const char *name, struct slice value)
{
    char line[4096];
    int n = snprintf(line, sizeof line, "%s: %.*s", name, SLICE_ARG(value));
    struct curl_slist *more = n > 0 && (size_t)n < sizeof line ? curl->slist_append(*list, line) : NULL;
    if (more) *list = more;
    return more != NULL;
}

static void prepare(const struct remote *r, CURL *h);

/* A connection of the caller's own until it is given back; NULL: no memory. */
static CURL *take_connection(struct remote *r)
{
    pthread_mutex_lock(&r->lock);
    while (!r->n_idle && r->n_made == REMOTE_CONNECTIONS) pthread_cond_wait(&r->freed, &r->lock);
    CURL *handle = r->n_idle ? r->idle[--r->n_idle] : NULL;
    bool make = !handle;
    if (make) r->n_made++;
    pthread_mutex_unlock(&r->lock);
    if (!make) return handle;
    handle = r->curl->init();
    if (handle) {
        prepare(r, handle);
        return handle;
    }
    pthread_mutex_lock(&r->lock);
    r->n_made--;
    pthread_cond_signal(&r->freed);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void give_back(struct remote *r, CURL *handle)
{
    pthread_mutex_lock(&r->lock);
    r->idle[r->n_idle++] = handle;
    pthread_cond_signal(&r->freed);
    pthread_mutex_unlock(&r->lock);
}

/* Streams are a service of their own, with the same address here. */
static const char *service_of(struct slice operation)
{
    static const char *const streams[] = { "DescribeStream", "GetRecords", "GetShardIterator", "ListStreams" };
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (slice_eq(operation, slice_str(streams[i]))) return "DynamoDBStreams_20120810";
    return "DynamoDB_20120810";
}

static void perform(struct remote *r, CURL *handle, struct slice operation, struct slice body, struct answer *out)
{
    const struct curl_library *curl = r->curl;
    struct curl_slist *headers = NULL;
    char target[160];
    snprintf(target, sizeof target, "%s.%.*s", service_of(operation), SLICE_ARG(operation));
    out->code = CURLE_OUT_OF_MEMORY;
    if (!add_header(curl, &headers, "Content-Type", SLICE("application/x-amz-json-1.0")) ||
        !add_header(curl, &headers, "X-Amz-Target", slice_str(target)) ||
        (r->settings.session_token.n && !add_header(curl, &headers, "X-Amz-Security-Token", r->settings.session_token)))
        goto end;
    curl->setopt(handle, CURLOPT_HTTPHEADER, headers);
    curl->setopt(handle, CURLOPT_POSTFIELDS, body.n ? (const char *)body.p : "");
    curl->setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
    curl->setopt(handle, CURLOPT_WRITEDATA, out);
    curl->setopt(handle, CURLOPT_ERRORBUFFER, out->trouble);
    out->code = curl->perform(handle);
    curl->getinfo(handle, CURLINFO_RESPONSE_CODE, &out->status);
    curl->getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &out->verified);
    curl->setopt(handle, CURLOPT_ERRORBUFFER, NULL);
    curl->setopt(handle, CURLOPT_HTTPHEADER, NULL);
end:
    curl->slist_free(headers);
}

/* lasts: it would be the same the next time. */
static int not_reached(struct remote *r, const struct answer *got, bool *lasts, struct err *e)
{
    const char *what = got->trouble[0] ? got->trouble : r->curl->strerror(got->code);
    struct slice host = r->settings.host, url = r->settings.url;
    *lasts = true;
    if (tls_trouble(&r->settings, got->code, got->verified, what, e)) return (int)e->code;
    if (got->too_large)
        return err_set(e, ERR_ServiceUnavailable, "%.*s answered more than 64 MB; ask for less", SLICE_ARG(host));
    *lasts = false;
    if (r->settings.loopback && got->code == CURLE_COULDNT_CONNECT)
        return err_set(e, ERR_ServiceUnavailable, "nothing answers at %.*s; start it with `onefold serve`, or name another endpoint",
                       SLICE_ARG(url));
    if (got->code == CURLE_OPERATION_TIMEDOUT)
        return err_set(e, ERR_ServiceUnavailable, "%.*s did not answer in time (%s); try again, or look at the network",
                       SLICE_ARG(url), what);
    return err_set(e, ERR_ServiceUnavailable, "%.*s cannot be reached: %s; look at the endpoint and the network",
                   SLICE_ARG(url), what);
}

/* The answer into the arena, its malloc'ed memory freed whatever happens. */
static void take_answer(struct arena *a, struct answer *got, struct slice *out)
{
    volatile bool fits = true;
    if (ARENA_GUARD(a)) *out = arena_dup(a, slice_of(got->p, got->n));
    else fits = false;
    arena_unguard(a);
    free(got->p);
    got->p = NULL;
    if (!fits) arena_fail(a);
}

/* Somewhere between half and all of it, so that clients that were throttled together do not come back together. */
static void wait_some(unsigned ms)
{
    uint16_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) random = 0x8000;
    uint64_t us = (uint64_t)ms * 500 + (uint64_t)ms * 500 * random / 0xffff;
    struct timespec t = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };
    nanosleep(&t, NULL);
}

/* The service writes for authors of SDKs: what was to be signed fills a screen. Who gave a command wants to know which key it took. */
static int key_refused(const struct remote *r, int code, struct err *e)
{
    const uint8_t *end = e->message.n ? memchr(e->message.p, '\n', e->message.n) : NULL;
    struct slice said = end ? slice_of(e->message.p, (size_t)(end - e->message.p)) : e->message;
    if (code != ERR_InvalidSignatureException && code != ERR_UnrecognizedClientException && code != ERR_ExpiredTokenException) return code;
    return err_set(e, (enum err_code)code,
                   "%.*s The access key was %.*s: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or --profile, give another",
                   SLICE_ARG(said), SLICE_ARG(r->settings.access_key));
}

static bool is_operation(struct slice s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((s.p[i] < 'a' || s.p[i] > 'z') && (s.p[i] < 'A' || s.p[i] > 'Z')) return false;
    }
    return s.n && s.n <= 100;
}

static int call(struct api *api, struct arena *a, struct slice operation, struct slice body, struct slice *answer,
                struct err *e)
{
    struct remote *r = (struct remote *)api;
    if (!is_operation(operation)) return err_set(e, ERR_UnknownOperationException, "there is no such operation");
    for (unsigned attempt = 1;; attempt++) {
        struct answer got = { 0 };
        CURL *handle = take_connection(r);
        if (!handle) arena_fail(a);
        perform(r, handle, operation, body, &got);
        give_back(r, handle);
        if (got.no_memory) {
            free(got.p);
            arena_fail(a);
        }
        int rc;
        bool connected = got.code == CURLE_OK, lasts = false;
        struct slice text = { 0 };
        take_answer(a, &got, &text);
        if (connected && got.status == 200) {
            *answer = text;
            return 0;
        }
        if (connected) rc = key_refused(r, remote_error(a, (int)got.status, text, r->settings.host, e), e);
        else rc = not_reached(r, &got, &lasts, e);
        unsigned ms = lasts ? 0 : remote_retry(operation, attempt, connected, (enum err_code)rc);
        if (!ms) return rc;
        wait_some(ms);
    }
}

/* The server's certificate and name are checked, which is libcurl's default. */
static void prepare_tls(const struct curl_library *curl, const struct remote_settings *s, CURL *h)
{
    curl->setopt(h, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (s->ca_file.n) {
        curl->setopt(h, CURLOPT_CAINFO, (const char *)s->ca_file.p);
        curl->setopt(h, CURLOPT_CAPATH, (const char *)NULL); /* these alone, not the system's too */
    }
    if (!s->client_cert.n) return;
    curl->setopt(h, CURLOPT_SSLCERT, (const char *)s->client_cert.p);
    curl->setopt(h, CURLOPT_SSLKEY, (const char *)(s->client_key.n ? s->client_key.p : s->client_cert.p));
    curl->setopt(h, CURLOPT_KEYPASSWD, ""); /* nobody is asked for one: there are as many connections as threads */
}

static void prepare(const struct remote *r, CURL *h)
{
    const struct curl_library *curl = r->curl;
    const struct remote_settings *s = &r->settings;
    char signature[128];
    snprintf(signature, sizeof signature, "aws:amz:%.*s:dynamodb", SLICE_ARG(s->region));
    curl->setopt(h, CURLOPT_URL, (const char *)s->url.p);
    curl->setopt(h, CURLOPT_AWS_SIGV4, signature);
    curl->setopt(h, CURLOPT_USERNAME, (const char *)s->access_key.p);
    curl->setopt(h, CURLOPT_PASSWORD, (const char *)s->secret_key.p);
    curl->setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl->setopt(h, CURLOPT_TCP_NODELAY, 1L);
    curl->setopt(h, CURLOPT_CONNECTTIMEOUT, REMOTE_CONNECT_SECONDS);
    curl->setopt(h, CURLOPT_TIMEOUT, REMOTE_TOTAL_SECONDS);
    curl->setopt(h, CURLOPT_WRITEFUNCTION, receive);
    curl->setopt(h, CURLOPT_POST, 1L);
    if (s->loopback) curl->setopt(h, CURLOPT_NOPROXY, "*");
    prepare_tls(curl, s, h);
}

int remote_open(struct api **out, const struct remote_settings *s, struct err *e)
{
    const char *why;
    const struct curl_library *curl = curl_library(&why);
    if (!curl) return err_set(e, ERR_ServiceUnavailable, "%s", why);
    struct remote *r = calloc(1, sizeof *r);
    if (!r) return err_set(e, ERR_InternalServerError, "out of memory");
    r->api = (struct api){ .call = call, .lanes = REMOTE_CONNECTIONS, .is_aws = s->is_aws };
    r->curl = curl;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->freed, NULL);
    arena_init(&r->arena, 1 << 20);
    r->settings = *s;
    struct remote_settings *own = &r->settings;
    const struct slice from[] = { s->url,           s->host,    s->region,      s->access_key, s->secret_key,
                                  s->session_token, s->ca_file, s->client_cert, s->client_key };
    struct slice *const to[] = { &own->url,           &own->host,    &own->region,      &own->access_key, &own->secret_key,
                                 &own->session_token, &own->ca_file, &own->client_cert, &own->client_key };
    bool fits;
    if (ARENA_GUARD(&r->arena)) {
        for (size_t i = 0; i < sizeof from / sizeof *from; i++) *to[i] = arena_printf(&r->arena, "%.*s", SLICE_ARG(from[i]));
        fits = true;
    } else {
        fits = false;
    }
    arena_unguard(&r->arena);
    if (!fits) {
        remote_close(&r->api);
        return err_set(e, ERR_InternalServerError, "out of memory");
    }
    r->api.where = r->settings.url;
    *out = &r->api;
    return 0;
}

void remote_close(struct api *api)
{
    struct remote *r = (struct remote *)api;
    if (!r) return;
    for (unsigned i = 0; i < r->n_idle; i++) r->curl->cleanup(r->idle[i]);
    pthread_cond_destroy(&r->freed);
    pthread_mutex_destroy(&r->lock);
    arena_free(&r->arena);
    free(r);
}
