/* steps.h: the file of a transaction: a YAML or JSON list of steps.
 *
 *   - { put: Order, attributes: { orderId: o1, total: 10 }, ifAbsent: true }
 *   - { update: Order, key: { orderId: o1 }, set: { status: paid }, add: { total: 5 }, remove:
 * [note], if: "total < 100" }
 *   - { delete: Order, key: { orderId: o1 }, if: "status = open" }
 *   - { check: Customer, key: { customerId: c1 }, if: "credit > 100" } */
#ifndef OF_MODEL_STEPS_H
#define OF_MODEL_STEPS_H

#include "write.h"

/* False after adding problems, each with its place. */
bool steps_read(struct problems *ps, const struct model *m, struct slice file, struct slice text,
                const struct step **out, size_t *n);

#endif
