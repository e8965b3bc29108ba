/* clone_record.c: the record of a copy that is not finished; see clone.h. */
#include "clone_impl.h"
#include "fields.h"
#include <stdio.h>

#define RECORD_MAX ((size_t)64 << 10)
#define KEY        SLICE("C")

static int decode(struct slice value, struct clone_record *out)
{
    struct slice source = val_check(value) ? field_text(value, SLICE("source")) : slice_of(NULL, 0);
    struct slice after = source.n ? field_bytes(value, SLICE("after")) : slice_of(NULL, 0);
    if (!source.n || source.n >= sizeof out->source || after.n > sizeof out->bytes) return STORE_CORRUPT;
    memcpy(out->source, source.p, source.n);
    out->source[source.n] = 0;
    out->part = (unsigned)field_int(value, SLICE("part"));
    out->rows = (uint64_t)field_int(value, SLICE("rows"));
    if (after.n) memcpy(out->bytes, after.p, after.n);
    out->after = slice_of(out->bytes, after.n);
    return STORE_OK;
}

static int read_record(struct store_txn *txn, void *ctx)
{
    struct slice value;
    int status = store_get(txn, SPACE_META, KEY, &value);
    return status ? status : decode(value, ctx);
}

int clone_record_read(struct store *store, struct clone_record *out)
{
    return store_view(store, read_record, out);
}

int clone_record_put(struct store_txn *txn, struct arena *a, const struct clone_record *r)
{
    struct fields_out f = { .arena = a };
    fields_text(&f, SLICE("source"), slice_str(r->source));
    fields_int(&f, SLICE("part"), r->part);
    fields_bytes(&f, SLICE("after"), r->after);
    fields_int(&f, SLICE("rows"), (int64_t)r->rows);
    return store_put(txn, SPACE_META, KEY, fields_end(&f, RECORD_MAX));
}

int clone_record_delete(struct store_txn *txn)
{
    return store_delete(txn, SPACE_META, KEY);
}

/* Any record: also one that cannot be decoded is no finished copy. */
int clone_find(struct store_txn *txn)
{
    struct slice value;
    return store_get(txn, SPACE_META, KEY, &value);
}

static int find_record(struct store_txn *txn, void *ctx)
{
    (void)ctx;
    return clone_find(txn);
}

int clone_refuse(struct store *store, char *message, size_t message_size)
{
    int status = store_view(store, find_record, NULL);
    if (status == STORE_NOT_FOUND) return STORE_OK;
    if (status)
        snprintf(message, message_size, "the table definitions cannot be read: %s", store_status_text(status));
    else
        snprintf(message, message_size, "this store holds a copy that is not finished: run the same onefold copy again, which goes on where it was");
    return status ? status : STORE_INVALID;
}
