/* csv.h: comma-separated values as RFC 4180 has them: fields in quotes where they need them, quotes doubled, lines may
 * end in CR LF or LF. One thing more: a field without quotes and without text is "nothing", one that is "" is the empty
 * string, both when reading and when writing, so that a table survives the way out and back. */
#ifndef OF_BASE_CSV_H
#define OF_BASE_CSV_H

#include "buf.h"
#include <stdio.h>

#define CSV_MAX_RECORD ((size_t)4 << 20)
#define CSV_MAX_FIELDS 4096

struct csv_field {
    struct slice text;
    bool nothing;
};

struct csv_reader {
    int (*byte)(void *ctx); /* the next one, EOF at the end */
    void *ctx;              /* borrowed */
    char delimiter;         /* 0: a comma */
    unsigned line;          /* of the record read last; from 1 */
    unsigned next_line;     /* 0: nothing was read, a byte order mark may come */
    const char *problem;    /* what was wrong, when csv_read gave CSV_BAD */
    uint8_t again[3];       /* bytes that were no byte order mark */
    unsigned n_again;
};

enum csv_status { CSV_RECORD, CSV_END, CSV_BAD };

/* A reader of a file. */
struct csv_reader csv_of_file(FILE *file);
/* The next record, in the arena. Blank lines are passed over. */
enum csv_status csv_read(struct csv_reader *r, struct arena *a, struct csv_field **fields, size_t *n);

void csv_put(struct buf *b, struct csv_field field, bool first);
void csv_end(struct buf *b);

#endif
