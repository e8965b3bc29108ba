/* get_item.h: what a GetItem asks for, once it is known: read from a request by get_item.c, or filled in by a caller in C, who
 * then prepares the call with call_prepare_op. */
#ifndef OF_ENGINE_OPS_GET_ITEM_H
#define OF_ENGINE_OPS_GET_ITEM_H

#include "../request.h"

struct get_item {
    struct slice table_name;       /* or its ARN */
    struct slice key;              /* encoded */
    struct projection *projection; /* NULL: everything */
    bool consistent;
    enum capacity_detail detail;
    /* bound */
    const struct table *table;
    struct slice store_key;
};

#endif
