/* names.h: the names that a model holds, as the commands ask for them. */
#ifndef OF_CLI_NAMES_H
#define OF_CLI_NAMES_H

#include "cli.h"
#include "../item/json.h"
#include <onefold.h>

/* The answer of of_model_outline as a tree; it lives as long as arena. NULL after a failure, told in err. */
const struct json *outline_tree(struct arena *arena, const of_model *model, of_error *err);
/* The member of "entities" or "patterns" (kind) with this name, or NULL. */
const struct json *outline_named(const struct json *outline, const char *kind, struct slice name);
/* The attribute of an entity, or NULL. */
const struct json *outline_member(const struct json *entity, struct slice name);
/* Does the key of the entity's item use the attribute? */
bool outline_key(const struct json *entity, struct slice name);

#endif
