/* copy.h: what the parts of `onefold copy` share: the two places, and the ways from one to the other. */
#ifndef OF_CLI_COPY_COPY_H
#define OF_CLI_COPY_COPY_H

#include "../session.h"

struct copy_options {
    const char *from, *to;
    bool verify, follow;
    const char *table, *state;
};

enum place_kind { PLACE_DIRECTORY, PLACE_POSTGRES, PLACE_SERVER };

struct place {
    enum place_kind kind;
    const char *name;  /* as it was given */
    const char *shown; /* as it may be shown: without a password */
};

struct copy_places {
    struct place from, to;
};

/* places.c: what --from and --to name. 0, or an exit code after a message. */
int copy_places_read(struct invocation *in, struct copy_places *out);

/* stores.c: between directories and databases that nothing serves, row by row (engine/clone.h). */
int copy_stores(struct invocation *in, const struct copy_places *p);

/* online.c: through the API, where one of the two is a server. */
int copy_online(struct invocation *in, const struct copy_places *p);

#endif
