/* data_image.c: see data_image.h. The engine says what is in the directory; the store is then written anew in one order, so that its pages do not depend
 * on which thread came first. */
#include "data_image.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "calls.h"
#include "fuzz.h"
#include "store/value.h"

#define MAX_RECORDS 1024
#define MAX_CHANGES 16
#define MORE_PAGES  4 /* that a file may grow by */

int getentropy(void *to, size_t n);

/* In the place of the system's: the ids of tables and backups. */
int getentropy(void *to, size_t n)
{
    static uint8_t next;
    for (size_t i = 0; i < n; i++) ((uint8_t *)to)[i] = (uint8_t)(next += 37);
    return 0;
}

static const char tables[] =
    "{\"TableName\":\"TTT\",\"AttributeDefinitions\":[{\"AttributeName\":\"a\",\"AttributeType\":\"S\"},{\"AttributeName\":\"b\",\"AttributeType\":\"S\"},"
    "{\"AttributeName\":\"g\",\"AttributeType\":\"S\"},{\"AttributeName\":\"n\",\"AttributeType\":\"N\"}],"
    "\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"b\",\"KeyType\":\"RANGE\"}],"
    "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"GGG\",\"KeySchema\":[{\"AttributeName\":\"g\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"n\",\"KeyType\":"
    "\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}}],"
    "\"LocalSecondaryIndexes\":[{\"IndexName\":\"LLL\",\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"n\",\"KeyType\":"
    "\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}],"
    "\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"},\"BillingMode\":\"PAY_PER_REQUEST\"}\n"
    "{\"TableName\":\"UUU\",\"AttributeDefinitions\":[{\"AttributeName\":\"k\",\"AttributeType\":\"B\"}],"
    "\"KeySchema\":[{\"AttributeName\":\"k\",\"KeyType\":\"HASH\"}],\"BillingMode\":\"PAY_PER_REQUEST\"}\n";

/* ---- what is in it ---- */

static struct slice repeated(struct arena *a, char c, size_t n)
{
    uint8_t *p = arena_bytes(a, n);
    memset(p, c, n);
    return slice_of(p, n);
}

/* Enough of them for a tree with branches, some with keys that are longer than LMDB's, one with a value of several pages. */
static void put_items(struct engine *engine, struct arena *a)
{
    for (unsigned i = 0; i < 30; i++) {
        struct slice tail = repeated(a, 'x', i % 10 == 7 ? 900 : 0), note = repeated(a, 'y', i == 5 ? 9000 : 150 + i);
        calls_ask(engine, a, "PutItem",
                  arena_printf(a, "{\"TableName\":\"TTT\",\"Item\":{\"a\":{\"S\":\"p%u\"},\"b\":{\"S\":\"%u%.*s\"},\"g\":{\"S\":\"g%u\"},"
                                  "\"n\":{\"N\":\"%u\"},\"note\":{\"S\":\"%.*s\"}}}",
                               i % 4, i, SLICE_ARG(tail), i % 3, i, SLICE_ARG(note)));
    }
    calls_ask(engine, a, "UpdateTimeToLive",
              SLICE("{\"TableName\":\"UUU\",\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":\"t\"}}"));
    for (unsigned i = 0; i < 3; i++)
        calls_ask(engine, a, "PutItem", arena_printf(a, "{\"TableName\":\"UUU\",\"Item\":{\"k\":{\"B\":\"AA%uA\"},\"t\":{\"N\":\"1999999999\"}}}", i));
    calls_ask(engine, a, "DeleteItem", SLICE("{\"TableName\":\"TTT\",\"Key\":{\"a\":{\"S\":\"p1\"},\"b\":{\"S\":\"1\"}}}"));
    calls_ask(engine, a, "TransactWriteItems",
              SLICE("{\"ClientRequestToken\":\"token\",\"TransactItems\":[{\"Put\":{\"TableName\":\"UUU\",\"Item\":{\"k\":{\"B\":\"/w==\"}}}}]}"));
}

static int collect(struct store_txn *txn, void *ctx)
{
    struct image *m = ctx;
    for (unsigned space = 0; space < SPACE_END; space++) {
        struct store_range all = { .space = (enum store_space)space };
        struct store_cursor *cursor;
        struct slice key, value;
        int status = store_range_open(txn, &all, &cursor);
        while (!status && !(status = store_range_next(cursor, &key, &value))) {
            struct image_record *r = &m->records[m->n_records++];
            CHECK(m->n_records < MAX_RECORDS);
            uint8_t *p = malloc(key.n + value.n + 1);
            memcpy(p, key.p, key.n);
            memcpy(p + key.n, value.p, value.n);
            *r = (struct image_record){ .space = space, .key = slice_of(p, key.n), .value = slice_of(p + key.n, value.n) };
        }
        CHECK(status == STORE_END);
    }
    return STORE_OK;
}

static void make_records(struct image *m)
{
    static const struct store_options memory = { 0 };
    struct store *store;
    struct engine *engine;
    struct arena a;
    char message[256] = "";
    arena_init(&a, (size_t)64 << 20);
    CHECK(store_open(&store, &memory, message, sizeof message) == 0);
    CHECK(engine_open(&engine, store, &calls_options, message, sizeof message) == 0);
    calls_create(engine, &a, slice_str(tables));
    put_items(engine, &a);
    engine_close(engine);
    m->records = calloc(MAX_RECORDS, sizeof *m->records);
    CHECK(store_view(store, collect, m) == 0);
    store_close(store);
    arena_free(&a);
}

/* ---- the file ---- */

struct share {
    const struct image *m;
    size_t from, step;
    bool counters;
};

static int write_share(struct store_txn *txn, void *ctx)
{
    const struct share *s = ctx;
    int status = STORE_OK;
    for (size_t i = s->from; i < s->m->n_records && !status; i += s->step) {
        const struct image_record *r = &s->m->records[i];
        int64_t sum;
        if (r->space != SPACE_COUNTER) {
            status = store_put(txn, (enum store_space)r->space, r->key, r->value);
        } else if (s->counters) {
            memcpy(&sum, r->value.p, sizeof sum);
            status = store_add(txn, r->key, sum);
        }
    }
    return status;
}

static void read_file(struct image *m)
{
    char path[80];
    struct stat st;
    snprintf(path, sizeof path, "%s/data.mdb", m->dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && fstat(fd, &st) == 0);
    m->n = (size_t)st.st_size;
    m->bytes = malloc(m->n);
    CHECK(read(fd, m->bytes, m->n) == st.st_size);
    close(fd);
}

static void find_places(const struct image *m, struct image_record *r)
{
    size_t n = VALUE_HEADER + r->value.n;
    uint8_t *stored = malloc(n);
    const uint8_t *at = m->bytes, *end = m->bytes + m->n;
    value_write(stored, r->space, r->key, r->value);
    while (r->n_places < IMAGE_PLACES && (at = memmem(at, (size_t)(end - at), stored, n))) {
        r->at[r->n_places++] = (size_t)(at - m->bytes);
        at += n;
    }
    free(stored);
}

/* Some of it twice, so that there are free pages. */
static void make_file(struct image *m)
{
    struct share first = { m, 0, 2, true }, second = { m, 1, 2, true }, again = { m, 0, 5, false };
    struct store_options options = { .dir = m->dir };
    struct store *store;
    char message[256] = "";
    CHECK(store_open(&store, &options, message, sizeof message) == 0);
    CHECK(store_update(store, write_share, &first) == 0 && store_update(store, write_share, &second) == 0);
    CHECK(store_update(store, write_share, &again) == 0);
    store_close(store);
    read_file(m);
    m->page_size = 4096;
    for (size_t i = 0; i < m->n_records; i++) find_places(m, &m->records[i]);
}

static struct image image;

static void remove_dir(void)
{
    static const char *const names[] = { "LOCK", "FORMAT", "UNSYNCED", "data.mdb", "lock.mdb" };
    char path[80];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", image.dir, names[i]);
        unlink(path);
    }
    rmdir(image.dir);
}

const struct image *image_make(void)
{
    if (image.n) return &image;
    snprintf(image.dir, sizeof image.dir, "%s/onefold-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(image.dir));
    atexit(remove_dir);
    make_records(&image);
    make_file(&image);
    return &image;
}

/* ---- changes ---- */

size_t image_room(void)
{
    return image.n + MORE_PAGES * image.page_size;
}

static size_t take_page(struct slice *in)
{
    return fuzz_byte(in) % (image.n / image.page_size) * image.page_size;
}

static size_t take_offset(struct slice *in)
{
    size_t high = fuzz_byte(in);
    return (high << 8 | fuzz_byte(in)) % image.page_size;
}

static void overwrite(struct slice *in, uint8_t *to, size_t at)
{
    struct slice bytes = fuzz_bytes(in, 1 + fuzz_byte(in) % 16);
    if (bytes.n && at + bytes.n <= image_room()) memcpy(to + at, bytes.p, bytes.n);
}

static void change_value(struct slice *in, uint8_t *to, bool *sealed)
{
    const struct image_record *r = &image.records[fuzz_byte(in) % image.n_records];
    size_t at = take_offset(in);
    struct slice bytes = fuzz_bytes(in, 1 + fuzz_byte(in) % 16);
    if (!r->value.n || !r->n_places || !bytes.n) return;
    at %= r->value.n;
    if (bytes.n > r->value.n - at) bytes.n = r->value.n - at;
    for (unsigned i = 0; i < r->n_places; i++) {
        uint8_t *stored = to + r->at[i], *payload = malloc(r->value.n);
        memcpy(payload, stored + VALUE_HEADER, r->value.n);
        memcpy(payload + at, bytes.p, bytes.n);
        value_write(stored, r->space, r->key, slice_of(payload, r->value.n));
        free(payload);
    }
    *sealed = true;
}

static void move_page(struct slice *in, uint8_t *to)
{
    size_t page = take_page(in), other = take_page(in);
    uint8_t number[8];
    memcpy(number, to + page, sizeof number);
    memmove(to + page, to + other, image.page_size);
    if (fuzz_byte(in) & 1) memcpy(to + page, number, sizeof number);
}

static void add_difference(struct slice *in, uint8_t *to)
{
    size_t at = take_page(in);
    at += take_offset(in) & ~(size_t)1;
    unsigned n = to[at] | to[at + 1] << 8;
    n += (unsigned)(int8_t)fuzz_byte(in);
    to[at] = (uint8_t)n;
    to[at + 1] = (uint8_t)(n >> 8);
}

size_t image_change(struct slice in, uint8_t *to, bool *sealed)
{
    size_t n = image.n, at;
    *sealed = false;
    memcpy(to, image.bytes, n);
    memset(to + n, 0, image_room() - n);
    for (int i = 0; i < MAX_CHANGES && in.n; i++) {
        switch (fuzz_byte(&in) % 6) {
        case 0:
            at = take_page(&in);
            at += take_offset(&in);
            overwrite(&in, to, at);
            break;
        case 1:
            at = take_page(&in);
            at += fuzz_byte(&in);
            overwrite(&in, to, at);
            break;
        case 2:
            move_page(&in, to);
            break;
        case 3:
            at = fuzz_byte(&in) % (image_room() / image.page_size) * image.page_size;
            n = at + take_offset(&in);
            break;
        case 4:
            change_value(&in, to, sealed);
            break;
        default:
            add_difference(&in, to);
        }
    }
    return n;
}
