/* keybytes.h: bytes whose memcmp order is DynamoDB's order of key values, self-ending so that parts
 * can follow each other in one key.
 *   S, B   the bytes, 0x00 written as 0x00 0xFF, then 0x00 0x01 as the end
 *   N      the number's encoding (number.h), which ends itself
 * A prefix of a string is its bytes so escaped, without the end: every string with that prefix lies
 * between keybytes_prefix(p) and keybytes_after(that). */
#ifndef OF_ITEM_KEYBYTES_H
#define OF_ITEM_KEYBYTES_H

#include "value.h"

/* Appends the ordered form of a value of type S, N or B. */
void keybytes_put(struct buf *b, struct slice value);
/* The same for a string or binary prefix (begins_with): no end mark. */
void keybytes_put_prefix(struct buf *b, struct slice value);
/* Reads one part back: an encoded value of the given type in the arena; advances *at. False if the
 * bytes are not a part. */
bool keybytes_take(struct arena *a, enum val_type type, struct slice *at, struct slice *value);
/* The smallest byte string greater than every string that starts with key; empty if there is none. */
struct slice keybytes_after(struct arena *a, struct slice key);

#endif
