/* item.c: building items and lists. What is built lies in an arena of its own; every public function that may allocate runs
 * under that arena's guard. */
#include "lib.h"
#include <stdlib.h>

#define SMALL_BYTES 256 /* of a text that is encoded before it is known whether it needs memory */

/* NULL: no memory. */
static struct arena *new_arena(void)
{
    struct arena *a = malloc(sizeof *a);
    if (a) arena_init(a, LIB_ITEM_MAX);
    return a;
}

static void free_arena(struct arena *a)
{
    if (!a) return;
    arena_free(a);
    free(a);
}

/* Before anything is allocated for the item. False: no memory. */
static bool has_arena(of_item *item)
{
    if (!item->arena) item->arena = new_arena();
    return item->arena;
}

of_item *of_item_new(void)
{
    of_item *item = calloc(1, sizeof *item);
    if (item) item->dirty = item->listed = true;
    return item;
}

void of_item_free(of_item *item)
{
    if (!item) return;
    free_arena(item->arena);
    free(item);
}

of_item *lib_item_copy(struct slice encoded)
{
    of_item *item = malloc(sizeof *item + encoded.n);
    if (!item) return NULL;
    memcpy(item + 1, encoded.p, encoded.n);
    *item = (of_item){ .encoded = slice_of(item + 1, encoded.n) };
    return item;
}

/* Into the room of the encoding before it, where that is enough: nothing else lies there. */
static void encode(of_item *item)
{
    struct buf b;
    buf_init(&b, item->arena, LIB_ITEM_MAX);
    b.p = item->made;
    b.cap = item->made_room;
    val_put_map(&b, item->attrs, item->n);
    item->made = b.p;
    item->made_room = b.cap;
    item->encoded = buf_view(&b);
    item->dirty = false;
}

bool lib_item_encode(const of_item *const_item, struct slice *out)
{
    static const uint8_t empty_map[] = { VAL_M, 1, 0 };
    of_item *item = (of_item *)(uintptr_t)const_item; /* encoding on demand is no visible change */
    if (!item) {
        *out = slice_of(empty_map, sizeof empty_map);
        return true;
    }
    if (!has_arena(item)) return false;
    if (ARENA_GUARD(item->arena)) encode(item);
    arena_unguard(item->arena);
    *out = item->encoded;
    return !item->dirty;
}

/* The attributes as an array that can be changed. */
static void list_attributes(of_item *item)
{
    if (item->listed) return;
    struct val_iter it;
    size_t n = val_count(item->encoded);
    item->attrs = ARENA_ARRAY(item->arena, struct attr, n + 8);
    item->cap = n + 8;
    item->n = 0;
    val_iter_init(&it, item->encoded);
    while (val_next(&it, &item->attrs[item->n].name, &item->attrs[item->n].value)) item->n++;
    item->listed = true;
}

static struct attr *find(of_item *item, struct slice name)
{
    for (size_t i = 0; i < item->n; i++) {
        if (slice_eq(item->attrs[i].name, name)) return &item->attrs[i];
    }
    return NULL;
}

static void set(of_item *item, struct slice name, struct slice value)
{
    list_attributes(item);
    item->dirty = true;
    struct attr *old = find(item, name);
    if (old) {
        old->value = value;
        return;
    }
    if (item->n == item->cap) {
        size_t cap = item->cap ? item->cap * 2 : 8;
        struct attr *attrs = ARENA_ARRAY(item->arena, struct attr, cap);
        if (item->n) memcpy(attrs, item->attrs, item->n * sizeof *attrs);
        item->attrs = attrs;
        item->cap = cap;
    }
    item->attrs[item->n++] = (struct attr){ arena_dup(item->arena, name), value };
}

/* What a value is made from; one of these per setter. */
struct source {
    of_type type;
    struct slice bytes;   /* string, binary, number's text, or a whole encoded value (OF_NONE) */
    int64_t integer;      /* number, if bytes.p is NULL */
    bool boolean;
    const of_list *list;  /* list or set */
};

static bool put_members(struct buf *b, const of_list *list)
{
    static const enum val_type set_of[] = { [TYPE_S] = TYPE_SS, [TYPE_N] = TYPE_NS, [TYPE_B] = TYPE_BS };
    if (!list->n) return false;
    enum val_type type = val_type(list->values[0]);
    if (type != TYPE_S && type != TYPE_N && type != TYPE_B) return false;
    struct slice *contents = ARENA_ARRAY(b->arena, struct slice, list->n);
    for (size_t i = 0; i < list->n; i++) {
        if (val_type(list->values[i]) != type) return false;
        contents[i] = val_content(list->values[i]);
    }
    return val_put_set(b, set_of[type], contents, list->n);
}

/* False: it cannot be such a value. */
static bool make(struct buf *b, const struct source *from)
{
    struct num num;
    switch (from->type) {
    case OF_STRING:
        if (!utf8_valid(from->bytes)) return false;
        val_put_string(b, from->bytes);
        break;
    case OF_BINARY: val_put_binary(b, from->bytes); break;
    case OF_NUMBER:
        if (!from->bytes.p) {
            num_from_int64(from->integer, &num);
        } else if (num_parse(from->bytes, &num)) {
            return false;
        }
        val_put_number(b, slice_of(num.bytes, num.n));
        break;
    case OF_BOOL: val_put_bool(b, from->boolean); break;
    case OF_NULL: val_put_null(b); break;
    case OF_LIST: val_put_list(b, from->list->values, from->list->n); break;
    case OF_STRING_SET:
        if (!put_members(b, from->list)) return false;
        break;
    default:
        if (!from->bytes.n) return false; /* an of_value of type OF_NONE */
        buf_slice(b, from->bytes);
        break;
    }
    return true;
}

static struct attr *copy_attrs(struct arena *a, const of_item *item)
{
    struct attr *attrs = ARENA_ARRAY(a, struct attr, item->cap);
    for (size_t i = 0; i < item->n; i++) {
        attrs[i].name = arena_dup(a, item->attrs[i].name);
        attrs[i].value = arena_dup(a, item->attrs[i].value);
    }
    return attrs;
}

/* After a change. Values that were replaced, and encodings that were asked for in between, stay in the
 * arena; when they are most of it the item moves to a new one. So an item can be changed and put for
 * ever. Nothing that was handed out is meant to outlive the change. */
static void move_if_worn(of_item *item)
{
    if (item->arena->used < LIB_ITEM_MOVE || !item->listed || !item->dirty) return;
    size_t needed = item->cap * sizeof *item->attrs;
    for (size_t i = 0; i < item->n; i++)
        needed += item->attrs[i].name.n + item->attrs[i].value.n;
    if (item->arena->used / 3 < needed) return;
    struct arena *fresh = new_arena(), *worn = item->arena;
    if (!fresh) return;
    if (ARENA_GUARD(fresh)) {
        item->attrs = copy_attrs(fresh, item);
        item->arena = fresh;
        item->made = NULL;
        item->made_room = 0;
    }
    arena_unguard(fresh);
    free_arena(item->arena == fresh ? worn : fresh);
}

static bool name_fits(struct slice name)
{
    return name.n > 0 && name.n <= ATTR_NAME_MAX && utf8_valid(name);
}

/* Values that are made without taking memory. */
static bool is_small(const struct source *from)
{
    switch (from->type) {
    case OF_STRING:
    case OF_BINARY: return from->bytes.n <= SMALL_BYTES;
    case OF_NUMBER:
    case OF_BOOL:
    case OF_NULL: return true;
    default: return false;
    }
}

static int set_anew(of_item *item, struct slice name, const struct source *from)
{
    int result;
    if (!name_fits(name)) return OF_INVALID;
    if (!has_arena(item)) return OF_NO_MEMORY;
    if (ARENA_GUARD(item->arena)) {
        struct buf b;
        buf_init(&b, item->arena, LIB_ITEM_MAX);
        bool right = make(&b, from);
        if (right) set(item, name, buf_view(&b));
        result = right ? OF_OK : OF_INVALID;
    } else {
        result = OF_NO_MEMORY;
    }
    arena_unguard(item->arena);
    move_if_worn(item);
    return result;
}

/* A value that is no longer than the one it replaces takes its place: an item can be filled again and again, as a key is,
 * without taking memory. */
static int item_set(of_item *item, const char *name, ptrdiff_t name_len, struct source from)
{
    struct slice wanted = lib_text(name, name_len);
    struct attr *old = item->listed ? find(item, wanted) : NULL;
    if (!old || !is_small(&from)) return set_anew(item, wanted, &from);
    uint8_t bytes[SMALL_BYTES + NUM_MAX_BYTES];
    struct buf b = { .p = bytes, .cap = sizeof bytes, .max = sizeof bytes };
    if (!make(&b, &from)) return OF_INVALID;
    if (b.n > old->value.n) return set_anew(item, wanted, &from);
    memcpy((void *)(uintptr_t)old->value.p, bytes, b.n);
    old->value.n = b.n;
    item->dirty = true;
    return OF_OK;
}

int of_item_set_string(of_item *item, const char *name, ptrdiff_t name_len, const char *text,
                       ptrdiff_t len)
{
    return item_set(item, name, name_len, (struct source){ OF_STRING, .bytes = lib_text(text, len) });
}

int of_item_set_binary(of_item *item, const char *name, ptrdiff_t name_len, const void *bytes,
                       size_t len)
{
    return item_set(item, name, name_len, (struct source){ OF_BINARY, .bytes = slice_of(bytes, len) });
}

int of_item_set_number(of_item *item, const char *name, ptrdiff_t name_len, const char *text,
                       ptrdiff_t len)
{
    return item_set(item, name, name_len, (struct source){ OF_NUMBER, .bytes = lib_text(text, len) });
}

int of_item_set_int(of_item *item, const char *name, ptrdiff_t name_len, int64_t number)
{
    return item_set(item, name, name_len, (struct source){ OF_NUMBER, .integer = number });
}

int of_item_set_bool(of_item *item, const char *name, ptrdiff_t name_len, bool value)
{
    return item_set(item, name, name_len, (struct source){ OF_BOOL, .boolean = value });
}

int of_item_set_null(of_item *item, const char *name, ptrdiff_t name_len)
{
    return item_set(item, name, name_len, (struct source){ OF_NULL });
}

int of_item_set_list(of_item *item, const char *name, ptrdiff_t name_len, const of_list *list)
{
    return item_set(item, name, name_len, (struct source){ OF_LIST, .list = list });
}

int of_item_set_set(of_item *item, const char *name, ptrdiff_t name_len, const of_list *members)
{
    return item_set(item, name, name_len, (struct source){ OF_STRING_SET, .list = members });
}

int of_item_set_map(of_item *item, const char *name, ptrdiff_t name_len, const of_item *map)
{
    struct slice bytes;
    if (!lib_item_bytes(map, &bytes)) return OF_NO_MEMORY;
    return item_set(item, name, name_len, (struct source){ OF_NONE, .bytes = bytes });
}

/* A set's member has no tag of its own: it becomes a value by its type. */
static struct source source_of(of_value v)
{
    struct source from = { OF_NONE, .bytes = slice_of(v.p, v.n) };
    if (v.member_of == OF_STRING_SET) from.type = OF_STRING;
    if (v.member_of == OF_BINARY_SET) from.type = OF_BINARY;
    return from;
}

int of_item_set_value(of_item *item, const char *name, ptrdiff_t name_len, of_value value)
{
    if (value.member_of == OF_NUMBER_SET) {
        char text[OF_NUMBER_TEXT_MAX];
        size_t n = of_value_number(value, text);
        return of_item_set_number(item, name, name_len, text, (ptrdiff_t)n);
    }
    return item_set(item, name, name_len, source_of(value));
}

int of_item_remove(of_item *item, const char *name, ptrdiff_t name_len)
{
    int result;
    if (!has_arena(item)) return OF_NO_MEMORY;
    if (ARENA_GUARD(item->arena)) {
        list_attributes(item);
        struct attr *old = find(item, lib_text(name, name_len));
        if (old) {
            *old = item->attrs[--item->n];
            item->dirty = true;
        }
        result = old ? OF_OK : OF_NOT_FOUND;
    } else {
        result = OF_NO_MEMORY;
    }
    arena_unguard(item->arena);
    move_if_worn(item);
    return result;
}

of_value of_item_value(const of_item *item)
{
    struct slice bytes;
    if (!lib_item_bytes(item, &bytes)) return (of_value){ NULL, 0, 0 };
    return (of_value){ bytes.p, bytes.n, 0 };
}

bool of_item_get(const of_item *item, const char *name, ptrdiff_t name_len, of_value *out)
{
    struct slice bytes, found;
    if (!lib_item_bytes(item, &bytes) || !val_get(bytes, lib_text(name, name_len), &found)) return false;
    *out = (of_value){ found.p, found.n, 0 };
    return true;
}

size_t of_item_size(const of_item *item)
{
    struct slice bytes;
    return lib_item_bytes(item, &bytes) ? val_item_size(bytes) : 0;
}

/* ---- lists ---- */

of_list *of_list_new(void)
{
    of_list *list = calloc(1, sizeof *list);
    if (list) arena_init(&list->arena, LIB_ITEM_MAX);
    return list;
}

void of_list_free(of_list *list)
{
    if (!list) return;
    arena_free(&list->arena);
    free(list);
}

static int list_add(of_list *list, struct source from)
{
    int result;
    if (ARENA_GUARD(&list->arena)) {
        struct buf b;
        buf_init(&b, &list->arena, LIB_ITEM_MAX);
        bool right = make(&b, &from);
        if (right && list->n == list->cap) {
            size_t cap = list->cap ? list->cap * 2 : 8;
            struct slice *values = ARENA_ARRAY(&list->arena, struct slice, cap);
            if (list->n) memcpy(values, list->values, list->n * sizeof *values);
            list->values = values;
            list->cap = cap;
        }
        if (right) list->values[list->n++] = buf_view(&b);
        result = right ? OF_OK : OF_INVALID;
    } else {
        result = OF_NO_MEMORY;
    }
    arena_unguard(&list->arena);
    return result;
}

int of_list_add_string(of_list *list, const char *text, ptrdiff_t len)
{
    return list_add(list, (struct source){ OF_STRING, .bytes = lib_text(text, len) });
}

int of_list_add_binary(of_list *list, const void *bytes, size_t len)
{
    return list_add(list, (struct source){ OF_BINARY, .bytes = slice_of(bytes, len) });
}

int of_list_add_number(of_list *list, const char *text, ptrdiff_t len)
{
    return list_add(list, (struct source){ OF_NUMBER, .bytes = lib_text(text, len) });
}

int of_list_add_int(of_list *list, int64_t number)
{
    return list_add(list, (struct source){ OF_NUMBER, .integer = number });
}

int of_list_add_value(of_list *list, of_value value)
{
    if (value.member_of == OF_NUMBER_SET) {
        char text[OF_NUMBER_TEXT_MAX];
        size_t n = of_value_number(value, text);
        return of_list_add_number(list, text, (ptrdiff_t)n);
    }
    return list_add(list, source_of(value));
}
