/* lib.h: what the files behind onefold.h share that speak to the engine. */
#ifndef OF_LIB_LIB_H
#define OF_LIB_LIB_H

#include "common.h"
#include "../engine/direct.h"
#include "../engine/ops.h"

int lib_fail_call(of_error *err, const struct call *call);

/* room.c: for the time of a call, of any thread; see there. */
struct lib_room {
    struct arena arena;
    struct direct_table table;
    unsigned place; /* among the database's, from 1 on; 0: the call's own */
};
struct lib_rooms *lib_rooms_new(void);
void lib_rooms_free(struct lib_rooms *rooms, struct engine *e);
/* NULL: no memory. */
struct lib_room *lib_room_take(of_db *db);
/* Forgets what is in the arena. */
void lib_room_give(of_db *db, struct lib_room *room);

#endif
