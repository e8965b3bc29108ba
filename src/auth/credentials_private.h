/* credentials_private.h: what a set of access keys consists of; credentials_read.c makes it, credentials.c uses it. */
#ifndef OF_AUTH_CREDENTIALS_PRIVATE_H
#define OF_AUTH_CREDENTIALS_PRIVATE_H

#include "credentials.h"

#define KEPT_SIGNING_KEYS 4 /* of one identity: today's and yesterday's, of two regions */

struct signing_key {
    char day[8], region[32], service[16];
    uint8_t region_n, service_n; /* 0: nothing is kept here */
    struct hmac_key key;
};

struct entry {
    struct identity who; /* first: an identity of the set is its entry */
    unsigned line;       /* of its section */
    pthread_mutex_t lock; /* guards what follows */
    struct signing_key kept[KEPT_SIGNING_KEYS];
    unsigned next; /* to be overwritten */
};

struct credentials {
    unsigned holds; /* atomic */
    struct arena arena;
    struct entry **entries; /* in the order of the file */
    size_t n;
    /* Open addressing by the access key: indices into entries, plus 1; 0 is free. At most half full. */
    uint32_t *slots;
    size_t n_slots; /* a power of two */
};

/* The slot that has the key, or the free one where it belongs. */
uint32_t *credentials_slot(const struct credentials *c, struct slice access_key);

#endif
