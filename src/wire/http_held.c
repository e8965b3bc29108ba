/* http_held.c: the memory that requests hold, all of them together, and who gets it when it is short.
 *
 * A body is received before anybody knows whose it is. So strangers may fill what there is for bodies, but not what requests need that are complete; and
 * where bodies have filled it, those that arrive slowly make room for those that do not. */
#include "http_private.h"

static bool hold(struct connection *c, size_t n, size_t most)
{
    struct http_server *s = c->loop->server;
    if (n == c->held) return true; /* most requests hold nothing: leave what all loops share alone */
    size_t all = __atomic_add_fetch(&s->held, n - c->held, __ATOMIC_RELAXED);
    if (n > c->held && all > most) {
        __atomic_sub_fetch(&s->held, n - c->held, __ATOMIC_RELAXED);
        return false;
    }
    c->held = n;
    return true;
}

bool connection_hold(struct connection *c, size_t n)
{
    return hold(c, n, c->loop->server->held_max);
}

/* Refuses the slowest of the loop's bodies: the one whose time ends first, since bytes that arrive buy time (earn_time). It must end before that of the one that
 * wants the room, and be a while behind what it could be. True: there is more room now. */
static bool refuse_slowest(struct http_loop *l, uint64_t deadline)
{
    const struct http_limits *limits = &l->server->options.limits;
    struct connection *slowest = NULL;
    uint64_t brisk = uv_now(&l->uv) + limits->body_ms;
    for (struct connection *c = l->connections; c; c = c->next) {
        if (c->phase != PHASE_BODY || !c->held || c->deadline >= deadline || c->deadline + limits->evict_ms > brisk) continue;
        deadline = c->deadline;
        slowest = c;
    }
    if (!slowest) return false;
    connection_refuse(slowest, 503);
    return !slowest->held; /* or its client does not even take that */
}

/* It comes too late for this body, but not for the next try. */
static void ask_others(const struct http_loop *l, uint64_t deadline)
{
    struct http_server *s = l->server;
    if (__atomic_load_n(&s->stopping, __ATOMIC_RELAXED)) return;
    for (unsigned i = 0; i < s->n_loops; i++)
        if (&s->loops[i] != l && !__atomic_exchange_n(&s->loops[i].body_waits, deadline, __ATOMIC_RELAXED)) loop_wake(&s->loops[i]);
}

void held_make_room(struct http_loop *l)
{
    uint64_t deadline = __atomic_exchange_n(&l->body_waits, 0, __ATOMIC_RELAXED);
    if (deadline) refuse_slowest(l, deadline);
}

bool connection_hold_body(struct connection *c, size_t n)
{
    size_t all = c->loop->server->held_max;
    while (!hold(c, n, all - all / WIRE_HELD_REST)) {
        if (refuse_slowest(c->loop, c->deadline)) continue;
        ask_others(c->loop, c->deadline);
        return false;
    }
    return true;
}
