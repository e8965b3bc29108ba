/* patterns.h: the pattern library, as the command uses it. */
#ifndef OF_CLI_PATTERNS_H
#define OF_CLI_PATTERNS_H

#include "session.h"

/* [{"name":...,"about":...,"files":[...]}]; NULL after a message. */
const struct json *patterns_list(struct arena *a);
const struct json *patterns_find(struct arena *a, const char *name);
/* Writes the pattern's files into a folder that is there. 0 or an exit code after a message. */
int patterns_write(struct arena *a, const struct json *pattern, const char *folder);
/* The list "cases" of an answers.yaml; NULL after a message, or where it has none. */
struct node;
const struct node *patterns_cases(struct session *s, const char *path);
/* Makes the table in memory, loads the sample data, asks every question. */
int patterns_try(struct invocation *in, const struct json *pattern);

#endif
