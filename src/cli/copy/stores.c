/* stores.c: copies what one store holds into another that nothing serves, and compares them. */
#include "copy.h"
#include "../backup/service.h"
#include "../../engine/check_names.h"
#include "../../engine/clone.h"
#include <limits.h>
#include <stdlib.h>

#define DIFFERENCES 20 /* that are shown; the others are counted */

struct copying {
    struct invocation *in;
    const struct copy_places *p;
    struct clone_options o;
    struct check_names *from_names, *to_names; /* when the first difference is told */
    uint64_t shown;
};

/* ---- the two stores ---- */

/* Nobody may use either: what is copied shall be of one moment, and what is written nobody shall see half of. */
static int open_store(const struct place *p, bool writes, struct store **out)
{
    char message[1024];
    bool remote = p->kind == PLACE_POSTGRES;
    const struct store_options o = { .dir = remote ? NULL : p->name, .url = remote ? p->name : NULL, .read_only = !writes, .alone = true };
    if (!store_open(out, &o, message, sizeof message)) return 0;
    return remote ? fail_error("%s: %s", p->shown, message) : fail_error("%s", message);
}

/* Where else a copy could go, when the target holds something. */
static const char *other_target(const struct place *to)
{
    if (to->kind == PLACE_DIRECTORY) return ", or give --to a directory that is not there yet";
    return ", or give --to a new database, or a new schema of this one with ?options=-csearch_path%3DNAME, after onefold store init";
}

static int fail_at(const struct copying *c, int status, const char *message)
{
    const struct copy_options *o = c->in->options;
    const char *next = "";
    end_progress();
    if (status == STORE_STOPPED && service_stop_asked())
        return fail_error("interrupted: %s", o->verify ? "nothing was changed" : "the same command goes on where it was");
    if (!o->verify && (status == STORE_AWAY || status == STORE_FULL)) next = "; the same command goes on where it was";
    if (!o->verify && status == STORE_INVALID) next = other_target(&c->p->to);
    return fail_error("%s: %s%s", c->p->to.shown, message, next);
}

static bool stop_asked(void *ctx)
{
    (void)ctx;
    return service_stop_asked();
}

/* The full name of a directory: the same one may be given in several ways. */
static const char *source_name(struct arena *a, const struct place *from)
{
    char name[PATH_MAX];
    if (from->kind != PLACE_DIRECTORY || !realpath(from->name, name)) return from->shown;
    return (const char *)arena_printf(a, "%s", name).p;
}

/* ---- words ---- */

static void tell_progress(void *ctx, const char *what, uint64_t rows)
{
    (void)ctx;
    show_progress(NULL, what, rows, 0);
}

static void print_difference(void *ctx, const struct check_finding *f)
{
    (void)ctx;
    char text[4096]; /* a longer key is cut */
    snprintf(text, sizeof text, "%s%s%.*s%s%.*s%s%.*s%s%.*s", f->space, f->table.n ? " of " : "", SLICE_ARG(f->table), f->index.n ? "." : "",
             SLICE_ARG(f->index), f->backup.n ? " in backup " : "", SLICE_ARG(f->backup), f->key.n ? " " : "", SLICE_ARG(f->key));
    put_visible(stderr, text);
    fprintf(stderr, ": %.*s\n", SLICE_ARG(f->what));
}

static void tell_difference(void *ctx, enum store_space space, struct slice key, enum clone_difference how)
{
    static const char *const words[] = { [CLONE_MISSING] = "is missing in the copy", [CLONE_EXTRA] = "is in the copy only",
                                         [CLONE_CHANGED] = "is different in the copy" };
    struct copying *c = ctx;
    struct check_names **names = how == CLONE_EXTRA ? &c->to_names : &c->from_names;
    if (++c->shown > DIFFERENCES) return;
    end_progress();
    if (!*names) *names = check_names_open(how == CLONE_EXTRA ? c->o.to : c->o.from);
    if (*names) check_names_tell(*names, space, key, words[how], print_difference, NULL);
}

static void put_json_text(struct arena *a, const char *name, const char *text)
{
    struct buf b;
    buf_init(&b, a, 16384);
    json_put_string(&b, slice_str(text));
    printf("\"%s\":%.*s,", name, SLICE_ARG(buf_view(&b)));
}

static void print_result(const struct copying *c, const struct clone_report *copied, const struct clone_report *compared)
{
    struct arena *a = c->in->arena;
    if (c->in->shared.json) {
        fputs("{", stdout);
        put_json_text(a, "from", c->p->from.shown);
        put_json_text(a, "to", c->p->to.shown);
        printf("\"rows\":%llu,\"bytes\":%llu,\"written\":%llu,\"resumed\":%s,\"differing\":%llu,\"equal\":%s}\n",
               (unsigned long long)compared->rows, (unsigned long long)compared->bytes, (unsigned long long)copied->written,
               copied->resumed ? "true" : "false", (unsigned long long)compared->differing, compared->differing ? "false" : "true");
    } else if (!compared->differing) {
        if (copied->resumed) puts("an earlier copy was gone on with");
        printf("%s holds what %s holds: %.*s of %.*s, all compared\n", c->p->to.shown, c->p->from.shown,
               SLICE_ARG(counted(a, (double)compared->rows, "row", "rows")), SLICE_ARG(counted(a, (double)compared->bytes, "byte", "bytes")));
    }
}

/* ---- the work ---- */

static int compare(struct copying *c, struct clone_report *compared)
{
    char message[1024];
    int status = clone_compare(&c->o, compared, message, sizeof message);
    end_progress();
    if (status) return fail_at(c, status, message);
    if (store_was_alone(c->o.from) && store_was_alone(c->o.to)) return 0;
    return fail_error("the connection to PostgreSQL was lost on the way: others may have changed something meanwhile. Run the same command again");
}

static int judge(const struct copying *c, const struct clone_report *compared)
{
    const struct copy_options *o = c->in->options;
    char shown[64] = "";
    if (!compared->differing) return finish_output();
    if (compared->differing > DIFFERENCES) snprintf(shown, sizeof shown, ", of which the first %d are shown", DIFFERENCES);
    fail_error("%s and %s differ in %.*s%s%s", c->p->from.shown, c->p->to.shown,
               SLICE_ARG(counted(c->in->arena, (double)compared->differing, "row", "rows")), shown,
               o->verify ? "" : ": the source was changed while it was copied, or something is damaged. The same command puts right what differs");
    return EXIT_FINDINGS;
}

static int copy(struct copying *c)
{
    struct clone_report copied, compared;
    char message[1024];
    int status = clone_copy(&c->o, &copied, message, sizeof message);
    end_progress();
    if (status) return fail_at(c, status, message);
    int code = compare(c, &compared);
    if (code) return code;
    status = clone_finish(&c->o, !compared.differing, message, sizeof message);
    if (status) return fail_at(c, status, message);
    print_result(c, &copied, &compared);
    return judge(c, &compared);
}

static int verify(struct copying *c)
{
    const struct clone_report nothing = { 0 };
    struct clone_report compared;
    char message[1024];
    int status = clone_refuse(c->o.to, message, sizeof message);
    if (status) return fail_at(c, status, message);
    int code = compare(c, &compared);
    if (code) return code;
    print_result(c, &nothing, &compared);
    return judge(c, &compared);
}

int copy_stores(struct invocation *in, const struct copy_places *p)
{
    const struct copy_options *o = in->options;
    struct copying c = { .in = in, .p = p };
    char message[1024];
    c.o = (struct clone_options){ .source = source_name(in->arena, &p->from), .progress = tell_progress, .stop = stop_asked,
                                  .differs = tell_difference, .ctx = &c };
    int code = open_store(&p->from, false, &c.o.from);
    if (code) return code;
    if (clone_refuse(c.o.from, message, sizeof message))
        code = fail_error("%s: %s", p->from.shown, message);
    else if (!(code = open_store(&p->to, !o->verify, &c.o.to))) {
        service_watch_signals();
        code = o->verify ? verify(&c) : copy(&c);
        check_names_close(c.from_names);
        check_names_close(c.to_names);
        store_close(c.o.to);
    }
    store_close(c.o.from);
    return code;
}
