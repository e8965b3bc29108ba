/* room.c: what calls use one after the other, so that none has to take it from the system for itself: an arena, and the table
 * that was found last.
 *
 * A database has a few rooms. A thread tries the same one first each time; where all are taken, the call gets one of its own. */
#include "lib.h"
#include <stdatomic.h>
#include <stdlib.h>

#define ROOMS 8

struct lib_rooms {
    struct {
        _Alignas(64) atomic_bool taken;
        struct lib_room room;
    } at[ROOMS];
};

static void init(struct lib_room *room)
{
    arena_init(&room->arena, LIB_REQUEST_MAX);
    room->table = (struct direct_table){ NULL, NULL };
}

static void end(struct lib_room *room, struct engine *e)
{
    arena_free(&room->arena);
    direct_release(e, &room->table);
}

struct lib_rooms *lib_rooms_new(void)
{
    struct lib_rooms *rooms = aligned_alloc(64, sizeof *rooms);
    if (!rooms) return NULL;
    for (size_t i = 0; i < ROOMS; i++) {
        atomic_init(&rooms->at[i].taken, false);
        init(&rooms->at[i].room);
    }
    return rooms;
}

void lib_rooms_free(struct lib_rooms *rooms, struct engine *e)
{
    if (!rooms) return;
    for (size_t i = 0; i < ROOMS; i++) end(&rooms->at[i].room, e);
    free(rooms);
}

struct lib_room *lib_room_take(of_db *db)
{
    static atomic_uint threads;
    static _Thread_local unsigned home; /* from 1 on */
    if (!home) home = 1 + atomic_fetch_add(&threads, 1) % ROOMS;
    for (unsigned i = 0, at = home - 1; i < ROOMS; i++, at = (at + 1) % ROOMS) {
        if (!atomic_exchange_explicit(&db->rooms->at[at].taken, true, memory_order_acquire)) {
            db->rooms->at[at].room.place = at + 1;
            return &db->rooms->at[at].room;
        }
    }
    struct lib_room *own = malloc(sizeof *own);
    if (!own) return NULL;
    init(own);
    own->place = 0;
    return own;
}

void lib_room_give(of_db *db, struct lib_room *room)
{
    if (room->place) {
        if (room->arena.blocks) arena_reset(&room->arena);
        atomic_store_explicit(&db->rooms->at[room->place - 1].taken, false, memory_order_release);
        return;
    }
    end(room, db->engine);
    free(room);
}
