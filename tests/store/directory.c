/* directory.c: the data directory: who may open it, what is refused and in which words, what is
 * found out about damage. */
#include "fixture.h"
#include "store/local/local.h"
#include "store/local/pages.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The path of a file in the fixture's directory, in one of two static buffers. */
static const char *in_dir(const struct fixture *f, const char *name)
{
    static char paths[2][200];
    static int which;

    which ^= 1;
    snprintf(paths[which], sizeof paths[which], "%s/%s", f->dir, name);
    return paths[which];
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* Opening must fail with this status and a message that holds all these words. */
static void assert_refused(const struct store_options *o, int status, const char *a, const char *b)
{
    struct store *s;
    char message[400];
    int rc = store_open(&s, o, message, sizeof message);

    if (rc == 0) store_close(s);
    if (rc != status || !strstr(message, a) || !strstr(message, b))
        fail_msg("got %d \"%s\", expected %d with \"%s\" and \"%s\"", rc, message, status, a, b);
    assert_null(strchr(message, '\n'));
}

static void assert_opens(struct fixture *f)
{
    char v[8];

    fixture_reopen(f);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("k"), v, sizeof v, NULL), 0);
    assert_memory_equal(v, "v", 1);
}

/* A closed directory with one item in it. */
static int with_an_item(void **state)
{
    struct fixture *f;

    if (fixture_setup(state)) return -1;
    f = *state;
    if (put_one(f->s, SPACE_ITEM, SLICE("k"), SLICE("v"))) return -1;
    fixture_close(f);
    return 0;
}

#define TEST_CLOSED(f) cmocka_unit_test_setup_teardown(f, with_an_item, fixture_teardown)

static void files_are_for_the_owner_only(void **state)
{
    static const char *const files[] = { "LOCK", "FORMAT", "data.mdb", "lock.mdb" };
    struct fixture *f = *state;
    struct store_options o = { .dir = in_dir(f, "new") };
    struct store *s;
    struct stat st;
    char message[400], path[300];

    umask(0);
    assert_int_equal(store_open(&s, &o, message, sizeof message), 0);
    assert_int_equal(stat(o.dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", o.dir, files[i]);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
    }
    store_close(s);
    scratch_remove(o.dir);
}

static void a_file_is_not_a_directory(void **state)
{
    struct fixture *f = *state;
    struct store_options o = { .dir = in_dir(f, "FORMAT") };

    assert_refused(&o, STORE_IO, "is not a directory", o.dir);
}

static void a_missing_parent_is_named(void **state)
{
    struct fixture *f = *state;
    struct store_options o = { .dir = in_dir(f, "no/such") };

    assert_refused(&o, STORE_IO, "cannot create directory", "what it would be in does not exist");
}

/* Root may read everything, so this is another user's try. */
static void an_unreadable_directory_is_refused(void **state)
{
    struct fixture *f = *state;
    int status;
    pid_t pid;

    if (geteuid()) skip();
    pid = fork();
    if (pid == 0) {
        struct store *s;
        char message[400];

        if (setgid(65534) || setuid(65534)) _exit(3);
        if (store_open(&s, &f->options, message, sizeof message) != STORE_IO) _exit(1);
        _exit(strstr(message, "Permission denied") && strstr(message, f->dir) ? 0 : 2);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void an_unwritable_directory_is_refused(void **state)
{
    struct fixture *f = *state;
    int status;
    pid_t pid;

    if (geteuid()) skip();
    assert_int_equal(chmod(f->dir, 0755), 0);
    pid = fork();
    if (pid == 0) {
        struct store_options o = { .dir = in_dir(f, "below") };
        struct store *s;
        char message[400];

        if (setgid(65534) || setuid(65534)) _exit(3);
        if (store_open(&s, &o, message, sizeof message) != STORE_IO) _exit(1);
        _exit(strstr(message, "Permission denied") && strstr(message, o.dir) ? 0 : 2);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void foreign_files_are_left_alone(void **state)
{
    struct fixture *f = *state;
    struct stat st;

    scratch_remove(f->dir);
    assert_int_equal(mkdir(f->dir, 0700), 0);
    write_file(in_dir(f, "thesis.txt"), "years of work");
    assert_refused(&f->options, STORE_INVALID, "thesis.txt", "empty directory");
    assert_int_not_equal(stat(in_dir(f, "LOCK"), &st), 0);
}

static void a_newer_format_is_refused(void **state)
{
    struct fixture *f = *state;
    unsigned version = 0;
    char message[200];

    assert_int_equal(store_format_version(f->dir, &version, message, sizeof message), 0);
    assert_int_equal(version, STORE_FORMAT);
    write_file(in_dir(f, "FORMAT"), "onefold 99\n");
    assert_int_equal(store_format_version(f->dir, &version, message, sizeof message), 0);
    assert_int_equal(version, 99);
    assert_refused(&f->options, STORE_INVALID, "format 99", "newer");
}

static void a_damaged_format_is_refused(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {
        "",           "onefold",         "onefold x\n", "onefold 1",
        "sqlite 1\n", "onefold 1\nmore", "onefold 0\n", "onefold -1\n"
    };
    unsigned version;
    char message[200];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(in_dir(f, "FORMAT"), texts[i]);
        assert_refused(&f->options, STORE_CORRUPT, "FORMAT is damaged", "backup");
    }
    assert_int_equal(store_format_version("/", &version, message, sizeof message), STORE_NOT_FOUND);
    assert_int_equal(store_format_version("/no/such", &version, message, sizeof message), STORE_IO);
}

static void data_without_format_is_refused(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(unlink(in_dir(f, "FORMAT")), 0);
    assert_refused(&f->options, STORE_CORRUPT, "no FORMAT file", f->dir);
    f->options.read_only = true;
    assert_refused(&f->options, STORE_CORRUPT, "no FORMAT file", f->dir);
}

static void an_interrupted_first_start_is_completed(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(delete_one(f->s, SPACE_ITEM, SLICE("k")), 0);
    fixture_close(f);
    assert_int_equal(unlink(in_dir(f, "FORMAT")), 0); /* killed before the last step */
    fixture_reopen(f);
    fixture_close(f);
    assert_int_equal(unlink(in_dir(f, "FORMAT")), 0); /* or before the first page was written */
    assert_int_equal(truncate(in_dir(f, "data.mdb"), 0), 0);
    fixture_reopen(f);
    assert_int_equal(put_one(f->s, SPACE_ITEM, SLICE("k"), SLICE("v")), 0);
    assert_opens(f);
}

static void format_without_data_is_refused(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(unlink(in_dir(f, "data.mdb")), 0);
    assert_refused(&f->options, STORE_CORRUPT, "data.mdb is missing", "backup");
}

static void a_damaged_data_file_is_refused(void **state)
{
    struct fixture *f = *state;
    struct stat st;

    assert_int_equal(stat(in_dir(f, "data.mdb"), &st), 0);
    assert_int_equal(truncate(in_dir(f, "data.mdb"), st.st_size - 4096), 0);
    assert_refused(&f->options, STORE_CORRUPT, "data.mdb is cut off, so it is damaged", "backup");
    assert_int_equal(truncate(in_dir(f, "data.mdb"), 100), 0);
    assert_refused(&f->options, STORE_CORRUPT, "data.mdb is cut off, so it is damaged", "backup");
    write_file(in_dir(f, "data.mdb"), "not a database");
    assert_refused(&f->options, STORE_CORRUPT, "data.mdb is cut off, so it is damaged", "backup");
}

/* Takes pages for so many items and gives most of them back. */
static int grow_and_shrink(struct store_txn *t, void *ctx)
{
    static const uint8_t value[400];
    const int items = *(int *)ctx;
    int rc = 0;

    for (int i = 0; i < 2 * items - 2 && !rc; i++) {
        char key[16];

        snprintf(key, sizeof key, "%06d", i < items ? i : 2 * items - 1 - i);
        rc = i < items ? store_put(t, SPACE_ITEM, slice_str(key), slice_of(value, sizeof value)) : store_delete(t, SPACE_ITEM, slice_str(key));
    }
    return rc;
}

/* Does the file have fewer pages than it says? */
static bool is_short(const struct fixture *f, off_t *size)
{
    struct pages_meta meta;
    struct stat st;
    int fd = open(in_dir(f, "data.mdb"), O_RDONLY);

    assert_null(pages_read_meta(fd, &meta));
    assert_int_equal(fstat(fd, &st), 0);
    close(fd);
    *size = st.st_size;
    return (uint64_t)st.st_size < (meta.last_page + 1) * meta.page_size;
}

static void tell_fault(void *ctx, const struct store_fault *fault)
{
    (void)ctx;
    fail_msg("%s: %s", fault->tree, fault->what);
}

/* LMDB counts a page that a transaction takes, gives back and never writes: the file is shorter than it says, and whole. */
static void pages_that_were_never_written_are_not_missed(void **state)
{
    struct fixture *f = *state;
    struct store_verify verify = { .tell = tell_fault };
    int items = 20;
    off_t size;

    fixture_reopen(f);
    do {
        items += 20;
        assert_true(items < 4000); /* otherwise this shows nothing */
        assert_int_equal(store_update(f->s, grow_and_shrink, &items), 0);
    } while (!is_short(f, &size));
    fixture_close(f);
    f->options.verify = &verify;
    assert_opens(f);
    fixture_close(f);
    f->options.verify = NULL;
    assert_opens(f);
    assert_int_equal(store_update(f->s, grow_and_shrink, &items), 0);
    assert_opens(f);
    fixture_close(f);
    assert_int_equal(truncate(in_dir(f, "data.mdb"), size / 4), 0); /* not so where pages are missing that are used */
    assert_refused(&f->options, STORE_CORRUPT, "data.mdb is cut off, so it is damaged", "backup");
}

/* Which costs nothing where files may have holes: no map is that large. */
static void a_file_beyond_any_map_is_opened(void **state)
{
    char dir[] = "/dev/shm/onefold-store-XXXXXX", data[64], message[300], v[8];
    struct store_options o = { .dir = dir };
    struct store *s;

    (void)state;
    if (!mkdtemp(dir)) skip();
    snprintf(data, sizeof data, "%s/data.mdb", dir);
    assert_int_equal(store_open(&s, &o, message, sizeof message), 0);
    assert_int_equal(put_one(s, SPACE_ITEM, SLICE("k"), SLICE("v")), 0);
    store_close(s);
    if (truncate(data, (off_t)5 << 60)) {
        scratch_remove(dir);
        skip();
    }
    assert_int_equal(store_open(&s, &o, message, sizeof message), 0);
    assert_int_equal(get_one(s, SPACE_ITEM, SLICE("k"), v, sizeof v, NULL), 0);
    store_close(s);
    scratch_remove(dir);
}

static void a_holder_in_this_process_is_named(void **state)
{
    struct fixture *f = *state;
    char pid[32];

    f->options.endpoint = "http://127.0.0.1:8000";
    fixture_reopen(f);
    snprintf(pid, sizeof pid, "process %ld at", (long)getpid());
    assert_refused(&f->options, STORE_STOPPED, pid, "http://127.0.0.1:8000");
    store_set_endpoint(f->s, "http://[::1]:1234");
    assert_refused(&f->options, STORE_STOPPED, pid, "http://[::1]:1234");
    store_set_endpoint(f->s, NULL);
    assert_refused(&f->options, STORE_STOPPED, "in use by process", f->dir);
    assert_opens(f);
}

static void a_holder_in_another_process_is_named_and_its_death_frees(void **state)
{
    struct fixture *f = *state;
    char text[32];
    int ready[2];
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        struct store *s;
        char message[400];

        f->options.endpoint = "http://example:1";
        if (store_open(&s, &f->options, message, sizeof message)) _exit(1);
        if (write(ready[1], "x", 1) != 1) _exit(1);
        pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], text, 1), 1);
    close(ready[0]);
    snprintf(text, sizeof text, "process %ld at", (long)pid);
    assert_refused(&f->options, STORE_STOPPED, text, "http://example:1");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_opens(f);
}

static void unsynced_data_of_another_boot_is_refused(void **state)
{
    struct fixture *f = *state;
    char remedy[200];

    write_file(in_dir(f, "UNSYNCED"), "11111111-2222-3333-4444-555555555555\n");
    snprintf(remedy, sizeof remedy, "remove %s", in_dir(f, "UNSYNCED"));
    assert_refused(&f->options, STORE_CORRUPT, "relaxed durability", remedy);
    assert_int_equal(unlink(in_dir(f, "UNSYNCED")), 0);
    assert_opens(f);
}

static void unsynced_data_of_this_boot_is_synced(void **state)
{
    struct fixture *f = *state;
    struct stat st;
    pid_t pid = fork();

    if (pid == 0) {
        struct store *s;
        char message[400];

        f->options.durability = DURABILITY_RELAXED;
        if (store_open(&s, &f->options, message, sizeof message)) _exit(1);
        if (put_one(s, SPACE_ITEM, SLICE("k"), SLICE("v2"))) _exit(1);
        kill(getpid(), SIGKILL);
    }
    waitpid(pid, NULL, 0);
    assert_int_equal(stat(in_dir(f, "UNSYNCED"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_opens(f);
    assert_int_not_equal(stat(in_dir(f, "UNSYNCED"), &st), 0);
    f->options.durability = DURABILITY_RELAXED;
    assert_opens(f);
    assert_int_equal(stat(in_dir(f, "UNSYNCED"), &st), 0);
    fixture_close(f);
    assert_int_not_equal(stat(in_dir(f, "UNSYNCED"), &st), 0);
}

static void read_only_reads_and_does_not_write(void **state)
{
    struct fixture *f = *state;
    struct store_options o = f->options;
    struct store *other;
    char message[400];

    f->options.read_only = true;
    assert_opens(f);
    assert_int_equal(put_one(f->s, SPACE_ITEM, SLICE("x"), SLICE("x")), STORE_STOPPED);
    assert_int_equal(store_open(&other, &f->options, message, sizeof message), 0);
    store_close(other);
    assert_refused(&o, STORE_STOPPED, "in use", f->dir);
    fixture_close(f);
    scratch_remove(f->dir);
    assert_int_equal(mkdir(f->dir, 0700), 0);
    assert_refused(&f->options, STORE_NOT_FOUND, "not a Onefold directory", f->dir);
}

/* Changes one byte of the data file where the pattern is found for the last time. */
static void damage(const char *path, const char *pattern)
{
    struct stat st;
    int fd = open(path, O_RDWR), found = -1;
    char *bytes;

    assert_int_equal(fstat(fd, &st), 0);
    bytes = malloc((size_t)st.st_size);
    assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
    for (int i = 0; i + (int)strlen(pattern) <= st.st_size; i++)
        if (!memcmp(bytes + i, pattern, strlen(pattern))) {
            bytes[i] ^= 0x10;
            assert_int_equal(pwrite(fd, bytes + i, 1, i), 1);
            found = i;
        }
    assert_true(found >= 0);
    free(bytes);
    close(fd);
}

static int value_of_first(struct store_txn *t, void *ctx)
{
    struct store_range r = { .space = SPACE_META };
    struct store_cursor *c;
    struct slice key, value;

    (void)ctx;
    if (store_range_open(t, &r, &c)) return 1;
    return store_range_next(c, &key, &value);
}

static void a_changed_value_is_found_out(void **state)
{
    struct fixture *f = *state;
    char v[64];

    fixture_reopen(f);
    assert_int_equal(put_one(f->s, SPACE_META, SLICE("m"), SLICE("unmistakable content")), 0);
    fixture_close(f);
    damage(in_dir(f, "data.mdb"), "unmistakable content");
    assert_opens(f);
    assert_int_equal(get_one(f->s, SPACE_META, SLICE("m"), v, sizeof v, NULL), STORE_CORRUPT);
    assert_int_equal(store_view(f->s, value_of_first, NULL), STORE_CORRUPT);
}

static void a_changed_key_is_found_out(void **state)
{
    struct fixture *f = *state;

    fixture_reopen(f);
    assert_int_equal(put_one(f->s, SPACE_META, SLICE("unmistakable key"), SLICE("value")), 0);
    fixture_close(f);
    damage(in_dir(f, "data.mdb"), "unmistakable key");
    assert_opens(f);
    assert_int_equal(store_view(f->s, value_of_first, NULL), STORE_CORRUPT);
}

static int tails_left(struct store_txn *t, void *ctx)
{
    struct local_txn *l = (struct local_txn *)t;
    MDB_stat st;

    (void)ctx;
    if (mdb_stat(l->txn, l->s->tails, &st)) return -1;
    return (int)st.ms_entries;
}

static void removed_long_keys_leave_no_nodes(void **state)
{
    static uint8_t key[STORE_MAX_KEY];
    static const size_t lengths[] = { 480, 481, 952, 953, 1500, 9000, STORE_MAX_KEY };
    struct fixture *f = *state;

    fixture_reopen(f);
    for (int i = 0; i < 7; i++)
        assert_int_equal(put_one(f->s, SPACE_ITEM, slice_of(key, lengths[i]), SLICE("v")), 0);
    assert_true(store_view(f->s, tails_left, NULL) > 6);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, true), 8);
    for (int i = 0; i < 7; i++)
        assert_int_equal(delete_one(f->s, SPACE_ITEM, slice_of(key, lengths[(i * 3) % 7])), 0);
    assert_int_equal(store_view(f->s, tails_left, NULL), 0);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, false), 1);
}

static void opening_is_quick(void **state)
{
    struct fixture *f = *state;
    double best = 1;

    for (int i = 0; i < 10; i++) {
        double start = seconds(), took;

        fixture_reopen(f);
        took = seconds() - start;
        if (took < best) best = took;
        fixture_close(f);
    }
    print_message("opened in %.2f ms\n", best * 1e3);
    assert_true(best < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_CLOSED(files_are_for_the_owner_only),
        TEST_CLOSED(a_file_is_not_a_directory),
        TEST_CLOSED(a_missing_parent_is_named),
        TEST_CLOSED(an_unreadable_directory_is_refused),
        TEST_CLOSED(an_unwritable_directory_is_refused),
        TEST_CLOSED(foreign_files_are_left_alone),
        TEST_CLOSED(a_newer_format_is_refused),
        TEST_CLOSED(a_damaged_format_is_refused),
        TEST_CLOSED(data_without_format_is_refused),
        TEST(an_interrupted_first_start_is_completed),
        TEST_CLOSED(format_without_data_is_refused),
        TEST_CLOSED(a_damaged_data_file_is_refused),
        TEST_CLOSED(pages_that_were_never_written_are_not_missed),
        cmocka_unit_test(a_file_beyond_any_map_is_opened),
        TEST_CLOSED(a_holder_in_this_process_is_named),
        TEST_CLOSED(a_holder_in_another_process_is_named_and_its_death_frees),
        TEST_CLOSED(unsynced_data_of_another_boot_is_refused),
        TEST_CLOSED(unsynced_data_of_this_boot_is_synced),
        TEST_CLOSED(read_only_reads_and_does_not_write),
        TEST_CLOSED(a_changed_value_is_found_out),
        TEST_CLOSED(a_changed_key_is_found_out),
        TEST_CLOSED(removed_long_keys_leave_no_nodes),
        TEST_CLOSED(opening_is_quick),
    };

    return cmocka_run_group_tests_name("directory", tests, NULL, NULL);
}
