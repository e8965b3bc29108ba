/* table_terraform.c: the model's table as a Terraform resource. An index with one hash and at most one sort attribute is
 * written with hash_key and range_key, which every version of the provider knows; one with several needs key_schema
 * blocks, which came with version 6.29, and the text says so. */
#include "table_impl.h"

/* HCL: JSON's escapes, and "${" and "%{" doubled, since they would begin an expression. */
static void put_hcl(struct buf *b, struct slice text)
{
    struct buf doubled;
    buf_init(&doubled, b->arena, (size_t)1 << 20);
    for (size_t i = 0; i < text.n; i++) {
        bool starts = (text.p[i] == '$' || text.p[i] == '%') && i + 1 < text.n && text.p[i + 1] == '{';
        if (starts) buf_u8(&doubled, text.p[i]);
        buf_u8(&doubled, text.p[i]);
    }
    json_put_string(b, buf_view(&doubled));
}

static void put_line(struct buf *b, const char *indent_and_name, struct slice value)
{
    buf_printf(b, "%s = ", indent_and_name);
    put_hcl(b, value);
    buf_u8(b, '\n');
}

static bool has_several(const struct model_index *ix)
{
    return ix->hash.n > 1 || ix->sort.n > 1;
}

static void put_key_schema(struct buf *b, const struct key_side *side, const char *kind)
{
    for (size_t i = 0; i < side->n; i++) {
        BUF_LIT(b, "\n    key_schema {\n");
        put_line(b, "      attribute_name", side->attrs[i].name);
        buf_printf(b, "      key_type       = \"%s\"\n    }\n", kind);
    }
}

static void put_index(struct buf *b, const struct model_index *ix)
{
    buf_printf(b, "\n  %s {\n", ix->local ? "local_secondary_index" : "global_secondary_index");
    put_line(b, "    name           ", ix->name);
    if (!has_several(ix)) {
        if (!ix->local) put_line(b, "    hash_key       ", ix->hash.attrs[0].name);
        if (ix->sort.n) put_line(b, "    range_key      ", ix->sort.attrs[0].name);
    }
    buf_printf(b, "    projection_type = \"%s\"\n", projection_name(ix->projection));
    if (ix->projection == PROJECT_INCLUDE) {
        BUF_LIT(b, "    non_key_attributes = [");
        for (size_t i = 0; i < ix->n_include; i++) {
            if (i) BUF_LIT(b, ", ");
            put_hcl(b, ix->include[i]);
        }
        BUF_LIT(b, "]\n");
    }
    if (has_several(ix)) {
        put_key_schema(b, &ix->hash, "HASH");
        put_key_schema(b, &ix->sort, "RANGE");
    }
    BUF_LIT(b, "  }\n");
}

void table_terraform(struct buf *b, struct arena *a, const struct model *m)
{
    for (size_t i = 1; i < m->n_indexes; i++) {
        if (!has_several(&m->indexes[i])) continue;
        BUF_LIT(b, "# key_schema blocks need version 6.29 or later of the hashicorp/aws provider.\n");
        break;
    }
    BUF_LIT(b, "resource \"aws_dynamodb_table\" \"table\" {\n");
    put_line(b, "  name        ", m->table);
    BUF_LIT(b, "  billing_mode = \"PAY_PER_REQUEST\"\n");
    put_line(b, "  hash_key    ", m->indexes[0].hash.attrs[0].name);
    if (m->indexes[0].sort.n) put_line(b, "  range_key   ", m->indexes[0].sort.attrs[0].name);
    const struct key_attribute **list;
    size_t n = table_key_attributes(a, m, &list);
    for (size_t i = 0; i < n; i++) {
        BUF_LIT(b, "\n  attribute {\n");
        put_line(b, "    name", list[i]->name);
        buf_printf(b, "    type = \"%s\"\n  }\n", val_type_name(list[i]->type));
    }
    for (size_t i = 1; i < m->n_indexes; i++) put_index(b, &m->indexes[i]);
    if (m->ttl.n) {
        BUF_LIT(b, "\n  ttl {\n");
        put_line(b, "    attribute_name", m->ttl);
        BUF_LIT(b, "    enabled        = true\n  }\n");
    }
    BUF_LIT(b, "}\n");
}
