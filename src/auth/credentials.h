/* credentials.h: the access keys that a server knows: read from a text like ~/.aws/credentials, looked up by access key, replaced as a
 * whole while requests go on.
 *
 *     [alice]                                  the user's name
 *     aws_access_key_id = AKIDALICE
 *     aws_secret_access_key = ...
 *     aws_session_token = ...                  optional: then requests must carry it
 *     expires = 2026-12-31T00:00:00Z           optional
 *     account = 123456789012                   optional
 *     tag.tenant = acme                        optional, for policies
 *     policy = alice.json                      optional, IAM's JSON; none: everything is allowed
 *
 * A set is made once and never changed. Who looks a key up holds the set, and with it the identity, until he releases it. */
#ifndef OF_AUTH_CREDENTIALS_H
#define OF_AUTH_CREDENTIALS_H

#include "identity.h"
#include "../base/err.h"
#include "../base/sha256.h"
#include <pthread.h>

#define CREDENTIALS_MAX_TEXT ((size_t)8 << 20)
#define CREDENTIALS_MAX_TAGS 50u /* of one identity, as IAM has it */
#define CREDENTIALS_MAX_WARNINGS 50u
#define CREDENTIALS_WARN_DAYS 14 /* before the end of a key, as for certificates */

struct credentials;

typedef void credentials_warn_fn(void *ctx, struct slice sentence);

struct credentials_options {
    struct slice where; /* the file's name, for sentences */
    unsigned before;    /* lines before the file's own, which stand for the environment */
    /* AWS's own files hold settings for other programs (region, s3 ...), profiles without keys and half-filled ones: those are passed
     * over, not refused. */
    bool of_aws;
    credentials_warn_fn *warn; /* of what is passed over but may be a mistake; NULL: nobody listens */
    /* Told of a policy that cannot be read, whose key is then denied everything; the others are not kept from what the file says of them. NULL: nothing
     * of the file is taken. */
    credentials_warn_fn *denied;
    /* Reads the policy that a setting names, into the set's arena. NULL: the setting is refused. */
    int (*policy)(void *ctx, struct arena *a, struct slice name, const struct policy **out, struct err *e);
    void *ctx;
};

/* A set with one hold, which is the caller's; or one sentence in e, with the line. The text is copied. */
int credentials_read(struct credentials **out, struct slice text, const struct credentials_options *o, struct err *e);
/* A sentence for each key that has expired or soon will, or whose policy asks for a tag that it does not have. */
void credentials_warn(const struct credentials *c, int64_t now, credentials_warn_fn *warn, void *ctx);
size_t credentials_count(const struct credentials *c);
/* NULL: no such key. Lives as long as the set is held. */
const struct identity *credentials_find(const struct credentials *c, struct slice access_key);
void credentials_release(struct credentials *c);

/* The key that signatures of that day (eight digits) and region are made with, for an identity of the set. It takes four sums to make
 * and is kept. */
void credentials_signing_key(struct credentials *c, const struct identity *who, struct slice day, struct slice region,
                             struct slice service, struct hmac_key *out);

/* Where the newest set is. */
struct keyring {
    pthread_mutex_t lock;
    struct credentials *now;
};
void keyring_init(struct keyring *k, struct credentials *first); /* takes the hold on it over, as the next does */
void keyring_replace(struct keyring *k, struct credentials *next);
struct credentials *keyring_hold(struct keyring *k); /* to be given back with credentials_release */
void keyring_end(struct keyring *k);

#endif
