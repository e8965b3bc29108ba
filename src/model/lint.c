/* lint.c: runs the rules of lint over a model, takes out what it silences, and reports the rest. */
#include "lint/lint.h"
#include "jsonw.h"
#include "side_file.h"
#include <stdlib.h>

#define DATA_MAX ((size_t)64 << 20)

static const struct rule {
    const char *id;
    void (*check)(struct linter *l);
} rules[] = {
    { "data-wrong", lint_data_wrong },
    { "escape-order", lint_escape_order },
    { "filter-on-key", lint_filter_on_key },
    { "hot-partition", lint_hot_partition },
    { "item-size", lint_item_size },
    { "keys-clash", lint_keys_clash },
    { "lonely-entity", lint_lonely_entity },
    { "many-indexes", lint_many_indexes },
    { "mutable-key", lint_mutable_key },
    { "needs-scan", lint_needs_scan },
    { "prefix-mixed", lint_prefix_mixed },
    { "prefixed-value", lint_prefixed_value },
    { "projection-all", lint_projection_all },
    { "range-shared", lint_range_shared },
    { "sort-date", lint_sort_date },
    { "sort-unpadded", lint_sort_unpadded },
    { "unbounded-read", lint_unbounded_read },
    { "unused-index", lint_unused_index },
};
#define N_RULES (sizeof rules / sizeof *rules)
#define SILENCE_UNUSED "silence-unused"

const char *lint_rule_id(size_t i)
{
    return i < N_RULES ? rules[i].id : i == N_RULES ? SILENCE_UNUSED : NULL;
}

void lint_tell(struct linter *l, struct place at, struct slice on, struct slice hint, const char *fmt, ...)
{
    struct problem *p = ARENA_NEW(l->arena, struct problem);
    va_list ap;
    va_start(ap, fmt);
    p->message = arena_vprintf(l->arena, fmt, ap);
    va_end(ap);
    p->place = at;
    p->hint = hint;
    p->rule = slice_str(l->rule);
    p->on = on;
    if (l->last) l->last->next = p;
    else l->findings = p;
    l->last = p;
    l->n++;
}

struct slice lint_key_name(struct arena *a, const struct access_path *p, const struct key_template *k)
{
    if (!p->copy) return k->attribute->name;
    return arena_printf(a, "%.*s of the copy %.*s", SLICE_ARG(k->attribute->name), SLICE_ARG(p->copy->name));
}

bool attribute_is_narrow(const struct attribute *at)
{
    return at && (at->n_enumeration || at->type == TYPE_BOOL);
}

static int make_plans(struct linter *l, struct err *e)
{
    const struct model *m = l->model;
    struct plan *plans = ARENA_ARRAY(l->arena, struct plan, m->n_patterns + 1);
    for (size_t i = 0; i < m->n_patterns; i++) {
        int rc = plan_make(l->arena, m, &m->patterns[i], false, &plans[i], e);
        if (rc) return rc;
    }
    l->plans = plans;
    return 0;
}

/* So that a rule about one entity looks at its records only. */
static void sort_records(struct linter *l)
{
    size_t n = l->model->n_entities, *at = ARENA_ARRAY(l->arena, size_t, n + 2);
    struct record *sorted = ARENA_ARRAY(l->arena, struct record, l->n_records + 1);
    l->first_record = ARENA_ARRAY(l->arena, size_t, n + 2);
    for (size_t i = 0; i < l->n_records; i++) l->first_record[l->records[i].entity->number + 1]++;
    for (size_t i = 0; i < n; i++) l->first_record[i + 1] += l->first_record[i];
    for (size_t i = 0; i < n; i++) at[i] = l->first_record[i];
    for (size_t i = 0; i < l->n_records; i++) sorted[at[l->records[i].entity->number]++] = l->records[i];
    l->records = sorted;
}

static void read_data(struct linter *l)
{
    const struct model *m = l->model;
    problems_init(&l->data_problems, l->arena);
    if (!sample_read(l->arena, &l->data_problems, m, l->env, &l->sample)) l->sample = (struct sample){ 0 };
    for (size_t i = 0; i < m->n_data; i++) {
        struct slice text;
        struct record *list;
        size_t n;
        struct problems quiet;
        problems_init(&quiet, l->arena);
        struct err e = { .arena = l->arena };
        /* A file that cannot be read has been told by sample_read. */
        if (side_file_read(l->arena, m, m->data[i], DATA_MAX, &text, &e)) continue;
        if (!records_read(&quiet, m, m->data[i], text, &list, &n)) continue;
        struct record *all = ARENA_ARRAY(l->arena, struct record, l->n_records + n + 1);
        if (l->n_records) memcpy(all, l->records, l->n_records * sizeof *all);
        if (n) memcpy(all + l->n_records, list, n * sizeof *all);
        l->records = all;
        l->n_records += n;
    }
    sort_records(l);
}

static bool matches(const struct silence *s, const struct problem *p)
{
    return slice_eq(s->rule, p->rule) && (!s->on.n || slice_eq(s->on, p->on));
}

/* Takes out what is meant. Returns how many. */
static size_t silence(struct linter *l)
{
    const struct model *m = l->model;
    bool *used = ARENA_ARRAY(l->arena, bool, m->n_silences + 1);
    size_t silenced = 0;
    struct problem *kept = NULL, **end = &kept, *next;
    for (struct problem *p = l->findings; p; p = next) {
        bool meant = false;
        next = (struct problem *)(uintptr_t)p->next;
        for (size_t i = 0; i < m->n_silences; i++) {
            if (!matches(&m->silences[i], p)) continue;
            meant = used[i] = true;
        }
        silenced += meant;
        if (meant) continue;
        p->next = NULL;
        l->last = *end = p;
        end = (struct problem **)(uintptr_t)&p->next;
    }
    l->findings = kept;
    if (!kept) l->last = NULL;
    l->n -= silenced;
    l->rule = SILENCE_UNUSED;
    for (size_t i = 0; i < m->n_silences; i++) {
        const struct silence *s = &m->silences[i];
        if (used[i]) continue;
        bool known = false;
        for (size_t k = 0; lint_rule_id(k); k++) known |= slice_eq(s->rule, slice_str(lint_rule_id(k)));
        lint_tell(l, s->place, s->on.n ? s->on : s->rule,
                  known ? SLICE("take it out of silence:") : SLICE("docs/lint/README.md lists the rules"),
                  known ? "the silence of %.*s matches no finding" : "there is no rule %.*s", SLICE_ARG(s->rule));
    }
    return silenced;
}

static int by_place(const void *x, const void *y)
{
    const struct problem *a = *(const struct problem *const *)x, *b = *(const struct problem *const *)y;
    int c = slice_cmp(a->place.file, b->place.file);
    if (!c) c = (a->place.line > b->place.line) - (a->place.line < b->place.line);
    if (!c) c = (a->place.column > b->place.column) - (a->place.column < b->place.column);
    if (!c) c = slice_cmp(a->rule, b->rule);
    return c ? c : slice_cmp(a->message, b->message);
}

static void put_finding(struct buf *b, const struct problem *p)
{
    js_open(b, NULL, '{');
    js_string(b, "rule", p->rule);
    js_string(b, "on", p->on);
    js_string(b, "file", p->place.file);
    js_number(b, "line", p->place.line);
    js_number(b, "column", p->place.column);
    js_string(b, "message", p->message);
    js_string(b, "hint", p->hint);
    js_close(b, '}');
}

int report_lint(struct reporter *r)
{
    struct linter l = { .model = r->model, .env = r->env, .arena = r->arena };
    int rc = make_plans(&l, r->err);
    if (rc) return rc;
    read_data(&l);
    for (size_t i = 0; i < N_RULES; i++) {
        l.rule = rules[i].id;
        rules[i].check(&l);
    }
    size_t silenced = silence(&l), n = 0;
    const struct problem **list = ARENA_ARRAY(r->arena, const struct problem *, l.n + 1);
    for (const struct problem *p = l.findings; p; p = p->next) list[n++] = p;
    qsort(list, n, sizeof *list, by_place);
    js_open(r->out, NULL, '{');
    js_open(r->out, "findings", '[');
    for (size_t i = 0; i < n; i++) put_finding(r->out, list[i]);
    js_close(r->out, ']');
    js_number(r->out, "silenced", (double)silenced);
    js_close(r->out, '}');
    return 0;
}
