/* docs_rows.c: the sample data in the key document: rows as the table would hold them, in the order of its keys. */
#include "docs_impl.h"
#include "values.h"
#include <stdlib.h>

#define ROWS_MAX 60

struct row {
    struct slice hash, sort; /* encoded; sort may be empty */
    struct slice item;
};

static int by_key(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    int c = val_compare(a->hash, b->hash);
    return c || !a->sort.n || !b->sort.n ? c : val_compare(a->sort, b->sort);
}

static void put_value(struct buf *b, struct arena *a, struct slice v)
{
    if (val_type(v) == TYPE_S) {
        md_code(b, val_content(v));
        return;
    }
    struct buf text;
    buf_init(&text, a, (size_t)1 << 20);
    value_to_plain(&text, v);
    md_code(b, buf_view(&text));
}

static void put_row(struct buf *b, struct arena *a, const struct model *m, const struct slice *keys, size_t n,
                    struct slice item)
{
    struct slice v, name;
    BUF_LIT(b, "|");
    for (size_t i = 0; i < n; i++) {
        BUF_LIT(b, " ");
        if (val_get(item, keys[i], &v)) put_value(b, a, v);
        BUF_LIT(b, " |");
    }
    struct val_iter it;
    const char *sep = " ";
    val_iter_init(&it, item);
    while (val_next(&it, &name, &v)) {
        if (model_is_key_attribute(m, name) || slice_eq(name, m->entity_attribute)) continue;
        buf_printf(b, "%s", sep);
        md_text(b, name);
        BUF_LIT(b, ": ");
        put_value(b, a, v);
        sep = ", ";
    }
    BUF_LIT(b, " |\n");
}

/* Entity, then the key attributes of the table and of the indexes, each once. */
static size_t list_columns(struct arena *a, const struct model *m, struct slice **out)
{
    size_t n = 0;
    *out = ARENA_ARRAY(a, struct slice, m->n_indexes * KEY_MAX_PARTS * 2 + 1);
    for (size_t i = 0; i < m->n_indexes; i++) {
        for (size_t k = 0; k < m->indexes[i].hash.n + m->indexes[i].sort.n; k++) {
            const struct model_index *ix = &m->indexes[i];
            struct slice name = k < ix->hash.n ? ix->hash.attrs[k].name : ix->sort.attrs[k - ix->hash.n].name;
            size_t j = 0;
            while (j < n && !slice_eq((*out)[j], name)) j++;
            if (j == n) (*out)[n++] = name;
        }
        if (i == 0 && m->entity_attribute.n) (*out)[n++] = m->entity_attribute;
    }
    return n;
}

void docs_markdown_rows(struct buf *b, struct arena *a, const struct facts *f)
{
    const struct model *m = f->model;
    const struct sample *s = &f->sample;
    if (!s->n) return;
    struct row *rows = ARENA_ARRAY(a, struct row, s->n);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct row row = { .item = s->items[i].item };
        if (!val_get(row.item, m->indexes[0].hash.attrs[0].name, &row.hash)) continue;
        if (m->indexes[0].sort.n) val_get(row.item, m->indexes[0].sort.attrs[0].name, &row.sort);
        rows[n++] = row;
    }
    qsort(rows, n, sizeof *rows, by_key);
    struct slice *columns;
    size_t n_columns = list_columns(a, m, &columns);
    BUF_LIT(b, "## Sample rows\n\n|");
    for (size_t i = 0; i < n_columns; i++) {
        BUF_LIT(b, " ");
        md_text(b, columns[i]);
        BUF_LIT(b, " |");
    }
    BUF_LIT(b, " other attributes |\n|");
    for (size_t i = 0; i <= n_columns; i++) BUF_LIT(b, "---|");
    BUF_LIT(b, "\n");
    for (size_t i = 0; i < n && i < ROWS_MAX; i++) put_row(b, a, m, columns, n_columns, rows[i].item);
    if (n > ROWS_MAX) buf_printf(b, "\nThe first %d of %zu rows.\n", ROWS_MAX, n);
}
