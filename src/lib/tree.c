/* tree.c: building request trees. */
#include "tree.h"

static struct json *node(struct arena *a, enum json_type type)
{
    struct json *n = ARENA_NEW(a, struct json);
    n->type = type;
    return n;
}

struct tree tree_object(struct arena *a)
{
    return (struct tree){ a, node(a, JSON_OBJECT), NULL };
}

struct tree tree_array(struct arena *a)
{
    return (struct tree){ a, node(a, JSON_ARRAY), NULL };
}

static struct json *append(struct tree *t, struct slice name, enum json_type type)
{
    struct json *n = node(t->arena, type);
    n->name = name;
    if (t->last) {
        t->last->next = n;
    } else {
        t->node->first = n;
    }
    t->last = n;
    t->node->count++;
    return n;
}

void tree_add(struct tree *t, struct slice name, const struct json *value)
{
    struct json *n = append(t, name, value->type);
    n->count = value->count;
    n->text = value->text;
    n->first = value->first;
}

void tree_add_string(struct tree *t, struct slice name, struct slice text)
{
    append(t, name, JSON_STRING)->text = text;
}

void tree_add_text(struct tree *t, struct slice name, const char *s)
{
    if (s) tree_add_string(t, name, slice_str(s));
}

void tree_add_bool(struct tree *t, struct slice name, bool value)
{
    append(t, name, value ? JSON_TRUE : JSON_FALSE);
}

void tree_add_int(struct tree *t, struct slice name, uint64_t value)
{
    struct buf b;
    buf_init(&b, t->arena, 32);
    buf_decimal(&b, value);
    append(t, name, JSON_NUMBER)->text = buf_view(&b);
}

void tree_add_encoded(struct tree *t, struct slice name, struct slice encoded)
{
    append(t, name, JSON_ENCODED)->text = encoded;
}

void tree_add_placeholders(struct tree *t, struct slice names, struct slice values)
{
    struct val_iter it;
    struct slice name, value;
    if (names.n && val_count(names)) {
        struct tree map = tree_object(t->arena);
        val_iter_init(&it, names);
        while (val_next(&it, &name, &value)) {
            bool text = val_type(value) == TYPE_S;
            tree_add_string(&map, name, text ? val_content(value) : slice_of(NULL, 0));
        }
        tree_add(t, SLICE("ExpressionAttributeNames"), map.node);
    }
    if (values.n && val_count(values)) {
        struct tree map = tree_object(t->arena);
        val_iter_init(&it, values);
        while (val_next(&it, &name, &value)) tree_add_encoded(&map, name, value);
        tree_add(t, SLICE("ExpressionAttributeValues"), map.node);
    }
}
