/* record.h: an item or index entry as the store keeps it: LEB128 of its size by DynamoDB's rule,
 * then the encoded item. The store adds version and checksum. */
#ifndef OF_ENGINE_RECORD_H
#define OF_ENGINE_RECORD_H

#include "../item/value.h"

void record_put(struct buf *b, struct slice item, size_t size);
/* Borrowed from record. False if it is none. */
bool record_read(struct slice record, struct slice *item, size_t *size);

#endif
