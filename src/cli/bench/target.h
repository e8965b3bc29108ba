/* target.h: where requests go and as whom, and requests as bytes ready to be sent. */
#ifndef OF_CLI_BENCH_TARGET_H
#define OF_CLI_BENCH_TARGET_H

#include "secure.h"
#include "../../base/buf.h"
#include <sys/socket.h>

struct bench_target {
    struct sockaddr_storage address;
    socklen_t address_n;
    struct secure_client *secure; /* for https://, owned; else NULL */
    struct slice url;       /* as it was given */
    struct slice name, port;
    struct slice host;      /* of the Host header: the name, with the port where one was given */
    struct slice path;      /* "/" */
    struct slice region, access_key, secret_key, session_token;
    bool loopback;          /* nobody there checks signatures: all have the same one, made up */
    bool is_aws;
};

/* Reads the URL and finds the credentials; o: without an endpoint. 0, or an exit code after a message. All texts lie in the arena. */
int target_open(struct arena *a, const char *url, struct remote_options o, struct bench_target *out);
void target_close(struct bench_target *t);
/* Finds the address. 0, or an exit code after a message. */
int target_resolve(struct arena *a, struct bench_target *t);

/* Head and body of one request, in the arena. Signed with the present time where the target is not this machine: such
 * requests are good for five minutes. */
struct slice target_request(struct arena *a, const struct bench_target *t, struct slice operation, struct slice body);

#endif
