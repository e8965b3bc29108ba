/* ulid.h: ULIDs (26 characters that sort by time) and random UUIDs. Clock and randomness are passed in. */
#ifndef OF_BASE_ULID_H
#define OF_BASE_ULID_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#define ULID_LENGTH 26
#define UUID_LENGTH 36

typedef void random_fn(void *ctx, uint8_t *p, size_t n);

/* What the ULIDs of one source have in common: each is greater than the one before. In the same millisecond the
 * random part is counted up by one; if it is all ones the time is moved on. A clock that goes back is ignored until it has
 * caught up. After a fork the child starts afresh, so that the two do not count alike. Any number of
 * threads may use a source at once. */
struct ulid_source {
    pthread_mutex_t lock;
    pid_t pid;          /* of the last ULID; 0: none yet */
    uint64_t time;      /* of the last ULID */
    uint8_t random[10];
};

#define ULID_SOURCE_INIT { .lock = PTHREAD_MUTEX_INITIALIZER }

/* Not terminated. now: milliseconds since 1970. */
void ulid_next(struct ulid_source *s, int64_t now, random_fn *random, void *ctx, char out[ULID_LENGTH]);
/* Version 4, lower case, not terminated. */
void uuid_v4(random_fn *random, void *ctx, char out[UUID_LENGTH]);

#endif
