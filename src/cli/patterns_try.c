/* patterns_try.c: `onefold patterns try NAME`: a pattern of the library, alive: its table in memory, its data, each of its
 * questions with the input of the first case in answers.yaml. */
#include "patterns.h"
#include "../model/node.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char *inside(struct arena *a, const char *folder, const char *file)
{
    return (const char *)arena_printf(a, "%s/%s", folder, file).p;
}

const struct node *patterns_cases(struct session *s, const char *path)
{
    size_t n;
    char *text = slurp(s, path, &n);
    struct problems ps;
    problems_init(&ps, s->arena);
    return text ? NODE_GET(node_read(&ps, slice_str(path), slice_of(text, n)), "cases") : NULL;
}

static const struct node *first_case(const struct node *cases, struct slice pattern)
{
    for (const struct node *c = cases ? cases->first : NULL; c; c = c->next) {
        const struct node *name = NODE_GET(c, "pattern");
        if (name && slice_eq(name->text, pattern)) return c;
    }
    return NULL;
}

/* Sets the inputs and prints the command that asks the same. */
static int take_inputs(struct session *s, const char *pattern, const struct node *inputs, of_item *item)
{
    of_error err;
    print_inked(INK_FAINT, arena_printf(s->arena, "$ onefold run %s", pattern));
    for (const struct node *n = inputs ? inputs->first : NULL; n; n = n->next) {
        bool quote = false;
        for (size_t i = 0; i < n->text.n; i++) quote |= strchr(" '\"$#&;()<>|*?", n->text.p[i]) != NULL;
        print_inked(INK_FAINT, arena_printf(s->arena, quote ? " '%.*s=%.*s'" : " %.*s=%.*s", SLICE_ARG(n->name),
                                            SLICE_ARG(n->text)));
        if (of_pattern_set(s->model, pattern, item, (const char *)n->name.p, (ptrdiff_t)n->name.n,
                           (const char *)n->text.p, (ptrdiff_t)n->text.n, &err))
            return fputc('\n', stdout), fail_of(&err);
    }
    fputc('\n', stdout);
    return EXIT_OK;
}

static int ask(struct session *s, const struct json *pattern, const struct node *example)
{
    const char *name = (const char *)arena_printf(s->arena, "%.*s", SLICE_ARG(json_text(pattern, "name"))).p;
    struct slice about = json_text(pattern, "about");
    of_item *inputs = of_item_new();
    of_answer *report;
    of_error err;
    if (!inputs) return fail_error("out of memory");
    print_inked(INK_TITLE, about.n ? about : slice_str(name));
    fputc('\n', stdout);
    int code = take_inputs(s, name, NODE_GET(example, "input"), inputs);
    if (!code) {
        code = of_pattern_run(s->model, s->db, name, inputs, &(of_run_options){ .limit = 0 }, &report, &err)
                   ? fail_of(&err)
                   : print_report(s, report, render_results);
        fputc('\n', stdout);
    }
    of_item_free(inputs);
    return code;
}

static int ask_all(struct session *s, const char *folder)
{
    const struct node *cases = patterns_cases(s, inside(s->arena, folder, "answers.yaml"));
    const struct json *patterns = JSON_GET(s->names, "patterns");
    int code = EXIT_OK;
    for (const struct json *p = patterns ? patterns->first : NULL; p && !code; p = p->next) {
        const struct node *example = first_case(cases, json_text(p, "name"));
        if (example) code = ask(s, p, example);
    }
    return code;
}

static int make_table(struct session *s, const char *folder)
{
    of_answer *report;
    of_error err;
    if (of_model_apply(s->model, s->db, NULL, &report, &err)) return fail_of(&err);
    of_answer_free(report);
    if (of_model_load(s->model, s->db, inside(s->arena, folder, "data.yaml"), NULL, &report, &err)) return fail_of(&err);
    of_answer_free(report);
    return EXIT_OK;
}

static int try_in(struct invocation *in, const struct json *pattern, const char *folder)
{
    struct session s = { .in = in, .arena = in->arena };
    of_error err;
    int code = patterns_write(in->arena, pattern, folder);
    if (code) return code;
    if (of_model_open(&s.model, inside(in->arena, folder, "onefold.yaml"), &err)) return fail_of(&err);
    s.names = outline_tree(in->arena, s.model, &err);
    if (!s.names || of_open(&s.db, NULL, &err)) {
        code = fail_of(&err);
    } else {
        code = make_table(&s, folder);
        if (!code) code = ask_all(&s, folder);
        of_close(s.db);
    }
    of_model_close(s.model);
    return code;
}

static void remove_files(struct arena *a, const struct json *pattern, const char *folder)
{
    const struct json *files = JSON_GET(pattern, "files");
    for (const struct json *f = files ? files->first : NULL; f; f = f->next)
        unlink((const char *)arena_printf(a, "%s/%.*s", folder, SLICE_ARG(f->text)).p);
    rmdir(folder);
}

int patterns_try(struct invocation *in, const struct json *pattern)
{
    const char *base = getenv("TMPDIR");
    char *folder = (char *)arena_printf(in->arena, "%s/onefold-XXXXXX", base && *base ? base : "/tmp").p;
    if (!mkdtemp(folder)) return fail_error("cannot make a folder like %s: %s", folder, strerror(errno));
    int code = try_in(in, pattern, folder);
    remove_files(in->arena, pattern, folder);
    if (!code)
        printf("onefold patterns copy %.*s   writes the model and its data into a folder, to start from\n",
               SLICE_ARG(json_text(pattern, "name")));
    return code;
}
