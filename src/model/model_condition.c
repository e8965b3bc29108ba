/* model_condition.c: reads what a pattern knows (by), the ranges of its sort key (where) and its filter. */
#include "model_reader.h"
#include "values.h"

static const char *const op_words[] = { "prefix", "atLeast", "above", "atMost", "below", "between",
                                        "since",  "until",   "on",    "during" };
static const enum compare ops[] = { COMPARE_PREFIX, COMPARE_AT_LEAST, COMPARE_ABOVE, COMPARE_AT_MOST, COMPARE_BELOW,
                                    COMPARE_BETWEEN, COMPARE_SINCE, COMPARE_UNTIL, COMPARE_ON, COMPARE_DURING };
#define N_OPS (sizeof(ops) / sizeof(ops[0]))

static bool is_date_op(enum compare op)
{
    return op >= COMPARE_SINCE;
}

/* Which end of a range it bounds; 0: both, or neither. */
static int end_of(enum compare op)
{
    if (op == COMPARE_AT_LEAST || op == COMPARE_ABOVE || op == COMPARE_SINCE) return 1;
    return op == COMPARE_AT_MOST || op == COMPARE_BELOW || op == COMPARE_UNTIL ? 2 : 0;
}

/* A constant or $input. */
static bool read_operand(struct reader *r, const struct node *n, struct slice name, struct operand *out)
{
    if (!field_fits(r, n, name, FIELD_SCALAR)) return false;
    *out = (struct operand){ .text = n->text, .place = n->place };
    if (n->text.n < 2 || n->text.p[0] != '$') return true;
    struct slice input = slice_of(n->text.p + 1, n->text.n - 1);
    for (size_t i = 0; i < input.n; i++) {
        uint8_t c = input.p[i] | 0x20;
        if ((c >= 'a' && c <= 'z') || input.p[i] == '_') continue;
        if (i && ((input.p[i] >= '0' && input.p[i] <= '9') || input.p[i] == '-' || input.p[i] == '.')) continue;
        problem_add(r->ps, n->place, SLICE("write $ and a name of letters, digits, _, - and ."),
                    "\"%.*s\" is not the name of an input", SHOWN(n->text));
        return false;
    }
    out->input = true;
    out->text = input;
    return true;
}

/* Is the comparison one that the attribute's type allows? */
static bool op_fits(struct reader *r, const struct attribute *at, const struct condition *c, const char *word)
{
    enum val_type t = at->type;
    bool key = t == TYPE_S || t == TYPE_N || t == TYPE_B;
    if (c->op == COMPARE_EQ) {
        if (key || t == TYPE_BOOL) return true;
        problem_add(r->ps, c->place, SLICE("compare strings, numbers, booleans or binaries"),
                    "%.*s is a %s, which cannot be compared with a value", SHOWN(at->name), type_word(t));
        return false;
    }
    if (is_date_op(c->op)) {
        if (at->time != TIME_NONE) return true;
        problem_add(r->ps, c->place,
                    SLICE("give it a format: date-time, date, ulid, epoch or epoch-ms; or use atLeast, below ..."),
                    "\"%s\" is for times, but %.*s has no time format", word, SHOWN(at->name));
        return false;
    }
    if (c->op == COMPARE_PREFIX ? t == TYPE_S : key) return true;
    problem_add(r->ps, c->place, SLICE(""), "\"%s\" is for %s, but %.*s is a %s", word,
                c->op == COMPARE_PREFIX ? "strings" : "strings, numbers and binaries", SHOWN(at->name), type_word(t));
    return false;
}

/* A constant as a value of the attribute; empty for an input, a date and after a problem. */
static struct slice constant(struct reader *r, const struct entity_draft *d, const struct attribute *at,
                             enum compare op, const struct operand *o)
{
    struct slice value = { 0 };
    struct err e = { .arena = r->a };
    struct span span;
    if (o->input) return value;
    if (is_date_op(op)) {
        if (!when_parse(o->text, 0, &span))
            problem_add(r->ps, o->place, SLICE("write 2026, 2026-05, 2026-05-10, 2026-05-10T14:23:01Z, today, -30d ..."),
                        "\"%.*s\" is not a date", SHOWN(o->text));
        return value;
    }
    if (value_from_text(r->a, at, at->name, o->text, &value, &e) ||
        (op == COMPARE_EQ && value_check(d->entity, at, value, &e))) {
        problem_add(r->ps, o->place, SLICE(""), "%.*s", SLICE_ARG(e.message));
        return (struct slice){ 0 };
    }
    return value;
}

static void check_condition(struct reader *r, const struct entity_draft *d, const struct condition *c, const char *word)
{
    if (!d || d->broken) return;
    const struct attribute *at = draft_attribute(d, c->attribute);
    if (!at) {
        struct slice hint = model_is_key_attribute(r->m, c->attribute)
                                ? SLICE("it is made from a template; name the attributes that the template uses")
                                : hint_attribute(r, d, c->attribute);
        problem_add(r->ps, c->place, hint, "%.*s has no attribute \"%.*s\"", SHOWN(d->entity->name),
                    SHOWN(c->attribute));
        return;
    }
    if (at->type == TYPE_NONE || !op_fits(r, at, c, word)) return;
    struct slice a = constant(r, d, at, c->op, &c->a), b = { 0 };
    if (c->op == COMPARE_BETWEEN || c->op == COMPARE_DURING) b = constant(r, d, at, c->op, &c->b);
    if (a.n && b.n && val_compare(a, b) > 0)
        problem_add(r->ps, c->place, SLICE("swap them"), "nothing lies between a value and a smaller one");
}

/* { atLeast: x }, or two that make one range: { atLeast: x, below: y }. */
static void read_ops(struct reader *r, const struct entity_draft *d, const struct node *n, struct condition *list,
                     size_t *count)
{
    size_t first = *count;
    struct slice words[N_OPS];
    for (size_t i = 0; i < N_OPS; i++) words[i] = slice_str(op_words[i]);
    for (const struct node *c = n->first; c; c = c->next) {
        size_t i = 0;
        while (i < N_OPS && !slice_eq(words[i], c->name)) i++;
        if (i == N_OPS) {
            problem_add(r->ps, c->name_place,
                        hint_near(r, c->name, words, N_OPS,
                                  "known: prefix, atLeast, above, atMost, below, between, since, until, on, during"),
                        "\"%.*s\" is not a condition", SHOWN(c->name));
            continue;
        }
        struct condition out = { .attribute = n->name, .place = n->name_place, .op = ops[i] };
        bool two = out.op == COMPARE_BETWEEN || out.op == COMPARE_DURING;
        if (two && (c->kind != NODE_LIST || c->count != 2)) {
            problem_add(r->ps, c->place, SLICE("write [from, to]"), "\"%s\" needs a list of two values", op_words[i]);
            continue;
        }
        if (!read_operand(r, two ? c->first : c, c->name, &out.a)) continue;
        if (two && !read_operand(r, c->first->next, c->name, &out.b)) continue;
        if (*count - first < 2) list[(*count)++] = out;
        check_condition(r, d, &out, op_words[i]);
    }
    if (n->count == 0)
        problem_add(r->ps, n->place, SLICE("write { atLeast: x } or the like"), "there is no condition on %.*s",
                    SHOWN(n->name));
    bool pair = *count - first == 2 && end_of(list[first].op) + end_of(list[first + 1].op) == 3;
    if (n->count > 2 || (*count - first == 2 && !pair))
        problem_add(r->ps, n->place, SLICE("combine one of atLeast, above, since with one of atMost, below, until"),
                    "these conditions on %.*s do not make one range", SHOWN(n->name));
}

static const char *const place_words[] = { "by", "where", "filter" };

static void read_list(struct reader *r, const struct entity_draft *d, const struct node *node, enum condition_place in,
                      struct condition *list, size_t *count)
{
    struct names seen;
    names_init(&seen, r->a, node->count);
    for (const struct node *c = node->first; c; c = c->next) {
        if (!field_fits(r, c, slice_str(place_words[in]), FIELD_TEXT)) continue;
        if (!names_add(&seen, c->text, 0, NULL)) {
            problem_add(r->ps, c->place, SLICE("keep one of them"), "\"%.*s\" is there twice", SHOWN(c->text));
            continue;
        }
        list[*count] = (struct condition){ .attribute = c->text, .place = c->place, .op = COMPARE_EQ,
                                           .a = { true, c->text, c->place } };
        check_condition(r, d, &list[(*count)++], "=");
    }
}

static struct slice hint_list(struct reader *r, const struct node *n, enum condition_place in)
{
    if (in == IN_WHERE || n->kind != NODE_SCALAR || node_is_null(n)) return SLICE("");
    return arena_printf(r->a, "write %s: [%.*s]", place_words[in], SHOWN(n->text));
}

void read_conditions(struct reader *r, const struct entity_draft *d, const struct node *node, enum condition_place in,
                     const struct condition **out, size_t *n_out)
{
    if (!node) return;
    struct condition *list = ARENA_ARRAY(r->a, struct condition, 2 * node->count + 1);
    *out = list;
    if (node->kind == NODE_LIST && in != IN_WHERE) {
        read_list(r, d, node, in, list, n_out);
        return;
    }
    if (node->kind != NODE_MAP) {
        problem_add(r->ps, node->place, hint_list(r, node, in), "\"%s\" must be %s, but is %s", place_words[in],
                    in == IN_WHERE ? "a map of attributes to conditions" : "a list of attributes or a map",
                    node_says(node));
        return;
    }
    for (const struct node *c = node->first; c; c = c->next) {
        if (c->kind == NODE_MAP && in != IN_BY) {
            read_ops(r, d, c, list, n_out);
        } else if (c->kind == NODE_SCALAR && in != IN_WHERE) {
            struct condition *x = &list[*n_out];
            *x = (struct condition){ .attribute = c->name, .place = c->name_place, .op = COMPARE_EQ };
            if (!read_operand(r, c, c->name, &x->a)) continue;
            (*n_out)++;
            check_condition(r, d, x, "=");
        } else {
            problem_add(r->ps, c->place,
                        in == IN_BY      ? SLICE("conditions such as { atLeast: x } belong under where:")
                        : in == IN_WHERE ? SLICE("what is known exactly belongs under by:")
                                         : SLICE(""),
                        "\"%.*s\" must be %s, but is %s", SHOWN(c->name),
                        in == IN_BY ? "a constant or $input" : in == IN_WHERE ? "a condition such as { atLeast: x }"
                                                                              : "a value or a condition",
                        node_says(c));
        }
    }
}

void check_inputs(struct reader *r, const struct entity_draft *d, const struct pattern *p)
{
    const struct condition *lists[3] = { p->by, p->where, p->filter };
    size_t counts[3] = { p->n_by, p->n_where, p->n_filter };
    struct names seen;
    names_init(&seen, r->a, 2 * (p->n_by + p->n_where + p->n_filter));
    for (size_t l = 0; l < 3; l++)
        for (size_t i = 0; i < counts[l]; i++) {
            const struct condition *c = &lists[l][i];
            const struct attribute *at = d && !d->broken ? draft_attribute(d, c->attribute) : NULL;
            const struct operand *os[2] = { &c->a, &c->b };
            for (size_t k = 0; k < 2 && at; k++) {
                size_t type;
                if (!os[k]->input || names_add(&seen, os[k]->text, at->type, &type) || type == (size_t)at->type) continue;
                problem_add(r->ps, os[k]->place, SLICE("use two inputs"),
                            "input $%.*s is a %s here, but a %s before", SHOWN(os[k]->text), type_word(at->type),
                            type_word((enum val_type)type));
            }
        }
}
