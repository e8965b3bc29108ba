/* record.c: the stored form of an item: its size, then its bytes. */
#include "record.h"

void record_put(struct buf *b, struct slice item, size_t size)
{
    buf_varint(b, size);
    buf_slice(b, item);
}

bool record_read(struct slice record, struct slice *item, size_t *size)
{
    uint64_t n = 0;
    for (size_t i = 0; i < record.n && i < 5; i++) {
        n |= (uint64_t)(record.p[i] & 0x7f) << (7 * i);
        if (record.p[i] & 0x80) continue;
        *item = slice_of(record.p + i + 1, record.n - i - 1);
        *size = (size_t)n;
        /* The store's checksum vouches for the bytes; this only tells another kind of value apart.
         */
        return item->n > 0 && item->p[0] == VAL_M;
    }
    return false;
}
