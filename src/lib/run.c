/* run.c: of_pattern_run, of_model_query, of_model_query_explain, of_model_scan: questions answered from a table. */
#include "lib_model.h"
#include "../model/ask.h"
#include "../model/where.h"

struct question {
    const of_model *model;
    of_db *db;
    const char *name; /* pattern or entity; NULL: all */
    const char *text; /* of a query */
    struct slice inputs;
    const of_run_options *o;
};

static const of_run_options no_options;

static struct run_options options_of(struct lib_work *w, const of_run_options *o)
{
    return (struct run_options){ .limit = o->limit, .after = lib_text(o->after, -1), .filter = lib_text(o->filter, -1),
                                 .consistent = o->consistent, .dry_run = o->dry_run, .read = o->read,
                                 .requests = o->requests || o->dry_run ? &w->requests : NULL };
}

static struct lib_outputs outputs_of(const of_run_options *o, of_answer **report)
{
    return (struct lib_outputs){ .report = report, .requests = o->requests };
}

/* Where a plan is wanted and there is none: why, and what could be done. */
static int not_answerable(struct lib_work *w, const struct model *m, const struct pattern *p)
{
    struct plan plan;
    struct buf b;
    int rc = plan_make(&w->arena, m, p, true, &plan, &w->e);
    if (!rc && !model_pattern(m, p->name)) rc = query_proposals(&w->arena, m, p, &plan, &w->e);
    if (rc) return rc;
    buf_init(&b, &w->arena, (size_t)1 << 20);
    for (size_t i = 0; i < plan.n_proposals && i < 3; i++) {
        buf_printf(&b, "%s\n  %zu. %.*s", i ? "" : "\nWhat would help:", i + 1, SLICE_ARG(plan.proposals[i].text));
    }
    return err_set(&w->e, ERR_ValidationException, "%.*s is not answerable: %.*s%.*s", SLICE_ARG(p->name),
                   SLICE_ARG(plan.reason), SLICE_ARG(buf_view(&b)));
}

static int run_pattern(struct lib_work *w, const struct question *q, const struct pattern *p)
{
    const struct model *m = q->model->model;
    struct session s = lib_session(w, q->model, q->db);
    struct run_options o = options_of(w, q->o);
    struct plan plan;
    struct bound_plan bound;
    struct results results;
    int rc = plan_make(&w->arena, m, p, false, &plan, &w->e);
    if (rc) return rc;
    if (plan.kind == PLAN_NONE) return not_answerable(w, m, p);
    if ((rc = plan_bind(&w->arena, m, &plan, q->inputs, s.env->now(s.env->ctx), &bound, &w->e)) ||
        (rc = plan_run(&s, &bound, &o, &results, &w->e))) {
        return rc;
    }
    results_to_json(&w->report, m, &results);
    return 0;
}

static int pattern_work(struct lib_work *w)
{
    const struct question *q = w->in;
    const struct model *m = q->model->model;
    struct slice wanted = lib_text(q->name, -1);
    const struct pattern *p = model_pattern(m, wanted);
    if (p) return run_pattern(w, q, p);
    struct slice *names = ARENA_ARRAY(&w->arena, struct slice, m->n_patterns + 1);
    for (size_t i = 0; i < m->n_patterns; i++) names[i] = m->patterns[i].name;
    struct slice near = near_name(wanted, names, m->n_patterns);
    return err_set(&w->e, ERR_ValidationException, "the model has no pattern %.*s%s%.*s%s", SLICE_ARG(wanted),
                   near.n ? "; did you mean " : "", SLICE_ARG(near), near.n ? "?" : "");
}

int of_pattern_run(const of_model *model, of_db *db, const char *pattern, const of_item *inputs,
                   const of_run_options *options, of_answer **report, of_error *err)
{
    struct question q = { model, db, pattern, NULL, { 0 }, options ? options : &no_options };
    if (!lib_item_bytes(inputs, &q.inputs)) return lib_no_memory(err);
    return lib_run(pattern_work, &q, outputs_of(q.o, report), err);
}

/* ---- an ad-hoc question ---- */

static int find_index(struct lib_work *w, const struct question *q, const struct model_index **out)
{
    const struct model *m = q->model->model;
    struct slice wanted = lib_text(q->o->index, -1);
    *out = NULL;
    if (!wanted.n) return 0;
    *out = slice_eq(wanted, SLICE("table")) ? &m->indexes[0] : model_index(m, wanted);
    if (*out) return 0;
    struct slice *names = ARENA_ARRAY(&w->arena, struct slice, m->n_indexes + 1);
    for (size_t i = 0; i < m->n_indexes; i++) names[i] = i ? m->indexes[i].name : SLICE("table");
    struct slice near = near_name(wanted, names, m->n_indexes);
    return err_set(&w->e, ERR_ValidationException, "the model has no index %.*s%s%.*s%s", SLICE_ARG(wanted),
                   near.n ? "; did you mean " : "", SLICE_ARG(near), near.n ? "?" : "");
}

static int raw_query(struct lib_work *w, const struct question *q, const struct entity *en,
                     const struct model_index *index)
{
    struct session s = lib_session(w, q->model, q->db);
    struct run_options o = options_of(w, q->o);
    const struct where *key;
    struct results results;
    if (!index) index = &s.model->indexes[0];
    int rc = where_parse_key(&w->arena, index, lib_text(q->text, -1), &key, &w->e);
    if (rc || (rc = key_query(&s, index, key, en, q->o->descending, &o, &results, &w->e))) return rc;
    results_to_json(&w->report, s.model, &results);
    return 0;
}

/* The question as the model layer takes it; en and index are looked up. */
static int read_question(struct lib_work *w, const struct question *q, struct ask *out)
{
    *out = (struct ask){ .where = lib_text(q->text, -1), .filter = lib_text(q->o->filter, -1), .raw = q->o->raw,
                         .descending = q->o->descending };
    int rc = q->name && q->name[0] ? lib_entity(w, q->model, q->name, &out->entity) : 0;
    return rc ? rc : find_index(w, q, &out->index);
}

static int query_work(struct lib_work *w)
{
    const struct question *q = w->in;
    struct pattern p;
    struct ask ask;
    bool joined;
    int rc = read_question(w, q, &ask);
    if (rc) return rc;
    if (ask.raw) return raw_query(w, q, ask.entity, ask.index);
    if (!ask.entity) return err_set(&w->e, ERR_ValidationException, "a query needs an entity");
    if ((rc = ask_pattern(&w->arena, &ask, model_env_system.now(model_env_system.ctx), &p, &joined, &w->e))) return rc;
    if (!joined) {
        return err_set(&w->e, ERR_ValidationException,
                       "a query is comparisons joined by and, which a key can answer: put or, not, in, !=, contains, "
                       "exists, missing and size into the filter");
    }
    return run_pattern(w, q, &p);
}

int of_model_query(const of_model *model, of_db *db, const char *entity, const char *where,
                   const of_run_options *options, of_answer **report, of_error *err)
{
    struct question q = { model, db, entity, where, { 0 }, options ? options : &no_options };
    if (!lib_item_bytes(NULL, &q.inputs)) return lib_no_memory(err);
    return lib_run(query_work, &q, outputs_of(q.o, report), err);
}

static int explain_work(struct lib_work *w)
{
    const struct question *q = w->in;
    struct session s = lib_session(w, q->model, q->db);
    struct reporter r = { .model = s.model, .env = s.env, .arena = &w->arena, .out = &w->report, .err = &w->e };
    struct ask ask;
    int rc = read_question(w, q, &ask);
    return rc ? rc : report_ask(&r, &s, &ask);
}

int of_model_query_explain(const of_model *model, of_db *db, const char *entity, const char *where,
                           const of_run_options *options, of_answer **report, of_error *err)
{
    struct question q = { model, db, entity, where, { 0 }, options ? options : &no_options };
    return lib_run(explain_work, &q, (struct lib_outputs){ .report = report }, err);
}

/* ---- the whole table ---- */

static int scan_work(struct lib_work *w)
{
    const struct question *q = w->in;
    const struct entity *en = NULL;
    struct session s = lib_session(w, q->model, q->db);
    struct run_options o = options_of(w, q->o);
    struct results results;
    int rc = q->name && q->name[0] ? lib_entity(w, q->model, q->name, &en) : 0;
    if (rc) return rc;
    if (o.dry_run) {
        struct scan_estimate x;
        if ((rc = entities_scan_estimate(&s, &x, &w->e))) return rc;
        buf_printf(&w->report, "{\"estimate\":{\"items\":%llu,\"bytes\":%llu,\"units\":%.10g}}",
                   (unsigned long long)x.items, (unsigned long long)x.bytes,
                   o.consistent ? 2 * x.read_units : x.read_units);
        return entities_scan(&s, en, q->o->raw, &o, &results, &w->e);
    }
    if ((rc = entities_scan(&s, en, q->o->raw, &o, &results, &w->e))) return rc;
    results_to_json(&w->report, s.model, &results);
    return 0;
}

int of_model_scan(const of_model *model, of_db *db, const char *entity, const of_run_options *options,
                  of_answer **report, of_error *err)
{
    struct question q = { model, db, entity, NULL, { 0 }, options ? options : &no_options };
    return lib_run(scan_work, &q, outputs_of(q.o, report), err);
}
