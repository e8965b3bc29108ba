/* entity_writer.c: entities into a table, one after the other. */
#include "entity_writer.h"
#include "steady.h"

void writer_init(struct entity_writer *w, struct reporter *r, struct api *api, bool dry_run)
{
    *w = (struct entity_writer){ .r = r, .api = api, .dry_run = dry_run };
    w->counts = ARENA_ARRAY(r->arena, uint64_t, r->model->n_entities + 1);
    batch_init(&w->batch, r->model, r->env, api);
}

void writer_free(struct entity_writer *w)
{
    batch_free(&w->batch);
}

void writer_begin(struct entity_writer *w, struct marker *m)
{
    w->marker = m;
    w->batch.written = 0;
}

static int collect(struct entity_writer *w, const struct entity *en, struct slice item, bool *waits, struct err *e)
{
    if (w->dry_run) return 0;
    int code = batch_add(&w->batch, en, item, w->place, e);
    *waits = !code;
    return code;
}

static int put_alone(struct entity_writer *w, struct arena *a, const struct entity *en, struct slice attributes,
                     struct err *e)
{
    struct session s = { .model = w->r->model, .api = w->api, .env = w->r->env, .arena = a };
    struct write_options o = { .if_absent = false };
    struct slice result;
    return entity_put(&s, en, attributes, &o, &result, e);
}

int writer_put(struct entity_writer *w, struct arena *a, const struct entity *en, struct slice attributes, bool *waits,
               struct err *e)
{
    const struct model *m = w->r->model;
    struct slice complete = slice_of(NULL, 0);
    struct stored stored;
    *waits = false;
    int code = 0;
    if (!w->dry_run && w->marker && w->marker->path)
        code = steady_fill(a, en, w->r->env, w->marker, w->place, &attributes, e);
    if (!code) code = entity_complete(a, m, en, w->r->env, attributes, &complete, e);
    if (!code) code = entity_store(a, m, en, complete, &stored, e);
    if (code) return code;
    bool alone = en->n_copies || en->n_uniques || en->lock.n;
    if (!alone)
        code = collect(w, NULL, stored.items[0], waits, e);
    else if (batch_takes(&w->batch, en))
        code = collect(w, en, attributes, waits, e);
    else if (!w->dry_run && !(code = batch_flush(&w->batch, e))) /* in the order of the file */
        code = put_alone(w, a, en, attributes, e);
    if (!code) w->counts[en->number]++;
    return code;
}

int writer_raw(struct entity_writer *w, struct slice item, bool *waits, struct err *e)
{
    *waits = false;
    int code = collect(w, NULL, item, waits, e);
    if (!code) w->raw++;
    return code;
}

int writer_flush(struct entity_writer *w, struct err *e)
{
    return batch_flush(&w->batch, e);
}

uint64_t writer_trouble(const struct entity_writer *w)
{
    return w->batch.failed ? w->batch.trouble : w->place;
}

void writer_counts(struct buf *b, const struct entity_writer *w)
{
    const char *comma = "";
    buf_u8(b, '{');
    for (size_t i = 0; i < w->r->model->n_entities; i++) {
        if (!w->counts[i]) continue;
        buf_printf(b, "%s", comma);
        json_put_string(b, w->r->model->entities[i].name);
        buf_printf(b, ":%llu", (unsigned long long)w->counts[i]);
        comma = ",";
    }
    buf_u8(b, '}');
}
