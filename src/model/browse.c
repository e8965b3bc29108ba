/* browse.c: the table drawer by drawer. A Scan gives partitions one after the other, each with its items in order, and
 * so does a Scan of an index; one drawer alone is a Query. */
#include "browse.h"
#include "values.h"
#include "../item/item_json.h"

#define PAGE_DEFAULT 100
#define REQUEST_MAX  ((size_t)256 << 10)

struct browse {
    struct reporter *r;
    struct api *api;
    const struct browse_options *o;
    const struct model_index *index;
    struct slice start;  /* VAL_M, empty: from the beginning or at the end */
    struct slice drawer; /* hash key values of the open drawer, encoded; empty: none is open */
    bool any;            /* an item stands in the open drawer */
    uint32_t left;
};

static struct slice request(struct browse *b)
{
    struct buf q;
    buf_init(&q, b->r->arena, REQUEST_MAX);
    BUF_LIT(&q, "{\"TableName\":");
    json_put_string(&q, b->r->model->table);
    buf_printf(&q, ",\"Limit\":%u", b->left);
    if (b->index->name.n) {
        BUF_LIT(&q, ",\"IndexName\":");
        json_put_string(&q, b->index->name);
    }
    if (b->o->partition.n) {
        BUF_LIT(&q, ",\"KeyConditionExpression\":\"#h = :h\",\"ExpressionAttributeNames\":{\"#h\":");
        json_put_string(&q, b->index->hash.attrs[0].name);
        buf_printf(&q, "},\"ExpressionAttributeValues\":{\":h\":{\"%s\":",
                   val_type_name(b->index->hash.attrs[0].type));
        json_put_string(&q, b->o->partition);
        BUF_LIT(&q, "}}");
    }
    if (b->start.n) {
        BUF_LIT(&q, ",\"ExclusiveStartKey\":");
        item_to_json(&q, b->start);
    }
    buf_u8(&q, '}');
    return buf_view(&q);
}

static void put_key(struct buf *out, const struct key_side *side, struct slice item, const char **comma)
{
    for (size_t i = 0; i < side->n; i++) {
        struct slice value;
        if (!val_get(item, side->attrs[i].name, &value)) continue;
        buf_printf(out, "%s", *comma);
        json_put_string(out, side->attrs[i].name);
        buf_u8(out, ':');
        value_to_plain(out, value);
        *comma = ",";
    }
}

static void put_keys(struct buf *out, const struct model_index *ix, struct slice item)
{
    const char *comma = "";
    buf_u8(out, '{');
    put_key(out, &ix->hash, item, &comma);
    put_key(out, &ix->sort, item, &comma);
    buf_u8(out, '}');
}

static bool in_index(const struct model_index *ix, struct slice item)
{
    struct slice value;
    for (size_t i = 0; i < ix->hash.n; i++)
        if (!val_get(item, ix->hash.attrs[i].name, &value)) return false;
    for (size_t i = 0; i < ix->sort.n; i++)
        if (!val_get(item, ix->sort.attrs[i].name, &value)) return false;
    return true;
}

static void put_beside(struct browse *b, struct slice item)
{
    struct buf *out = b->r->out;
    const struct model *m = b->r->model;
    const char *comma = "";
    BUF_LIT(out, ",\"indexes\":{");
    for (size_t i = 0; i < m->n_indexes; i++) {
        const struct model_index *ix = &m->indexes[i];
        if (ix == b->index || (b->o->beside.n && !slice_eq(ix->name, b->o->beside)) || !in_index(ix, item)) continue;
        buf_printf(out, "%s", comma);
        json_put_string(out, ix->name.n ? ix->name : SLICE("table"));
        buf_u8(out, ':');
        put_keys(out, ix, item);
        comma = ",";
    }
    buf_u8(out, '}');
}

static struct slice hash_of(struct browse *b, struct slice item)
{
    struct attr attrs[KEY_MAX_PARTS];
    size_t n = 0;
    for (size_t i = 0; i < b->index->hash.n; i++) {
        attrs[n].name = b->index->hash.attrs[i].name;
        n += val_get(item, attrs[n].name, &attrs[n].value);
    }
    struct buf out;
    buf_init(&out, b->r->arena, REQUEST_MAX);
    val_put_map(&out, attrs, n);
    return buf_view(&out);
}

static void open_drawer(struct browse *b, struct slice item)
{
    struct buf *out = b->r->out;
    struct slice drawer = hash_of(b, item);
    if (slice_eq(drawer, b->drawer)) return;
    const char *comma = "";
    if (b->drawer.n) BUF_LIT(out, "]},");
    BUF_LIT(out, "{\"key\":{");
    put_key(out, &b->index->hash, item, &comma);
    BUF_LIT(out, "},\"items\":[");
    b->drawer = drawer;
    b->any = false;
}

/* False: it is not shown. */
static bool put_item(struct browse *b, struct slice item)
{
    struct buf *out = b->r->out;
    const struct model *m = b->r->model;
    struct identity id = item_identify(b->r->arena, m, item);
    if (id.sentinel) return false;
    open_drawer(b, item);
    buf_printf(out, "%s{\"entity\":", b->any ? "," : "");
    if (id.entity)
        json_put_string(out, id.entity->name);
    else
        BUF_LIT(out, "null");
    buf_printf(out, ",\"copy\":%s,\"key\":", id.path && id.path->kind == PATH_COPY ? "true" : "false");
    put_keys(out, b->index, item);
    put_beside(b, item);
    BUF_LIT(out, ",\"attributes\":");
    item_to_plain(out, id.entity ? item_attributes(b->r->arena, m, id.entity, item, false) : item);
    buf_printf(out, ",\"size\":%zu}", val_item_size(item));
    b->any = true;
    return true;
}

static int one_page(struct browse *b)
{
    const struct json *answer;
    struct err *e = b->r->err;
    int code = api_call(b->api, b->r->arena, b->o->partition.n ? SLICE("Query") : SLICE("Scan"), request(b), &answer, e);
    if (code) return code;
    const struct json *items = JSON_GET(answer, "Items");
    for (const struct json *n = items ? items->first : NULL; n; n = n->next) {
        struct slice item;
        code = item_from_json(b->r->arena, n, &item, e);
        if (code) return code;
        if (put_item(b, item)) b->left--;
    }
    b->start = slice_of(NULL, 0);
    const struct json *last = JSON_GET(answer, "LastEvaluatedKey");
    return last ? item_from_json(b->r->arena, last, &b->start, e) : 0;
}

static int read_token(struct browse *b)
{
    struct slice text;
    const struct json *n;
    if (!b->o->after.n) return 0;
    if (!base64_decode(b->r->arena, b->o->after, &text) || !(n = json_parse(b->r->arena, text, 8, NULL)) ||
        item_from_json(b->r->arena, n, &b->start, b->r->err))
        return err_set(b->r->err, ERR_ValidationException, "--after: this is not what browse gave");
    return 0;
}

static void put_token(struct browse *b)
{
    struct buf text;
    buf_init(&text, b->r->arena, REQUEST_MAX);
    item_to_json(&text, b->start);
    BUF_LIT(b->r->out, ",\"after\":\"");
    base64_put(b->r->out, buf_view(&text));
    buf_u8(b->r->out, '"');
}

int report_browse(struct reporter *r, struct api *api, const struct browse_options *o)
{
    struct browse b = { .r = r, .api = api, .o = o, .left = o->limit ? o->limit : PAGE_DEFAULT };
    b.index = o->index.n ? model_index(r->model, o->index) : &r->model->indexes[0];
    if (!b.index || (o->beside.n && !model_index(r->model, o->beside)))
        return err_set(r->err, ERR_ValidationException, "the model has no index '%.*s'",
                       SLICE_ARG(b.index ? o->beside : o->index));
    if (o->partition.n && b.index->hash.n > 1)
        return err_set(r->err, ERR_ValidationException, "a drawer of %.*s has several keys; browse the index as a whole",
                       SLICE_ARG(b.index->name));
    int code = read_token(&b);
    if (code) return code;
    BUF_LIT(r->out, "{\"table\":");
    json_put_string(r->out, r->model->table);
    BUF_LIT(r->out, ",\"drawers\":[");
    do {
        code = one_page(&b);
    } while (!code && b.start.n && b.left > 0);
    if (code) return code;
    if (b.drawer.n) BUF_LIT(r->out, "]}");
    buf_u8(r->out, ']');
    if (b.start.n) put_token(&b);
    buf_u8(r->out, '}');
    return 0;
}
