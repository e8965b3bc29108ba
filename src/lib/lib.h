/* lib.h: what the files behind onefold.h share that speak to the engine. */
#ifndef OF_LIB_LIB_H
#define OF_LIB_LIB_H

#include "common.h"
#include "../engine/ops.h"

int lib_fail_call(of_error *err, const struct call *call);

#endif
