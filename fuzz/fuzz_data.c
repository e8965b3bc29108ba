/* fuzz_data.c: opens data directories whose file is damaged, in ways that the input says (data_image.h). Checking ends with an answer and reading with
 * a status; both say why they refuse, and neither crashes. What checking finds nothing wrong with reads as it did before it was damaged, and can be
 * written to.
 *
 * A value that was changed by somebody who made its checksum right again is only shown to the check: reading trusts checksums. LMDB's pages are only
 * written to where the check found nothing: it trusts what it changes. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <xxhash.h>
#include "calls.h"
#include "data_image.h"
#include "engine/check.h"
#include "fuzz.h"

#define MAX_READS 10000 /* of one space: pages that lead back to themselves have no end */

static const struct image *image;

int __lsan_is_turned_off(void);

/* What LMDB has allocated when it is left in the middle of a damaged page (src/store/local/guard.h) is lost. */
int __lsan_is_turned_off(void)
{
    return 1;
}

/* The sanitizer cleans the shadow of a whole stack for every thread, and every opening has one. */
static void use_small_stacks(void)
{
    pthread_attr_t attr;
    CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, 256 << 10) == 0);
    CHECK(pthread_setattr_default_np(&attr) == 0);
    pthread_attr_destroy(&attr);
}

static void put_file(struct slice bytes)
{
    char path[80];
    snprintf(path, sizeof path, "%s/data.mdb", image->dir);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    CHECK(fd >= 0 && write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n);
    close(fd);
}

/* ---- checking ---- */

static void tell(void *ctx, const struct check_finding *f)
{
    (void)ctx;
    CHECK(f->space && f->space[0] && f->what.n);
}

/* True: nothing is wrong. */
static bool is_whole(void)
{
    struct check_options options = { .dir = image->dir, .tell = tell };
    struct check_report report;
    char message[512] = "";
    int status = check_store(&options, &report, message, sizeof message);
    CHECK(!status || message[0]);
    return !status && !report.findings;
}

/* ---- reading ---- */

struct reading {
    XXH3_state_t *state;
    bool failed;
};

static void read_space(struct store_txn *txn, unsigned space, bool reverse, struct reading *r)
{
    struct store_range all = { .space = (enum store_space)space, .reverse = reverse };
    struct store_cursor *cursor;
    struct slice key, value;
    int status = store_range_open(txn, &all, &cursor);
    for (unsigned n = 0; !status && n < MAX_READS && !(status = store_range_next(cursor, &key, &value)); n++) {
        XXH3_64bits_update(r->state, key.p, key.n);
        XXH3_64bits_update(r->state, value.p, value.n);
    }
    if (status != STORE_END) r->failed = true;
}

static int read_all(struct store_txn *txn, void *ctx)
{
    struct reading *r = ctx;
    for (unsigned space = 0; space < SPACE_END; space++) {
        read_space(txn, space, false, r);
        read_space(txn, space, true, r);
    }
    for (size_t i = 0; i < image->n_records; i++) {
        const struct image_record *record = &image->records[i];
        struct slice value = slice_of(NULL, 0);
        int64_t sum = 0;
        int status = record->space == SPACE_COUNTER ? store_sum(txn, record->key, &sum)
                                                    : store_get(txn, (enum store_space)record->space, record->key, &value);
        if (status) r->failed = true;
        else XXH3_64bits_update(r->state, value.p, value.n);
    }
    return STORE_OK;
}

/* A sum of everything in it, or false. */
static bool read_directory(uint64_t *sum)
{
    struct store_options options = { .dir = image->dir, .read_only = true };
    struct reading r = { .state = XXH3_createState() };
    struct store *store;
    char message[512] = "";
    XXH3_64bits_reset(r.state);
    int status = store_open(&store, &options, message, sizeof message);
    CHECK(!status || message[0]);
    if (!status) {
        status = store_view(store, read_all, &r);
        store_close(store);
    }
    *sum = XXH3_64bits_digest(r.state);
    XXH3_freeState(r.state);
    return !status && !r.failed;
}

/* ---- writing ---- */

static void write_directory(struct arena *a)
{
    struct store_options options = { .dir = image->dir };
    struct store *store;
    struct engine *engine;
    char message[512] = "";
    CHECK(store_open(&store, &options, message, sizeof message) == 0);
    CHECK(engine_open(&engine, store, &calls_options, message, sizeof message) == 0);
    calls_ask(engine, a, "PutItem", SLICE("{\"TableName\":\"TTT\",\"Item\":{\"a\":{\"S\":\"p2\"},\"b\":{\"S\":\"new\"},\"g\":{\"S\":\"g1\"},\"n\":{\"N\":\"7\"}}}"));
    calls_ask(engine, a, "DeleteItem", SLICE("{\"TableName\":\"TTT\",\"Key\":{\"a\":{\"S\":\"p1\"},\"b\":{\"S\":\"5\"}}}"));
    engine_close(engine);
    store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t *changed;
    static uint64_t before;
    bool sealed;
    uint64_t sum;
    if (!image) {
        use_small_stacks();
        image = image_make();
        changed = malloc(image_room());
        store_survive_damage();
        CHECK(is_whole() && read_directory(&before));
    }
    size_t n = image_change(slice_of(data, size), changed, &sealed);
    put_file(slice_of(changed, n));
    bool whole = is_whole();
    if (sealed && !whole) return 0;
    bool complete = read_directory(&sum);
    if (!whole || sealed) return 0;
    CHECK(complete && sum == before);
    FUZZ_ARENA(a, (size_t)16 << 20);
    write_directory(a);
    CHECK(is_whole());
    return 0;
}
