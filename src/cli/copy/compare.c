/* compare.c: do two tables hold the same items? Each is read, and what it holds looked up in the other: nothing has to be in order.
 *
 * The source may be written to meanwhile. What differs is looked at again after the changes have been followed, until it is the same or it is plain
 * that it stays different. */
#include "online.h"
#include "../../item/item_json.h"
#include <inttypes.h>

#define SUSPECTS_MAX 2000
#define SHOWN        20
#define TRIES        5

struct suspects {
    struct arena arena;
    struct slice keys[SUSPECTS_MAX];
    uint64_t n;
};

struct looking {
    struct online *o;
    const struct copied *t;
    struct service *other;
    struct suspects *suspects;
    struct slice items[GROUP], keys[GROUP]; /* in o->group */
    size_t n;
    uint64_t done;
};

/* ---- looking ---- */

/* A key that both sides have comes up twice. */
static void suspect(struct suspects *s, struct slice key)
{
    for (size_t i = 0; i < s->n && i < SUSPECTS_MAX; i++)
        if (slice_eq(s->keys[i], key)) return;
    if (s->n < SUSPECTS_MAX) s->keys[s->n] = arena_dup(&s->arena, key);
    s->n++;
}

static int look_up(struct looking *l)
{
    struct slice found[GROUP];
    int code = l->n ? items_get(l->other, &l->o->group, l->t, l->keys, l->n, found) : 0;
    for (size_t i = 0; i < l->n && !code; i++)
        if (!slice_eq(found[i], l->items[i])) suspect(l->suspects, l->keys[i]);
    l->n = 0;
    arena_reset(&l->o->group);
    return code;
}

static int look_at(void *ctx, struct slice item)
{
    struct looking *l = ctx;
    l->items[l->n] = arena_dup(&l->o->group, item);
    l->keys[l->n++] = items_key(&l->o->group, l->t, item);
    show_progress(NULL, "items compared", ++l->done, 0);
    return l->n < GROUP ? 0 : look_up(l);
}

static int look_through(struct online *o, const struct copied *t, struct service *at, struct service *other, struct suspects *s)
{
    struct looking *l = ARENA_NEW(o->from.kept, struct looking);
    *l = (struct looking){ .o = o, .t = t, .other = other, .suspects = s };
    arena_reset(&o->group);
    int code = service_scan(at, t->name, slice_of(NULL, 0), look_at, l);
    return code ? code : look_up(l);
}

/* ---- again ---- */

static int look_again(struct online *o, const struct copied *t, struct suspects *s)
{
    struct slice from[GROUP], to[GROUP];
    size_t left = 0;
    for (size_t i = 0; i < s->n; i += GROUP) {
        size_t n = s->n - i < GROUP ? (size_t)s->n - i : GROUP;
        arena_reset(&o->group);
        int code = items_get(&o->from, &o->group, t, s->keys + i, n, from);
        if (!code) code = items_get(&o->to, &o->group, t, s->keys + i, n, to);
        if (code) return code;
        for (size_t k = 0; k < n; k++)
            if (!slice_eq(from[k], to[k])) s->keys[left++] = s->keys[i + k];
    }
    s->n = left;
    return 0;
}

static void tell(struct online *o, const struct copied *t, const struct suspects *s)
{
    end_progress();
    for (size_t i = 0; i < s->n && i < SHOWN && i < SUSPECTS_MAX; i++) {
        struct buf b;
        arena_reset(&o->group);
        buf_init(&b, &o->group, (size_t)1 << 20);
        buf_slice(&b, t->name);
        buf_u8(&b, ' ');
        item_to_json(&b, s->keys[i]);
        BUF_LIT(&b, ": is different\0");
        put_visible(stderr, (const char *)b.p);
        fputc('\n', stderr);
    }
    if (s->n > SHOWN) fprintf(stderr, "%.*s: %" PRIu64 " more\n", SLICE_ARG(t->name), s->n - SHOWN);
}

static int compare(struct online *o, const struct copied *t, struct suspects *s)
{
    uint64_t changes;
    unsigned ms = 50;
    int code = look_through(o, t, &o->from, &o->to, s);
    if (!code && s->n < SUSPECTS_MAX) code = look_through(o, t, &o->to, &o->from, s);
    for (unsigned i = 0; i < TRIES && !code && s->n && s->n <= SUSPECTS_MAX && o->live; i++) {
        service_rest(&ms);
        code = follow_round(o, &changes);
        if (!code) code = look_again(o, t, s);
    }
    return code;
}

int compare_tables(struct online *o, const struct copied *t, uint64_t *differing)
{
    struct suspects *s = ARENA_NEW(o->from.kept, struct suspects);
    arena_init(&s->arena, (size_t)64 << 20);
    int code = compare(o, t, s);
    end_progress();
    if (!code && s->n) tell(o, t, s);
    *differing = s->n;
    arena_free(&s->arena);
    return code;
}
