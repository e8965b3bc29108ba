/* write_action.c: one action of a write: its expressions and its JSON. */
#include "write_impl.h"
#include "../item/item_json.h"

struct action *action_add(struct write *w, enum action_kind kind, enum action_role role,
                          const struct work *k, struct slice key)
{
    struct arena *a = w->s->arena;
    size_t step = (size_t)(k - w->works);
    /* What moves away from a key and what moves to it are one action. */
    if (kind == ACTION_PUT) {
        for (size_t i = 0; i < w->n_actions; i++) {
            struct action *x = &w->actions[i];
            if (x->step != step || x->kind != ACTION_DELETE || !val_equal(x->key, key)) continue;
            memmove(x, x + 1, (w->n_actions - i - 1) * sizeof *x);
            w->n_actions--;
            break;
        }
    }
    if (w->n_actions == w->cap) {
        size_t cap = w->cap ? w->cap * 2 : 16;
        struct action *grown = ARENA_ARRAY(a, struct action, cap);
        if (w->n_actions) memcpy(grown, w->actions, w->n_actions * sizeof *grown);
        w->actions = grown;
        w->cap = cap;
    }
    struct action *x = &w->actions[w->n_actions++];
    *x = (struct action){
        .kind = kind, .role = role, .step = step, .key = key, .arena = a, .size = val_item_size(key)
    };
    struct buf *bufs[] = { &x->condition, &x->set, &x->add, &x->remove, &x->names, &x->values };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_init(bufs[i], a, WRITE_TEXT_MAX);
    return x;
}

unsigned action_name(struct action *x, struct slice attribute)
{
    buf_printf(&x->names, "%s\"#a%u\":", x->names.n ? "," : "", x->n_names);
    json_put_string(&x->names, attribute);
    return x->n_names++;
}

unsigned action_value(struct action *x, struct slice value)
{
    buf_printf(&x->values, "%s\":a%u\":", x->values.n ? "," : "", x->n_values);
    val_to_json(&x->values, value);
    return x->n_values++;
}

static void join(struct action *x)
{
    if (x->condition.n) BUF_LIT(&x->condition, " AND ");
}

void action_exists(struct action *x, struct slice attribute, bool exists)
{
    join(x);
    buf_printf(&x->condition, "attribute_%sexists(#a%u)", exists ? "" : "not_",
               action_name(x, attribute));
}

void action_equals(struct action *x, struct slice attribute, struct slice value)
{
    join(x);
    unsigned name = action_name(x, attribute);
    buf_printf(&x->condition, "#a%u = :a%u", name, action_value(x, value));
}

void action_where(struct action *x, const struct where *where)
{
    struct expression ex;
    expression_init(&ex, x->arena);
    where_to_expression(x->arena, where, &ex);
    join(x);
    buf_u8(&x->condition, '(');
    buf_slice(&x->condition, buf_view(&ex.text));
    buf_u8(&x->condition, ')');
    for (size_t i = 0; i < ex.n_names; i++) {
        if (x->names.n) buf_u8(&x->names, ',');
        json_put_string(&x->names, ex.names[i].name);
        buf_u8(&x->names, ':');
        json_put_string(&x->names, val_content(ex.names[i].value));
    }
    for (size_t i = 0; i < ex.n_values; i++) {
        if (x->values.n) buf_u8(&x->values, ',');
        json_put_string(&x->values, ex.values[i].name);
        buf_u8(&x->values, ':');
        val_to_json(&x->values, ex.values[i].value);
    }
}

void action_set(struct action *x, struct slice attribute, struct slice value)
{
    unsigned name = action_name(x, attribute);
    buf_printf(&x->set, "%s#a%u = :a%u", x->set.n ? ", " : "", name, action_value(x, value));
    x->size += attribute.n + val_size(value);
}

void action_change(struct action *x, const struct attribute_change *c)
{
    if (c->kind == CHANGE_SET) {
        action_set(x, c->attribute, c->value);
        return;
    }
    unsigned name = action_name(x, c->attribute);
    if (c->kind == CHANGE_ADD) {
        buf_printf(&x->add, "%s#a%u :a%u", x->add.n ? ", " : "", name, action_value(x, c->value));
        x->size += c->attribute.n + val_size(c->value);
    } else {
        buf_printf(&x->remove, "%s#a%u", x->remove.n ? ", " : "", name);
    }
}

static bool is_table_key(const struct model *m, struct slice name)
{
    const struct model_index *t = &m->indexes[0];
    return slice_eq(t->hash.attrs[0].name, name) ||
           (t->sort.n && slice_eq(t->sort.attrs[0].name, name));
}

void action_difference(struct action *x, const struct model *m, struct slice from, struct slice to)
{
    struct val_iter it;
    struct slice name, value, other;
    val_iter_init(&it, to);
    while (val_next(&it, &name, &value)) {
        if (is_table_key(m, name)) continue;
        if (!val_get(from, name, &other) || !val_equal(other, value)) action_set(x, name, value);
    }
    val_iter_init(&it, from);
    while (val_next(&it, &name, &value)) {
        if (is_table_key(m, name) || val_get(to, name, &other)) continue;
        action_change(x, &(struct attribute_change){ .kind = CHANGE_REMOVE, .attribute = name });
    }
}

bool action_is_empty(const struct action *x)
{
    return x->kind == ACTION_UPDATE && !x->set.n && !x->add.n && !x->remove.n;
}

static void put_update(struct buf *b, const struct action *x)
{
    BUF_LIT(b, ",\"UpdateExpression\":\"");
    if (x->set.n) buf_printf(b, "SET %.*s", SLICE_ARG(buf_view(&x->set)));
    if (x->add.n) buf_printf(b, "%sADD %.*s", x->set.n ? " " : "", SLICE_ARG(buf_view(&x->add)));
    if (x->remove.n) {
        buf_printf(b, "%sREMOVE %.*s", x->set.n || x->add.n ? " " : "",
                   SLICE_ARG(buf_view(&x->remove)));
    }
    buf_u8(b, '"');
}

void action_to_json(struct buf *b, const struct model *m, const struct action *x)
{
    BUF_LIT(b, "\"TableName\":");
    json_put_string(b, m->table);
    if (x->kind == ACTION_PUT) {
        BUF_LIT(b, ",\"Item\":");
        item_to_json(b, x->item);
    } else {
        BUF_LIT(b, ",\"Key\":");
        item_to_json(b, x->key);
    }
    if (x->kind == ACTION_UPDATE) put_update(b, x);
    if (x->condition.n) {
        BUF_LIT(b, ",\"ConditionExpression\":");
        json_put_string(b, buf_view(&x->condition));
        BUF_LIT(b, ",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
    }
    if (x->names.n) {
        BUF_LIT(b, ",\"ExpressionAttributeNames\":{");
        buf_slice(b, buf_view(&x->names));
        buf_u8(b, '}');
    }
    if (x->values.n) {
        BUF_LIT(b, ",\"ExpressionAttributeValues\":{");
        buf_slice(b, buf_view(&x->values));
        buf_u8(b, '}');
    }
}
