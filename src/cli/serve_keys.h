/* serve_keys.h: the access keys of `onefold serve`: reading their file, and reading it again. */
#ifndef OF_CLI_SERVE_KEYS_H
#define OF_CLI_SERVE_KEYS_H

#include "../auth/credentials.h"

/* source: a file, or "aws": the variables AWS_ACCESS_KEY_ID ... and the file of AWS's own tools. 0 and a set that the caller holds; -1 and
 * one sentence, in which no secret is. again: the server runs already; a policy that cannot be read denies everything to its key, with a line in
 * the log, and keeps nobody else's from changing. */
int serve_keys_read(struct credentials **out, const char *source, bool again, char *message, size_t message_size);

#endif
