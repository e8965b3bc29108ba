/* calls.h: an engine of a target's own: its tables, and calls that must succeed. */
#ifndef OF_FUZZ_CALLS_H
#define OF_FUZZ_CALLS_H

#include "engine/engine.h"

/* The clock of every engine here stands still. */
extern const struct engine_options calls_options;

/* Taken off the front of a text, without its end. */
struct slice calls_line(struct slice *in);
/* The answer, copied. */
struct slice calls_ask(struct engine *engine, struct arena *a, const char *operation, struct slice body);
/* Lines of CreateTable; returns when all of them can be used. */
void calls_create(struct engine *engine, struct arena *a, struct slice lines);

#endif
