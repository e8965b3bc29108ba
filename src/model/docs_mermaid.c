/* docs_mermaid.c: the model as a Mermaid flowchart: a subgraph for the table and each index, in it the partitions, in them
 * a node for each entity that lies there; lines from an entity to its copies and index entries. Nodes have numbers
 * for names, so that no entity's name can be taken for a word of Mermaid's. */
#include "docs_impl.h"

/* In a quoted label everything is text but quotes and Mermaid's own #codes; <> would be HTML, ` Markdown. */
static void label(struct buf *b, struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        if (put_control(b, text, &i)) continue;
        if (strchr("\"#<>&`;\\{}$*_[]()|", c)) buf_printf(b, "#%u;", c);
        else buf_u8(b, c);
    }
}

static void put_node(struct buf *b, struct arena *a, const struct model *m, const struct access_path *p)
{
    buf_printf(b, "      n%zu[\"", p->number);
    label(b, p->entity->name);
    if (p->copy) BUF_LIT(b, " (copy)");
    if (p->n_sort) {
        BUF_LIT(b, "<br/>");
        label(b, keys_text(a, m, p->sort, p->n_sort));
    }
    BUF_LIT(b, "\"]\n");
}

static void put_lines(struct buf *b, const struct entity *en)
{
    for (size_t i = 0; i < en->n_copies; i++) {
        const struct copy *c = &en->copies[i];
        buf_printf(b, "  n%zu -. copy .-> n%zu\n", en->key->number, c->key->number);
        for (size_t k = 0; k < c->n_entries; k++) {
            buf_printf(b, "  n%zu --> n%zu\n", c->key->number, c->entries[k]->number);
        }
    }
    for (size_t i = 0; i < en->n_entries; i++) {
        buf_printf(b, "  n%zu --> n%zu\n", en->key->number, en->entries[i]->number);
    }
}

int docs_mermaid(struct reporter *r, struct facts *f)
{
    const struct model *m = f->model;
    struct buf *b = r->out;
    struct drawers d = drawers_of(r->arena, m);
    BUF_LIT(b, "flowchart LR\n");
    size_t k = 0;
    for (size_t x = 0; x < m->n_indexes; x++) {
        if (k == d.n || d.list[k].index != &m->indexes[x]) continue; /* an empty subgraph is drawn as a node */
        buf_printf(b, "  subgraph i%zu[\"", x);
        if (!x) BUF_LIT(b, "table ");
        label(b, x ? m->indexes[x].name : m->table);
        BUF_LIT(b, "\"]\n");
        for (; k < d.n && d.list[k].index == &m->indexes[x]; k++) {
            buf_printf(b, "    subgraph p%zu[\"", k);
            label(b, d.list[k].title);
            BUF_LIT(b, "\"]\n");
            for (size_t i = 0; i < d.list[k].n; i++) put_node(b, r->arena, m, d.list[k].paths[i]);
            BUF_LIT(b, "    end\n");
        }
        BUF_LIT(b, "  end\n");
    }
    for (size_t i = 0; i < m->n_entities; i++) put_lines(b, &m->entities[i]);
    return 0;
}
