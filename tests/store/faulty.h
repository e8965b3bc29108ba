/* faulty.h: a libpq whose N-th call fails, and memory that the N-th call does not get.
 *
 * Counted are the calls of all threads, from faulty_begin to faulty_end, of those functions that can fail. */
#ifndef OF_TESTS_STORE_FAULTY_H
#define OF_TESTS_STORE_FAULTY_H

#include <stdbool.h>

enum fault {
    FAULT_CALL,  /* the connection is cut, and the call says that it failed */
    FAULT_CUT,   /* the connection is cut, and libpq has to find out */
    FAULT_MEMORY /* malloc and the like give NULL to what is linked into this program, not to libpq */
};

/* Puts itself into libpq's place. Before the first store is opened. */
bool faulty_install(void);
/* Memory is a sanitizer's where there is one. */
bool faulty_has(enum fault fault);
void faulty_begin(enum fault fault, unsigned nth);
/* The same, and besides the first call of all: so what follows is done on a new connection. */
void faulty_begin_cut_off(enum fault fault, unsigned nth);
/* Did it come to that? */
bool faulty_end(void);

#endif
