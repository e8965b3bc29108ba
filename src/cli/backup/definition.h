/* definition.h: a table without its items, as API requests tell it.
 *
 * In the file of a backup it is what the service would have to be asked to make the table anew:
 *
 *   { "CreateTable": {...}, the request, with indexes, stream, tags and protection
 *     "UpdateTimeToLive": {...}, "UpdateContinuousBackups": {...}, "PutResourcePolicy": {...} }
 *
 * of the last three those that the table needs, without its name. */
#ifndef OF_CLI_BACKUP_DEFINITION_H
#define OF_CLI_BACKUP_DEFINITION_H

#include "service.h"

/* The table as it is now, as text in the arena. description: DescribeTable's Table. */
int definition_ask(struct service *s, struct arena *a, const struct json *description, struct slice *out);

/* The CreateTable that comes first: nothing that has to wait for the items, or would hinder putting them; with its tags and its policy, so that
 * it is never there without what guards it; marked as not finished (engine/own_names.h) with the mark. definition: one whose CreateTable
 * census_begin takes. */
struct slice definition_first(struct service *s, const struct json *definition, struct slice name, struct slice mark);
/* Its policy goes with that CreateTable, not after all else: DynamoDB would judge who fills the table by it. A policy names its table, and nobody
 * may use another one's. */
bool definition_policy_first(const struct service *s, const struct json *definition, struct slice name);
/* The AttributeDefinitions that the keys of one index need. */
void definition_put_attributes(struct buf *b, const struct json *create, const struct json *index);

#endif
