/* range.c: see range.h. */
#include "range.h"
#include <stdlib.h>

void span_begin(struct span *s, const struct store_range *r)
{
    *s = (struct span){ .space = r->space, .reverse = r->reverse };
    s->from = (struct bound){ r->from, EDGE_KEY };
    s->to = (struct bound){ r->to, r->to.n ? EDGE_KEY : EDGE_END };
}

void span_free(struct span *s)
{
    free(s->bytes);
    s->bytes = NULL;
}

static struct bound *near_end(struct span *s)
{
    return s->reverse ? &s->to : &s->from;
}

static bool is_long(struct slice key)
{
    return key.n > KEY_SHORT;
}

static bool same_head(struct slice a, struct slice b)
{
    return a.n >= KEY_SHORT && b.n >= KEY_SHORT && !memcmp(a.p, b.p, KEY_SHORT);
}

/* The near end lies within a group: before one of its keys or, in reverse, after all of them. */
static bool in_group(struct span *s)
{
    const struct bound *b = near_end(s);
    return (b->edge == EDGE_KEY && is_long(b->key)) || (s->reverse && b->edge == EDGE_GROUP_PAST);
}

/* ---- the statements ---- */

/* A bound as the columns of a row that may not exist; bytes has room for a head and one more. In reverse a group below a long
 * key has been read when this is asked for. */
static void bound_columns(const struct bound *b, bool upper, bool reverse, struct columns *c, uint8_t bytes[KEY_HEAD + 1])
{
    static const uint8_t high[KEY_PLACE + 1] = { 255, 255, 255, 255, 255, 255, 255, 255, 255 }, zero = 0;
    if (b->edge == EDGE_END) {
        *c = (struct columns){ .place = slice_of(high, sizeof high) };
        return;
    }
    key_split(slice_of(b->key.p, is_long(b->key) ? KEY_SHORT : b->key.n), c);
    bool past_group = b->edge == EDGE_GROUP_PAST || (b->edge == EDGE_KEY && is_long(b->key) && upper && !reverse);
    bool past_short = b->edge == EDGE_SHORT_PAST || (b->edge == EDGE_KEY && is_long(b->key) && !past_group);
    if (past_short) c->tail = slice_of(&zero, 1); /* no hash is that short */
    if (!past_group) return;
    memcpy(bytes, c->head.p, c->head.n);
    bytes[c->head.n] = 0;
    c->head = slice_of(bytes, c->head.n + 1);
}

static int send_rows(struct span *s, struct conn *c, size_t limit)
{
    uint8_t low[KEY_HEAD + 1], high[KEY_HEAD + 1];
    struct columns from, to;
    struct args a = { 0 };
    bound_columns(&s->from, false, s->reverse, &from, low);
    bound_columns(&s->to, true, s->reverse, &to, high);
    args_key(&a, &from);
    if (slice_eq(from.place, to.place) && s->space != SPACE_COUNTER) { /* all of a partition's: where rows are spread, it is one node's */
        args_bytes(&a, to.head);
        args_bytes(&a, to.tail);
        args_number(&a, (int64_t)limit);
        return conn_send(c, s->reverse ? S_PLACE_DOWN : S_PLACE_UP, s->space, &a);
    }
    args_key(&a, &to);
    args_number(&a, (int64_t)limit);
    if (s->space == SPACE_COUNTER) return conn_send(c, s->reverse ? S_COUNTERS_DOWN : S_COUNTERS_UP, s->space, &a);
    return conn_send(c, s->reverse ? S_DOWN : S_UP, s->space, &a);
}

static struct slice rest_of(struct slice key)
{
    return slice_of(key.p + KEY_SHORT, key.n - KEY_SHORT);
}

static int send_group(struct span *s, struct conn *c, size_t limit)
{
    struct slice head = near_end(s)->key;
    bool from_within = s->from.edge == EDGE_KEY && is_long(s->from.key) && same_head(s->from.key, head);
    bool to_within = s->to.edge == EDGE_KEY && is_long(s->to.key) && same_head(s->to.key, head);
    struct columns columns;
    struct args a = { 0 };
    key_split(slice_of(head.p, KEY_SHORT), &columns);
    args_bytes(&a, columns.place);
    args_bytes(&a, columns.head);
    args_bytes(&a, from_within ? rest_of(s->from.key) : slice_of(NULL, 0));
    args_bytes(&a, to_within ? rest_of(s->to.key) : slice_of(NULL, 0));
    args_flag(&a, !to_within);
    args_number(&a, (int64_t)limit);
    return conn_send(c, s->reverse ? S_GROUP_DOWN : S_GROUP_UP, s->space, &a);
}

int span_send(struct span *s, struct conn *c, size_t limit)
{
    return in_group(s) ? send_group(s, c, limit) : send_rows(s, c, limit);
}

/* ---- moving on ---- */

/* The near end becomes a copy of this key, with a zero byte behind it if after. */
static int move_to(struct span *s, struct slice key, bool after, enum edge edge)
{
    uint8_t *bytes = malloc(key.n + 1);
    if (!bytes) return STORE_NO_MEMORY;
    memcpy(bytes, key.p, key.n);
    bytes[key.n] = 0;
    free(s->bytes);
    s->bytes = bytes;
    *near_end(s) = (struct bound){ slice_of(bytes, key.n + after), edge };
    return STORE_OK;
}

static int move_past(struct span *s, struct slice last)
{
    return move_to(s, last, !s->reverse, EDGE_KEY);
}

/* The group at the near end has been read. Where the far end lies in it too, nothing is left. */
static int leave_group(struct span *s, bool *whole)
{
    struct slice head = slice_of(near_end(s)->key.p, KEY_SHORT);
    const struct bound *far = s->reverse ? &s->from : &s->to;
    *whole = far->edge == EDGE_KEY && is_long(far->key) && same_head(far->key, head);
    return *whole ? STORE_OK : move_to(s, head, false, s->reverse ? EDGE_SHORT_PAST : EDGE_GROUP_PAST);
}

/* Rows of a group come in the wrong order here: they and what is behind them are left out, and the group is next. */
static int stop_at_group(struct span *s, struct chunk *out, size_t first)
{
    struct slice head = slice_of(out->rows[first].key.p, KEY_SHORT);
    out->n = first;
    return s->reverse ? move_to(s, head, false, EDGE_GROUP_PAST) : move_to(s, head, true, EDGE_KEY);
}

int span_take(struct span *s, struct conn *c, size_t limit, struct chunk *out, bool *whole)
{
    bool group = in_group(s);
    size_t before = out->n, got;
    PGresult *r;
    *whole = false;
    int rc = conn_result(c, &r);
    if (!rc) rc = chunk_add(out, c, s->space, r, &got);
    if (rc) return rc;
    for (size_t i = before; !group && i < out->n; i++)
        if (is_long(out->rows[i].key)) return stop_at_group(s, out, i);
    if (got == limit) return move_past(s, out->rows[out->n - 1].key);
    if (group) return leave_group(s, whole);
    *whole = true;
    return STORE_OK;
}

int span_piece(struct span *s, struct conn *c, size_t limit, struct chunk *out, bool *whole)
{
    int rc = span_send(s, c, limit);
    if (!rc) rc = conn_flush(c);
    if (!rc) rc = span_take(s, c, limit, out, whole);
    int end = c->pg ? conn_end(c) : STORE_AWAY;
    return rc ? rc : end;
}

int span_fetch(struct span *s, struct conn *c, size_t limit, struct chunk *out, bool *whole)
{
    size_t before = out->n;
    int rc = STORE_OK;
    for (*whole = false; !rc && out->n == before && !*whole;) rc = span_piece(s, c, limit, out, whole);
    return rc;
}
