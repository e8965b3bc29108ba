/* propose_sample.c: what the sample data says about a proposal's keys: how many decimals a number has, and whether every item can have
 * the new keys. The data is read into memory of its own, which is given back at once. */
#include "propose_impl.h"
#include "sample.h"
#include "scratch.h"

struct look {
    const struct model *m;
    struct slice entity, attribute; /* empty: only whether it can be read */
    bool readable;
    int decimals;                   /* -1: no item has a number there */
};

static void count_decimals(struct look *l, struct slice item)
{
    char text[NUM_MAX_TEXT];
    struct slice v;
    if (!val_get(item, l->attribute, &v) || val_type(v) != TYPE_N) return;
    size_t n = num_format(val_content(v), text);
    const char *point = memchr(text, '.', n);
    int decimals = point ? (int)(n - (size_t)(point - text) - 1) : 0;
    if (decimals > l->decimals) l->decimals = decimals;
}

static int look_step(void *ctx, struct arena *a, struct err *e)
{
    struct look *l = ctx;
    struct problems ps;
    struct sample s;
    (void)e;
    problems_init(&ps, a);
    l->readable = sample_read(a, &ps, l->m, &model_env_system, &s);
    for (size_t i = 0; l->attribute.n && i < s.n; i++) {
        if (slice_eq(s.items[i].path->entity->name, l->entity)) count_decimals(l, s.items[i].item);
    }
    return 0;
}

/* What does not fit into memory says nothing. */
static void look_at(struct proposer *p, struct look *l)
{
    struct arena scratch;
    struct err e = { .arena = p->r->arena };
    l->decimals = -1;
    arena_init(&scratch, SCRATCH_MAX);
    if (scratch_step(&scratch, look_step, l, &e)) *l = (struct look){ .readable = true, .decimals = -1 };
    arena_free(&scratch);
}

int sample_decimals(struct proposer *p, const struct entity *en, struct slice attribute)
{
    struct look l = { .m = p->r->model, .entity = en->name, .attribute = attribute };
    if (!l.m->n_data) return -1;
    look_at(p, &l);
    return l.decimals;
}

bool sample_readable(struct proposer *p, const struct model *m)
{
    struct look l = { .m = m };
    if (!m->n_data) return true;
    look_at(p, &l);
    return l.readable;
}
