/* model_table.c: `onefold model table`: the table for other tools. */
#include "session.h"

struct table_options {
    const char *format, *output;
};
static const struct table_options defaults = { .format = "create-table" };

static const char *set_format(void *target, const char *value)
{
    static const char *const known[] = { "create-table", "cloudformation", "terraform" };
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(value, known[i]) != 0) continue;
        ((struct table_options *)target)->format = known[i];
        return NULL;
    }
    return "must be create-table, cloudformation or terraform";
}

static int print_table(struct session *s)
{
    const struct table_options *o = s->in->options;
    of_answer *report;
    of_error err;
    if (of_model_table(s->model, o->format, &report, &err)) return fail_of(&err);
    if (!s->in->shared.json || strcmp(o->format, "create-table") == 0) return print_text(s, report, o->output);
    struct buf b;
    buf_init(&b, s->arena, (size_t)1 << 24);
    BUF_LIT(&b, "{\"format\":");
    json_put_string(&b, slice_str(o->format));
    BUF_LIT(&b, ",\"text\":");
    json_put_string(&b, report_text(report));
    buf_u8(&b, '}');
    of_answer_free(report);
    return print_slice(buf_view(&b), o->output);
}

static int run(struct invocation *in)
{
    return with_model(in, print_table);
}

static const struct option_spec options[] = {
    { "format", "FORMAT", "create-table (default), cloudformation or terraform", .complete = COMPLETE_WORDS,
      .words = "create-table cloudformation terraform", .set = set_format },
    { "output", "FILE", "write to this file instead of standard output", offsetof(struct table_options, output),
      .complete = COMPLETE_FILE },
};

const struct command command_model_table = {
    .name = "model table",
    .summary = "print the table for CreateTable, CloudFormation, Terraform",
    .about = "Prints the model's table with its indexes as a CreateTable request (JSON, for\n"
             "'aws dynamodb create-table --cli-input-json'), for CloudFormation or for Terraform.\n",
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_JSON,
    .examples = "model table\n"
                "model table --format terraform --output table.tf\n",
    .run = run,
};
