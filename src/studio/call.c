/* call.c: runs one call: reads its JSON, looks it up, runs it, answers in DynamoDB's envelope. */
#include "call.h"
#include <assert.h>

/* ---- members ---- */

static int wrong_type(struct studio_call *c, const char *name, const char *wanted)
{
    return err_set(&c->err, ERR_ValidationException, "%s must be %s", name, wanted);
}

static int missing(struct studio_call *c, const char *name)
{
    return err_set(&c->err, ERR_ValidationException, "%s is missing", name);
}

const struct json *call_member(struct studio_call *c, const char *name)
{
    const struct json *m = json_get(c->request, slice_str(name));
    return m && m->type == JSON_NULL ? NULL : m;
}

int call_text(struct studio_call *c, const char *name, bool required, struct slice *out)
{
    const struct json *m = call_member(c, name);
    *out = slice_of(NULL, 0);
    if (!m) return required ? missing(c, name) : 0;
    if (m->type != JSON_STRING) return wrong_type(c, name, "a string");
    *out = m->text.p ? m->text : SLICE("");
    return 0;
}

int call_string(struct studio_call *c, const char *name, bool required, const char **out)
{
    struct slice text;
    *out = NULL;
    int rc = call_text(c, name, required, &text);
    if (rc || !text.p) return rc;
    if (text.n && memchr(text.p, 0, text.n)) return wrong_type(c, name, "text without a NUL character");
    *out = (const char *)arena_printf(c->arena, "%.*s", SLICE_ARG(text)).p;
    return 0;
}

int call_bool(struct studio_call *c, const char *name, bool *out)
{
    const struct json *m = call_member(c, name);
    *out = m && m->type == JSON_TRUE;
    return !m || m->type == JSON_TRUE || m->type == JSON_FALSE ? 0 : wrong_type(c, name, "true or false");
}

int call_count(struct studio_call *c, const char *name, uint32_t most, uint32_t *out)
{
    const struct json *m = call_member(c, name);
    uint64_t n = 0;
    *out = 0;
    if (!m) return 0;
    bool good = m->type == JSON_NUMBER && m->text.n && m->text.n <= 9;
    for (size_t i = 0; good && i < m->text.n; i++) {
        good = m->text.p[i] >= '0' && m->text.p[i] <= '9';
        n = n * 10 + (uint64_t)(m->text.p[i] - '0');
    }
    if (!good || n > most) {
        return err_set(&c->err, ERR_ValidationException, "%s must be a whole number from 0 to %u", name, most);
    }
    *out = (uint32_t)n;
    return 0;
}

int call_files(struct studio_call *c, const of_file **files, size_t *n)
{
    const struct json *m = call_member(c, "Files");
    *n = 0;
    *files = NULL;
    if (!m) return 0;
    if (m->type != JSON_OBJECT) return wrong_type(c, "Files", "an object of file names and texts");
    if (m->count > STUDIO_FILES_MAX) return err_set(&c->err, ERR_ValidationException, "Files may be at most %d", STUDIO_FILES_MAX);
    of_file *list = ARENA_ARRAY(c->arena, of_file, m->count + 1);
    for (const struct json *f = m->first; f; f = f->next) {
        if (f->type != JSON_STRING) return wrong_type(c, "Files", "an object of file names and texts");
        list[(*n)++] = (of_file){ (const char *)arena_printf(c->arena, "%.*s", SLICE_ARG(f->name)).p,
                                  (const char *)f->text.p, f->text.n };
    }
    *files = list;
    return 0;
}

int call_source(struct studio_call *c, struct model_source *out)
{
    int rc = call_text(c, "Text", true, &out->text);
    return rc ? rc : call_files(c, &out->files, &out->n_files);
}

static void release_model(void *p)
{
    of_model_close(p);
}

int call_model(struct studio_call *c, of_model **out)
{
    struct model_source s;
    int rc = call_source(c, &s);
    if (rc) return rc;
    if (of_model_parse_with(out, (const char *)s.text.p, (ptrdiff_t)s.text.n, "model", s.files, s.n_files, &c->of))
        return call_failed(c);
    call_own(c, *out, release_model);
    return 0;
}

/* ---- answers ---- */

int call_failed(struct studio_call *c)
{
    enum err_code code = err_from_name(slice_str(c->of.type));
    return err_set(&c->err, code ? code : ERR_InternalServerError, "%s", c->of.message);
}

void call_own(struct studio_call *c, void *p, void (*release)(void *p))
{
    assert(c->n_owned < STUDIO_OWNED_MAX);
    c->owned[c->n_owned].p = p;
    c->owned[c->n_owned++].release = release;
}

static void release_answer(void *p)
{
    of_answer_free(p);
}

static void release_item(void *p)
{
    of_item_free(p);
}

struct slice call_keep(struct studio_call *c, of_answer *a)
{
    size_t n;
    call_own(c, a, release_answer);
    const char *body = of_answer_body(a, &n);
    return slice_of(body, n);
}

void call_put(struct studio_call *c, const char *name, of_answer *a)
{
    struct slice json = call_keep(c, a);
    js_name(&c->out, name);
    buf_slice(&c->out, json);
}

void call_own_item(struct studio_call *c, of_item *item)
{
    if (item) call_own(c, item, release_item);
}

of_item *call_item(struct studio_call *c)
{
    of_item *item = of_item_new();
    call_own_item(c, item);
    if (!item) err_set(&c->err, ERR_InternalServerError, "out of memory");
    return item;
}

static void release_all(struct studio_call *c)
{
    while (c->n_owned) {
        c->n_owned--;
        c->owned[c->n_owned].release(c->owned[c->n_owned].p);
    }
}

/* ---- running it ---- */

static const struct studio_operation *operation_named(struct slice name)
{
    for (const struct studio_operation *o = studio_operations; o->name; o++)
        if (slice_eq(slice_str(o->name), name)) return o;
    return NULL;
}

bool studio_knows(struct slice operation)
{
    return operation_named(operation) != NULL;
}

static bool listed(const char *members, struct slice name)
{
    for (const char *at = members; *at;) {
        size_t n = strcspn(at, " ");
        if (n == name.n && memcmp(at, name.p, n) == 0) return true;
        at += n + strspn(at + n, " ");
    }
    return false;
}

static int run(struct studio_call *c, struct slice operation, struct slice body)
{
    const struct studio_operation *o = operation_named(operation);
    if (!o) return err_set(&c->err, ERR_UnknownOperationException, "there is no call %.*s; docs/studio-api.md lists them",
                           SLICE_ARG(operation));
    c->request = json_parse(c->arena, body.n ? body : SLICE("{}"), STUDIO_DEPTH, NULL);
    if (!c->request || c->request->type != JSON_OBJECT)
        return err_set(&c->err, ERR_SerializationException, "the body must be a JSON object");
    for (const struct json *m = c->request->first; m; m = m->next) {
        if (!listed(o->members, m->name))
            return err_set(&c->err, ERR_ValidationException, "%s has no member %.*s; it takes: %s", o->name,
                           SLICE_ARG(m->name), *o->members ? o->members : "none");
    }
    return o->run(c);
}

static void put_error(struct studio_call *c, struct guest_answer *out)
{
    buf_init(&c->out, c->arena, STUDIO_ANSWER_MAX);
    buf_printf(&c->out, "{\"__type\":\"%s#%s\",\"message\":", err_namespace(c->err.code), err_name(c->err.code));
    json_put_string(&c->out, c->err.message);
    buf_slice(&c->out, c->err.detail);
    buf_u8(&c->out, '}');
    out->status = err_status(c->err.code);
}

void studio_run(void *ctx, struct arena *a, struct slice operation, struct slice body, struct guest_answer *out)
{
    struct studio_call *c = ARENA_NEW(a, struct studio_call);
    volatile bool whole = false;
    c->studio = ctx;
    c->arena = c->err.arena = a;
    if (ARENA_GUARD(a)) { /* what the call holds beside the arena is given back here */
        buf_init(&c->out, a, STUDIO_ANSWER_MAX);
        if (run(c, operation, body)) put_error(c, out);
        out->changed = c->changed;
        out->body = buf_view(&c->out);
        whole = true;
    }
    arena_unguard(a);
    release_all(c);
    if (!whole) arena_fail(a);
}
