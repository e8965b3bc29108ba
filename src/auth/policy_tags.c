/* policy_tags.c: which tags the variables of a policy ask for. */
#include "policy_private.h"

/* Those that were found, each once. */
struct missing {
    const struct identity *who;
    struct slice *names;
    size_t n, room;
};

static bool has_tag(const struct identity *who, struct slice name)
{
    for (size_t i = 0; i < who->n_tags; i++)
        if (slice_eq_fold(who->tags[i].name, name)) return true;
    return false;
}

static void look_at(struct missing *m, const struct pattern *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct piece *piece = &p->pieces[i];
        bool known = piece->kind != PIECE_VARIABLE || piece->key != KEY_PRINCIPAL_TAG || piece->has_default || has_tag(m->who, piece->tag);
        for (size_t k = 0; !known && k < m->n; k++) known = slice_eq_fold(m->names[k], piece->tag);
        if (!known && m->n < m->room) m->names[m->n++] = piece->tag;
    }
}

static void look_at_all(struct missing *m, const struct pattern *patterns, size_t n)
{
    for (size_t i = 0; patterns && i < n; i++) look_at(m, &patterns[i]);
}

static void look_at_condition(struct missing *m, const struct policy_condition *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->op->kind == OPERATOR_TEXT) look_at(m, &c->operands[i].pattern);
        if (c->op->kind == OPERATOR_ARN) look_at_all(m, c->operands[i].parts, ARN_PARTS);
    }
}

size_t policy_missing_tags(const struct policy *p, const struct identity *who, struct slice *names, size_t room)
{
    struct missing m = { .who = who, .names = names, .room = room };
    for (size_t i = 0; i < p->n; i++) {
        const struct policy_statement *s = &p->statements[i];
        for (size_t k = 0; k < s->n_resources; k++)
            if (!s->resources[k].any) look_at_all(&m, s->resources[k].parts, ARN_PARTS);
        for (size_t k = 0; k < s->n_conditions; k++) look_at_condition(&m, &s->conditions[k]);
    }
    return m.n;
}
