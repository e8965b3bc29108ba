/* check.c: checks a model that was read against its own patterns and its sample data. */
#include "check.h"
#include "side_file.h"
#include <errno.h>

static struct place order_place(const struct model *m, const struct pattern *p)
{
    const struct node *order = NODE_GET(node_get(NODE_GET(m->root, "patterns"), p->name), "order");
    return order ? order->place : p->place;
}

/* `newest` promises time. A pattern that has a plan in any order but that one makes a promise nobody can keep; one
 * that has none at all is lint's and explain's to tell. */
static void check_order(struct arena *a, struct problems *ps, const struct model *m, const struct pattern *p)
{
    struct plan plan, other;
    struct err e = { .arena = a };
    struct pattern question = *p;
    if (p->order != ORDER_NEWEST && p->order != ORDER_OLDEST) return;
    if (plan_make(a, m, p, false, &plan, &e)) {
        problem_add(ps, p->place, SLICE(""), "%.*s", SLICE_ARG(e.message));
        return;
    }
    if (plan.kind != PLAN_NONE) return;
    question.order = p->order == ORDER_NEWEST ? ORDER_DESCENDING : ORDER_ASCENDING;
    if (plan_make(a, m, &question, false, &other, &e) || other.kind == PLAN_NONE) return;
    problem_add(ps, order_place(m, p),
                arena_printf(a, "let its sort key begin with a time where it is not known, or write order: %s",
                             p->order == ORDER_NEWEST ? "descending" : "ascending"),
                "pattern %.*s %.*s", SLICE_ARG(p->name), SLICE_ARG(plan.reason));
}

/* A file that is not there is a mistake in the model, and is shown there. */
static bool files_are_there(struct arena *a, struct problems *ps, const struct model *m)
{
    const struct node *data = NODE_GET(m->root, "data");
    const struct node *name = data && data->kind == NODE_LIST ? data->first : data;
    bool all = true;
    for (size_t i = 0; i < m->n_data && name; i++, name = name->next) {
        struct slice text;
        int trouble = side_file_bytes(a, m, m->data[i], MODEL_MAX_FILE, &text);
        if (!trouble || trouble == EFBIG) continue; /* sample_read says how large it may be */
        problem_add(ps, name->place, SLICE("data: names files relative to the model"), "%.*s cannot be read: %s",
                    SLICE_ARG(m->data[i]), strerror(trouble));
        all = false;
    }
    return all;
}

void model_check(struct arena *a, struct problems *ps, const struct model *m, const struct model_env *env)
{
    struct sample sample;
    for (size_t i = 0; i < m->n_patterns; i++) check_order(a, ps, m, &m->patterns[i]);
    if (m->n_data && files_are_there(a, ps, m)) sample_read(a, ps, m, env, &sample);
    problems_sort(ps);
}
