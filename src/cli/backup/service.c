/* service.c: see service.h. */
#include "service.h"
#include "../../item/item_json.h"
#include <signal.h>
#include <time.h>

#define MOST_WAIT_MS 500
#define BODY_MAX     ((size_t)16 << 20)

static volatile sig_atomic_t stop_asked;

static void on_signal(int number)
{
    (void)number;
    stop_asked = 1;
}

void service_watch_signals(void)
{
    struct sigaction a = { .sa_handler = on_signal, .sa_flags = SA_RESTART | (int)SA_RESETHAND };
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

bool service_stop_asked(void)
{
    return stop_asked != 0;
}

static bool is_interrupted(const struct service *s)
{
    if (!stop_asked || s->cleaning) return false;
    end_progress();
    fail_error("interrupted: %s", s->fate ? s->fate : "what it had made is taken away again");
    return true;
}

int service_fail(const struct service *s, const char *fmt, ...)
{
    char text[4096]; /* a longer message is cut: the service's own are short */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    end_progress();
    return fail_error("%s%s%s", text, s->fate ? "; " : "", s->fate ? s->fate : "");
}

int service_try(struct service *s, struct arena *a, const char *operation, struct slice body, const struct json **out, struct err *e)
{
    *e = (struct err){ .arena = a };
    *out = NULL;
    if (is_interrupted(s)) return EXIT_ERROR;
    if (!api_call(s->api, a, slice_str(operation), body, out, e)) return 0;
    if (e->code == ERR_AccessDeniedException) s->refusal = arena_dup(s->kept, e->message);
    return EXIT_ERROR;
}

int service_call(struct service *s, struct arena *a, const char *operation, struct slice body, const struct json **out)
{
    struct err e;
    int code = service_try(s, a, operation, body, out, &e);
    if (code && e.code) service_fail(s, "%s: %.*s", operation, SLICE_ARG(e.message));
    return code;
}

int service_do(struct service *s, struct arena *a, const char *operation, struct slice body)
{
    struct err e = { .arena = a };
    struct slice nothing;
    if (is_interrupted(s)) return EXIT_ERROR;
    if (!s->api->call(s->api, a, slice_str(operation), body, &nothing, &e)) return 0;
    return service_fail(s, "%s: %.*s", operation, SLICE_ARG(e.message));
}

struct slice service_text(struct arena *a, const char *name, struct slice text)
{
    struct buf b;
    buf_init(&b, a, BODY_MAX);
    buf_printf(&b, "{\"%s\":", name);
    json_put_string(&b, text);
    buf_u8(&b, '}');
    return buf_view(&b);
}

uint64_t service_number(const struct json *object, const char *name)
{
    double v = json_double(object, name, 0);
    return v > 0 ? (uint64_t)v : 0;
}

/* ---- waiting ---- */

void service_rest(unsigned *ms)
{
    struct timespec t = { .tv_sec = *ms / 1000, .tv_nsec = (long)(*ms % 1000) * 1000000 };
    if (*ms < MOST_WAIT_MS) *ms *= 2;
    nanosleep(&t, NULL); /* a signal ends it sooner, and the next call sees that */
}

int service_describe(struct service *s, struct arena *a, struct slice table, const struct json **out)
{
    struct err e;
    const struct json *answer;
    *out = NULL;
    int code = service_try(s, a, "DescribeTable", service_text(a, "TableName", table), &answer, &e);
    if (code && e.code == ERR_ResourceNotFoundException) return 0;
    if (code && e.code) fail_error("DescribeTable: %.*s", SLICE_ARG(e.message));
    if (!code) *out = JSON_GET(answer, "Table");
    return code;
}

static bool is_ready(const struct json *table)
{
    const struct json *list = JSON_GET(table, "GlobalSecondaryIndexes");
    if (!slice_eq(json_text(table, "TableStatus"), SLICE("ACTIVE"))) return false;
    for (const struct json *i = list ? list->first : NULL; i; i = i->next) {
        if (!slice_eq(json_text(i, "IndexStatus"), SLICE("ACTIVE"))) return false;
    }
    return true;
}

/* The server has no way to say why: what it was making is not there any more. */
static int gave_up(struct service *s, struct slice table, const char *what)
{
    s->damage = arena_printf(s->kept, "%s: its data is damaged, if nobody deleted that, and the server's log says so ('onefold help check')", what);
    end_progress();
    return fail_error("%.*s: %.*s", SLICE_ARG(table), SLICE_ARG(s->damage));
}

/* *out NULL: it is gone. */
static int wait_active(struct service *s, struct slice table, const struct json **out)
{
    unsigned ms = SERVICE_FIRST_WAIT_MS;
    for (;;) {
        arena_reset(s->scratch);
        int code = service_describe(s, s->scratch, table, out);
        if (code || !*out || is_ready(*out)) return code;
        show_progress(NULL, "items in the server's own copy", service_number(*out, "ItemCount"), 0);
        service_rest(&ms);
    }
}

int service_wait_active(struct service *s, struct slice table, const struct json **out)
{
    int code = wait_active(s, table, out);
    return code || *out ? code : fail_error("the table %.*s was deleted while it was being filled", SLICE_ARG(table));
}

int service_wait_copy(struct service *s, struct slice table, const struct json **out)
{
    int code = wait_active(s, table, out);
    return code || *out ? code : gave_up(s, table, "the server's copy is gone, which was being filled");
}

struct slice service_backed_up(struct slice arn)
{
    const struct slice before = SLICE(":table/"), behind = SLICE("/backup/");
    const uint8_t *at = memmem(arn.p, arn.n, before.p, before.n), *name = at ? at + before.n : NULL;
    const uint8_t *end = name ? memmem(name, arn.n - (size_t)(name - arn.p), behind.p, behind.n) : NULL;
    return end ? slice_of(name, (size_t)(end - name)) : slice_of(NULL, 0);
}

static int no_backup(struct service *s, struct slice arn, const struct err *e, bool begun)
{
    if (begun && e->code == ERR_BackupNotFoundException) return gave_up(s, service_backed_up(arn), "the server gave the backup of it up");
    end_progress();
    return fail_error("DescribeBackup: %.*s", SLICE_ARG(e->message));
}

int service_wait_backup(struct service *s, struct slice arn, bool begun, const struct json **out)
{
    unsigned ms = SERVICE_FIRST_WAIT_MS;
    for (;; begun = true) {
        const struct json *answer;
        struct err e;
        arena_reset(s->scratch);
        int code = service_try(s, s->scratch, "DescribeBackup", service_text(s->scratch, "BackupArn", arn), &answer, &e);
        if (code) return e.code ? no_backup(s, arn, &e, begun) : code;
        *out = JSON_GET(answer, "BackupDescription");
        if (!slice_eq(json_text(JSON_GET(*out, "BackupDetails"), "BackupStatus"), SLICE("CREATING"))) return 0;
        show_progress(NULL, "items are being backed up", service_number(JSON_GET(*out, "SourceTableDetails"), "ItemCount"), 0);
        service_rest(&ms);
    }
}

/* ---- taking away ---- */

/* It may still be copied, or read by a copy; gone is as good as deleted. */
static int drop(struct service *s, const char *operation, struct slice body)
{
    unsigned ms = SERVICE_FIRST_WAIT_MS;
    for (;;) {
        const struct json *answer;
        struct err e;
        int code = service_try(s, s->scratch, operation, body, &answer, &e);
        if (!code || e.code == ERR_ResourceNotFoundException || e.code == ERR_BackupNotFoundException) return 0;
        if (e.code != ERR_ResourceInUseException && e.code != ERR_BackupInUseException)
            return fail_error("%s: %.*s", operation, SLICE_ARG(e.message));
        service_rest(&ms);
    }
}

static int wait_gone(struct service *s, struct slice table)
{
    unsigned ms = SERVICE_FIRST_WAIT_MS;
    const struct json *there;
    for (;;) {
        arena_reset(s->scratch);
        int code = service_describe(s, s->scratch, table, &there);
        if (code || !there) return code;
        service_rest(&ms);
    }
}

int service_drop_table(struct service *s, struct slice table)
{
    bool before = s->cleaning;
    s->cleaning = true;
    int code = drop(s, "DeleteTable", service_text(s->kept, "TableName", table));
    if (!code) code = wait_gone(s, table);
    s->cleaning = before;
    return code;
}

int service_drop_backup(struct service *s, struct slice arn)
{
    bool before = s->cleaning;
    s->cleaning = true;
    int code = drop(s, "DeleteBackup", service_text(s->kept, "BackupArn", arn));
    s->cleaning = before;
    return code;
}

/* ---- reading ---- */

static int give(struct service *s, const struct json *page, service_item_fn *fn, void *ctx)
{
    const struct json *items = JSON_GET(page, "Items");
    for (const struct json *i = items ? items->first : NULL; i; i = i->next) {
        struct err e = { .arena = s->scratch };
        struct slice item;
        if (item_from_json(s->scratch, i, &item, &e)) return service_fail(s, "Scan answered with what is no item: %.*s", SLICE_ARG(e.message));
        int code = fn(ctx, item);
        if (code) return code;
    }
    return 0;
}

static struct slice scan_body(struct service *s, struct slice table, struct slice index, struct slice after)
{
    struct buf b;
    buf_init(&b, s->scratch, BODY_MAX);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, table);
    if (index.n) {
        BUF_LIT(&b, ",\"IndexName\":");
        json_put_string(&b, index);
    } else {
        BUF_LIT(&b, ",\"ConsistentRead\":true");
    }
    if (after.n) {
        BUF_LIT(&b, ",\"ExclusiveStartKey\":");
        buf_slice(&b, after);
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

static struct slice text_of(struct arena *a, const struct json *node)
{
    struct buf b;
    if (!node) return slice_of(NULL, 0);
    buf_init(&b, a, BODY_MAX);
    json_put(&b, node);
    return buf_view(&b);
}

int service_scan_page(struct service *s, struct slice table, struct slice index, struct arena *place, struct slice *after, service_item_fn *fn,
                      void *ctx)
{
    const struct json *page;
    arena_reset(s->scratch);
    int code = service_call(s, s->scratch, "Scan", scan_body(s, table, index, *after), &page);
    if (!code) code = give(s, page, fn, ctx);
    if (code) return code;
    arena_reset(place);
    *after = text_of(place, JSON_GET(page, "LastEvaluatedKey"));
    return 0;
}

int service_scan(struct service *s, struct slice table, struct slice index, service_item_fn *fn, void *ctx)
{
    struct arena place; /* where the next page begins; the rest goes with each page */
    struct slice after = { NULL, 0 };
    int code;
    arena_init(&place, BODY_MAX);
    do code = service_scan_page(s, table, index, &place, &after, fn, ctx);
    while (!code && after.n);
    arena_free(&place);
    return code;
}
