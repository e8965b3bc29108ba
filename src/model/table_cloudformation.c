/* table_cloudformation.c: the model's table as a CloudFormation template in YAML. Every name is in double quotes, as
 * JSON writes it, so that `no` and `1` stay text. Several hash or sort attributes of a global index are simply more
 * elements of its KeySchema, as in the API. */
#include "table_impl.h"

static void put_line(struct buf *b, unsigned indent, const char *name, struct slice value)
{
    buf_printf(b, "%*s%s: ", (int)indent, "", name);
    json_put_string(b, value);
    buf_u8(b, '\n');
}

static void put_side(struct buf *b, unsigned indent, const struct key_side *side, const char *kind)
{
    for (size_t i = 0; i < side->n; i++) {
        buf_printf(b, "%*s- AttributeName: ", (int)indent, "");
        json_put_string(b, side->attrs[i].name);
        buf_printf(b, "\n%*sKeyType: %s\n", (int)indent + 2, "", kind);
    }
}

static void put_schema(struct buf *b, unsigned indent, const struct model *m, const struct model_index *ix)
{
    buf_printf(b, "%*sKeySchema:\n", (int)indent, "");
    put_side(b, indent + 2, index_hash(m, ix), "HASH");
    put_side(b, indent + 2, &ix->sort, "RANGE");
}

static void put_indexes(struct buf *b, const struct model *m, bool local)
{
    if (!model_has_local(m, local)) return;
    buf_printf(b, "      %s:\n", local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
    for (size_t i = 1; i < m->n_indexes; i++) {
        const struct model_index *ix = &m->indexes[i];
        if (ix->local != local) continue;
        put_line(b, 8, "- IndexName", ix->name);
        put_schema(b, 10, m, ix);
        BUF_LIT(b, "          Projection:\n");
        buf_printf(b, "            ProjectionType: %s\n", projection_name(ix->projection));
        if (ix->projection != PROJECT_INCLUDE) continue;
        BUF_LIT(b, "            NonKeyAttributes:\n");
        for (size_t k = 0; k < ix->n_include; k++) {
            BUF_LIT(b, "              - ");
            json_put_string(b, ix->include[k]);
            buf_u8(b, '\n');
        }
    }
}

void table_cloudformation(struct buf *b, struct arena *a, const struct model *m)
{
    BUF_LIT(b, "AWSTemplateFormatVersion: \"2010-09-09\"\n"
               "Resources:\n"
               "  Table:\n"
               "    Type: AWS::DynamoDB::Table\n"
               "    Properties:\n");
    put_line(b, 6, "TableName", m->table);
    BUF_LIT(b, "      BillingMode: PAY_PER_REQUEST\n"
               "      AttributeDefinitions:\n");
    const struct key_attribute **list;
    size_t n = table_key_attributes(a, m, &list);
    for (size_t i = 0; i < n; i++) {
        put_line(b, 8, "- AttributeName", list[i]->name);
        buf_printf(b, "          AttributeType: %s\n", val_type_name(list[i]->type));
    }
    put_schema(b, 6, m, &m->indexes[0]);
    put_indexes(b, m, true);
    put_indexes(b, m, false);
    if (m->ttl.n) {
        BUF_LIT(b, "      TimeToLiveSpecification:\n");
        put_line(b, 8, "AttributeName", m->ttl);
        BUF_LIT(b, "        Enabled: true\n");
    }
    BUF_LIT(b, "Outputs:\n"
               "  TableName:\n"
               "    Value: !Ref Table\n");
}
