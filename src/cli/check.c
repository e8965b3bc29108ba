/* check.c: `onefold check`: verifies a data directory that nobody uses, or a database. */
#include "engine/check.h"
#include "session.h"

struct printing {
    struct arena *arena;
    bool json;
    uint64_t n;
};

static void put_field(struct buf *b, const char *name, struct slice text)
{
    if (!text.n) return;
    buf_printf(b, ",\"%s\":", name);
    json_put_string(b, text);
}

static void print_json(struct printing *p, const struct check_finding *f)
{
    struct buf b;
    buf_init(&b, p->arena, SIZE_MAX / 4);
    BUF_LIT(&b, "{\"space\":");
    json_put_string(&b, slice_str(f->space));
    put_field(&b, "table", f->table);
    put_field(&b, "index", f->index);
    put_field(&b, "backup", f->backup);
    if (f->key.n) {
        BUF_LIT(&b, ",\"key\":");
        buf_slice(&b, f->key);
    }
    put_field(&b, "what", f->what);
    BUF_LIT(&b, "}");
    printf("%s\n%.*s", p->n ? "," : "", SLICE_ARG(buf_view(&b)));
}

static void print_line(const struct check_finding *f)
{
    print_inked(INK_BAD, slice_str(f->space));
    if (f->table.n) {
        fputs(" of ", stdout);
        print_inked(INK_TITLE, f->table);
    }
    if (f->index.n) {
        fputs(".", stdout);
        print_inked(INK_TITLE, f->index);
    }
    if (f->backup.n) {
        fputs(" in backup ", stdout);
        print_inked(INK_TITLE, f->backup);
    }
    if (f->key.n) {
        fputs(" ", stdout);
        print_inked(INK_PLAIN, f->key);
    }
    fputs(": ", stdout);
    print_inked(INK_PLAIN, f->what);
    fputs("\n", stdout);
}

static void print_finding(void *ctx, const struct check_finding *f)
{
    struct printing *p = ctx;
    end_progress();
    if (p->json)
        print_json(p, f);
    else
        print_line(f);
    p->n++;
    arena_reset(p->arena);
}

static void print_sum(struct arena *a, const char *dir, const struct check_report *r)
{
    printf("%s: %.*s in ", dir, SLICE_ARG(r->findings ? counted(a, (double)r->findings, "finding", "findings") : SLICE("nothing wrong")));
    if (r->pages) printf("%.*s, ", SLICE_ARG(counted(a, (double)r->pages, "page", "pages")));
    printf("%.*s, %.*s, %.*s, %.*s, %.*s\n", SLICE_ARG(counted(a, (double)r->tables, "table", "tables")),
           SLICE_ARG(counted(a, (double)r->items, "item", "items")),
           SLICE_ARG(counted(a, (double)r->entries, "index entry", "index entries")),
           SLICE_ARG(counted(a, (double)r->changes, "change", "changes")),
           SLICE_ARG(counted(a, (double)r->backups, "backup", "backups")));
}

static void print_sum_json(const struct check_report *r)
{
    printf("%s],\"count\":%llu,\"pages\":%llu,\"tables\":%llu,\"items\":%llu,\"entries\":%llu,\"changes\":%llu,\"backups\":%llu,"
           "\"tokens\":%llu,\"complete\":true}\n",
           r->findings ? "\n" : "", (unsigned long long)r->findings, (unsigned long long)r->pages, (unsigned long long)r->tables,
           (unsigned long long)r->items, (unsigned long long)r->entries, (unsigned long long)r->changes,
           (unsigned long long)r->backups, (unsigned long long)r->tokens);
}

static void show(void *ctx, const char *what, uint64_t done, uint64_t of)
{
    (void)ctx;
    show_progress(NULL, what, done, of);
}

/* Whom it cannot check is told without what may be a password. */
static int refuse_name(const struct invocation *in, const char *name)
{
    char shown[256];
    if (is_server_url(name))
        return fail_usage(in->command, "'%s' is a server: give its directory, when it is stopped, or its postgres:// URL", place_shown(name, shown, sizeof shown));
    if (strstr(name, "://") && !is_store_url(name))
        return fail_usage(in->command, "'%.*s' is unknown: give a directory or postgres://HOST/DATABASE", (int)(strstr(name, "://") - name) + 3, name);
    if (is_forgotten_scheme(name))
        return fail_usage(in->command, "'%s' is no directory: did you mean postgres://...?", place_shown(name, shown, sizeof shown));
    return 0;
}

static int run(struct invocation *in)
{
    int code = refuse_name(in, in->arguments[0]);
    if (code) return code;
    struct arena scratch;
    struct printing p = { .arena = &scratch, .json = in->shared.json };
    bool remote = is_store_url(in->arguments[0]);
    char message[1024], shown[256];
    const char *place = remote ? store_url_shown(in->arguments[0], shown, sizeof shown) : in->arguments[0];
    struct check_options o = { .dir = remote ? NULL : place, .url = remote ? in->arguments[0] : NULL, .tell = print_finding, .progress = show, .ctx = &p };
    struct check_report report;
    arena_init(&scratch, SIZE_MAX / 4);
    if (p.json) fputs("{\"findings\":[", stdout);
    int status = check_store(&o, &report, message, sizeof message);
    end_progress();
    arena_free(&scratch);
    if (status && p.json) fputs("],\"complete\":false}\n", stdout);
    if (status) return remote ? fail_error("%s: %s", place, message) : fail_error("%s", message);
    if (p.json)
        print_sum_json(&report);
    else
        print_sum(in->arena, place, &report);
    if (finish_output()) return EXIT_ERROR;
    return report.findings ? EXIT_FINDINGS : EXIT_OK;
}

static const struct argument_spec arguments[] = {
    { "DIR|URL", "a data directory that nobody writes to, or a PostgreSQL database", COMPLETE_DIR },
};

const struct command command_check = {
    .name = "check",
    .summary = "verify a data directory or database",
    .about = "Verifies everything in a data directory while nobody uses it, and changes nothing:\n"
             "the structure of the file, the checksum of every value, the catalog, that items\n"
             "can be decoded and lie under their keys, that every index is what its table makes\n"
             "of it, counters, times to live, streams and histories, backups, tokens. A store\n"
             "in PostgreSQL is verified as at one moment, also while servers use it.\n"
             "\n"
             "One line for each finding: where (part of the file, table, index, key), and what\n"
             "is wrong. Exit code 0: nothing is wrong; 3: something is; 1: it could not be\n"
             "checked, and why. What is wrong is not mended: restore from a backup.\n",
    ARGUMENTS(arguments),
    .shares = SHARE_JSON,
    .examples = "check ./onefold-data\n"
                "check ./onefold-data --json\n"
                "check postgres://onefold@db1,db2/onefold\n",
    .run = run,
};
