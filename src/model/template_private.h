/* template_private.h: what the files of templates, shards and entities share. */
#ifndef OF_MODEL_TEMPLATE_PRIVATE_H
#define OF_MODEL_TEMPLATE_PRIVATE_H

#include "template.h"

#define TEMPLATE_MAX_PARTS 64
#define TEMPLATE_MAX_TEXT  2048 /* a hash key has no more bytes */

/* A value's text as a hole shows it, before padding and escaping. False for what has none. The text is
 * borrowed from value or lies in scratch. */
bool value_text(struct slice value, char scratch[NUM_MAX_TEXT], struct slice *out);
/* The text with "%" and the delimiter (also its beginning at the end) as %XX. */
void put_escaped(struct buf *b, struct slice text, struct slice delimiter);

#endif
