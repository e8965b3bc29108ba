/* identify.h: reports about items that one holds in the hand: which entity each is, and the keys that attributes give. */
#ifndef OF_MODEL_IDENTIFY_H
#define OF_MODEL_IDENTIFY_H

#include "report.h"

/* items: a JSON array of items in DynamoDB JSON. [{"entity":"Order","kind":"copy","copy":"ofCustomer","size":n,
 * "original":{...},"identity":{...}}], one for each, in order: docs/json.md, identify. */
int report_identify(struct reporter *r, struct slice items);
/* attributes: one item in DynamoDB JSON, which need not be whole. {"keys":[{"index":null,"copy":null,"key":{...},
 * "missing":null}]}: the keys of the entity, its index entries and copies as far as they can be computed. */
int report_keys(struct reporter *r, const struct entity *en, struct slice attributes);

#endif
