/* lib.h: what the files behind onefold.h share that speak to the engine. */
#ifndef OF_LIB_LIB_H
#define OF_LIB_LIB_H

#include "common.h"
#include "../engine/ops.h"

int lib_fail_call(of_error *err, const struct call *call);

/* scratch.c: arenas for the time of a call; of any thread. take: NULL if memory is out. */
struct lib_scratch *lib_scratch_new(void);
void lib_scratch_free(struct lib_scratch *s);
struct arena *lib_scratch_take(struct lib_scratch *s);
void lib_scratch_give(struct lib_scratch *s, struct arena *a);

#endif
