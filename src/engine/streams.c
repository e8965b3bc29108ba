/* streams.c: the rows of streams, and what is still to be seen of them. */
#include "streams.h"
#include "engine_impl.h"
#include "fields.h"

#define ROW_MAX ((size_t)1 << 20) /* a policy may be in it */

/* ---- rows ---- */

struct slice stream_key(struct arena *a, struct slice table_name, int64_t created_ms)
{
    struct buf b;
    buf_init(&b, a, STORE_MAX_KEY);
    buf_u8(&b, 'R');
    buf_slice(&b, table_name);
    buf_u8(&b, 0);
    buf_u64be(&b, (uint64_t)created_ms);
    return buf_view(&b);
}

static struct slice names_of(struct arena *a, const struct key_attr *attrs, size_t n)
{
    struct slice names[4];
    struct buf b;
    buf_init(&b, a, ROW_MAX);
    for (size_t i = 0; i < n; i++)
        names[i] = val_make_string(a, attrs[i].name);
    val_put_list(&b, names, n);
    return buf_view(&b);
}

static int write_row(struct store_txn *txn, struct arena *a, const struct stream *s)
{
    struct attr fields[9] = {
        { SLICE("closed"), val_make_number(a, s->closed_ms) },
        { SLICE("first"), val_make_number(a, s->first) },
        { SLICE("hash"), names_of(a, s->key.hash, s->key.n_hash) },
        { SLICE("id"), val_make_number(a, s->table_id) },
        { SLICE("last"), val_make_number(a, s->last) },
    };
    size_t n = 5;
    if (s->policy.n) fields[n++] = (struct attr){ SLICE("policy"), s->policy };
    fields[n++] = (struct attr){ SLICE("range"), names_of(a, s->key.range, s->key.n_range) };
    fields[n++] = (struct attr){ SLICE("uuid"), val_make_string(a, s->uuid) };
    fields[n++] = (struct attr){ SLICE("view"), val_make_string(a, s->view) };
    struct buf b;
    buf_init(&b, a, ROW_MAX);
    val_put_map(&b, fields, n);
    return store_put(txn, SPACE_META, stream_key(a, s->name, s->created_ms), buf_view(&b));
}

static bool get_int(struct slice map, struct slice name, int64_t *out)
{
    struct slice v;
    return val_get(map, name, &v) && val_type(v) == TYPE_N && num_to_int64(val_content(v), out);
}

static bool get_text(struct slice map, struct slice name, struct slice *out)
{
    struct slice v;
    if (!val_get(map, name, &v) || val_type(v) != TYPE_S) return false;
    *out = val_content(v);
    return true;
}

static bool get_names(struct slice map, struct slice name, struct key_attr *out, size_t *n)
{
    struct slice list, unused, v;
    struct val_iter it;
    if (!val_get(map, name, &list) || val_type(list) != TYPE_L || val_count(list) > 4) return false;
    val_iter_init(&it, list);
    for (*n = 0; val_next(&it, &unused, &v); ++*n) {
        if (val_type(v) != TYPE_S) return false;
        out[*n].name = val_content(v);
    }
    return true;
}

bool stream_decode(struct slice key, struct slice value, struct stream *out)
{
    int64_t id, first, last;
    *out = (struct stream){ 0 };
    if (key.n < 10 || key.p[key.n - 9] || !val_check(value)) return false;
    out->name = slice_of(key.p + 1, key.n - 10);
    for (size_t i = key.n - 8; i < key.n; i++)
        out->created_ms = out->created_ms << 8 | key.p[i];
    if (!get_int(value, SLICE("id"), &id) || !get_int(value, SLICE("first"), &first) ||
        !get_int(value, SLICE("last"), &last) || !get_int(value, SLICE("closed"), &out->closed_ms) ||
        !get_text(value, SLICE("uuid"), &out->uuid) || !get_text(value, SLICE("view"), &out->view) ||
        !get_names(value, SLICE("hash"), out->key.hash, &out->key.n_hash) ||
        !get_names(value, SLICE("range"), out->key.range, &out->key.n_range)) {
        return false;
    }
    out->table_id = (uint32_t)id;
    out->first = (uint32_t)first;
    out->last = (uint32_t)last;
    out->policy = field_value(value, SLICE("policy"), TYPE_M);
    return true;
}

/* In the arena, so that it outlives what is written next. */
static int read_row(struct store_txn *txn, struct arena *a, struct slice table_name, int64_t created_ms, struct stream *out)
{
    struct slice key = stream_key(a, table_name, created_ms), value;
    int status = store_get(txn, SPACE_META, key, &value);
    if (status) return status;
    return stream_decode(key, arena_dup(a, value), out) ? STORE_OK : STORE_CORRUPT;
}

/* ---- beginning and end ---- */

/* Of two streams of the same name no two have the same label, not even those of a table that is gone. */
static int choose_label(struct store_txn *txn, struct arena *a, struct slice table_name, int64_t *created_ms)
{
    struct slice unused;
    int status;
    while (!(status = store_get(txn, SPACE_META, stream_key(a, table_name, *created_ms), &unused)))
        ++*created_ms;
    return status == STORE_NOT_FOUND ? STORE_OK : status;
}

int stream_keep_policy(struct store_txn *txn, struct arena *a, struct table *t)
{
    struct stream s;
    int status = t->stream_policy.text.n ? read_row(txn, a, t->name, t->stream_created_ms, &s) : STORE_NOT_FOUND;
    if (!status) {
        s.policy = table_encode_policy(a, &t->stream_policy);
        status = write_row(txn, a, &s);
    }
    t->stream_policy = (struct resource_policy){ 0 };
    return status == STORE_NOT_FOUND ? STORE_OK : status; /* its time may be over */
}

int stream_begin(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t)
{
    int64_t now = engine_now_ms(e);
    int status = stream_keep_policy(txn, a, t);
    if (status) return status;
    t->stream_created_ms = now > t->stream_created_ms ? now : t->stream_created_ms + 1;
    status = choose_label(txn, a, t->name, &t->stream_created_ms);
    if (status) return status;
    struct stream s = { .name = t->name, .created_ms = t->stream_created_ms, .table_id = t->id,
                        .first = t->last_segment + 1, .uuid = t->uuid, .view = t->stream_view, .key = t->key };
    status = history_renew(txn, a, e, t, history_shares(t));
    return status ? status : write_row(txn, a, &s);
}

int stream_end(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t)
{
    struct stream s;
    if (!t->stream_view.n) return STORE_OK;
    int status = read_row(txn, a, t->name, t->stream_created_ms, &s);
    if (status) return status == STORE_NOT_FOUND ? STORE_CORRUPT : status;
    s.closed_ms = engine_now_ms(e);
    s.last = t->last_segment;
    t->stream_view = slice_of(NULL, 0);
    status = write_row(txn, a, &s);
    return status ? status : history_renew(txn, a, e, t, history_wanted(t) ? history_shares(t) : 0);
}

/* ---- what is to be seen ---- */

bool stream_is_over(const struct stream *s, int64_t now_ms)
{
    return s->closed_ms && now_ms - s->closed_ms >= STREAM_KEPT_MS;
}

bool stream_has(const struct stream *s, uint32_t segment)
{
    return s->first <= segment && (!s->last || segment <= s->last);
}

uint64_t stream_horizon(int64_t now_ms)
{
    return history_after(now_ms - STREAM_KEPT_MS - 1);
}

bool stream_shows(const struct segment *segment, int64_t now_ms)
{
    return !segment->end || segment->end >= stream_horizon(now_ms);
}

/* Whether it is the latest is asked of the transaction: the catalog may be older. */
int stream_policy(struct store_txn *txn, struct arena *a, const struct stream *s, struct resource_policy *out)
{
    int status;
    const struct table *t = catalog_read(txn, a, s->name, &status);
    bool latest = t && t->stream_created_ms == s->created_ms;
    *out = (struct resource_policy){ 0 };
    if (latest) *out = t->stream_policy;
    else if (s->policy.n) table_decode_policy(a, s->policy, out);
    return status == STORE_NOT_FOUND ? STORE_OK : status;
}

int stream_look_up(struct call *call, struct store_txn *txn, enum policy_action action, struct slice arn, struct stream *out, bool *found)
{
    const bool whole = action == ACTION_GetRecords || action == ACTION_GetShardIterator;
    struct resource_policy policy = { 0 };
    struct slice name;
    int64_t created_ms;
    int status = STORE_NOT_FOUND;
    if (stream_read_arn(arn, &name, &created_ms) && created_ms >= 0) status = read_row(txn, call->arena, name, created_ms, out);
    *found = !status && !stream_is_over(out, call_now_ms(call));
    const bool asks = access_is_left_open(call, arn);
    if (asks && *found) status = stream_policy(txn, call->arena, out, &policy);
    if (status && status != STORE_NOT_FOUND) return call_store_failed(call, status);
    return asks ? access_ask_past_stream(call, action, arn, whole, policy.read) : 0;
}

int stream_find(struct call *call, struct store_txn *txn, enum policy_action action, struct slice arn, struct stream *out)
{
    struct slice name;
    int64_t created_ms;
    bool found;
    int code = stream_look_up(call, txn, action, arn, out, &found);
    if (code || found) return code;
    if (!stream_read_arn(arn, &name, &created_ms)) {
        return err_set(&call->err, ERR_ValidationException, "Invalid StreamArn");
    }
    return err_set(&call->err, ERR_ResourceNotFoundException, "Requested resource not found: Stream: %.*s not found",
                   SLICE_ARG(arn));
}

int stream_find_shard(struct call *call, struct store_txn *txn, const struct stream *s, uint32_t segment,
                      struct segment *out)
{
    int status = STORE_NOT_FOUND;
    if (stream_has(s, segment)) status = history_get_segment(txn, call->arena, s->table_id, segment, out);
    if (status && status != STORE_NOT_FOUND) return call_store_failed(call, status);
    if (!status && stream_shows(out, call_now_ms(call))) return 0;
    return err_set(&call->err, ERR_ResourceNotFoundException, "Requested resource not found: Shard does not exist");
}

int stream_check_trimmed(struct call *call, struct store_txn *txn, const struct stream *s, const struct segment *shard,
                         uint64_t position, int64_t at_ms)
{
    uint64_t found;
    int status = STORE_OK;
    if (shard->trimmed < position) {
        status = history_find(txn, call->arena, s->table_id, shard->number, position, stream_horizon(at_ms), false, &found);
    }
    if (status == STORE_NOT_FOUND) return 0;
    if (status) return call_store_failed(call, status);
    return err_set(&call->err, ERR_TrimmedDataAccessException, "The data you are trying to access has been trimmed");
}
