/* take.h: a backup of one table: kept in the server, or taken out of it into a file. */
#ifndef OF_CLI_BACKUP_TAKE_H
#define OF_CLI_BACKUP_TAKE_H

#include "archive.h"
#include "service.h"

struct taken {
    struct slice table;
    struct slice arn;     /* of a backup that is kept */
    /* Why it could not be taken and the others can: access to it was denied, or its data is damaged, before anything of it was in the file.
     * Empty: it was taken, or failed for another reason. */
    struct slice left_out;
    bool damaged; /* that is why */
    uint64_t items, bytes;
    size_t indexes;
};

/* CreateBackup, and waits for its end. */
int take_kept(struct service *s, struct slice table, struct slice name, struct taken *out);
/* The table as it is at one moment, into the file. The server makes the moment, as a backup, and a table of it to be read; both are gone
 * when this returns, whatever it returns. */
int take_out(struct service *s, struct slice table, struct archive_writer *w, struct taken *out);

#endif
