/* export_record.c: the records of exports, and how they are described. */
#include "export.h"

static const char *const statuses[] = { "IN_PROGRESS", "COMPLETED", "FAILED" };

struct slice export_encode(struct arena *a, const struct export *ex)
{
    struct fields_out f = { .arena = a };
    fields_text(&f, SLICE("table"), ex->table);
    fields_text(&f, SLICE("uuid"), ex->uuid);
    fields_text(&f, SLICE("region"), ex->region);
    fields_text(&f, SLICE("account"), ex->account);
    fields_text(&f, SLICE("token"), ex->token);
    fields_bytes(&f, SLICE("print"), ex->print);
    fields_int(&f, SLICE("start"), ex->start_ms);
    fields_int(&f, SLICE("end"), ex->end_ms);
    fields_int(&f, SLICE("status"), ex->status);
    fields_int(&f, SLICE("time"), ex->time_ms);
    fields_text(&f, SLICE("bucket"), ex->bucket);
    fields_text(&f, SLICE("owner"), ex->owner);
    fields_text(&f, SLICE("prefix"), ex->prefix);
    fields_text(&f, SLICE("sse"), ex->sse);
    fields_text(&f, SLICE("type"), ex->type);
    fields_text(&f, SLICE("view"), ex->view);
    fields_int(&f, SLICE("from"), ex->from);
    fields_int(&f, SLICE("to"), ex->to);
    fields_int(&f, SLICE("items"), ex->items);
    fields_int(&f, SLICE("bytes"), ex->bytes);
    fields_text(&f, SLICE("manifest"), ex->manifest);
    fields_text(&f, SLICE("failure"), ex->failure_code);
    fields_text(&f, SLICE("message"), ex->failure_message);
    return fields_end(&f, TRANSFER_MAX_RECORD);
}

void export_decode(struct slice r, struct export *out)
{
    *out = (struct export){
        .table = field_text(r, SLICE("table")),
        .uuid = field_text(r, SLICE("uuid")),
        .region = field_text(r, SLICE("region")),
        .account = field_text(r, SLICE("account")),
        .token = field_text(r, SLICE("token")),
        .print = field_bytes(r, SLICE("print")),
        .start_ms = field_int(r, SLICE("start")),
        .end_ms = field_int(r, SLICE("end")),
        .status = (enum export_status)field_int(r, SLICE("status")),
        .time_ms = field_int(r, SLICE("time")),
        .bucket = field_text(r, SLICE("bucket")),
        .owner = field_text(r, SLICE("owner")),
        .prefix = field_text(r, SLICE("prefix")),
        .sse = field_text(r, SLICE("sse")),
        .type = field_text(r, SLICE("type")),
        .view = field_text(r, SLICE("view")),
        .from = field_int(r, SLICE("from")),
        .to = field_int(r, SLICE("to")),
        .items = field_int(r, SLICE("items")),
        .bytes = field_int(r, SLICE("bytes")),
        .manifest = field_text(r, SLICE("manifest")),
        .failure_code = field_text(r, SLICE("failure")),
        .failure_message = field_text(r, SLICE("message")),
    };
}

struct slice export_encode_progress(struct arena *a, const struct export_progress *p)
{
    struct fields_out f = { .arena = a };
    fields_int(&f, SLICE("phase"), p->phase);
    fields_int(&f, SLICE("items_id"), p->items_id);
    fields_int(&f, SLICE("changes_id"), p->changes_id);
    fields_value(&f, SLICE("keys"), p->keys);
    fields_int(&f, SLICE("files"), p->files);
    fields_int(&f, SLICE("done"), p->done);
    fields_text(&f, SLICE("manifest"), p->manifest);
    fields_int(&f, SLICE("items"), p->items);
    fields_int(&f, SLICE("bytes"), p->bytes);
    return fields_end(&f, EXPORT_MAX_PROGRESS);
}

void export_decode_progress(struct slice r, struct export_progress *out)
{
    *out = (struct export_progress){
        .phase = (enum export_phase)field_int(r, SLICE("phase")),
        .items_id = (uint32_t)field_int(r, SLICE("items_id")),
        .changes_id = (uint32_t)field_int(r, SLICE("changes_id")),
        .keys = field_value(r, SLICE("keys"), TYPE_M),
        .files = field_int(r, SLICE("files")),
        .done = field_int(r, SLICE("done")),
        .manifest = field_text(r, SLICE("manifest")),
        .items = field_int(r, SLICE("items")),
        .bytes = field_int(r, SLICE("bytes")),
    };
}

struct slice export_change_key(struct arena *a, uint32_t id, struct slice store_key)
{
    struct buf b;
    buf_init(&b, a, STORE_MAX_KEY);
    buf_u32be(&b, id);
    buf_bytes(&b, store_key.p + 4, store_key.n - 4);
    return buf_view(&b);
}

/* ---- as answers ---- */

static void put_begin(struct buf *b, struct slice id, const struct export *ex)
{
    BUF_LIT(b, "{\"ExportArn\":\"");
    transfer_put_arn(b, &transfer_export, ex->region, ex->account, ex->table, id);
    buf_printf(b, "\",\"ExportStatus\":\"%s\"", statuses[ex->status]);
}

void export_put_summary(struct buf *b, struct slice id, const struct export *ex)
{
    put_begin(b, id, ex);
    put_member_text(b, "ExportType", ex->view.n ? SLICE("INCREMENTAL_EXPORT") : SLICE("FULL_EXPORT"));
    buf_u8(b, '}');
}

void export_put_description(struct buf *b, struct slice id, const struct export *ex)
{
    put_begin(b, id, ex);
    put_member_ms(b, "StartTime", ex->start_ms);
    put_member_ms(b, "EndTime", ex->end_ms);
    put_member_text(b, "ExportManifest", ex->manifest);
    BUF_LIT(b, ",\"TableArn\":\"");
    table_put_arn(b, &(struct caller){ .region = ex->region, .account = ex->account }, ex->table);
    buf_u8(b, '"');
    put_member_text(b, "TableId", ex->uuid);
    put_member_ms(b, "ExportTime", ex->time_ms);
    put_member_text(b, "ClientToken", ex->token);
    put_member_text(b, "S3Bucket", ex->bucket);
    put_member_text(b, "S3BucketOwner", ex->owner);
    put_member_text(b, "S3Prefix", ex->prefix);
    put_member_text(b, "S3SseAlgorithm", ex->sse);
    put_member_text(b, "FailureCode", ex->failure_code);
    put_member_text(b, "FailureMessage", ex->failure_message);
    BUF_LIT(b, ",\"ExportFormat\":\"DYNAMODB_JSON\"");
    if (ex->status == EXPORT_COMPLETED) {
        put_member_int(b, "BilledSizeBytes", ex->bytes);
        put_member_int(b, "ItemCount", ex->items);
    }
    put_member_text(b, "ExportType", ex->type);
    if (ex->view.n) {
        buf_printf(b, ",\"IncrementalExportSpecification\":{\"ExportFromTime\":%lld.0,\"ExportToTime\":%lld.0",
                   (long long)ex->from, (long long)ex->to);
        put_member_text(b, "ExportViewType", ex->view);
        buf_u8(b, '}');
    }
    buf_u8(b, '}');
}
