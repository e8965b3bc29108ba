/* memory.h: what memory.c lets fail. */
#ifndef OF_TORTURE_MEMORY_H
#define OF_TORTURE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct memory_faults {
    bool on;           /* whether they are counted */
    uint64_t seen;     /* counted so far */
    uint64_t from, to; /* of these, from 1 on, fail */
    uint64_t failed;   /* did so */
};

/* The calling thread's own. */
struct memory_faults *memory_faults(void);

#endif
