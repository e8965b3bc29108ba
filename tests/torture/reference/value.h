/* value.h: attribute values as the reference sees them: plain trees, nothing of the engine's. */
#ifndef REFERENCE_VALUE_H
#define REFERENCE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is given back all at once. */
struct mem {
    struct block *blocks;
};
void *mem_new(struct mem *m, size_t n); /* zeroed */
void mem_free(struct mem *m);
char *mem_text(struct mem *m, const char *p, size_t n); /* a copy, terminated */

/* A text that grows. */
struct text {
    char *p;
    size_t n, room;
};
__attribute__((format(printf, 2, 3))) void add(struct text *t, const char *fmt, ...);
void add_bytes(struct text *t, const char *p, size_t n);

enum type { V_S, V_N, V_B, V_BOOL, V_NULL, V_L, V_M, V_SS, V_NS };

/* Numbers are hundredths. Maps have names, sets and lists do not. */
struct val {
    enum type type;
    const char *s;
    size_t len;
    int64_t n; /* of a number; of a BOOL 0 or 1 */
    size_t count;
    struct val **at;
    const char **names;
};

struct val *val_text(struct mem *m, enum type type, const char *p, size_t n);
struct val *val_number(struct mem *m, int64_t hundredths);
struct val *val_empty(struct mem *m, enum type type);
struct val *val_copy(struct mem *m, const struct val *v);
bool val_equal(const struct val *a, const struct val *b);
/* Of two strings, numbers or binaries of one type. */
int val_order(const struct val *a, const struct val *b);
struct val *map_get(const struct val *map, const char *name); /* NULL: not there */
void map_set(struct mem *m, struct val *map, const char *name, struct val *v);
void map_remove(struct val *map, const char *name);
void list_add(struct mem *m, struct val *list, struct val *v);
void list_remove(struct val *list, size_t i);
bool list_has(const struct val *list, const struct val *v);
const char *type_name(enum type type);

/* As DynamoDB JSON: a value with its type; a map's attributes without. */
void add_val(struct text *t, const struct val *v);
void add_item(struct text *t, const struct val *map);

/* Any JSON text: objects are maps, arrays lists, strings S, numbers N, true and false BOOL. NULL: it is none. */
struct val *json_read(struct mem *m, const char *p, size_t n);
/* What such a tree says as an item. NULL: it is none. */
struct val *item_of(struct mem *m, const struct val *json);

#endif
