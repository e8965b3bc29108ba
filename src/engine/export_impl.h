/* export_impl.h: what the parts of the export job share. */
#ifndef OF_ENGINE_EXPORT_IMPL_H
#define OF_ENGINE_EXPORT_IMPL_H

#include "export.h"
#include "jobs_impl.h"

/* What the job holds between two pieces. It can be thrown away at any time: the records say all that is needed. */
struct exporting {
    struct arena setup;
    struct slice id;
    struct export record;
    struct export_progress progress;
    struct table *table;        /* its keys, under the id of the copy */
    struct export_files *files; /* NULL: not open */
    bool unavailable;           /* the history was not kept meanwhile */
};

/* One piece of the changes; when there are no more the phase is EXPORT_FILES. ctx: the struct exporting. */
int export_changes_step(struct store_txn *txn, struct step *step);

#endif
