/* sink_files.c: unfold into a folder: a CSV or NDJSON file per entity. */
#include "sink.h"
#include "column.h"
#include "../base/csv.h"
#include "../item/item_json.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_sink {
    struct sink sink;
    const struct model *model;
    bool csv, finished;
    char *folder;
    FILE *other;
    FILE *files[]; /* by entity number; NULL: not opened */
};

#define LINE_MAX_BYTES ((size_t)16 << 20)

static int failed(struct file_sink *s, const char *what, struct err *e)
{
    return err_set(e, ERR_ServiceUnavailable, "cannot write %s in %s: %s", what, s->folder, strerror(errno));
}

static FILE *open_file(struct file_sink *s, struct arena *a, struct slice name, const char *end)
{
    struct slice path = arena_printf(a, "%s/%.*s%s", s->folder, SLICE_ARG(name), end);
    int fd = open((const char *)path.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f && fd >= 0) close(fd);
    return f;
}

static int put(FILE *f, const struct buf *b)
{
    return fwrite(b->p, 1, b->n, f) == b->n ? 0 : -1;
}

static int csv_header(FILE *f, struct arena *a, const struct entity *en)
{
    struct buf b;
    buf_init(&b, a, LINE_MAX_BYTES);
    for (size_t i = 0; i < en->n_attributes; i++)
        csv_put(&b, (struct csv_field){ en->attributes[i].name, false }, i == 0);
    csv_put(&b, (struct csv_field){ COLUMN_MORE, false }, en->n_attributes == 0);
    csv_end(&b);
    return put(f, &b);
}

static int entity_file(struct file_sink *s, struct arena *a, const struct entity *en, struct err *e)
{
    if (s->files[en->number]) return 0;
    s->files[en->number] = open_file(s, a, en->name, s->csv ? ".csv" : ".ndjson");
    if (!s->files[en->number] || (s->csv && csv_header(s->files[en->number], a, en)))
        return failed(s, "a file", e);
    return 0;
}

static void csv_line(struct buf *b, struct arena *a, const struct entity *en, struct slice attributes)
{
    for (size_t i = 0; i < en->n_attributes; i++) {
        struct slice value;
        bool there = val_get(attributes, en->attributes[i].name, &value);
        struct csv_field f = { .nothing = !there || !cell_fits(&en->attributes[i], value) };
        if (!f.nothing) f.text = cell_text(a, &en->attributes[i], value);
        csv_put(b, f, i == 0);
    }
    struct slice more = cell_more(a, en, attributes);
    csv_put(b, (struct csv_field){ more, more.n == 0 }, en->n_attributes == 0);
    csv_end(b);
}

static void ndjson_line(struct buf *b, struct arena *a, const struct entity *en, struct slice attributes)
{
    struct val_iter it;
    struct slice name, value;
    const char *before = "";
    buf_u8(b, '{');
    json_put_string(b, en->name);
    BUF_LIT(b, ":{");
    val_iter_init(&it, attributes);
    while (val_next(&it, &name, &value)) {
        buf_printf(b, "%s", before);
        json_put_string(b, name);
        buf_u8(b, ':');
        buf_slice(b, exact_json(a, entity_attribute(en, name), name, value));
        before = ",";
    }
    BUF_LIT(b, "}}\n");
}

static int row(struct sink *base, struct arena *a, const struct entity *en, struct slice attributes, struct err *e)
{
    struct file_sink *s = (struct file_sink *)base;
    int code = entity_file(s, a, en, e);
    if (code) return code;
    struct buf b;
    buf_init(&b, a, LINE_MAX_BYTES);
    if (s->csv) {
        csv_line(&b, a, en, attributes);
    } else {
        ndjson_line(&b, a, en, attributes);
    }
    return put(s->files[en->number], &b) ? failed(s, "a row", e) : 0;
}

static int other(struct sink *base, struct arena *a, struct slice item, struct err *e)
{
    struct file_sink *s = (struct file_sink *)base;
    struct buf text, b;
    buf_init(&text, a, LINE_MAX_BYTES);
    item_to_json(&text, item);
    buf_init(&b, a, 2 * LINE_MAX_BYTES);
    if (!s->other) {
        s->other = open_file(s, a, SLICE(TABLE_OTHERS), s->csv ? ".csv" : ".ndjson");
        if (!s->other) return failed(s, "a file", e);
        if (s->csv) BUF_LIT(&b, "item\r\n");
    }
    if (s->csv) {
        csv_put(&b, (struct csv_field){ buf_view(&text), false }, true);
        csv_end(&b);
    } else {
        buf_slice(&b, buf_view(&text));
        buf_u8(&b, '\n');
    }
    return put(s->other, &b) ? failed(s, "an item", e) : 0;
}

static int flush(FILE *f)
{
    return f && (fflush(f) || fsync(fileno(f))) ? -1 : 0;
}

static int finish(struct sink *base, struct err *e)
{
    struct file_sink *s = (struct file_sink *)base;
    for (size_t i = 0; i < s->model->n_entities; i++)
        if (flush(s->files[i])) return failed(s, "a file", e);
    if (flush(s->other)) return failed(s, "a file", e);
    s->finished = true;
    return 0;
}

static void close_file(struct file_sink *s, FILE *f, struct slice name)
{
    char *path;
    if (!f) return;
    fclose(f);
    if (s->finished || asprintf(&path, "%s/%.*s%s", s->folder, SLICE_ARG(name), s->csv ? ".csv" : ".ndjson") < 0) return;
    unlink(path);
    free(path);
}

static void close_sink(struct sink *base)
{
    struct file_sink *s = (struct file_sink *)base;
    for (size_t i = 0; i < s->model->n_entities; i++) close_file(s, s->files[i], s->model->entities[i].name);
    close_file(s, s->other, SLICE(TABLE_OTHERS));
    if (!s->finished) rmdir(s->folder);
    free(s->folder);
    free(s);
}

static int make(struct sink **out, const struct model *m, const char *to, bool csv, struct err *e)
{
    if (mkdir(to, 0700))
        return err_set(e, ERR_ValidationException, errno == EEXIST ? "%s is there already; give a name that is free"
                                                                   : "cannot make the folder %s", to);
    struct file_sink *s = calloc(1, sizeof *s + m->n_entities * sizeof *s->files);
    char *folder = s ? strdup(to) : NULL;
    if (!folder) {
        rmdir(to);
        free(s);
        return err_set(e, ERR_InternalServerError, "out of memory");
    }
    s->sink = (struct sink){ row, other, finish, close_sink };
    s->model = m;
    s->csv = csv;
    s->folder = folder;
    int code = 0;
    /* An entity without items still has its columns. */
    for (size_t i = 0; i < m->n_entities && csv && !code; i++) code = entity_file(s, e->arena, &m->entities[i], e);
    if (code) {
        close_sink(&s->sink);
        return code;
    }
    *out = &s->sink;
    return 0;
}

int sink_csv(struct sink **out, const struct model *m, const char *to, struct err *e)
{
    return make(out, m, to, true, e);
}

int sink_ndjson(struct sink **out, const struct model *m, const char *to, struct err *e)
{
    return make(out, m, to, false, e);
}
