/* archive_read.c: reading the file of a backup, all of it verified; see archive.h. */
#include "archive.h"
#include "guarded.h"
#include "../cli.h"
#include "../render.h"
#include "../../engine/object_reader.h"
#include "../../item/item_json.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 128 /* as of an answer (model/api.c) */

enum state { AT_START, BETWEEN, IN_TABLE, AT_END };

struct reading {
    const char *path;
    struct object_reader *from;
    struct arena *kept, *scratch;
    const struct archive_visitor *v;
    struct archive_sum sum;
    enum state state;
    struct digest digest; /* of the table */
};

static int damaged(const struct reading *r, const char *how)
{
    return fail_error("%s is damaged: %s. Use another copy", r->path, how);
}

/* Digits only; false if the member is not that. */
static bool number(const struct json *object, const char *name, int base, uint64_t *out)
{
    const struct json *node = json_get(object, slice_str(name));
    struct slice text = node ? node->text : slice_of(NULL, 0);
    char digits[24], *end;
    if (!text.n || text.n >= sizeof digits) return false;
    memcpy(digits, text.p, text.n);
    digits[text.n] = 0;
    *out = strtoull(digits, &end, base);
    return !*end && digits[0] != '-';
}

/* ---- the kinds of lines ---- */

static int read_head(struct reading *r, const struct json *head)
{
    uint64_t format;
    if (!number(head, "format", 10, &format)) return fail_error("%s is no backup that onefold wrote", r->path);
    if (format != ARCHIVE_FORMAT)
        return fail_error("%s has format %llu, and this program knows %d: use a newer onefold", r->path, (unsigned long long)format,
                          ARCHIVE_FORMAT);
    r->state = BETWEEN;
    return 0;
}

/* In the arena that lasts: a table's definition is needed while its items come. */
static int read_table(struct reading *r, struct slice line)
{
    const struct json *tree = json_parse(r->kept, arena_dup(r->kept, line), MAX_DEPTH, NULL);
    r->state = IN_TABLE;
    r->sum.tables++;
    r->digest = (struct digest){ 0 };
    return r->v->table ? r->v->table(r->v->ctx, JSON_GET(tree, "Table")) : 0;
}

static int read_item(struct reading *r, const struct json *node)
{
    struct err e = { .arena = r->scratch };
    struct slice item;
    if (item_from_json(r->scratch, node, &item, &e)) return damaged(r, "it has an item that is none");
    digest_add(&r->digest, item);
    r->sum.items++;
    return r->v->item ? r->v->item(r->v->ctx, item) : 0;
}

static int read_table_end(struct reading *r, const struct json *end)
{
    struct digest said;
    struct slice sum = json_text(end, "sum");
    char text[40];
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)r->digest.high, (unsigned long long)r->digest.low);
    said = r->digest;
    if (!number(end, "items", 10, &said.items) || !number(end, "bytes", 10, &said.bytes) || !slice_eq(sum, slice_str(text)) ||
        !digest_same(&said, &r->digest))
        return damaged(r, "the items of a table are not those that were written");
    r->state = BETWEEN;
    return r->v->end ? r->v->end(r->v->ctx, &r->digest) : 0;
}

static const struct json *names_in(const struct json *end, const char *member)
{
    const struct json *list = json_get(end, slice_str(member));
    return list && list->type == JSON_ARRAY && list->count ? list : NULL;
}

static int read_end(struct reading *r, struct slice line)
{
    struct archive_sum said;
    const struct json *end = JSON_GET(json_parse(r->kept, arena_dup(r->kept, line), MAX_DEPTH, NULL), "End");
    r->sum.left_out = names_in(end, "left_out");
    r->sum.damaged = names_in(end, "damaged");
    if (!number(end, "tables", 10, &said.tables) || !number(end, "items", 10, &said.items) || !number(end, "chain", 16, &said.chain) ||
        said.tables != r->sum.tables || said.items != r->sum.items || said.chain != r->sum.chain)
        return damaged(r, "its checksum is not that of what it holds");
    r->state = AT_END;
    return 0;
}

static int read_line(struct reading *r, struct slice line)
{
    const struct json *tree = json_parse(r->scratch, line, MAX_DEPTH, NULL);
    const struct json *member = tree && tree->type == JSON_OBJECT && tree->count == 1 ? tree->first : NULL;
    struct slice kind = member ? member->name : slice_of(NULL, 0);
    int code;
    if (r->state == AT_START) code = read_head(r, slice_eq(kind, SLICE("Backup")) ? member : NULL);
    else if (r->state == BETWEEN && slice_eq(kind, SLICE("Table"))) code = read_table(r, line);
    else if (r->state == IN_TABLE && slice_eq(kind, SLICE("Item"))) code = read_item(r, member);
    else if (r->state == IN_TABLE && slice_eq(kind, SLICE("TableEnd"))) code = read_table_end(r, member);
    else if (r->state == BETWEEN && slice_eq(kind, SLICE("End"))) return read_end(r, line);
    else code = damaged(r, r->state == AT_END ? "there is something behind its end" : "it has a line that does not belong there");
    r->sum.chain = archive_chain(r->sum.chain, line);
    return code;
}

/* ---- the whole ---- */

static int read_all(void *ctx)
{
    struct reading *r = ctx;
    struct slice text;
    enum object_status status;
    while ((status = object_reader_json(r->from, &text)) == OBJECT_JSON) {
        arena_reset(r->scratch);
        int code = read_line(r, text);
        if (code) return code;
    }
    if (r->state == AT_START) return fail_error("%s is no backup that onefold wrote", r->path);
    if (status == OBJECT_BROKEN) return damaged(r, "it cannot be unpacked to its end");
    return r->state == AT_END ? 0 : damaged(r, "it has no end");
}

int archive_open(const char *path, int *fd)
{
    struct stat st;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) return fail_error("cannot read %s: %s", path, strerror(errno));
    if (!fstat(*fd, &st) && S_ISREG(st.st_mode)) return 0;
    close(*fd);
    *fd = -1;
    return fail_error("%s is no file", path);
}

bool archive_hold(int fd)
{
    return !flock(fd, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK;
}

bool archive_hold_alone(int fd)
{
    return (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) && archive_hold(fd);
}

int archive_read(int fd, const char *path, struct arena *kept, struct arena *scratch, const struct archive_visitor *v,
                 struct archive_sum *sum)
{
    struct reading r = { .path = path, .kept = kept, .scratch = scratch, .v = v };
    int copy = lseek(fd, 0, SEEK_SET) < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0); /* the reader closes what it has */
    if (copy < 0) return fail_error("cannot read %s: %s", path, strerror(errno));
    r.from = object_reader_open(copy, true);
    if (!r.from) return fail_error("out of memory");
    int code = guarded(kept, scratch, read_all, &r);
    object_reader_close(r.from);
    *sum = r.sum;
    return code;
}
