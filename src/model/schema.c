/* schema.c: gives out the JSON Schema, which tools/embed made a part of the program. */
#include "schema.h"

extern const unsigned char model_schema_text[];
extern const size_t model_schema_text_length;

struct slice model_schema(void)
{
    return slice_of(model_schema_text, model_schema_text_length);
}
