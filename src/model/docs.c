/* docs.c: the documents of a model: chooses the format; partitions as drawers, which both diagrams draw. */
#include "docs_impl.h"

int report_docs(struct reporter *r, enum docs_format format)
{
    struct facts f;
    int rc = facts_read(r, &f);
    if (rc) return rc;
    facts_measure(r, &f);
    switch (format) {
    case DOCS_MARKDOWN: return docs_markdown(r, &f);
    case DOCS_SVG: return docs_svg(r, &f);
    case DOCS_MERMAID: return docs_mermaid(r, &f);
    case DOCS_JSON: return docs_json(r, &f);
    }
    return err_set(r->err, ERR_ValidationException, "no such format of documents");
}

const char *attribute_type_name(enum val_type t)
{
    switch (t) {
    case TYPE_S: return "string";
    case TYPE_N: return "number";
    case TYPE_B: return "binary";
    case TYPE_SS: return "string-set";
    case TYPE_NS: return "number-set";
    case TYPE_BS: return "binary-set";
    case TYPE_M: return "map";
    case TYPE_L: return "list";
    case TYPE_BOOL: return "boolean";
    case TYPE_NONE:
    case TYPE_NULL: break;
    }
    return "any";
}

static bool same_hash(const struct access_path *a, const struct access_path *b)
{
    if (a->n_hash != b->n_hash) return false;
    for (size_t i = 0; i < a->n_hash; i++) {
        const struct key_template *x = &a->hash[i], *y = &b->hash[i];
        if (x->natural || y->natural) {
            if (!x->natural || !y->natural || !slice_eq(x->attribute->name, y->attribute->name)) return false;
        } else if (!x->shards != !y->shards || !template_same_shape(&x->template, &y->template)) {
            return false;
        } else if (x->template.whole && !slice_eq(x->template.parts[0].text, y->template.parts[0].text)) {
            return false;
        }
    }
    return true;
}

bool drawers_alike(const struct drawer *x, const struct drawer *y)
{
    return x->index != y->index && same_hash(x->paths[0], y->paths[0]);
}

struct drawers drawers_of(struct arena *a, const struct model *m)
{
    struct drawers d = { .list = ARENA_ARRAY(a, struct drawer, m->n_paths + 1) };
    size_t *in = ARENA_ARRAY(a, size_t, m->n_paths + 1);
    for (size_t x = 0; x < m->n_indexes; x++) {
        size_t first = d.n;
        for (size_t i = 0; i < m->n_paths; i++) {
            const struct access_path *p = &m->paths[i];
            if (p->index != &m->indexes[x]) continue;
            size_t k = first;
            while (k < d.n && !same_hash(d.list[k].paths[0], p)) k++;
            if (k == d.n) {
                struct slice title = keys_text(a, m, p->hash, p->n_hash);
                d.list[d.n++] = (struct drawer){ p->index, title, ARENA_ARRAY(a, const struct access_path *, 1), 0 };
                d.list[k].paths[0] = p;
            }
            in[i] = k;
            d.list[k].n++;
        }
    }
    for (size_t k = 0; k < d.n; k++) {
        d.list[k].paths = ARENA_ARRAY(a, const struct access_path *, d.list[k].n);
        d.list[k].n = 0;
    }
    for (size_t i = 0; i < m->n_paths; i++) {
        struct drawer *one = &d.list[in[i]];
        one->paths[one->n++] = &m->paths[i];
    }
    return d;
}
