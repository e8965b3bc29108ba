/* policy_read.c: a policy document, from JSON to statements. What is not understood is refused here, with a sentence that names the
 * statement: a condition that was skipped would allow what it was written to prevent. */
#include "policy_private.h"

#define MAX_DEPTH      32
#define MAX_STATEMENTS 512
#define MAX_VALUES     8192 /* of one list */

struct reader {
    struct arena *arena;
    enum policy_kind kind;
    bool variables;     /* Version 2012-10-17 */
    size_t number;      /* of the statement, from 1; 0: the document itself */
    struct slice sid;
    struct policy *policy;
    struct err *err;
};

/* ---- faults ---- */

__attribute__((format(printf, 2, 3))) static int refuse(struct reader *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice what = arena_vprintf(r->arena, fmt, ap);
    va_end(ap);
    if (!r->number) return err_set(r->err, ERR_ValidationException, "the policy cannot be used: %.*s", SLICE_ARG(what));
    if (!r->sid.n) {
        return err_set(r->err, ERR_ValidationException, "the policy cannot be used: statement %zu: %.*s", r->number, SLICE_ARG(what));
    }
    return err_set(r->err, ERR_ValidationException, "the policy cannot be used: statement %zu (\"%.*s\"): %.*s", r->number,
                   SLICE_ARG(r->sid), SLICE_ARG(what));
}

/* Says where what is in r->err is. */
static int refuse_again(struct reader *r)
{
    struct slice what = r->err->message;
    return refuse(r, "%.*s", SLICE_ARG(what));
}

/* Members must be these, each once: of two conditions with one name only one would count. */
static int check_members(struct reader *r, const struct json *object, const char *const *names)
{
    for (const struct json *m = object->first; m; m = m->next) {
        bool known = !names;
        for (size_t i = 0; names && names[i]; i++) known = known || slice_eq(m->name, slice_str(names[i]));
        if (!known) return refuse(r, "unknown element \"%.*s\"", SLICE_ARG(m->name));
        for (const struct json *other = object->first; other != m; other = other->next) {
            if (slice_eq(other->name, m->name)) return refuse(r, "\"%.*s\" is there twice", SLICE_ARG(m->name));
        }
    }
    return 0;
}

/* A text or a list of texts. true, false and numbers are taken where a text could say the same. */
static int read_texts(struct reader *r, const struct json *value, bool scalars, struct slice **out, size_t *n)
{
    bool list = value->type == JSON_ARRAY;
    *n = 0;
    if (list && value->count > MAX_VALUES) return refuse(r, "\"%.*s\" has more than %d values", SLICE_ARG(value->name), MAX_VALUES);
    *out = ARENA_ARRAY(r->arena, struct slice, list ? value->count + 1 : 1);
    for (const struct json *v = list ? value->first : value; v; v = list ? v->next : NULL) {
        struct slice text = v->text;
        if (scalars && v->type == JSON_TRUE) text = SLICE("true");
        else if (scalars && v->type == JSON_FALSE) text = SLICE("false");
        else if (v->type != JSON_STRING && !(scalars && v->type == JSON_NUMBER)) {
            return refuse(r, "\"%.*s\" must be a text or a list of texts", SLICE_ARG(value->name));
        }
        (*out)[(*n)++] = text;
    }
    if (!*n) return refuse(r, "\"%.*s\" is empty", SLICE_ARG(value->name));
    return 0;
}

/* ---- actions ---- */

static int read_actions(struct reader *r, const struct json *value, bool inverted, struct policy_statement *s)
{
    struct slice *texts;
    size_t n;
    int code = read_texts(r, value, false, &texts, &n);
    for (size_t i = 0; !code && i < n; i++) {
        bool any = false;
        for (unsigned k = 0; k < ACTION_COUNT; k++) {
            if (!pattern_covers(texts[i], policy_action_name((enum policy_action)k))) continue;
            s->actions |= (uint64_t)1 << k;
            any = true;
        }
        /* A Deny with a slip of the pen in it would deny nothing. Another service's actions are another's business. */
        bool ours = texts[i].n >= 9 && slice_eq_fold(slice_of(texts[i].p, 9), SLICE("dynamodb:"));
        bool service = memchr(texts[i].p, ':', texts[i].n) != NULL;
        if (any || r->kind == POLICY_OF_RESOURCE || (service && !ours) || (ours && policy_covers_other_action(texts[i]))) continue;
        return refuse(r, "there is no action \"%.*s\"", SLICE_ARG(texts[i]));
    }
    if (inverted) s->actions = ~s->actions;
    return code;
}

/* ---- resources ---- */

/* The parts that an ARN lacks are any, as with IAM: arn:aws:dynamodb is arn:aws:dynamodb:*:*:*.
 *
 * Tables are the same for all regions and accounts here (docs/differences.md), and a client chooses the region it signs for. So where a
 * match keeps out, any region and account match; where it lets in, those that the policy names. */
static int read_resource(struct reader *r, struct slice text, bool keeps_out, struct policy_resource *out)
{
    struct slice parts[ARN_PARTS];
    out->any = slice_eq(text, SLICE("*"));
    if (out->any) return 0;
    if (!slice_starts(text, SLICE("arn:"))) return refuse(r, "the resource \"%.*s\" is neither an ARN nor *", SLICE_ARG(text));
    for (size_t n = policy_arn_split(text, parts); n < ARN_PARTS; n++) parts[n] = SLICE("*");
    if (keeps_out) parts[ARN_REGION] = parts[ARN_ACCOUNT] = SLICE("*");
    for (size_t i = 0; i < ARN_PARTS; i++) {
        if (pattern_read(r->arena, parts[i], true, r->variables, &out->parts[i], r->err)) return refuse_again(r);
    }
    return 0;
}

static int read_resources(struct reader *r, const struct json *value, struct policy_statement *s)
{
    struct slice *texts;
    int code = read_texts(r, value, false, &texts, &s->n_resources);
    if (code) return code;
    s->resources = ARENA_ARRAY(r->arena, struct policy_resource, s->n_resources);
    for (size_t i = 0; !code && i < s->n_resources; i++) code = read_resource(r, texts[i], s->deny != s->not_resource, &s->resources[i]);
    return code;
}

/* ---- principals ---- */

static int read_principals(struct reader *r, const struct json *value, struct principals *p)
{
    int code = 0;
    p->present = true;
    if (value->type == JSON_STRING && slice_eq(value->text, SLICE("*"))) {
        p->everyone = true;
        return 0;
    }
    if (value->type != JSON_OBJECT) return refuse(r, "\"%.*s\" must be \"*\" or an object", SLICE_ARG(value->name));
    code = check_members(r, value, (const char *const[]){ "AWS", "Service", "Federated", "CanonicalUser", NULL });
    const struct json *aws = JSON_GET(value, "AWS");
    if (!code && aws) code = read_texts(r, aws, false, &p->texts, &p->n);
    for (size_t i = 0; !code && i < p->n; i++) {
        struct slice who = p->texts[i];
        bool everyone = slice_eq(who, SLICE("*"));
        /* It would be nobody: IAM knows no wildcards here. A Deny with one would deny nothing. */
        bool wild = who.n && (memchr(who.p, '*', who.n) || memchr(who.p, '?', who.n));
        if (wild && !everyone) return refuse(r, "the principal \"%.*s\" has a wildcard in it", SLICE_ARG(who));
        p->everyone = p->everyone || everyone;
    }
    return code;
}

/* ---- conditions ---- */

static bool drop_prefix(struct slice *s, struct slice prefix)
{
    if (!slice_starts(*s, prefix)) return false;
    *s = slice_of(s->p + prefix.n, s->n - prefix.n);
    return true;
}

static int read_operator(struct reader *r, struct slice name, struct policy_condition *c)
{
    const struct slice exists = SLICE("IfExists");
    struct slice rest = name;
    c->over = drop_prefix(&rest, SLICE("ForAllValues:")) ? OVER_ALL : drop_prefix(&rest, SLICE("ForAnyValue:")) ? OVER_ANY : OVER_ONE;
    if (rest.n > exists.n && slice_eq(slice_of(rest.p + rest.n - exists.n, exists.n), exists)) {
        c->if_exists = true;
        rest.n -= exists.n;
    }
    c->op = operator_find(rest);
    bool meaningless = c->op && c->op->kind == OPERATOR_NULL && (c->if_exists || c->over != OVER_ONE);
    return c->op && !meaningless ? 0 : refuse(r, "unknown condition operator \"%.*s\"", SLICE_ARG(name));
}

static int read_condition(struct reader *r, const struct json *value, struct policy_condition *c)
{
    struct slice *texts = NULL;
    c->key = policy_key_read(value->name, &c->tag);
    if (c->key == KEY_COUNT) return refuse(r, "unknown condition key \"%.*s\"", SLICE_ARG(value->name));
    if (c->key == KEY_ATTRIBUTES) r->policy->asks_attributes = true;
    int code = read_texts(r, value, true, &texts, &c->n);
    if (code) return code;
    c->operands = ARENA_ARRAY(r->arena, struct operand_value, c->n);
    for (size_t i = 0; i < c->n; i++) {
        if (operand_read(r->arena, c->op, texts[i], r->variables, &c->operands[i], r->err)) return refuse_again(r);
    }
    return 0;
}

static int read_conditions(struct reader *r, const struct json *value, struct policy_statement *s)
{
    size_t n = 0;
    if (value->type != JSON_OBJECT) return refuse(r, "\"Condition\" must be an object");
    int code = check_members(r, value, NULL);
    for (const struct json *op = value->first; !code && op; op = op->next) {
        if (op->type != JSON_OBJECT) return refuse(r, "\"%.*s\" must be an object", SLICE_ARG(op->name));
        if (!op->count) return refuse(r, "\"%.*s\" is empty", SLICE_ARG(op->name)); /* it looks like a condition, and is none */
        n += op->count;
        code = check_members(r, op, NULL);
    }
    s->conditions = ARENA_ARRAY(r->arena, struct policy_condition, n + 1);
    for (const struct json *op = value->first; !code && op; op = op->next) {
        struct policy_condition shared = { 0 };
        code = read_operator(r, op->name, &shared);
        for (const struct json *key = op->first; !code && key; key = key->next) {
            s->conditions[s->n_conditions] = shared;
            code = read_condition(r, key, &s->conditions[s->n_conditions++]);
        }
    }
    return code;
}

/* ---- statements ---- */

/* One of the two, which must not stand together. */
static int choose(struct reader *r, const struct json *statement, const char *name, const char *instead, const struct json **out,
                  bool *inverted)
{
    const struct json *given = json_get(statement, slice_str(name)), *other = json_get(statement, slice_str(instead));
    if (given && other) return refuse(r, "\"%s\" and \"%s\" cannot stand together", name, instead);
    *inverted = other != NULL;
    *out = given ? given : other;
    return 0;
}

static int read_effect(struct reader *r, const struct json *statement, struct policy_statement *s)
{
    const struct json *effect = JSON_GET(statement, "Effect");
    struct slice word = effect && effect->type == JSON_STRING ? effect->text : slice_of(NULL, 0);
    s->deny = slice_eq(word, SLICE("Deny"));
    return s->deny || slice_eq(word, SLICE("Allow")) ? 0 : refuse(r, "\"Effect\" must be \"Allow\" or \"Deny\"");
}

static int read_who(struct reader *r, const struct json *statement, struct policy_statement *s)
{
    const struct json *who = NULL;
    int code = choose(r, statement, "Principal", "NotPrincipal", &who, &s->principals.inverted);
    if (code) return code;
    if (r->kind == POLICY_OF_IDENTITY) return who ? refuse(r, "the policy of an identity has no \"%.*s\"", SLICE_ARG(who->name)) : 0;
    if (!who) return refuse(r, "\"Principal\" is missing");
    if (s->principals.inverted && !s->deny) return refuse(r, "\"NotPrincipal\" can only stand beside \"Deny\"");
    return read_principals(r, who, &s->principals);
}

static int read_statement(struct reader *r, const struct json *value, struct policy_statement *s)
{
    static const char *const names[] = { "Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource",
                                         "Condition", NULL };
    const struct json *action = NULL, *resource = NULL;
    bool not_action = false;
    r->sid = slice_of(NULL, 0);
    r->number++;
    if (value->type != JSON_OBJECT) return refuse(r, "a statement must be an object");
    const struct json *sid = JSON_GET(value, "Sid"), *condition = JSON_GET(value, "Condition");
    if (sid && sid->type != JSON_STRING) return refuse(r, "\"Sid\" must be a text");
    if (sid) r->sid = sid->text;
    int code = check_members(r, value, names);
    if (!code) code = read_effect(r, value, s);
    if (!code) code = read_who(r, value, s);
    if (!code) code = choose(r, value, "Action", "NotAction", &action, &not_action);
    if (!code && !action) return refuse(r, "\"Action\" is missing");
    if (!code) code = read_actions(r, action, not_action, s);
    if (!code) code = choose(r, value, "Resource", "NotResource", &resource, &s->not_resource);
    if (!code && !resource) return refuse(r, "\"Resource\" is missing");
    if (!code) code = read_resources(r, resource, s);
    /* Of other services' actions alone: it is never asked, and their keys need not be known. AWS's own policies have such statements. */
    bool inert = !s->actions && r->kind == POLICY_OF_IDENTITY;
    return !code && condition && !inert ? read_conditions(r, condition, s) : code;
}

static int read_version(struct reader *r, const struct json *document)
{
    const struct json *version = JSON_GET(document, "Version");
    struct slice text = version ? version->text : SLICE("2008-10-17");
    r->variables = slice_eq(text, SLICE("2012-10-17"));
    if (r->variables || slice_eq(text, SLICE("2008-10-17"))) return 0;
    return refuse(r, "\"Version\" must be \"2012-10-17\"");
}

int policy_compile(struct arena *a, enum policy_kind kind, const struct json *document, const struct policy **out, struct err *e)
{
    struct policy *p = ARENA_NEW(a, struct policy);
    struct reader r = { .arena = a, .kind = kind, .policy = p, .err = e };
    *out = p;
    if (document->type != JSON_OBJECT) return refuse(&r, "it must be a JSON object");
    int code = check_members(&r, document, (const char *const[]){ "Version", "Id", "Statement", NULL });
    if (!code) code = read_version(&r, document);
    if (code) return code;
    const struct json *statements = JSON_GET(document, "Statement");
    if (!statements) return refuse(&r, "\"Statement\" is missing");
    bool list = statements->type == JSON_ARRAY;
    if (list && statements->count > MAX_STATEMENTS) return refuse(&r, "it has more than %d statements", MAX_STATEMENTS);
    struct policy_statement *all = ARENA_ARRAY(a, struct policy_statement, list ? statements->count + 1 : 1);
    p->statements = all;
    for (const struct json *s = list ? statements->first : statements; s && !code; s = list ? s->next : NULL) {
        code = read_statement(&r, s, &all[p->n++]);
    }
    return code;
}

int policy_read(struct arena *a, enum policy_kind kind, struct slice text, const struct policy **out, struct err *e)
{
    size_t at = 0;
    if (kind == POLICY_OF_IDENTITY && text.n > POLICY_MAX_TEXT) {
        return err_set(e, ERR_ValidationException, "the policy cannot be used: it is longer than %d bytes", POLICY_MAX_TEXT);
    }
    const struct json *document = json_parse(a, text, MAX_DEPTH, &at);
    if (document) return policy_compile(a, kind, document, out, e);
    return err_set(e, ERR_ValidationException, "the policy cannot be used: it is no JSON, from byte %zu on", at);
}
