/* sample_impl.h: what the files that measure plans on sample data share. */
#ifndef OF_MODEL_SAMPLE_IMPL_H
#define OF_MODEL_SAMPLE_IMPL_H

#include "sample.h"

#define MEASURE_MAX_INPUTS 1000 /* of more different inputs so many are tried, spread evenly */

/* Does an item satisfy the pattern's filter? */
bool filter_holds(const struct bound_plan *bp, struct slice item);
/* The different inputs that the sample's items of the pattern's entity give, as for plan_bind. */
size_t sample_inputs(struct arena *a, const struct pattern *p, const struct sample *s, const struct slice **out);
/* The latest instant that a time attribute in the sample tells; 0: none. */
int64_t sample_now(const struct sample *s);

#endif
