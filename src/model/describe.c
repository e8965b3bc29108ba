/* describe.c: a model that is being written: what is wrong with it, what it holds. */
#include "describe.h"
#include "check.h"
#include "docs_impl.h"
#include "invent.h"

static void put_place(struct buf *b, struct place at)
{
    js_number(b, "line", at.line);
    js_number(b, "column", at.column);
}

/* Nodes are no deeper than NODE_MAX_DEPTH. */
static void put_node(struct buf *b, const char *name, const struct node *n)
{
    js_open(b, name, '{');
    put_place(b, n->place);
    if (n->kind == NODE_SCALAR) {
        js_string(b, "text", n->text);
        if (n->quoted) js_bool(b, "quoted", true);
    } else {
        js_open(b, n->kind == NODE_MAP ? "members" : "list", '[');
        for (const struct node *c = n->first; c; c = c->next) {
            if (n->kind == NODE_LIST) {
                put_node(b, NULL, c);
                continue;
            }
            js_open(b, NULL, '{');
            js_string(b, "name", c->name);
            put_place(b, c->name_place);
            put_node(b, "value", c);
            js_close(b, '}');
        }
        js_close(b, ']');
    }
    js_close(b, '}');
}

static void put_problems(struct buf *b, struct problems *ps)
{
    js_open(b, "problems", '[');
    for (const struct problem *p = ps->first; p; p = p->next) {
        js_open(b, NULL, '{');
        js_string(b, "file", p->place.file);
        put_place(b, p->place);
        js_string(b, "message", p->message);
        js_string(b, "hint", p->hint);
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_null(struct buf *b, const char *name)
{
    js_name(b, name);
    BUF_LIT(b, "null");
}

static int put_document(struct reporter *r)
{
    struct facts f;
    if (facts_read(r, &f)) {
        /* The sample data's problems have been told; the document does without. */
        int rc = facts_plans(r, &f);
        if (rc) return rc;
        r->err->code = ERR_NONE;
    }
    facts_measure(r, &f);
    if (!f.sample.n) {
        uint64_t count = 0;
        struct model_env still = still_env(&count);
        sample_invent(r->arena, r->model, &still, &f.sample);
        js_bool(r->out, "invented", f.sample.n > 0);
    }
    js_name(r->out, "model");
    return docs_json(r, &f);
}

static int put_model(struct reporter *r, struct problems *ps)
{
    model_check(r->arena, ps, r->model, r->env);
    put_problems(r->out, ps);
    put_node(r->out, "tree", r->model->root);
    int rc = put_document(r);
    if (rc) return rc;
    js_name(r->out, "lint");
    return report_lint(r);
}

/* The model has memory of its own, so running out of the arena must pass by here. */
static int describe_model(struct reporter *r, struct problems *ps, struct model *m)
{
    struct reporter of_model = *r;
    volatile int rc = 0;
    volatile bool whole = false;
    of_model.model = m;
    if (ARENA_GUARD(r->arena)) {
        rc = put_model(&of_model, ps);
        whole = true;
    }
    arena_unguard(r->arena);
    model_free(m);
    if (!whole) arena_fail(r->arena);
    return rc;
}

int report_describe(struct reporter *r, const struct describe_input *in)
{
    struct problems ps, quiet;
    problems_init(&ps, r->arena);
    struct model *m = model_read_with(&ps, in->name, in->text, in->files);
    js_open(r->out, NULL, '{');
    if (m) {
        int rc = describe_model(r, &ps, m);
        if (rc) return rc;
    } else {
        put_problems(r->out, &ps);
        problems_init(&quiet, r->arena);
        const struct node *root = node_read(&quiet, in->name, in->text);
        if (root) put_node(r->out, "tree", root);
        else put_null(r->out, "tree");
        put_null(r->out, "model");
        put_null(r->out, "lint");
    }
    js_close(r->out, '}');
    return 0;
}
