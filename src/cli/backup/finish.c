/* finish.c: see finish.h. */
#include "finish.h"
#include "definition.h"
#include "../../engine/own_names.h"

#define BODY_MAX ((size_t)8 << 20)

/* {"TableName": target, the members of more} */
static struct slice with_name(struct arena *a, struct slice target, struct slice more)
{
    struct buf b;
    buf_init(&b, a, BODY_MAX);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, target);
    if (more.n > 2) buf_u8(&b, ',');
    buf_bytes(&b, more.p + 1, more.n - 1);
    return buf_view(&b);
}

static struct slice text_of(struct arena *a, const struct json *node)
{
    struct buf b;
    buf_init(&b, a, BODY_MAX);
    json_put(&b, node);
    return buf_view(&b);
}

/* What a run that was interrupted has done is there already. */
static int ask(struct service *s, const char *operation, struct slice body)
{
    const struct json *answer;
    struct err e;
    int code = service_try(s, s->kept, operation, body, &answer, &e);
    if (!code || !e.code) return code;
    if (e.code == ERR_ValidationException && memmem(e.message.p, e.message.n, "already", 7)) return 0;
    return service_fail(s, "%s: %.*s", operation, SLICE_ARG(e.message));
}

static int change(struct service *s, const char *operation, struct slice target, struct slice more)
{
    const struct json *table;
    int code = ask(s, operation, with_name(s->kept, target, more));
    return code ? code : service_wait_active(s, target, &table);
}

static bool has_index(const struct json *there, struct slice name)
{
    const struct json *list = there ? JSON_GET(there, "GlobalSecondaryIndexes") : NULL;
    for (const struct json *i = list ? list->first : NULL; i; i = i->next)
        if (slice_eq(json_text(i, "IndexName"), name)) return true;
    return false;
}

int finish_indexes(struct service *s, const struct json *create, struct slice target, const struct json *there)
{
    const struct json *list = JSON_GET(create, "GlobalSecondaryIndexes");
    int code = 0;
    for (const struct json *i = list ? list->first : NULL; !code && i; i = i->next) {
        struct buf b;
        if (has_index(there, json_text(i, "IndexName"))) continue;
        buf_init(&b, s->kept, BODY_MAX);
        BUF_LIT(&b, "{\"AttributeDefinitions\":");
        definition_put_attributes(&b, create, i);
        BUF_LIT(&b, ",\"GlobalSecondaryIndexUpdates\":[{\"Create\":");
        json_put(&b, i);
        BUF_LIT(&b, "}]}");
        show_progress(NULL, "indexes are being filled", 1, 0);
        code = change(s, "UpdateTable", target, buf_view(&b));
    }
    return code;
}

static int set(struct service *s, const struct json *definition, const char *operation, struct slice target)
{
    const struct json *node = json_get(definition, slice_str(operation));
    return node ? ask(s, operation, with_name(s->kept, target, text_of(s->kept, node))) : 0;
}

/* A member of CreateTable that is set when the items are there. */
static int set_late(struct service *s, const struct json *create, const char *member, struct slice target)
{
    const struct json *node = json_get(create, slice_str(member));
    if (!node) return 0;
    return change(s, "UpdateTable", target, arena_printf(s->kept, "{\"%s\":%.*s}", member, SLICE_ARG(text_of(s->kept, node))));
}

/* {"ResourceArn": arn, "MEMBER": value} */
static struct slice resource_body(struct arena *a, struct slice arn, const char *member, struct slice value)
{
    struct buf b;
    buf_init(&b, a, BODY_MAX);
    BUF_LIT(&b, "{\"ResourceArn\":");
    json_put_string(&b, arn);
    buf_printf(&b, ",\"%s\":", member);
    buf_slice(&b, value);
    buf_u8(&b, '}');
    return buf_view(&b);
}

/* UntagResource: from then on it is a table like any other, which the next restore leaves alone. */
static struct slice unmark_body(struct arena *a, struct slice arn)
{
    return resource_body(a, arn, "TagKeys", SLICE("[\"" UNFINISHED_TAG "\"]"));
}

void finish_unmark(struct service *s, struct slice arn)
{
    struct err e = { .arena = s->kept };
    struct slice nothing;
    (void)s->api->call(s->api, s->kept, SLICE("UntagResource"), unmark_body(s->kept, arn), &nothing, &e);
}

/* Where it did not come first. The last thing: it may deny whatever would follow. */
static int set_policy(struct service *s, const struct json *definition, struct slice target, struct slice arn)
{
    const struct json *policy = JSON_GET(JSON_GET(definition, "PutResourcePolicy"), "Policy");
    if (!policy || definition_policy_first(s, definition, target)) return 0;
    if (s->api->is_aws && slice_eq(target, json_text(JSON_GET(definition, "CreateTable"), "TableName")))
        return service_do(s, s->kept, "PutResourcePolicy", resource_body(s->kept, arn, "Policy", text_of(s->kept, policy)));
    fprintf(stderr, "the policy of the table is left out: it names the table, which is called otherwise now\n");
    return 0;
}

int finish_settings(struct service *s, const struct json *definition, struct slice target, struct slice arn)
{
    const struct json *create = JSON_GET(definition, "CreateTable");
    int code = set_late(s, create, "StreamSpecification", target);
    if (!code) code = set(s, definition, "UpdateTimeToLive", target);
    if (!code) code = set(s, definition, "UpdateContinuousBackups", target);
    if (!code) code = set_late(s, create, "DeletionProtectionEnabled", target);
    if (!code) code = service_do(s, s->kept, "UntagResource", unmark_body(s->kept, arn));
    return code ? code : set_policy(s, definition, target, arn);
}
