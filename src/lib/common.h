/* common.h: what all files behind onefold.h share. Knows neither the engine nor the model: their
 * headers use some names for different things, so a file of this folder includes lib.h (the engine)
 * or lib_model.h (the model), never both. */
#ifndef OF_LIB_COMMON_H
#define OF_LIB_COMMON_H

#include <onefold.h>
#include "../item/item_json.h"
#include "../model/api.h"

#define LIB_REQUEST_MAX ((size_t)128 << 20) /* memory of one call */
#define LIB_BODY_MAX    ((size_t)16 << 20)  /* DynamoDB's, and the server's */
#define LIB_ITEM_MAX    ((size_t)16 << 20)  /* memory of one item under construction */
#define LIB_ITEM_MOVE                                                                              \
    ((size_t)1 << 20) /* from here on an item looks after what it no longer needs */

struct store;
struct store_options;
struct engine;
struct lib_rooms;

/* In this process (store and engine), or elsewhere (remote). */
struct of_db {
    struct store *store;
    struct engine *engine;
    struct api embedded; /* the way to engine that the model layer takes */
    struct lib_rooms *rooms; /* owned; where engine is */
    bool guest;          /* the engine is a server's, and this its studio: counted apart */
    char *dir;                   /* embedded: the full name of the directory; NULL: in memory */
    struct api *remote;  /* owned; NULL: the database is embedded */
    void (*remote_close)(struct api *remote);
};

/* A database in this process, on any store: of_open for this program's own commands. */
int lib_open(of_db **out, const struct store_options *o, of_error *err);
/* How the model layer reaches it, wherever it is. Lives as long as db; may be used by several
 * threads. */
struct api *lib_api(of_db *db);
/* embedded.c: makes db->embedded. */
void lib_embedded_init(of_db *db);
/* A typed function was called on a database that is elsewhere. */
int lib_not_embedded(of_error *err);

/* Either read as bytes or being built; lib_item_bytes makes the bytes when asked. One that was read is a single allocation, its
 * bytes behind it, and has no arena until it is changed. */
struct of_item {
    struct slice encoded; /* a VAL_M; stale while dirty */
    bool dirty;
    bool listed; /* attrs holds what encoded holds */
    struct attr *attrs;
    size_t n, cap;
    struct arena *arena; /* owned; NULL: none yet */
    uint8_t *made;       /* in the arena: the encoding made last, whose room is used again */
    size_t made_room;
};

struct of_list {
    struct arena arena;
    struct slice *values;
    size_t n, cap;
};

static inline struct slice lib_text(const char *s, ptrdiff_t n)
{
    return s ? slice_of(s, n < 0 ? strlen(s) : (size_t)n) : slice_of(NULL, 0);
}

/* Fill err (which may be NULL) and return the code. */
int lib_fail(of_error *err, of_code code, const char *type, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int lib_fail_err(of_error *err, const struct err *e);
int lib_no_memory(of_error *err);

/* An item of its own with a copy of the bytes; NULL: no memory. */
of_item *lib_item_copy(struct slice encoded);
/* The item's bytes; false if memory is out. NULL is an empty item. */
bool lib_item_encode(const of_item *item, struct slice *out);
static inline bool lib_item_bytes(const of_item *item, struct slice *out)
{
    if (!item || item->dirty) return lib_item_encode(item, out);
    *out = item->encoded;
    return true;
}

struct of_answer {
    int status;
    const char *text; /* n bytes and a NUL */
    size_t n;
    void (*end)(of_answer *a); /* NULL: text stands behind it, in the same allocation */
};
/* An answer of its own with a copy of the text, status 200; NULL: no memory. */
of_answer *lib_answer(struct slice text);

#endif
