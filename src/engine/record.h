/* record.h: an item or index entry as the store keeps it: LEB128 of its size by DynamoDB's rule,
 * then the encoded item. The store adds version and checksum. */
#ifndef OF_ENGINE_RECORD_H
#define OF_ENGINE_RECORD_H

#include "../item/value.h"

void record_put(struct buf *b, struct slice item, size_t size);
/* Borrowed from record. False if it is none. Here, because it is done for every item of a page. */
static inline bool record_read(struct slice record, struct slice *item, size_t *size)
{
    uint64_t n = 0;
    for (size_t i = 0; i < record.n && i < 5; i++) {
        n |= (uint64_t)(record.p[i] & 0x7f) << (7 * i);
        if (record.p[i] & 0x80) continue;
        *item = slice_of(record.p + i + 1, record.n - i - 1);
        *size = (size_t)n;
        /* The store's checksum vouches for the bytes; this only tells another kind of value apart. */
        return item->n > 0 && item->p[0] == VAL_M;
    }
    return false;
}

#endif
