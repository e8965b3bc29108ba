/* operations.h: the world that the operations of the part `malloc` work on, and how one of them looks. */
#ifndef OF_TORTURE_OPERATIONS_H
#define OF_TORTURE_OPERATIONS_H

#include <onefold.h>
#include <stdbool.h>
#include <stdint.h>

#define TEXT_MAX 512

struct world {
    of_db *db;
    of_model *model;
    char stream[TEXT_MAX], backup[TEXT_MAX], iterator[TEXT_MAX]; /* what requests name as $stream, $backup, $iterator */
};

struct operation {
    const char *name;
    /* A request: the operation of the API and its body, with ' for " and ` for '. */
    const char *api, *body;
    /* Or a function, which frees all that it made. */
    int (*run)(struct world *w, of_error *err);
    bool in_pieces; /* an error leaves what was done before, and says so */
};

/* Makes everything anew; ends the program where that fails. */
void world_make(struct world *w);
void world_end(struct world *w);
/* Of every key and value of the store. */
uint64_t world_digest(struct world *w);
/* Whether the store still takes writes. */
bool world_is_whole(struct world *w);
/* OF_OK: answered with 200. OF_INVALID: with 400. OF_IO: with 500 or more. Or what of_call itself says. */
int world_ask(struct world *w, const char *api, const char *body, of_error *err);

extern const struct operation typed_operations[], json_operations[]; /* up to one without a name */

#endif
