/* remote.h: a database elsewhere as a struct api: HTTP with libcurl, requests signed with AWS Signature Version 4. */
#ifndef OF_REMOTE_REMOTE_H
#define OF_REMOTE_REMOTE_H

#include "settings.h"
#include "../model/api.h"

#define REMOTE_MAX_ANSWER      ((size_t)64 << 20)
#define REMOTE_CONNECTIONS     API_MAX_LANES /* the most there are at once */
#define REMOTE_CONNECT_SECONDS 5L
#define REMOTE_TOTAL_SECONDS   60L

/* Nothing is sent before the first call. The api may be used by several threads, each of which gets a connection of its own
 * as long as there are no more of them than REMOTE_CONNECTIONS.
 * 0 and *out, which is closed with remote_close; or an error in e. */
int remote_open(struct api **out, const struct remote_settings *s, struct err *e);
void remote_close(struct api *api);

/* What an error answer says, in e; returns its code. Visible for tests. */
int remote_error(struct arena *a, int status, struct slice body, struct slice host, struct err *e);
/* Milliseconds to wait before attempt number `attempt` (from 1) is made again; 0: it is not. connected: an answer
 * came, and code is what it said. Visible for tests. */
unsigned remote_retry(struct slice operation, unsigned attempt, bool connected, enum err_code code);

#endif
