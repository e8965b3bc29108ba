/* online.c: the order of a copy through the API; see online.h. */
#include "online.h"
#include "../../engine/clone.h"
#include "../../engine/own_names.h"
#include "../backup/definition.h"
#include "../backup/finish.h"
#include "../backup/guarded.h"
#include "../backup/put_items.h"
#include "lib/common.h"
#include "../../store/store.h"
#include <time.h>

#define SCRATCH_MAX   ((size_t)256 << 20)
#define MAX_DEPTH     128
#define STATE_FILE    "onefold-copy.state"
#define ROUND_SECONDS 20 /* between two looks at the changes, while items are read */
#define SMALL_LAG     2  /* seconds that a look at all changes takes: what came meanwhile is as old */
#define REST_MS       300
#define LAST_ROUNDS   50 /* after the interruption; by then nobody should write any more */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- which tables ---- */

static void take_keys(struct copied *t, const struct json *definition)
{
    const struct json *schema = JSON_GET(JSON_GET(definition, "CreateTable"), "KeySchema");
    for (const struct json *i = schema ? schema->first : NULL; i && t->n_keys < 2; i = i->next) t->keys[t->n_keys++] = json_text(i, "AttributeName");
}

static const struct json *definition_of(struct online *o, const struct copied *t)
{
    return json_parse(o->from.kept, t->definition, MAX_DEPTH, NULL);
}

static void add_table(struct online *o, struct slice name)
{
    struct copied *more = ARENA_ARRAY(o->from.kept, struct copied, o->n + 1);
    if (o->n) memcpy(more, o->tables, o->n * sizeof *more);
    o->tables = more;
    more[o->n] = (struct copied){ .name = arena_dup(o->from.kept, name) };
    arena_init(&more[o->n++].place, SCRATCH_MAX);
}

static int list_tables(struct online *o)
{
    struct slice after = { NULL, 0 };
    arena_reset(o->from.scratch);
    do {
        const struct json *answer;
        struct slice body = after.n ? service_text(o->from.scratch, "ExclusiveStartTableName", after) : SLICE("{}");
        int code = service_call(&o->from, o->from.scratch, "ListTables", body, &answer);
        if (code) return code;
        const struct json *list = JSON_GET(answer, "TableNames");
        for (const struct json *i = list ? list->first : NULL; i; i = i->next)
            if (!slice_starts(i->text, SLICE(WORKING_COPY))) add_table(o, i->text);
        after = json_text(answer, "LastEvaluatedTableName");
    } while (after.n);
    return o->n ? 0 : fail_error("%s has no tables", o->p->from.shown);
}

static int choose_tables(struct online *o)
{
    const struct copy_options *options = o->in->options;
    if (options->table) add_table(o, slice_str(options->table));
    return options->table ? 0 : list_tables(o);
}

/* ---- the source's side ---- */

static int describe(struct service *s, const struct copied *t, const char *where, const struct json **out)
{
    int code = service_describe(s, s->kept, t->name, out);
    return code || *out ? code : fail_error("%s has no table %.*s", where, SLICE_ARG(t->name));
}

static struct slice stream_body(struct arena *a, struct slice table, bool on)
{
    struct buf b;
    buf_init(&b, a, 4096);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, table);
    buf_printf(&b, ",\"StreamSpecification\":{\"StreamEnabled\":%s%s}}", on ? "true" : "false", on ? ",\"StreamViewType\":\"KEYS_ONLY\"" : "");
    return buf_view(&b);
}

/* Only the keys are needed, whatever the stream shows. */
static int find_stream(struct online *o, struct copied *t, const struct json *told)
{
    if (json_flag(JSON_GET(told, "StreamSpecification"), "StreamEnabled")) {
        t->stream = json_text(told, "LatestStreamArn");
        return 0;
    }
    const struct json *answer;
    int code = service_call(&o->from, o->from.kept, "UpdateTable", stream_body(o->from.kept, t->name, true), &answer);
    if (code) return code;
    t->ours = true;
    t->stream = json_text(JSON_GET(answer, "TableDescription"), "LatestStreamArn");
    fprintf(stderr, "%.*s has no stream: one is switched on for the copy, and off at its end\n", SLICE_ARG(t->name));
    return 0;
}

static int look_at_table(struct online *o, struct copied *t)
{
    const struct json *told, *there;
    int code = service_describe(&o->to, o->to.kept, t->name, &there);
    if (!code && there) return fail_error("%s has a table %.*s already: delete it, or choose tables with --table", o->p->to.shown, SLICE_ARG(t->name));
    if (!code) code = describe(&o->from, t, o->p->from.shown, &told);
    return code ? code : definition_ask(&o->from, o->from.kept, told, &t->definition);
}

static int begin_table(struct online *o, struct copied *t)
{
    const struct json *told;
    int code = describe(&o->from, t, o->p->from.shown, &told);
    if (!code) code = find_stream(o, t, told);
    return code ? code : follow_shards(o, t, true);
}

static int end_stream(struct online *o, struct copied *t)
{
    int code = t->ours ? service_do(&o->from, o->from.kept, "UpdateTable", stream_body(o->from.kept, t->name, false)) : 0;
    if (!code) t->ours = false;
    return code;
}

/* ---- the target's side ---- */

static int make_table(struct online *o, const struct copied *t)
{
    const struct json *there, *answer;
    int code = service_describe(&o->to, o->to.kept, t->name, &there);
    if (code || there) return code;
    code = service_call(&o->to, o->to.kept, "CreateTable", definition_first(&o->to, definition_of(o, t), t->name, SLICE("copy")), &answer);
    return code ? code : service_wait_active(&o->to, t->name, &answer);
}

struct putting {
    struct copied *t;
    struct put_items *put;
};

static int put_item(void *ctx, struct slice item)
{
    struct putting *p = ctx;
    show_progress(NULL, "items copied", ++p->t->items, 0);
    return put_items_add(p->put, item);
}

/* One page: its items are in the target when the file says so. */
static int copy_page(struct online *o, struct copied *t)
{
    struct putting p = { t, put_items_begin(&o->to, t->name) };
    if (!p.put) return fail_error("out of memory");
    arena_reset(o->to.scratch);
    int code = service_scan_page(&o->from, t->name, slice_of(NULL, 0), &t->place, &t->after, put_item, &p);
    if (code) put_items_abandon(p.put);
    else code = put_items_end(p.put);
    if (!code && !t->after.n) t->phase = PHASE_INDEX;
    if (!code) code = state_write(o);
    clone_rest_for_a_test();
    return code;
}

static int round_if_due(struct online *o)
{
    uint64_t n;
    if (!o->live || seconds() - o->round_at < ROUND_SECONDS) return 0;
    int code = follow_round(o, &n);
    o->round_at = seconds();
    return code;
}

static int make_indexes(struct online *o, struct copied *t)
{
    const struct json *there;
    int code = describe(&o->to, t, o->p->to.shown, &there);
    if (!code) code = finish_indexes(&o->to, JSON_GET(definition_of(o, t), "CreateTable"), t->name, there);
    if (!code) t->phase = PHASE_FOLLOW;
    return code ? code : state_write(o);
}

static int make_settings(struct online *o, struct copied *t)
{
    const struct json *there;
    int code = describe(&o->to, t, o->p->to.shown, &there);
    if (!code) code = finish_settings(&o->to, definition_of(o, t), t->name, json_text(there, "TableArn"));
    if (!code) t->phase = PHASE_DONE;
    return code ? code : state_write(o);
}

/* ---- the steps ---- */

/* All are looked at before anything is changed; and what was changed when no file told of it yet is changed back. */
static int begin_first(struct online *o)
{
    int code = choose_tables(o);
    for (size_t i = 0; i < o->n && !code; i++) code = look_at_table(o, &o->tables[i]);
    for (size_t i = 0; i < o->n && !code && o->live; i++) code = begin_table(o, &o->tables[i]);
    if (!code) code = state_write(o);
    if (!code) return 0;
    o->from.cleaning = true;
    for (size_t i = 0; i < o->n; i++) end_stream(o, &o->tables[i]);
    return code;
}

/* What an interruption leaves: also how to give the copy up, where streams would stay switched on. */
static const char *fate_of(struct online *o)
{
    struct buf b;
    size_t ours = 0;
    buf_init(&b, o->in->arena, SCRATCH_MAX);
    BUF_LIT(&b, "the same command goes on where it was");
    for (size_t i = 0; i < o->n; i++) {
        if (!o->tables[i].ours) continue;
        buf_printf(&b, "%s%.*s", ours++ ? ", " : "; to give it up, switch off the stream that it switched on in ", SLICE_ARG(o->tables[i].name));
    }
    if (ours) buf_printf(&b, " (aws dynamodb update-table --table-name NAME --stream-specification StreamEnabled=false) and delete %s", o->state);
    buf_u8(&b, 0);
    return (const char *)buf_view(&b).p;
}

static int begin_all(struct online *o)
{
    int code = state_read(o);
    if (!code && o->n) printf("%s is gone on with\n", o->state);
    if (!code && !o->n) code = begin_first(o);
    o->from.fate = o->to.fate = fate_of(o);
    for (size_t i = 0; i < o->n && !code; i++) {
        take_keys(&o->tables[i], definition_of(o, &o->tables[i]));
        code = make_table(o, &o->tables[i]);
    }
    return code;
}

static int copy_table(struct online *o, struct copied *t)
{
    int code = 0;
    while (!code && t->phase == PHASE_SCAN) {
        code = copy_page(o, t);
        if (!code) code = round_if_due(o);
    }
    if (!code && t->phase == PHASE_INDEX) code = make_indexes(o, t);
    end_progress();
    return code;
}

/* Until what is behind is little. */
static int catch_up(struct online *o)
{
    uint64_t n = 0;
    double before, took;
    do {
        before = seconds();
        int code = follow_round(o, &n);
        if (code) return code;
        took = seconds() - before;
    } while (n && took > SMALL_LAG);
    end_progress();
    return 0;
}

static int compare_all(struct online *o, uint64_t *differing)
{
    int code = 0;
    *differing = 0;
    for (size_t i = 0; i < o->n && !code; i++) {
        uint64_t n;
        code = compare_tables(o, &o->tables[i], &n);
        *differing += n;
    }
    return code;
}

static int follow(struct online *o)
{
    uint64_t n;
    unsigned rounds = 0;
    puts("caught up, and compared: the application can be switched over. Changes are copied until Ctrl-C");
    fflush(stdout);
    o->from.cleaning = o->to.cleaning = true; /* a call is not to be given up for the interruption that ends it all in order */
    while (!service_stop_asked()) {
        unsigned ms = REST_MS;
        int code = follow_round(o, &n);
        if (code) return code;
        end_progress();
        if (!n) service_rest(&ms);
    }
    int code;
    do code = follow_round(o, &n);
    while (!code && n && ++rounds < LAST_ROUNDS);
    return code;
}

/* ---- answers ---- */

static void print_tables(const struct online *o)
{
    for (size_t i = 0; i < o->n; i++) {
        const struct copied *t = &o->tables[i];
        print_inked(INK_TITLE, t->name);
        printf(": %.*s, %.*s\n", SLICE_ARG(counted(o->in->arena, (double)t->items, "item copied", "items copied")),
               SLICE_ARG(counted(o->in->arena, (double)t->changes, "change followed", "changes followed")));
    }
}

static int say_differing(const struct online *o, uint64_t differing)
{
    fail_error("%s and %s differ in %.*s", o->p->from.shown, o->p->to.shown, SLICE_ARG(counted(o->in->arena, (double)differing, "item", "items")));
    return EXIT_FINDINGS;
}

/* ---- the whole ---- */

static int copy_all(struct online *o)
{
    const struct copy_options *options = o->in->options;
    uint64_t differing = 0;
    int code = begin_all(o);
    o->round_at = seconds();
    for (size_t i = 0; i < o->n && !code; i++) code = copy_table(o, &o->tables[i]);
    if (!code && o->live) code = catch_up(o);
    for (size_t i = 0; i < o->n && !code; i++)
        if (o->tables[i].phase == PHASE_FOLLOW) code = make_settings(o, &o->tables[i]);
    if (!code) code = compare_all(o, &differing);
    if (!code && differing) return say_differing(o, differing);
    if (!code && options->follow) code = follow(o);
    for (size_t i = 0; i < o->n && !code; i++) code = end_stream(o, &o->tables[i]);
    if (code) return code;
    state_remove(o);
    print_tables(o);
    printf("%s holds what %s holds: all compared\n", o->p->to.shown, o->p->from.shown);
    return 0;
}

static int verify_all(struct online *o)
{
    uint64_t differing = 0;
    int code = choose_tables(o);
    for (size_t i = 0; i < o->n && !code; i++) {
        const struct json *told;
        code = describe(&o->from, &o->tables[i], o->p->from.shown, &told);
        if (!code) code = definition_ask(&o->from, o->from.kept, told, &o->tables[i].definition);
        if (!code) take_keys(&o->tables[i], definition_of(o, &o->tables[i]));
        if (!code) code = describe(&o->to, &o->tables[i], o->p->to.shown, &told);
    }
    if (!code) code = compare_all(o, &differing);
    if (code || differing) return code ? code : say_differing(o, differing);
    printf("%s holds what %s holds: %.*s compared\n", o->p->to.shown, o->p->from.shown,
           SLICE_ARG(counted(o->in->arena, (double)o->n, "table", "tables")));
    return 0;
}

static int work(void *ctx)
{
    struct online *o = ctx;
    const struct copy_options *options = o->in->options;
    return options->verify ? verify_all(o) : copy_all(o);
}

static int work_guarded(void *ctx)
{
    struct online *o = ctx;
    return guarded(o->in->arena, &o->group, work, o);
}

/* ---- opening ---- */

struct asking {
    struct online *o;
    struct service s;
};

/* Nothing is made for a source that does not answer, or has not what is to be copied. */
static int ask_source(void *ctx)
{
    struct asking *x = ctx;
    const struct copy_options *options = x->o->in->options;
    const struct json *answer, *names;
    if (options->table) return describe(&x->s, &(struct copied){ .name = slice_str(options->table) }, x->o->p->from.shown, &answer);
    int code = service_call(&x->s, x->s.kept, "ListTables", SLICE("{}"), &answer);
    names = code ? NULL : JSON_GET(answer, "TableNames");
    return code || (names && names->count) ? code : fail_error("%s has no tables", x->o->p->from.shown);
}

static int check_source(struct online *o, of_db *from)
{
    struct arena scratch;
    arena_init(&scratch, SCRATCH_MAX);
    struct asking x = { o, { .api = lib_api(from), .kept = o->in->arena, .scratch = &scratch, .fate = "nothing was copied" } };
    int code = guarded(o->in->arena, &scratch, ask_source, &x);
    arena_free(&scratch);
    return code;
}

static int open_place(const struct invocation *in, const struct place *p, of_db **out)
{
    const struct shared *o = &in->shared;
    of_error err;
    int failed;
    if (p->kind == PLACE_SERVER)
        failed = of_connect(out, &(of_remote_options){ .endpoint = p->name, .region = o->region, .profile = o->profile, .ca_file = o->ca_file,
                                                       .client_cert = o->client_cert, .client_key = o->client_key }, &err);
    else
        failed = lib_open(out, &(struct store_options){ .dir = p->kind == PLACE_DIRECTORY ? p->name : NULL,
                                                        .url = p->kind == PLACE_POSTGRES ? p->name : NULL }, &err);
    if (!failed && of_is_aws(*out)) {
        of_close(*out);
        return fail_error("%s is AWS itself, which cannot be copied in this way: export the table, and load what it exports", p->shown);
    }
    if (!failed) return 0;
    return p->kind == PLACE_POSTGRES ? fail_error("%s: %s", p->shown, err.message) : fail_of(&err);
}

static int with_arenas(struct online *o, of_db *from, of_db *to)
{
    struct arena from_scratch, to_scratch;
    static const char fate[] = "nothing was copied";
    arena_init(&from_scratch, SCRATCH_MAX);
    arena_init(&to_scratch, SCRATCH_MAX);
    arena_init(&o->group, SCRATCH_MAX);
    o->from = (struct service){ .api = lib_api(from), .kept = o->in->arena, .scratch = &from_scratch, .fate = fate };
    o->to = (struct service){ .api = lib_api(to), .kept = o->in->arena, .scratch = &to_scratch, .fate = fate };
    service_watch_signals();
    int code = guarded(&from_scratch, &to_scratch, work_guarded, o);
    for (size_t i = 0; i < o->n; i++) {
        follow_forget(&o->tables[i]);
        arena_free(&o->tables[i].place);
    }
    arena_free(&o->group);
    arena_free(&to_scratch);
    arena_free(&from_scratch);
    return code;
}

int copy_online(struct invocation *in, const struct copy_places *p)
{
    const struct copy_options *options = in->options;
    struct online o = { .in = in, .p = p, .live = p->from.kind == PLACE_SERVER };
    of_db *from, *to;
    o.state = options->verify ? NULL : options->state ? options->state : STATE_FILE;
    int code = open_place(in, &p->from, &from);
    if (code) return code;
    code = check_source(&o, from);
    if (!code) code = open_place(in, &p->to, &to);
    if (!code) {
        code = with_arenas(&o, from, to);
        of_close(to);
    }
    of_close(from);
    int written = finish_output();
    return code ? code : written;
}
