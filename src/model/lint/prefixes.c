/* prefixes.c: rules about the words in keys: prefix-mixed, prefixed-value. */
#include "lint.h"
#include "../values.h"
#include <ctype.h>
#include <strings.h>
#include <stdlib.h>

/* A hole with the word before it: CUST and # of "CUST#${customerId}". */
struct use {
    struct slice word, sep, attribute;
    const struct access_path *path;
    const struct key_template *key;
};

static bool is_word(uint8_t c)
{
    return isalnum(c) || c >= 0x80 || c == '_';
}

/* The last word of a literal and what stands behind it. False: there is no word. */
static bool last_word(struct slice text, struct slice *word, struct slice *sep)
{
    size_t end = text.n;
    while (end && !is_word(text.p[end - 1])) end--;
    size_t start = end;
    while (start && is_word(text.p[start - 1])) start--;
    *word = slice_of(text.p + start, end - start);
    *sep = slice_of(text.p + end, text.n - end);
    return word->n > 0;
}

static size_t list_uses(struct linter *l, struct use **out)
{
    const struct model *m = l->model;
    size_t n = 0, most = 0;
    for (size_t i = 0; i < m->n_paths; i++) {
        for (size_t k = 0; k < path_n_keys(&m->paths[i]); k++) most += path_key(&m->paths[i], k)->template.n;
    }
    *out = ARENA_ARRAY(l->arena, struct use, most + 1);
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        for (size_t k = 0; k < path_n_keys(p); k++) {
            const struct key_template *key = path_key(p, k);
            for (size_t j = 1; j < key->template.n; j++) {
                const struct part *hole = &key->template.parts[j], *before = hole - 1;
                struct use u = { .path = p, .key = key, .attribute = hole->text };
                if (hole->hole && !before->hole && last_word(before->text, &u.word, &u.sep)) (*out)[n++] = u;
            }
        }
    }
    return n;
}

static bool same_but_case(struct slice a, struct slice b)
{
    return a.n == b.n && !slice_eq(a, b) && strncasecmp((const char *)a.p, (const char *)b.p, a.n) == 0;
}

/* CUST and CUSTOMER, ORDER and ORDERS: one the beginning of the other. */
static bool one_begins_other(struct slice a, struct slice b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    return a.n != b.n && n >= 3 && strncasecmp((const char *)a.p, (const char *)b.p, n) == 0;
}

static const char *difference(const struct use *a, const struct use *b)
{
    if (same_but_case(a->word, b->word)) return "the same word in other letters";
    bool same_hole = slice_eq(a->attribute, b->attribute);
    if (same_hole && one_begins_other(a->word, b->word)) return "two words for one thing";
    if (slice_eq(a->word, b->word) && !slice_eq(a->sep, b->sep)) return "the same word with another separator";
    return NULL;
}

static int by_attribute(const void *x, const void *y)
{
    const struct use *a = x, *b = y;
    int c = slice_cmp(a->attribute, b->attribute);
    return c ? c : (a->path->number > b->path->number) - (a->path->number < b->path->number);
}

static int by_word(const void *x, const void *y)
{
    const struct use *a = x, *b = y;
    size_t n = a->word.n < b->word.n ? a->word.n : b->word.n;
    int c = strncasecmp((const char *)a->word.p, (const char *)b->word.p, n);
    if (!c) c = (a->word.n > b->word.n) - (a->word.n < b->word.n);
    return c ? c : (a->path->number > b->path->number) - (a->path->number < b->path->number);
}

static void tell_mixed(struct linter *l, const struct use *first, const struct use *later)
{
    const char *why = difference(first, later);
    if (!why) return;
    lint_tell(l, later->path->place, later->path->entity->name,
              arena_printf(l->arena, "write %.*s%.*s everywhere", SLICE_ARG(first->word), SLICE_ARG(first->sep)),
              "%.*s of %.*s begins %.*s with %.*s%.*s, but %.*s of %.*s has %.*s%.*s: %s",
              SLICE_ARG(lint_key_name(l->arena, later->path, later->key)), SLICE_ARG(later->path->entity->name),
              SLICE_ARG(later->attribute), SLICE_ARG(later->word), SLICE_ARG(later->sep),
              SLICE_ARG(lint_key_name(l->arena, first->path, first->key)), SLICE_ARG(first->path->entity->name),
              SLICE_ARG(first->word), SLICE_ARG(first->sep), why);
}

/* Compares each with the first of its group, so that the work stays small and each oddity is told once. */
static void compare_groups(struct linter *l, struct use *uses, size_t n, bool words)
{
    size_t first = 0;
    for (size_t i = 1; i < n; i++) {
        bool same = words ? slice_eq(uses[i].word, uses[first].word) || same_but_case(uses[i].word, uses[first].word)
                          : slice_eq(uses[i].attribute, uses[first].attribute);
        if (!same) first = i;
        else if (words || one_begins_other(uses[i].word, uses[first].word)) tell_mixed(l, &uses[first], &uses[i]);
    }
}

void lint_prefix_mixed(struct linter *l)
{
    struct use *uses;
    size_t n = list_uses(l, &uses);
    if (!n) return;
    qsort(uses, n, sizeof *uses, by_word);
    compare_groups(l, uses, n, true);
    qsort(uses, n, sizeof *uses, by_attribute);
    compare_groups(l, uses, n, false);
}

static int by_entity(const void *x, const void *y)
{
    size_t a = ((const struct use *)x)->path->entity->number, b = ((const struct use *)y)->path->entity->number;
    return (a > b) - (a < b);
}

/* Does the text begin with the word and separator that the template puts before the attribute? uses: by entity. */
static const struct use *carries(const struct use *uses, size_t n, const struct entity *en, struct slice attribute,
                                 struct slice text)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (uses[mid].path->entity->number < en->number) low = mid + 1;
        else high = mid;
    }
    for (size_t i = low; i < n && uses[i].path->entity == en; i++) {
        const struct use *u = &uses[i];
        if (!u->sep.n || !slice_eq(u->attribute, attribute)) continue;
        if (slice_starts(text, slice_of(u->word.p, u->word.n + u->sep.n))) return u;
    }
    return NULL;
}

static void check_text(struct linter *l, const struct use *uses, size_t n, const struct entity *en,
                       struct slice attribute, struct slice text, struct place at, struct slice on, const char *what)
{
    const struct use *u = carries(uses, n, en, attribute, text);
    if (!u) return;
    struct slice rest = slice_of(text.p + u->word.n + u->sep.n, text.n - u->word.n - u->sep.n);
    lint_tell(l, at, on, arena_printf(l->arena, "write \"%.*s\"", SLICE_ARG(rest)),
              "%s \"%.*s\" of %.*s already carries the prefix that the template %.*s adds", what, SLICE_ARG(text),
              SLICE_ARG(attribute), SLICE_ARG(u->key->template.source));
}

static void check_value(struct linter *l, const struct use *uses, size_t n, const struct entity *en,
                        struct slice attribute, struct slice value, struct place at, const char *what)
{
    if (value.n && val_type(value) == TYPE_S) {
        check_text(l, uses, n, en, attribute, val_content(value), at, en->name, what);
    }
}

static void check_conditions(struct linter *l, const struct use *uses, size_t n, const struct pattern *p,
                             const struct condition *list, size_t count)
{
    for (size_t i = 0; i < count && p->n_entities; i++) {
        const struct operand *operands[] = { &list[i].a, &list[i].b };
        for (size_t k = 0; k < 2; k++) {
            if (operands[k]->input || !operands[k]->text.n) continue;
            check_text(l, uses, n, p->entities[0], list[i].attribute, operands[k]->text, operands[k]->place, p->name,
                       "the value");
        }
    }
}

void lint_prefixed_value(struct linter *l)
{
    const struct model *m = l->model;
    struct use *uses;
    size_t n = list_uses(l, &uses);
    if (n) qsort(uses, n, sizeof *uses, by_entity);
    for (size_t i = 0; i < m->n_patterns && n; i++) {
        const struct pattern *p = &m->patterns[i];
        check_conditions(l, uses, n, p, p->by, p->n_by);
        check_conditions(l, uses, n, p, p->where, p->n_where);
    }
    for (size_t i = 0; i < m->n_entities && n; i++) {
        const struct entity *en = &m->entities[i];
        for (size_t k = 0; k < en->n_attributes; k++) {
            const struct attribute *at = &en->attributes[k];
            check_value(l, uses, n, en, at->name, at->default_value, at->place, "the default");
            for (size_t j = 0; j < at->n_enumeration; j++) {
                check_value(l, uses, n, en, at->name, at->enumeration[j], at->place, "the enum value");
            }
        }
    }
    for (size_t i = 0; i < l->n_records && n; i++) {
        const struct record *r = &l->records[i];
        struct val_iter it;
        struct slice name, value;
        val_iter_init(&it, r->attributes);
        while (val_next(&it, &name, &value)) {
            check_value(l, uses, n, r->entity, name, value, r->place, "the sample value");
        }
    }
}
