/* sink_sqlite.c: unfold into an SQLite file. Tables are STRICT, so that SQLite stores what it is given: a column of
 * numbers is ANY, because a 38-digit number is kept as text there and must not become a rounded real. */
#include "sink.h"
#include "column.h"
#include "../item/item_json.h"
#include <stdlib.h>
#include <unistd.h>

struct sqlite_sink {
    struct sink sink;
    const struct model *model;
    struct sqlite_db *db;
    struct sqlite_rows *other;
    char *path;
    bool finished;
    struct sqlite_rows *inserts[]; /* by entity number */
};

#define SQL_MAX ((size_t)1 << 20)

static const char *column_type(enum val_type t)
{
    switch (t) {
    case TYPE_N: return "ANY";
    case TYPE_BOOL: return "INTEGER";
    case TYPE_B: return "BLOB";
    default: return "TEXT";
    }
}

static const char *sql(struct buf *b)
{
    buf_u8(b, 0);
    return (const char *)b->p;
}

static int make_table(struct sqlite_sink *s, struct arena *a, const struct entity *en, struct err *e)
{
    struct buf b;
    buf_init(&b, a, SQL_MAX);
    BUF_LIT(&b, "create table ");
    sqlite_put_name(&b, en->name);
    BUF_LIT(&b, " (");
    for (size_t i = 0; i < en->n_attributes; i++) {
        sqlite_put_name(&b, en->attributes[i].name);
        buf_printf(&b, " %s, ", column_type(en->attributes[i].type));
    }
    sqlite_put_name(&b, COLUMN_MORE);
    BUF_LIT(&b, " TEXT) strict");
    int code = sqlite_db_do(s->db, sql(&b), e);
    if (code) return code;

    buf_init(&b, a, SQL_MAX);
    BUF_LIT(&b, "insert into ");
    sqlite_put_name(&b, en->name);
    BUF_LIT(&b, " values (?");
    for (size_t i = 0; i < en->n_attributes; i++) BUF_LIT(&b, ", ?");
    BUF_LIT(&b, ")");
    return sqlite_db_prepare(s->db, sql(&b), &s->inserts[en->number], e);
}

static int step(struct sqlite_rows *rows, struct err *e)
{
    bool more;
    int code = sqlite_rows_step(rows, &more, e);
    sqlite_rows_again(rows);
    return code;
}

static int row(struct sink *base, struct arena *a, const struct entity *en, struct slice attributes, struct err *e)
{
    struct sqlite_sink *s = (struct sqlite_sink *)base;
    struct sqlite_rows *rows = s->inserts[en->number];
    for (size_t i = 0; i < en->n_attributes; i++) {
        struct slice value;
        if (val_get(attributes, en->attributes[i].name, &value) && cell_fits(&en->attributes[i], value))
            sqlite_rows_bind(rows, (int)i + 1, cell_from_value(a, &en->attributes[i], value));
    }
    struct slice more = cell_more(a, en, attributes);
    if (more.n)
        sqlite_rows_bind(rows, (int)en->n_attributes + 1,
                         (struct sqlite_value){ .kind = SQLITE_VALUE_TEXT, .bytes = more });
    return step(rows, e);
}

static int other(struct sink *base, struct arena *a, struct slice item, struct err *e)
{
    struct sqlite_sink *s = (struct sqlite_sink *)base;
    if (!s->other) {
        int code = sqlite_db_do(s->db, "create table " TABLE_OTHERS " (item TEXT) strict", e);
        if (!code) code = sqlite_db_prepare(s->db, "insert into " TABLE_OTHERS " values (?)", &s->other, e);
        if (code) return code;
    }
    struct buf b;
    buf_init(&b, a, (size_t)8 << 20);
    item_to_json(&b, item);
    sqlite_rows_bind(s->other, 1, (struct sqlite_value){ .kind = SQLITE_VALUE_TEXT, .bytes = buf_view(&b) });
    return step(s->other, e);
}

static int finish(struct sink *base, struct err *e)
{
    struct sqlite_sink *s = (struct sqlite_sink *)base;
    int code = sqlite_db_do(s->db, "commit", e);
    s->finished = !code;
    return code;
}

static void close_sink(struct sink *base)
{
    struct sqlite_sink *s = (struct sqlite_sink *)base;
    for (size_t i = 0; i < s->model->n_entities; i++) sqlite_rows_end(s->inserts[i]);
    sqlite_rows_end(s->other);
    sqlite_db_close(s->db);
    if (s->db && !s->finished) unlink(s->path);
    free(s->path);
    free(s);
}

int sink_sqlite(struct sink **out, const struct model *m, const char *to, struct err *e)
{
    struct sqlite_sink *s = calloc(1, sizeof *s + m->n_entities * sizeof *s->inserts);
    char *path = s ? strdup(to) : NULL;
    if (!path) {
        free(s);
        return err_set(e, ERR_InternalServerError, "out of memory");
    }
    s->sink = (struct sink){ row, other, finish, close_sink };
    s->model = m;
    s->path = path;
    int code = sqlite_db_open(&s->db, to, true, e);
    if (code) {
        free(path);
        free(s);
        return code;
    }
    /* One transaction: a row each would be synced one by one. */
    code = sqlite_db_do(s->db, "begin", e);
    for (size_t i = 0; i < m->n_entities && !code; i++) code = make_table(s, e->arena, &m->entities[i], e);
    if (code) {
        close_sink(&s->sink);
        return code;
    }
    *out = &s->sink;
    return 0;
}
