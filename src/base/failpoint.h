/* failpoint.h: named places at which a test can have this process die, wait or fail, and bugs that a test can switch on.
 *
 * In a normal build both are nothing: FAILPOINT no statement, FAILPOINT_OR the constant 0, SEEDED_BUG the constant false. The
 * program of `ninja failpoints` (tests/torture/failpoints) reads from its environment:
 *
 *   ONEFOLD_FAILPOINT=NAME:HIT:ACTION,... up to four. HIT: which time it comes there, or %N for every N-th time.
 *                                       ACTION: kill (as kill -9 would), sleep=MS, error (FAILPOINT_OR only, FAILPOINT goes on)
 *   ONEFOLD_SEEDED_BUG=NAME
 *   ONEFOLD_FAILPOINT_MAP=BYTES         the size of the map to begin with, so that it has to grow
 *
 * Names are those of failpoints.inc. */
#pragma once

#ifdef ONEFOLD_FAILPOINTS
#include <stdbool.h>
#include <stddef.h>

enum failpoint {
#define FAILPOINT(name, what)  FAILPOINT_##name,
#define SEEDED_BUG(name, what) SEEDED_BUG_##name,
#include "failpoints.inc"
#undef FAILPOINT
#undef SEEDED_BUG
    FAILPOINTS_END
};

/* True: the caller is to fail. */
bool failpoint_reached(enum failpoint point);
bool failpoint_bug(enum failpoint bug);
/* True for one in n calls with this bug switched on. */
bool failpoint_bug_now(enum failpoint bug, unsigned n);
size_t failpoint_map_size(size_t normal);

#define FAILPOINT(name)              ((void)failpoint_reached(FAILPOINT_##name))
#define FAILPOINT_OR(name, status)   (failpoint_reached(FAILPOINT_##name) ? (status) : 0)
#define FAILPOINT_MAP_SIZE(normal)   failpoint_map_size(normal)
#define SEEDED_BUG(name)             failpoint_bug(SEEDED_BUG_##name)
#define SEEDED_BUG_ONE_IN(n, name)   failpoint_bug_now(SEEDED_BUG_##name, n)
#else
#define FAILPOINT(name)              ((void)0)
#define FAILPOINT_OR(name, status)   0
#define FAILPOINT_MAP_SIZE(normal)   (normal)
#define SEEDED_BUG(name)             false
#define SEEDED_BUG_ONE_IN(n, name)   false
#endif
