/* policy.c: judging a request by a policy: each statement that speaks of it, a Deny before every Allow. */
#include "policy_private.h"

/* All actions but those that mend it; all resources, because none is excepted. */
#define BIT(action) ((uint64_t)1 << (action))
static const struct policy_statement deny_all = {
    .deny = true,
    .actions = ~(BIT(ACTION_GetResourcePolicy) | BIT(ACTION_PutResourcePolicy) | BIT(ACTION_DeleteResourcePolicy)),
    .not_resource = true
};
const struct policy policy_unreadable = { .statements = &deny_all, .n = 1 };

bool policy_asks_attributes(const struct policy *p)
{
    return p->asks_attributes;
}

static bool speaks_of(const struct policy_statement *s, enum policy_action action)
{
    return s->actions >> action & 1;
}

/* ---- principals ---- */

/* arn:aws:iam::ACCOUNT: and the rest. */
static bool is_arn_of(struct slice text, struct slice account, struct slice what, struct slice name)
{
    const struct slice head = SLICE("arn:aws:iam::");
    if (text.n != head.n + account.n + what.n + name.n || !slice_starts(text, head)) return false;
    const uint8_t *p = text.p + head.n;
    return slice_eq(slice_of(p, account.n), account) && slice_eq(slice_of(p + account.n, what.n), what) &&
           slice_eq(slice_of(p + account.n + what.n, name.n), name);
}

/* An account stands for all of its users where it is denied something. Where it is allowed something, it is the account that may hand
 * that on, by the policies of its users, who have it only from there. */
static bool is_meant(const struct principals *p, bool deny, const struct identity *who)
{
    const struct slice none = { NULL, 0 };
    bool found = p->everyone;
    if (!p->present) return true;
    for (size_t i = 0; who && !found && i < p->n; i++) {
        found = is_arn_of(p->texts[i], who->account, SLICE(":user/"), who->user);
        if (!found && deny && !p->inverted) {
            found = slice_eq(p->texts[i], who->account) || is_arn_of(p->texts[i], who->account, SLICE(":root"), none);
        }
    }
    return found != p->inverted;
}

/* ---- statements ---- */

static enum truth resource_fits(const struct policy_statement *s, const struct policy_request *r)
{
    enum truth any = NO;
    for (size_t i = 0; any != YES && i < s->n_resources; i++) {
        const struct policy_resource *wanted = &s->resources[i];
        enum truth one = wanted->any ? YES : policy_arn_matches(wanted->parts, r, r->resource, r->and_below);
        if (one > any) any = one;
    }
    return s->not_resource ? (enum truth)(YES - any) : any;
}

/* Of keys and attributes that nobody knows yet: as they would have to be for the request not to be denied. */
static enum truth at_best(const struct policy_condition *c, const struct policy_request *r, bool deny)
{
    if (deny) return policy_condition_could(c, r, false) ? NO : MAYBE;
    return policy_condition_could(c, r, true) ? YES : MAYBE;
}

static enum truth holds(const struct policy_statement *s, const struct policy_condition *c, const struct policy_request *r)
{
    return r->vague && c->key <= KEY_ATTRIBUTES ? at_best(c, r, s->deny) : policy_condition_holds(c, r);
}

/* any_items: what a condition says of items, and of what is done to them, may hold or not. */
static enum truth fits(const struct policy_statement *s, const struct policy_request *r, bool any_items)
{
    enum truth all = is_meant(&s->principals, s->deny, r->who) ? resource_fits(s, r) : NO;
    for (size_t i = 0; all != NO && i < s->n_conditions; i++) {
        const struct policy_condition *c = &s->conditions[i];
        enum truth one = any_items && c->key <= KEY_LAST_OF_ITEMS ? MAYBE : holds(s, c, r);
        if (one < all) all = one;
    }
    return all;
}

enum policy_verdict policy_judge(const struct policy *p, const struct policy_request *r)
{
    enum policy_verdict verdict = POLICY_SILENT;
    for (size_t i = 0; i < p->n; i++) {
        const struct policy_statement *s = &p->statements[i];
        if (!s->deny && verdict == POLICY_ALLOWS) continue;
        enum truth truth = speaks_of(s, r->action) ? fits(s, r, false) : NO;
        if (truth == NO || (truth == MAYBE && !s->deny)) continue;
        if (s->deny) return POLICY_DENIES;
        verdict = POLICY_ALLOWS;
    }
    return verdict;
}

/* ---- who is let in ---- */

static bool is_fixed(const struct policy_condition *c, const struct operand_value *v)
{
    struct slice text;
    if (c->op->kind != OPERATOR_ARN) return pattern_is_literal(&v->pattern, &text);
    for (size_t i = 0; i < ARN_PARTS; i++) {
        if (!pattern_is_literal(&v->parts[i], &text)) return false;
    }
    return true;
}

/* With IfExists and ForAllValues it would hold for who has no account, too. */
static bool names_who(const struct policy_condition *c)
{
    bool of_who = c->key == KEY_PRINCIPAL_ARN || c->key == KEY_PRINCIPAL_ACCOUNT;
    bool compares = (c->op->kind == OPERATOR_TEXT || c->op->kind == OPERATOR_ARN) && !c->op->negated;
    if (!of_who || !compares || c->if_exists || c->over == OVER_ALL) return false;
    for (size_t i = 0; i < c->n; i++) {
        if (!is_fixed(c, &c->operands[i])) return false;
    }
    return true;
}

bool policy_is_public(const struct policy *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct policy_statement *s = &p->statements[i];
        bool bounded = s->deny || !s->principals.everyone;
        for (size_t k = 0; !bounded && k < s->n_conditions; k++) bounded = names_who(&s->conditions[k]);
        if (!bounded) return true;
    }
    return false;
}

bool policy_may_deny(const struct policy *p, const struct policy_request *r, const enum policy_action *actions, size_t n)
{
    uint64_t asked = 0;
    for (size_t i = 0; i < n; i++) asked |= BIT(actions[i]);
    for (size_t i = 0; i < p->n; i++) {
        const struct policy_statement *s = &p->statements[i];
        if (s->deny && (s->actions & asked) && fits(s, r, true) != NO) return true;
    }
    return false;
}
