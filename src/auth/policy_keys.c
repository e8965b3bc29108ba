/* policy_keys.c: the keys of conditions, and what they are in a request. */
#include "../item/value.h"
#include "policy_private.h"
#include <stdio.h>

static const struct {
    struct slice name;
    bool tagged; /* the rest of the name is a tag's */
} keys[KEY_COUNT] = {
#define KEY(text) { (const uint8_t *)(text), sizeof(text) - 1 }
    [KEY_LEADING_KEYS] = { KEY("dynamodb:LeadingKeys"), false },
    [KEY_SECOND_KEYS] = { KEY("dynamodb:SecondPartitionKeyValues"), false },
    [KEY_THIRD_KEYS] = { KEY("dynamodb:ThirdPartitionKeyValues"), false },
    [KEY_FOURTH_KEYS] = { KEY("dynamodb:FourthPartitionKeyValues"), false },
    [KEY_ATTRIBUTES] = { KEY("dynamodb:Attributes"), false },
    [KEY_SELECT] = { KEY("dynamodb:Select"), false },
    [KEY_RETURN_VALUES] = { KEY("dynamodb:ReturnValues"), false },
    [KEY_RETURN_CAPACITY] = { KEY("dynamodb:ReturnConsumedCapacity"), false },
    [KEY_ENCLOSING] = { KEY("dynamodb:EnclosingOperation"), false },
    [KEY_FULL_SCAN] = { KEY("dynamodb:FullTableScan"), false },
    [KEY_USERNAME] = { KEY("aws:username"), false },
    [KEY_PRINCIPAL_ARN] = { KEY("aws:PrincipalArn"), false },
    [KEY_PRINCIPAL_ACCOUNT] = { KEY("aws:PrincipalAccount"), false },
    [KEY_PRINCIPAL_TYPE] = { KEY("aws:PrincipalType"), false },
    [KEY_PRINCIPAL_TAG] = { KEY("aws:PrincipalTag/"), true },
    [KEY_RESOURCE_TAG] = { KEY("aws:ResourceTag/"), true },
    [KEY_SECURE] = { KEY("aws:SecureTransport"), false },
    [KEY_CURRENT_TIME] = { KEY("aws:CurrentTime"), false },
    [KEY_EPOCH_TIME] = { KEY("aws:EpochTime"), false },
    [KEY_SOURCE_IP] = { KEY("aws:SourceIp"), false },
    [KEY_REGION] = { KEY("aws:RequestedRegion"), false },
#undef KEY
};

enum policy_key policy_key_read(struct slice name, struct slice *tag)
{
    *tag = slice_of(NULL, 0);
    if (slice_eq_fold(name, SLICE("dynamodb:FirstPartitionKeyValues"))) return KEY_LEADING_KEYS;
    for (unsigned i = 0; i < KEY_COUNT; i++) {
        const size_t n = keys[i].name.n;
        if (name.n < n || !slice_eq_fold(slice_of(name.p, n), keys[i].name)) continue;
        if (keys[i].tagged ? name.n == n : name.n != n) continue;
        *tag = slice_of(name.p + n, name.n - n);
        return (enum policy_key)i;
    }
    return KEY_COUNT;
}

void identity_put_arn(struct buf *b, const struct identity *who)
{
    buf_printf(b, "arn:aws:iam::%.*s:user/%.*s", SLICE_ARG(who->account), SLICE_ARG(who->user));
}

/* ---- values ---- */

/* A value that is not there has no p. */
static void give(struct policy_values *v, struct slice value)
{
    v->one = value;
    v->n = value.p ? 1 : 0;
}

__attribute__((format(printf, 2, 3))) static void give_text(struct policy_values *v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(v->text, sizeof v->text, fmt, ap);
    va_end(ap);
    v->unknown = n < 0 || (size_t)n >= sizeof v->text; /* cut off, it would be another's */
    give(v, slice_of(v->text, v->unknown ? 0 : (size_t)n));
}

/* The names of tags are the same whatever their case, as all of a key's name is. */
static void give_principal_tag(struct policy_values *v, const struct identity *who, struct slice name)
{
    for (size_t i = 0; who && i < who->n_tags; i++) {
        if (slice_eq_fold(who->tags[i].name, name)) give(v, who->tags[i].value);
    }
}

/* A table can have env and Env. IAM: the key is "either TagKey1 or tagkey1, but not both"; which of them, it does not say. */
static void give_resource_tag(struct policy_values *v, const struct policy_request *r, struct slice name)
{
    struct val_iter it;
    struct slice tag, value;
    v->unknown = r->of_earlier;
    if (!r->tags.n) return;
    val_iter_init(&it, r->tags);
    while (val_next(&it, &tag, &value)) {
        if (!slice_eq_fold(tag, name)) continue;
        if (v->n) v->unknown = true;
        give(v, val_content(value));
    }
}

static void give_principal(struct policy_values *v, const struct identity *who, enum policy_key key)
{
    if (!who) return;
    switch (key) {
    case KEY_USERNAME: give(v, who->user); break;
    case KEY_PRINCIPAL_ACCOUNT: give(v, who->account); break;
    case KEY_PRINCIPAL_TYPE: give(v, SLICE("User")); break;
    default:
        give_text(v, "arn:aws:iam::%.*s:user/%.*s", SLICE_ARG(who->account), SLICE_ARG(who->user));
        break;
    }
}

/* n: which attribute of the partition key. One that is there and was not named may be any. */
static void give_key(struct policy_values *v, const struct policy_request *r, size_t n)
{
    give(v, r->keys[n]);
    v->reach = n < r->n_keys && !r->keys[n].p ? REACH_ALL : r->key_reach;
    v->unknown = r->vague;
}

static void give_of_request(struct policy_values *v, const struct policy_request *r, enum policy_key key)
{
    switch (key) {
    case KEY_LEADING_KEYS:
    case KEY_SECOND_KEYS:
    case KEY_THIRD_KEYS:
    case KEY_FOURTH_KEYS: give_key(v, r, key - KEY_LEADING_KEYS); break;
    case KEY_ATTRIBUTES:
        v->all = r->attributes;
        v->n = r->n_attributes;
        v->reach = r->attribute_reach;
        v->unknown = r->vague;
        break;
    case KEY_SELECT: give(v, r->select); break;
    case KEY_RETURN_VALUES: give(v, r->return_values); break;
    case KEY_RETURN_CAPACITY: give(v, r->return_consumed_capacity); break;
    case KEY_ENCLOSING: give(v, r->enclosing_operation); break;
    default: give(v, r->full_table_scan); break;
    }
}

static void give_of_way(struct policy_values *v, const struct policy_request *r, enum policy_key key)
{
    switch (key) {
    case KEY_SECURE: give(v, r->secure ? SLICE("true") : SLICE("false")); break;
    case KEY_REGION: give(v, r->region); break;
    case KEY_EPOCH_TIME: give_text(v, "%lld", (long long)(r->now_ms / 1000)); break;
    case KEY_CURRENT_TIME: give(v, slice_of(v->text, policy_date_put(r->now_ms, v->text, sizeof v->text))); break;
    default: /* an address that nobody knows is not one that is absent */
        if (r->address.n) give(v, r->address);
        v->unknown = !r->address.n;
        break;
    }
}

void policy_values(const struct policy_request *r, enum policy_key key, struct slice tag, struct policy_values *out)
{
    out->all = &out->one;
    out->n = 0;
    out->reach = REACH_NAMED;
    out->unknown = false;
    if (key <= KEY_LAST_OF_ITEMS) give_of_request(out, r, key);
    else if (key <= KEY_PRINCIPAL_TYPE) give_principal(out, r->who, key);
    else if (key == KEY_PRINCIPAL_TAG) give_principal_tag(out, r->who, tag);
    else if (key == KEY_RESOURCE_TAG) give_resource_tag(out, r, tag);
    else give_of_way(out, r, key);
}
