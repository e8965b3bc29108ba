/* sqlite_db.c: SQLite through dlopen. */
#include "sqlite_db.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

/* The functions that are used, as pointers of the types that the header gives them. */
#define FUNCTIONS(X)                                                                                  \
    X(open_v2) X(close) X(exec) X(prepare_v2) X(step) X(reset) X(finalize) X(errmsg) X(column_count)  \
    X(column_name) X(column_type) X(column_int64) X(column_double) X(column_text) X(column_blob)      \
    X(column_bytes) X(bind_null) X(bind_int64) X(bind_double) X(bind_text) X(bind_blob)               \
    X(clear_bindings) X(busy_timeout)

static struct {
#define X(name) __typeof__(&sqlite3_##name) name;
    FUNCTIONS(X)
#undef X
} lib;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct sqlite_db {
    sqlite3 *handle;
};
struct sqlite_rows {
    sqlite3_stmt *handle;
    struct sqlite_db *db;
};

static void load(void)
{
    void *so = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!so) return;
    loaded = true;
#define X(name)                                                       \
    *(void **)&lib.name = dlsym(so, "sqlite3_" #name);                \
    loaded = loaded && lib.name;
    FUNCTIONS(X)
#undef X
}

static int failed(struct sqlite_db *db, struct err *e)
{
    return err_set(e, ERR_ValidationException, "SQLite: %s", lib.errmsg(db->handle));
}

int sqlite_db_open(struct sqlite_db **out, const char *path, bool write, struct err *e)
{
    pthread_once(&once, load);
    if (!loaded)
        return err_set(e, ERR_ServiceUnavailable,
                       "SQLite is not installed here: libsqlite3.so.0 is missing; install Debian's libsqlite3-0, or "
                       "use CSV or NDJSON");
    /* Made here, because SQLite would let others read it. */
    int fd = write ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (write && fd < 0)
        return errno == EEXIST ? err_set(e, ERR_ValidationException, "%s is there already; give a name that is free", path)
                               : err_set(e, ERR_ValidationException, "cannot open %s: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    if (!write && access(path, R_OK) != 0)
        return err_set(e, ERR_ValidationException, "cannot read %s: is it there?", path);
    struct sqlite_db *db = calloc(1, sizeof *db);
    if (!db) return err_set(e, ERR_InternalServerError, "out of memory");
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int code = lib.open_v2(path, &db->handle, flags, NULL);
    if (code != SQLITE_OK) {
        err_set(e, ERR_ValidationException, "cannot open %s: %s", path,
                db->handle ? lib.errmsg(db->handle) : "out of memory");
        sqlite_db_close(db);
        if (write) unlink(path);
        return (int)e->code;
    }
    lib.busy_timeout(db->handle, 5000);
    *out = db;
    return 0;
}

void sqlite_db_close(struct sqlite_db *db)
{
    if (!db) return;
    lib.close(db->handle);
    free(db);
}

void sqlite_put_name(struct buf *b, struct slice name)
{
    buf_u8(b, '"');
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '"') buf_u8(b, '"');
        buf_u8(b, name.p[i]);
    }
    buf_u8(b, '"');
}

int sqlite_db_do(struct sqlite_db *db, const char *sql, struct err *e)
{
    return lib.exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(db, e);
}

int sqlite_db_prepare(struct sqlite_db *db, const char *sql, struct sqlite_rows **out, struct err *e)
{
    struct sqlite_rows *rows = calloc(1, sizeof *rows);
    if (!rows) return err_set(e, ERR_InternalServerError, "out of memory");
    rows->db = db;
    if (lib.prepare_v2(db->handle, sql, -1, &rows->handle, NULL) != SQLITE_OK) {
        free(rows);
        return failed(db, e);
    }
    *out = rows;
    return 0;
}

void sqlite_rows_bind(struct sqlite_rows *r, int at, struct sqlite_value v)
{
    switch (v.kind) {
    case SQLITE_VALUE_NULL: lib.bind_null(r->handle, at); break;
    case SQLITE_VALUE_INTEGER: lib.bind_int64(r->handle, at, v.integer); break;
    case SQLITE_VALUE_REAL: lib.bind_double(r->handle, at, v.real); break;
    case SQLITE_VALUE_TEXT:
        lib.bind_text(r->handle, at, (const char *)(v.bytes.n ? v.bytes.p : (const uint8_t *)""), (int)v.bytes.n,
                      SQLITE_TRANSIENT);
        break;
    case SQLITE_VALUE_BLOB:
        lib.bind_blob(r->handle, at, v.bytes.n ? v.bytes.p : (const uint8_t *)"", (int)v.bytes.n, SQLITE_TRANSIENT);
        break;
    }
}

int sqlite_rows_step(struct sqlite_rows *r, bool *row, struct err *e)
{
    int code = lib.step(r->handle);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : failed(r->db, e);
}

void sqlite_rows_again(struct sqlite_rows *r)
{
    lib.reset(r->handle);
    lib.clear_bindings(r->handle);
}

void sqlite_rows_end(struct sqlite_rows *r)
{
    if (!r) return;
    lib.finalize(r->handle);
    free(r);
}

int sqlite_rows_columns(const struct sqlite_rows *r)
{
    return lib.column_count(r->handle);
}

struct slice sqlite_rows_name(const struct sqlite_rows *r, int column)
{
    return slice_str(lib.column_name(r->handle, column));
}

struct sqlite_value sqlite_rows_value(const struct sqlite_rows *r, int column)
{
    struct sqlite_value v = { .kind = SQLITE_VALUE_NULL };
    switch (lib.column_type(r->handle, column)) {
    case SQLITE_INTEGER:
        v.kind = SQLITE_VALUE_INTEGER;
        v.integer = lib.column_int64(r->handle, column);
        break;
    case SQLITE_FLOAT:
        v.kind = SQLITE_VALUE_REAL;
        v.real = lib.column_double(r->handle, column);
        break;
    case SQLITE_TEXT:
        v.kind = SQLITE_VALUE_TEXT;
        v.bytes.p = lib.column_text(r->handle, column);
        v.bytes.n = (size_t)lib.column_bytes(r->handle, column);
        break;
    case SQLITE_BLOB:
        v.kind = SQLITE_VALUE_BLOB;
        v.bytes.p = lib.column_blob(r->handle, column);
        v.bytes.n = (size_t)lib.column_bytes(r->handle, column);
        break;
    default: break;
    }
    return v;
}
