/* source_sqlite.c: fold from an SQLite file. */
#include "source.h"
#include <stdlib.h>

struct sqlite_source {
    struct source source;
    struct sqlite_db *db;
    struct sqlite_rows *rows;
};

static const char *quoted(struct arena *a, const char *before, struct slice name, const char *after)
{
    struct buf b;
    buf_init(&b, a, (size_t)1 << 20);
    buf_printf(&b, "%s", before);
    sqlite_put_name(&b, name);
    buf_printf(&b, "%s", after);
    buf_u8(&b, 0);
    return (const char *)b.p;
}

static void take_columns(struct sqlite_source *s, struct arena *a, const struct slice **out, size_t *n)
{
    *n = (size_t)sqlite_rows_columns(s->rows);
    struct slice *names = ARENA_ARRAY(a, struct slice, *n + 1);
    for (size_t i = 0; i < *n; i++) names[i] = arena_dup(a, sqlite_rows_name(s->rows, (int)i));
    *out = names;
}

static void end(struct source *base)
{
    struct sqlite_source *s = (struct sqlite_source *)base;
    sqlite_rows_end(s->rows);
    s->rows = NULL;
}

static int begin(struct source *base, struct arena *a, struct slice from, bool query, struct err *e)
{
    struct sqlite_source *s = (struct sqlite_source *)base;
    /* By rowid, so that a second run finds the rows in the same order; a table WITHOUT ROWID has its key's. */
    const char *text = query ? (const char *)arena_printf(a, "%.*s", SLICE_ARG(from)).p
                             : quoted(a, "select * from ", from, " order by rowid");
    end(base);
    int code = sqlite_db_prepare(s->db, text, &s->rows, e);
    if (code && !query) {
        e->code = 0;
        code = sqlite_db_prepare(s->db, quoted(a, "select * from ", from, ""), &s->rows, e);
    }
    if (code) return code;
    take_columns(s, a, &base->columns, &base->n_columns);
    base->at = 0;
    return 0;
}

static int next(struct source *base, struct arena *a, struct sqlite_value **cells, bool *row, struct err *e)
{
    struct sqlite_source *s = (struct sqlite_source *)base;
    int code = sqlite_rows_step(s->rows, row, e);
    if (code || !*row) return code;
    base->at++;
    *cells = ARENA_ARRAY(a, struct sqlite_value, base->n_columns + 1);
    for (size_t i = 0; i < base->n_columns; i++) {
        (*cells)[i] = sqlite_rows_value(s->rows, (int)i);
        (*cells)[i].bytes = arena_dup(a, (*cells)[i].bytes);
    }
    return 0;
}

static void close_source(struct source *base)
{
    struct sqlite_source *s = (struct sqlite_source *)base;
    end(base);
    sqlite_db_close(s->db);
    free(s);
}

static int list_tables(struct sqlite_source *s, struct arena *a, struct err *e)
{
    static const char sql[] = "select name from sqlite_schema where type in ('table', 'view') and "
                              "name not like 'sqlite\\_%' escape '\\' order by name";
    struct source_table *tables = NULL;
    size_t n = 0, cap = 0;
    bool row;
    int code = sqlite_db_prepare(s->db, sql, &s->rows, e);
    while (!code && !(code = sqlite_rows_step(s->rows, &row, e)) && row) {
        if (n == cap) {
            struct source_table *more = ARENA_ARRAY(a, struct source_table, cap = cap ? cap * 2 : 16);
            if (n) memcpy(more, tables, n * sizeof *tables);
            tables = more;
        }
        tables[n++].name = arena_dup(a, sqlite_rows_value(s->rows, 0).bytes);
    }
    end(&s->source);
    for (size_t i = 0; i < n && !code; i++) {
        code = sqlite_db_prepare(s->db, quoted(a, "select * from ", tables[i].name, " limit 0"), &s->rows, e);
        if (!code) take_columns(s, a, &tables[i].columns, &tables[i].n);
        end(&s->source);
    }
    s->source.tables = tables;
    s->source.n = n;
    return code;
}

int source_sqlite(struct source **out, struct arena *a, const char *path, struct err *e)
{
    struct sqlite_source *s = calloc(1, sizeof *s);
    if (!s) return err_set(e, ERR_InternalServerError, "out of memory");
    s->source = (struct source){ .begin = begin, .next = next, .end = end, .close = close_source };
    int code = sqlite_db_open(&s->db, path, false, e);
    if (code) {
        free(s);
        return code;
    }
    code = list_tables(s, a, e);
    if (code) {
        close_source(&s->source);
        return code;
    }
    *out = &s->source;
    return 0;
}
