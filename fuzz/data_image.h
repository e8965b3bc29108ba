/* data_image.h: a small data directory with one of everything, the same in every process, and changes of its file that an input asks for. */
#ifndef OF_FUZZ_DATA_IMAGE_H
#define OF_FUZZ_DATA_IMAGE_H

#include "base/arena.h"

#define IMAGE_PLACES 4

/* A value and where it lies in the file, old copies in free pages too. */
struct image_record {
    unsigned space;
    struct slice key, value;
    size_t at[IMAGE_PLACES];
    unsigned n_places;
};

struct image {
    char dir[64];
    size_t page_size, n; /* bytes of the file */
    uint8_t *bytes;
    struct image_record *records;
    size_t n_records;
};

/* Makes the directory, once. It is removed at the end of the process. */
const struct image *image_make(void);

/* The file as the input changes it, in room for image_room() bytes; its length. *sealed: some value was changed and has the checksum of what it is
 * now: who made the file knew what he did.
 *
 * The input is a list of changes: a byte that says which, then
 *   0  page, offset (2), n, n bytes    bytes anywhere
 *   1  page, offset (1), n, n bytes    bytes in the head of a page
 *   2  page, other page, keep          a page in the place of another; keep bit 0: with the number of the other
 *   3  page, offset (2)                the file ends there; what was not there is zeroes
 *   4  record, offset (2), n, n bytes  bytes of a value, with the right checksum
 *   5  page, offset (2), difference    is added to a number of two bytes */
size_t image_change(struct slice in, uint8_t *to, bool *sealed);
size_t image_room(void);

#endif
