/* value.h: the one form in which attribute values and items exist inside Onefold: in requests, in
 * expressions, in the store, in answers. Encoded bytes, walked in place, never decoded to a tree.
 *
 *   tag          payload                                    type
 *   VAL_NULL     -                                          NULL
 *   VAL_FALSE    -                                          BOOL
 *   VAL_TRUE     -                                          BOOL
 *   VAL_N        encoded number (number.h, self-ending)     N
 *   VAL_S        len bytes                                  S, nothing in it needs a JSON escape
 *   VAL_SQ       len bytes                                  S, something in it does
 *   VAL_B        len bytes                                  B
 *   VAL_SS       len count { len bytes }                    SS   members in ascending byte order
 *   VAL_NS       len count { encoded number }               NS   members in descending order
 *   VAL_BS       len count { len bytes }                    BS   members in ascending byte order
 *   VAL_L        len count { value }                        L
 *   VAL_M        len count { name value }                   M    in ascending byte order of names
 *   name         (n << 1 | needs a JSON escape) bytes
 *
 * len, count and the name's head are unsigned LEB128; len of a container counts what follows it,
 * count included. The encoding is canonical: two values are equal exactly if their bytes are. An item
 * is a value of type M. The order within sets is the one DynamoDB answers in (README.md says how we know);
 * its documentation promises none. */
#ifndef OF_ITEM_VALUE_H
#define OF_ITEM_VALUE_H

#include "number.h"

enum val_tag {
    VAL_NULL = 1, VAL_FALSE, VAL_TRUE, VAL_N, VAL_S, VAL_SQ, VAL_B, VAL_SS, VAL_NS, VAL_BS, VAL_L, VAL_M,
    VAL_TAG_END
};

enum val_type { TYPE_NONE, TYPE_S, TYPE_N, TYPE_B, TYPE_SS, TYPE_NS, TYPE_BS, TYPE_M, TYPE_L, TYPE_NULL, TYPE_BOOL };

#define VAL_MAX_DEPTH 32
#define VAL_MAX_OPERAND_DEPTH 100 /* of a value that is only compared with */

/* An encoded value is a slice that starts at its tag and holds exactly that value. */

extern const uint8_t val_tag_types[VAL_TAG_END]; /* of enum val_type, by tag */
static inline enum val_type val_type(struct slice v)
{
    return v.n && v.p[0] < VAL_TAG_END ? (enum val_type)val_tag_types[v.p[0]] : TYPE_NONE;
}
const char *val_type_name(enum val_type t);            /* "S", "NS", "BOOL" ... */
enum val_type val_type_from_name(struct slice name);   /* TYPE_NONE if it is none */
size_t val_encoded_length(const uint8_t *p);

/* Content of an S or B: its bytes. Of an N: its encoded number. Borrowed from v. */
struct slice val_long_content(struct slice v); /* of an S or B of 128 bytes or more */
static inline struct slice val_content(struct slice v)
{
    if (v.p[0] == VAL_N) return slice_of(v.p + 1, v.n - 1);
    return v.p[1] < 0x80 ? slice_of(v.p + 2, v.p[1]) : val_long_content(v);
}
bool val_bool(struct slice v);
/* Members of a set, elements of a list, attributes of a map; 0 for scalars. */
size_t val_count(struct slice v);

/* Walks sets, lists and maps. For a set the value given is the member's content (not a tagged value);
 * for lists and maps a whole value; name is set for maps only. Returns false at the end. */
struct val_iter {
    const uint8_t *at, *end;
    enum val_type type;
};
void val_iter_init(struct val_iter *it, struct slice v);
bool val_next(struct val_iter *it, struct slice *name, struct slice *value);

/* The attribute of a map, the element of a list. False if there is none or v is of another type. */
bool val_get(struct slice map, struct slice name, struct slice *out);
bool val_at(struct slice list, size_t index, struct slice *out);
/* Is content a member of the set? (content as val_iter gives it) */
bool val_set_has(struct slice set, struct slice content);

static inline bool val_equal(struct slice a, struct slice b)
{
    return slice_eq(a, b);
}
/* Order of two values of the same type, which must be S, N or B. */
int val_compare(struct slice a, struct slice b);

/* DynamoDB's size of a value, and of an item (names included). */
size_t val_size(struct slice v);
size_t val_item_size(struct slice item);
/* Nesting: 0 for scalars and sets, 1 + deepest member for lists and maps. DynamoDB counts an item's own
 * level too: an item may have a depth of VAL_MAX_DEPTH, an attribute's value one less. */
unsigned val_depth(struct slice v);
/* Are these n bytes exactly one well-formed canonical value? For data read from a disk. */
bool val_check(struct slice v);

/* ---- building ---- */

struct attr {
    struct slice name;
    struct slice value;
};

void val_put_null(struct buf *b);
void val_put_bool(struct buf *b, bool v);
void val_put_string(struct buf *b, struct slice text);
void val_put_binary(struct buf *b, struct slice bytes);
void val_put_number(struct buf *b, struct slice encoded);
/* contents: as val_iter gives them, in any order; sorted in place. False if two are equal. */
bool val_put_set(struct buf *b, enum val_type set_type, struct slice *contents, size_t n);
/* Values in order. */
void val_put_list(struct buf *b, const struct slice *values, size_t n);
/* attrs are sorted in place; of two with the same name the later one is kept. */
void val_put_map(struct buf *b, struct attr *attrs, size_t n);
/* Convenience: the encoded form in the arena. */
struct slice val_make_string(struct arena *a, struct slice text);
struct slice val_make_number(struct arena *a, int64_t n);

#endif
