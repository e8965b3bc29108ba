/* sort_keys.c: rules about what stands in sort keys, where text order must be the order that is meant: sort-unpadded,
 * sort-date, escape-order. */
#include "lint.h"
#include "../values.h"
#include <ctype.h>
#include <stdio.h>

struct sort_hole {
    const struct access_path *path;
    const struct key_template *key;
    const struct part *part;
    const struct attribute *attribute;
};

/* Calls back for every hole of every sort key that is text. */
static void each_hole(struct linter *l, void (*look)(struct linter *l, const struct sort_hole *h))
{
    for (size_t i = 0; i < l->model->n_paths; i++) {
        const struct access_path *p = &l->model->paths[i];
        for (size_t k = 0; k < p->n_sort; k++) {
            const struct template *t = &p->sort[k].template;
            if (p->sort[k].attribute->type != TYPE_S) continue;
            for (size_t j = 0; j < t->n; j++) {
                struct sort_hole h = { p, &p->sort[k], &t->parts[j], NULL };
                if (!t->parts[j].hole) continue;
                h.attribute = entity_attribute(p->entity, t->parts[j].text);
                if (h.attribute) look(l, &h);
            }
        }
    }
}

static struct place place_of(const struct sort_hole *h)
{
    return h->key->template.place.line ? h->key->template.place : h->path->place;
}

/* Do min and max leave only numbers of one width, so that text order is number order? */
static bool one_width(const struct attribute *at)
{
    int64_t min, max;
    if (!at->min.n || !at->max.n) return false;
    if (!num_to_int64(val_content(at->min), &min) || !num_to_int64(val_content(at->max), &max) || min < 0) return false;
    char a[24], b[24];
    return snprintf(a, sizeof a, "%lld", (long long)min) == snprintf(b, sizeof b, "%lld", (long long)max);
}

static void look_unpadded(struct linter *l, const struct sort_hole *h)
{
    const struct attribute *at = h->attribute;
    if (at->type != TYPE_N || h->part->digits || h->key->template.whole || one_width(at)) return;
    if (at->n_enumeration == 1) return;
    int64_t max;
    unsigned digits = at->time == TIME_EPOCH_MS ? 13 : at->time == TIME_EPOCH ? 10 : 6;
    if (at->max.n && num_to_int64(val_content(at->max), &max) && max > 0) {
        for (digits = 0; max; max /= 10) digits++;
    }
    lint_tell(l, place_of(h), h->path->entity->name,
              arena_printf(l->arena, "pad it: ${%.*s:0%u}", SLICE_ARG(at->name), digits),
              "%.*s of %.*s holds the number %.*s unpadded: as text 10 comes before 9",
              SLICE_ARG(lint_key_name(l->arena, h->path, h->key)), SLICE_ARG(h->path->entity->name),
              SLICE_ARG(at->name));
}

void lint_sort_unpadded(struct linter *l)
{
    each_hole(l, look_unpadded);
}

/* createdAt, orderDate, timestamp, day ... */
static bool name_tells_time(struct slice n)
{
    static const char *const ends[] = { "At", "Date", "Time", "_at", "_date", "_time", "Timestamp", "_timestamp" };
    static const char *const whole[] = { "date", "time", "timestamp", "day", "month", "created", "updated", "when" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t k = strlen(ends[i]);
        if (n.n > k && memcmp(n.p + n.n - k, ends[i], k) == 0) return true;
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (slice_eq(n, slice_str(whole[i]))) return true;
    }
    return false;
}

/* 10/05/2026, 10.5.2026, 2026-5-1, 10-05-2026: three numbers between separators that do not sort by time. */
static bool is_unsortable_date(struct slice t)
{
    size_t widths[3] = { 0 }, field = 0;
    uint8_t sep = 0;
    for (size_t i = 0; i < t.n; i++) {
        if (isdigit(t.p[i])) {
            widths[field]++;
        } else if (field < 2 && widths[field] && (t.p[i] == '/' || t.p[i] == '.' || t.p[i] == '-') &&
                   (!sep || sep == t.p[i])) {
            sep = t.p[i];
            field++;
        } else if (field == 2 && widths[2] && (t.p[i] == ' ' || t.p[i] == 'T' || t.p[i] == ',')) {
            break;
        } else {
            return false;
        }
    }
    if (field != 2 || !widths[2] || widths[0] > 4 || widths[1] > 2 || widths[2] > 4) return false;
    if (widths[0] != 4) return widths[2] == 4; /* the year stands last */
    return widths[1] == 1 || widths[2] == 1;   /* year first, but not padded */
}

static bool time_is_declared(const struct attribute *at)
{
    return at->time != TIME_NONE || at->is_uuid || at->pattern.n || at->n_enumeration || at->type != TYPE_S;
}

static void look_date(struct linter *l, const struct sort_hole *h)
{
    const struct attribute *at = h->attribute;
    struct slice key = lint_key_name(l->arena, h->path, h->key);
    if (time_is_declared(at)) return;
    const size_t *first = &l->first_record[h->path->entity->number];
    for (size_t i = first[0]; i < first[1]; i++) {
        struct slice v;
        const struct record *r = &l->records[i];
        if (!val_get(r->attributes, at->name, &v) || val_type(v) != TYPE_S) continue;
        if (!is_unsortable_date(val_content(v))) continue;
        lint_tell(l, r->place, h->path->entity->name,
                  SLICE("write dates as 2026-05-10 or 2026-05-10T14:23:01Z and declare format: date or date-time"),
                  "%.*s of %.*s holds %.*s, and \"%.*s\" does not sort by time", SLICE_ARG(key),
                  SLICE_ARG(h->path->entity->name), SLICE_ARG(at->name), SLICE_ARG(val_content(v)));
        return;
    }
    if (!name_tells_time(at->name)) return;
    lint_tell(l, place_of(h), h->path->entity->name,
              arena_printf(l->arena, "declare it: %.*s: { type: string, format: date-time }, or format: date",
                           SLICE_ARG(at->name)),
              "%.*s of %.*s holds %.*s, which seems to be a time, but nothing says that it is written so that it sorts "
              "by time", SLICE_ARG(key), SLICE_ARG(h->path->entity->name), SLICE_ARG(at->name));
}

void lint_sort_date(struct linter *l)
{
    each_hole(l, look_date);
}

static bool slice_holds_any(struct slice text, struct slice bytes)
{
    for (size_t i = 0; i < text.n; i++) {
        if (bytes.n && memchr(bytes.p, text.p[i], bytes.n)) return true;
    }
    return false;
}

/* Can a value of the attribute hold the delimiter or a percent sign? */
static bool can_be_escaped(const struct attribute *at, struct slice delimiter)
{
    if (at->type == TYPE_N) return slice_holds_any(delimiter, SLICE("-.0123456789"));
    if (at->type != TYPE_S) return false;
    if (at->time == TIME_DATE || at->time == TIME_DATE_TIME) return slice_holds_any(delimiter, SLICE("-:.TZ0123456789"));
    if (at->is_uuid) return slice_holds_any(delimiter, SLICE("-0123456789abcdef"));
    if (at->time == TIME_ULID) return false;
    for (size_t i = 0; i < at->n_enumeration; i++) {
        struct slice v = at->enumeration[i];
        if (val_type(v) != TYPE_S) continue;
        if (memchr(val_content(v).p, '%', val_content(v).n) ||
            memmem(val_content(v).p, val_content(v).n, delimiter.p, delimiter.n)) {
            return true;
        }
    }
    return !at->n_enumeration;
}

static void look_escape(struct linter *l, const struct sort_hole *h)
{
    const struct template *t = &h->key->template;
    if (!t->escape || t->whole || !can_be_escaped(h->attribute, t->delimiter)) return;
    lint_tell(l, place_of(h), h->path->entity->name,
              SLICE("use escape: refuse where the values never hold the delimiter, or sort by another attribute"),
              "%.*s of %.*s escapes %.*s, so a value with \"%.*s\" or \"%%\" in it sorts elsewhere than its text would",
              SLICE_ARG(lint_key_name(l->arena, h->path, h->key)), SLICE_ARG(h->path->entity->name),
              SLICE_ARG(h->attribute->name), SLICE_ARG(t->delimiter));
}

void lint_escape_order(struct linter *l)
{
    each_hole(l, look_escape);
}
