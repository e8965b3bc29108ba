/* restore.c: `onefold restore`: tables out of a backup, compared with it. */
#include "backup/fill.h"
#include "lib/common.h"
#include <unistd.h>

#define SCRATCH_MAX ((size_t)256 << 20)

static const struct restore_options {
    const char *as;
    bool dry_run;
} defaults;

struct restoring {
    const struct invocation *in;
    const char *from;
    int fd;                       /* of the file, which is verified and then read; -1: none */
    struct archive_sum sum;       /* of the file */
    struct arena *kept, *scratch; /* of the program; of a line, a page */
    struct filled *tables;
    size_t n, room;
};

static bool is_arn(const char *from)
{
    return strncmp(from, "arn:", 4) == 0;
}

/* ---- what the file holds ---- */

static int note_table(void *ctx, const struct json *definition)
{
    struct restoring *r = ctx;
    struct slice name = json_text(JSON_GET(definition, "CreateTable"), "TableName");
    if (!census_begin(r->kept, JSON_GET(definition, "CreateTable"))) return fail_error("%s has a table without a definition", r->from);
    if (r->n == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        struct filled *tables = ARENA_ARRAY(r->kept, struct filled, room);
        if (r->n) memcpy(tables, r->tables, r->n * sizeof *tables);
        r->tables = tables;
        r->room = room;
    }
    r->tables[r->n++] = (struct filled){ .table = name };
    return 0;
}

static int note_end(void *ctx, const struct digest *d)
{
    struct restoring *r = ctx;
    r->tables[r->n - 1].items = d->items;
    r->tables[r->n - 1].bytes = d->bytes;
    return 0;
}

static int verify(struct restoring *r)
{
    const struct archive_visitor v = { .table = note_table, .end = note_end, .ctx = r };
    int code = archive_open(r->from, &r->fd);
    return code ? code : archive_read(r->fd, r->from, r->kept, r->scratch, &v, &r->sum);
}

/* ---- which of it ---- */

static int choose_table(struct restoring *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++) {
        if (!slice_eq(r->tables[i].table, slice_str(name))) continue;
        r->tables[i].target = r->tables[i].table;
        return 0;
    }
    return fail_error("%s holds no table %s; 'onefold restore %s --dry-run' lists those it holds", r->from, name, r->from);
}

static int choose_tables(struct restoring *r)
{
    const struct restore_options *o = r->in->options;
    size_t chosen = 0, last = 0;
    for (size_t i = 1; i < r->in->n_arguments; i++) {
        int code = choose_table(r, r->in->arguments[i]);
        if (code) return code;
    }
    for (size_t i = 0; i < r->n; i++) {
        if (r->in->n_arguments == 1) r->tables[i].target = r->tables[i].table;
        if (!r->tables[i].target.n) continue;
        chosen++;
        last = i;
    }
    if (o->as && chosen != 1) return fail_error("--as names one table, and %zu would be restored: say which one", chosen);
    if (o->as) r->tables[last].target = slice_str(o->as);
    return 0;
}

/* ---- answers ---- */

static void print_line(struct arena *a, const struct filled *t, bool dry_run)
{
    print_inked(INK_TITLE, t->target);
    if (!slice_eq(t->table, t->target)) printf(" (from %.*s)", SLICE_ARG(t->table));
    printf(": %.*s of %.*s", SLICE_ARG(counted(a, (double)t->items, "item", "items")),
           SLICE_ARG(counted(a, (double)t->bytes, "byte", "bytes")));
    if (dry_run)
        puts("");
    else if (t->indexes)
        printf(" restored; the table and its %.*s hold what the backup holds\n",
               SLICE_ARG(counted(a, (double)t->indexes, "index", "indexes")));
    else
        puts(" restored; the table holds what the backup holds");
}

static void print_json(struct arena *a, const struct filled *t, bool first, bool dry_run)
{
    struct buf b;
    buf_init(&b, a, SCRATCH_MAX);
    buf_printf(&b, "%s\n{\"table\":", first ? "" : ",");
    json_put_string(&b, t->target);
    BUF_LIT(&b, ",\"from\":");
    json_put_string(&b, t->table);
    buf_printf(&b, ",\"items\":%llu,\"bytes\":%llu", (unsigned long long)t->items, (unsigned long long)t->bytes);
    if (!dry_run) buf_printf(&b, ",\"indexes\":%zu,\"verified\":true", t->indexes);
    buf_u8(&b, '}');
    printf("%.*s", SLICE_ARG(buf_view(&b)));
}

static bool has_name(const struct json *list, struct slice name)
{
    for (const struct json *i = list ? list->first : NULL; i; i = i->next)
        if (slice_eq(i->text, name)) return true;
    return false;
}

/* What was wanted when the file was made, and is not in it. */
static void print_left_out(const struct restoring *r)
{
    const struct json *left = r->sum.left_out;
    if (r->in->shared.json) {
        struct buf b;
        buf_init(&b, r->kept, SCRATCH_MAX);
        buf_u8(&b, ']');
        if (left) {
            BUF_LIT(&b, ",\"left_out\":");
            json_put(&b, left);
        }
        if (r->sum.damaged) {
            BUF_LIT(&b, ",\"damaged\":");
            json_put(&b, r->sum.damaged);
        }
        printf("%.*s", SLICE_ARG(buf_view(&b)));
        return;
    }
    for (const struct json *i = left ? left->first : NULL; i; i = i->next)
        printf("%.*s: not in %s, because %s when that was made\n", SLICE_ARG(i->text), r->from,
               has_name(r->sum.damaged, i->text) ? "its data was damaged" : "access to it was denied");
}

static void print_all(const struct restoring *r)
{
    const struct restore_options *o = r->in->options;
    bool first = true;
    if (r->in->shared.json) fputs("{\"tables\":[", stdout);
    for (size_t i = 0; i < r->n; i++) {
        if (!r->tables[i].target.n) continue;
        if (r->in->shared.json) print_json(r->kept, &r->tables[i], first, o->dry_run);
        else print_line(r->kept, &r->tables[i], o->dry_run);
        first = false;
    }
    print_left_out(r);
    if (r->in->shared.json) puts("}");
    else if (o->dry_run) printf("%s is whole; nothing was restored\n", r->from);
}

/* ---- the work ---- */

static int from_file(struct restoring *r, struct service *s)
{
    struct slice mark = arena_printf(r->kept, "file %016llx", (unsigned long long)r->sum.chain);
    int code = archive_hold(r->fd) ? 0 : fail_error("another restore from %s begins anew just now: nothing was restored", r->from);
    for (size_t i = 0; !code && i < r->n; i++) {
        if (r->tables[i].target.n) code = fill_make_room(s, r->tables[i].target, mark, r->fd);
    }
    return code ? code : fill_from_file(s, r->fd, r->from, mark, r->tables, r->n);
}

static int from_backup(struct restoring *r, struct service *s)
{
    const struct restore_options *o = r->in->options;
    struct filled *t = r->tables = ARENA_NEW(r->kept, struct filled);
    t->table = service_backed_up(slice_str(r->from));
    if (!t->table.n) return fail_error("%s is not the ARN of a backup", r->from);
    t->target = o->as ? slice_str(o->as) : t->table;
    r->n = 1;
    int code = fill_make_room(s, t->target, slice_of(NULL, 0), -1);
    return code ? code : fill_from_backup(s, slice_str(r->from), t);
}

static int restore(struct session *session)
{
    struct restoring *r = session->ctx;
    struct service s = { .api = lib_api(session->db), .kept = r->kept, .scratch = r->scratch };
    volatile int code = EXIT_ERROR;
    service_watch_signals();
    if (ARENA_GUARD(r->scratch)) code = is_arn(r->from) ? from_backup(r, &s) : from_file(r, &s);
    else fail_error("out of memory");
    arena_unguard(r->scratch);
    if (!code) print_all(r);
    return code;
}

static int work(struct restoring *r, struct invocation *in)
{
    const struct restore_options *o = in->options;
    if (is_arn(r->from)) return with_database(in, ACCESS_WRITE, restore, r);
    int code = o->dry_run ? 0 : choose_target(in); /* before a large file is read in vain */
    if (!code) code = verify(r);
    if (!code) code = choose_tables(r);
    if (code) return code;
    if (!o->dry_run) return with_database(in, ACCESS_MAKE, restore, r);
    print_all(r);
    return finish_output();
}

static int run(struct invocation *in)
{
    const struct restore_options *o = in->options;
    struct arena scratch;
    struct restoring r = { .in = in, .from = in->arguments[0], .fd = -1, .kept = in->arena, .scratch = &scratch };
    volatile int code = EXIT_ERROR;
    if (is_arn(r.from) && in->n_arguments > 1)
        return fail_usage(in->command, "a backup in the server holds one table; --as says what it is to be called");
    if (is_arn(r.from) && o->dry_run) return fail_usage(in->command, "--dry-run verifies a file");
    arena_init(&scratch, SCRATCH_MAX);
    if (ARENA_GUARD(&scratch)) code = work(&r, in);
    else fail_error("out of memory");
    arena_unguard(&scratch);
    arena_free(&scratch);
    if (r.fd >= 0) close(r.fd);
    return code;
}

static const struct argument_spec arguments[] = {
    { "FROM", "a file of 'onefold backup --to', or the ARN of a backup in the server", COMPLETE_FILE },
    { "TABLE", "the tables of the file; none: all it holds", .optional = true, .repeats = true },
};
static const struct option_spec options[] = {
    { "as", "NAME", "what the table is to be called", offsetof(struct restore_options, as) },
    { "dry-run", NULL, "verify the file and list its tables; needs no server", offsetof(struct restore_options, dry_run) },
};

const struct command command_restore = {
    .name = "restore",
    .summary = "bring tables back from a backup",
    .about = "Makes tables out of a backup, in a running server or in a directory, and compares\n"
             "each of them and each of its indexes with the backup.\n"
             "\n"
             "A file is verified as a whole before anything is made. A table that is there\n"
             "already is never touched. From a file a table gets its settings back, and a new\n"
             "stream where it had one; from a backup in the server it gets what\n"
             "RestoreTableFromBackup restores.\n"
             "\n"
             "Write to a table only when the command has ended. One that could not be filled from\n"
             "a file is taken away again; where the command was killed, the same command begins\n"
             "anew. One that is found to differ from its backup, or cannot be compared, is kept,\n"
             "since others may have written to it: look at it, then use it, or delete it and\n"
             "restore again.",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON | SHARE_YES | SHARE_TARGET,
    .examples = "restore monday.backup --dry-run\n"
                "restore monday.backup --data anew\n"
                "restore monday.backup shop --as shop-then --data d\n",
    .run = run,
};
