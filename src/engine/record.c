/* record.c: writing the stored form of an item: its size, then its bytes. */
#include "record.h"

void record_put(struct buf *b, struct slice item, size_t size)
{
    buf_varint(b, size);
    buf_slice(b, item);
}
