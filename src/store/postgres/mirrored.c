/* mirrored.c: see mirrored.h. */
#include "mirrored.h"
#include "../value.h"

#define FETCH_AHEAD 256 /* rows of a range of which nobody said how many are taken */

/* ---- single keys ---- */

static int mark_read(struct mirror *m, struct node *n)
{
    m->own_reads++;
    if (n->now.checked) return STORE_OK;
    if (!mirror_note(m, n)) return STORE_NO_MEMORY;
    n->now.checked = true;
    return STORE_OK;
}

/* Is all known of this key? One that has no node, in a range that is known, does not exist. */
static int find(struct mirror *m, enum store_space space, struct slice key, struct node **out)
{
    struct node *n = mirror_find(m, space, key);
    if (!n || (n->base == BASE_UNKNOWN && !n->now.changed)) {
        if (!mirror_known(m, space, key)) return mirror_want(m, space, key) ? STORE_CONFLICT : STORE_NO_MEMORY;
        n = mirror_node(m, space, key);
        if (!n) return STORE_NO_MEMORY;
        n->base = BASE_ABSENT;
    }
    *out = n;
    return STORE_OK;
}

static bool is_damaged(const struct node *n)
{
    return n->damaged && !n->now.changed;
}

int mirrored_get(struct mirror *m, enum store_space space, struct slice key, struct slice *value)
{
    struct node *n;
    int rc = find(m, space, key, &n);
    if (!rc && is_damaged(n)) return STORE_CORRUPT;
    if (!rc && n->base != BASE_UNKNOWN) rc = mark_read(m, n);
    if (rc) return rc;
    return node_value(n, value) ? STORE_OK : STORE_NOT_FOUND;
}

/* All that is missing is asked for at once. */
int mirrored_get_many(struct mirror *m, struct store_read *reads, size_t n)
{
    int worst = STORE_OK;
    for (size_t i = 0; i < n; i++) {
        int rc = mirrored_get(m, reads[i].space, reads[i].key, &reads[i].value);
        reads[i].status = rc;
        if (rc && rc != STORE_NOT_FOUND && worst != STORE_NO_MEMORY) worst = rc;
    }
    return worst;
}

static struct node *to_change(struct mirror *m, enum store_space space, struct slice key)
{
    struct node *n = mirror_node(m, space, key);
    if (!n || !mirror_note(m, n)) return NULL;
    m->own_changes++;
    return n;
}

int mirrored_put(struct mirror *m, enum store_space space, struct slice key, struct slice value)
{
    uint8_t *stored = mirror_alloc(m, VALUE_HEADER + value.n);
    struct node *n = stored ? to_change(m, space, key) : NULL;
    if (!n) return STORE_NO_MEMORY;
    value_write(stored, space, key, value);
    n->now.changed = true;
    n->now.deleted = false;
    n->now.stored = slice_of(stored, VALUE_HEADER + value.n);
    n->now.value = slice_of(stored + VALUE_HEADER, value.n);
    m->bytes += key.n + value.n;
    return STORE_OK;
}

int mirrored_delete(struct mirror *m, enum store_space space, struct slice key)
{
    struct node *n = to_change(m, space, key);
    if (!n) return STORE_NO_MEMORY;
    n->now.changed = n->now.deleted = true;
    n->now.stored = n->now.value = slice_of(NULL, 0);
    m->bytes += key.n;
    return STORE_OK;
}

/* ---- counters ---- */

static int64_t added(const struct counters *c, struct slice key, int64_t before)
{
    const struct counter *found = counters_find(c, key);
    if (!found) return before;
    return found->reset ? found->delta : counter_plus(before, found->delta);
}

int mirrored_sum(struct mirror *m, struct slice key, int64_t *sum)
{
    struct node *n = mirror_find(m, SPACE_COUNTER, key);
    if (!n || n->base == BASE_UNKNOWN) return mirror_want(m, SPACE_COUNTER, key) ? STORE_CONFLICT : STORE_NO_MEMORY;
    m->summed = true;
    *sum = added(&m->own, key, added(&m->adds, key, n->version));
    return STORE_OK;
}

int mirrored_epoch(struct mirror *m, int64_t *epoch)
{
    *epoch = m->epoch;
    m->epoch_told = true;
    if (m->epoch >= 0) return STORE_OK;
    if (!m->epoch_wanted) m->n_wanted++;
    m->epoch_wanted = true;
    return STORE_CONFLICT;
}

/* ---- series ---- */

static struct series *find_series(struct mirror *m, struct slice key)
{
    for (struct series *s = m->series; s; s = s->next)
        if (slice_eq(s->key, key)) return s;
    struct series *s = mirror_alloc(m, sizeof *s);
    if (!s) return NULL;
    *s = (struct series){ .next = m->series };
    if (!mirror_copy(m, key, &s->key)) return NULL;
    m->series = s;
    return s;
}

int mirrored_number(struct mirror *m, struct slice key, uint64_t least, uint64_t *number)
{
    struct series *s = find_series(m, key);
    if (!s) return STORE_NO_MEMORY;
    uint64_t n = s->last >= least ? s->last + 1 : least;
    if (m->exact) {
        struct node *node;
        int rc = find(m, SPACE_META, key, &node);
        if (rc) return rc;
        if (node->base == BASE_PRESENT && (uint64_t)node->version >= n) n = (uint64_t)node->version + 1;
    }
    if (!s->first) s->first = n;
    *number = s->last = n;
    return STORE_OK;
}

/* ---- ranges ---- */

static int ask(struct mirror *m, const struct walk *w, struct slice from)
{
    struct store_range r = { .space = w->space, .from = from, .to = w->to_end ? slice_of(NULL, 0) : w->to, .reverse = w->reverse,
                             .limit = w->limit ? w->limit : FETCH_AHEAD };
    return mirror_want_range(m, &r) ? STORE_CONFLICT : STORE_NO_MEMORY;
}

static bool is_after(const struct walk *w, struct slice key)
{
    return !w->to_end && slice_cmp(key, w->to) >= 0;
}

/* What a walk tells of the node that it has come to. */
static int tell(struct mirror *m, struct node *n, struct slice *key)
{
    *key = n->key;
    return is_damaged(n) ? STORE_CORRUPT : mark_read(m, n);
}

static int next_up(struct mirror *m, struct walk *w, struct slice *key, struct slice *value)
{
    while (!is_after(w, w->from)) {
        const struct known *k = mirror_known(m, w->space, w->from);
        if (!k) return ask(m, w, w->from);
        struct node *n = mirror_from(m, w->space, w->from);
        if (n && w->after && slice_eq(n->key, w->from)) n = n->next[0];
        for (; n && (k->to_end || slice_cmp(n->key, k->to) < 0); n = n->next[0]) {
            if (is_after(w, n->key)) return STORE_END;
            if (!node_value(n, value)) continue;
            w->from = n->key;
            w->after = true;
            return tell(m, n, key);
        }
        if (k->to_end) return STORE_END;
        w->from = k->to;
        w->after = false;
    }
    return STORE_END;
}

static int next_down(struct mirror *m, struct walk *w, struct slice *key, struct slice *value)
{
    while (w->to_end || slice_cmp(w->to, w->from) > 0) {
        const struct known *k = mirror_known_below(m, w->space, w->to, w->to_end);
        if (!k) return ask(m, w, w->from);
        struct node *n = mirror_below(m, w->space, w->to, w->to_end);
        for (; n && slice_cmp(n->key, k->from) >= 0; n = mirror_below(m, w->space, n->key, false)) {
            if (slice_cmp(n->key, w->from) < 0) return STORE_END;
            if (!node_value(n, value)) continue;
            w->to = n->key;
            w->to_end = false;
            return tell(m, n, key);
        }
        w->to = k->from;
        w->to_end = false;
    }
    return STORE_END;
}

int mirrored_next(struct mirror *m, struct walk *w, struct slice *key, struct slice *value)
{
    return w->reverse ? next_down(m, w, key, value) : next_up(m, w, key, value);
}
