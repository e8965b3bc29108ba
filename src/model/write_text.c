/* write_text.c: how entities and values are named in messages, and maps with one attribute changed.
 */
#include "values.h"
#include "write_impl.h"

#define LABEL_MAX 120

struct slice value_label(struct arena *a, struct slice value)
{
    struct buf b;
    buf_init(&b, a, WRITE_TEXT_MAX);
    value_to_plain(&b, value);
    if (b.n <= LABEL_MAX) return buf_view(&b);
    size_t cut = LABEL_MAX;
    while (cut && (b.p[cut] & 0xC0) == 0x80)
        cut--; /* not inside a character */
    return arena_printf(a, "%.*s...", (int)cut, (const char *)b.p);
}

static bool hole_is_first(const struct access_path *p, size_t side, size_t at, size_t part)
{
    const struct key_template *keys[2] = { p->hash, p->sort };
    struct slice name = keys[side][at].template.parts[part].text;
    for (size_t s = 0; s <= side; s++) {
        size_t n = s ? p->n_sort : p->n_hash;
        for (size_t i = 0; i < n; i++) {
            const struct template *t = &keys[s][i].template;
            for (size_t j = 0; j < t->n; j++) {
                if (s == side && i == at && j == part) return true;
                if (t->parts[j].hole && slice_eq(t->parts[j].text, name)) return false;
            }
        }
    }
    return true;
}

struct slice entity_label(struct arena *a, const struct entity *en, struct slice attributes)
{
    struct buf b;
    const struct access_path *p = en->key;
    const struct key_template *keys[2] = { p->hash, p->sort };
    const char *between = " ";
    buf_init(&b, a, WRITE_TEXT_MAX);
    buf_slice(&b, en->name);
    for (size_t side = 0; side < 2; side++) {
        size_t n = side ? p->n_sort : p->n_hash;
        for (size_t i = 0; i < n; i++) {
            const struct template *t = &keys[side][i].template;
            for (size_t j = 0; j < t->n; j++) {
                struct slice value;
                if (!t->parts[j].hole || !hole_is_first(p, side, i, j)) continue;
                if (!val_get(attributes, t->parts[j].text, &value)) continue;
                struct slice text =
                    val_type(value) == TYPE_S ? val_content(value) : value_label(a, value);
                buf_printf(&b, "%s%.*s=%.*s", between, SLICE_ARG(t->parts[j].text),
                           SLICE_ARG(text));
                between = ", ";
            }
        }
    }
    return buf_view(&b);
}

struct slice map_make(struct arena *a, struct attr *attrs, size_t n)
{
    struct buf b;
    buf_init(&b, a, WRITE_TEXT_MAX);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}

struct slice map_with(struct arena *a, struct slice map, struct slice name, struct slice value)
{
    struct attr *attrs = ARENA_ARRAY(a, struct attr, val_count(map) + 1);
    struct val_iter it;
    struct attr next;
    size_t n = 0;
    val_iter_init(&it, map);
    while (val_next(&it, &next.name, &next.value)) {
        if (!slice_eq(next.name, name)) attrs[n++] = next;
    }
    if (value.n) attrs[n++] = (struct attr){ name, value };
    return map_make(a, attrs, n);
}

struct slice table_key_of(struct arena *a, const struct model *m, struct slice item)
{
    const struct model_index *t = &m->indexes[0];
    struct attr attrs[2];
    size_t n = 0;
    attrs[n].name = t->hash.attrs[0].name;
    if (val_get(item, attrs[n].name, &attrs[n].value)) n++;
    if (t->sort.n) {
        attrs[n].name = t->sort.attrs[0].name;
        if (val_get(item, attrs[n].name, &attrs[n].value)) n++;
    }
    return map_make(a, attrs, n);
}

int64_t lock_version(struct slice attributes, struct slice lock)
{
    struct slice value;
    int64_t version;
    if (!lock.n || !val_get(attributes, lock, &value) || val_type(value) != TYPE_N) return 0;
    return num_to_int64(val_content(value), &version) ? version : 0;
}

struct slice now_value(struct write *w, const struct attribute *at, int64_t later)
{
    struct arena *a = w->s->arena;
    int64_t ms = w->s->env->now(w->s->env->ctx) + later;
    if (at->type == TYPE_N) return val_make_number(a, at->time == TIME_EPOCH_MS ? ms : ms / 1000);
    struct slice text = when_iso(a, ms);
    if (at->time == TIME_DATE && text.n > 10) text.n = 10;
    return val_make_string(a, text);
}
