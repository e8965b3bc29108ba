/* source.h: where fold reads from: tables of rows, in an SQLite file or a folder of CSV files. */
#ifndef OF_MODEL_SOURCE_H
#define OF_MODEL_SOURCE_H

#include "column.h"

struct source_table {
    struct slice name;
    const struct slice *columns;
    size_t n;
};

struct source {
    const struct source_table *tables;
    size_t n;
    /* Starts reading a table's rows in a fixed order; or (query) what an SQL query gives. columns is then set. */
    int (*begin)(struct source *s, struct arena *a, struct slice from, bool query, struct err *e);
    /* Cells of the next row, in a; *row is false at the end. */
    int (*next)(struct source *s, struct arena *a, struct sqlite_value **cells, bool *row, struct err *e);
    void (*end)(struct source *s);
    void (*close)(struct source *s);
    const struct slice *columns; /* of what begin started */
    size_t n_columns;
    uint64_t at;                 /* row (SQLite) or line (CSV) read last, for messages */
};

/* path: an SQLite file, a folder with .csv files, or one .csv file. Names live in a. */
int source_open(struct source **out, struct arena *a, const char *path, struct err *e);
int source_sqlite(struct source **out, struct arena *a, const char *path, struct err *e);
int source_csv(struct source **out, struct arena *a, const char *path, struct err *e);

#endif
