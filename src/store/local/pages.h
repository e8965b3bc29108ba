/* pages.h: LMDB 0.9's file as it lies on the disk, read without LMDB, which trusts every page that it follows.
 *
 *   page      offset  size
 *             0       8     its own number
 *             8       2     unused
 *             10      2     flags: 1 branch, 2 leaf, 4 overflow, 8 meta
 *             12      2, 2  lower: the end of the offsets; upper: where the nodes begin. Of an overflow page 4 bytes: how many pages
 *             16      2 n   offsets of the nodes from the page's beginning, in the order of their keys
 *   node      0       2, 2  lower and upper half of the size of the data; of a branch: the first 32 bits of the child's number
 *             4       2     flags: 1 the data is the number of an overflow page, 2 a database; of a branch: 16 more bits
 *             6       2     size of the key
 *             8       -     key, data; then to an even offset
 *   meta      16      4, 4  magic, version
 *             24      8, 8  unused, size of the map
 *             40      48    database of the free pages (its first 4 bytes: size of a page)
 *             88      48    database of databases
 *             136     8, 8  last page, transaction
 *   database  0       4, 2  unused, flags
 *             6       2     depth
 *             8       8 x 3 branch, leaf and overflow pages
 *             32      8, 8  entries, root
 *
 * Numbers are little-endian, as format.md demands. The nodes of a page lie one against the other up to its end. */
#ifndef OF_STORE_LOCAL_PAGES_H
#define OF_STORE_LOCAL_PAGES_H

#include "../../base/slice.h"
#include <endian.h>

#define PAGE_HEADER  16
#define NODE_HEADER  8
#define PAGE_MAX     65536
#define PAGE_METAS   2 /* the first two pages */
#define PAGE_NONE    UINT64_MAX
#define PAGE_DEPTH   32 /* LMDB's own bound */
#define DB_BYTES     48
#define META_BYTES   152

enum page_flags { PAGE_BRANCH = 1, PAGE_LEAF = 2, PAGE_OVERFLOW = 4, PAGE_META = 8 };
enum node_flags { NODE_BIG = 1, NODE_DATABASE = 2 };

struct pages_db {
    unsigned flags, depth;
    uint64_t branches, leaves, overflows, entries, root;
};

struct pages_meta {
    uint32_t page_size;
    uint64_t last_page, txn;
    struct pages_db free, main;
};

struct pages_node {
    struct slice key;
    unsigned flags;
    uint64_t child;    /* of a branch; of a leaf with NODE_BIG the first overflow page */
    uint64_t size;     /* of the data */
    const uint8_t *data;
};

static inline uint64_t pages_number(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return le64toh(v);
}

static inline struct pages_db pages_db(const uint8_t *p)
{
    return (struct pages_db){ .flags = (unsigned)pages_number(p + 4, 2), .depth = (unsigned)pages_number(p + 6, 2),
                              .branches = pages_number(p + 8, 8), .leaves = pages_number(p + 16, 8),
                              .overflows = pages_number(p + 24, 8), .entries = pages_number(p + 32, 8),
                              .root = pages_number(p + 40, 8) };
}

static inline unsigned pages_flags(const uint8_t *page)
{
    return (unsigned)pages_number(page + 10, 2);
}

static inline size_t pages_nodes(const uint8_t *page)
{
    return (size_t)(pages_number(page + 12, 2) - PAGE_HEADER) / 2;
}

/* Bytes that a node takes in its page, by the 8 of its head. */
static inline size_t pages_node_bytes(uint64_t head, bool leaf)
{
    size_t n = NODE_HEADER + (size_t)(head >> 48);
    if (leaf) n += head & (uint64_t)NODE_BIG << 32 ? 8 : (uint32_t)head;
    return (n + 1) & ~(size_t)1;
}

/* What is wrong with a branch or leaf page, or NULL: then pages_node may be called for each of its nodes, and they fill the page's end without
 * a gap or an overlap. One number that is damaged, of the page's or of a node's, is always noticed. */
const char *pages_check(const uint8_t *page, size_t page_size, uint64_t number, unsigned flags);
void pages_node(const uint8_t *page, size_t i, struct pages_node *out);
/* Reads both metas; the newer one. NULL, or what is wrong. */
const char *pages_read_meta(int fd, struct pages_meta *out);

#endif
