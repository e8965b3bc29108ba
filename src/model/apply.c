/* apply.c: makes a table what the model says: reads what is there, makes a plan, carries it out. Nothing is changed
 * where any part of the model cannot be reached from what is there. A run that was interrupted is simply repeated:
 * the plan then holds what is still missing. */
#include "apply_impl.h"
#include <time.h>

#define POLL_MS_FIRST 20
#define POLL_MS_MOST  2000

struct apply_step *apply_add(struct applier *p, struct slice action, struct slice what)
{
    struct apply_step *s = ARENA_NEW(p->r->arena, struct apply_step);
    s->action = action;
    s->what = what;
    *p->end = s;
    p->end = &s->next;
    return s;
}

void apply_conflict(struct applier *p, const char *fmt, ...)
{
    va_list ap;
    if (p->conflicts.n) BUF_LIT(&p->conflicts, "; ");
    va_start(ap, fmt);
    buf_slice(&p->conflicts, arena_vprintf(p->r->arena, fmt, ap));
    va_end(ap);
}

int apply_describe(struct applier *p, const struct json **table)
{
    struct buf b;
    buf_init(&b, p->r->arena, 4096);
    js_open(&b, NULL, '{');
    js_string(&b, "TableName", p->r->model->table);
    js_close(&b, '}');
    const struct json *answer;
    *table = NULL;
    int rc = API_CALL(p->api, p->r->arena, "DescribeTable", buf_view(&b), &answer, p->r->err);
    if (rc == ERR_ResourceNotFoundException || rc == ERR_TableNotFoundException) return 0;
    if (rc) return rc;
    *table = JSON_GET(answer, "Table");
    if (*table) return 0;
    return err_set(p->r->err, ERR_InternalServerError, "DescribeTable answered without a table");
}

static struct slice status_of(const struct json *n, struct slice member)
{
    const struct json *s = json_get(n, member);
    return s ? s->text : SLICE("");
}

static const struct json *index_named(const struct json *table, struct slice name)
{
    const struct json *list = JSON_GET(table, "GlobalSecondaryIndexes");
    for (const struct json *ix = list ? list->first : NULL; ix; ix = ix->next) {
        if (slice_eq(status_of(ix, SLICE("IndexName")), name)) return ix;
    }
    return NULL;
}

/* Is nothing under way, neither on the table nor on an index? */
static bool settled(const struct json *table)
{
    if (!slice_eq(status_of(table, SLICE("TableStatus")), SLICE("ACTIVE"))) return false;
    const struct json *list = JSON_GET(table, "GlobalSecondaryIndexes");
    for (const struct json *ix = list ? list->first : NULL; ix; ix = ix->next) {
        if (!slice_eq(status_of(ix, SLICE("IndexStatus")), SLICE("ACTIVE"))) return false;
    }
    return true;
}

/* Is what the step waits for so? *status: for the progress. */
static bool reached(const struct apply_step *s, const struct json *table, struct slice *status)
{
    struct slice active = SLICE("ACTIVE");
    *status = status_of(table, SLICE("TableStatus"));
    if (s->wait == WAIT_TABLE) return settled(table);
    const struct json *ix = index_named(table, s->index);
    bool table_active = slice_eq(*status, active);
    if (ix) *status = status_of(ix, SLICE("IndexStatus"));
    if (s->wait == WAIT_DROPPED) return !ix && table_active;
    return ix && slice_eq(*status, active) && table_active;
}

/* Building an index of a large table takes hours, so there is no limit; stopping apply stops only the waiting. */
static int wait_for(struct applier *p, const struct apply_step *s)
{
    for (unsigned ms = POLL_MS_FIRST;; ms = ms * 2 < POLL_MS_MOST ? ms * 2 : POLL_MS_MOST) {
        const struct json *table;
        struct slice status;
        int rc = apply_describe(p, &table);
        if (rc) return rc;
        if (reached(s, table, &status)) return 0;
        if (p->o->progress) {
            struct slice of = s->index.n ? s->index : p->r->model->table;
            p->o->progress(p->o->ctx, arena_printf(p->r->arena, "%.*s: %.*s", SLICE_ARG(of), SLICE_ARG(status)));
        }
        struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };
        nanosleep(&pause, NULL);
    }
}

static int carry_out(struct applier *p, const struct apply_step *s)
{
    if (p->o->progress) p->o->progress(p->o->ctx, s->what);
    const struct json *answer;
    int rc = api_call(p->api, p->r->arena, s->operation, s->request, &answer, p->r->err);
    if (rc || s->wait == WAIT_NONE) return rc;
    return wait_for(p, s);
}

static void put_plan(struct applier *p)
{
    struct buf *b = p->r->out;
    bool done = !p->o->dry_run;
    js_open(b, NULL, '{');
    js_string(b, "table", p->r->model->table);
    js_open(b, "plan", '[');
    for (const struct apply_step *s = p->first; s; s = s->next) {
        js_open(b, NULL, '{');
        js_string(b, "action", s->action);
        js_string(b, "what", s->what);
        js_string(b, "status", !s->operation.n ? SLICE("skipped") : done ? SLICE("done") : SLICE("planned"));
        if (s->operation.n) {
            js_string(b, "operation", s->operation);
            js_name(b, "request");
            buf_slice(b, s->request);
        }
        js_close(b, '}');
    }
    js_close(b, ']');
    js_bool(b, "done", done);
    js_close(b, '}');
}

static void plan_create(struct applier *p)
{
    const struct model *m = p->r->model;
    struct buf b;
    buf_init(&b, p->r->arena, (size_t)1 << 20);
    table_put_create(&b, p->r->arena, m);
    size_t n = m->n_indexes - 1;
    struct slice what = n == 0   ? arena_printf(p->r->arena, "create table %.*s", SLICE_ARG(m->table))
                        : n == 1 ? arena_printf(p->r->arena, "create table %.*s with index %.*s", SLICE_ARG(m->table),
                                                SLICE_ARG(m->indexes[1].name))
                                 : arena_printf(p->r->arena, "create table %.*s with %zu indexes",
                                                SLICE_ARG(m->table), n);
    struct apply_step *s = apply_add(p, SLICE("create-table"), what);
    s->operation = SLICE("CreateTable");
    s->request = buf_view(&b);
    s->wait = WAIT_TABLE;
}

int report_apply(struct reporter *r, struct api *api, const struct apply_options *o)
{
    struct applier p = { .r = r, .api = api, .o = o };
    p.end = &p.first;
    buf_init(&p.conflicts, r->arena, (size_t)1 << 20);
    int rc = apply_describe(&p, &p.table);
    if (rc) return rc;
    if (p.table) apply_compare(&p);
    else plan_create(&p);
    rc = apply_ttl(&p);
    if (!rc) rc = apply_shards(&p);
    if (rc) return rc;
    if (p.conflicts.n) {
        return err_set(r->err, ERR_ValidationException, "%.*s", SLICE_ARG(buf_view(&p.conflicts)));
    }
    if (!o->dry_run && p.table && p.first) {
        rc = wait_for(&p, &(struct apply_step){ .wait = WAIT_TABLE });
    }
    if (!o->dry_run) {
        for (const struct apply_step *s = p.first; s && !rc; s = s->next) {
            if (s->operation.n) rc = carry_out(&p, s);
        }
    }
    if (!rc) put_plan(&p);
    return rc;
}
