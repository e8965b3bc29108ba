/* pages.c: a data file with a damaged page. Every field of the head of every page that is in use is changed, and the walk through the file
 * must find it; one of each kind of fault must be told in its words; and whatever is changed, reading through LMDB neither ends the process
 * nor hands out anything but what was written. tests/torture/parts/flip.py does the same to a whole server, bit by bit. */
#include "fixture.h"
#include "store/local/pages.h"
#include "store/local/verify.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PAGES 2000

static const char *const names[] = { "meta", "item", "index", "token", "stream", "counter", "tails" };

/* The file as it should be, and which of its pages are what. */
static struct {
    char dir[64], path[100];
    int fd;
    uint8_t *bytes;
    size_t size, page_size;
    struct pages_meta meta;
    uint64_t meta_page; /* the newer of the two */
    uint64_t branch[MAX_PAGES], leaf[MAX_PAGES], overflow[MAX_PAGES];
    size_t n_branch, n_leaf, n_overflow;
    uint64_t root[SPACE_END + 1]; /* by database */
    uint64_t free_root;
} file;

/* ---- making it ---- */

/* What was ever written, as prints; sorted when all is there. A damaged page may lead to one that was deleted: the check finds that. */
static struct {
    uint64_t prints[4000];
    size_t n;
} written;

static uint64_t print_of(enum store_space space, struct slice key, struct slice value)
{
    uint64_t h = 0xcbf29ce484222325u + space;
    for (size_t i = 0; i < key.n; i++) h = (h ^ key.p[i]) * 0x100000001b3u;
    for (size_t i = 0; i < value.n; i++) h = (h ^ value.p[i]) * 0x100000001b3u;
    return h;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int put(struct store_txn *t, enum store_space space, struct slice key, struct slice value)
{
    written.prints[written.n++] = print_of(space, key, value);
    return store_put(t, space, key, value);
}

static int count(struct store_txn *t, struct slice key, int64_t n)
{
    written.prints[written.n++] = print_of(SPACE_COUNTER, key, slice_of(&n, sizeof n));
    return store_add(t, key, n);
}

static int put_all(struct store_txn *t, void *ctx)
{
    static uint8_t key[3000], value[20000];
    (void)ctx;
    written.n = 0;
    memset(key, 'k', sizeof key);
    for (uint32_t i = 0; i < 2500; i++) {
        memcpy(key, &i, sizeof i);
        memset(value, (int)i, 30);
        if (put(t, SPACE_ITEM, slice_of(key, 20), slice_of(value, 30))) return 1;
        if (i < 300 && put(t, SPACE_INDEX, slice_of(key, 450), slice_of(value, 5))) return 1;
        if (i < 15 && put(t, SPACE_STREAM, slice_of(key, 16), slice_of(value, 3000 + i * 1000))) return 1;
        if (i < 40 && put(t, SPACE_TOKEN, slice_of(key, 500 + i * 60), slice_of(value, 10))) return 1;
        if (i < 5 && put(t, SPACE_META, slice_of(key, 8), SLICE("m"))) return 1;
        if (i < 5 && count(t, slice_of(key, 6), i + 1)) return 1;
    }
    return 0;
}

/* Leaves free pages behind. */
static int delete_some(struct store_txn *t, void *ctx)
{
    uint8_t key[20];
    (void)ctx;
    memset(key, 'k', sizeof key);
    for (uint32_t i = 0; i < 600; i++) {
        memcpy(key, &i, sizeof i);
        if (store_delete(t, SPACE_ITEM, slice_of(key, 20))) return 1;
    }
    return 0;
}

static const uint8_t *page_at(uint64_t page)
{
    return file.bytes + page * file.page_size;
}

static void collect(uint64_t page)
{
    const uint8_t *p = page_at(page);
    bool leaf = pages_flags(p) == PAGE_LEAF;
    assert_true(file.n_leaf < MAX_PAGES && file.n_branch < MAX_PAGES && file.n_overflow < MAX_PAGES);
    if (leaf)
        file.leaf[file.n_leaf++] = page;
    else
        file.branch[file.n_branch++] = page;
    for (size_t i = 0; i < pages_nodes(p); i++) {
        struct pages_node node;
        pages_node(p, i, &node);
        if (!leaf)
            collect(node.child);
        else if (node.flags & NODE_BIG)
            file.overflow[file.n_overflow++] = node.child;
    }
}

static void collect_databases(uint64_t page)
{
    const uint8_t *p = page_at(page);
    collect(page);
    for (size_t i = 0; i < pages_nodes(p); i++) {
        struct pages_node node;
        pages_node(p, i, &node);
        struct pages_db db = pages_db(node.data);
        for (int k = 0; k <= SPACE_END; k++)
            if (slice_eq(node.key, slice_str(names[k]))) file.root[k] = db.root;
        if (db.depth) collect(db.root);
    }
}

static int make_file(void **state)
{
    struct store *s;
    struct stat st;
    char message[300];
    struct store_options o = { .dir = file.dir, .durability = DURABILITY_RELAXED, .map_size = 1 << 24 };
    (void)state;
    scratch_make(file.dir, sizeof file.dir);
    snprintf(file.path, sizeof file.path, "%s/data.mdb", file.dir);
    assert_int_equal(store_open(&s, &o, message, sizeof message), 0);
    assert_int_equal(store_update(s, put_all, NULL), 0);
    assert_int_equal(store_update(s, delete_some, NULL), 0);
    store_close(s);
    file.fd = open(file.path, O_RDWR);
    assert_true(file.fd >= 0);
    assert_int_equal(fstat(file.fd, &st), 0);
    file.size = (size_t)st.st_size;
    file.bytes = malloc(file.size);
    assert_int_equal(pread(file.fd, file.bytes, file.size, 0), file.size);
    assert_null(pages_read_meta(file.fd, &file.meta));
    file.page_size = file.meta.page_size;
    file.meta_page = file.meta.txn % 2;
    collect_databases(file.meta.main.root);
    file.free_root = file.meta.free.root;
    collect(file.free_root);
    assert_true(file.n_branch >= 2 && file.n_leaf > 20 && file.n_overflow >= 10);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    close(file.fd);
    free(file.bytes);
    scratch_remove(file.dir);
    return 0;
}

/* ---- changing it ---- */

static void change(uint64_t at, const void *bytes, size_t n)
{
    assert_int_equal(pwrite(file.fd, bytes, n, (off_t)at), n);
}

static void undo(uint64_t at, size_t n)
{
    change(at, file.bytes + at, n);
}

struct told {
    unsigned n;
    char first[300];
};

static void take_fault(void *ctx, const struct store_fault *f)
{
    struct told *told = ctx;
    if (!told->n++) snprintf(told->first, sizeof told->first, "%s: %s", f->tree, f->what);
}

static int verify(struct told *told, struct store_verify *v)
{
    *told = (struct told){ .n = 0 };
    *v = (struct store_verify){ .tell = take_fault, .ctx = told };
    return verify_file(file.fd, names, v);
}

static void a_whole_file_has_no_faults(void **state)
{
    struct told told;
    struct store_verify v;
    (void)state;
    assert_int_equal(verify(&told, &v), STORE_OK);
    if (told.n) fail_msg("%s", told.first);
}

/* Of the head of a page only two bytes mean nothing. */
static void every_field_of_a_head_counts(void **state)
{
    static const uint8_t flips[] = { 0x01, 0x10, 0x80 };
    const uint64_t *const lists[] = { file.branch, file.leaf, file.overflow };
    const size_t counts[] = { file.n_branch, file.n_leaf, file.n_overflow };
    (void)state;
    for (int list = 0; list < 3; list++)
        for (size_t i = 0; i < counts[list]; i++)
            for (unsigned at = 0; at < PAGE_HEADER; at++) {
                uint64_t where = lists[list][i] * file.page_size + at;
                uint8_t byte = file.bytes[where] ^ flips[(i + at) % 3];
                struct told told;
                struct store_verify v;
                if (at == 8 || at == 9) continue;
                change(where, &byte, 1);
                verify(&told, &v);
                if (!told.n) fail_msg("page %llu, byte %u: not found out", (unsigned long long)lists[list][i], at);
                undo(where, 1);
            }
}

/* ---- one of each kind ---- */

enum place { IN_META, IN_DATABASES, IN_LEAF, IN_BRANCH, IN_OVERFLOW, IN_FREE, IN_COUNTERS };

static uint64_t place_of(enum place place)
{
    switch (place) {
    case IN_META: return file.meta_page;
    case IN_DATABASES: return file.meta.main.root;
    case IN_LEAF: return file.leaf[file.n_leaf / 2];
    case IN_BRANCH: return file.root[SPACE_ITEM];
    case IN_OVERFLOW: return file.overflow[0];
    case IN_FREE: return file.free_root;
    default: return file.root[SPACE_COUNTER];
    }
}

/* Of the first node, or of the second: the offset of a field in the file. */
static uint64_t node_at(uint64_t page, size_t i)
{
    return page * file.page_size + pages_number(page_at(page) + PAGE_HEADER + 2 * i, 2);
}

static void faults_are_told_in_their_words(void **state)
{
    /* node 0: `at` counts from the page; otherwise from that node, counted from 1. */
    static const struct {
        enum place place;
        unsigned node, at;
        uint64_t value;
        unsigned size;
        const char *words;
    } cases[] = {
        { IN_META, 0, 10, 4, 2, "file: data.mdb is not an LMDB file" },
        { IN_META, 0, 16, 7, 4, "file: data.mdb is not an LMDB file" },
        { IN_META, 0, 20, 999, 4, "file: data.mdb is of another version of LMDB" },
        { IN_META, 0, 40, 1000, 4, "file: data.mdb has an impossible page size" },
        { IN_META, 0, 40, 8192, 4, "file: data.mdb" },
        { IN_META, 0, 136, 0, 8, "file: data.mdb has an impossible last page" },
        { IN_META, 0, 136, 1 << 20, 8, "file: data.mdb is cut off" },
        { IN_META, 0, 144, 1000, 8, "file: data.mdb has two first pages that do not follow one another" },
        { IN_META, 0, 92, 4, 2, "file: data.mdb has two first pages that do not agree" },
        { IN_META, 0, 94, 200, 2, "databases: the tree databases has an impossible description" },
        { IN_META, 0, 94, 0, 2, "databases: the tree databases has an impossible description" },
        { IN_META, 0, 128, 1 << 20, 8, "databases: a page of the tree is none of the file's" },
        { IN_META, 0, 128, 1, 8, "databases: a page of the tree is none of the file's" },
        { IN_META, 0, 120, 99, 8, "databases: the tree databases has other numbers of pages or entries than it says" },
        { IN_META, 0, 80, 99999, 8, "free pages: a page of the tree is none of the file's" },
        { IN_META, 0, 72, 99, 8, "free pages: the tree free pages has other numbers of pages or entries than it says" },
        { IN_DATABASES, 1, 4, 1, 2, "databases: " },
        { IN_DATABASES, 1, 4, 4, 2, "databases: has a value of an unknown kind" },
        { IN_DATABASES, 1, 4, 0, 2, "databases: names a database that is none of Onefold's" },
        { IN_DATABASES, 1, 8, 'x', 1, "databases: " },
        { IN_DATABASES, 7, 12, 'z', 1, "databases: names a database that is none of Onefold's" },
        { IN_DATABASES, 3, 0, 47, 4, "databases: names a database that is none of Onefold's" },
        { IN_DATABASES, 1, 19, 4, 2, "counter: the tree counter has an impossible description" },
        { IN_DATABASES, 1, 31, 9, 8, "counter: the tree counter has other numbers of pages or entries than it says" },
        { IN_DATABASES, 1, 39, 9, 8, "counter: the tree counter has other numbers of pages or entries than it says" },
        { IN_COUNTERS, 1, 0, 19, 8, "counter: has a key of an impossible length" }, /* its six bytes are the value's now */
        { IN_LEAF, 0, 0, 99, 8, "has the number of another page" },
        { IN_LEAF, 0, 10, 1, 2, "is not of the kind that its place in the tree asks for" },
        { IN_LEAF, 0, 12, 4, 2, "has impossible bounds" },
        { IN_LEAF, 0, 12, 16, 2, "has nodes of the wrong size" },
        { IN_LEAF, 0, 14, 5000, 2, "has impossible bounds" },
        { IN_LEAF, 0, 16, 17, 2, "has a node outside of its bounds" },
        { IN_LEAF, 0, 16, 4094, 2, "has a node outside of its bounds" },
        { IN_LEAF, 1, 6, 60000, 2, "has a node that is longer than the page" },
        { IN_LEAF, 1, 4, 8, 2, "has a value of an unknown kind" },
        { IN_COUNTERS, 1, 6, 0, 2, "has nodes of the wrong size" },
        { IN_COUNTERS, 2, 8, 0, 4, "has a key that is out of order" },
        { IN_BRANCH, 2, 0, 1, 4, "a page of the tree is none of the file's" },
        { IN_BRANCH, 2, 8, 0, 4, "has a key that is out of order" },
        { IN_OVERFLOW, 0, 0, 1, 8, "is not the page of a long value that its leaf asks for" },
        { IN_OVERFLOW, 0, 10, 2, 2, "is not the page of a long value that its leaf asks for" },
        { IN_OVERFLOW, 0, 12, 0, 4, "is not the page of a long value that its leaf asks for" },
        { IN_OVERFLOW, 0, 12, 99999, 4, "the page of a long value is none of the file's" },
        { IN_FREE, 1, 16, 99999, 8, "free pages: has a list of free pages with a wrong length" },
        { IN_FREE, 1, 8, 99999, 8, "free pages: has " },
        { IN_FREE, 1, 24, 1, 8, "free pages: " },
        { IN_FREE, 1, 24, 99999, 8, "free pages: a free page is none of the file's" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t page = place_of(cases[i].place);
        uint64_t at = (cases[i].node ? node_at(page, cases[i].node - 1) : page * file.page_size) + cases[i].at;
        struct told told;
        struct store_verify v;
        change(at, &cases[i].value, cases[i].size); /* little-endian, as the file is */
        verify(&told, &v);
        if (!told.n || !strstr(told.first, cases[i].words)) fail_msg("case %zu: %s, not %s", i, told.n ? told.first : "nothing", cases[i].words);
        undo(at, cases[i].size);
    }
}

static void assert_told(uint64_t at, uint64_t value, const char *words)
{
    struct told told;
    struct store_verify v;
    change(at, &value, sizeof value);
    verify(&told, &v);
    if (!told.n || !strstr(told.first, words)) fail_msg("%s, not %s", told.n ? told.first : "nothing", words);
    undo(at, sizeof value);
}

/* The newest list: a node whose key is a transaction and whose data a length and page numbers. */
static void lists_of_free_pages(void **state)
{
    size_t last = pages_nodes(page_at(file.free_root)) - 1;
    uint64_t at = node_at(file.free_root, last), list = at + NODE_HEADER + 8;
    struct pages_node node;
    (void)state;
    pages_node(page_at(file.free_root), last, &node);
    assert_true(node.size >= 24 && !(node.flags & NODE_BIG));
    assert_told(at, pages_number(file.bytes + at, 8) - 1, "has a list of free pages of the wrong size");
    assert_told(at + NODE_HEADER, file.meta.txn + 1, "has free pages of a transaction to come");
    assert_told(list, node.size, "has a list of free pages with a wrong length");
    assert_told(list, pages_number(file.bytes + list, 8) - 1, "pages: 1 pages are neither used nor free");
    assert_told(list + 16, pages_number(file.bytes + list + 8, 8), "has a list of free pages that is out of order");
}

/* A page that two places lead to, and a tree that is all faults. */
static void pages_used_twice(void **state)
{
    uint64_t page = file.root[SPACE_ITEM], first = node_at(page, 0);
    struct told told;
    struct store_verify v;
    (void)state;
    for (size_t i = 1; i < pages_nodes(page_at(page)); i++) change(node_at(page, i), file.bytes + first, 4);
    assert_int_equal(verify(&told, &v), STORE_OK); /* the others can be read */
    assert_string_equal(told.first, "item: a page of the tree is used twice");
    assert_true(v.damaged[SPACE_ITEM] && !v.damaged[SPACE_META] && !v.damaged[SPACE_STREAM]);
    for (size_t i = 1; i < pages_nodes(page_at(page)); i++) undo(node_at(page, i), 4);
    /* What long keys have beyond the cut is in one tree for all spaces. */
    uint64_t tails = file.root[SPACE_END] * file.page_size;
    change(tails, "\xff", 1);
    assert_int_equal(verify(&told, &v), STORE_OK);
    assert_true(v.damaged[SPACE_ITEM] && v.damaged[SPACE_TOKEN]);
    undo(tails, 1);
}

static void a_file_that_is_cut_off(void **state)
{
    struct told told;
    struct store_verify v;
    (void)state;
    for (size_t left = 0; left < file.size; left += left < 10000 ? 500 : file.size / 20) {
        assert_int_equal(ftruncate(file.fd, (off_t)left), 0);
        assert_int_equal(verify(&told, &v), STORE_CORRUPT);
        assert_true(told.n > 0);
    }
    change(0, file.bytes, file.size);
}

/* ---- reading it through LMDB ---- */

#ifndef __SANITIZE_THREAD__ /* which cannot follow a jump out of a signal's handler */
static void take_record(unsigned *wrong, enum store_space space, struct slice key, struct slice value)
{
    uint64_t print = print_of(space, key, value);
    *wrong += !bsearch(&print, written.prints, written.n, sizeof print, by_number);
}

struct reading {
    unsigned found, wrong;
};

/* However far it comes, both ways, and some of the keys by themselves. */
static int read_all(struct store_txn *t, void *ctx)
{
    struct reading *r = ctx;
    for (int i = 0; i < 2 * SPACE_END; i++) {
        struct store_range all = { .space = (enum store_space)(i / 2), .reverse = i % 2 };
        struct store_cursor *c;
        struct slice key, value, again;
        if (store_range_open(t, &all, &c)) continue;
        for (int n = 0; n < 10000 && store_range_next(c, &key, &value) == STORE_OK; n++) {
            uint8_t copy[3000];
            take_record(&r->wrong, all.space, key, value);
            r->found++;
            if (all.space == SPACE_COUNTER || n % 16) continue;
            memcpy(copy, key.p, key.n);
            if (store_get(t, all.space, slice_of(copy, key.n), &again) == STORE_OK) take_record(&r->wrong, all.space, slice_of(copy, key.n), again);
        }
        store_range_close(c);
    }
    return 0;
}

static struct reading read_through_lmdb(void)
{
    struct reading r = { .found = 0 };
    struct store *s;
    char message[300];
    struct store_options o = { .dir = file.dir, .read_only = true, .map_size = 1 << 24 };
    if (store_open(&s, &o, message, sizeof message)) return r; /* refused: as good as any answer */
    store_view(s, read_all, &r);
    store_close(s);
    return r;
}

static void damaged_pages_give_no_wrong_answers(void **state)
{
    uint32_t seed = 7;
    (void)state;
    qsort(written.prints, written.n, sizeof *written.prints, by_number);
    struct reading whole = read_through_lmdb();
    assert_int_equal(whole.found, 2 * (written.n - 600));
    assert_int_equal(whole.wrong, 0);
    store_survive_damage();
    for (int i = 0; i < ROUNDS(500); i++) {
        size_t which = next_random(&seed) % (file.n_branch * 4 + file.n_leaf);
        uint64_t page = which < file.n_branch * 4 ? file.branch[which / 4] : file.leaf[which - file.n_branch * 4];
        size_t used = pages_number(page_at(page) + 12, 2);
        /* The head, the offsets, or a node's head: what LMDB follows. */
        uint64_t at = next_random(&seed) % 3 ? page * file.page_size + next_random(&seed) % used
                                             : node_at(page, next_random(&seed) % pages_nodes(page_at(page))) + next_random(&seed) % 8;
        uint8_t byte = file.bytes[at] ^ (uint8_t)(1u << next_random(&seed) % 8);
        change(at, &byte, 1);
        if (read_through_lmdb().wrong) fail_msg("round %d, byte %llu: a record that was never written", i, (unsigned long long)at);
        undo(at, 1);
    }
}

/* A write that meets a damaged page is left in its middle, with LMDB's lock. After that the store is closed; and the same thread, another
 * one and another process go on with other stores, and with the directory when it is mended. */

static void open_and_put(const struct store_options *o, struct slice key)
{
    struct store *s;
    char message[300];
    if (store_open(&s, o, message, sizeof message)) fail_msg("%s", message);
    assert_int_equal(put_one(s, SPACE_META, key, SLICE("v")), 0);
    store_close(s);
}

static void *put_elsewhere(void *options)
{
    open_and_put(options, SLICE("thread"));
    return NULL;
}

static void put_in_another_process(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "pages", file.dir, NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Of the table of readers, where the lock lies. */
static void *mapped_readers(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[500], name[200];
    unsigned long at = 0;
    assert_non_null(maps);
    snprintf(name, sizeof name, "%s/lock.mdb", file.dir);
    while (!at && fgets(line, sizeof line, maps))
        if (strstr(line, name)) at = strtoul(line, NULL, 16);
    fclose(maps);
    assert_true(at);
    return (void *)at; /* NOLINT: a number is what the kernel gives */
}

static void a_write_left_in_its_middle_harms_no_other_store(void **state)
{
    struct store_options here = { .dir = file.dir, .map_size = 1 << 24 }, other = { .map_size = 1 << 24 };
    uint64_t upper = file.root[SPACE_META] * file.page_size + 14;
    struct store_stats stats;
    struct store *s;
    char message[300];
    void *readers;
    pthread_t thread;
    (void)state;
    assert_int_equal(pages_flags(page_at(file.root[SPACE_META])), PAGE_LEAF);
    change(upper, "\0", 2); /* before the end of the offsets: LMDB asserts that it is not when it adds a node */
    assert_int_equal(store_open(&s, &here, message, sizeof message), 0);
    assert_int_equal(put_one(s, SPACE_META, SLICE("new"), SLICE("v")), STORE_CORRUPT);
    assert_int_equal(put_one(s, SPACE_META, SLICE("new"), SLICE("v")), STORE_STOPPED);
    store_get_stats(s, &stats);
    assert_int_equal(stats.state, STORE_STOPPED);
    readers = mapped_readers();
    store_close(s);
    assert_int_equal(msync(readers, 1, MS_ASYNC), 0); /* it is still mapped */
    undo(upper, 2);
    open_and_put(&other, SLICE("this thread"));
    open_and_put(&here, SLICE("this thread"));
    assert_int_equal(pthread_create(&thread, NULL, put_elsewhere, &here), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    put_in_another_process();
}
#endif

/* With an argument: the other process. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_file_has_no_faults),
        cmocka_unit_test(every_field_of_a_head_counts),
        cmocka_unit_test(faults_are_told_in_their_words),
        cmocka_unit_test(lists_of_free_pages),
        cmocka_unit_test(pages_used_twice),
        cmocka_unit_test(a_file_that_is_cut_off),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(damaged_pages_give_no_wrong_answers),
        cmocka_unit_test(a_write_left_in_its_middle_harms_no_other_store), /* the last: it writes */
#endif
    };
#ifndef __SANITIZE_THREAD__
    if (argc > 1) {
        alarm(60);
        open_and_put(&(struct store_options){ .dir = argv[1], .map_size = 1 << 24 }, SLICE("process"));
        return 0;
    }
#endif
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
