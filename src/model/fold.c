/* fold.c: brings a multi-table world into one table: entity by entity, each row made an entity, checked, completed and
 * written with all that belongs to it. A marker per entity remembers how far it got. */
#include "column.h"
#include "entity_writer.h"
#include "fold_map.h"
#include "marker.h"
#include "names.h"
#include "scratch.h"
#include "transfer.h"
#include <stdio.h>
#include <unistd.h>

struct fold {
    struct reporter *r;
    const struct fold_options *o;
    const char *path;
    struct source *source;
    struct fold_map *maps;
    struct entity_writer writer;
    uint64_t *read, *skipped;   /* by entity number; one more for others */
    /* of the entity under way */
    const struct fold_map *map; /* NULL: the items that are none of the model's */
    const char *label;
    int *places;                /* column of each attribute, -1: none; last: of what is not declared */
    struct marker marker;
    bool foreign;               /* which is of something else */
    uint64_t row;               /* read last */
    uint64_t taken;             /* and the last that is in the table or waits for its batch */
    bool more;
};

static const char *marker_path(struct fold *f, struct slice entity)
{
    return (const char *)arena_printf(f->r->arena, "%s.onefold-fold.%.*s", f->path, SLICE_ARG(entity)).p;
}

static int column_place(const struct source *s, struct slice name)
{
    for (size_t i = 0; i < s->n_columns; i++)
        if (slice_eq(s->columns[i], name)) return (int)i;
    return -1;
}

static int find_columns(struct fold *f, struct err *e)
{
    const struct entity *en = f->map->entity;
    f->places = ARENA_ARRAY(f->r->arena, int, en->n_attributes + 1);
    for (size_t k = 0; k <= en->n_attributes; k++) {
        struct slice name = k < en->n_attributes ? f->map->columns[k] : f->map->more;
        f->places[k] = name.n ? column_place(f->source, name) : -1;
        if (name.n && f->places[k] < 0)
            return err_set(e, ERR_ValidationException, "%.*s: '%.*s' has no column '%.*s'", SLICE_ARG(en->name),
                           SLICE_ARG(f->map->from), SLICE_ARG(name));
    }
    return 0;
}

/* A row's cells as attributes of the entity. */
static int attributes_of(struct fold *f, struct arena *a, const struct sqlite_value *cells, struct slice *out,
                         struct err *e)
{
    const struct entity *en = f->map->entity;
    struct slice more = slice_of(NULL, 0);
    int extra = f->places[en->n_attributes], code;
    if (extra >= 0 && cells[extra].kind != SQLITE_VALUE_NULL) {
        code = item_from_cell(a, cells[extra].bytes, &more, e);
        if (code) return code;
    }
    struct attr *attrs = ARENA_ARRAY(a, struct attr, en->n_attributes + (more.n ? val_count(more) : 0) + 1);
    size_t n = 0;
    for (size_t k = 0; k < en->n_attributes; k++) {
        if (f->places[k] < 0) continue;
        struct attr *at = &attrs[n];
        at->name = en->attributes[k].name;
        code = value_from_cell(a, &en->attributes[k], cells[f->places[k]], &at->value, e);
        if (code) return code;
        n += at->value.n > 0;
    }
    if (more.n) {
        struct val_iter it;
        val_iter_init(&it, more);
        while (val_next(&it, &attrs[n].name, &attrs[n].value)) n++;
    }
    struct buf b;
    buf_init(&b, a, (size_t)16 << 20);
    val_put_map(&b, attrs, n);
    *out = buf_view(&b);
    return 0;
}

static int put_row(struct fold *f, struct arena *a, const struct sqlite_value *cells, bool *waits, struct err *e)
{
    struct slice value;
    if (!f->map) {
        int code = item_from_cell(a, cells[0].bytes, &value, e);
        return code ? code : writer_raw(&f->writer, value, waits, e);
    }
    int code = attributes_of(f, a, cells, &value, e);
    return code ? code : writer_put(&f->writer, a, f->map->entity, value, waits, e);
}

static int mark(struct fold *f, uint64_t row, struct err *e)
{
    if (f->o->progress.report) f->o->progress.report(f->o->progress.ctx, f->label, f->row, 0);
    return f->o->dry_run || row <= f->marker.done ? 0 : marker_set(&f->marker, row, e);
}

/* The first row tells whether it is still the same source. */
static int begin(struct fold *f, const struct sqlite_value *cells, struct err *e)
{
    uint64_t h = 0;
    for (size_t i = 0; i < f->source->n_columns; i++) {
        h = fingerprint(h ^ cells[i].kind, cells[i].bytes);
        h = fingerprint(h, slice_of(&cells[i].integer, sizeof cells[i].integer));
        h = fingerprint(h, slice_of(&cells[i].real, sizeof cells[i].real));
    }
    int code = marker_first(&f->marker, h, e);
    f->foreign = code != 0;
    return code;
}

static int step(void *ctx, struct arena *a, struct err *e)
{
    struct fold *f = ctx;
    struct sqlite_value *cells;
    bool waits = false;
    int code = f->source->next(f->source, a, &cells, &f->more, e);
    if (code || !f->more) return code;
    f->writer.place = ++f->row;
    if (f->row == 1) code = begin(f, cells, e);
    if (code || f->row <= f->marker.done) return code;
    code = put_row(f, a, cells, &waits, e);
    return code ? code : mark(f, waits ? f->writer.batch.written : f->row, e);
}

static int all_rows(struct fold *f, struct err *e)
{
    struct arena a;
    int code = 0;
    arena_init(&a, SCRATCH_MAX);
    f->row = f->taken = 0;
    for (f->more = true; !code && f->more;) {
        f->writer.place = f->row + 1;
        code = scratch_step(&a, step, f, e);
        if (!code) f->taken = f->row;
    }
    arena_free(&a);
    /* What was collected before a bad row is good, unless it was just that which could not be written. */
    struct err first = { .arena = e->arena };
    if (!f->writer.batch.failed && writer_flush(&f->writer, &first)) {
        *e = first;
        code = (int)first.code;
    }
    if (!code) return mark(f, f->row, e);
    struct err ignored = { .arena = e->arena };
    mark(f, f->writer.batch.failed ? writer_trouble(&f->writer) - 1 : f->taken, &ignored);
    return code;
}

/* Which row it was. Only of the one read last is it known where it stands. */
static int at_row(struct fold *f, struct slice name, struct slice from, struct err *e)
{
    uint64_t row = writer_trouble(&f->writer);
    struct slice what = e->message, line = slice_of(NULL, 0);
    if (!f->writer.batch.failed)
        line = arena_printf(e->arena, "line or row %llu of ", (unsigned long long)f->source->at);
    return err_set(e, e->code, "%.*s, row %llu (%.*s'%.*s'): %.*s%s", SLICE_ARG(name), (unsigned long long)row,
                   SLICE_ARG(line), SLICE_ARG(from), SLICE_ARG(what),
                   !f->marker.path ? "" : "; the rows before it are in the table; run again to go on here");
}

static int one_table(struct fold *f, struct slice from, bool query, struct slice name, size_t number, struct err *e)
{
    struct slice where = f->writer.api->where;
    uint64_t identity = marker_identity(f->r->model->fingerprint, f->r->model->table, where);
    int code = marker_init(&f->marker, f->o->dry_run || !where.n ? NULL : marker_path(f, name), identity, e);
    if (code) return code;
    f->skipped[number] = f->marker.done;
    writer_begin(&f->writer, &f->marker);
    f->label = (const char *)arena_printf(f->r->arena, "rows of %.*s", SLICE_ARG(name)).p;
    code = f->source->begin(f->source, f->r->arena, from, query, e);
    if (!code && f->map) code = find_columns(f, e);
    if (!code) {
        code = all_rows(f, e);
        if (code && !f->foreign) code = at_row(f, name, from, e);
    }
    f->read[number] = f->row;
    f->source->end(f->source);
    marker_free(&f->marker);
    return code;
}

static int others(struct fold *f, struct err *e)
{
    for (size_t i = 0; i < f->source->n; i++) {
        if (!slice_eq(f->source->tables[i].name, SLICE(TABLE_OTHERS))) continue;
        f->map = NULL;
        return one_table(f, SLICE(TABLE_OTHERS), false, SLICE(TABLE_OTHERS), f->r->model->n_entities, e);
    }
    return 0;
}

static int all_tables(struct fold *f, const struct entity *only, struct err *e)
{
    const struct model *m = f->r->model;
    int code = 0;
    bool any = false;
    for (size_t i = 0; i < m->n_entities && !code; i++) {
        f->map = &f->maps[i];
        if (!f->map->from.n || (only && only != f->map->entity)) continue;
        any = true;
        code = one_table(f, f->map->from, f->map->query, f->map->entity->name, i, e);
    }
    if (!code && !only) code = others(f, e);
    if (!code && !any)
        code = err_set(e, ERR_ValidationException,
                       "no table of %s has the name of an entity of the model; say with --mapping which is which", f->path);
    return code;
}

/* Of what was folded now: another entity may still be on its way. */
static void remove_markers(struct fold *f, const struct entity *only)
{
    const struct model *m = f->r->model;
    for (size_t i = 0; i < m->n_entities; i++)
        if (!only || only == &m->entities[i]) unlink(marker_path(f, m->entities[i].name));
    if (!only) unlink(marker_path(f, SLICE(TABLE_OTHERS)));
}

static void put_counts(struct buf *b, const struct model *m, const struct fold *f)
{
    const char *comma = "";
    BUF_LIT(b, ",\"entities\":{");
    for (size_t i = 0; i <= m->n_entities; i++) {
        bool other = i == m->n_entities;
        uint64_t written = other ? f->writer.raw : f->writer.counts[i];
        if (!f->read[i] && (other || !f->maps[i].from.n)) continue;
        buf_printf(b, "%s", comma);
        json_put_string(b, other ? SLICE(TABLE_OTHERS) : m->entities[i].name);
        buf_printf(b, ":{\"rows\":%llu,\"written\":%llu,\"before\":%llu}", (unsigned long long)f->read[i],
                   (unsigned long long)written, (unsigned long long)f->skipped[i]);
        comma = ",";
    }
    buf_u8(b, '}');
}

int report_fold(struct reporter *r, struct api *api, const char *path, const struct fold_options *o)
{
    struct fold f = { .r = r, .o = o, .path = path };
    const struct entity *only = NULL;
    if (o->entity.n && !(only = model_entity(r->model, o->entity)))
        return err_set(r->err, ERR_ValidationException, "the model has no entity '%.*s'", SLICE_ARG(o->entity));
    f.read = ARENA_ARRAY(r->arena, uint64_t, r->model->n_entities + 1);
    f.skipped = ARENA_ARRAY(r->arena, uint64_t, r->model->n_entities + 1);
    int code = source_open(&f.source, r->arena, path, r->err);
    if (code) return code;
    code = o->mapping ? fold_map_read(r->arena, r->model, f.source, o->mapping, &f.maps, r->err)
                      : fold_map_guess(r->arena, r->model, f.source, &f.maps);
    if (!code) {
        writer_init(&f.writer, r, api, o->dry_run);
        code = all_tables(&f, only, r->err);
        if (!code) {
            if (!o->dry_run && api->where.n) remove_markers(&f, only);
            BUF_LIT(r->out, "{\"mapping\":");
            fold_map_to_json(r->out, r->model, f.source, f.maps);
            put_counts(r->out, r->model, &f);
            buf_printf(r->out, ",\"dryRun\":%s}", o->dry_run ? "true" : "false");
        }
        writer_free(&f.writer);
    }
    f.source->close(f.source);
    return code;
}
