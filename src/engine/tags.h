/* tags.h: the tags of a table: an encoded map (value.h) of keys to strings, in table->tags. */
#ifndef OF_ENGINE_TAGS_H
#define OF_ENGINE_TAGS_H

#include "../base/err.h"
#include "../item/json.h"

#define TAGS_MAX       50
#define TAGS_MAX_KEY   128 /* UTF-16 units, as all lengths of the API */
#define TAGS_MAX_VALUE 256

/* A list of Tag, each checked, to a map; empty for an empty list. */
int tags_read(struct arena *a, const struct json *list, struct slice *out, struct err *e);
/* Is it that of a table that is not finished (own_names.h)? */
bool tags_unfinished(struct slice tags);
/* The keys that are to be removed: a list of strings. */
int tags_check_keys(const struct json *keys, struct err *e);
/* old with what is in more, which wins. No more than TAGS_MAX may result, beside the mark of a table that is not finished, which more must not
 * have. */
int tags_merge(struct arena *a, struct slice old, struct slice more, struct slice *out,
               struct err *e);
struct slice tags_without(struct arena *a, struct slice old, const struct json *keys);
/* [{"Key":...,"Value":...},...] */
void tags_put(struct buf *b, struct slice tags);

#endif
