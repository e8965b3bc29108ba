/* settings.h: where to and as whom: endpoint, region, credentials and certificates, from the caller's options, the environment's
 * variables and the profile files. Environment and files are injected, so that tests need neither. */
#ifndef OF_REMOTE_SETTINGS_H
#define OF_REMOTE_SETTINGS_H

#include "../base/err.h"

struct remote_options {
    struct slice endpoint, region, profile;          /* empty: not given */
    struct slice ca_file, client_cert, client_key;   /* PEM */
};

struct remote_env {
    const char *(*get)(void *ctx, const char *name);                                   /* NULL: not set */
    bool (*read_file)(void *ctx, struct arena *a, const char *path, struct slice *out); /* false: not there */
    void *ctx;
};
extern const struct remote_env remote_env_system;

struct remote_settings {
    struct slice url;    /* http://127.0.0.1:8000/ */
    struct slice host;   /* without port and brackets */
    struct slice region;
    struct slice access_key, secret_key, session_token;
    struct slice ca_file;                 /* whose certificates are believed; empty: those that the system knows */
    struct slice client_cert, client_key; /* ours; empty: none, and for the key: it is in the certificate's file */
    bool loopback;       /* this machine: needs no credentials, no proxy */
    bool is_aws;
};

/* All texts lie in the arena and are followed by a NUL. */
int remote_settings_make(struct arena *a, const struct remote_options *o, const struct remote_env *env,
                         struct remote_settings *out, struct err *e);

#endif
