/* ulid.c: ULIDs and UUIDs. A ULID is 48 bits of milliseconds and 80 random bits in Crockford's base 32. */
#include "ulid.h"
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define TIME_MAX ((UINT64_C(1) << 48) - 1) /* the year 10889 */

/* False if it was all ones; it is all zeros then. */
static bool count_up(uint8_t random[10])
{
    for (int i = 9; i >= 0; i--) {
        if (++random[i]) return true;
    }
    return false;
}

static void write_ulid(uint64_t time, const uint8_t random[10], char out[ULID_LENGTH])
{
    static const char letters[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    for (int i = 9; i >= 0; i--, time >>= 5) out[i] = letters[time & 31];
    /* Five bytes are eight letters. */
    for (int half = 0; half < 2; half++) {
        uint64_t bits = 0;
        for (int i = 0; i < 5; i++) bits = bits << 8 | random[half * 5 + i];
        for (int i = 7; i >= 0; i--, bits >>= 5) out[10 + half * 8 + i] = letters[bits & 31];
    }
}

void ulid_next(struct ulid_source *s, int64_t now, random_fn *random, void *ctx, char out[ULID_LENGTH])
{
    uint64_t time = now < 0 ? 0 : (uint64_t)now > TIME_MAX ? TIME_MAX : (uint64_t)now;
    uint8_t fresh[10];
    random(ctx, fresh, sizeof fresh);
    pthread_mutex_lock(&s->lock);
    pid_t pid = getpid();
    if (s->pid == pid && time <= s->time) {
        if (!count_up(s->random) && s->time < TIME_MAX) {
            s->time++;
            memcpy(s->random, fresh, sizeof fresh);
        }
    } else {
        if (!s->pid || time > s->time) s->time = time;
        memcpy(s->random, fresh, sizeof fresh);
        s->pid = pid;
    }
    write_ulid(s->time, s->random, out);
    pthread_mutex_unlock(&s->lock);
}

void uuid_v4(random_fn *random, void *ctx, char out[UUID_LENGTH])
{
    static const char hex[] = "0123456789abcdef";
    uint8_t b[16];
    random(ctx, b, sizeof b);
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    for (size_t i = 0, at = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out[at++] = '-';
        out[at++] = hex[b[i] >> 4];
        out[at++] = hex[b[i] & 15];
    }
}
