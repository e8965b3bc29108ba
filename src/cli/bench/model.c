/* model.c: which requests a model's access patterns send, and what they are answered: asked in memory. */
#include "model.h"
#include "../patterns.h"
#include "../../model/node.h"
#include <unistd.h>

#define MOST_ROUNDS 1000 /* different inputs of a pattern */

/* An access pattern with the inputs that it is run with. */
struct question {
    const char *name;
    of_item **inputs;
    size_t n, cap;
};

int model_open(struct bench *b)
{
    struct arena *a = b->in->arena;
    struct bench_model *m = b->model = ARENA_NEW(a, struct bench_model);
    struct session *s = &m->session;
    of_answer *edited = NULL, *applied;
    of_error err;
    size_t n;
    *s = (struct session){ .in = b->in, .arena = a };
    m->path = model_path(b->in);
    const char *text = slurp(s, m->path, &n);
    if (!text) return EXIT_ERROR;
    /* First as it is: only then are its mistakes told with their places, and its table known. */
    if (of_model_parse(&s->model, text, (ptrdiff_t)n, m->path, &err)) return fail_of(&err);
    s->names = outline_tree(a, s->model, &err);
    if (!s->names) return fail_of(&err);
    m->table = arena_printf(a, "%.*s-%.*s", SLICE_ARG(b->table), SLICE_ARG(json_text(s->names, "table")));
    struct slice edit = arena_printf(a, "[{\"Op\":\"set\",\"Path\":[\"table\"],\"Value\":\"%.*s\"}]", SLICE_ARG(m->table));
    if (of_model_edit(text, (ptrdiff_t)n, m->path, NULL, 0, (const char *)edit.p, (ptrdiff_t)edit.n, &edited, &err)) return fail_of(&err);
    const char *body = of_answer_body(edited, &n);
    struct slice renamed = json_text(json_parse(a, arena_dup(a, slice_of(body, n)), 64, NULL), "text");
    of_answer_free(edited);
    of_model_close(s->model);
    s->model = NULL;
    if (of_model_parse(&s->model, (const char *)renamed.p, (ptrdiff_t)renamed.n, m->path, &err)) return fail_of(&err);
    if (of_open(&s->db, NULL, &err) || of_model_apply(s->model, s->db, NULL, &applied, &err)) return fail_of(&err);
    of_answer_free(applied);
    return EXIT_OK;
}

void model_close(struct bench *b)
{
    if (!b->model) return;
    if (b->model->session.db) of_close(b->model->session.db);
    if (b->model->session.model) of_model_close(b->model->session.model);
    b->model = NULL;
}

/* ---- inputs ---- */

static int set_input(struct session *s, const char *pattern, of_item *item, struct slice name, struct slice text)
{
    of_error err;
    return of_pattern_set(s->model, pattern, item, (const char *)name.p, (ptrdiff_t)name.n, (const char *)text.p, (ptrdiff_t)text.n, &err)
               ? fail_of(&err) : EXIT_OK;
}

static void question_add(struct session *s, struct question *q, of_item *item)
{
    if (q->n == q->cap) {
        q->cap = q->cap ? q->cap * 2 : 16;
        of_item **more = ARENA_ARRAY(s->arena, of_item *, q->cap);
        if (q->n) memcpy(more, q->inputs, q->n * sizeof(of_item *));
        q->inputs = more;
    }
    q->inputs[q->n++] = item;
}

static const struct node *cases_beside(struct session *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = (const char *)arena_printf(s->arena, "%.*sanswers.yaml", slash ? (int)(slash - path) + 1 : 0, path).p;
    return access(file, R_OK) ? NULL : patterns_cases(s, file);
}

/* The cases of answers.yaml, a file that models of the pattern library have beside them. */
static int inputs_of_cases(struct session *s, const struct node *cases, struct question *q)
{
    int code = EXIT_OK;
    for (const struct node *c = cases ? cases->first : NULL; c && !code && q->n < MOST_ROUNDS; c = c->next) {
        const struct node *name = NODE_GET(c, "pattern"), *inputs = NODE_GET(c, "input");
        if (!name || !slice_eq(name->text, slice_str(q->name)) || NODE_GET(c, "page")) continue;
        of_item *item = of_item_new();
        if (!item) return fail_error("out of memory");
        question_add(s, q, item);
        for (const struct node *i = inputs ? inputs->first : NULL; i && !code; i = i->next)
            code = set_input(s, q->name, item, i->name, i->text);
    }
    return code;
}

/* Every entity of the pattern's first kind gives one: its attributes that are called as the inputs. */
static int inputs_of_entities(struct session *s, const struct json *pattern, struct question *q)
{
    const struct json *entities = JSON_GET(pattern, "entities"), *names = JSON_GET(pattern, "inputs");
    const char *entity = (const char *)arena_printf(s->arena, "%.*s", SLICE_ARG(entities->first->text)).p;
    of_answer *report;
    of_error err;
    size_t n;
    if (of_model_scan(s->model, s->db, entity, &(of_run_options){ .limit = MOST_ROUNDS }, &report, &err)) return fail_of(&err);
    const char *body = of_answer_body(report, &n);
    const struct json *list = json_get(json_parse(s->arena, arena_dup(s->arena, slice_of(body, n)), 64, NULL), slice_str(entity));
    of_answer_free(report);
    int code = EXIT_OK;
    for (const struct json *e = list ? list->first : NULL; e && !code; e = e->next) {
        bool whole = true;
        for (const struct json *i = names->first; i; i = i->next) whole = whole && json_get(e, i->text);
        if (!whole) continue;
        of_item *item = of_item_new();
        if (!item) return fail_error("out of memory");
        question_add(s, q, item);
        for (const struct json *i = names->first; i && !code; i = i->next)
            code = set_input(s, q->name, item, i->text, json_cell(s->arena, json_get(e, i->text)));
    }
    return code;
}

/* Is there a key that answers it? */
static bool is_answerable(struct session *s, const char *pattern)
{
    of_answer *report;
    of_error err;
    size_t n;
    if (of_model_explain(s->model, pattern, &report, &err)) return false;
    const char *body = of_answer_body(report, &n);
    const struct json *list = JSON_GET(json_parse(s->arena, arena_dup(s->arena, slice_of(body, n)), 64, NULL), "patterns");
    of_answer_free(report);
    return list && list->first && !slice_eq(json_text(list->first, "operation"), SLICE("none"));
}

static int find_inputs(struct session *s, const struct json *pattern, const struct node *cases, struct question *q)
{
    q->name = (const char *)arena_printf(s->arena, "%.*s", SLICE_ARG(json_text(pattern, "name"))).p;
    if (!is_answerable(s, q->name)) {
        fprintf(stderr, "%s is left out: no key answers it\n", q->name);
        return EXIT_OK;
    }
    int code = inputs_of_cases(s, cases, q);
    if (!code && !q->n) code = inputs_of_entities(s, pattern, q);
    if (!code && !q->n)
        fprintf(stderr, "%s is left out: the sample data has no value for each of its inputs; an answers.yaml can give them\n", q->name);
    return code;
}

/* ---- requests ---- */

/* The request without what only `onefold run` asks for, as text. */
static struct slice plain_request(struct arena *a, const struct json *request)
{
    struct buf b;
    bool first = true;
    buf_init(&b, a, BENCH_BODY_MAX);
    for (const struct json *m = request->first; m; m = m->next) {
        if (slice_eq(m->name, SLICE("ReturnConsumedCapacity"))) continue;
        buf_u8(&b, first ? '{' : ',');
        first = false;
        json_put_string(&b, m->name);
        buf_u8(&b, ':');
        json_put(&b, m);
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

static int add_request(struct session *s, struct bench_plan *p, const struct json *request)
{
    struct bench_request r = { .operation = arena_dup(p->arena, json_text(request, "operation")), .reads = true };
    of_answer *answer;
    of_error err;
    size_t n;
    r.body = plain_request(p->arena, JSON_GET(request, "request"));
    if (of_call(s->db, (const char *)r.operation.p, (ptrdiff_t)r.operation.n, (const char *)r.body.p, (ptrdiff_t)r.body.n, &answer, &err))
        return fail_of(&err);
    const char *body = of_answer_body(answer, &n);
    r.expected = arena_dup(p->arena, slice_of(body, n));
    r.unordered = slice_eq(r.operation, SLICE("BatchGetItem"));
    of_answer_free(answer);
    bench_plan_add(p, r);
    return EXIT_OK;
}

static int ask(struct session *s, struct bench_plan *p, const struct question *q, size_t round)
{
    of_answer *report, *requests = NULL;
    of_error err;
    size_t n;
    of_run_options options = { .requests = &requests };
    if (of_pattern_run(s->model, s->db, q->name, q->inputs[round % q->n], &options, &report, &err)) return fail_of(&err);
    of_answer_free(report);
    const char *body = of_answer_body(requests, &n);
    const struct json *list = json_parse(p->arena, arena_dup(p->arena, slice_of(body, n)), 64, NULL);
    of_answer_free(requests);
    int code = EXIT_OK;
    for (const struct json *r = list ? list->first : NULL; r && !code; r = r->next) code = add_request(s, p, r);
    return code;
}

/* Round by round each pattern once, so that all are asked equally often. */
int model_build(struct bench *b, struct bench_plan *p)
{
    struct session *s = &b->model->session;
    const struct json *patterns = JSON_GET(s->names, "patterns");
    struct question *questions = ARENA_ARRAY(s->arena, struct question, patterns ? patterns->count : 0);
    const struct node *cases = cases_beside(s, b->model->path);
    size_t n = 0, rounds = 0;
    int code = EXIT_OK;
    for (const struct json *x = patterns ? patterns->first : NULL; x && !code; x = x->next) {
        struct question *q = &questions[n];
        code = find_inputs(s, x, cases, q);
        if (code || !q->n) continue;
        if (q->n > rounds) rounds = q->n;
        n++;
    }
    for (size_t r = 0; r < rounds && !code; r++)
        for (size_t i = 0; i < n && !code; i++) code = ask(s, p, &questions[i], r);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < questions[i].n; k++) of_item_free(questions[i].inputs[k]);
    if (!code && !p->n) code = fail_error("%s has no access pattern that its sample data answers", b->model->path);
    return code;
}
