/* value.h: the header of a stored value.
 *
 *   offset  size
 *   0       1     version of this layout: 1
 *   1       4     checksum, little-endian: the low 32 bits of XXH3-64 of the payload, seeded with
 *                 XXH3-64 of the logical key, itself seeded with the number of the space
 *   5       -     the payload
 *
 * The key in the seed makes a value that ends up under another key, or in another space, as wrong
 * as a flipped bit. */
#ifndef OF_STORE_VALUE_H
#define OF_STORE_VALUE_H

#include "../base/slice.h"

#define VALUE_VERSION 1
#define VALUE_HEADER  5

/* Writes header and payload to `to`, which has room for VALUE_HEADER + payload.n bytes. */
void value_write(uint8_t *to, unsigned space, struct slice key, struct slice payload);
/* Checks what value_write wrote and finds the payload in it. False: damaged. */
bool value_read(struct slice stored, unsigned space, struct slice key, struct slice *payload);

#endif
