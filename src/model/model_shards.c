/* model_shards.c: reads how a key is spread over shards. */
#include "model_reader.h"

enum { OF, BY, COUNT, LETTERS, MONTH, N_FIELDS };

static bool side_has(const struct key_side *side, struct slice name, enum val_type *type)
{
    for (size_t i = 0; i < side->n; i++)
        if (slice_eq(side->attrs[i].name, name)) {
            *type = side->attrs[i].type;
            return true;
        }
    return false;
}

/* 2024-01, from 1970 on. */
static bool read_month(struct slice t, int64_t *ms)
{
    struct span span;
    if (t.n != 7 || t.p[4] != '-' || slice_cmp(t, SLICE("1970-01")) < 0) return false;
    for (size_t i = 0; i < 7; i++)
        if (i != 4 && (t.p[i] < '0' || t.p[i] > '9')) return false;
    if (!when_parse(t, 0, &span)) return false;
    *ms = span.start;
    return true;
}

static void check_values(struct reader *r, const struct node *by, const struct shards *s)
{
    const struct attribute *at = s->by_attribute;
    if (!at->n_enumeration) {
        problem_add(r->ps, by->place, SLICE("say count, letters or month, or give the attribute an enum"),
                    "the shards are the values of %.*s, which has no enum to list them", SHOWN(at->name));
        return;
    }
    for (size_t i = 0; i < at->n_enumeration && at->type == TYPE_S; i++) {
        if (val_type(at->enumeration[i]) != TYPE_S) continue; /* told already */
        struct slice v = val_content(at->enumeration[i]);
        if (v.n && !memmem(v.p, v.n, r->m->delimiter.p, r->m->delimiter.n)) continue;
        problem_add(r->ps, by->place, SLICE("shard by another attribute"),
                    "\"%.*s\" cannot be a shard: it is empty or contains the delimiter", SHOWN(v));
        return;
    }
}

static void check_by(struct reader *r, const struct entity_draft *d, const struct node *by, struct shards *s)
{
    const struct attribute *at = draft_attribute(d, by->text);
    s->by = by->text;
    s->by_attribute = at;
    if (!at && !d->broken)
        problem_add(r->ps, by->place, hint_attribute(r, d, by->text), "%.*s has no attribute \"%.*s\"",
                    SHOWN(d->entity->name), SHOWN(by->text));
    if (!at || at->type == TYPE_NONE) return;
    if (s->kind == SHARD_HASH && at->type != TYPE_S && at->type != TYPE_N && at->type != TYPE_BOOL)
        problem_add(r->ps, by->place, SLICE("use a string, number or boolean"), "a %s cannot choose a shard",
                    type_word(at->type));
    if (s->kind == SHARD_LETTERS && at->type != TYPE_S)
        problem_add(r->ps, by->place, SLICE("use a string"), "shards by letters need a string, but %.*s is a %s",
                    SHOWN(at->name), type_word(at->type));
    if (s->kind == SHARD_MONTH && at->time == TIME_NONE)
        problem_add(r->ps, by->place, SLICE("give it a format: date-time, date, ulid, epoch or epoch-ms"),
                    "shards by month need a time, but %.*s has no time format", SHOWN(at->name));
    if (s->kind == SHARD_VALUE) check_values(r, by, s);
}

const struct shards *read_shards(struct reader *r, const struct entity_draft *d, const struct node *node,
                                 const struct key_side *side)
{
    static const struct field fields[] = { REQUIRED("of", FIELD_TEXT), REQUIRED("by", FIELD_TEXT),
                                           FIELD("count", FIELD_SCALAR), FIELD("letters", FIELD_SCALAR),
                                           FIELD("month", FIELD_TEXT) };
    const struct node *f[N_FIELDS];
    uint64_t v;
    enum val_type type;
    if (!node || !FIELDS_READ(r, node, "shards", fields, f)) return NULL;
    struct shards *s = ARENA_NEW(r->a, struct shards);
    *s = (struct shards){ .place = node->place, .kind = SHARD_VALUE };
    if ((f[COUNT] != NULL) + (f[LETTERS] != NULL) + (f[MONTH] != NULL) > 1)
        problem_add(r->ps, node->place, SLICE("keep one of them"),
                    "shards have one form: count, letters, month, or none of these");
    if (f[COUNT]) {
        s->kind = SHARD_HASH;
        if (read_whole(r, f[COUNT], SLICE("count"), 1, 1000, &v)) s->count = (unsigned)v;
    } else if (f[LETTERS]) {
        s->kind = SHARD_LETTERS;
        if (read_whole(r, f[LETTERS], SLICE("letters"), 1, 2, &v)) s->letters = (unsigned)v;
    } else if (f[MONTH]) {
        s->kind = SHARD_MONTH;
        if (!read_month(f[MONTH]->text, &s->since))
            problem_add(r->ps, f[MONTH]->place, SLICE("write the first month there is, such as 2024-01"),
                        "\"%.*s\" is not a month", SHOWN(f[MONTH]->text));
    } else if (NODE_GET(node, "count") || NODE_GET(node, "letters") || NODE_GET(node, "month")) {
        f[BY] = NULL; /* a form was meant, and complained about */
    }
    if (f[BY]) check_by(r, d, f[BY], s);
    if (!f[OF]) return NULL;
    s->of = f[OF]->text;
    if (!side_has(side, s->of, &type)) {
        problem_add(r->ps, f[OF]->place, arena_printf(r->a, "the hash key here is %.*s", SHOWN(side->attrs[0].name)),
                    "\"%.*s\" is not a hash key attribute here", SHOWN(s->of));
        return NULL;
    }
    if (type != TYPE_S) {
        problem_add(r->ps, f[OF]->place, SLICE("make it a string"), "only a string key can be spread over shards");
        return NULL;
    }
    return s;
}
