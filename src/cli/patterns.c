/* patterns.c: `onefold patterns`: the pattern library. */
#include "patterns.h"
#include <errno.h>
#include <sys/stat.h>

const struct json *patterns_list(struct arena *a)
{
    of_answer *report;
    of_error err;
    if (of_patterns(&report, &err)) {
        fail_of(&err);
        return NULL;
    }
    struct slice text = arena_dup(a, report_text(report));
    of_answer_free(report);
    return json_parse(a, text, 10, NULL);
}

const struct json *patterns_find(struct arena *a, const char *name)
{
    const struct json *list = patterns_list(a);
    const char **names = ARENA_ARRAY(a, const char *, (list ? list->count : 0) + 1);
    size_t n = 0;
    for (const struct json *p = list ? list->first : NULL; p; p = p->next) {
        if (slice_eq(json_text(p, "name"), slice_str(name))) return p;
        names[n++] = (const char *)arena_printf(a, "%.*s", SLICE_ARG(json_text(p, "name"))).p;
    }
    const char *near = nearest(name, names, n);
    if (near)
        fail_error("the library has no pattern '%s'; did you mean '%s'?", name, near);
    else
        fail_error("the library has no pattern '%s'; 'onefold patterns' lists them", name);
    return NULL;
}

static int write_file(const char *path, struct slice text)
{
    FILE *f = fopen(path, "wx");
    if (!f) return fail_error("cannot write %s: %s", path, strerror(errno));
    size_t n = fwrite(text.p, 1, text.n, f);
    return fclose(f) || n != text.n ? fail_error("cannot write %s: %s", path, strerror(errno)) : EXIT_OK;
}

/* The copied model names its schema beside itself. */
static struct slice with_schema_beside(struct arena *a, struct slice text)
{
    static const char mark[] = "$schema=";
    const uint8_t *at = memmem(text.p, text.n, mark, sizeof mark - 1);
    const uint8_t *end = at ? memchr(at, '\n', (size_t)(text.p + text.n - at)) : NULL;
    if (!end) return text;
    return arena_printf(a, "%.*s./onefold.schema.json%.*s", (int)(at - text.p + (ptrdiff_t)sizeof mark - 1),
                        (const char *)text.p, (int)(text.p + text.n - end), (const char *)end);
}

int patterns_write(struct arena *a, const struct json *pattern, const char *folder)
{
    const struct json *files = JSON_GET(pattern, "files");
    for (const struct json *f = files ? files->first : NULL; f; f = f->next) {
        of_answer *text;
        of_error err;
        const char *name = (const char *)arena_printf(a, "%.*s", SLICE_ARG(json_text(pattern, "name"))).p;
        const char *file = (const char *)arena_printf(a, "%.*s", SLICE_ARG(f->text)).p;
        if (of_patterns_file(name, file, &text, &err)) return fail_of(&err);
        int code = write_file((const char *)arena_printf(a, "%s/%s", folder, file).p, with_schema_beside(a, report_text(text)));
        of_answer_free(text);
        if (code) return code;
    }
    return EXIT_OK;
}

static int write_schema(struct arena *a, const char *folder)
{
    of_answer *schema;
    of_error err;
    if (of_model_schema(&schema, &err)) return fail_of(&err);
    int code = write_file((const char *)arena_printf(a, "%s/onefold.schema.json", folder).p, report_text(schema));
    of_answer_free(schema);
    return code;
}

static int copy(struct invocation *in, const struct json *pattern)
{
    const char *folder = in->n_arguments > 2 ? in->arguments[2]
                                             : (const char *)arena_printf(in->arena, "%.*s",
                                                                          SLICE_ARG(json_text(pattern, "name"))).p;
    if (mkdir(folder, 0777)) return fail_error("cannot make the folder %s: %s", folder, strerror(errno));
    int code = patterns_write(in->arena, pattern, folder);
    if (!code) code = write_schema(in->arena, folder);
    if (!code)
        printf("written: %s\n"
               "next:    cd %s && onefold model explain\n"
               "         onefold apply --data ./onefold-data && onefold load data.yaml --data ./onefold-data\n",
               folder, folder);
    return code;
}

static int list(struct invocation *in)
{
    const struct json *patterns = patterns_list(in->arena);
    if (!patterns) return EXIT_ERROR;
    if (in->shared.json) {
        struct buf b;
        buf_init(&b, in->arena, 1 << 20);
        json_put(&b, patterns);
        printf("%.*s\n", SLICE_ARG(buf_view(&b)));
        return finish_output();
    }
    struct table t;
    table_init(&t, in->arena, 2, NULL);
    t.fixed[0] = true;
    for (const struct json *p = patterns->first; p; p = p->next) {
        struct cell *row = table_row(&t);
        row[0] = (struct cell){ json_text(p, "name"), INK_TITLE };
        row[1].text = json_text(p, "about");
    }
    table_print(&t);
    puts("\nonefold patterns try NAME     the table, its data, every question and its answer, in memory\n"
         "onefold patterns copy NAME    the files, to start from");
    return finish_output();
}

static int run(struct invocation *in)
{
    if (in->n_arguments == 0) return list(in);
    bool try = strcmp(in->arguments[0], "try") == 0;
    if (!try && strcmp(in->arguments[0], "copy") != 0)
        return fail_usage(in->command, "'%s' is not something to do; it is try or copy", in->arguments[0]);
    if (in->n_arguments == 1) return fail_usage(in->command, "which one? 'onefold patterns' lists them");
    if (try && in->n_arguments > 2) return fail_usage(in->command, "try takes one name");
    if (in->shared.json) return fail_usage(in->command, "--json is for the list only");
    const struct json *pattern = patterns_find(in->arena, in->arguments[1]);
    if (!pattern) return EXIT_ERROR;
    int code = try ? patterns_try(in, pattern) : copy(in, pattern);
    int written = finish_output();
    return code ? code : written;
}

static const struct argument_spec arguments[] = {
    { "ACTION", "try or copy; left out: the list", COMPLETE_WORDS, .words = "try copy", .optional = true },
    { "NAME", "which pattern", COMPLETE_LIBRARY, .optional = true },
    { "DIR", "copy: where to (./NAME)", COMPLETE_DIR, .optional = true },
};

const struct command command_patterns = {
    .name = "patterns",
    .summary = "models to learn from and to start with",
    .about = "Lists the pattern library: complete models with sample data and answers. 'try'\n"
             "makes the table in memory, loads the data and asks every question; 'copy' writes\n"
             "the files into a new folder, to start from.",
    ARGUMENTS(arguments),
    .shares = SHARE_JSON,
    .examples = "patterns\n"
                "patterns try orders\n"
                "patterns copy orders ./my-shop\n",
    .run = run,
};
