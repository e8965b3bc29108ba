/* follow.c: what has changed in the source, from the streams of its tables; see online.h. */
#include "online.h"
#include "../../item/item_json.h"
#include <stdlib.h>

#define BODY_MAX   ((size_t)1 << 20)
#define MOST_PAGES 200 /* of one shard, before the others have their turn */

/* ---- shards ---- */

static struct copy_shard *find_shard(struct online *o, struct copied *t, struct slice id, bool *added)
{
    *added = false;
    for (size_t i = 0; i < t->n_shards; i++)
        if (slice_eq(t->shards[i].id, id)) return &t->shards[i];
    if (t->n_shards == t->room) {
        size_t room = t->room ? 2 * t->room : 16;
        struct copy_shard *more = ARENA_ARRAY(o->from.kept, struct copy_shard, room);
        if (t->n_shards) memcpy(more, t->shards, t->n_shards * sizeof *more);
        t->shards = more;
        t->room = room;
    }
    *added = true;
    struct copy_shard *s = &t->shards[t->n_shards++];
    *s = (struct copy_shard){ .id = arena_dup(o->from.kept, id) };
    return s;
}

static struct slice describe_body(struct arena *a, struct slice stream, struct slice after)
{
    struct buf b;
    buf_init(&b, a, BODY_MAX);
    BUF_LIT(&b, "{\"StreamArn\":");
    json_put_string(&b, stream);
    if (after.n) {
        BUF_LIT(&b, ",\"ExclusiveStartShardId\":");
        json_put_string(&b, after);
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

int follow_shards(struct online *o, struct copied *t, bool begin)
{
    struct slice after = { NULL, 0 };
    arena_reset(o->from.scratch);
    do {
        const struct json *answer;
        int code = service_call(&o->from, o->from.scratch, "DescribeStream", describe_body(o->from.scratch, t->stream, after), &answer);
        if (code) return code;
        const struct json *told = JSON_GET(answer, "StreamDescription"), *list = JSON_GET(told, "Shards");
        for (const struct json *i = list ? list->first : NULL; i; i = i->next) {
            bool added, ended = json_text(JSON_GET(i, "SequenceNumberRange"), "EndingSequenceNumber").n > 0;
            struct copy_shard *s = find_shard(o, t, json_text(i, "ShardId"), &added);
            if (added && begin && ended) s->ended = true;
        }
        after = json_text(told, "LastEvaluatedShardId");
    } while (after.n);
    return 0;
}

/* ---- one shard ---- */

static void drop_iterator(struct copy_shard *s)
{
    free(s->iterator);
    s->iterator = NULL;
}

static int keep_iterator(struct copy_shard *s, struct slice iterator)
{
    drop_iterator(s);
    s->iterator = strndup((const char *)iterator.p, iterator.n);
    return s->iterator ? 0 : fail_error("out of memory");
}

static int ask_iterator(struct online *o, const struct copied *t, struct copy_shard *s)
{
    struct buf b;
    const struct json *answer;
    buf_init(&b, o->from.scratch, BODY_MAX);
    BUF_LIT(&b, "{\"StreamArn\":");
    json_put_string(&b, t->stream);
    BUF_LIT(&b, ",\"ShardId\":");
    json_put_string(&b, s->id);
    if (s->after[0])
        buf_printf(&b, ",\"ShardIteratorType\":\"AFTER_SEQUENCE_NUMBER\",\"SequenceNumber\":\"%s\"}", s->after);
    else
        BUF_LIT(&b, ",\"ShardIteratorType\":\"TRIM_HORIZON\"}");
    int code = service_call(&o->from, o->from.scratch, "GetShardIterator", buf_view(&b), &answer);
    if (code) return code;
    struct slice iterator = json_text(answer, "ShardIterator");
    if (!iterator.n) return service_fail(&o->from, "GetShardIterator: the answer has no ShardIterator");
    return keep_iterator(s, iterator);
}

/* *page NULL: the iterator had expired, and is to be asked for anew. */
static int read_page(struct online *o, const struct copied *t, struct copy_shard *s, const struct json **page)
{
    struct err e;
    struct slice body = service_text(o->from.scratch, "ShardIterator", slice_str(s->iterator));
    int code = service_try(&o->from, o->from.scratch, "GetRecords", body, page, &e);
    if (!code || !e.code) return code;
    *page = NULL;
    drop_iterator(s);
    if (e.code == ERR_ExpiredIteratorException) return 0;
    if (e.code != ERR_TrimmedDataAccessException) return service_fail(&o->from, "GetRecords: %.*s", SLICE_ARG(e.message));
    return fail_error("the changes of %.*s since the copy began are gone, as they are after 24 hours: delete %s and the table in the target, and copy "
                      "again", SLICE_ARG(t->name), o->state);
}

struct gathering {
    struct slice keys[GROUP];
    size_t n;
};

static int gather(struct online *o, const struct copied *t, struct gathering *g, const struct json *keys)
{
    struct err e = { .arena = o->from.scratch };
    struct slice item;
    if (item_from_json(o->from.scratch, keys, &item, &e)) return service_fail(&o->from, "GetRecords: a key is none: %.*s", SLICE_ARG(e.message));
    struct slice key = items_key(o->from.scratch, t, item);
    for (size_t i = 0; i < g->n; i++)
        if (slice_eq(g->keys[i], key)) return 0;
    g->keys[g->n++] = key;
    if (g->n < GROUP) return 0;
    g->n = 0;
    return items_renew(o, t, g->keys, GROUP);
}

static int do_records(struct online *o, struct copied *t, struct copy_shard *s, const struct json *records)
{
    struct gathering g = { .n = 0 };
    struct slice last = { NULL, 0 };
    int code = 0;
    for (const struct json *i = records->first; i && !code; i = i->next) {
        const struct json *told = JSON_GET(i, "dynamodb");
        last = json_text(told, "SequenceNumber");
        code = gather(o, t, &g, JSON_GET(told, "Keys"));
    }
    if (!code && g.n) code = items_renew(o, t, g.keys, g.n);
    if (!code && last.n && last.n < sizeof s->after) snprintf(s->after, sizeof s->after, "%.*s", SLICE_ARG(last));
    return code;
}

/* Until it has no more for now. */
static int follow_shard(struct online *o, struct copied *t, struct copy_shard *s, uint64_t *n)
{
    for (unsigned pages = 0; pages < MOST_PAGES && !s->ended; pages++) {
        const struct json *page = NULL;
        arena_reset(o->from.scratch);
        int code = s->iterator ? 0 : ask_iterator(o, t, s);
        if (!code && s->iterator) code = read_page(o, t, s, &page);
        if (code) return code;
        if (!page) continue;
        const struct json *records = JSON_GET(page, "Records");
        if (records && records->count) code = do_records(o, t, s, records);
        if (code) return code;
        struct slice next = json_text(page, "NextShardIterator");
        s->ended = !next.n;
        if (s->ended) drop_iterator(s);
        else if ((code = keep_iterator(s, next))) return code;
        if (!records || !records->count) return 0;
        *n += records->count;
        t->changes += records->count;
        show_progress(NULL, "changes followed", t->changes, 0);
    }
    return 0;
}

/* ---- all of them ---- */

void follow_forget(struct copied *t)
{
    for (size_t i = 0; i < t->n_shards; i++) drop_iterator(&t->shards[i]);
}

int follow_round(struct online *o, uint64_t *n)
{
    int code = 0;
    *n = 0;
    for (size_t i = 0; i < o->n && !code; i++) {
        struct copied *t = &o->tables[i];
        if (!t->stream.n) continue;
        code = follow_shards(o, t, false);
        for (size_t k = 0; k < t->n_shards && !code; k++) code = follow_shard(o, t, &t->shards[k], n);
    }
    return code || !*n ? code : state_write(o);
}
