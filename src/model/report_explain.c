/* report_explain.c: the table of access patterns: how each is answered and what it reads, from
 * sample data or what the pattern expects; what is not known is null, never invented. Where a
 * pattern is not answered, proposals. */
#include "report.h"
#include "jsonw.h"
#include "plan_impl.h"

static void put_figure(struct buf *b, const char *name, bool known, double v)
{
    if (known) {
        js_number(b, name, v);
        return;
    }
    js_name(b, name);
    BUF_LIT(b, "null");
}

void measure_members(struct buf *b, const struct measure *m)
{
    put_figure(b, "items", m->known, m->items);
    put_figure(b, "itemsMost", m->known && m->from_sample, m->items_most);
    put_figure(b, "results", m->known && m->from_sample, m->results);
    put_figure(b, "bytes", m->known, m->bytes);
    put_figure(b, "readUnits", m->known, m->read_units);
    js_name(b, "from");
    if (!m->known)
        BUF_LIT(b, "null");
    else if (m->from_sample)
        BUF_LIT(b, "\"sample\"");
    else
        BUF_LIT(b, "\"expect\"");
}

/* A proposal is verified by reading the whole changed text, which a large model with many
 * unanswered patterns would take minutes over. Beyond so many bytes in all, proposals are left to
 * whoever asks for one pattern. */
#define PROPOSE_MAX_TEXT ((size_t)2 << 20)

static int explain_one(struct reporter *r, const struct pattern *q, const struct sample *s,
                       bool proposals, size_t *answered)
{
    struct plan p;
    struct measure measure;
    int rc = plan_make(r->arena, r->model, q, proposals, &p, r->err);
    if (rc) return rc;
    if (p.kind != PLAN_NONE) ++*answered;
    js_open(r->out, NULL, '{');
    plan_members(r->out, &p);
    plan_measure(r->arena, r->model, &p, s, &measure);
    measure_members(r->out, &measure);
    js_close(r->out, '}');
    return 0;
}

static int no_such_pattern(struct reporter *r, struct slice name)
{
    const struct model *m = r->model;
    struct slice *names = ARENA_ARRAY(r->arena, struct slice, m->n_patterns + 1);
    for (size_t i = 0; i < m->n_patterns; i++)
        names[i] = m->patterns[i].name;
    struct slice near = near_name(name, names, m->n_patterns);
    if (near.n) {
        return err_set(r->err, ERR_ValidationException,
                       "there is no pattern %.*s; did you mean %.*s?", SLICE_ARG(name),
                       SLICE_ARG(near));
    }
    return err_set(r->err, ERR_ValidationException,
                   "there is no pattern %.*s; explain without a name lists all", SLICE_ARG(name));
}

static int read_sample(struct reporter *r, struct sample *out)
{
    struct problems ps;
    problems_init(&ps, r->arena);
    if (sample_read(r->arena, &ps, r->model, r->env, out) || !ps.first) return 0;
    const struct problem *p = ps.first;
    return err_set(r->err, ERR_ValidationException, "%.*s:%u:%u: %.*s", SLICE_ARG(p->place.file),
                   p->place.line, p->place.column, SLICE_ARG(p->message));
}

int report_explain(struct reporter *r, struct slice pattern)
{
    const struct model *m = r->model;
    if (pattern.n && !model_pattern(m, pattern)) return no_such_pattern(r, pattern);
    struct sample s = { .present = false };
    int rc = read_sample(r, &s);
    if (rc) return rc;
    size_t asked = 0, answered = 0;
    js_open(r->out, NULL, '{');
    js_string(r->out, "table", m->table);
    js_open(r->out, "patterns", '[');
    for (size_t i = 0; !rc && i < m->n_patterns; i++) {
        if (pattern.n && !slice_eq(m->patterns[i].name, pattern)) continue;
        bool proposals = (asked - answered) * m->text.n <= PROPOSE_MAX_TEXT;
        asked++;
        rc = explain_one(r, &m->patterns[i], &s, proposals, &answered);
    }
    js_close(r->out, ']');
    js_number(r->out, "answered", (double)answered);
    js_number(r->out, "unanswered", (double)(asked - answered));
    js_close(r->out, '}');
    return rc;
}
