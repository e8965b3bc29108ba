/* import_table.c: ImportTable: makes the table and the record of the import, of which the job does the rest
 * (import_job.c). What a ClientToken does is as it was recorded from DynamoDB: only another table's name is a conflict, and a
 * table that is there is told of first. */
#include "../engine_impl.h"
#include "../import.h"
#include "../table_create.h"

#define MAX_REQUEST ((size_t)512 << 10) /* of what is kept of one: records are below 1 MB */

struct import_call {
    struct table draft;
    struct import import;
    struct slice record; /* of the table that run made; empty: none */
};

static int invalid(struct call *call, const char *text, struct slice what)
{
    return err_set(&call->err, ERR_ValidationException, "Invalid Request: %s %.*s", text, SLICE_ARG(what));
}

static struct slice as_json(struct call *call, const struct json *node)
{
    struct buf b;
    buf_init(&b, call->arena, (size_t)32 << 20);
    if (node) json_put(&b, node);
    return buf_view(&b);
}

/* S3BucketSource as it is described: with the owner, and with nothing that is not known. */
static struct slice source_json(struct call *call, const struct json *source, struct slice account)
{
    struct slice owner = param_string(source, SLICE("S3BucketOwner"));
    struct slice prefix = param_string(source, SLICE("S3KeyPrefix"));
    struct buf b;
    buf_init(&b, call->arena, (size_t)1 << 20);
    BUF_LIT(&b, "{\"S3BucketOwner\":");
    json_put_string(&b, owner.n ? owner : account);
    put_member_text(&b, "S3Bucket", param_string(source, SLICE("S3Bucket")));
    if (prefix.p) {
        BUF_LIT(&b, ",\"S3KeyPrefix\":");
        json_put_string(&b, prefix);
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

/* TableCreationParameters with the members that there are. */
static struct slice creation_json(struct call *call, const struct json *creation)
{
    static const char *const members[] = { "TableName", "AttributeDefinitions", "KeySchema", "BillingMode",
                                           "ProvisionedThroughput", "OnDemandThroughput", "SSESpecification",
                                           "GlobalSecondaryIndexes", "VectorIndexes" };
    struct buf b;
    buf_init(&b, call->arena, (size_t)32 << 20);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const struct json *node = param_get(creation, slice_str(members[i]));
        if (!node) continue;
        buf_printf(&b, "%c\"%s\":", b.n ? ',' : '{', members[i]);
        json_put(&b, node);
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

static int check_format(struct call *call, const struct import *im)
{
    if (slice_eq(im->format, SLICE("ION"))) {
        return invalid(call, "Onefold imports DYNAMODB_JSON and CSV; it does not support the InputFormat", im->format);
    }
    if (slice_eq(im->compression, SLICE("ZSTD"))) {
        return invalid(call, "Onefold imports what is compressed with GZIP or not at all; it does not support the "
                             "InputCompressionType", im->compression);
    }
    if (!im->options.n || slice_eq(im->format, SLICE("CSV"))) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   "Invalid Request: Unsupported InputFormatOptions for the given input format: %.*s.",
                   SLICE_ARG(im->format));
}

static int parse(struct call *call)
{
    struct import_call *c = ARENA_NEW(call->arena, struct import_call);
    const struct json *request = call->request, *creation = PARAM_GET(request, "TableCreationParameters");
    struct import *im = &c->import;
    struct slice compression = param_string(request, SLICE("InputCompressionType"));
    call->state = c;
    im->region = call->caller.region.n ? call->caller.region : SLICE("us-east-1");
    im->account = call->caller.account.n ? call->caller.account : SLICE("000000000000");
    im->token = param_string(request, SLICE("ClientToken"));
    im->format = param_string(request, SLICE("InputFormat"));
    im->compression = compression.n ? compression : SLICE("NONE");
    im->options = as_json(call, PARAM_GET(request, "InputFormatOptions"));
    im->source = source_json(call, PARAM_GET(request, "S3BucketSource"), im->account);
    im->creation = creation_json(call, creation);
    im->table = param_string(creation, SLICE("TableName"));
    int code = check_format(call, im);
    /* What CreateTable has besides, a policy say, an import has not: it is neither checked nor asked for. */
    if (!code) code = table_create_parse(call, json_parse(call->arena, im->creation, JSON_MAX_DEPTH, NULL), &c->draft);
    if (code) return code;
    if (im->token.n + im->options.n + im->source.n + im->creation.n > MAX_REQUEST) {
        return invalid(call, "the request is larger than 512 KB; give the columns in the first line of the objects "
                             "instead of in the", SLICE("HeaderList"));
    }
    return transfer_check_buckets(call, "ImportTable");
}

/* Is the request one that was made before? *id is then empty or that of the import. */
static int check_token(struct call *call, struct store_txn *txn, const struct import *im, struct slice *id,
                       struct import *before)
{
    struct slice record;
    *id = slice_of(NULL, 0);
    int status = transfer_find_token(txn, call->arena, &transfer_import, im->token, id);
    if (!status) status = transfer_read(txn, call->arena, 'I', *id, &record);
    if (status == STORE_NOT_FOUND) {
        *id = slice_of(NULL, 0);
        return 0;
    }
    if (status) return call_store_failed(call, status);
    import_decode(record, before);
    if (!transfer_token_counts(before->end_ms, call_now_ms(call))) {
        *id = slice_of(NULL, 0);
        return 0;
    }
    if (slice_eq(before->table, im->table)) return 0;
    return err_set(&call->err, ERR_ImportConflictException,
                   "Import conflict: Duplicate request detected with conflicting parameters");
}

static int write_new(struct call *call, struct store_txn *txn, struct import_call *c, struct slice id)
{
    struct arena *a = call->arena;
    struct import_progress none = { 0 };
    c->import.uuid = c->draft.uuid;
    c->import.start_ms = transfer_id_ms(id);
    int status = transfer_write_new(txn, a, &transfer_import, id, c->import.token, import_encode(a, &c->import));
    if (!status) status = store_put(txn, SPACE_META, transfer_key(a, 'i', id), import_encode_progress(a, &none));
    if (!status) status = catalog_write(txn, a, &c->draft, &c->record);
    return status ? call_store_failed(call, status) : 0;
}

static int run(struct call *call, struct store_txn *txn)
{
    struct import_call *c = call->state;
    struct import before;
    struct slice id;
    int status;
    c->record = slice_of(NULL, 0);
    struct table *there = catalog_read(txn, call->arena, c->draft.name, &status);
    if (status && status != STORE_NOT_FOUND) return call_store_failed(call, status);
    if (there && there->status != TABLE_CREATING) return table_exists(call, there);
    int code = check_token(call, txn, &c->import, &id, &before);
    const struct import *shown = id.n ? &before : &c->import;
    if (!code && !id.n) {
        code = table_create_begin(call, txn, &c->draft);
        if (!code) id = transfer_new_id(call->arena, c->draft.created_ms);
        if (!code) code = write_new(call, txn, c, id);
    }
    if (code) return code;
    BUF_LIT(&call->response, "{\"ImportTableDescription\":");
    import_put_description(&call->response, id, shown);
    buf_u8(&call->response, '}');
    return 0;
}

static void after(struct call *call)
{
    const struct import_call *c = call->state;
    if (!c->record.n) return;
    catalog_publish(call->engine->catalogs, c->record);
    jobs_wake(call->engine->jobs);
}

const struct op op_import_table = {
    .name = "ImportTable", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
