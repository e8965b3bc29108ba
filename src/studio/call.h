/* call.h: one call of the studio's pages: what it was sent, what it answers, and how its members are read. docs/studio-api.md
 * describes the calls. */
#ifndef OF_STUDIO_CALL_H
#define OF_STUDIO_CALL_H

#include <onefold.h>
#include "studio.h"
#include "../item/json.h"
#include "../model/jsonw.h"
#include <pthread.h>

#define STUDIO_OWNED_MAX  16 /* things one call may own; a call that would need more has a mistake */
#define STUDIO_FILES_MAX  100
#define STUDIO_ANSWER_MAX ((size_t)256 << 20)
#define STUDIO_DEPTH      72 /* of JSON that is read: a list of items as deep as items may be, 64 in DynamoDB JSON, fits */

struct studio {
    struct studio_options o;
    struct guest guest;
    pthread_mutex_t saving; /* guards the files between the look at them and the writing */
    unsigned saves;         /* guarded by it: makes names of files that are being written */
};

struct studio_call {
    struct studio *studio;
    struct arena *arena;
    const struct json *request; /* an object */
    struct buf out;             /* the answer's JSON */
    struct err err;
    struct slice changed;       /* the table that it has made or changed, for the server's log; empty: none */
    of_error of;                /* scratch of the functions of onefold.h; call_failed takes it over */
    /* What is not in the arena, given back when the call is over. */
    struct {
        void *p;
        void (*release)(void *p);
    } owned[STUDIO_OWNED_MAX];
    size_t n_owned;
};

/* Returns 0, or an error with call->err filled. */
typedef int studio_function(struct studio_call *c);

struct studio_operation {
    const char *name;
    studio_function *run;
    const char *members; /* of the request, blanks between them; any other is refused. MODEL_MEMBERS: call_model's */
};
#define MODEL_MEMBERS "Text Files "
/* operations.c: all of them, ending with a NULL name. */
extern const struct studio_operation studio_operations[];

/* For struct guest. */
void studio_run(void *ctx, struct arena *a, struct slice operation, struct slice body, struct guest_answer *out);
bool studio_knows(struct slice operation);

/* ---- members of the request ---- */
/* NULL where there is none, or null, which is how JavaScript says the same. */
const struct json *call_member(struct studio_call *c, const char *name);
/* Each refuses a member of the wrong type, naming it. */
int call_text(struct studio_call *c, const char *name, bool required, struct slice *out); /* missing: empty, p NULL */
/* The same ending with a NUL; missing: NULL. */
int call_string(struct studio_call *c, const char *name, bool required, const char **out);
int call_bool(struct studio_call *c, const char *name, bool *out);                        /* missing: false */
int call_count(struct studio_call *c, const char *name, uint32_t most, uint32_t *out);    /* missing: 0 */
/* The model of Text and Files. A text that is no model is an error. */
int call_model(struct studio_call *c, of_model **out);
/* Files as the functions of onefold.h take them. */
int call_files(struct studio_call *c, const of_file **files, size_t *n);
/* Text and Files of what need not be a model yet. */
struct model_source {
    struct slice text;
    const of_file *files;
    size_t n_files;
};
int call_source(struct studio_call *c, struct model_source *out);

/* ---- the answer ---- */
/* A function of onefold.h failed with c->of. */
int call_failed(struct studio_call *c);
/* Takes an answer over, to be freed with the call; its text. */
struct slice call_keep(struct studio_call *c, of_answer *a);
/* The answer as a member of the object that is being written, or (name NULL) as all of it. */
void call_put(struct studio_call *c, const char *name, of_answer *a);
void call_own(struct studio_call *c, void *p, void (*release)(void *p));
void call_own_item(struct studio_call *c, of_item *item); /* may be NULL */
of_item *call_item(struct studio_call *c); /* an empty one, freed with the call; NULL: no memory, and c->err is set */

#endif
