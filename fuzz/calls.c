/* calls.c: see calls.h. */
#include "calls.h"
#include <unistd.h>
#include "fuzz.h"

static int64_t still(void *ctx)
{
    (void)ctx;
    return 1767225600000;
}

const struct engine_options calls_options = { .now_ms = still, .uncounted = true };

struct slice calls_line(struct slice *in)
{
    const uint8_t *end = in->n ? memchr(in->p, '\n', in->n) : NULL;
    struct slice line = fuzz_bytes(in, end ? (size_t)(end - in->p) : in->n);
    fuzz_bytes(in, 1);
    return line;
}

struct slice calls_ask(struct engine *engine, struct arena *a, const char *operation, struct slice body)
{
    struct call call = { 0 };
    if (!call_prepare(&call, engine, a, (struct caller){ 0 }, slice_str(operation), body)) call_run(&call);
    struct slice answer = arena_dup(a, call_answer(&call));
    if (call.err.code) fprintf(stderr, "%s: %.*s\n", operation, SLICE_ARG(answer));
    CHECK(!call.err.code);
    call_end(&call);
    return answer;
}

void calls_create(struct engine *engine, struct arena *a, struct slice lines)
{
    for (struct slice line; (line = calls_line(&lines)).n;) {
        const struct json *name = JSON_GET(json_parse(a, line, 20, NULL), "TableName"), *now;
        calls_ask(engine, a, "CreateTable", line);
        struct slice question = arena_printf(a, "{\"TableName\":\"%.*s\"}", SLICE_ARG(name->text));
        while (now = JSON_GET(json_parse(a, calls_ask(engine, a, "DescribeTable", question), 20, NULL), "Table"),
               !slice_eq(JSON_GET(now, "TableStatus")->text, SLICE("ACTIVE")))
            usleep(1000);
    }
}
