/* code.c: a pattern with its inputs as the description of a program, which a writer of one language turns into text. */
#include "code_impl.h"
#include "outline.h"
#include "plan_impl.h"
#include "run_impl.h"
#include "values.h"

#define REQUEST_DEPTH (2 * VAL_MAX_DEPTH + 4) /* each level of a value is two in DynamoDB JSON */

/* ---- inputs ---- */

static struct slice input_text(struct arena *a, struct slice value)
{
    char number[NUM_MAX_TEXT];
    struct buf b;
    buf_init(&b, a, CODE_MAX);
    switch (val_type(value)) {
    case TYPE_S: return val_content(value);
    case TYPE_N: return arena_dup(a, slice_of(number, num_format(val_content(value), number)));
    case TYPE_B: base64_put(&b, val_content(value)); return buf_view(&b);
    default: value_to_plain(&b, value); return buf_view(&b);
    }
}

static void take_inputs(struct code *c, struct slice inputs)
{
    struct attr *list = ARENA_ARRAY(c->arena, struct attr, val_count(inputs) + 1);
    struct val_iter it;
    struct slice name, value;
    val_iter_init(&it, inputs);
    while (val_next(&it, &name, &value)) list[c->n_inputs++] = (struct attr){ name, input_text(c->arena, value) };
    c->inputs = list;
}

/* ---- requests ---- */

/* A copy of an object without one of its members. */
static const struct json *without(struct arena *a, const struct json *object, struct slice name)
{
    struct json *copy = ARENA_NEW(a, struct json);
    const struct json **at = &copy->first;
    *copy = *object;
    copy->count = 0;
    *at = NULL;
    for (const struct json *m = object->first; m; m = m->next) {
        if (slice_eq(m->name, name)) continue;
        struct json *member = ARENA_NEW(a, struct json);
        *member = *m;
        member->next = NULL;
        *at = member;
        at = &member->next;
        copy->count++;
    }
    return copy;
}

static struct slice text_of(struct arena *a, const struct json *tree)
{
    struct buf b;
    buf_init(&b, a, CODE_MAX);
    json_put(&b, tree);
    return buf_view(&b);
}

static void make_requests(struct code *c, const struct bound_plan *bp)
{
    const struct json **list = ARENA_ARRAY(c->arena, const struct json *, bp->n + 1);
    struct slice first = slice_of(NULL, 0);
    c->uniform = true;
    for (size_t i = 0; i < bp->n; i++) {
        struct buf b;
        buf_init(&b, c->arena, CODE_MAX);
        plan_request(&b, c->model, bp, &bp->ranges[i], 0, slice_of(NULL, 0), false);
        list[i] = without(c->arena, json_parse(c->arena, buf_view(&b), REQUEST_DEPTH, NULL), SLICE("ReturnConsumedCapacity"));
        struct slice rest = text_of(c->arena, without(c->arena, list[i], SLICE(CODE_VALUES)));
        if (!i) first = rest;
        c->uniform = c->uniform && slice_eq(first, rest);
    }
    c->requests = list;
    c->n = bp->n;
}

/* ---- the order of a merge ---- */

static void make_order(struct code *c, const struct bound_plan *bp)
{
    const struct key_side *sort = &c->plan->path->index->sort;
    struct slice *stems = ARENA_ARRAY(c->arena, struct slice, bp->n + 1);
    bool differ = false;
    if (bp->n < 2 || c->plan->sort_fixed >= sort->n) return;
    c->order = &sort->attrs[c->plan->sort_fixed];
    c->n_order = sort->n - c->plan->sort_fixed;
    if (c->order[0].type != TYPE_S) return;
    for (size_t i = 0; i < bp->n; i++) {
        stems[i] = range_stem(&bp->ranges[i]);
        while (!utf8_valid(stems[i])) stems[i].n--; /* it ends where two bounds differ, which may be within a character */
        differ = differ || !slice_eq(stems[i], stems[0]);
    }
    if (differ) c->stems = stems;
}

/* ---- what only the reader can tell ---- */

static void make_drops(struct code *c, const struct bound_plan *bp)
{
    size_t at = c->plan->sort_fixed;
    if (!bp->n || !bp->ranges[0].low.n || !bp->ranges[0].high.n) return;
    const struct key_attribute *k = &c->plan->path->index->sort.attrs[at];
    if (bp->ranges[0].low_open) c->drops[c->n_drops++] = (struct code_drop){ k, arena_printf(c->arena, ":s%zu", at) };
    if (bp->ranges[0].high_open) c->drops[c->n_drops++] = (struct code_drop){ k, arena_printf(c->arena, ":t%zu", at) };
}

static void put_literal(struct buf *b, struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] && strchr(".^$*+?()[]{}|\\", text.p[i])) buf_u8(b, '\\');
        buf_u8(b, text.p[i]);
    }
}

/* A hole holds no delimiter; of a longer one this says less than the model does, but not more. */
static struct slice shape_of(struct arena *a, const struct key_template *k)
{
    struct buf b;
    if (k->attribute->type != TYPE_S || k->template.whole || k->shards) return slice_of(NULL, 0);
    buf_init(&b, a, CODE_MAX);
    buf_u8(&b, '^');
    for (size_t i = 0; i < k->template.n; i++) {
        const struct part *p = &k->template.parts[i];
        uint8_t delimiter = k->template.delimiter.n == 1 ? k->template.delimiter.p[0] : 0;
        if (!p->hole) put_literal(&b, p->text);
        else if (p->digits) buf_printf(&b, p->decimals ? "[0-9]{%u}\\.[0-9]{%u}" : "[0-9]{%u}", p->digits, p->decimals);
        else if (delimiter && !strchr("^]\\-", delimiter)) buf_printf(&b, "[^%c]+", delimiter);
        else BUF_LIT(&b, ".+");
    }
    buf_u8(&b, '$');
    return buf_view(&b);
}

static void make_shapes(struct code *c)
{
    const struct plan *p = c->plan;
    if (!p->filter_client || p->pattern->collection) return;
    struct code_shape *list = ARENA_ARRAY(c->arena, struct code_shape, p->n_paths + 1);
    for (size_t i = 0; i < p->n_paths; i++) {
        const struct access_path *home = p->paths[i];
        if (home->kind == PATH_INDEX) home = home->copy ? home->copy->key : home->entity->key;
        list[i].hash = shape_of(c->arena, &home->hash[0]);
        if (home->n_sort) list[i].sort = shape_of(c->arena, &home->sort[0]);
    }
    c->shapes = list;
    c->n_shapes = p->n_paths;
}

/* ---- the whole ---- */

static int describe(struct reporter *r, const struct plan *plan, const struct bound_plan *bp, struct code *c)
{
    c->get = plan->kind == PLAN_GET;
    c->limit = c->get ? 0 : plan->pattern->limit;
    take_inputs(c, bp->inputs);
    make_requests(c, bp);
    make_order(c, bp);
    make_drops(c, bp);
    make_shapes(c);
    bool drops = c->n_drops || c->n_shapes || plan->filter_entity || plan->pattern->n_filter;
    if (!drops) c->page = c->limit > RUN_MAX_PAGE ? RUN_MAX_PAGE : c->limit;
    return c->endpoint.n && !utf8_valid(c->endpoint) ? err_set(r->err, ERR_ValidationException, "the endpoint is not UTF-8") : 0;
}

int report_code(struct reporter *r, struct slice pattern, struct slice inputs, enum code_language language,
                struct slice endpoint)
{
    static code_writer *const writers[] = { [CODE_JAVASCRIPT] = code_javascript, [CODE_PYTHON] = code_python,
                                            [CODE_CLI] = code_cli, [CODE_ONEFOLD] = code_onefold, [CODE_C] = code_c };
    const struct pattern *q = NULL;
    struct code c = { .arena = r->arena, .out = r->out, .model = r->model, .endpoint = endpoint };
    struct plan plan;
    struct bound_plan bound;
    int rc = outline_pattern(r->arena, r->model, pattern, &q, r->err);
    if (!rc) rc = plan_make(r->arena, r->model, q, false, &plan, r->err);
    if (!rc) rc = plan_bind(r->arena, r->model, &plan, inputs, r->env->now(r->env->ctx), &bound, r->err);
    if (rc) return rc;
    c.plan = &plan;
    rc = describe(r, &plan, &bound, &c);
    return rc ? rc : writers[language](&c, r->err);
}
