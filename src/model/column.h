/* column.h: an attribute value as a cell of a relational table (SQLite, CSV), and back, without loss.
 *
 *   string         text
 *   number         integer where it fits 64 bits, real where that gives the same number again, else its text
 *   boolean        0 or 1; in CSV true or false
 *   binary         blob; in CSV base64
 *   list, map, set JSON text: plain JSON, or {"$dynamodb": ...} where plain JSON would lose a type
 *   not there      NULL; in CSV nothing
 *
 * What the entity does not declare goes into one more column, COLUMN_MORE, as a map in DynamoDB JSON. Reading is generous: it
 * also takes what other programs write (numbers as text, t/f, dates with a blank instead of the T). */
#ifndef OF_MODEL_COLUMN_H
#define OF_MODEL_COLUMN_H

#include "model.h"
#include "sqlite_db.h"
#include "../item/json.h"

#define COLUMN_MORE SLICE("_more")
#define TABLE_OTHERS "_others" /* items that are none of the model's: one column, the item in DynamoDB JSON */

/* Can the attribute's column (NULL: there is none) hold it? What others stored with another type goes with what is not
 * declared, where its type stays. */
bool cell_fits(const struct attribute *at, struct slice value);
struct sqlite_value cell_from_value(struct arena *a, const struct attribute *at, struct slice value);
struct slice cell_text(struct arena *a, const struct attribute *at, struct slice value);
/* An empty slice for NULL. Errors say what the attribute expects. */
int value_from_cell(struct arena *a, const struct attribute *at, struct sqlite_value cell, struct slice *out,
                    struct err *e);
/* One value as JSON text that gives the same value again; at: NULL where it is not declared. */
struct slice exact_json(struct arena *a, const struct attribute *at, struct slice name, struct slice value);
int value_from_exact(struct arena *a, const struct attribute *at, struct slice name, const struct json *n,
                     struct slice *out, struct err *e);
/* DynamoDB JSON text to an item. */
int item_from_cell(struct arena *a, struct slice text, struct slice *out, struct err *e);
/* The attributes that the entity does not declare, as DynamoDB JSON; empty if there are none. */
struct slice cell_more(struct arena *a, const struct entity *en, struct slice attributes);

#endif
