/* load.c: data files into a table, through the model or (raw) past it. */
#include "column.h"
#include "entity_writer.h"
#include "marker.h"
#include "names.h"
#include "scratch.h"
#include "side_file.h"
#include "text_file.h"
#include "transfer.h"
#include "../item/item_json.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LINE_LEVELS 128

struct load {
    struct reporter *r;
    const struct load_options *o;
    const char *path;
    struct entity_writer writer;
    struct marker marker;
    uint64_t at;     /* lines (or records) read so far */
    uint64_t taken;  /* those of them that are done with: in the table, or waiting for their batch */
    const struct record *records; /* NULL: lines */
    uint64_t of;     /* bytes of the file, for progress; 0: not known */
    uint64_t bytes, skipped;
    bool raw;
    bool foreign;    /* the marker is of something else */
    struct slice line;
};

/* A line's (or record's) trouble with its place, and what became of those before it. */
static int at_place(struct load *l, struct err *e)
{
    struct slice what = e->message;
    uint64_t line = writer_trouble(&l->writer);
    const char *then = l->o->dry_run    ? ""
                       : l->marker.path ? "; what stands before it is loaded; mend it and run again to go on here"
                                        : "; what stands before it is loaded";
    if (!l->records)
        return err_set(e, e->code, "%s:%llu: %.*s%s", l->path, (unsigned long long)line, SLICE_ARG(what), then);
    struct place p = l->records[line - 1].place;
    return err_set(e, e->code, "%.*s:%u:%u: %.*s%s", SLICE_ARG(p.file), p.line, p.column, SLICE_ARG(what), then);
}

/* Everything up to the number is in the table. A second run that fails early has not undone the first. */
static int written(struct load *l, uint64_t number, struct err *e)
{
    return l->o->dry_run || number <= l->marker.done ? 0 : marker_set(&l->marker, number, e);
}

/* A record is in the table or waits for its piece; the marker never runs ahead of the table. */
static int taken(struct load *l, bool waits, struct err *e)
{
    if (l->o->progress.report) l->o->progress.report(l->o->progress.ctx, "bytes", l->bytes, l->of);
    return written(l, waits ? l->writer.batch.written : l->at, e);
}

static int begin(struct load *l, struct slice first, struct err *e)
{
    int code = marker_first(&l->marker, fingerprint(0, first), e);
    l->foreign = code != 0;
    return code;
}

/* After a line or record, or (code) one that cannot be loaded. What was collected before that is good, unless it was
 * just that which could not be written. */
static int finish(struct load *l, int code, struct err *e)
{
    struct err first = { .arena = e->arena };
    if (l->foreign) return code;
    if (!l->writer.batch.failed && writer_flush(&l->writer, &first)) {
        *e = first;
        code = (int)first.code;
    }
    if (!code) return written(l, l->at, e);
    struct err ignored = { .arena = e->arena };
    written(l, l->writer.batch.failed ? writer_trouble(&l->writer) - 1 : l->taken, &ignored);
    return at_place(l, e);
}

static int raw_item(struct arena *a, const struct json *n, struct slice *out, struct err *e)
{
    const struct json *item = n->count == 1 ? JSON_GET(n, "Item") : NULL;
    bool wrapped = item && item->type == JSON_OBJECT && item->first && item->first->type == JSON_OBJECT;
    return item_from_json(a, wrapped ? item : n, out, e);
}

static int plain_entity(const struct model *m, struct arena *a, const struct json *n, const struct entity **en,
                        struct slice *out, struct err *e)
{
    if (n->count != 1 || n->first->type != JSON_OBJECT)
        return err_set(e, ERR_ValidationException, "expected one entity with its attributes, like {\"Order\": {...}}");
    *en = model_entity(m, n->first->name);
    if (!*en)
        return err_set(e, ERR_ValidationException, "the model has no entity '%.*s'", SLICE_ARG(n->first->name));
    struct attr *attrs = ARENA_ARRAY(a, struct attr, n->first->count + 1);
    size_t count = 0;
    for (const struct json *c = n->first->first; c; c = c->next) {
        struct attr *at = &attrs[count];
        at->name = c->name;
        int code = value_from_exact(a, entity_attribute(*en, c->name), c->name, c, &at->value, e);
        if (code) { /* once more, for words that name the entity: no line that is good pays for them */
            struct slice path = arena_printf(a, "%.*s.%.*s", SLICE_ARG((*en)->name), SLICE_ARG(c->name));
            value_from_exact(a, entity_attribute(*en, c->name), path, c, &at->value, e);
            return code;
        }
        count++;
    }
    struct buf b;
    buf_init(&b, a, (size_t)16 << 20);
    val_put_map(&b, attrs, count);
    *out = buf_view(&b);
    return 0;
}

static int one_line(void *ctx, struct arena *a, struct err *e)
{
    struct load *l = ctx;
    size_t at;
    bool waits;
    const struct entity *en = NULL;
    struct slice value;
    const struct json *n = json_parse(a, l->line, LINE_LEVELS, &at);
    if (!n) return err_set(e, ERR_ValidationException, "not JSON, from column %zu on", at + 1);
    if (n->type != JSON_OBJECT) return err_set(e, ERR_ValidationException, "expected a JSON object");
    int code = l->raw ? raw_item(a, n, &value, e) : plain_entity(l->r->model, a, n, &en, &value, e);
    if (code) return code;
    code = l->raw ? writer_raw(&l->writer, value, &waits, e)
                     : writer_put(&l->writer, a, en, value, &waits, e);
    return code ? code : taken(l, waits, e);
}

static int all_lines(struct load *l, FILE *f, struct err *e)
{
    struct arena a;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int code = 0;
    arena_init(&a, SCRATCH_MAX);
    while (!code && (n = getline(&line, &cap, f)) >= 0) {
        l->bytes += (uint64_t)n;
        l->line = slice_of(line, (size_t)n);
        while (l->line.n && strchr("\r\n\t ", l->line.p[l->line.n - 1])) l->line.n--;
        bool done = ++l->at <= l->marker.done;
        l->writer.place = l->at;
        if (l->at == 1) code = begin(l, l->line, e);
        if (!code && !done && l->line.n) code = scratch_step(&a, one_line, l, e);
        if (!code) l->taken = l->at;
    }
    bool broken = !code && ferror(f);
    int why = errno;
    free(line);
    arena_free(&a);
    code = finish(l, code, e);
    if (!code && broken) code = err_set(e, ERR_ServiceUnavailable, "cannot read %s: %s", l->path, strerror(why));
    return code;
}

struct one_record {
    struct load *load;
    const struct record *record;
};

static int put_record(void *ctx, struct arena *a, struct err *e)
{
    struct one_record *x = ctx;
    bool waits;
    int code = writer_put(&x->load->writer, a, x->record->entity, x->record->attributes, &waits, e);
    return code ? code : taken(x->load, waits, e);
}

/* A data file is read as a whole: its records have places of their own. */
static int all_records(struct load *l, struct slice text, struct err *e)
{
    struct problems ps;
    struct record *records;
    size_t n;
    problems_init(&ps, l->r->arena);
    if (!records_read(&ps, l->r->model, slice_str(l->path), text, &records, &n)) {
        const struct problem *p = ps.first;
        return err_set(e, ERR_ValidationException, "%.*s:%u:%u: %.*s%s%.*s", SLICE_ARG(p->place.file), p->place.line,
                       p->place.column, SLICE_ARG(p->message), p->hint.n ? "; " : "", SLICE_ARG(p->hint));
    }
    struct arena a;
    int code = 0;
    l->records = records;
    arena_init(&a, SCRATCH_MAX);
    for (size_t i = 0; i < n && !code; i++) {
        struct one_record x = { l, &records[i] };
        l->writer.place = ++l->at;
        if (i == 0) code = begin(l, records[i].attributes, e);
        if (!code && l->at > l->marker.done) code = scratch_step(&a, put_record, &x, e);
        if (!code) l->taken = l->at;
    }
    arena_free(&a);
    return finish(l, code, e);
}

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static bool is_data_file(const char *path)
{
    return ends_in(path, ".yaml") || ends_in(path, ".yml") || ends_in(path, ".json");
}

static int from_file(struct load *l, FILE *f, struct err *e)
{
    struct slice text;
    if (l->raw || !is_data_file(l->path)) return all_lines(l, f, e);
    int code = text_file_read(l->r->arena, l->path, MODEL_MAX_FILE, &text, e);
    return code ? code : all_records(l, text, e);
}

static int open_marker(struct load *l, FILE *f, struct err *e)
{
    struct stat st;
    if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) return marker_init(&l->marker, NULL, 0, e);
    l->of = (uint64_t)st.st_size;
    struct slice where = l->writer.api->where;
    /* Standard input has no name: the next file that comes through it is another one. */
    bool nameless = strcmp(l->path, "-") == 0 && !l->o->resume.n;
    if (l->o->dry_run || !where.n || nameless) return marker_init(&l->marker, NULL, 0, e);
    struct slice path = l->o->resume.n ? arena_dup(l->r->arena, l->o->resume)
                                       : arena_printf(l->r->arena, "%s.onefold-load", l->path);
    /* Not the file's size or number: a file that was mended is another one by those. */
    uint64_t identity = marker_identity(l->r->model->fingerprint ^ l->raw, l->r->model->table, where);
    return marker_init(&l->marker, (const char *)arena_printf(l->r->arena, "%.*s", SLICE_ARG(path)).p, identity, e);
}

/* One file with the writer, which counts over all files. */
static int load_open(struct load *l, FILE *f, struct err *e)
{
    l->at = l->taken = l->bytes = l->of = 0;
    l->records = NULL;
    int code = open_marker(l, f, e);
    if (!code) {
        l->skipped += l->marker.done;
        writer_begin(&l->writer, &l->marker);
        code = from_file(l, f, e);
        if (!code) marker_remove(&l->marker);
        marker_free(&l->marker);
    }
    return code;
}

static int load_file(struct load *l, struct err *e)
{
    if (strcmp(l->path, "-") == 0) return load_open(l, stdin, e);
    FILE *f = fopen(l->path, "r");
    if (!f) return err_set(e, ERR_ValidationException, "cannot read %s: %s", l->path, strerror(errno));
    int code = load_open(l, f, e);
    fclose(f);
    return code;
}

static int is_ndjson(const struct dirent *d)
{
    return ends_in(d->d_name, ".ndjson");
}

/* What unfold wrote: a file per entity, and one with items that are none of the model's. */
static int load_folder(struct load *l, const char *folder, struct err *e)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_ndjson, alphasort), code = 0;
    if (n < 0) return err_set(e, ERR_ValidationException, "cannot read %s: %s", folder, strerror(errno));
    if (n == 0) code = err_set(e, ERR_ValidationException, "%s holds no .ndjson files", folder);
    for (int i = 0; i < n; i++) {
        if (!code) {
            l->path = (const char *)arena_printf(l->r->arena, "%s/%s", folder, names[i]->d_name).p;
            l->raw = l->o->raw || strcmp(names[i]->d_name, TABLE_OTHERS ".ndjson") == 0;
            code = load_file(l, e);
        }
        free(names[i]);
    }
    free(names);
    return code;
}

static void put_report(struct reporter *r, struct load *l)
{
    BUF_LIT(r->out, "{\"loaded\":");
    writer_counts(r->out, &l->writer);
    buf_printf(r->out, ",\"raw\":%llu,\"before\":%llu,\"dryRun\":%s}", (unsigned long long)l->writer.raw,
               (unsigned long long)l->skipped, l->o->dry_run ? "true" : "false");
}

static int load_data(struct load *l, struct slice file, struct err *e)
{
    struct slice text;
    int code = side_file_read(l->r->arena, l->r->model, file, MODEL_MAX_FILE, &text, e);
    if (code) return code;
    l->path = (const char *)arena_printf(l->r->arena, "%.*s", SLICE_ARG(file)).p;
    l->at = l->taken = l->bytes = l->of = 0;
    code = marker_init(&l->marker, NULL, 0, e);
    if (code) return code;
    writer_begin(&l->writer, &l->marker);
    code = all_records(l, text, e);
    marker_free(&l->marker);
    return code;
}

int report_load_sample(struct reporter *r, struct api *api)
{
    static const struct load_options none;
    struct load l = { .r = r, .o = &none };
    int code = 0;
    writer_init(&l.writer, r, api, false);
    for (size_t i = 0; i < r->model->n_data && !code; i++) code = load_data(&l, r->model->data[i], r->err);
    if (!code) put_report(r, &l);
    writer_free(&l.writer);
    return code;
}

int report_load(struct reporter *r, struct api *api, const char *path, const struct load_options *o)
{
    struct load l = { .r = r, .o = o, .path = path, .raw = o->raw };
    struct stat st;
    writer_init(&l.writer, r, api, o->dry_run);
    int code = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? load_folder(&l, path, r->err) : load_file(&l, r->err);
    if (!code) put_report(r, &l);
    writer_free(&l.writer);
    return code;
}
