/* run_page.c: one request of a run: its JSON, what it answers, what it cost, and which of its items belong to the
 * answer. */
#include "run_impl.h"
#include "../item/item_json.h"
#include <stdlib.h>

int run_filter(struct run *r, const struct entity *en)
{
    const struct where *w;
    expression_init(&r->filter, r->s->arena);
    if (!r->o->filter.n) return 0;
    if (!en) return err_set(r->err, ERR_ValidationException, "a filter needs an entity, whose attributes it speaks of");
    int rc = where_parse(r->s->arena, en, r->o->filter, r->s->env->now(r->s->env->ctx), &w, r->err);
    if (rc) return rc;
    const struct model_index *ix = r->index;
    for (size_t i = 0; i < ix->hash.n + ix->sort.n; i++) {
        struct slice key = i < ix->hash.n ? ix->hash.attrs[i].name : ix->sort.attrs[i - ix->hash.n].name;
        if (slice_eq(r->operation, SLICE("Scan")) || !where_uses(w, key)) continue;
        return err_set(r->err, ERR_ValidationException,
                       "%.*s is a key of %s%.*s, and DynamoDB refuses keys in a filter: put it into the question itself",
                       SLICE_ARG(key), ix->name.n ? "index " : "the table", SLICE_ARG(ix->name));
    }
    where_to_expression(r->s->arena, w, &r->filter);
    r->filtered = true;
    return 0;
}

/* ---- the request ---- */

/* A scan, or a condition that somebody wrote. Its placeholders and the filter's are in r->filter. */
static void put_own_request(struct buf *b, struct run *r, const struct stream *st, uint32_t page)
{
    BUF_LIT(b, "{\"TableName\":");
    json_put_string(b, r->s->model->table);
    if (r->index->name.n) {
        BUF_LIT(b, ",\"IndexName\":");
        json_put_string(b, r->index->name);
    }
    if (r->condition.text.n) {
        BUF_LIT(b, ",\"KeyConditionExpression\":");
        json_put_string(b, buf_view(&r->condition.text));
    }
    if (r->filter.text.n) {
        BUF_LIT(b, ",\"FilterExpression\":");
        json_put_string(b, buf_view(&r->filter.text));
    }
    expression_maps_to_json(b, &r->filter);
    if (r->descending) BUF_LIT(b, ",\"ScanIndexForward\":false");
    if (page) buf_printf(b, ",\"Limit\":%u", page);
    if (st->start.n) {
        BUF_LIT(b, ",\"ExclusiveStartKey\":");
        item_to_json(b, st->start);
    }
    if (r->o->consistent) BUF_LIT(b, ",\"ConsistentRead\":true");
    BUF_LIT(b, ",\"ReturnConsumedCapacity\":\"TOTAL\"}");
}

struct slice run_request(struct run *r, struct arena *a, const struct stream *st, uint32_t page)
{
    struct buf b;
    buf_init(&b, a, RUN_PAGE_MEMORY);
    if (r->bp) {
        const struct segment *g = &st->segments[st->segment];
        struct plan plan = *r->bp->plan;
        struct bound_plan bp = *r->bp;
        plan.sort_fixed = g->fixed;
        if (plan.kind == PLAN_GET && slice_eq(r->operation, SLICE("Query"))) plan.kind = PLAN_QUERY;
        bp.plan = &plan;
        if (r->filter.text.n) bp.filter = &r->filter;
        plan_request(&b, r->s->model, &bp, &g->range, page, st->start, r->o->consistent);
    } else {
        put_own_request(&b, r, st, page);
    }
    return buf_view(&b);
}

/* ---- the answer ---- */

static double number_of(const struct json *n)
{
    char text[64];
    if (!n || n->type != JSON_NUMBER || n->text.n >= sizeof text) return 0;
    memcpy(text, n->text.p, n->text.n);
    text[n->text.n] = 0;
    return strtod(text, NULL);
}

void run_tally(struct run *r, const struct json *answer, size_t returned, size_t bytes)
{
    const struct json *scanned = JSON_GET(answer, "ScannedCount");
    const struct json *units = JSON_GET(JSON_GET(answer, "ConsumedCapacity"), "CapacityUnits");
    r->out->requests++;
    r->out->items_read += scanned ? (uint64_t)number_of(scanned) : returned;
    if (units) {
        r->out->read_units += number_of(units);
    } else {
        size_t blocks = (bytes + 4095) / 4096;
        r->out->read_units += (double)(blocks ? blocks : 1) * (r->o->consistent ? 1 : 0.5);
        r->out->reckoned = true;
    }
}

/* Where an item lies that is found by this path. */
static const struct access_path *home(const struct access_path *p)
{
    if (p->kind != PATH_INDEX) return p;
    return p->copy ? p->copy->key : p->entity->key;
}

const struct access_path *plan_finds(const struct plan *p, const struct access_path *path)
{
    if (home(p->path) == path) return p->path;
    for (size_t i = 0; i < p->n_paths; i++) {
        if (home(p->paths[i]) == path) return p->paths[i];
    }
    return NULL;
}

bool run_accepts(struct run *r, struct arena *a, struct slice item, struct result *out)
{
    struct identity id = item_identify(a, r->s->model, item);
    *out = (struct result){ .entity = id.entity, .schema = id.schema, .item = item, .sentinel = id.sentinel,
                            .copy = id.path && id.path->kind == PATH_COPY };
    out->partial = r->index->projection != PROJECT_ALL;
    if (r->bp) {
        const struct access_path *found = id.path ? plan_finds(r->bp->plan, id.path) : NULL;
        if (found && out->partial) out->item = item_restore(a, r->s->model, id.path, found, item);
        return found || (r->bp->plan->pattern->collection && !id.sentinel);
    }
    if (r->only && r->only != id.entity) return false;
    return r->all || (id.entity && !out->copy);
}

void run_keep(struct run *r, struct result item)
{
    if (r->out->n == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 32;
        struct result *list = ARENA_ARRAY(r->s->arena, struct result, cap);
        if (r->out->n) memcpy(list, r->out->list, r->out->n * sizeof *list);
        r->out->list = list;
        r->cap = cap;
    }
    item.item = arena_dup(r->s->arena, item.item);
    r->out->list[r->out->n++] = item;
}

static int take_items(struct run *r, struct stream *st, const struct json *answer)
{
    const struct json *items = JSON_GET(answer, "Items");
    size_t bytes = 0, count = items ? items->count : 0;
    st->n = st->at = 0;
    st->items = ARENA_ARRAY(&st->arena, struct result, count + 1);
    for (const struct json *i = items ? items->first : NULL; i; i = i->next) {
        struct slice item;
        int rc = item_from_json(&st->arena, i, &item, r->err);
        if (rc) return rc;
        bytes += val_item_size(item);
        if (r->bp && !range_holds(r->index, &st->segments[st->segment], item)) continue;
        if (run_accepts(r, &st->arena, item, &st->items[st->n])) st->n++;
    }
    run_tally(r, answer, count, bytes);
    r->bytes += bytes;
    r->items += count;
    return 0;
}

static int read_page(struct run *r, struct stream *st, uint32_t page)
{
    const struct json *answer;
    struct slice body = run_request(r, &r->page, st, page);
    request_show(r->o->requests, r->operation, body);
    int rc = api_call(r->s->api, &r->page, r->operation, body, &answer, r->err);
    if (rc || (rc = take_items(r, st, answer))) return rc;
    const struct json *last = JSON_GET(answer, "LastEvaluatedKey");
    st->start = slice_of(NULL, 0);
    if (last && last->count) {
        if ((rc = item_from_json(&st->arena, last, &st->start, r->err))) return rc;
        st->start = arena_dup(r->s->arena, st->start);
    } else {
        st->segment++;
    }
    return 0;
}

static int too_large(struct run *r)
{
    return err_set(r->err, ERR_InternalServerError, "a page does not fit into memory; ask with a smaller limit");
}

static int guarded_page(struct run *r, struct stream *st, uint32_t page)
{
    int rc;
    if (ARENA_GUARD(&r->page)) {
        rc = read_page(r, st, page);
        if (rc) {
            r->err->message = arena_dup(r->s->arena, r->err->message);
            r->err->detail = arena_dup(r->s->arena, r->err->detail);
        }
    } else {
        rc = too_large(r);
    }
    arena_unguard(&r->page);
    return rc;
}

/* The items' memory is given back when the stream's next page is read; that of the answer they came in, several times as
 * much, at once. */
int run_page(struct run *r, struct stream *st, uint32_t page)
{
    int rc;
    arena_reset(&st->arena);
    arena_init(&r->page, RUN_PAGE_MEMORY);
    if (ARENA_GUARD(&st->arena)) rc = guarded_page(r, st, page);
    else rc = too_large(r);
    arena_unguard(&st->arena);
    arena_free(&r->page);
    return rc;
}
