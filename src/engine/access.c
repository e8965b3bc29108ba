/* access.c: asking the policies: of the identity, and of the table or stream. Within one account either may allow; a deny of either
 * wins.
 *
 * A working copy (own_names.h) holds another table's items under another name, without that one's tags and policy: what is asked of it must
 * be allowed of it and of that table; but for deleting it, which who may read a table need not be allowed of that. Where that one is gone,
 * or was never known, nobody can say what it would deny: only a key without a policy of its own gets on, others may describe and delete the
 * copy. What lies below a copy outlives it, and nobody makes it in good faith: backups, streams and exports of one are for keys without a
 * policy alone. */
#include "../item/item_json.h"
#include "engine_impl.h"
#include "export.h"
#include "ops.h"
#include "own_names.h"
#include "streams.h"
#include <stdio.h>

/* ---- resources ---- */

static struct slice joined(struct arena *a, const struct slice *parts, size_t n)
{
    size_t size = 0, at = 0;
    for (size_t i = 0; i < n; i++) size += parts[i].n;
    uint8_t *text = arena_bytes(a, size);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].n) memcpy(text + at, parts[i].p, parts[i].n);
        at += parts[i].n;
    }
    return slice_of(text, size);
}

/* Whatever region and account an ARN in the request names: there is one set of tables for all. */
static struct slice arn_of(const struct call *call, struct slice name, struct slice below, struct slice rest)
{
    const struct slice parts[] = { SLICE("arn:aws:dynamodb:"), caller_region(&call->caller), SLICE(":"), caller_account(&call->caller),
                                   SLICE(":table/"), name, below, rest };
    return joined(call->arena, parts, sizeof parts / sizeof *parts);
}

/* ---- the verdict ---- */

static int refuse_because(struct call *call, const struct policy_request *r, struct slice because)
{
    struct buf b;
    buf_init(&b, call->arena, 64u << 10);
    identity_put_arn(&b, r->who);
    return err_set(&call->err, ERR_AccessDeniedException, "User: %.*s is not authorized to perform: %.*s on resource: %.*s %.*s",
                   SLICE_ARG(buf_view(&b)), SLICE_ARG(policy_action_name(r->action)), SLICE_ARG(r->resource), SLICE_ARG(because));
}

/* why: whose policy denies it; NULL: none allows it. */
static int refuse(struct call *call, const struct policy_request *r, const char *why)
{
    struct slice because = why ? arena_printf(call->arena, "with an explicit deny in %s policy", why)
                               : arena_printf(call->arena, "because no identity-based policy allows the %.*s action",
                                              SLICE_ARG(policy_action_name(r->action)));
    return refuse_because(call, r, because);
}

/* As with AWS's root: no policy of a table locks out for good who has none of his own. He may see what he takes away. */
static bool is_mending(const struct policy_request *r)
{
    return !r->who->policy && (r->action == ACTION_DeleteResourcePolicy || r->action == ACTION_GetResourcePolicy);
}

/* of_resource: NULL if the resource has no policy. *why: for refuse. */
static bool allows(const struct policy_request *r, const struct policy *of_resource, const char **why)
{
    const struct policy *own = r->who->policy;
    *why = NULL;
    if (is_mending(r)) return true;
    enum policy_verdict mine = own ? policy_judge(own, r) : POLICY_ALLOWS;
    enum policy_verdict its = of_resource && mine != POLICY_DENIES ? policy_judge(of_resource, r) : POLICY_SILENT;
    if (mine == POLICY_DENIES) *why = "an identity-based";
    else if (its == POLICY_DENIES) *why = "a resource-based";
    return !*why && (mine == POLICY_ALLOWS || (its == POLICY_ALLOWS && !r->of_earlier));
}

static int judge(struct call *call, const struct policy_request *r, const struct policy *of_resource)
{
    const char *why;
    return allows(r, of_resource, &why) ? 0 : refuse(call, r, why);
}

/* ---- working copies ---- */

static int refuse_copy(struct call *call, const struct policy_request *r)
{
    return refuse_because(call, r, SLICE("because it is of a working copy of a backup, and what the copied table would deny is not known"));
}

/* asked: what the copy itself allows. below, rest: what follows its name in the ARN. The refusal does not tell the source's name. */
static int judge_as_source(struct call *call, const struct policy_request *asked, const struct table *copy, struct slice below, struct slice rest)
{
    const struct table *source = copy->copy_of.n ? catalog_find(call->catalog, copy->copy_of) : NULL;
    struct policy_request r = *asked;
    const char *why;
    if (r.action == ACTION_DeleteTable) return 0;
    if (!source || source->id != copy->copy_of_id) return !r.who->policy || r.action == ACTION_DescribeTable ? 0 : refuse_copy(call, asked);
    r.resource = arn_of(call, source->name, below, rest);
    r.tags = source->tags;
    return allows(&r, source->policy.read, &why) ? 0 : refuse(call, asked, why);
}

static struct policy_request request_from(const struct caller *who, int64_t now_ms, struct slice resource)
{
    return (struct policy_request){ .resource = resource,
                                    .who = who->identity,
                                    .now_ms = now_ms,
                                    .secure = who->secure,
                                    .address = who->address,
                                    .region = caller_region(who) };
}

static struct policy_request request_of(const struct call *call, enum policy_action action, struct slice resource)
{
    struct policy_request r = request_from(&call->caller, call_now_ms(call), resource);
    r.action = action;
    r.return_consumed_capacity = param_string(call->request, SLICE("ReturnConsumedCapacity"));
    return r;
}

/* The table's, as far as it is for who asks (own_names.h). */
static const struct policy *policy_for(const struct identity *who, const struct table *t)
{
    return t->is_unfinished && !who->policy ? NULL : t->policy.read;
}

bool access_denied_by(const struct call *call, const struct policy *p, enum policy_action action, struct slice relative, struct slice tags)
{
    const struct slice none = { NULL, 0 };
    struct policy_request r = request_of(call, action, arn_of(call, relative, none, none));
    r.tags = tags;
    r.key_reach = r.attribute_reach = REACH_ALL;
    return policy_judge(p, &r) == POLICY_DENIES;
}

/* ---- what an access names ---- */

/* The partition key as policies write it: a number as DynamoDB writes it, bytes as base64. */
static struct slice text_of(struct arena *a, struct slice value)
{
    char number[NUM_MAX_TEXT];
    struct buf b;
    switch (val_type(value)) {
    case TYPE_S: return val_content(value);
    case TYPE_N: return arena_dup(a, slice_of(number, num_format(val_content(value), number)));
    case TYPE_B:
        buf_init(&b, a, 64u << 10);
        base64_put(&b, val_content(value));
        return buf_view(&b);
    default: return slice_of(NULL, 0);
    }
}

static void name_key(const struct call *call, const struct access *a, struct policy_request *r)
{
    const struct index *ix = a->index_name.n ? table_index(a->table, a->index_name) : NULL;
    const struct key_schema *key = ix ? &ix->key : &a->table->key;
    r->n_keys = key->n_hash;
    for (size_t i = 0; i < r->n_keys; i++) {
        struct slice value = i < a->n_hash ? a->hash[i] : slice_of(NULL, 0);
        if (a->item.n && !val_get(a->item, key->hash[i].name, &value)) value = slice_of(NULL, 0);
        if (value.n) r->keys[i] = text_of(call->arena, value);
    }
    /* An item without one would be refused in any case; which key it is meant for, nobody knows. */
    if (a->whole_table || !r->keys[0].p) r->key_reach = REACH_ALL;
}

struct names {
    struct arena *arena;
    struct slice *all;
    size_t n, room;
};

static bool add_name(struct slice name, void *ctx)
{
    struct names *names = ctx;
    if (names->n == names->room) {
        size_t room = names->room ? 2 * names->room : 16;
        struct slice *all = ARENA_ARRAY(names->arena, struct slice, room);
        if (names->n) memcpy(all, names->all, names->n * sizeof *all);
        names->all = all;
        names->room = room;
    }
    names->all[names->n++] = name;
    return true;
}

static void add_keys(const struct key_schema *key, struct names *names)
{
    for (size_t i = 0; i < key->n_hash; i++) add_name(key->hash[i].name, names);
    for (size_t i = 0; i < key->n_range; i++) add_name(key->range[i].name, names);
}

static void name_attributes(const struct call *call, const struct access *a, struct policy_request *r)
{
    struct names names = { .arena = call->arena };
    if (a->item.n) {
        struct val_iter it;
        struct slice name, value;
        val_iter_init(&it, a->item);
        while (val_next(&it, &name, &value)) add_name(name, &names);
    } else { /* a page ends with the keys of its last item, whatever was asked for */
        const struct index *ix = a->index_name.n ? table_index(a->table, a->index_name) : NULL;
        add_keys(&a->table->key, &names);
        if (ix) add_keys(&ix->key, &names);
    }
    for (size_t i = 0; i < 2; i++) {
        if (a->conditions[i]) cond_each_name(a->conditions[i], add_name, &names);
    }
    if (a->update) update_each_name(a->update, add_name, &names);
    if (a->projection) {
        struct slice *shown;
        size_t n = projection_names(a->projection, call->arena, &shown);
        for (size_t i = 0; i < n; i++) add_name(shown[i], &names);
    }
    if (a->whole_item || (a->shows && !a->projection)) r->attribute_reach = REACH_ALL;
    r->attributes = names.all;
    r->n_attributes = names.n;
}

/* Only Query and Scan have the member; elsewhere it would be a caller's word for what he does. */
static struct slice select_of(const struct call *call, const struct access *a)
{
    bool has = a->action == ACTION_Query || a->action == ACTION_Scan;
    struct slice given = has ? param_string(call->request, SLICE("Select")) : slice_of(NULL, 0);
    if (given.p || (!a->shows && !a->counts)) return given;
    if (a->projection) return SLICE("SPECIFIC_ATTRIBUTES");
    return a->index_name.n ? SLICE("ALL_PROJECTED_ATTRIBUTES") : SLICE("ALL_ATTRIBUTES");
}

int access_ask(struct call *call, const struct access *a)
{
    const struct slice name = table_of(a->table_name);
    const bool vague = a->unfit || !call->bound || !a->table;
    const struct table *t = vague ? catalog_find(call->catalog, name) : a->table;
    const struct policy *own = call->caller.identity->policy, *its = t ? policy_for(call->caller.identity, t) : NULL;
    const bool is_copy = t && t->is_copy;
    if (!own && !its && !is_copy) return 0;
    struct slice below = a->index_name.n ? SLICE("/index/") : slice_of(NULL, 0);
    struct policy_request r = request_of(call, a->action, arn_of(call, name, below, a->index_name));
    if (t) r.tags = t->tags;
    r.vague = vague;
    r.enclosing_operation = a->enclosing ? slice_str(a->enclosing) : slice_of(NULL, 0);
    r.return_values = a->return_values;
    r.full_table_scan = a->full_scan;
    if (!vague) {
        r.select = select_of(call, a);
        name_key(call, a, &r);
        if (is_copy || (own && policy_asks_attributes(own)) || (its && policy_asks_attributes(its))) name_attributes(call, a, &r);
    }
    int code = judge(call, &r, its);
    return code || !is_copy ? code : judge_as_source(call, &r, t, below, a->index_name);
}

/* ---- operations that name no items ---- */

/* What lies below a table may be of an earlier one of that name, whose tags and policy were others: only a stream tells by its label
 * that it is not. */
static bool may_be_earlier(const struct table *t, struct slice below, struct slice arn)
{
    struct slice name;
    int64_t created_ms;
    if (!below.n) return false;
    return !t || !stream_read_arn(arn, &name, &created_ms) || created_ms < t->created_ms;
}

/* What is no item: a table, or what belongs to one. */
struct subject {
    struct slice relative; /* "NAME", "NAME/backup/ID" ... */
    const char *below;     /* NULL, or what follows that in the ARN */
    bool whole;            /* as in a rule */
    bool earlier;          /* it is about all tables that have had that name */
    bool has_row;          /* of a past stream: its row was read, so that its policy is known */
    const struct policy *of_row;
};

/* Up to the first slash; the rest begins with it. */
static struct slice name_in(struct slice relative, struct slice *rest)
{
    const uint8_t *slash = relative.n ? memchr(relative.p, '/', relative.n) : NULL;
    struct slice name = slice_of(relative.p, slash ? (size_t)(slash - relative.p) : relative.n);
    *rest = slice_of(relative.p + name.n, relative.n - name.n);
    return name;
}

/* Of another stream than the table's latest. rest, resource: of the ARN. */
static bool is_past_stream(const struct table *t, struct slice rest, struct slice resource)
{
    struct slice name;
    int64_t created_ms;
    return slice_starts(rest, SLICE("/stream/")) && (!t || !stream_read_arn(resource, &name, &created_ms) || created_ms != t->stream_created_ms);
}

/* Of a past stream their run step asks, by access_ask_past_stream. */
static bool is_asked_later(enum policy_action action)
{
    return action == ACTION_DescribeStream || action == ACTION_GetShardIterator || action == ACTION_GetRecords || action == ACTION_GetResourcePolicy;
}

static const struct policy *policy_of(const struct table *t, struct slice below, struct policy_request *r)
{
    r->of_earlier = may_be_earlier(t, below, r->resource);
    if (!t) return NULL;
    r->tags = t->tags;
    return slice_starts(below, SLICE("/stream/")) ? t->stream_policy.read : policy_for(r->who, t);
}

static int ask_about(struct call *call, enum policy_action action, const struct subject *s)
{
    const struct slice relative = s->relative;
    struct slice end = s->below ? slice_str(s->below) : slice_of(NULL, 0);
    struct policy_request r = request_of(call, action, arn_of(call, relative, end, slice_of(NULL, 0)));
    struct slice rest, name = name_in(relative, &rest);
    const struct table *t = catalog_find(call->catalog, name);
    const bool past = is_past_stream(t, rest, r.resource);
    if (past && !s->has_row && is_asked_later(action)) return 0;
    if (s->whole) r.key_reach = r.attribute_reach = REACH_ALL;
    const struct policy *its = policy_of(t, rest, &r);
    if (past) its = s->of_row;
    r.of_earlier = r.of_earlier || s->earlier;
    int code = judge(call, &r, its);
    if (code || !slice_starts(name, SLICE(WORKING_COPY))) return code;
    if (r.who->policy && (rest.n || end.n)) return refuse_copy(call, &r);
    return t ? judge_as_source(call, &r, t, rest, end) : 0;
}

static int ask_relative(struct call *call, enum policy_action action, struct slice relative, const char *below, bool whole)
{
    return ask_about(call, action, &(struct subject){ .relative = relative, .below = below, .whole = whole });
}

int access_ask_arn(struct call *call, enum policy_action action, struct slice arn, bool whole)
{
    return ask_relative(call, action, table_of(arn), NULL, whole);
}

bool access_is_left_open(const struct call *call, struct slice arn)
{
    const struct slice none = { NULL, 0 }, relative = table_of(arn);
    struct slice rest, name = name_in(relative, &rest);
    return call->caller.identity && is_past_stream(catalog_find(call->catalog, name), rest, arn_of(call, relative, none, none));
}

int access_ask_past_stream(struct call *call, enum policy_action action, struct slice arn, bool whole, const struct policy *its)
{
    return ask_about(call, action, &(struct subject){ .relative = table_of(arn), .whole = whole, .has_row = true, .of_row = its });
}

/* The text of a rule's member in the request. */
static struct slice member_of(const struct json *request, const char *member)
{
    struct slice rest = member ? slice_str(member) : slice_of(NULL, 0), found = { NULL, 0 };
    while (rest.n && !found.p) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] != '|' && rest.p[n] != '/') n++;
        struct slice name = slice_of(rest.p, n);
        if (n < rest.n && rest.p[n] == '/') request = param_get(request, name);
        else found = param_string(request, name);
        n += n < rest.n;
        rest = slice_of(rest.p + n, rest.n - n);
    }
    return found;
}

struct slice access_table(const struct call *call)
{
    const struct access_rule *rule = access_rule(call->row, call->op->name);
    const char *member = !rule || rule->of == OF_ITEMS ? "TableName" : rule->target ? rule->target : rule->member;
    struct slice rest; /* of a backup, a stream, an export */
    return name_in(table_of(member_of(call->request, member)), &rest);
}

/* Who restores writes every item of the new table, and could read them there: he needs the rights to do so. AWS names RestoreTableFromBackup for the table
 * too, and RestoreTableToPointInTime for the source alone. */
static int ask_of_target(struct call *call, enum policy_action action, struct slice name)
{
    static const enum policy_action filling[] = { ACTION_BatchWriteItem, ACTION_DeleteItem, ACTION_GetItem, ACTION_PutItem, ACTION_Query, ACTION_Scan,
                                                  ACTION_UpdateItem };
    int code = action == ACTION_RestoreTableFromBackup ? ask_relative(call, action, name, NULL, true) : 0;
    for (size_t i = 0; !code && i < sizeof filling / sizeof *filling; i++) code = ask_relative(call, filling[i], name, NULL, true);
    return code;
}

static int ask_by_rule(struct call *call, const struct access_rule *rule)
{
    enum policy_action action = policy_action_of(slice_str(rule->operation));
    struct policy_request r;
    struct slice name = member_of(call->request, rule->member);
    int code = 0;
    switch (rule->of) {
    case OF_ITEMS: return call->op->access(call);
    case OF_EVERYTHING:
        r = request_of(call, action, SLICE("*"));
        if (rule->whole) r.key_reach = r.attribute_reach = REACH_ALL;
        return judge(call, &r, NULL);
    case OF_ARN: code = access_ask_arn(call, action, name, rule->whole); break;
    case OF_TABLE:
    case OF_NAME:
        code = ask_about(call, action, &(struct subject){ .relative = name.n ? table_of(name) : SLICE("*"),
                                                          .below = rule->below,
                                                          .whole = rule->whole,
                                                          .earlier = rule->of == OF_NAME });
        break;
    }
    return !code && rule->target ? ask_of_target(call, action, member_of(call->request, rule->target)) : code;
}

/* A table that comes with tags or a policy takes the right to give it those. */
static int ask_for_extras(struct call *call)
{
    struct slice name = param_table(call->request, SLICE("TableName"));
    int code = 0;
    if (param_present(call->request, SLICE("Tags"))) code = ask_relative(call, ACTION_TagResource, name, NULL, true);
    if (!code && param_present(call->request, SLICE("ResourcePolicy")))
        code = ask_relative(call, ACTION_PutResourcePolicy, name, NULL, true);
    return code;
}

/* The objects that an import reads and an export writes: as with AWS, who may do either to his table may not therefore see what others
 * keep in the bucket. */
static int ask_for_objects(struct call *call, enum policy_action action, const struct json *where, struct slice prefix, struct slice folder)
{
    const struct slice parts[] = { SLICE("arn:aws:s3:::"), param_string(where, SLICE("S3Bucket")), SLICE("/"), prefix,
                                   prefix.n && folder.n ? SLICE("/") : SLICE(""), folder };
    struct policy_request r = request_of(call, action, joined(call->arena, parts, sizeof parts / sizeof *parts));
    r.and_below = true;
    return judge(call, &r, NULL);
}

static int ask_besides(struct call *call, const char *operation)
{
    if (!strcmp(operation, "CreateTable")) return ask_for_extras(call);
    if (!strcmp(operation, "ImportTable")) {
        const struct json *from = PARAM_GET(call->request, "S3BucketSource");
        return ask_for_objects(call, ACTION_S3_GetObject, from, param_string(from, SLICE("S3KeyPrefix")), slice_of(NULL, 0));
    }
    if (!strcmp(operation, "ExportTableToPointInTime")) {
        struct slice prefix = export_prefix(param_string(call->request, SLICE("S3Prefix")));
        return ask_for_objects(call, ACTION_S3_PutObject, call->request, prefix, SLICE(EXPORT_FOLDER "/"));
    }
    return 0;
}

int access_check(struct call *call, int bound)
{
    const struct access_rule *rule = access_rule(call->row, call->op->name);
    struct err found = call->err;
    call->err.code = ERR_NONE;
    call->bound = !bound;
    int code;
    if (!rule || (rule->of == OF_ITEMS && !call->op->access)) {
        code = err_set(&call->err, ERR_AccessDeniedException, "%s is not open to policies", call->op->name);
    } else {
        code = ask_by_rule(call, rule);
        if (!code) code = ask_besides(call, rule->operation);
    }
    const bool fits = call->bound; /* the access step may have left out what did not */
    call->bound = false; /* it is not claimed yet */
    if (!code && !fits) call->err = found;
    return code || fits ? code : bound;
}

/* ---- guests ---- */

static bool may_deny_guest(const struct table *t, const struct caller *who, int64_t now_ms)
{
    /* What the studio's calls are made of. */
    static const enum policy_action actions[] = { ACTION_BatchGetItem, ACTION_BatchWriteItem, ACTION_ConditionCheckItem, ACTION_CreateTable,
                                                  ACTION_DeleteItem, ACTION_DescribeTable, ACTION_GetItem, ACTION_PutItem, ACTION_Query,
                                                  ACTION_Scan, ACTION_UpdateItem, ACTION_UpdateTable, ACTION_UpdateTimeToLive };
    char arn[512];
    struct slice region = caller_region(who), account = caller_account(who);
    if (!t->policy.read) return false;
    int n = snprintf(arn, sizeof arn, "arn:aws:dynamodb:%.*s:%.*s:table/%.*s", SLICE_ARG(region), SLICE_ARG(account), SLICE_ARG(t->name));
    if (n < 0 || (size_t)n >= sizeof arn) return true;
    struct policy_request r = request_from(who, now_ms, slice_of(arn, (size_t)n));
    r.and_below = true; /* its indexes */
    r.tags = t->tags;
    return policy_may_deny(t->policy.read, &r, actions, sizeof actions / sizeof *actions);
}

int engine_check_guest(struct engine *e, const struct caller *who, struct err *err)
{
    if (catalog_catch_up(e->catalogs))
        return err_set(err, ERR_ServiceUnavailable, "The policies of the tables cannot be read at the moment. Try again");
    const struct catalog *catalog = catalog_acquire(e->catalogs);
    int64_t now_ms = engine_now_ms(e);
    char table[256] = "";
    for (size_t i = 0; !table[0] && i < catalog_count(catalog); i++) {
        const struct table *t = catalog_at(catalog, i);
        if (may_deny_guest(t, who, now_ms)) snprintf(table, sizeof table, "%.*s", SLICE_ARG(t->name));
    }
    catalog_release(e->catalogs, catalog); /* before err_set, which may leave through the arena's guard */
    if (!table[0]) return 0;
    return err_set(err, ERR_AccessDeniedException, "User: %.*s is not authorized to use the studio: the policy of table %s denies it something, "
                   "and the studio, which reaches all tables, is for keys that no table denies anything it does",
                   SLICE_ARG(who->identity->user), table);
}
