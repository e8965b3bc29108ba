/* run_stream.c: the ordered merge. Each stream gives the items of one key range page by page; the smallest head comes next, of
 * equal ones that of the stream with the lower number. One stream alone is the simple case of the same. */
#include "run_impl.h"

static bool has_head(const struct stream *st)
{
    return st->at < st->n;
}

static bool is_done(const struct stream *st)
{
    return !has_head(st) && st->segment >= st->n_segments;
}

static bool has_read_enough(const struct run *r)
{
    return r->read && r->out->items_read >= r->read;
}

/* What to ask for. DynamoDB's Limit counts before filters; where those throw much away the pages grow. */
static uint32_t page_size(const struct run *r, const struct stream *st)
{
    uint64_t base = r->limit ? r->limit - r->out->n : r->n > 1 ? RUN_MERGE_CHUNK : 0;
    uint64_t most = r->read ? r->read - r->out->items_read : RUN_MAX_PAGE;
    if (!base) return r->read ? (uint32_t)most : 0;
    if (r->n > 1) {
        /* Of a thousand shards each gives little of a page: no more is fetched than can be held. */
        uint64_t each = r->items ? r->bytes / r->items + 1 : RUN_GUESS_BYTES, room = RUN_HEAD_BYTES / r->n / each + 1;
        if (base > room) base = room;
    }
    base <<= st->meagre > 10 ? 10 : st->meagre;
    if (base > RUN_MAX_PAGE) base = RUN_MAX_PAGE;
    return (uint32_t)(base > most ? most : base);
}

static struct segment whole(const struct run *r, size_t stream)
{
    return (struct segment){ .fixed = r->bp->plan->sort_fixed, .range = r->bp->ranges[stream] };
}

/* Places are those in the plan's range, also where a later page is asked for with a part of it. */
static void note_head(struct run *r, struct stream *st)
{
    if (!r->bp || !has_head(st)) return;
    struct segment g = whole(r, st->number);
    range_place(r->index, &g, st->items[st->at].item, st->place);
}

/* Makes the stream's next item known, if it has one and that may be read. */
static int fill(struct run *r, struct stream *st)
{
    while (!has_head(st) && !is_done(st) && !has_read_enough(r)) {
        uint32_t page = page_size(r, st);
        int rc = run_page(r, st, page);
        if (rc) return rc;
        st->meagre = page && st->n < page ? st->meagre + 1 : 0;
        note_head(r, st);
    }
    return 0;
}

static bool before(const struct run *r, const struct stream *a, const struct stream *b)
{
    if (!r->bp) return a->number < b->number;
    int c = place_compare(r->index, r->bp->plan->sort_fixed, a->place, b->place);
    if (r->descending) c = -c;
    return c < 0 || (c == 0 && a->number < b->number);
}

/* The key attributes of the table and of the index that was read: where a Query goes on. */
static struct slice start_key(struct run *r, struct slice item)
{
    const struct model_index *sides[] = { &r->s->model->indexes[0], r->index };
    struct attr attrs[4 * KEY_MAX_PARTS];
    struct buf b;
    size_t n = 0;
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < sides[s]->hash.n + sides[s]->sort.n; i++) {
            struct slice name = i < sides[s]->hash.n ? sides[s]->hash.attrs[i].name
                                                     : sides[s]->sort.attrs[i - sides[s]->hash.n].name;
            struct slice value;
            if (val_get(item, name, &value)) attrs[n++] = (struct attr){ name, value };
        }
    }
    buf_init(&b, r->s->arena, RUN_MAX_TOKEN);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}

/* A heap of streams: none is before the one half its number above it. Moves the one at i down to where it belongs. */
static void sink(const struct run *r, struct stream **heap, size_t n, size_t i)
{
    for (;;) {
        size_t first = i, child = 2 * i + 1;
        for (size_t c = child; c < n && c < child + 2; c++) {
            if (before(r, heap[c], heap[first])) first = c;
        }
        if (first == i) return;
        struct stream *other = heap[first];
        heap[first] = heap[i];
        heap[i] = other;
        i = first;
    }
}

/* Where the next page goes on: behind the last result; where no more could be read, behind what was read. */
static void put_token(struct run *r, bool full)
{
    for (size_t i = 0; i < r->n; i++) {
        if (is_done(&r->streams[i])) continue;
        struct slice key = full ? start_key(r, r->out->list[r->out->n - 1].item) : r->streams[i].start;
        r->out->token = page_token_write(r->s->arena, &r->prints, key);
        return;
    }
}

static int merge(struct run *r)
{
    struct stream **heap = ARENA_ARRAY(r->s->arena, struct stream *, r->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        int rc = fill(r, &r->streams[i]);
        if (rc) return rc;
        if (has_head(&r->streams[i])) heap[n++] = &r->streams[i];
    }
    for (size_t i = n / 2; i--;) sink(r, heap, n, i);
    while (n) {
        struct stream *best = heap[0];
        run_keep(r, best->items[best->at++]);
        note_head(r, best);
        if (r->limit && r->out->n == r->limit) {
            put_token(r, true);
            return 0;
        }
        int rc = fill(r, best);
        if (rc) return rc;
        if (!has_head(best)) heap[0] = heap[--n];
        sink(r, heap, n, 0);
    }
    put_token(r, false);
    return 0;
}

/* ---- going on behind a token ---- */

static bool same_partition(const struct run *r, size_t stream, struct slice key)
{
    struct segment g = whole(r, stream);
    g.range.low = g.range.high = g.range.prefix = slice_of(NULL, 0);
    return range_holds(r->index, &g, key);
}

/* The stream the token's item came from: its partition; where several share that, the one with the range. */
static size_t stream_of(const struct run *r, struct slice key, bool *inside)
{
    size_t found = r->n;
    *inside = false;
    for (size_t i = 0; i < r->n; i++) {
        if (!same_partition(r, i, key)) continue;
        struct segment g = whole(r, i);
        found = i;
        *inside = range_holds(r->index, &g, key);
        if (*inside) return i;
    }
    return found;
}

/* The range has moved on since the token was made (dates such as -30d), and its place is no longer inside: it lies
 * before all that is left, or behind everything. */
static void outside(struct run *r, size_t stream, struct slice key)
{
    struct segment g = whole(r, stream);
    const struct key_range *k = &g.range;
    struct slice v, low = k->prefix.n ? k->prefix : k->low;
    bool below = g.fixed < r->index->sort.n && low.n && val_get(key, r->index->sort.attrs[g.fixed].name, &v) &&
                 val_compare(v, low) <= 0;
    if (below != r->descending) return;
    for (size_t i = 0; i < r->n; i++) r->streams[i].segment = r->streams[i].n_segments;
}

static int resume(struct run *r)
{
    struct slice key, place[KEY_MAX_PARTS];
    int rc = page_token_read(r->s->arena, &r->prints, r->o->after, &key, r->err);
    if (rc) return rc;
    if (!r->bp) {
        r->streams[0].start = key;
        return 0;
    }
    if (!r->n) return 0; /* nothing can lie in the range */
    bool inside;
    size_t at = stream_of(r, key, &inside);
    const struct condition *range = r->bp->plan->range;
    if (at == r->n && range && range->op >= COMPARE_SINCE) {
        at = 0; /* the shard of its month is no longer asked */
    } else if (at == r->n) {
        return err_set(r->err, ERR_ValidationException,
                       "the page token names a place that this question does not read; start without one");
    }
    if (!inside) {
        outside(r, at, key);
        return 0;
    }
    struct segment g = whole(r, at);
    range_place(r->index, &g, key, place);
    for (size_t i = 0; i < r->n; i++) {
        struct stream *st = &r->streams[i];
        g = whole(r, i);
        if (i == at) st->start = key;
        else st->n_segments = range_behind(r->s->arena, r->index, &g, r->descending, place, i > at, st->segments);
    }
    return 0;
}

static void show(struct run *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct stream *st = &r->streams[i];
        if (is_done(st)) continue;
        request_show(r->o->requests, r->operation, run_request(r, r->s->arena, st, page_size(r, st)));
    }
}

static int answer(struct run *r)
{
    int rc = r->o->after.n ? resume(r) : 0;
    if (rc || !r->o->dry_run) return rc ? rc : merge(r);
    show(r);
    return 0;
}

int run_streams(struct run *r)
{
    bool ran;
    int rc;
    for (size_t i = 0; i < r->n; i++) {
        struct stream *st = &r->streams[i];
        arena_init(&st->arena, RUN_PAGE_MEMORY);
        st->number = i;
        st->n_segments = 1;
        if (r->bp) st->segments[0] = whole(r, i);
    }
    /* Pages hold memory of their own, which must be given back also when the session's runs out. */
    if (ARENA_GUARD(r->s->arena)) {
        rc = answer(r);
        ran = true;
    } else {
        rc = 0;
        ran = false;
    }
    arena_unguard(r->s->arena);
    for (size_t i = 0; i < r->n; i++) arena_free(&r->streams[i].arena);
    arena_free(&r->page);
    if (!ran) arena_fail(r->s->arena);
    return rc;
}
