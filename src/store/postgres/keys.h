/* keys.h: how a key lies in the columns of a row.
 *
 *   place   its first 8 bytes, or all of it: what a cluster distributes rows by
 *   head    the next 2,400 bytes
 *   rest    what is left; empty but for very long keys
 *   tail    SHA-256 of rest, empty where rest is: an index row has at most 2,704 bytes
 *
 * The primary key is (place, head, tail), and bytea is ordered as memcmp orders. So rows come in the order of their keys, but for
 * those that differ in rest alone, which come in the order of a hash; they are read by a statement of their own (range.c). A short key comes
 * before the long ones that it begins, since its tail is empty. */
#ifndef OF_STORE_POSTGRES_KEYS_H
#define OF_STORE_POSTGRES_KEYS_H

#include "../../base/slice.h"

#define KEY_PLACE 8
#define KEY_HEAD  2400
#define KEY_SHORT (KEY_PLACE + KEY_HEAD) /* the longest without a rest */
#define KEY_TAIL  32

struct columns {
    struct slice place, head, rest, tail;
    uint8_t digest[KEY_TAIL]; /* that tail points to: so this is passed by reference */
};

void key_split(struct slice key, struct columns *c);

#endif
