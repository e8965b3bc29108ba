/* pages.c: reading and checking single pages of an LMDB file; see pages.h. */
#include "pages.h"
#include <errno.h>
#include <unistd.h>

#define MAGIC   0xBEEFC0DEu
#define VERSION 1

/* This is done for every page that a range comes to: the nodes are not sorted by their places.
 * Nodes at a, b, c ... of x, y, z ... bytes that fill [upper, size) have x + y + z ... = size -
 * upper, and (a + x)^2 - a^2 + (b + y)^2 - b^2 ... = size^2 - upper^2; after one change of an
 * offset or of a size both can no longer hold. */
const char *pages_check(const uint8_t *page, size_t page_size, uint64_t number, unsigned flags)
{
    size_t lower = (size_t)pages_number(page + 12, 2), upper = (size_t)pages_number(page + 14, 2),
           used = 0, squares = 0, odd = lower;
    bool leaf = flags == PAGE_LEAF;
    if (pages_number(page, 8) != number) return "has the number of another page";
    if (pages_flags(page) != flags) return "is not of the kind that its place in the tree asks for";
    if (upper == 0 && page_size == PAGE_MAX) upper = page_size;
    if (lower < PAGE_HEADER || lower > upper || upper > page_size) return "has impossible bounds";
    for (const uint8_t *at = page + PAGE_HEADER, *end = page + (lower & ~(size_t)1); at < end;
         at += 2) {
        size_t offset = (size_t)pages_number(at, 2);
        if (offset < upper || offset > page_size - NODE_HEADER)
            return "has a node outside of its bounds";
        size_t n = pages_node_bytes(pages_number(page + offset, 8), leaf);
        if (n > page_size - offset) return "has a node that is longer than the page";
        odd |= offset;
        used += n;
        squares += n * (2 * offset + n);
    }
    if (odd % 2) return "has an odd offset";
    if (used != page_size - upper) return "has nodes of the wrong size";
    return squares == page_size * page_size - upper * upper ? NULL
                                                            : "has nodes in the wrong places";
}

void pages_node(const uint8_t *page, size_t i, struct pages_node *out)
{
    const uint8_t *node = page + pages_number(page + PAGE_HEADER + 2 * i, 2);
    size_t key = (size_t)pages_number(node + 6, 2);
    *out = (struct pages_node){ .key = slice_of(node + NODE_HEADER, key),
                                .data = node + NODE_HEADER + key };
    if (pages_flags(page) == PAGE_BRANCH) {
        out->child = pages_number(node, 6);
        return;
    }
    out->flags = (unsigned)pages_number(node + 4, 2);
    out->size = pages_number(node, 4);
    if (out->flags & NODE_BIG) out->child = pages_number(out->data, 8);
}

static const char *read_one(int fd, uint64_t at, struct pages_meta *out)
{
    uint8_t p[META_BYTES];
    ssize_t n;
    do
        n = pread(fd, p, sizeof p, (off_t)at);
    while (n < 0 && errno == EINTR);
    if (n < 0) return "cannot be read";
    if (n < META_BYTES) return "is cut off";
    if (pages_flags(p) != PAGE_META || pages_number(p + 16, 4) != MAGIC)
        return "is not an LMDB file";
    if (pages_number(p + 20, 4) != VERSION) return "is of another version of LMDB";
    *out = (struct pages_meta){ .page_size = (uint32_t)pages_number(p + 40, 4),
                                .free = pages_db(p + 40),
                                .main = pages_db(p + 88),
                                .last_page = pages_number(p + 136, 8),
                                .txn = pages_number(p + 144, 8) };
    uint32_t size = out->page_size;
    if (size < 512 || size > PAGE_MAX || size & (size - 1)) return "has an impossible page size";
    if (out->last_page < 1 || out->last_page > (uint64_t)INT64_MAX / PAGE_MAX)
        return "has an impossible last page";
    return NULL;
}

const char *pages_read_meta(int fd, struct pages_meta *out)
{
    struct pages_meta m[PAGE_METAS];
    const char *wrong = read_one(fd, 0, &m[0]);
    if (!wrong) wrong = read_one(fd, m[0].page_size, &m[1]);
    if (wrong) return wrong;
    if (m[0].page_size != m[1].page_size || m[0].free.flags != m[1].free.flags ||
        m[0].main.flags != m[1].main.flags)
        return "has two first pages that do not agree";
    /* They are written in turn: one after the other, the even ones to the first page. A new file
     * has 0 in both. */
    uint64_t newer = m[0].txn > m[1].txn ? 0 : 1;
    if (m[0].txn || m[1].txn) {
        if (m[0].txn % 2 != 0 || m[1].txn % 2 != 1 || m[newer].txn - m[!newer].txn != 1)
            return "has two first pages that do not follow one another";
    }
    *out = m[newer];
    return NULL;
}
