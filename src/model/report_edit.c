/* report_edit.c: the edits of EditModel, read from JSON and made one after the other. */
#include "edit.h"
#include "jsonw.h"

#define EDITS_MOST  1000
#define JSON_LEVELS 64
#define WORK_MOST   ((size_t)16 << 20) /* bytes of text that all edits of one call read: each reads the whole of it */

static int bad(struct editor *ed, size_t number, const char *what, const char *wanted)
{
    return err_set(ed->err, ERR_ValidationException, "Edits[%zu]: %s must be %s", number, what, wanted);
}

/* One edit on its way. */
struct request {
    const struct json *json;
    size_t number;
};

static int take_text(struct editor *ed, const struct request *q, const char *name, struct slice *out)
{
    const struct json *m = json_get(q->json, slice_str(name));
    *out = slice_of(NULL, 0);
    if (!m || m->type != JSON_STRING || !m->text.n) return bad(ed, q->number, name, "a text");
    *out = m->text;
    return 0;
}

static int take_path(struct editor *ed, const struct request *q, struct edit_path *out)
{
    static const char *const wanted = "a list of names, such as [\"entities\", \"Order\"]";
    const struct json *m = JSON_GET(q->json, "Path");
    out->n = 0;
    if (!m || m->type != JSON_ARRAY) return bad(ed, q->number, "Path", wanted);
    for (const struct json *p = m->first; p; p = p->next) {
        if (out->n == EDIT_PATH_MAX) return bad(ed, q->number, "Path", "a list of at most 64 names");
        if (p->type != JSON_STRING && p->type != JSON_NUMBER) return bad(ed, q->number, "Path", wanted);
        out->parts[out->n++] = p->text;
    }
    return 0;
}

static int run_set(struct editor *ed, const struct request *q)
{
    struct edit_path path;
    const struct json *value = JSON_GET(q->json, "Value");
    int rc = take_path(ed, q, &path);
    if (rc) return rc;
    if (!value) return bad(ed, q->number, "Value", "there");
    return edit_set(ed, &path, value);
}

static int run_remove(struct editor *ed, const struct request *q)
{
    struct edit_path path;
    int rc = take_path(ed, q, &path);
    return rc ? rc : edit_remove(ed, &path);
}

static int run_accept(struct editor *ed, const struct request *q)
{
    struct slice pattern;
    const struct json *m = JSON_GET(q->json, "Proposal");
    size_t number = 0;
    int rc = take_text(ed, q, "Pattern", &pattern);
    if (rc) return rc;
    bool good = m && m->type == JSON_NUMBER && m->text.n < 6;
    for (size_t i = 0; good && i < m->text.n; i++) {
        good = m->text.p[i] >= '0' && m->text.p[i] <= '9';
        number = number * 10 + (size_t)(m->text.p[i] - '0');
    }
    return good ? edit_accept(ed, pattern, number) : bad(ed, q->number, "Proposal", "a whole number from 0");
}

static int run_rename(struct editor *ed, const struct request *q)
{
    struct edit_path path;
    struct slice to;
    int rc = take_path(ed, q, &path);
    if (!rc) rc = take_text(ed, q, "To", &to);
    return rc ? rc : edit_rename(ed, &path, to);
}

static int run_relate(struct editor *ed, const struct request *q)
{
    struct slice from, to, kind, through = { 0 };
    int rc = take_text(ed, q, "From", &from);
    if (!rc) rc = take_text(ed, q, "To", &to);
    if (!rc) rc = take_text(ed, q, "Kind", &kind);
    if (!rc && JSON_GET(q->json, "Through")) rc = take_text(ed, q, "Through", &through);
    if (rc) return rc;
    bool one = slice_eq(kind, SLICE("one-to-many"));
    if (!one && !slice_eq(kind, SLICE("many-to-many"))) return bad(ed, q->number, "Kind", "one-to-many or many-to-many");
    if (one && through.n) return bad(ed, q->number, "Kind", "many-to-many where there is a Through");
    return edit_relate(ed, from, to, one ? RELATE_ONE_TO_MANY : RELATE_MANY_TO_MANY, through);
}

static const struct {
    const char *name;
    int (*run)(struct editor *ed, const struct request *q);
    const char *members[6]; /* beside Op */
} operations[] = {
    { "set", run_set, { "Path", "Value" } },
    { "remove", run_remove, { "Path" } },
    { "rename", run_rename, { "Path", "To" } },
    { "accept", run_accept, { "Pattern", "Proposal" } },
    { "relate", run_relate, { "From", "To", "Kind", "Through" } },
};
#define OPERATIONS (sizeof operations / sizeof *operations)

static bool has_member(size_t operation, struct slice name)
{
    if (slice_eq(name, SLICE("Op"))) return true;
    for (const char *const *m = operations[operation].members; *m; m++)
        if (slice_eq(name, slice_str(*m))) return true;
    return false;
}

static int run_edit(struct editor *ed, const struct request *q)
{
    struct slice op;
    if (q->json->type != JSON_OBJECT) return bad(ed, q->number, "it", "an object with Op");
    int rc = take_text(ed, q, "Op", &op);
    if (rc) return rc;
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (!slice_eq(op, slice_str(operations[i].name))) continue;
        for (const struct json *m = q->json->first; m; m = m->next)
            if (!has_member(i, m->name))
                return err_set(ed->err, ERR_ValidationException, "Edits[%zu]: %.*s has no member %.*s", q->number, SLICE_ARG(op),
                               SLICE_ARG(m->name));
        return operations[i].run(ed, q);
    }
    return bad(ed, q->number, "Op", "set, remove, rename, accept or relate");
}

int report_edit(struct reporter *r, const struct edit_input *in)
{
    struct editor ed = { .arena = r->arena, .name = in->name, .files = in->files, .err = r->err };
    struct request q = { .number = 0 };
    const struct json *list = json_parse(r->arena, in->edits, JSON_LEVELS, NULL);
    if (!list || list->type != JSON_ARRAY) return err_set(r->err, ERR_ValidationException, "Edits must be a list of edits");
    if (list->count > EDITS_MOST) return err_set(r->err, ERR_ValidationException, "there may be at most %d Edits", EDITS_MOST);
    size_t work = 0;
    int rc = editor_open(&ed, in->text);
    for (q.json = list->first; !rc && q.json; q.json = q.json->next, q.number++) {
        if (q.number && (work += ed.text.n) > WORK_MOST)
            return err_set(r->err, ERR_ValidationException, "these are too many Edits for so long a text; send %zu at a time", q.number);
        rc = run_edit(&ed, &q);
    }
    if (rc) return rc;
    js_open(r->out, NULL, '{');
    js_string(r->out, "text", ed.text);
    js_open(r->out, "notes", '[');
    for (size_t i = 0; i < ed.n_notes; i++) js_string(r->out, NULL, ed.notes[i]);
    js_close(r->out, ']');
    js_close(r->out, '}');
    return 0;
}
