/* steady.c: identifiers that come out the same when a row is written again. */
#include "steady.h"
#include "write_impl.h"
#include "../base/ulid.h"

struct bytes {
    uint64_t seed, number;
};

/* Four bytes of the run, then the number: so they sort as the rows do. */
static void counted(void *ctx, uint8_t *p, size_t n)
{
    const struct bytes *b = ctx;
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)(i < 4 ? b->seed >> (8 * i) : i < 10 ? b->number >> (8 * (9 - i)) : 0);
}

/* splitmix64: each number of each run gives bytes of its own. */
static void mixed(void *ctx, uint8_t *p, size_t n)
{
    const struct bytes *b = ctx;
    uint64_t state = b->seed + b->number * 0x632be59bd9b4e019u, z = 0;
    for (size_t i = 0; i < n; i++, z >>= 8) {
        if (i % 8 == 0) {
            z = state += 0x9e3779b97f4a7c15u;
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
            z = (z ^ z >> 27) * 0x94d049bb133111ebu;
            z ^= z >> 31;
        }
        p[i] = (uint8_t)z;
    }
}

static struct slice identifier(struct arena *a, const struct attribute *at, const struct marker *run, uint64_t number)
{
    char ulid[ULID_LENGTH], uuid[UUID_LENGTH];
    struct bytes b = { run->seed, number };
    if (at->generate == GENERATE_UUID) {
        uuid_v4(mixed, &b, uuid);
        return val_make_string(a, slice_of(uuid, sizeof uuid));
    }
    struct ulid_source alone = ULID_SOURCE_INIT;
    ulid_next(&alone, run->time, counted, &b, ulid);
    return val_make_string(a, slice_of(ulid, sizeof ulid));
}

int steady_fill(struct arena *a, const struct entity *en, const struct model_env *env, struct marker *run,
                uint64_t place, struct slice *attributes, struct err *e)
{
    for (size_t i = 0; i < en->n_attributes; i++) {
        const struct attribute *at = &en->attributes[i];
        struct slice value;
        if ((at->generate != GENERATE_ULID && at->generate != GENERATE_UUID) || at->default_value.n) continue;
        if (val_get(*attributes, at->name, &value) && val_type(value) != TYPE_NULL) continue;
        int code = run->seed ? 0 : marker_begin(run, env, e);
        if (code) return code;
        *attributes = map_with(a, *attributes, at->name, identifier(a, at, run, place << 8 | (i & 255)));
    }
    return 0;
}
