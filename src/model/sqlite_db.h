/* sqlite_db.h: SQLite, loaded when it is first needed (libsqlite3.so.0), so that programs that neither fold nor unfold
 * do not carry it. The few functions that are used, with errors as sentences. */
#ifndef OF_MODEL_SQLITE_DB_H
#define OF_MODEL_SQLITE_DB_H

#include "../base/buf.h"
#include "../base/err.h"

struct sqlite_db;   /* an open file */
struct sqlite_rows; /* a statement under way */

enum sqlite_kind { SQLITE_VALUE_NULL, SQLITE_VALUE_INTEGER, SQLITE_VALUE_REAL, SQLITE_VALUE_TEXT, SQLITE_VALUE_BLOB };

struct sqlite_value {
    enum sqlite_kind kind;
    int64_t integer;
    double real;
    struct slice bytes; /* TEXT and BLOB; borrowed until the next step */
};

/* write: a new file is made; it must not be there. Otherwise it is opened to be read. */
int sqlite_db_open(struct sqlite_db **out, const char *path, bool write, struct err *e);
void sqlite_db_close(struct sqlite_db *db);
/* A name in double quotes, as SQL wants it. */
void sqlite_put_name(struct buf *b, struct slice name);
/* One statement without results. */
int sqlite_db_do(struct sqlite_db *db, const char *sql, struct err *e);
/* A statement; values are bound to ?1, ?2 ... before the first step. */
int sqlite_db_prepare(struct sqlite_db *db, const char *sql, struct sqlite_rows **out, struct err *e);
void sqlite_rows_bind(struct sqlite_rows *rows, int at, struct sqlite_value value);
/* *row: is there another one? */
int sqlite_rows_step(struct sqlite_rows *rows, bool *row, struct err *e);
void sqlite_rows_again(struct sqlite_rows *rows); /* ready to be bound and stepped anew */
void sqlite_rows_end(struct sqlite_rows *rows);
int sqlite_rows_columns(const struct sqlite_rows *rows);
struct slice sqlite_rows_name(const struct sqlite_rows *rows, int column);
struct sqlite_value sqlite_rows_value(const struct sqlite_rows *rows, int column);

#endif
