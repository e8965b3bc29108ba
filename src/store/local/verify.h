/* verify.h: every page of a data file is looked at before LMDB is let near it.
 *
 * LMDB follows page numbers and offsets as it finds them, so that a flipped bit in a tree page can end a process, or hide a part of
 * a table. Here the trees are walked with pread and nothing is taken on trust: where this finds nothing, LMDB meets no page
 * that it cannot read, and finds every key that a leaf holds. */
#ifndef OF_STORE_LOCAL_VERIFY_H
#define OF_STORE_LOCAL_VERIFY_H

#include "../store.h"
#include "pages.h"

/* fd: the data file. names: of the databases, SPACE_END spaces and then `tails`. STORE_OK: LMDB may open the file, and what is not in
 * v->damaged can be read. Otherwise v->tell was told why not. */
int verify_file(int fd, const char *const *names, struct store_verify *v);

/* Is everything in the file that may be read? LMDB counts a page that a transaction takes, gives back and so never writes: behind the end of the
 * file pages may be missing that are free, and no others. NULL, or what is wrong. */
const char *verify_length(int fd, const struct pages_meta *meta);

#endif
