/* resource_policy_document.c: a policy document read, checked and written in its canonical form. What is refused, and
 * how: DDB-TABLE-208, 210, 211, 351 to 356 and 457 of aws-controllers-k8s/dynamodb-controller,
 * docs/api-quirks. Whether principals exist is not checked.
 * What ../auth/policy.h cannot read is refused too. */
#include "resource_policy.h"
#include "../auth/policy_pattern.h"
#include "../base/slices.h"
#include "table_params.h"

#define MAX_DEPTH  32
#define TEXT_MAX   ((size_t)8 * POLICY_MAX) /* escapes and ARNs of roots make it longer */
#define ACCOUNT_ID 12

struct document {
    struct arena *arena;
    struct slice text;
    struct buf out;
    bool of_stream;
    struct slice *sids; /* of the statements that have one */
    size_t n_sids;
    struct buf wrong_actions;    /* those that the resource has not, the last first */
    struct slice wrong_resource; /* the first that is of the other kind */
    struct err *err;
};

static int refuse(struct document *d, const char *why)
{
    return err_set(d->err, ERR_ValidationException, PARAMS_INVALID "Invalid policy document: %s",
                   why);
}

/* At what lies behind a value, or at the end. */
static int syntax_error(struct document *d, const struct json *value)
{
    const uint8_t *end = d->text.p + d->text.n, *at = end;
    unsigned row = 1, column = 1;
    if (value && value->text.p >= d->text.p && value->text.p < end) {
        at = value->text.p + value->text.n + (value->type == JSON_STRING);
    }
    for (const uint8_t *p = d->text.p; p < at; p++) {
        column++;
        if (*p == '\n') row++, column = 1;
    }
    return err_set(d->err, ERR_ValidationException,
                   PARAMS_INVALID "Invalid policy document: Syntax error at position (%u,%u)", row,
                   column);
}

/* ---- Texts and lists of them ---- */

static bool is_account(struct slice s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') return false;
    }
    return s.n == ACCOUNT_ID;
}

/* The texts of a string or a list of strings; NULL if it is neither. */
static struct slice *texts_of(struct document *d, const struct json *value, size_t *n)
{
    bool list = value->type == JSON_ARRAY;
    struct slice *texts = ARENA_ARRAY(d->arena, struct slice, list ? value->count + 1 : 1);
    *n = 0;
    for (const struct json *v = list ? value->first : value; v; v = list ? v->next : NULL) {
        if (v->type != JSON_STRING) return NULL;
        texts[(*n)++] = v->text;
    }
    return *n ? texts : NULL;
}

static void put_texts(struct buf *b, const struct slice *texts, size_t n)
{
    if (n > 1) buf_u8(b, '[');
    for (size_t i = 0; i < n; i++) {
        if (i) buf_u8(b, ',');
        json_put_string(b, texts[i]);
    }
    if (n > 1) buf_u8(b, ']');
}

/* In their order, each once. */
static size_t without_repeats(struct slice *texts, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool again = false;
        for (size_t j = 0; j < kept && !again; j++)
            again = slice_eq(texts[j], texts[i]);
        if (!again) texts[kept++] = texts[i];
    }
    return kept;
}

/* ---- A statement ---- */

static bool equal_fold(struct slice s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n && s.n == n; i++) {
        if ((s.p[i] | 0x20) != (uint8_t)(word[i] | 0x20)) return false;
    }
    return s.n == n;
}

static int put_effect(struct document *d, const struct json *value)
{
    bool allow = value->type == JSON_STRING && equal_fold(value->text, "Allow");
    bool deny = value->type == JSON_STRING && equal_fold(value->text, "Deny");
    if (!allow && !deny) return syntax_error(d, value);
    buf_printf(&d->out, "\"%s\"", allow ? "Allow" : "Deny");
    return 0;
}

static int put_principals(struct document *d, const struct json *kind)
{
    size_t n;
    struct slice *texts = texts_of(d, kind, &n);
    if (!texts) return syntax_error(d, kind);
    for (size_t i = 0; i < n; i++) {
        if (is_account(texts[i])) {
            texts[i] = arena_printf(d->arena, "arn:aws:iam::%.*s:root", SLICE_ARG(texts[i]));
        }
    }
    put_texts(&d->out, texts, without_repeats(texts, n));
    return 0;
}

static int put_principal(struct document *d, const struct json *value)
{
    if (value->type == JSON_STRING && slice_eq(value->text, SLICE("*"))) {
        BUF_LIT(&d->out, "\"*\"");
        return 0;
    }
    if (value->type != JSON_OBJECT || !value->count) return syntax_error(d, value);
    int code = 0;
    buf_u8(&d->out, '{');
    for (const struct json *kind = value->first; kind && !code; kind = kind->next) {
        if (kind != value->first) buf_u8(&d->out, ',');
        json_put_string(&d->out, kind->name);
        buf_u8(&d->out, ':');
        code = put_principals(d, kind);
    }
    buf_u8(&d->out, '}');
    return code;
}

/* ListStreams is of no stream, and of no table either. */
static bool is_of_stream(enum policy_action action)
{
    return action == ACTION_DescribeStream || action == ACTION_GetRecords || action == ACTION_GetShardIterator;
}

static bool is_of_policy(enum policy_action action)
{
    return action == ACTION_DeleteResourcePolicy || action == ACTION_GetResourcePolicy || action == ACTION_PutResourcePolicy;
}

/* Could the resource be asked for one of these? Of a table everything of DynamoDB is taken that is not of streams: which of the rest AWS refuses is not known. */
static bool is_action_here(const struct document *d, struct slice pattern)
{
    for (unsigned i = 0; i < ACTION_S3_GetObject; i++) {
        enum policy_action action = (enum policy_action)i;
        bool here = d->of_stream ? is_of_stream(action) || is_of_policy(action) : !is_of_stream(action) && action != ACTION_ListStreams;
        if (here && pattern_covers(pattern, policy_action_name(action))) return true;
    }
    return !d->of_stream && policy_covers_other_action(pattern);
}

static int put_actions(struct document *d, const struct json *value)
{
    size_t n;
    struct slice *texts = texts_of(d, value, &n);
    if (!texts) return syntax_error(d, value);
    for (size_t i = n; i > 0; i--) {
        if (is_action_here(d, texts[i - 1])) continue;
        if (d->wrong_actions.n) BUF_LIT(&d->wrong_actions, ", ");
        buf_u8(&d->wrong_actions, '"');
        buf_slice(&d->wrong_actions, texts[i - 1]);
        buf_u8(&d->wrong_actions, '"');
    }
    put_texts(&d->out, texts, n);
    return 0;
}

/* What stands behind the last colon that divides: "table/NAME", "table/NAME/stream/LABEL". */
static struct slice relative_id(struct slice arn)
{
    struct slice rest = arn;
    for (int i = 0; i < 5 && rest.n; i++) {
        const uint8_t *colon = memchr(rest.p, ':', rest.n);
        size_t skip = colon ? (size_t)(colon - rest.p) + 1 : rest.n;
        rest = slice_of(rest.p + skip, rest.n - skip);
    }
    return rest;
}

static bool names_stream(struct slice relative)
{
    return relative.n && memmem(relative.p, relative.n, "/stream/", 8) != NULL;
}

/* Another table's is taken. What has a wildcard may be of either kind. */
static int put_resources(struct document *d, const struct json *value)
{
    size_t n;
    struct slice *texts = texts_of(d, value, &n);
    if (!texts) return syntax_error(d, value);
    for (size_t i = 0; i < n && !d->wrong_resource.n; i++) {
        struct slice relative = relative_id(texts[i]);
        bool wild = !relative.n || memchr(relative.p, '*', relative.n) || memchr(relative.p, '?', relative.n) || memchr(relative.p, '$', relative.n);
        if (names_stream(relative) ? !d->of_stream : d->of_stream && !wild) d->wrong_resource = texts[i];
    }
    put_texts(&d->out, texts, n);
    return 0;
}

static int put_sid(struct document *d, const struct json *value)
{
    if (value->type != JSON_STRING) return syntax_error(d, value);
    d->sids[d->n_sids++] = value->text;
    json_put_string(&d->out, value->text);
    return 0;
}

static int put_condition(struct document *d, const struct json *value)
{
    if (value->type != JSON_OBJECT) return syntax_error(d, value);
    json_put(&d->out, value);
    return 0;
}

typedef int put_member(struct document *d, const struct json *value);

/* In the order in which they are written. */
static const struct member {
    const char *name;
    put_member *put;
    const char *instead; /* NULL, or what may stand in its place and says the opposite */
    bool required;
} members[] = {
    { "Sid", put_sid, NULL, false },
    { "Effect", put_effect, NULL, true },
    { "Principal", put_principal, "NotPrincipal", true },
    { "Action", put_actions, "NotAction", true },
    { "Resource", put_resources, "NotResource", true },
    { "Condition", put_condition, NULL, false },
};
#define N_MEMBERS (sizeof members / sizeof *members)

static bool is_member(struct slice name)
{
    for (size_t i = 0; i < N_MEMBERS; i++) {
        if (slice_eq(name, slice_str(members[i].name))) return true;
        if (members[i].instead && slice_eq(name, slice_str(members[i].instead))) return true;
    }
    return false;
}

/* The member or what stands in its place; NULL if neither is there. */
static const struct json *find(const struct json *statement, const struct member *m, bool *instead)
{
    const struct json *value = json_get(statement, slice_str(m->name));
    *instead = !value && m->instead;
    return *instead ? json_get(statement, slice_str(m->instead)) : value;
}

static int check_statement(struct document *d, const struct json *statement)
{
    bool instead;
    if (statement->type != JSON_OBJECT) return syntax_error(d, statement);
    for (size_t i = 0; i < N_MEMBERS; i++) {
        if (!members[i].required || find(statement, &members[i], &instead)) continue;
        return err_set(d->err, ERR_ValidationException,
                       PARAMS_INVALID "Invalid policy document: Missing required field %s",
                       members[i].name);
    }
    for (const struct json *m = statement->first; m; m = m->next) {
        if (!is_member(m->name)) return syntax_error(d, m);
    }
    return 0;
}

static int put_statement(struct document *d, const struct json *statement)
{
    bool first = true, instead;
    int code = check_statement(d, statement);
    if (code) return code;
    buf_u8(&d->out, '{');
    for (size_t i = 0; i < N_MEMBERS && !code; i++) {
        const struct member *m = &members[i];
        const struct json *value = find(statement, m, &instead);
        if (!value) continue;
        buf_printf(&d->out, "%s\"%s\":", first ? "" : ",", instead ? m->instead : m->name);
        first = false;
        code = m->put(d, value);
    }
    buf_u8(&d->out, '}');
    return code;
}

/* ---- The document ---- */

static int put_statements(struct document *d, const struct json *value)
{
    bool list = value->type == JSON_ARRAY;
    int code = 0;
    if (!list && value->type != JSON_OBJECT) return syntax_error(d, value);
    if (list && !value->count) return refuse(d, "Could not parse the policy: Statement is empty!");
    d->sids = ARENA_ARRAY(d->arena, struct slice, list ? value->count : 1);
    buf_u8(&d->out, '[');
    for (const struct json *s = list ? value->first : value; s && !code; s = list ? s->next : NULL) {
        if (list && s != value->first) buf_u8(&d->out, ',');
        code = put_statement(d, s);
    }
    buf_u8(&d->out, ']');
    if (code || slices_first_repeat(d->arena, d->sids, d->n_sids) == d->n_sids) return code;
    return refuse(d, "The Statement Ids in the policy are not unique");
}

static int put_document(struct document *d, const struct json *root)
{
    static const char *const heads[] = { "Version", "Id" };
    const struct json *statements = JSON_GET(root, "Statement");
    for (const struct json *m = root->first; m; m = m->next) {
        bool known = slice_eq(m->name, SLICE("Version")) || slice_eq(m->name, SLICE("Id"));
        if (known ? m->type != JSON_STRING : !slice_eq(m->name, SLICE("Statement"))) {
            return syntax_error(d, m);
        }
    }
    if (!statements) return syntax_error(d, NULL);
    buf_u8(&d->out, '{');
    for (size_t i = 0; i < 2; i++) {
        const struct json *head = json_get(root, slice_str(heads[i]));
        if (!head) continue;
        buf_printf(&d->out, "\"%s\":", heads[i]);
        json_put_string(&d->out, head->text);
        buf_u8(&d->out, ',');
    }
    BUF_LIT(&d->out, "\"Statement\":");
    int code = put_statements(d, statements);
    buf_u8(&d->out, '}');
    return code;
}

static int check_names(struct document *d)
{
    if (d->wrong_actions.n) {
        return err_set(d->err, ERR_ValidationException, PARAMS_INVALID "Invalid policy document: The following action names are invalid: %.*s",
                       SLICE_ARG(buf_view(&d->wrong_actions)));
    }
    if (!d->wrong_resource.n) return 0;
    return err_set(d->err, ERR_ValidationException, PARAMS_INVALID "Invalid policy document: The relative-id \"%.*s\" is invalid for ARN \"%.*s\"",
                   SLICE_ARG(relative_id(d->wrong_resource)), SLICE_ARG(d->wrong_resource));
}

/* What it asks for must be something that can be judged by here: AWS has condition keys that this server knows nothing of. */
static int read_canonical(struct document *d, struct slice canonical, const struct policy **out)
{
    if (!policy_read(d->arena, POLICY_OF_RESOURCE, canonical, out, d->err)) return 0;
    struct slice why = d->err->message;
    return err_set(d->err, ERR_ValidationException, PARAMS_INVALID "Invalid policy document: %.*s", SLICE_ARG(why));
}

int resource_policy_read(struct arena *a, struct slice text, const struct resource_policy_wish *wish, struct slice *canonical,
                         const struct policy **out, struct err *e)
{
    struct document d = { .arena = a, .text = text, .of_stream = wish->of_stream, .err = e };
    if (text.n > POLICY_MAX) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID "Maximum policy size of %d bytes exceeded", POLICY_MAX);
    }
    const struct json *root = json_parse(a, text, MAX_DEPTH, NULL);
    if (root && root->type == JSON_NULL) return refuse(&d, "This text appears not to be a policy");
    if (!root || root->type != JSON_OBJECT) return refuse(&d, "This policy contains invalid Json");
    buf_init(&d.out, a, TEXT_MAX);
    buf_init(&d.wrong_actions, a, TEXT_MAX);
    int code = put_document(&d, root);
    if (!code && !wish->restored) code = check_names(&d);
    if (code) return code;
    *canonical = buf_view(&d.out);
    code = read_canonical(&d, *canonical, out);
    if (code || wish->restored || !policy_is_public(*out)) return code;
    return err_set(e, ERR_ValidationException, "Resource-based policy grants unbounded access in one or more elements. Please "
                                               "revise the policy to ensure least-privilege form of access");
}

void resource_policy_put(struct buf *b, struct slice canonical)
{
    static const char version[] = "{\"Version\":";
    if (slice_starts(canonical, SLICE("{\"Version\":"))) {
        json_put_string(b, canonical);
        return;
    }
    json_put_string(b, arena_printf(b->arena, "%s\"2008-10-17\",%.*s", version,
                                    (int)canonical.n - 1, (const char *)canonical.p + 1));
}
