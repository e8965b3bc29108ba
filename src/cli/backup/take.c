/* take.c: see take.h. */
#include "take.h"
#include "definition.h"
#include "guarded.h"
#include "../../engine/own_names.h"
#include "../../item/item_json.h"
#include <unistd.h>

#define BODY_MAX ((size_t)1 << 20)

/* ---- in the server ---- */

static int create_backup(struct service *s, struct slice table, struct slice name, struct slice *arn)
{
    struct buf b;
    const struct json *answer;
    buf_init(&b, s->kept, BODY_MAX);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, table);
    BUF_LIT(&b, ",\"BackupName\":");
    json_put_string(&b, name);
    buf_u8(&b, '}');
    int code = service_call(s, s->kept, "CreateBackup", buf_view(&b), &answer);
    if (!code) *arn = json_text(JSON_GET(answer, "BackupDetails"), "BackupArn");
    return code;
}

static size_t count_indexes(const struct json *table)
{
    const struct json *local = JSON_GET(table, "LocalSecondaryIndexes"), *global = JSON_GET(table, "GlobalSecondaryIndexes");
    return (local ? local->count : 0) + (global ? global->count : 0);
}

static int wait_backup(struct service *s, struct slice arn, struct taken *out)
{
    const struct json *told;
    int code = service_wait_backup(s, arn, true, &told);
    if (code) return code;
    out->items = service_number(JSON_GET(told, "SourceTableDetails"), "ItemCount");
    out->bytes = service_number(JSON_GET(told, "BackupDetails"), "BackupSizeBytes");
    return 0;
}

static int describe(struct service *s, struct slice table, const struct json **out, struct taken *taken)
{
    s->refusal.n = s->damage.n = 0;
    *taken = (struct taken){ .table = table };
    int code = service_describe(s, s->kept, table, out);
    if (!code && !*out) return fail_error("there is no table %.*s", SLICE_ARG(table));
    if (!code) taken->indexes = count_indexes(*out);
    return code;
}

static void leave_out(const struct service *s, struct taken *t)
{
    t->damaged = s->damage.n != 0;
    t->left_out = t->damaged ? s->damage : s->refusal;
}

int take_kept(struct service *s, struct slice table, struct slice name, struct taken *out)
{
    const struct json *description;
    int code = describe(s, table, &description, out);
    if (!code) code = create_backup(s, table, name, &out->arn);
    if (!code) code = wait_backup(s, out->arn, out);
    if (code) leave_out(s, out);
    if (code && out->arn.n) service_drop_backup(s, out->arn);
    return code;
}

/* ---- into a file ---- */

/* What is to be taken away again; empty: there is none. */
struct made {
    struct slice backup, table;
};

static struct slice new_name(struct arena *a)
{
    uint64_t random = 0;
    if (getentropy(&random, sizeof random)) arena_fail(a);
    return arena_printf(a, WORKING_COPY "%016llx", (unsigned long long)random);
}

static int make_table(struct service *s, struct made *m, struct slice name)
{
    struct buf b;
    const struct json *answer, *table;
    buf_init(&b, s->kept, BODY_MAX);
    BUF_LIT(&b, "{\"TargetTableName\":");
    json_put_string(&b, name);
    BUF_LIT(&b, ",\"BackupArn\":");
    json_put_string(&b, m->backup);
    /* Its items are read once, and nothing else of it. */
    BUF_LIT(&b, ",\"BillingModeOverride\":\"PAY_PER_REQUEST\",\"LocalSecondaryIndexOverride\":[],\"GlobalSecondaryIndexOverride\":[]}");
    int code = service_call(s, s->kept, "RestoreTableFromBackup", buf_view(&b), &answer);
    if (code) return code;
    m->table = name;
    return service_wait_copy(s, name, &table);
}

static int drop_backup(struct service *s, struct made *m)
{
    int code = m->backup.n ? service_drop_backup(s, m->backup) : 0;
    m->backup.n = 0;
    return code;
}

/* Also after a failure or an interruption. */
static int clean(struct service *s, struct made *m)
{
    int table = m->table.n ? service_drop_table(s, m->table) : 0, backup = drop_backup(s, m);
    return table ? table : backup;
}

struct writing {
    struct service *s;
    struct archive_writer *to;
    struct slice definition;
    bool *begun; /* the file has the definition */
    struct digest digest;
    uint64_t of;
    const char *what;
};

/* Only when the table can be read: one that cannot be is left out. */
static int begin_table(struct writing *w)
{
    if (*w->begun) return 0;
    *w->begun = true;
    return archive_table(w->to, w->definition);
}

static int write_item(void *ctx, struct slice item)
{
    struct writing *w = ctx;
    int code = begin_table(w);
    if (code) return code;
    digest_add(&w->digest, item);
    show_progress(NULL, w->what, w->digest.items, w->of);
    return archive_item(w->to, w->s->scratch, item);
}

/* What was read, against what the server said of its backup. AWS counts only every few hours. */
static int compare(struct service *s, const struct taken *said, const struct digest *read)
{
    if (s->api->is_aws || (said->items == read->items && said->bytes == read->bytes)) return 0;
    return fail_error("%.*s: the server's backup has %llu items of %llu bytes, but %llu of %llu could be read", SLICE_ARG(said->table),
                      (unsigned long long)said->items, (unsigned long long)said->bytes, (unsigned long long)read->items,
                      (unsigned long long)read->bytes);
}

struct taking {
    struct service *s;
    struct archive_writer *to;
    const struct json *description;
    struct made made;
    bool begun; /* something of it is in the file */
    struct taken *out;
};

static int read_out(struct taking *t, struct slice definition)
{
    struct taken *out = t->out;
    struct writing w = { .s = t->s, .to = t->to, .definition = definition, .begun = &t->begun, .of = out->items };
    w.what = (const char *)arena_printf(t->s->kept, "items of %.*s", SLICE_ARG(out->table)).p;
    int code = service_scan(t->s, t->made.table, slice_of(NULL, 0), write_item, &w);
    end_progress();
    if (!code) code = begin_table(&w);
    if (!code) code = archive_table_end(t->to, &w.digest);
    if (!code) code = compare(t->s, out, &w.digest);
    out->items = w.digest.items;
    out->bytes = w.digest.bytes;
    return code;
}

static int take(void *ctx)
{
    struct taking *t = ctx;
    struct service *s = t->s;
    struct slice definition, name = new_name(s->kept);
    int code = definition_ask(s, s->kept, t->description, &definition);
    if (!code) code = create_backup(s, t->out->table, name, &t->made.backup);
    if (!code) code = wait_backup(s, t->made.backup, t->out);
    if (!code) code = make_table(s, &t->made, name);
    if (!code) code = drop_backup(s, &t->made); /* as soon as it has been read: that is room for the next */
    return code ? code : read_out(t, definition);
}

int take_out(struct service *s, struct slice table, struct archive_writer *w, struct taken *out)
{
    struct taking t = { .s = s, .to = w, .out = out };
    int code = describe(s, table, &t.description, out);
    if (!code) code = guarded(s->kept, s->scratch, take, &t);
    end_progress();
    if (code && !t.begun) leave_out(s, out);
    int cleaned = clean(s, &t.made);
    return code ? code : cleaned;
}
