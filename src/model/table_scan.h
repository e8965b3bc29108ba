/* table_scan.h: every item of a table, page by page, with memory for one page. */
#ifndef OF_MODEL_TABLE_SCAN_H
#define OF_MODEL_TABLE_SCAN_H

#include "api.h"

struct table_scan {
    struct api *api;
    struct slice table;
    /* page: memory that lives until the next page. Not 0 ends the scan with that error. */
    int (*each)(void *ctx, struct arena *page, struct slice item, struct err *e);
    /* After each page; may be NULL. */
    void (*after_page)(void *ctx);
    void *ctx;
};

int table_scan(const struct table_scan *scan, struct err *e);

#endif
