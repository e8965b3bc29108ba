/* within.h: an of_db around an engine that someone else has opened: for the server, which has one already. */
#ifndef OF_LIB_WITHIN_H
#define OF_LIB_WITHIN_H

#include <onefold.h>

struct engine;

/* For the server's studio: its calls are counted apart. NULL: no memory. The engine must outlive it; of_close is not for it. */
of_db *lib_db_within(struct engine *engine);
void lib_db_leave(of_db *db);

#endif
