/* source_csv.c: fold from CSV files: a folder of them, or one. The first line of each names its columns. */
#include "source.h"
#include "../base/csv.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct csv_source {
    struct source source;
    char **paths; /* by table */
    size_t n_paths;
    FILE *file;
    struct csv_reader reader;
};

static void end(struct source *base)
{
    struct csv_source *s = (struct csv_source *)base;
    if (s->file) fclose(s->file);
    s->file = NULL;
}

static int bad_line(struct csv_source *s, const char *problem, struct err *e)
{
    return err_set(e, ERR_ValidationException, "line %u: %s", s->reader.line, problem);
}

/* Opens a file and reads its first line. */
static int start(struct csv_source *s, struct arena *a, const char *path, const struct slice **names, size_t *n,
                 struct err *e)
{
    end(&s->source);
    s->file = fopen(path, "r");
    if (!s->file) return err_set(e, ERR_ValidationException, "cannot read %s: %s", path, strerror(errno));
    s->reader = csv_of_file(s->file);
    struct csv_field *fields;
    enum csv_status status = csv_read(&s->reader, a, &fields, n);
    if (status == CSV_BAD)
        return err_set(e, ERR_ValidationException, "%s: line %u: %s", path, s->reader.line, s->reader.problem);
    if (status == CSV_END)
        return err_set(e, ERR_ValidationException, "%s is empty; its first line has to name the columns", path);
    struct slice *list = ARENA_ARRAY(a, struct slice, *n + 1);
    for (size_t i = 0; i < *n; i++) list[i] = fields[i].text;
    *names = list;
    return 0;
}

static int begin(struct source *base, struct arena *a, struct slice from, bool query, struct err *e)
{
    struct csv_source *s = (struct csv_source *)base;
    if (query) return err_set(e, ERR_ValidationException, "CSV files cannot be asked with a query; that needs SQLite");
    for (size_t i = 0; i < base->n; i++)
        if (slice_eq(base->tables[i].name, from))
            return start(s, a, s->paths[i], &base->columns, &base->n_columns, e);
    return err_set(e, ERR_ValidationException, "there is no file %.*s.csv", SLICE_ARG(from));
}

static int next(struct source *base, struct arena *a, struct sqlite_value **cells, bool *row, struct err *e)
{
    struct csv_source *s = (struct csv_source *)base;
    struct csv_field *fields;
    size_t n;
    enum csv_status status = csv_read(&s->reader, a, &fields, &n);
    base->at = s->reader.line;
    *row = status == CSV_RECORD;
    if (ferror(s->file)) return bad_line(s, "the file cannot be read any further", e);
    if (status == CSV_END) return 0;
    if (status == CSV_BAD) return bad_line(s, s->reader.problem, e);
    if (n != base->n_columns)
        return bad_line(s, n < base->n_columns ? "fewer fields than columns" : "more fields than columns", e);
    *cells = ARENA_ARRAY(a, struct sqlite_value, n + 1);
    for (size_t i = 0; i < n; i++) {
        (*cells)[i].kind = fields[i].nothing ? SQLITE_VALUE_NULL : SQLITE_VALUE_TEXT;
        (*cells)[i].bytes = fields[i].text;
    }
    return 0;
}

static void close_source(struct source *base)
{
    struct csv_source *s = (struct csv_source *)base;
    end(base);
    for (size_t i = 0; i < s->n_paths; i++) free(s->paths[i]);
    free(s->paths);
    free(s);
}

static bool is_csv(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".csv") == 0;
}

static int add_path(struct csv_source *s, const char *folder, const char *name, struct err *e)
{
    char **more = realloc(s->paths, (s->n_paths + 1) * sizeof *more);
    if (!more) return err_set(e, ERR_InternalServerError, "out of memory");
    s->paths = more;
    if (asprintf(&more[s->n_paths], "%s%s%s", folder, *folder ? "/" : "", name) < 0)
        return err_set(e, ERR_InternalServerError, "out of memory");
    s->n_paths++;
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_folder(struct csv_source *s, const char *path, struct err *e)
{
    DIR *dir = opendir(path);
    if (!dir) return err_set(e, ERR_ValidationException, "cannot read %s: %s", path, strerror(errno));
    int code = 0;
    const struct dirent *d;
    while (!code) {
        errno = 0; /* an error, too, is answered with NULL */
        d = readdir(dir);
        if (!d) break;
        if (is_csv(d->d_name)) code = add_path(s, path, d->d_name, e);
    }
    if (!code && errno) code = err_set(e, ERR_ValidationException, "cannot read %s: %s", path, strerror(errno));
    closedir(dir);
    if (!code && s->n_paths == 0) code = err_set(e, ERR_ValidationException, "%s holds no .csv files", path);
    if (!code) qsort(s->paths, s->n_paths, sizeof *s->paths, by_text);
    return code;
}

static int list_tables(struct csv_source *s, struct arena *a, struct err *e)
{
    struct source_table *tables = ARENA_ARRAY(a, struct source_table, s->n_paths + 1);
    for (size_t i = 0; i < s->n_paths; i++) {
        const char *slash = strrchr(s->paths[i], '/');
        struct slice name = slice_str(slash ? slash + 1 : s->paths[i]);
        name.n -= 4;
        tables[i].name = arena_dup(a, name);
        int code = start(s, a, s->paths[i], &tables[i].columns, &tables[i].n, e);
        if (code) return code;
    }
    end(&s->source);
    s->source.tables = tables;
    s->source.n = s->n_paths;
    return 0;
}

int source_csv(struct source **out, struct arena *a, const char *path, struct err *e)
{
    struct csv_source *s = calloc(1, sizeof *s);
    if (!s) return err_set(e, ERR_InternalServerError, "out of memory");
    s->source = (struct source){ .begin = begin, .next = next, .end = end, .close = close_source };
    struct stat st;
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    int code = folder ? list_folder(s, path, e) : add_path(s, "", path, e);
    if (!code) code = list_tables(s, a, e);
    if (code) {
        close_source(&s->source);
        return code;
    }
    *out = &s->source;
    return 0;
}

int source_open(struct source **out, struct arena *a, const char *path, struct err *e)
{
    struct stat st;
    if (stat(path, &st))
        return err_set(e, ERR_ValidationException, "cannot read %s: %s", path, strerror(errno));
    return S_ISDIR(st.st_mode) || is_csv(path) ? source_csv(out, a, path, e) : source_sqlite(out, a, path, e);
}
