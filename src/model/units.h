/* units.h: DynamoDB's capacity units and item limit, in one place for size, cost and lint. */
#ifndef OF_MODEL_UNITS_H
#define OF_MODEL_UNITS_H

#include <math.h>

#define ITEM_BYTES_MAX  409600.0  /* 400 KB */
#define READ_UNIT_BYTES 4096.0
#define WRITE_UNIT_BYTES 1024.0
#define PAGE_BYTES_MAX  1048576.0 /* what one Query reads at most */

/* Strongly consistent; eventually consistent is half of it, transactional twice. Nothing costs less than one. */
static inline double units_read(double bytes)
{
    return fmax(1, ceil(bytes / READ_UNIT_BYTES));
}

static inline double units_write(double bytes)
{
    return fmax(1, ceil(bytes / WRITE_UNIT_BYTES));
}

/* A Query's items are summed before they are rounded up, page by page; *pages may be NULL. Strongly consistent. */
static inline double units_query(double items, double bytes_each, double *pages)
{
    double per_page = fmax(1, floor(PAGE_BYTES_MAX / fmax(1, bytes_each)));
    double full = floor(items / per_page), rest = items - full * per_page;
    double units = full * units_read(per_page * bytes_each);
    if (rest > 0 || full == 0) units += units_read(rest * bytes_each);
    if (pages) *pages = full + (rest > 0 || full == 0);
    return units;
}

#endif
