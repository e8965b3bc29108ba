/* import_record.c: the records of imports, and how they are described. */
#include "import.h"

static const char *const statuses[] = { "IN_PROGRESS", "COMPLETED", "FAILED" };

struct slice import_encode(struct arena *a, const struct import *im)
{
    struct fields_out f = { .arena = a };
    fields_text(&f, SLICE("table"), im->table);
    fields_text(&f, SLICE("uuid"), im->uuid);
    fields_text(&f, SLICE("region"), im->region);
    fields_text(&f, SLICE("account"), im->account);
    fields_text(&f, SLICE("token"), im->token);
    fields_int(&f, SLICE("start"), im->start_ms);
    fields_int(&f, SLICE("end"), im->end_ms);
    fields_int(&f, SLICE("status"), im->status);
    fields_text(&f, SLICE("source"), im->source);
    fields_text(&f, SLICE("options"), im->options);
    fields_text(&f, SLICE("creation"), im->creation);
    fields_text(&f, SLICE("format"), im->format);
    fields_text(&f, SLICE("compression"), im->compression);
    fields_int(&f, SLICE("processed"), im->processed);
    fields_int(&f, SLICE("imported"), im->imported);
    fields_int(&f, SLICE("errors"), im->errors);
    fields_int(&f, SLICE("bytes"), im->bytes);
    fields_text(&f, SLICE("failure"), im->failure_code);
    fields_text(&f, SLICE("message"), im->failure_message);
    return fields_end(&f, TRANSFER_MAX_RECORD);
}

void import_decode(struct slice r, struct import *out)
{
    *out = (struct import){
        .table = field_text(r, SLICE("table")),
        .uuid = field_text(r, SLICE("uuid")),
        .region = field_text(r, SLICE("region")),
        .account = field_text(r, SLICE("account")),
        .token = field_text(r, SLICE("token")),
        .start_ms = field_int(r, SLICE("start")),
        .end_ms = field_int(r, SLICE("end")),
        .status = (enum import_status)field_int(r, SLICE("status")),
        .source = field_text(r, SLICE("source")),
        .options = field_text(r, SLICE("options")),
        .creation = field_text(r, SLICE("creation")),
        .format = field_text(r, SLICE("format")),
        .compression = field_text(r, SLICE("compression")),
        .processed = field_int(r, SLICE("processed")),
        .imported = field_int(r, SLICE("imported")),
        .errors = field_int(r, SLICE("errors")),
        .bytes = field_int(r, SLICE("bytes")),
        .failure_code = field_text(r, SLICE("failure")),
        .failure_message = field_text(r, SLICE("message")),
    };
}

struct slice import_encode_progress(struct arena *a, const struct import_progress *p)
{
    struct fields_out f = { .arena = a };
    fields_text(&f, SLICE("object"), p->object);
    fields_int(&f, SLICE("done"), p->done);
    fields_int(&f, SLICE("at"), p->at);
    fields_int(&f, SLICE("processed"), p->processed);
    fields_int(&f, SLICE("imported"), p->imported);
    fields_int(&f, SLICE("errors"), p->errors);
    fields_int(&f, SLICE("bytes"), p->bytes);
    return fields_end(&f, TRANSFER_MAX_RECORD);
}

void import_decode_progress(struct slice r, struct import_progress *out)
{
    *out = (struct import_progress){
        .object = field_text(r, SLICE("object")),
        .done = field_int(r, SLICE("done")) != 0,
        .at = field_int(r, SLICE("at")),
        .processed = field_int(r, SLICE("processed")),
        .imported = field_int(r, SLICE("imported")),
        .errors = field_int(r, SLICE("errors")),
        .bytes = field_int(r, SLICE("bytes")),
    };
}

/* ---- as answers ---- */

/* What a summary has too. */
static void put_common(struct buf *b, struct slice id, const struct import *im)
{
    BUF_LIT(b, "{\"ImportArn\":\"");
    transfer_put_arn(b, &transfer_import, im->region, im->account, im->table, id);
    buf_printf(b, "\",\"ImportStatus\":\"%s\",\"TableArn\":\"", statuses[im->status]);
    table_put_arn(b, &(struct caller){ .region = im->region, .account = im->account }, im->table);
    buf_u8(b, '"');
    put_member_json(b, "S3BucketSource", im->source);
    buf_printf(b, ",\"CloudWatchLogGroupArn\":\"arn:aws:logs:%.*s:%.*s:log-group:/aws-dynamodb/imports:*\"",
               SLICE_ARG(im->region), SLICE_ARG(im->account));
    put_member_text(b, "InputFormat", im->format);
    put_member_ms(b, "StartTime", im->start_ms);
    put_member_ms(b, "EndTime", im->end_ms);
}

void import_put_summary(struct buf *b, struct slice id, const struct import *im)
{
    put_common(b, id, im);
    buf_u8(b, '}');
}

void import_put_description(struct buf *b, struct slice id, const struct import *im)
{
    put_common(b, id, im);
    put_member_text(b, "TableId", im->uuid);
    put_member_text(b, "ClientToken", im->token);
    put_member_json(b, "InputFormatOptions", im->options);
    put_member_text(b, "InputCompressionType", im->compression);
    put_member_json(b, "TableCreationParameters", im->creation);
    /* As on DynamoDB the numbers stay 0 until the end, and the size is not told before. */
    put_member_int(b, "ErrorCount", im->errors);
    if (im->end_ms) put_member_int(b, "ProcessedSizeBytes", im->bytes);
    put_member_int(b, "ProcessedItemCount", im->processed);
    put_member_int(b, "ImportedItemCount", im->imported);
    put_member_text(b, "FailureCode", im->failure_code);
    put_member_text(b, "FailureMessage", im->failure_message);
    buf_u8(b, '}');
}
