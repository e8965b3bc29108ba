/* mirror.c: see mirror.h. The lists are skip lists. */
#include "mirror.h"
#include <stdlib.h>

#define BLOCK ((size_t)64 << 10)

/* ---- memory: all of a batch's, given back at once ---- */

struct memory_block {
    struct memory_block *next;
    size_t n, cap;
    max_align_t bytes[];
};

void *mirror_alloc(struct mirror *m, size_t n)
{
    struct memory_block *b = m->blocks;
    n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!b || b->cap - b->n < n) {
        size_t cap = n > BLOCK ? n : BLOCK;
        b = malloc(sizeof *b + cap);
        if (!b) return NULL;
        *b = (struct memory_block){ .next = m->blocks, .cap = cap };
        m->blocks = b;
    }
    void *p = (char *)b->bytes + b->n;
    b->n += n;
    return p;
}

bool mirror_copy(struct mirror *m, struct slice from, struct slice *to)
{
    uint8_t *p = mirror_alloc(m, from.n ? from.n : 1);
    if (!p) return false;
    if (from.n) memcpy(p, from.p, from.n);
    *to = slice_of(p, from.n);
    return true;
}

static struct node *new_node(struct mirror *m, unsigned levels)
{
    struct node *n = mirror_alloc(m, sizeof *n + levels * sizeof n->next[0]);
    if (n) memset(n, 0, sizeof *n + levels * sizeof n->next[0]);
    if (n) n->levels = levels;
    return n;
}

static void free_blocks(struct mirror *m)
{
    for (struct memory_block *b = m->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    m->blocks = NULL;
}

bool mirror_clear(struct mirror *m)
{
    free_blocks(m);
    counters_clear(&m->adds);
    counters_clear(&m->own);
    *m = (struct mirror){ .epoch = -1, .epoch_found = -1, .adds = m->adds, .own = m->own, .random = m->random, .sizes = m->sizes };
    for (size_t i = 0; i < SPACE_END; i++)
        if (!(m->heads[i] = new_node(m, MIRROR_LEVELS))) return false;
    return true;
}

bool mirror_init(struct mirror *m)
{
    *m = (struct mirror){ .random = 2463534242u };
    return mirror_clear(m);
}

void mirror_free(struct mirror *m)
{
    free_blocks(m);
    counters_free(&m->adds);
    counters_free(&m->own);
}

/* ---- finding ---- */

/* before[level]: the last node of that level whose key is below this one (or, at the end, the last of all). */
static void search(const struct mirror *m, enum store_space space, struct slice key, bool to_end, struct node *before[MIRROR_LEVELS])
{
    struct node *at = m->heads[space];
    for (unsigned level = MIRROR_LEVELS; level-- > 0;) {
        while (at->next[level] && (to_end || slice_cmp(at->next[level]->key, key) < 0)) at = at->next[level];
        before[level] = at;
    }
}

struct node *mirror_from(const struct mirror *m, enum store_space space, struct slice key)
{
    struct node *before[MIRROR_LEVELS];
    search(m, space, key, false, before);
    return before[0]->next[0];
}

struct node *mirror_below(const struct mirror *m, enum store_space space, struct slice key, bool to_end)
{
    struct node *before[MIRROR_LEVELS];
    search(m, space, key, to_end, before);
    return before[0] == m->heads[space] ? NULL : before[0];
}

struct node *mirror_first(const struct mirror *m, enum store_space space)
{
    return m->heads[space]->next[0];
}

struct node *mirror_find(const struct mirror *m, enum store_space space, struct slice key)
{
    struct node *n = mirror_from(m, space, key);
    return n && slice_eq(n->key, key) ? n : NULL;
}

/* A quarter of the nodes of a level are in the next. */
static unsigned random_levels(struct mirror *m)
{
    unsigned levels = 1;
    m->random ^= m->random << 13;
    m->random ^= m->random >> 17;
    m->random ^= m->random << 5;
    for (uint32_t r = m->random; levels < MIRROR_LEVELS && !(r & 3); r >>= 2) levels++;
    return levels;
}

struct node *mirror_node(struct mirror *m, enum store_space space, struct slice key)
{
    struct node *before[MIRROR_LEVELS], *n;
    search(m, space, key, false, before);
    n = before[0]->next[0];
    if (n && slice_eq(n->key, key)) return n;
    n = new_node(m, random_levels(m));
    if (!n || !mirror_copy(m, key, &n->key)) return NULL;
    for (unsigned level = 0; level < n->levels; level++) {
        n->next[level] = before[level]->next[level];
        before[level]->next[level] = n;
    }
    return n;
}

/* ---- known ranges ---- */

const struct known *mirror_known(const struct mirror *m, enum store_space space, struct slice key)
{
    for (const struct known *k = m->known[space]; k; k = k->next)
        if (slice_cmp(k->from, key) <= 0 && (k->to_end || slice_cmp(key, k->to) < 0)) return k;
    return NULL;
}

const struct known *mirror_known_below(const struct mirror *m, enum store_space space, struct slice key, bool end)
{
    for (const struct known *k = m->known[space]; k; k = k->next)
        if ((end ? k->to_end : slice_cmp(k->from, key) < 0 && (k->to_end || slice_cmp(key, k->to) <= 0))) return k;
    return NULL;
}

bool mirror_add_known(struct mirror *m, enum store_space space, struct slice from, struct slice to, bool to_end)
{
    struct known *k = mirror_alloc(m, sizeof *k);
    if (!k) return false;
    *k = (struct known){ .to_end = to_end, .next = m->known[space] };
    if (!mirror_copy(m, from, &k->from) || !mirror_copy(m, to, &k->to)) return false;
    m->known[space] = k;
    return true;
}

/* ---- one update ---- */

void mirror_begin(struct mirror *m)
{
    m->undo = NULL;
    m->own_epoch = false;
    m->own_changes = m->own_reads = 0;
    counters_clear(&m->own);
}

bool mirror_keep(struct mirror *m)
{
    if (!counters_merge(&m->adds, &m->own)) return false; /* it is undone then */
    m->told |= !m->own_changes && m->own_reads > 1;
    m->undo = NULL;
    m->new_epoch |= m->own_epoch;
    m->changes += m->own_changes;
    return true;
}

void mirror_undo(struct mirror *m)
{
    for (const struct undo *u = m->undo; u; u = u->earlier) u->node->now = u->before;
    m->undo = NULL;
}

void mirror_undo_changes(struct mirror *m)
{
    for (const struct undo *u = m->undo; u; u = u->earlier) {
        bool checked = m->own_reads > 1 && u->node->now.checked;
        u->node->now = u->before;
        u->node->now.checked |= checked;
    }
    m->told |= m->own_reads > 1;
    m->undo = NULL;
}

bool mirror_note(struct mirror *m, struct node *node)
{
    struct undo *u = mirror_alloc(m, sizeof *u);
    if (!u) return false;
    *u = (struct undo){ .node = node, .before = node->now, .earlier = m->undo };
    m->undo = u;
    return true;
}

/* ---- asking ---- */

bool mirror_want(struct mirror *m, enum store_space space, struct slice key)
{
    struct node *n = mirror_node(m, space, key);
    if (!n) return false;
    if (!n->wanted) m->n_wanted++;
    n->wanted = true;
    return true;
}

bool mirror_want_range(struct mirror *m, const struct store_range *r)
{
    struct wanted_range *w = mirror_alloc(m, sizeof *w);
    if (!w) return false;
    *w = (struct wanted_range){ .range = *r, .next = m->ranges };
    if (!mirror_copy(m, r->from, &w->range.from) || !mirror_copy(m, r->to, &w->range.to)) return false;
    m->ranges = w;
    m->n_wanted++;
    return true;
}

void mirror_wants_done(struct mirror *m)
{
    m->ranges = NULL;
    m->n_wanted = 0;
    m->epoch_wanted = false;
}
