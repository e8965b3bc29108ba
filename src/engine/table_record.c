/* table_record.c: a table's definition as a record in SPACE_META.
 *
 * Written with fields.h, and so are the maps within it. Names:
 *
 *   id uuid name created status          key { hash range }   attrs [[name type]...]
 *   billing billing_ms throughput {...}  protected class class_ms tags
 *   stream stream_ms sse sse_type sse_key
 *   policy { text revision }             stream_policy { text revision }
 *   insights { on mode changed rules }
 *   recovery recovery_days copies segments [[number from to parent start]...] segment_last
 *   ttl ttl_id
 *   restore_table restore_backup restore_ms   copy_of copy_of_id
 *   indexes [{ id kind status backfilling name key projection include [..] throughput insights }...]
 *
 * A key part is a list of [name, type] pairs. */
#include "../auth/policy.h"
#include "fields.h"
#include "history.h"

#define RECORD_MAX ((size_t)1 << 20)

/* ---- encoding ---- */

static struct slice list_of(struct arena *a, const struct slice *values, size_t n)
{
    struct buf b;
    buf_init(&b, a, RECORD_MAX);
    val_put_list(&b, values, n);
    return buf_view(&b);
}

static struct slice encode_attrs(struct arena *a, const struct key_attr *attrs, size_t n)
{
    struct slice *pairs = ARENA_ARRAY(a, struct slice, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct slice pair[2] = { val_make_string(a, attrs[i].name),
                                 val_make_string(a, slice_str(val_type_name(attrs[i].type))) };
        pairs[i] = list_of(a, pair, 2);
    }
    return list_of(a, pairs, n);
}

static struct slice encode_key(struct arena *a, const struct key_schema *k)
{
    struct fields_out f = { .arena = a };
    fields_value(&f, SLICE("hash"), encode_attrs(a, k->hash, k->n_hash));
    if (k->n_range) fields_value(&f, SLICE("range"), encode_attrs(a, k->range, k->n_range));
    return fields_end(&f, RECORD_MAX);
}

static struct slice encode_throughput(struct arena *a, const struct throughput *t)
{
    struct fields_out f = { .arena = a };
    fields_int(&f, SLICE("read"), t->read);
    fields_int(&f, SLICE("write"), t->write);
    fields_int(&f, SLICE("max_read"), t->max_read);
    fields_int(&f, SLICE("max_write"), t->max_write);
    fields_int(&f, SLICE("warm_read"), t->warm_read);
    fields_int(&f, SLICE("warm_write"), t->warm_write);
    fields_int(&f, SLICE("increased"), t->increased_ms);
    fields_int(&f, SLICE("decreased"), t->decreased_ms);
    fields_int(&f, SLICE("decreases"), t->decreases_today);
    return fields_end(&f, RECORD_MAX);
}

static struct slice encode_insights(struct arena *a, const struct insights *i)
{
    struct fields_out f = { .arena = a };
    if (!i->mode) return slice_of(NULL, 0);
    fields_int(&f, SLICE("on"), i->on);
    fields_int(&f, SLICE("mode"), i->mode);
    fields_int(&f, SLICE("changed"), i->changed_ms);
    fields_int(&f, SLICE("rules"), i->rules_ms);
    return fields_end(&f, RECORD_MAX);
}

struct slice table_encode_policy(struct arena *a, const struct resource_policy *p)
{
    struct fields_out f = { .arena = a };
    if (!p->revision) return slice_of(NULL, 0);
    fields_text(&f, SLICE("text"), p->text);
    fields_int(&f, SLICE("revision"), p->revision);
    return fields_end(&f, RECORD_MAX);
}

static struct slice encode_index(struct arena *a, const struct index *ix)
{
    struct fields_out f = { .arena = a };
    fields_int(&f, SLICE("id"), ix->id);
    fields_int(&f, SLICE("kind"), ix->kind);
    fields_int(&f, SLICE("status"), ix->status);
    fields_int(&f, SLICE("backfilling"), ix->backfilling);
    fields_text(&f, SLICE("name"), ix->name);
    fields_value(&f, SLICE("key"), encode_key(a, &ix->key));
    fields_int(&f, SLICE("projection"), ix->projection);
    fields_value(&f, SLICE("throughput"), encode_throughput(a, &ix->throughput));
    fields_value(&f, SLICE("insights"), encode_insights(a, &ix->insights));
    if (ix->n_include) {
        struct slice *names = ARENA_ARRAY(a, struct slice, ix->n_include);
        for (size_t i = 0; i < ix->n_include; i++)
            names[i] = val_make_string(a, ix->include[i]);
        fields_value(&f, SLICE("include"), list_of(a, names, ix->n_include));
    }
    return fields_end(&f, RECORD_MAX);
}

static struct slice encode_segments(struct arena *a, const struct table *t)
{
    struct slice *list = ARENA_ARRAY(a, struct slice, t->n_segments);
    for (size_t i = 0; i < t->n_segments; i++) {
        const struct segment *s = &t->segments[i];
        struct slice numbers[5] = { val_make_number(a, s->number), val_make_number(a, s->hash_from),
                                    val_make_number(a, s->hash_to), val_make_number(a, s->parent),
                                    val_make_number(a, (int64_t)s->start) };
        list[i] = list_of(a, numbers, 5);
    }
    return list_of(a, list, t->n_segments);
}

struct slice table_encode(const struct table *t, struct arena *a)
{
    struct fields_out f = { .arena = a };
    fields_int(&f, SLICE("id"), t->id);
    fields_text(&f, SLICE("name"), t->name);
    fields_text(&f, SLICE("uuid"), t->uuid);
    fields_int(&f, SLICE("created"), t->created_ms);
    fields_int(&f, SLICE("status"), t->status);
    fields_value(&f, SLICE("key"), encode_key(a, &t->key));
    fields_value(&f, SLICE("attrs"), encode_attrs(a, t->attrs, t->n_attrs));
    fields_int(&f, SLICE("billing"), t->billing);
    fields_int(&f, SLICE("billing_ms"), t->billing_changed_ms);
    fields_value(&f, SLICE("throughput"), encode_throughput(a, &t->throughput));
    fields_int(&f, SLICE("protected"), t->deletion_protection);
    fields_text(&f, SLICE("class"), t->table_class);
    fields_int(&f, SLICE("class_ms"), t->table_class_ms);
    fields_value(&f, SLICE("tags"), t->tags);
    fields_text(&f, SLICE("stream"), t->stream_view);
    fields_int(&f, SLICE("stream_ms"), t->stream_created_ms);
    fields_int(&f, SLICE("recovery"), t->recovery_since_ms);
    fields_int(&f, SLICE("recovery_days"), t->recovery_days);
    fields_int(&f, SLICE("copies"), t->copies);
    if (t->n_segments) fields_value(&f, SLICE("segments"), encode_segments(a, t));
    fields_int(&f, SLICE("segment_last"), t->last_segment);
    fields_text(&f, SLICE("ttl"), t->ttl_attribute);
    fields_int(&f, SLICE("ttl_id"), t->ttl_id);
    fields_text(&f, SLICE("restore_table"), t->restore_table);
    fields_text(&f, SLICE("restore_backup"), t->restore_backup);
    fields_int(&f, SLICE("restore_ms"), t->restore_ms);
    fields_text(&f, SLICE("copy_of"), t->copy_of);
    fields_int(&f, SLICE("copy_of_id"), t->copy_of_id);
    fields_int(&f, SLICE("sse"), t->sse);
    fields_text(&f, SLICE("sse_type"), t->sse_type);
    fields_text(&f, SLICE("sse_key"), t->sse_key);
    fields_value(&f, SLICE("insights"), encode_insights(a, &t->insights));
    fields_value(&f, SLICE("policy"), table_encode_policy(a, &t->policy));
    fields_value(&f, SLICE("stream_policy"), table_encode_policy(a, &t->stream_policy));
    if (t->n_indexes) {
        struct slice *list = ARENA_ARRAY(a, struct slice, t->n_indexes);
        for (size_t i = 0; i < t->n_indexes; i++)
            list[i] = encode_index(a, &t->indexes[i]);
        fields_value(&f, SLICE("indexes"), list_of(a, list, t->n_indexes));
    }
    return fields_end(&f, RECORD_MAX);
}

/* ---- decoding: everything borrows from the record, which the caller has copied ---- */

static bool decode_attrs(struct slice list, struct key_attr *out, size_t max, size_t *n)
{
    struct val_iter it;
    struct slice unused, pair, name, type;
    *n = 0;
    if (!list.n) return true;
    val_iter_init(&it, list);
    while (val_next(&it, &unused, &pair)) {
        if (*n == max || !val_at(pair, 0, &name) || !val_at(pair, 1, &type)) return false;
        if (val_type(name) != TYPE_S || val_type(type) != TYPE_S) return false;
        out[*n] = (struct key_attr){ val_content(name), val_type_from_name(val_content(type)) };
        if (out[(*n)++].type == TYPE_NONE) return false;
    }
    return true;
}

static bool decode_key(struct slice map, struct key_schema *k)
{
    return decode_attrs(field_value(map, SLICE("hash"), TYPE_L), k->hash, 4, &k->n_hash) &&
           decode_attrs(field_value(map, SLICE("range"), TYPE_L), k->range, 4, &k->n_range) &&
           k->n_hash > 0;
}

/* Only a global index has more than one attribute in either part. */
static bool decode_plain_key(struct slice map, struct key_schema *k)
{
    return decode_key(map, k) && k->n_hash == 1 && k->n_range <= 1;
}

static void decode_throughput(struct slice map, struct throughput *t)
{
    t->read = field_int(map, SLICE("read"));
    t->write = field_int(map, SLICE("write"));
    t->max_read = field_int(map, SLICE("max_read"));
    t->max_write = field_int(map, SLICE("max_write"));
    t->warm_read = field_int(map, SLICE("warm_read"));
    t->warm_write = field_int(map, SLICE("warm_write"));
    t->increased_ms = field_int(map, SLICE("increased"));
    t->decreased_ms = field_int(map, SLICE("decreased"));
    t->decreases_today = field_int(map, SLICE("decreases"));
}

static void decode_insights(struct slice map, struct insights *i)
{
    i->on = field_int(map, SLICE("on")) != 0;
    i->mode = (enum insights_mode)field_int(map, SLICE("mode"));
    i->changed_ms = field_int(map, SLICE("changed"));
    i->rules_ms = field_int(map, SLICE("rules"));
}

/* One that an earlier version took and this one cannot read denies. */
void table_decode_policy(struct arena *a, struct slice map, struct resource_policy *p)
{
    p->text = field_text(map, SLICE("text"));
    p->revision = field_int(map, SLICE("revision"));
    struct err e = { .arena = a };
    if (p->text.n && policy_read(a, POLICY_OF_RESOURCE, p->text, &p->read, &e)) p->read = &policy_unreadable;
}

static bool decode_index(struct arena *a, struct slice map, struct index *ix)
{
    if (val_type(map) != TYPE_M) return false;
    ix->id = (uint32_t)field_int(map, SLICE("id"));
    ix->kind = (enum index_kind)field_int(map, SLICE("kind"));
    ix->status = (enum index_status)field_int(map, SLICE("status"));
    ix->backfilling = field_int(map, SLICE("backfilling")) != 0;
    ix->name = field_text(map, SLICE("name"));
    ix->projection = (enum projection_kind)field_int(map, SLICE("projection"));
    decode_throughput(field_value(map, SLICE("throughput"), TYPE_M), &ix->throughput);
    decode_insights(field_value(map, SLICE("insights"), TYPE_M), &ix->insights);
    struct slice names = field_value(map, SLICE("include"), TYPE_L);
    if (names.n) {
        struct slice *include = ARENA_ARRAY(a, struct slice, val_count(names));
        struct slice unused, v;
        struct val_iter it;
        val_iter_init(&it, names);
        while (val_next(&it, &unused, &v))
            include[ix->n_include++] = val_content(v);
        ix->include = include;
    }
    struct slice key = field_value(map, SLICE("key"), TYPE_M);
    return ix->id && ix->name.n && (ix->kind == INDEX_LOCAL ? decode_plain_key(key, &ix->key) : decode_key(key, &ix->key));
}

static bool decode_indexes(struct arena *a, struct slice list, struct table *t)
{
    struct slice unused, map;
    struct val_iter it;
    if (!list.n) return true;
    if (val_count(list) > TABLE_MAX_INDEXES) return false;
    t->indexes = ARENA_ARRAY(a, struct index, val_count(list));
    val_iter_init(&it, list);
    while (val_next(&it, &unused, &map)) {
        if (!decode_index(a, map, &t->indexes[t->n_indexes++])) return false;
    }
    return true;
}

static bool element(struct slice list, size_t i, int64_t *out)
{
    struct slice v;
    return val_at(list, i, &v) && val_type(v) == TYPE_N && num_to_int64(val_content(v), out);
}

static bool decode_segments(struct arena *a, struct slice list, struct table *t)
{
    struct slice unused, numbers;
    struct val_iter it;
    if (!list.n) return true;
    t->segments = ARENA_ARRAY(a, struct segment, val_count(list));
    val_iter_init(&it, list);
    while (val_next(&it, &unused, &numbers)) {
        int64_t number, from, to, parent, start;
        if (!element(numbers, 0, &number) || !element(numbers, 1, &from) || !element(numbers, 2, &to) ||
            !element(numbers, 3, &parent) || !element(numbers, 4, &start)) {
            return false;
        }
        t->segments[t->n_segments++] = (struct segment){ .number = (uint32_t)number, .parent = (uint32_t)parent,
                                                         .hash_from = (uint32_t)from, .hash_to = (uint32_t)to,
                                                         .start = (uint64_t)start };
    }
    return true;
}

static bool decode(struct arena *a, struct slice record, struct table *t)
{
    if (!record.n || !val_check(record) || val_type(record) != TYPE_M) return false;
    struct slice r = arena_dup(a, record);
    t->id = (uint32_t)field_int(r, SLICE("id"));
    t->name = field_text(r, SLICE("name"));
    t->uuid = field_text(r, SLICE("uuid"));
    t->created_ms = field_int(r, SLICE("created"));
    t->status = (enum table_status)field_int(r, SLICE("status"));
    t->billing = (enum billing_mode)field_int(r, SLICE("billing"));
    t->billing_changed_ms = field_int(r, SLICE("billing_ms"));
    decode_throughput(field_value(r, SLICE("throughput"), TYPE_M), &t->throughput);
    t->deletion_protection = field_int(r, SLICE("protected")) != 0;
    t->table_class = field_text(r, SLICE("class"));
    t->table_class_ms = field_int(r, SLICE("class_ms"));
    t->tags = field_value(r, SLICE("tags"), TYPE_M);
    t->stream_view = field_text(r, SLICE("stream"));
    t->stream_created_ms = field_int(r, SLICE("stream_ms"));
    t->recovery_since_ms = field_int(r, SLICE("recovery"));
    t->recovery_days = field_int(r, SLICE("recovery_days"));
    t->copies = field_int(r, SLICE("copies"));
    t->last_segment = (uint32_t)field_int(r, SLICE("segment_last"));
    t->ttl_attribute = field_text(r, SLICE("ttl"));
    t->ttl_id = (uint32_t)field_int(r, SLICE("ttl_id"));
    t->restore_table = field_text(r, SLICE("restore_table"));
    t->restore_backup = field_text(r, SLICE("restore_backup"));
    t->restore_ms = field_int(r, SLICE("restore_ms"));
    t->copy_of = field_text(r, SLICE("copy_of"));
    t->copy_of_id = (uint32_t)field_int(r, SLICE("copy_of_id"));
    t->sse = field_int(r, SLICE("sse")) != 0;
    t->sse_type = field_text(r, SLICE("sse_type"));
    t->sse_key = field_text(r, SLICE("sse_key"));
    decode_insights(field_value(r, SLICE("insights"), TYPE_M), &t->insights);
    table_decode_policy(a, field_value(r, SLICE("policy"), TYPE_M), &t->policy);
    table_decode_policy(a, field_value(r, SLICE("stream_policy"), TYPE_M), &t->stream_policy);
    struct slice attrs = field_value(r, SLICE("attrs"), TYPE_L);
    size_t max = attrs.n ? val_count(attrs) : 0;
    t->attrs = ARENA_ARRAY(a, struct key_attr, max + 1);
    if (!t->id || !t->name.n || !decode_attrs(attrs, t->attrs, max, &t->n_attrs) ||
        !decode_plain_key(field_value(r, SLICE("key"), TYPE_M), &t->key) ||
        !decode_segments(a, field_value(r, SLICE("segments"), TYPE_L), t) ||
        !decode_indexes(a, field_value(r, SLICE("indexes"), TYPE_L), t)) {
        return false;
    }
    table_derive(t, a);
    return true;
}

struct table *table_decode_in(struct arena *a, struct slice record)
{
    struct table *t = ARENA_NEW(a, struct table);
    return decode(a, record, t) ? t : NULL;
}

struct table *table_decode(struct slice record, int *status)
{
    struct table *t = table_new();
    *status = STORE_NO_MEMORY;
    if (!t) return NULL;
    if (ARENA_GUARD(&t->arena)) *status = decode(&t->arena, record, t) ? STORE_OK : STORE_CORRUPT;
    arena_unguard(&t->arena);
    if (!*status) return t;
    table_free(t);
    return NULL;
}
