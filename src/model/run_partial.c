/* run_partial.c: what an index that does not project everything still tells of an item: the attributes that its keys are
 * made of are read back from the keys. */
#include "run_impl.h"
#include "shard_private.h"
#include "template_private.h"
#include "values.h"

struct restored {
    struct arena *arena;
    const struct model *m;
    const struct entity *entity;
    struct slice item;
    struct attr *attrs;
    size_t n, cap;
};

static void add(struct restored *r, struct slice name, struct slice value)
{
    struct slice there;
    if (val_get(r->item, name, &there)) return;
    if (r->n < r->cap) r->attrs[r->n++] = (struct attr){ name, value };
}

static void from_key(struct restored *r, const struct key_template *k)
{
    struct slice value, text, holes[TEMPLATE_MAX_PARTS];
    const struct template *t = &k->template;
    if (k->natural || !val_get(r->item, k->attribute->name, &value)) return;
    if (t->whole && !k->shards) {
        add(r, t->parts[0].text, value);
        return;
    }
    if (val_type(value) != TYPE_S) return;
    text = val_content(value);
    if (k->shards && !shard_strip(k->shards, r->m->delimiter, text, &text)) return;
    if (!template_match(r->arena, t, text, holes)) return;
    for (size_t i = 0, h = 0; i < t->n; i++) {
        struct err e = { .arena = r->arena };
        struct slice name = t->parts[i].text;
        if (!t->parts[i].hole) continue;
        const struct attribute *at = entity_attribute(r->entity, name);
        if (!value_from_text(r->arena, at, name, holes[h++], &value, &e)) add(r, name, value);
    }
}

static size_t parts_of(const struct access_path *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_hash; i++) n += p->hash[i].template.n;
    for (size_t i = 0; i < p->n_sort; i++) n += p->sort[i].template.n;
    return n;
}

static void from_path(struct restored *r, const struct access_path *p)
{
    for (size_t i = 0; i < p->n_hash; i++) from_key(r, &p->hash[i]);
    for (size_t i = 0; i < p->n_sort; i++) from_key(r, &p->sort[i]);
}

struct slice item_restore(struct arena *a, const struct model *m, const struct access_path *home,
                          const struct access_path *entry, struct slice item)
{
    struct restored r = { .arena = a, .m = m, .entity = home->entity, .item = item };
    struct val_iter it;
    struct slice name, value;
    struct buf b;
    r.cap = val_count(item) + parts_of(home) + parts_of(entry) + 1;
    r.attrs = ARENA_ARRAY(a, struct attr, r.cap);
    from_path(&r, home);
    from_path(&r, entry);
    val_iter_init(&it, item);
    while (val_next(&it, &name, &value) && r.n < r.cap) r.attrs[r.n++] = (struct attr){ name, value };
    buf_init(&b, a, RUN_PAGE_MEMORY);
    val_put_map(&b, r.attrs, r.n);
    return buf_view(&b);
}
