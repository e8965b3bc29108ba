/* models.c: where models come from and go to: the files of --model and the library. DescribeStudio, ReadModel, SaveModel.
 *
 * A model is named by its file's path as --model gave it, and only those can be read and written: nothing that the page sends
 * becomes a path, but for the files that a model names, which are read and saved only where they lie beside it or below. */
#include "operations.h"
#include "../model/names.h"
#include "../model/node.h"
#include "../model/text_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)4 << 20)
#define NAMED_MAX 11 /* files of one model that the page sees: prices and ten of data */

static const char empty_model[] = "onefold: 1\n"
                                  "table: my-table\n"
                                  "keys: { hash: PK, sort: SK }\n";

static const char *model_file(const struct studio_call *c, struct slice name)
{
    for (size_t i = 0; i < c->studio->o.n_models; i++)
        if (slice_eq(slice_str(c->studio->o.models[i]), name)) return c->studio->o.models[i];
    return NULL;
}

static struct slice table_of(struct arena *a, struct slice file, struct slice text)
{
    struct problems ps;
    problems_init(&ps, a);
    const struct node *n = NODE_GET(node_read(&ps, file, text), "table");
    return n && n->kind == NODE_SCALAR ? n->text : slice_of(NULL, 0);
}

static void put_model(struct studio_call *c, const char *path)
{
    struct slice text;
    int trouble = text_file_bytes(c->arena, path, FILE_MAX, &text);
    js_open(&c->out, NULL, '{');
    js_string(&c->out, "Name", slice_str(path));
    if (trouble) js_string(&c->out, "Error", slice_str(strerror(trouble)));
    else js_string_if(&c->out, "Table", table_of(c->arena, slice_str(path), text));
    js_close(&c->out, '}');
}

int describe_studio(struct studio_call *c)
{
    of_answer *patterns;
    const struct studio_options *o = &c->studio->o;
    js_open(&c->out, NULL, '{');
    js_string(&c->out, "Version", slice_str(of_version()));
    js_string(&c->out, "Data", slice_str(o->data));
    js_open(&c->out, "Models", '[');
    for (size_t i = 0; i < o->n_models; i++) put_model(c, o->models[i]);
    js_close(&c->out, ']');
    if (of_patterns(&patterns, &c->of)) return call_failed(c);
    call_put(c, "Patterns", patterns);
    js_close(&c->out, '}');
    return 0;
}

/* ---- reading ---- */

/* Where the files that a model names come from: the disk (folder) or the library (pattern). */
struct origin {
    const char *pattern;
    struct slice folder; /* with its slash; empty: the working directory */
};

/* A file beside the model or below it; what leads elsewhere is not for the page. */
static bool is_inside(struct slice name)
{
    if (!name.n || name.p[0] == '/') return false;
    for (size_t i = 0; i < name.n; i++) {
        bool begins = i == 0 || name.p[i - 1] == '/';
        if (begins && name.n - i >= 2 && name.p[i] == '.' && name.p[i + 1] == '.' &&
            (name.n - i == 2 || name.p[i + 2] == '/'))
            return false;
    }
    return true;
}

/* The files that a model names, under data and prices. */
struct named {
    struct slice names[NAMED_MAX];
    size_t n;
};

static const char *path_beside(struct studio_call *c, struct slice folder, struct slice name)
{
    return (const char *)arena_printf(c->arena, "%.*s%.*s", SLICE_ARG(folder), SLICE_ARG(name)).p;
}

/* 0 or an errno. */
static int file_text(struct studio_call *c, const struct origin *from, struct slice name, struct slice *text)
{
    of_answer *answer;
    if (!from->pattern)
        return is_inside(name) ? text_file_bytes(c->arena, path_beside(c, from->folder, name), FILE_MAX, text) : EACCES;
    const char *file = (const char *)arena_printf(c->arena, "%.*s", SLICE_ARG(name)).p;
    if (of_patterns_file(from->pattern, file, &answer, &c->of)) return ENOENT;
    *text = call_keep(c, answer);
    return 0;
}

static void add_name(struct named *named, const struct node *n)
{
    if (n && n->kind == NODE_SCALAR && named->n < NAMED_MAX) named->names[named->n++] = n->text;
}

static void named_files(struct studio_call *c, struct slice text, struct named *named)
{
    struct problems ps;
    problems_init(&ps, c->arena);
    const struct node *root = node_read(&ps, SLICE("model"), text);
    const struct node *data = NODE_GET(root, "data");
    named->n = 0;
    add_name(named, NODE_GET(root, "prices"));
    add_name(named, data);
    if (data && data->kind == NODE_LIST)
        for (const struct node *f = data->first; f; f = f->next) add_name(named, f);
}

/* What SaveModel compares: the text's hash, or that there is no file. */
static struct slice version_of(struct studio_call *c, struct slice text, bool absent)
{
    if (absent) return SLICE("absent");
    return arena_printf(c->arena, "%016llx", (unsigned long long)fnv64(FNV64_START, text));
}

/* Files, and of those on disk Versions; each file is read once, so that its version is that of the text which is sent. One that is
 * not there is left out of Files: describing the model tells. One that is not text cannot be shown, and has no version. */
static void put_files(struct studio_call *c, const struct origin *from, const struct named *named)
{
    struct slice texts[NAMED_MAX];
    int troubles[NAMED_MAX];
    js_open(&c->out, "Files", '{');
    for (size_t i = 0; i < named->n; i++) {
        troubles[i] = file_text(c, from, named->names[i], &texts[i]);
        if (!troubles[i] && !utf8_valid(texts[i])) troubles[i] = EILSEQ;
        if (troubles[i]) continue;
        js_key(&c->out, named->names[i]);
        json_put_string(&c->out, texts[i]);
    }
    js_close(&c->out, '}');
    if (from->pattern) return;
    js_open(&c->out, "Versions", '{');
    for (size_t i = 0; i < named->n; i++) {
        if (troubles[i] && troubles[i] != ENOENT) continue;
        js_key(&c->out, named->names[i]);
        json_put_string(&c->out, version_of(c, texts[i], troubles[i] == ENOENT));
    }
    js_close(&c->out, '}');
}

static int put_text(struct studio_call *c, const struct origin *from, const char *name, struct slice text, bool absent)
{
    if (!utf8_valid(text)) return err_set(&c->err, ERR_ValidationException, "%s is not UTF-8", name);
    struct named named;
    named_files(c, text, &named);
    js_open(&c->out, NULL, '{');
    js_string(&c->out, "Name", slice_str(name));
    js_string(&c->out, "Text", text);
    if (!from->pattern) js_string(&c->out, "Version", version_of(c, text, absent));
    put_files(c, from, &named);
    js_close(&c->out, '}');
    return 0;
}

static int read_pattern(struct studio_call *c, const char *pattern)
{
    const char *file;
    of_answer *answer;
    int rc = call_string(c, "File", false, &file);
    if (rc) return rc;
    if (of_patterns_file(pattern, file ? file : "onefold.yaml", &answer, &c->of)) return call_failed(c);
    return put_text(c, &(struct origin){ .pattern = pattern }, pattern, call_keep(c, answer), false);
}

static int no_such_model(struct studio_call *c, struct slice name)
{
    return err_set(&c->err, ERR_ResourceNotFoundException, "the server was not started with --model %.*s", SLICE_ARG(name));
}

static struct slice folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slice_of(path, slash ? (size_t)(slash + 1 - path) : 0);
}

/* The file's text; one that is not there yet begins with the empty model, and is made by saving. */
static int read_text(struct studio_call *c, const char *path, struct slice *text, bool *absent)
{
    int trouble = text_file_bytes(c->arena, path, FILE_MAX, text);
    *absent = trouble == ENOENT;
    if (*absent) *text = slice_str(empty_model);
    return *absent ? 0 : text_file_error(trouble, slice_str(path), FILE_MAX, &c->err);
}

int read_model(struct studio_call *c)
{
    struct slice name, text;
    const char *pattern, *table;
    bool absent = false;
    struct origin from = { .pattern = NULL };
    int rc = call_string(c, "Pattern", false, &pattern);
    if (!rc) rc = call_text(c, "Name", false, &name);
    if (!rc) rc = call_string(c, "Table", false, &table);
    if (rc) return rc;
    if (pattern) return read_pattern(c, pattern);
    if (table) return read_table_model(c, table);
    if (!name.p) return put_text(c, &from, "", slice_str(empty_model), true);
    const char *path = model_file(c, name);
    if (!path) return no_such_model(c, name);
    from.folder = folder_of(path);
    rc = read_text(c, path, &text, &absent);
    return rc ? rc : put_text(c, &from, path, text, absent);
}

/* ---- saving ---- */

static int save_failed(struct studio_call *c, const char *path, int trouble)
{
    return err_set(&c->err, ERR_ValidationException, "%s could not be written: %s; it is as it was", path, strerror(trouble));
}

/* A file that nobody has yet, to be renamed to name: one that an end in the middle left behind must not be in the way for ever. */
static int open_beside(struct studio_call *c, struct slice name, char *beside, size_t size)
{
    int fd = -1;
    for (unsigned tries = 0; fd < 0 && tries < 100; tries++) {
        snprintf(beside, size, "%.*s.%ld-%u.new", SLICE_ARG(name), (long)getpid(), c->studio->saves++);
        fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    return fd;
}

static int write_all(int fd, struct slice text)
{
    for (size_t at = 0; at < text.n;) {
        ssize_t n = write(fd, text.p + at, text.n - at);
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) at += (size_t)n;
    }
    return fsync(fd) ? errno : 0;
}

/* Beside it, then renamed over it: whoever reads it meanwhile sees one or the other. */
static int replace_file(struct studio_call *c, const char *path, struct slice text)
{
    struct stat st;
    char name[4096], beside[4160];
    char *real = realpath(path, NULL); /* a link stays one */
    bool fits = snprintf(name, sizeof name, "%s", real ? real : path) < (int)sizeof name;
    free(real);
    if (!fits) return save_failed(c, path, ENAMETOOLONG);
    bool there = stat(name, &st) == 0;
    int fd = open_beside(c, slice_str(name), beside, sizeof beside);
    if (fd < 0) return save_failed(c, path, errno);
    int trouble = write_all(fd, text);
    if (!trouble && there && fchmod(fd, st.st_mode & 07777)) trouble = errno; /* a new one is as the umask has it */
    if (close(fd) && !trouble) trouble = errno;
    if (!trouble && rename(beside, name)) trouble = errno;
    if (trouble) unlink(beside);
    return trouble ? save_failed(c, path, trouble) : 0;
}

/* What could not be read again is not written. */
static int check_size(struct studio_call *c, const char *path, size_t bytes)
{
    if (bytes <= FILE_MAX) return 0;
    return err_set(&c->err, ERR_ValidationException, "%s would have %zu bytes; the studio reads at most %zu; it is as it was", path, bytes,
                   FILE_MAX);
}

/* The file must be as it was when it was read. */
static int check_version(struct studio_call *c, const char *path, struct slice version)
{
    struct slice now;
    bool absent;
    int rc = read_text(c, path, &now, &absent);
    if (rc) return rc;
    if (slice_eq(version, version_of(c, now, absent))) return 0;
    return err_set(&c->err, ERR_ConditionalCheckFailedException,
                   "%s was changed by someone else since it was read here; read it again, or download yours", path);
}

static bool ends_with(struct slice text, struct slice end)
{
    return text.n > end.n && memcmp(text.p + text.n - end.n, end.p, end.n) == 0;
}

/* Only what the model that is saved names, beside it or below; never a file of another kind, a hidden one or a model. */
static bool may_save(struct studio_call *c, struct slice name, const char *path, const struct named *named)
{
    bool found = false, hidden = name.n && name.p[0] == '.';
    for (size_t i = 0; i < named->n; i++) found |= slice_eq(named->names[i], name);
    for (size_t i = 1; i < name.n; i++) hidden |= name.p[i] == '.' && name.p[i - 1] == '/';
    bool kind = ends_with(name, SLICE(".yaml")) || ends_with(name, SLICE(".yml")) || ends_with(name, SLICE(".json"));
    return found && kind && !hidden && is_inside(name) && !model_file(c, slice_str(path));
}

/* A file that goes with the model; f->name is the path afterwards. */
static int check_file(struct studio_call *c, struct slice folder, const struct named *named, of_file *f)
{
    struct slice name = slice_str(f->name);
    const char *path = path_beside(c, folder, name);
    if (!may_save(c, name, path, named))
        return err_set(&c->err, ERR_ValidationException,
                       "%s cannot be saved with the model: it must be a .yaml or .json file beside it that its data or prices names",
                       f->name);
    const struct json *versions = call_member(c, "Versions");
    const struct json *v = versions && versions->type == JSON_OBJECT ? json_get(versions, name) : NULL;
    if (!v || v->type != JSON_STRING)
        return err_set(&c->err, ERR_ValidationException, "Versions must have that of %s as it was read, or absent", f->name);
    f->name = path;
    int rc = check_size(c, path, f->len);
    return rc ? rc : check_version(c, path, v->text);
}

/* Every file must be as it was read before any is written; the model comes last, since it names the others. */
static int save_files(struct studio_call *c, struct slice folder, struct slice text)
{
    struct named named;
    const of_file *sent;
    size_t n;
    int rc = call_files(c, &sent, &n);
    if (rc) return rc;
    of_file *files = ARENA_ARRAY(c->arena, of_file, n + 1);
    named_files(c, text, &named);
    for (size_t i = 0; i < n && !rc; i++) {
        files[i] = sent[i];
        rc = check_file(c, folder, &named, &files[i]);
    }
    for (size_t i = 0; i < n && !rc; i++) rc = replace_file(c, files[i].name, slice_of(files[i].text, files[i].len));
    return rc;
}

/* The versions of what was written, as it was sent: what lies there by now may be somebody else's already. */
static int put_saved(struct studio_call *c, struct slice text)
{
    const of_file *sent;
    size_t n;
    int rc = call_files(c, &sent, &n);
    if (rc) return rc;
    js_open(&c->out, NULL, '{');
    js_string(&c->out, "Version", version_of(c, text, false));
    js_open(&c->out, "Versions", '{');
    for (size_t i = 0; i < n; i++) js_string(&c->out, sent[i].name, version_of(c, slice_of(sent[i].text, sent[i].len), false));
    js_close(&c->out, '}');
    js_close(&c->out, '}');
    return 0;
}

static void release_lock(void *p)
{
    pthread_mutex_unlock(p);
}

int save_model(struct studio_call *c)
{
    struct slice name, text, version;
    int rc = call_text(c, "Name", true, &name);
    if (!rc) rc = call_text(c, "Text", true, &text);
    if (!rc) rc = call_text(c, "Version", true, &version);
    if (rc) return rc;
    const char *path = model_file(c, name);
    if (!path) return no_such_model(c, name);
    pthread_mutex_lock(&c->studio->saving); /* of two who read the same, one is told */
    call_own(c, &c->studio->saving, release_lock);
    rc = check_size(c, path, text.n);
    if (!rc) rc = check_version(c, path, version);
    if (!rc) rc = save_files(c, folder_of(path), text);
    if (!rc && !slice_eq(version, version_of(c, text, false))) rc = replace_file(c, path, text);
    return rc ? rc : put_saved(c, text);
}
