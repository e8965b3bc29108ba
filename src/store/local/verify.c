/* verify.c: walking the trees of a data file without trusting them; see verify.h. */
#include "verify.h"
#include "pages.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATABASES   (SPACE_END + 1) /* the spaces and tails */
#define MAX_TOLD    20              /* faults of one kind of page: the rest is counted */
#define MAX_KEY     511
#define INTEGER_KEY 8               /* flag of a database */

struct walk {
    int fd;
    struct store_verify *v;
    const char *const *names;
    struct pages_meta meta;
    uint8_t *used; /* a bit for each page: part of a tree, or free */
    uint64_t seen, told;
    uint8_t *level[PAGE_DEPTH]; /* the page at each depth of the walk */
    uint8_t *overflow;          /* the first page of a long value, or of a list of free pages */
    bool no_memory;
    /* The tree that is being walked. */
    enum store_space space; /* SPACE_END: none of the spaces */
    const char *name;
    struct pages_db counted;
    const struct pages_db *db;
    struct pages_db found[DATABASES]; /* by the tree of databases */
    bool is_found[DATABASES];
    bool bad;
};

static void tell(struct walk *w, uint64_t page, struct slice key, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void tell(struct walk *w, uint64_t page, struct slice key, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    w->bad = true;
    if (w->told++ >= MAX_TOLD) return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct store_fault f = { .space = w->space, .tree = w->name, .page = page, .key = key, .what = text };
    w->v->tell(w->v->ctx, &f);
}

static const struct slice no_key = { .p = NULL };

/* ---- pages ---- */

static bool read_page(struct walk *w, uint64_t page, uint8_t *to)
{
    size_t size = w->meta.page_size, have = 0;
    while (have < size) {
        ssize_t n = pread(w->fd, to + have, size - have, (off_t)(page * size + have));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            tell(w, page, no_key, n ? "cannot be read: %s" : "is not there: the file is cut off", strerror(errno));
            return false;
        }
        have += (size_t)n;
    }
    return true;
}

static bool is_used(const struct walk *w, uint64_t page)
{
    return (w->used[page / 8] >> page % 8 & 1) != 0;
}

/* Each page has one place. */
static bool claim(struct walk *w, uint64_t page, uint64_t n, const char *what)
{
    if (page < PAGE_METAS || page > w->meta.last_page || n > w->meta.last_page - page + 1) {
        tell(w, page, no_key, "%s is none of the file's", what);
        return false;
    }
    for (uint64_t i = page; i < page + n; i++) {
        if (is_used(w, i)) {
            tell(w, i, no_key, "%s is used twice", what);
            return false;
        }
        w->used[i / 8] |= (uint8_t)(1u << i % 8);
    }
    w->seen += n;
    if (w->v->progress) w->v->progress(w->v->ctx, w->seen, w->meta.last_page + 1 - PAGE_METAS);
    return true;
}

static uint8_t *buffer(struct walk *w, uint8_t **place)
{
    if (!*place) *place = malloc(w->meta.page_size);
    if (!*place) w->no_memory = true;
    return *place;
}

static int compare(const struct walk *w, struct slice a, struct slice b)
{
    if (!(w->db->flags & INTEGER_KEY)) return slice_cmp(a, b);
    uint64_t x = pages_number(a.p, 8), y = pages_number(b.p, 8);
    return (x > y) - (x < y);
}

static bool key_fits(const struct walk *w, struct slice key)
{
    return w->db->flags & INTEGER_KEY ? key.n == 8 : key.n >= 1 && key.n <= MAX_KEY;
}

/* ---- leaves ---- */

/* A list of free pages: its length, then their numbers, descending. */
static void check_free(struct walk *w, uint64_t page, const struct pages_node *node)
{
    uint64_t n, last = PAGE_NONE, at = node->flags & NODE_BIG ? node->child * w->meta.page_size + PAGE_HEADER : 0;
    uint8_t *list;
    if (node->size % 8 || !node->size) {
        tell(w, page, no_key, "has a list of free pages of the wrong size");
        return;
    }
    list = malloc(node->size);
    if (!list) {
        w->no_memory = true;
        return;
    }
    if (!at) {
        memcpy(list, node->data, node->size);
    } else if (pread(w->fd, list, node->size, (off_t)at) != (ssize_t)node->size) {
        tell(w, page, no_key, "has a list of free pages that cannot be read");
        free(list);
        return;
    }
    n = pages_number(list, 8);
    if (n > node->size / 8 - 1) tell(w, page, no_key, "has a list of free pages with a wrong length");
    for (uint64_t i = 1; i <= n && i < node->size / 8; i++) {
        uint64_t is_free = pages_number(list + 8 * i, 8);
        if (is_free >= last) tell(w, page, no_key, "has a list of free pages that is out of order");
        last = is_free;
        claim(w, is_free, 1, "a free page");
    }
    if (pages_number(node->key.p, 8) > w->meta.txn) tell(w, page, no_key, "has free pages of a transaction to come");
    free(list);
}

static void check_big(struct walk *w, const struct pages_node *node)
{
    uint64_t need = (PAGE_HEADER - 1 + node->size) / w->meta.page_size + 1, n;
    if (node->size > UINT32_MAX || !claim(w, node->child, 1, "the page of a long value")) return;
    if (!buffer(w, &w->overflow) || !read_page(w, node->child, w->overflow)) return;
    n = pages_number(w->overflow + 12, 4);
    if (pages_number(w->overflow, 8) != node->child || pages_flags(w->overflow) != PAGE_OVERFLOW || n < need) {
        tell(w, node->child, node->key, "is not the page of a long value that its leaf asks for");
        return;
    }
    if (n > 1) claim(w, node->child + 1, n - 1, "the page of a long value");
    w->counted.overflows += n;
}

/* A node of the tree of databases. */
static void check_database(struct walk *w, uint64_t page, const struct pages_node *node)
{
    for (int i = 0; i < DATABASES; i++) {
        if (!slice_eq(node->key, slice_str(w->names[i]))) continue;
        if (node->flags != NODE_DATABASE || node->size != DB_BYTES) break;
        w->found[i] = pages_db(node->data);
        w->is_found[i] = true;
        return;
    }
    tell(w, page, node->key, "names a database that is none of Onefold's");
}

static void check_node(struct walk *w, uint64_t page, const struct pages_node *node)
{
    bool databases = w->db == &w->meta.main, is_free = w->db == &w->meta.free;
    w->counted.entries++;
    if (node->flags & ~(unsigned)(databases ? NODE_DATABASE : NODE_BIG)) {
        tell(w, page, node->key, "has a value of an unknown kind");
        return;
    }
    if (node->flags & NODE_BIG) {
        bool before = w->bad;
        w->bad = false;
        check_big(w, node);
        bool good = !w->bad;
        w->bad = w->bad || before;
        if (!good) return;
    }
    if (databases) check_database(w, page, node);
    if (is_free) check_free(w, page, node);
}

/* ---- trees ---- */

static void walk_page(struct walk *w, uint64_t page, unsigned depth, struct slice low, struct slice high);

/* Keys ascend and lie between those that led here, low included and high not (NULL: none). */
static bool check_order(struct walk *w, const uint8_t *p, uint64_t page, struct slice low, struct slice high)
{
    bool leaf = pages_flags(p) == PAGE_LEAF;
    struct slice before = low;
    for (size_t i = 0; i < pages_nodes(p); i++) {
        struct pages_node node;
        pages_node(p, i, &node);
        if (!leaf && i == 0) continue; /* stands for everything below the second; LMDB never reads it */
        if (!key_fits(w, node.key)) {
            tell(w, page, no_key, "has a key of an impossible length");
            return false;
        }
        int order = before.p ? compare(w, node.key, before) : 1;
        bool first = before.p == low.p;
        if (order < 0 || (order == 0 && !(first && leaf)) || (high.p && compare(w, node.key, high) >= 0)) {
            tell(w, page, node.key, "has a key that is out of order");
            return false;
        }
        before = node.key;
    }
    return true;
}

static void walk_nodes(struct walk *w, const uint8_t *p, uint64_t page, unsigned depth, struct slice low, struct slice high)
{
    size_t n = pages_nodes(p);
    for (size_t i = 0; i < n && !w->no_memory; i++) {
        struct pages_node node, next;
        pages_node(p, i, &node);
        if (pages_flags(p) == PAGE_LEAF) {
            check_node(w, page, &node);
            continue;
        }
        if (i + 1 < n) pages_node(p, i + 1, &next);
        walk_page(w, node.child, depth + 1, i ? node.key : low, i + 1 < n ? next.key : high);
    }
}

static void walk_page(struct walk *w, uint64_t page, unsigned depth, struct slice low, struct slice high)
{
    bool leaf = depth + 1 == w->db->depth;
    uint8_t *p = buffer(w, &w->level[depth]);
    const char *wrong;
    if (!p || !claim(w, page, 1, "a page of the tree") || !read_page(w, page, p)) return;
    wrong = pages_check(p, w->meta.page_size, page, leaf ? PAGE_LEAF : PAGE_BRANCH);
    if (!wrong && pages_nodes(p) < (leaf ? 1u : 2u) && !(w->db == &w->meta.free && pages_nodes(p))) wrong = "has too few nodes";
    if (wrong) {
        tell(w, page, no_key, "%s", wrong);
        return;
    }
    if (leaf)
        w->counted.leaves++;
    else
        w->counted.branches++;
    if (check_order(w, p, page, low, high)) walk_nodes(w, p, page, depth, low, high);
}

/* True: nothing is wrong with it. */
static bool walk_tree(struct walk *w, const struct pages_db *db, unsigned flags, enum store_space space, const char *name)
{
    const struct pages_db *c = &w->counted;
    w->db = db;
    w->space = space;
    w->name = name;
    w->bad = false;
    w->told = 0;
    w->counted = (struct pages_db){ .flags = 0 };
    if (db->flags != flags || db->depth > PAGE_DEPTH || (db->depth == 0) != (db->root == PAGE_NONE))
        tell(w, 0, no_key, "the tree %s has an impossible description", name);
    else if (db->depth)
        walk_page(w, db->root, 0, no_key, no_key);
    if (!w->bad && (c->branches != db->branches || c->leaves != db->leaves || c->overflows != db->overflows ||
                    c->entries != db->entries))
        tell(w, 0, no_key, "the tree %s has other numbers of pages or entries than it says", name);
    if (w->told > MAX_TOLD) {
        uint64_t more = w->told - MAX_TOLD;
        w->told = 0;
        tell(w, 0, no_key, "%llu more faults in the tree %s", (unsigned long long)more, name);
    }
    return !w->bad;
}

static void check_lost(struct walk *w, bool complete)
{
    uint64_t all = w->meta.last_page + 1 - PAGE_METAS;
    w->space = SPACE_END;
    w->name = "pages";
    w->told = 0;
    if (complete && w->seen < all)
        tell(w, 0, no_key, "%llu pages are neither used nor free", (unsigned long long)(all - w->seen));
}

static int walk_all(struct walk *w)
{
    bool readable = walk_tree(w, &w->meta.main, 0, SPACE_END, "databases"), complete = readable;
    for (int i = 0; i < DATABASES && readable; i++) {
        enum store_space space = i < SPACE_END ? (enum store_space)i : SPACE_END;
        bool good = w->is_found[i];
        w->told = 0;
        w->space = space;
        if (good)
            good = walk_tree(w, &w->found[i], 0, space, w->names[i]);
        else
            tell(w, 0, no_key, "the database %s is missing", w->names[i]);
        if (!w->is_found[i]) readable = false;
        complete = complete && good;
        /* Long keys of any space lead into tails. */
        for (int k = 0; k < SPACE_END; k++)
            if (!good && (k == i || i == SPACE_END)) w->v->damaged[k] = true;
    }
    complete = walk_tree(w, &w->meta.free, INTEGER_KEY, SPACE_END, "free pages") && complete;
    check_lost(w, complete);
    if (w->no_memory) return STORE_NO_MEMORY;
    return readable ? STORE_OK : STORE_CORRUPT;
}

/* False: there is no memory. */
static bool begin(struct walk *w)
{
    w->used = calloc(w->meta.last_page / 8 + 1, 1);
    return w->used != NULL;
}

static void end(struct walk *w)
{
    free(w->used);
    free(w->overflow);
    for (int i = 0; i < PAGE_DEPTH; i++) free(w->level[i]);
}

/* ---- the whole file ---- */

static void silent(void *ctx, const struct store_fault *f)
{
    (void)ctx;
    (void)f;
}

const char *verify_length(int fd, const struct pages_meta *meta)
{
    struct store_verify v = { .tell = silent };
    struct walk w = { .fd = fd, .v = &v, .meta = *meta };
    struct stat st;
    if (fstat(fd, &st)) return "cannot be read";
    uint64_t size = (uint64_t)st.st_size, page = size / meta->page_size;
    if (page > meta->last_page) return NULL;
    if (meta->last_page - page >= size / 8) return "is cut off"; /* no list that is in it has so many pages */
    if (!begin(&w)) return "cannot be read: out of memory";
    bool whole = walk_tree(&w, &w.meta.free, INTEGER_KEY, SPACE_END, "free pages");
    for (; whole && page <= meta->last_page; page++) whole = is_used(&w, page);
    end(&w);
    return whole ? NULL : "is cut off";
}

int verify_file(int fd, const char *const *names, struct store_verify *v)
{
    struct walk w = { .fd = fd, .v = v, .names = names, .space = SPACE_END, .name = "file" };
    const char *wrong = pages_read_meta(fd, &w.meta);
    memset(v->damaged, 0, sizeof v->damaged);
    if (!wrong) wrong = verify_length(fd, &w.meta);
    if (wrong) {
        tell(&w, 0, no_key, "data.mdb %s", wrong);
        return STORE_CORRUPT;
    }
    int rc = begin(&w) ? walk_all(&w) : STORE_NO_MEMORY;
    end(&w);
    return rc;
}
