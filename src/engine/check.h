/* check.h: is everything in a store as the engine would have written it? For `onefold check`.
 *
 * Each record is read and judged by what the others say: items by their keys, entries of indexes by the items they come from and
 * the other way round, counters by counting, changes by what the changes before and after them say. The functions that
 * write are asked what there should be, so that there is no second opinion about it. Memory does not grow with the tables: everything is
 * found by going along a range or by looking one key up. */
#ifndef OF_ENGINE_CHECK_H
#define OF_ENGINE_CHECK_H

#include "../store/store.h"

/* One thing that is wrong. Empty slices: none in particular. Valid during the call. */
struct check_finding {
    const char *space;         /* "item", "index" ... or a part of the file */
    struct slice table, index; /* names; an index of time to live is "(time to live)" */
    struct slice backup;       /* the name of the table's backup that it is in; of what an export gathered "(export)" */
    struct slice key;          /* JSON: the key attributes, or a string with the key's bytes in hexadecimal digits */
    struct slice what;         /* "has no entry in the index" */
};

struct check_report {
    uint64_t pages;  /* of the file */
    uint64_t tables, items, entries, changes, backups, tokens;
    uint64_t findings;
};

struct check_options {
    const char *dir;
    const char *url; /* of a PostgreSQL database, instead of a directory: as at one moment, also while servers use it */
    void (*tell)(void *ctx, const struct check_finding *f);
    void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t of); /* NULL: none; of 0: not known */
    void *ctx;
};

/* STORE_OK when it was checked, whatever was found; otherwise it could not be, and message says why in one sentence. */
int check_store(const struct check_options *o, struct check_report *report, char *message, size_t message_size);

#endif
