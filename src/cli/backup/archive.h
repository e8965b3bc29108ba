/* archive.h: tables in a file, for `onefold backup --to` and `onefold restore`.
 *
 * gzip, and in it lines of JSON, each an object with one member that says what it is:
 *
 *   {"Backup":{"format":1,"onefold":"0.1.0","began":"2026-11-16T12:00:00Z"}}
 *   {"Table":{"CreateTable":{...},...}}                          a definition (definition.h)
 *   {"Item":{...}}                                               DynamoDB JSON with short numbers, the items of that table in any order
 *   {"TableEnd":{"items":2,"bytes":90,"sum":"32 digits"}}        their digest (engine/census.h)
 *   {"End":{"tables":1,"items":2,"chain":"16 digits"}}           the last line; there are as many tables as it says, and "left_out":["NAME"...]
 *                                                                are those that were wanted and could not be read, "damaged":["NAME"...]
 *                                                                those of them whose data was damaged; the others were denied
 *
 * chain: the XXH3-64 of a line, without its end, has that of the lines before it as its seed; this is the one of the line before the last.
 *
 * A file that has its name is whole: it is written beside it as NAME.unfinished, synced, read through and compared, and only then
 * renamed. */
#ifndef OF_CLI_BACKUP_ARCHIVE_H
#define OF_CLI_BACKUP_ARCHIVE_H

#include "../../base/arena.h"
#include "../../engine/census.h"

#define ARCHIVE_FORMAT 1

struct archive_sum {
    uint64_t tables, items;
    uint64_t chain;
    const struct json *left_out, *damaged; /* of a file that was read, in kept: names; NULL: none */
};

/* All return 0, or EXIT_ERROR after a message. */

/* ---- writing ---- */

struct archive_writer; /* in the arena; closed by finish or abandon */
int archive_create(struct arena *a, const char *path, struct archive_writer **out);
int archive_table(struct archive_writer *w, struct slice definition);
int archive_item(struct archive_writer *w, struct arena *scratch, struct slice item);
int archive_table_end(struct archive_writer *w, const struct digest *d);
/* Ends it, reads it through, gives it its name. left_out, damaged: lists of names in JSON; empty: none. */
int archive_finish(struct archive_writer *w, struct arena *kept, struct arena *scratch, struct slice left_out, struct slice damaged);
/* Takes it away, unless it is finished. NULL: nothing. */
void archive_abandon(struct archive_writer *w);

/* ---- reading ---- */

/* What is in the file, one after the other; each may be NULL, and ends the reading by returning something other than 0. */
struct archive_visitor {
    int (*table)(void *ctx, const struct json *definition); /* in kept */
    int (*item)(void *ctx, struct slice item);              /* in scratch, which begins anew with each line */
    int (*end)(void *ctx, const struct digest *d);          /* of the table; it fits its items */
    void *ctx;
};
/* *fd: the file, to be closed. */
int archive_open(const char *path, int *fd);
/* For as long as fd is open, by any number of runs; false: one has it alone. Where the file system has no locks nobody is in the way. */
bool archive_hold(int fd);
/* Nobody else holds it at this moment; false: it is not held any more. */
bool archive_hold_alone(int fd);
/* From the beginning to the end, all of it verified; path is for messages. What is wrong is found at the latest at the end: verify first,
 * then use, both by the same fd: the path may have become another file's. Never leaves through a guard of the arenas. */
int archive_read(int fd, const char *path, struct arena *kept, struct arena *scratch, const struct archive_visitor *v,
                 struct archive_sum *sum);

/* The chain with one line more. */
uint64_t archive_chain(uint64_t chain, struct slice line);

#endif
