/* propose.c: what could be changed so that a pattern is answered. Each proposal is a changed text
 * of the model; it is offered only if reading that text gives a model which answers the pattern and
 * everything it answered before, and under which the sample data can still be written. */
#include "propose_impl.h"

void draft_init(struct proposer *p, struct draft *d, enum proposal_kind kind)
{
    *d = (struct draft){ .kind = kind };
    edits_init(&d->edits, p->r->arena, p->r->model->text, p->r->model->root);
}

const struct node *entity_node(const struct proposer *p)
{
    return node_get(NODE_GET(p->r->model->root, "entities"), p->entity->name);
}

const struct node *pattern_node(const struct proposer *p)
{
    return node_get(NODE_GET(p->r->model->root, "patterns"), p->r->pattern->name);
}

/* Only what lives in the caller's arena: the changed model is freed. */
static const struct plan *detached(struct arena *a, const struct plan *p)
{
    struct plan *out = ARENA_NEW(a, struct plan);
    out->kind = p->kind;
    out->streams = p->streams;
    out->descending = p->descending;
    out->filter_entity = p->filter_entity;
    out->filter_client = p->filter_client;
    out->operation = arena_dup(a, p->operation);
    out->key_condition = arena_dup(a, p->key_condition);
    out->index_name = arena_dup(a, p->index_name);
    return out;
}

/* The plan of the pattern in the changed model; NULL if that is no improvement. */
static const struct plan *verify(struct proposer *p, const struct model *changed)
{
    struct arena *a = p->r->arena;
    const struct model *m = p->r->model;
    const struct plan *found = NULL;
    struct err e = { .arena = a };
    for (size_t i = 0; i < m->n_patterns; i++) {
        bool asked = slice_eq(m->patterns[i].name, p->r->pattern->name);
        if (!asked && !p->had_plan[i]) continue;
        const struct pattern *q = model_pattern(changed, m->patterns[i].name);
        struct plan plan;
        if (!q || plan_make(a, changed, q, false, &plan, &e) || plan.kind == PLAN_NONE) return NULL;
        if (asked) found = detached(a, &plan);
    }
    return found;
}

/* The changed model holds memory of its own, so running out of the arena must pass by here. */
static const struct plan *try_text(struct proposer *p, struct slice text)
{
    struct arena *a = p->r->arena;
    struct problems ps;
    problems_init(&ps, a);
    struct model *volatile changed = model_read_with(&ps, p->r->model->file, text, p->r->model->files);
    if (!changed) return NULL;
    const struct plan *volatile plan = NULL;
    bool whole = false;
    if (ARENA_GUARD(a)) {
        plan = verify(p, changed);
        if (plan && p->had_sample && !sample_readable(p, changed)) plan = NULL;
        whole = true;
    }
    arena_unguard(a);
    model_free(changed);
    if (!whole) arena_fail(a);
    return plan;
}

void draft_offer(struct proposer *p, struct draft *d)
{
    if (p->n == PROPOSALS_MAX) return;
    struct slice text = edits_apply(&d->edits);
    if (!text.n) return;
    const struct plan *plan = try_text(p, text);
    if (!plan) return;
    struct proposal *out = &p->list[p->n++];
    *out = (struct proposal){
        .kind = d->kind, .text = d->text, .yaml = d->yaml, .model = text, .plan = plan
    };
    proposal_cost(p, d, out);
}

static bool asks_for(const struct pattern *q, const struct entity *en)
{
    for (size_t i = 0; i < q->n_entities; i++) {
        if (q->entities[i] == en) return true;
    }
    return false;
}

/* Could a proposal take this pattern's answer away? Only keys of entities that are asked for are
 * changed, and whether a pattern is answered hangs on the keys of those it names alone: all others
 * need not be resolved again. Where there are anchors, one text may be the keys of several. */
static bool concerned(const struct resolver *r, const struct pattern *q)
{
    if (memchr(r->model->text.p, '&', r->model->text.n)) return true;
    for (size_t i = 0; i < r->pattern->n_entities; i++) {
        if (asks_for(q, r->pattern->entities[i])) return true;
    }
    return false;
}

void propose(struct resolver *r, struct plan *plan)
{
    const struct model *m = r->model;
    const struct pattern *q = r->pattern;
    if (!m->root || !model_pattern(m, q->name)) return; /* an ad-hoc question is not in the file */
    struct proposer *p = ARENA_NEW(r->arena, struct proposer);
    p->r = r;
    p->entity = q->entities[0];
    p->had_plan = ARENA_ARRAY(r->arena, bool, m->n_patterns);
    p->had_sample = m->n_data && sample_readable(p, m);
    struct err e = { .arena = r->arena };
    for (size_t i = 0; i < m->n_patterns; i++) {
        struct plan today;
        p->had_plan[i] = concerned(r, &m->patterns[i]) &&
                         plan_make(r->arena, m, &m->patterns[i], false, &today, &e) == 0 &&
                         today.kind != PLAN_NONE;
    }
    propose_across(p);
    if (q->n_entities == 1 && !q->collection) {
        propose_entries(p);
        propose_new_index(p);
        propose_sort_keys(p);
        propose_copy(p);
    }
    if (q->n_entities > 1) propose_group(p);
    propose_filter(p);
    struct proposal *list = ARENA_ARRAY(r->arena, struct proposal, p->n + 1);
    memcpy(list, p->list, p->n * sizeof *list);
    plan->proposals = list;
    plan->n_proposals = p->n;
}
