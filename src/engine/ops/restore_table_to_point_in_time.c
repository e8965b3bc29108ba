/* restore_table_to_point_in_time.c: RestoreTableToPointInTime: to the end of a second, or to now. */
#include "../backup.h"
#include "../copy.h"
#include "../history.h"
#include "../recovery.h"
#include "../resource.h"
#include "../restore.h"
#include <time.h>

struct to_moment {
    struct restore restore; /* first: what `after` publishes */
    struct slice source;
    bool latest;
    int64_t second;
};

static int invalid(struct call *call, const char *text)
{
    return err_set(&call->err, ERR_ValidationException, "%s", text);
}

static int parse_source(struct call *call, struct to_moment *m)
{
    struct slice name = param_string(call->request, SLICE("SourceTableName"));
    struct slice arn = param_string(call->request, SLICE("SourceTableArn"));
    if (name.p && arn.p) {
        return invalid(call, "Invalid Request: Must provide exactly one of: sourceTableArn, sourceTableName");
    }
    if (!name.p && !arn.p) {
        return invalid(call, "The parameter 'TableName' is required but was not present in the request");
    }
    m->source = name.p ? name : table_of(arn);
    if (!arn.p) return 0;
    if (m->source.p == arn.p) return invalid(call, "Invalid Request: sourceTableArn is not a valid ARN");
    bool own = slice_eq(backup_arn_part(arn, ARN_ACCOUNT), caller_account(&call->caller));
    return own ? 0 : invalid(call, RESOURCE_NOT_OWN);
}

static int parse(struct call *call)
{
    struct to_moment *m = ARENA_NEW(call->arena, struct to_moment);
    call->state = m;
    m->latest = param_bool(call->request, SLICE("UseLatestRestorableTime"), false);
    /* Seconds; a fraction is cut off: a second is as fine as DynamoDB restores. */
    bool given = param_int(call->request, SLICE("RestoreDateTime"), &m->second);
    if (given && m->latest) {
        return invalid(call, "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for "
                             "point-in-time restore request. Please specify either RestoreDateTime time or "
                             "UseLatestRestorableTime");
    }
    if (!given && !m->latest) {
        return invalid(call, "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be "
                             "specified, but not both");
    }
    return parse_source(call, m);
}

/* In ISO 8601, of any second. */
static struct slice date_of(struct arena *a, int64_t second)
{
    time_t t = (time_t)second;
    struct tm tm;
    char text[64];
    size_t n = gmtime_r(&t, &tm) ? strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) : 0;
    return n ? arena_dup(a, slice_of(text, n)) : arena_printf(a, "%lld", (long long)second);
}

static int check_time(struct call *call, const struct to_moment *m, const struct recovery_window *w)
{
    if (m->latest || (m->second >= w->earliest && m->second <= w->latest)) return 0;
    return err_set(&call->err, ERR_InvalidRestoreTimeException,
                   "RestoreDateTime '%.*s' must be within EarliestRestorableDateTime '%.*s' and "
                   "LatestRestorableDateTime '%.*s'",
                   SLICE_ARG(date_of(call->arena, m->second)), SLICE_ARG(date_of(call->arena, w->earliest)),
                   SLICE_ARG(date_of(call->arena, w->latest)));
}

static int run(struct call *call, struct store_txn *txn)
{
    struct to_moment *m = call->state;
    int64_t now_ms = call_now_ms(call);
    struct table *t;
    int code = recovery_read_table(call, txn, m->source, &t);
    if (code) return code;
    if (!t->recovery_since_ms) {
        return err_set(&call->err, ERR_PointInTimeRecoveryUnavailableException,
                       "Point in time recovery is not enabled for table '%.*s'", SLICE_ARG(t->name));
    }
    struct recovery_window w = recovery_window(t, now_ms);
    code = check_time(call, m, &w);
    if (code) return code;
    int64_t second = m->latest ? w.latest : m->second;
    /* The second that has not ended yet is as it is now. */
    bool now = second * 1000 + 999 >= now_ms;
    m->restore = (struct restore){ .definition = t,
                                   .live = t,
                                   .moment_ms = second * 1000,
                                   .cut = now ? COPY_NOW : history_after(second * 1000 + 999) };
    return restore_run(call, txn, &m->restore);
}

static void after(struct call *call)
{
    struct to_moment *m = call->state;
    restore_publish(call, &m->restore);
}

const struct op op_restore_table_to_point_in_time = {
    .name = "RestoreTableToPointInTime", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
