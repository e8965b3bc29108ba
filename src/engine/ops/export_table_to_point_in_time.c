/* export_table_to_point_in_time.c: ExportTableToPointInTime: the record of the export and its copy, of which jobs do the
 * rest (export.h). The order of the checks and their words were recorded from DynamoDB. */
#include "../copy.h"
#include "../export.h"
#include "../history.h"
#include "../recovery.h"
#include "../token.h"
#include <errno.h>
#include <time.h>
#include <unistd.h>

#define LEAST_PERIOD 900   /* seconds of an incremental export */
#define MOST_PERIOD  86400

struct export_call {
    struct slice arn, table;
    struct export export;
    struct token_print print;
    bool timed, to_now; /* ExportTime was given; ExportToTime was not */
    int64_t second;
    bool no_bucket;
    struct slice record; /* of the table, to be published; empty: nothing was begun */
};

static int invalid(struct call *call, const char *text)
{
    return err_set(&call->err, ERR_ValidationException, "Invalid Request: %s", text);
}

static int parse_table(struct call *call, struct export_call *c)
{
    c->arn = param_string(call->request, SLICE("TableArn"));
    c->table = table_of(c->arn);
    if (c->table.p == c->arn.p) {
        return err_set(&call->err, ERR_ValidationException,
                       "One or more parameter values were invalid: tableArn is not a valid ARN");
    }
    return memchr(c->table.p, '/', c->table.n) ? invalid(call, "Table ARN is invalid.") : 0;
}

/* ExportType and IncrementalExportSpecification, as they go together. */
static int parse_type(struct call *call, struct export_call *c)
{
    const struct json *spec = PARAM_GET(call->request, "IncrementalExportSpecification");
    struct export *ex = &c->export;
    struct slice view = param_string(spec, SLICE("ExportViewType"));
    bool incremental = slice_eq(ex->type, SLICE("INCREMENTAL_EXPORT"));
    if (spec && !ex->type.n) {
        return invalid(call, "Export Type expected to be Incremental Export when incremental export specification is provided");
    }
    if (spec && !incremental) {
        return invalid(call, "When Export Type is Full Export , Incremental Export Specification should not be provided");
    }
    if (incremental && !spec) {
        return invalid(call, "Incremental Export Specification expected when export type is set as Incremental Export");
    }
    if (!incremental) return 0;
    if (!param_int(spec, SLICE("ExportFromTime"), &ex->from)) {
        return invalid(call, "ExportFromTime must be provided in IncrementalExportSpecification");
    }
    if (c->timed) return invalid(call, "ExportTime cannot be provided when Export Type is Incremental Export");
    c->to_now = !param_int(spec, SLICE("ExportToTime"), &ex->to);
    ex->view = view.n ? view : SLICE("NEW_AND_OLD_IMAGES");
    return 0;
}

static int parse_target(struct call *call, struct export_call *c)
{
    struct export *ex = &c->export;
    bool kms = slice_eq(ex->sse, SLICE("KMS"));
    if (PARAM_GET(call->request, "S3SseKmsKeyId") && !kms) {
        return invalid(call, "KMS Key Id is not supported for this encryption type");
    }
    if (kms) return invalid(call, "Onefold does not encrypt files; it does not support the S3SseAlgorithm KMS");
    if (slice_eq(param_string(call->request, SLICE("ExportFormat")), SLICE("ION"))) {
        return invalid(call, "Onefold exports DYNAMODB_JSON; it does not support the ExportFormat ION");
    }
    if (!bucket_prefix_fits(ex->prefix)) {
        return invalid(call, "S3Prefix must be names of directories with one / between them, because buckets are "
                             "directories here");
    }
    return transfer_check_buckets(call, "ExportTableToPointInTime");
}

static int parse(struct call *call)
{
    struct export_call *c = ARENA_NEW(call->arena, struct export_call);
    const struct json *request = call->request;
    struct export *ex = &c->export;
    struct slice sse = param_string(request, SLICE("S3SseAlgorithm"));
    call->state = c;
    ex->region = call->caller.region.n ? call->caller.region : SLICE("us-east-1");
    ex->account = call->caller.account.n ? call->caller.account : SLICE("000000000000");
    ex->token = param_string(request, SLICE("ClientToken"));
    ex->bucket = param_string(request, SLICE("S3Bucket"));
    ex->owner = param_string(request, SLICE("S3BucketOwner"));
    ex->prefix = param_string(request, SLICE("S3Prefix"));
    ex->sse = sse.n ? sse : SLICE("AES256");
    ex->type = param_string(request, SLICE("ExportType"));
    c->timed = param_int(request, SLICE("ExportTime"), &c->second);
    c->print = token_fingerprint(request);
    ex->print = slice_of(c->print.bytes, sizeof c->print.bytes);
    int code = parse_table(call, c);
    if (!code) code = parse_type(call, c);
    if (!code) code = parse_target(call, c);
    if (code) return code;
    if (ex->token.n > TRANSFER_MAX_RECORD / 4) return invalid(call, "ClientToken is too long");
    if (!ex->token.n) ex->token = table_new_uuid(call->arena);
    int bucket = bucket_open(call->engine->options.s3_dir, ex->bucket);
    c->no_bucket = bucket < 0 && !bucket_error_passes(errno);
    if (bucket >= 0) close(bucket);
    return 0;
}

/* ---- times ---- */

static int bad_time(struct call *call, const char *text)
{
    return err_set(&call->err, ERR_InvalidExportTimeException, "%s", text);
}

static int bad_second(struct call *call, const char *text, int64_t second)
{
    time_t t = (time_t)second;
    struct tm tm;
    char date[64] = "";
    if (gmtime_r(&t, &tm)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return err_set(&call->err, ERR_InvalidExportTimeException, "Incremental export period %s : %s", text, date);
}

static int check_period(struct call *call, struct export_call *c, const struct table *t, int64_t now_ms)
{
    struct export *ex = &c->export;
    if (c->to_now) ex->to = now_ms / 1000;
    if (ex->from < t->created_ms / 1000) {
        return bad_second(call, "from time cannot be less than the table creation time", ex->from);
    }
    if (ex->to > now_ms / 1000) return bad_second(call, "to time cannot be greater than the current time", ex->to);
    /* Compared first: it may be so far below that there is no such number as the difference. */
    if (ex->to < ex->from || ex->to - ex->from < LEAST_PERIOD) {
        return bad_time(call, "Difference between export period from time and export period to time is less than 15 minutes");
    }
    if (ex->to - ex->from > MOST_PERIOD) {
        return bad_time(call, "Difference between export period from time and export period to time is greater than 24 hours");
    }
    return 0;
}

static int check_times(struct call *call, struct export_call *c, const struct table *t, int64_t now_ms)
{
    int code = c->export.view.n ? check_period(call, c, t, now_ms) : 0;
    if (code) return code;
    if (!t->recovery_since_ms) {
        return err_set(&call->err, ERR_PointInTimeRecoveryUnavailableException,
                       "Point in time recovery is not enabled for table '%.*s'", SLICE_ARG(t->name));
    }
    struct recovery_window w = recovery_window(t, now_ms);
    if (c->export.view.n && c->export.from < w.earliest) {
        return bad_time(call, "Point in Time Recovery is not available for specified export time");
    }
    if (c->timed && (c->second < w.earliest || c->second > w.latest)) return bad_time(call, "Export Time is invalid");
    return 0;
}

/* ---- beginning ---- */

/* The export that the token stands for; *id empty: none. */
static int check_token(struct call *call, struct store_txn *txn, const struct export_call *c, struct slice *id,
                       struct export *before)
{
    struct slice record;
    int status = transfer_find_token(txn, call->arena, &transfer_export, c->export.token, id);
    if (!status) status = transfer_read(txn, call->arena, 'E', *id, &record);
    if (status && status != STORE_NOT_FOUND) return call_store_failed(call, status);
    if (!status) export_decode(record, before);
    if (status || !transfer_token_counts(before->end_ms, call_now_ms(call))) {
        *id = slice_of(NULL, 0);
        return 0;
    }
    if (slice_eq(before->print, c->export.print)) return 0;
    return err_set(&call->err, ERR_ExportConflictException,
                   "Export conflict: Duplicate request detected with conflicting parameters");
}

/* What is in the copy: changes below this sequence number. */
static uint64_t cut_of(const struct export_call *c, int64_t now_ms)
{
    if (c->export.view.n) return history_after(c->export.to * 1000 - 1);
    /* The second that has not ended yet is as it is now. */
    bool now = !c->timed || c->second * 1000 + 999 >= now_ms;
    return now ? COPY_NOW : history_after(c->second * 1000 + 999);
}

static int begin_copy(struct call *call, struct store_txn *txn, struct export_call *c, struct table *t, struct slice id,
                      struct export_progress *p)
{
    struct arena *a = call->arena;
    struct table *dest = ARENA_NEW(a, struct table);
    int64_t now_ms = transfer_id_ms(id);
    dest->name = t->name;
    dest->key = t->key;
    *p = (struct export_progress){ .phase = EXPORT_FILES, .files = (int64_t)history_shares(t) };
    int status = STORE_OK;
    if (!c->no_bucket) {
        p->phase = EXPORT_COPYING;
        status = catalog_next_id(txn, &p->items_id);
        if (!status && c->export.view.n) status = catalog_next_id(txn, &p->changes_id);
    }
    dest->id = p->items_id ? p->items_id : t->id;
    p->keys = table_encode(dest, a);
    if (status || c->no_bucket) return status;
    struct copy copy = { .cut = cut_of(c, now_ms), .dest = dest, .purpose = COPY_EXPORT,
                         .data = val_make_string(a, id) };
    return copy_begin(txn, a, call->engine, t, &copy);
}

static int begin(struct call *call, struct store_txn *txn, struct export_call *c, struct table *t, struct slice id)
{
    struct arena *a = call->arena;
    struct export *ex = &c->export;
    struct export_progress p;
    ex->table = t->name;
    ex->uuid = t->uuid;
    ex->start_ms = transfer_id_ms(id);
    ex->time_ms = ex->view.n ? 0 : c->timed ? c->second * 1000 : ex->start_ms;
    int status = begin_copy(call, txn, c, t, id, &p);
    if (!status) status = transfer_write_new(txn, a, &transfer_export, id, ex->token, export_encode(a, ex));
    if (!status) status = store_put(txn, SPACE_META, transfer_key(a, 'e', id), export_encode_progress(a, &p));
    return status ? status : catalog_write(txn, a, t, &c->record);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct export_call *c = call->state;
    struct export before;
    struct slice id = { NULL, 0 };
    int64_t now_ms = call_now_ms(call);
    int status;
    c->record = slice_of(NULL, 0);
    struct table *t = catalog_read(txn, call->arena, c->table, &status);
    if (status == STORE_NOT_FOUND) return recovery_no_table(call, c->arn);
    if (status) return call_store_failed(call, status);
    if (t->status == TABLE_CREATING) return recovery_no_table(call, c->arn);
    int code = check_token(call, txn, c, &id, &before);
    bool again = id.n != 0;
    if (!code && !again) code = check_times(call, c, t, now_ms);
    if (code) return code;
    if (!again) {
        id = transfer_new_id(call->arena, now_ms);
        status = begin(call, txn, c, t, id);
        if (status) return call_store_failed(call, status);
    }
    BUF_LIT(&call->response, "{\"ExportDescription\":");
    export_put_description(&call->response, id, again ? &before : &c->export);
    buf_u8(&call->response, '}');
    return 0;
}

static void after(struct call *call)
{
    const struct export_call *c = call->state;
    if (!c->record.n) return;
    catalog_publish(call->engine->catalogs, c->record);
    jobs_wake(call->engine->jobs);
}

const struct op op_export_table_to_point_in_time = {
    .name = "ExportTableToPointInTime", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
