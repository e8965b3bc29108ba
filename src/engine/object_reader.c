/* object_reader.c: reading objects. With zlib, because libdeflate, which the wire has, unpacks whole buffers only. */
#include "object_reader.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define CHUNK       65536
#define GZIP_WINDOW (15 + 16) /* zlib's largest window, in a gzip wrapper */

struct object_reader {
    int fd;
    bool gzip, broken, end;
    bool starved;            /* no memory could be had: what it says of the object is not so */
    bool inside;             /* gzip: a member has begun and not ended */
    z_stream unpack;
    size_t fill, at;         /* of bytes */
    uint64_t before;         /* given out of earlier chunks */
    uint8_t *value;          /* a JSON object's text */
    size_t n, room;
    uint8_t packed[CHUNK], bytes[CHUNK];
};

struct object_reader *object_reader_open(int fd, bool gzip)
{
    struct object_reader *r = calloc(1, sizeof *r);
    if (r && gzip && inflateInit2(&r->unpack, GZIP_WINDOW) != Z_OK) {
        free(r);
        r = NULL;
    }
    if (!r) {
        close(fd);
        return NULL;
    }
    r->fd = fd;
    r->gzip = gzip;
    return r;
}

void object_reader_close(struct object_reader *r)
{
    if (!r) return;
    if (r->gzip) inflateEnd(&r->unpack);
    close(r->fd);
    free(r->value);
    free(r);
}

/* 0 at the end and after an error. */
static size_t read_file(struct object_reader *r, uint8_t *to)
{
    ssize_t n;
    do n = read(r->fd, to, CHUNK);
    while (n < 0 && errno == EINTR);
    if (n < 0) r->broken = true;
    return n > 0 ? (size_t)n : 0;
}

/* Unpacks until there are some bytes. A file may hold several members, one after the other. */
static size_t read_packed(struct object_reader *r)
{
    z_stream *z = &r->unpack;
    z->next_out = r->bytes;
    z->avail_out = CHUNK;
    while (z->avail_out == CHUNK) {
        if (!z->avail_in) {
            z->next_in = r->packed;
            z->avail_in = (uInt)read_file(r, r->packed);
            if (!z->avail_in) {
                r->broken |= r->inside;
                return 0;
            }
        }
        r->inside = true;
        int status = inflate(z, Z_NO_FLUSH);
        if (status == Z_STREAM_END) {
            r->inside = false;
            status = inflateReset(z);
        }
        if (status != Z_OK) {
            r->starved = status == Z_MEM_ERROR;
            r->broken = true;
            break;
        }
    }
    return CHUNK - z->avail_out;
}

static bool more(struct object_reader *r)
{
    if (r->end) return false;
    r->before += r->fill;
    r->at = 0;
    r->fill = r->broken ? 0 : r->gzip ? read_packed(r) : read_file(r, r->bytes);
    r->end = r->fill == 0;
    return !r->end;
}

int object_reader_byte(void *reader)
{
    struct object_reader *r = reader;
    if (r->at == r->fill && !more(r)) return EOF;
    return r->bytes[r->at++];
}

bool object_reader_broken(const struct object_reader *r)
{
    return r->broken && r->end;
}

bool object_reader_starved(const struct object_reader *r)
{
    return r->starved;
}

uint64_t object_reader_at(const struct object_reader *r)
{
    return r->before + r->at;
}

bool object_reader_skip(struct object_reader *r, uint64_t n)
{
    while (n) {
        if (r->at == r->fill && !more(r)) return false;
        size_t step = r->fill - r->at < n ? r->fill - r->at : (size_t)n;
        r->at += step;
        n -= step;
    }
    return true;
}

static bool keep(struct object_reader *r, uint8_t c)
{
    if (r->n == r->room) {
        size_t room = r->room ? r->room * 2 : CHUNK;
        if (room > OBJECT_MAX_JSON) return false;
        uint8_t *larger = realloc(r->value, room);
        r->starved = !larger;
        if (!larger) return false;
        r->value = larger;
        r->room = room;
    }
    r->value[r->n++] = c;
    return true;
}

static bool is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

enum object_status object_reader_json(struct object_reader *r, struct slice *out)
{
    int c;
    size_t spaces = 0;
    do c = object_reader_byte(r);
    while (is_space(c) && spaces++ < OBJECT_MAX_JSON);
    if (c == EOF) return r->broken ? OBJECT_BROKEN : OBJECT_END;
    if (c != '{') return OBJECT_BROKEN;
    size_t depth = 0;
    bool quoted = false, escaped = false;
    for (r->n = 0; c != EOF; c = object_reader_byte(r)) {
        if (!keep(r, (uint8_t)c)) break;
        if (quoted) {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && --depth == 0) {
            *out = slice_of(r->value, r->n);
            return OBJECT_JSON;
        }
    }
    return OBJECT_BROKEN;
}
