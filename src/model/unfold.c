/* unfold.c: the way out for analysis: one relational table per entity. Copies and sentinels are left behind: folding computes
 * them again. */
#include "sink.h"
#include "table_scan.h"
#include "transfer.h"

/* Items of one entity by schema version; versions beyond these are counted together in the last. */
#define MAX_VERSIONS 64

struct counts {
    uint64_t rows, versions[MAX_VERSIONS];
};

struct unfold {
    struct reporter *r;
    const struct unfold_options *o;
    const struct entity *only;
    struct sink *sink;
    struct counts *entities;
    uint64_t seen, copies, sentinels, others;
};

static int each(void *ctx, struct arena *page, struct slice item, struct err *e)
{
    struct unfold *u = ctx;
    struct identity id = item_identify(page, u->r->model, item);
    u->seen++;
    if (id.sentinel) {
        u->sentinels += !id.marker;
        return 0;
    }
    if (u->only && id.entity != u->only) return 0;
    if (!id.entity || !id.path) {
        u->others++;
        return u->sink->other(u->sink, page, item, e);
    }
    if (id.path->kind == PATH_COPY) {
        u->copies++;
        return 0;
    }
    struct counts *c = &u->entities[id.entity->number];
    c->rows++;
    c->versions[id.schema < MAX_VERSIONS ? id.schema : MAX_VERSIONS - 1]++;
    return u->sink->row(u->sink, page, id.entity, item_attributes(page, u->r->model, id.entity, item, true), e);
}

static void after_page(void *ctx)
{
    struct unfold *u = ctx;
    if (u->o->progress.report) u->o->progress.report(u->o->progress.ctx, "items", u->seen, 0);
}

static void put_versions(struct buf *b, const struct unfold *u)
{
    const struct model *m = u->r->model;
    const char *before = "";
    BUF_LIT(b, ",\"schema\":{");
    for (size_t i = 0; i < m->n_entities; i++) {
        if (!u->entities[i].rows) continue;
        buf_printf(b, "%s", before);
        json_put_string(b, m->entities[i].name);
        BUF_LIT(b, ":{");
        const char *comma = "";
        for (unsigned v = 0; v < MAX_VERSIONS; v++) {
            if (!u->entities[i].versions[v]) continue;
            buf_printf(b, "%s\"%u\":%llu", comma, v, (unsigned long long)u->entities[i].versions[v]);
            comma = ",";
        }
        buf_u8(b, '}');
        before = ",";
    }
    buf_u8(b, '}');
}

static void put_report(struct buf *b, const struct unfold *u)
{
    const struct model *m = u->r->model;
    const char *before = "";
    BUF_LIT(b, "{\"to\":");
    json_put_string(b, slice_str(u->o->to));
    BUF_LIT(b, ",\"rows\":{");
    for (size_t i = 0; i < m->n_entities; i++) {
        if (u->only && u->only != &m->entities[i]) continue;
        buf_printf(b, "%s", before);
        json_put_string(b, m->entities[i].name);
        buf_printf(b, ":%llu", (unsigned long long)u->entities[i].rows);
        before = ",";
    }
    buf_printf(b, "},\"copies\":%llu,\"sentinels\":%llu,\"others\":%llu", (unsigned long long)u->copies,
               (unsigned long long)u->sentinels, (unsigned long long)u->others);
    if (m->schema_attribute.n) put_versions(b, u);
    buf_u8(b, '}');
}

static int open_sink(struct unfold *u)
{
    static const struct {
        const char *name;
        int (*open)(struct sink **, const struct model *, const char *, struct err *);
    } formats[] = { { "sqlite", sink_sqlite }, { "csv", sink_csv }, { "ndjson", sink_ndjson } };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, u->o->format) == 0)
            return formats[i].open(&u->sink, u->r->model, u->o->to, u->r->err);
    return err_set(u->r->err, ERR_ValidationException, "there is no format '%s'; it is sqlite, csv or ndjson",
                   u->o->format);
}

int report_unfold(struct reporter *r, struct api *api, const struct unfold_options *o)
{
    struct unfold u = { .r = r, .o = o };
    u.entities = ARENA_ARRAY(r->arena, struct counts, r->model->n_entities + 1);
    if (o->entity.n && !(u.only = model_entity(r->model, o->entity)))
        return err_set(r->err, ERR_ValidationException, "the model has no entity '%.*s'", SLICE_ARG(o->entity));
    int code = open_sink(&u);
    if (code) return code;
    struct table_scan scan = { api, r->model->table, each, after_page, &u };
    code = table_scan(&scan, r->err);
    if (!code) code = u.sink->finish(u.sink, r->err);
    u.sink->close(u.sink);
    if (!code) put_report(r->out, &u);
    return code;
}
