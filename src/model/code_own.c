/* code_own.c: a pattern as an `onefold run` command, and as a C program with libonefold: both read the model's file. */
#include "code_impl.h"

#define MODEL_FILE "onefold.yaml"

int code_onefold(struct code *c, struct err *e)
{
    struct buf *b = c->out;
    code_header(c, "#");
    BUF_LIT(b, "onefold run ");
    code_shell_word(b, c->plan->pattern->name);
    for (size_t i = 0; i < c->n_inputs; i++) {
        struct slice value = c->inputs[i].value;
        if (value.n && memchr(value.p, 0, value.n)) {
            return err_set(e, ERR_ValidationException, "%.*s holds a NUL character, which no command line can", SLICE_ARG(c->inputs[i].name));
        }
        BUF_LIT(b, " ");
        code_shell_word(b, arena_printf(c->arena, "%.*s=%.*s", SLICE_ARG(c->inputs[i].name), SLICE_ARG(value)));
    }
    BUF_LIT(b, " --model " MODEL_FILE " --endpoint ");
    code_shell_word(b, c->endpoint.n ? c->endpoint : SLICE("aws"));
    BUF_LIT(b, " --region us-east-1 --json\n");
    return 0;
}

static void put_define(struct buf *b, const char *name, struct slice value)
{
    buf_printf(b, "#define %s ", name);
    code_c_quoted(b, value);
    BUF_LIT(b, "\n");
}

static void put_input(struct buf *b, const struct attr *input)
{
    BUF_LIT(b, "    if (!rc) rc = of_pattern_set(model, PATTERN, inputs, ");
    code_c_quoted(b, input->name);
    BUF_LIT(b, ", -1, ");
    code_c_quoted(b, input->value);
    if (input->value.n && memchr(input->value.p, 0, input->value.n)) buf_printf(b, ", %zu", input->value.n);
    else BUF_LIT(b, ", -1");
    BUF_LIT(b, ", &err);\n");
}

int code_c(struct code *c, struct err *e)
{
    struct buf *b = c->out;
    (void)e;
    code_header(c, "//");
    BUF_LIT(b, "// cc -o ask ask.c $(pkg-config --cflags --libs libonefold)\n"
               "#include <onefold.h>\n"
               "#include <stdio.h>\n\n");
    put_define(b, "MODEL", SLICE(MODEL_FILE));
    put_define(b, "ENDPOINT", c->endpoint.n ? c->endpoint : SLICE("aws"));
    put_define(b, "REGION", SLICE("us-east-1"));
    put_define(b, "PATTERN", c->plan->pattern->name);
    BUF_LIT(b, "\nint main(void)\n{\n"
               "    of_error err = { .message = \"out of memory\" };\n"
               "    of_db *db = NULL;\n"
               "    of_model *model = NULL;\n"
               "    of_answer *answer = NULL;\n"
               "    of_item *inputs = of_item_new();\n"
               "    int rc = inputs ? OF_OK : OF_NO_MEMORY;\n"
               "    if (!rc) rc = of_connect(&db, &(of_remote_options){ .endpoint = ENDPOINT, .region = REGION }, &err);\n"
               "    if (!rc) rc = of_model_open(&model, MODEL, &err);\n");
    for (size_t i = 0; i < c->n_inputs; i++) put_input(b, &c->inputs[i]);
    BUF_LIT(b, "    if (!rc) rc = of_pattern_run(model, db, PATTERN, inputs, NULL, &answer, &err);\n"
               "    if (rc) fprintf(stderr, \"%s\\n\", err.message);\n"
               "    else puts(of_answer_body(answer, NULL));\n"
               "    of_answer_free(answer);\n"
               "    of_model_close(model);\n"
               "    of_close(db);\n"
               "    of_item_free(inputs);\n"
               "    return rc != OF_OK;\n"
               "}\n");
    return 0;
}
