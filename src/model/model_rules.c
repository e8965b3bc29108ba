/* model_rules.c: reads the rules of an attribute (format, generate, enum, min, max, pattern, default) and checks that
 * they fit its type and each other. */
#include "model_reader.h"
#include "values.h"

static void misfit(struct reader *r, const struct node *n, const struct attribute *at, const char *needs)
{
    problem_add(r->ps, n->name_place, SLICE(""), "\"%.*s\" is for %s, but %.*s is a %s", SHOWN(n->name), needs,
                SHOWN(at->name), type_word(at->type));
}

static void contradict(struct reader *r, const struct node *n, const char *with, const char *hint)
{
    problem_add(r->ps, n->name_place, slice_str(hint), "\"%.*s\" contradicts %s", SHOWN(n->name), with);
}

/* ---- format and generate ---- */

static void read_format(struct reader *r, const struct node *n, struct attribute *at)
{
    static const char *const words[] = { "ulid", "uuid", "date", "date-time", "epoch", "epoch-ms" };
    static const enum time_format times[] = { TIME_ULID, TIME_NONE, TIME_DATE, TIME_DATE_TIME, TIME_EPOCH, TIME_EPOCH_MS };
    int i = read_word(r, n, SLICE("format"), words, 6);
    if (i < 0) return;
    if (at->type != (i < 4 ? TYPE_S : TYPE_N)) {
        problem_add(r->ps, n->place, i < 4 ? SLICE("") : SLICE("write type: number"),
                    "format %s is for a %s, but %.*s is a %s", words[i], i < 4 ? "string" : "number", SHOWN(at->name),
                    type_word(at->type));
        return;
    }
    at->time = times[i];
    at->is_uuid = i == 1;
}

static void read_generate(struct reader *r, const struct node *n, bool has_format, struct attribute *at)
{
    static const char *const words[] = { "ulid", "uuid", "now" };
    int i = read_word(r, n, SLICE("generate"), words, 3);
    if (i < 0) return;
    at->generate = (enum generate)(GENERATE_ULID + i);
    if (i < 2 && at->type != TYPE_S) {
        misfit(r, n, at, "a string here");
        return;
    }
    if (i == 2 && at->type != TYPE_S && at->type != TYPE_N) {
        misfit(r, n, at, "a string or a number");
        return;
    }
    if (!has_format) {
        if (i == 1) at->is_uuid = true;
        else at->time = i == 0 ? TIME_ULID : at->type == TYPE_S ? TIME_DATE_TIME : TIME_EPOCH;
        return;
    }
    bool fits = i == 0   ? at->time == TIME_ULID
                : i == 1 ? at->is_uuid
                         : !at->is_uuid && at->time != TIME_ULID && at->time != TIME_NONE;
    if (!fits) contradict(r, n, "the attribute's format", "leave format out; generate implies it");
}

/* ---- values ---- */

/* The value of a node by the attribute's type; empty after a problem. */
static struct slice read_value(struct reader *r, const struct attribute *at, const struct node *n)
{
    struct err e = { .arena = r->a };
    struct slice out = { 0 };
    if (value_from_node(r->a, at, n, &out, &e)) {
        problem_add(r->ps, n->place, SLICE(""), "%.*s", SLICE_ARG(e.message));
        return (struct slice){ 0 };
    }
    return out;
}

static void read_enum(struct reader *r, const struct node *n, struct attribute *at)
{
    if (!n) return;
    if (at->type != TYPE_S && at->type != TYPE_N) {
        misfit(r, n, at, "strings and numbers");
        return;
    }
    if (n->count == 0) problem_add(r->ps, n->place, SLICE("list the values"), "\"enum\" has no values");
    struct slice *list = ARENA_ARRAY(r->a, struct slice, n->count + 1);
    struct names seen;
    names_init(&seen, r->a, n->count);
    size_t i = 0;
    for (const struct node *c = n->first; c; c = c->next) {
        struct num num;
        if (at->type == TYPE_S && node_number(c, &num)) {
            problem_add(r->ps, c->place, SLICE("write type: number, or put the value in quotes"),
                        "this value is a number, but %.*s is a string", SHOWN(at->name));
            continue;
        }
        struct slice v = read_value(r, at, c);
        if (!v.n) continue;
        if (!names_add(&seen, v, 0, NULL))
            problem_add(r->ps, c->place, SLICE("keep one of them"), "\"%.*s\" is there twice", SHOWN(c->text));
        else list[i++] = v;
    }
    at->enumeration = list;
    at->n_enumeration = i;
}

static void read_bound(struct reader *r, const struct node *n, struct attribute *at, struct slice *out)
{
    struct num num;
    int64_t whole;
    if (!n) return;
    if (at->type == TYPE_BOOL) {
        misfit(r, n, at, "numbers and for what has a length");
        return;
    }
    if (!node_number(n, &num)) {
        problem_add(r->ps, n->place, SLICE(""), "\"%.*s\" must be a number", SHOWN(n->name));
        return;
    }
    if (at->type != TYPE_N && (!num_to_int64(slice_of(num.bytes, num.n), &whole) || whole < 0)) {
        problem_add(r->ps, n->place, SLICE("it limits the length"),
                    "\"%.*s\" of a %s must be a whole number from 0", SHOWN(n->name), type_word(at->type));
        return;
    }
    struct buf b;
    buf_init(&b, r->a, 64);
    val_put_number(&b, slice_of(num.bytes, num.n));
    *out = buf_view(&b);
}

/* A rule that the attribute's other rules make impossible. */
static void check_value(struct reader *r, const struct entity *en, const struct attribute *at, struct slice value,
                        struct place place, const char *what)
{
    struct err e = { .arena = r->a };
    if (value.n && value_check(en, at, value, &e))
        problem_add(r->ps, place, SLICE(""), "%s breaks the attribute's own rules: %.*s", what, SLICE_ARG(e.message));
}

void read_rules(struct reader *r, const struct entity *en, const struct rule_nodes *n, struct attribute *at)
{
    size_t before = r->ps->n;
    read_format(r, n->format, at);
    read_generate(r, n->generate, n->format != NULL, at);
    read_bound(r, n->min, at, &at->min);
    read_bound(r, n->max, at, &at->max);
    if (at->min.n && at->max.n && val_compare(at->min, at->max) > 0)
        contradict(r, n->max, "min, which is larger", "swap them");
    if (n->pattern && at->type != TYPE_S) misfit(r, n->pattern, at, "strings");
    else read_regex(r, n->pattern, at);
    read_enum(r, n->enumeration, at);
    if (n->generate && n->default_)
        contradict(r, n->default_, "generate: both give the value that is missing", "keep one of them");
    if (n->generate && n->enumeration) contradict(r, n->enumeration, "generate", "keep one of them");
    struct slice value = n->default_ ? read_value(r, at, n->default_) : (struct slice){ 0 };
    /* Rules that are wrong themselves judge nothing. */
    if (r->ps->n != before) return;
    /* Against the other rules only: that each is one of the list needs no search through the list. */
    struct attribute others = *at;
    size_t i = 0;
    others.n_enumeration = 0;
    for (const struct node *c = n->enumeration ? n->enumeration->first : NULL; c; c = c->next, i++)
        check_value(r, en, &others, at->enumeration[i], c->place, "this value");
    if (r->ps->n != before) return;
    if (n->default_) check_value(r, en, at, value, n->default_->place, "the default");
    at->default_value = value;
}
