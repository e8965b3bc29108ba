/* fields.h: records in SPACE_META as items (value.h): one attribute per field, a field at its default is left
 * out, an unknown one is ignored. So a later version can add fields without a new format. */
#ifndef OF_ENGINE_FIELDS_H
#define OF_ENGINE_FIELDS_H

#include "../item/value.h"

#define FIELDS_MAX 48

struct fields_out {
    struct arena *arena;
    struct attr attrs[FIELDS_MAX];
    size_t n;
};

/* An empty value or text and a zero are left out. */
void fields_value(struct fields_out *f, struct slice name, struct slice value);
void fields_text(struct fields_out *f, struct slice name, struct slice text);
void fields_bytes(struct fields_out *f, struct slice name, struct slice bytes);
void fields_int(struct fields_out *f, struct slice name, int64_t v);
/* The encoded item, of at most max bytes. */
struct slice fields_end(struct fields_out *f, size_t max);

/* Borrowed from the item; empty or 0 where it is absent. */
struct slice field_value(struct slice item, struct slice name, enum val_type type);
struct slice field_text(struct slice item, struct slice name);
struct slice field_bytes(struct slice item, struct slice name);
int64_t field_int(struct slice item, struct slice name);

#endif
