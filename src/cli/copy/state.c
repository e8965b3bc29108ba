/* state.c: how far a copy got, in a file beside the current directory's others; see online.h. It is written anew each time, under another
 * name, and then takes the place of the one before: so it is always a whole one. */
#include "online.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE_MAX ((size_t)64 << 20)
#define MAX_DEPTH 64

static const char *const phases[] = { [PHASE_SCAN] = "scan", [PHASE_INDEX] = "index", [PHASE_FOLLOW] = "follow", [PHASE_DONE] = "done" };

/* ---- writing ---- */

static void put_member(struct buf *b, const char *name, struct slice text)
{
    buf_printf(b, ",\"%s\":", name);
    json_put_string(b, text);
}

static void put_shards(struct buf *b, const struct copied *t)
{
    BUF_LIT(b, ",\"shards\":[");
    for (size_t i = 0; i < t->n_shards; i++) {
        const struct copy_shard *s = &t->shards[i];
        buf_printf(b, "%s{\"ended\":%s", i ? "," : "", s->ended ? "true" : "false");
        put_member(b, "id", s->id);
        put_member(b, "after", slice_str(s->after));
        buf_u8(b, '}');
    }
    buf_u8(b, ']');
}

static void put_table(struct buf *b, const struct copied *t)
{
    buf_printf(b, "\n{\"phase\":\"%s\",\"ours\":%s,\"items\":%llu,\"changes\":%llu", phases[t->phase], t->ours ? "true" : "false",
               (unsigned long long)t->items, (unsigned long long)t->changes);
    put_member(b, "table", t->name);
    put_member(b, "stream", t->stream);
    BUF_LIT(b, ",\"definition\":");
    buf_slice(b, t->definition);
    if (t->after.n) {
        BUF_LIT(b, ",\"after\":");
        buf_slice(b, t->after);
    }
    put_shards(b, t);
    buf_u8(b, '}');
}

static int write_file(const char *path, struct slice text)
{
    char next[4096];
    int n = snprintf(next, sizeof next, "%s.new", path);
    FILE *f = n > 0 && (size_t)n < sizeof next ? fopen(next, "we") : NULL;
    if (!f) return fail_error("cannot write %s: %s", path, strerror(errno));
    bool written = fwrite(text.p, 1, text.n, f) == text.n && !fflush(f) && !fsync(fileno(f));
    int error = errno;
    if (fclose(f) && written) {
        written = false;
        error = errno;
    }
    if (written && !rename(next, path)) return 0;
    if (written) error = errno;
    unlink(next);
    return fail_error("cannot write %s: %s", path, strerror(error));
}

int state_write(const struct online *o)
{
    struct arena a;
    struct buf b;
    volatile int code = EXIT_ERROR;
    if (!o->state) return 0;
    arena_init(&a, STATE_MAX);
    if (ARENA_GUARD(&a)) {
        buf_init(&b, &a, STATE_MAX);
        BUF_LIT(&b, "{\"version\":1");
        put_member(&b, "from", slice_str(o->p->from.shown));
        put_member(&b, "to", slice_str(o->p->to.shown));
        BUF_LIT(&b, ",\"tables\":[");
        for (size_t i = 0; i < o->n; i++) {
            if (i) buf_u8(&b, ',');
            put_table(&b, &o->tables[i]);
        }
        BUF_LIT(&b, "]}\n");
        code = write_file(o->state, buf_view(&b));
    } else {
        fail_error("out of memory");
    }
    arena_unguard(&a);
    arena_free(&a);
    return code;
}

void state_remove(const struct online *o)
{
    if (o->state) unlink(o->state);
}

/* ---- reading ---- */

static struct slice text_of(struct arena *a, const struct json *node)
{
    struct buf b;
    if (!node) return slice_of(NULL, 0);
    buf_init(&b, a, STATE_MAX);
    json_put(&b, node);
    return buf_view(&b);
}

static void take_shards(struct online *o, struct copied *t, const struct json *list)
{
    t->room = list ? list->count : 0;
    t->shards = ARENA_ARRAY(o->from.kept, struct copy_shard, t->room + 1);
    for (const struct json *i = list ? list->first : NULL; i; i = i->next) {
        struct copy_shard *s = &t->shards[t->n_shards++];
        struct slice after = json_text(i, "after");
        s->id = json_text(i, "id");
        s->ended = json_flag(i, "ended");
        if (after.n < sizeof s->after) snprintf(s->after, sizeof s->after, "%.*s", SLICE_ARG(after));
    }
}

static void take_table(struct online *o, struct copied *t, const struct json *told)
{
    struct slice phase = json_text(told, "phase");
    for (size_t i = 0; i < COUNT(phases); i++)
        if (slice_eq(phase, slice_str(phases[i]))) t->phase = (enum copy_phase)i;
    t->name = json_text(told, "table");
    t->stream = json_text(told, "stream");
    t->ours = json_flag(told, "ours");
    t->items = service_number(told, "items");
    t->changes = service_number(told, "changes");
    t->definition = text_of(o->from.kept, JSON_GET(told, "definition"));
    arena_init(&t->place, STATE_MAX);
    t->after = text_of(&t->place, JSON_GET(told, "after"));
    take_shards(o, t, JSON_GET(told, "shards"));
}

static int take_state(struct online *o, const struct json *tree)
{
    const struct json *list = tree ? JSON_GET(tree, "tables") : NULL;
    if (!list) return fail_error("%s cannot be read: delete it to begin anew", o->state);
    if (!slice_eq(json_text(tree, "from"), slice_str(o->p->from.shown)) || !slice_eq(json_text(tree, "to"), slice_str(o->p->to.shown)))
        return fail_error("%s is of a copy from %.*s to %.*s: give another file with --state", o->state, SLICE_ARG(json_text(tree, "from")),
                          SLICE_ARG(json_text(tree, "to")));
    o->tables = ARENA_ARRAY(o->from.kept, struct copied, list->count);
    for (const struct json *i = list->first; i; i = i->next) take_table(o, &o->tables[o->n++], i);
    return 0;
}

int state_read(struct online *o)
{
    struct stat st;
    FILE *f = fopen(o->state, "re");
    o->n = 0;
    if (!f && errno == ENOENT) return 0;
    if (!f || fstat(fileno(f), &st) || (size_t)st.st_size > STATE_MAX) {
        if (f) fclose(f);
        return fail_error("cannot read %s", o->state);
    }
    uint8_t *text = arena_bytes(o->from.kept, (size_t)st.st_size + 1);
    size_t n = fread(text, 1, (size_t)st.st_size, f);
    fclose(f);
    return take_state(o, json_parse(o->from.kept, slice_of(text, n), MAX_DEPTH, NULL));
}
