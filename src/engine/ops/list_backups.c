/* list_backups.c: ListBackups: in the order of their creation. */
#include "../backup.h"
#include "../fields.h"
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

static int parse_start(struct call *call, struct list *l)
{
    struct slice arn = param_string(call->request, SLICE("ExclusiveStartBackupArn"));
    if (!arn.p) return 0;
    int code = backup_parse_arn(call, arn, &l->after);
    if (code) return code;
    if (slice_eq(backup_arn_part(arn, ARN_REGION), caller_region(&call->caller))) return 0;
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

/* Of a backup's record: there may be many that are not. */
static bool wanted(const struct list *l, struct slice record)
{
    int64_t created_ms = field_int(record, SLICE("created"));
    struct slice table = field_value(record, SLICE("table"), TYPE_M);
    if (l->table.n && (!table.n || !slice_eq(l->table, field_text(table, SLICE("name"))))) return false;
    if (created_ms < l->from_ms || created_ms >= l->to_ms) return false;
    return l->type == TYPE_ALL || l->type == field_int(record, SLICE("type"));
}

/* One more than asked for is looked for, to tell whether there is more. */
static int put_backups(struct call *call, struct store_txn *txn, struct store_cursor *cursor)
{
    const struct list *l = call->state;
    struct slice key, record;
    struct backup last = { 0 };
    int64_t n = 0;
    int status;
    while (!(status = store_range_next(cursor, &key, &record))) {
        struct backup b;
        if (!wanted(l, record)) continue;
        if (n == l->limit) break;
        key = arena_dup(call->arena, key);
        if (!backup_decode(call->arena, key, record, &b)) return STORE_CORRUPT;
        status = backup_sums(txn, &b);
        if (status) return status;
        if (n++) buf_u8(&call->response, ',');
        backup_put_summary(&call->response, &call->caller, &b);
        last = b;
    }
    if (status && status != STORE_END) return status;
    buf_u8(&call->response, ']');
    if (status == STORE_OK && last.table) {
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
    status = put_backups(call, txn, cursor);
    buf_u8(&call->response, '}');
    store_range_close(cursor);
    return status ? call_store_failed(call, status) : 0;
}

const struct op op_list_backups = { .name = "ListBackups", .kind = OP_READ, .parse = parse, .run = run };
