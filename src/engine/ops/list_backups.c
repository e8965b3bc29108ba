/* list_backups.c: ListBackups: in the order of their creation. */
#include "../backup.h"
#include "../table_params.h"

#define LIMIT_DEFAULT 100

static const char *const types[] = { "USER", "SYSTEM", "AWS_BACKUP", "ALL" };
enum { TYPE_ALL = 3 };

struct list {
    struct slice table; /* empty: of all tables */
    struct slice after; /* an id; empty: from the first */
    int64_t from_ms, to_ms, limit;
    int type;
};

/* The region of an ARN is its fourth part. */
static struct slice region_of(struct slice arn)
{
    struct slice part = arn;
    for (int i = 0; i < 4; i++) {
        const uint8_t *colon = memchr(arn.p, ':', arn.n);
        if (!colon) return slice_of(NULL, 0);
        part = slice_of(arn.p, (size_t)(colon - arn.p));
        arn = slice_of(colon + 1, arn.n - part.n - 1);
    }
    return part;
}

static int parse_start(struct call *call, struct list *l)
{
    struct slice arn = param_string(call->request, SLICE("ExclusiveStartBackupArn"));
    if (!arn.p) return 0;
    int code = backup_parse_arn(call, arn, &l->after);
    if (code) return code;
    if (slice_eq(region_of(arn), caller_region(&call->caller))) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   "Invalid Request: The supplied ExclusiveStartBackupArn does not match the region");
}

static int parse(struct call *call)
{
    const struct json *request = call->request;
    struct list *l = ARENA_NEW(call->arena, struct list);
    call->state = l;
    *l = (struct list){ .from_ms = INT64_MIN, .to_ms = INT64_MAX, .limit = LIMIT_DEFAULT };
    l->table = param_table(request, SLICE("TableName"));
    l->type = param_enum(request, SLICE("BackupType"), types, 4, 0);
    param_int(request, SLICE("Limit"), &l->limit);
    param_time_ms(request, SLICE("TimeRangeLowerBound"), &l->from_ms);
    param_time_ms(request, SLICE("TimeRangeUpperBound"), &l->to_ms);
    if (l->from_ms > l->to_ms) {
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "Time range lower bound must be less than or equal to upper bound");
    }
    return parse_start(call, l);
}

static bool wanted(const struct list *l, const struct backup *b)
{
    if (l->table.n && !slice_eq(l->table, b->table->name)) return false;
    if (b->created_ms < l->from_ms || b->created_ms >= l->to_ms) return false;
    return l->type == TYPE_ALL || l->type == (int)b->type;
}

/* One more than asked for is looked for, to tell whether there is more. */
static int put_backups(struct call *call, struct store_cursor *cursor)
{
    const struct list *l = call->state;
    struct slice key, record;
    struct backup last = { 0 };
    int64_t n = 0;
    int status;
    while (!(status = store_range_next(cursor, &key, &record))) {
        struct backup b;
        key = arena_dup(call->arena, key);
        if (!backup_decode(call->arena, key, arena_dup(call->arena, record), &b)) return STORE_CORRUPT;
        if (!wanted(l, &b)) continue;
        if (n == l->limit) break;
        if (n++) buf_u8(&call->response, ',');
        backup_put_summary(&call->response, &call->caller, &b);
        last = b;
    }
    if (status && status != STORE_END) return status;
    buf_u8(&call->response, ']');
    if (status == STORE_OK) {
        BUF_LIT(&call->response, ",\"LastEvaluatedBackupArn\":\"");
        backup_put_arn(&call->response, &call->caller, last.table->name, last.id);
        buf_u8(&call->response, '"');
    }
    return STORE_OK;
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct list *l = call->state;
    struct store_cursor *cursor;
    /* The next key there can be is the same with a zero byte behind it. */
    struct slice from = l->after.n ? arena_printf(call->arena, "K%.*s%c", SLICE_ARG(l->after), 0) : SLICE("K");
    struct store_range range = { .space = SPACE_META, .from = from, .to = SLICE("L") };
    int status = store_range_open(txn, &range, &cursor);
    if (status) return call_store_failed(call, status);
    BUF_LIT(&call->response, "{\"BackupSummaries\":[");
    status = put_backups(call, cursor);
    buf_u8(&call->response, '}');
    store_range_close(cursor);
    return status ? call_store_failed(call, status) : 0;
}

const struct op op_list_backups = { .name = "ListBackups", .kind = OP_READ, .parse = parse, .run = run };
