/* import_record.c: the records of imports, and how they are described. */
#include "import.h"

static const char *const statuses[] = { "IN_PROGRESS", "COMPLETED", "FAILED" };

struct slice import_encode(struct arena *a, const struct import *im)
{
    struct fields f = { .arena = a };
    put_text(&f, SLICE("table"), im->table);
    put_text(&f, SLICE("uuid"), im->uuid);
    put_text(&f, SLICE("region"), im->region);
    put_text(&f, SLICE("account"), im->account);
    put_text(&f, SLICE("token"), im->token);
    put_int(&f, SLICE("start"), im->start_ms);
    put_int(&f, SLICE("end"), im->end_ms);
    put_int(&f, SLICE("status"), im->status);
    put_text(&f, SLICE("source"), im->source);
    put_text(&f, SLICE("options"), im->options);
    put_text(&f, SLICE("creation"), im->creation);
    put_text(&f, SLICE("format"), im->format);
    put_text(&f, SLICE("compression"), im->compression);
    put_int(&f, SLICE("processed"), im->processed);
    put_int(&f, SLICE("imported"), im->imported);
    put_int(&f, SLICE("errors"), im->errors);
    put_int(&f, SLICE("bytes"), im->bytes);
    put_text(&f, SLICE("failure"), im->failure_code);
    put_text(&f, SLICE("message"), im->failure_message);
    return fields_end(&f);
}

void import_decode(struct slice r, struct import *out)
{
    *out = (struct import){
        .table = get_text(r, SLICE("table")),
        .uuid = get_text(r, SLICE("uuid")),
        .region = get_text(r, SLICE("region")),
        .account = get_text(r, SLICE("account")),
        .token = get_text(r, SLICE("token")),
        .start_ms = get_int(r, SLICE("start")),
        .end_ms = get_int(r, SLICE("end")),
        .status = (enum import_status)get_int(r, SLICE("status")),
        .source = get_text(r, SLICE("source")),
        .options = get_text(r, SLICE("options")),
        .creation = get_text(r, SLICE("creation")),
        .format = get_text(r, SLICE("format")),
        .compression = get_text(r, SLICE("compression")),
        .processed = get_int(r, SLICE("processed")),
        .imported = get_int(r, SLICE("imported")),
        .errors = get_int(r, SLICE("errors")),
        .bytes = get_int(r, SLICE("bytes")),
        .failure_code = get_text(r, SLICE("failure")),
        .failure_message = get_text(r, SLICE("message")),
    };
}

struct slice import_encode_progress(struct arena *a, const struct import_progress *p)
{
    struct fields f = { .arena = a };
    put_text(&f, SLICE("object"), p->object);
    put_flag(&f, SLICE("done"), p->done);
    put_int(&f, SLICE("at"), p->at);
    put_int(&f, SLICE("processed"), p->processed);
    put_int(&f, SLICE("imported"), p->imported);
    put_int(&f, SLICE("errors"), p->errors);
    put_int(&f, SLICE("bytes"), p->bytes);
    return fields_end(&f);
}

void import_decode_progress(struct slice r, struct import_progress *out)
{
    *out = (struct import_progress){
        .object = get_text(r, SLICE("object")),
        .done = get_int(r, SLICE("done")) != 0,
        .at = get_int(r, SLICE("at")),
        .processed = get_int(r, SLICE("processed")),
        .imported = get_int(r, SLICE("imported")),
        .errors = get_int(r, SLICE("errors")),
        .bytes = get_int(r, SLICE("bytes")),
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
