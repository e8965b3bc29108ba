/* request_log.c: a line for a request that was slow, one for who was refused, one for a request that met damaged data, one for each change
 * of the control plane, and at debug one for every request.
 *
 * What a stranger can write is told only where it is something known: names of tables and indexes where the catalog has them, that of an
 * operation where there is one. An access key is told that the server has, or that looks like one of AWS's: somebody may have taken it and
 * the secret for each other. */
#include "request_log.h"
#include "../auth/credentials.h"
#include "../base/log.h"
#include "../engine/watch.h"

#define NAMES_MAX      ((SUMMARY_NAME + 1) * SUMMARY_TABLES)
#define KEY_MAX        128
#define LINES_A_SECOND 10 /* of those that a client in a loop could fill a disk with */

static struct slice operation_of(const struct exchange *x)
{
    const struct guest *guest = ((const struct service *)x->http->service)->guest;
    if (!x->operation.n) return SLICE("http");
    if (engine_has_operation(x->operation) || (guest && guest->knows(x->operation))) return x->operation;
    return SLICE("unknown");
}

/* ---- who ---- */

static bool looks_like_a_key(struct slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] < 'A' || s.p[i] > 'Z') && (s.p[i] < '0' || s.p[i] > '9')) return false;
    return s.n <= KEY_MAX;
}

static struct slice key_of(const struct exchange *x)
{
    bool known = x->keys && credentials_find(x->keys, x->access_key);
    return known || looks_like_a_key(x->access_key) ? x->access_key : slice_of(NULL, 0);
}

/* Who has shown to be it. */
static struct slice user_of(const struct exchange *x)
{
    const struct identity *who = x->call.caller.identity ? x->call.caller.identity : x->expired;
    return who ? who->user : slice_of(NULL, 0);
}

static struct slice error_of(const struct exchange *x)
{
    return x->call.err.code ? slice_str(err_name(x->call.err.code)) : slice_of(NULL, 0);
}

/* ---- lines ---- */

/* As the client was told; answer_build puts it first. */
static struct slice request_id(const struct exchange *x)
{
    const struct slice label = SLICE(REQUEST_ID_LABEL);
    return slice_of(x->response.headers.p + label.n, REQUEST_ID_DIGITS);
}

/* "shop,users" */
static struct slice join(char to[NAMES_MAX], const struct call_summary *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_tables; i++) {
        if (i) to[n++] = ',';
        memcpy(to + n, s->tables[i].p, s->tables[i].n);
        n += s->tables[i].n;
    }
    return slice_of(to, n);
}

static struct slice tables_of(const struct exchange *x, char to[NAMES_MAX])
{
    struct call_summary s = { 0 };
    if (x->prepared) call_summarize(&x->call, &s);
    return join(to, &s);
}

static bool may_tell(struct log_budget *budget, enum log_level level, unsigned *left_out)
{
    return log_on(level) && log_budget_take(budget, LINES_A_SECOND, answer_clock() / 1000000000u, left_out);
}

static void tell_slow(const struct exchange *x, double ms)
{
    char names[NAMES_MAX];
    struct call_summary s = { 0 };
    if (x->prepared) call_summarize(&x->call, &s);
    struct slice operation = operation_of(x), tables = join(names, &s);
    const struct log_field fields[] = {
        LOG_TEXT("operation", operation),
        LOG_TEXT("table", tables),
        LOG_TEXT("index", s.index),
        LOG_NUMBER("ms", ms),
        LOG_NUMBER("status", x->status),
        LOG_TEXT("error", error_of(x)),
        LOG_NUMBER("read_units", s.read_units),
        LOG_NUMBER("write_units", s.write_units),
        LOG_NUMBER("returned", s.returned),
        LOG_NUMBER("written", s.written),
        LOG_NUMBER("bytes_in", x->http->body.n),
        LOG_NUMBER("bytes_out", x->body.n),
        LOG_TEXT("user", user_of(x)),
        LOG_TEXT("request_id", request_id(x)),
    };
    log_event(LOG_WARN, "slow_request", fields, sizeof fields / sizeof *fields, "%.*s%s%.*s took %.0f ms", SLICE_ARG(operation),
              tables.n ? " of " : "", SLICE_ARG(tables), ms);
}

static void tell(const struct exchange *x, double ms)
{
    char names[NAMES_MAX];
    struct slice operation = operation_of(x);
    const struct log_field fields[] = {
        LOG_TEXT("operation", operation),
        LOG_TEXT("table", tables_of(x, names)),
        LOG_NUMBER("ms", ms),
        LOG_NUMBER("status", x->status),
        LOG_TEXT("error", error_of(x)),
        LOG_NUMBER("bytes_in", x->http->body.n),
        LOG_NUMBER("bytes_out", x->body.n),
        LOG_TEXT("address", http_remote_address(x->http)),
        LOG_TEXT("key", key_of(x)),
        LOG_TEXT("user", user_of(x)),
        LOG_TEXT("request_id", request_id(x)),
    };
    log_event(LOG_DEBUG, "request", fields, sizeof fields / sizeof *fields, "%.*s %d", SLICE_ARG(operation), x->status);
}

/* By its signature or by a policy, of a server that asks for them. */
static bool is_refusal(const struct exchange *x)
{
    if (!((const struct service *)x->http->service)->keys || !x->operation.n) return false;
    switch (x->call.err.code) {
    case ERR_MissingAuthenticationTokenException:
    case ERR_IncompleteSignatureException:
    case ERR_InvalidSignatureException:
    case ERR_UnrecognizedClientException:
    case ERR_ExpiredTokenException:
    case ERR_AccessDeniedException: return true;
    default: return false;
    }
}

static void tell_refusal(const struct exchange *x, struct service_counts *counts)
{
    char names[NAMES_MAX];
    unsigned left_out;
    if (!may_tell(&counts->refused, LOG_INFO, &left_out)) return;
    struct slice operation = operation_of(x), tables = tables_of(x, names);
    const struct log_field fields[] = {
        LOG_TEXT("operation", operation),
        LOG_TEXT("table", tables),
        LOG_TEXT("error", error_of(x)),
        LOG_TEXT("address", http_remote_address(x->http)),
        LOG_TEXT("key", key_of(x)),
        LOG_TEXT("user", user_of(x)),
        LOG_TEXT("request_id", request_id(x)),
        LOG_NUMBER("left_out", left_out),
    };
    size_t n = sizeof fields / sizeof *fields;
    log_event(LOG_INFO, "refused", fields, left_out ? n : n - 1, "%.*s%s%.*s was refused: %s", SLICE_ARG(operation), tables.n ? " of " : "",
              SLICE_ARG(tables), err_name(x->call.err.code));
}

/* At the door. What the request names itself, its Host or Origin, is a stranger's word. */
static void tell_turned_away(struct service_counts *counts, enum refusal refusal, struct slice address, struct slice id, const char *why)
{
    static const struct {
        const char *name, *words;
    } all[REFUSALS] = {
        [REFUSAL_NONE] = { "none", "" },
#define X(id, name, words) [REFUSAL_##id] = { (name), (words) },
        REFUSAL_LIST(X)
#undef X
    };
    unsigned left_out;
    if (!may_tell(&counts->refused, LOG_INFO, &left_out)) return;
    const struct log_field fields[] = {
        LOG_TEXT("reason", slice_str(all[refusal].name)),
        LOG_TEXT("address", address),
        LOG_TEXT("request_id", id),
        LOG_NUMBER("left_out", left_out),
    };
    size_t n = sizeof fields / sizeof *fields;
    log_event(LOG_INFO, "refused", fields, left_out ? n : n - 1, "a %s was refused: %s%s%s", id.n ? "request" : "connection", all[refusal].words,
              why ? ": " : "", why ? why : "");
}

void service_refused(void *service, enum http_refusal refusal, struct slice address, const char *why)
{
    static const enum refusal ours[] = { [HTTP_NO_CERTIFICATE] = REFUSAL_NO_CERTIFICATE,
                                         [HTTP_BAD_CERTIFICATE] = REFUSAL_CERTIFICATE,
                                         [HTTP_NO_HANDSHAKE] = REFUSAL_HANDSHAKE,
                                         [HTTP_NOT_TLS] = REFUSAL_PLAIN };
    struct service_counts *counts = ((const struct service *)service)->counts;
    __atomic_add_fetch(&counts->refusals[ours[refusal]], 1, __ATOMIC_RELAXED);
    tell_turned_away(counts, ours[refusal], address, slice_of(NULL, 0), refusal == HTTP_NO_CERTIFICATE ? NULL : why);
}

/* Which item it was is somebody's data: `onefold check` says it to who may see it. */
static void tell_damage(const struct exchange *x, struct service_counts *counts)
{
    char names[NAMES_MAX];
    unsigned left_out;
    if (!may_tell(&counts->damaged, LOG_ERROR, &left_out)) return;
    struct slice operation = operation_of(x), tables = tables_of(x, names);
    const struct log_field fields[] = {
        LOG_TEXT("operation", operation),
        LOG_TEXT("table", tables),
        LOG_TEXT("user", user_of(x)),
        LOG_TEXT("request_id", request_id(x)),
        LOG_NUMBER("left_out", left_out),
    };
    size_t n = sizeof fields / sizeof *fields;
    log_event(LOG_ERROR, "damaged", fields, left_out ? n : n - 1,
              "%.*s%s%.*s met damaged data: a checksum does not match; 'onefold check' says where", SLICE_ARG(operation), tables.n ? " of " : "",
              SLICE_ARG(tables));
}

/* Who made, changed or dropped what: all of them, since whoever may do that could otherwise hide one behind many. */
static void tell_change(const struct exchange *x)
{
    char names[NAMES_MAX];
    struct slice operation = operation_of(x), tables = x->changed.n ? x->changed : tables_of(x, names);
    const struct log_field fields[] = {
        LOG_TEXT("operation", operation),
        LOG_TEXT("table", tables),
        LOG_TEXT("address", http_remote_address(x->http)),
        LOG_TEXT("key", key_of(x)),
        LOG_TEXT("user", user_of(x)),
        LOG_TEXT("request_id", request_id(x)),
    };
    log_event(LOG_INFO, "changed", fields, sizeof fields / sizeof *fields, "%.*s%s%.*s", SLICE_ARG(operation), tables.n ? " of " : "",
              SLICE_ARG(tables));
}

static void tell_failure(const struct exchange *x)
{
    struct service_counts *counts = ((const struct service *)x->http->service)->counts;
    if (x->refusal) tell_turned_away(counts, x->refusal, http_remote_address(x->http), request_id(x), NULL);
    else if (is_refusal(x)) tell_refusal(x, counts);
    else if (x->prepared && call_met_damage(&x->call)) tell_damage(x, counts);
}

void request_log(const struct exchange *x)
{
    uint64_t slow_ns = ((const struct service *)x->http->service)->slow_ns;
    if (x->call.err.code) tell_failure(x);
    else if (log_on(LOG_INFO) && (x->prepared ? call_is_control(&x->call) : x->changed.n > 0)) tell_change(x);
    if (!slow_ns && !log_on(LOG_DEBUG)) return;
    uint64_t took = answer_clock() - x->began_ns;
    uint64_t us = took / 1000;
    double ms = (double)us / 1000;
    if (log_on(LOG_DEBUG)) tell(x, ms);
    if (slow_ns && took >= slow_ns) tell_slow(x, ms);
}
