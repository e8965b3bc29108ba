/* model_docs.c: `onefold model docs`: the key document and the diagram. */
#include "session.h"

struct docs_options {
    const char *format, *output;
};
static const struct docs_options defaults = { .format = "markdown" };

static const char *set_format(void *target, const char *value)
{
    static const char *const known[] = { "markdown", "svg", "mermaid", "json" };
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(value, known[i]) != 0) continue;
        ((struct docs_options *)target)->format = known[i];
        return NULL;
    }
    return "must be markdown, svg, mermaid or json";
}

static int docs(struct session *s)
{
    const struct docs_options *o = s->in->options;
    of_answer *report;
    of_error err;
    const char *format = s->in->shared.json ? "json" : o->format;
    if (of_model_docs(s->model, format, &report, &err)) return fail_of(&err);
    return print_text(s, report, o->output);
}

static int run(struct invocation *in)
{
    return with_model(in, docs);
}

static const struct option_spec options[] = {
    { "format", "FORMAT", "markdown (default), svg, mermaid or json", .complete = COMPLETE_WORDS,
      .words = "markdown svg mermaid json", .set = set_format },
    { "output", "FILE", "write to this file instead of standard output", offsetof(struct docs_options, output),
      .complete = COMPLETE_FILE },
};

const struct command command_model_docs = {
    .name = "model docs",
    .summary = "write the key document and the diagram",
    .about = "Documents the model: entities, keys, indexes, access patterns and sample rows as\n"
             "Markdown, or a diagram as SVG or Mermaid.\n",
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_JSON,
    .examples = "model docs --output keys.md\n"
                "model docs --format svg --output keys.svg\n",
    .run = run,
};
