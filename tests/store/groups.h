/* groups.h: the parts of the acceptance suite; each runs its tests and returns how many failed. */
#ifndef OF_TESTS_STORE_GROUPS_H
#define OF_TESTS_STORE_GROUPS_H

#include "fixture.h"

int basic_group(void);
int ranges_group(void);
int longkeys_group(void);
int batches_group(void);
int counters_group(void);
int concurrency_group(void);
int roundtrips_group(void);

#endif
