/* server.h: a server of our own, in memory, for those who name no endpoint. */
#ifndef OF_CLI_BENCH_SERVER_H
#define OF_CLI_BENCH_SERVER_H

#include "../../base/arena.h"
#include <sys/types.h>

/* Starts this very program as `serve --memory --port 0`. 0 with its URL and process; or an exit code after a message. */
int server_start(struct arena *a, const char **url, pid_t *pid);
void server_stop(pid_t pid);

#endif
