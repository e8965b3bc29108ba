/* model_schema.c: `onefold model schema`: the JSON Schema of model files. */
#include "session.h"

struct schema_options {
    const char *output;
};
static const struct schema_options defaults;

static int run(struct invocation *in)
{
    const struct schema_options *o = in->options;
    struct session s = { .in = in, .arena = in->arena };
    of_answer *report;
    of_error err;
    if (of_model_schema(&report, &err)) return fail_of(&err);
    int code = print_text(&s, report, o->output);
    return code ? code : finish_output();
}

static const struct option_spec options[] = {
    { "output", "FILE", "write to this file instead of standard output", offsetof(struct schema_options, output),
      .complete = COMPLETE_FILE },
};

const struct command command_model_schema = {
    .name = "model schema",
    .summary = "print the JSON Schema of model files",
    .about = "Prints the JSON Schema of model files. An editor with a YAML language server uses it where\n"
             "the model's first line is\n"
             "\n"
             "  # yaml-language-server: $schema=./onefold.schema.json\n",
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON,
    .examples = "model schema --output onefold.schema.json\n",
    .run = run,
};
