/* reads.c: reads everything of a data directory in every way and compares it with what was there before it was damaged.
 *
 *   reads DIR --record FILE   writes what there is
 *   reads DIR FILE            exit code 0: all reads are as recorded; 3: some say that data is damaged, the others are right, or the
 *                             directory is refused; 4: a read was wrong and said nothing
 *
 * FILE: for each entry its space (1), the length of its key (4), the key, and XXH3-64 of its value (8). */
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <xxhash.h>

enum { ALL_RIGHT = 0, TOLD = 3, WRONG = 4 };

struct entry {
    uint8_t space;
    uint64_t print;
    struct slice key;
};

static struct entry *entries;
static size_t n_entries;
static bool told, wrong;

static void judge(int status, bool right, const char *how, size_t i)
{
    if (status == STORE_CORRUPT) told = true;
    else if (!right && !wrong) fprintf(stderr, "entry %zu of %zu: %s: %s\n", i, n_entries, how, store_status_text(status));
    wrong = wrong || (status != STORE_CORRUPT && !right);
}

static int each_space(struct store_txn *txn, int (*fn)(struct store_cursor *cursor, unsigned space, void *ctx), bool reverse, void *ctx)
{
    int status = STORE_OK;
    for (unsigned space = 0; space < SPACE_END && !status; space++) {
        struct store_range all = { .space = (enum store_space)space, .reverse = reverse };
        struct store_cursor *cursor;
        status = store_range_open(txn, &all, &cursor);
        if (!status) status = fn(cursor, space, ctx);
    }
    return status;
}

/* ---- recording ---- */

static int record_space(struct store_cursor *cursor, unsigned space, void *ctx)
{
    struct slice key, value;
    int status;
    while (!(status = store_range_next(cursor, &key, &value))) {
        uint32_t n = (uint32_t)key.n;
        uint64_t print = XXH3_64bits(value.p, value.n);
        fputc((int)space, ctx);
        fwrite(&n, sizeof n, 1, ctx);
        fwrite(key.p, 1, n, ctx);
        fwrite(&print, sizeof print, 1, ctx);
    }
    return status == STORE_END ? STORE_OK : status;
}

static int record(struct store_txn *txn, void *ctx)
{
    return each_space(txn, record_space, false, ctx);
}

static void load(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t cap = 0;
    int space;
    if (!f) exit(EX_NOINPUT);
    while ((space = fgetc(f)) != EOF) {
        uint32_t n;
        uint8_t *key;
        if (n_entries == cap) entries = realloc(entries, (cap = cap * 2 + 1024) * sizeof *entries);
        struct entry *e = &entries[n_entries++];
        if (fread(&n, sizeof n, 1, f) != 1 || !(key = malloc(n + 1u)) || fread(key, 1, n, f) != n ||
            fread(&e->print, sizeof e->print, 1, f) != 1)
            exit(EX_DATAERR);
        e->space = (uint8_t)space;
        e->key = slice_of(key, n);
    }
    fclose(f);
}

/* ---- comparing ---- */

static bool is_entry(size_t i, unsigned space, struct slice key, struct slice value)
{
    const struct entry *e = &entries[i];
    return i < n_entries && e->space == space && slice_eq(e->key, key) && e->print == XXH3_64bits(value.p, value.n);
}

/* Where a value is damaged the key is still told, and the range goes on behind it. */
static int scan_space(struct store_cursor *cursor, unsigned space, void *ctx)
{
    size_t *at = ctx, end = *at;
    struct slice key, value;
    int status = STORE_OK;
    while (end < n_entries && entries[end].space == space) end++;
    for (; *at <= end && !(status = store_range_next(cursor, &key, &value)); ++*at)
        judge(status, *at < end && is_entry(*at, space, key, value), "scanned", *at);
    if (status == STORE_CORRUPT) judge(status, false, "scanned", *at); /* who scans ends here, with an error */
    else judge(status, status == STORE_END && *at == end, "scanned to the end", *at);
    *at = end;
    return STORE_OK;
}

static int scan_back(struct store_cursor *cursor, unsigned space, void *ctx)
{
    size_t *from = ctx, end = *from, at;
    struct slice key, value;
    int status = STORE_OK;
    while (end < n_entries && entries[end].space == space) end++;
    for (at = end; at + 1 > *from && !(status = store_range_next(cursor, &key, &value)); at--)
        judge(status, at > *from && is_entry(at - 1, space, key, value), "scanned back", at);
    if (status == STORE_CORRUPT) judge(status, false, "scanned back", at);
    else judge(status, status == STORE_END && at == *from, "scanned back to the end", at);
    *from = end;
    return STORE_OK;
}

static int compare(struct store_txn *txn, void *ctx)
{
    size_t at = 0;
    (void)ctx;
    for (size_t i = 0; i < n_entries; i++) {
        const struct entry *e = &entries[i];
        struct slice value = { .p = NULL };
        int64_t sum;
        int status = e->space == SPACE_COUNTER ? store_sum(txn, e->key, &sum) : store_get(txn, e->space, e->key, &value);
        if (!status && e->space == SPACE_COUNTER) value = slice_of(&sum, sizeof sum);
        judge(status, !status && e->print == XXH3_64bits(value.p, value.n), "got", i);
    }
    each_space(txn, scan_space, false, &at);
    at = 0;
    each_space(txn, scan_back, true, &at);
    return STORE_OK;
}

int main(int argc, char **argv)
{
    struct store_options options = { .dir = argv[1], .read_only = true };
    struct store *store;
    char message[1024];
    bool recording = argc == 4 && !strcmp(argv[2], "--record");
    if (argc != 3 && !recording) return EX_USAGE;
    if (!recording) load(argv[2]);
    store_survive_damage();
    if (store_open(&store, &options, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return TOLD;
    }
    if (recording) {
        FILE *f = fopen(argv[3], "wb");
        int status = f ? store_view(store, record, f) : STORE_IO;
        return !f || fclose(f) || status ? EX_IOERR : ALL_RIGHT;
    }
    store_view(store, compare, NULL);
    store_close(store);
    return wrong ? WRONG : told ? TOLD : ALL_RIGHT;
}
