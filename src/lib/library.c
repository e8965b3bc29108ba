/* library.c: the pattern library: the files of patterns/, carried in the program (tools/embed-patterns). No name of a pattern
 * stands here. */
#include "lib_model.h"

struct library_file {
    const char *pattern, *name;
    const unsigned char *bytes;
    size_t n;
};
#include "library_files.inc"
#define N_FILES (sizeof files / sizeof *files)

static struct slice file_text(const struct library_file *f)
{
    return slice_of(f->bytes, f->n);
}

/* What the pattern's model says about itself. */
static struct slice about(struct lib_work *w, const struct library_file *f)
{
    struct problems ps;
    problems_init(&ps, &w->arena);
    const struct node *n = NODE_GET(node_read(&ps, slice_str(f->name), file_text(f)), "about");
    return n && n->kind == NODE_SCALAR ? n->text : slice_of(NULL, 0);
}

static int list(struct lib_work *w)
{
    struct buf *b = &w->report;
    buf_u8(b, '[');
    for (size_t i = 0; i < N_FILES;) {
        const char *pattern = files[i].pattern;
        struct slice words = slice_of(NULL, 0);
        buf_printf(b, "%s{\"name\":\"%s\",\"files\":[", i ? "," : "", pattern);
        for (size_t first = i; i < N_FILES && strcmp(files[i].pattern, pattern) == 0; i++) {
            buf_printf(b, "%s\"%s\"", i > first ? "," : "", files[i].name);
            if (strcmp(files[i].name, "onefold.yaml") == 0) words = about(w, &files[i]);
        }
        BUF_LIT(b, "],\"about\":");
        json_put_string(b, words);
        buf_u8(b, '}');
    }
    buf_u8(b, ']');
    return 0;
}

int of_patterns(of_answer **report, of_error *err)
{
    return lib_run(list, NULL, (struct lib_outputs){ .report = report }, err);
}

struct wanted {
    const char *pattern, *file;
};

static int no_such_pattern(struct lib_work *w, const char *name)
{
    struct slice names[N_FILES];
    size_t n = 0;
    for (size_t i = 0; i < N_FILES; i++)
        if (n == 0 || !slice_eq(names[n - 1], slice_str(files[i].pattern))) names[n++] = slice_str(files[i].pattern);
    struct slice near = near_name(slice_str(name), names, n);
    return err_set(&w->e, ERR_ResourceNotFoundException, "the library has no pattern '%s'%s%.*s%s", name,
                   near.n ? "; did you mean '" : "; 'onefold patterns' lists them", SLICE_ARG(near), near.n ? "'?" : "");
}

static int find(struct lib_work *w)
{
    const struct wanted *x = w->in;
    bool known = false;
    for (size_t i = 0; i < N_FILES; i++) {
        if (strcmp(files[i].pattern, x->pattern) != 0) continue;
        known = true;
        if (strcmp(files[i].name, x->file) != 0) continue;
        buf_slice(&w->report, file_text(&files[i]));
        return 0;
    }
    if (!known) return no_such_pattern(w, x->pattern);
    return err_set(&w->e, ERR_ResourceNotFoundException, "the pattern '%s' has no file '%s'", x->pattern, x->file);
}

int of_patterns_file(const char *name, const char *file, of_answer **text, of_error *err)
{
    struct wanted x = { name, file };
    return lib_run(find, &x, (struct lib_outputs){ .report = text }, err);
}
