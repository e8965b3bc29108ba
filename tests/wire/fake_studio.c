/* fake_studio.c: a guest of the wire that is not the studio, so that the tests of the wire test the wire: /studio/NAME answers its name,
 * /studio/packed a gzip body, /studio/large one of 5 MB, the call Echo its body (from a worker's thread), Hungry uses up the arena. */
#include "lib/within.h"
#include "studio/studio.h"
#include <libdeflate.h>

struct studio {
    struct guest guest;
};

/* Anything but NULL: nobody looks inside. */
static struct studio fake;

of_db *lib_db_within(struct engine *engine)
{
    return (of_db *)engine;
}

void lib_db_leave(of_db *db)
{
    (void)db;
}

bool studio_has_pages(void)
{
    return false;
}

static struct slice packed(struct arena *a, struct slice text)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(9);
    size_t room = libdeflate_gzip_compress_bound(c, text.n);
    uint8_t *to = arena_bytes(a, room);
    size_t n = libdeflate_gzip_compress(c, text.p, text.n, to, room);
    libdeflate_free_compressor(c);
    return slice_of(to, n);
}

/* Bytes that do not get smaller. */
static struct slice noise(struct arena *a, size_t n)
{
    uint8_t *to = arena_bytes(a, n);
    uint64_t x = 1;
    for (size_t i = 0; i < n; i++) to[i] = (uint8_t)((x = x * 6364136223846793005u + 1442695040888963407u) >> 56);
    return slice_of(to, n);
}

static void get(void *ctx, struct http_request *r, struct guest_answer *out)
{
    (void)ctx;
    out->content_type = SLICE("text/plain");
    out->headers = SLICE("X-Guest: yes\r\n");
    out->body = r->path;
    bool large = slice_eq(r->path, SLICE("/studio/large"));
    if (!large && !slice_eq(r->path, SLICE("/studio/packed"))) return;
    out->body = packed(r->arena, large ? noise(r->arena, 5 << 20) : SLICE("this was packed"));
    out->gzipped = true;
}

static void call(void *ctx, struct arena *a, struct slice operation, struct slice body, struct guest_answer *out)
{
    (void)ctx;
    while (slice_eq(operation, SLICE("Hungry"))) arena_alloc(a, 1 << 20);
    if (!slice_eq(operation, SLICE("Echo"))) out->status = 400;
    out->body = body;
}

static bool knows(struct slice operation)
{
    return slice_eq(operation, SLICE("Hungry")) || slice_eq(operation, SLICE("Echo"));
}

struct studio *studio_open(const struct studio_options *o)
{
    (void)o;
    fake.guest = (struct guest){ .ctx = &fake, .path = SLICE("/studio"), .target = SLICE("Onefold_20261101."), .get = get, .call = call,
                                  .knows = knows };
    return &fake;
}

void studio_close(struct studio *s)
{
    (void)s;
}

const struct guest *studio_guest(struct studio *s)
{
    return &s->guest;
}
