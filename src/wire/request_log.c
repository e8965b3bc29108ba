/* request_log.c: a line for a request that was slow, and at debug one for every request.
 *
 * Names of tables and indexes are told where the catalog has them; the operation is told as it came, which is at most a header. */
#include "request_log.h"
#include "../auth/identity.h"
#include "../base/log.h"
#include "../engine/watch.h"

#define OPERATION_SHOWN 64
#define NAMES_MAX       ((255 + 1) * SUMMARY_TABLES)

static struct slice operation_of(const struct exchange *x)
{
    if (!x->operation.n) return SLICE("http");
    return slice_of(x->operation.p, x->operation.n < OPERATION_SHOWN ? x->operation.n : OPERATION_SHOWN);
}

/* As the client was told; answer_build puts it first. */
static struct slice request_id(const struct exchange *x)
{
    const struct slice label = SLICE(REQUEST_ID_LABEL);
    return slice_of(x->response.headers.p + label.n, REQUEST_ID_DIGITS);
}

/* "shop,users" */
static struct slice join(char *to, const struct call_summary *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_tables; i++) {
        if (i) to[n++] = ',';
        memcpy(to + n, s->tables[i].p, s->tables[i].n);
        n += s->tables[i].n;
    }
    return slice_of(to, n);
}

static void tell_slow(const struct exchange *x, double ms)
{
    char names[NAMES_MAX];
    struct call_summary s = { 0 };
    if (x->prepared) call_summarize(&x->call, &s);
    struct slice operation = operation_of(x), tables = join(names, &s);
    const struct identity *who = x->prepared ? x->call.caller.identity : NULL;
    const struct log_field fields[] = {
        LOG_TEXT("operation", operation),
        LOG_TEXT("table", tables),
        LOG_TEXT("index", s.index),
        LOG_NUMBER("ms", ms),
        LOG_NUMBER("status", x->status),
        LOG_TEXT("error", x->call.err.code ? slice_str(err_name(x->call.err.code)) : slice_of(NULL, 0)),
        LOG_NUMBER("read_units", s.read_units),
        LOG_NUMBER("write_units", s.write_units),
        LOG_NUMBER("returned", s.returned),
        LOG_NUMBER("written", s.written),
        LOG_NUMBER("bytes_in", x->http->body.n),
        LOG_NUMBER("bytes_out", x->body.n),
        LOG_TEXT("user", who ? who->user : slice_of(NULL, 0)),
        LOG_TEXT("request_id", request_id(x)),
    };
    log_event(LOG_WARN, "slow_request", fields, sizeof fields / sizeof *fields, "%.*s%s%.*s took %.0f ms", SLICE_ARG(operation),
              tables.n ? " of " : "", SLICE_ARG(tables), ms);
}

static void tell(const struct exchange *x, double ms)
{
    struct slice operation = operation_of(x);
    const struct log_field fields[] = {
        LOG_TEXT("operation", operation),
        LOG_NUMBER("ms", ms),
        LOG_NUMBER("status", x->status),
        LOG_NUMBER("bytes_in", x->http->body.n),
        LOG_NUMBER("bytes_out", x->body.n),
        LOG_TEXT("request_id", request_id(x)),
    };
    log_event(LOG_DEBUG, "request", fields, sizeof fields / sizeof *fields, "%.*s %d", SLICE_ARG(operation), x->status);
}

void request_log(const struct exchange *x)
{
    uint64_t slow_ns = ((const struct service *)x->http->service)->slow_ns;
    if (!slow_ns && !log_on(LOG_DEBUG)) return;
    uint64_t took = answer_clock() - x->began_ns;
    double ms = (double)(took / 1000) / 1000;
    if (log_on(LOG_DEBUG)) tell(x, ms);
    if (slow_ns && took >= slow_ns) tell_slow(x, ms);
}
