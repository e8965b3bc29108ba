/* keys.c: see keys.h. */
#include "keys.h"
#include "../../base/sha256.h"

static struct slice cut(struct slice *from, size_t n)
{
    struct slice first = slice_of(from->p, from->n < n ? from->n : n);
    *from = slice_of(from->p + first.n, from->n - first.n);
    return first;
}

void key_split(struct slice key, struct columns *c)
{
    c->place = cut(&key, KEY_PLACE);
    c->head = cut(&key, KEY_HEAD);
    c->rest = key;
    c->tail = slice_of(c->digest, 0);
    if (!key.n) return;
    sha256(key, c->digest);
    c->tail.n = KEY_TAIL;
}
