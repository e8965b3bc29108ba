/* batch_write_item.c: BatchWriteItem: up to 25 puts and deletes. DynamoDB does not promise that they
 * happen together; here they do, in one transaction, and nothing is left unprocessed but what --conflicts
 * or --throttle keep out (footprint.h). */
#include "../access_items.h"
#include "../request.h"

#define MAX_REQUESTS 25

static int parse_one(struct call *call, struct slice table, const struct json *entry,
                     struct mutation *m)
{
    const struct json *put = PARAM_GET(entry, "PutRequest"), *del = PARAM_GET(entry, "DeleteRequest");
    bool has_put = put != NULL, has_del = del != NULL;
    if (has_put == has_del) {
        /* The service says this of a request with neither, too. */
        return err_set(&call->err, ERR_ValidationException,
                       "Supplied AttributeValue has more than one datatypes set, must contain "
                       "exactly one of the supported datatypes");
    }
    *m = (struct mutation){ .kind = has_put ? MUTATION_PUT : MUTATION_DELETE,
                            .in_batch = true,
                            .table_name = table };
    if (has_del) return request_item(call, del, SLICE("Key"), &m->item);
    int code = request_item(call, put, SLICE("Item"), &m->item);
    return code ? code : mutation_check_put_size(call, m);
}

static int parse(struct call *call)
{
    const struct json *tables = JSON_GET(call->request, "RequestItems");
    struct mutations *ms = ARENA_NEW(call->arena, struct mutations);
    call->state = ms;
    size_t total = 0;
    for (const struct json *t = tables->first; t; t = t->next) total += t->count;
    ms->all = ARENA_ARRAY(call->arena, struct mutation, total);
    for (const struct json *t = tables->first; t; t = t->next) {
        for (const struct json *entry = t->first; entry; entry = entry->next) {
            int code = parse_one(call, t->name, entry, &ms->all[ms->n++]);
            if (code) return code;
        }
    }
    if (total > MAX_REQUESTS) {
        return err_set(&call->err, ERR_ValidationException,
                       "Too many items requested for the BatchWriteItem call");
    }
    return 0;
}

static int bind(struct call *call)
{
    struct mutations *ms = call->state;
    int code = mutations_find_tables(call, ms);
    for (size_t i = 0; !code && i < ms->n; i++) code = mutation_bind_found(call, &ms->all[i]);
    if (code) return code;
    if (mutations_overlap(call->arena, ms)) {
        return err_set(&call->err, ERR_ValidationException,
                       "Provided list of item keys contains duplicates");
    }
    return 0;
}

static int access(struct call *call)
{
    const struct mutations *ms = call->state;
    int code = 0;
    for (size_t i = 0; !code && i < ms->n; i++) code = access_mutation(call, &ms->all[i], ACTION_BatchWriteItem, NULL, false);
    return code;
}

static void footprint(struct call *call, struct footprint *f)
{
    f->style = FOOTPRINT_BATCH;
    mutations_footprint(call, call->state, f);
}

/* The entries that were kept out, in the client's own words. */
static void put_unprocessed(struct call *call)
{
    struct buf *b = &call->response;
    size_t i = 0, tables = 0;
    for (const struct json *t = JSON_GET(call->request, "RequestItems")->first; t; t = t->next) {
        size_t entries = 0;
        for (const struct json *entry = t->first; entry; entry = entry->next) {
            if (!footprint_refused(call, i++)) continue;
            if (!entries) {
                if (tables++) buf_u8(b, ',');
                json_put_string(b, t->name);
                buf_u8(b, ':');
            }
            buf_u8(b, entries++ ? ',' : '[');
            request_echo(b, entry);
        }
        if (entries) buf_u8(b, ']');
    }
}

static int run(struct call *call, struct store_txn *txn)
{
    struct mutations *ms = call->state;
    ms->n_usages = 0;
    int code = footprint_check_left(call);
    if (!code) code = mutations_read(call, txn, ms, NULL);
    for (size_t i = 0; !code && i < ms->n; i++) code = mutation_plan(call, &ms->all[i]);
    for (size_t i = 0; !code && i < ms->n; i++) {
        if (footprint_refused(call, i)) continue;
        code = mutation_apply(call, txn, &ms->all[i], mutations_usage(call, ms, &ms->all[i]));
    }
    if (code) return code;
    BUF_LIT(&call->response, "{\"UnprocessedItems\":{");
    if (call->footprint) put_unprocessed(call);
    buf_u8(&call->response, '}');
    mutations_put_collection_metrics(call, ms, false);
    mutations_put_capacity(call, ms, false);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_batch_write_item = {
    .name = "BatchWriteItem", .kind = OP_WRITE, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run
};
