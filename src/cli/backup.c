/* backup.c: `onefold backup`: tables as they are at a moment, in the server or in a file. */
#include "backup/take.h"
#include "backup/archive.h"
#include "backup/guarded.h"
#include "../engine/own_names.h"
#include "lib/common.h"
#include <time.h>

#define SCRATCH_MAX ((size_t)256 << 20)

static const struct backup_options {
    const char *to, *name;
} defaults;

struct names {
    struct slice *all;
    size_t n, room;
};

static void add_name(struct arena *a, struct names *names, struct slice name)
{
    if (names->n == names->room) {
        size_t room = names->room ? 2 * names->room : 64;
        struct slice *all = ARENA_ARRAY(a, struct slice, room);
        if (names->n) memcpy(all, names->all, names->n * sizeof *all);
        names->all = all;
        names->room = room;
    }
    names->all[names->n++] = arena_dup(a, name);
}

/* All tables that there are, but for those that a backup makes for itself. */
static int list_tables(struct service *s, struct names *names)
{
    struct slice after = { NULL, 0 };
    do {
        const struct json *answer;
        struct slice body = after.n ? service_text(s->kept, "ExclusiveStartTableName", after) : SLICE("{}");
        int code = service_call(s, s->kept, "ListTables", body, &answer);
        if (code) return code;
        const struct json *list = JSON_GET(answer, "TableNames");
        for (const struct json *i = list ? list->first : NULL; i; i = i->next) {
            if (!slice_starts(i->text, SLICE(WORKING_COPY)))
                add_name(s->kept, names, i->text);
            else
                fprintf(stderr, "%.*s is left out: a backup that is under way reads it, or one that was killed left it, then delete it\n",
                        SLICE_ARG(i->text));
        }
        after = json_text(answer, "LastEvaluatedTableName");
    } while (after.n);
    return names->n ? 0 : fail_error("there are no tables to back up");
}

static int choose_tables(struct service *s, const struct invocation *in, struct names *names)
{
    for (size_t i = 0; i < in->n_arguments; i++) add_name(s->kept, names, slice_str(in->arguments[i]));
    return names->n ? 0 : list_tables(s, names);
}

/* ---- answers ---- */

static void print_taken(struct arena *a, const struct taken *t)
{
    print_inked(INK_TITLE, t->table);
    if (t->left_out.n) {
        printf(": left out. %.*s\n", SLICE_ARG(t->left_out));
        return;
    }
    printf(": %.*s of %.*s", SLICE_ARG(counted(a, (double)t->items, "item", "items")),
           SLICE_ARG(counted(a, (double)t->bytes, "byte", "bytes")));
    if (t->indexes) printf(", %.*s", SLICE_ARG(counted(a, (double)t->indexes, "index", "indexes")));
    if (t->arn.n) printf("\n  %.*s", SLICE_ARG(t->arn));
    puts("");
}

static void print_taken_json(struct arena *a, const struct taken *t, bool first)
{
    struct buf b;
    buf_init(&b, a, SCRATCH_MAX);
    buf_printf(&b, "%s\n{\"table\":", first ? "" : ",");
    json_put_string(&b, t->table);
    if (t->left_out.n) {
        BUF_LIT(&b, ",\"left_out\":");
        json_put_string(&b, t->left_out);
        if (t->damaged) BUF_LIT(&b, ",\"damaged\":true");
        buf_u8(&b, '}');
        printf("%.*s", SLICE_ARG(buf_view(&b)));
        return;
    }
    buf_printf(&b, ",\"items\":%llu,\"bytes\":%llu,\"indexes\":%zu", (unsigned long long)t->items, (unsigned long long)t->bytes,
               t->indexes);
    if (t->arn.n) {
        BUF_LIT(&b, ",\"arn\":");
        json_put_string(&b, t->arn);
    }
    buf_u8(&b, '}');
    printf("%.*s", SLICE_ARG(buf_view(&b)));
}

static size_t count_left_out(const struct taken *taken, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++) left += taken[i].left_out.n != 0;
    return left;
}

static void print_all(struct session *s, const struct taken *taken, size_t n)
{
    const struct backup_options *o = s->in->options;
    const size_t left = count_left_out(taken, n);
    double items = 0;
    if (s->in->shared.json) fputs("{\"tables\":[", stdout);
    for (size_t i = 0; i < n; i++) {
        items += (double)taken[i].items;
        if (s->in->shared.json)
            print_taken_json(s->arena, &taken[i], i == 0);
        else
            print_taken(s->arena, &taken[i]);
    }
    if (s->in->shared.json) {
        struct buf b;
        buf_init(&b, s->arena, SCRATCH_MAX);
        json_put_string(&b, slice_str(o->to ? o->to : ""));
        printf("]%s%.*s}\n", o->to ? ",\"verified\":true,\"file\":" : "", o->to ? (int)b.n : 0, (const char *)b.p);
    } else if (o->to) {
        printf("%s: %.*s, %.*s; read back, and ", o->to, SLICE_ARG(counted(s->arena, (double)(n - left), "table", "tables")),
               SLICE_ARG(counted(s->arena, items, "item", "items")));
        if (left) printf("%.*s missing\n", SLICE_ARG(counted(s->arena, (double)left, "table is", "tables are")));
        else puts("nothing is missing");
    }
}

/* ---- the work ---- */

struct to_file {
    struct service *s;
    struct archive_writer *w;
    const struct names *names;
    struct taken *taken;
};

enum why { DENIED = 1, DAMAGED = 2 };

/* The names of those that are left out for that, as a list in JSON, or with commas. */
static struct slice list_left_out(struct arena *a, const struct taken *taken, size_t n, unsigned why, bool json)
{
    struct buf b;
    buf_init(&b, a, SCRATCH_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!taken[i].left_out.n || !(why & (taken[i].damaged ? DAMAGED : DENIED))) continue;
        if (b.n) buf_slice(&b, json ? SLICE(",") : SLICE(", "));
        else if (json) buf_u8(&b, '[');
        if (json) json_put_string(&b, taken[i].table);
        else buf_slice(&b, taken[i].table);
    }
    if (b.n && json) buf_u8(&b, ']');
    return buf_view(&b);
}

/* One that is denied to us does not keep the others from being backed up: whoever may put a policy on his own table could prevent all. Nor
 * does one that is damaged: that is when the others are needed most. */
static int take_all(void *ctx)
{
    struct to_file *t = ctx;
    const size_t n = t->names->n;
    int code = 0;
    for (size_t i = 0; !code && i < n; i++) {
        code = take_out(t->s, t->names->all[i], t->w, &t->taken[i]);
        if (t->taken[i].left_out.n) code = 0;
    }
    if (!code && count_left_out(t->taken, n) == n) return EXIT_ERROR; /* which was said */
    if (code) return code;
    return archive_finish(t->w, t->s->kept, t->s->scratch, list_left_out(t->s->kept, t->taken, n, DENIED | DAMAGED, true),
                          list_left_out(t->s->kept, t->taken, n, DAMAGED, true));
}

static int to_file(struct service *s, const char *path, const struct names *names, struct taken *taken)
{
    struct to_file t = { .s = s, .names = names, .taken = taken };
    int code = archive_create(s->kept, path, &t.w);
    if (code) return code;
    code = guarded(s->kept, s->scratch, take_all, &t);
    archive_abandon(t.w);
    return code;
}

static struct slice default_name(struct arena *a)
{
    char text[32];
    struct tm utc;
    time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(text, sizeof text, "%Y%m%d-%H%M%S", &utc);
    return arena_printf(a, "onefold-%s", text);
}

/* *done: those that are kept or left out. */
static int in_server(struct service *s, const char *name, const struct names *names, struct taken *taken, size_t *done)
{
    struct slice given = name ? slice_str(name) : default_name(s->kept);
    int code = 0;
    for (*done = 0; !code && *done < names->n; *done += !code) {
        code = take_kept(s, names->all[*done], given, &taken[*done]);
        if (taken[*done].left_out.n) code = 0;
    }
    end_progress();
    return !code && count_left_out(taken, *done) == *done ? EXIT_ERROR : code;
}

static int work(struct session *session, struct service *s)
{
    const struct backup_options *o = session->in->options;
    struct names names = { .n = 0 };
    int code = choose_tables(s, session->in, &names);
    if (code) return code;
    struct taken *taken = ARENA_ARRAY(s->kept, struct taken, names.n);
    size_t done = names.n;
    code = o->to ? to_file(s, o->to, &names, taken) : in_server(s, o->name, &names, taken, &done);
    const size_t left = count_left_out(taken, done);
    if (!code || (!o->to && done > left)) print_all(session, taken, done);
    if (code || !left) return code;
    struct slice denied = list_left_out(s->kept, taken, done, DENIED, false), damaged = list_left_out(s->kept, taken, done, DAMAGED, false);
    if (denied.n) fail_error("left out, because access was denied: %.*s", SLICE_ARG(denied));
    if (damaged.n) fail_error("LEFT OUT, BECAUSE THE DATA IS DAMAGED: %.*s; keep the older backups of it", SLICE_ARG(damaged));
    return EXIT_FINDINGS;
}

static int with_service(struct session *session)
{
    struct arena scratch;
    struct service s = { .api = lib_api(session->db), .kept = session->arena, .scratch = &scratch };
    volatile int code = EXIT_ERROR;
    arena_init(&scratch, SCRATCH_MAX);
    service_watch_signals();
    if (ARENA_GUARD(&scratch)) code = work(session, &s);
    else fail_error("out of memory");
    arena_unguard(&scratch);
    arena_free(&scratch);
    return code;
}

static int run(struct invocation *in)
{
    const struct backup_options *o = in->options;
    if (o->to && o->name) return fail_usage(in->command, "--name is for a backup that the server keeps; with --to the file has a name");
    return with_database(in, ACCESS_WRITE, with_service, NULL);
}

static const struct argument_spec arguments[] = {
    { "TABLE", "the tables; none: all there are", .optional = true, .repeats = true },
};
static const struct option_spec options[] = {
    { "to", "FILE", "a file outside of the server", offsetof(struct backup_options, to), .complete = COMPLETE_FILE },
    { "name", "NAME", "what the server is to call it (onefold-DATE-TIME)", offsetof(struct backup_options, name) },
};

const struct command command_backup = {
    .name = "backup",
    .summary = "back up tables while they are used",
    .about = "Takes each table as it is at one moment, beside reads and writes that go on.\n"
             "\n"
             "Without --to the server keeps the backup in its data directory, as CreateBackup\n"
             "does; it prints the ARN by which 'onefold restore' finds it.\n"
             "\n"
             "With --to everything goes into one file, which also survives the loss of the data\n"
             "directory: items, keys, indexes, billing, stream, time to live, tags, recovery,\n"
             "policy. The file gets its name when it has been read back and compared; before\n"
             "that it is FILE.unfinished. A file that is there already is left alone. While it\n"
             "works the server needs room for two more copies of the largest table.\n"
             "\n"
             "A table to which access is denied, or whose data is damaged, is left out: the\n"
             "others are backed up, it is named, in the file too, and the exit code is 3.",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON | SHARE_YES | SHARE_TARGET,
    .examples = "backup --to monday.backup --data d\n"
                "backup shop --name before-the-move --data d\n"
                "backup shop --to shop.backup --data d\n",
    .run = run,
};
