/* main.c: the acceptance suite of the store, run on the backend that the first argument names. */
#include "groups.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    int (*const groups[])(void) = { basic_group,     ranges_group,   longkeys_group,
                                    batches_group,   counters_group, concurrency_group,
                                    roundtrips_group };
    int failed = 0;

    if (argc > 1) fixture_backend = argv[1];
    if (fixture_is("postgres") && !getenv("TEST_PG_URL")) return 77; /* skipped: there is no database */
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        failed += groups[i]();
    return failed ? 1 : 0;
}
