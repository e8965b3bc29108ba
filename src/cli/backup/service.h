/* service.h: what backups and restores ask of the service, with an end that the user can bring about. */
#ifndef OF_CLI_BACKUP_SERVICE_H
#define OF_CLI_BACKUP_SERVICE_H

#include "../session.h"
#include "../../base/err.h"
#include "../../model/api.h"

struct service {
    struct api *api;
    struct arena *kept;    /* the program's */
    struct arena *scratch; /* of one page of items, one answer; reset by whoever begins with the next */
    bool cleaning;         /* the service's own: calls are made also after an interruption */
    struct slice refusal;  /* what the last call that was denied (AccessDeniedException) was told; kept. Emptied by who wants to know */
    struct slice damage;   /* what became of a copy that the server gave up, which it does where stored data is damaged; kept. Emptied likewise */
    const char *fate;      /* what becomes of what was made, said with every failure; NULL: it is taken away again */
};

/* From here on SIGINT and SIGTERM end the work at its next call, so that what it made is taken away again; a second one ends the program
 * at once. */
void service_watch_signals(void);
/* One of them came. */
bool service_stop_asked(void);

/* EXIT_ERROR after a message that ends with what became of what was made. */
int service_fail(const struct service *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* 0, or EXIT_ERROR after a message. The answer lies in the arena. */
int service_call(struct service *s, struct arena *a, const char *operation, struct slice body, const struct json **out);
/* Of one that has nothing to answer. */
int service_do(struct service *s, struct arena *a, const char *operation, struct slice body);
/* The same without a message: e tells, and ERR_NONE with EXIT_ERROR that it was interrupted, which was said. */
int service_try(struct service *s, struct arena *a, const char *operation, struct slice body, const struct json **out, struct err *e);

/* {"NAME":"text"} */
struct slice service_text(struct arena *a, const char *name, struct slice text);
/* A member that is a number; 0 if it is not there. */
uint64_t service_number(const struct json *object, const char *name);

/* The table's description; *out NULL: there is none. */
int service_describe(struct service *s, struct arena *a, struct slice table, const struct json **out);
/* What is waited for is told in scratch, which begins anew with each look; names must not lie there.
 * The table and its indexes are ACTIVE; *out: its description. */
int service_wait_active(struct service *s, struct slice table, const struct json **out);
/* The same of a table that the server fills out of a backup of its own: where the data is damaged it gives that up, and the table is gone. */
int service_wait_copy(struct service *s, struct slice table, const struct json **out);
/* The table that a backup's ARN names, arn:...:table/NAME/backup/ID; empty: it is no such ARN. */
struct slice service_backed_up(struct slice arn);
/* The backup is AVAILABLE; *out: its description. begun: it was there a moment ago. */
int service_wait_backup(struct service *s, struct slice arn, bool begun, const struct json **out);
/* Deletes a table, or a backup by its ARN, as soon as it is not in use any more, also after an interruption. */
int service_drop_table(struct service *s, struct slice table);
int service_drop_backup(struct service *s, struct slice arn);
/* Before something is asked for again: twice as long each time. */
#define SERVICE_FIRST_WAIT_MS 5
void service_rest(unsigned *ms);

/* Every item of a table, or of an index of it (empty: of the table), as they are encoded. fn returns 0 or an exit code. */
typedef int service_item_fn(void *ctx, struct slice item);
int service_scan(struct service *s, struct slice table, struct slice index, service_item_fn *fn, void *ctx);
/* One page of it, from behind a key, which is JSON (empty: from the beginning); place is its arena, and is used again for the key to go on
 * behind (empty: that was the last page). */
int service_scan_page(struct service *s, struct slice table, struct slice index, struct arena *place, struct slice *after, service_item_fn *fn,
                      void *ctx);

#endif
