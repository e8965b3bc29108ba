/* schema.h: the JSON Schema of model files, which editors use: schema/onefold.schema.json, held in the program. */
#ifndef OF_MODEL_SCHEMA_H
#define OF_MODEL_SCHEMA_H

#include "../base/slice.h"

struct slice model_schema(void);

#endif
