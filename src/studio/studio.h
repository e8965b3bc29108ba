/* studio.h: the web studio as a guest of the wire: its pages, and the calls they make about models. */
#ifndef OF_STUDIO_STUDIO_H
#define OF_STUDIO_STUDIO_H

#include <onefold.h>
#include "../wire/service.h"

struct studio;

struct studio_options {
    const char *const *models; /* files, from --model */
    size_t n_models;
    of_db *db;                 /* what the models' tables lie in; outlives the studio */
    const char *data;          /* where that is, for people: a directory, or "memory" */
    struct engine *engine;     /* the same database, for what the API does not tell: partitions, counters */
};

/* NULL: no memory. A model that cannot be read is no failure: the page tells. */
struct studio *studio_open(const struct studio_options *o);
void studio_close(struct studio *s);
/* Lives as long as s. */
const struct guest *studio_guest(struct studio *s);
/* False: this program was built without the pages (no npm); the calls work all the same. */
bool studio_has_pages(void);

#endif
