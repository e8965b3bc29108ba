/* fill.c: see fill.h. */
#include "fill.h"
#include "definition.h"
#include "finish.h"
#include "../../engine/own_names.h"
#include "put_items.h"
#include "../../item/item_json.h"

#define BODY_MAX ((size_t)8 << 20)

/* ---- room ---- */

/* *out: the mark of a table that is not finished; empty: it has none. */
static int read_mark(struct service *s, struct slice arn, struct slice *out)
{
    const struct json *answer;
    int code = service_call(s, s->kept, "ListTagsOfResource", service_text(s->kept, "ResourceArn", arn), &answer);
    const struct json *tags = code ? NULL : JSON_GET(answer, "Tags");
    *out = slice_of(NULL, 0);
    for (const struct json *i = tags ? tags->first : NULL; i; i = i->next) {
        if (slice_eq(json_text(i, "Key"), SLICE(UNFINISHED_TAG))) *out = json_text(i, "Value");
    }
    return code;
}

int fill_make_room(struct service *s, struct slice target, struct slice mark, int fd)
{
    const struct json *there;
    struct slice has;
    int code = service_describe(s, s->kept, target, &there);
    if (code || !there) return code;
    code = read_mark(s, json_text(there, "TableArn"), &has);
    if (code) return code;
    if (has.n && slice_eq(has, mark)) {
        if (archive_hold_alone(fd)) return service_drop_table(s, target);
        return fail_error("another restore from this file is under way, and may be filling the table %.*s: nothing was restored",
                          SLICE_ARG(target));
    }
    if (has.n)
        return fail_error("there is a table %.*s that another restore has not finished: nothing was restored. If none is under way any more, "
                          "delete it; or give another name with --as", SLICE_ARG(target));
    return fail_error("there is a table %.*s already: nothing was restored. Delete it, or give another name with --as", SLICE_ARG(target));
}

/* ---- comparing ---- */

/* From here on. lacks: what it may have to do without, between commas. */
static void keep_table(struct service *s, struct slice target, const char *lacks)
{
    s->fate = (const char *)arena_printf(s->kept, "the table %.*s is kept%s since others may have written to it: look at it, then use it, "
                                         "or delete it and restore again", SLICE_ARG(target), lacks).p;
}

struct counting {
    struct service *s;
    struct digest digest;
    struct census *census; /* NULL: not wanted */
    const char *what;
    uint64_t of;
};

static int count_item(void *ctx, struct slice item)
{
    struct counting *c = ctx;
    digest_add(&c->digest, item);
    if (c->census) census_add(c->census, c->s->scratch, item);
    show_progress(NULL, c->what, c->digest.items, c->of);
    return 0;
}

static int fail_different(struct service *s, struct slice table, struct slice index, const struct digest *should,
                          const struct digest *is)
{
    return service_fail(s, "%.*s%s%.*s is not what the backup holds: %llu items of %llu bytes instead of %llu of %llu", SLICE_ARG(table),
                        index.n ? "." : "", SLICE_ARG(index), (unsigned long long)is->items, (unsigned long long)is->bytes,
                        (unsigned long long)should->items, (unsigned long long)should->bytes);
}

static int compare_index(struct service *s, struct slice target, const struct census *should, size_t i)
{
    struct slice index = census_index_name(should, i);
    struct counting c = { .s = s, .what = "entries compared", .of = census_index(should, i)->items };
    int code = service_scan(s, target, index, count_item, &c);
    if (code || digest_same(&c.digest, census_index(should, i))) return code;
    return fail_different(s, target, index, census_index(should, i), &c.digest);
}

static int compare_indexes(struct service *s, struct slice target, const struct census *should)
{
    int code = 0;
    for (size_t i = 0; !code && i < census_indexes(should); i++) code = compare_index(s, target, should, i);
    end_progress();
    return code;
}

static int compare_table(struct service *s, struct slice target, const struct digest *should)
{
    struct counting c = { .s = s, .what = "items compared", .of = should->items };
    int code = service_scan(s, target, slice_of(NULL, 0), count_item, &c);
    if (code || digest_same(&c.digest, should)) return code;
    return fail_different(s, target, SLICE(""), should, &c.digest);
}

/* ---- one table after the other ---- */

struct filling {
    struct service *s;
    struct filled *tables;
    size_t n, at;                  /* tables[at - 1] is being filled */
    struct slice mark;
    struct filled *table;          /* NULL: the items are passed over */
    const struct json *definition;
    struct slice arn;
    struct census *census;
    struct put_items *put;
    bool made;                     /* there is a table that is not filled */
};

static int begin_table(void *ctx, const struct json *definition)
{
    struct filling *f = ctx;
    struct service *s = f->s;
    const struct json *create = JSON_GET(definition, "CreateTable"), *answer, *table;
    s->fate = NULL;
    f->table = f->at < f->n && f->tables[f->at].target.n ? &f->tables[f->at] : NULL;
    f->at++;
    if (!f->table) return 0;
    f->definition = definition;
    f->census = census_begin(s->kept, create);
    if (!f->census) return fail_error("the backup has a table that none can be made from");
    int code = service_call(s, s->kept, "CreateTable", definition_first(s, definition, f->table->target, f->mark), &answer);
    if (code) return code;
    f->made = true;
    f->arn = arena_dup(s->kept, json_text(JSON_GET(answer, "TableDescription"), "TableArn"));
    code = service_wait_active(s, f->table->target, &table);
    f->put = put_items_begin(s, f->table->target);
    return code;
}

static int put_item(void *ctx, struct slice item)
{
    struct filling *f = ctx;
    if (!f->table) return 0;
    show_progress(NULL, "items restored", census_table(f->census)->items, f->table->items);
    census_add(f->census, f->s->scratch, item);
    return put_items_add(f->put, item);
}

static int compare(struct filling *f, const struct digest *said)
{
    int code = compare_table(f->s, f->table->target, said);
    return code ? code : compare_indexes(f->s, f->table->target, f->census);
}

static int finish_table(struct filling *f, const struct digest *said)
{
    struct service *s = f->s;
    int code = finish_indexes(s, JSON_GET(f->definition, "CreateTable"), f->table->target, NULL);
    if (code) return code;
    f->made = false;
    keep_table(s, f->table->target, ", perhaps without its settings,");
    code = compare(f, said);
    if (!code) code = finish_settings(s, f->definition, f->table->target, f->arn);
    if (code) finish_unmark(s, f->arn);
    return code;
}

static int end_table(void *ctx, const struct digest *d)
{
    struct filling *f = ctx;
    if (!f->table) return 0;
    int code = put_items_end(f->put);
    f->put = NULL;
    end_progress();
    if (!code) code = finish_table(f, d);
    end_progress();
    f->table->items = d->items;
    f->table->bytes = d->bytes;
    f->table->indexes = census_indexes(f->census);
    return code;
}

int fill_from_file(struct service *s, int fd, const char *path, struct slice mark, struct filled *tables, size_t n)
{
    struct filling f = { .s = s, .tables = tables, .n = n, .mark = mark };
    const struct archive_visitor v = { .table = begin_table, .item = put_item, .end = end_table, .ctx = &f };
    struct archive_sum sum;
    int code = archive_read(fd, path, s->kept, s->scratch, &v, &sum);
    end_progress();
    put_items_abandon(f.put);
    if (code && f.made) service_drop_table(s, f.table->target);
    return code;
}

/* ---- from a backup in the server ---- */

static int compare_with_backup(struct service *s, const struct digest *said, struct filled *t)
{
    const struct json *table;
    int code = service_wait_copy(s, t->target, &table);
    end_progress();
    if (!code) code = service_describe(s, s->kept, t->target, &table);
    if (code) return code;
    struct counting c = { .s = s, .census = census_begin(s->kept, table), .what = "items compared", .of = said->items };
    if (!c.census) return fail_error("DescribeTable answered with what is no table");
    code = service_scan(s, t->target, slice_of(NULL, 0), count_item, &c);
    if (!code && !s->api->is_aws && (c.digest.items != said->items || c.digest.bytes != said->bytes))
        code = fail_different(s, t->target, SLICE(""), said, &c.digest);
    if (!code) code = compare_indexes(s, t->target, c.census);
    t->items = c.digest.items;
    t->bytes = c.digest.bytes;
    t->indexes = census_indexes(c.census);
    return code;
}

int fill_from_backup(struct service *s, struct slice arn, struct filled *t)
{
    struct buf b;
    const struct json *backup, *answer;
    int code = service_wait_backup(s, arn, false, &backup);
    if (code) return code;
    const struct digest said = { .items = service_number(JSON_GET(backup, "SourceTableDetails"), "ItemCount"),
                                 .bytes = service_number(JSON_GET(backup, "BackupDetails"), "BackupSizeBytes") };
    buf_init(&b, s->kept, BODY_MAX);
    BUF_LIT(&b, "{\"TargetTableName\":");
    json_put_string(&b, t->target);
    BUF_LIT(&b, ",\"BackupArn\":");
    json_put_string(&b, arn);
    buf_u8(&b, '}');
    code = service_call(s, s->kept, "RestoreTableFromBackup", buf_view(&b), &answer);
    if (code) return code;
    keep_table(s, t->target, ",");
    code = compare_with_backup(s, &said, t);
    end_progress();
    return code;
}
