/* csv.h: comma-separated values as RFC 4180 has them: fields in quotes where they need them, quotes doubled, lines may
 * end in CR LF or LF. One thing more: a field without quotes and without text is "nothing", one that is "" is the empty
 * string, both when reading and when writing, so that a table survives the way out and back. */
#ifndef OF_MODEL_CSV_H
#define OF_MODEL_CSV_H

#include "../base/buf.h"
#include <stdio.h>

#define CSV_MAX_RECORD ((size_t)4 << 20)
#define CSV_MAX_FIELDS 4096

struct csv_field {
    struct slice text;
    bool nothing;
};

struct csv_reader {
    FILE *file;             /* borrowed */
    unsigned line;          /* of the record read last; from 1 */
    unsigned next_line;
    const char *problem;    /* what was wrong, when csv_read gave CSV_BAD */
};

enum csv_status { CSV_RECORD, CSV_END, CSV_BAD };

/* The next record, in the arena. Blank lines are passed over. */
enum csv_status csv_read(struct csv_reader *r, struct arena *a, struct csv_field **fields, size_t *n);

void csv_put(struct buf *b, struct csv_field field, bool first);
void csv_end(struct buf *b);

#endif
