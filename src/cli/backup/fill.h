/* fill.h: tables out of a file, or out of a backup in the server; each is compared with what it came from. */
#ifndef OF_CLI_BACKUP_FILL_H
#define OF_CLI_BACKUP_FILL_H

#include "archive.h"
#include "service.h"

/* A table of the file. */
struct filled {
    struct slice table;  /* as the file calls it */
    struct slice target; /* what it is to be called; empty: it is not wanted */
    uint64_t items, bytes;
    size_t indexes;
};

/* Makes the tables of the file that are wanted, in the order of the file, and fills in what became of them. A table that cannot be
 * filled is taken away again. From the comparison on it is kept, as one that is not marked: others may have found and written to it, and
 * would lose that. path is for messages; mark says on an unfinished table from which file it comes. */
int fill_from_file(struct service *s, int fd, const char *path, struct slice mark, struct filled *tables, size_t n);
/* RestoreTableFromBackup, and waits for its end. The table is kept, whatever the comparison says. */
int fill_from_backup(struct service *s, struct slice arn, struct filled *table);
/* Nothing may have that name yet, but what a killed restore from the same file left, which is taken away: it has the same mark, and no other run
 * holds the file (archive.h). mark empty: nothing at all. */
int fill_make_room(struct service *s, struct slice target, struct slice mark, int fd);

#endif
