/* backup.c: the records of backups, their end, and what DeleteTable leaves; see backup.h. */
#include "backup.h"
#include "copy.h"
#include "fields.h"
#include "write.h"
#include <unistd.h>

#define RECORD_MAX ((size_t)2 << 20)
#define ID_LENGTH  23 /* 14 digits, a hyphen, 8 hexadecimal digits */

static struct slice backup_key(struct arena *a, struct slice id)
{
    return arena_printf(a, "K%.*s", SLICE_ARG(id));
}

/* ---- ids and ARNs ---- */

static bool is_id(struct slice s)
{
    if (s.n != ID_LENGTH || s.p[14] != '-') return false;
    for (size_t i = 0; i < s.n; i++) {
        bool digit = s.p[i] >= '0' && s.p[i] <= '9';
        bool hexadecimal = digit || (s.p[i] >= 'a' && s.p[i] <= 'f');
        if (i != 14 && !(i < 14 ? digit : hexadecimal)) return false;
    }
    return true;
}

struct slice backup_arn_part(struct slice arn, int number)
{
    struct slice part = arn;
    for (int i = 0; i <= number; i++) {
        const uint8_t *colon = memchr(arn.p, ':', arn.n);
        if (!colon) return slice_of(NULL, 0);
        part = slice_of(arn.p, (size_t)(colon - arn.p));
        arn = slice_of(colon + 1, arn.n - part.n - 1);
    }
    return part;
}

int backup_parse_arn(struct call *call, struct slice arn, struct slice *id)
{
    struct slice table = table_of(arn);
    const uint8_t *at = memmem(table.p, table.n, "/backup/", 8);
    if (table.p == arn.p || !at) return err_set(&call->err, ERR_ValidationException, "Invalid Backup ARN");
    *id = slice_of(at + 8, (size_t)(table.p + table.n - at) - 8);
    if (!slice_starts(arn, SLICE("arn:aws:dynamodb:"))) {
        return err_set(&call->err, ERR_ValidationException, "Invalid Request: BackupArn is not valid");
    }
    if (!is_id(*id)) return err_set(&call->err, ERR_ValidationException, "Invalid Backup ARN");
    if (slice_eq(backup_arn_part(arn, ARN_ACCOUNT), caller_account(&call->caller))) return 0;
    return err_set(&call->err, ERR_AccessDeniedException, "Access is denied");
}

int backup_new_id(struct store_txn *txn, struct arena *a, int64_t now_ms, enum backup_type type, struct slice *id)
{
    struct slice value;
    int status = STORE_OK;
    for (int64_t ms = now_ms; !status; ms += type == BACKUP_SYSTEM) {
        uint32_t random = 0;
        if (type == BACKUP_USER && getentropy(&random, sizeof random) != 0) arena_fail(a);
        *id = arena_printf(a, "%014lld-%08x", (long long)ms, random);
        status = store_get(txn, SPACE_META, backup_key(a, *id), &value);
    }
    return status == STORE_NOT_FOUND ? STORE_OK : status;
}

/* ---- records ---- */

bool backup_decode(struct arena *a, struct slice key, struct slice record, struct backup *out)
{
    struct slice table = field_value(record, SLICE("table"), TYPE_M);
    if (key.n != ID_LENGTH + 1 || !table.n) return false;
    *out = (struct backup){ .id = slice_of(key.p + 1, ID_LENGTH),
                            .name = field_text(record, SLICE("name")),
                            .type = (enum backup_type)field_int(record, SLICE("type")),
                            .created_ms = field_int(record, SLICE("created")),
                            .expires_ms = field_int(record, SLICE("expires")),
                            .creating = field_int(record, SLICE("creating")) != 0,
                            .items_id = (uint32_t)field_int(record, SLICE("items_id")),
                            .count = field_int(record, SLICE("count")),
                            .bytes = field_int(record, SLICE("bytes")),
                            .table = table_decode_in(a, table) };
    return out->table != NULL;
}

static int find(struct store_txn *txn, struct arena *a, struct slice id, struct backup *out)
{
    struct slice key = backup_key(a, id), record;
    int status = store_get(txn, SPACE_META, key, &record);
    if (status) return status;
    return backup_decode(a, key, arena_dup(a, record), out) ? STORE_OK : STORE_CORRUPT;
}

int backup_read(struct call *call, struct store_txn *txn, struct slice arn, struct backup *out)
{
    struct slice id;
    int code = backup_parse_arn(call, arn, &id);
    if (code) return code;
    int status = find(txn, call->arena, id, out);
    /* The id alone would lead there, but policies go by the table that the ARN names. */
    struct slice table = table_of(arn);
    bool of_another = !status && !slice_eq(slice_of(table.p, table.n - id.n - 8), out->table->name);
    if (status == STORE_NOT_FOUND || of_another) {
        return err_set(&call->err, ERR_BackupNotFoundException, "Backup not found: %.*s", SLICE_ARG(arn));
    }
    return status ? call_store_failed(call, status) : 0;
}

int backup_write(struct store_txn *txn, struct arena *a, const struct backup *b)
{
    struct fields_out f = { .arena = a };
    fields_text(&f, SLICE("name"), b->name);
    fields_int(&f, SLICE("type"), b->type);
    fields_int(&f, SLICE("created"), b->created_ms);
    fields_int(&f, SLICE("expires"), b->expires_ms);
    fields_int(&f, SLICE("creating"), b->creating);
    fields_int(&f, SLICE("items_id"), b->items_id);
    fields_int(&f, SLICE("count"), b->count);
    fields_int(&f, SLICE("bytes"), b->bytes);
    fields_value(&f, SLICE("table"), table_encode(b->table, a));
    return store_put(txn, SPACE_META, backup_key(a, b->id), fields_end(&f, RECORD_MAX));
}

int backup_remove(struct store_txn *txn, struct arena *a, const struct backup *b)
{
    int status = store_delete(txn, SPACE_META, backup_key(a, b->id));
    return status ? status : catalog_drop_items(txn, b->items_id);
}

static int sum(struct store_txn *txn, struct backup *b)
{
    int status = counter_sum(txn, 'C', b->items_id, &b->count);
    return status ? status : counter_sum(txn, 'S', b->items_id, &b->bytes);
}

int backup_sums(struct store_txn *txn, struct backup *b)
{
    return b->type == BACKUP_SYSTEM ? sum(txn, b) : STORE_OK;
}

int backup_copied(struct store_txn *txn, struct step *step, const struct copy *c)
{
    struct backup b;
    int status = find(txn, &step->arena, val_content(c->data), &b);
    if (status) return status;
    b.creating = false;
    /* What is in it, to the last item: others of the batch in which it began may be, too (copy.h). */
    status = sum(txn, &b);
    return status ? status : backup_write(txn, &step->arena, &b);
}

int backup_given_up(struct store_txn *txn, struct step *step, const struct copy *c)
{
    struct backup b;
    int status = find(txn, &step->arena, val_content(c->data), &b);
    return status ? status : backup_remove(txn, &step->arena, &b);
}

int backup_of_deleted(struct store_txn *txn, struct arena *a, const struct table *t, int64_t now_ms)
{
    struct backup b = { .name = arena_printf(a, "%.*s$DeletedTableBackup", SLICE_ARG(t->name)),
                        .type = BACKUP_SYSTEM,
                        .created_ms = now_ms,
                        .expires_ms = now_ms + BACKUP_SYSTEM_DAYS * DAY_MS,
                        .items_id = t->id,
                        .table = t };
    int status = backup_new_id(txn, a, now_ms, BACKUP_SYSTEM, &b.id);
    return status ? status : backup_write(txn, a, &b);
}

/* ---- the end of those that DeleteTable left ---- */

struct expiring {
    int64_t now_ms;
    int64_t next_ms; /* when the first of those that are left expires; INT64_MAX: there is none */
    bool due;
    uint8_t id[ID_LENGTH];
    uint8_t from[1 + ID_LENGTH + 1]; /* the key at which the search begins */
    size_t from_length;
    bool left_damaged; /* something was passed over */
    bool removed;      /* out of expire_step */
};

/* They lie in the order of their creation, and all live equally long: the first one is the first to expire. */
static int find_first(struct store_txn *txn, void *ctx)
{
    struct expiring *e = ctx;
    struct store_range range = { .space = SPACE_META, .from = slice_of(e->from, e->from_length), .to = SLICE("L") };
    struct store_cursor *cursor;
    struct slice key, record;
    e->next_ms = INT64_MAX;
    e->due = false;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    while (!(status = jobs_next_row(cursor, &key, &record))) {
        if (!val_check(record) || key.n != ID_LENGTH + 1) {
            e->left_damaged = true;
            continue;
        }
        int64_t expires_ms = field_int(record, SLICE("expires"));
        if (!expires_ms) continue;
        e->next_ms = expires_ms;
        e->due = expires_ms <= e->now_ms;
        memcpy(e->id, key.p + 1, ID_LENGTH);
        break;
    }
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

static int expire_step(struct store_txn *txn, struct step *step)
{
    struct expiring *e = step->ctx;
    struct backup b;
    size_t readers;
    e->removed = false;
    int status = find(txn, &step->arena, slice_of(e->id, ID_LENGTH), &b);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status;
    status = copy_count(txn, b.items_id, COPY_ANY, &readers);
    if (status || readers) return status; /* being restored: later */
    e->removed = true;
    return backup_remove(txn, &step->arena, &b);
}

#define LOOK_AGAIN_MS 60000 /* also when the clock is set */

static int expire_first(struct jobs *j, struct expiring *e, int64_t *rest_ms)
{
    int status = store_view(jobs_engine(j)->store, find_first, e);
    if (status || e->next_ms == INT64_MAX) return status;
    *rest_ms = LOOK_AGAIN_MS;
    if (!e->due) return STORE_OK;
    status = jobs_step(j, expire_step, 0, e);
    if (!status && e->removed) jobs_wake(j); /* its items are to be purged, and the next one may be due */
    return status;
}

static int work(struct jobs *j, int64_t *rest_ms)
{
    struct expiring e = { .now_ms = engine_now_ms(jobs_engine(j)), .from = "K", .from_length = 1 };
    int status;
    while ((status = expire_first(j, &e, rest_ms)) == STORE_CORRUPT && e.due && !jobs_stopping(j)) {
        memcpy(e.from + 1, e.id, ID_LENGTH);
        e.from_length = sizeof e.from; /* with the zero byte at its end: the next key there can be */
        e.left_damaged = true;
    }
    if (e.left_damaged) jobs_left_damaged(j);
    return status;
}

const struct job_kind job_backups = { work, "the removal of backups" };
